//! The zerocheck: constraints are zero on every row, and the leaves of the lookup argument have the
//! values that GKR claims.
//!
//! # What is shown
//!
//! GKR leaves a claim `(N, D)` about numerators and denominators of the `2^v` leaves at a point
//! `q`. With its last challenge `theta` and a new one `alpha`, each table `a` of `2^(m_a)` rows has
//! a polynomial in the cells of two consecutive rows,
//!
//! ```text
//! T_a = sum_t eq(block of t, first v - m_a coordinates of q) (mu_t + theta (D_t - 1))
//!     + sum_j alpha^(1 + o_a + n_a - 1 - j) C_(a, j)
//! ```
//!
//! with messages `t`, their multiplicities `mu_t` and denominators `D_t`, and constraints
//! `C_(a, j)`: `n_a` of this table, `o_a` of the tables before it. The constraints of a polynomial
//! identity add up to a power of `alpha` times its left side at `alpha`
//! ([`PolynomialIdentity`](crate::tables::PolynomialIdentity)). Leaves without a message are
//! `0 / 1`, so the claim and the constraints are right, except with small probability, if
//!
//! ```text
//! N + theta (D - 1) = sum_a sum_x eq(last m_a coordinates of q, x) T_a(x)
//! ```
//!
//! # The sumcheck
//!
//! It runs over the `M` variables of the highest table, from the first to the last. A table takes
//! part in the last `m_a` rounds; before, its sum is a constant. The factor `eq(tau_i, X)` of a
//! round's variable is known to both sides, and factors of earlier rounds are dropped from both, so
//! the round's polynomial is `t(X) = sum_x' eq(tau', x') T(r, X, x')`, summed over the tables,
//! where `tau` are the last `M` coordinates of `q` and `tau'` those after `tau_i`. Its degree is
//! that of the system ([`System::degree`](super::system::System::degree)). The prover sends all
//! coefficients `c_1, .., c_d` but the constant one. The verifier, who knows
//! `S = (1 - tau_i) t(0) + tau_i t(1)`, computes `c_0 = S - tau_i (c_1 + .. + c_d)` and samples
//! `r`; the next `S` is `t(r)`.
//!
//! The prover computes the first two rounds of a table on its cells, which are elements of the base
//! field: it adds up `T_a` at all points of `{0, .., d}^2`, of which the second round's polynomial
//! is interpolated once the first challenge is known. On columns of which the first variable is
//! fixed it would multiply elements of the extension field. Both variables are then fixed at once.
//!
//! In the end `S = sum_a T_a` at the point `rho` of all challenges, of which a table has the last
//! `m_a`. The prover opens the columns there, with the rows after them, and the verifier computes
//! `T_a`.

#[cfg(feature = "prover")]
mod columns;
#[cfg(feature = "prover")]
mod opened;
#[cfg(feature = "prover")]
mod polynomial;
#[cfg(feature = "prover")]
mod prover;
#[cfg(test)]
mod tests;
#[cfg(feature = "prover")]
mod values;
mod verifier;

use droste_native::stark::challenger::{ExtensionTranscript, Observe, Sent};
use droste_native::{EF, gkr};
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(feature = "prover")]
pub use prover::{Proved, ProvingError, prove};
pub use verifier::{Reduction, ZerocheckError, check, check_lengths, verify};

use super::challenges::LookupChallenges;
use super::expressions::Message;
use super::hypercube::eq_at;
use super::system::{Shape, System};

/// Values of the leaves' numerators and denominators at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafClaim {
    /// Value of the numerators.
    pub numerator: EF,
    /// Value of the denominators.
    pub denominator: EF,
    /// The point: as many coordinates as the leaves have variables.
    pub point: Vec<EF>,
    /// A challenge that was sampled after all of these, which combines the two values.
    pub theta: EF,
}

/// The sumcheck's messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZerocheckProof {
    /// Coefficients of each round's polynomial, the linear one first, without the constant one.
    pub rounds: Vec<Sent<Vec<EF>>>,
}

/// Values of the columns of a table at a point, in order of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// Main columns.
    pub main: Vec<EF>,
    /// Main columns in the next row, as many as [`Slots::num_next`](super::system::Slots::num_next)
    /// says.
    pub main_next: Vec<EF>,
    /// Preprocessed columns.
    pub preprocessed: Vec<EF>,
    /// Preprocessed columns in the next row.
    pub preprocessed_next: Vec<EF>,
}

impl Opened {
    /// All values, in the order in which the transcript absorbs them.
    pub fn values(&self) -> impl Iterator<Item = EF> {
        self.kinds().into_iter().flatten().copied()
    }

    /// The values of each kind, in the same order.
    pub fn kinds(&self) -> [&[EF]; 4] {
        [
            &self.main,
            &self.main_next,
            &self.preprocessed,
            &self.preprocessed_next,
        ]
    }
}

impl<T: ExtensionTranscript + ?Sized> Observe<T> for Opened {
    fn observe(&self, transcript: &mut T) {
        for value in self.values() {
            transcript.observe_extension(value);
        }
    }
}

