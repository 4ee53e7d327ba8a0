//! Opening committed columns: what comes before FRI.
//!
//! The values and the polynomials that FRI receives are those of Plonky3's scheme. They are
//! computed differently: Plonky3 packs the cells of a row, so that the lanes beyond the last column
//! are wasted on every row. Here the cells of a column are packed, unless columns are many, and the
//! quotients at one point are added before they are multiplied by the point's inverse differences.

mod products;
#[cfg(test)]
mod tests;

use std::iter::zip;
use std::marker::PhantomData;

use p3_commit::{Mmcs, OpenedValues, OpeningRequest};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{
    ExtensionField, Field, PackedFieldExtension, PackedValue, PrimeCharacteristicRing,
    batch_multiplicative_inverse_general, invert_packed_extension,
};
use p3_fri::prover::prove_fri;
use p3_fri::{
    FriParameters, PcsProverTranscript, PcsShape, TwoAdicFriFolding, TwoAdicFriFoldingForMmcs,
};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrixView;
use p3_maybe_rayon::prelude::*;
use p3_util::{log2_strict_usize, reverse_slice_index_bits};
use tracing::info_span;

use self::products::{Combination, FEW_COLUMNS, STRIP, unpacked, weighted_sums};
use super::scheme::{CommittedData, FriPcs, Opened};
use super::{ChallengeMmcs, HashSuite};
use crate::field::{EF, F};

type Packed = <F as Field>::Packing;
type PackedExt = <EF as ExtensionField<F>>::ExtensionPacking;

const LANES: usize = <Packed as PackedValue>::WIDTH;

/// Packed elements that one task computes.
const BLOCKS: usize = 64;

/// Differences that are inverted together.
const INVERTED: usize = 64;

/// A matrix, and the points at which its columns are opened. Rows are in bit-reversed order.
type Request<'a> = (RowMajorMatrixView<'a, F>, &'a [EF]);

/// Opens commitments at points, with the proof that Plonky3's scheme makes.
pub(super) fn open<H: HashSuite>(
    scheme: &FriPcs<H>,
    mmcs: &H::ValMmcs,
    parameters: &FriParameters<ChallengeMmcs<H>>,
    requests: Vec<OpeningRequest<'_, CommittedData<H>, EF>>,
    challenger: &mut H::Challenger,
) -> Opened<H> {
    let span = info_span!("evaluate matrix").entered();
    let matrices: Vec<Vec<Request<'_>>> = requests
        .iter()
        .map(|request| {
            let matrices = mmcs.get_matrices(request.prover_data).into_iter();
            let views = matrices.map(|matrix| matrix.as_view());
            zip(views, request.points.iter().map(Vec::as_slice)).collect()
        })
        .collect();
    let heights = matrices.iter().flatten().map(|(matrix, _)| matrix.height());
    let least = parameters.log_blowup + parameters.log_final_poly_len;
    let (Some(points), Some(tallest), false) = (
        Points::new(&matrices),
        heights.clone().max(),
        parameters.log_final_poly_len > 0 && heights.clone().any(|height| height <= 1 << least),
    ) else {
        // What cannot be folded is left to Plonky3, which returns an error.
        return p3_commit::Pcs::open(scheme, requests, challenger);
    };
    let opened = points.evaluate(&matrices, parameters.log_blowup);
    drop(span);
    let mut transcript = PcsProverTranscript::<H::Challenger, F, EF>::new(
        challenger,
        PcsShape::from_opened_values(parameters, &opened),
    );
    transcript.claimed_openings(&opened);
    let (alpha, witness) = transcript.batch_phase();
    let quotients = points.quotients(&matrices, &opened, alpha);
    drop(points);
    let folding: TwoAdicFriFoldingForMmcs<F, H::ValMmcs> = TwoAdicFriFolding(PhantomData);
    let proof = transcript.delegate(|challenger| {
        prove_fri(
            &folding,
            parameters,
            quotients,
            challenger,
            log2_strict_usize(tallest),
            &requests,
            mmcs,
            witness.unwrap_or_default(),
        )
    });
    match proof {
        Ok(proof) => {
            transcript.finish();
            Ok((opened, proof))
        }
        Err(error) => {
            transcript.abort();
            Err(error)
        }
    }
}

