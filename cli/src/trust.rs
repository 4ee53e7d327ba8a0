//! Why recursion keys in a file are trusted.

use std::path::Path;

use clap::Args;
use droste_verifier::aggregate::{Aggregate, UnverifiedAggregate};
use droste_verifier::file;
use droste_verifier::keys::{Cache, Deriver};
use droste_vm::codec;
use droste_vm::key::KeyDigest;
use serde::Serialize;

use crate::error::CommandError;

/// What is known of the recursion keys in files beforehand.
#[derive(Debug, Args)]
pub struct Trust {
    /// A digest of recursion keys that is known to be good, as `droste keys` prints it: aggregates with
    /// these keys are taken as they are, those with others have theirs derived from their programs. May
    /// be given several times.
    #[arg(long = "key")]
    keys: Vec<KeyDigest>,
    #[command(flatten)]
    derivation: Derivation,
}

/// How keys are derived.
#[derive(Debug, Args)]
pub struct Derivation {
    /// Derive every key anew, and keep none: by default they are kept in `$DROSTE_CACHE`, or `droste` in
    /// `$XDG_CACHE_HOME` or `~/.cache`.
    #[arg(long)]
    no_cache: bool,
}

/// Why the recursion keys of an aggregate are worth what is said of them, the best reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Their programs were generated here.
    Derived,
    /// Their digest was given.
    Pinned,
    /// None: the file says so.
    Claimed,
}

impl Evidence {
    /// As the tables of commands show it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Derived => "derived from their programs",
            Self::Pinned => "of the digest that was given",
            Self::Claimed => "claimed by the file",
        }
    }
}

impl Derivation {
    /// What derives keys so.
    pub fn deriver(&self) -> Deriver {
        let cache = (!self.no_cache).then(Cache::of_user).flatten();
        Deriver::new().with_cache(cache)
    }
}

impl Trust {
    /// What derives keys.
    pub fn deriver(&self) -> Deriver {
        self.derivation.deriver()
    }

    /// The aggregate that these bytes are, verified, and why its keys are trusted.
    ///
    /// # Errors
    /// If it is not valid, or its keys are neither known nor those of their programs.
    pub fn accept(
        &self,
        aggregate: UnverifiedAggregate,
        deriver: &Deriver,
    ) -> Result<(Aggregate, Evidence), CommandError> {
        let key = aggregate.key();
        let (accepted, evidence) = match self.keys.contains(&key) {
            true => (aggregate.pinned(key, 0), Evidence::Pinned),
            false => (aggregate.derive(deriver), Evidence::Derived),
        };
        Ok((accepted.map_err(CommandError::failed)?, evidence))
    }

    /// The aggregate in a file, likewise.
    ///
    /// # Errors
    /// If it cannot be read; otherwise as [`Self::accept`].
    pub fn read(
        &self,
        path: &Path,
        deriver: &Deriver,
    ) -> Result<(Aggregate, Evidence), CommandError> {
        let named = |error: &dyn std::fmt::Display| {
            CommandError::failed(format!("{}: {error}", path.display()))
        };
        let aggregate = read(path)?;
        let accepted = self.accept(aggregate, deriver);
        accepted.map_err(|error| named(&error))
    }
}

/// The aggregate in a file, of which nothing is verified.
///
/// # Errors
/// If it cannot be read, or is no aggregate.
fn read(path: &Path) -> Result<UnverifiedAggregate, CommandError> {
    let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
    file::decode(&bytes)
        .map_err(|error| CommandError::failed(format!("{}: {error}", path.display())))
}
