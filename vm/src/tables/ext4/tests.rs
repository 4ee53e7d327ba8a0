use droste_native::F;
use droste_native::field::EF4;
use droste_native::precompile::{ext_from_block, ext_to_block, fold, horner, unpack};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use proptest::prelude::*;

use super::air::product;
use super::trace::fill_steps;
use super::{Ext4Cols, Ext4Table};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::LANES;
use crate::tables::testing::{self, Block, Tested, dense, forged};

fn element(seed: u32) -> EF4 {
    EF4::from_basis_coefficients_fn(|i| F::from_u32(seed * 1_000_003 + 17 * i as u32 + 1).cube())
}

impl Tested for Ext4Table {
    /// Blocks 0 to 3 are dense, 4 to 7 are elements; 7 is beta.
    fn data() -> Vec<Block> {
        let elements = (4..8).map(|seed| ext_to_block::<EF4>(element(seed)));
        (0..4).map(dense).chain(elements).collect()
    }

    fn recompute(rows: &mut [&mut Ext4Cols<F>], execution: &mut Execution) {
        let mut above = [F::ZERO; 4];
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
                blocks[out][..4].copy_from_slice(&row.d);
            }
            above = row.d;
        }
    }
}

type Run = testing::Run<Ext4Table>;

impl Run {
    fn ext(&mut self, a: u32, b: u32, c: u32, e: u32) {
        let operand = |value: u32, scalar: bool| -> EF4 {
            if scalar {
                EF4::from_u32(value)
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
        let d = self.push([ext_to_block::<EF4>(value)]);
        self.calls.push((id::EXT4, [a, b, c, d, e]));
    }

    fn horner(&mut self, a: u32, skip: usize, length: usize) {
        let beta: EF4 = ext_from_block(&self.blocks[7]).unwrap();
        let value = horner(&self.blocks[a as usize..], skip, length, beta).unwrap();
        let d = self.push([ext_to_block::<EF4>(value)]);
        self.calls
            .push((id::HORNER4, [a, 7, length as u32, d, skip as u32]));
    }

    fn unpack(&mut self, a: u32, skip: usize, count: usize) {
        let elements: Vec<EF4> = unpack(&self.blocks[a as usize..4], skip, count).unwrap();
        let d = self.push(elements.into_iter().map(ext_to_block::<EF4>));
        self.calls
            .push((id::UNPACK4, [a, 0, count as u32, d, skip as u32]));
    }
}

fn mixed() -> Run {
    let mut run = Run::new();
    for e in 0..8 {
        run.ext(4, 5, 6, e);
    }
    run.horner(0, 3, 20);
    run.horner(2, 2, 3);
    run.unpack(0, 2, 5);
    run.unpack(0, 5, 5);
    run.unpack(1, 0, 4);
    run
}

// The accumulator, the call, and two columns of two block lookups each.
crate::tables::testing::common_tests!(Ext4Table: 55, 3, 20);

#[test]
fn products_are_those_of_plonky3() {
    for seed in 0..20 {
        let [left, right] = [element(seed), element(seed + 100)];
        let [l, r] = [left, right].map(|x| {
            let coefficients: &[F] = x.as_basis_coefficients_slice();
            std::array::from_fn(|i| coefficients[i])
        });
        let expected = left * right;
        let expected: &[F] = expected.as_basis_coefficients_slice();
        assert_eq!(product(&l, &r).as_slice(), expected);
    }
}

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
        for count in 1..=6 {
            let mut run = Run::new();
            run.unpack(0, skip, count);
            run.assert_accepts();
        }
    }
}

