//! The program that verifies a batch of signatures.

use std::sync::Arc;

use droste_gadgets::SOURCES;
use droste_native::hash_signature::{Parameters, Xmss};
use droste_native::precompile::{DIGIT_BITS, MAX_PAIRS};
use droste_vm::compiler::{CompileError, Compiled, compile_file};
use thiserror::Error;

use super::Registry;

/// Largest logarithm of the number of keys of a registry.
pub const MAX_LOG_KEYS: u32 = 11;

/// Largest number of signatures of a batch: one wrap brings the proof of so many to the shape of a
/// fold, at every preset.
pub const MAX_BATCH: usize = 1_600;

/// Parameters of which there is no program.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SignatureBatchProgramError {
    /// The digits of the scheme do not have as many bits as those of the precompile.
    #[error("the scheme has digits of {0} bits, expected {expected}", expected = DIGIT_BITS)]
    Digits(u32),
    /// The scheme has more chains than the precompile takes.
    #[error("the scheme has {0} chains, expected at most {most}", most = 2 * MAX_PAIRS)]
    Chains(u32),
    /// No program takes this number of signatures.
    #[error("batches of {0} signatures, expected 1 to {MAX_BATCH}")]
    Signatures(usize),
}

/// The program that verifies signatures of one scheme by keys of a registry, so many of them at
/// most. It is the same for all registries whose trees have as many levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureBatchProgram {
    pub(super) registry: Arc<Registry>,
    pub(super) scheme: Xmss,
    pub(super) signatures: usize,
}

impl SignatureBatchProgram {
    /// The program for batches of up to `signatures` signatures. No more than there are leaves of
    /// the registry's tree are in a batch, so no larger number counts.
    ///
    /// # Errors
    /// If the precompiles cannot verify signatures with the scheme's parameters, or a number is out
    /// of range.
    pub fn new(
        registry: Arc<Registry>,
        scheme: Xmss,
        signatures: usize,
    ) -> Result<Self, SignatureBatchProgramError> {
        let Parameters { bits, chains, .. } = *scheme.parameters();
        if bits != DIGIT_BITS {
            return Err(SignatureBatchProgramError::Digits(bits));
        }
        if chains as usize > 2 * MAX_PAIRS {
            return Err(SignatureBatchProgramError::Chains(chains));
        }
        if !(1..=MAX_BATCH).contains(&signatures) {
            return Err(SignatureBatchProgramError::Signatures(signatures));
        }
        Ok(Self {
            signatures: signatures.min(1 << registry.log_keys()),
            registry,
            scheme,
        })
    }

    /// The registry.
    pub const fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Largest number of signatures of a batch.
    pub const fn signatures(&self) -> usize {
        self.signatures
    }

    /// Number of pairs of chains of a signature.
    pub(super) const fn pairs(&self) -> usize {
        self.scheme.parameters().chains as usize / 2
    }

    /// The text of the program, in the zk-DSL.
    pub fn source(&self) -> String {
        let (log_keys, pairs) = (self.registry.log_keys(), self.pairs());
        let Parameters {
            chains,
            levels,
            target_sum,
            ..
        } = *self.scheme.parameters();
        // Of all chains.
        let steps = chains * self.scheme.last_position() - target_sum;
        format!(
            "use droste_gadgets::xmss::verify_registered;\n\n\
             pub fn main() {{\n    \
             verify_registered::<{log_keys}, {pairs}, {steps}, {levels}>();\n\
             }}\n"
        )
    }

    /// Compiles the program.
    pub(super) fn compile(&self) -> Result<Compiled, Box<CompileError>> {
        compile_file("registered.rs", &self.source(), SOURCES)
    }
}
