use droste_native::F;
use droste_native::precompile::poseidon2_sponge;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::trace::fill_permutation;
use super::{Poseidon2SpongeTable, SpongeCols};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::testing::{self, Block, Tested, dense, forged};

impl Tested for Poseidon2SpongeTable {
    /// The blocks are capacities.
    fn data() -> Vec<Block> {
        (0..4).map(dense).collect()
    }

    fn recompute(rows: &mut [&mut SpongeCols<F>], execution: &mut Execution) {
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

type Run = testing::Run<Poseidon2SpongeTable>;

impl Run {
    /// Adds a call, and the blocks of its data and its result.
    fn call(&mut self, id: u32, lanes: usize, capacity: u32, tag: u32) {
        let mut data: Vec<Block> = (0..lanes.div_ceil(LANES) as u32)
            .map(|i| dense(100 + i))
            .collect();
        let start = &self.blocks[capacity as usize];
        let out = poseidon2_sponge(&data, lanes, start, F::from_u32(tag)).unwrap();
        *data.last_mut().unwrap() = out.last_block;
        let a = self.push(data);
        let [low, high] = out.rate;
        let c = self.push([low]);
        if id == id::POSEIDON2_SPONGE {
            self.blocks.extend([high, out.capacity]);
        }
        self.calls.push((id, [a, capacity, c, tag, lanes as u32]));
    }

    fn sponge(&mut self, lanes: usize, capacity: u32, tag: u32) {
        self.call(id::POSEIDON2_SPONGE, lanes, capacity, tag);
    }

    fn hash(&mut self, lanes: usize, capacity: u32) {
        self.call(id::POSEIDON2_HASH, lanes, capacity, 0);
    }
}

fn mixed() -> Run {
    let mut run = Run::new();
    run.sponge(48, 2, 16);
    run.sponge(21, 3, 0);
    run.sponge(29, 1, 7);
    run.hash(16, 3);
    run.hash(31, 0);
    run.hash(17, 1);
    run
}

fn sponge(lanes: usize) -> Run {
    let mut run = Run::new();
    run.sponge(lanes, 0, 0);
    run
}

fn hash(lanes: usize) -> Run {
    let mut run = Run::new();
    run.hash(lanes, 0);
    // Data in the blocks to which a sponge would write the rest of its output.
    run.blocks.extend([dense(7), dense(8)]);
    run
}

// The accumulator, the call, and six block lookups in three columns.
crate::tables::testing::common_tests!(Poseidon2SpongeTable: 255, 3, 25);

#[test]
fn every_length_agrees_with_the_native_function() {
    for lanes in 16..=49 {
        let mut run = Run::new();
        run.sponge(lanes, 0, 3);
        run.hash(lanes, 1);
        run.assert_accepts();
    }
}

/// The rows fill the table, so its last row is the last row of a call.
#[test]
fn full_tables_are_accepted() {
    let mut run = Run::new();
    run.hash(16, 1);
    run.sponge(39, 2, 0);
    run.assert_fills(4);
}

#[test]
fn every_cell_that_matters_is_constrained() {
    mixed().assert_constrained(&SpongeCols::<u8>::names(), SpongeCols::free_columns);
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&sponge(29), 2, |_, _| ()), None);
    assert_eq!(forged(&sponge(21), 2, |_, _| ()), None);
    assert_eq!(forged(&hash(21), 2, |_, _| ()), None);
}

