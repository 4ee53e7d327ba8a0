//! Points of the hypercube and packed rows.
//!
//! A column of `2^m` rows is a multilinear polynomial in `m` variables. The first variable is the
//! top bit of the row.

use droste_native::EF;
#[cfg(feature = "prover")]
use droste_native::lanes::Packed;
#[cfg(feature = "prover")]
use p3_field::PackedValue;
use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "prover")]
use p3_maybe_rayon::prelude::*;

use crate::heights::MAX_LOG_HEIGHT as MAX_DOMAIN;

/// Logarithm of the least height of a table. A table fills whole packed elements.
pub const MIN_LOG_HEIGHT: usize = 4;

/// Logarithm of the largest height of a table.
pub const MAX_LOG_HEIGHT: usize = MAX_DOMAIN;

#[cfg(feature = "prover")]
const _: () = assert!(Packed::WIDTH <= 1 << MIN_LOG_HEIGHT);

/// Returns `eq(point, x)` at every point `x` of the hypercube, big-endian: the first coordinate
/// belongs to the top bit of an index.
///
/// `eq(z, x) = prod_i (z_i x_i + (1 - z_i)(1 - x_i))`.
#[cfg(feature = "prover")]
pub fn eq_evaluations(point: &[EF]) -> Vec<EF> {
    let mut values = vec![EF::ONE];
    for &coordinate in point {
        values = values
            .par_iter()
            .with_min_len(1 << 10)
            .flat_map_iter(|&value| {
                let one = value * coordinate;
                [value - one, one]
            })
            .collect();
    }
    values
}

/// Returns `eq(point, index)`, where the first coordinate belongs to the top bit of the index.
pub fn eq_at(point: &[EF], index: usize) -> EF {
    let bits = point.iter().rev().enumerate();
    bits.map(|(bit, &coordinate)| match (index >> bit) & 1 {
        0 => EF::ONE - coordinate,
        _ => coordinate,
    })
    .product()
}
