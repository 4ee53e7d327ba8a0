//! Whole calls compared with single multiplications of a generator.

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{BigInt, Field, One, PrimeField, Zero};

use std::sync::{Arc, Mutex};

use crate::test_utils::on_words;

use super::{FieldBackend, Msm, MsmCurve, MsmError, Toggle, msm, msm_batch, msm_bigint};

type Bn254 = ark_bn254::g1::Config;

/// Evaluates an expression with each backend that this machine has.
macro_rules! on_backends {
    ($backend:ident => $check:expr) => {{
        let $backend = &$crate::msm::portable::Portable;
        $check;
        #[cfg(target_arch = "x86_64")]
        if let Some($backend) = &$crate::msm::ifma::Ifma::<ark_bn254::g1::Config>::new() {
            $check;
        }
    }};
}
pub(super) use on_backends;

/// Deterministic scalars.
pub(super) fn scalars<F: PrimeField>(seed: u64, n: usize) -> Vec<F> {
    let mut state = seed;
    let mut word = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..n)
        .map(|_| {
            let bytes: Vec<u8> = (0..8).flat_map(|_| word().to_le_bytes()).collect();
            F::from_le_bytes_mod_order(&bytes)
        })
        .collect()
}

/// Multiples of the generator by the given scalars.
pub(super) fn multiples<C: MsmCurve>(by: &[C::ScalarField]) -> Vec<Affine<C>> {
    let g = Projective::<C>::generator();
    // One table of doublings for all scalars.
    let table: Vec<_> = std::iter::successors(Some(g), |p| Some(*p + *p))
        .take(256)
        .collect();
    let sums: Vec<_> = by
        .iter()
        .map(|k| {
            let bits = ark_ff::BitIteratorLE::new(k.into_bigint());
            bits.zip(&table)
                .filter(|(bit, _)| *bit)
                .map(|(_, p)| *p)
                .sum::<Projective<C>>()
        })
        .collect();
    Projective::normalize_batch(&sums)
}

/// The options that are tested on each input.
fn variants() -> Vec<Msm> {
    vec![
        Msm::new().backend(FieldBackend::Portable),
        Msm::new()
            .backend(FieldBackend::Portable)
            .threads(2)
            .window(7),
        Msm::new(),
        Msm::new().threads(1),
        Msm::new().threads(3).window(5),
        Msm::new().threads(64).window(9),
        Msm::new().threads(1).endomorphism(Toggle::On),
        Msm::new().threads(2).duplicates(Toggle::On),
        Msm::new()
            .threads(2)
            .endomorphism(Toggle::On)
            .duplicates(Toggle::On),
        Msm::new()
            .backend(FieldBackend::Portable)
            .endomorphism(Toggle::On)
            .duplicates(Toggle::On),
        Msm::new()
            .endomorphism(Toggle::Off)
            .duplicates(Toggle::Off)
            .window(6),
    ]
}

fn check_with<C: MsmCurve>(by: &[C::ScalarField], scalars: &[C::ScalarField], variants: &[Msm]) {
    check_bases(&multiples::<C>(by), by, scalars, variants);
}

/// Checks sums over bases that are the generator times `by`.
fn check_bases<C: MsmCurve>(
    bases: &[Affine<C>],
    by: &[C::ScalarField],
    scalars: &[C::ScalarField],
    variants: &[Msm],
) {
    let expected: C::ScalarField = by.iter().zip(scalars).map(|(a, b)| *a * b).sum();
    let expected = (Affine::<C>::generator() * expected).into_affine();
    for variant in variants {
        let sum = variant.sum(bases, scalars).unwrap();
        assert_eq!(sum.into_affine(), expected, "n = {}, {variant:?}", by.len());
    }
}

fn check<C: MsmCurve>(by: &[C::ScalarField], scalars: &[C::ScalarField]) {
    check_with::<C>(by, scalars, &variants());
}

fn every_size<C: MsmCurve>() {
    let by = scalars::<C::ScalarField>(1, 300);
    let k = scalars::<C::ScalarField>(2, 300);
    let bases = multiples::<C>(&by);
    let step = if C::COFACTOR == [1] { 1 } else { 13 };
    for n in (0..=300).step_by(step) {
        check_bases(&bases[..n], &by[..n], &k[..n], &[Msm::new().threads(1)]);
    }
    check_bases(&bases, &by, &k, &variants());
}

#[test]
fn every_size_bn254() {
    every_size::<Bn254>();
}

#[test]
fn every_size_grumpkin() {
    every_size::<ark_grumpkin::GrumpkinConfig>();
}

#[test]
fn every_size_pallas() {
    every_size::<ark_pallas::PallasConfig>();
}

#[test]
fn every_size_vesta() {
    every_size::<ark_vesta::VestaConfig>();
}

#[test]
fn every_size_bls12_381() {
    every_size::<ark_bls12_381::g1::Config>();
}

