//! The constraints.

use super::{
    A1, A2, B, Blake, C1, C2, D, DIAGONAL_A1, DIAGONAL_C1, DIAGONAL_T1, DIAGONAL_T2, MESSAGE, T1,
    T2,
};
use std::array::from_fn;

use crate::circuit::{Circuit, Form, Group, Lanes, MAX_OPERANDS, Product, PublicRow, Term, WORDS};
use crate::native::IV;

/// A sum of words of 32 bits, rotated right and masked.
#[derive(Clone, Debug, Default)]
struct Sum(Vec<(bool, usize, u32, u32)>);

impl Sum {
    fn rotated(&self, by: u32) -> Self {
        let terms = self.0.iter();
        Self(
            terms
                .map(|&(next, word, rotation, mask)| {
                    (next, word, (rotation + by) % 32, mask.rotate_right(by))
                })
                .collect(),
        )
    }

    fn masked(&self, with: u32) -> Self {
        let terms = self.0.iter();
        Self(
            terms
                .map(|&(next, word, rotation, mask)| (next, word, rotation, mask & with))
                .collect(),
        )
    }

    /// The form that has these bits in its low or its high half.
    fn form(&self, half: u32, form: &mut Form) {
        for &(next, word, rotation, mask) in &self.0 {
            let (source, word) = (word as u32 % 2, word / 2);
            // Bits below 32 - rotation come from higher ones of the word, the others from its
            // lowest.
            let low = u32::MAX >> rotation;
            for (part, shift) in [(mask & low, 64), (mask & !low, 96)] {
                if part != 0 {
                    form.0.push(Term {
                        next,
                        word,
                        rotation: (shift + 32 * half - 32 * source - rotation) % 64,
                        mask: u64::from(part) << (32 * half),
                    });
                }
            }
        }
    }
}

impl std::ops::Add for &Sum {
    type Output = Sum;

    fn add(self, other: &Sum) -> Sum {
        Sum([self.0.as_slice(), &other.0].concat())
    }
}

/// Words of a row or the next one.
#[derive(Clone, Copy)]
struct Words {
    next: bool,
}

impl Words {
    fn at(self, word: usize) -> Sum {
        Sum(vec![(self.next, word, 0, u32::MAX)])
    }

    /// `d1` and `b1` of the step of column `i`.
    fn column_first(self, i: usize) -> [Sum; 2] {
        [
            (&self.at(D + i) + &self.at(A1 + i)).rotated(16),
            (&self.at(B + i) + &self.at(C1 + i)).rotated(12),
        ]
    }

    /// `d2` and `b2` of the step of column `i`.
    fn column_second(self, i: usize) -> [Sum; 2] {
        let [d, b] = self.column_first(i);
        [
            (&d + &self.at(A2 + i)).rotated(8),
            (&b + &self.at(C2 + i)).rotated(7),
        ]
    }

    /// `d1` and `b1` of the step of diagonal `i`.
    fn diagonal_first(self, i: usize) -> [Sum; 2] {
        let [d, _] = self.column_second((i + 3) % 4);
        let [_, b] = self.column_second((i + 1) % 4);
        [
            (&d + &self.at(DIAGONAL_A1 + i)).rotated(16),
            (&b + &self.at(DIAGONAL_C1 + i)).rotated(12),
        ]
    }
}

const ROW: Words = Words { next: false };
const NEXT: Words = Words { next: true };

/// `a` and `c` after a row's round: what the diagonals make of row and next row.
fn after() -> ([Sum; 4], [Sum; 4]) {
    let a =
        std::array::from_fn(|i| &ROW.diagonal_first(i)[0] + &NEXT.at(D + (i + 3) % 4).rotated(24));
    let c = std::array::from_fn(|word| {
        let i = (word + 2) % 4;
        &ROW.diagonal_first(i)[1] + &NEXT.at(B + (i + 1) % 4).rotated(25)
    });
    (a, c)
}

