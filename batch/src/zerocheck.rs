//! Every round of every call is a round of Keccak-f: a sum over all bits that is zero, reduced to values
//! of lanes at one point.
//!
//! With `B` the state of a row after theta, rho and pi, `A'` the state of the next row, `RC` the
//! constant (on lane 0), as polynomials over the bits `z` of a lane, the constraint of lane `l` is
//!
//! `C_l(z) = (1 + B_right1(z)) B_right2(z) + B_l(z) + A'_l(z) + RC(z)`,
//!
//! zero at each `z` of `d_0..d_63` and in each of the 24 rows of a call that have a round. Rows weigh
//! `w(row) = eq(tau_call, call) eq(tau_high, round / 8) t^(round mod 8)`, and 0 if they have no round.
//! At a point of `d_0..d_63` the values of `C_l` are bits and the eight powers of `t` are linearly
//! independent over GF(2), so the sum over the low bits of the round is zero only if all eight are
//! (this saves the prover most of the first message; Binius64 does the same). Lanes weigh
//! `e_l = eq(tau_lane, l)`.

use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::field::{K, dot, eq, eq_table};
use crate::keccak::{BITS, LANES, LOG_ROWS, ROUND_CONSTANTS, ROUNDS, State, linear, right_of};
use crate::trace::{Trace, next_row};
use crate::transcript::Transcript;
use crate::univariate::{
    COORDINATES, EXTENDED, Subfield, add_products, bit_weights, extended_weights, extrapolate,
    transpose_bits,
};

/// Lanes with room to a power of two.
const LANE_SLOTS: usize = 32;

/// What the prover sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZerocheckProof {
    /// Values of the weighted sum of constraints at `d_64..d_127`, as a polynomial in `z`.
    pub bits: Vec<K>,
    /// The round polynomials over rows, most significant bit of the row first: coefficients of 1,
    /// `X^2`, `X^3`. The sum of those of `X`, `X^2` and `X^3` is the claim.
    pub rounds: Vec<[K; 3]>,
    /// `B_l` at the point.
    pub mixed: Vec<K>,
    /// `sum_l e_l A'_l` at the point.
    pub next: K,
}

/// What is left to check: values of the trace's lanes, as polynomials over bits and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneClaims {
    /// What each bit of a lane weighs.
    pub bits: [K; BITS],
    /// What each lane weighs in `next`.
    pub lanes: [K; LANES],
    /// The point over rows.
    pub rows: Vec<K>,
    /// Values of each lane after theta, rho and pi.
    pub mixed: [K; LANES],
    /// The value of the weighted sum of lanes in the next row.
    pub next: K,
}

/// The verifier's challenges for rows and lanes.
struct Weights {
    lanes: Vec<K>,
    high: Vec<K>,
    calls: Vec<K>,
}

impl Weights {
    fn sample(log_rows: usize, transcript: &mut Transcript) -> Self {
        let mut point = |length: usize| (0..length).map(|_| transcript.sample()).collect();
        Self {
            lanes: point(5),
            high: point(2),
            calls: point(log_rows - LOG_ROWS),
        }
    }

    fn lanes(&self) -> [K; LANES] {
        let table = eq_table(&self.lanes);
        std::array::from_fn(|lane| table[lane])
    }

    /// Weights of the rows of a call, less the call's.
    fn rounds(&self, basis: &[K; COORDINATES]) -> [K; 1 << LOG_ROWS] {
        let high = eq_table(&self.high);
        std::array::from_fn(|round| {
            if round < ROUNDS {
                high[round / COORDINATES] * basis[round % COORDINATES]
            } else {
                K::ZERO
            }
        })
    }
}

