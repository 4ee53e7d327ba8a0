mod forgeries;

use droste_air::test_utils::{Rows, largest_message};
use droste_native::precompile::{ext_to_block, power_weights};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use proptest::prelude::*;

use forgeries::forged;

use super::{PowerWeightsCols, PowerWeightsTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::testing::{Bench, assert_no_cell_changes, assert_shape, execution};

type Row = PowerWeightsCols<F>;

fn element(seed: u32) -> EF {
    EF::from_basis_coefficients_fn(|i| F::from_u32(seed * 1_000_003 + 17 * i as u32 + 1).cube())
}

/// A run of calls `(n, generator, exponent)`. Call `i` reads the coordinates from block `32 i` on,
/// and writes block `32 i + 24`.
fn run(calls: &[(u32, F, u32)]) -> Execution {
    let mut blocks = vec![[F::ZERO; 8]; 32 * calls.len()];
    let mut list = Vec::new();
    for (index, &(n, generator, exponent)) in calls.iter().enumerate() {
        let at = 32 * index;
        let coordinates: Vec<EF> = (0..n).map(|i| element(at as u32 + i)).collect();
        for (block, &r) in blocks[at..].iter_mut().zip(&coordinates) {
            *block = ext_to_block(r);
        }
        let weight = power_weights(&coordinates, generator, F::from_u32(exponent));
        blocks[at + 24] = ext_to_block(weight.unwrap());
        let at = at as u32;
        let operands = [at, generator.as_canonical_u32(), exponent, at + 24, n];
        list.push((id::POWER_WEIGHTS, operands));
    }
    execution(blocks, &list)
}

/// The generator of the subgroup of order `2^bits`.
fn subgroup(bits: usize) -> F {
    F::two_adic_generator(bits)
}

fn mixed() -> Execution {
    run(&[
        (3, subgroup(3), 0b110),
        (1, subgroup(1), 1),
        (5, F::from_u32(3), 0b10011),
    ])
}

#[test]
fn width_and_degree() {
    assert_eq!(Row::WIDTH, 11 + 3 * 5);
    // The accumulator, the call, and one column of both block lookups.
    assert_shape::<PowerWeightsTable>(Row::WIDTH, 3, 15);
    assert!(largest_message(&PowerWeightsTable, 50_000) < 100);
}

#[test]
fn weights_are_those_of_the_native_function() {
    for n in 1..=24 {
        let largest = (1 << n) - 1;
        let generator = subgroup(n as usize);
        for exponent in [0, 1, 0x55_5555 & largest, largest - 1, largest] {
            let execution = run(&[(n, generator, exponent)]);
            Bench::<PowerWeightsTable>::new(&execution).assert_accepts();
        }
    }
    for generator in [F::ZERO, F::ONE, F::TWO, -F::ONE] {
        let execution = run(&[(4, generator, 0), (2, generator, 3), (4, generator, 9)]);
        Bench::<PowerWeightsTable>::new(&execution).assert_accepts();
    }
    // Coordinates that the power makes zero factors, and zero coordinates.
    let mut execution = run(&[(3, F::TWO, 3)]);
    for (i, r) in [-F::from_u32(7).inverse(), F::ZERO, F::ONE]
        .into_iter()
        .enumerate()
    {
        execution.memory.blocks[i] = ext_to_block(EF::from(r));
    }
    execution.memory.blocks[24] = [F::ZERO; 8];
    Bench::<PowerWeightsTable>::new(&execution).assert_accepts();
}

#[test]
fn a_batch_proof_verifies() {
    let mut execution = mixed();
    assert!(Bench::<PowerWeightsTable>::new(&execution).proves());
    execution.memory.blocks[32 + 24][0] += F::ONE;
    assert!(!Bench::<PowerWeightsTable>::new(&execution).proves());
}

#[test]
fn full_and_empty_tables_are_accepted() {
    let g = subgroup(2);
    let calls: [&[(u32, F, u32)]; 6] = [
        &[],
        &[(1, g, 1)],
        &[(4, g, 13)],
        &[(3, g, 5), (1, g, 0)],
        &[(1, g, 1), (3, g, 7)],
        &[(1, g, 1), (1, g, 0), (2, g, 2)],
    ];
    for calls in calls {
        let execution = run(calls);
        let rows: u32 = calls.iter().map(|call| call.0).sum();
        let height = rows.max(1) as usize;
        let accepted = Bench::<PowerWeightsTable>::new(&execution).assert_accepts();
        assert_eq!(accepted, height);
        assert_eq!(forged(execution, height, |_, _| ()), None);
    }
}

/// Where nothing is sent, nothing but the flags matters.
const FREE_ON_PADDING: [&str; 8] = [
    "address",
    "out_address",
    "remaining",
    "generator",
    "exponent",
    "point",
    "power",
    "coordinate",
];

#[test]
fn every_cell_of_a_call_is_constrained() {
    for execution in [mixed(), run(&[(4, subgroup(4), 11)])] {
        let bench = Bench::<PowerWeightsTable>::new(&execution);
        bench.assert_constrained(&Row::names(), |row| {
            let is_real = row.starts + row.continues == F::ONE;
            if is_real { &[] } else { &FREE_ON_PADDING }
        });
    }
}

#[test]
fn every_column_is_constrained_under_both_ends() {
    // First, middle and last rows of calls, a call of one row, and padding.
    let rows = Rows::listed(vec![0, 1, 2, 3, 4, 6, 8, 9, 15], 9);
    assert_no_cell_changes::<PowerWeightsTable>(
        &mixed(),
        16,
        &Row::names(),
        &FREE_ON_PADDING,
        &rows,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn weights_agree(
        n in 1_u32..25,
        generator in (0..droste_native::field::MODULUS).prop_map(F::new),
        exponent in any::<u32>(),
        others in 0_u32..3,
    ) {
        let mut calls = vec![(n, generator, exponent % (1 << n))];
        calls.extend((0..others).map(|i| (1 + i, F::TWO, i)));
        Bench::<PowerWeightsTable>::new(&run(&calls)).assert_accepts();
    }
}
