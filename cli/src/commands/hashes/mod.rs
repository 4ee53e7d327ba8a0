//! `droste hashes`: proves lists of calls of bit hashes and Merkle paths, and verifies the proofs.

mod calls;
mod cost;
mod inputs;
mod leaf;
mod measure;
mod paths;
mod prove;
mod random;
mod verify;
mod words;
mod wrap;

use std::io;
use std::path::Path;

use clap::Subcommand;
use droste_binary::Hash;
use droste_binary::file::Summary;
use droste_native::files;

use crate::error::CommandError;
use crate::output::{Format, row};
use crate::program::{LARGEST_FILE, text_of};

/// What to do with calls of hashes.
#[derive(Debug, Subcommand)]
pub enum Hashes {
    /// Compute the output of each input, and prove that all outputs are right.
    Prove(prove::Prove),
    /// Verify that the outputs of a list are those of its inputs, by a proof.
    Verify(verify::Verify),
    /// Prove calls and verify that proof in the machine: the aggregate can be joined with others.
    /// Their number is a power of two, eight or more.
    Wrap(wrap::Wrap),
    /// Measure what it costs to verify a proof of calls in the machine, and to prove that run.
    Cost(cost::Cost),
    /// Print key and statement of the leaf that a proof about a list of calls is in an aggregate.
    Leaf(leaf::Leaf),
    /// Prove that leaves are at their indices in Merkle trees, without their siblings.
    #[command(subcommand)]
    Paths(paths::Paths),
}

impl Hashes {
    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run!(self, format: Prove Verify Wrap Cost Leaf Paths)
    }
}

/// The hash of this name.
fn hash(name: &str) -> Result<Hash, String> {
    let known = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    known.ok_or_else(|| "expected blake3, blake2s or keccak-f".to_owned())
}

/// Reads a text from a file, or for `-` from standard input.
///
/// # Errors
/// If it cannot be read, is longer than 256 MiB or is not UTF-8.
fn read(path: &Path) -> Result<String, CommandError> {
    let bytes = if is_standard_input(path) {
        files::read_at_most(io::stdin().lock(), LARGEST_FILE)
    } else {
        files::read(path, LARGEST_FILE)
    };
    let name = name(path);
    text_of(name, bytes.map_err(CommandError::file(name))?)
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// What errors call a file that [`read`] reads.
fn name(path: &Path) -> &Path {
    if is_standard_input(path) {
        Path::new("standard input")
    } else {
        path
    }
}

/// What a proof shows.
fn rows(summary: &Summary) -> Vec<Vec<String>> {
    let bits = format!("{:.1}, in the sum of all terms", summary.security.sum);
    let paths = summary
        .paths
        .map(|of| row("paths", format!("{} of depth {}", of.paths, of.depth)));
    let mut rows = vec![row("hash", summary.hash)];
    rows.extend(paths);
    rows.extend([
        row("calls", summary.calls),
        row("proven bits", bits),
        row("verify", format!("{:.1} ms", summary.verify_ms)),
        row("proof", format!("{} bytes", summary.proof_bytes)),
    ]);
    rows
}
