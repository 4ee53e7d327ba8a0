//! Compared with the native field.

use p3_field::{Field, RawDataSerializable};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::machine::{gas, return_words, run, words};

/// Words with these lanes at the ends, elements at the ends, and random ones.
fn samples(max: u64, seed: u64) -> Vec<Word> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut random =
        |max: u64| Word::from_lanes(LANE_BITS, &[0; LANES].map(|_| rng.random_range(0..=max)));
    let ends = [0, 1, P - 1, P, max];
    let mut words: Vec<Word> = ends.map(lanes).to_vec();
    for lane in 0..LANES {
        let mut one = [0; LANES];
        one[lane] = max;
        words.push(Word::from_lanes(LANE_BITS, &one));
        words.push(Word::from_lanes(LANE_BITS, &one.map(|x| max - x)));
    }
    words.extend([encode(EF::ONE), encode(EF::NEG_ONE), encode(EF::GENERATOR)]);
    words.extend((0..20).map(|_| random(max)));
    words
}

/// Runs an expression in the words of the calldata.
fn evaluate(expression: impl FnOnce(Vec<Expr>) -> Vec<Expr>, inputs: &[Word]) -> Vec<Word> {
    let places = (0..inputs.len() as u64).map(|i| Expr::from(32 * i).calldata());
    let mut a = Assembler::new();
    define(&mut a);
    return_words(&mut a, expression(places.collect()));
    let data: Vec<u8> = inputs.iter().flat_map(|word| word.to_be_bytes()).collect();
    words(&a.assemble().unwrap(), &data).unwrap()
}

fn largest(word: Word) -> u64 {
    assert_eq!(word.lane(1, 255), 0, "above the lanes");
    (0..LANES)
        .map(|lane| word.lane(LANE_BITS, lane as u32))
        .max()
        .unwrap()
}

#[test]
fn encoding_is_that_of_the_native_field() {
    let mut rng = SmallRng::seed_from_u64(1);
    for value in [EF::ZERO, EF::ONE, EF::NEG_ONE, rng.random(), rng.random()] {
        assert_eq!(decode(encode(value)), value);
        assert!(largest(encode(value)) < P);
    }
    assert_eq!(encode(EF::ONE).lane(LANE_BITS, 0), (1 << 40) % P);
}

#[test]
fn products_are_those_of_the_native_field() {
    let (left, right) = (samples(LEFT_MAX, 2), samples(RIGHT_MAX, 3));
    // A hundred products in one call.
    let pairs: Vec<[Word; 2]> = left
        .iter()
        .flat_map(|&x| right.iter().map(move |&y| [x, y]))
        .collect();
    for pairs in pairs.chunks(100) {
        let products = |inputs: Vec<Expr>| {
            let product = |pair: &[Expr]| {
                let (x, y) = (pair[0].clone(), pair[1].clone());
                (Element::new(x, LEFT_MAX) * Element::new(y, RIGHT_MAX)).expr
            };
            inputs.chunks(2).map(product).collect()
        };
        let found = evaluate(products, pairs.as_flattened());
        for ([x, y], product) in pairs.iter().zip(found) {
            assert!(largest(product) <= PRODUCT_MAX);
            assert_eq!(decode(product), decode(*x) * decode(*y), "{x} {y}");
        }
    }
}

#[test]
fn sums_differences_multiples_and_folds_are_those_of_the_native_field() {
    for max in [PRODUCT_MAX, 1 << 40, LANE_MAX] {
        let pairs = samples(max, 4)
            .into_iter()
            .zip(samples(max, 5).into_iter().rev());
        for (x, y) in pairs {
            let expressions = |inputs: Vec<Expr>| {
                let [x, y] = [0, 1].map(|i| Element::new(inputs[i].clone(), max));
                let sum = x.clone() + y.clone();
                let difference = x.clone() - y.clone();
                let multiple = y.clone().times(1000);
                let fold = x.folded(PRODUCT_MAX);
                let bounds =
                    [&sum, &difference, &multiple, &fold].map(|element| Expr::from(element.max));
                let values = [sum, difference, multiple, fold].map(|element| element.expr);
                values.into_iter().chain(bounds).collect()
            };
            let found = evaluate(expressions, &[x, y]);
            let (values, bounds) = found.split_at(4);
            for (value, bound) in values.iter().zip(bounds) {
                assert!(
                    Word::from(largest(*value)) == *bound || largest(*value) < bound.lane(64, 0)
                );
            }
            let (x, y) = (decode(x), decode(y));
            let expected = [x + y, x - y, y * F::from_u32(1000), x];
            assert_eq!(
                values.iter().copied().map(decode).collect::<Vec<_>>(),
                expected
            );
        }
    }
}

