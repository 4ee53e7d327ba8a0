use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Roman {
    Value(u32),
    Invalid(char),
}

fn digit(c: char) -> Option<u32> {
    Some(match c.to_ascii_uppercase() {
        'I' => 1,
        'V' => 5,
        'X' => 10,
        'L' => 50,
        'C' => 100,
        'D' => 500,
        'M' => 1000,
        _ => return None,
    })
}

fn parse(s: &str) -> Roman {
    let mut total = 0;
    let mut highest = 0;
    for c in s.chars().rev() {
        let Some(v) = digit(c) else {
            return Roman::Invalid(c);
        };
        if v < highest {
            total -= v;
        } else {
            total += v;
            highest = v;
        }
    }
    Roman::Value(total)
}

fn render(mut n: u32) -> Vec<u8> {
    const TABLE: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut out = Vec::new();
    for &(value, glyph) in TABLE.iter() {
        while n >= value {
            out.extend(glyph.bytes());
            n -= value;
        }
    }
    out
}

pub fn main() {
    let x = public_input();
    assert_eq!(parse("MCMXCIV"), Roman::Value(1994));
    assert_eq!(parse("xlii"), Roman::Value(42));
    assert_eq!(parse("XYZ"), Roman::Invalid('Z'));
    for n in [4, 9, 40, 399, 944] {
        let text = render(n);
        let s = core::str::from_utf8(&text).unwrap();
        assert_eq!(parse(s), Roman::Value(n));
    }
    let longest = (1..=50).max_by_key(|&n| render(n).len()).unwrap();
    let total: usize = (1..=20).map(render).map(|r| r.len()).sum();
    reveal(x + felt(longest as usize));
    reveal(felt(total));
}
