//! Proofs of `droste-binary` about Merkle paths and calls, verified in the zk-DSL: the shape of the
//! program, its text, and the hints that it reads. The verifier itself is
//! `droste_gadgets::verify::binary`.

mod calling;
mod circuit;
mod program;
mod recipe;
mod security;
mod shape;
mod tape;
#[cfg(test)]
mod tests;

pub use calling::{CallingError, CallingProgram, CallsProverError};
pub use circuit::{BinaryCircuit, BinaryCircuitError, statement};
pub use security::events;
pub use shape::{BinaryProgram, ListShape, ShapeError};
pub use tape::{BinaryTapeError, tape};
