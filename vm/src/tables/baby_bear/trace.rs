//! Trace of the table `baby_bear`.

use std::borrow::Borrow;

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::air::{BabyBearTable, HIGHEST};
use super::columns::{
    BabyBearCols, DEGREE, MODULUS, MULTIPLE_BYTES, OFFSET, SHIFT, WORD_BYTES, Words,
};
use super::places::{Coefficient, factors};
use crate::isa::id;
use crate::precompile::{BABY_BEAR, BABY_BEAR_DOT, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::carry_pairs::count_bytes;
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block, call_rows};

/// Number of different pairs of bytes that a row of padding looks up: zeros, the carry zero, and
/// the highest bytes of zeros.
pub const PADDING_PAIRS: usize = 3;

/// The inverse of Montgomery's factor modulo [`MODULUS`].
const UNSHIFT: u32 = 943_718_400;

const _: () = assert!(((UNSHIFT as u64) << (8 * SHIFT)) % MODULUS as u64 == 1);

type Columns = BabyBearCols<F>;

/// One row per call of `baby_bear`, then those of the calls of `baby_bear_dot`, then padding.
impl CallTable for BabyBearTable {
    type Row = Columns;

    const NAME: &'static str = "baby_bear";

    const PRECOMPILES: &'static [Precompile] = &[BABY_BEAR, BABY_BEAR_DOT];

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(9_000, 60_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let is_dot = precompile.identity == id::BABY_BEAR_DOT;
        let last = call_rows(precompile, call).saturating_sub(1);
        let mut added = bytes(block(memory, call.c));
        for (index, row) in rows.enumerate() {
            row.is_product = F::from_bool(!is_dot);
            row.is_dot = F::from_bool(is_dot);
            row.continues = F::from_bool(index > 0);
            row.a_word = call.a + F::from_usize(index);
            row.b_word = call.b + F::from_usize(DEGREE * index);
            row.c_word = call.c;
            row.d_word = call.d;
            row.remaining = call.e - F::from_usize(index);
            row.a = bytes(block(memory, row.a_word));
            let elements = if is_dot { DEGREE } else { 1 };
            for (at, element) in row.b.iter_mut().take(elements).enumerate() {
                *element = bytes(block(memory, row.b_word + F::from_usize(at)));
            }
            row.c = added;
            // Memory has that of the call, which may be solved for another operand.
            row.d = if index < last {
                result(row)
            } else {
                bytes(block(memory, call.d))
            };
            complete(row);
            added = row.d;
        }
    }

    fn pad(row: &mut Columns) {
        complete(row);
    }

    fn count_rows(rows: &[F], counts: &mut LookupCounts) {
        let counts = &mut counts.carry_pairs;
        for row in rows.chunks_exact(Columns::WIDTH) {
            let row: &Columns = row.borrow();
            row.byte_pairs().for_each(|pair| count_bytes(counts, pair));
            for pair in row.highest_bytes() {
                let shifted = pair.map(|byte| byte + F::from_u8(u8::MAX - HIGHEST));
                count_bytes(counts, shifted);
            }
        }
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let rows = call_rows(precompile, call);
        let elements = if precompile.identity == id::BABY_BEAR_DOT {
            DEGREE
        } else {
            1
        };
        counts.block_range(call.a, rows);
        counts.block_range(call.b, elements * rows);
        counts.block(call.c);
        counts.block(call.d);
    }
}

/// The bytes of a block of limbs.
pub fn bytes(block: [F; LANES]) -> Words<F> {
    let limbs = block.map(|limb| limb.as_canonical_u32());
    std::array::from_fn(|word| {
        std::array::from_fn(|byte| {
            F::from_u32(limbs[2 * word + byte / 2] >> (8 * (byte % 2)) & 0xff)
        })
    })
}

/// The integer with these bytes.
fn integer(bytes: &[F]) -> u128 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |integer, byte| {
        (integer << 8) + u128::from(byte.as_canonical_u32())
    })
}

/// The lowest bytes of an integer.
fn lowest<const N: usize>(integer: u128) -> [F; N] {
    std::array::from_fn(|at| F::from_u128(integer >> (8 * at) & 0xff))
}

/// The sums of products and of what is added, over the integers, for each coefficient.
fn sums(row: &Columns) -> [u128; DEGREE] {
    std::array::from_fn(|coefficient| {
        let places = Coefficient {
            left: &row.a,
            factors: &factors(&row.is_product, &row.b, coefficient),
            added: &row.c[coefficient],
            result: &[F::ZERO; WORD_BYTES],
            multiple: &[F::ZERO; MULTIPLE_BYTES],
            has_offset: F::ZERO,
        };
        // No place reaches the order of the field.
        integer(&places.places())
    })
}

/// Returns the canonical words of the result of a row, which has its other elements.
pub fn result(row: &Columns) -> Words<F> {
    let modulus = u128::from(MODULUS);
    sums(row).map(|sum| lowest(sum % modulus * u128::from(UNSHIFT) % modulus))
}

/// Computes multiples, carries and inverses from the elements of a row.
pub fn complete(row: &mut Columns) {
    // Those of padding are zero.
    if row.is_product + row.is_dot == F::ONE {
        let modulus = u128::from(MODULUS);
        // An honest multiple is exact, and not negative with its offset.
        let offset = (u128::from(OFFSET) * modulus) << (8 * SHIFT);
        for (coefficient, sum) in sums(row).into_iter().enumerate() {
            let result = integer(&row.d[coefficient]) << (8 * SHIFT);
            row.multiples[coefficient] = lowest((sum + offset - result) / modulus);
        }
    }
    carry(row);
    for (inverse, [.., highest]) in row.inverses.iter_mut().zip(row.a) {
        let room = F::from_u8(HIGHEST) - highest;
        *inverse = room.try_inverse().unwrap_or_default();
    }
}

/// Computes the carries of a row from its other bytes.
pub fn carry(row: &mut Columns) {
    for coefficient in 0..DEGREE {
        let places = Coefficient {
            left: &row.a,
            factors: &factors(&row.is_product, &row.b, coefficient),
            added: &row.c[coefficient],
            result: &row.d[coefficient],
            multiple: &row.multiples[coefficient],
            has_offset: row.is_product + row.is_dot,
        };
        let places = places.places();
        let mut before = F::ZERO;
        for (carry, place) in row.carries[coefficient].iter_mut().zip(places) {
            before = (place + before).div_2exp_u64(8);
            let shifted = before + F::from_u16(256);
            *carry = lowest(u128::from(shifted.as_canonical_u32()));
        }
    }
}
