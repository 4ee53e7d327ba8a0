//! Challenges over BabyBear: elements of `BabyBear[X] / (X^4 - 11)`, and their blocks.

use droste_native::precompile::{baby_bear_to_block, word_limbs};
use droste_native::{BabyBear, BabyBear4, EF, EF4, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};

use super::*;
use crate::{Hint, NativeTape, run_native};

const ORDER: u32 = 0x7800_0001;

/// An element without structure.
fn element(seed: u32) -> BabyBear4 {
    BabyBear4::from_basis_coefficients_fn(|i| BabyBear::from_u32(seed + 1).exp_u64(1000 + i as u64))
}

fn runs(tape: &[Hint], program: impl FnOnce() + Send) -> bool {
    let tape = NativeTape {
        hints: tape.to_vec(),
    };
    run_native(&tape, &[], || {
        baby_bear();
        program();
    })
    .is_ok()
}

/// The block of four words.
fn words(words: [u32; 4]) -> [Felt; 8] {
    std::array::from_fn(|i| {
        let limb = words[i / 2] >> (16 * (i % 2)) & 0xffff;
        Felt::new(limb)
    })
}

#[test]
fn operators_are_those_of_the_field() {
    for seed in 0..10 {
        let [a, b, c] = [seed, seed + 10, seed + 20].map(element);
        // Larger than half of the order of either field.
        let scalar = ORDER - 1 - seed;
        let s = BabyBear::from_u32(scalar);
        let succeeds = runs(&[], move || {
            assert_eq!((Ext::degree(), Ext::modulus()), (4, ORDER as usize));
            let [x, y, z] = [a, b, c].map(Ext::from);
            let t = Felt::new(scalar);
            for (result, expected) in [
                (x + y, a + b),
                (x - y, a - b),
                (x * y, a * b),
                (x * y + z, a * b + c),
                (-x, -a),
                (x + t, a + s),
                (x - t, a - s),
                (x * t, a * s),
                (x.inverse(), a.inverse()),
                ([x, y, z].iter().product(), a * b * c),
                (x.as_block().as_ext(), a),
                (Ext::from_felt(t), BabyBear4::from(s)),
            ] {
                assert_eq!(BabyBear4::from(result), expected);
            }
            assert_eq!(x.as_block().native(), baby_bear_to_block(a));
            let generator = Ext::new([0, 1, 0, 0, 0]);
            let power = generator * generator * generator * generator;
            assert_eq!(power, Ext::new([11, 0, 0, 0, 0]));
        });
        assert!(succeeds, "{seed}");
    }
    // Other fields keep their order.
    run_native(&NativeTape::default(), &[], || {
        assert_eq!(Ext::modulus(), 0x7f00_0001);
    })
    .unwrap();
}

#[test]
fn integers_and_words_that_are_too_large_are_refused() {
    let programs: [fn(); 8] = [
        || {
            Ext::new([ORDER, 0, 0, 0, 0]).as_block();
        },
        || {
            Ext::new([0, 0, 0, 0, 1]).as_block();
        },
        || {
            let _sum = Ext::ONE + Felt::new(ORDER);
        },
        || {
            Ext::from_coeffs([
                Felt::ZERO,
                Felt::new(ORDER),
                Felt::ZERO,
                Felt::ZERO,
                Felt::ZERO,
            ]);
        },
        || {
            Block::new(words([0, 0, ORDER, 0])).as_ext();
        },
        || {
            Block::new([Felt::new(1 << 16); 8]).as_ext();
        },
        || {
            fold_pair(Ext::ONE, Ext::ONE, Ext::ONE);
        },
        || {
            let _x = EF4::from(Ext::ONE);
        },
    ];
    for (i, program) in programs.into_iter().enumerate() {
        assert!(!runs(&[], program), "{i}");
    }
    assert!(runs(&[], || {
        Block::new(words([ORDER - 1; 4])).as_ext();
    }));
}

#[test]
fn hinted_elements_are_blocks_of_canonical_words() {
    let x = element(3);
    let block = baby_bear_to_block(x).map(Some);
    let read = move || assert_eq!(BabyBear4::from(hint_ext().checked()), x);
    assert!(runs(&[Hint::Slice(vec![block])], read));
    let large = words([ORDER, 0, 0, 0]).map(|limb| Some(F::from(limb)));
    let mut incomplete = block;
    incomplete[7] = None;
    for refused in [
        vec![Hint::Slice(vec![large])],
        vec![Hint::Slice(vec![incomplete])],
        vec![Hint::Slice(vec![block, block])],
        vec![Hint::Ext(EF::ONE)],
        vec![Hint::Felt(F::ONE)],
    ] {
        assert!(!runs(&refused, || {
            hint_ext().checked();
        }));
    }
    // Only what is checked must be an element.
    assert!(runs(&[Hint::Slice(vec![large])], || {
        let _unchecked = hint_ext();
    }));
}

#[test]
fn dot_products_are_sums_of_scaled_weights() {
    let (rows, weights): (Vec<_>, Vec<_>) = (0..3u32)
        .map(|i| (element(i), [0, 1, 2, 3].map(|j| element(10 + 4 * i + j))))
        .unzip();
    let sum = element(40);
    let mut expected = sum;
    for (row, weights) in rows.iter().zip(&weights) {
        let row: &[BabyBear] = row.as_basis_coefficients_slice();
        for (&word, &weight) in row.iter().zip(weights) {
            expected += weight * word;
        }
    }
    let succeeds = runs(&[], move || {
        let block = |x: BabyBear4| Ext::from(x).as_block();
        let data: Vec<_> = rows.iter().copied().map(block).collect();
        let weights: Vec<_> = weights.concat().into_iter().map(block).collect();
        let (data, weights) = (Slice::from_blocks(data), Slice::from_blocks(weights));
        let result = baby_bear_dot(data, weights, 3, Ext::from(sum));
        assert_eq!(BabyBear4::from(result), expected);
    });
    assert!(succeeds);
    let one = word_limbs(BabyBear::ONE);
    assert_eq!(one, [0xfffe, 0x0fff].map(F::from_u32));
}

#[test]
fn the_field_is_chosen_once() {
    for again in [quartic as fn(), baby_bear] {
        assert!(!runs(&[], again));
    }
    assert!(std::panic::catch_unwind(baby_bear).is_err());
}
