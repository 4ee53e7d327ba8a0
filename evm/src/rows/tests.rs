//! Compared with the native field.

use droste_native::EF;
use p3_field::{BasedVectorSpace, RawDataSerializable};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::Code;
use crate::field::{self, decode, lanes};
use crate::machine::{gas, return_words, run, words};

/// Weights are in memory from here on, what is made of them behind.
const WEIGHTS: u64 = 0x100;
const EXTENDED: u64 = WEIGHTS + ELEMENT_BYTES * 100;
const PREPARED_WEIGHTS: u64 = EXTENDED + ELEMENT_BYTES * 100;

/// The leaf is behind the weights in the calldata.
fn setup(a: &mut Assembler, weights: usize) {
    field::define(a);
    define(a);
    let length = ELEMENT_BYTES * weights as u64;
    a.run(Op::CallDataCopy, [WEIGHTS.into(), 0.into(), length.into()]);
}

fn data(weights: &[Word], leaf: &[F]) -> Vec<u8> {
    let mut data: Vec<u8> = weights.iter().flat_map(|word| word.to_be_bytes()).collect();
    data.extend(F::into_byte_stream(leaf.iter().copied()));
    // What follows is not the leaf's.
    data.extend([0xff; 32]);
    data
}

fn random_weights(count: usize, rng: &mut SmallRng) -> Vec<Word> {
    let mut lane = || rng.random_range(0..=VALUE_MAX);
    let word = |_| Word::from_lanes(LANE_BITS, &[0; LANES].map(|_| lane()));
    (0..count).map(word).collect()
}

fn contract(values: usize) -> Code {
    let mut a = Assembler::new();
    setup(&mut a, values);
    prepare(&mut a, WEIGHTS, values, PREPARED_WEIGHTS);
    define_weighted_sum(&mut a, "weighted_sum", values, PREPARED_WEIGHTS);
    let leaf = ELEMENT_BYTES * values as u64;
    return_words(&mut a, [weighted_sum("weighted_sum", leaf).expr]);
    a.assemble().unwrap()
}

#[test]
fn sums_are_those_of_the_native_field() {
    let mut rng = SmallRng::seed_from_u64(1);
    for values in [1, 2, 7, 8, 9, 16, 53] {
        let code = contract(values);
        let ends = vec![lanes(VALUE_MAX); values];
        for weights in [
            random_weights(values, &mut rng),
            ends,
            vec![lanes(P - 1); values],
        ] {
            let random: Vec<F> = (0..values).map(|_| rng.random()).collect();
            // The word p - 1, which is the largest, is that of -2^-32.
            let largest = vec![-F::TWO.exp_u64(32).inverse(); values];
            for leaf in [random, largest, vec![F::ZERO; values]] {
                let found = words(&code, &data(&weights, &leaf)).unwrap();
                let terms = weights.iter().zip(&leaf).map(|(&w, &x)| decode(w) * x);
                assert_eq!(decode(found[0]), terms.sum::<EF>(), "{values}");
            }
        }
    }
}

#[test]
fn words_that_are_no_elements_are_refused() {
    let mut rng = SmallRng::seed_from_u64(2);
    let values = 11;
    let code = contract(values);
    let data = data(&random_weights(values, &mut rng), &vec![F::ONE; values]);
    let start = 32 * values;
    for value in 0..values {
        for word in [P as u32, P as u32 + 1, 1 << 31, u32::MAX] {
            let mut data = data.clone();
            data[start + 4 * value..][..4].copy_from_slice(&word.to_le_bytes());
            assert_eq!(run(&code, &data), None);
        }
    }
    assert!(run(&code, &data).is_some());
}

#[test]
fn leaves_of_the_challenge_field_are_folded() {
    let mut rng = SmallRng::seed_from_u64(3);
    let (count, values) = (6, 30);
    let mut a = Assembler::new();
    setup(&mut a, count);
    a.block(|a| extension_weights(a, WEIGHTS, count, EXTENDED));
    prepare(&mut a, EXTENDED, values, PREPARED_WEIGHTS);
    define_weighted_sum(&mut a, "weighted_sum", values, PREPARED_WEIGHTS);
    let leaf = ELEMENT_BYTES * count as u64;
    return_words(&mut a, [weighted_sum("weighted_sum", leaf).expr]);
    let code = a.assemble().unwrap();
    for weights in [
        random_weights(count, &mut rng),
        vec![lanes(VALUE_MAX); count],
    ] {
        let elements: Vec<EF> = (0..count).map(|_| rng.random()).collect();
        let leaf: Vec<F> = elements
            .iter()
            .flat_map(|x| <EF as BasedVectorSpace<F>>::as_basis_coefficients_slice(x).to_vec())
            .collect();
        let found = words(&code, &data(&weights, &leaf)).unwrap();
        let terms = weights.iter().zip(&elements).map(|(&w, &x)| decode(w) * x);
        assert_eq!(decode(found[0]), terms.sum::<EF>());
    }
}

#[test]
fn gas_is_as_it_was() {
    let mut rng = SmallRng::seed_from_u64(4);
    let measure = |values: usize, rng: &mut SmallRng| {
        let leaf: Vec<F> = (0..values).map(|_| rng.random()).collect();
        let data = data(&random_weights(values, rng), &leaf);
        let prepared = |a: &mut Assembler| {
            setup(a, values);
            prepare(a, WEIGHTS, values, PREPARED_WEIGHTS);
            define_weighted_sum(a, "weighted_sum", values, PREPARED_WEIGHTS);
        };
        let leaf = ELEMENT_BYTES * values as u64;
        let sum = gas(
            prepared,
            |a| a.push(weighted_sum("weighted_sum", leaf).expr),
            &data,
        );
        let of_weights = |a: &mut Assembler| prepare(a, WEIGHTS, values, PREPARED_WEIGHTS);
        let preparation = gas(|a| setup(a, values), of_weights, &data);
        (values, sum, preparation)
    };
    let found = [measure(56, &mut rng), measure(80, &mut rng)];
    // Values, gas of a sum, gas of the preparation of its weights.
    assert_eq!(found, [(56, 3094, 15850), (80, 4360, 22334)]);
}
