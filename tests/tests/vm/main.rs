//! The machine's prover and verifier, over FRI and over WHIR, from outside.

mod changed;
mod common;
mod forged;
mod precompiles;
mod proving;
mod rigidity;
mod whir;
