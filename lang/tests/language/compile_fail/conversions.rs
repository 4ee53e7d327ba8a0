//! Conversions whose types are not known, or do not exist.

use super::{Case, with};

const ITEMS: &str = "pub struct A(Felt); pub struct B(Felt);
    impl From<A> for B { fn from(a: A) -> B { B(a.0) } }";

pub(super) const CASES: &[Case] = &[
    with(
        ITEMS,
        "let b = «A(felt(1)).into()»;",
        "the type to which this is converted is not known here",
        "write `B::from(..)`",
    ),
    with(
        ITEMS,
        "let a: A = «B(felt(1)).into()»;",
        "`B` does not convert to `A`",
        "write `impl From<B> for A`",
    ),
    with(
        "struct A; struct B; impl «Into<B>» for A { fn into(self) -> B { B } }",
        "",
        "implementing `Into` is not in the subset",
        "implement `From`",
    ),
    with(
        "struct A; impl «From» for A { fn from(x: Felt) -> A { A } }",
        "",
        "takes 1 generic arguments",
        "",
    ),
];
