//! `droste hashes paths leaf`.

use std::path::PathBuf;

use clap::Args;
use droste_batch::Hash;
use droste_verifier::batch::statement;
use droste_verifier::circuit::PathsShape;
use droste_verifier::summary::integers;
use serde::Serialize;

use super::{depth, list};
use crate::commands::hashes::{hash, name, read};
use crate::error::CommandError;
use crate::output::{Format, Report, list as numbers, print, row};

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

/// The leaf that a proof about paths is in the tree of an aggregate.
#[derive(Debug, Serialize)]
struct LeafOfPaths {
    key: String,
    statement: Vec<u32>,
}

impl Report for LeafOfPaths {
    fn rows(&self) -> Vec<Vec<String>> {
        vec![
            row("key", &self.key),
            row("statement", numbers(&self.statement)),
        ]
    }
}

impl Leaf {
    /// Prints the key and the statement.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let paths = list::of_paths(self.hash, self.depth, &read(&self.paths)?)
            .map_err(CommandError::failed)
            .map_err(CommandError::about(name(&self.paths).display()))?;
        let leaf = LeafOfPaths {
            key: PathsShape::of(&paths)?.key().to_string(),
            statement: integers(&statement(&paths)),
        };
        Ok(print(&leaf, format)?)
    }
}
