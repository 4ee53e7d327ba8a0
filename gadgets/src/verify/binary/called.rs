//! Calls of a hash that a program makes itself: their outputs are hints, and are proved in one
//! batch at the end.
//!
//! ```ignore
//! pub struct Program;
//!
//! impl Caller for Program {
//!     fn run(list: &mut CallList) {
//!         let output = list.call(&input);
//!     }
//! }
//! ```
//!
//! Inputs and outputs are elements of 16 bytes, each in a block, the last one filled up with zeros
//! (`droste_binary::Hash` says what the bytes are). The calls are as many as [`CallList::number`],
//! or fewer: then calls of zeros are added. They are known while compiling, so they are made in
//! loops that are unrolled. **While the program runs, an output is whatever the prover wants.**
//!
//! `run` has the only list, and verifies it when the program has made its calls. A list cannot be
//! made or verified elsewhere: fields, and the function that verifies, are private.
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

/// A program that makes calls.
pub trait Caller {
    /// Makes the calls, and does what else the program does. It reads all hints of its own.
    fn run(list: &mut CallList);
}

/// Calls that are not verified yet.
pub struct CallList {
    /// What a call is.
    calls: Calls,
    /// Number of calls of the proof.
    number: usize,
    /// Elements of the inputs and outputs.
    elements: Vec<Block>,
    /// Number of calls that were made. It is known while compiling, so that no branch of a run-time
    /// condition can make calls alone.
    made: usize,
}

/// Runs a program, then reads a list of calls and a proof that its outputs are those of its inputs,
/// and verifies that the list is that of the program's calls. No program can call it, so none has a
/// second list.
pub(crate) fn run<P: Caller>(shape: &Shape, calls: Calls) {
    // The program cannot choose another degree any more.
    assert_eq!(Ext::degree(), LANES);
    let mut list = CallList {
        calls,
        number: 1usize << shape.log_calls,
        elements: Vec::new(),
        made: 0usize,
    };
    P::run(&mut list);
    list.verify(shape);
}

impl CallList {
    /// Returns how many calls the proof is about: the program makes so many, or fewer.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Adds a call with this input, and returns its output, which is proved when the program has
    /// made all its calls.
    pub fn call(&mut self, input: &[Block]) -> Vec<Block> {
        assert!(self.made < self.number);
        assert_eq!(input.len(), self.calls.inputs);
        let outputs = self.calls.places.len() - self.calls.inputs;
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
        self.made += 1;
        output
    }

    /// Reads the list and the proof, and verifies them.
    fn verify(&mut self, shape: &Shape) {
        let zeros = vec![Block::ZERO; self.calls.inputs];
        while self.made < self.number {
            self.call(&zeros);
        }
        let list = self.calls.read(shape);
        let elements = Slice::from_blocks(&self.elements);
        let n = self.calls.places.len();
        let blocks = (LANES * n).div_ceil(8);
        for i in 0..self.number {
            let elements = elements.skip(n * i);
            assert_unpacked(list.entries.skip(blocks * i), 0, n, elements);
            if self.calls.ends_in_halves {
                assert_half(elements.block(self.calls.inputs - 1));
                assert_half(elements.block(n - 1));
            }
        }
        verify_proof(shape, &self.calls, &list);
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
