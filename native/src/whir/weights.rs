//! The prover's tables of weights within a row.

use std::iter::zip;

use p3_field::{PackedField, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use super::claims::{Rows, equality_table, scaled_tensor};
use super::kernels::{add_combination, log_lanes, pack, unpack};
use super::sums::SplitClaim;
use crate::field::{EF, F};
use crate::lanes::PackedExt;

/// Claims whose points are all suffixes of one point. For each height of a table, the sum of the
/// weights of slots: `levels[m]` belongs to tables of `2^m` rows, or is empty.
struct Chain {
    point: Vec<EF>,
    levels: Vec<Vec<EF>>,
}

impl Chain {
    /// Adds a claim to the chain to which it belongs, times `scale`. Points must have at least
    /// as many coordinates as an index of a lane has bits, and be no longer than those before.
    fn add(chains: &mut Vec<Self>, log_block: usize, claim: &SplitClaim, scale: EF) {
        let point = claim.rows.point();
        let known = chains.iter().position(|chain| chain.point.ends_with(point));
        let known = known.unwrap_or_else(|| {
            chains.push(Self {
                point: point.to_vec(),
                levels: vec![vec![]; log_block + 1],
            });
            chains.len() - 1
        });
        add(
            &mut chains[known].levels[point.len()],
            scaled_tensor(scale, &claim.factors),
        );
    }

    /// The sum over the claims of the weight of the slot times `eq(z, .)`, for every cell of a row.
    fn weights<P: PackedField<Scalar = F>>(&self) -> Vec<PackedExt<P>> {
        let length = self.point.len();
        let mut weights = self.levels[length].clone();
        for m in (log_lanes::<P>()..length).rev() {
            let z = self.point[length - 1 - m];
            weights = weights
                .into_iter()
                .flat_map(|weight| {
                    let one = weight * z;
                    [weight - one, one]
                })
                .collect();
            add(&mut weights, self.levels[m].iter().copied());
        }
        let low = pack::<P>(&equality_table(&self.point[length - log_lanes::<P>()..]))[0];
        weights.into_par_iter().map(|high| low * high).collect()
    }

    /// The same for the weights of next rows, from the weights of rows.
    ///
    /// The weight of a cell is that of the cell before it in `eq(z, .)`. But what the last cell of
    /// a column would pass on to the column after it is its own.
    fn weights_of_next<P: PackedField<Scalar = F>>(
        &self,
        weights: &[PackedExt<P>],
    ) -> Vec<PackedExt<P>> {
        let mut weights = unpack(weights);
        weights.rotate_right(1);
        weights[0] = EF::ZERO;
        for (m, level) in self.levels.iter().enumerate() {
            let tail = &self.point[self.point.len().saturating_sub(m)..];
            let last: EF = tail.iter().copied().product();
            for (slot, &weight) in level.iter().enumerate() {
                let end = (slot + 1) << m;
                let own = weight * last;
                weights[end - 1] += own;
                if let Some(after) = weights.get_mut(end) {
                    *after -= own;
                }
            }
        }
        pack(&weights)
    }
}

/// Adds elements to those of a list, which may be empty instead of zero.
fn add(sums: &mut Vec<EF>, elements: impl IntoIterator<Item = EF>) {
    let mut elements = elements.into_iter();
    for (sum, element) in zip(sums.iter_mut(), elements.by_ref()) {
        *sum += element;
    }
    sums.extend(elements);
}

/// The sum of the weights of claims within a row of `2^log_block` cells, each times a factor.
pub(super) fn row_weights<P: PackedField<Scalar = F>>(
    log_block: usize,
    claims: &[SplitClaim],
    scales: impl Iterator<Item = EF>,
) -> Vec<PackedExt<P>> {
    let _span = info_span!("weights of claims").entered();
    // Longer points come first, so that others are suffixes of those that are known.
    let mut claims: Vec<(&SplitClaim, EF)> = claims.iter().zip(scales).collect();
    claims.sort_by_key(|(claim, _)| std::cmp::Reverse(claim.rows.point().len()));
    let mut sum = vec![PackedExt::<P>::ZERO; (1 << log_block) / P::WIDTH];
    let mut add_all = |weights: Vec<PackedExt<P>>| {
        for (sum, weight) in zip(&mut sum, weights) {
            *sum += weight;
        }
    };
    let (mut of_rows, mut of_next) = (vec![], vec![]);
    for (claim, scale) in claims {
        match (&claim.rows, claim.pieces(log_lanes::<P>())) {
            // The rows of the table, if there are several, are within a packed element.
            (rows, Some((factors, within))) if rows.point().len() < log_lanes::<P>() => {
                let low = pack::<P>(&within.weights())[0];
                let high = scaled_tensor(scale, &factors);
                add_all(high.into_par_iter().map(|high| low * high).collect());
            }
            (Rows::At(_), _) => Chain::add(&mut of_rows, log_block, claim, scale),
            (Rows::Next(_), _) => Chain::add(&mut of_next, log_block, claim, scale),
        }
    }
    for chain in &of_rows {
        add_all(chain.weights());
    }
    for chain in &of_next {
        add_all(chain.weights_of_next(&chain.weights()));
    }
    sum
}

/// The table of `eq(z, .)`, of at least as many elements as there are lanes.
pub(super) fn packed_equality_table<P: PackedField<Scalar = F>>(z: &[EF]) -> Vec<PackedExt<P>> {
    let (high, low) = z.split_at(z.len() - log_lanes::<P>());
    let low = pack::<P>(&equality_table(low))[0];
    let high = equality_table(high);
    high.into_par_iter().map(|high| low * high).collect()
}

/// The weights of the values at points `x` of the polynomial whose coefficients are the cells,
/// added up: the sum of `scale x^b` at position `b`. There are at least as many positions as
/// lanes.
pub(super) fn powers_table<P: PackedField<Scalar = F>>(
    variables: usize,
    points: &[F],
    scales: &[EF],
) -> Vec<PackedExt<P>> {
    let _span = info_span!("weights of queries").entered();
    // x^(h 2^low + i) is a power that does not depend on i times one that does not depend on h.
    let low = variables.div_ceil(2).max(log_lanes::<P>());
    let length = (1 << low) / P::WIDTH;
    let powers: Vec<Vec<P>> = points
        .par_iter()
        .map(|&x| Iterator::take(P::packed_powers(x), length).collect())
        .collect();
    let rows: Vec<&[P]> = powers.iter().map(Vec::as_slice).collect();
    let steps: Vec<F> = points.iter().map(|x| x.exp_power_of_2(low)).collect();
    let mut sums = vec![PackedExt::ZERO; (1 << variables) / P::WIDTH];
    let chunks = sums.par_chunks_exact_mut(length).enumerate();
    chunks.for_each(|(high, sums)| {
        let scales: Vec<EF> = zip(scales, &steps)
            .map(|(&scale, step)| scale * step.exp_u64(high as u64))
            .collect();
        add_combination(&rows, &scales, sums);
    });
    sums
}
