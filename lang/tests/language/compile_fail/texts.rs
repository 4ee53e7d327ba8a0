//! What text does not have, and texts that a run would decide.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    case(
        "let x = public_input(); let mut s = \"a\"; «if x == felt(1) { s = \"b\"; }»",
        "one side of a run-time branch leaves",
        "",
    ),
    case(
        "let mut s = \"a\"; «for _ in count_to(public_input()) { s = \"b\"; }»",
        "the text \"a\" changes from one iteration of a run-time loop to the next",
        "",
    ),
    case(
        "let c = 'b'; let parts = «\"abc\".split(|d| d == c)»;",
        "`split` of a string takes text or a `char` here",
        "",
    ),
    case(
        "let s = «\"abc\".to_string()»;",
        "no method `to_string`",
        "push bytes",
    ),
    case("let s = «\"abc\".repeat(2)»;", "no method `repeat`", ""),
    case("let s = «\"a\" + \"b\"»;", "`+` does not apply to", ""),
    case(
        "let s = «\"\u{e9}\".trim()»;",
        "`trim` is only of text of ASCII",
        "`split`",
    ),
    case(
        "let s = &\"\u{e9}\"[«1..»];",
        "this range is no part of the text",
        "",
    ),
    case(
        "let s = &\"abc\"[«2..4»];",
        "this range is no part of the text",
        "",
    ),
    case(
        "let n = «\"12\".parse()»; let m: u8 = n.unwrap_or(1u8);",
        "`parse` is only of integers whose type is known here",
        "parse::<u32>()",
    ),
    case(
        "let c = «\"a\".parse::<char>()»;",
        "`parse` is only of integers whose type is known here",
        "",
    ),
    case(
        "assert_eq!(\"a\", \"b\");",
        "this assertion is false at compile time",
        "the left side is the text \"a\", the right side the text \"b\"",
    ),
    with(
        "fn f(s: &str) {}",
        "f(«1»);",
        "expected a value of type `&str`, found",
        "",
    ),
    with(
        "trait Size { fn size(&self) -> usize; } impl Size for «str» { fn size(&self) -> usize { 1 } }",
        "",
        "implementations for `str` are not in the subset",
        "",
    ),
    with(
        "trait Size { fn len(&self) -> usize; } impl<T> Size for T { fn len(&self) -> usize { 1 } }",
        "let n = «\"abc\".len()»;",
        "`len` may be of the standard library",
        "",
    ),
    with(
        "use std::str::FromStr; struct S; impl «FromStr» for S { type Err = (); \
         fn from_str(s: &str) -> Result<S, ()> { Ok(S) } }",
        "",
        "implementing `std::str::FromStr` is not in the subset",
        "write a function",
    ),
    case(
        "let n = «\"abc\".find(|c: char| c == 'b')».unwrap();",
        "`find` of a string takes text or a `char` here",
        "look at its `bytes()`",
    ),
];
