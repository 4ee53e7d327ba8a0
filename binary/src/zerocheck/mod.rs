//! Every row of every call fulfils its constraints: a sum over all bits that is zero, reduced to
//! values of words at one point.
//!
//! As polynomials over the bits `z` of a word, constraint `i` of a circuit is
//!
//! `C_i(z) = left_i(z) right_i(z) + rest_i(z)`,
//!
//! zero at each `z` of `d_0..d_63` and in each row of its group. Rows weigh `w(row) = eq(tau_call,
//! call) eq(tau_high, row / 8) t^(row mod 8)`, with the row of the call, and 0 where the group does
//! not hold. At a point of `d_0..d_63` the values of `C_i` are bits and the eight powers of `t` are
//! linearly independent over GF(2), so the sum over eight rows is zero only if all eight are (this
//! saves the prover most of the first message; Binius64 does the same). Constraints weigh `e_i =
//! eq(tau_constraint, i)`.

mod calls;
mod first_message;
mod prover;

use droste_native::stark::challenger::Sent;
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use crate::circuit::{BITS, Circuit};
use crate::field::{K, dot, eq, eq_table};
use crate::tree_hash::Transcript;
use crate::univariate::{COORDINATES, EXTENDED, bit_weights, extended_weights};

pub use prover::prove;

/// What the prover sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZerocheckProof {
    /// Values of the weighted sum of constraints at `d_64..d_127`, as a polynomial in `z`.
    pub bits: Sent<Vec<K>>,
    /// The round polynomials over rows, most significant bit of the row first: coefficients of 1,
    /// `X^2`, `X^3`. The sum of those of `X`, `X^2` and `X^3` is the claim.
    pub rounds: Vec<Sent<[K; 3]>>,
    /// The operands at the point.
    pub operands: Sent<Vec<K>>,
    /// For each group the sum of the rests of its constraints at the point, by their weights and
    /// without their constants.
    pub rests: Sent<Vec<K>>,
}

/// What is left to check: values of forms, as polynomials over bits and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormClaims {
    /// What each bit of a word weighs.
    pub bits: [K; BITS],
    /// What each constraint weighs.
    pub constraints: Vec<K>,
    /// The point over rows.
    pub rows: Vec<K>,
    /// Values of the operands.
    pub operands: Vec<K>,
    /// Values of the groups' rests.
    pub rests: Vec<K>,
}

/// The verifier's challenges for rows and constraints.
struct Weights {
    constraints: Vec<K>,
    high: Vec<K>,
    calls: Vec<K>,
}

impl Weights {
    fn sample(circuit: &Circuit, log_rows: usize, transcript: &mut dyn Transcript) -> Self {
        let mut point = |length: usize| (0..length).map(|_| transcript.sample()).collect();
        Self {
            constraints: point(log_constraints(circuit)),
            high: point(circuit.log_rows - LOG_COORDINATES),
            calls: point(log_rows - circuit.log_rows),
        }
    }

    fn constraints(&self, circuit: &Circuit) -> Vec<K> {
        let mut table = eq_table(&self.constraints);
        table.truncate(circuit.num_constraints());
        table
    }

    /// Weights of the rows of a call in which a group holds, less the call's.
    fn rows(&self, rows: u64, basis: &[K; COORDINATES]) -> Vec<K> {
        let high = eq_table(&self.high);
        let weights = high
            .iter()
            .flat_map(|&high| basis.iter().map(move |&low| high * low));
        (weights.enumerate())
            .map(|(row, weight)| {
                if rows >> row & 1 == 1 {
                    weight
                } else {
                    K::ZERO
                }
            })
            .collect()
    }
}

/// Base-two logarithm of [`COORDINATES`].
const LOG_COORDINATES: usize = 3;

/// Variables of the weights of constraints.
pub fn log_constraints(circuit: &Circuit) -> usize {
    circuit.num_constraints().next_power_of_two().ilog2() as usize
}

