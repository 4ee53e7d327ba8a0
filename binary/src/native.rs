//! The compression functions of BLAKE3 and BLAKE2s on words.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

/// Initial state of both hashes, the initial state of SHA-256 (RFC 7693, section 2.6).
pub use droste_native::hash::blake3::IV;

/// Rounds of BLAKE3.
pub const BLAKE3_ROUNDS: usize = 7;
/// Rounds of BLAKE2s.
pub const BLAKE2S_ROUNDS: usize = 10;

/// Which message words the rounds of BLAKE2s mix in, two a step (RFC 7693, section 2.7).
#[rustfmt::skip]
pub const SIGMA: [[usize; 16]; BLAKE2S_ROUNDS] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// How BLAKE3 permutes the message words between rounds (its paper, table 2).
const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// Which message words the rounds of BLAKE3 mix in.
#[allow(
    clippy::indexing_slicing,
    reason = "all indices are of constant tables"
)]
pub const BLAKE3_SCHEDULES: [[usize; 16]; BLAKE3_ROUNDS] = {
    let mut schedules = [SIGMA[0]; BLAKE3_ROUNDS];
    let mut i = 16;
    while i < 16 * BLAKE3_ROUNDS {
        schedules[i / 16][i % 16] = schedules[i / 16 - 1][PERMUTATION[i % 16]];
        i += 1;
    }
    schedules
};

/// Words of the state that the steps of a round mix: columns, then diagonals.
pub const STEPS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// One round: the function G (RFC 7693, section 3.1) eight times.
#[allow(
    clippy::indexing_slicing,
    reason = "all indices are of constant tables"
)]
fn round(v: &mut [u32; 16], m: &[u32; 16], schedule: &[usize; 16]) {
    for ([a, b, c, d], words) in STEPS.into_iter().zip(schedule.as_chunks::<2>().0) {
        v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[words[0]]);
        v[d] = (v[d] ^ v[a]).rotate_right(16);
        v[c] = v[c].wrapping_add(v[d]);
        v[b] = (v[b] ^ v[c]).rotate_right(12);
        v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[words[1]]);
        v[d] = (v[d] ^ v[a]).rotate_right(8);
        v[c] = v[c].wrapping_add(v[d]);
        v[b] = (v[b] ^ v[c]).rotate_right(7);
    }
}

/// Chaining value, message and last four words of an input.
fn parts(input: &[u32; 28]) -> ([u32; 8], [u32; 16], [u32; 4]) {
    let (mut h, mut m, mut rest) = ([0; 8], [0; 16], [0; 4]);
    let all = h.iter_mut().chain(&mut m).chain(&mut rest);
    for (to, from) in all.zip(input) {
        *to = *from;
    }
    (h, m, rest)
}

/// BLAKE3's compression of an input of [`crate::Hash::Blake3`], as words.
pub fn blake3(input: &[u32; 28]) -> [u32; 16] {
    let (h, m, [t0, t1, length, flags]) = parts(input);
    let [h0, h1, h2, h3, h4, h5, h6, h7] = h;
    let [i0, i1, i2, i3, ..] = IV;
    #[rustfmt::skip]
    let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, i0, i1, i2, i3, t0, t1, length, flags];
    for schedule in &BLAKE3_SCHEDULES {
        round(&mut v, &m, schedule);
    }
    let mut output = v;
    let (low, high) = output.split_at_mut(8);
    for ((low, high), h) in low.iter_mut().zip(high).zip(h) {
        *low ^= *high;
        *high ^= h;
    }
    output
}

/// BLAKE2s' compression of an input of [`crate::Hash::Blake2s`], as words.
pub fn blake2s(input: &[u32; 28]) -> [u32; 8] {
    let (h, m, [t0, t1, f0, f1]) = parts(input);
    let [h0, h1, h2, h3, h4, h5, h6, h7] = h;
    let [i0, i1, i2, i3, i4, i5, i6, i7] = IV;
    #[rustfmt::skip]
    let mut v = [
        h0, h1, h2, h3, h4, h5, h6, h7, i0, i1, i2, i3, i4 ^ t0, i5 ^ t1, i6 ^ f0, i7 ^ f1,
    ];
    for schedule in &SIGMA {
        round(&mut v, &m, schedule);
    }
    let mut output = h;
    let (low, high) = v.split_at(8);
    for ((to, low), high) in output.iter_mut().zip(low).zip(high) {
        *to ^= low ^ high;
    }
    output
}
