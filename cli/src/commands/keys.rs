//! `droste keys`: derives recursion keys and prints the digest that aggregates are verified
//! against.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use droste_native::{HashId, codec};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::file;
use droste_verifier::keys::{Deriver, KeySet};
use droste_verifier::summary::{KeysSummary, digests, milliseconds};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::parameters::CanonicalShape;
use crate::progress::Progress;
use crate::trust::Derivation;

/// Arguments of `droste keys`.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["from", "join"])))]
pub struct Keys {
    /// Aggregates or proofs of programs. For an aggregate, the keys of all recursion programs that
    /// it lists are derived; its proof is not verified. For the proof of a program, the key of its
    /// wrap is derived, at the given preset and arity, if one wrap brings it to the canonical
    /// shape.
    #[arg(long, num_args = 1..)]
    from: Vec<PathBuf>,
    /// Numbers of proofs, comma-separated: derives the key of the join of that many, at the given
    /// preset and arity.
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=64))]
    join: Vec<u16>,
    #[command(flatten)]
    shape: CanonicalShape,
    #[command(flatten)]
    derivation: Derivation,
}

/// Derived keys, as they are printed.
#[derive(Serialize)]
#[serde(transparent)]
struct Outcome(KeysSummary);

impl Report for Outcome {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![row("key", &self.0.key)];
        for line in &self.0.keys {
            let hash = line.hash.map_or("AIRs", HashId::name);
            let (key, bits) = (&line.key, line.bits_of_children);
            let proofs = counted(line.children, "proof", "proofs");
            let text = format!("{key}, verifies {proofs} in {hash} of {bits} bits each");
            rows.push(row("recursion key", text));
        }
        rows.push(row("digests", digests()));
        rows.push(row("derived in", format!("{:.0} ms", self.0.derive_ms)));
        rows
    }
}

impl Keys {
    /// Derives the keys and prints them with the digest of the whole set.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("deriving");
        let deriver = self.derivation.deriver();
        let aggregator = self.shape.aggregator();
        let start = Instant::now();
        let mut keys = KeySet::default();
        for path in &self.from {
            let derived = keys_of(path, &aggregator, &deriver);
            keys.extend(&derived.map_err(CommandError::about(path.display()))?);
        }
        let joins = self.join.iter();
        let recipes = joins.map(|&children| aggregator.join_recipe(children.into()));
        let recipes = recipes.collect::<Result<Vec<_>, _>>()?;
        keys.extend(&deriver.keys(&recipes)?);
        let derive_ms = milliseconds(start.elapsed());
        drop(progress);
        Ok(print(&Outcome(KeysSummary::new(&keys, derive_ms)), format)?)
    }
}

/// Derives the keys that an aggregate lists, or the key of the wrap of a proof.
fn keys_of(
    path: &Path,
    aggregator: &Aggregator,
    deriver: &Deriver,
) -> Result<KeySet, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::failed)?;
    if file::is_aggregate(&bytes) {
        return Ok(deriver.derive(&file::decode(&bytes)?.keys)?);
    }
    let recipe = aggregator.wrap_recipe_of_bytes(&bytes)?;
    Ok(deriver.keys([&recipe])?)
}
