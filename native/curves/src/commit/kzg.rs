//! KZG polynomial commitments over BN254 (Kate, Zaverucha and Goldberg, 2010), with openings of
//! many polynomials at one point.

use ark_bn254::{Bn254, Fr, G1Affine, G1Projective, G2Affine, g1};
use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Zero};

use super::srs::Srs;
use super::transcript::Transcript;
use super::{CommitError, Reader, check_count, evaluate, write};
use crate::msm::Msm;

/// The part of the powers that a verifier needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    /// The generator of the first group.
    pub g1: G1Affine,
    /// The generator of the second group.
    pub g2: G2Affine,
    /// The secret times the generator of the second group.
    pub tau_g2: G2Affine,
}

/// The prover's key: the powers of a secret, with which it commits to polynomials and opens them.
#[derive(Clone, Debug)]
pub struct Kzg {
    powers: Vec<G1Affine>,
    verifier: VerifierKey,
    /// Options of the multiplications.
    pub msm: Msm,
}

/// An opening proof: the commitment to the quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KzgProof(pub G1Affine);

impl KzgProof {
    /// Encodes the proof as its compressed point.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        write(&self.0, &mut out);
        out
    }

    /// Decodes a proof that [`KzgProof::to_bytes`] encoded.
    ///
    /// # Errors
    /// Returns [`CommitError::Encoding`] for any bytes that [`KzgProof::to_bytes`] does not
    /// produce.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CommitError> {
        let mut reader = Reader::new(bytes);
        let point = reader.point::<g1::Config>()?;
        reader.finish()?;
        Ok(Self(point))
    }
}

impl Kzg {
    /// A key from powers of a secret.
    pub fn new(srs: Srs) -> Self {
        let verifier = VerifierKey {
            g1: G1Affine::generator(),
            g2: G2Affine::generator(),
            tau_g2: srs.tau_g2(),
        };
        Self {
            powers: srs.into_powers(),
            verifier,
            msm: Msm::new(),
        }
    }

    /// The verifier's part of the key.
    pub fn verifier_key(&self) -> VerifierKey {
        self.verifier
    }

    /// Commits to a polynomial, given by its coefficients from the constant one up.
    ///
    /// # Errors
    /// Returns [`CommitError::TooLong`] for more coefficients than powers.
    pub fn commit(&self, coefficients: &[Fr]) -> Result<G1Affine, CommitError> {
        let (len, max) = (coefficients.len(), self.powers.len());
        if len > max {
            return Err(CommitError::TooLong { len, max });
        }
        let sum = self.msm.sum(&self.powers[..len], coefficients)?;
        Ok(sum.into_affine())
    }

    /// Returns the value of a polynomial at a point, and a proof of it.
    pub fn open(&self, coefficients: &[Fr], point: Fr) -> Result<(Fr, KzgProof), CommitError> {
        let (value, quotient) = divide(coefficients, point);
        Ok((value, KzgProof(self.commit(&quotient)?)))
    }

    /// Returns the values of several polynomials at one point, and one proof for all of them.
    /// `commitments` are the commitments to these polynomials, in the same order: the challenge
    /// that combines the polynomials is derived from them.
    ///
    /// # Errors
    /// As for [`Kzg::commit`], and [`CommitError::Length`] if there is not one commitment for each
    /// polynomial.
    pub fn open_batch(
        &self,
        polynomials: &[&[Fr]],
        commitments: &[G1Affine],
        point: Fr,
    ) -> Result<(Vec<Fr>, KzgProof), CommitError> {
        check_count("commitments", commitments.len(), polynomials.len())?;
        let values: Vec<Fr> = polynomials.iter().map(|p| evaluate(p, point)).collect();
        let gamma = batch_challenge(&self.verifier, commitments, point, &values);
        let len = polynomials.iter().map(|p| p.len()).max().unwrap_or(0);
        let mut combined = vec![Fr::ZERO; len];
        // Horner's rule, starting with the last polynomial.
        for polynomial in polynomials.iter().rev() {
            combined.iter_mut().for_each(|c| *c *= gamma);
            let pairs = combined.iter_mut().zip(*polynomial);
            pairs.for_each(|(c, p)| *c += p);
        }
        let (_, quotient) = divide(&combined, point);
        Ok((values, KzgProof(self.commit(&quotient)?)))
    }
}

impl VerifierKey {
    /// Checks that the committed polynomial has this value at this point.
    ///
    /// # Errors
    /// Returns [`CommitError::Rejected`] if the proof does not prove that statement.
    pub fn verify(
        &self,
        commitment: &G1Affine,
        point: Fr,
        value: Fr,
        proof: &KzgProof,
    ) -> Result<(), CommitError> {
        // The relation p - v = q (X - z) at X = tau, written as q tau = p - v + z q.
        let left: G1Projective = *commitment - self.g1 * value + proof.0 * point;
        let product = Bn254::multi_pairing([left.into_affine(), -proof.0], [self.g2, self.tau_g2]);
        let accepted = product.is_zero().then_some(());
        accepted.ok_or(CommitError::Rejected)
    }

    /// Checks the values of several committed polynomials at one point.
    ///
    /// # Errors
    /// Returns [`CommitError::Rejected`] if the proof does not prove these values, and
    /// [`CommitError::Length`] if there is not one value for each commitment.
    pub fn verify_batch(
        &self,
        commitments: &[G1Affine],
        point: Fr,
        values: &[Fr],
        proof: &KzgProof,
    ) -> Result<(), CommitError> {
        check_count("values", values.len(), commitments.len())?;
        let gamma = batch_challenge(self, commitments, point, values);
        let value = evaluate(values, gamma);
        let commitments = commitments.iter().rev();
        let commitment = commitments.fold(G1Projective::zero(), |sum, c| sum * gamma + c);
        self.verify(&commitment.into_affine(), point, value, proof)
    }
}

fn batch_challenge(key: &VerifierKey, commitments: &[G1Affine], point: Fr, values: &[Fr]) -> Fr {
    let mut transcript = Transcript::new(b"kzg-bn254-batch");
    transcript.append(b"tau-g2", &key.tau_g2);
    transcript.append_u64(b"count", commitments.len() as u64);
    for commitment in commitments {
        transcript.append(b"commitment", commitment);
    }
    transcript.append(b"point", &point);
    for value in values {
        transcript.append(b"value", value);
    }
    transcript.challenge(b"gamma")
}

/// Value at `point`, and quotient of the division by `X - point`.
fn divide(coefficients: &[Fr], point: Fr) -> (Fr, Vec<Fr>) {
    let mut quotient = vec![Fr::ZERO; coefficients.len().saturating_sub(1)];
    let mut carry = Fr::ZERO;
    for (i, coefficient) in coefficients.iter().enumerate().rev() {
        carry = carry * point + coefficient;
        if i > 0 {
            quotient[i - 1] = carry;
        }
    }
    (carry, quotient)
}
