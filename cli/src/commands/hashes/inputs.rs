//! The calls that a command proves.

use std::path::PathBuf;

use clap::Args;
use droste_binary::{Hash, HashCalls};

use super::{calls, hash, name, random, read};
use crate::error::CommandError;

/// Inputs of calls that are proved.
#[derive(Debug, Args)]
pub struct Inputs {
    /// The hash: blake3 or blake2s (their compression functions), or keccak-f (the permutation of
    /// 1600 bits).
    #[arg(long, value_parser = hash)]
    hash: Hash,
    /// File with one input a line, in hexadecimal digits; `-` is standard input. Empty lines and
    /// lines that begin with # are left out. An input has 112 bytes for blake3 (chaining value 32,
    /// block 64, counter 8, length 4, flags 4) and blake2s (state 32, block 64, offset 8, words for
    /// v[14] and v[15] 4 each), and 200 for keccak-f; all numbers are little-endian. At most
    /// 524,288 inputs for blake3, 262,144 for blake2s and 131,072 for keccak-f.
    #[arg(required_unless_present = "random")]
    inputs: Option<PathBuf>,
    /// Instead of INPUTS, prove calls of so many inputs that look random, to measure.
    #[arg(long, value_name = "CALLS", conflicts_with = "inputs")]
    random: Option<usize>,
    /// Which inputs --random makes.
    #[arg(long, default_value_t = 0, conflicts_with = "inputs")]
    seed: u64,
}

impl Inputs {
    /// Reads the inputs, or makes them, and computes their outputs.
    pub fn calls(&self) -> Result<HashCalls, CommandError> {
        let (hash, most) = (self.hash, self.hash.max_calls());
        match (&self.inputs, self.random) {
            (Some(path), _) => calls::of_inputs(hash, &read(path)?)
                .map_err(CommandError::failed)
                .map_err(CommandError::about(name(path).display())),
            (None, Some(calls)) if (1..=most).contains(&calls) => {
                Ok(random::statement(hash, calls, self.seed)?)
            }
            (None, calls) => {
                let calls = calls.unwrap_or(0);
                let message = format!("--random is {calls}, expected 1 to {most} for {hash}");
                Err(CommandError::usage(message))
            }
        }
    }
}
