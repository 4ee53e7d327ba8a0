//! `Option`, `Result` and `?`.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    case(
        "let x = public_input(); let o = «if x == felt(1) { Some(x) } else { None }»;",
        "one side of a run-time branch leaves `Some`, the other `None`",
        "`(found, value)`",
    ),
    with(
        "fn f(x: Felt) -> Option<Felt> { «if x == felt(1) { None?; }» Some(x) }",
        "f(public_input());",
        "must be decided at compile time",
        "",
    ),
    with(
        "struct R(usize);
         impl From<&R> for R { fn from(r: &R) -> R { R(r.0 + 1) } }
         fn g(r: &R) -> Result<usize, &R> { Err(r) }
         fn f(r: &R) -> Result<usize, R> { Ok(«g(r)?») }",
        "f(&R(1));",
        "`?` may convert this error by a `From` of the program",
        "`match` the value",
    ),
    case("let x = «5usize?»;", "`?` is for `Option` and `Result`", ""),
];
