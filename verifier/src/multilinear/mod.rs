//! Multilinear proofs: what their recursive verifier takes as constants, and its text.
//!
//! The verifier itself is `droste_gadgets::verify::multilinear`.
//! [`crate::tape::Answers::multilinear`] adds a proof to a tape.

mod program;
mod shape;

pub use program::{RecursionProgram, RecursionProgramError, RecursionRunError};
pub use shape::{MultilinearShapeError, proof_shape};
