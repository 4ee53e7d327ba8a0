//! The verifier of one proof shape, as zk-DSL text.
//!
//! The text is the glue: it lists, in the order of Plonky3's verifier, what is observed, sampled,
//! opened and checked, and calls the gadgets for every step and the generated evaluators for the
//! constraints. [`crate::tape`] writes the hints in the order in which the text reads them.

mod index;
mod query;
mod recursion;
mod transcript;

use std::fmt::Write as _;

use droste_native::HashId;

pub use recursion::{airs, recursion};

use crate::codegen::Evaluators;
use crate::shape::{ProofShape, RoundKind, integers};

/// Adds a statement of a function's body.
fn line(text: &mut String, statement: impl AsRef<str>) {
    let _ = writeln!(text, "    {}", statement.as_ref());
}

/// Where an opened row stands in the opened values: one entry an opening, in transcript order.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Commitment.
    pub round: RoundKind,
    /// Matrix of the commitment.
    pub matrix: usize,
    /// Table.
    pub table: usize,
    /// Logarithm of the table's height.
    pub log_height: usize,
    /// Columns.
    pub width: usize,
    /// At the next point.
    pub next: bool,
    /// Extension elements before it.
    pub start: usize,
    /// Position on the ladder of combination powers of its height.
    pub ladder: usize,
}

impl Opening {
    /// Variable that holds the row.
    fn name(&self) -> String {
        let next = if self.next { "_next" } else { "" };
        format!("{}_{}{next}", self.round.name(), self.matrix)
    }
}

/// Every opening of a proof, in transcript order.
pub(crate) fn openings(shape: &ProofShape) -> Vec<Opening> {
    let mut openings = Vec::new();
    let mut start = 0;
    let mut ladders = std::collections::BTreeMap::<usize, usize>::new();
    for round in shape.rounds() {
        for (index, matrix) in round.matrices.iter().enumerate() {
            for next in [false, true] {
                if next && !matrix.next {
                    continue;
                }
                let ladder = ladders.entry(matrix.log_height).or_default();
                openings.push(Opening {
                    round: round.kind,
                    matrix: index,
                    table: matrix.table,
                    log_height: matrix.log_height,
                    width: matrix.width,
                    next,
                    start,
                    ladder: *ladder,
                });
                start += matrix.width;
                *ladder += matrix.width;
            }
        }
    }
    openings
}

/// Elements of a run and blocks from one to the next, as `droste_gadgets::hash::Hash` says.
pub(crate) const fn layout(hash: HashId) -> (usize, usize) {
    match hash {
        HashId::Poseidon16 | HashId::Blake3 => (8, 1),
        HashId::Keccak => (34, 5),
    }
}

/// Blocks of a digest.
pub(crate) const fn digest_blocks(hash: HashId) -> usize {
    match hash {
        HashId::Poseidon16 => 1,
        HashId::Blake3 | HashId::Keccak => 2,
    }
}

/// A window of a laid out row: the horner of `length` lanes of `blocks` blocks from `block` on, after
/// `skip` lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// First block.
    pub block: usize,
    /// Lanes skipped in it.
    pub skip: usize,
    /// Lanes.
    pub length: usize,
    /// Elements of the row before it.
    pub before: usize,
}

impl Window {
    /// Lanes after which the combination is aligned to: horner's value times the challenge to this
    /// power counts from the window's first lane.
    pub const fn exponent(&self) -> usize {
        8 * (self.skip + self.length).div_ceil(8) - 1 - self.skip
    }
}

/// The windows of `length` elements from place `at` on.
pub(crate) fn windows(hash: HashId, at: usize, length: usize) -> Vec<Window> {
    let (run, run_blocks) = layout(hash);
    if run == 8 {
        return vec![Window {
            block: at / 8,
            skip: at % 8,
            length,
            before: 0,
        }];
    }
    let mut windows = Vec::new();
    let mut place = at;
    while place < at + length {
        let lane = place % run;
        let count = (run - lane).min(at + length - place);
        windows.push(Window {
            block: run_blocks * (place / run) + lane / 8,
            skip: lane % 8,
            length: count,
            before: place - at,
        });
        place += count;
    }
    windows
}

/// Blocks of `n` elements from place `at` of a run on.
pub(crate) const fn blocks(hash: HashId, at: usize, n: usize) -> usize {
    let (run, run_blocks) = layout(hash);
    let last = at + n - 1;
    (last / run) * run_blocks + (last % run) / 8 + 1
}

/// The module of `droste_gadgets` for a hash, its `Hash` and its `Challenger`.
const fn gadgets(hash: HashId) -> (&'static str, &'static str, &'static str) {
    match hash {
        HashId::Poseidon16 => ("poseidon16", "Poseidon16", "Poseidon16Challenger"),
        HashId::Blake3 => ("blake3", "Blake3", "Blake3Challenger"),
        HashId::Keccak => ("keccak", "Keccak", "KeccakChallenger"),
    }
}

/// The verifier of proofs of `shape`, whose evaluators are `evaluators`.
///
/// The text declares `pub fn verify(seed, preprocessed, public values of each table that has any)`:
/// it reads the rest of the proof from the tape and fails unless Plonky3's verifier accepts. The
/// caller binds the arguments.
pub fn verifier(shape: &ProofShape, evaluators: &Evaluators) -> String {
    let (module, hash, challenger) = gadgets(shape.hash);
    let evaluators = evaluators.text();
    // The evaluators' file begins with a module comment and the prelude's import.
    let body = evaluators
        .split_once("use droste_gadgets::prelude::*;\n")
        .map_or(evaluators.as_str(), |(_, body)| body);
    let mut text = format!(
        "//! Verifier of one proof shape, generated.\n\n\
         use droste_gadgets::bits::{{integer, square_times, table}};\n\
         use droste_gadgets::constraints::{{combine, recompose, vanishing}};\n\
         use droste_gadgets::fri::{{evaluate, fold, fold_scales, power}};\n\
         use droste_gadgets::hash::{{\n    \
         Challenger, Hash, observe_constants, observe_ext, observe_integer,\n}};\n\
         use droste_gadgets::packing::{{assert_entry_unchecked, blocks_for, unpack_all}};\n\
         use droste_gadgets::poseidon16::hash_blocks;\n\
         use droste_gadgets::{module}::{{{hash} as H, {challenger} as C}};\n\
         use droste_gadgets::prelude::*;\n\
         use droste_gadgets::unchecked::UncheckedSlice;\n\
         {body}\n"
    );
    for (name, seed) in [
        (shape.protocol.seed_name(), shape.stark_seed()),
        ("OPENING_SEED", shape.opening_seed()),
        ("FRI_SEED", shape.fri_seed()),
    ] {
        let _ = writeln!(
            text,
            "/// What Plonky3's transcript observes first.\nconst {name}: [u32; {}] = {:?};\n",
            seed.len(),
            integers(&seed)
        );
    }
    query::context(&mut text, shape);
    transcript::verify(&mut text, shape);
    query::query(&mut text, shape);
    text
}
