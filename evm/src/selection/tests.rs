//! Compared with the native field.

use droste_native::F;
use p3_field::{PrimeField32, TwoAdicField};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::Word;
use crate::field::{self, LANE_BITS, LANES, VALUE_MAX, decode, lanes};
use crate::machine::{gas, return_words, words};

const SCRATCH: u64 = 0x100;
const POINT: u64 = 0x200;
const PREPARED: u64 = 0x600;

fn setup(a: &mut Assembler, coordinates: usize) {
    field::define(a);
    rows::define(a);
    define(a, SCRATCH);
    define_weight(a, "weight", coordinates, PREPARED);
    let length = ELEMENT_BYTES * coordinates as u64;
    a.run(
        Op::CallDataCopy,
        [POINT.into(), ELEMENT_BYTES.into(), length.into()],
    );
}

/// The point of the domain, and the coordinates.
fn data(x: F, point: &[Word]) -> Vec<u8> {
    let x = Word::from(u64::from(x.as_canonical_u32()));
    let words = [x].into_iter().chain(point.iter().copied());
    words.flat_map(Word::to_be_bytes).collect()
}

#[test]
fn weights_are_those_of_the_native_field() {
    let mut rng = SmallRng::seed_from_u64(1);
    for coordinates in [1, 2, 3, 4, 9, 16] {
        let mut a = Assembler::new();
        setup(&mut a, coordinates);
        prepare(&mut a, POINT, coordinates, PREPARED);
        let x = Expr::from(0).calldata();
        return_words(&mut a, [weight("weight", x).expr]);
        let code = a.assemble().unwrap();
        let random: Vec<Word> = (0..coordinates)
            .map(|_| {
                let lanes = [0; LANES].map(|_| rng.random_range(0..=VALUE_MAX));
                Word::from_lanes(LANE_BITS, &lanes)
            })
            .collect();
        for point in [random, vec![lanes(VALUE_MAX); coordinates]] {
            let root = F::two_adic_generator(20);
            for x in [F::ONE, F::NEG_ONE, F::ZERO, root, rng.random()] {
                let found = words(&code, &data(x, &point)).unwrap();
                let squares = std::iter::successors(Some(x), |power| Some(*power * *power));
                let factors = point.iter().rev().zip(squares);
                let factors = factors.map(|(&r, power)| EF::ONE + decode(r) * (power - F::ONE));
                assert_eq!(decode(found[0]), factors.product::<EF>(), "{coordinates}");
            }
        }
    }
}

#[test]
fn gas_is_as_it_was() {
    let point = vec![lanes(P - 1); 15];
    let data = data(F::NEG_ONE, &point);
    let prepared = |a: &mut Assembler| {
        setup(a, 15);
        prepare(a, POINT, 15, PREPARED);
    };
    let x = Expr::from(0).calldata();
    let of_point = gas(prepared, |a| a.push(weight("weight", x).expr), &data);
    let preparation = gas(|a| setup(a, 15), |a| prepare(a, POINT, 15, PREPARED), &data);
    assert_eq!((of_point, preparation), (4470, 15653));
}
