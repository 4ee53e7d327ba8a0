//! Both multipliers against integers of arbitrary size.

use num_bigint::BigUint;

use super::*;
use crate::test_utils::{on_words, rows};

/// BN254's base field, BLS12-377's scalar field, and the largest modulus that is allowed.
fn moduli() -> [Limbs; 3] {
    use ark_ff::PrimeField;
    [
        ark_bn254::Fq::MODULUS.0,
        ark_bls12_377::Fr::MODULUS.0,
        [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1],
    ]
}

/// `-p^-1 mod 2^64`, by Newton's iteration.
fn inverse(p: u64) -> u64 {
    let root = (0..6).fold(1u64, |x, _| {
        x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x)))
    });
    root.wrapping_neg()
}

fn integer(limbs: &Limbs) -> BigUint {
    limbs
        .iter()
        .rev()
        .fold(BigUint::ZERO, |sum, &limb| (sum << 64u32) + limb)
}

fn check_with(with: impl Multiplier, p: &Limbs, a: [&Limbs; 3], b: [&Limbs; 3]) {
    let (modulus, radix) = (integer(p), BigUint::from(1u32) << 256u32);
    let inverse = inverse(p[0]);
    let holds = |found: &Limbs, sum: &BigUint| {
        let found = integer(found);
        assert!(&found * &radix < sum + &modulus * &radix);
        assert_eq!((&found * &radix) % &modulus, sum % &modulus);
    };
    for (a, b) in a.into_iter().zip(b) {
        let product = integer(a) * integer(b);
        let found = with.mul_unreduced(a, b, p, inverse);
        holds(&found, &product);
        assert_eq!(found, with.dot_unreduced(&[*a], &[*b], p, inverse));
        if product < &modulus * &radix {
            let reduced = with.mul(a, b, p, inverse);
            holds(&reduced, &product);
            assert!(integer(&reduced) < modulus);
        }
    }
    let of_a: BigUint = a.iter().map(|a| integer(a)).sum();
    if of_a + &modulus <= radix {
        let sum: BigUint = a.iter().zip(b).map(|(a, b)| integer(a) * integer(b)).sum();
        holds(
            &with.dot_unreduced(&a.map(|a| *a), &b.map(|b| *b), p, inverse),
            &sum,
        );
    }
}

fn check(a: [&Limbs; 3], b: [&Limbs; 3]) {
    for p in moduli() {
        check_with(Safe, &p, a, b);
        #[cfg(target_arch = "x86_64")]
        if let Some(adx) = Adx::new() {
            check_with(adx, &p, a, b);
        }
    }
}

#[test]
fn boundaries() {
    let [p, q, m] = moduli();
    let twice = add(&q, &q);
    let edges = [
        [0; 4],
        [1, 0, 0, 0],
        [u64::MAX, 0, 0, 0],
        [0, 0, 0, u64::MAX >> 3],
        Safe.sub(&p, &[1, 0, 0, 0], &p),
        p,
        q,
        twice,
        m,
        [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 3],
    ];
    for a in &edges {
        for b in &edges {
            check([a, b, &edges[5]], [b, &edges[9], a]);
        }
    }
    // The second factor has no bound.
    check([&p, &q, &m], [&[u64::MAX; 4]; 3]);
}

#[test]
fn random() {
    on_words(256, 24, &|words| {
        let (a, b): ([Limbs; 3], [Limbs; 3]) = (rows(words), rows(&words[12..]));
        let a = a.map(|[x, y, z, w]| [x, y, z, w >> 1]);
        check(a.each_ref(), b.each_ref());
        let small = a.map(|[x, y, z, w]| [x, y, z, w >> 2]);
        check(small.each_ref(), b.each_ref());
    });
}

fn check_additions(with: impl Multiplier) {
    for p in moduli() {
        let one = [1, 0, 0, 0];
        let last = Safe.sub(&p, &one, &p);
        let middle = [p[0] ^ 0x5a5a, 7, u64::MAX, p[3] >> 1];
        let values = [[0; 4], one, middle, last];
        for a in &values {
            assert_eq!(with.subtract_once(a, &p), *a);
            let more = with.subtract_once(&add(a, &p), &p);
            assert_eq!(more, *a);
            assert_eq!(with.negate_if(false, a, &p), *a);
            let negated = with.negate_if(true, a, &p);
            assert_eq!(integer(&negated), integer(&p) - integer(a));
            for b in &values {
                let difference = with.sub(a, b, &p);
                let expected = (integer(a) + integer(&p) - integer(b)) % integer(&p);
                assert_eq!(integer(&difference), expected);
                let (gap, same) = with.gap(a, b, &p);
                assert_eq!(integer(&gap), integer(a) + integer(&p) - integer(b));
                assert_eq!(same, a == b);
            }
        }
    }
}

#[test]
fn additions() {
    check_additions(Safe);
    #[cfg(target_arch = "x86_64")]
    if let Some(adx) = Adx::new() {
        check_additions(adx);
    }
}
