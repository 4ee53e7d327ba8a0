//! Proofs of `droste-binary` about Merkle paths and calls, verified in the zk-DSL: the shape of the
//! program, its text, and the hints that it reads. The verifier itself is
//! `droste_gadgets::verify::binary`.
//!
//! [`GridProgram`] is what programs have that verify the openings of another proof in a batch.

mod calling;
mod circuit;
mod openings;
mod program;
mod recipe;
mod security;
mod shape;
mod tape;
#[cfg(test)]
mod tests;

pub use calling::{CallingError, CallingProgram, CallsProverError};
pub use circuit::{BinaryCircuit, BinaryCircuitError, statement};
#[cfg(test)]
pub(crate) use openings::places_of;
pub use openings::{GridProgram, OpeningsError};
pub(crate) use openings::{grid_of, hash_of};
pub use security::events;
pub use shape::{BinaryProgram, ListShape, ShapeError};
pub(crate) use tape::messages;
pub use tape::{BinaryTapeError, tape};
