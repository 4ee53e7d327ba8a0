//! Proves a run of a program, proves that this proof is valid, and verifies the result.

use std::error::Error;

use droste::machine::proofs;
use droste::prelude::*;
use droste::recursion::{AggregateOptions, file};

// rustc checks more of the program's types than Droste's compiler: keep this `mod`.
pub mod program;

/// The text of the program, for Droste's compiler.
const PROGRAM: &str = include_str!("program.rs");

/// The hash that proofs of the program are committed in.
const HASH: HashId = HashId::Poseidon16;

/// Logarithm of the blowup of these proofs: more makes them shorter, and takes longer.
const LOG_BLOWUP: usize = 2;

/// Number of instructions after which a run is given up.
const LIMIT: u64 = 1 << 24;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What a run says: its public inputs, then its outputs.
pub fn statement(x: F) -> [F; 2] {
    [x, x * x * x]
}

/// Runs the program and proves the run. Returns the bytes of the proof's file.
pub fn prove(x: F, preset: Preset) -> Result<Vec<u8>> {
    let program = compile(PROGRAM)?;
    let run = execute(&program, &[x], &Tape::default(), LIMIT)?;
    let settings = WhirSettings::of_leaf(preset, HASH, LOG_BLOWUP);
    let proved = proofs::prove(HASH, &program, &run, &statement(x), settings)?;
    Ok(proved.bytes)
}

/// Verifies a proof of the program, and proves that it is valid. Returns the bytes of an aggregate,
/// which an `Aggregator` can join with others.
pub fn wrap(proof: &[u8], x: F, preset: Preset) -> Result<Vec<u8>> {
    let program = compile(PROGRAM)?;
    let aggregator = Aggregator::for_preset(preset, 2);
    // Whoever verifies the aggregate asks for bits.
    let options = VerifyOptions::min_bits(0);
    let wrap = aggregator.wrap_bytes(proof, &program, &statement(x), options)?;
    Ok(file::encode(&wrap)?)
}

/// Verifies an aggregate of proofs of the program, each of which must have so many proven bits.
/// Returns what they say. All keys are computed here: none is believed because the file has it.
pub fn verify(aggregate: &[u8], min_bits: usize) -> Result<Vec<[F; 8]>> {
    let program = compile(PROGRAM)?;
    let aggregate = file::decode(aggregate)?;
    let leaves = aggregate.keys_of_leaves(&program, VerifyOptions::default())?;
    let verified = aggregate.derive(&Deriver::new(), &AcceptedLeaves::Keys(leaves))?;
    let options = AggregateOptions::min_bits(min_bits);
    verified.accepted().check(options)?;
    let leaves = verified.tree().leaves().into_iter();
    Ok(leaves.map(|(_, statement)| statement).collect())
}