/// The round constants as a polynomial over bits and rounds, at a point.
fn constants(bits: &[K; BITS], rounds: &[K]) -> K {
    let rounds = eq_table(rounds);
    (ROUND_CONSTANTS.iter().zip(&rounds))
        .map(|(&constant, &weight)| {
            let bits: K = (0..BITS)
                .filter(|z| constant >> z & 1 == 1)
                .map(|z| bits[z])
                .sum();
            bits * weight
        })
        .sum()
}

/// Tables that add up weights of the bits of a byte.
#[inline]
pub(crate) fn subset_sums(weights: &[K; 8]) -> [K; 256] {
    let mut table = [K::ZERO; 256];
    for (i, &weight) in weights.iter().enumerate() {
        for index in 0..1 << i {
            table[index + (1 << i)] = table[index] + weight;
        }
    }
    table
}

/// A lane's value, given [`subset_sums`] for each of its bytes.
#[inline]
pub(crate) fn lane_value(tables: &[[K; 256]], lane: u64) -> K {
    (tables.iter().zip(lane.to_le_bytes()))
        .map(|(table, byte)| table[usize::from(byte)])
        .sum()
}

/// The tables of [`lane_value`].
pub(crate) fn lane_tables(bits: &[K; BITS]) -> Vec<[K; 256]> {
    bits.as_chunks().0.iter().map(subset_sums).collect()
}

/// Proves.
pub fn prove(
    trace: &Trace,
    subfield: &Subfield,
    transcript: &mut Transcript,
) -> (ZerocheckProof, LaneClaims) {
    let weights = Weights::sample(trace.log_rows(), transcript);
    let lanes = weights.lanes();
    let rounds = weights.rounds(&subfield.basis);
    let calls = eq_table(&weights.calls);

    let message = first_message(trace, subfield, &lanes, &eq_table(&weights.high), &calls);
    transcript.observe(&message);
    let zeta = transcript.sample();
    let bits = bit_weights(zeta);

    let mut sums = RowSums::new(trace, &bits, &lanes, &rounds, &calls);
    let mut claim = dot(&message, &extended_weights(zeta));
    let mut point = vec![K::ZERO; trace.log_rows()];
    let mut messages = Vec::with_capacity(point.len());
    for coordinate in point.iter_mut().rev() {
        let coefficients = sums.message();
        let message = [coefficients[0], coefficients[2], coefficients[3]];
        transcript.observe(&message);
        *coordinate = transcript.sample();
        claim = round_value(claim, &message, *coordinate);
        sums.fold(*coordinate);
        messages.push(message);
    }
    let mixed: [K; LANES] = std::array::from_fn(|lane| sums.mixed[lane][0]);
    let next =
        sums.linear[0] + dot(&lanes, &mixed) + lanes[0] * constants(&bits, &point[..LOG_ROWS]);
    transcript.observe(&mixed);
    transcript.observe(&[next]);
    let proof = ZerocheckProof {
        bits: message.to_vec(),
        rounds: messages,
        mixed: mixed.to_vec(),
        next,
    };
    let claims = LaneClaims {
        bits,
        lanes,
        rows: point,
        mixed,
        next,
    };
    (proof, claims)
}

/// A message that does not lead to the claim that follows from it, or of another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZerocheckError {
    /// Another number of elements or rounds.
    #[error("the zerocheck has parts of another shape: {0}")]
    Shape(&'static str),
    /// The values of lanes do not give the last claim.
    #[error("the constraints at the values of lanes are not the last claim of the sum over rows")]
    Constraints,
}

