//! `droste hashes`: proves lists of calls of bit hashes and Merkle paths, and verifies the proofs.

mod calls;
mod cost;
mod inputs;
mod leaf;
mod list;
mod paths;
mod prove;
mod random;
mod verify;
mod words;
mod wrap;

use std::io;
use std::path::Path;

use clap::Subcommand;
use droste_binary::file::Summary;
use droste_native::files;
use droste_native::stark::security::decimals;

use crate::error::CommandError;
use crate::output::{Format, row};
use crate::program::{LARGEST_FILE, text_of};

/// What to do with calls of hashes, or with Merkle paths.
#[derive(Debug, Subcommand)]
pub enum Hashes {
    /// Compute the output of each input, and prove that all outputs are right; or, with --depth,
    /// prove that siblings lead from each leaf, at its index, to its root. A proof of paths does not
    /// contain the siblings, but is not made to hide them.
    Prove(prove::Prove),
    /// Verify that a list of calls or paths is right, by a proof.
    Verify(verify::Verify),
    /// Prove a list and verify that proof in the machine: the aggregate can be joined with others.
    /// Numbers of calls or paths, and depths, are powers of two, with eight calls or nodes or more.
    Wrap(wrap::Wrap),
    /// Measure what it costs to verify a proof of a list in the machine, and to prove that run.
    Cost(cost::Cost),
    /// Print key and statement of the leaf that a proof about a list is in an aggregate.
    Leaf(leaf::Leaf),
}

impl Hashes {
    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run!(self, format: Prove Verify Wrap Cost Leaf)
    }
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
    let bits = decimals(summary.security.sum);
    let bits = format!("{bits}, in the sum of all terms");
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
