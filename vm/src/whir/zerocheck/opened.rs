//! Values of the columns at a point.

use std::collections::BTreeMap;
use std::iter::zip;

use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, PackedField, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::Opened;
use super::values::DEGREE;
use crate::whir::cells::Rows;
use crate::whir::hypercube::eq_evaluations;
use crate::whir::system::{Slots, System};

/// Products that are added before they are reduced.
const PRODUCTS: usize = 8;

/// Weights of the rows of a column, per coefficient of the extension field.
struct RowWeights([Vec<F>; DEGREE]);

impl RowWeights {
    fn new(weights: &[EF]) -> Self {
        Self(std::array::from_fn(|d| {
            let coefficient = |weight: &EF| -> F {
                let slice: &[F] = weight.as_basis_coefficients_slice();
                slice[d]
            };
            weights.iter().map(coefficient).collect()
        }))
    }

    fn sum<P: PackedField<Scalar = F>>(&self, column: &[F]) -> EF {
        EF::from_basis_coefficients_fn(|d| {
            let (cells, rest) = P::pack_slice(column).as_chunks::<PRODUCTS>();
            let (weights, of_rest) = P::pack_slice(&self.0[d]).as_chunks::<PRODUCTS>();
            let chunks = zip(cells, weights);
            let chunks = chunks.map(|(cells, weights)| P::dot_product(cells, weights));
            let rest = zip(rest, of_rest).map(|(&cell, &weight)| cell * weight);
            let sum: P = chunks.chain(rest).sum();
            sum.as_slice().iter().copied().sum::<F>()
        })
    }
}

/// The values of all columns of all tables, and those of the next rows that are opened, at the last
/// coordinates of a point.
pub(super) fn open<P: PackedField<Scalar = F>>(
    system: &System,
    rows: &[Rows<'_>],
    point: &[EF],
) -> Vec<Opened> {
    let mut weights: BTreeMap<usize, (RowWeights, RowWeights)> = BTreeMap::new();
    let tables = zip(system.tables(), rows);
    let opened = tables.map(|(table, rows)| {
        let log_height = rows.log_height();
        let (current, next) = &*weights.entry(log_height).or_insert_with(|| {
            let current = eq_evaluations(&point[point.len() - log_height..]);
            // A row's cell is read on the row before, and the last row's on the last one, too.
            let mut next = vec![EF::ZERO; current.len()];
            next[1..].copy_from_slice(&current[..current.len() - 1]);
            if let (Some(last), Some(&weight)) = (next.last_mut(), current.last()) {
                *last += weight;
            }
            (RowWeights::new(&current), RowWeights::new(&next))
        });
        let values = |cells: &[F], weights: &RowWeights, slots: usize| {
            let columns = cells.par_chunks_exact(1 << log_height).take(slots);
            columns.map(|column| weights.sum::<P>(column)).collect()
        };
        let cells = rows.cells();
        let both = |slots: &Slots, cells: &[F]| -> (Vec<EF>, Vec<EF>) {
            (
                values(cells, current, slots.width()),
                values(cells, next, slots.num_next()),
            )
        };
        let (main, main_next) = both(&table.main, cells.main);
        let (preprocessed, preprocessed_next) = both(&table.preprocessed, cells.preprocessed);
        Opened {
            main,
            main_next,
            preprocessed,
            preprocessed_next,
        }
    });
    opened.collect()
}
