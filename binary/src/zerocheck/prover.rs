//! The prover.

use droste_native::stark::challenger::Sent;
use p3_field::{Field, PrimeCharacteristicRing};

use super::calls::CallSums;
use super::first_message::first_message;
use super::{FormClaims, Weights, ZerocheckProof, constants, constants_of_row, round_value};
use crate::circuit::{BITS, Circuit};
use crate::columns::RowValues;
use crate::field::{K, dot, eq_table, fold_top};
use crate::trace::Trace;
use crate::tree_hash::Transcript;
use crate::univariate::{Subfield, bit_weights, extended_weights};

/// Proves. Returns the values of columns at the point over calls, too.
///
/// If a challenge `tau_call` is zero, which no prover can bring about, the proof is refused.
pub fn prove(
    circuit: &Circuit,
    trace: &Trace<'_>,
    subfield: &Subfield,
    transcript: &mut dyn Transcript,
) -> (ZerocheckProof, FormClaims, RowValues) {
    let log_rows = circuit.log_rows + trace.log_calls();
    let weights = Weights::sample(circuit, log_rows, transcript);
    let constraints = weights.constraints(circuit);
    let high = eq_table(&weights.high);
    let calls = eq_table(&weights.calls);
    let message = first_message(circuit, trace, subfield, &constraints, &high, &calls);
    drop(calls);
    let message = Sent::send(message.to_vec(), transcript);
    let zeta = transcript.sample();
    let bits = bit_weights(zeta);

    let mut rounds = Rounds {
        claim: dot(message.peek(), &extended_weights(zeta)),
        messages: Vec::with_capacity(log_rows),
        transcript,
    };
    let rows = weights.rows(u64::MAX, &subfield.basis);
    let sums = CallSums::new(circuit, trace, &bits, &constraints, &rows);
    let (calls, scale) = sums.prove(&weights.calls, &mut rounds);
    let values = RowValues::new(trace, circuit.used_rows, &calls);
    let row_weights: Vec<Vec<K>> = (circuit.groups.iter())
        .map(|group| weights.rows(group.rows, &subfield.basis))
        .map(|rows| rows.into_iter().map(|row| scale * row).collect())
        .collect();
    let sums = RowSums::new(circuit, &values, &bits, &constraints, row_weights);
    let (mut point, operands, rests) = sums.prove(&mut rounds);
    let rows = eq_table(&point);
    let constants = constants(circuit, &bits, &constraints, &rows);
    let rests: Vec<K> = (rests.iter().zip(constants))
        .map(|(&rest, constant)| rest + constant)
        .collect();
    let proof = ZerocheckProof {
        bits: message,
        rounds: rounds.messages,
        operands: Sent::send(operands.clone(), transcript),
        rests: Sent::send(rests.clone(), transcript),
    };
    point.extend(calls);
    let claims = FormClaims {
        bits,
        constraints,
        rows: point,
        operands,
        rests,
    };
    (proof, claims, values)
}

/// The rounds so far.
pub(super) struct Rounds<'a> {
    claim: K,
    messages: Vec<Sent<[K; 3]>>,
    transcript: &'a mut dyn Transcript,
}

impl Rounds<'_> {
    /// Sends the cubic with these coefficients of 1, `X^2` and `X^3`, and returns the challenge.
    fn send(&mut self, message: [K; 3]) -> K {
        self.messages.push(Sent::send(message, self.transcript));
        let challenge = self.transcript.sample();
        self.claim = round_value(self.claim, &message, challenge);
        challenge
    }

    /// Sends the product of `eq(tau, X)`, which is `1 + tau + X`, with a quadratic whose
    /// coefficients of 1 and `X^2` are given. The claim gives the middle one: the sum of the
    /// product's values at 0 and 1 is that of `(1 + tau) h0` and `tau (h0 + h1 + h2)`.
    pub(super) fn send_product(&mut self, tau: K, [h0, h2]: [K; 2]) -> K {
        let h1 = (self.claim + h0) * tau.try_inverse().unwrap_or_default() + h2;
        let constant = K::ONE + tau;
        self.send([constant * h0, constant * h2 + h1, h2])
    }
}

/// The sum over the rows of a call and groups of `w (sum_i e_i left_i right_i + rest)`, whose most
/// significant variables are bound one after the other. Calls are bound.
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
        values: &RowValues,
        bits: &[K; BITS],
        constraints: &'a [K],
        weights: Vec<Vec<K>>,
    ) -> Self {
        let count = 1 << circuit.log_rows;
        let rows = || (0..count).map(|row| (&values.0[row], &values.0[(row + 1) % count]));
        let operands = (circuit.operands.iter())
            .map(|form| {
                rows()
                    .map(|(row, next)| form.value(bits, row, next))
                    .collect()
            })
            .collect();
        let constants: Vec<Vec<K>> = (0..count)
            .map(|row| constants_of_row(circuit, bits, constraints, row))
            .collect();
        let groups = (circuit.with_first().zip(weights).enumerate())
            .map(|(index, ((group, first), weights))| {
                let rest = rows().zip(&constants).map(|((row, next), constants)| {
                    let forms = group.rest.iter().zip(&constraints[first..]);
                    let forms = forms.map(|(form, &e)| e * form.value(bits, row, next));
                    forms.sum::<K>() + constants[index]
                });
                let rest = rest.collect();
                GroupSums { weights, rest }
            })
            .collect();
        Self {
            circuit,
            constraints,
            operands,
            groups,
        }
    }

    /// Proves, and returns the point and the values of operands and rests there.
    fn prove(mut self, rounds: &mut Rounds<'_>) -> (Vec<K>, Vec<K>, Vec<K>) {
        let mut point = vec![K::ZERO; self.circuit.log_rows];
        for coordinate in point.iter_mut().rev() {
            *coordinate = rounds.send(self.message());
            let groups = self.groups.iter_mut();
            let groups = groups.flat_map(|sums| [&mut sums.weights, &mut sums.rest]);
            (self.operands.iter_mut().chain(groups)).for_each(|table| fold_top(table, *coordinate));
        }
        let operands = self.operands.iter().map(|table| table[0]).collect();
        let rests = self.groups.iter().map(|sums| sums.rest[0]).collect();
        (point, operands, rests)
    }

    /// Coefficients of 1, `X^2` and `X^3` of the next round polynomial.
    fn message(&self) -> [K; 3] {
        let half = self.operands[0].len() / 2;
        let line = |table: &[K], i: usize| (table[i], table[i] + table[i + half]);
        let mut sums = [K::ZERO; 3];
        for i in 0..half {
            for ((group, first), of_group) in self.circuit.with_first().zip(&self.groups) {
                // The constraints are q0 + q1 X + q2 X^2.
                let (mut q0, mut q1) = line(&of_group.rest, i);
                let mut q2 = K::ZERO;
                for (product, &e) in group.products.iter().zip(&self.constraints[first..]) {
                    let (left, left_step) = line(&self.operands[product.left], i);
                    let (right, right_step) = line(&self.operands[product.right], i);
                    let left = e * (left + K::from_bool(product.inverted));
                    let left_step = e * left_step;
                    q0 += left * right;
                    q1 += left * right_step + left_step * right;
                    q2 += left_step * right_step;
                }
                let (weight, step) = line(&of_group.weights, i);
                sums[0] += weight * q0;
                sums[1] += weight * q2 + step * q1;
                sums[2] += step * q2;
            }
        }
        sums
    }
}