/// Numbers of terms around those at which paths change, with fewer and with more workers than
/// terms or windows.
#[test]
fn few_terms_and_many_threads() {
    let by = scalars::<ark_bn254::Fr>(16, 40);
    let k = scalars::<ark_bn254::Fr>(17, 40);
    let mut variants = vec![];
    for threads in [1, 2, 3, 7, 100] {
        for toggle in [Toggle::On, Toggle::Off] {
            for backend in [FieldBackend::Auto, FieldBackend::Portable] {
                let options = Msm::new().threads(threads).backend(backend);
                variants.push(options.clone().endomorphism(toggle));
                variants.push(options.endomorphism(toggle).window(13));
            }
        }
    }
    for n in [0, 1, 2, 16, 17, 18, 40] {
        check_with::<Bn254>(&by[..n], &k[..n], &variants);
    }
}

/// Inputs on which incomplete addition formulas, or careless sorting, fail.
fn special_inputs<C: MsmCurve>() {
    let one = C::ScalarField::one();
    let n = 400;
    let random = scalars::<C::ScalarField>(3, n);
    let counted = |f: &dyn Fn(u64) -> C::ScalarField| (0..n as u64).map(f).collect::<Vec<_>>();
    let bases = [
        // One point repeated, a few points repeated, and opposite pairs.
        vec![one; n],
        counted(&|i| C::ScalarField::from(i % 3 + 1)),
        counted(&|i| if i % 2 == 0 { one } else { -one }),
        // Points P + iQ, some sums of which are equal.
        counted(&|i| C::ScalarField::from(7 + i)),
        // Some identities, and only identities.
        counted(&|i| C::ScalarField::from(i % 5)),
        vec![C::ScalarField::zero(); n],
        random.clone(),
    ];
    let multipliers = [
        vec![one; n],
        vec![random[0]; n],
        vec![-one; n],
        vec![C::ScalarField::zero(); n],
        counted(&|i| {
            if i == 77 {
                -one
            } else {
                C::ScalarField::zero()
            }
        }),
        counted(&|i| -C::ScalarField::from(i)),
        counted(&|i| C::ScalarField::from(i % 4)),
        counted(&|i| C::ScalarField::from(2u64).pow([i % 250])),
        counted(&|i| C::ScalarField::from(u64::MAX - i)),
        random,
    ];
    for by in &bases {
        for k in &multipliers {
            check::<C>(by, k);
        }
    }
}

#[test]
fn special_inputs_bn254() {
    special_inputs::<Bn254>();
}

#[test]
fn special_inputs_pallas() {
    special_inputs::<ark_pallas::PallasConfig>();
}

/// Every window size, with scalars whose length is a multiple of it, one bit less and one bit more.
#[test]
fn window_edges() {
    let by = scalars::<ark_bn254::Fr>(4, 40);
    let bases = multiples::<Bn254>(&by);
    for window in 2..=14 {
        for bits in [
            window - 1,
            window,
            2 * window - 1,
            8 * window,
            8 * window + 1,
        ] {
            let top = BigInt::<4>::from(1u64) << bits;
            let k: Vec<_> = (0..40u64)
                .map(|i| {
                    let mut value = top;
                    ark_ff::BigInteger::sub_with_borrow(&mut value, &BigInt::from(1 + i % 2));
                    value
                })
                .collect();
            let sum = Msm::new().window(window).sum_bigint(&bases, &k).unwrap();
            let expected: ark_bn254::Fr = by
                .iter()
                .zip(&k)
                .map(|(a, b)| *a * ark_bn254::Fr::from_bigint(*b).unwrap())
                .sum();
            assert_eq!(sum, ark_bn254::G1Projective::generator() * expected);
        }
    }
}

/// Integers up to `2^256 - 1` are accepted and not reduced first.
#[test]
fn integers_above_the_order() {
    let by = scalars::<ark_bn254::Fr>(5, 33);
    let bases = multiples::<Bn254>(&by);
    for n in [1, 33] {
        let k = vec![BigInt([u64::MAX; 4]); n];
        let factor = ark_bn254::Fr::from(2u64).pow([256]) - ark_bn254::Fr::one();
        let expected = by[..n].iter().sum::<ark_bn254::Fr>() * factor;
        let sum = msm_bigint(&bases[..n], &k).unwrap();
        assert_eq!(sum, ark_bn254::G1Projective::generator() * expected);
    }
}

#[test]
fn errors_say_what_was_wrong() {
    let g = ark_bn254::G1Affine::generator();
    let one = ark_bn254::Fr::one();
    assert_eq!(
        msm(&[g, g], &[one]),
        Err(MsmError::LengthMismatch {
            bases: 2,
            scalars: 1
        })
    );
    for window in [0, 1, 21] {
        let wrong = Msm::new().window(window).sum(&[g], &[one]);
        assert_eq!(wrong, Err(MsmError::Window(window)));
    }
}

