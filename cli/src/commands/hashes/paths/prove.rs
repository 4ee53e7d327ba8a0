//! `droste hashes paths prove`.

use std::path::PathBuf;

use clap::Args;
use droste_batch::file::{FileError, Summary, verify_paths_file};
use droste_batch::statement::Statement;
use droste_batch::{Blake3, Hash, Proof, ProofError, prove_paths};

use super::{KnownPaths, depth, list};
use crate::commands::hashes::{hash, measure, name, random, read};
use crate::error::CommandError;
use crate::output::{Format, counted};

/// Arguments of `droste hashes paths prove`.
#[derive(Debug, Args)]
pub struct Prove {
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
    /// File to write the proof to.
    #[arg(short, long, value_name = "FILE", required_unless_present = "random")]
    output: Option<PathBuf>,
    /// File to write the list of paths to, one `LEAF INDEX ROOT` a line: what the proof shows. It
    /// is not in the proof, and `droste hashes paths verify` needs it.
    #[arg(long, value_name = "FILE")]
    paths_out: Option<PathBuf>,
}

impl measure::Provable for KnownPaths {
    fn name(&self) -> String {
        counted(self.statement.paths().len(), "path", "paths")
    }

    fn list(&self) -> String {
        list::write(&self.statement)
    }

    fn statement(&self) -> Statement<'_> {
        Statement::Paths(&self.statement)
    }

    fn prove(&self) -> Result<Proof<Blake3>, ProofError> {
        prove_paths(&self.statement, &self.siblings)
    }

    fn verify(&self, file: &[u8]) -> Result<Summary, FileError> {
        verify_paths_file::<Blake3>(&self.statement, file, 0)
    }
}

impl Prove {
    /// Proves the paths, verifies the proof, writes it and prints what it took.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if self.output.is_some() && self.output == self.paths_out {
            let message = "--output and --paths-out are the same file";
            return Err(CommandError::usage(message));
        }
        let (output, list) = (self.output.as_deref(), self.paths_out.as_deref());
        measure::prove(&self.paths()?, output, list, format)
    }

    fn paths(&self) -> Result<KnownPaths, CommandError> {
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
