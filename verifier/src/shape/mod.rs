//! The shape of a proof: everything about it that a recursive verifier takes as a constant.

mod fri;
mod whir;

pub use fri::{FriShape, Hiding, MAX_RANDOM_CODEWORDS, ProofTable, Protocol, ShapeError};
pub use whir::{WhirShapeError, whir_shape};
