//! Sums of fractions are zero: the GKR protocol for the lookup argument (ePrint 2023/1284).
//!
//! A lookup argument says that `sum_i n_i / D_i = 0` over `2^v` fractions, the *leaves*, with
//! numerators in the base field (multiplicities) and denominators in the challenge field. [`prove`]
//! reduces it to one claim about the multilinear polynomials of the leaves at a random point, a
//! [`LeafClaim`], and [`verify`] returns the claim that remains to be shown.
//!
//! # The circuit
//!
//! Layer `l` has `2^l` fractions. Layer `v` is the leaves, and a fraction of layer `l` is the sum
//! of two of layer `l + 1`, which differ in the first variable (big-endian: the top bit of a
//! position):
//!
//! ```text
//! N_l(x) = N_(l+1)(0, x) D_(l+1)(1, x) + N_(l+1)(1, x) D_(l+1)(0, x)
//! D_l(x) = D_(l+1)(0, x) D_(l+1)(1, x)
//! ```
//!
//! The single fraction of layer 0 is `0 / D` with `D != 0` if and only if no denominator of a leaf
//! is zero and the sum of the leaves is zero.
//!
//! # The protocol
//!
//! The prover sends the two fractions of layer 1, numerators before denominators, `n0, d0, n1, d1`.
//! The verifier checks that their sum is `0 / D`. They are the values of layer 1 at `(0, q)` and
//! `(1, q)`, with a point `q` of no coordinates.
//!
//! Such values of layer `l`, from 1 to `v - 1`, at a point `q` of `l - 1` coordinates become values
//! of layer `l + 1`. The verifier samples `lambda`. With `G = n0 d1 + n1 d0 + lambda d0 d1`, a
//! function of the fractions at `(0, x)` and `(1, x)` of layer `l + 1`, the polynomial
//!
//! ```text
//! P(X) = sum_x eq(q, x) G(X, x)        eq(q, x) = prod_i (q_i x_i + (1 - q_i) (1 - x_i))
//! ```
//!
//! has degree 2, and the verifier knows `P(0) = n0 + lambda d0` and `P(1) = n1 + lambda d1`. So the
//! prover sends its quadratic coefficient alone. The verifier samples `r` and holds the claim that
//! `S = P(r)` is the sum over `x` of `eq(q, x) G(r, x)`.
//!
//! This is a sumcheck of `l - 1` more rounds, from the first variable to the last. The factor
//! `eq(q_i, X)` of the round's variable is known to both sides, and those of earlier variables are
//! dropped from both sides, so the round's polynomial is `t(X) = sum_x' eq(q', x') G(r, X, x')`, of
//! degree 2, where `q'` are the coordinates after `q_i` and `r` the challenges so far. The prover
//! sends the linear coefficient `c1` and the quadratic one `c2`. The verifier, who knows
//! `S = (1 - q_i) t(0) + q_i t(1)`, computes `c0 = S - q_i (c1 + c2)` and samples the next
//! challenge; the next `S` is the value of `t` there. After the last round the prover sends the
//! four values of layer `l + 1` at `(0, r)` and `(1, r)`, in the order above, and the verifier
//! checks `S = G`. The next point is `r`.
//!
//! The leaves are to be claimed at one point. So in the end the verifier samples `b` and `lambda`:
//! the claim is that of both lines at `b`, `N = n0 + b (n1 - n0)` and `D = d0 + b (d1 - d0)`, at
//! the point `(b, q)`. This `lambda` belongs to no layer. The caller has to use it to combine the
//! two values.
//!
//! # Soundness
//!
//! See [`security`].

#[cfg(feature = "prover")]
mod fractions;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover made its vectors itself, of powers of two"
)]
mod nodes;
mod proof;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover made its vectors itself, of powers of two"
)]
mod prover;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "the prover made its vectors itself, of powers of two"
)]
mod sumcheck;
#[cfg(test)]
mod tests;
mod verifier;

#[cfg(feature = "prover")]
pub use self::fractions::Fractions;
pub use self::proof::{Fraction, GkrError, GkrProof, LayerProof, LeafClaim, RoundPolynomial};
#[cfg(feature = "prover")]
pub use self::prover::{prove, prove_unchecked};
pub use self::verifier::verify;
use crate::field::{EXTENSION_DEGREE, MODULUS};

/// Largest number of variables of the leaves. There are fewer leaves than elements of the base
/// field, so that counts of equal leaves do not wrap around.
pub const MAX_VARIABLES: usize = 30;

const fn check_variables(found: usize) -> Result<(), GkrError> {
    if found == 0 || found > MAX_VARIABLES {
        return Err(GkrError::Variables { found });
    }
    Ok(())
}

/// Proven bits of the argument over `2^v` leaves: `-log2((v^2 + 1) / |EF|)`.
///
/// The error is the probability that [`verify`] accepts and the combination
/// `numerator + lambda * denominator` of the leaf claim is that of the true values, although the
/// sum of the leaves is not zero or a denominator is zero. Then one of the four values of layer 1
/// is false, since the true ones do not pass the checks of the root. If one of the four values of
/// layer `l` is false, so is one of layer `l + 1`, except with these probabilities, each divided by
/// `|EF|`:
///
/// - 1 for `lambda`: if `n0` or `d0` is false, `n0 + lambda d0` is true for one value at most, and
///   likewise `n1` and `d1`; one pair that has a false value is enough. So `P(0)` or `P(1)` is
///   false.
/// - 2 for the first challenge: the verifier's polynomial is another one than the true `P` then,
///   whatever coefficient is sent. Polynomials of degree 2 agree at 2 values at most; at any other,
///   `S` is false.
/// - 2 for each of the other `l - 1` rounds: if `S` is not what the true polynomial of a round adds
///   up to, then the verifier's polynomial `t`, which adds up to `S` whatever is sent, is another
///   one; and the next `S` is false but at 2 values.
///
/// In the end `S = G` is false for the true fractions of layer `l + 1`, so one of the four values
/// sent is false. The sum of `2 l + 1` over the layers from 1 to `v - 1` is `v^2 - 1`. For the
/// leaves there are two more:
///
/// - 1 for `b`: if one of the four values is false, so is a line, which agrees with the true one at
///   one value at most. At any other, one of the two claimed values of the leaves is false.
/// - 1 for `lambda`: if one of the two is false, the caller's combination is true for one value at
///   most.
///
/// The argument that leads from a lookup to fractions (the sampling of the denominators) is not
/// counted.
///
/// 0 bits, if the number of variables is out of range.
pub fn security(num_variables: usize) -> f64 {
    if check_variables(num_variables).is_err() {
        return 0.0;
    }
    let v = num_variables as f64;
    EXTENSION_DEGREE as f64 * f64::from(MODULUS).log2() - (v * v + 1.0).log2()
}