/// Constraints of one group, two of 32 bits in each.
#[derive(Default)]
struct Builder {
    operands: Vec<Form>,
    products: Vec<Product>,
    rest: Vec<Form>,
    /// Operands of groups before.
    first: usize,
    half: u32,
}

impl Builder {
    fn new(first: usize) -> Self {
        Self {
            first,
            ..Self::default()
        }
    }

    /// `z = x + y` modulo `2^32`.
    ///
    /// With `c = x ^ y ^ z`, the carries into each bit, the carry out of a bit is `(x ^ c) (y ^ c)
    /// ^ c`. It is the carry into the next one, and the carry into bit 0 is 0, which stands in
    /// place of the carry out of bit 31.
    fn add(&mut self, x: &Sum, y: &Sum, z: &Sum) {
        let carries = &(x + y) + z;
        let low = u32::MAX >> 1;
        if self.half == 0 {
            let left = self.first + self.operands.len();
            self.operands.extend([Form::default(), Form::default()]);
            self.products.push(Product {
                left,
                inverted: false,
                right: left + 1,
            });
        }
        let count = self.operands.len();
        (y + z)
            .masked(low)
            .form(self.half, &mut self.operands[count - 2]);
        (x + z)
            .masked(low)
            .form(self.half, &mut self.operands[count - 1]);
        self.zero(&(&carries.masked(low) + &carries.rotated(1)));
    }

    /// `sum = 0`.
    fn zero(&mut self, sum: &Sum) {
        if self.half == 0 {
            self.rest.push(Form::default());
        }
        if let Some(form) = self.rest.last_mut() {
            sum.form(self.half, form);
        }
        self.half ^= 1;
    }

    fn group(self, rows: u64, operands: &mut Vec<Form>) -> Group {
        operands.extend(self.operands);
        Group {
            rows,
            products: self.products,
            rest: self.rest,
            constants: Vec::new(),
        }
    }
}

