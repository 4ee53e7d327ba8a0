//! pasta-msm on its two curves, Pallas and Vesta.

use std::hint::black_box;

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, PrimeField};
use droste_curves::msm::MsmCurve;
use pasta_curves::arithmetic::CurveAffine;
use pasta_curves::group::Curve;
use pasta_curves::group::ff::PrimeField as PastaField;

use super::Call;
use crate::clock::{self, Clock};

/// Returns whether pasta-msm can be compared at this number of threads. It uses threads of its own,
/// as many as the machine has cores. With fewer threads only CPU time is comparable.
fn comparable(threads: usize) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    threads == cores || clock::get() == Clock::Cpu
}

fn convert<F: PrimeField, H: PastaField<Repr = [u8; 32]>>(value: &F) -> Option<H> {
    let bytes: [u8; 32] = value.into_bigint().to_bytes_le().try_into().ok()?;
    H::from_repr(bytes).into_option()
}

fn point<C: MsmCurve, H>(point: &Affine<C>) -> Option<H>
where
    H: CurveAffine<Base: PastaField<Repr = [u8; 32]>>,
{
    let (x, y) = point.xy()?;
    H::from_xy(convert(&x)?, convert(&y)?).into_option()
}

macro_rules! peer {
    ($curve:ident) => {
        pub fn $curve<'a, C: MsmCurve>(
            bases: &[Affine<C>],
            scalars: &[C::ScalarField],
            threads: usize,
            expected: &Projective<C>,
        ) -> Option<Call<'a>> {
            use pasta_curves::$curve::{Affine, Scalar};
            // It panics if there are no terms.
            if bases.is_empty() || !comparable(threads) {
                return None;
            }
            let points: Vec<Affine> = bases.iter().map(point).collect::<Option<_>>()?;
            let scalars: Vec<Scalar> = scalars.iter().map(convert).collect::<Option<_>>()?;
            let sum = pasta_msm::$curve(&points, &scalars).to_affine();
            let expected: Option<Affine> = point(&expected.into_affine());
            assert!(
                expected.is_none_or(|expected| expected == sum),
                "pasta-msm disagrees"
            );
            let call = move || {
                black_box(pasta_msm::$curve(&points, &scalars));
            };
            Some(("pasta-msm".to_owned(), Box::new(call)))
        }
    };
}

peer!(pallas);
peer!(vesta);
