//! Recursion over proofs of any AIRs.

mod checks;
pub mod common;
mod damage;
mod dishonest;
mod shapes;
pub mod tables;
