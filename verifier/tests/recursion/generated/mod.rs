//! Generated verifiers, compared with the generator by test.

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod blake3;

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod keccak;

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod poseidon16;
