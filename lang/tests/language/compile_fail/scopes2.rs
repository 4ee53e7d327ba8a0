//! Items inside functions, enums, and names of the standard library.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    with(
        "fn f() { fn inner() {} }",
        "«inner()»;",
        "there is no function `inner`",
        "",
    ),
    with(
        "fn f() { const K: usize = 1; }",
        "reveal(felt(«K»));",
        "there is no `K` here",
        "",
    ),
    with(
        "mod m { pub fn g() {} } fn f() { use m::g; g(); }",
        "f(); «g()»;",
        "there is no function `g`",
        "",
    ),
    case("{ struct S; } let _s = «S»;", "there is no `S` here", ""),
    case(
        "mod «helper»;",
        "the file of the module `helper` is missing",
        "write the module here",
    ),
    case(
        "const A: usize = 1; const «A»: usize = 2;",
        "`A` is declared a second time",
        "",
    ),
    with("enum «E» { A, A }", "", "`A` is declared a second time", ""),
    with(
        "«#[non_exhaustive]» enum E { A }",
        "",
        "the attribute `non_exhaustive`",
        "",
    ),
    with(
        "mod m { enum E { A } }",
        "let _e = «m::E::A»;",
        "`E` is private",
        "",
    ),
    with(
        "mod m { pub enum E { A } }",
        "use m::E::*; let _a = A; let _b = «B»;",
        "there is no `B` here",
        "",
    ),
    with("enum E { A } use E::«B»;", "", "there is no `E::B`", ""),
    // What a `*` would bring is not known.
    with("use std::cmp::«*»;", "", "there is no `std::cmp`", ""),
    with(
        "use std::collections::BTreeMap;",
        "let _m = «BTreeMap::new()»;",
        "this item of the standard library is not in the subset",
        "",
    ),
    case(
        "let _m = «__clone»(&1usize);",
        "there is no function `__clone`",
        "",
    ),
    with(
        "trait Tr { fn f(&self) {} } impl Tr for «fn(Felt) -> Felt» {}",
        "",
        "implementations for functions",
        "",
    ),
];
