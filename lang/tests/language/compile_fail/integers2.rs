//! Integers out of the range of their types, and what the subset does not have.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "let x = 1u128 << 126; let y = «x * 2»;",
        "values of `u128` from 2^127 on are not in the subset",
        "two `u64`",
    ),
    case(
        "let x = «u128::MAX»;",
        "values of `u128` from 2^127 on are not in the subset",
        "two `u64`",
    ),
    case(
        "let x = 0u128; let y = «!x»;",
        "values of `u128` from 2^127 on are not in the subset",
        "",
    ),
    case(
        "let x = 0u128; let y = «x.wrapping_sub(1)»;",
        "values of `u128` from 2^127 on are not in the subset",
        "",
    ),
    case(
        "let x = -1i128; let y = «x as u128»;",
        "values of `u128` from 2^127 on are not in the subset",
        "",
    ),
    case(
        "let x = i128::MIN; let y = «x.unsigned_abs()»;",
        "values of `u128` from 2^127 on are not in the subset",
        "",
    ),
    case(
        "let x = i128::MIN; let y = «x.abs_diff(i128::MAX)»;",
        "values of `u128` from 2^127 on are not in the subset",
        "",
    ),
    case("let x = i128::MAX; let y = «x + 1»;", "overflows i128", ""),
    case("let x = i128::MIN; let y = «x - 1»;", "overflows i128", ""),
    case("let x = i128::MIN; let y = «x / -1»;", "overflows i128", ""),
    case("let x = i128::MIN; let y = «x % -1»;", "overflows i128", ""),
    case("let x = i128::MIN; let y = «-x»;", "overflows i128", ""),
    case(
        "let x = i128::MIN; let y = «x.abs()»;",
        "overflows i128",
        "",
    ),
    case(
        "let x = 1i128 << 64; let y = «x * x»;",
        "overflows i128",
        "",
    ),
    case("let x = 2i128; let y = «x.pow(127)»;", "overflows i128", ""),
    case("let x = 1i128; let y = «x << 128»;", "overflows i128", ""),
    case(
        "let x = 0u128; let y = «x - 1»;",
        "`0 - 1` overflows u128",
        "",
    ),
    case(
        "let x = -128i8; let y = «x / -1»;",
        "`-128 / -1` overflows i8",
        "",
    ),
    case(
        "let x = -128i8; let y = «x % -1»;",
        "`-128 % -1` overflows i8",
        "",
    ),
    case(
        "let x = -128i8; let y = «-x»;",
        "`-` of -128 overflows i8",
        "",
    ),
    case(
        "let x = -128i8; let y = «x.abs()»;",
        "`abs` of -128 overflows i8",
        "",
    ),
    case(
        "let x = 16u8; let y = «x.pow(2)»;",
        "`pow` of 16 and 2 overflows u8",
        "",
    ),
    case("let x = «127i8 + 1»;", "`127 + 1` overflows i8", ""),
    case("let x: i8 = «128»;", "128 is out of range of i8", ""),
    case("let x: i8 = «-129»;", "-129 is out of range of i8", ""),
    case(
        "let x = 1i32; let y = «x >> -1»;",
        "`1 >> -1` overflows",
        "",
    ),
    case("let x = 5u8; let y = «x % 0»;", "division by zero", ""),
    case("let x = 0u8; let y = «x.ilog2()»;", "`ilog2` of 0", ""),
    case(
        "let x = 5u8; let y = «x.clamp(9, 3)»;",
        "`clamp` between 9 and 3",
        "",
    ),
    // What follows the largest value that there is.
    case(
        "let mut it = 170141183460469231731687303715884105727u128..; let x = «it.next()»;",
        "values of `u128` from 2^127 on",
        "",
    ),
    case(
        "let x = «(170141183460469231731687303715884105727u128..).nth(5)»;",
        "values of `u128` from 2^127 on",
        "",
    ),
    case(
        "let x = «'é'.is_alphabetic()»;",
        "`is_alphabetic` is only for characters of ASCII",
        "compare the character",
    ),
    case(
        "let x = «char::from_digit(1, 37)»;",
        "`from_digit` of radix 37",
        "",
    ),
    case(
        "let x = u8::try_from(«'a'»);",
        "`try_from` of a `char` is not in the subset",
        "`char`",
    ),
];
