//! Patterns of slices, bindings with `@`, and alternatives that bind.

use super::{outputs, program, shown};

program!(slices {
    use droste_gadgets::prelude::*;

    fn sum(list: &[Felt]) -> Felt {
        match list { [] => felt(0), [first, rest @ ..] => *first + sum(rest) }
    }
    fn ends(list: &[usize]) -> usize {
        match list {
            [first, .., last] if first > last => first - last,
            [first, middle @ .., last] => first * 100 + middle.len() * 10 + last,
            [only] => *only,
            [] => 999,
        }
    }
    fn starts(text: &[u8]) -> usize {
        match text { [b'-', rest @ ..] => rest.len(), [b'0'..=b'9', ..] => 50, _ => 60 }
    }
    pub struct N(Felt);
    fn split(list: [N; 3]) -> (Felt, Felt) {
        let [first, rest @ ..] = list;
        let [a, N(b)] = rest;
        (first.0 + a.0, b)
    }

    pub fn main() {
        let mut out = felt(0);
        let x = public_input();
        let list = vec![x, x, felt(1)];
        show(&mut out, sum(&list) + sum(&list[1..]));
        for list in [&[3, 4, 5, 6][..], &[9, 2], &[7], &[]] { show(&mut out, felt(ends(list))); }
        for text in [&b"-12"[..], b"77", b"x", b""] { show(&mut out, felt(starts(text))); }
        let (a, b) = split([N(x), N(felt(2)), N(x + x)]);
        show(&mut out, a * b);
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn slices_and_their_rests() {
    let found = outputs(slices::SOURCE, slices::main, &[5]);
    assert_eq!(found, [shown(&[17, 326, 7, 7, 999, 2, 50, 60, 60, 70])]);
}

program!(bindings {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    pub enum Key { Plain(u8), Pair(u8, u8), Other { code: u8 } }
    const LIMIT: u8 = 9;

    fn code(key: Key) -> usize {
        match key {
            Key::Plain(n @ 1..=3) | Key::Pair(n @ 4, _) => n as usize,
            Key::Plain(LIMIT) | Key::Other { code: LIMIT } => 500,
            Key::Plain(n) | Key::Pair(_, n) | Key::Other { code: n } if n > 20 => 100 + n as usize,
            whole @ Key::Pair(..) => if let Key::Pair(a, b) = whole { (a + b) as usize } else { 0 },
            _ => 700,
        }
    }
    // A guard is tried for each alternative.
    fn either(pair: (u8, u8)) -> u8 { match pair { (n @ 0..=50, _) | (_, n) if n > 5 => n, _ => 0 } }
    fn sign(n: i32) -> usize { match n { ..=-1 => 1, 0 => 2, 1.. => 3 } }
    fn kind(c: char) -> usize { match c { 'a'..='z' => 1, 'A'..='Z' => 2, _ => 3 } }
    fn constant(pair: (usize, Option<bool>)) -> usize {
        const NONE: (usize, Option<bool>) = (1, None);
        const YES: Option<bool> = Some(true);
        match pair { NONE => 1, (_, YES) => 2, (2 | 3, _) => 3, _ => 4 }
    }

    pub fn main() {
        let mut out = felt(0);
        let x = public_input();
        let keys = [
            Key::Plain(2), Key::Pair(4, 7), Key::Plain(9), Key::Other { code: 9 }, Key::Plain(21),
            Key::Pair(1, 30), Key::Other { code: 40 }, Key::Pair(5, 6), Key::Plain(10),
        ];
        for key in keys { show(&mut out, felt(code(key))); }
        show(&mut out, felt((either((1, 9)) + either((7, 9)) * 10 + either((1, 2))) as usize));
        show(&mut out, felt(sign(-4) * 100 + sign(0) * 10 + sign(8)));
        show(&mut out, felt(kind('q') * 100 + kind('Q') * 10 + kind('?')));
        for pair in [(1, None), (1, Some(true)), (3, Some(false)), (4, None)] {
            show(&mut out, felt(constant(pair)));
        }
        let result: Result<Felt, Felt> = Err(x);
        let (Ok(a) | Err(a)) = result;
        let whole @ (left, right) = (a, x + a);
        show(&mut out, whole.0 * left + whole.1 * right);
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn bindings_in_alternatives() {
    let found = outputs(bindings::SOURCE, bindings::main, &[5]);
    let keys = [2, 4, 500, 500, 121, 130, 140, 11, 700];
    let others = [79, 123, 123, 1, 2, 3, 4, 125];
    assert_eq!(found, [shown(&[&keys[..], &others].concat())]);
}

program!(ranges {
    use droste_gadgets::prelude::*;

    mod limits { pub const LOW: u16 = 300; pub const HIGH: i8 = 100; }
    pub struct S;
    impl S {
        const MOST: u16 = 400;
        fn part(n: u16) -> usize {
            match n { limits::LOW..Self::MOST => 1, 5..limits::LOW => 2, Self::MOST.. => 3, ..5 => 4 }
        }
    }
    fn sign(n: i8) -> usize {
        use limits::HIGH;
        match n { i8::MIN..0 => 1, 0..HIGH => 2, HIGH..=i8::MAX => 3 }
    }

    pub fn main() {
        let mut out = felt(0);
        for n in [300, 400, 299, 5, 401, 4] { show(&mut out, felt(S::part(n))); }
        for n in [-128, -1, 0, 99, 100, 127] { show(&mut out, felt(sign(n))); }
        // The constant is an integer of the value's type.
        let open = 7;
        if let ..limits::LOW = open { show(&mut out, felt((!open) as usize)); }
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn ranges_to_constants() {
    let found = outputs(ranges::SOURCE, ranges::main, &[]);
    let parts = [1, 3, 2, 2, 3, 4, 1, 1, 2, 2, 3, 3];
    let open = [u32::from(!7u16)];
    assert_eq!(found, [shown(&[&parts[..], &open].concat())]);
}
