//! Partial sums: for each claim and each row of the stack, the sum of the row's cells times the
//! weights of the cells.
//!
//! With `x` the variables within a row and `p` those that choose it, the weight of a claim is
//! `P(p) T(x)`, and the claimed sum is that of `P(p) u(p)` over the rows, where
//! `u(p) = sum_x f(p, x) T(x)`. The sumcheck over `p` therefore needs `P` and `u` alone.
//!
//! The cells of a row are taken in *pieces* of `2^PIECE` cells. Weights within a piece are the same
//! for most claims: the values of all tables are claimed at the last coordinates of one point.
//! Claims share the sums of pieces times such weights, so that the cells are read once for each of
//! a few *patterns*.

use std::iter::zip;

use p3_field::{Field, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use super::claims::{Claim, Rows, equality, equality_table, tensor};
use super::kernels::WeightTable;
use super::layout::Layout;
use super::sumcheck::Product;
use crate::field::{EF, F};

/// Largest logarithm of the number of cells of a piece. Its weights should fit in a cache of the
/// first level.
const PIECE: usize = 10;

/// A claim, split at the variables that choose a row.
pub(super) struct SplitClaim {
    /// The factors of the variables that choose a row.
    pub(super) row_factors: Vec<[EF; 2]>,
    /// Factors of the first variables within a row.
    pub(super) factors: Vec<[EF; 2]>,
    /// The weight of the remaining variables within a row.
    pub(super) rows: Rows,
}

impl SplitClaim {
    /// Splits a claim. Returns `None` if it has another number of variables than the stack, or
    /// weighs the next rows of a table that is higher than a row of the stack is long.
    pub(super) fn new(claim: &Claim, layout: &Layout) -> Option<Self> {
        if claim.variables() != layout.variables() {
            return None;
        }
        let mut factors = claim.factors.clone();
        let rows = match &claim.rows {
            Rows::At(point) => {
                // Coordinates that choose a row are like any other factor.
                let outside = point.len().saturating_sub(layout.log_block());
                let (outside, inside) = point.split_at(outside);
                factors.extend(outside.iter().copied().map(equality));
                Rows::At(inside.to_vec())
            }
            Rows::Next(point) if point.len() <= layout.log_block() => claim.rows.clone(),
            Rows::Next(_) => return None,
        };
        let in_row = factors.split_off(layout.row_variables());
        Some(Self {
            row_factors: factors,
            factors: in_row,
            rows,
        })
    }

    /// Splits the weights within a row at pieces of `2^piece` cells: factors of the variables that
    /// choose a piece, and weights within a piece. `None` if the next row of a table may be in
    /// another piece.
    pub(super) fn pieces(&self, piece: usize) -> Option<(Vec<[EF; 2]>, Pattern)> {
        let mut factors = self.factors.clone();
        match &self.rows {
            Rows::At(point) => {
                factors.extend(point.iter().copied().map(equality));
                let within = factors.split_off(factors.len() - piece);
                Some((factors, Pattern::Product(within)))
            }
            Rows::Next(point) if point.len() < piece => {
                let within = factors.split_off(factors.len() + point.len() - piece);
                Some((factors, Pattern::Next(within, point.clone())))
            }
            Rows::Next(_) => None,
        }
    }

    /// The claimed sum, given the partial sums of all rows.
    pub(super) fn total(&self, sums: &[EF]) -> EF {
        zip(tensor(&self.row_factors), sums)
            .map(|(weight, &sum)| weight * sum)
            .sum()
    }
}

/// The weights of the cells of a piece.
#[derive(PartialEq)]
pub(super) enum Pattern {
    /// The product of these factors.
    Product(Vec<[EF; 2]>),
    /// The product of these factors, times the weight of the next rows of a table that is at most
    /// as high as a piece is long.
    Next(Vec<[EF; 2]>, Vec<EF>),
    /// `eq(z, .)` of the cell before, and zero for the first cell.
    Shifted(Vec<EF>),
}

/// Weights that are not zero, and their positions.
type Sparse = Vec<(usize, EF)>;

/// The weights `T` of a claim within a row. Claims about short tables weigh few pieces.
struct RowWeights {
    /// Index of the weights within a piece.
    pattern: usize,
    /// The weights of the pieces.
    pieces: Sparse,
    /// Further weights of the first cells of pieces.
    first: Sparse,
    /// Further weights of the last cells of pieces.
    last: Sparse,
}

fn sparse(weights: impl IntoIterator<Item = EF>) -> Sparse {
    let weights = weights.into_iter().enumerate();
    weights.filter(|(_, weight)| !weight.is_zero()).collect()
}

impl RowWeights {
    fn new(claim: &SplitClaim, piece: usize, patterns: &mut Vec<Pattern>) -> Self {
        let mut intern = |pattern: Pattern| {
            let known = patterns.iter().position(|known| *known == pattern);
            known.unwrap_or_else(|| {
                patterns.push(pattern);
                patterns.len() - 1
            })
        };
        if let Some((outer, pattern)) = claim.pieces(piece) {
            return Self {
                pattern: intern(pattern),
                pieces: sparse(tensor(&outer)),
                first: vec![],
                last: vec![],
            };
        }
        // Within a column, the weight of a cell is that of the cell before it in `eq(z, .)`. If
        // that cell ends a piece, the next one starts a piece. The last cell of the column is also
        // followed by itself.
        let point = claim.rows.point();
        let (outer, within) = point.split_at(point.len() - piece);
        let of_column = 1 << outer.len();
        let mut factors = claim.factors.clone();
        factors.extend(outer.iter().copied().map(equality));
        let pieces = sparse(tensor(&factors));
        let end: EF = within.iter().copied().product();
        let is_last = |at: usize| (at + 1).is_multiple_of(of_column);
        let ends = pieces.iter().map(|&(at, weight)| (at, weight * end));
        let (last, others): (Sparse, Sparse) = ends.partition(|&(at, _)| is_last(at));
        Self {
            pattern: intern(Pattern::Shifted(within.to_vec())),
            first: others
                .into_iter()
                .map(|(at, weight)| (at + 1, weight))
                .collect(),
            last,
            pieces,
        }
    }

    /// The sum of a row's cells times the weights, given the sums of its pieces.
    fn sum(&self, cells: &[F], sums: &[EF], piece: usize) -> EF {
        let pieces = self.pieces.iter().map(|&(at, weight)| weight * sums[at]);
        let first = self
            .first
            .iter()
            .map(|&(at, weight)| weight * cells[at << piece]);
        let last = self
            .last
            .iter()
            .map(|&(at, weight)| weight * cells[((at + 1) << piece) - 1]);
        pieces.chain(first).chain(last).sum()
    }
}

impl Pattern {
    /// The weights.
    pub(super) fn weights(&self) -> Vec<EF> {
        match self {
            Self::Product(factors) => tensor(factors),
            Self::Next(factors, point) => {
                let mut next = equality_table(point);
                let itself = next[next.len() - 1];
                shift(&mut next);
                let last = next.len() - 1;
                next[last] += itself;
                let outer = tensor(factors);
                outer
                    .iter()
                    .flat_map(|&outer| next.iter().map(move |&next| outer * next))
                    .collect()
            }
            Self::Shifted(point) => {
                let mut weights = equality_table(point);
                shift(&mut weights);
                weights
            }
        }
    }
}

/// Moves each weight to the next cell.
fn shift(weights: &mut [EF]) {
    weights.rotate_right(1);
    weights[0] = EF::ZERO;
}

/// Rows that are present: their indices, and their cells.
pub(super) type PresentRows<'a> = (&'a [usize], &'a [F]);

/// For each claim the partial sums of all rows of the stack.
pub(super) fn partial_sums(
    layout: &Layout,
    rows: &[PresentRows<'_>],
    claims: &[SplitClaim],
) -> Vec<Vec<EF>> {
    let _span = info_span!("partial sums", claims = claims.len()).entered();
    let piece = PIECE.min(layout.log_block());
    let mut patterns = vec![];
    let weights: Vec<RowWeights> = claims
        .iter()
        .map(|claim| RowWeights::new(claim, piece, &mut patterns))
        .collect();
    let tables: Vec<WeightTable> = patterns
        .par_iter()
        .map(|pattern| WeightTable::new(&pattern.weights()))
        .collect();
    let mut weighed = vec![vec![false; 1 << (layout.log_block() - piece)]; tables.len()];
    for weights in &weights {
        for &(at, _) in &weights.pieces {
            weighed[weights.pattern][at] = true;
        }
    }
    let rows: Vec<(usize, &[F])> = rows
        .iter()
        .flat_map(|(indices, cells)| {
            zip(
                indices.iter().copied(),
                cells.chunks_exact(1 << layout.log_block()),
            )
        })
        .collect();
    let of_rows: Vec<(usize, Vec<EF>)> = rows
        .into_par_iter()
        .map(|(index, cells)| {
            let pieces = || cells.chunks_exact(1 << piece);
            let sums: Vec<Vec<EF>> = zip(&tables, &weighed)
                .map(|(table, weighed)| {
                    zip(pieces(), weighed)
                        .map(|(piece, &weighed)| if weighed { table.dot(piece) } else { EF::ZERO })
                        .collect()
                })
                .collect();
            let of_claims = weights
                .iter()
                .map(|weights| weights.sum(cells, &sums[weights.pattern], piece));
            (index, of_claims.collect())
        })
        .collect();
    let mut of_claims = vec![EF::zero_vec(1 << layout.row_variables()); claims.len()];
    for (index, sums) in of_rows {
        for (of_claim, sum) in zip(&mut of_claims, sums) {
            of_claim[index] = sum;
        }
    }
    of_claims
}

/// The sumcheck over the variables that choose a row.
pub(super) struct RowProducts {
    /// For each claim the partial sums and the weights of the rows, the latter times the power of
    /// the challenge that combines claims.
    products: Vec<[Vec<EF>; 2]>,
}

impl RowProducts {
    /// Starts the sumcheck for claims with these partial sums, combined by the powers of a
    /// challenge.
    pub(super) fn new(claims: &[SplitClaim], sums: Vec<Vec<EF>>, challenge: EF) -> Self {
        let products = zip(zip(claims, sums), challenge.powers())
            .map(|((claim, sums), power)| {
                let weights = tensor(&claim.row_factors);
                [sums, weights.into_iter().map(|w| w * power).collect()]
            })
            .collect();
        Self { products }
    }

    /// Once all variables are bound: what is left of the weights of each claim's rows.
    pub(super) fn scales(&self) -> impl Iterator<Item = EF> {
        self.products.iter().map(|[_, weights]| weights[0])
    }
}

impl Product for RowProducts {
    fn message(&self) -> [EF; 2] {
        let mut message = [EF::ZERO; 2];
        for [sums, weights] in &self.products {
            let [constant, quadratic] = super::sumcheck::message(sums, weights);
            message[0] += constant;
            message[1] += quadratic;
        }
        message
    }

    fn bind(&mut self, challenge: EF) {
        for table in self.products.iter_mut().flatten() {
            super::sumcheck::bind(table, challenge);
        }
    }
}
