//! `droste hashes leaf`.

use std::path::PathBuf;

use clap::Args;
use droste_binary::Hash;
use droste_binary::statement::Statement;
use droste_verifier::binary::{ShapeError, statement};
use droste_verifier::circuit::BinaryShape;
use droste_verifier::summary::integers;
use serde::Serialize;

use super::{calls, hash, name, read};
use crate::error::CommandError;
use crate::output::{Format, Report, list as numbers, print, row};

/// Arguments of `droste hashes leaf`.
#[derive(Debug, Args)]
pub struct Leaf {
    /// The hash that is called: blake3, blake2s or keccak-f.
    #[arg(long, value_parser = hash)]
    hash: Hash,
    /// File with the list of calls, one `INPUT OUTPUT` a line, as `droste hashes verify` takes it.
    #[arg(long, value_name = "FILE")]
    calls: PathBuf,
}

/// The leaf that a proof about a list is in the tree of an aggregate.
#[derive(Debug, Serialize)]
pub struct ListLeaf {
    key: String,
    statement: Vec<u32>,
}

impl ListLeaf {
    /// That of this list.
    pub fn of<'a>(list: impl Into<Statement<'a>>) -> Result<Self, ShapeError> {
        let list = list.into();
        Ok(Self {
            key: BinaryShape::of(list)?.key().to_string(),
            statement: integers(&statement(list)),
        })
    }
}

impl Report for ListLeaf {
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
        let list = calls::of_calls(self.hash, &read(&self.calls)?)
            .map_err(CommandError::failed)
            .map_err(CommandError::about(name(&self.calls).display()))?;
        Ok(print(&ListLeaf::of(&list)?, format)?)
    }
}
