//! The compiler refuses names that it cannot resolve as rustc does, and points at them.

use droste_lang::compiler::compile_file;

/// Items, body of `main`, and message. « and » mark the place at which the error must point.
const CASES: &[(&str, &str, &str)] = &[
    // What may be a constant of the standard library, which a pattern would compare.
    (
        "use std::u32::MAX;",
        "reveal(felt(match 5u32 { «MAX» => 1usize, _ => 2 }));",
        "may be the constant `std::u32::MAX`",
    ),
    (
        "use core::usize::MIN as LOW;",
        "reveal(felt(match (5usize, 1usize) { («LOW», _) => 1usize, _ => 2 }));",
        "may be the constant `core::usize::MIN`",
    ),
    // Names that the language looks at, and does not look up.
    (
        "type «usize» = u8; fn f<const N: usize>() -> u32 { N.leading_zeros() }",
        "f::<16>();",
        "`usize` is a name of the language",
    ),
    (
        "mod m { pub type Small = u8; } «use m::Small as usize;»",
        "",
        "`usize` is a name of the language",
    ),
    ("trait «Sized» {}", "", "`Sized` is a name of the language"),
    // Several traits, or a trait and an inherent implementation.
    (
        "struct S; trait A { fn f(&self) {} } trait B { fn f(&self) {} } impl A for S {} impl B for S {}",
        "«S.f()»;",
        "2 implementations of `f`",
    ),
    (
        "struct S; trait A { fn f(&self) {} } trait B { fn f(&self) {} } impl A for S {} impl B for S {}
         fn go<T: A, U: B>(x: (T, U)) { let (y, z) = x; «y.f()»; z.f() }",
        "go((S, S));",
        "2 implementations of `f`",
    ),
    (
        "struct S; trait A { fn f(&self) {} } impl A for S {} impl S { fn f(self) {} }",
        "«S.f()»;",
        "in different ways",
    ),
    (
        "trait Len { fn len(&self) -> usize { 9 } } impl Len for [Felt; 2] {}",
        "reveal(felt(«[Felt::ONE; 2].len()»));",
        "in different ways",
    ),
    (
        "struct S; trait A { fn f() {} } trait B { fn f() {} } impl A for S {} impl B for S {}",
        "«S::f()»;",
        "2 implementations of `f`",
    ),
    (
        "struct S; trait A { const N: usize = 1; } trait B { const N: usize = 2; } impl A for S {} impl B for S {}",
        "reveal(felt(«S::N»));",
        "2 implementations of `N`",
    ),
    (
        "struct S; trait A { fn f(&self) {} } impl<T: Copy> A for T {} impl A for S {}",
        "«S.f()»;",
        "2 implementations of `f`",
    ),
    (
        "struct S; trait Of<T> { fn of(x: T) -> Self; } impl Of<u8> for S { fn of(_x: u8) -> S { S } } impl Of<u16> for S { fn of(_x: u16) -> S { S } }",
        "let _s = «S::of(3)»;",
        "2 implementations of `of`",
    ),
    ("trait A { fn f() -> usize; }", "let n: usize = «A::f()»;", "the type that implements the trait"),
    (
        "trait A { fn f() -> usize { 1 } } impl A for Felt {} fn g<T: A>() -> usize { «T::f()» }",
        "reveal(felt(g()));",
        "cannot tell what type",
    ),
    // What has no meaning in the subset.
    ("struct S; impl «Drop» for S { fn drop(&mut self) {} }", "", "implementing `Drop`"),
    (
        "use std::ops::Deref; struct S { x: Felt } impl «Deref» for S { type Target = Felt; fn deref(&self) -> &Felt { &self.x } }",
        "",
        "not in the subset",
    ),
    (
        "struct S; trait A { fn f(&self); } impl A for «&S» { fn f(&self) {} }",
        "",
        "implementations for references",
    ),
    (
        "use std::ops::AddAssign; struct S; impl «AddAssign» for S { fn add_assign(&mut self, _other: S) {} }",
        "",
        "implementing `AddAssign`",
    ),
    // What rustc finds in the standard library, though the program has one candidate.
    (
        "struct A { x: Felt } struct B { x: Felt }
         impl «Into»<A> for B { fn into(self) -> A { A { x: self.x + felt(1) } } }",
        "let b: B = B { x: public_input() }.into(); reveal(b.x);",
        "implementing `Into`",
    ),
    (
        "use std::ops::Add; struct S; impl «Add» for S { type Output = S; fn add(self, other: S) -> S { other } }",
        "",
        "implementing `Add`",
    ),
    (
        "struct S; impl core::ops::«Neg» for S { type Output = S; fn neg(self) -> S { self } }",
        "",
        "implementing `Neg`",
    ),
    (
        "struct S; impl «PartialEq» for S { fn eq(&self, _other: &S) -> bool { true } }",
        "",
        "implementing `PartialEq`",
    ),
    (
        "struct S; impl «From<Felt>» for S { fn from(_x: Felt) -> S { S } }",
        "",
        "implementing `From`",
    ),
    (
        "#[derive(Clone, Copy, PartialEq)] struct A { x: Felt }",
        "let a = A { x: public_input() }; let same = «a == a»; assert!(same);",
        "`Eq` does not apply",
    ),
    (
        "trait Tr { fn into(&self) -> Felt; } impl Tr for Felt { fn into(&self) -> Felt { *self + felt(1) } }",
        "let x = public_input(); reveal(«x.into()»);",
        "in different ways",
    ),
    (
        "trait Tr { fn max(&self, other: bool) -> bool; } impl Tr for bool { fn max(&self, _other: bool) -> bool { false } }",
        "let b = «true.max(false)»; assert!(b);",
        "in different ways",
    ),
    (
        "struct S(Felt); impl Clone for S { fn clone(&self) -> S { S(self.0 + felt(1)) } }
         fn f<T>(x: &T) { let _y = «x.clone()»; }",
        "f(&S(public_input()));",
        "may be that of a reference",
    ),
    (
        "struct S(Felt); impl Clone for S { fn clone(&self) -> S { S(self.0 + felt(1)) } }
         fn f<T: Clone>(x: T) -> T { «T::clone(&x)» }",
        "f(&S(public_input()));",
        "may be that of a reference",
    ),
    (
        "struct S(Felt); impl Clone for S { fn clone(&self) -> S { S(self.0 + felt(1)) } }",
        "let s = S(public_input()); for r in [&s, &s].iter() { let _y = «r.clone()»; }",
        "may be that of a reference",
    ),
    (
        "struct P<A, B> { a: A, b: B } impl<T> P<T, T> { fn f(&self) -> Felt { felt(1) } }
         trait Tr { fn f(&self) -> Felt; } impl Tr for P<u64, u8> { fn f(&self) -> Felt { felt(2) } }",
        "let x = 5; if false { let _z: u64 = x; } let p = P { a: x, b: 1u8 }; reveal(«p.f()»);",
        "",
    ),
    (
        "fn f(n: &mut usize) -> usize { *n += 1usize; *n }",
        "let mut n = 0usize; let mut v = [1usize, 2, 3]; «v[0..3][f(&mut n)] += f(&mut n)»;",
        "which side is evaluated first",
    ),
    (
        "#[derive(PartialEq)] struct S(Felt); impl S { fn eq(&self, _other: &S) -> bool { false } }
         fn f<T: PartialEq>(x: T) -> bool { «T::eq(&x, &x)» }",
        "f(S(public_input()));",
        "no method `eq`",
    ),
    (
        "mod a { pub struct S; impl S { fn f(&self) {} } } use a::S; trait Tr { fn f(&self) {} } impl Tr for S {}",
        "«S.f()»;",
        "2 implementations of `f`",
    ),
    (
        "mod a { pub struct S; impl S { const N: usize = 1; } } use a::S; trait Tr { const N: usize = 2; } impl Tr for S {}",
        "reveal(felt(«S::N»));",
        "2 implementations of `N`",
    ),
    (
        "mod a { use droste_gadgets::prelude::*; pub struct S(Felt); impl S { fn default() -> S { S(felt(5)) } }
         } use a::S;",
        "let _s = «S::default()»;",
        "the built-in one or the program's",
    ),
    (
        "use std::ops::Add; trait Tr { fn add(&self, _other: Felt) {} } impl Tr for Felt {}",
        "let x = public_input(); «x.add(x)»;",
        "in different ways",
    ),
    (
        "use std::borrow::Borrow; trait Tr { fn borrow(&mut self) {} } impl Tr for Felt {}",
        "let mut x = public_input(); «x.borrow()»;",
        "`std::borrow::Borrow` is imported here",
    ),
    (
        "use std::borrow::Borrow; mod k { pub trait Tr { fn borrow(&self) -> &usize; }
         impl Tr for usize { fn borrow(&self) -> &usize { &7 } } }",
        "let n: &usize = «usize::borrow(&3)»; reveal(felt(*n));",
        "`std::borrow::Borrow` is imported here",
    ),
    (
        "use std::ops::Add; mod k { use super::*; pub trait Tr { fn add(self, other: Felt) -> Felt; }
         impl Tr for Felt { fn add(self, _other: Felt) -> Felt { self } } }",
        "let x = public_input(); reveal(«Felt::add(x, x)»);",
        "no method `add`",
    ),
    (
        "trait Tr { fn eq_ignore_ascii_case(&self, other: &u8) -> bool; }
         impl Tr for u8 { fn eq_ignore_ascii_case(&self, _other: &u8) -> bool { false } }",
        "assert!(«3u8.eq_ignore_ascii_case(&3)»);",
        "in different ways",
    ),
    (
        "trait Tr { fn add(self, _other: Felt) {} } impl Tr for Felt {}
         fn f<T: std::ops::Add>(x: T, y: T) { «x.add(y)»; }",
        "let x = public_input(); f(x, x);",
        "the bounds of this type parameter",
    ),
    (
        "trait Id { const ID: usize; } impl Id for bool { const ID: usize = 2; }
         trait Tr { type Output; } impl Tr for Felt { type Output = bool; }
         fn f<T: std::ops::Add>() -> usize where T::Output: Id { <«T::Output» as Id>::ID }",
        "reveal(felt(f::<Felt>()));",
        "the bounds of this type parameter",
    ),
    (
        "trait Tr { fn then_some(self, _x: Felt) {} } impl Tr for bool {}",
        "«true.then_some(public_input())»;",
        "no method `then_some`",
    ),
    (
        "trait Tr { fn count(&self) -> usize { 7 } } impl<T> Tr for T {}",
        "reveal(felt(«(0..3usize).count()»));",
        "in different ways",
    ),
    (
        "trait Tr { fn len(&self) -> usize { 7 } } impl<T> Tr for T {}",
        "reveal(felt(«\"abc\".len()»));",
        "no method `len`",
    ),
    (
        "trait Tr { fn count(&self) -> usize { 7 } } impl Tr for [Felt; 3] {}",
        "let each = [felt(1); 3]; let each = each.iter(); reveal(felt(«each.count()»));",
        "no method `count`",
    ),
    (
        "type T = u8; trait Id { const ID: usize; } impl Id for u8 { const ID: usize = 1; }
         impl Id for usize { const ID: usize = 2; } fn f<T: Id>(_a: T) -> usize { «T::ID» }",
        "reveal(felt(f(5)));",
        "2 implementations of `ID`",
    ),
    // Generic parameters that stay unknown: their names do not mean an item of the module.
    (
        "const N: usize = 9; trait Tr<const M: usize> { fn g(&self) -> usize { «M» } } struct S; impl<const N: usize> Tr<N> for S {}",
        "reveal(felt(S.g()));",
        "cannot tell the value of `M`",
    ),
    (
        "const N: usize = 9; trait Tr<const M: usize> { const C: usize = «M» + 1; } struct S; impl<const N: usize> Tr<N> for S {}",
        "reveal(felt(S::C));",
        "cannot tell the value of `M`",
    ),
    (
        "trait Id { const ID: usize; } struct U; impl Id for U { const ID: usize = 1; }
         trait Tr<T: Id> { fn g(&self) -> usize { «T::ID» } } struct S; impl<U: Id> Tr<U> for S {}",
        "reveal(felt(S.g()));",
        "cannot tell what type",
    ),
    (
        "trait Id { const ID: usize; } struct U; impl Id for U { const ID: usize = 1; }
         trait Tr<T> { type O: Id; fn g(&self, _: T) -> usize { «Self::O::ID» } } struct S; impl<U: Id> Tr<U> for S { type O = U; }",
        "reveal(felt(S.g(U)));",
        "cannot tell what type",
    ),
    (
        "trait Id { const ID: usize; } struct T; impl Id for T { const ID: usize = 1; }
         struct W<A>(A); impl<A: Id> W<A> { fn id() -> usize { «A::ID» } } type Al<T> = W<T>;",
        "reveal(felt(Al::id()));",
        "cannot tell what type",
    ),
    (
        "const N: usize = 9; struct W<const K: usize>; impl<const K: usize> W<K> { fn k() -> usize { «K» } } type Al<const N: usize> = W<N>;",
        "reveal(felt(Al::k()));",
        "cannot tell the value of `K`",
    ),
    // Type expressions that cannot be followed.
    ("type A = «B»; type B = A; struct S(A);", "", "depend on each other"),
    ("trait Tr {} impl Tr for A {} type A = «B»; type B = A;", "", "depend on each other"),
    ("type A<T> = (T, «B»<T>); type B<T> = A<T>; fn f(_x: A<Felt>) {}", "f(public_input());", "depend on each other"),
    (
        "trait A { type T; } struct S; impl A for S { type T = «<S as A>::T»; }",
        "let _x: <S as A>::T = public_input();",
        "depend on each other",
    ),
    ("struct T; type Id<T> = T; trait Tr {} impl Tr for «Id<Felt>» {}", "", "alias of a type parameter"),
    // What the expected type of the function around a literal does not determine.
    (
        "#[derive(Clone, Copy)] struct S<const N: usize>(Felt);
         impl<const N: usize> S<N> { fn n(self) -> Felt { self.0 + felt(«N») } }
         fn g(s: S<4>) -> Felt { s.n() } fn f(x: Felt) -> S<3> { S(g(S(x))) }",
        "reveal(f(public_input()).n());",
        "cannot tell the value of `N`",
    ),
    (
        "fn next(k: &mut usize) -> usize { *k += 1; *k }",
        "let mut k = 0usize; let mut v = [0usize; 4]; let w = [1usize, 2, 3, 4];
         «v[next(&mut k)] += w[next(&mut k)]»; reveal(felt(v[1]));",
        "which side is evaluated first",
    ),
    (
        "#[derive(Clone)] struct S { w: Words<2> }",
        "let s = S { w: Words::<2>::new() }; let _t = «s.clone()»;",
        "cannot be copied",
    ),
    // Names.
    ("const A: usize = 1; const «A»: usize = 2;", "", "`A`"),
    ("mod a { pub fn f() {} } use «a::f»; fn f() {}", "f();", "`f` is defined twice"),
    (
        "mod a { pub fn f() {} } mod b { pub fn f() {} } use a::*; use b::*;",
        "«f()»;",
        "imported from two modules",
    ),
    ("mod a { use droste_gadgets::prelude::*; } fn g() -> Felt { «a::nothing»() }", "g();", "no `nothing`"),
    ("mod a { pub fn f() -> usize { let _x = «felt(1)»; 1 } }", "a::f();", "no function `felt`"),
    ("mod a { pub fn f() -> «Felt» { felt(1) } }", "a::f();", "no type `Felt`"),
    ("mod a { use droste_gadgets::prelude::felt; } ", "let _x = «a::other()»;", "no `other`"),
    ("use «nowhere::thing»;", "", "there is no `nowhere::thing`"),
    ("use «super::thing»;", "", "no module above"),
    ("mod «absent»;", "", "file of the module `absent` is missing"),
    (
        "mod a { use droste_gadgets::prelude::*; fn drop(_x: Felt) {} } use a::*;",
        "«drop(public_input())»;",
        "no function `drop`",
    ),
    // Slices.
    ("", "let _s = «Slice::from_blocks([])»;", "at least one block"),
    (
        "",
        "let s = hint_slice(2).any(); reveal(«s.at(public_input())».lane(0));",
        "takes an Index<N>",
    ),
    (
        "",
        "let s = hint_slice(2).any(); reveal(«s.at(Index::<3>::new(public_input()))».lane(0));",
        "an Index<3> may be outside of this slice of 2",
    ),
    (
        "",
        "let s = hint_slice(2).any(); reveal(«s.at_unchecked(public_input())».lane(0));",
        "does not check its index",
    ),
    (
        "",
        "let s = hint_slice(2).any(); reveal(«s.skip_unchecked(public_input(), 1)».block(0).lane(0));",
        "does not check its index",
    ),
    ("", "let s = hint_slice(2).any(); let _t = «s.skip(3)»;", "3 blocks of a slice"),
    (
        "",
        "let s = hint_slice(2).any(); reveal(«poseidon16_hash(s, 17, Block::ZERO)».lane(0));",
        "3 blocks of a slice",
    ),
    (
        "",
        "let s = hint_slice(2).any(); let x = public_input();
         let mut t = s; «if x == felt(1) { t = s.skip(1); }» reveal(t.block(0).lane(0));",
        "leaves",
    ),
];

