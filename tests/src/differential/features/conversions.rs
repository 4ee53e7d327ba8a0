//! Methods and conversions of integers of all widths, bytes and characters.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::{Int, Ty};

/// Values of one type of integers, which methods and other types give.
pub fn conversions(g: &mut Generator, body: &mut Vec<Node>) {
    let (int, other) = (g.any_int(), g.any_int());
    for _ in 0..g.random.between(2, 4) {
        let (v, value) = (g.fresh("v"), one(g, int, other));
        body.push(line(format!("let {v}: {} = {value};", int.name())));
        g.observe(&v, &Ty::Int(int), body);
        g.declare(&v, Ty::Int(int), false);
    }
    wide(g, body);
}

fn one(g: &mut Generator, int: Int, other: Int) -> String {
    let (ty, from) = (int.name(), other.name());
    let (a, b, c) = (g.int(int, 1).0, g.int(int, 1).0, g.int(other, 1).0);
    let (n, k) = (g.random.between(2, 60), g.random.below(4));
    // Neither negative nor zero.
    let positive = format!("({a} & {ty}::MAX | 1)");
    let letter = g.random.pick(&["a", "F", "7", " ", "\\n", "~"]);
    let common = [
        format!("{a}.clamp(2_{ty}, {n}_{ty})"),
        format!("{positive}.isqrt()"),
        format!("{positive}.ilog10() as {ty} + {positive}.ilog(3) as {ty}"),
        format!("{a}.checked_ilog2().map_or({k}, |x| x as {ty})"),
        format!("{ty}::try_from({c}).unwrap_or({n})"),
        format!("match {ty}::try_from({c}) {{ Ok(x) => x / 2, Err(_) => {n} }}"),
        format!("{{ let x: {ty} = {c}.try_into().unwrap_or({n}); x }}"),
        format!("{ty}::from_be_bytes({a}.to_le_bytes()[..].try_into().unwrap())"),
        format!("{{ let (x, over) = {a}.overflowing_mul({b}); if over {{ x / 3 }} else {{ x }} }}"),
        format!("{a}.overflowing_sub({b}).1 as {ty}"),
        format!("{a}.checked_div({b}).unwrap_or({n})"),
        format!("{a}.checked_rem({b}).unwrap_or({n})"),
        format!("{a}.checked_pow({k}).unwrap_or({n})"),
        format!("{a}.checked_neg().is_some() as {ty}"),
        format!("{a}.saturating_pow({k}) ^ {b}.wrapping_pow({n})"),
        format!("{a}.wrapping_shl({n}) ^ {b}.wrapping_shr({n})"),
        format!("{a}.abs_diff({b}) as {ty}"),
        format!("{a}.to_be_bytes()[0] as {ty}"),
        format!("{ty}::from_le_bytes({a}.to_be_bytes())"),
        format!("({a}.leading_ones() * {b}.trailing_zeros() % 100) as {ty}"),
        format!("std::cmp::max({a}, {b}) ^ std::cmp::min({a}, {n})"),
        format!("{a}.cmp(&{b}) as i8 as {ty}"),
        format!("{from}::MAX as {ty} ^ {c} as {ty}"),
        format!("b'{letter}' as {ty} % 100"),
        format!("b\"x{letter}z\"[1] as {ty} % 100"),
        format!("('{letter}' as u32 * 3) as {ty}"),
        format!("'{letter}'.to_digit(16).map_or({n}, |x| x as {ty})"),
        format!(
            "'{letter}'.is_ascii_digit() as {ty} + '{letter}'.is_alphanumeric() as {ty} + b'{letter}'.is_ascii_alphabetic() as {ty}"
        ),
    ];
    let own = if int.signed() {
        [
            format!("{a}.unsigned_abs() as {ty}"),
            format!("{a}.is_negative() as {ty}"),
            format!("{a}.checked_abs().unwrap_or({n})"),
            format!("{a}.wrapping_rem({n})"),
        ]
    } else {
        [
            format!("{a}.is_power_of_two() as {ty} * 7"),
            format!("{a}.checked_next_power_of_two().unwrap_or({n})"),
            format!("{a}.is_multiple_of({n}) as {ty}"),
            format!("{ty}::from(b'{letter}') + {ty}::from({a} < {b})"),
        ]
    };
    match g.random.below(common.len() + own.len()) {
        place if place < common.len() => common[place].clone(),
        place => own[place - common.len()].clone(),
    }
}

/// A `u128` that exceeds 64 bits.
fn wide(g: &mut Generator, body: &mut Vec<Node>) {
    let (v, known) = (g.fresh("v"), g.int(Int::U64, 1).0);
    let (k, n) = (g.random.between(2, 60), g.random.between(1, 9));
    body.push(line(format!(
        "let {v} = (u128::from({known}) << {n}) * 3 + {k};"
    )));
    let shown = [
        format!("({v} / {k}) as u64"),
        format!("({v} % {k}) as u64"),
        format!("({v} >> {k}) as u64"),
        format!("{v}.isqrt() as u64"),
        format!("u64::try_from({v}).unwrap_or({k})"),
        format!("{v}.to_le_bytes()[{n}] as u64"),
        format!("({v}.leading_zeros() as u64 + {v}.count_ones() as u64)"),
        format!("({v}.checked_sub({k} << {k}).unwrap_or({k} * 5) as u64)"),
    ];
    for _ in 0..2 {
        let (w, value) = (g.fresh("w"), &shown[g.random.below(shown.len())]);
        body.push(line(format!("let {w}: u64 = {value};")));
        g.observe(&w, &Ty::Int(Int::U64), body);
    }
}
