//! The compression functions of BLAKE3 and BLAKE2s as rows.
//!
//! A row is a round: row `i` is round `i` of BLAKE3, row `i + 1` of BLAKE2s. In words of 32 bits,
//! two in a word of the row, it has
//!
//! | words | content |
//! |---|---|
//! | 0 to 3, 4 to 7 | `b = v[4..8]` and `d = v[12..16]` before the round |
//! | 8 to 23 | the message's words in the order in which the round mixes them in |
//! | 24 to 47 | of the steps of columns, `T1`, `T2`, `A1`, `C1`, `A2`, `C2` |
//! | 48 to 63 | of the steps of diagonals, `T1`, `A1`, `C1`, `T2` |
//!
//! where a step of `G(a, b, c, d, x, y)` (RFC 7693, section 3.1) computes
//!
//! ```text
//! T1 = a + b    A1 = T1 + x    d1 = (d ^ A1) >>> 16    C1 = c + d1    b1 = (b ^ C1) >>> 12
//! T2 = A1 + b1  A2 = T2 + y    d2 = (d1 ^ A2) >>> 8    C2 = C1 + d2   b2 = (b1 ^ C2) >>> 7
//! ```
//!
//! Every addition is a constraint with one product, and the rest is linear. `A2` and `C2` of a
//! diagonal are `d1 ^ (d2 <<< 8)` and `b1 ^ (b2 <<< 7)`, with `d2` and `b2` those of the next row;
//! so are `a` and `c` of that row. The row after the last round has `b` and `d`, the outputs in
//! place of the message, and the input's `h` in place of `T1` and `T2` of columns. The row before
//! the first round has `h`, too, and `A1` and `C1` of diagonals that make `a` and `c` of the first
//! round what they are. It is row 0 of BLAKE2s. Rows are cyclic, and of BLAKE3 both are row 7.

mod constraints;

use crate::circuit::{Row, WORDS};
use crate::native::{BLAKE3_SCHEDULES, IV, SIGMA, STEPS};

pub use constraints::circuit;

pub(crate) const B: usize = 0;
pub(crate) const D: usize = 4;
const MESSAGE: usize = 8;
/// The outputs of a call, in the row after the last round.
pub(crate) const OUTPUT: usize = MESSAGE;
pub(crate) const T1: usize = 24;
const T2: usize = 28;
const A1: usize = 32;
const C1: usize = 36;
const A2: usize = 40;
const C2: usize = 44;
const DIAGONAL_T1: usize = 48;
pub(crate) const DIAGONAL_A1: usize = 52;
pub(crate) const DIAGONAL_C1: usize = 56;
const DIAGONAL_T2: usize = 60;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blake {
    /// BLAKE3.
    Blake3,
    /// BLAKE2s.
    Blake2s,
}

impl Blake {
    fn schedules(self) -> &'static [[usize; 16]] {
        match self {
            Self::Blake3 => &BLAKE3_SCHEDULES,
            Self::Blake2s => &SIGMA,
        }
    }

    /// Number of rounds.
    pub const fn rounds(self) -> usize {
        match self {
            Self::Blake3 => 7,
            Self::Blake2s => 10,
        }
    }

    /// The row of the first round.
    pub const fn first_round(self) -> usize {
        match self {
            Self::Blake3 => 0,
            Self::Blake2s => 1,
        }
    }

    /// The row before the first round.
    pub const fn before(self) -> usize {
        match self {
            Self::Blake3 => 7,
            Self::Blake2s => 0,
        }
    }

    /// The row after the last round, and the last one that is not zero.
    pub const fn end(self) -> usize {
        self.first_round() + self.rounds()
    }

    /// Base-two logarithm of a call's rows.
    pub const fn log_rows(self) -> usize {
        match self {
            Self::Blake3 => 3,
            Self::Blake2s => 4,
        }
    }

    /// The last four words of `v` before the first round, of those of the input.
    pub fn last_words(self, rest: [u32; 4]) -> [u32; 4] {
        match self {
            Self::Blake3 => rest,
            Self::Blake2s => std::array::from_fn(|i| rest[i] ^ IV[4 + i]),
        }
    }
}

/// A row in words of 32 bits.
struct Halves([u32; 2 * WORDS]);

impl Halves {
    const ZERO: Self = Self([0; 2 * WORDS]);

