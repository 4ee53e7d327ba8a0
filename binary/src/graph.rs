//! Statements about graphs of calls, whose inputs are made of earlier outputs and of known values.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use thiserror::Error;

use crate::calls::{ELEMENT_BYTES, Hash};
use crate::shape::StatementShape;
use crate::trace::LOG_ELEMENTS;

/// Bytes of an element, of which one of each state of Keccak-f has 8 ([`bytes_of_element`]); the
/// others here are zero.
type Bytes = [u8; ELEMENT_BYTES];

/// An element of a call's output: elements are 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Number of the call.
    pub call: usize,
    /// Number of the element in the call's output.
    pub element: usize,
}

/// What a statement says of an element of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing: it is the prover's. A proof is not made to hide it.
    Witness,
    /// It is the exclusive or of an element of an earlier call's output, if there is one, and a
    /// value.
    Known {
        /// The element of an output.
        output: Option<Output>,
        /// The value.
        value: [u8; 16],
    },
}

impl Source {
    /// A known value.
    pub const fn value(value: [u8; 16]) -> Self {
        Self::Known {
            output: None,
            value,
        }
    }

    /// An element of the output of a call before.
    pub const fn output(call: usize, element: usize) -> Self {
        Self::Known {
            output: Some(Output { call, element }),
            value: [0; 16],
        }
    }
}

/// Why a call or an expected output cannot be added to a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// There are no calls.
    #[error("the graph has no calls of {0}, expected at least one")]
    Empty(Hash),
    /// The graph already has as many calls as one proof can have.
    #[error(
        "the graph has {most} calls of {hash}, the most that one proof can have: put further calls \
         into another graph"
    )]
    TooManyCalls {
        /// Hash of the calls.
        hash: Hash,
        /// Most calls of a statement, [`Hash::max_calls`].
        most: usize,
    },
    /// A call does not have one source for each element of its input.
    #[error(
        "call {call} of {hash} has {found} sources, expected {expected}: one for each element of \
         its input"
    )]
    Sources {
        /// Hash of the call.
        hash: Hash,
        /// Number of the call.
        call: usize,
        /// Elements of an input.
        expected: usize,
        /// Number of sources.
        found: usize,
    },
    /// A source or an expected value names a call that was not added before.
    #[error(
        "an output of call {call} is used, but the graph has only {calls} calls so far, numbered \
         from 0"
    )]
    LaterCall {
        /// The call that is named.
        call: usize,
        /// Number of calls so far.
        calls: usize,
    },
    /// A source or an expected value names an element that outputs do not have.
    #[error(
        "an output of {hash} has no element {element}: it has {elements} elements, numbered from 0"
    )]
    Element {
        /// Hash of the call.
        hash: Hash,
        /// The element that is named.
        element: usize,
        /// Elements of an output.
        elements: usize,
    },
    /// A value has a byte other than 0 behind those of its element.
    #[error(
        "the value of element {element} of call {call} is too long: the element has {bytes} bytes, \
         and all further bytes of its value must be 0"
    )]
    Value {
        /// Number of the call.
        call: usize,
        /// Number of the element in its input or output.
        element: usize,
        /// Bytes of the element.
        bytes: usize,
    },
    /// An element of an input and the output that is its source have different sizes.
    #[error(
        "element {element} of call {call} has {bytes} bytes, but its source is an element of \
         {found} bytes: both must have as many"
    )]
    Width {
        /// Number of the call.
        call: usize,
        /// Number of the element in its input.
        element: usize,
        /// Its bytes.
        bytes: usize,
        /// Bytes of the output's element.
        found: usize,
    },
    /// An element of an output was given an expected value before.
    #[error(
        "two values are expected for element {element} of the output of call {call}: give it one"
    )]
    ExpectedTwice {
        /// Number of the call.
        call: usize,
        /// Number of the element.
        element: usize,
    },
}

/// Why values do not fit a graph's witness elements and expected outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WitnessError {
    /// There are more or fewer values than witness elements.
    #[error(
        "{found} values were given for the witness elements, expected {expected}: one for each"
    )]
    Number {
        /// Number of witness elements.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// A value has a byte other than 0 behind those of its element.
    #[error(
        "the value of element {element} of call {call} is too long: the element has {bytes} bytes, \
         and all further bytes of its value must be 0"
    )]
    Value {
        /// Number of the call.
        call: usize,
        /// Number of the element in its input.
        element: usize,
        /// Bytes of the element.
        bytes: usize,
    },
    /// An element of an output does not have its expected value.
    #[error(
        "element {element} of the output of call {call} is not the value that the graph expects"
    )]
    Output {
        /// Number of the call.
        call: usize,
        /// Number of the element.
        element: usize,
    },
}