/// If the rows of a `sponge` call did not write all of its output, those blocks could hold
/// anything. If the rows of a `hash` call wrote it, they could not hold the program's other data.
#[test]
fn a_hash_for_a_sponge_is_rejected() {
    let all = |flag: F| {
        move |rows: &mut [&mut SpongeCols<F>], _: &mut Execution| {
            rows.iter_mut().for_each(|row| row.is_hash = flag)
        }
    };
    for row in 0..2 {
        assert!(forged(&sponge(21), 2, |rows, _| rows[row].is_hash = F::ONE).is_some());
        assert!(forged(&hash(21), 2, |rows, _| rows[row].is_hash = F::ZERO).is_some());
    }
    assert!(forged(&sponge(21), 2, all(F::ONE)).is_some());
    assert!(forged(&hash(21), 2, all(F::ZERO)).is_some());
    // A row of `hash` that is not one of a sponge.
    let padding = forged(&hash(16), 2, |rows, _| rows[1].is_hash = F::ONE);
    assert!(padding.is_some());
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    // The call asks for one row more than the table has.
    assert!(forged(&sponge(48), 2, |_, _| ()).is_some());
    assert!(forged(&hash(33), 2, |_, _| ()).is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    assert!(forged(&sponge(16), 1, |rows, _| rows[0].starts = F::ZERO).is_some());
    let mut run = Run::new();
    run.hash(16, 0);
    run.hash(16, 0);
    assert!(forged(&run, 2, |rows, _| rows[1].starts = F::ZERO).is_some());
}

#[test]
fn another_capacity_between_permutations_is_rejected() {
    for lane in 16..24 {
        let fault = forged(&sponge(32), 2, |rows, _| {
            rows[1].permutation.inputs[lane] += F::ONE;
        });
        assert!(fault.is_some());
    }
}

#[test]
fn another_tag_is_rejected() {
    let duplex = |tag| {
        let mut run = Run::new();
        run.sponge(48, 0, tag);
        run
    };
    assert_eq!(forged(&duplex(16), 3, |_, _| ()), None);
    // The tag changes from a row on, consistently, but the call has another tag.
    for from in 0..2 {
        let fault = forged(&duplex(16), 3, |rows, _| {
            for row in &mut rows[from..] {
                row.tag += F::ONE;
            }
            rows[from].permutation.inputs[16] += F::ONE;
        });
        assert!(fault.is_some());
    }
    // The tag is left out, or not added, on one row.
    for row in 0..3 {
        assert!(forged(&duplex(16), 3, |rows, _| rows[row].tag = F::ZERO).is_some());
        let fault = forged(&duplex(16), 3, |rows, _| {
            rows[row].permutation.inputs[16] -= F::from_u32(16);
        });
        assert!(fault.is_some(), "row {row}");
    }
}

#[test]
fn other_lanes_past_the_end_are_rejected() {
    for lanes in 17..32 {
        for lane in lanes - 16..16 {
            let mut run = sponge(lanes);
            // Where the lane is in a block that is read, memory holds what the forger needs.
            let block = 4 + 2 + lane / LANES;
            let read = lane / LANES <= (lanes - 17) / LANES;
            if read {
                run.blocks[block][lane % LANES] += F::ONE;
            }
            let fault = forged(&run, 2, |rows, _| {
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
        let fault = forged(&sponge(lanes), 2, |rows, _| {
            for (lane, flag) in rows[1].past_end.iter_mut().enumerate() {
                *flag = F::from_bool(lane + 1 >= last + usize::from(last == (lanes - 16) % 8));
            }
        });
        assert!(fault.is_some(), "{lanes} lanes, {last}");
    }
    // Flags that are not in order, with the same sum.
    let fault = forged(&sponge(30), 2, |rows, _| rows[1].past_end.reverse());
    assert!(fault.is_some());
    // A short row where the call has two blocks, and the other way round.
    let fault = forged(&sponge(32), 2, |rows, _| rows[1].is_short = F::ONE);
    assert!(fault.is_some());
    let fault = forged(&sponge(24), 2, |rows, _| rows[1].is_short = F::ZERO);
    assert!(fault.is_some());
    // 24 + 16 lanes are absorbed, with the short row in the middle.
    let fault = forged(&sponge(40), 3, |rows, _| {
        (rows[1].is_short, rows[2].is_short) = (F::ONE, F::ZERO);
    });
    assert!(fault.is_some());
    // The first row of a call is short, or partial, though no output precedes it.
    for lanes in [8, 15] {
        let mut run = sponge(16);
        run.calls[0].1[4] = lanes;
        let fault = forged(&run, 1, |rows, _| {
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
    let run = sponge(32);
    let fault = forged(&run, 2, |rows, _| {
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
            run.sponge(lanes, 1, tag);
            run.hash(lanes, 2);
        }
        run.assert_accepts();
    }
}
