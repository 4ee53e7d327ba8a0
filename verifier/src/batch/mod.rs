//! Proofs of `droste-batch` about Merkle paths, verified in the zk-DSL: the shape of the program,
//! its text, and the hints that it reads. The verifier itself is `droste_gadgets::verify::batch`.

mod circuit;
#[cfg(test)]
mod lies;
#[cfg(test)]
mod parts;
mod program;
mod security;
mod shape;
mod tape;
#[cfg(test)]
mod tests;

pub use circuit::{PathsCircuit, PathsError, statement};
pub use program::{program, run};
pub use security::events;
pub use shape::{ShapeError, shape};
pub use tape::{BatchTapeError, tape};
