//! Recursion over proofs of any AIRs.

mod changed;
mod checks;
pub mod common;
mod dishonest;
mod shapes;
pub mod tables;