/// Verifies, up to the claims that it returns.
///
/// # Errors
///
/// If the proof's shape is not that of `log_rows`, or the last claim is not that of the lanes' values.
pub fn verify(
    proof: &ZerocheckProof,
    log_rows: usize,
    basis: &[K; COORDINATES],
    transcript: &mut Transcript,
) -> Result<LaneClaims, ZerocheckError> {
    if proof.bits.len() != EXTENDED {
        return Err(ZerocheckError::Shape("values over bits"));
    }
    if proof.rounds.len() != log_rows {
        return Err(ZerocheckError::Shape("rounds over rows"));
    }
    let Ok(mixed) = <[K; LANES]>::try_from(proof.mixed.as_slice()) else {
        return Err(ZerocheckError::Shape("values of lanes"));
    };
    let weights = Weights::sample(log_rows, transcript);
    transcript.observe(&proof.bits);
    let zeta = transcript.sample();
    let bits = bit_weights(zeta);
    let mut claim = dot(&proof.bits, &extended_weights(zeta));
    let mut point = vec![K::ZERO; log_rows];
    for (coordinate, message) in point.iter_mut().rev().zip(&proof.rounds) {
        transcript.observe(message);
        *coordinate = transcript.sample();
        claim = round_value(claim, message, *coordinate);
    }
    transcript.observe(&mixed);
    transcript.observe(&[proof.next]);

    let lanes = weights.lanes();
    let (round, call) = point.split_at(LOG_ROWS);
    let quadratic: K = (0..LANES)
        .map(|l| lanes[l] * ((K::ONE + mixed[right_of(l, 1)]) * mixed[right_of(l, 2)] + mixed[l]))
        .sum();
    let constraints = quadratic + proof.next + lanes[0] * constants(&bits, round);
    let weight = dot(&weights.rounds(basis), &eq_table(round)) * eq(&weights.calls, call);
    if weight * constraints != claim {
        return Err(ZerocheckError::Constraints);
    }
    Ok(LaneClaims {
        bits,
        lanes,
        rows: point,
        mixed,
        next: proof.next,
    })
}

/// The value at `x` of the cubic with these coefficients of 1, `X^2`, `X^3`, whose values at 0 and 1
/// have the sum `claim`.
fn round_value(claim: K, [c0, c2, c3]: &[K; 3], x: K) -> K {
    let c1 = claim + *c2 + *c3;
    ((*c3 * x + *c2) * x + c1) * x + *c0
}

/// The values at `d_64..d_127` of the weighted sum of constraints.
///
/// At `d_0..d_63` products and the rest of the constraints have equal sums, since each constraint is
/// zero there. So the rest, of degree 63, follows from the products.
fn first_message(
    trace: &Trace,
    subfield: &Subfield,
    lanes: &[K; LANES],
    high: &[K],
    calls: &[K],
) -> [K; EXTENDED] {
    /// Sums over calls, by lane, coordinate and point: those of products at `d_64..d_127`, and at
    /// `d_0..d_63`.
    type Sums = Vec<[[[K; BITS]; COORDINATES]; 2]>;
    let sums: Sums = calls
        .par_chunks(1 << 6)
        .enumerate()
        .map(|(chunk, calls)| {
            let mut sums: Sums = vec![[[[K::ZERO; BITS]; COORDINATES]; 2]; LANES];
            for (block, calls) in calls.as_chunks::<8>().0.iter().enumerate() {
                let first = (chunk << 6) + 8 * block;
                for (eight, &weight) in high.iter().take(ROUNDS / 8).enumerate() {
                    let table = subset_sums(&calls.map(|call| call * weight));
                    let products: [_; 8] = std::array::from_fn(|call| {
                        products(trace, subfield, ((first + call) << LOG_ROWS) + 8 * eight)
                    });
                    for (lane, sums) in sums.iter_mut().enumerate() {
                        for (kind, sums) in sums.iter_mut().enumerate() {
                            for (b, sums) in sums.iter_mut().enumerate() {
                                let words =
                                    std::array::from_fn(|call| products[call][kind][b][lane]);
                                add_bits(&words, &table, sums);
                            }
                        }
                    }
                }
            }
            sums
        })
        .reduce_with(|mut left, right| {
            for (left, right) in left.iter_mut().zip(&right) {
                let right = right.as_flattened().as_flattened();
                for (left, &right) in left
                    .as_flattened_mut()
                    .as_flattened_mut()
                    .iter_mut()
                    .zip(right)
                {
                    *left += right;
                }
            }
            left
        })
        .unwrap_or_default();
    let mut extended = [K::ZERO; EXTENDED];
    let mut bits = [K::ZERO; BITS];
    for ([products, at_bits], &lane) in sums.iter().zip(lanes) {
        for (b, &power) in subfield.basis.iter().enumerate() {
            let weight = lane * power;
            for (sum, &value) in extended.iter_mut().zip(&products[b]) {
                *sum += weight * value;
            }
            for (sum, &value) in bits.iter_mut().zip(&at_bits[b]) {
                *sum += weight * value;
            }
        }
    }
    for (sum, value) in extended.iter_mut().zip(extrapolate(&bits)) {
        *sum += value;
    }
    extended
}

