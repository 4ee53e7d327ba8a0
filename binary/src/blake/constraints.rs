//! The constraints.

use super::{
    A1, A2, B, Blake, C1, C2, D, DIAGONAL_A1, DIAGONAL_C1, DIAGONAL_T1, DIAGONAL_T2, MESSAGE,
    OUTPUT, T1, T2,
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
    match blake {
        Blake::Blake3 => {
            (0..8).for_each(|i| ending.zero(&(&mixed(i) + &NEXT.at(OUTPUT + i))));
            let d = (0..4).map(|i| NEXT.at(D + i));
            for (i, word) in c.iter().cloned().chain(d).enumerate() {
                ending.zero(&(&(&word + &h(NEXT, i)) + &NEXT.at(OUTPUT + 8 + i)));
            }
        }
        Blake::Blake2s => {
            (0..8).for_each(|i| ending.zero(&(&(&mixed(i) + &h(NEXT, i)) + &NEXT.at(OUTPUT + i))));
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

/// Four words of 32 bits, two in a word of 64, of each of eight calls.
#[derive(Clone, Copy)]
struct Four([Lanes; 2]);

/// The low 32 bits of a word.
const LOW: u64 = u32::MAX as u64;

impl Four {
    /// The words of a row from `first` on, which is even.
    #[inline(always)]
    fn at(row: &[Lanes; WORDS], first: usize) -> Self {
        Self([row[first / 2], row[first / 2 + 1]])
    }

    #[inline(always)]
    fn rotate_right(self, by: u32) -> Self {
        let kept = LOW >> by | (LOW >> by) << 32;
        let rotated = |word: u64| (word >> by & kept) | (word << (32 - by) & !kept);
        Self(self.0.map(|lanes| lanes.map(rotated)))
    }

    /// Word `i` is word `i + 1`, modulo 4.
    #[inline(always)]
    fn after_one(self) -> Self {
        let [first, second] = self.0;
        let middle =
            |low: Lanes, high: Lanes| -> Lanes { from_fn(|i| low[i] >> 32 | high[i] << 32) };
        Self([middle(first, second), middle(second, first)])
    }

    /// Word `i` is word `i + 2`, modulo 4.
    #[inline(always)]
    const fn after_two(self) -> Self {
        let [first, second] = self.0;
        Self([second, first])
    }

    /// Word `i` is word `i + 3`, modulo 4.
    #[inline(always)]
    fn after_three(self) -> Self {
        self.after_two().after_one()
    }

    /// Words of 64 bits: word `i` of these, and above it word `i` of others.
    #[inline(always)]
    fn with(self, others: Self) -> [Lanes; 4] {
        let ([first, second], [others_first, others_second]) = (self.0, others.0);
        let [zero, one] = halves(first, others_first);
        let [two, three] = halves(second, others_second);
        [zero, one, two, three]
    }

    /// Of eight words of a row from `first` on, those with even and those with odd numbers.
    #[inline(always)]
    fn alternate(row: &[Lanes; WORDS], first: usize) -> [Self; 2] {
        let [low, high] = [first / 2, first / 2 + 2].map(|word| halves(row[word], row[word + 1]));
        from_fn(|odd| Self([low[odd], high[odd]]))
    }
}

/// The low halves of two words in one, and their high halves.
#[inline(always)]
fn halves(left: Lanes, right: Lanes) -> [Lanes; 2] {
    [
        from_fn(|i| left[i] & LOW | right[i] << 32),
        from_fn(|i| left[i] >> 32 | right[i] & !LOW),
    ]
}

impl std::ops::BitXor for Four {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|half| {
            from_fn(|i| self.0[half][i] ^ other.0[half][i])
        }))
    }
}

/// Four additions `x + y = z`.
type Additions = (Four, Four, Four);

/// What the steps of columns make of a row's `d` and `b`: `d1`, `b1`, `d2`, `b2`.
#[inline(always)]
fn fast_columns(row: &[Lanes; WORDS]) -> [Four; 4] {
    let at = |first| Four::at(row, first);
    let d1 = (at(D) ^ at(A1)).rotate_right(16);
    let b1 = (at(B) ^ at(C1)).rotate_right(12);
    let d2 = (d1 ^ at(A2)).rotate_right(8);
    [d1, b1, d2, (b1 ^ at(C2)).rotate_right(7)]
}

/// What the steps of diagonals make of a row's `d` and `b` at first: `d1`, `b1`.
#[inline(always)]
fn fast_diagonals(row: &[Lanes; WORDS], [.., d2, b2]: [Four; 4]) -> [Four; 2] {
    let at = |first| Four::at(row, first);
    [
        (d2.after_three() ^ at(DIAGONAL_A1)).rotate_right(16),
        (b2.after_one() ^ at(DIAGONAL_C1)).rotate_right(12),
    ]
}

/// The operands, in the order of [`circuit`]: those of additions, two in each word.
fn fast_operands(
    row: &[Lanes; WORDS],
    next: &[Lanes; WORDS],
    operands: &mut [Lanes; MAX_OPERANDS],
) {
    let own = |first| Four::at(row, first);
    let following = |first| Four::at(next, first);
    let [d1, b1, d2, b2] = fast_columns(next);
    let [diagonal_d1, diagonal_b1] = fast_diagonals(next, [d1, b1, d2, b2]);
    let [end_d1, end_b1] = fast_diagonals(row, fast_columns(row));
    let (last_d2, last_b2) = (following(D).after_three(), following(B).after_one());
    let a = end_d1 ^ last_d2.rotate_right(24);
    // Of the step of diagonal `i`, which computes word `i + 2` of `c`.
    let diagonal_c = end_b1 ^ last_b2.rotate_right(25);
    // Words of the message that are mixed in first and second, in columns and in diagonals.
    let [first, second] = Four::alternate(next, MESSAGE);
    let [diagonal_first, _] = Four::alternate(next, MESSAGE + 8);
    let [_, diagonal_second] = Four::alternate(row, MESSAGE + 8);

    // In which word the first two of four additions are, and how many words later the next ones.
    let mut add = |place: usize, step: usize, low: Additions, high: Additions| {
        let differ = |(x, y, z): Additions| [y ^ z, x ^ z];
        let (low, high) = (differ(low), differ(high));
        for (side, (low, high)) in low.into_iter().zip(high).enumerate() {
            for (i, word) in low.with(high).into_iter().enumerate() {
                // No carry out of the highest bit.
                operands[2 * (place + step * i) + side] =
                    word.map(|word| word & (LOW >> 1 | (LOW >> 1) << 32));
            }
        }
    };
    let [t1, t2, a1, c1, a2, c2] = [T1, T2, A1, C1, A2, C2].map(following);
    add(0, 3, (a, following(B), t1), (t1, first, a1));
    add(1, 3, (diagonal_c.after_two(), d1, c1), (a1, b1, t2));
    add(2, 3, (t2, second, a2), (c1, d2, c2));
    let [t1, t2, a1, c1] = [DIAGONAL_T1, DIAGONAL_T2, DIAGONAL_A1, DIAGONAL_C1].map(following);
    add(12, 2, (a2, b2.after_one(), t1), (t1, diagonal_first, a1));
    add(
        13,
        2,
        (c2.after_two(), diagonal_d1, c1),
        (a1, diagonal_b1, t2),
    );
    add(
        20,
        1,
        (own(DIAGONAL_T2), diagonal_second, a),
        (own(DIAGONAL_C1), last_d2, diagonal_c),
    );
}
