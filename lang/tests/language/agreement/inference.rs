//! Literals whose types come from elsewhere in the program.

use super::{outputs, program};

program!(from_afar {
    use droste_gadgets::prelude::*;

    struct Pair<T> {
        a: T,
        b: T,
    }
    fn half(x: u16) -> u16 {
        x / 2
    }
    fn small() -> u8 {
        let x = 250;
        x
    }
    fn first<T>(a: T, _b: T) -> T {
        a
    }

    pub fn main() {
        let mut n = 200;
        n += 100;
        let m: u16 = n;
        reveal(felt((half(m) + !n % 7) as usize));

        let list = [1, 2, 250];
        let byte: u8 = 5;
        reveal(felt((list[2] + byte).wrapping_add(list[1]) as usize));

        let mut values = Vec::new();
        values.push(3);
        values.push(half(9));
        reveal(felt((!values[0]) as usize));

        let pair = Pair { a: 7, b: small() };
        reveal(felt((!pair.a) as usize + (pair.b as usize) * 256));

        let found = Some(9);
        let wanted: Option<u32> = found;
        reveal(felt(found.unwrap_or(1).leading_zeros() as usize + wanted.unwrap() as usize));

        let x = 4;
        reveal(felt(first(x, 8u8).leading_zeros() as usize));

        let bits = 1 << 20;
        reveal(felt(bits));
    }
});

program!(meeting {
    use droste_gadgets::prelude::*;

    fn sum_to(n: usize) -> usize {
        let mut sum = 0;
        let mut i = 0;
        while i <= n {
            sum += i;
            i += 1;
        }
        sum
    }

    pub fn main() {
        let mut sum = 0;
        for i in 0..100 {
            sum += i;
        }
        reveal(felt(sum + sum_to(10)));

        // Types that are found nowhere, and do not matter.
        let limit = 1000;
        let mut steps = 0;
        let mut reached = 0;
        while reached < limit {
            reached += 250;
            steps += 1;
        }
        reveal(felt(if steps == 4 && reached == 1000 { 1 } else { 2 }));

        let mut down = -100;
        down -= 20;
        let byte: i8 = down;
        reveal(felt((!byte) as usize + (down >> 2 == -30) as usize));

        let (low, high) = (10, 20);
        let mut part = [0u8; 2];
        part[0] = low;
        part[1] = if part[0] > 5 { high } else { low };
        reveal(felt((!low) as usize * 1000 + (high.leading_zeros() + part[1] as u32) as usize));

        let smallest = -128;
        let edge: i8 = smallest;
        reveal(felt((edge.wrapping_neg() == smallest) as usize));

        // The type of a cast is that of a literal, but not of what it is computed from.
        reveal(felt((200 as u8).leading_zeros() as usize + (100 + 27) as u8 as usize));
        reveal(felt((3 - 1) as usize + (!0 as u8) as usize));
    }
});

#[test]
fn types_of_literals_come_from_afar() {
    let outputs = outputs(from_afar::SOURCE, from_afar::main, &[]);
    assert_eq!(outputs.len(), 7);
    assert_eq!(outputs[2], u32::from(!3u16));
    assert_eq!(outputs[6], 1 << 20);
}

#[test]
fn types_of_literals_come_from_what_they_meet() {
    let outputs = outputs(meeting::SOURCE, meeting::main, &[]);
    assert_eq!(outputs.len(), 7);
    assert_eq!(outputs[0], 4950 + 55);
}

program!(untaken {
    use droste_gadgets::prelude::*;

    const WIDE: bool = true;

    pub fn main() {
        let x = if false { 7u8 } else { 8 };
        reveal(felt((!x) as usize));
        let y = match 3 { 1 => 7u16, _ => 9 };
        reveal(felt((!y) as usize));
        let z = if WIDE { 8 } else { 4u32 };
        reveal(felt(z.leading_zeros() as usize));
    }
});

#[test]
fn types_of_literals_come_from_the_other_side() {
    let found = outputs(untaken::SOURCE, untaken::main, &[]);
    assert_eq!(found, [u32::from(!8u8), u32::from(!9u16), 28]);
}
