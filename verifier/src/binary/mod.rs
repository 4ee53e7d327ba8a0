//! Proofs of `droste-binary` about Merkle paths and calls, verified in the zk-DSL: the shape of the
//! program, its text, and the hints that it reads. The verifier itself is
//! `droste_gadgets::verify::binary`.

mod calling;
mod circuit;
mod lists;
mod program;
mod security;
mod shape;
mod tape;
#[cfg(test)]
mod tests;

pub use calling::{CallingError, CallingProgram, CallsProverError};
pub use circuit::{BinaryCircuit, BinaryError, statement};
pub(crate) use lists::AnyList;
pub use security::events;
pub use shape::{BinaryProgram, ListShape, ShapeError};
pub use tape::{BinaryTapeError, tape};
