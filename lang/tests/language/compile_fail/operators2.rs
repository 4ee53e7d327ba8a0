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
        "struct S; impl «Iterator» for S { type Item = u8; fn next(&mut self) -> Option<u8> { None } }",
        "",
        "implementing `Iterator` is not in the subset",
        "std::iter::successors",
    ),
    with(
        "struct S; impl std::ops::«Index<usize>» for S { type Output = u8; fn index(&self, n: usize) -> &u8 { &1 } }",
        "",
        "this item of the standard library is not in the subset",
        "",
    ),
];
