//! Generated verifiers. Tests check that the generator still produces these files.

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod blake3;

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod keccak;

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod poseidon16;

#[rustfmt::skip]
#[allow(clippy::all, unused)]
pub mod poseidon2;
