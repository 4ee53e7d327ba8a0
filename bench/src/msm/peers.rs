//! Other libraries on the same input. Each result is compared with the expected sum.

use std::any::TypeId;

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInteger, PrimeField};
use blst::MultiPoint;
use droste_curves::msm::MsmCurve;
use halo2curves::ff::PrimeField as HaloField;
use halo2curves::group::Curve;
use halo2curves::{CurveAffine, msm::msm_best};

use super::Call;
use super::pasta;

/// Returns all peers that support the curve.
pub fn all<'a, C: MsmCurve>(
    bases: &'a [Affine<C>],
    scalars: &'a [C::ScalarField],
    threads: usize,
    expected: &Projective<C>,
) -> Vec<Call<'a>>
where
    Projective<C>: VariableBaseMSM<MulBase = Affine<C>, ScalarField = C::ScalarField>,
{
    let mut calls: Vec<Call<'a>> = vec![(
        "ark".to_owned(),
        Box::new(move || {
            std::hint::black_box(Projective::<C>::msm(bases, scalars).ok());
        }),
    )];
    let curve = TypeId::of::<C>();
    if curve == TypeId::of::<ark_bn254::g1::Config>() {
        calls.extend(halo::<C, halo2curves::bn256::G1Affine>(
            bases, scalars, expected,
        ));
    } else if curve == TypeId::of::<ark_grumpkin::GrumpkinConfig>() {
        calls.extend(halo::<C, halo2curves::grumpkin::G1Affine>(
            bases, scalars, expected,
        ));
    } else if curve == TypeId::of::<ark_pallas::PallasConfig>() {
        calls.extend(halo::<C, halo2curves::pasta::PallasAffine>(
            bases, scalars, expected,
        ));
        calls.extend(pasta::pallas(bases, scalars, threads, expected));
    } else if curve == TypeId::of::<ark_vesta::VestaConfig>() {
        calls.extend(halo::<C, halo2curves::pasta::VestaAffine>(
            bases, scalars, expected,
        ));
        calls.extend(pasta::vesta(bases, scalars, threads, expected));
    } else if curve == TypeId::of::<ark_bls12_381::g1::Config>() && threads == 1 {
        calls.extend(supranational(bases, scalars));
    }
    calls
}

fn convert<F: PrimeField, H: HaloField<Repr: From<[u8; 32]>>>(value: &F) -> Option<H> {
    let bytes: [u8; 32] = value.into_bigint().to_bytes_le().try_into().ok()?;
    H::from_repr(bytes.into()).into_option()
}

fn point<C: MsmCurve, H>(point: &Affine<C>) -> Option<H>
where
    H: CurveAffine<Base: HaloField<Repr: From<[u8; 32]>>>,
{
    let (x, y) = point.xy()?;
    H::from_xy(convert(&x)?, convert(&y)?).into_option()
}

/// `msm_best` of halo2curves, which uses the threads of the current rayon pool.
fn halo<'a, C: MsmCurve, H>(
    bases: &[Affine<C>],
    scalars: &[C::ScalarField],
    expected: &Projective<C>,
) -> Option<Call<'a>>
where
    H: CurveAffine<
            Base: HaloField<Repr: From<[u8; 32]>>,
            ScalarExt: HaloField<Repr: From<[u8; 32]>>,
        > + 'a,
{
    let points: Vec<H> = bases.iter().map(point).collect::<Option<_>>()?;
    let scalars: Vec<H::ScalarExt> = scalars.iter().map(convert).collect::<Option<_>>()?;
    let sum = msm_best(&scalars, &points).to_affine();
    let expected: Option<H> = point(&expected.into_affine());
    assert!(
        expected.is_none_or(|expected| expected == sum),
        "halo2curves disagrees"
    );
    let call = move || {
        std::hint::black_box(msm_best(&scalars, &points));
    };
    Some(("halo2curves".to_owned(), Box::new(call)))
}

/// blst, built without threads of its own.
fn supranational<'a, C: MsmCurve>(
    bases: &[Affine<C>],
    scalars: &[C::ScalarField],
) -> Option<Call<'a>> {
    let mut points = vec![];
    for base in bases {
        let (x, y) = base.xy()?;
        let mut serialized = [0u8; 96];
        serialized[..48].copy_from_slice(&x.into_bigint().to_bytes_be());
        serialized[48..].copy_from_slice(&y.into_bigint().to_bytes_be());
        let mut point = blst::blst_p1_affine::default();
        // SAFETY: source and target have the sizes that the function's documentation demands.
        let status = unsafe { blst::blst_p1_deserialize(&mut point, serialized.as_ptr()) };
        if status != blst::BLST_ERROR::BLST_SUCCESS {
            return None;
        }
        points.push(point);
    }
    let bytes: Vec<u8> = scalars
        .iter()
        .flat_map(|scalar| scalar.into_bigint().to_bytes_le())
        .collect();
    let call = move || {
        std::hint::black_box(points.as_slice().mult(&bytes, 255));
    };
    Some(("blst".to_owned(), Box::new(call)))
}
