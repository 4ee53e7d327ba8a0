//! Known answers, mutations and forgeries of calls. Those of constants are in `constants`.

mod constants;

use droste_native::F;
use droste_native::hash::poseidon2::Constants;
use droste_native::precompile::{Permutations, poseidon2_sponge};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::columns::LOADS;
use super::trace::fill_permutation;
use super::{Poseidon2WideTable, WideCols};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::testing::{self, Block, Tested, dense, forged};

/// Address of the constants, after the capacities.
const CONSTANTS: u32 = 4;

/// Constants of a seed's own.
fn drawn(seed: u32) -> Constants<24> {
    let mut elements = (seed..).flat_map(dense);
    Constants::<24>::drawn(|| elements.next().unwrap())
}

/// The native function with the constants of every run.
fn native() -> Permutations {
    let mut permutations = Permutations::default();
    let blocks = drawn(500).blocks();
    permutations.poseidon2_24_constants(&blocks).unwrap();
    permutations
}

impl Tested for Poseidon2WideTable {
    /// The blocks are capacities, then the constants.
    fn data() -> Vec<Block> {
        let capacities = (0..CONSTANTS).map(dense);
        capacities.chain(drawn(500).blocks()).collect()
    }

    fn calls() -> Vec<(u32, [u32; 5])> {
        vec![(id::POSEIDON2_24_CONSTANTS, [CONSTANTS, 0, 0, 0, 0])]
    }

    fn recompute(rows: &mut [&mut WideCols<F>], execution: &mut Execution) {
        for row in rows {
            let block = |state: &[F; 3 * LANES], block: usize| -> Block {
                std::array::from_fn(|lane| state[LANES * block + lane])
            };
            let inputs = row.permutation.inputs;
            fill_permutation(row, [0, 1, 2].map(|index| block(&inputs, index)));
            let out = row.out_address.as_canonical_u32() as usize;
            let written = if row.is_hash == F::ONE { 1 } else { 3 };
            for index in 0..written * usize::from(row.is_sponge == F::ONE) {
                execution.memory.blocks[out + index] = block(row.permutation.outputs(), index);
            }
        }
    }
}

type Run = testing::Run<Poseidon2WideTable>;

impl Run {
    /// Adds a call, and the blocks of its data and its result. Returns the address of the data.
    fn call(&mut self, id: u32, lanes: usize, capacity: u32, tag: u32) -> u32 {
        let blocks = lanes.div_ceil(LANES) as u32;
        let mut data: Vec<Block> = (100..100 + blocks).map(dense).collect();
        let start = self.blocks[capacity as usize];
        let out = native().poseidon2_24_duplex(&data, lanes, &start, F::from_u32(tag));
        let out = out.unwrap();
        *data.last_mut().unwrap() = out.last_block;
        let a = self.push(data);
        let [low, high] = out.rate;
        let c = self.push([low]);
        if id == id::POSEIDON2_24_DUPLEX {
            self.blocks.extend([high, out.capacity]);
        }
        self.calls.push((id, [a, capacity, c, tag, lanes as u32]));
        a
    }

    fn duplex(&mut self, lanes: usize, capacity: u32, tag: u32) -> u32 {
        self.call(id::POSEIDON2_24_DUPLEX, lanes, capacity, tag)
    }

    fn hash(&mut self, lanes: usize, capacity: u32) {
        self.call(id::POSEIDON2_24_HASH, lanes, capacity, 0);
    }
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.duplex(48, 2, 16);
    run.duplex(21, 3, 0);
    run.duplex(29, 1, 7);
    run.hash(16, 3);
    run.hash(31, 0);
    run.hash(17, 1);
    run
}

fn duplex(lanes: usize, tag: u32) -> Run {
    let mut run = Run::new();
    run.duplex(lanes, 0, tag);
    run
}

fn hash(lanes: usize) -> Run {
    let mut run = Run::new();
    run.hash(lanes, 0);
    // Data in the blocks to which a duplex would write the rest of its output.
    run.blocks.extend([dense(7), dense(8)]);
    run
}

