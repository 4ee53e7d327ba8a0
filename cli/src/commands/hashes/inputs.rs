//! The calls or paths that a command proves.

use clap::Args;
use droste_binary::Witness;
use droste_binary::paths::{MerklePaths, SiblingsError};

use super::list::{Kind, List};
use super::{calls, paths, random};
use crate::error::CommandError;
use crate::paths::Input;

/// What is proved.
#[derive(Debug, Args)]
pub struct Inputs {
    #[command(flatten)]
    kind: Kind,
    /// File with one input a line, in hexadecimal digits, or with --depth one path, `LEAF INDEX
    /// ROOT SIBLING ..`; `-` is standard input. Empty lines and lines that begin with # are left
    /// out.
    ///
    /// An input has 112 bytes for blake3 (chaining value 32, block 64, counter 8, length 4, flags 4)
    /// and blake2s (state 32, block 64, offset 8, words for v[14] and v[15] 4 each), and 200 for
    /// keccak-f; all numbers are little-endian. At most 524,288 inputs for blake3, 262,144 for
    /// blake2s and 131,072 for keccak-f.
    ///
    /// Digests of a path are 64 hexadecimal digits, and there are as many siblings as the depth,
    /// from the leaf's to the one below the root. An index is decimal, below 2^depth, and its lowest
    /// bit says whether the leaf is the right child. Paths times depth are at most as many as
    /// inputs.
    #[arg(required_unless_present = "random")]
    inputs: Option<Input>,
    /// Instead of INPUTS, prove so many calls or paths that look random, to measure.
    #[arg(long, value_name = "NUMBER", conflicts_with = "inputs")]
    random: Option<usize>,
    /// Which ones --random makes.
    #[arg(long, default_value_t = 0, conflicts_with = "inputs")]
    seed: u64,
}

/// A list, and what its prover knows beside it.
#[derive(Debug)]
pub struct Known {
    pub list: List,
    /// The siblings of paths.
    siblings: paths::Siblings,
}

impl Known {
    /// What is proved.
    pub fn witness(&self) -> Result<Witness<'_>, SiblingsError> {
        match &self.list {
            List::Calls(calls) => Ok(calls.into()),
            List::Paths(paths) => Witness::of_paths(paths, &self.siblings),
        }
    }
}

fn known((paths, siblings): (MerklePaths, paths::Siblings)) -> Known {
    let list = List::Paths(paths);
    Known { list, siblings }
}

impl Inputs {
    /// Reads the inputs and computes their outputs, or the paths, or makes them.
    pub fn known(&self) -> Result<Known, CommandError> {
        let of_calls = |calls| Known {
            list: List::Calls(calls),
            siblings: Vec::new(),
        };
        if let Some(file) = &self.inputs {
            return self.kind.parse(
                file,
                |hash, text| calls::of_inputs(hash, text).map(of_calls),
                |hash, depth, text| paths::of_known(hash, depth, text).map(known),
            );
        }
        let (Kind { hash, depth }, number) = (self.kind, self.random.unwrap_or(0));
        let most = hash.max_calls() / depth.unwrap_or(1);
        if !(1..=most).contains(&number) {
            let of = depth.map_or(String::new(), |depth| format!(" at depth {depth}"));
            let message = format!("--random is {number}, expected 1 to {most} for {hash}{of}");
            return Err(CommandError::usage(message));
        }
        Ok(match depth {
            None => of_calls(random::calls(hash, number, self.seed)?),
            Some(depth) => known(random::paths(hash, depth, number, self.seed)?),
        })
    }
}
