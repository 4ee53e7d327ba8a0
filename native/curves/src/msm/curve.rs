//! The curves that the multiplication supports.

use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::{BigInt, PrimeField};

use super::field::KernelField;

/// A short Weierstrass curve over a prime field of 4 or 6 limbs, with a scalar field of 4 limbs.
///
/// Implemented for every arkworks curve of that shape: BN254 G1, Grumpkin, Pallas, Vesta,
/// BLS12-381 G1, and others.
pub trait MsmCurve:
    SWCurveConfig<BaseField: KernelField, ScalarField: PrimeField<BigInt = BigInt<4>> + KernelField>
{
}

impl<C> MsmCurve for C where
    C: SWCurveConfig<
            BaseField: KernelField,
            ScalarField: PrimeField<BigInt = BigInt<4>> + KernelField,
        >
{
}