/// The products of the constraints of eight rounds from `row` on, in each lane and weighed with powers
/// of `t`, by coordinates: at `d_64..d_127`, and at `d_0..d_63`.
#[inline]
fn products(
    trace: &Trace,
    subfield: &Subfield,
    row: usize,
) -> [[[u64; LANE_SLOTS]; COORDINATES]; 2] {
    let mut products = [[[0; LANE_SLOTS]; COORDINATES]; 2];
    let [extended, bits] = &mut products;
    for (low, bits) in bits.iter_mut().enumerate() {
        let mixed = linear(&trace.state(row + low));
        let mut left = [[0; LANE_SLOTS]; COORDINATES];
        let mut right = [[0; LANE_SLOTS]; COORDINATES];
        let extensions = mixed.map(|lane| subfield.extend(lane));
        for lane in 0..LANES {
            let (one, two) = (right_of(lane, 1), right_of(lane, 2));
            bits[lane] = !mixed[one] & mixed[two];
            for b in 0..COORDINATES {
                left[b][lane] = extensions[one][b];
                right[b][lane] = extensions[two][b];
            }
            left[0][lane] = !left[0][lane];
        }
        add_products(&left, &right, low, extended);
    }
    products
}

/// Adds to each of 64 sums the weights of those of eight words that have its bit.
#[inline]
pub(crate) fn add_bits(words: &[u64; 8], weights: &[K; 256], sums: &mut [K; 64]) {
    let bytes = words.map(u64::to_le_bytes);
    for (byte, sums) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let block = u64::from_le_bytes(std::array::from_fn(|word| bytes[word][byte]));
        for (sum, index) in sums.iter_mut().zip(transpose_bits(block).to_le_bytes()) {
            *sum += weights[usize::from(index)];
        }
    }
}

/// The sum over rows of `w (sum_l e_l (1 + B_right1) B_right2 + linear)`, whose most significant
/// variables are bound one after the other.
struct RowSums {
    lanes: [K; LANES],
    weights: Vec<K>,
    /// `sum_l e_l (B_l + A'_l)`, and the constant.
    linear: Vec<K>,
    /// `B_l`.
    mixed: Vec<Vec<K>>,
}

impl RowSums {
    fn new(trace: &Trace, bits: &[K; BITS], lanes: &[K; LANES], rounds: &[K], calls: &[K]) -> Self {
        let size = 1 << trace.log_rows();
        let tables = lane_tables(bits);
        let constants = ROUND_CONSTANTS.map(|constant| lanes[0] * lane_value(&tables, constant));
        let weights = (calls.par_iter())
            .flat_map_iter(|&call| rounds.iter().map(move |&round| call * round))
            .collect();
        let values = |state: &State| state.map(|lane| lane_value(&tables, lane));
        let mut linear_part = K::zero_vec(size);
        let mut mixed: Vec<_> = (0..LANES).map(|_| K::zero_vec(size)).collect();
        let mut columns: Vec<_> = mixed
            .iter_mut()
            .map(|lane| lane.chunks_mut(1 << LOG_ROWS))
            .collect();
        let calls: Vec<Vec<&mut [K]>> = (0..calls.len())
            .map(|_| columns.iter_mut().filter_map(Iterator::next).collect())
            .collect();
        (calls
            .into_par_iter()
            .zip(linear_part.par_chunks_mut(1 << LOG_ROWS)))
        .enumerate()
        .for_each(|(call, (mut columns, linear_part))| {
            for (round, sum) in linear_part.iter_mut().enumerate() {
                let row = (call << LOG_ROWS) + round;
                let mixed = values(&linear(&trace.state(row)));
                let next = values(&trace.state(next_row(row)));
                *sum = constants.get(round).copied().unwrap_or_default()
                    + dot(lanes, &mixed)
                    + dot(lanes, &next);
                for (column, value) in columns.iter_mut().zip(mixed) {
                    column[round] = value;
                }
            }
        });
        Self {
            lanes: *lanes,
            weights,
            linear: linear_part,
            mixed,
        }
    }

