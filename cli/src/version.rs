//! What `droste --version` prints.

use std::io::{self, Write as _};

use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::keys::{Cache, Deriver};

use crate::error::CommandError;

/// The commit that the command was built from, or `unknown` (`build.rs`).
const COMMIT: &str = env!("DROSTE_COMMIT");

/// Prints the version, the commit, and the digest of a key set: that of `droste keys --join 2
/// --preset toy`. It changes with all that derives recursion keys, which are the compiler, the
/// gadgets, the tables of R and what generates the programs.
pub fn print() {
    let version = env!("CARGO_PKG_VERSION");
    let keys = keys().unwrap_or_else(|error| format!("unknown: {error}"));
    // If standard output is closed, nobody reads it.
    let _ = writeln!(
        io::stdout(),
        "droste {version} (commit {COMMIT}, keys {keys})"
    );
}

fn keys() -> Result<String, CommandError> {
    let recipe = Aggregator::for_preset(Preset::Toy, 2).join_recipe(2)?;
    let deriver = Deriver::new().with_cache(Cache::of_user());
    Ok(deriver.keys([&recipe])?.digest().to_string())
}
