//! Sums of products of packed cells of the base field and weights of the extension field.

use std::iter::zip;

use p3_field::{
    BasedVectorSpace, ExtensionField, Field, PackedFieldExtension, PackedValue,
    PrimeCharacteristicRing,
};
use p3_maybe_rayon::prelude::*;

use super::settings::MIN_LOG_BLOCK;
use crate::field::{EF, EXTENSION_DEGREE, F};

pub(super) type Packed = <F as Field>::Packing;
pub(super) type PackedExt = <EF as ExtensionField<F>>::ExtensionPacking;

pub(super) const LANES: usize = <Packed as PackedValue>::WIDTH;
pub(super) const LOG_LANES: usize = LANES.ilog2() as usize;

// The cells of a row are whole packed elements.
const _: () = assert!(LANES <= 1 << MIN_LOG_BLOCK);

/// Products that are added before they are reduced.
const PRODUCTS: usize = 8;

/// Packed elements that one task computes.
const TASK: usize = 64;

/// Weights of consecutive cells, as coefficients.
pub(super) struct WeightTable([Vec<Packed>; EXTENSION_DEGREE]);

impl WeightTable {
    /// Packs weights, of which there are a multiple of [`LANES`].
    pub(super) fn new(weights: &[EF]) -> Self {
        Self(std::array::from_fn(|d| {
            weights
                .chunks_exact(LANES)
                .map(|chunk| Packed::from_fn(|lane| coefficients(&chunk[lane])[d]))
                .collect()
        }))
    }

    /// The sum of the products of as many cells and the weights.
    pub(super) fn dot(&self, cells: &[F]) -> EF {
        let cells = Packed::pack_slice(cells);
        EF::from_basis_coefficients_fn(|d| {
            let (cells, rest) = cells.as_chunks::<PRODUCTS>();
            let (weights, weights_of_rest) = self.0[d].as_chunks::<PRODUCTS>();
            let products = zip(cells, weights).map(|(c, w)| Packed::dot_product(c, w));
            let of_rest = zip(rest, weights_of_rest).map(|(&c, &w)| c * w);
            let sum: Packed = products.chain(of_rest).sum();
            sum.as_slice().iter().copied().sum::<F>()
        })
    }
}

fn coefficients(value: &EF) -> &[F] {
    value.as_basis_coefficients_slice()
}

/// Adds to each packed element the sum of the cells of all rows there, times the rows' weights.
pub(super) fn add_combination(rows: &[&[Packed]], weights: &[EF], sums: &mut [PackedExt]) {
    for (rows, weights) in zip(rows.chunks(PRODUCTS), weights.chunks(PRODUCTS)) {
        let weights: [[Packed; PRODUCTS]; EXTENSION_DEGREE] = std::array::from_fn(|d| {
            std::array::from_fn(|i| {
                weights
                    .get(i)
                    .map_or(Packed::ZERO, |weight| coefficients(weight)[d].into())
            })
        });
        // The last group is filled up with cells of any row, of weight zero.
        let rows: [&[Packed]; PRODUCTS] =
            std::array::from_fn(|i| &rows.get(i).unwrap_or(&rows[0])[..sums.len()]);
        for (at, sum) in sums.iter_mut().enumerate() {
            let cells = rows.map(|row| row[at]);
            *sum +=
                PackedExt::from_basis_coefficients_fn(|d| Packed::dot_product(&cells, &weights[d]));
        }
    }
}

/// Returns the sum of the rows times their weights.
pub(super) fn combination(rows: &[&[F]], weights: &[EF]) -> Vec<PackedExt> {
    let packed: Vec<&[Packed]> = rows.iter().map(|row| Packed::pack_slice(row)).collect();
    let length = packed.first().map_or(0, |row| row.len());
    let mut sums = vec![PackedExt::ZERO; length];
    let tasks = sums.par_chunks_mut(TASK).enumerate();
    tasks.for_each(|(task, sums)| {
        let rows: Vec<&[Packed]> = packed
            .iter()
            .map(|row| &row[task * TASK..][..sums.len()])
            .collect();
        add_combination(&rows, weights, sums);
    });
    sums
}

/// Packs consecutive elements, of which there are a multiple of [`LANES`].
pub(super) fn pack(elements: &[EF]) -> Vec<PackedExt> {
    let chunks = elements.par_chunks_exact(LANES);
    chunks.map(PackedExt::from_ext_slice).collect()
}

/// Unpacks elements.
pub(super) fn unpack(packed: &[PackedExt]) -> Vec<EF> {
    let mut elements = EF::zero_vec(packed.len() * LANES);
    let chunks = elements.par_chunks_exact_mut(LANES).zip(packed);
    chunks.for_each(|(elements, packed)| packed.to_ext_slice(elements));
    elements
}
