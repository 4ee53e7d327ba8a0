//! Operators and comparisons that types do not have.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    with(
        "#[derive(Clone, Copy)] struct S;",
        "let s = «S + S»;",
        "`S` has no `+`",
        "write `impl std::ops::Add for S`",
    ),
    with(
        "struct S; impl std::ops::Add for S { type Output = S; fn add(self, other: S) -> S { other } }",
        "let mut s = S; «s += S»;",
        "`S` has no `+=`",
        "write `impl std::ops::AddAssign for S`",
    ),
    with(
        "struct S; impl std::ops::Mul<Felt> for S { type Output = S; fn mul(self, x: Felt) -> S { self } }",
        "let s = «S * 3usize»;",
        "`S` has no `*`",
        "impl std::ops::Mul",
    ),
    with(
        "struct S;",
        "let s = «-S»;",
        "`S` has no `-`",
        "std::ops::Neg",
    ),
    with(
        "struct S;",
        "let same = «S == S»;",
        "`S` has no `==`",
        "derive `PartialEq`",
    ),
    with(
        "#[derive(PartialEq)] struct S;",
        "let less = «S < S»;",
        "`S` has no `<`",
        "derive `PartialOrd`",
    ),
    case(
        "let x = public_input() == felt(1); let less = «x < true»;",
        "`<` does not apply to a run-time bool and a compile-time bool",
        "known at compile time",
    ),
    case(
        "let s = hint_slice(1).any(); let same = «s == s»;",
        "slices cannot be compared",
        "a.block(i)",
    ),
    case(
        "let x = hint_felt(); let same = «[x] == [x]»;",
        "`==` does not apply to an Unchecked value",
        "`.any()`",
    ),
    case(
        "let x = (public_input(), 1usize); let less = «x < x»;",
        "`<` does not apply to a Felt and a Felt",
        "no order",
    ),
    // Which of two functions is called depends on the version of Rust.
    with(
        "use std::cmp::Ordering; #[derive(PartialEq, Eq, PartialOrd)] struct S(u8);
         impl Ord for S { fn cmp(&self, other: &S) -> Ordering { other.0.cmp(&self.0) } }",
        "let s = «S(1).max(S(2))»;",
        "which of `cmp` and `partial_cmp` is called",
        "Some(self.cmp(other))",
    ),
    with(
        "struct S; impl PartialEq for S { fn eq(&self, other: &S) -> bool { true } fn «ne»(&self, other: &S) -> bool { true } }",
        "",
        "the trait has no `ne`",
        "write it in an `impl` of the type",
    ),
    with(
        "struct S; impl std::ops::Add for S { type Output = S; fn «add»(&self, other: S) -> S { other } }",
        "",
        "declares `add` otherwise",
        "",
    ),
    with(
        "struct S; impl «std::ops::Add» for S { fn add(self, other: S) -> S { other } }",
        "",
        "`Output` of the trait is missing",
        "",
    ),
    with(
        "struct S; impl «DoubleEndedIterator» for S { fn next_back(&mut self) -> Option<u8> { None } }",
        "",
        "implementing `DoubleEndedIterator` is not in the subset",
        "",
    ),
    with(
        "struct S; impl «Iterator» for S { fn next(&mut self) -> Option<u8> { None } }",
        "",
        "`Item` of the trait is missing",
        "",
    ),
    // rustc means that of `Iterator`, which takes `self`.
    with(
        "struct S; impl S { fn count(&self) -> usize { 7 } }
         impl Iterator for S { type Item = u8; fn next(&mut self) -> Option<u8> { None } }",
        "let n = «S.count()»;",
        "`count` may be that of `Iterator`, or another one",
        "a name that `Iterator` does not have",
    ),
    with(
        "struct S; impl Iterator for S { type Item = u8; fn next(&mut self) -> Option<u8> { None } }",
        "let n = «S.rev().next()»;",
        "cannot be taken from its end",
        "",
    ),
    // Which is meant depends on whether both are references.
    with(
        "#[derive(Clone, Copy)] struct S(u8);
         impl std::ops::Neg for S { type Output = u8; fn neg(self) -> u8 { self.0 } }
         impl std::ops::Neg for &S { type Output = u8; fn neg(self) -> u8 { self.0 + 1 } }
         fn f(s: &S) -> u8 { «-s» }",
        "f(&S(1));",
        "several implementations of `Neg` may be meant",
        "for values and for references, keep one",
    ),
    // That of the reference is meant.
    with(
        "use std::ops::Neg; #[derive(Clone, Copy)] struct S(u8); impl S { fn neg(self) -> u8 { self.0 } }
         impl Neg for &S { type Output = u8; fn neg(self) -> u8 { self.0 + 1 } }
         fn f(s: &S) -> u8 { «s.neg()» }",
        "f(&S(1));",
        "2 implementations of `neg` may be meant",
        "",
    ),
    with(
        "trait T { fn f(&self) {} } struct S; impl T for &«S» {}",
        "",
        "only of operators",
        "for the type itself",
    ),
    // Of a value without a place, too.
    with(
        "#[derive(Clone, Copy)] struct B(usize); impl B { fn add(&mut self) -> usize { self.0 += 1; self.0 } }
         struct S([B; 2]);
         impl std::ops::Index<usize> for S { type Output = B; fn index(&self, n: usize) -> &B { &self.0[n] } }
         impl std::ops::IndexMut<usize> for S { fn index_mut(&mut self, n: usize) -> &mut B { &mut self.0[1 - n] } }",
        "let n = «S([B(1), B(10)])[0]».add(); reveal(felt(n));",
        "`index` and `index_mut` must do the same here",
        "",
    ),
    with(
        "use std::fmt; struct S(usize);
         impl fmt::Debug for S { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { panic!() } }",
        "let s = dbg!(«[Some(S(4))]»); reveal(felt(s.len()));",
        "`dbg!` would call a function which the program wrote",
        "derive `Debug`",
    ),
    // One writes what the other does not.
    with(
        "struct S([u8; 2]);
         impl std::ops::Index<usize> for S { type Output = u8; fn index(&self, n: usize) -> &u8 { &self.0[n] } }
         impl std::ops::IndexMut<usize> for S { fn index_mut(&mut self, n: usize) -> &mut u8 { &mut self.0[1 - n] } }",
        "let mut s = S([1, 2]); «s[0]» = 3;",
        "`index` and `index_mut` must do the same here",
        "",
    ),
    // `max` asks of the other side in the standard library.
    with(
        "#[derive(PartialEq, Eq)] struct L(usize);
         impl PartialOrd for L { fn partial_cmp(&self, o: &L) -> Option<Ordering> { Some(self.cmp(o)) } }
         impl Ord for L { fn cmp(&self, _: &L) -> Ordering { Ordering::Less } }
         use std::cmp::Ordering;",
        "reveal(felt(«L(1).max(L(2))».0));",
        "and of which side, depends on the version of Rust",
        "",
    ),
];
