//! Items inside functions, enums, and names of the standard library.

use super::{Case, case, with};

/// A structure with a private trait, and one that must be imported.
const TRAITS: &str = "mod s {
        pub struct T { x: usize }
        impl T { pub fn new() -> T { T { x: 1 } } }
        trait Q {
            const K: usize = 1;
            fn set(&mut self, x: usize);
            fn make() -> usize { 2 }
        }
        impl Q for T { fn set(&mut self, x: usize) { self.x = x; } }
        pub trait P { fn shown(&self) -> usize { 3 } }
        impl P for T {}
    }";

const STATIC: &str =
    "struct L { v: Vec<usize> } impl L { fn spend(self) -> usize { self.v.len() } }
     static Z: L = L { v: Vec::new() };";

const OUT_OF_STATIC: &str = "`L` is not `Copy`, so it cannot be moved out of a `static`";

pub(super) const CASES: &[Case] = &[
    // Traits that are not in scope.
    with(
        TRAITS,
        "let mut t = s::T::new(); «t.set(9)»;",
        "`set` is of the trait `Q`, which is not in scope here",
        "",
    ),
    with(
        TRAITS,
        "reveal(felt(«s::T::make()»));",
        "`make` is of the trait `Q`, which is not in scope here",
        "",
    ),
    with(
        TRAITS,
        "reveal(felt(«s::T::K»));",
        "`K` is of the trait `Q`, which is not in scope here",
        "",
    ),
    with(
        TRAITS,
        "{ use s::P; reveal(felt(s::T::new().shown())); } reveal(felt(«s::T::new().shown()»));",
        "`shown` is of the trait `P`, which is not in scope here",
        "import `P`",
    ),
    with(
        "mod s { trait Q { fn q(&self) -> usize { 1 } } impl Q for super::T {} } use s::*; struct T;",
        "reveal(felt(«T.q()»));",
        "`q` is of the trait `Q`, which is not in scope here",
        "",
    ),
    with(
        "mod s { pub trait Q { fn q(&self) -> usize { 1 } } impl<T> Q for T {} }
         fn f<T>(x: T) -> usize { «x.q()» } struct S;",
        "reveal(felt(f(S)));",
        "`q` is of the trait `Q`, which is not in scope here",
        "",
    ),
    with(
        "struct V(usize);
         impl std::ops::Add for V { type Output = V; fn add(self, o: V) -> V { V(self.0 + o.0) } }",
        "reveal(felt(«V(1).add(V(2))».0));",
        "`add` is of the trait `Add`, which is not in scope here",
        "import `Add`",
    ),
    // Moves out of what nothing owns.
    with(STATIC, "let _a = «Z»;", OUT_OF_STATIC, "clone"),
    with(STATIC, "reveal(felt(«Z».spend()));", OUT_OF_STATIC, ""),
    with(
        STATIC,
        "let v = «Z.v»; reveal(felt(v.len()));",
        "out of a `static`",
        "",
    ),
    with(
        STATIC,
        "let L { v } = «Z»; reveal(felt(v.len()));",
        OUT_OF_STATIC,
        "",
    ),
    with(
        STATIC,
        "let a = L { v: Vec::new() }; let b = &a; reveal(felt(«b.spend()»));",
        "`L` is not `Copy`, so it cannot be moved out of a reference",
        "",
    ),
    with(
        "static LIMIT: usize = 3;",
        "reveal(felt(match 3usize { «LIMIT» => 1usize, _ => 2 }));",
        "`LIMIT` is a `static`, which a pattern cannot name",
        "",
    ),
    // Parameters of implementations that nothing tells.
    with(
        "trait Tr {} impl<const N: u8> Tr for «[u8; 2]» {}",
        "",
        "neither the type nor the trait has `N`",
        "",
    ),
    with(
        "trait Tr {} struct S; impl<T: Clone> Tr for «S» {}",
        "",
        "neither the type nor the trait has `T`",
        "",
    ),
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