/// What an element of an input is, as a number that is another one for each: of the witness, a
/// value, or the exclusive or of a value and of an element of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire(u32);

impl Wire {
    pub(crate) const WITNESS: Self = Self(0);
    const VALUE: Self = Self(1);
    /// The first element of the first output.
    const FIRST: u32 = 2;

    /// An element of an output, of at most [`Hash::max_calls`] calls.
    const fn to(output: Output) -> Self {
        Self(Self::FIRST + ((output.call << LOG_ELEMENTS) as u32 | output.element as u32))
    }

    /// The element of an output, if there is one.
    pub(crate) const fn output(self) -> Option<Output> {
        let Some(number) = self.0.checked_sub(Self::FIRST) else {
            return None;
        };
        Some(Output {
            call: number as usize >> LOG_ELEMENTS,
            element: number as usize % (1 << LOG_ELEMENTS),
        })
    }

    /// The number, as bytes.
    pub(crate) const fn to_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }
}

/// What a graph has of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphCall<'a> {
    /// What each element of the input is.
    pub wires: &'a [Wire],
    /// The value of each of these, zero if it is of the witness.
    pub values: &'a [Bytes],
    /// What each element of the output is expected to be.
    pub expected: &'a [Option<Bytes>],
}

/// Calls of one hash, of which each element of an input is of the witness, or made of an element of
/// an earlier output and a value; and some elements of outputs have known values.
///
/// As a statement it says that somebody knew the witness elements. It has at least one call and at
/// most [`Hash::max_calls`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashGraph {
    hash: Hash,
    /// Of all calls, one after the other, as in [`GraphCall`].
    wires: Vec<Wire>,
    values: Vec<Bytes>,
    expected: Vec<Option<Bytes>>,
}

impl HashGraph {
    /// A graph without calls.
    pub const fn new(hash: Hash) -> Self {
        Self {
            hash,
            wires: Vec::new(),
            values: Vec::new(),
            expected: Vec::new(),
        }
    }

    /// Adds a call: one source for each element of the input, in order. Returns its number.
    ///
    /// # Errors
    /// [`GraphError`]. The graph is as before, then.
    pub fn push(&mut self, input: &[Source]) -> Result<usize, GraphError> {
        let (hash, call, most) = (self.hash, self.len(), self.hash.max_calls());
        if call >= most {
            return Err(GraphError::TooManyCalls { hash, most });
        }
        let (expected, found) = (hash.input_elements(), input.len());
        if found != expected {
            return Err(GraphError::Sources {
                hash,
                call,
                expected,
                found,
            });
        }
        for (element, source) in input.iter().enumerate() {
            let Source::Known { output, value } = source else {
                continue;
            };
            let bytes = bytes_of_element(hash, element);
            if !fits(value, bytes) {
                return Err(GraphError::Value {
                    call,
                    element,
                    bytes,
                });
            }
            let Some(output) = output else { continue };
            self.check_output(*output)?;
            let found = bytes_of_element(hash, output.element);
            if found != bytes {
                return Err(GraphError::Width {
                    call,
                    element,
                    bytes,
                    found,
                });
            }
        }
        for &source in input {
            let (wire, value) = match source {
                Source::Witness => (Wire::WITNESS, [0; ELEMENT_BYTES]),
                Source::Known { output, value } => (output.map_or(Wire::VALUE, Wire::to), value),
            };
            self.wires.push(wire);
            self.values.push(value);
        }
        let outputs = self.expected.len() + hash.output_elements();
        self.expected.resize(outputs, None);
        Ok(call)
    }

    /// Adds that an element of an output is this value.
    ///
    /// # Errors
    /// [`GraphError`]. The graph is as before, then.
    pub fn expect(&mut self, output: Output, value: [u8; 16]) -> Result<(), GraphError> {
        self.check_output(output)?;
        let Output { call, element } = output;
        let bytes = bytes_of_element(self.hash, element);
        if !fits(&value, bytes) {
            return Err(GraphError::Value {
                call,
                element,
                bytes,
            });
        }
        let number = self.number(output);
        match self.expected.get_mut(number) {
            Some(expected @ None) => *expected = Some(value),
            _ => return Err(GraphError::ExpectedTwice { call, element }),
        }
        Ok(())
    }

    /// The number of an element of an output among those of all calls.
    const fn number(&self, output: Output) -> usize {
        output.call * self.hash.output_elements() + output.element
    }

