//! Why the recursion keys of an aggregate are trusted.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use droste_verifier::aggregate::{Aggregate, UnverifiedAggregate};
use droste_verifier::keys::{Cache, Deriver};
use droste_verifier::summary::Evidence;
use droste_vm::key::KeyDigest;
use pyo3::prelude::*;

use crate::error::Error;

/// A key digest, or a claim, in hexadecimal.
pub fn digest(text: &str) -> Result<KeyDigest, Error> {
    text.parse()
        .map_err(|error| Error::usage(format!("`{text}`: {error}")))
}

/// What the caller trusts: digests of key sets, and keys that are derived.
pub struct Trust {
    pinned: Vec<KeyDigest>,
    deriver: &'static Arc<Deriver>,
}

impl Trust {
    /// Trusts the sets with these digests without deriving their keys. With `cache`, derived keys
    /// are kept in the user's cache folder, too; in memory they are always kept.
    pub fn new(py: Python<'_>, pinned: &[String], cache: bool) -> PyResult<Self> {
        Ok(Self {
            pinned: pinned
                .iter()
                .map(|text| digest(text))
                .collect::<Result<_, _>>()?,
            deriver: deriver(py, cache)?,
        })
    }

    /// The deriver of keys.
    pub fn deriver(&self) -> &Deriver {
        self.deriver
    }

    /// Verifies an aggregate under pinned keys, or else under derived ones, with any leaves.
    pub fn accept(&self, read: UnverifiedAggregate) -> Result<(Aggregate, Evidence), Error> {
        Ok(read.trusted(&self.pinned, self.deriver)?)
    }
}

/// The deriver of this process, with the user's cache or without.
pub fn deriver(py: Python<'_>, cache: bool) -> PyResult<&'static Arc<Deriver>> {
    static WITH: OnceLock<Arc<Deriver>> = OnceLock::new();
    static WITHOUT: OnceLock<Arc<Deriver>> = OnceLock::new();
    if !cache {
        return Ok(WITHOUT.get_or_init(|| Arc::new(Deriver::new())));
    }
    // The executable is Python's: what derives keys is this library.
    let library = py.import("droste._native")?.getattr("__file__")?;
    let library: PathBuf = library.extract()?;
    Ok(WITH.get_or_init(|| Arc::new(Deriver::new().with_cache(Cache::of_library(&library)))))
}
