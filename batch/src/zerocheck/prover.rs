//! The prover.

use p3_field::{Algebra, Field, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::first_message::first_message;
use super::{FormClaims, Weights, ZerocheckProof, constants};
use crate::bits::{BLOCK, Sums, WordMap, Words};
use crate::circuit::{BITS, Circuit, MAX_OPERANDS, Row, WORDS};
use crate::field::{K, eq_table, fold_top};
use crate::trace::{Trace, split_columns};
use crate::tree_hash::Transcript;
use crate::univariate::{Subfield, bit_weights};

/// Proves.
pub fn prove(
    circuit: &Circuit,
    trace: &Trace,
    subfield: &Subfield,
    transcript: &mut dyn Transcript,
) -> (ZerocheckProof, FormClaims) {
    let weights = Weights::sample(circuit, trace.log_rows(), transcript);
    let constraints = weights.constraints(circuit);
    let calls = eq_table(&weights.calls);

    let high = eq_table(&weights.high);
    let message = first_message(circuit, trace, subfield, &constraints, &high, &calls);
    transcript.observe(&message);
    let zeta = transcript.sample();
    let bits = bit_weights(zeta);

    let rows: Vec<Vec<K>> = (circuit.groups.iter())
        .map(|group| weights.rows(group.rows, &subfield.basis))
        .collect();
    let mut sums = RowSums::new(circuit, trace, &bits, &constraints, &rows, &calls);
    let mut point = vec![K::ZERO; trace.log_rows()];
    let mut messages = Vec::with_capacity(point.len());
    for coordinate in point.iter_mut().rev() {
        let [c0, _, c2, c3] = sums.message();
        let message = [c0, c2, c3];
        transcript.observe(&message);
        *coordinate = transcript.sample();
        sums.fold(*coordinate);
        messages.push(message);
    }
    let operands: Vec<K> = sums.operands.iter().map(|column| column[0]).collect();
    let rows = eq_table(&point[..circuit.log_rows]);
    let constants = constants(circuit, &bits, &constraints, &rows);
    let rests: Vec<K> = (sums.groups.iter().zip(constants))
        .map(|(group, constant)| group.rest[0] + constant)
        .collect();
    transcript.observe(&operands);
    transcript.observe(&rests);
    let proof = ZerocheckProof {
        bits: message.to_vec(),
        rounds: messages,
        operands: operands.clone(),
        rests: rests.clone(),
    };
    let claims = FormClaims {
        bits,
        constraints,
        rows: point,
        operands,
        rests,
    };
    (proof, claims)
}

/// Forms as maps of words.
struct FormMaps<'a> {
    circuit: &'a Circuit,
    /// What the bits of a word weigh.
    bits: WordMap,
    /// For each group, what the words of a row and of the next one are in the sum of its rests, by
    /// the weights of constraints: whether the next one, the word, and the weights of its bits.
    rests: Vec<Vec<(bool, usize, WordMap)>>,
    /// For each group and each row of a call, the constants of that sum.
    constants: Vec<Vec<K>>,
}

impl<'a> FormMaps<'a> {
    fn new(circuit: &'a Circuit, bits: &[K; BITS], constraints: &[K]) -> Self {
        let groups = circuit.groups.len();
        let rests = (0..groups).map(|group| {
            let only: Vec<K> = (0..groups)
                .map(|other| K::from_bool(other == group))
                .collect();
            let columns = circuit.transpose(bits, &[], constraints, &only);
            let words = columns
                .iter()
                .zip([false, true])
                .flat_map(|(columns, next)| {
                    let words = columns.as_chunks::<BITS>().0.iter().enumerate();
                    let used = words
                        .filter(|(_, weights)| weights.iter().any(|&weight| weight != K::ZERO));
                    used.map(move |(word, weights)| (next, word, WordMap::new(weights)))
                });
            words.collect()
        });
        let rows: Vec<Vec<K>> = (0..1 << circuit.log_rows)
            .map(|row| {
                let only: Vec<K> = (0..1 << circuit.log_rows)
                    .map(|other| K::from_bool(other == row))
                    .collect();
                constants(circuit, bits, constraints, &only)
            })
            .collect();
        Self {
            circuit,
            bits: WordMap::new(bits),
            rests: rests.collect(),
            constants: (0..groups)
                .map(|group| rows.iter().map(|row| row[group]).collect())
                .collect(),
        }
    }

