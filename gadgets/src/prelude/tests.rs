//! Challenges of degree four: elements of `F[X] / (X^4 - 3)`, and where the degree is chosen.

use droste_native::precompile::{self, ext_from_block, ext_to_block};
use droste_native::{EF, EF4, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};

use super::*;
use crate::{Hint, NativeTape, run_native};

/// An element without structure.
fn element(seed: u32) -> EF4 {
    EF4::from_basis_coefficients_fn(|i| F::from_u32(seed + 1).exp_u64(1000 + i as u64))
}

fn fails(tape: &[Hint], program: impl FnOnce() + Send, message: &str) {
    let tape = NativeTape {
        hints: tape.to_vec(),
    };
    let failure = run_native(&tape, &[], program).unwrap_err();
    assert!(failure.0.contains(message), "{failure}");
}

fn succeeds(program: impl FnOnce() + Send) {
    run_native(&NativeTape::default(), &[], program).unwrap();
}

#[test]
fn operators_are_those_of_the_field() {
    for seed in 0..10 {
        let [a, b, c] = [seed, seed + 10, seed + 20].map(element);
        let scalar = F::from_u32(seed + 7);
        succeeds(move || {
            quartic();
            assert_eq!(Ext::degree(), 4);
            let [x, y, z] = [a, b, c].map(Ext::from);
            let s = Felt::from(scalar);
            for (result, expected) in [
                (x + y, a + b),
                (x - y, a - b),
                (x * y, a * b),
                (x * y + z, a * b + c),
                (-x, -a),
                (x + s, a + scalar),
                (x - s, a - scalar),
                (x * s, a * scalar),
                (x.inverse(), a.inverse()),
                (fold_pair(x, y, z), precompile::fold(a, b, c)),
                ([x, y, z].iter().product(), a * b * c),
                (x.as_block().as_ext(), a),
                (Ext::from_felt(s), EF4::from(scalar)),
            ] {
                assert_eq!(EF4::from(result), expected);
            }
            let coefficients: &[F] = a.as_basis_coefficients_slice();
            for (i, &coefficient) in coefficients.iter().enumerate() {
                assert_eq!(F::from(x.coeff(i)), coefficient);
            }
            let [c0, c1, c2, c3] = [0, 1, 2, 3].map(|i| x.coeff(i));
            assert_eq!(Ext::from_coeffs([c0, c1, c2, c3, Felt::ZERO]), x);
        });
    }
}

/// The fourth power of the generator is three, and not eleven as in Plonky3's `BabyBear`.
#[test]
fn the_generator_is_a_root_of_the_modulus() {
    succeeds(|| {
        quartic();
        let x = Ext::new([0, 1, 0, 0, 0]);
        assert_eq!(x * x * x * x, Ext::from_felt(felt(3)));
    });
    succeeds(|| {
        assert_eq!(Ext::degree(), 5);
        let x = Ext::new([0, 1, 0, 0, 0]);
        assert_eq!(x * x * x * x * x + x * x, Ext::ONE);
    });
}

#[test]
fn windows_and_packed_elements_are_the_native_ones() {
    let blocks: Vec<_> = (0..4u32)
        .map(|i| std::array::from_fn(|j| F::from_u32(100 * i + j as u32)))
        .collect();
    let beta = element(3);
    succeeds(move || {
        quartic();
        let data = Slice::from_native(&blocks);
        for skip in 0..8 {
            for count in 1..=6 {
                let elements: Vec<EF4> = precompile::unpack(&blocks, skip, count).unwrap();
                let unpacked = unpack(data, skip, count);
                for (i, &element) in elements.iter().enumerate() {
                    let block = unpacked.block(i);
                    assert_eq!(block.native(), ext_to_block(element));
                    assert_eq!(EF4::from(block.as_ext()), element);
                }
                assert_unpacked(data, skip, count, unpacked);
                let sum = precompile::horner(&blocks, skip, 4 * count, beta).unwrap();
                let window = horner(data, skip, 4 * count, Ext::from(beta));
                assert_eq!(EF4::from(window), sum);
            }
        }
    });
}

