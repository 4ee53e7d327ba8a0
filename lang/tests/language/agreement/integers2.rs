//! Integers of all widths: every operator and method on the values at the edges of each type, bytes
//! and characters, conversions.

use super::{outputs, program};

/// Declares a program that computes with all pairs of some values of a type, and reveals a digest of
/// all results.
macro_rules! table {
    ($name:ident, $ty:ident, { $($more:tt)* }) => {
        program!($name {
            use droste_gadgets::prelude::*;
            use std::cmp::Ordering;

            fn mix(acc: u64, x: u64) -> u64 {
                acc.wrapping_mul(1_000_003).wrapping_add(x)
            }
            fn some(x: Option<$ty>) -> u64 {
                match x {
                    Some(x) => x as u64,
                    None => 11,
                }
            }
            fn pair(x: ($ty, bool)) -> u64 {
                mix(x.0 as u64, x.1 as u64)
            }
            fn arithmetic(acc: u64, a: $ty, b: $ty) -> u64 {
                let mut acc = mix(acc, a.wrapping_add(b) as u64);
                acc = mix(acc, a.wrapping_sub(b) as u64);
                acc = mix(acc, a.wrapping_mul(b) as u64);
                acc = mix(acc, a.saturating_add(b) as u64);
                acc = mix(acc, a.saturating_sub(b) as u64);
                acc = mix(acc, a.saturating_mul(b) as u64);
                acc = mix(acc, some(a.checked_add(b)));
                acc = mix(acc, some(a.checked_sub(b)));
                acc = mix(acc, some(a.checked_mul(b)));
                acc = mix(acc, some(a.checked_div(b)));
                acc = mix(acc, some(a.checked_rem(b)));
                acc = mix(acc, some(a.checked_div_euclid(b)));
                acc = mix(acc, some(a.checked_rem_euclid(b)));
                acc = mix(acc, some(a.checked_neg()));
                acc = mix(acc, a.wrapping_neg() as u64);
                acc = mix(acc, pair(a.overflowing_add(b)));
                acc = mix(acc, pair(a.overflowing_sub(b)));
                acc = mix(acc, pair(a.overflowing_mul(b)));
                if b != 0 {
                    acc = mix(acc, a.wrapping_div(b) as u64);
                    acc = mix(acc, a.wrapping_rem(b) as u64);
                    acc = mix(acc, (a / 2 / b) as u64);
                    acc = mix(acc, (a / 2 % b) as u64);
                }
                let power = b as u32 % 6;
                acc = mix(acc, a.wrapping_pow(power) as u64);
                acc = mix(acc, a.saturating_pow(power) as u64);
                acc = mix(acc, some(a.checked_pow(power)));
                mix(acc, pair(a.overflowing_pow(power)))
            }
            fn bits(acc: u64, a: $ty, b: $ty) -> u64 {
                let by = b as u32;
                let mut acc = mix(acc, (a & b) as u64);
                acc = mix(acc, (a | b) as u64);
                acc = mix(acc, (a ^ b) as u64);
                acc = mix(acc, !a as u64);
                acc = mix(acc, (a << (by % 8)) as u64);
                acc = mix(acc, (a >> (by % 8)) as u64);
                acc = mix(acc, a.rotate_left(by) as u64);
                acc = mix(acc, a.rotate_right(by) as u64);
                acc = mix(acc, a.wrapping_shl(by) as u64);
                acc = mix(acc, a.wrapping_shr(by) as u64);
                acc = mix(acc, some(a.checked_shl(by % 70)));
                acc = mix(acc, some(a.checked_shr(by % 70)));
                acc = mix(acc, a.swap_bytes() as u64);
                acc = mix(acc, a.reverse_bits() as u64);
                acc = mix(acc, $ty::from_be_bytes(a.to_le_bytes()) as u64);
                acc = mix(acc, $ty::from_le_bytes(a.to_le_bytes()) as u64);
                acc = mix(acc, $ty::from_le_bytes(a.to_be_bytes()) as u64);
                acc = mix(acc, a.count_ones() as u64);
                acc = mix(acc, a.count_zeros() as u64);
                acc = mix(acc, a.leading_zeros() as u64);
                acc = mix(acc, a.leading_ones() as u64);
                acc = mix(acc, a.trailing_zeros() as u64);
                mix(acc, a.trailing_ones() as u64)
            }
            fn others(acc: u64, a: $ty, b: $ty) -> u64 {
                let mut acc = mix(acc, a.min(b) as u64);
                acc = mix(acc, a.max(b) as u64);
                acc = mix(acc, a.clamp(1, 77) as u64);
                acc = mix(acc, a.abs_diff(b) as u64);
                acc = mix(acc, (a < b) as u64 + 2 * (a <= b) as u64 + 4 * (a == b) as u64);
                acc = mix(acc, a.midpoint(b) as u64);
                let order = match a.cmp(&b) {
                    Ordering::Less => 3,
                    Ordering::Equal => 5,
                    Ordering::Greater => 9,
                };
                acc = mix(acc, order);
                acc = mix(acc, a as i8 as u64);
                acc = mix(acc, a as u16 as u64);
                acc = mix(acc, a as i32 as u64);
                acc = mix(acc, u8::try_from(a).is_ok() as u64);
                acc = mix(acc, i16::try_from(a).unwrap_or(5) as u64);
                acc = mix(acc, a.checked_ilog2().unwrap_or(99) as u64);
                acc = mix(acc, a.checked_ilog10().unwrap_or(99) as u64);
                mix(acc, a.checked_ilog(3).unwrap_or(99) as u64)
            }
            $($more)*
            pub fn main() {
                let values = [$ty::MIN, $ty::MIN + 1, 0, 1, 2, 77, $ty::MAX - 1, $ty::MAX];
                let mut acc = $ty::BITS as u64;
                for a in values {
                    for b in values {
                        acc = arithmetic(acc, a, b);
                        acc = bits(acc, a, b);
                        acc = others(acc, a, b);
                        acc = more(acc, a, b);
                    }
                }
                reveal(felt((acc % 2_000_000_011) as usize));
                reveal(felt((acc >> 32) as usize % 2_000_000_011));
            }
        });
    };
}

