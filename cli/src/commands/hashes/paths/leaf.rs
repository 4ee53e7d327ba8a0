//! `droste hashes paths leaf`.

use std::path::PathBuf;

use clap::Args;
use droste_binary::Hash;

use super::{depth, list};
use crate::commands::hashes::leaf::ListLeaf;
use crate::commands::hashes::{hash, name, read};
use crate::error::CommandError;
use crate::output::{Format, print};

/// Arguments of `droste hashes paths leaf`.
#[derive(Debug, Args)]
pub struct Leaf {
    /// The hash of the nodes: blake3, blake2s or keccak-f (Keccak-256).
    #[arg(long, value_parser = hash)]
    hash: Hash,
    /// Levels between the leaves and the roots.
    #[arg(long, value_parser = depth)]
    depth: usize,
    /// File with the list of paths, one `LEAF INDEX ROOT` a line, as `droste hashes paths verify`
    /// takes it.
    #[arg(long, value_name = "FILE")]
    paths: PathBuf,
}

impl Leaf {
    /// Prints the key and the statement.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let paths = list::of_paths(self.hash, self.depth, &read(&self.paths)?)
            .map_err(CommandError::failed)
            .map_err(CommandError::about(name(&self.paths).display()))?;
        Ok(print(&ListLeaf::of(&paths)?, format)?)
    }
}
