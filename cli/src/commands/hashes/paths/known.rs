//! The paths that a command proves.

use std::path::PathBuf;

use clap::Args;
use droste_binary::Hash;

use super::{KnownPaths, depth, list};
use crate::commands::hashes::{hash, name, random, read};
use crate::error::CommandError;

/// Paths that are proved.
#[derive(Debug, Args)]
pub struct Known {
    /// The hash of the 64 bytes of two children that is their parent: blake3, blake2s (32 bytes
    /// without a key), or keccak-f, which here is Keccak-256.
    #[arg(long, value_parser = hash)]
    hash: Hash,
    /// Levels between the leaves and the roots, 1 to 64.
    #[arg(long, value_parser = depth)]
    depth: usize,
    /// File with one path a line, `LEAF INDEX ROOT SIBLING ..`; `-` is standard input. Empty lines
    /// and lines that begin with # are left out. Digests are 64 hexadecimal digits, and there are
    /// as many siblings as the depth, from the leaf's to the one below the root. An index is
    /// decimal, below 2^depth, and its lowest bit says whether the leaf is the right child. Paths
    /// times depth are at most 524,288 for blake3, 262,144 for blake2s and 131,072 for keccak-f.
    #[arg(required_unless_present = "random")]
    paths: Option<PathBuf>,
    /// Instead of PATHS, prove so many paths that look random, to measure.
    #[arg(long, value_name = "PATHS", conflicts_with = "paths")]
    random: Option<usize>,
    /// Which paths --random makes.
    #[arg(long, default_value_t = 0, conflicts_with = "paths")]
    seed: u64,
}

impl Known {
    /// Reads the paths, or makes them.
    pub fn paths(&self) -> Result<KnownPaths, CommandError> {
        let (hash, depth) = (self.hash, self.depth);
        let most = hash.max_calls() / depth;
        match (&self.paths, self.random) {
            (Some(path), _) => list::of_known(hash, depth, &read(path)?)
                .map_err(CommandError::failed)
                .map_err(CommandError::about(name(path).display())),
            (None, Some(paths)) if (1..=most).contains(&paths) => {
                Ok(random::paths(hash, depth, paths, self.seed)?)
            }
            (None, paths) => {
                let paths = paths.unwrap_or(0);
                let of = format!("{hash} at depth {depth}");
                let message = format!("--random is {paths}, expected 1 to {most} for {of}");
                Err(CommandError::usage(message))
            }
        }
    }
}
