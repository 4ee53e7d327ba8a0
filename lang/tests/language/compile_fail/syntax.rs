//! Forms of expressions, patterns and types that are not in the subset.

use super::{Case, case, with};

pub(super) const CASES: &[Case] = &[
    case(
        "let f = «async |x: usize| x»;",
        "this kind of closure is not in the subset",
        "",
    ),
    case(
        "let f = «static || 1usize»;",
        "this kind of closure is not in the subset",
        "",
    ),
    case(
        "if («let x = 1usize») { }",
        "`let` belongs into the condition of `if` or `while`",
        "matches!",
    ),
    case(
        "if «let x = 1usize» || false { }",
        "`let` belongs into the condition of `if` or `while`",
        "",
    ),
    case(
        "const N: Option<usize> = { let n = «None?»; Some(n) };",
        "`?` outside of a function",
        "",
    ),
    with(
        "",
        "match 1usize { 0..=«const { 3 }» => {} _ => {} }",
        "the ends of a range pattern must be literals or constants",
        "",
    ),
    case("let x = «128i8»;", "does not fit its type", ""),
    case("let x = -«129i8»;", "does not fit its type", ""),
    case(
        "let x = «340282366920938463463374607431768211455u128»;",
        "does not fit its type, or 127 bits",
        "",
    ),
    case("«dbg!(1usize, 2usize)»;", "`dbg!` takes one value", ""),
    case(
        "let (a, «rest @ ..») = (1usize, 2usize);",
        "`..` does not belong here",
        "",
    ),
    case(
        "let mut v = 1usize; let «&mut w» = &mut v;",
        "patterns of mutable references",
        "",
    ),
    // An own trait of this name would hide the methods of the value.
    with(
        "trait Iterator { fn f(&self) {} }
        struct S; impl Iterator for S {}
        fn f() -> «impl Iterator { S }»",
        "f().f();",
        "`impl Trait` as a result is only for closures and iterators",
        "write the type",
    ),
    with(
        "fn f() -> Option<«impl Iterator<Item = usize>»> { None }",
        "",
        "`impl Trait` as a result is only for closures and iterators",
        "write the type",
    ),
    case(
        "let f: «&dyn Fn(usize) -> usize» = &|x| x;",
        "dynamic dispatch is not in the subset",
        "generic parameter",
    ),
    case(
        "assert!(true, \"{}\", «[1usize][0]»);",
        "computed only if the assertion fails",
        "name variables",
    ),
];
