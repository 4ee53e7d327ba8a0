//! Compressions of BLAKE2s, one a row.
//!
//! The README of the crate has the constraints.

use p3_field::PrimeCharacteristicRing;

use super::mix::{self, G};
use droste_batch::native::{BLAKE2S_ROUNDS, IV};

/// Number of columns.
pub(crate) const WIDTH: usize = mix::width(BLAKE2S_ROUNDS);
/// Number of constraints: G has as many as columns.
pub(crate) const CONSTRAINTS: usize = BLAKE2S_ROUNDS * 8 * G;

/// What is exclusive-ored into the input's last four words.
pub(super) const LAST: [u32; 4] = [IV[4], IV[5], IV[6], IV[7]];

/// The output's bits, as sums of columns.
pub(crate) fn output<T, S>(row: &[T]) -> Vec<S>
where
    T: Copy + Into<S>,
    S: PrimeCharacteristicRing,
{
    let v: Vec<S> = mix::last_state(row, BLAKE2S_ROUNDS);
    let bit = |i: usize| row[i].into() + v[i].clone() + v[256 + i].clone();
    (0..256).map(bit).collect()
}
