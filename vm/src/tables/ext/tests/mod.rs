use droste_native::field::MODULUS;
use droste_native::precompile::{ext_from_block, ext_to_block, fold, horner, right_shifts, unpack};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

mod shifts;

use super::trace::fill_steps;
use super::{ExtCols, ExtTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::testing::{self, Block, Tested, dense, forged};

fn element(seed: u32) -> EF {
    EF::from_basis_coefficients_fn(|i| F::from_u32(seed * 1_000_003 + 17 * i as u32 + 1).cube())
}

impl Tested for ExtTable {
    /// Blocks 0 to 3 are dense, 4 to 7 are elements; 7 is beta.
    fn data() -> Vec<Block> {
        let elements = (4..8).map(|seed| ext_to_block(element(seed)));
        (0..4).map(dense).chain(elements).collect()
    }

    fn recompute(rows: &mut [&mut ExtCols<F>], execution: &mut Execution) {
        let mut above = [F::ZERO; 5];
        for row in rows {
            if row.continues == F::ONE {
                row.b = above;
            }
            fill_steps(row);
            if row.is_horner == F::ONE {
                row.d = row.steps[3];
            }
            if row.is_horner == F::ONE || row.is_unpack == F::ONE {
                let out = row.d_word.as_canonical_u32() as usize;
                let blocks = &mut execution.memory.blocks;
                blocks.resize(blocks.len().max(out + 1), [F::ZERO; LANES]);
                blocks[out][..5].copy_from_slice(&row.d);
            }
            above = row.d;
        }
    }
}

type Run = testing::Run<ExtTable>;

impl Run {
    fn ext(&mut self, a: u32, b: u32, c: u32, e: u32) {
        let operand = |value: u32, scalar: bool| {
            if scalar {
                EF::from_u32(value)
            } else {
                ext_from_block(&self.blocks[value as usize]).unwrap()
            }
        };
        let (left, right) = (operand(a, false), operand(b, e & 1 == 1));
        let addend = operand(c, e & 2 == 2);
        let value = if e & 4 == 4 {
            fold(left, right, addend)
        } else {
            left * right + addend
        };
        let d = self.push([ext_to_block(value)]);
        self.calls.push((id::EXT, [a, b, c, d, e]));
    }

    fn horner(&mut self, a: u32, skip: usize, length: usize) {
        let beta: EF = ext_from_block(&self.blocks[7]).unwrap();
        let value = horner(&self.blocks[a as usize..], skip, length, beta).unwrap();
        let d = self.push([ext_to_block(value)]);
        self.calls
            .push((id::HORNER, [a, 7, length as u32, d, skip as u32]));
    }

    fn unpack(&mut self, a: u32, skip: usize, count: usize) {
        let elements = unpack::<EF>(&self.blocks[a as usize..4], skip, count).unwrap();
        let d = self.push(elements.into_iter().map(ext_to_block));
        self.calls
            .push((id::UNPACK, [a, 0, count as u32, d, skip as u32]));
    }

    fn shifts(&mut self, x: u32, count: usize) {
        let blocks = right_shifts(F::from_u32(x), count).unwrap();
        let a = self.push(blocks);
        self.calls
            .push((id::RIGHT_SHIFTS, [a, x, count as u32, 0, 0]));
    }

    fn lane(&mut self, a: u32, lane: u32) {
        let value = self.blocks[a as usize][lane as usize].as_canonical_u32();
        self.calls.push((id::LANE, [a, value, 0, 0, lane]));
    }

    fn block_eq(&mut self, a: u32) {
        let b = self.push([self.blocks[a as usize]]);
        self.calls.push((id::BLOCK_EQ, [a, b, 0, 0, 0]));
    }
}

fn mixed() -> Run {
    let mut run = Run::new();
    for e in 0..8 {
        run.ext(4, 5, 6, e);
    }
    run.lane(1, 0);
    run.lane(2, 7);
    run.block_eq(3);
    run.block_eq(4);
    run.horner(0, 3, 20);
    run.horner(2, 2, 3);
    run.unpack(0, 2, 5);
    run.unpack(1, 0, 4);
    run.shifts(0x1234_5678, 4);
    run.shifts(MODULUS - 1, 4);
    run.shifts(0x9a_bcde, 3);
    run.shifts(77, 1);
    run
}

// The accumulator, the call, and two columns of two block lookups each.
crate::tables::testing::common_tests!(ExtTable: 64, 3, 20);

#[test]
fn every_window_agrees_with_the_native_function() {
    for skip in 0..8 {
        for length in [1, 2, 7, 8, 9, 16, 17] {
            let mut run = Run::new();
            run.horner(0, skip, length);
            run.assert_accepts();
        }
    }
}

#[test]
fn every_unpacking_agrees_with_the_native_function() {
    for skip in 0..8 {
        for count in 1..=4 {
            let mut run = Run::new();
            run.unpack(0, skip, count);
            run.assert_accepts();
        }
    }
}

/// The rows fill the table: its last row is the last row of a chain, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for fill in 0..8 {
        let mut run = Run::new();
        run.horner(0, 0, 16);
        match fill {
            0 => run.horner(1, 5, 10),
            1 => (0..2).for_each(|_| run.ext(4, 5, 6, 0)),
            2 => (0..2).for_each(|_| run.horner(3, 7, 1)),
            3 => (0..2).for_each(|_| run.lane(3, 5)),
            4 => run.unpack(0, 6, 1),
            5 => run.shifts(70, 2),
            6 => (0..2).for_each(|_| run.shifts(255, 1)),
            _ => run.unpack(0, 6, 2),
        }
        run.assert_fills(4);
        assert!(run.proves());
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    mixed().assert_constrained(&ExtCols::<u8>::names(), ExtCols::free_columns);
}

