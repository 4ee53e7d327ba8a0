//! Sum, least, greatest and digest of a list that is sorted. The leaf program is `item.rs`.

use droste_gadgets::fold::{Leaf, State};
use droste_gadgets::integers::assert_bits;
use droste_gadgets::prelude::*;

/// Bits of a number.
const BITS: usize = 16;

/// A part of the list, whose numbers ascend.
#[derive(Clone, Copy, Debug)]
pub struct Sorted {
    /// Index of the first item.
    pub first: Felt,
    /// Index after the last item.
    pub end: Felt,
    /// Sum of the numbers.
    pub sum: Felt,
    /// Least number.
    pub least: Felt,
    /// Greatest number.
    pub greatest: Felt,
    /// Digest of the items, which depends on the order of the steps, too.
    pub list: Block,
}

impl State for Sorted {
    const BLOCKS: usize = 2;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        let (first, end, sum) = (self.first, self.end, self.sum);
        let (least, greatest) = (self.least, self.greatest);
        let numbers = Block::new([first, end, sum, least, greatest, zero, zero, zero]);
        vec![numbers, self.list]
    }

    fn of(blocks: &[Block]) -> Self {
        let numbers = blocks[0];
        Self {
            first: numbers.lane(0),
            end: numbers.lane(1),
            sum: numbers.lane(2),
            least: numbers.lane(3),
            greatest: numbers.lane(4),
            list: blocks[1],
        }
    }
}

/// One item. Its index is in the statement, so one proof is not two items.
pub fn item(leaf: &Leaf<0>) -> Sorted {
    let (index, number) = (leaf.statement.lane(0), leaf.statement.lane(1));
    Sorted {
        first: index,
        end: index + Felt::ONE,
        sum: number,
        least: number,
        greatest: number,
        list: leaf.statement,
    }
}

/// Two parts, the second of which follows the first.
pub fn merge(left: &Sorted, right: &Sorted) -> Sorted {
    assert_eq!(left.end, right.first, "the second part begins elsewhere");
    // Both have 16 bits, so the difference has 16 bits, or is negative and so has more.
    assert_bits(right.least - left.greatest, BITS);
    Sorted {
        first: left.first,
        end: right.end,
        // Indices follow each other and have 14 bits: 2^14 numbers of 16 bits do not wrap around
        // the field.
        sum: left.sum + right.sum,
        least: left.least,
        greatest: right.greatest,
        list: poseidon16_compress(left.list, right.list),
    }
}

/// Two items in one step.
pub fn pair(first: &Leaf<0>, second: &Leaf<0>) -> Sorted {
    merge(&item(first), &item(second))
}
