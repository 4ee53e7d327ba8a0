mod chains;
mod forgeries;

use droste_air::test_utils::{Rows, largest_message};
use droste_native::F;
use droste_native::precompile::{binary_conjugates, binary_points};
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;

use forgeries::forged;

use super::linear::{LOWEST_BIT, parity, square};
use super::{BinarySquaresCols, BinarySquaresTable};
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::binary::{BITS, bits, element, lanes};
use crate::tables::testing::{Block, assert_no_cell_changes, common_tests, dense};

type Row = BinarySquaresCols<F>;
type Run = crate::tables::testing::Run<BinarySquaresTable>;

/// An element whose bits are of no pattern.
const X: u128 = 0xfedc_ba98_7654_3210_0f1e_2d3c_4b5a_6978;

/// The block of an element.
fn block_of(element: u128) -> Block {
    lanes(bits(element))
}

impl Run {
    /// Adds a call, and the blocks that it reads and writes.
    fn conjugates(mut self, x: u128, n: u32) -> Self {
        let (x, other) = (block_of(x), dense(self.blocks.len() as u32));
        let a = self.push([x, other]);
        let results = binary_conjugates(&x, &other, n as usize).unwrap();
        let d = self.push(results);
        let operands = [a, a + 1, 0, d, n];
        self.calls.push((id::BINARY_CONJUGATES, operands));
        self
    }

    /// Adds a call, and the blocks that it reads and writes.
    fn points(mut self, position: u32, n: u32) -> Self {
        let first = self.blocks.len() as u32;
        let others: Vec<Block> = (first..first + n).map(dense).collect();
        let results = binary_points(F::from_u32(position), &others).unwrap();
        let b = self.push(others);
        let d = self.push(results);
        let operands = [position, b, 0, d, n];
        self.calls.push((id::BINARY_POINTS, operands));
        self
    }
}

/// Three and one conjugates, then four points and one.
fn mixed() -> Run {
    let conjugates = Run::new().conjugates(X, 3).conjugates(!X, 1);
    conjugates.points(0b1011, 4).points(1, 1)
}

// Flags, addresses and the like, two elements, a block.
const _: () = assert!(Row::WIDTH == 9 + 2 * BITS + LANES);

common_tests!(BinarySquaresTable: 273, 3, 20);

#[test]
fn messages_are_sums_of_the_columns() {
    assert!(largest_message(&BinarySquaresTable, 50_000) < 2_500);
}

#[test]
fn full_tables_are_accepted() {
    let runs = [
        Run::new().conjugates(X, 1),
        Run::new().points(0, 1),
        Run::new().conjugates(X, 4),
        Run::new().points(0b1101, 4),
        Run::new().conjugates(X, 1).points(5, 3),
        Run::new().points(1, 1).conjugates(X, 2).points(0, 1),
    ];
    for run in runs {
        let rows: u32 = run.calls.iter().map(|(_, [.., n])| n).sum();
        run.assert_fills(rows as usize);
        assert_eq!(forged(&run, rows as usize, |_, _| ()), None);
    }
}

#[test]
fn longest_calls_are_accepted() {
    Run::new().conjugates(X, 128).assert_fills(128);
    for position in [0, 1, 1 << 23, (1 << 24) - 1] {
        Run::new().points(position, 24).assert_fills(32);
    }
}

/// Addresses, counts and blocks mean nothing where nothing is sent.
const FREE_ON_PADDING: [&str; 5] = [
    "operand",
    "other_address",
    "out_address",
    "remaining",
    "other",
];

/// On first, middle and last rows of both kinds of calls, calls of one row, and padding.
#[test]
fn every_column_is_constrained_under_both_ends() {
    let execution = mixed().execution();
    let rows = Rows::listed(vec![0, 1, 2, 3, 4, 5, 7, 8, 9, 15], 9);
    let names = Row::names();
    assert_no_cell_changes::<BinarySquaresTable>(&execution, 16, &names, &FREE_ON_PADDING, &rows);
}

/// `x^254`, reduced by hand.
#[test]
fn squares_are_reduced() {
    let exponents = [0, 1, 2, 5, 6, 12, 126, 127];
    let expected = exponents.into_iter().fold(0, |sum, i| sum | 1 << i);
    assert_eq!(square(1 << 127), expected);
    assert_eq!(square(0b1011), 0b100_0101);
    assert_eq!(square(1 << 64), 0x87);
}

/// The blocks of a call, as elements, without the copies.
fn elements(blocks: &[Block]) -> Vec<u128> {
    blocks.iter().step_by(2).map(element).collect()
}

/// The elements of the Cantor basis: points 1, 2, 4, ...
fn basis() -> Vec<u128> {
    let point = |i: u32| {
        let blocks = binary_points(F::from_u32(1 << i), &[[F::ZERO; LANES]; 24]);
        element(&blocks.unwrap()[0])
    };
    (0..24).map(point).collect()
}

/// What README.md says of the functional, on which the argument for points rests.
#[test]
fn the_lowest_bit_is_read() {
    let basis = basis();
    assert_eq!(basis[0], 1);
    for (i, &v) in basis.iter().enumerate() {
        assert_eq!(parity(v, LOWEST_BIT), u128::from(i == 0), "{i}");
        let below = if i == 0 { 0 } else { basis[i - 1] };
        assert_eq!(v ^ square(v), below);
    }
    // Bit 0 must be listed, since the first element has no other.
    let reads = |mask: u128| basis[1..].iter().all(|&v| parity(v, mask) == 0);
    for i in 0..BITS {
        for j in i..BITS {
            assert!(!reads(1 | 1 << i | 1 << j), "bits 0, {i} and {j}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn squares_agree(x: u128) {
        let blocks = binary_conjugates(&block_of(x), &[F::ZERO; LANES], 3).unwrap();
        prop_assert_eq!(elements(&blocks), [x, square(x), square(square(x))]);
    }

    #[test]
    fn conjugates_are_those_of_the_native_function(x: u128, n in 1_u32..20, others in 0_u32..3) {
        let run = (0..others).fold(Run::new().conjugates(x, n), |run, i| run.points(i, 2 + i));
        run.assert_accepts();
    }

    #[test]
    fn points_are_those_of_the_native_function(
        n in 1_u32..25,
        position: u32,
        others in 0_u32..3,
    ) {
        let run = Run::new().points(position % (1 << n), n);
        let run = (0..others).fold(run, |run, i| run.conjugates(X >> i, 1 + i));
        run.assert_accepts();
    }
}
