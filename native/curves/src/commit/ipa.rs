//! Openings of vector commitments as polynomials, by inner-product argument (Bootle et al., ePrint
//! 2016/263; Bowe, Grigg and Hopwood, ePrint 2019/1021, section 3).
//!
//! The statement: the vector `a` behind `P = sum_i a_i G_i` satisfies `sum_i a_i z^i = v`. Each
//! round halves `a`, the bases and the powers of `z`, and sends two cross terms. The prover never
//! folds the bases: a folded base is a known combination of the original ones, so its multiples are
//! multi-scalar multiplications over the original bases, two per round and half the vector's length
//! each. They run as one batch, which converts the bases only once.

use ark_ec::CurveGroup;
use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::{AdditiveGroup, Field, Zero};
use educe::Educe;

use super::pedersen::PedersenKey;
use super::transcript::Transcript;
use super::{CommitError, Reader, check_count, evaluate, point_size, write};
use crate::msm::MsmCurve;

/// The largest number of rounds that a proof may have.
const MAX_ROUNDS: usize = 30;

/// An opening proof.
#[derive(Educe)]
#[educe(Clone, Debug, PartialEq, Eq)]
pub struct IpaProof<C: MsmCurve> {
    /// The cross terms of each round.
    pub rounds: Vec<[Affine<C>; 2]>,
    /// The vector, folded to one element.
    pub last: C::ScalarField,
}

impl<C: MsmCurve> IpaProof<C> {
    /// Encodes the proof: the points of each round, compressed, then the last element.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        for point in self.rounds.iter().flatten() {
            write(point, &mut out);
        }
        write(&self.last, &mut out);
        out
    }

    /// Decodes a proof that [`IpaProof::to_bytes`] encoded.
    ///
    /// # Errors
    /// Returns [`CommitError::Encoding`] for any bytes that [`IpaProof::to_bytes`] does not
    /// produce.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CommitError> {
        let rounds = bytes.len() / (2 * point_size::<C>());
        if rounds > MAX_ROUNDS {
            let (what, at) = ("the end", MAX_ROUNDS * 2 * point_size::<C>());
            return Err(CommitError::Encoding { what, at });
        }
        let mut reader = Reader::new(bytes);
        let pairs = (0..rounds).map(|_| Ok([reader.point()?, reader.point()?]));
        let rounds = pairs.collect::<Result<_, CommitError>>()?;
        let last = reader.scalar()?;
        reader.finish()?;
        Ok(Self { rounds, last })
    }
}

/// The transcript after it has absorbed the statement, and the factor by which the base of the
/// value is multiplied.
fn start<C: MsmCurve>(
    key: &PedersenKey<C>,
    commitment: &Affine<C>,
    point: &C::ScalarField,
    value: &C::ScalarField,
) -> (Transcript, C::ScalarField) {
    let mut transcript = Transcript::new(b"ipa");
    transcript.append_u64(b"length", key.bases().len() as u64);
    transcript.append(b"first-base", &key.bases().first().copied());
    transcript.append(b"value-base", &key.value_base());
    transcript.append(b"commitment", commitment);
    transcript.append(b"point", point);
    transcript.append(b"value", value);
    let factor = transcript.challenge(b"value-factor");
    (transcript, factor)
}

fn challenge<C: MsmCurve>(transcript: &mut Transcript, round: &[Affine<C>; 2]) -> C::ScalarField {
    transcript.append(b"left", &round[0]);
    transcript.append(b"right", &round[1]);
    transcript.challenge(b"round")
}

fn check_length(len: usize) -> Result<usize, CommitError> {
    let log = len.checked_ilog2().filter(|_| len.is_power_of_two());
    let log = log.ok_or(CommitError::NotPowerOfTwo(len))?;
    Ok(log as usize)
}

