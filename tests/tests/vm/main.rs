//! The machine's prover and verifier, over FRI and over WHIR, from outside.

mod common;
mod malicious;
mod precompiles;
mod proving;
mod rigidity;
mod tampering;
mod whir;
