//! Tests, and what they share.

mod honest;
mod soundness;

use std::iter::zip;
use std::time::Instant;

use p3_challenger::CanObserve;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::field::{EF, F};
use crate::stark::challenger::{Poseidon16Challenger, Sent};

/// Leaves as fractions of the challenge field, without padding.
type Leaves = Vec<Fraction<EF>>;

fn f(value: i32) -> F {
    F::from_i32(value)
}

fn ef(value: i32) -> EF {
    EF::from(f(value))
}

fn fraction(numerator: i32, denominator: i32) -> Fraction<EF> {
    Fraction {
        numerator: ef(numerator),
        denominator: ef(denominator),
    }
}

/// Leaves of `num_variables` variables with these numerators and denominators.
fn small(num_variables: usize, numerators: &[i32], denominators: &[i32]) -> Fractions {
    let numerators: Vec<F> = numerators.iter().copied().map(f).collect();
    let denominators: Vec<EF> = denominators.iter().copied().map(ef).collect();
    Fractions::new(num_variables, &numerators, &denominators).unwrap()
}

/// Fractions that add up to zero: pairs `n / d` and `-n / d`, and `0 / d` if `length` is odd, in
/// random order.
fn balanced(length: usize, seed: u64) -> (Vec<F>, Vec<EF>) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut fractions: Vec<(F, EF)> = Vec::with_capacity(length);
    while fractions.len() + 2 <= length {
        let (n, d): (F, EF) = (rng.random(), rng.random());
        fractions.extend([(n, d), (-n, d)]);
    }
    if fractions.len() < length {
        fractions.push((F::ZERO, rng.random()));
    }
    for last in (1..length).rev() {
        fractions.swap(last, rng.random_range(0..=last));
    }
    fractions.into_iter().unzip()
}

fn padded(num_variables: usize, numerators: &[F], denominators: &[EF]) -> Leaves {
    let given = zip(numerators, denominators).map(|(&n, &d)| Fraction {
        numerator: EF::from(n),
        denominator: d,
    });
    let mut leaves: Leaves = given.collect();
    leaves.resize(1 << num_variables, fraction(0, 1));
    leaves
}

/// Observes values as blocks: five coefficients and three zeros.
fn send(values: &[EF], challenger: &mut Poseidon16Challenger) {
    for value in values {
        let coefficients: &[F] = value.as_basis_coefficients_slice();
        let block = coefficients.iter().copied().chain([F::ZERO; 3]);
        block.for_each(|element| challenger.observe(element));
    }
}

fn challenger() -> Poseidon16Challenger {
    let mut challenger = Poseidon16Challenger::default();
    challenger.observe(f(7));
    challenger
}

/// `eq(point, x)`, where the first coordinate belongs to the top bit of `x`.
fn eq(point: &[EF], x: usize) -> EF {
    let bits = (0..point.len()).rev().map(|bit| x >> bit & 1 == 1);
    zip(point, bits)
        .map(|(&z, bit)| if bit { z } else { EF::ONE - z })
        .product()
}

/// The multilinear polynomials of numerators and denominators at a point.
fn evaluate(fractions: &[Fraction<EF>], point: &[EF]) -> Fraction<EF> {
    assert_eq!(fractions.len(), 1 << point.len());
    let weights: Vec<EF> = (0..fractions.len()).map(|x| eq(point, x)).collect();
    let sum = |value: fn(&Fraction<EF>) -> EF| -> EF {
        zip(fractions, &weights).map(|(x, &w)| value(x) * w).sum()
    };
    Fraction {
        numerator: sum(|fraction| fraction.numerator),
        denominator: sum(|fraction| fraction.denominator),
    }
}

fn is_true(claim: &LeafClaim, leaves: &[Fraction<EF>]) -> bool {
    let value = evaluate(leaves, &claim.point);
    (value.numerator, value.denominator) == (claim.numerator, claim.denominator)
}

/// A proof of six variables, and its leaves.
fn example() -> (GkrProof, Leaves) {
    let (n, d) = balanced(60, 8);
    let leaves = Fractions::new(6, &n, &d).unwrap();
    let (proof, _) = prove(leaves, &mut challenger()).unwrap();
    (proof, padded(6, &n, &d))
}

#[test]
fn security_is_that_of_the_union_bound() {
    // log2 |EF| = 5 log2(2^31 - 2^24 + 1) = 154.9434.
    assert!((security(1) - 153.9434).abs() < 1e-4);
    // 19^2 + 1 = 362 = 2^8.4998.
    assert!((security(19) - 146.4435).abs() < 1e-4);
    let by_layers: u32 = (1..19).map(|layer| 1 + 2 * layer).sum();
    assert_eq!(by_layers + 1 + 1, 362);
    assert!(security(MAX_VARIABLES) > 145.0);
    assert_eq!([security(0), security(MAX_VARIABLES + 1)], [0.0; 2]);
}

/// Prints the time of proving `2^19` leaves.
#[test]
#[ignore = "prints times: cargo test -p droste-native --lib gkr::tests::time -- --ignored --nocapture"]
fn time() {
    let (n, d) = balanced(1 << 19, 1);
    let leaves = Fractions::new(19, &n, &d).unwrap();
    let mut times: Vec<_> = (0..31)
        .map(|_| {
            let leaves = leaves.clone();
            let start = Instant::now();
            prove(leaves, &mut challenger()).unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("2^19 leaves: {:?}, at best {:?}", times[15], times[0]);
}
