//! Literals whose types are not found, and matter.

use super::{Case, case};

const UNKNOWN: &str = "depends on the integer's type";

pub(super) const CASES: &[Case] = &[
    case("let x = 100; let y = «x * 2»;", UNKNOWN, "write the type"),
    case(
        "let mut x = 1; for i in 0..10 { x = «x * 2»; }",
        UNKNOWN,
        "write the type",
    ),
    case("let x = -100; let y = «x - 100»;", UNKNOWN, ""),
    case("let x = 5; let y = «-x - 200»;", UNKNOWN, ""),
    // The literal that the type holds is -128, not 128.
    case(
        "let x = -128; let y = x + 127; let z = «y + 1 + 127 + 1»;",
        UNKNOWN,
        "",
    ),
    case("let x = «1 << 30»;", UNKNOWN, ""),
    // A conversion does not tell it.
    case(
        "let x = 1073741824; let y: i64 = x.into(); let w = «x << 1»;",
        UNKNOWN,
        "",
    ),
    case(
        "let x = 255; let y: u64 = x.into(); let w = «!x»;",
        UNKNOWN,
        "",
    ),
    case("let x = 3; let y = «x.swap_bytes()»;", UNKNOWN, ""),
    case("let x = 3; let y = «x.wrapping_add(1)»;", UNKNOWN, ""),
    // Found later than they are needed.
    case(
        "let x = 200; let y = «x + 100»; let z: u8 = x;",
        "300 is out of range of u8",
        "",
    ),
    case(
        "let x = 5; let y = «x - 6»; let z: usize = x;",
        "-1 is out of range of usize",
        "",
    ),
    case(
        "let x = 5; let y: u8 = x; let z: u16 = «x»;",
        "the operands have different types, u8 and u16",
        "",
    ),
    case(
        "let a = [1, 2]; let x: u8 = a[0]; let y: usize = «a[1]»;",
        "the operands have different types, u8 and usize",
        "",
    ),
    // What an operation on it yields has the same type.
    case(
        "let x = 5; let y = x + 1; let z: u8 = x; let w: u16 = «y»;",
        "the operands have different types, u8 and u16",
        "",
    ),
];
