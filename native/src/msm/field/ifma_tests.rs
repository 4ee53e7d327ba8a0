//! The vector functions against arkworks, lane by lane.

use ark_ff::{BigInt, BigInteger, PrimeField};
use proptest::prelude::*;

use super::KernelField;
use super::ifma::*;

/// Integers of up to 260 bits, by lane and limb.
type Lanes = [[u64; LIMBS]; 8];

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn load_fe(lanes: &Lanes) -> Fe {
    let mut out = splat(&[0; LIMBS]);
    for limb in 0..LIMBS {
        out[limb] = load(&std::array::from_fn(|lane| lanes[lane][limb]));
    }
    out
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn store_fe(value: &Fe) -> Lanes {
    let mut out = [[0; LIMBS]; 8];
    for limb in 0..LIMBS {
        let mut words = [0; 8];
        store(&mut words, value[limb]);
        (0..8).for_each(|lane| out[lane][limb] = words[lane]);
    }
    out
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn store_columns(value: &Fe) -> [[u64; 8]; LIMBS] {
    let mut out = [[0; 8]; LIMBS];
    for limb in 0..LIMBS {
        store(&mut out[limb], value[limb]);
    }
    out
}

/// The element an integer in limbs stands for; limbs need not be normal.
fn value<F: PrimeField>(limbs: &[u64; LIMBS]) -> F {
    let radix = F::from(1u64 << 52);
    limbs
        .iter()
        .rev()
        .fold(F::ZERO, |sum, &limb| sum * radix + F::from(limb))
}

fn add_integers(a: &[u64; LIMBS], b: &[u64; LIMBS]) -> [u64; LIMBS] {
    let mut carry = 0;
    std::array::from_fn(|i| {
        let sum = a[i] + b[i] + carry;
        carry = if i + 1 < LIMBS { sum >> 52 } else { 0 };
        if i + 1 < LIMBS {
            sum & ((1 << 52) - 1)
        } else {
            sum
        }
    })
}

fn at_most(a: &[u64; LIMBS], b: &[u64; LIMBS]) -> bool {
    a.iter().rev().le(b.iter().rev())
}

/// An element, 0, 1, p - 1 or p, plus a multiple of p.
fn integer<F: KernelField>(words: [u64; 4], shape: u8, multiple: u8) -> [u64; LIMBS] {
    let p = limbs(&F::modulus4().unwrap());
    let base = match shape % 8 {
        0 => F::ZERO,
        1 => F::ONE,
        2 => -F::ONE,
        _ => F::from_le_bytes_mod_order(&BigInt(words).to_bytes_le()),
    };
    let words: [u64; 4] = base.into_bigint().as_ref().try_into().unwrap();
    (0..multiple).fold(limbs(&words), |sum, _| add_integers(&sum, &p))
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn check<F: KernelField>(a: &Lanes, b: &Lanes) {
    let words = F::modulus4().unwrap();
    let m = Modulus::new(&words).unwrap();
    let p = limbs(&words);
    let twice = add_integers(&p, &p);
    let normal = |lanes: &Lanes| lanes.iter().flatten().all(|&limb| limb < 1 << 52);
    let (x, y) = (load_fe(a), load_fe(b));
    let radix = F::from(2u64).pow([260]).inverse().unwrap();

    let product = store_fe(&m.mul(&x, &y));
    assert!(normal(&product));
    // Every lane of `a` with itself and with the numbers of the others.
    let terms = [store_columns(&x), store_columns(&y), store_columns(&x)];
    let dot = store_fe(&m.dot_broadcast(&terms, &terms[1]));
    assert!(normal(&dot));
    let difference = store_fe(&m.sub::<5>(&x, &y));
    assert!(normal(&difference));
    // Sums of limbs are not normal.
    let reduced = store_fe(&m.reduce_once::<4>(&add(&x, &y)));
    assert!(normal(&reduced));
    let exact = store_fe(&m.reduce_exactly::<2>(&x));
    assert!(normal(&exact));
    let (zero, maybe) = (m.is_zero(&x), m.maybe_zero(&x));
    for lane in 0..8 {
        let (u, v) = (value::<F>(&a[lane]), value::<F>(&b[lane]));
        assert_eq!(value::<F>(&product[lane]), u * v * radix);
        let factors = [0, 1, 2].map(|term| value::<F>(&b[term]));
        let sum = u * factors[0] + v * factors[1] + u * factors[2];
        assert_eq!(value::<F>(&dot[lane]), sum * radix);
        assert!(at_most(&product[lane], &add_integers(&twice, &p)));
        assert_eq!(value::<F>(&difference[lane]), u - v);
        assert_eq!(value::<F>(&reduced[lane]), u + v);
        assert_eq!(value::<F>(&exact[lane]), u);
        let less = at_most(&twice, &a[lane]);
        assert_eq!(
            add_integers(&exact[lane], &if less { twice } else { [0; 5] }),
            a[lane]
        );
        assert_eq!(zero >> lane & 1 == 1, u.is_zero());
        assert!(zero & !maybe == 0);
    }
    assert_eq!(store_fe(&select(0x5a, &x, &y))[1], b[1]);
    assert_eq!(store_fe(&select(0x5a, &x, &y))[2], a[2]);
}

fn check_fields(seeds: &[([u64; 4], u8, u8)]) {
    if !available() {
        return;
    }
    fn run<F: KernelField>(seeds: &[([u64; 4], u8, u8)]) {
        let at = |i: usize| {
            let (words, shape, multiple) = seeds[i];
            integer::<F>(words, shape, multiple % 5)
        };
        let (a, b) = (std::array::from_fn(at), std::array::from_fn(|i| at(i + 8)));
        // SAFETY: the features were found.
        unsafe { check::<F>(&a, &b) };
    }
    run::<ark_bn254::Fq>(seeds);
    run::<ark_bn254::Fr>(seeds);
    run::<ark_pallas::Fq>(seeds);
    run::<ark_pallas::Fr>(seeds);
}

#[test]
fn boundaries() {
    for shapes in 0..=255u8 {
        let seeds: Vec<_> = (0..16u8)
            .map(|i| {
                let (shape, multiple) = (shapes.rotate_left(u32::from(i)) % 4, shapes ^ i);
                ([u64::MAX - u64::from(shapes); 4], shape, multiple)
            })
            .collect();
        check_fields(&seeds);
    }
}

proptest! {
    #[test]
    fn random_values(seeds in prop::collection::vec(any::<([u64; 4], u8, u8)>(), 16)) {
        check_fields(&seeds);
    }

    #[test]
    fn words_and_transposition(words: [[u64; 8]; 8]) {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
        fn check(words: &[[u64; 8]; 8]) {
            let rows = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| load(&words[i]));
            let columns = transpose(&rows);
            for (i, column) in columns.iter().enumerate() {
                let mut out = [0; 8];
                store(&mut out, *column);
                assert_eq!(out, std::array::from_fn(|j| words[j][i]));
            }
            let fe = from_words(&[rows[0], rows[1], rows[2], rows[3]]);
            let lanes = store_fe(&fe);
            for lane in 0..8 {
                assert_eq!(lanes[lane], limbs(&std::array::from_fn(|i| words[i][lane])));
            }
            for (row, back) in words.iter().zip(to_words(&fe)) {
                let mut out = [0; 8];
                store(&mut out, back);
                assert_eq!(&out, row);
            }
        }
        if available() {
            // SAFETY: the features were found.
            unsafe { check(&words) };
        }
    }
}

#[test]
fn moduli_out_of_range() {
    assert!(Modulus::new(&[2, 0, 0, 1]).is_none());
    assert!(Modulus::new(&[1, 0, 0, 1 << 63]).is_none());
    assert!(Modulus::new(&[1, 0, 0, 0]).is_none());
}
