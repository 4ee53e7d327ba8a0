//! Points of the domains of codewords: elements of the base field of the proof.
//!
//! In proofs over KoalaBear they are [`Felt`]s. In proofs over BabyBear they are [`Ext`]s, of which
//! no coefficient but the first is used, since the machine has no smaller elements of that field.

use crate::bits::INVERSE_GENERATORS;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;

/// The order of KoalaBear.
pub const KOALA_BEAR: usize = 2_130_706_433;
/// The order of BabyBear.
pub const BABY_BEAR: usize = 2_013_265_921;

/// Number of entries of a column of a table of points.
pub const ENTRIES: usize = 8;

/// Inverses of the generators of BabyBear's subgroups: entry `i` is for the subgroup of order `2^i`.
const BABY_BEAR_INVERSE_GENERATORS: [u32; 28] = [
    1, 2013265920, 284861408, 1801542727, 567209306, 1273220281, 662200255, 1856545343, 1611842161,
    1861675199, 774513262, 449056851, 1255670133, 1976924129, 106301669, 1411306935, 1540942033,
    1043440885, 173207512, 463443832, 1021415956, 1574319791, 953617870, 987386499, 1469248932,
    165179394, 1498740239, 1713844692,
];

/// An element of the base field of the proof.
pub trait Point: Copy {
    /// The order of the field.
    const MODULUS: usize;

    /// Returns a constant, which must be below the order.
    fn constant(x: u32) -> Self;

    /// Returns the generator of the field, by which the domains of codewords are shifted.
    fn generator() -> Self;

    /// Returns the inverse of the generator of the subgroup of order `2^log_order`.
    fn inverse_generator(log_order: usize) -> Self;

    /// Returns the product.
    fn times(self, other: Self) -> Self;

    /// Returns the difference.
    fn minus(self, other: Self) -> Self;

    /// Returns the inverse. Fails for zero.
    fn reciprocal(self) -> Self;

    /// Returns `x` times this element.
    fn scale(self, x: Ext) -> Ext;

    /// Returns `x` minus this element.
    fn below(self, x: Ext) -> Ext;

    /// Returns the result of a step of FRI folding: `(left + right) / 2 + s * (left - right)`, where
    /// `s` is `scale` times this element.
    fn folded(self, left: Ext, right: Ext, scale: Ext) -> Ext;

    /// Returns tables of constants, given as columns of [`ENTRIES`] entries each.
    fn tables(columns: &[Vec<Self>]) -> Vec<Slice>;

    /// Returns the entry of a column that `digit` selects.
    ///
    /// This function does not bound `digit`: the caller must ensure by constraints that it is below
    /// [`ENTRIES`].
    fn select(tables: &[Slice], column: usize, digit: Felt) -> Self;
}

impl Point for Felt {
    const MODULUS: usize = KOALA_BEAR;

    fn constant(x: u32) -> Self {
        Felt::new(x)
    }

    fn generator() -> Self {
        Felt::new(3)
    }

    fn inverse_generator(log_order: usize) -> Self {
        Felt::new(INVERSE_GENERATORS[log_order])
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn reciprocal(self) -> Self {
        self.inverse()
    }

    fn scale(self, x: Ext) -> Ext {
        x * self
    }

    fn below(self, x: Ext) -> Ext {
        x - self
    }

    fn folded(self, left: Ext, right: Ext, scale: Ext) -> Ext {
        fold_pair(left, right, scale * self)
    }

    /// A table has eight columns, one in each lane.
    fn tables(columns: &[Vec<Self>]) -> Vec<Slice> {
        let mut tables = Vec::new();
        for table in 0..columns.len().div_ceil(8) {
            let mut entries = Vec::new();
            for digit in 0..ENTRIES {
                let mut lanes = [Felt::ZERO; 8];
                for lane in 0..8 {
                    if 8 * table + lane < columns.len() {
                        lanes[lane] = columns[8 * table + lane][digit];
                    }
                }
                entries.push(Block::new(lanes));
            }
            tables.push(Slice::from_blocks(entries));
        }
        tables
    }

    fn select(tables: &[Slice], column: usize, digit: Felt) -> Self {
        // The caller ensures that the digit is below the number of entries.
        tables[column / 8].at_unchecked(digit).lane(column % 8)
    }
}

/// Returns a constant of BabyBear. Fails in a program over another field, which has other points.
fn baby_bear_constant(x: u32) -> Ext {
    assert_eq!(Ext::modulus(), BABY_BEAR);
    Ext::new([x, 0, 0, 0, 0])
}

impl Point for Ext {
    const MODULUS: usize = BABY_BEAR;

