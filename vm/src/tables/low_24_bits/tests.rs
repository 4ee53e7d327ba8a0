use droste_native::F;
use droste_native::precompile::low_24_bits;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::{Low24BitsCols, Low24BitsTable};
use crate::isa::id;
use crate::record::Execution;
use crate::tables::testing::{Bench, Tested, assert_shape, execution, forge};

impl Tested for Low24BitsTable {
    fn recompute(_: &mut [&mut Low24BitsCols<F>], _: &mut Execution) {}
}

const LARGEST: u32 = (127 << 24) - 1;

fn calls(pairs: &[(u32, u32)]) -> Execution {
    let calls: Vec<_> = pairs
        .iter()
        .map(|&(element, low)| (id::LOW_24_BITS, [element, low, 0, 0, 0]))
        .collect();
    execution(Vec::new(), &calls)
}

fn honest(elements: &[u32]) -> Execution {
    let pairs: Vec<_> = elements
        .iter()
        .map(|&element| {
            let low = low_24_bits(F::from_u32(element)).expect("not p - 1");
            (element, low.as_canonical_u32())
        })
        .collect();
    calls(&pairs)
}

#[test]
fn width_and_degree() {
    // The accumulator and the call.
    assert_shape::<Low24BitsTable>(33, 2, 10);
}

#[test]
fn bits_are_those_of_the_native_function() {
    let elements = [0, 1, 0xff_ffff, 1 << 24, 0x1234_5678, 126 << 24, LARGEST];
    let execution = honest(&elements);
    let bench = Bench::<Low24BitsTable>::new(&execution);
    bench.assert_accepts();
    assert!(bench.proves());
}

#[test]
fn full_and_empty_tables_are_accepted() {
    for elements in [&[][..], &[5], &[7, 1 << 24]] {
        Bench::<Low24BitsTable>::new(&honest(elements)).assert_accepts();
    }
}

#[test]
fn every_cell_is_constrained() {
    let execution = honest(&[0, 0xff_ffff, LARGEST]);
    let names = Low24BitsCols::<u8>::names();
    Bench::<Low24BitsTable>::new(&execution).assert_constrained(&names, |_| &[]);
}

#[test]
fn wrong_low_bits_are_rejected() {
    for (element, low) in [(5, 4), (1 << 24, 1 << 24), (0, 1), (LARGEST, 0)] {
        let fault = forge::<Low24BitsTable>(calls(&[(element, low)]), 1, |_, _| ());
        assert!(fault.is_some(), "{element}, {low}");
    }
}

/// The integer `element + p` of 31 bits, whose high bits are all ones, has other low bits.
#[test]
fn other_representations_are_rejected() {
    assert!(low_24_bits(-F::ONE).is_err());
    // 0 as p = 127 * 2^24 + 1, and p - 1 = 127 * 2^24 itself.
    for (element, low) in [(0, 1), (127 << 24, 0)] {
        let fault = forge::<Low24BitsTable>(calls(&[(element, low)]), 1, |rows, _| {
            let row = &mut rows[0];
            row.low = [F::ZERO; 24];
            row.low[0] = F::from_u32(low);
            row.high = [F::ONE; 7];
        });
        assert!(fault.is_some(), "{element}");
    }
}

#[test]
fn no_bit_of_padding_is_free() {
    for is_high in [false, true] {
        let padding = |rows: &mut [&mut Low24BitsCols<F>], _: &mut Execution| {
            let row = &mut rows[1];
            if is_high {
                row.high[0] = F::ONE;
                row.inverse = F::from_u32(6).inverse();
            } else {
                row.low[0] = F::ONE
            }
        };
        assert!(forge::<Low24BitsTable>(calls(&[(5, 5)]), 2, padding).is_some());
    }
}