/// The rows fill the table: its last row is the last row of a chain, or a row of another mode.
#[test]
fn full_tables_are_accepted() {
    for fill in 0..5 {
        let mut run = Run::new();
        run.horner(0, 0, 16);
        match fill {
            0 => run.horner(1, 5, 10),
            1 => (0..2).for_each(|_| run.ext(4, 5, 6, 0)),
            2 => (0..2).for_each(|_| run.horner(3, 7, 1)),
            3 => run.unpack(0, 6, 1),
            _ => run.unpack(0, 4, 2),
        }
        run.assert_fills(4);
        assert!(run.proves());
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    mixed().assert_constrained(&Ext4Cols::<u8>::names(), Ext4Cols::free_columns);
}

/// Two rows of `horner4` that fill a table of height 2.
fn two_blocks(skip: usize, length: usize) -> Run {
    let mut run = Run::new();
    run.horner(0, skip, length);
    run
}

#[test]
fn an_unedited_forgery_is_honest() {
    assert_eq!(forged(&two_blocks(3, 9), 2, |_, _| ()), None);
    assert_eq!(forged(&mixed(), 32, |_, _| ()), None);
}

/// An element of `X^4 - 11`, or of the field of degree 5, in a row whose other columns fit.
#[test]
fn a_product_in_another_field_is_rejected() {
    let another = |factor: u32| {
        let mut run = Run::new();
        run.ext(4, 5, 6, 0);
        forged(&run, 1, |rows, execution| {
            let row = &mut *rows[0];
            let high: [F; 4] = std::array::from_fn(|i| {
                let terms = i + 1..4;
                terms.map(|j| row.a[j] * row.b[4 + i - j]).sum()
            });
            for (d, high) in row.d.iter_mut().zip(high) {
                *d += high * (F::from_u32(factor) - F::from_u32(3));
            }
            let out = row.d_word.as_canonical_u32() as usize;
            execution.memory.blocks[out][..4].copy_from_slice(&row.d);
        })
    };
    assert_eq!(another(3), None);
    assert!(another(11).is_some());
    assert!(another(0).is_some());
}

/// Lane 4 is a coefficient in the field of degree 5 alone: no operand and no result may have it.
#[test]
fn an_element_of_five_coefficients_is_rejected() {
    for operand in [4, 5, 6, 8] {
        let mut run = Run::new();
        run.ext(4, 5, 6, 0);
        let fault = forged(&run, 1, |rows, execution| {
            execution.memory.blocks[operand][4] = F::ONE;
            if operand == 4 {
                rows[0].a[4] = F::ONE;
            }
        });
        assert!(fault.is_some(), "block {operand}");
    }
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
    // The second row alone, as the continuation of no row or of an `ext4` row.
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
    let another = |rows: &mut [&mut Ext4Cols<F>], execution: &mut Execution| {
        rows[1].d[0] += F::ONE;
        let out = rows[1].d_word.as_canonical_u32() as usize;
        execution.memory.blocks[out][..4].copy_from_slice(&rows[1].d);
    };
    assert!(testing::forge::<Ext4Table>(execution, 2, another).is_some());
    // The sum before the first row is not zero.
    let fault = forged(&two_blocks(0, 16), 2, |rows, _| rows[0].b[0] = F::ONE);
    assert!(fault.is_some());
}

#[test]
fn a_window_with_a_gap_is_rejected() {
    // As many lanes as asked for, but other ones.
    let edits: [fn(&mut [&mut Ext4Cols<F>]); 3] = [
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
    for i in 0..4 {
        let fault = forged(&packed(6, 3), 4, |rows, _| rows[0].d[i] += F::ONE);
        assert!(fault.is_some());
    }
    // The second element does not begin where the first ends, in this block or in the next.
    for (skip, moved) in [(0, 0), (4, 1)] {
        let fault = forged(&packed(skip, 2), 2, |rows, _| {
            rows[1].window.rotate_right(1);
            let first = rows[1].window.iter().position(|&flag| flag == F::ONE);
            let first = first.unwrap_or(0);
            let a = rows[1].a;
            rows[1].d = std::array::from_fn(|i| a[(first + i) % 8]);
        });
        assert!(fault.is_some());
        // The second element's block is another one than the first's says.
        let fault = forged(&packed(skip, 2), 2, |rows, execution| {
            let at = rows[1].a_word.as_canonical_u32() as usize + 1 - 2 * moved;
            rows[1].a_word = F::from_usize(at);
            rows[1].a = execution.memory.blocks[at];
            let first = (skip + 4) % 8;
            let a = rows[1].a;
            rows[1].d = std::array::from_fn(|i| a[first + i]);
        });
        assert!(fault.is_some());
    }
}

#[test]
fn an_element_without_its_second_block_is_rejected() {
    // One element over two blocks whose tail is cut off: in the ring of rows, its coefficients come
    // from row 0.
    for skip in 5..8 {
        let fault = forged(&packed(skip, 1), 1, |rows, _| {
            let a = rows[0].a;
            rows[0].d = std::array::from_fn(|i| a[(skip + i) % 8]);
        });
        assert!(fault.is_some());
    }
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
        rows[0].b_word = F::TWO;
        rows[1].b_word = F::ONE;
        rows[1].is_unpack = F::ZERO;
        rows[1].window = [F::ZERO; 8];
    });
    assert!(fault.is_some());
}

#[test]
fn chains_do_not_change_their_mode() {
    // A `horner4` row continues an `unpack4` row, whose element becomes the initial sum.
    let mut run = Run::new();
    run.horner(1, 0, 8);
    run.unpack(0, 4, 1);
    let fault = forged(&run, 2, |rows, execution| {
        let (horner, unpack) = (*rows[0], *rows[1]);
        *rows[0] = unpack;
        *rows[1] = horner;
        rows[1].continues = F::ONE;
        rows[1].a_word = rows[0].a_word + F::ONE;
        rows[0].b_word = F::from_u32(9);
        rows[1].b_word = F::from_u32(8);
        rows[0].c_word = rows[1].c_word;
        rows[1].d_word = rows[0].d_word + F::ONE;
        // One call, of nine elements.
        execution.calls[id::HORNER4 as usize].clear();
        let call = &mut execution.calls[id::UNPACK4 as usize][0];
        (call.b, call.c) = (rows[0].c_word, F::from_u32(9));
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

/// A flag of `ext4` on a row of a chain or of padding, where it would change operand E.
#[test]
fn flags_of_ext_rows_are_zero_elsewhere() {
    let flags: [fn(&mut Ext4Cols<F>) -> &mut F; 3] = [
        |row| &mut row.folds,
        |row| &mut row.scalar_b,
        |row| &mut row.scalar_c,
    ];
    for (flag, change) in flags.into_iter().zip([4, 1, 2]) {
        let mut run = packed(0, 1);
        run.calls[0].1[4] = change;
        let fault = forged(&run, 2, |rows, _| *flag(rows[0]) = F::ONE);
        assert!(fault.is_some());
        let fault = forged(&packed(0, 1), 2, |rows, _| *flag(rows[1]) = F::ONE);
        assert!(fault.is_some());
    }
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