    /// Values of operands and of rests with their constants in a block of rows from `first` on.
    fn values(
        &self,
        trace: &Trace,
        first: usize,
        operands: &mut [&mut [K]],
        rests: &mut [&mut [K]],
    ) {
        let mut rows = [[0; WORDS]; BLOCK];
        trace.rows(first, &mut rows);
        let next: [Row; BLOCK] = std::array::from_fn(|i| rows[trace.next(i)]);
        let mut words = [[0; MAX_OPERANDS]; BLOCK];
        for ((row, next), words) in rows.iter().zip(&next).zip(&mut words) {
            (self.circuit.fast_operands)(row, next, words);
        }
        for (operand, column) in operands.iter_mut().enumerate() {
            let mut sums = Sums::default();
            let words = std::array::from_fn(|i| words[i][operand]);
            self.bits.add(&Words::new(&words), &mut sums);
            column.copy_from_slice(&sums.elements());
        }
        let words = [&rows, &next].map(|rows| -> [Words; WORDS] {
            std::array::from_fn(|word| Words::new(&std::array::from_fn(|i| rows[i][word])))
        });
        for ((maps, constants), column) in self.rests.iter().zip(&self.constants).zip(rests) {
            let mut sums = Sums::default();
            for &(next, word, ref map) in maps {
                map.add(&words[usize::from(next)][word], &mut sums);
            }
            let constants = constants.iter().cycle();
            for ((rest, sum), &constant) in column.iter_mut().zip(sums.elements()).zip(constants) {
                *rest = sum + constant;
            }
        }
    }
}

/// The sum over rows and groups of `w (sum_i e_i left_i right_i + rest)`, whose most significant
/// variables are bound one after the other.
struct RowSums<'a> {
    circuit: &'a Circuit,
    constraints: &'a [K],
    operands: Vec<Vec<K>>,
    groups: Vec<GroupSums>,
}

/// A group's part.
struct GroupSums {
    /// Weights of rows.
    weights: Vec<K>,
    /// The sum of the rests of its constraints, by their weights.
    rest: Vec<K>,
}

impl<'a> RowSums<'a> {
    fn new(
        circuit: &'a Circuit,
        trace: &Trace,
        bits: &[K; BITS],
        constraints: &'a [K],
        rows: &[Vec<K>],
        calls: &[K],
    ) -> Self {
        let size = 1 << trace.log_rows();
        let form_maps = FormMaps::new(circuit, bits, constraints);
        let columns = |count| -> Vec<Vec<K>> { (0..count).map(|_| K::zero_vec(size)).collect() };
        let (mut operands, mut rests) = (columns(circuit.operands.len()), columns(rows.len()));
        let both = operands.iter_mut().chain(&mut rests).map(Vec::as_mut_slice);
        let blocks = split_columns(both, BLOCK);
        (blocks.into_par_iter().enumerate()).for_each(|(block, mut columns)| {
            let (operands, rests) = columns.split_at_mut(circuit.operands.len());
            form_maps.values(trace, BLOCK * block, operands, rests);
        });
        let groups = (rests.into_iter().zip(rows))
            .map(|(rest, rows)| GroupSums {
                weights: (calls.par_iter())
                    .flat_map_iter(|&call| rows.iter().map(move |&row| call * row))
                    .collect(),
                rest,
            })
            .collect();
        Self {
            circuit,
            constraints,
            operands,
            groups,
        }
    }

    /// Coefficients of the next round polynomial.
    fn message(&self) -> [K; 4] {
        let half = self.operands[0].len() / 2;
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
    fn message_of<P: Algebra<K> + Copy>(
        &self,
        range: std::ops::Range<usize>,
        half: usize,
        pack: impl Fn(&[K]) -> &[P],
    ) -> [P; 4] {
        let operands: Vec<&[P]> = self.operands.iter().map(|column| pack(column)).collect();
        let groups: Vec<_> = (self.circuit.with_first().zip(&self.groups))
            .map(|((group, first), sums)| {
                let products: Vec<(usize, P, usize, P)> = (group.products.iter())
                    .zip(&self.constraints[first..])
                    .map(|(product, &e)| {
                        let inverse = P::from(K::from_bool(product.inverted));
                        (product.left, inverse, product.right, P::from(e))
                    })
                    .collect();
                (products, pack(&sums.weights), pack(&sums.rest))
            })
            .collect();
        let mut sums = [P::ZERO; 4];
        let mut low = [P::ZERO; MAX_OPERANDS];
        let mut step = [P::ZERO; MAX_OPERANDS];
        for i in range {
            for ((low, step), column) in low.iter_mut().zip(&mut step).zip(&operands) {
                *low = column[i];
                *step = column[i] + column[i + half];
            }
            for (products, weights, rest) in &groups {
                // The constraints are q0 + q1 X + q2 X^2.
                let (mut q0, mut q1, mut q2) = (rest[i], rest[i] + rest[i + half], P::ZERO);
                for &(left, inverse, right, e) in products {
                    let (first, first_step) = (e * (low[left] + inverse), e * step[left]);
                    q0 += first * low[right];
                    q1 += first * step[right] + first_step * low[right];
                    q2 += first_step * step[right];
                }
                let weight = weights[i];
                let weight_step = weight + weights[i + half];
                sums[0] += weight * q0;
                sums[1] += weight * q1 + weight_step * q0;
                sums[2] += weight * q2 + weight_step * q1;
                sums[3] += weight_step * q2;
            }
        }
        sums
    }

    fn fold(&mut self, challenge: K) {
        let groups = self
            .groups
            .iter_mut()
            .flat_map(|sums| [&mut sums.weights, &mut sums.rest]);
        let columns: Vec<&mut Vec<K>> = self.operands.iter_mut().chain(groups).collect();
        columns
            .into_par_iter()
            .for_each(|column| fold_top(column, challenge));
    }
}