/// Two rows of `horner` that fill a table of height 2.
fn two_blocks(skip: usize, length: usize) -> Run {
    let mut run = Run::new();
    run.horner(0, skip, length);
    run
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&two_blocks(3, 9), 2, |_, _| ()), None);
    assert_eq!(forged(&mixed(), 64, |_, _| ()), None);
}

#[test]
fn a_chain_open_on_the_last_row_is_rejected() {
    let mut run = two_blocks(0, 16);
    run.calls[0].1[2] = 24;
    let fault = forged(&run, 2, |rows, _| {
        rows[0].b_word = F::from_u32(24);
        rows[1].b_word = F::from_u32(16);
    });
    assert!(fault.is_some());
}

#[test]
fn a_chain_entered_in_the_middle_is_rejected() {
    // The second row alone, as the continuation of no row or of an `ext` row.
    let mut run = Run::new();
    run.ext(4, 5, 6, 0);
    run.horner(0, 0, 8);
    assert!(forged(&run, 2, |rows, _| rows[1].continues = F::ONE).is_some());
    let run = two_blocks(0, 16);
    assert!(forged(&run, 2, |rows, _| rows[0].continues = F::ONE).is_some());
}

/// Memory holds the result that the forger needs.
#[test]
fn another_sum_is_rejected() {
    let execution = two_blocks(0, 16).execution();
    let another = |rows: &mut [&mut ExtCols<F>], execution: &mut Execution| {
        rows[1].d[0] += F::ONE;
        let out = rows[1].d_word.as_canonical_u32() as usize;
        execution.memory.blocks[out][..5].copy_from_slice(&rows[1].d);
    };
    assert!(testing::forge::<ExtTable>(execution, 2, another).is_some());
    // The sum before the first row is not zero.
    let fault = forged(&two_blocks(0, 16), 2, |rows, _| rows[0].b[0] = F::ONE);
    assert!(fault.is_some());
}

#[test]
fn a_window_with_a_gap_is_rejected() {
    // As many lanes as asked for, but other ones.
    let edits: [fn(&mut [&mut ExtCols<F>]); 3] = [
        |rows| rows[0].window.swap(3, 2),
        |rows| rows[0].window.swap(3, 1),
        |rows| rows[1].window.swap(0, 7),
    ];
    for edit in edits {
        assert!(forged(&two_blocks(3, 9), 2, |rows, _| edit(rows)).is_some());
    }
    // The first row ends early, and the second takes the lane.
    let early = forged(&two_blocks(3, 9), 2, |rows, _| {
        rows[0].window[7] = F::ZERO;
        rows[1].window[4] = F::ONE;
        rows[1].b_word += F::ONE;
    });
    assert!(early.is_some());
    // The second row begins late.
    let late = forged(&two_blocks(3, 9), 2, |rows, _| {
        rows[1].window.rotate_right(1)
    });
    assert!(late.is_some());
}

fn packed(skip: usize, count: usize) -> Run {
    let mut run = Run::new();
    run.unpack(0, skip, count);
    run
}

#[test]
fn an_element_of_other_lanes_is_rejected() {
    assert_eq!(forged(&packed(6, 3), 4, |_, _| ()), None);
    for i in 0..5 {
        let fault = forged(&packed(6, 3), 4, |rows, _| rows[0].d[i] += F::ONE);
        assert!(fault.is_some());
    }
    // The second element does not begin where the first ends.
    let fault = forged(&packed(0, 2), 2, |rows, _| {
        rows[1].window.rotate_right(1);
        rows[1].a_word += F::ONE;
    });
    assert!(fault.is_some());
}

