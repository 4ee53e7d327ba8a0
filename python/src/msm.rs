//! Multi-scalar multiplication on arrays of limbs.

use ark_ec::short_weierstrass::Affine;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;
use droste_curves::msm::{Msm, MsmCurve};
use pyo3::prelude::*;

use crate::arrays::{array, limbs};
use crate::compute::compute;
use crate::error::{Error, Kind};
use crate::extract::{self, expected};

/// Number of limbs of a scalar.
const SCALAR: usize = 4;

/// The curves' names.
const CURVES: &str = "bn254, grumpkin, pallas, vesta or bls12-381";

/// Returns the sum of scalars times points, `sum_i scalars[i] * bases[i]`.
///
/// Integers are `uint64` limbs, the lowest first, and not in Montgomery form. The point at infinity
/// is two zero coordinates. Nothing runs in constant time: scalars must not be secret.
///
/// Args:
///     curve: `bn254`, `grumpkin`, `pallas`, `vesta` or `bls12-381` (G1).
///     bases: affine points, a contiguous array of shape (n, 2, limbs): 4 limbs a coordinate, 6
///         for `bls12-381`. Each must be on the curve; whether points of `bls12-381` are in the
///         subgroup of prime order is not checked, and the sum is right for all points of the
///         curve.
///     scalars: a contiguous array of shape (n, 4). They may exceed the group's order.
///
/// Returns:
///     The affine sum, an array of shape (2, limbs).
#[pyfunction]
#[pyo3(signature = (curve, bases, scalars, /))]
pub fn msm<'py>(
    #[pyo3(from_py_with = extract::text)] curve: &str,
    bases: &Bound<'py, PyAny>,
    scalars: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match curve {
        "bn254" => sum::<ark_bn254::g1::Config>(bases, scalars),
        "grumpkin" => sum::<ark_grumpkin::GrumpkinConfig>(bases, scalars),
        "pallas" => sum::<ark_pallas::PallasConfig>(bases, scalars),
        "vesta" => sum::<ark_vesta::VestaConfig>(bases, scalars),
        "bls12-381" => sum::<ark_bls12_381::g1::Config>(bases, scalars),
        _ => {
            let message = format!("unknown curve `{curve}`: expected {CURVES}");
            Err(Error::usage(message).into())
        }
    }
}

fn sum<'py, C: MsmCurve>(
    bases: &Bound<'py, PyAny>,
    scalars: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = bases.py();
    let width = C::BaseField::MODULUS_BIT_SIZE.div_ceil(64) as usize;
    let (shape, base_limbs) = limbs(bases)?;
    if !matches!(*shape, [_, 2, found] if found == width) {
        let what = format!("points: uint64 of shape (n, 2, {width})");
        return Err(expected(bases, &what));
    }
    let (shape, scalar_limbs) = limbs(scalars)?;
    if !matches!(*shape, [_, SCALAR]) {
        return Err(expected(scalars, "scalars: uint64 of shape (n, 4)"));
    }
    let sum = compute(py, move || {
        let bases: Vec<Affine<C>> = base_limbs
            .chunks_exact(2 * width)
            .enumerate()
            .map(|(index, point)| affine(index, point))
            .collect::<Result<_, _>>()?;
        let scalars = scalar_limbs.as_chunks::<SCALAR>().0;
        let scalars: Vec<_> = scalars.iter().map(|&limbs| ark_ff::BigInt(limbs)).collect();
        let sum = Msm::new().sum_bigint(&bases, &scalars);
        let sum = sum.map_err(|error| Error::new(Kind::Msm, error.to_string()))?;
        Ok(coordinates(&sum.into_affine(), width))
    })?;
    array(py, &sum, "uint64", &[2, width])
}

/// The point with these coordinates.
fn affine<C: MsmCurve>(index: usize, limbs: &[u64]) -> Result<Affine<C>, Error> {
    if limbs.iter().all(|&limb| limb == 0) {
        return Ok(Affine::identity());
    }
    let (x, y) = limbs.split_at(limbs.len() / 2);
    let coordinate = |limbs: &[u64]| {
        let mut integer = <C::BaseField as PrimeField>::BigInt::default();
        for (limb, &given) in integer.as_mut().iter_mut().zip(limbs) {
            *limb = given;
        }
        let message = || format!("a coordinate of base {index} is not below the field's order");
        C::BaseField::from_bigint(integer).ok_or_else(|| Error::usage(message()))
    };
    let point = Affine::<C>::new_unchecked(coordinate(x)?, coordinate(y)?);
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(Error::usage(format!("base {index} is not on the curve")))
    }
}

/// The limbs of an affine point's coordinates, as bytes.
fn coordinates<C: MsmCurve>(point: &Affine<C>, width: usize) -> Vec<u8> {
    let Some((x, y)) = point.xy() else {
        return vec![0; 2 * 8 * width];
    };
    [x, y]
        .iter()
        .flat_map(|coordinate| coordinate.into_bigint().as_ref().to_vec())
        .flat_map(u64::to_ne_bytes)
        .collect()
}