macro_rules! unsigned {
    ($name:ident, $ty:ident) => {
        table!($name, $ty, {
            fn more(acc: u64, a: $ty, b: $ty) -> u64 {
                let mut acc = mix(acc, a.is_power_of_two() as u64);
                acc = mix(acc, some(a.checked_next_power_of_two()));
                acc = mix(acc, a.isqrt() as u64);
                if b != 0 {
                    acc = mix(acc, a.div_ceil(b) as u64);
                    acc = mix(acc, some(a.checked_next_multiple_of(b)));
                }
                mix(acc, a.is_multiple_of(b) as u64)
            }
        });
    };
}

macro_rules! signed {
    ($name:ident, $ty:ident) => {
        table!($name, $ty, {
            fn more(acc: u64, a: $ty, b: $ty) -> u64 {
                let mut acc = mix(acc, a.wrapping_abs() as u64);
                acc = mix(acc, some(a.checked_abs()));
                acc = mix(acc, a.saturating_abs() as u64);
                acc = mix(acc, a.saturating_neg() as u64);
                acc = mix(acc, pair(a.overflowing_neg()));
                acc = mix(acc, a.unsigned_abs() as u64);
                acc = mix(acc, a.signum() as u64);
                acc = mix(acc, a.is_positive() as u64 + 2 * a.is_negative() as u64);
                acc = mix(acc, some(a.checked_isqrt()));
                if b != 0 && b != -1 {
                    acc = mix(acc, a.rem_euclid(b) as u64);
                    acc = mix(acc, a.div_euclid(b) as u64);
                }
                acc
            }
        });
    };
}

unsigned!(of_u8, u8);
unsigned!(of_u16, u16);
unsigned!(of_u32, u32);
unsigned!(of_u64, u64);
unsigned!(of_usize, usize);
signed!(of_i8, i8);
signed!(of_i16, i16);
signed!(of_i32, i32);
signed!(of_i64, i64);
signed!(of_isize, isize);

program!(wide {
    use droste_gadgets::prelude::*;

    fn show(x: u128) {
        reveal(felt((x % 2_000_000_011) as usize));
    }
    pub fn main() {
        let a: u128 = 1 << 100;
        let b = a * 3 + 5;
        show(b);
        show(b >> 90 | u128::from(7u64));
        show(u64::MAX as u128 * (u64::MAX / 4) as u128);
        show((b.leading_zeros() + b.count_ones() * 1000) as u128);
        show(b.checked_sub(b + 1).unwrap_or(77));
        show(u128::from_be_bytes((b >> 3).to_be_bytes()) ^ a);
        show((b.pow(1) - a).rotate_left(3).min(b.isqrt()));
    }
});