#[test]
fn every_ambiguity_is_refused_at_its_place() {
    for (items, body, message) in CASES {
        let marked =
            format!("use droste_gadgets::prelude::*;\n{items}\npub fn main() {{ {body} }}\n");
        let source = marked.replace(['«', '»'], "");
        let Err(error) = compile_file("main.rs", &source, &[]) else {
            panic!("this compiles:\n{marked}");
        };
        let text = error.to_string();
        assert!(text.contains(message), "{marked}\n{text}");
        let (start, end) = (error.span.offset(), error.span.offset() + error.span.len());
        let first = marked.find('«').expect("a mark");
        let last = marked.find('»').expect("a mark") - '«'.len_utf8();
        assert!(
            start <= last && first <= end,
            "{marked}\n{text}\nat {start}..{end}"
        );
    }
}

#[test]
fn modules_come_from_one_file_and_only_the_prelude_is_built_in() {
    let main = |import: &str| {
        format!(
            "use {import};\nuse droste_gadgets::prelude::*;\npub fn main() {{ reveal(seven()); }}\n"
        )
    };
    let library = "use droste_gadgets::prelude::*;\npub fn seven() -> Felt { felt(7) }\n";
    let entry = main("mine::prelude_of_mine::prelude::seven");
    let file = ("mine/prelude_of_mine/prelude.rs", library);
    assert!(compile_file("main.rs", &entry, &[file]).is_ok());
    let entry = main("mine::a::seven");
    let error = compile_file(
        "main.rs",
        &entry,
        &[("mine/a.rs", library), ("mine::a", library)],
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("two files are the module")
    );
}
