//! A function applied again and again: x to f(f(..f(x))). There is no leaf program.

use droste_gadgets::fold::State;
use droste_gadgets::prelude::*;

/// Applications of the function in one step.
const STEP: usize = 100;

/// The function, so many times applied to the first value, gives the last.
#[derive(Clone, Copy, Debug)]
pub struct Power {
    /// First value.
    pub first: Block,
    /// Last value.
    pub last: Block,
    /// Number of applications.
    pub times: Felt,
}

impl State for Power {
    const BLOCKS: usize = 3;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        let number = Block::new([self.times, zero, zero, zero, zero, zero, zero, zero]);
        vec![self.first, self.last, number]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            first: blocks[0],
            last: blocks[1],
            times: blocks[2].lane(0),
        }
    }
}

/// The beginning: any value, which the state names.
pub fn start() -> Power {
    // Every value is admissible.
    let x = hint_slice(1).any().block(0);
    Power {
        first: x,
        last: x,
        times: Felt::ZERO,
    }
}

/// A hundred applications more.
pub fn step(before: &Power) -> Power {
    let mut x = before.last;
    for _application in count(STEP) {
        x = poseidon16_compress(x, x);
    }
    Power {
        first: before.first,
        last: x,
        // At most 2^24 steps of a hundred: the number is below the field's order.
        times: before.times + felt(STEP),
    }
}