    fn constant(x: u32) -> Self {
        baby_bear_constant(x)
    }

    fn generator() -> Self {
        baby_bear_constant(31)
    }

    fn inverse_generator(log_order: usize) -> Self {
        baby_bear_constant(BABY_BEAR_INVERSE_GENERATORS[log_order])
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn reciprocal(self) -> Self {
        self.inverse()
    }

    fn scale(self, x: Ext) -> Ext {
        x * self
    }

    fn below(self, x: Ext) -> Ext {
        x - self
    }

    /// Computes `left + (s - 1/2) * (left - right)`, which is the same.
    fn folded(self, left: Ext, right: Ext, scale: Ext) -> Ext {
        let half = baby_bear_constant(2).inverse();
        let weight = scale * self - half;
        (left - right) * weight + left
    }

    /// A table is one column.
    fn tables(columns: &[Vec<Self>]) -> Vec<Slice> {
        let mut tables = Vec::new();
        for column in columns {
            let mut entries = Vec::new();
            for entry in column {
                entries.push(entry.as_block());
            }
            tables.push(Slice::from_blocks(entries));
        }
        tables
    }

    fn select(tables: &[Slice], column: usize, digit: Felt) -> Self {
        // The caller ensures that the digit is below the number of entries.
        tables[column].at_unchecked(digit).as_ext()
    }
}

/// Returns `x^(2^n)`.
pub fn square_times<P: Point>(x: P, n: usize) -> P {
    let mut power = x;
    for _i in 0..n {
        power = power.times(power);
    }
    power
}

#[cfg(test)]
mod tests {
    use droste_native::{BabyBear, F};
    use p3_field::{PrimeField32, PrimeField64, TwoAdicField};

    use super::*;
    use crate::{NativeTape, run_native};

    /// The constants of a field are those of its domains.
    fn constants_are_of<K: PrimeField32 + TwoAdicField>(inverses: &[u32], generator: u32) {
        for (log_order, &inverse) in inverses.iter().enumerate() {
            let root = K::two_adic_generator(log_order);
            assert_eq!(root.inverse().as_canonical_u32(), inverse, "{log_order}");
        }
        assert_eq!(K::GENERATOR.as_canonical_u32(), generator);
    }

    /// Returns whether a program runs.
    fn runs(program: fn()) -> bool {
        run_native(&NativeTape::default(), &[], program).is_ok()
    }

    #[test]
    fn points_of_baby_bear_are_of_no_other_program() {
        let points: [fn(); 3] = [
            || {
                let _ = <Ext as Point>::constant(1);
            },
            || {
                let _ = <Ext as Point>::generator();
            },
            || {
                let _ = <Ext as Point>::inverse_generator(1);
            },
        ];
        for point in points {
            assert!(!runs(point));
        }
        assert!(runs(|| {
            baby_bear();
            let _ = (Ext::generator(), Ext::inverse_generator(1));
        }));
    }

    #[test]
    fn constants_are_those_of_the_fields() {
        assert_eq!(KOALA_BEAR as u64, F::ORDER_U64);
        assert_eq!(BABY_BEAR as u64, BabyBear::ORDER_U64);
        constants_are_of::<F>(&INVERSE_GENERATORS, 3);
        constants_are_of::<BabyBear>(&BABY_BEAR_INVERSE_GENERATORS, 31);
    }
}
