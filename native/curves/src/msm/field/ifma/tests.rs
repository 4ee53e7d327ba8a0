//! The vector functions compared with arkworks, lane by lane.

use ark_ff::{BigInt, BigInteger, PrimeField};

use super::super::KernelField;
use super::*;
use crate::test_utils::{on_words, rows};

/// Integers of up to 260 bits, indexed by lane and limb.
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

/// The field element that an integer in limbs represents. The limbs need not be normal.
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

/// One of an element, 0, 1, p - 1 and p, plus a multiple of p.
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
    // Each lane of `a` is multiplied with itself and with the numbers of the other lanes.
    let terms = [store_columns(&x), store_columns(&y), store_columns(&x)];
    let dot = store_fe(&m.dot_broadcast(&terms, &terms[1]));
    assert!(normal(&dot));
    let difference = store_fe(&m.sub::<5>(&x, &y));
    assert!(normal(&difference));
    // `add` returns limbs that are not normal, which the reductions must accept.
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

#[test]
fn random_values() {
    on_words(256, 5 * 16, &|words| {
        let seed = |&[a, b, c, d, rest]: &[u64; 5]| ([a, b, c, d], rest as u8, (rest >> 8) as u8);
        check_fields(&words.as_chunks().0.iter().map(seed).collect::<Vec<_>>());
    });
}

#[test]
fn words_and_transposition() {
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
        let halves = words[0].as_chunks::<4>().0;
        let mut whole = [0; 8];
        store(&mut whole, load_pair(&halves[0], &halves[1]));
        assert_eq!(whole, words[0]);
        for (row, back) in words.iter().zip(to_words(&fe)) {
            let mut out = [0; 8];
            store(&mut out, back);
            assert_eq!(&out, row);
        }
    }
    on_words(256, 64, &|words| {
        if available() {
            // SAFETY: the features were found.
            unsafe { check(&rows(words)) };
        }
    });
}

#[test]
fn moduli_out_of_range() {
    assert!(Modulus::new(&[2, 0, 0, 1]).is_none());
    assert!(Modulus::new(&[1, 0, 0, 1 << 63]).is_none());
    assert!(Modulus::new(&[1, 0, 0, 0]).is_none());
}

/// The instructions, and the functions built on them, in scalar arithmetic on one lane.
mod model {
    use super::LIMBS;

    pub const MASK: u64 = (1 << 52) - 1;

    fn product(a: u64, b: u64) -> u128 {
        u128::from(a & MASK) * u128::from(b & MASK)
    }

    /// The instruction `vpmadd52luq`.
    pub fn lo(sum: u64, a: u64, b: u64) -> u64 {
        sum.wrapping_add(product(a, b) as u64 & MASK)
    }

    /// The instruction `vpmadd52huq`.
    pub fn hi(sum: u64, a: u64, b: u64) -> u64 {
        sum.wrapping_add((product(a, b) >> 52) as u64)
    }

    /// The instruction `vpshrdq`.
    pub fn shrd(low: u64, high: u64, count: u32) -> u64 {
        ((u128::from(high) << 64 | u128::from(low)) >> count) as u64
    }

    pub fn normalize(mut a: [u64; LIMBS]) -> [u64; LIMBS] {
        for i in 0..LIMBS - 1 {
            a[i + 1] = a[i + 1].wrapping_add((a[i] as i64 >> 52) as u64);
            a[i] &= MASK;
        }
        a
    }

    pub fn mul(a: &[u64; LIMBS], b: &[u64; LIMBS], p: &[u64; LIMBS], inverse: u64) -> [u64; LIMBS] {
        let mut t = [0; LIMBS + 1];
        for &b in b {
            for j in 0..LIMBS {
                t[j] = lo(t[j], a[j], b);
            }
            let quotient = lo(0, t[0], inverse.wrapping_neg() & MASK);
            let carry = lo(t[0], quotient, p[0]) >> 52;
            for j in 0..LIMBS {
                t[j] = if j + 1 < LIMBS {
                    lo(t[j + 1], quotient, p[j + 1])
                } else {
                    0
                };
                t[j] = hi(hi(t[j], a[j], b), quotient, p[j]);
            }
            t[0] = t[0].wrapping_add(carry);
        }
        normalize([t[0], t[1], t[2], t[3], t[4]])
    }
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn check_model(rows: &[[u64; 8]; 8]) {
    use std::arch::x86_64::*;
    let stored = |v: V| {
        let mut out = [0; 8];
        store(&mut out, v);
        out
    };
    let [a, b, c] = [load(&rows[0]), load(&rows[1]), load(&rows[2])];
    let of = |f: &dyn Fn(u64, u64, u64) -> u64| -> [u64; 8] {
        std::array::from_fn(|i| f(rows[0][i], rows[1][i], rows[2][i]))
    };
    assert_eq!(stored(_mm512_madd52lo_epu64(a, b, c)), of(&model::lo));
    assert_eq!(stored(_mm512_madd52hi_epu64(a, b, c)), of(&model::hi));
    let shifted = stored(_mm512_shrdi_epi64::<40>(a, b));
    assert_eq!(shifted, of(&|a, b, _| model::shrd(a, b, 40)));
    let transposed = transpose(&rows.map(|row| load(&row))).map(stored);
    for (i, row) in rows.iter().enumerate() {
        assert!((0..8).all(|j| transposed[j][i] == row[j]));
    }
    let words: [[u64; 8]; 4] = [rows[3], rows[4], rows[5], rows[6]];
    let split = from_words(&words.map(|row| load(&row)));
    let joined = to_words(&split).map(stored);
    assert_eq!(joined, words);
    for (lane, found) in store_fe(&split).iter().enumerate() {
        assert_eq!(*found, limbs(&words.map(|row| row[lane])));
    }

    let p = limbs(&ark_bn254::Fq::modulus4().unwrap());
    let modulus = Modulus::new(&ark_bn254::Fq::modulus4().unwrap()).unwrap();
    let inverse = (0..6).fold(1u64, |x, _| {
        x.wrapping_mul(2u64.wrapping_sub(p[0].wrapping_mul(x)))
    });
    // Normal limbs of any value below 2^254.
    let lanes = |from: usize| -> Lanes {
        std::array::from_fn(|lane| {
            let mut value = std::array::from_fn(|i| rows[(from + i) % 8][lane] & model::MASK);
            value[LIMBS - 1] >>= 6;
            value
        })
    };
    let (x, y) = (lanes(0), lanes(3));
    let product = store_fe(&modulus.mul(&load_fe(&x), &load_fe(&y)));
    let signed = store_fe(&normalize(sub(&load_fe(&x), &load_fe(&y))));
    for lane in 0..8 {
        let expected = model::mul(&x[lane], &y[lane], &p, inverse & model::MASK);
        assert_eq!(product[lane], expected);
        let difference = std::array::from_fn(|i| x[lane][i].wrapping_sub(y[lane][i]));
        assert_eq!(signed[lane], model::normalize(difference));
    }
}

#[test]
fn agrees_with_a_scalar_model() {
    on_words(256, 65, &|words| {
        if available() {
            let rows = rows(words);
            let mut edges = rows;
            edges[(words[64] % 8) as usize] = [
                0,
                1,
                model::MASK,
                model::MASK + 1,
                u64::MAX,
                1 << 63,
                1 << 51,
                2,
            ];
            // SAFETY: the features are there.
            unsafe {
                check_model(&rows);
                check_model(&edges);
            }
        }
    });
}