/// The constraints of a call.
pub fn circuit(blake: Blake) -> Circuit {
    let schedules = blake.schedules();
    let (before, first, end) = (blake.before(), blake.first_round(), blake.end());
    // The rows whose next one is a round, and the rounds.
    let in_rounds = (1u64 << end) - (1 << first);
    let before_rounds = (1 << before) | ((1u64 << (end - 1)) - (1 << first));
    let (a, c) = after();
    let mut operands = Vec::new();

    let mut steps = Builder::new(0);
    for i in 0..4 {
        let [d1, b1] = NEXT.column_first(i);
        let [d2, _] = NEXT.column_second(i);
        let message = |k| NEXT.at(MESSAGE + 2 * i + k);
        steps.add(&a[i], &NEXT.at(B + i), &NEXT.at(T1 + i));
        steps.add(&NEXT.at(T1 + i), &message(0), &NEXT.at(A1 + i));
        steps.add(&c[i], &d1, &NEXT.at(C1 + i));
        steps.add(&NEXT.at(A1 + i), &b1, &NEXT.at(T2 + i));
        steps.add(&NEXT.at(T2 + i), &message(1), &NEXT.at(A2 + i));
        steps.add(&NEXT.at(C1 + i), &d2, &NEXT.at(C2 + i));
    }
    for i in 0..4 {
        let [d1, b1] = NEXT.diagonal_first(i);
        let [_, b] = NEXT.column_second((i + 1) % 4);
        steps.add(&NEXT.at(A2 + i), &b, &NEXT.at(DIAGONAL_T1 + i));
        let message = NEXT.at(MESSAGE + 8 + 2 * i);
        steps.add(
            &NEXT.at(DIAGONAL_T1 + i),
            &message,
            &NEXT.at(DIAGONAL_A1 + i),
        );
        steps.add(&NEXT.at(C2 + (i + 2) % 4), &d1, &NEXT.at(DIAGONAL_C1 + i));
        steps.add(&NEXT.at(DIAGONAL_A1 + i), &b1, &NEXT.at(DIAGONAL_T2 + i));
    }
    let mut groups = vec![steps.group(before_rounds, &mut operands)];

    let mut ends = Builder::new(operands.len());
    for i in 0..4 {
        let message = ROW.at(MESSAGE + 9 + 2 * i);
        ends.add(&ROW.at(DIAGONAL_T2 + i), &message, &a[i]);
        let d2 = NEXT.at(D + (i + 3) % 4);
        ends.add(&ROW.at(DIAGONAL_C1 + i), &d2, &c[(i + 2) % 4]);
    }
    groups.push(ends.group(in_rounds, &mut operands));

    // Rounds that permute the message alike are one group.
    let mut permutations: Vec<([usize; 16], u64)> = Vec::new();
    for (round, pair) in schedules.windows(2).enumerate() {
        let permutation = std::array::from_fn(|i| {
            pair[0]
                .iter()
                .position(|&word| word == pair[1][i])
                .unwrap_or(0)
        });
        match permutations.iter_mut().find(|known| known.0 == permutation) {
            Some((_, rows)) => *rows |= 1 << (first + round),
            None => permutations.push((permutation, 1 << (first + round))),
        }
    }
    for (permutation, rows) in permutations {
        let mut message = Builder::default();
        for (i, from) in permutation.into_iter().enumerate() {
            message.zero(&(&NEXT.at(MESSAGE + i) + &ROW.at(MESSAGE + from)));
        }
        groups.push(message.group(rows, &mut operands));
    }

    let h = |words: Words, i: usize| words.at(T1 + i);
    let mut start = Builder::default();
    (a.iter().enumerate()).for_each(|(i, word)| start.zero(&(word + &h(ROW, i))));
    c.iter().for_each(|word| start.zero(word));
    let mut start = start.group(1 << before, &mut operands);
    start.constants = (0..2)
        .map(|i| {
            (
                2 + i,
                before,
                u64::from(IV[2 * i]) | u64::from(IV[2 * i + 1]) << 32,
            )
        })
        .collect();
    groups.push(start);

    let mut ending = Builder::default();
    let mixed = |i: usize| match i / 4 {
        0 => &a[i] + &c[i],
        _ => &NEXT.at(B + i % 4) + &NEXT.at(D + i % 4),
    };
    let outputs = MESSAGE;
    match blake {
        Blake::Blake3 => {
            (0..8).for_each(|i| ending.zero(&(&mixed(i) + &NEXT.at(outputs + i))));
            let d = (0..4).map(|i| NEXT.at(D + i));
            for (i, word) in c.iter().cloned().chain(d).enumerate() {
                ending.zero(&(&(&word + &h(NEXT, i)) + &NEXT.at(outputs + 8 + i)));
            }
        }
        Blake::Blake2s => {
            (0..8).for_each(|i| ending.zero(&(&(&mixed(i) + &h(NEXT, i)) + &NEXT.at(outputs + i))));
        }
    }
    groups.push(ending.group(1 << (end - 1), &mut operands));

    let mut public = vec![PublicRow {
        row: first,
        elements: 0b11_1111,
    }];
    match blake {
        Blake::Blake3 => public.push(PublicRow {
            row: end,
            elements: 0b1111_1100,
        }),
        Blake::Blake2s => {
            public.push(PublicRow {
                row: end,
                elements: 0b1100_1100,
            });
            public.push(PublicRow {
                row: before,
                elements: 0b1100_0000,
            });
        }
    }
    Circuit {
        log_rows: blake.log_rows(),
        used_rows: end + 1,
        operands,
        fast_operands,
        groups,
        public,
    }
}

/// A word of 32 bits of each of eight calls.
#[derive(Clone, Copy, Default)]
struct Eight([u32; 8]);

impl Eight {
    #[inline(always)]
    fn rotate_right(self, by: u32) -> Self {
        Self(self.0.map(|word| word.rotate_right(by)))
    }
}

