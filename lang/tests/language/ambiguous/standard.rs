//! Something of the standard library may be meant, also under a later compiler.

use super::Case;

pub const CASES: &[Case] = &[
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
];
