//! Pedersen vector commitments: `sum_i a_i G_i + r H`.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::PrimeField;
use educe::Educe;

use super::CommitError;
use super::transcript::Transcript;
use crate::msm::{Msm, MsmCurve};

/// Bases of a vector commitment. Nobody knows a linear relation between them, which makes the
/// commitment binding.
#[derive(Educe)]
#[educe(Clone)]
pub struct PedersenKey<C: MsmCurve> {
    bases: Vec<Affine<C>>,
    blinding: Affine<C>,
    value: Affine<C>,
    /// Options of the multiplications.
    pub msm: Msm,
}

impl<C: MsmCurve> PedersenKey<C> {
    /// A key for vectors of up to `len` elements, whose bases are hashed to the curve from a seed.
    /// A longer key from the same seed begins with the bases of a shorter one.
    pub fn new(seed: &[u8], len: usize) -> Self {
        let base = |label: &'static [u8], index: u64| hash_to_curve::<C>(seed, label, index);
        Self {
            bases: (0..len as u64).map(|i| base(b"base", i)).collect(),
            blinding: base(b"blinding", 0),
            value: base(b"value", 0),
            msm: Msm::new(),
        }
    }

    /// The bases by which the vector's elements are multiplied.
    pub fn bases(&self) -> &[Affine<C>] {
        &self.bases
    }

    /// The base by which the blinding factor is multiplied.
    pub fn blinding_base(&self) -> Affine<C> {
        self.blinding
    }

    /// The base by which openings multiply the value.
    pub(super) fn value_base(&self) -> Affine<C> {
        self.value
    }

    /// Commits to values, followed by zeros up to the length of the key. Without a blinding factor
    /// the commitment is binding but not hiding.
    ///
    /// # Errors
    /// Returns [`CommitError::TooLong`] if there are more values than bases.
    pub fn commit(
        &self,
        values: &[C::ScalarField],
        blinding: Option<C::ScalarField>,
    ) -> Result<Projective<C>, CommitError> {
        let (len, max) = (values.len(), self.bases.len());
        if len > max {
            return Err(CommitError::TooLong { len, max });
        }
        let sum = self.msm.sum(&self.bases[..len], values)?;
        Ok(match blinding {
            Some(factor) => sum + self.blinding * factor,
            None => sum,
        })
    }
}

/// A point of the prime-order group whose discrete logarithm nobody knows: abscissas derived from
/// the seed are tried until one is on the curve.
fn hash_to_curve<C: MsmCurve>(seed: &[u8], label: &'static [u8], index: u64) -> Affine<C> {
    let mut transcript = Transcript::new(b"hash-to-curve");
    transcript.append(b"curve", &Affine::<C>::generator());
    transcript.append_bytes(b"seed", seed);
    transcript.append_bytes(b"label", label);
    transcript.append_u64(b"index", index);
    loop {
        let x = C::BaseField::from_le_bytes_mod_order(&transcript.bytes::<64>(b"x"));
        let greatest = transcript.bytes::<1>(b"sign")[0] & 1 == 1;
        if let Some(point) = Affine::<C>::get_point_from_x_unchecked(x, greatest) {
            let point = point.clear_cofactor();
            if !point.is_zero() {
                return point;
            }
        }
    }
}