program!(wide_signed {
    use droste_gadgets::prelude::*;

    fn mix(acc: u64, x: i128) -> u64 {
        let halves = acc.wrapping_mul(1_000_003).wrapping_add(x as u64);
        halves.wrapping_mul(1_000_003).wrapping_add((x >> 64) as u64)
    }
    fn some(x: Option<i128>) -> i128 {
        x.unwrap_or(11)
    }
    fn pair(x: (i128, bool)) -> i128 {
        x.0 ^ x.1 as i128
    }
    fn both(mut acc: u64, a: i128, b: i128) -> u64 {
        let power = b as u32 % 6;
        let results = [
            a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a.wrapping_pow(power),
            a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), a.saturating_pow(power),
            some(a.checked_add(b)), some(a.checked_sub(b)), some(a.checked_mul(b)),
            some(a.checked_div(b)), some(a.checked_rem(b)), some(a.checked_div_euclid(b)),
            some(a.checked_rem_euclid(b)), some(a.checked_pow(power)),
            pair(a.overflowing_add(b)), pair(a.overflowing_sub(b)), pair(a.overflowing_mul(b)),
            pair(a.overflowing_pow(power)), a & b, a | b, a ^ b, a << (b as u32 % 128),
            a >> (b as u32 % 128), a.min(b), a.max(b), a.clamp(-5, 77), a.midpoint(b),
            a.rotate_left(b as u32 % 200), a.rotate_right(b as u32), a.wrapping_shl(b as u32),
            a.wrapping_shr(b as u32), some(a.checked_shl(b as u32 % 200)),
            some(a.checked_shr(b as u32 % 200)), (a < b) as i128, a.cmp(&b) as i128,
        ];
        for result in results {
            acc = mix(acc, result);
        }
        if b != 0 {
            acc = mix(acc, a.wrapping_div(b));
            acc = mix(acc, a.wrapping_rem(b));
            acc = mix(acc, a.saturating_div(b));
            acc = mix(acc, pair(a.overflowing_div(b)));
            acc = mix(acc, pair(a.overflowing_rem_euclid(b)));
            acc = mix(acc, a.wrapping_div_euclid(b));
        }
        acc
    }
    fn one(mut acc: u64, a: i128) -> u64 {
        let results = [
            !a, a.wrapping_neg(), some(a.checked_neg()), pair(a.overflowing_neg()), a.saturating_neg(),
            a.wrapping_abs(), some(a.checked_abs()), a.saturating_abs(), a.signum(), a.swap_bytes(),
            a.reverse_bits(), i128::from_be_bytes(a.to_le_bytes()), i128::from_le_bytes(a.to_le_bytes()),
            some(a.checked_isqrt()), a as i8 as i128, a as u16 as i128, a as i64 as i128,
            u8::try_from(a).is_ok() as i128, i128::from(i64::try_from(a).unwrap_or(5)),
            u128::try_from(a).is_ok() as i128,
        ];
        for result in results {
            acc = mix(acc, result);
        }
        let counts = [
            a.count_ones(), a.count_zeros(), a.leading_zeros(), a.leading_ones(), a.trailing_zeros(),
            a.trailing_ones(), a.checked_ilog2().unwrap_or(99), a.checked_ilog10().unwrap_or(99),
            a.is_positive() as u32 + 2 * a.is_negative() as u32,
        ];
        counts.iter().fold(acc, |acc, count| mix(acc, i128::from(*count)))
    }
    pub fn main() {
        const HALF: i128 = i128::MAX / 2;
        let values = [i128::MIN, i128::MIN + 1, -HALF, -77, -2, -1, 0, 1, 2, 1 << 64, HALF, i128::MAX - 1, i128::MAX];
        let mut acc = i128::BITS as u64;
        for a in values {
            acc = one(acc, a);
            for b in values {
                acc = both(acc, a, b);
            }
        }
        reveal(felt((acc % 2_000_000_011) as usize));
        reveal(felt((acc >> 32) as usize % 2_000_000_011));
        let (small, wide) = (-3i128, i128::from(u64::MAX) * i128::from(i64::MIN));
        reveal(felt((wide.rem_euclid(1_000_007) + small.rem_euclid(5) + small.pow(3)) as usize));
        reveal(felt((wide.unsigned_abs() % 1_000_007) as usize + small.abs_diff(4) as usize));
        reveal(felt((7u128.checked_add_signed(small).unwrap() - 2) as usize));
    }
});