/// Returns what is wrong with `height` rows of calls, below those that load the constants, after
/// `edit`.
fn forged_calls(
    run: &Run,
    height: usize,
    edit: impl FnOnce(&mut [&mut WideCols<F>], &mut Execution),
) -> Option<String> {
    forged(run, LOADS + height, |rows, execution| {
        edit(&mut rows[LOADS..], execution);
    })
}

// The accumulator, the call, and six block lookups in three columns.
crate::tables::testing::common_tests!(Poseidon2WideTable: 485, 3, 25);

#[test]
fn every_length_agrees_with_the_native_function() {
    for lanes in 16..=49 {
        let mut run = Run::new();
        run.duplex(lanes, 0, 3);
        run.hash(lanes, 1);
        run.assert_accepts();
    }
}

/// With Plonky3's default constants, the results are those of the table of Poseidon2's sponges.
#[test]
fn default_constants_are_constants() {
    let mut run = Run::new();
    let data = run.duplex(32, 0, 16) as usize;
    let blocks = Constants::<24>::default().blocks();
    run.blocks[CONSTANTS as usize..][..blocks.len()].copy_from_slice(&blocks);
    let message = &run.blocks[data..][..4];
    let out = poseidon2_sponge(message, 32, &run.blocks[0], F::from_u32(16)).unwrap();
    let [low, high] = out.rate;
    run.blocks[data + 4..].copy_from_slice(&[low, high, out.capacity]);
    run.assert_accepts();
}

/// The rows fill the table, so its last row is the last row of a call.
#[test]
fn full_tables_are_accepted() {
    duplex(23, 0).assert_fills(16);
    let mut run = Run::new();
    run.hash(16, 1);
    run.hash(16, 2);
    run.assert_fills(16);
    assert!(run.proves());
}

/// A run of 15 rows and one of padding, and a full one, which together have rows of each kind.
#[test]
fn every_cell_that_matters_is_constrained() {
    let mut run = Run::new();
    run.hash(16, 2);
    for run in [run, duplex(29, 7)] {
        run.assert_constrained(&WideCols::<u8>::names(), WideCols::free_columns);
    }
}

#[test]
fn an_unedited_forgery_is_honest() {
    for run in [duplex(29, 0), duplex(21, 16), hash(21)] {
        assert_eq!(forged_calls(&run, 2, |_, _| ()), None);
    }
}