#[test]
fn a_polynomial_folds_what_it_has_to() {
    let mut rng = SmallRng::seed_from_u64(6);
    let [x, y]: [EF; 2] = rng.random();
    let expression = |inputs: Vec<Expr>| {
        let [x, y] = [0, 1].map(|i| Element::new(inputs[i].clone(), PRODUCT_MAX));
        let sum = (0..100).fold(x.clone(), |sum, _| sum + y.clone());
        vec![((sum.clone() - x.clone()) * (y.clone() - sum) * x).value()]
    };
    let found = evaluate(expression, &[encode(x), encode(y)]);
    let sum = x + y * F::from_u32(100);
    assert_eq!(decode(found[0]), (sum - x) * (y - sum) * x);
}

#[test]
fn powers_are_those_of_the_native_field() {
    let base: EF = SmallRng::seed_from_u64(7).random();
    for exponent in [0, 1, 2, 3, 12, 31] {
        let mut a = Assembler::new();
        define(&mut a);
        a.bind_power("power", Element::constant(base), exponent);
        return_words(&mut a, [var("power")]);
        let found = words(&a.assemble().unwrap(), &[]).unwrap();
        assert_eq!(decode(found[0]), base.exp_u64(exponent as u64));
    }
}

#[test]
fn zero_is_what_is_congruent_to_zero() {
    let zeros = [0, P, 5 * P, LANE_MAX / P * P];
    for value in zeros {
        let found = evaluate(
            |x| vec![Element::new(x[0].clone(), LANE_MAX).is_nonzero()],
            &[lanes(value)],
        );
        assert_eq!(found, [Word::from(0)]);
    }
    for lane in 0..LANES {
        for value in [1, P - 1, P + 1, LANE_MAX] {
            let mut word = [P; LANES];
            word[lane] = value;
            let word = Word::from_lanes(LANE_BITS, &word);
            let found = evaluate(
                |x| vec![Element::new(x[0].clone(), LANE_MAX).is_nonzero()],
                &[word],
            );
            assert_ne!(found, [Word::from(0)]);
        }
    }
}

#[test]
fn elements_are_read_as_they_are_hashed_and_no_others() {
    let mut a = Assembler::new();
    define(&mut a);
    return_words(&mut a, [Element::read(3).expr]);
    let code = a.assemble().unwrap();
    let mut rng = SmallRng::seed_from_u64(7);
    let ends = [F::ZERO, F::ONE, F::NEG_ONE];
    let ends = ends.map(|end| EF::from_basis_coefficients_fn(|_| end));
    for value in ends.into_iter().chain(rng.random::<[EF; 20]>()) {
        let mut data = vec![0xff; 3];
        data.extend(EF::into_byte_stream([value]));
        data.extend([0xff; 32]);
        let found = words(&code, &data).unwrap();
        assert_eq!(found, [encode(value)]);
        for coefficient in 0..LANES {
            for word in [P as u32, P as u32 + 1, (1 << 31) - 1, 1 << 31, u32::MAX] {
                let mut data = data.clone();
                data[3 + 4 * coefficient..][..4].copy_from_slice(&word.to_le_bytes());
                assert_eq!(run(&code, &data), None);
            }
        }
    }
}

/// Gas of operations on elements in memory; what the expressions around them take is included.
#[test]
fn gas_is_as_it_was() {
    let measure = |element: Element| {
        let setup = |a: &mut Assembler| {
            define(a);
            (0..4).for_each(|i| a.store(32 * i, lanes(P - 1)));
        };
        gas(setup, |a| a.push(element.expr), &[0; 64])
    };
    let x = || Element::load(0);
    let y = || Element::load(32);
    let found = [
        ("x + y", measure(x() + y())),
        ("x - y", measure(x() - y())),
        ("x * y", measure(x() * y())),
        ("x * y + z", measure(x() * y() + Element::load(64))),
        ("fold", measure(x().times(16).folded(VALUE_MAX))),
        ("is zero", measure(Element::new(x().is_nonzero(), 0))),
        ("read", measure(Element::read(0))),
    ];
    let expected = [
        ("x + y", 14),
        ("x - y", 20),
        ("x * y", 198),
        ("x * y + z", 207),
        ("fold", 75),
        ("is zero", 158),
        ("read", 309),
    ];
    assert_eq!(found, expected);
}
