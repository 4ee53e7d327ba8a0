//! Calls of a hash that a program makes itself: their outputs are hints, and are proved in one
//! batch at the end.
//!
//! ```ignore
//! let mut list = CallList::empty();
//! let output = list.call(calls, &input);
//! list.verify(shape, calls);
//! ```
//!
//! Inputs and outputs are elements of 16 bytes, each in a block, the last one filled up with zeros
//! (`droste_binary::Hash` says what the bytes are). The calls are as many as the shape says, or
//! fewer: then calls of zeros are added. They are known while compiling, so they are made in loops
//! that are unrolled. **Until [`CallList::verify`] an output is whatever the prover wants.**
//!
//! `droste_verifier::binary::CallingProgram` compiles programs with such calls, and makes their
//! hints.

use crate::advice::{advise_elements, tell_blocks};
use crate::bits::Bits;
use crate::prelude::*;
use crate::verify::binary::calls::LANES;
use crate::verify::binary::shape::{Calls, Shape};
use crate::verify::binary::statement::Statement;
use crate::verify::binary::verify_proof;

/// Calls that are not verified yet.
pub struct CallList {
    /// Elements of the inputs and outputs.
    elements: Vec<Block>,
    /// Number of calls.
    calls: usize,
    /// One once they are verified. As a number it is known while compiling, so that no branch of a
    /// run-time condition can verify them alone.
    verified: usize,
}

impl CallList {
    /// Returns a batch of no calls.
    pub fn empty() -> Self {
        Self {
            elements: Vec::new(),
            calls: 0usize,
            verified: 0usize,
        }
    }

    /// Adds a call with this input, and returns its output, which only [`Self::verify`] proves.
    pub fn call(&mut self, calls: &Calls, input: &[Block]) -> Vec<Block> {
        assert_eq!(self.verified, 0usize);
        assert_eq!(input.len(), calls.inputs);
        let outputs = calls.places.len() - calls.inputs;
        for element in input {
            self.elements.push(*element);
        }
        tell_blocks(input);
        advise_elements(&[], 0, LANES * outputs, (LANES, 1), true);
        // Compared with the list, about which the proof is.
        let hinted = hint_slice(outputs).any();
        let mut output = Vec::new();
        for i in 0..outputs {
            output.push(hinted.block(i));
            self.elements.push(hinted.block(i));
        }
        self.calls += 1;
        output
    }

    /// Reads a list and a proof that its outputs are those of its inputs, and verifies that the
    /// list is that of the calls.
    pub fn verify(&mut self, shape: &Shape, calls: &Calls) {
        let number = 1usize << shape.log_calls;
        assert_eq!(self.verified, 0usize);
        assert!(self.calls <= number);
        let zeros = vec![Block::ZERO; calls.inputs];
        while self.calls < number {
            self.call(calls, &zeros);
        }
        let list = calls.read(shape);
        let elements = Slice::from_blocks(&self.elements);
        let n = calls.places.len();
        let blocks = (LANES * n).div_ceil(8);
        for i in 0..number {
            let elements = elements.skip(n * i);
            assert_unpacked(list.entries.skip(blocks * i), 0, n, elements);
            if calls.ends_in_halves {
                assert_half(elements.block(calls.inputs - 1));
                assert_half(elements.block(n - 1));
            }
        }
        verify_proof(shape, calls, &list);
        self.verified = 1usize;
    }
}

/// Fails if an element has bits from the 64th on. Of its lanes of 30 bits the first two and four
/// bits of the third are below.
///
/// What an input's or output's last element has there is in no constraint of the trace.
pub fn assert_half(element: Block) {
    assert_eq!(Bits::new(element.lane(2), 1).above(4), Felt::ZERO);
    assert_eq!(element.lane(3), Felt::ZERO);
    assert_eq!(element.lane(4), Felt::ZERO);
}