impl std::ops::BitXor for Eight {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

/// The words of rows.
fn eights(row: &[Lanes; WORDS]) -> [Eight; 2 * WORDS] {
    from_fn(|i| Eight(row[i / 2].map(|word| (word >> (32 * (i % 2))) as u32)))
}

/// The operands, in the order of [`circuit`]: those of additions, two in each word.
fn fast_operands(
    row: &[Lanes; WORDS],
    next: &[Lanes; WORDS],
    operands: &mut [Lanes; MAX_OPERANDS],
) {
    let (row, next) = (eights(row), eights(next));
    // What the steps of columns make of `d` and `b`: `d1`, `b1`, `d2`, `b2`.
    let column = |words: &[Eight; 2 * WORDS], i: usize| {
        let d1 = (words[D + i] ^ words[A1 + i]).rotate_right(16);
        let b1 = (words[B + i] ^ words[C1 + i]).rotate_right(12);
        let d2 = (d1 ^ words[A2 + i]).rotate_right(8);
        (d1, b1, d2, (b1 ^ words[C2 + i]).rotate_right(7))
    };
    let columns = |words: &[Eight; 2 * WORDS]| -> [_; 4] { from_fn(|i| column(words, i)) };
    let diagonal =
        |words: &[Eight; 2 * WORDS], columns: &[(Eight, Eight, Eight, Eight); 4], i: usize| {
            let (d, b) = (columns[(i + 3) % 4].2, columns[(i + 1) % 4].3);
            (
                (d ^ words[DIAGONAL_A1 + i]).rotate_right(16),
                (b ^ words[DIAGONAL_C1 + i]).rotate_right(12),
            )
        };
    let (own, following) = (columns(&row), columns(&next));
    let (mut a, mut c) = ([Eight::default(); 4], [Eight::default(); 4]);
    for i in 0..4 {
        let (d1, b1) = diagonal(&row, &own, i);
        a[i] = d1 ^ next[D + (i + 3) % 4].rotate_right(24);
        c[(i + 2) % 4] = b1 ^ next[B + (i + 1) % 4].rotate_right(25);
    }
    let mut half = 0;
    let mut add = |x: Eight, y: Eight, z: Eight| {
        for (operand, words) in [(0, y ^ z), (1, x ^ z)] {
            let operand = &mut operands[half / 2 * 2 + operand];
            for (lane, word) in operand.iter_mut().zip(words.0) {
                let word = u64::from(word & u32::MAX >> 1);
                *lane = if half % 2 == 0 {
                    word
                } else {
                    *lane | word << 32
                };
            }
        }
        half += 1;
    };
    for i in 0..4 {
        let (d1, b1, d2, _) = following[i];
        add(a[i], next[B + i], next[T1 + i]);
        add(next[T1 + i], next[MESSAGE + 2 * i], next[A1 + i]);
        add(c[i], d1, next[C1 + i]);
        add(next[A1 + i], b1, next[T2 + i]);
        add(next[T2 + i], next[MESSAGE + 2 * i + 1], next[A2 + i]);
        add(next[C1 + i], d2, next[C2 + i]);
    }
    for i in 0..4 {
        let (d1, b1) = diagonal(&next, &following, i);
        add(
            next[A2 + i],
            following[(i + 1) % 4].3,
            next[DIAGONAL_T1 + i],
        );
        let t1 = next[DIAGONAL_T1 + i];
        add(t1, next[MESSAGE + 8 + 2 * i], next[DIAGONAL_A1 + i]);
        add(next[C2 + (i + 2) % 4], d1, next[DIAGONAL_C1 + i]);
        add(next[DIAGONAL_A1 + i], b1, next[DIAGONAL_T2 + i]);
    }
    for i in 0..4 {
        add(row[DIAGONAL_T2 + i], row[MESSAGE + 9 + 2 * i], a[i]);
        add(row[DIAGONAL_C1 + i], next[D + (i + 3) % 4], c[(i + 2) % 4]);
    }
}
