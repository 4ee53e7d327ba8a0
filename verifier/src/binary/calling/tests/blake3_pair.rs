//! Two calls of BLAKE3, of which the second takes the first one's output.

use droste_gadgets::prelude::*;
use droste_gadgets::verify::binary::called::{CallList, Caller};

/// Hint: a block, all of which is admissible, since the calls bind it. Reveals its lanes 0 to 3,
/// and those of the first element of the second output.
pub struct Program;

impl Caller for Program {
    fn run(list: &mut CallList) {
        let first = hint_slice(1).any().block(0);
        let zero = Block::ZERO;
        let output = list.call(&[first, zero, zero, zero, zero, zero, zero]);
        let input = [
            first, zero, output[0], output[1], output[2], output[3], zero,
        ];
        let output = list.call(&input);
        for i in 0..4 {
            reveal(first.lane(i));
        }
        for i in 0..4 {
            reveal(output[0].lane(i));
        }
    }
}
