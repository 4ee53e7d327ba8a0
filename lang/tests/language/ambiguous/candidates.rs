//! Several items of the program may be meant, or one of a derived trait or of a constant.

use super::Case;

/// An operator of the program that two integer types have.
const TIMES: &str = "#[derive(Clone, Copy)] struct S;
     impl std::ops::Mul<S> for i32 { type Output = u64; fn mul(self, _s: S) -> u64 { 1 } }
     impl std::ops::Mul<S> for u64 { type Output = u64; fn mul(self, _s: S) -> u64 { 2 } }";

const DERIVED_AND_OWN: &str = "#[derive(Debug, PartialEq)] struct H<T> { x: T }
     impl PartialEq<H<i32>> for H<u8> { fn eq(&self, _other: &H<i32>) -> bool { false } }";

const DEFAULTS: &str = "#[derive(Default)] struct H<T> { x: T } struct Nd;
     impl Default for H<Nd> { fn default() -> Self { H { x: Nd } } }";

pub const CASES: &[Case] = &[
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
];
