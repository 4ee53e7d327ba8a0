//! `droste keys`: the digest that aggregates are verified against, derived without any proof.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use droste_native::HashId;
use droste_native::security::Preset;
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::file;
use droste_verifier::keys::{Children, Deriver, KeySet, Recipe};
use droste_verifier::tape::TapeFamily;
use droste_vm::codec;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use serde::Serialize;

use crate::error::CommandError;
use crate::family::{InHash, in_hash};
use crate::output::{Format, Report, print};
use crate::progress::Progress;
use crate::trust::Derivation;

/// Arguments of `droste keys`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["from", "join"])))]
pub struct Keys {
    /// Aggregates whose recursion keys are derived from the programs that they name: their proofs are
    /// not looked at. Or proofs of programs, for the keys of their wraps with the preset and the arity,
    /// where one step is enough.
    #[arg(long, num_args = 1..)]
    from: Vec<PathBuf>,
    /// Numbers of proofs: the keys of joins of so many, with the preset and the arity.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=64))]
    join: Vec<u16>,
    /// Security of the joins: proven-100, proven-120 or toy.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// Most proofs that one join takes.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    arity: u16,
    #[command(flatten)]
    derivation: Derivation,
}

#[derive(Serialize)]
struct Outcome {
    key: String,
    keys: Vec<Line>,
    derive_ms: f64,
}

#[derive(Serialize)]
struct Line {
    key: String,
    /// Of the proofs that its program verifies; none for AIRs.
    hash: Option<HashId>,
    children: usize,
    bits_of_children: usize,
}

impl Outcome {
    fn new(keys: &KeySet, derive_ms: f64) -> Self {
        let line = |key: KeyDigest, bits, children: &Children| {
            let (hash, children) = match children {
                Children::Programs { shape, count } => (Some(shape.hash), *count),
                Children::Airs { .. } => (None, 1),
            };
            Line {
                key: key.to_string(),
                hash,
                children,
                bits_of_children: bits,
            }
        };
        Self {
            key: keys.digest().to_string(),
            keys: keys
                .claimed()
                .iter()
                .map(|(key, listed)| line(key, listed.bits, &listed.recipe.children))
                .collect(),
            derive_ms,
        }
    }
}

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![vec!["key".to_owned(), self.key.clone()]];
        for line in &self.keys {
            let hash = line.hash.map_or("AIRs", HashId::name);
            rows.push(vec![
                "recursion key".to_owned(),
                format!(
                    "{}, of {} children in {hash} of {} bits",
                    line.key, line.children, line.bits_of_children
                ),
            ]);
        }
        rows.push(vec![
            "derived in".to_owned(),
            format!("{:.0} ms", self.derive_ms),
        ]);
        rows
    }
}

impl Keys {
    /// Derives and prints.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("deriving");
        let deriver = self.derivation.deriver();
        let aggregator =
            Aggregator::for_preset(self.preset, self.arity.into()).map_err(CommandError::failed)?;
        let start = Instant::now();
        let mut keys = KeySet::default();
        for path in &self.from {
            let derived = keys_of(path, &aggregator, &deriver);
            let named = |error| CommandError::failed(format!("{}: {error}", path.display()));
            keys.extend(&derived.map_err(named)?);
        }
        let joins = self.join.iter();
        let recipes = joins
            .map(|&children| aggregator.join_recipe(children.into()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(CommandError::failed)?;
        keys.extend(&deriver.keys(&recipes).map_err(CommandError::failed)?);
        let derive_ms = start.elapsed().as_secs_f64() * 1e3;
        drop(progress);
        Ok(print(&Outcome::new(&keys, derive_ms), format)?)
    }
}

/// The keys in an aggregate, or of the wrap of a proof.
fn keys_of(
    path: &Path,
    aggregator: &Aggregator,
    deriver: &Deriver,
) -> Result<KeySet, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::failed)?;
    if file::is_aggregate(&bytes) {
        let aggregate = file::decode(&bytes).map_err(CommandError::failed)?;
        return deriver
            .derive(&aggregate.keys)
            .map_err(CommandError::failed);
    }
    let hash = codec::hash_of(&bytes).map_err(CommandError::failed)?;
    let work = WrapOf {
        bytes: &bytes,
        aggregator,
    };
    let recipe = in_hash(hash, work)?;
    deriver.keys([&recipe]).map_err(CommandError::failed)
}

struct WrapOf<'a> {
    bytes: &'a [u8],
    aggregator: &'a Aggregator,
}

impl InHash for WrapOf<'_> {
    type Output = Result<Recipe, CommandError>;

    fn run<H: TapeFamily>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let proof = codec::decode::<H>(self.bytes).map_err(CommandError::failed)?;
        let proof = VerifiedProof::under_its_own_key(proof).map_err(CommandError::failed)?;
        let recipe = self.aggregator.wrap_recipe(&proof);
        recipe.map_err(CommandError::failed)
    }
}
