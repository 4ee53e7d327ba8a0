//! Derives that fields do not allow, and defaults that nothing gives.

use super::{Case, with};

pub(super) const CASES: &[Case] = &[
    with(
        "#[derive(PartialEq, PartialOrd)] struct W { x: «Felt» }",
        "",
        "the field `x` is not `PartialOrd`",
        "",
    ),
    with(
        "struct N; #[derive(PartialEq)] enum W { A, B([«N»; 2]) }",
        "",
        "the field `0` is not `PartialEq`",
        "",
    ),
    with(
        "#[derive(Default)] struct W { s: «Slice» }",
        "",
        "the field `s` is not `Default`",
        "",
    ),
    with(
        "struct N;",
        "let n = «N::default()»;",
        "`N` has no default value",
        "derive `Default`",
    ),
    with(
        "",
        "let x = «Default::default()»;",
        "what type this is",
        "let x: T",
    ),
    with(
        "",
        "let x: [u8; 33] = «Default::default()»;",
        "arrays of 33 elements have no default value",
        "[value; N]",
    ),
];