/// A claim that is not about leaves of this shape, or a coordinate that has no round.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// The point does not have one coordinate for each variable of the leaves.
    #[error("the claim is at a point of {found} coordinates, expected {expected}")]
    Point {
        /// Number of variables.
        expected: usize,
        /// Number of coordinates.
        found: usize,
    },
    /// A coordinate is zero, by which the prover would have to divide. This has negligible
    /// probability.
    #[error("the coordinate of round {round} is zero")]
    ZeroCoordinate {
        /// Index of the round.
        round: usize,
    },
}

impl From<gkr::LeafClaim> for LeafClaim {
    fn from(claim: gkr::LeafClaim) -> Self {
        Self {
            numerator: claim.numerator,
            denominator: claim.denominator,
            point: claim.point,
            theta: claim.lambda,
        }
    }
}

impl LeafClaim {
    /// The coordinates of the rounds, one per variable of the highest table.
    fn coordinates(&self, shape: &Shape) -> Result<&[EF], ClaimError> {
        let (expected, found) = (shape.log_leaves(), self.point.len());
        expected
            .checked_sub(shape.max_log_height())
            .filter(|_| expected == found)
            .and_then(|before| self.point.get(before..))
            .ok_or(ClaimError::Point { expected, found })
    }

    /// What the sums of all tables add up to.
    fn sum(&self) -> EF {
        self.numerator + self.theta * (self.denominator - EF::ONE)
    }
}

/// A table's polynomial: a linear combination of its identities' constraints, of its outputs
/// ([`Expressions::outputs`](super::expressions::Expressions::outputs)) and a constant.
struct Combination {
    /// Coefficient of the last of the identities' constraints.
    identities: EF,
    /// The coefficient of each other one is that of the next one times this challenge.
    alpha: EF,
    /// Coefficients of the other constraints.
    constraints: Vec<EF>,
    /// Coefficients of each message's multiplicity and elements.
    messages: Vec<(EF, Vec<EF>)>,
    /// The constant.
    constant: EF,
}

impl Combination {
    /// The polynomials of all tables.
    fn of_tables(
        system: &System,
        shape: &Shape,
        claim: &LeafClaim,
        challenges: &LookupChallenges,
        alpha: EF,
    ) -> Vec<Self> {
        // Messages have the coefficient one, so constraints begin with the first power.
        let powers = alpha.shifted_powers(alpha);
        let powers = powers.collect_n(system.num_constraints());
        let mut powers = powers.as_slice();
        let tables = system.tables().iter().zip(shape.log_heights());
        let factors = challenges.factors(system.message_width());
        tables
            .zip(shape.starts())
            .map(|((table, &log_height), start)| {
                let expressions = &table.expressions;
                let (of_table, rest) = powers.split_at(expressions.num_constraints());
                powers = rest;
                let (of_others, of_identities) = of_table.split_at(expressions.constraints().len());
                let mut constant = EF::ZERO;
                let messages = expressions.messages().iter().zip(&table.buses).enumerate();
                let message = |(index, (message, &bus)): (usize, (&Message, &usize))| {
                    // Leaves of a block differ in the low bits of their index.
                    let (high, _) = claim.point.split_at(claim.point.len() - log_height);
                    let block = eq_at(high, (start >> log_height) + index);
                    let scaled = claim.theta * block;
                    constant += scaled * (challenges.prefix(system, bus) - EF::ONE);
                    let factors = &factors[factors.len() - message.payload.len()..];
                    let payload = factors.iter().map(|&factor| -(scaled * factor));
                    (block, payload.collect())
                };
                let messages = messages.map(message).collect();
                Self {
                    identities: of_identities.first().copied().unwrap_or_default(),
                    alpha,
                    constraints: of_others.iter().rev().copied().collect(),
                    messages,
                    constant,
                }
            })
            .collect()
    }

    /// The coefficients in the order of outputs.
    fn coefficients(&self) -> impl Iterator<Item = EF> {
        let messages = self.messages.iter();
        let messages = messages.flat_map(|(multiplicity, payload)| {
            std::iter::once(*multiplicity).chain(payload.iter().copied())
        });
        self.constraints.iter().copied().chain(messages)
    }
}

/// Returns the value at `r` of the polynomial with these coefficients, all but the constant one,
/// which is determined by `sum = (1 - tau) t(0) + tau t(1)`.
fn evaluate_round(coefficients: &[EF], sum: EF, tau: EF, r: EF) -> EF {
    let constant = sum - tau * coefficients.iter().copied().sum::<EF>();
    let rest = coefficients.iter().rev();
    constant + rest.fold(EF::ZERO, |value, &c| (value + c) * r)
}

/// The selectors of a table at a point: the first row, the last row.
fn selectors(point: &[EF]) -> (EF, EF) {
    let first = point
        .iter()
        .map(|&coordinate| EF::ONE - coordinate)
        .product();
    (first, point.iter().copied().product())
}
