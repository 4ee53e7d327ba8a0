//! Sums of products of packed cells of the base field and weights of the extension field.

use std::iter::zip;

use p3_field::{BasedVectorSpace, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::settings::MIN_LOG_BLOCK;
use crate::field::{EF, EXTENSION_DEGREE, F};
use crate::lanes::{Packed, PackedExt, from_lanes, lanes};

// The cells of a row are whole packed elements.
const _: () = assert!(Packed::WIDTH <= 1 << MIN_LOG_BLOCK);

/// Logarithm of the number of lanes.
pub(super) const fn log_lanes<P: PackedField<Scalar = F>>() -> usize {
    P::WIDTH.ilog2() as usize
}

/// Products that are added before they are reduced.
const PRODUCTS: usize = 8;

/// Packed elements that one task computes.
const TASK: usize = 64;

/// Weights of consecutive cells, as coefficients.
pub(super) struct WeightTable<P = Packed>([Vec<P>; EXTENSION_DEGREE]);

impl<P: PackedField<Scalar = F>> WeightTable<P> {
    /// Packs weights, of which there are a multiple of the lanes.
    pub(super) fn new(weights: &[EF]) -> Self {
        Self(std::array::from_fn(|d| {
            weights
                .chunks_exact(P::WIDTH)
                .map(|chunk| P::from_fn(|lane| coefficients(&chunk[lane])[d]))
                .collect()
        }))
    }

    /// The sum of the products of as many cells and the weights.
    pub(super) fn dot(&self, cells: &[F]) -> EF {
        let cells = P::pack_slice(cells);
        EF::from_basis_coefficients_fn(|d| {
            let (cells, rest) = cells.as_chunks::<PRODUCTS>();
            let (weights, weights_of_rest) = self.0[d].as_chunks::<PRODUCTS>();
            let products = zip(cells, weights).map(|(c, w)| P::dot_product(c, w));
            let of_rest = zip(rest, weights_of_rest).map(|(&c, &w)| c * w);
            let sum: P = products.chain(of_rest).sum();
            sum.as_slice().iter().copied().sum::<F>()
        })
    }
}

fn coefficients(value: &EF) -> &[F] {
    value.as_basis_coefficients_slice()
}

/// Adds to each packed element the sum of the cells of all rows there, times the rows' weights.
pub(super) fn add_combination<P: PackedField<Scalar = F>>(
    rows: &[&[P]],
    weights: &[EF],
    sums: &mut [PackedExt<P>],
) {
    for (rows, weights) in zip(rows.chunks(PRODUCTS), weights.chunks(PRODUCTS)) {
        let weights: [[P; PRODUCTS]; EXTENSION_DEGREE] = std::array::from_fn(|d| {
            std::array::from_fn(|i| {
                weights
                    .get(i)
                    .map_or(P::ZERO, |weight| coefficients(weight)[d].into())
            })
        });
        // The last group is filled up with cells of any row, of weight zero.
        let rows: [&[P]; PRODUCTS] =
            std::array::from_fn(|i| &rows.get(i).unwrap_or(&rows[0])[..sums.len()]);
        for (at, sum) in sums.iter_mut().enumerate() {
            let cells = rows.map(|row| row[at]);
            *sum += PackedExt::from_basis_coefficients_fn(|d| P::dot_product(&cells, &weights[d]));
        }
    }
}

/// Returns the sum of the rows times their weights.
pub(super) fn combination<P: PackedField<Scalar = F>>(
    rows: &[&[F]],
    weights: &[EF],
) -> Vec<PackedExt<P>> {
    let packed: Vec<&[P]> = rows.iter().map(|row| P::pack_slice(row)).collect();
    let length = packed.first().map_or(0, |row| row.len());
    let mut sums = vec![PackedExt::ZERO; length];
    let tasks = sums.par_chunks_mut(TASK).enumerate();
    tasks.for_each(|(task, sums)| {
        let rows: Vec<&[P]> = packed
            .iter()
            .map(|row| &row[task * TASK..][..sums.len()])
            .collect();
        add_combination(&rows, weights, sums);
    });
    sums
}

/// Packs consecutive elements, of which there are a multiple of the lanes.
pub(super) fn pack<P: PackedField<Scalar = F>>(elements: &[EF]) -> Vec<PackedExt<P>> {
    let chunks = elements.par_chunks_exact(P::WIDTH);
    chunks.map(|chunk| from_lanes(|lane| chunk[lane])).collect()
}

/// Unpacks elements.
pub(super) fn unpack<P: PackedField<Scalar = F>>(packed: &[PackedExt<P>]) -> Vec<EF> {
    let mut elements = EF::zero_vec(packed.len() * P::WIDTH);
    let chunks = elements.par_chunks_exact_mut(P::WIDTH).zip(packed);
    chunks.for_each(|(elements, packed)| {
        zip(elements, lanes(packed)).for_each(|(element, lane)| *element = lane);
    });
    elements
}
