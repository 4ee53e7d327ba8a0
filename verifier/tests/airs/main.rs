//! Recursion over proofs of any AIRs.

mod checks;
mod common;
mod damage;
mod dishonest;
mod shapes;
mod tables;
