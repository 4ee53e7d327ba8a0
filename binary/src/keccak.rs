//! Keccak-f\[1600\] as rows (FIPS 202, section 3).
//!
//! A call is 32 rows. Row `i` up to 24 is the state before round `i`, so row 24 is the output; the
//! other rows are zero. Word `x + 5 y` is lane `(x, y)`, or, if states are split, the next one from
//! lane 17 on ([`word`]): no constraint is about word 17, then.
//!
//! One round is chi and iota after the linear map `B = pi(rho(theta(A)))`: with `x` modulo 5,
//! `A'[x, y] = B[x, y] + (1 + B[x + 1, y]) B[x + 2, y]`, and the constant on lane 0.

use std::array::from_fn;

use crate::circuit::{Circuit, Form, Group, Product, PublicRow, Row, Term, WORDS};

/// Lanes of a state.
pub const LANES: usize = 25;

/// Lanes of the rate of Keccak-256 and of Plonky3's sponge of 64-bit words: the first ones.
pub const RATE_LANES: usize = 17;

/// The word of a lane. In a state that is split, one that stands for nothing follows the lanes of
/// the rate, so that none of its elements, two words each, has lanes of both rate and capacity.
pub const fn word<const IS_SPLIT: bool>(lane: usize) -> usize {
    lane + (IS_SPLIT && lane >= RATE_LANES) as usize
}

/// A state from the bytes of its words. Those that it does not have are zero.
pub fn lanes<const IS_SPLIT: bool>(bytes: &[u8]) -> [u64; LANES] {
    let (words, _) = bytes.as_chunks::<8>();
    from_fn(|lane| {
        let bytes = words.get(word::<IS_SPLIT>(lane));
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    })
}

/// The bytes of the words of a state.
pub fn bytes<const IS_SPLIT: bool>(lanes: &[u64; LANES]) -> Vec<u8> {
    let words = word::<IS_SPLIT>(LANES - 1) + 1;
    let bytes = state::<IS_SPLIT>(lanes).into_iter().take(words);
    bytes.flat_map(u64::to_le_bytes).collect()
}

/// The row of a state.
fn state<const IS_SPLIT: bool>(lanes: &[u64; LANES]) -> Row {
    let mut row = [0; WORDS];
    for (lane, &value) in lanes.iter().enumerate() {
        row[word::<IS_SPLIT>(lane)] = value;
    }
    row
}

/// Rounds of the permutation.
pub const ROUNDS: usize = 24;

/// The constants of iota, `RC[i]` (FIPS 202, algorithm 5: a register of feedback `x^8 + x^6 + x^5 +
/// x^4 + 1`, of which bit `2^j - 1` of the lane gets the output at time `j + 7 i`).
pub const ROUND_CONSTANTS: [u64; ROUNDS] = {
    let mut constants = [0; ROUNDS];
    let mut register = 1u16;
    let mut time = 0;
    while time < 7 * ROUNDS {
        if register & 1 == 1 {
            constants[time / 7] |= 1 << ((1u64 << (time % 7)) - 1);
        }
        register <<= 1;
        if register & 0x100 != 0 {
            register ^= 0x171;
        }
        time += 1;
    }
    constants
};

/// Offsets of rho by lane (FIPS 202, algorithm 2).
const OFFSETS: [u32; LANES] = {
    let mut offsets = [0; LANES];
    let (mut x, mut y, mut t) = (1, 0, 0);
    while t < 24 {
        offsets[x + 5 * y] = ((t + 1) * (t + 2) / 2 % 64) as u32;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    offsets
};

/// The lane that pi moves lane `x + 5 y` to: `B[y, 2 x + 3 y] = A[x, y]`.
const fn pi(lane: usize) -> usize {
    let (x, y) = (lane % 5, lane / 5);
    y + 5 * ((2 * x + 3 * y) % 5)
}

/// The lane `by` columns to the right in the same row of the state.
const fn right_of(lane: usize, by: usize) -> usize {
    lane / 5 * 5 + (lane + by) % 5
}

/// `pi(rho(theta(state)))`, lane by lane, of `N` states, from their words.
#[inline]
fn linear<const N: usize, const IS_SPLIT: bool>(state: &[[u64; N]], mixed: &mut [[u64; N]]) {
    let lane_of = |lane| state[word::<IS_SPLIT>(lane)];
    let xor = |a: [u64; N], b: [u64; N]| -> [u64; N] { from_fn(|i| a[i] ^ b[i]) };
    let rotate = |a: [u64; N], by: u32| a.map(|word| word.rotate_left(by));
    let parity: [[u64; N]; 5] =
        from_fn(|x| (1..5).fold(lane_of(x), |sum, y| xor(sum, lane_of(x + 5 * y))));
    for lane in 0..LANES {
        let x = lane % 5;
        let sum = xor(parity[(x + 4) % 5], rotate(parity[(x + 1) % 5], 1));
        mixed[pi(lane)] = rotate(xor(lane_of(lane), sum), OFFSETS[lane]);
    }
}

/// The constraints of a call.
pub fn circuit<const IS_SPLIT: bool>() -> Circuit {
    let term = |next, lane, rotation: u32| Term {
        next,
        word: word::<IS_SPLIT>(lane),
        rotation: rotation % 64,
        mask: u64::MAX,
    };
    let mut operands = vec![Form::default(); LANES];
    for lane in 0..LANES {
        let (x, offset) = (lane % 5, OFFSETS[lane]);
        let terms = &mut operands[pi(lane)].0;
        terms.push(term(false, lane, offset));
        for y in 0..5 {
            terms.push(term(false, (x + 4) % 5 + 5 * y, offset));
            terms.push(term(false, (x + 1) % 5 + 5 * y, offset + 1));
        }
    }
    let rest = |lane: usize| {
        let mut form = operands[lane].clone();
        form.0.push(term(true, lane, 0));
        form
    };
    let product = |lane| Product {
        left: right_of(lane, 1),
        inverted: true,
        right: right_of(lane, 2),
    };
    let rounds = Group {
        rows: (1 << ROUNDS) - 1,
        products: (0..LANES).map(product).collect(),
        rest: (0..LANES).map(rest).collect(),
        constants: (ROUND_CONSTANTS.into_iter().enumerate())
            .map(|(round, constant)| (0, round, constant))
            .collect(),
    };
    let elements = (word::<IS_SPLIT>(LANES - 1) + 1).div_ceil(2);
    let public = |row| PublicRow {
        row,
        elements: (1 << elements) - 1,
    };
    Circuit {
        log_rows: 5,
        used_rows: ROUNDS + 1,
        operands,
        fast_operands: |row, _, operands| linear::<_, IS_SPLIT>(row, operands),
        groups: vec![rounds],
        public: vec![public(0), public(ROUNDS)],
    }
}

/// The rows of a call.
pub fn rows<const IS_SPLIT: bool>(input: &[u64; LANES], rows: &mut [Row]) {
    let mut state = state::<IS_SPLIT>(input);
    for (round, row) in rows.iter_mut().take(ROUNDS + 1).enumerate() {
        *row = state;
        let mut mixed = [[0]; LANES];
        linear::<_, IS_SPLIT>(&row.map(|word| [word]), &mut mixed);
        let mixed = mixed.map(|[word]| word);
        for lane in 0..LANES {
            state[word::<IS_SPLIT>(lane)] =
                mixed[lane] ^ (!mixed[right_of(lane, 1)] & mixed[right_of(lane, 2)]);
        }
        state[0] ^= ROUND_CONSTANTS.get(round).copied().unwrap_or(0);
    }
}