/// If the rows of a `duplex` call did not write all of its output, those blocks could hold
/// anything. If the rows of a `hash` call wrote it, they could not hold the program's other data.
#[test]
fn a_hash_for_a_sponge_is_rejected() {
    let all = |flag: F| {
        move |rows: &mut [&mut WideCols<F>], _: &mut Execution| {
            rows.iter_mut().for_each(|row| row.is_hash = flag)
        }
    };
    for row in 0..2 {
        assert!(forged_calls(&duplex(21, 0), 2, |rows, _| rows[row].is_hash = F::ONE).is_some());
        assert!(forged_calls(&hash(21), 2, |rows, _| rows[row].is_hash = F::ZERO).is_some());
    }
    assert!(forged_calls(&duplex(21, 0), 2, all(F::ONE)).is_some());
    assert!(forged_calls(&hash(21), 2, all(F::ZERO)).is_some());
    // A row of `hash` that is not one of a sponge.
    let padding = forged_calls(&hash(16), 2, |rows, _| rows[1].is_hash = F::ONE);
    assert!(padding.is_some());
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The call asks for one row more than the table has.
    assert!(forged_calls(&duplex(48, 0), 2, |_, _| ()).is_some());
    assert!(forged_calls(&hash(33), 2, |_, _| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    assert!(forged_calls(&duplex(16, 0), 1, |rows, _| rows[0].starts = F::ZERO).is_some());
    let mut run = Run::new();
    run.hash(16, 0);
    run.hash(16, 0);
    assert!(forged_calls(&run, 2, |rows, _| rows[1].starts = F::ZERO).is_some());
}

#[test]
fn another_capacity_between_permutations_is_rejected() {
    for lane in 16..24 {
        let fault = forged_calls(&duplex(32, 0), 2, |rows, _| {
            rows[1].permutation.inputs[lane] += F::ONE;
        });
        assert!(fault.is_some());
    }
}

#[test]
fn another_tag_is_rejected() {
    let run = duplex(48, 16);
    assert_eq!(forged_calls(&run, 3, |_, _| ()), None);
    // The tag changes from a row on, consistently, but the call has another tag.
    for from in 0..2 {
        let fault = forged_calls(&run, 3, |rows, _| {
            for row in &mut rows[from..] {
                row.tag += F::ONE;
            }
            rows[from].permutation.inputs[16] += F::ONE;
        });
        assert!(fault.is_some());
    }
    // The tag is left out, or not added, on one row.
    for row in 0..3 {
        assert!(forged_calls(&run, 3, |rows, _| rows[row].tag = F::ZERO).is_some());
        let fault = forged_calls(&run, 3, |rows, _| {
            rows[row].permutation.inputs[16] -= F::from_u32(16);
        });
        assert!(fault.is_some(), "row {row}");
    }
}

#[test]
fn other_lanes_past_the_end_are_rejected() {
    for lanes in 17..32 {
        for lane in lanes - 16..16 {
            let mut run = Run::new();
            let data = run.duplex(lanes, 0, 0) as usize;
            // Where the lane is in a block that is read, memory holds what the forger needs.
            let block = data + 2 + lane / LANES;
            let read = lane / LANES <= (lanes - 17) / LANES;
            if read {
                run.blocks[block][lane % LANES] += F::ONE;
            }
            let fault = forged_calls(&run, 2, |rows, _| {
                let input = &mut rows[1].permutation.inputs[lane];
                *input = if read {
                    run.blocks[block][lane % LANES]
                } else {
                    *input + F::ONE
                };
            });
            assert!(fault.is_some(), "{lanes} lanes, lane {lane}");
        }
    }
}

#[test]
fn another_end_is_rejected() {
    // Fewer or more lanes than the call says.
    for (lanes, last) in [(29, 5), (29, 4), (21, 4), (21, 6)] {
        let fault = forged_calls(&duplex(lanes, 0), 2, |rows, _| {
            for (lane, flag) in rows[1].past_end.iter_mut().enumerate() {
                *flag = F::from_bool(lane + 1 >= last + usize::from(last == (lanes - 16) % 8));
            }
        });
        assert!(fault.is_some(), "{lanes} lanes, {last}");
    }
    // Flags that are not in order, with the same sum.
    let fault = forged_calls(&duplex(30, 0), 2, |rows, _| rows[1].past_end.reverse());
    assert!(fault.is_some());
    // A short row where the call has two blocks, and the other way round.
    let fault = forged_calls(&duplex(32, 0), 2, |rows, _| rows[1].is_short = F::ONE);
    assert!(fault.is_some());
    let fault = forged_calls(&duplex(24, 0), 2, |rows, _| rows[1].is_short = F::ZERO);
    assert!(fault.is_some());
    // 24 + 16 lanes are absorbed, with the short row in the middle.
    let fault = forged_calls(&duplex(40, 0), 3, |rows, _| {
        (rows[1].is_short, rows[2].is_short) = (F::ONE, F::ZERO);
    });
    assert!(fault.is_some());
    // The first row of a call is short, or partial, though no output precedes it.
    for lanes in [8, 15] {
        let mut run = duplex(16, 0);
        run.last_call()[4] = lanes;
        let fault = forged_calls(&run, 1, |rows, _| {
            rows[0].remaining = F::from_u32(lanes);
            rows[0].is_short = F::from_bool(lanes == 8);
            rows[0].past_end[6] = F::from_bool(lanes == 15);
        });
        assert!(fault.is_some(), "{lanes} lanes");
    }
}

#[test]
fn other_blocks_are_rejected() {
    // The second row reads the first row's blocks.
    let run = duplex(32, 0);
    let fault = forged_calls(&run, 2, |rows, _| {
        rows[1].address = rows[0].address;
        let inputs = rows[0].permutation.inputs;
        rows[1].permutation.inputs[..16].copy_from_slice(&inputs[..16]);
    });
    assert!(fault.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn mixtures_agree(
        lanes in prop::collection::vec(16usize..70, 0..4),
        tag in 0..droste_native::field::MODULUS,
    ) {
        let mut run = Run::new();
        for lanes in lanes {
            run.duplex(lanes, 1, tag);
            run.hash(lanes, 2);
        }
        run.assert_accepts();
    }
}
