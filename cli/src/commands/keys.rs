//! `droste keys`: derives recursion keys and prints the digest that aggregates are verified
//! against, and the keys of last proofs.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{HashId, codec};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::file;
use droste_verifier::keys::{Deriver, DigestKind, KeySet};
use droste_verifier::leaf_root::{LeafRootProgram, ListedKeys};
use droste_verifier::summary::{ExitKeysSummary, KeysSummary, digests, milliseconds};
use droste_vm::key::KeyDigest;
use serde::Serialize;

use crate::error::CommandError;
use crate::folds::proof_bytes;
use crate::output::{Format, Report, counted, print, row};
use crate::parameters::{CanonicalShape, preset_of};
use crate::paths::Input;
use crate::progress::Progress;
use crate::stock::Stocks;
use crate::trust::Derivation;

/// Arguments of `droste keys`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["from", "join", "exit"])))]
pub struct Keys {
    /// Aggregates, proofs of programs, or folds. For an aggregate, the keys of all recursion programs
    /// that it lists are derived; its proof is not verified. For any other, the key of its wrap is
    /// derived, at the given preset and arity, if one wrap brings it to the canonical shape. With
    /// --join or --exit, aggregates must be of this preset and arity, too.
    #[arg(long, num_args = 1..)]
    from: Vec<Input>,
    /// Numbers of proofs, comma-separated: derives the key of the join of that many, at the given
    /// preset and arity.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=64))]
    join: Vec<u16>,
    /// Also derives the exit key: that of last proofs at this security level, of aggregates at the
    /// given preset and arity. It takes as long as a wrap, since one is made for it.
    #[arg(long, value_name = "PRESET", value_parser = preset_of)]
    exit: Option<Preset>,
    /// Also derives the keys of leaf roots of up to so many leaves, for a registry that takes
    /// aggregates of the recursion keys of --from and --join. `droste exit --registry` reads them.
    #[arg(long, value_name = "LEAVES", requires = "exit")]
    leaf_root: Option<usize>,
    /// Proven bits of security that the proofs below a leaf root must have at least: those that the
    /// programs of the listed keys accept, and the aggregates themselves.
    #[arg(long, default_value_t = 100, requires = "leaf_root")]
    min_bits: usize,
    #[command(flatten)]
    shape: CanonicalShape,
    #[command(flatten)]
    stocks: Stocks,
    #[command(flatten)]
    derivation: Derivation,
}

/// Derived keys, as they are printed.
#[derive(Serialize)]
struct Outcome {
    /// None if only the exit key was asked for.
    #[serde(flatten)]
    set: Option<KeysSummary>,
    #[serde(flatten)]
    exit: Option<ExitKeysSummary>,
    /// Proven bits that each proof below a leaf root has at least, whatever listed keys its
    /// aggregate has.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed_bits: Option<usize>,
}

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![];
        if let Some(set) = &self.set {
            rows.push(row(set.key_is, &set.key));
            for line in &set.keys {
                let hash = line.hash.map_or("AIRs", HashId::name);
                let (key, bits) = (&line.key, line.bits_of_children);
                let proofs = counted(line.children, "proof", "proofs");
                let text = format!("{key}, verifies {proofs} in {hash} of {bits} bits each");
                rows.push(row("recursion key", text));
            }
            rows.push(row("digests", digests()));
            rows.push(row("derived in", format!("{:.0} ms", set.derive_ms)));
        }
        if let Some(exit) = &self.exit {
            rows.push(row(DigestKind::ExitKey, &exit.exit_key));
            if let Some(registry) = &exit.registry {
                rows.push(row(
                    "leaf roots",
                    format!("up to {} leaves", registry.most_leaves),
                ));
                rows.push(row("their recursion keys", &registry.recursion_keys_digest));
                rows.extend(self.listed_bits.map(|bits| {
                    let text = format!("{bits} at least, in any aggregate of the listed keys");
                    row("bits of each proof", text)
                }));
                rows.push(row("their program key", &registry.program_key));
                let wraps = registry.wrap_keys.iter();
                rows.extend(wraps.map(|key| row("key of their wrap", key)));
                rows.push(row("key of their join", &registry.join_key));
            }
        }
        rows
    }
}