/// Batches of vectors of many lengths and kinds, over prefixes of the same bases.
#[test]
fn batches() {
    let n = 500;
    let by = scalars::<ark_bn254::Fr>(6, n);
    let mut bases = multiples::<Bn254>(&by);
    bases[3] = Affine::identity();
    let random = scalars::<ark_bn254::Fr>(7, n);
    let same = vec![random[0]; n];
    let few: Vec<_> = random
        .iter()
        .map(|k| if k.0.0[0] & 1 == 0 { random[1] } else { *k })
        .collect();
    let small: Vec<_> = (0..n as u64).map(|i| (i % 9).into()).collect();
    let vectors = [
        &random[..],
        &[],
        &same,
        &few[..77],
        &small,
        &random[..3],
        &few,
        &random[..200],
    ];
    let expected: Vec<_> = vectors
        .iter()
        .map(|vector| {
            let terms = by.iter().zip(*vector).enumerate().filter(|(i, _)| *i != 3);
            let sum: ark_bn254::Fr = terms.map(|(_, (a, b))| *a * b).sum();
            ark_bn254::G1Projective::generator() * sum
        })
        .collect();
    assert_eq!(msm_batch(&bases, &vectors).unwrap(), expected);
    for toggle in [Toggle::On, Toggle::Off] {
        for backend in [FieldBackend::Auto, FieldBackend::Portable] {
            // With a memory budget of 0, one vector at a time is still processed.
            for memory in [0, 1 << 16, usize::MAX] {
                let options = Msm::new().threads(2).memory(memory).backend(backend);
                let options = options.endomorphism(toggle).duplicates(toggle);
                assert_eq!(options.sum_batch(&bases, &vectors).unwrap(), expected);
            }
        }
    }
    let (bases_left, long) = (2, [&random[..4]]);
    assert_eq!(
        msm_batch(&bases[..bases_left], &long),
        Err(MsmError::LengthMismatch {
            bases: 2,
            scalars: 4
        })
    );
}

/// Every combination of options, with enough terms that every stage is distributed over the
/// workers, and with repeats, zeros and identities among them.
#[test]
fn all_options_agree() {
    let n = 5000;
    let mut by = scalars::<ark_bn254::Fr>(14, n);
    let mut k = scalars::<ark_bn254::Fr>(15, n);
    for i in 0..n {
        match i % 11 {
            0 => k[i] = ark_bn254::Fr::zero(),
            1..4 => k[i] = k[i % 3 + 1],
            4 => by[i] = by[4],
            5 => by[i] = -by[4],
            _ => {}
        }
    }
    let mut variants = vec![];
    let toggles = [Toggle::Auto, Toggle::On, Toggle::Off];
    for backend in [FieldBackend::Auto, FieldBackend::Portable] {
        for endomorphism in toggles {
            for duplicates in toggles {
                for threads in [1, 2, 3] {
                    let options = Msm::new().backend(backend).threads(threads);
                    variants.push(options.endomorphism(endomorphism).duplicates(duplicates));
                }
            }
        }
    }
    check_with::<Bn254>(&by, &k, &variants);
    // Identities among the bases.
    by.iter_mut()
        .step_by(13)
        .for_each(|by| *by = ark_bn254::Fr::zero());
    check_with::<Bn254>(&by, &k, &variants);
}

/// The record of a call says which paths it took.
#[test]
fn records() {
    let n = 300;
    let by = scalars::<ark_bn254::Fr>(8, n);
    let bases = multiples::<Bn254>(&by);
    let mut k = scalars::<ark_bn254::Fr>(9, n);
    let first = k[0];
    k[..100].fill(first);
    k[100..150].fill(ark_bn254::Fr::zero());
    let records = Arc::new(Mutex::new(vec![]));
    let sink = records.clone();
    let options = Msm::new()
        .label("test")
        .trace(move |record| sink.lock().unwrap().push(record.clone()));
    let _ = options.sum(&bases, &k).unwrap();
    let _ = options
        .endomorphism(Toggle::On)
        .sum(&bases[..120], &k[..120])
        .unwrap();
    let records = records.lock().unwrap();
    let first = &records[0];
    assert_eq!(
        (first.label.as_str(), first.n, first.active),
        ("test", 300, 250)
    );
    assert_eq!(
        (
            first.clusters,
            first.members_flattened,
            first.members_dropped
        ),
        (1, 100, 99)
    );
    assert!(
        first.window > 1 && first.rounds == (first.bits + 1).div_ceil(first.window)
            || first.endomorphism
    );
    assert!(first.duplicate_density > 300 && first.stages.accumulate.as_nanos() > 0);
    // All scalars are equal, so one cluster is left.
    assert_eq!((records[1].active, records[1].window), (100, 0));
}

#[test]
fn random_inputs() {
    on_words(24, 4, &|words| {
        let (n, seed) = ((words[0] % 2000) as usize, words[1]);
        let (window, threads) = (2 + (words[2] % 13) as u32, 1 + (words[3] % 4) as usize);
        let by = scalars(seed, n);
        let k = scalars(!seed, n);
        check_with::<Bn254>(&by, &k, &[Msm::new().threads(threads).window(window)]);
    });
}