    /// Coefficients of the next round polynomial.
    fn message(&self) -> [K; 4] {
        let half = self.weights.len() / 2;
        let width = <K as Field>::Packing::WIDTH;
        if half < width {
            return self.message_of::<K>(0..half, half, |column| column);
        }
        let chunk = (1usize << 10).min(half) / width;
        (0..half / width / chunk)
            .into_par_iter()
            .map(|i| {
                let sums = self.message_of(i * chunk..(i + 1) * chunk, half / width, |column| {
                    <K as Field>::Packing::pack_slice(column)
                });
                sums.map(|sum| sum.as_slice().iter().copied().sum())
            })
            .reduce(
                || [K::ZERO; 4],
                |left, right| std::array::from_fn(|i| left[i] + right[i]),
            )
    }

    #[inline]
    fn message_of<P: p3_field::Algebra<K> + Copy>(
        &self,
        range: std::ops::Range<usize>,
        half: usize,
        pack: impl Fn(&[K]) -> &[P],
    ) -> [P; 4] {
        let lanes: [P; LANES] = self.lanes.map(P::from);
        let weights = pack(&self.weights);
        let linear_part = pack(&self.linear);
        let mixed: [&[P]; LANES] = std::array::from_fn(|lane| pack(&self.mixed[lane]));
        let mut sums = [P::ZERO; 4];
        for i in range {
            let low = mixed.map(|lane| lane[i]);
            let step: [P; LANES] = std::array::from_fn(|lane| low[lane] + mixed[lane][i + half]);
            // The constraint is q0 + q1 X + q2 X^2.
            let (mut q0, mut q1, mut q2) = (
                linear_part[i],
                linear_part[i] + linear_part[i + half],
                P::ZERO,
            );
            for (lane, &weight) in lanes.iter().enumerate() {
                let (one, two) = (right_of(lane, 1), right_of(lane, 2));
                let left = weight * (P::ONE + low[one]);
                let left_step = weight * step[one];
                q0 += left * low[two];
                q1 += left * step[two] + left_step * low[two];
                q2 += left_step * step[two];
            }
            let weight = weights[i];
            let weight_step = weight + weights[i + half];
            sums[0] += weight * q0;
            sums[1] += weight * q1 + weight_step * q0;
            sums[2] += weight * q2 + weight_step * q1;
            sums[3] += weight_step * q2;
        }
        sums
    }

    fn fold(&mut self, challenge: K) {
        fold_top(&mut self.weights, challenge);
        fold_top(&mut self.linear, challenge);
        self.mixed
            .par_iter_mut()
            .for_each(|column| fold_top(column, challenge));
    }
}

/// Binds the most significant variable.
pub(crate) fn fold_top(table: &mut Vec<K>, challenge: K) {
    let half = table.len() / 2;
    let (low, high) = table.split_at_mut(half);
    for (low, &high) in low.iter_mut().zip(&*high) {
        *low += challenge * (*low + high);
    }
    table.truncate(half);
}
