//! Chains of right shifts.

use droste_native::F;
use droste_native::field::MODULUS;
use droste_native::precompile::right_shifts;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::super::ExtCols;
use super::Run;
use crate::isa::id;
use crate::tables::testing::forged;

#[test]
fn shifts_of_all_sizes_agree_with_the_native_function() {
    for count in 1..=4 {
        let largest = ((1_u64 << (8 * count)) - 1).min(u64::from(MODULUS) - 1) as u32;
        for x in [0, 1, 127, largest / 3, largest - 1, largest] {
            let mut run = Run::new();
            run.shifts(x, count);
            run.assert_accepts();
            assert_eq!(forged(&run, count.next_power_of_two(), |_, _| ()), None);
        }
    }
    assert!(right_shifts(F::from_u32(256), 1).is_err());
    assert!(right_shifts(F::ONE, 0).is_err());
    assert!(right_shifts(F::ONE, 5).is_err());
}

/// Writes the rows of `shifts(x, 4)` for the bits of another integer of 32 bits.
fn shifts_of(x: u32, bits: u64, edit: impl FnOnce(&mut [&mut ExtCols<F>])) -> Option<String> {
    let mut run = Run::new();
    run.shifts(x, 4);
    let at = run.calls[0].1[0] as usize;
    for i in 0..4 {
        run.blocks[at + i] = std::array::from_fn(|j| F::from_u64(bits >> (8 * i + j)));
    }
    forged(&run, 4, |rows, _| edit(rows))
}

#[test]
fn shifts_of_another_representation_are_rejected() {
    assert_eq!(shifts_of(5, 5, |_| ()), None);
    // Integers of 31 bits that are the modulus or more, with each inverse that could help.
    for x in [0, 1, (1 << 24) - 2] {
        let bits = u64::from(x) + u64::from(MODULUS);
        for inverse in [F::ZERO, F::ONE] {
            for not_all_ones in [F::ZERO, F::ONE] {
                let fault = shifts_of(x, bits, |rows| {
                    for row in rows {
                        row.c[1] = not_all_ones;
                        row.c[2] = inverse;
                    }
                });
                assert!(fault.is_some(), "{x}");
            }
        }
        // The row of block 3 pretends another integer of bits 24 to 30.
        let fault = shifts_of(x, bits, |rows| {
            rows[3].d[0] = F::ZERO;
            rows[3].c[2] = F::from_u32(127).inverse();
            rows[3].c[1] = F::ONE;
        });
        assert!(fault.is_some(), "{x}");
    }
    // Bit 31 is one.
    assert!(shifts_of(2, 2 * u64::from(MODULUS) + 2, |_| ()).is_some());
    // Other bits.
    assert!(shifts_of(5, 4, |_| ()).is_some());
}

/// Lanes whose doubled differences are no bits, although the first lane is the element.
#[test]
fn shifts_by_halves_are_rejected() {
    let mut run = Run::new();
    run.shifts(6, 1);
    let at = run.calls[0].1[0] as usize;
    let half = F::ONE.halve();
    // 6 = 2 * 3, and 3 = 2 * (3 / 2).
    run.blocks[at] = [F::ZERO; 8];
    run.blocks[at][..3].copy_from_slice(&[F::from_u32(6), F::from_u32(3), F::from_u32(3) * half]);
    assert!(forged(&run, 1, |_, _| ()).is_some());
}

#[test]
fn shifts_of_another_number_of_blocks_are_rejected() {
    // The rows are of one number of blocks, the operand is another.
    for (x, count, asked) in [(200, 3, 4), (200, 2, 4), (200, 1, 0), (0x1234, 2, 1)] {
        let mut run = Run::new();
        run.shifts(x, count);
        run.calls[0].1[2] = asked;
        let fault = forged(&run, 4, |rows, _| {
            for (index, row) in rows.iter_mut().enumerate().take(count) {
                row.b_word = F::from_u32(asked) - F::from_usize(index);
            }
        });
        assert!(fault.is_some(), "{count}, {asked}");
    }
    // A chain that begins with the second block, whose call has the operand E that the window
    // makes.
    let mut run = Run::new();
    run.shifts(200, 1);
    run.calls[0].1[4] = 1;
    let fault = forged(&run, 1, |rows, _| rows[0].window.rotate_right(1));
    assert!(fault.is_some());
    // Blocks 0, 1, 2 and 2 of an integer that is not canonical: without block 3, nothing compares
    // it with the modulus.
    let fault = shifts_of(0, u64::from(MODULUS), |rows| {
        rows[3].window.rotate_left(1);
        rows[3].d[0] = F::ZERO;
        rows[3].c[1] = F::ONE;
        rows[3].c[2] = F::from_u32(127).inverse();
    });
    assert!(fault.is_some());
    // A fifth block continues the chain.
    let mut run = Run::new();
    run.shifts(1, 4);
    run.shifts(0, 1);
    run.calls.pop();
    run.calls[0].1[2] = 5;
    let fault = forged(&run, 8, |rows, _| {
        let mut fifth = *rows[3];
        fifth.a_word += F::ONE;
        fifth.window.rotate_right(1);
        *rows[4] = fifth;
        for (index, row) in rows.iter_mut().enumerate().take(5) {
            row.b_word = F::from_usize(5 - index);
        }
    });
    assert!(fault.is_some());
}

/// One block of shifts whose integer goes on in a row of another mode, so that it is not bounded.
#[test]
fn shifts_do_not_go_on_in_other_modes() {
    let bits = 0x5a_u32;
    let above = F::from_u32(1_000_003);
    let x = F::from_u32(bits) + above * F::from_u32(256);
    let mut run = Run::new();
    let at = run.blocks.len() as u32;
    // Lane j is the bits from j on, and what is above them.
    run.blocks.push(std::array::from_fn(|lane| {
        F::from_u32(bits >> lane) + above * F::from_u32(256 >> lane)
    }));
    let next = std::array::from_fn(|lane| above + F::from_usize(lane));
    run.blocks.push(next);
    run.calls = vec![(id::RIGHT_SHIFTS, [at, x.as_canonical_u32(), 1, 0, 0])];
    let first = |rows: &mut [&mut ExtCols<F>]| {
        rows[0].c[0] = above;
        rows[1].continues = F::ONE;
        rows[1].a_word = rows[0].a_word + F::ONE;
        rows[1].c_word = rows[0].c_word;
        rows[1].a = next;
    };
    // The row below is the tail of a chain.
    assert!(forged(&run, 2, |rows, _| first(rows)).is_some());
    // It is an element, with a tail of its own.
    run.calls[0].1[2] = 2;
    let fault = forged(&run, 4, |rows, _| {
        first(rows);
        rows[0].b_word = F::TWO;
        *rows[2] = *rows[1];
        rows[2].a_word += F::ONE;
        rows[1].b_word = F::ONE;
        rows[1].is_unpack = F::ONE;
        rows[1].window[5] = F::ONE;
        rows[1].d_word = F::ZERO;
        let tail = run.blocks[0];
        rows[2].a_word = rows[1].a_word + F::ONE;
        rows[2].a = tail;
        rows[1].d = std::array::from_fn(|i| if i < 3 { next[5 + i] } else { tail[i - 3] });
    });
    assert!(fault.is_some());
}
