//! Enums: what a variant must not depend on.

use super::{Case, with};

const E: &str = "#[derive(Clone, Copy)] enum E { A, B(Felt), C { x: usize } }";

pub(super) const CASES: &[Case] = &[
    with(
        "enum D { A = 9223372036854775807, B }",
        "let x = «D::B as u8»;",
        "9223372036854775808 is out of range of isize",
        "",
    ),
    with(
        "#[repr(u8)] enum D { A = 255, B }",
        "let _x = «D::A as usize»;",
        "256 is out of range of u8",
        "",
    ),
    with(
        "#[repr(i8)] enum D { A = «200» }",
        "let _x = D::A as usize;",
        "200 is out of range of i8",
        "",
    ),
    with(
        "#[repr(u8)] enum D { A = «3u16» }",
        "let _x = D::A as usize;",
        "different types, u16 and u8",
        "",
    ),
    with(
        "enum D { A = «3u8» }",
        "let _x = D::A as usize;",
        "different types, u8 and isize",
        "",
    ),
    with("«#[repr(u8, u16)]» enum D { A, B }", "", "of one type", ""),
    with(
        "enum D { A = 1, B = 1 }",
        "let _x = «D::B as usize»;",
        "two variants of `D` have the discriminant 1",
        "",
    ),
    with(
        "enum «D» { A(u8) = 3, B }",
        "",
        "need a `repr` of an integer type",
        "`#[repr(u8)]`",
    ),
    with(
        "#[repr(u8)] enum D { A(u8), B }",
        "let _x = «D::B as usize»;",
        "`D` is no number",
        "enums without fields",
    ),
    with(
        "struct S;",
        "let _x = «S as usize»;",
        "`S` is no number",
        "",
    ),
    with(
        E,
        "let mut e = E::A; «if public_input() == felt(1) { e = E::B(felt(2)); }»",
        "one side of a run-time branch leaves `B`, the other `A`",
        "keep a `bool` and a value",
    ),
    with(
        E,
        "let e = «if public_input() == felt(1) { E::A } else { E::C { x: 1 } }»;",
        "one side of a run-time branch leaves `A`, the other `C`",
        "keep a `bool` and a value",
    ),
    with(
        E,
        "let mut e = E::A; «for i in count(3) { e = E::B(i); }»",
        "from `A` to `B`",
        "keep a `bool` and a value",
    ),
    with(
        E,
        "let e = E::C { x: 1 }; «if public_input() == felt(1) { e } else { E::C { x: 2 } }»;",
        "leaves the integer 1, the other the integer 2",
        "",
    ),
    with(
        E,
        "match E::B(public_input()) { E::B(x) if «x == felt(1)» => {} _ => {} }",
        "a `match` and its guards are decided at compile time",
        "`if` inside the arm",
    ),
    with(
        E,
        "let e = E::A; if public_input() == felt(1) && «let E::B(x) = e» { }",
        "known only at run time",
        "before the condition",
    ),
];
