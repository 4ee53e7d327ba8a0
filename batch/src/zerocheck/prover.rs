//! The prover.

use p3_field::{Algebra, Field, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{FormClaims, Weights, ZerocheckProof, constants};
use crate::bits::{add_bits, subset_sums, word_tables, word_value};
use crate::circuit::{BITS, Circuit, MAX_OPERANDS, MAX_PRODUCTS};
use crate::field::{K, eq_table, fold_top};
use crate::trace::{Trace, split_columns};
use crate::tree_hash::Transcript;
use crate::univariate::{COORDINATES, EXTENDED, Subfield, add_products, bit_weights, extrapolate};

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

/// Words of the products of a circuit, one for each.
type Words = [u64; MAX_PRODUCTS];

/// The values at `d_64..d_127` of the weighted sum of constraints.
///
/// At `d_0..d_63` products and rests have equal sums, since each constraint is zero there. So the
/// rests, of degree 63, follow from the products.
fn first_message(
    circuit: &Circuit,
    trace: &Trace,
    subfield: &Subfield,
    constraints: &[K],
    high: &[K],
    calls: &[K],
) -> [K; EXTENDED] {
    /// Sums over calls, by product, coordinate and point: those at `d_64..d_127`, and at
    /// `d_0..d_63`.
    type Sums = Vec<[[[K; BITS]; COORDINATES]; 2]>;
    let products: Vec<_> = circuit.products().collect();
    let rows = products.iter().fold(0, |rows, product| rows | product.1);
    let sums: Sums = calls
        .par_chunks(1 << 6)
        .enumerate()
        .map(|(chunk, calls)| {
            let mut sums: Sums = vec![[[[K::ZERO; BITS]; COORDINATES]; 2]; products.len()];
            for (block, calls) in calls.as_chunks::<8>().0.iter().enumerate() {
                let first = (chunk << 6) + 8 * block;
                for (eight, &weight) in high.iter().enumerate() {
                    if rows >> (8 * eight) & 0xff == 0 {
                        continue;
                    }
                    let table = subset_sums(&calls.map(|call| call * weight));
                    let values: [_; 8] = std::array::from_fn(|call| {
                        let row = (first + call) << circuit.log_rows;
                        products_of(circuit, trace, subfield, row, 8 * eight)
                    });
                    for (i, sums) in sums.iter_mut().enumerate() {
                        for (kind, sums) in sums.iter_mut().enumerate() {
                            for (b, sums) in sums.iter_mut().enumerate() {
                                let words = std::array::from_fn(|call| values[call][kind][b][i]);
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
    for ([products, at_bits], &(.., constraint)) in sums.iter().zip(&products) {
        for (b, &power) in subfield.basis.iter().enumerate() {
            let weight = constraints[constraint] * power;
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

/// The products of eight rows of the call that begins at row `call`, from row `first` of it on,
/// weighed with powers of `t`, by coordinates: at `d_64..d_127`, and at `d_0..d_63`.
#[inline]
fn products_of(
    circuit: &Circuit,
    trace: &Trace,
    subfield: &Subfield,
    call: usize,
    first: usize,
) -> [[Words; COORDINATES]; 2] {
    let mut sums = [[[0; MAX_PRODUCTS]; COORDINATES]; 2];
    let [extended, bits] = &mut sums;
    let mut operands = [0; MAX_OPERANDS];
    let mut extensions = [[0; COORDINATES]; MAX_OPERANDS];
    for (low, bits) in bits.iter_mut().enumerate() {
        let row = call + first + low;
        (circuit.fast_operands)(&trace.row(row), &trace.row(trace.next(row)), &mut operands);
        for (extension, &operand) in extensions
            .iter_mut()
            .zip(&operands)
            .take(circuit.operands.len())
        {
            *extension = subfield.extend(operand);
        }
        let mut left = [[0; MAX_PRODUCTS]; COORDINATES];
        let mut right = [[0; MAX_PRODUCTS]; COORDINATES];
        for (i, (product, rows, _)) in circuit.products().enumerate() {
            if rows >> (first + low) & 1 == 0 {
                continue;
            }
            let inverse = if product.inverted { u64::MAX } else { 0 };
            bits[i] = (operands[product.left] ^ inverse) & operands[product.right];
            for b in 0..COORDINATES {
                left[b][i] = extensions[product.left][b];
                right[b][i] = extensions[product.right][b];
            }
            left[0][i] ^= inverse;
        }
        add_products(&left, &right, low, extended);
    }
    sums
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
        let tables = word_tables(bits);
        let columns = |count| -> Vec<Vec<K>> { (0..count).map(|_| K::zero_vec(size)).collect() };
        let (mut operands, mut rests) = (columns(circuit.operands.len()), columns(rows.len()));
        let both = operands.iter_mut().chain(&mut rests).map(Vec::as_mut_slice);
        let calls_columns = split_columns(both, 1 << circuit.log_rows);
        (calls_columns.into_par_iter().enumerate()).for_each(|(call, mut columns)| {
            let (operand_columns, rest_columns) = columns.split_at_mut(circuit.operands.len());
            let mut operands = [0; MAX_OPERANDS];
            for index in 0..1 << circuit.log_rows {
                let row_index = (call << circuit.log_rows) + index;
                let (row, next) = (trace.row(row_index), trace.row(trace.next(row_index)));
                (circuit.fast_operands)(&row, &next, &mut operands);
                for (column, &operand) in operand_columns.iter_mut().zip(&operands) {
                    column[index] = word_value(&tables, operand);
                }
                for ((group, first), column) in circuit.with_first().zip(rest_columns.iter_mut()) {
                    let rests = group.rest.iter().zip(&constraints[first..]);
                    let forms =
                        rests.map(|(form, &e)| e * word_value(&tables, form.word(&row, &next)));
                    let constants = group
                        .constants
                        .iter()
                        .filter(|constant| constant.1 == index);
                    let constants = constants.map(|&(constraint, _, word)| {
                        constraints[first + constraint] * word_value(&tables, word)
                    });
                    column[index] = forms.sum::<K>() + constants.sum::<K>();
                }
            }
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
