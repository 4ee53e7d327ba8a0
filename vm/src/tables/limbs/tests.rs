use droste_air::test_utils::{Harness, Rows, Table as Traced, constraint_degree, largest_message};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{LimbsCols, LimbsTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::run_testing::{assert_serves, generate};
use crate::tables::testing::execution;

/// Three calls, of 3, 1 and 2 groups, and their results.
fn run() -> Execution {
    let mut blocks: Vec<[F; LANES]> = (0..6)
        .map(|i| std::array::from_fn(|j| F::from_u32(i * 100_000_007 + 77 * j as u32 + 1).cube()))
        .collect();
    // The ends of the range, as words.
    let shift = F::from_u64(1 << 32);
    blocks[3] = [
        0,
        1,
        2,
        0xffff,
        0x10000,
        0x7eff_ffff,
        0x7f00_0000,
        0x7eff_0000,
    ]
    .map(|word| F::from_u32(word) / shift);
    let out = blocks.len() as u32;
    for index in 0..6 {
        for half in 0..2 {
            let elements = blocks[index];
            blocks.push(std::array::from_fn(|lane| {
                let word = elements[4 * half + lane / 2].to_unique_u32();
                F::from_u32(word >> (16 * (lane % 2)) & 0xffff)
            }));
        }
    }
    let calls = [
        (id::LIMBS, [0, 0, out, 0, 3]),
        (id::LIMBS, [3, 0, out + 6, 0, 1]),
        (id::LIMBS, [4, 0, out + 8, 0, 2]),
    ];
    execution(blocks, &calls)
}

fn harness(execution: &Execution, log_height: usize) -> Harness<'static, F> {
    let (trace, _) = generate(&LimbsTable, execution, Some(log_height));
    let table = Traced::new("limbs", &LimbsTable, trace).names(LimbsCols::<u8>::names());
    Harness::new(vec![table])
        .open_bus("call")
        .open_bus("block")
        .free_on_padding("limbs", "in_address", "no message on padding")
        .free_on_padding("limbs", "out_address", "no message on padding")
        .free_on_padding("limbs", "remaining", "no message on padding")
}

#[test]
fn width_and_degree() {
    assert_eq!(LimbsCols::<u8>::WIDTH, 5 + 8 * (11 + 9 + 1 + 1));
    assert_eq!(constraint_degree(&LimbsTable), 3);
    assert!(largest_message::<F, _>(&LimbsTable, 50_000) < 1000);
}

#[test]
fn limbs_are_those_of_the_montgomery_words() {
    let execution = run();
    for log_height in [3, 4] {
        let (trace, uses) = generate(&LimbsTable, &execution, Some(log_height));
        assert_serves(&LimbsTable, trace, Vec::new(), &execution, &uses);
    }
}

#[test]
fn a_full_table_is_accepted() {
    let mut execution = run();
    let calls = &mut execution.calls[id::LIMBS as usize];
    calls.push(crate::record::Call {
        e: F::TWO,
        ..calls[0]
    });
    let (trace, uses) = generate(&LimbsTable, &execution, None);
    assert_serves(&LimbsTable, trace, Vec::new(), &execution, &uses);
}

#[test]
fn every_cell_is_constrained() {
    let execution = run();
    harness(&execution, 3)
        .mutate("limbs", &Rows::listed(vec![0, 1, 3, 5, 6, 7], 6))
        .expect_caught();
}
