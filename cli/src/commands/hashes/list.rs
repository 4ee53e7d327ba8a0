//! What is proved: calls, or Merkle paths.

use std::fmt;
use std::path::Path;

use clap::Args;
use droste_binary::paths::{MAX_DEPTH, MerklePaths};
use droste_binary::{Hash, HashCalls, Statement};

use super::words::ListError;
use super::{calls, name, paths, read};
use crate::error::CommandError;
use crate::output::counted;
use crate::paths::Input;

/// Kind and hash of a list.
#[derive(Clone, Copy, Debug, Args)]
pub struct Kind {
    /// The hash: blake3 or blake2s (their compression functions), or keccak-f (the permutation of
    /// 1600 bits). A node of a Merkle path is the hash of the 64 bytes of its two children: blake3,
    /// blake2s (32 bytes without a key), or Keccak-256 for keccak-f.
    #[arg(long, value_parser = hash)]
    pub hash: Hash,
    /// Levels between leaves and roots, 1 to 64: the list is one of Merkle paths. Without it, the
    /// list is one of calls.
    #[arg(long, value_parser = depth)]
    pub depth: Option<usize>,
}

/// The list of a proof.
#[derive(Debug, Args)]
pub struct Listed {
    #[command(flatten)]
    kind: Kind,
    /// File with the list: one `INPUT OUTPUT` a line, in hexadecimal digits, or with --depth one
    /// `LEAF INDEX ROOT`, digests in hexadecimal digits and the index decimal; `-` is standard
    /// input. Empty lines and lines that begin with # are left out. The list is what is verified,
    /// all of it, in this order, and nothing else: that outputs are those of the inputs, or that
    /// siblings lead from each leaf, at its index, to its root.
    #[arg(long, value_name = "FILE")]
    list: Input,
}

/// A list, true or not.
#[derive(Debug)]
pub enum List {
    Calls(HashCalls),
    Paths(MerklePaths),
}

impl Kind {
    /// Reads a text of this kind, by one of two functions.
    pub fn parse<T>(
        &self,
        file: &Path,
        calls: impl FnOnce(Hash, &str) -> Result<T, ListError>,
        paths: impl FnOnce(Hash, usize, &str) -> Result<T, ListError>,
    ) -> Result<T, CommandError> {
        let text = read(file)?;
        let list = match self.depth {
            None => calls(self.hash, &text),
            Some(depth) => paths(self.hash, depth, &text),
        };
        list.map_err(CommandError::failed)
            .map_err(CommandError::about(name(file).display()))
    }
}

impl Listed {
    /// Reads the list.
    pub fn read(&self) -> Result<List, CommandError> {
        self.kind.parse(
            &self.list,
            |hash, text| calls::of_calls(hash, text).map(List::Calls),
            |hash, depth, text| paths::of_paths(hash, depth, text).map(List::Paths),
        )
    }
}

impl List {
    /// What a proof says of it.
    pub fn statement(&self) -> Statement<'_> {
        match self {
            Self::Calls(calls) => calls.into(),
            Self::Paths(paths) => paths.into(),
        }
    }

    /// The text that [`Listed`] reads.
    pub fn text(&self) -> String {
        match self {
            Self::Calls(list) => calls::write(list),
            Self::Paths(list) => paths::write(list),
        }
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Calls(list) => counted(list.len(), "call", "calls"),
            Self::Paths(list) => counted(list.paths().len(), "path", "paths"),
        })
    }
}

/// The hash of this name.
fn hash(name: &str) -> Result<Hash, String> {
    let known = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    known.ok_or_else(|| "expected blake3, blake2s or keccak-f".to_owned())
}

/// A depth that paths can have.
fn depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok();
    let depth = depth.filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("expected 1 to {MAX_DEPTH}"))
}
