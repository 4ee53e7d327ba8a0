//! Patterns.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    with(
        "#[derive(Clone, Copy)] enum E { A(usize, usize) }",
        "match E::A(1, 2) { E::A((n @ 1 | n), _) if «n > 1» => {} _ => {} }",
        "once for each alternative",
        "an arm for each",
    ),
    case(
        "match Some(public_input()) { Some(«FELT») => {} _ => {} } const FELT: Felt = Felt::ONE;",
        "a `match` is decided at compile time",
        "`if a == b`",
    ),
    with(
        "enum E { A } enum F { A }",
        "match E::A { «F::A» => {} }",
        "expected a value of type",
        "",
    ),
];