#[test]
fn an_element_without_its_second_block_is_rejected() {
    // One element over two blocks whose tail is cut off: in the ring of rows, its coefficients come
    // from row 0.
    let fault = forged(&packed(6, 1), 1, |rows, _| {
        let a = rows[0].a;
        rows[0].d = std::array::from_fn(|i| a[(6 + i) % 8]);
    });
    assert!(fault.is_some());
    // The tail reads another block.
    let other = packed(6, 1).blocks[2];
    let fault = forged(&packed(6, 1), 2, |rows, _| {
        rows[1].a_word = F::TWO;
        rows[1].a = other;
        let a = rows[0].a;
        rows[0].d = std::array::from_fn(|i| if i < 2 { a[6 + i] } else { other[i - 2] });
    });
    assert!(fault.is_some());
    // The tail's block is not looked up.
    let fault = forged(&packed(6, 1), 2, |rows, _| {
        rows[1].a[0] += F::ONE;
        rows[0].d[2] += F::ONE;
    });
    assert!(fault.is_some());
}

#[test]
fn fewer_elements_than_asked_for_are_rejected() {
    // A chain that is cut short at the end of the table, or by its tail.
    let mut run = packed(0, 2);
    run.calls[0].1[2] = 3;
    let fault = forged(&run, 2, |rows, _| {
        rows[0].b_word = F::from_u32(3);
        rows[1].b_word = F::TWO;
    });
    assert!(fault.is_some());
    let mut run = packed(6, 1);
    run.calls[0].1[2] = 2;
    let fault = forged(&run, 2, |rows, _| {
        rows[1].is_unpack = F::ZERO;
        rows[1].window = [F::ZERO; 8];
    });
    assert!(fault.is_some());
}

#[test]
fn chains_do_not_change_their_mode() {
    // A `horner` row continues an `unpack` row, whose element becomes the initial sum.
    let mut run = Run::new();
    run.horner(1, 0, 8);
    run.unpack(0, 3, 1);
    let fault = forged(&run, 2, |rows, _| {
        let (horner, unpack) = (*rows[0], *rows[1]);
        *rows[0] = unpack;
        *rows[1] = horner;
        rows[1].continues = F::ONE;
        rows[1].a_word = rows[0].a_word + F::ONE;
        rows[0].b_word = F::from_u32(9);
        rows[1].b_word = F::from_u32(8);
        rows[0].c_word = rows[1].c_word;
        rows[1].d_word = rows[0].d_word + F::ONE;
    });
    assert!(fault.is_some());
}

/// A row of shifts in the place of an element, which would then not be written.
#[test]
fn elements_do_not_go_on_in_shifts() {
    let mut run = Run::new();
    let data = run.push([[F::ZERO; 8]]);
    let out = run.blocks.len() as u32;
    run.blocks.push([F::ZERO; 8]);
    run.calls = vec![(id::UNPACK, [data, 0, 2, out, 0])];
    let fault = forged(&run, 2, |rows, _| {
        let (first, second) = rows.split_at_mut(1);
        second[0].is_unpack = F::ZERO;
        second[0].is_shifts = F::ONE;
        second[0].window = [F::ZERO; 8];
        second[0].window[1] = F::ONE;
        second[0].continues = F::ONE;
        second[0].a_word = first[0].a_word;
        second[0].b_word = F::ONE;
        second[0].c_word = first[0].c_word;
        second[0].d_word = first[0].d_word + F::ONE;
        second[0].a = [F::ZERO; 8];
        second[0].d = [F::ZERO; 5];
        let inverse = F::from_u32(127).inverse();
        second[0].c = [F::ZERO, F::ONE, inverse, F::ZERO, F::ZERO];
    });
    assert!(fault.is_some());
}

#[test]
fn an_ext_row_cannot_pretend_another_operand_e() {
    // E = 1 is made of a window bit instead of the flag: `b` is then read from memory and is not
    // the scalar.
    let mut run = Run::new();
    run.ext(4, 5, 6, 0);
    run.calls[0].1[4] = 1;
    let fault = forged(&run, 1, |rows, _| {
        rows[0].scalar_b = F::ZERO;
        rows[0].window[1] = F::ONE;
        rows[0].b = std::array::from_fn(|i| run.blocks[5][i]);
        rows[0].d = std::array::from_fn(|i| run.blocks[8][i]);
    });
    assert!(fault.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn windows_agree(skip in 0usize..8, length in 1usize..24, start in 0u32..2) {
        prop_assume!(skip + length <= 8 * (4 - start as usize));
        let mut run = Run::new();
        run.horner(start, skip, length);
        run.assert_accepts();
    }
}