    fn set(&mut self, first: usize, words: &[u32]) {
        self.0[first..first + words.len()].copy_from_slice(words);
    }

    fn row(&self) -> Row {
        std::array::from_fn(|i| u64::from(self.0[2 * i]) | u64::from(self.0[2 * i + 1]) << 32)
    }
}

/// The rows of a call with the input `h`, `message`, `rest`.
pub fn rows(blake: Blake, input: &[u32; 28], rows: &mut [Row]) {
    let (h, message) = (&input[..8], &input[8..24]);
    let rest = blake.last_words(std::array::from_fn(|i| input[24 + i]));
    let mut v = [0; 16];
    v[..8].copy_from_slice(h);
    v[8..12].copy_from_slice(&IV[..4]);
    v[12..].copy_from_slice(&rest);
    let (first_b, first_d): ([u32; 4], [u32; 4]) = (
        std::array::from_fn(|i| v[4 + i]),
        std::array::from_fn(|i| v[12 + i]),
    );
    let schedules = blake.schedules();
    let rounds = rows.iter_mut().skip(blake.first_round());
    for (row, schedule) in rounds.zip(schedules) {
        let mut words = Halves::ZERO;
        words.set(B, &v[4..8]);
        words.set(D, &v[12..]);
        let scheduled = schedule.map(|word| message[word]);
        words.set(MESSAGE, &scheduled);
        for (step, [a, b, c, d]) in STEPS.into_iter().enumerate() {
            let t1 = v[a].wrapping_add(v[b]);
            let a1 = t1.wrapping_add(scheduled[2 * step]);
            let d1 = (v[d] ^ a1).rotate_right(16);
            let c1 = v[c].wrapping_add(d1);
            let b1 = (v[b] ^ c1).rotate_right(12);
            let t2 = a1.wrapping_add(b1);
            v[a] = t2.wrapping_add(scheduled[2 * step + 1]);
            v[d] = (d1 ^ v[a]).rotate_right(8);
            v[c] = c1.wrapping_add(v[d]);
            v[b] = (b1 ^ v[c]).rotate_right(7);
            let i = step % 4;
            let places: &[(usize, u32)] = if step < 4 {
                &[
                    (T1, t1),
                    (T2, t2),
                    (A1, a1),
                    (C1, c1),
                    (A2, v[a]),
                    (C2, v[c]),
                ]
            } else {
                &[
                    (DIAGONAL_T1, t1),
                    (DIAGONAL_A1, a1),
                    (DIAGONAL_C1, c1),
                    (DIAGONAL_T2, t2),
                ]
            };
            for &(first, word) in places {
                words.0[first + i] = word;
            }
        }
        *row = words.row();
    }
    let mut end = Halves::ZERO;
    end.set(B, &v[4..8]);
    end.set(D, &v[12..]);
    let mixed: [u32; 8] = std::array::from_fn(|i| v[i] ^ v[8 + i]);
    match blake {
        Blake::Blake3 => {
            let rest: [u32; 8] = std::array::from_fn(|i| v[8 + i] ^ h[i]);
            end.set(OUTPUT, &mixed);
            end.set(OUTPUT + 8, &rest);
        }
        Blake::Blake2s => end.set(OUTPUT, &std::array::from_fn::<_, 8, _>(|i| mixed[i] ^ h[i])),
    }
    end.set(T1, h);
    let mut before = if blake.before() == blake.end() {
        Halves(end.0)
    } else {
        Halves::ZERO
    };
    before.set(T1, h);
    for i in 0..4 {
        // The steps of columns have A1, C1, A2 and C2 zero.
        let d = before.0[D + (i + 3) % 4].rotate_right(24);
        let a = h[i] ^ first_d[(i + 3) % 4].rotate_left(8);
        before.0[DIAGONAL_A1 + i] = d ^ a.rotate_left(16);
        let b = before.0[B + (i + 1) % 4].rotate_right(19);
        let c = IV[(i + 2) % 4] ^ first_b[(i + 1) % 4].rotate_left(7);
        before.0[DIAGONAL_C1 + i] = b ^ c.rotate_left(12);
    }
    for (index, words) in [(blake.end(), end), (blake.before(), before)] {
        if let Some(row) = rows.get_mut(index) {
            *row = words.row();
        }
    }
}
