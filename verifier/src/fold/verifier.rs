//! Verification of many folds.

use std::sync::OnceLock;

use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyError;
use droste_vm::whir;

use super::{Folded, Options, RefusedFold, UnverifiedFold};
use crate::keys::Evidence;

/// Verifies folds under one fold key.
///
/// The rules of a fold are programs of one machine. What is computed of it for the first proof, its
/// constraints and its identity, is a large part of the work, and is kept for the other proofs.
/// [`UnverifiedFold::verify`] does the same for one of them.
pub struct FoldVerifier {
    key: KeyDigest,
    machine: KnownMachine,
}

impl FoldVerifier {
    /// A verifier that has computed nothing.
    pub fn new(key: KeyDigest) -> Self {
        Self {
            key,
            machine: KnownMachine::default(),
        }
    }

    /// The fold key.
    pub const fn key(&self) -> KeyDigest {
        self.key
    }

    /// Accepts a fold as [`UnverifiedFold::verify`] does.
    ///
    /// # Soundness obligations
    ///
    /// Those of [`UnverifiedFold::verify`].
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(&self, fold: UnverifiedFold, options: &Options) -> Result<Folded, RefusedFold> {
        fold.accept(self.key, options, Evidence::Pinned, &self.machine)
    }
}

/// The machine of the first proof that was verified, if any was.
#[derive(Default)]
pub(super) struct KnownMachine(OnceLock<whir::Verifier<StandardTables>>);

impl KnownMachine {
    /// The verifier of proofs of a key.
    pub(super) fn verifier(
        &self,
        key: &whir::Key,
    ) -> Result<whir::Verifier<StandardTables>, VerifyError> {
        let known = match self.0.get() {
            Some(known) => known,
            None => {
                let verifier = whir::Verifier::new(key.clone())?;
                self.0.get_or_init(|| verifier)
            }
        };
        match known.of_program(key) {
            Some(verifier) => Ok(verifier),
            // Of another machine, which is computed anew every time.
            None => whir::Verifier::new(key.clone()),
        }
    }
}
