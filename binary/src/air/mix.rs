//! Columns of compressions of BLAKE2s and BLAKE3, which differ in rounds and message words.
//!
//! They are laid out as p3's AIR for BLAKE3 has them: the 28 words of the input, then 190 columns
//! for each call of G, eight a round. Words are 32 bits, low ones first.

use std::array::from_fn;

use p3_field::PrimeCharacteristicRing;

use droste_batch::native::{IV, STEPS};

/// Columns of the input: `h`, block, `t`, and the two words for `v[14]` and `v[15]`.
pub(super) const INPUT: usize = 28 * 32;
/// Columns of one call of G: carries of `a + b`, `d1`, `b1`, carries of `a1 + b1`, `d2`, `b2`.
pub(super) const G: usize = 31 + 32 + 32 + 31 + 32 + 32;

/// Number of columns of a compression of so many rounds.
pub(super) const fn width(rounds: usize) -> usize {
    first(rounds, 0)
}

/// Where the parts of a G's columns begin.
pub(super) const ADD1: usize = 0;
pub(super) const D1: usize = 31;
pub(super) const B1: usize = 63;
pub(super) const ADD2: usize = 95;
pub(super) const D2: usize = 126;
pub(super) const B2: usize = 158;

/// First column of step `step` of round `round`.
pub(super) const fn first(round: usize, step: usize) -> usize {
    INPUT + (round * 8 + step) * G
}

/// Fills 64 rows, whose inputs are in the first columns. A word has one column, a bit one row.
///
/// `schedules` are the message words of each round, `last` is exclusive-ored into the input's last
/// four words, which gives `v[12..]`.
pub(super) fn fill(columns: &mut [u64], schedules: &[[usize; 16]], last: [u32; 4]) {
    let word = |columns: &[u64], at: usize| -> [u64; 32] { from_fn(|i| columns[at + i]) };
    let constant =
        |word: u32| -> [u64; 32] { from_fn(|i| if word >> i & 1 == 1 { u64::MAX } else { 0 }) };
    let mut v: [[u64; 32]; 16] = from_fn(|i| match i {
        0..8 => word(columns, 32 * i),
        8..12 => constant(IV[i - 8]),
        _ => xor_rotated(&word(columns, 32 * (i + 12)), &constant(last[i - 12]), 0),
    });
    let message: [[u64; 32]; 16] = from_fn(|i| word(columns, 32 * (8 + i)));
    for (round, schedule) in schedules.iter().enumerate() {
        for (step, [a, b, c, d]) in STEPS.into_iter().enumerate() {
            let columns = &mut columns[first(round, step)..][..G];
            let (mx, my) = (
                &message[schedule[2 * step]],
                &message[schedule[2 * step + 1]],
            );
            let (sum, carries) = add(&v[a], &v[b]);
            columns[ADD1..D1].copy_from_slice(&carries[1..]);
            let a1 = add(&sum, mx).0;
            let d1 = xor_rotated(&v[d], &a1, 16);
            let c1 = add(&v[c], &d1).0;
            let b1 = xor_rotated(&v[b], &c1, 12);
            let (sum, carries) = add(&a1, &b1);
            columns[ADD2..D2].copy_from_slice(&carries[1..]);
            v[a] = add(&sum, my).0;
            v[d] = xor_rotated(&d1, &v[a], 8);
            v[c] = add(&c1, &v[d]).0;
            v[b] = xor_rotated(&b1, &v[c], 7);
            columns[D1..B1].copy_from_slice(&d1);
            columns[B1..ADD2].copy_from_slice(&b1);
            columns[D2..B2].copy_from_slice(&v[d]);
            columns[B2..].copy_from_slice(&v[b]);
        }
    }
}

/// The sums of 64 pairs of words, and the carries into each of their bits.
#[inline]
fn add(x: &[u64; 32], y: &[u64; 32]) -> ([u64; 32], [u64; 32]) {
    let (mut sum, mut carries) = ([0; 32], [0; 32]);
    let mut carry = 0;
    for i in 0..32 {
        let half = x[i] ^ y[i];
        carries[i] = carry;
        sum[i] = half ^ carry;
        carry = (x[i] & y[i]) | (carry & half);
    }
    (sum, carries)
}

/// `(x ^ y) >>> shift` of 64 pairs of words.
#[inline]
fn xor_rotated(x: &[u64; 32], y: &[u64; 32], shift: usize) -> [u64; 32] {
    from_fn(|i| x[(i + shift) % 32] ^ y[(i + shift) % 32])
}

/// The 512 bits of the state after the last of so many rounds: of a step
/// `a = d1 ^ (d2 <<< 8)`, `b = b2`, `c = b1 ^ (b2 <<< 7)`, `d = d2`. Each word is in one diagonal.
pub(super) fn last_state<T, S>(row: &[T], rounds: usize) -> Vec<S>
where
    T: Copy + Into<S>,
    S: PrimeCharacteristicRing,
{
    let mut v = vec![S::ZERO; 512];
    for (step, words) in STEPS.into_iter().enumerate().skip(4) {
        let columns = &row[first(rounds - 1, step)..][..G];
        let bit = |column: usize| -> S { columns[column].into() };
        for i in 0..32 {
            let values = [
                bit(D1 + i) + bit(D2 + (i + 24) % 32),
                bit(B2 + i),
                bit(B1 + i) + bit(B2 + (i + 25) % 32),
                bit(D2 + i),
            ];
            for (word, value) in words.into_iter().zip(values) {
                v[32 * word + i] = value;
            }
        }
    }
    v
}
