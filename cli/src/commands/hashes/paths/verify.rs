//! `droste hashes paths verify`.

use std::path::PathBuf;

use clap::Args;
use droste_binary::file::{MAX_BYTES, verify_paths_file};
use droste_binary::{Blake3, Hash};
use droste_native::files;

use super::{depth, list};
use crate::commands::hashes::{hash, name, read};
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::progress::Progress;

/// Arguments of `droste hashes paths verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The proof, which `droste hashes paths prove` wrote.
    proof: PathBuf,
    /// The hash of the nodes: blake3, blake2s or keccak-f (Keccak-256).
    #[arg(long, value_parser = hash)]
    hash: Hash,
    /// Levels between the leaves and the roots.
    #[arg(long, value_parser = depth)]
    depth: usize,
    /// File with the list of paths, one `LEAF INDEX ROOT` a line: digests in hexadecimal digits,
    /// the index decimal; `-` is standard input. Empty lines and lines that begin with # are left
    /// out. That siblings lead from each leaf, at its index, to its root is what is verified: of
    /// all of this list, in this order, and of nothing else.
    #[arg(long, value_name = "FILE")]
    paths: PathBuf,
    /// Proven bits of security that the proof must have at least; below 100 it makes no difference.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
}

impl Verify {
    /// Verifies the proof against the list, and prints what it shows.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let limit = MAX_BYTES as u64;
        let bytes = files::read(&self.proof, limit).map_err(CommandError::file(&self.proof))?;
        let statement = list::of_paths(self.hash, self.depth, &read(&self.paths)?)
            .map_err(CommandError::failed)
            .map_err(CommandError::about(name(&self.paths).display()))?;
        let summary = verify_paths_file::<Blake3>(&statement, &bytes, self.min_bits)
            .map_err(CommandError::about(self.proof.display()))?;
        drop(progress);
        Ok(print(&summary, format)?)
    }
}