/// The constants of each group by the weights of constraints, bits and rows of a call.
fn constants(circuit: &Circuit, bits: &[K; BITS], constraints: &[K], rows: &[K]) -> Vec<K> {
    let constants = circuit.with_first().map(|(group, first)| {
        let constants = group.constants.iter().map(|&(constraint, row, word)| {
            let bits = (0..BITS).filter(|z| word >> z & 1 == 1).map(|z| bits[z]);
            bits.sum::<K>() * rows[row] * constraints[first + constraint]
        });
        constants.sum()
    });
    constants.collect()
}

/// The [`constants`] of one row of a call.
fn constants_of_row(circuit: &Circuit, bits: &[K; BITS], constraints: &[K], row: usize) -> Vec<K> {
    let mut rows = K::zero_vec(1 << circuit.log_rows);
    rows[row] = K::ONE;
    constants(circuit, bits, constraints, &rows)
}

/// A message that does not lead to the claim that follows from it, or of another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZerocheckError {
    /// A list of the proof, which this names, has a wrong length.
    #[error("the zerocheck has a wrong number of {0}")]
    Shape(&'static str),
    /// The values of forms do not give the last claim.
    #[error(
        "the zerocheck fails: the constraints at the values of the forms do not give its last \
         claim"
    )]
    Constraints,
}

/// Verifies, up to the claims that it returns.
///
/// # Errors
///
/// If the proof's shape is not that of circuit and `log_rows`, or the last claim is not that of the
/// values of forms.
pub fn verify(
    proof: &ZerocheckProof,
    circuit: &Circuit,
    log_rows: usize,
    basis: &[K; COORDINATES],
    transcript: &mut dyn Transcript,
) -> Result<FormClaims, ZerocheckError> {
    let shape = |right, part| {
        if right {
            Ok(())
        } else {
            Err(ZerocheckError::Shape(part))
        }
    };
    shape(proof.bits.count() == EXTENDED, "values over bits")?;
    shape(proof.rounds.len() == log_rows, "rounds over rows")?;
    shape(
        proof.operands.count() == circuit.operands.len(),
        "values of operands",
    )?;
    shape(
        proof.rests.count() == circuit.groups.len(),
        "values of groups",
    )?;
    let weights = Weights::sample(circuit, log_rows, transcript);
    let message = proof.bits.read(transcript);
    let zeta = transcript.sample();
    let bits = bit_weights(zeta);
    let mut claim = dot(message, &extended_weights(zeta));
    let mut point = vec![K::ZERO; log_rows];
    for (coordinate, message) in point.iter_mut().rev().zip(&proof.rounds) {
        let message = message.read(transcript);
        *coordinate = transcript.sample();
        claim = round_value(claim, message, *coordinate);
    }
    let operands = proof.operands.read(transcript);
    let rests = proof.rests.read(transcript);

    let constraints = weights.constraints(circuit);
    let (round, call) = point.split_at(circuit.log_rows);
    let rows = eq_table(round);
    let call = eq(&weights.calls, call);
    let constants = constants(circuit, &bits, &constraints, &rows);
    let groups = circuit.with_first().zip(rests).zip(constants);
    let groups = groups.map(|(((group, first), &rest), constant)| {
        let products = group.products.iter().zip(&constraints[first..]);
        let products = products.map(|(product, &e)| {
            let left = operands[product.left] + K::from_bool(product.inverted);
            e * left * operands[product.right]
        });
        let weight = dot(&weights.rows(group.rows, basis), &rows) * call;
        weight * (products.sum::<K>() + rest + constant)
    });
    let sum: K = groups.sum();
    if sum != claim {
        return Err(ZerocheckError::Constraints);
    }
    Ok(FormClaims {
        bits,
        constraints,
        rows: point,
        operands: operands.clone(),
        rests: rests.clone(),
    })
}

/// The value at `x` of the cubic with these coefficients of 1, `X^2`, `X^3`, whose values at 0 and
/// 1 have the sum `claim`.
fn round_value(claim: K, [c0, c2, c3]: &[K; 3], x: K) -> K {
    let c1 = claim + *c2 + *c3;
    ((*c3 * x + *c2) * x + c1) * x + *c0
}
