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
        "",
        "let x = «5u32.try_into()»; let y = x == Ok(3u8);",
        "the type to which this is converted is not known here",
        "write it: `let x: u8 = ..`, `u8::try_from(..)`, `<[u8; 4]>::try_from(..)`",
    ),
    with(
        "",
        "let list = [1u8, 2]; let x: [u8; 3] = «list[..].try_into().unwrap()»;",
        "called `Result::unwrap()` on an `Err` value",
        "",
    ),
    with(
        "const TEXT: &str = \"abc\";",
        "let text = «TEXT.to_owned()»;",
        "a string has no method `to_owned` in the subset",
        "push bytes to a `Vec<u8>`",
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
    with(
        "",
        "let mut v = [1u8, 2]; let a: &mut [u8; 2] = «(&mut v[..]).try_into()».unwrap(); a[0] = 9;",
        "`try_into` of a mutable reference is not in the subset",
        "",
    ),
    with(
        "",
        "let mut n = 5usize; let r: &mut usize = «(&mut n).into()»; *r = 7; reveal(felt(n));",
        "`into` of a mutable reference is not in the subset",
        "convert what it refers to",
    ),
];