program!(characters {
    use droste_gadgets::prelude::*;

    fn class(c: char) -> usize {
        match c {
            'a'..='z' => 1,
            'A' | 'B' => 2,
            '0'..='9' => 3 + c.to_digit(10).unwrap() as usize,
            _ => 4,
        }
    }
    pub fn main() {
        let mut sum = 0;
        for c in ['q', 'B', '7', '\u{e9}', '\'', 'Z'] {
            sum = sum * 20 + class(c);
        }
        reveal(felt(sum));
        let text = b"a1\n\xff";
        reveal(felt(text[0] as usize + text[3] as usize * 256 + text.len()));
        let next = (b'a' + 3) as char;
        reveal(felt(next as usize + (next.to_ascii_uppercase() as usize) * 1000));
        reveal(felt(u32::from('\u{10ffff}') as usize + 'x' as u8 as usize));
        reveal(felt((b'x'.is_ascii_digit() as usize) * 2 + '5'.is_ascii_digit() as usize));
        reveal(felt('f'.to_digit(16).unwrap_or(0) as usize * 10 + ('a' < 'b') as usize));
        reveal(felt(65 as char as usize + 'g'.to_digit(16).is_none() as usize));
    }
});

program!(conversions {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let n = public_input();
        let a = u32::from(200u8) + u32::from(true) + u32::from('b');
        reveal(n * felt(a as usize));
        reveal(felt(u8::try_from(300u32).is_err() as usize));
        reveal(felt(u8::try_from(-1i32).unwrap_or(9) as usize));
        reveal(felt(usize::try_from(a).unwrap() + usize::from(3u16)));
        reveal(felt((i64::from(-5i8) + 100) as usize));
        reveal(felt((-7i32 as u32 >> 28) as usize * 100 + (300u16 as u8) as usize));
        reveal(felt((-7i32).rem_euclid(4) as usize + (-128i8 as i16 + 200) as usize));
    }
});

#[test]
fn operators_and_methods_at_the_edges_of_each_type() {
    let programs: [(&str, fn()); 10] = [
        (of_u8::SOURCE, of_u8::main),
        (of_u16::SOURCE, of_u16::main),
        (of_u32::SOURCE, of_u32::main),
        (of_u64::SOURCE, of_u64::main),
        (of_usize::SOURCE, of_usize::main),
        (of_i8::SOURCE, of_i8::main),
        (of_i16::SOURCE, of_i16::main),
        (of_i32::SOURCE, of_i32::main),
        (of_i64::SOURCE, of_i64::main),
        (of_isize::SOURCE, of_isize::main),
    ];
    let mut digests: Vec<_> = programs
        .iter()
        .map(|(source, main)| outputs(source, *main, &[]))
        .collect();
    digests.sort();
    digests.dedup();
    // `usize` is `u64`, and `isize` is `i64`.
    assert_eq!(digests.len(), 8);
}

program!(reduced {
    use droste_gadgets::prelude::*;

    pub fn main() {
        reveal(felt(2130706433));
        reveal(felt(usize::MAX));
        reveal(Felt::new(u32::MAX));
        reveal(Ext::new([2130706434, 0, 0, 0, 4294967295]).coeff(4));
    }
});

#[test]
fn field_elements_of_integers_are_reduced() {
    let found = outputs(reduced::SOURCE, reduced::main, &[]);
    assert_eq!(found, [0, 402124771, 33554429, 33554429]);
}

#[test]
fn wide_integers_characters_and_conversions() {
    assert_eq!(outputs(wide::SOURCE, wide::main, &[]).len(), 7);
    assert_eq!(
        outputs(wide_signed::SOURCE, wide_signed::main, &[]).len(),
        5
    );
    assert_eq!(outputs(characters::SOURCE, characters::main, &[]).len(), 7);
    let [first, ..] = outputs(conversions::SOURCE, conversions::main, &[3])[..] else {
        panic!("it has outputs");
    };
    assert_eq!(first, 3 * 299);
}