/// Proves the value of a polynomial at a point. The polynomial has as many coefficients as the key
/// has bases, a power of two. Returns the value, and the proof for the commitment without blinding.
///
/// # Errors
/// Returns [`CommitError`] if the lengths differ or are no power of two.
pub fn open<C: MsmCurve>(
    key: &PedersenKey<C>,
    coefficients: &[C::ScalarField],
    point: C::ScalarField,
) -> Result<(C::ScalarField, IpaProof<C>), CommitError> {
    let bases = key.bases();
    let expected = bases.len();
    check_count("coefficients", coefficients.len(), expected)?;
    check_length(expected)?;
    let value = evaluate(coefficients, point);
    let commitment = key.commit(coefficients, None)?.into_affine();
    let (mut transcript, factor) = start(key, &commitment, &point, &value);
    let value_base = key.value_base() * factor;

    let mut vector = coefficients.to_vec();
    let mut powers: Vec<_> =
        std::iter::successors(Some(C::ScalarField::ONE), |power| Some(*power * point))
            .take(expected)
            .collect();
    // The coefficient of each original base in the folded base that contains it.
    let mut weights = vec![C::ScalarField::ONE; expected];
    let mut rounds = vec![];
    while vector.len() > 1 {
        let half = vector.len() / 2;
        let (low, high) = vector.split_at(half);
        let (powers_low, powers_high) = powers.split_at(half);
        let dot = |a: &[C::ScalarField], b: &[C::ScalarField]| -> C::ScalarField {
            a.iter().zip(b).map(|(a, b)| *a * b).sum()
        };
        // The low half of the values is multiplied with the high bases, the high half with the low
        // ones.
        let spread = |values: &[C::ScalarField], to_high: bool| -> Vec<C::ScalarField> {
            let positions = weights.iter().enumerate();
            positions
                .map(|(i, weight)| {
                    let at = i % (2 * half);
                    if (at >= half) == to_high {
                        values[at % half] * weight
                    } else {
                        C::ScalarField::ZERO
                    }
                })
                .collect()
        };
        let (left, right) = (spread(low, true), spread(high, false));
        let sums = key.msm.sum_batch(bases, &[&left, &right])?;
        let values = [dot(low, powers_high), dot(high, powers_low)];
        let terms: Vec<Projective<C>> = sums
            .into_iter()
            .zip(values)
            .map(|(sum, value)| sum + value_base * value)
            .collect();
        let terms = Projective::normalize_batch(&terms);
        let round = [terms[0], terms[1]];
        let u = challenge(&mut transcript, &round);
        let inverse = u.inverse().unwrap_or_default();
        rounds.push(round);

        let fold = |low: &[C::ScalarField], high: &[C::ScalarField], l, h| {
            let pairs = low.iter().zip(high);
            pairs
                .map(|(low, high)| *low * l + *high * h)
                .collect::<Vec<_>>()
        };
        let next = fold(low, high, u, inverse);
        powers = fold(powers_low, powers_high, inverse, u);
        for (i, weight) in weights.iter_mut().enumerate() {
            *weight *= if i % (2 * half) >= half { u } else { inverse };
        }
        vector = next;
    }
    let last = vector[0];
    Ok((value, IpaProof { rounds, last }))
}

/// Checks that the committed polynomial has this value at this point.
///
/// # Errors
/// Returns [`CommitError::Rejected`] if the proof does not prove that statement, and another
/// [`CommitError`] if it has a different number of rounds than the key requires.
pub fn verify<C: MsmCurve>(
    key: &PedersenKey<C>,
    commitment: &Affine<C>,
    point: C::ScalarField,
    value: C::ScalarField,
    proof: &IpaProof<C>,
) -> Result<(), CommitError> {
    let bases = key.bases();
    check_count("rounds", proof.rounds.len(), check_length(bases.len())?)?;
    let (mut transcript, factor) = start(key, commitment, &point, &value);
    let rounds = proof.rounds.iter();
    let challenges: Vec<_> = rounds
        .map(|round| challenge(&mut transcript, round))
        .collect();
    let mut inverses = challenges.clone();
    ark_ff::batch_inversion(&mut inverses);

    // The coefficients of the original bases in the last folded one, built by doubling. The last
    // round's challenge belongs to the lowest bit of the index.
    let mut weights = vec![-proof.last];
    let mut folded_power = C::ScalarField::ONE;
    let mut power = point;
    for (u, inverse) in challenges.iter().zip(&inverses).rev() {
        let high: Vec<_> = weights.iter().map(|weight| *weight * u).collect();
        weights.iter_mut().for_each(|weight| *weight *= inverse);
        weights.extend(high);
        folded_power *= *inverse + *u * power;
        power.square_in_place();
    }
    let mut points = bases.to_vec();
    let mut scalars = weights;
    for ((round, u), inverse) in proof.rounds.iter().zip(&challenges).zip(&inverses) {
        points.extend(round);
        scalars.extend([u.square(), inverse.square()]);
    }
    points.extend([*commitment, key.value_base()]);
    scalars.extend([
        C::ScalarField::ONE,
        factor * (value - proof.last * folded_power),
    ]);
    let accepted = key.msm.sum(&points, &scalars)?.is_zero().then_some(());
    accepted.ok_or(CommitError::Rejected)
}