/// The points of the openings.
struct Points {
    /// The largest domain, in bit-reversed order: smaller ones are its beginning.
    domain: Vec<F>,
    points: Vec<Point>,
}

struct Point {
    point: EF,
    /// The inverse of the point minus each element of the largest domain opened at it.
    inverses: Vec<PackedExt>,
}

fn padded(length: usize) -> usize {
    length.next_multiple_of(LANES)
}

impl Points {
    /// Collects the points of these matrices and inverts their differences to the domains.
    fn new(matrices: &[Vec<Request<'_>>]) -> Option<Self> {
        let mut heights: Vec<(EF, usize)> = Vec::new();
        for (matrix, points) in matrices.iter().flatten() {
            for &point in *points {
                match heights.iter_mut().find(|(other, _)| *other == point) {
                    Some((_, height)) => *height = matrix.height().max(*height),
                    None => heights.push((point, matrix.height())),
                }
            }
        }
        let largest = matrices.iter().flatten().map(|(matrix, _)| matrix.height());
        let log_size = log2_strict_usize(largest.max()?);
        let coset = TwoAdicMultiplicativeCoset::new(F::GENERATOR, log_size)?;
        let mut domain: Vec<F> = coset.iter().collect();
        reverse_slice_index_bits(&mut domain);
        let points = heights
            .into_iter()
            .map(|(point, height)| Point {
                point,
                inverses: inverse_differences(point, &domain[..height]),
            })
            .collect();
        Some(Self { domain, points })
    }

    fn find(&self, point: EF) -> Option<&Point> {
        self.points.iter().find(|other| other.point == point)
    }

    /// Evaluates the columns of each matrix at its points.
    fn evaluate(&self, matrices: &[Vec<Request<'_>>], log_blowup: usize) -> OpenedValues<EF> {
        let tallest = matrices.iter().flatten().map(|(matrix, _)| matrix.height());
        let rows = tallest.max().unwrap_or(0) >> log_blowup;
        let weights: Vec<(EF, Vec<PackedExt>)> = self
            .points
            .iter()
            .map(|point| (point.point, self.weights(point, rows)))
            .collect();
        let evaluate = |(matrix, points): &Request<'_>| {
            let rows = matrix.height() >> log_blowup;
            let weights = points.iter().filter_map(|point| {
                let of_point = weights.iter().find(|(other, _)| other == point);
                of_point.map(|(_, weights)| weights.as_slice())
            });
            let weights: Vec<&[PackedExt]> = weights.collect();
            let sums = if matrix.width() > FEW_COLUMNS {
                let (low, _) = matrix.split_rows(rows);
                let sums = weights
                    .iter()
                    .map(|weights| low.columnwise_dot_product::<EF>(&unpacked(weights, rows)));
                sums.collect()
            } else {
                weighted_sums(matrix, rows, &weights)
            };
            zip(sums, *points)
                .map(|(sums, &point)| {
                    let scale = scale(point, rows);
                    sums.into_iter().map(|sum| sum * scale).collect()
                })
                .collect()
        };
        let round = |round: &Vec<Request<'_>>| round.iter().map(evaluate).collect();
        matrices.iter().map(round).collect()
    }

    /// The numerators of the barycentric formula, `x / (z - x)`, for at most the first `rows`
    /// elements of the domain.
    fn weights(&self, point: &Point, rows: usize) -> Vec<PackedExt> {
        let blocks = point.inverses.par_iter().take(padded(rows) / LANES);
        blocks
            .enumerate()
            .map(|(block, &inverse)| inverse * packed_points(&self.domain, block * LANES))
            .collect()
    }

    /// Returns the polynomials that FRI receives, those of the tallest matrices first: for all
    /// columns `f` and points `z`, the quotients `(f(z) - f(x)) / (z - x)` times the powers of
    /// `alpha`, in the order of the openings per height.
    fn quotients(
        &self,
        matrices: &[Vec<Request<'_>>],
        opened: &OpenedValues<EF>,
        alpha: EF,
    ) -> Vec<Vec<EF>> {
        let mut heights: Vec<usize> = matrices
            .iter()
            .flatten()
            .map(|(matrix, _)| matrix.height())
            .collect();
        heights.sort_unstable();
        heights.dedup();
        let of_height = |&height: &usize| {
            let matrices = matrices.iter().flatten();
            let of_height = zip(matrices, opened.iter().flatten())
                .filter(|((matrix, _), _)| matrix.height() == height);
            self.quotient(height, of_height, alpha)
        };
        heights.iter().rev().map(of_height).collect()
    }

    fn quotient<'a>(
        &self,
        height: usize,
        matrices: impl Iterator<Item = (&'a Request<'a>, &'a Vec<Vec<EF>>)>,
        alpha: EF,
    ) -> Vec<EF> {
        // Of every point: the inverse differences, and the weighted sum of all opened values.
        let mut constants: Vec<(&Point, EF)> = Vec::new();
        let mut terms = Vec::new();
        let mut power = EF::ONE;
        for ((matrix, points), opened) in matrices {
            // The quotient at a second point has the powers of that at the first, times a factor.
            let powers: Vec<EF> = alpha.shifted_powers(power).take(matrix.width()).collect();
            let step = alpha.exp_u64(matrix.width() as u64);
            let mut factor = EF::ONE;
            let mut factors = Vec::new();
            for (position, (&point, opened)) in zip(*points, opened).enumerate() {
                let value: EF = zip(opened, &powers)
                    .map(|(&value, &power)| value * power)
                    .sum();
                let Some(inverses) = self.find(point) else {
                    continue;
                };
                let index = constants.iter().position(|(other, _)| other.point == point);
                let index = index.unwrap_or_else(|| {
                    constants.push((inverses, EF::ZERO));
                    constants.len() - 1
                });
                constants[index].1 += value * factor;
                factors.push((index, (position > 0).then(|| PackedExt::from(factor))));
                factor *= step;
            }
            power *= factor;
            terms.push((Combination::new(matrix, powers, alpha), factors));
        }

        let mut quotient = EF::zero_vec(height);
        let chunks = quotient.par_chunks_mut(BLOCKS * LANES).enumerate();
        chunks.for_each_init(
            || (vec![Packed::ZERO; STRIP], Vec::new()),
            |(strip, sums), (chunk, out)| {
                for (block, out) in out.chunks_mut(LANES).enumerate() {
                    let block = chunk * BLOCKS + block;
                    sums.clear();
                    sums.extend(constants.iter().map(|&(_, value)| PackedExt::from(value)));
                    for (combination, factors) in &terms {
                        let combined = combination.at(block, strip);
                        for &(index, factor) in factors {
                            sums[index] -= factor.map_or(combined, |factor| combined * factor);
                        }
                    }
                    let terms = zip(&*sums, &constants);
                    let sum: PackedExt = terms
                        .map(|(&sum, (point, _))| sum * point.inverses[block])
                        .sum();
                    for (lane, value) in out.iter_mut().enumerate() {
                        *value = PackedFieldExtension::<F, EF>::extract(&sum, lane);
                    }
                }
            },
        );
        quotient
    }
}

/// The elements of a domain from `first` on, repeated if it is shorter than the lanes.
fn packed_points(domain: &[F], first: usize) -> Packed {
    Packed::from_fn(|lane| domain[(first + lane) % domain.len()])
}

/// Inverts the differences of a point to the elements of a domain.
fn inverse_differences(point: EF, domain: &[F]) -> Vec<PackedExt> {
    let mut inverses = vec![PackedExt::ZERO; padded(domain.len()) / LANES];
    inverses.par_chunks_mut(INVERTED).enumerate().for_each_init(
        Vec::new,
        |differences, (chunk, inverses)| {
            differences.clear();
            differences.extend((0..inverses.len()).map(|index| {
                let first = (chunk * INVERTED + index) * LANES;
                PackedExt::from(point) - packed_points(domain, first)
            }));
            // The point is in no domain, except with negligible probability.
            batch_multiplicative_inverse_general(
                differences,
                inverses,
                invert_packed_extension::<F, EF>,
            );
        },
    );
    inverses
}

/// The factor of the barycentric formula over the coset of the generator with this many elements:
/// `(z^n - g^n) / (n g^n)`.
fn scale(point: EF, size: usize) -> EF {
    let shift = F::GENERATOR.exp_u64(size as u64);
    let denominator = shift * F::from_usize(size);
    (point.exp_u64(size as u64) - shift) * denominator.inverse()
}
