//! Loops with values, labels, and what blocks and functions of `std::mem` leave.

use super::{outputs, program};

program!(labels {
    use droste_gadgets::prelude::*;

    fn first(limit: usize) -> usize {
        let mut n = 0;
        let found = 'outer: loop {
            for i in 0..10usize {
                n += i;
                if n > limit { break 'outer n; }
                if i == 4 { continue 'outer; }
            }
        };
        found * 100 + n
    }

    fn nested() -> usize {
        let mut seen = 0;
        'rows: for row in 0..4usize {
            let mut column = 0;
            while column < 4 {
                column += 1;
                if column == row { continue 'rows; }
                if row == 3 { break 'rows; }
                seen = seen * 2 + column;
            }
        }
        let twice = loop { seen += 1; if seen % 7 == 0 { break seen; } };
        let mut turns = 0;
        'again: while turns < 5 {
            loop { turns += 1; if turns == 3 { break 'again; } continue 'again; }
        }
        seen + twice + turns
    }

    fn block(n: usize) -> Felt {
        let x = 'a: {
            let y = 'b: { if n == 1 { break 'b felt(1); } felt(2) };
            if n == 2 { break 'a y * felt(10); }
            for i in 0..n { if i == 2 { break 'a felt(i) + felt(30); } }
            y
        };
        x + felt(100)
    }

    fn option(n: Option<usize>) -> usize {
        let Some(m) = n else { return 7; };
        let (0 | 1, k) = (m, m + 1) else { return 8; };
        k
    }

    pub fn main() {
        let x = public_input();
        reveal(felt(first(12)) + felt(first(3)));
        reveal(felt(nested()));
        reveal(block(1) + block(2) * felt(2) + block(3) * felt(3) + block(0) * felt(4));
        reveal(felt(option(None) * 100 + option(Some(5)) * 10 + option(Some(1))));
        let mut sum = x;
        for i in count(3) { for k in 0..3usize { if k == 2 { break; } sum = sum * felt(2) + i; } }
        reveal(sum);
    }
});

#[test]
fn loops_and_blocks_have_values_and_labels() {
    outputs(labels::SOURCE, labels::main, &[5]);
}

program!(exchanges {
    use droste_gadgets::prelude::*;
    use std::mem;

    struct S { list: Vec<Felt>, n: usize }

    fn turn(a: &mut Felt, b: &mut Felt) { mem::swap(a, b); *a = *a + felt(1); }

    pub fn main() {
        let x = public_input();
        let (mut a, mut b) = (x, felt(2));
        mem::swap(&mut a, &mut b);
        turn(&mut a, &mut b);
        reveal(a * felt(10) + b);
        let mut s = S { list: vec![x, x], n: 3 };
        let list = mem::take(&mut s.list);
        let n = mem::replace(&mut s.n, list.len() * 10);
        reveal(felt(list.len() * 1000 + s.list.len() * 100 + n + s.n));
        let mut v = vec![felt(1), x];
        mem::swap(&mut v, &mut s.list);
        reveal(s.list[1] + felt(v.len() + std::cmp::max(3, n) + std::cmp::min(n, 9)));
    }
});

#[test]
fn values_are_exchanged() {
    outputs(exchanges::SOURCE, exchanges::main, &[5]);
}
