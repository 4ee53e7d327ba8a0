//! The compiler refuses names that it cannot resolve as rustc does, and points at them.

use droste_lang::compiler::compile_file;

/// An operator of the program that two integer types have.
const TIMES: &str = "#[derive(Clone, Copy)] struct S;
     impl std::ops::Mul<S> for i32 { type Output = u64; fn mul(self, _s: S) -> u64 { 1 } }
     impl std::ops::Mul<S> for u64 { type Output = u64; fn mul(self, _s: S) -> u64 { 2 } }";

const DERIVED_AND_OWN: &str = "#[derive(Debug, PartialEq)] struct H<T> { x: T }
     impl PartialEq<H<i32>> for H<u8> { fn eq(&self, _other: &H<i32>) -> bool { false } }";

const DEFAULTS: &str = "#[derive(Default)] struct H<T> { x: T } struct Nd;
     impl Default for H<Nd> { fn default() -> Self { H { x: Nd } } }";

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
    (
        "type «u8» = u64; fn f<const N: u8>() -> u32 { N.leading_zeros() }",
        "f::<16>();",
        "`u8` is a name of the language",
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
        "struct S; trait A { fn f(&self) {} } impl A for S {} impl S { fn f(self) {} }
         fn go<T: A>(x: (T, usize)) { let (y, _z) = x; «y.f()»; }",
        "go((S, 1));",
        "in different ways",
    ),
    (
        "struct S; trait A { fn f(&self) {} } impl A for S {}
         trait B: Sized { fn f(self) {} } impl<T> B for T {}
         fn go<T: A>(x: T) { «x.f()»; }",
        "go(S);",
        "in different ways",
    ),
    (
        "trait Len { fn len(&self) -> usize { 9 } } impl Len for [Felt; 2] {}",
        "reveal(felt(«[Felt::ONE; 2].len()»));",
        "may be of the standard library",
    ),
    // What a loop changes by reference.
    (
        "trait Nine { fn iter_mut(&self) -> [usize; 1]; }
         impl Nine for [usize; 2] { fn iter_mut(&self) -> [usize; 1] { [9] } }",
        "let mut n = 0; let mut v = [1usize, 2]; for x in «v.iter_mut()» { n += 1; } reveal(felt(n));",
        "may be of the standard library",
    ),
    (
        "trait Nine: Sized { fn by_ref(self) -> [usize; 1]; }
         impl<I: Iterator> Nine for I { fn by_ref(self) -> [usize; 1] { [9] } }",
        "let mut n = 0; let mut v = 0..2usize; for x in «v.by_ref()» { n += 1; } reveal(felt(n));",
        "may be of the standard library",
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
    // The type of a literal beside an operator of the program is not that of the result.
    (
        TIMES,
        "let r: u64 = «3 * S»;",
        "several implementations of `Mul`",
    ),
    (
        TIMES,
        "let r: u64 = «-3 * S»;",
        "several implementations of `Mul`",
    ),
    (
        TIMES,
        "let x = 4u64; let r = x + «3 * S»;",
        "several implementations of `Mul`",
    ),
    (
        TIMES,
        "let mut x = 4u64; x += «3 * S»;",
        "several implementations of `Mul`",
    ),
    (
        TIMES,
        "let list: [u64; 2] = [«3 * S», 4];",
        "several implementations of `Mul`",
    ),
    (
        TIMES,
        "let r: u64 = if true { «3 * S» } else { 4 };",
        "several implementations of `Mul`",
    ),
    (
        "#[derive(Clone, Copy)] struct S;
         impl std::ops::Mul<S> for i32 { type Output = usize; fn mul(self, _s: S) -> usize { 1 } }
         impl std::ops::Mul<S> for usize { type Output = usize; fn mul(self, _s: S) -> usize { 0 } }",
        "let list = [1u8, 2]; let x = list[«3 * S»];",
        "several implementations of `Mul`",
    ),
    (
        "#[derive(Clone, Copy)] struct S;
         impl std::ops::Mul<S> for i32 { type Output = Felt; fn mul(self, _s: S) -> Felt { felt(1) } }
         impl std::ops::Mul<S> for usize { type Output = Felt; fn mul(self, _s: S) -> Felt { felt(2) } }",
        "reveal(«3 * S»);",
        "several implementations of `Mul`",
    ),
    // The value is first only if the place is one of an integer or a bool.
    (
        "fn next(n: &mut usize) -> usize { *n += 1; *n - 1 }",
        "let (mut h, mut k) = (0usize, 0usize); let mut v = [1u64, 2, 3]; «v[0..2][next(&mut h)] += next(&mut k) as u64»;",
        "which side is evaluated first",
    ),
    (
        "fn next(n: &mut usize) -> usize { *n += 1; *n - 1 }",
        "let (mut h, mut k) = (0usize, 0usize); let mut v = [1u64, 2, 3]; «v[{ 0..2 }][next(&mut h)] += next(&mut k) as u64»;",
        "which side is evaluated first",
    ),
    // What something is compared with may be of another type.
    (
        DERIVED_AND_OWN,
        "let same = «H { x: 5u8 } == H { x: 5 }»;",
        "`==` may be the derived one or the program's",
    ),
    (
        DERIVED_AND_OWN,
        "let same = «[H { x: 5u8 }] == [H { x: 5 }]»;",
        "`==` may be the derived one or the program's",
    ),
    (
        DERIVED_AND_OWN,
        "«assert_eq!(H { x: 5u8 }, H { x: 5 })»;",
        "`==` may be the derived one or the program's",
    ),
    (
        DERIVED_AND_OWN,
        "let same = «H { x: 5u8 }.eq(&H { x: 5 })»;",
        "`eq` may mean the built-in one or the program's",
    ),
    (
        "struct G<T> { x: T } impl PartialEq for G<u8> { fn eq(&self, _other: &G<u8>) -> bool { true } }
         impl PartialEq<G<i32>> for G<u8> { fn eq(&self, _other: &G<i32>) -> bool { false } }
         impl<T> G<T> { fn new(x: T) -> Self { G { x } } }",
        "let same = «G::new(5u8) == G::new(5)»;",
        "several implementations of `PartialEq`",
    ),
    (
        "#[derive(PartialEq, PartialOrd)] struct H<T> { x: T } impl PartialEq<H<i32>> for H<u8> { fn eq(&self, _other: &H<i32>) -> bool { false } }
         impl PartialOrd<H<i32>> for H<u8> { fn partial_cmp(&self, _other: &H<i32>) -> Option<std::cmp::Ordering> { None } }",
        "let less = «H { x: 5u8 } <= H { x: 5 }»;",
        "`<=` may be the derived one or the program's",
    ),
    // A parameter that occurs twice, and a type that is not found.
    (
        "struct P<A, B> { a: A, b: B } impl<T> P<T, T> { fn f(&self) -> usize { 1 } }
         trait Tr { fn f(&self) -> usize; } impl Tr for P<u64, u8> { fn f(&self) -> usize { 2 } }",
        "let x = 5; if false { let _z: u64 = x; } let p = P { a: x, b: 1u8 }; reveal(felt(«p.f()»));",
        "2 implementations of `f`",
    ),
    (
        "trait Tr { fn f(&self) -> usize; } struct P<A, B> { a: A, b: B }
         impl<T> P<T, Vec<T>> { fn f(&self) -> usize { 1 } } impl Tr for P<u64, Vec<u8>> { fn f(&self) -> usize { 2 } }",
        "let x = 5; let p = P { a: x, b: Vec::<u8>::new() }; reveal(felt(«p.f()»));",
        "2 implementations of `f`",
    ),
    // The output of an operator that the program has, too.
    (
        "use std::ops::Add; struct S; impl Add<S> for u64 { type Output = S; fn add(self, s: S) -> S { s } }
         trait Tag { fn tag() -> usize; } impl Tag for u64 { fn tag() -> usize { 1 } } impl Tag for S { fn tag() -> usize { 2 } }
         fn f<T: Add>() -> usize where T::Output: Tag { «T::Output::tag()» }",
        "reveal(felt(f::<u64>()));",
        "cannot tell what type",
    ),
    // A default that may be the derived one.
    (
        DEFAULTS,
        "let h: H<_> = «Default::default()»; if false { let _z: &H<u8> = &h; }",
        "the default value may be the derived one or the program's",
    ),
    (
        DEFAULTS,
        "let h = «H::<_>::default()»; if false { let _z: &H<u8> = &h; }",
        "`default` may mean the built-in one or the program's",
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
        "struct S; trait A { fn f(&self); } impl A for &«S» { fn f(&self) {} }",
        "",
        "implementations for references",
    ),
    // What rustc finds in the standard library, though the program has one candidate.
    (
        "struct A { x: Felt } struct B { x: Felt }
         impl «Into»<A> for B { fn into(self) -> A { A { x: self.x + felt(1) } } }",
        "let b: B = B { x: public_input() }.into(); reveal(b.x);",
        "implementing `Into`",
    ),
    (
        "trait Tr { fn into(&self) -> Felt; } impl Tr for Felt { fn into(&self) -> Felt { *self + felt(1) } }",
        "let x = public_input(); reveal(«x.into()»);",
        "in different ways",
    ),
    (
        "trait Tr { fn max(&self, other: bool) -> bool; } impl Tr for bool { fn max(&self, _other: bool) -> bool { false } }",
        "let b = «true.max(false)»; assert!(b);",
        "may be of the standard library",
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
    // What the type has, and what references to it have.
    (
        "#[derive(PartialEq)] struct P(usize); impl P { fn eq(&self, _other: &P) -> bool { true } }
         fn f(r: &mut P, s: &mut P) -> bool { «r.eq(&s)» }",
        "let (mut a, mut b) = (P(1), P(2)); f(&mut a, &mut b);",
        "the receiver's references decide which",
    ),
    (
        "struct P(usize); impl PartialEq for P { fn eq(&self, other: &P) -> bool { self.0 == other.0 } }
         impl P { fn eq(&self, _other: &P) -> bool { true } }
         fn f(r: &mut P, s: &mut P) -> bool { «r.eq(&s)» }",
        "let (mut a, mut b) = (P(1), P(2)); f(&mut a, &mut b);",
        "the receiver's references decide which",
    ),
    (
        "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] struct P(usize);
         impl P { fn max(self, other: &P) -> P { *other } } fn f(r: &P, s: &P) -> usize { «r.max(s)».0 }",
        "f(&P(1), &P(2));",
        "the receiver's references decide which",
    ),
    (
        "trait Tr { fn go(self) -> usize; } impl<T> Tr for T { fn go(self) -> usize { 1 } }
         struct P; impl P { fn go(self) -> usize { 2 } } fn f(r: &P) -> usize { «r.go()» }",
        "f(&P);",
        "the receiver's references decide which",
    ),
    (
        "trait Tr { fn go(&self) -> usize; } impl<T> Tr for T { fn go(&self) -> usize { 1 } }
         struct P; impl P { fn go(&self) -> usize { 2 } }",
        "let mut v = vec![P]; for q in v.iter_mut() { «q.go()»; }",
        "the receiver's references decide which",
    ),
    (
        "trait Tr { fn go(&self) -> usize; } impl<T> Tr for T { fn go(&self) -> usize { 1 } }
         struct P; impl P { fn go(&self) -> usize { 2 } fn f(&mut self) -> usize { «self.go()» } }",
        "P.f();",
        "the receiver's references decide which",
    ),
    (
        "trait Tr { fn go(&self) -> usize; } impl<T> Tr for T { fn go(&self) -> usize { 1 } }
         trait B { fn go(&self) -> usize; } struct P; impl B for P { fn go(&self) -> usize { 2 } }
         fn f<T: B>(r: &mut T) -> usize { «r.go()» }",
        "f(&mut P);",
        "the receiver's references decide which",
    ),
    (
        "struct P(usize); impl P { fn clone(&self) -> P { P(9) } }",
        "let a = P(1); for q in [&a].iter() { let _copy = «q.clone()»; }",
        "the receiver's references decide which",
    ),
    (
        "trait Tr { fn inverse(self) -> usize; } impl<T> Tr for T { fn inverse(self) -> usize { 1 } }",
        "let x = public_input(); let r = &x; let _y = «r.inverse()»;",
        "the receiver's references decide which",
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
        "`default` is private",
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
        "`borrow`",
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
        "may be of the standard library",
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
        "may be of the standard library",
    ),
    (
        "trait Tr { fn count(&self) -> usize { 7 } } impl<T> Tr for T {}",
        "reveal(felt(«(0..3usize).count()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn len(&self) -> usize { 7 } } impl<T> Tr for T {}",
        "reveal(felt(«\"abc\".len()»));",
        "may be of the standard library",
    ),
    // What a type of the standard library has under a name, or may have in a later version, does not
    // depend on any list: methods by value, by reference, by `&mut`, functions, constants.
    (
        "trait Tr { fn connect(&self) -> usize { 7 } } impl Tr for [Felt; 2] {}",
        "reveal(felt(«[felt(1); 2].connect()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn utf8_chunks(&self) -> usize { 7 } } impl Tr for [u8] {}",
        "let v = vec![1u8]; reveal(felt(«v.utf8_chunks()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn element_offset(&self, _x: &Felt) -> usize { 7 } } impl Tr for [Felt] {}",
        "let v = [felt(1); 2]; reveal(felt(«v.element_offset(&v[1])»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn not_there_yet(self) -> usize; } impl Tr for u64 { fn not_there_yet(self) -> usize { 7 } }",
        "reveal(felt(«5u64.not_there_yet()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn not_there_yet(&mut self) {} } impl Tr for (usize, usize) {}",
        "let mut pair = (1usize, 2usize); «pair.not_there_yet()»;",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn not_there_yet(&self) {} } impl<T> Tr for T {}",
        "let f = |x: usize| x; «f.not_there_yet()»; reveal(felt(f(1)));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn not_there_yet(&self) {} } impl<T> Tr for Option<T> {}",
        "«Some(1usize).not_there_yet()»;",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn map(&self) -> usize { 7 } } impl<T> Tr for Option<T> {}",
        "reveal(felt(«Some(1usize).map()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn reverse(&self) -> usize { 7 } } impl Tr for std::cmp::Ordering {}",
        "reveal(felt(«std::cmp::Ordering::Less.reverse()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn not_there_yet() -> usize { 7 } } impl Tr for bool {}",
        "reveal(felt(«bool::not_there_yet()»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { const NOT_THERE_YET: usize = 7; } impl Tr for u8 {}",
        "reveal(felt(«u8::NOT_THERE_YET»));",
        "may be of the standard library",
    ),
    (
        "trait Tr { fn size(&self) -> usize { 7 } fn both(&self) -> usize; }
         impl Tr for usize { fn both(&self) -> usize { «self.size()» + 1 } }",
        "reveal(felt(Tr::both(&3usize)));",
        "may be of the standard library",
    ),
    // Only the value's static type is the parameter's: that of a part of it is not known.
    (
        "trait Tr { fn size(&self) -> usize { 7 } } impl Tr for usize {}
         fn f<T: Tr>(x: [T; 1]) -> usize { «x[0].size()» }",
        "reveal(felt(f([3usize])));",
        "may be of the standard library",
    ),
    // A closure's parameter hides the function's.
    (
        "trait Tr { fn size(&self) -> usize { 7 } } impl Tr for usize {}
         fn f<T: Tr>(x: T) -> usize { let g = |x: usize| «x.size()»; g(4usize) }",
        "reveal(felt(f(3usize)));",
        "may be of the standard library",
    ),
    // What every type that is `Clone` or `Eq` has, and the documentation does not show.
    (
        "#[derive(Clone)] struct S; trait Tr { fn clone_into(&mut self, _other: &mut S) {} } impl Tr for S {}",
        "let (mut s, mut t) = (S, S); «s.clone_into(&mut t)»;",
        "in different ways",
    ),
    (
        "#[derive(PartialEq, Eq)] struct S; trait Tr { fn assert_receiver_is_total_eq(self) -> usize; }
         impl Tr for S { fn assert_receiver_is_total_eq(self) -> usize { 7 } }",
        "reveal(felt(«S.assert_receiver_is_total_eq()»));",
        "in different ways",
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
         fn g(s: S<{ 2 + 2 }>) -> Felt { s.n() } fn f(x: Felt) -> S<3> { S(g(S(x))) }",
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
