//! Recursion over proofs of any AIRs.

mod checks;
mod common;
mod damage;
mod liar;
mod shapes;
mod tables;