impl Keys {
    /// Derives the keys and prints them with the digest of the whole set.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let program = self.program()?;
        let progress = Progress::spinner("deriving");
        let deriver = self.stocks.known_to(self.derivation.deriver())?;
        let aggregator = self.shape.aggregator();
        let start = Instant::now();
        let mut keys = KeySet::default();
        // Keys of joins and last proofs are those of aggregates of this shape only.
        let is_of_shape = !self.join.is_empty() || self.exit.is_some();
        for path in &self.from {
            let derived = keys_of(path, &aggregator, &deriver, is_of_shape);
            keys.extend(&derived.map_err(CommandError::about(path.display()))?);
        }
        let joins = self.join.iter();
        let recipes = joins.map(|&children| aggregator.join_recipe(children.into()));
        let recipes = recipes.collect::<Result<Vec<_>, _>>()?;
        keys.extend(&deriver.keys(&recipes)?);
        let derive_ms = milliseconds(start.elapsed());
        let listed_bits = program.map(|_| listed_bits(&keys, &aggregator, &deriver, self.min_bits));
        let listed_bits = listed_bits.transpose()?;
        let has_set = !self.from.is_empty() || !self.join.is_empty();
        let exit = self.exit.map(|preset| {
            progress.stage("deriving the exit key");
            exit_keys(&aggregator, preset, program, &keys)
        });
        let outcome = Outcome {
            set: has_set.then(|| KeysSummary::new(&keys, derive_ms)),
            exit: exit.transpose()?,
            listed_bits,
        };
        progress.finish();
        Ok(print(&outcome, format)?)
    }

    /// The program of the leaf roots whose keys are asked for, if any are.
    fn program(&self) -> Result<Option<LeafRootProgram>, CommandError> {
        let Some(leaves) = self.leaf_root else {
            return Ok(None);
        };
        if self.from.is_empty() && self.join.is_empty() {
            let message = "--leaf-root takes the recursion keys of aggregates: name them with \
                 --from and --join";
            return Err(CommandError::usage(message));
        }
        let program = LeafRootProgram::for_leaves(leaves).ok_or_else(|| {
            let most = LeafRootProgram::LARGEST.leaves();
            CommandError::usage(format!(
                "leaf roots are of up to {most} leaves, not {leaves}"
            ))
        });
        program.map(Some)
    }
}

/// The proven bits that each proof below a leaf root has at least, if its aggregate has listed keys
/// only: those that their programs accept, and the children of the join that is pinned beside them.
fn listed_bits(
    keys: &KeySet,
    aggregator: &Aggregator,
    deriver: &Deriver,
    min_bits: usize,
) -> Result<usize, CommandError> {
    let join = deriver.key(&aggregator.join_recipe(2)?)?;
    let less = |least: (KeyDigest, usize), of: (KeyDigest, usize)| {
        if of.1 < least.1 { of } else { least }
    };
    let (key, bits) = keys.iter().fold(join, less);
    if bits < min_bits {
        return Err(CommandError::failed(format!(
            "the program of the recursion key {key} accepts proofs of {bits} proven bits of \
             security, expected at least {min_bits} (--min-bits)"
        )));
    }
    Ok(bits)
}

/// The keys of last proofs, and of leaf roots by a program with these recursion keys.
fn exit_keys(
    aggregator: &Aggregator,
    preset: Preset,
    program: Option<LeafRootProgram>,
    keys: &KeySet,
) -> Result<ExitKeysSummary, CommandError> {
    let listed = program.map(|_| ListedKeys::new(keys.iter().map(|(key, _)| key)));
    let listed = listed.transpose()?;
    let derived = aggregator.exit_keys(WhirSettings::of_exit(preset), program)?;
    Ok(ExitKeysSummary::new(&derived, listed.as_ref().zip(program)))
}

/// Derives the keys that an aggregate lists, or the key of the wrap of a proof. If asked, an
/// aggregate must have the aggregator's canonical shape, as that wrap has.
fn keys_of(
    path: &Path,
    aggregator: &Aggregator,
    deriver: &Deriver,
    is_of_shape: bool,
) -> Result<KeySet, CommandError> {
    let bytes = proof_bytes(codec::read_file(path).map_err(CommandError::failed)?)?;
    if file::is_aggregate(&bytes) {
        let aggregate = file::decode(&bytes)?;
        if is_of_shape {
            aggregator.check_canonical(&aggregate.proof)?;
        }
        return Ok(deriver.derive(&aggregate.keys)?);
    }
    let recipe = aggregator.wrap_recipe_of_bytes(&bytes)?;
    Ok(deriver.keys([&recipe])?)
}