/// Elements of GF(2^128) have five lanes at every degree.
#[test]
fn binary_elements_are_of_no_degree() {
    let blocks: Vec<_> = (0..3u32)
        .map(|i| std::array::from_fn(|j| F::from_u32(100 * i + j as u32)))
        .collect();
    for is_quartic in [false, true] {
        let blocks = blocks.clone();
        succeeds(move || {
            if is_quartic {
                quartic();
            }
            let data = Slice::from_native(&blocks);
            for (skip, count) in [(0, 1), (3, 4), (7, 3)] {
                let unpacked = unpack_binary(data, skip, count);
                let elements: Vec<EF> = precompile::unpack(&blocks, skip, count).unwrap();
                let elements: Vec<_> = elements.into_iter().map(ext_to_block).collect();
                assert_eq!(unpacked.native(count), elements);
            }
            let weights = unpack_binary(data, 0, 4);
            for count in [1, 2] {
                let sum = word_products(data, count, weights, weights.block(1));
                let (words, weights) = (&blocks[..count], weights.native(2 * count));
                let expected = precompile::word_products(words, &weights, &weights[1]);
                assert_eq!(sum.native(), expected.unwrap());
            }
        });
    }
    let other = || {
        let data = Slice::from_native(&[[F::from_u32(256); 8]; 2]);
        word_products(data, 1, unpack_binary(data, 0, 2), Block::ZERO);
    };
    fails(
        &[],
        other,
        "lane 4 of a block of an element of GF(2^128) is 256",
    );
}

#[test]
fn the_degree_is_chosen_once_and_first() {
    fails(
        &[],
        || {
            quartic();
            quartic();
        },
        "after it was used",
    );
    let late: [fn(); 4] = [
        || {
            let x = Ext::new([0, 1, 0, 0, 0]);
            let _square = x * x;
            quartic();
        },
        || {
            Ext::degree();
            quartic();
        },
        || {
            Ext::ONE.as_block();
            quartic();
        },
        || {
            Block::ZERO.as_ext();
            quartic();
        },
    ];
    for program in late {
        fails(&[], program, "after it was used");
    }
    let hint = [Hint::Felt(F::ONE)];
    fails(
        &hint,
        || {
            hint_felt().any();
            quartic();
        },
        "after it was used",
    );
    assert!(std::panic::catch_unwind(quartic).is_err());
    // A run says nothing about the next one.
    succeeds(|| {
        quartic();
    });
    succeeds(|| assert_eq!(Ext::degree(), 5));
}

/// The fifth cell of an element must be zero wherever it comes from.
#[test]
fn a_fifth_coefficient_is_refused() {
    let another = "another coefficient that is not zero";
    let fifth: [fn(); 4] = [
        || {
            let x = Ext::new([1, 0, 0, 0, 1]);
            let _square = x * x;
        },
        || {
            Ext::new([0, 0, 0, 0, 1]).as_block();
        },
        || {
            Ext::new([0, 0, 0, 0, 1]).inverse();
        },
        || {
            Ext::from_coeffs([Felt::ONE; 5]);
        },
    ];
    for program in fifth {
        fails(
            &[],
            move || {
                quartic();
                program();
            },
            another,
        );
        succeeds(program);
    }
    let cells = |last: u32| {
        let cells = [1, 2, 3, 4, last].map(F::from_u32);
        [Hint::Ext(EF::from_basis_coefficients_fn(|i| cells[i]))]
    };
    let hint = || {
        quartic();
        assert_eq!(hint_ext().checked(), Ext::new([1, 2, 3, 4, 0]));
    };
    fails(&cells(5), hint, another);
    let tape = NativeTape {
        hints: cells(0).to_vec(),
    };
    run_native(&tape, &[], hint).unwrap();
    let block = [1, 2, 3, 4, 5, 0, 0, 0].map(F::from_u32);
    let error = ext_from_block::<EF4>(&block).unwrap_err().to_string();
    fails(
        &[],
        move || {
            quartic();
            Block::from_native(block).as_ext();
        },
        &error,
    );
    fails(
        &[],
        || {
            quartic();
            Ext::ONE.coeff(4);
        },
        "no coefficient 4",
    );
}

/// An element of the field of degree five is no challenge of a run over the other, and the reverse.
#[test]
fn elements_of_another_field_are_refused() {
    let another = "element of another field";
    let programs: [fn(); 3] = [
        || {
            let _x = Ext::from(EF::ONE);
        },
        || {
            let _x = EF::from(Ext::ONE);
        },
        || {
            let coordinates = Slice::from_blocks([Ext::ONE.as_block()]);
            power_weights(coordinates, 1, felt(3), Felt::ONE);
        },
    ];
    for program in programs {
        fails(
            &[],
            move || {
                quartic();
                program();
            },
            another,
        );
        succeeds(program);
    }
    fails(
        &[],
        || {
            let _x = Ext::from(EF4::ONE);
        },
        another,
    );
    fails(
        &[],
        || {
            let _x = EF4::from(Ext::ONE);
        },
        another,
    );
}
