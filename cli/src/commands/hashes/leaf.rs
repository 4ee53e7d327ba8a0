//! `droste hashes leaf`.

use clap::Args;
use droste_verifier::binary::statement;
use droste_verifier::circuit::BinaryShape;
use droste_verifier::summary::integers;
use serde::Serialize;

use super::list::Listed;
use crate::error::CommandError;
use crate::output::{Format, Report, list as numbers, print, row};

/// Arguments of `droste hashes leaf`.
#[derive(Debug, Args)]
pub struct Leaf {
    #[command(flatten)]
    listed: Listed,
}

/// The leaf that a proof about a list is in the tree of an aggregate.
#[derive(Debug, Serialize)]
struct ListLeaf {
    key: String,
    statement: Vec<u32>,
}

impl Report for ListLeaf {
    fn rows(&self) -> Vec<Vec<String>> {
        vec![
            row("program key", &self.key),
            row("statement", numbers(&self.statement)),
        ]
    }
}

impl Leaf {
    /// Prints the key and the statement.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let list = self.listed.read()?;
        let list = list.statement();
        let leaf = ListLeaf {
            key: BinaryShape::of(list.shape())?.key().to_string(),
            statement: integers(&statement(list)),
        };
        Ok(print(&leaf, format)?)
    }
}