    /// Whether a call so far has this element of an output.
    const fn check_output(&self, output: Output) -> Result<(), GraphError> {
        let (hash, calls, elements) = (self.hash, self.len(), self.hash.output_elements());
        let Output { call, element } = output;
        if call >= calls {
            return Err(GraphError::LaterCall { call, calls });
        }
        if element >= elements {
            return Err(GraphError::Element {
                hash,
                element,
                elements,
            });
        }
        Ok(())
    }

    /// The hash that is called.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// The shape of the statement.
    pub const fn shape(&self) -> StatementShape {
        StatementShape::Graph {
            hash: self.hash,
            calls: self.len(),
        }
    }

    /// Number of calls.
    pub const fn len(&self) -> usize {
        self.wires.len() / self.hash.input_elements()
    }

    /// Whether there are no calls.
    pub const fn is_empty(&self) -> bool {
        self.wires.is_empty()
    }

    /// Number of witness elements.
    pub fn num_witness_elements(&self) -> usize {
        let witness = self.wires.iter().filter(|&&wire| wire == Wire::WITNESS);
        witness.count()
    }

    /// The calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = GraphCall<'_>> {
        let elements = self.hash.input_elements();
        let wires = self.wires.chunks_exact(elements);
        let values = self.values.chunks_exact(elements);
        let expected = self.expected.chunks_exact(self.hash.output_elements());
        let calls = wires.zip(values).zip(expected);
        calls.map(|((wires, values), expected)| GraphCall {
            wires,
            values,
            expected,
        })
    }

    /// The inputs of all calls, from the values of the witness elements in order.
    ///
    /// # Errors
    /// [`WitnessError`].
    pub fn inputs(&self, witness: &[[u8; 16]]) -> Result<Vec<u8>, WitnessError> {
        let (expected, found) = (self.num_witness_elements(), witness.len());
        if found != expected {
            return Err(WitnessError::Number { expected, found });
        }
        let hash = self.hash;
        let mut witness = witness.iter().copied();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::<Bytes>::new());
        for (call, own) in self.calls().enumerate() {
            let first = inputs.len();
            for (element, (wire, &value)) in own.wires.iter().zip(own.values).enumerate() {
                let output = wire
                    .output()
                    .and_then(|output| outputs.get(self.number(output)));
                let value = match output {
                    _ if *wire == Wire::WITNESS => witness.next().unwrap_or_default(),
                    Some(&output) => {
                        let sum = u128::from_le_bytes(output) ^ u128::from_le_bytes(value);
                        sum.to_le_bytes()
                    }
                    None => value,
                };
                let bytes = bytes_of_element(hash, element);
                if !fits(&value, bytes) {
                    return Err(WitnessError::Value {
                        call,
                        element,
                        bytes,
                    });
                }
                // Only a last element can be shorter in the input.
                let rest = hash.input_bytes().saturating_sub(ELEMENT_BYTES * element);
                inputs.extend(value.iter().take(rest));
            }
            let output = hash.apply(inputs.get(first..).unwrap_or_default());
            let reached = output.chunks(ELEMENT_BYTES).map(whole);
            for (element, (reached, expected)) in reached.zip(own.expected).enumerate() {
                if expected.is_some_and(|expected| expected != reached) {
                    return Err(WitnessError::Output { call, element });
                }
                outputs.push(reached);
            }
        }
        Ok(inputs)
    }
}

/// Bytes of an element of an input or output: the first ones. The element with the last lane of a
/// state, or of its rate, has no other lane. What a prover has there in place of one is in no
/// constraint ([`keccak::word`](crate::keccak::word)), so that it must not become a lane: such an
/// element is copied only to one of its width, which is the same element of another state.
const fn bytes_of_element(hash: Hash, element: usize) -> usize {
    match (hash, element) {
        (Hash::KeccakF, 12) | (Hash::KeccakRate, 8) => ELEMENT_BYTES / 2,
        _ => ELEMENT_BYTES,
    }
}

/// Whether bytes after so many are zero.
fn fits(value: &Bytes, bytes: usize) -> bool {
    value.iter().skip(bytes).all(|&byte| byte == 0)
}

/// A part of a list of bytes as a whole element, filled up with zeros.
fn whole(part: &[u8]) -> Bytes {
    let mut whole = [0; ELEMENT_BYTES];
    for (to, from) in whole.iter_mut().zip(part) {
        *to = *from;
    }
    whole
}

#[cfg(test)]
mod tests;
