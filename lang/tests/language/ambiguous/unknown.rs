//! What cannot be found out: names, generic parameters, types, the order of evaluation, lengths of
//! slices.

use super::Case;

pub const CASES: &[Case] = &[
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
