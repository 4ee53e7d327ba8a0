//! The program that verifies a batch of signatures.

use droste_gadgets::SOURCES;
use droste_native::hash_signature::{Parameters, Xmss};
use droste_native::precompile::{DIGIT_BITS, MAX_PAIRS};
use droste_vm::compiler::{CompileError, Compiled, compile_file};
use thiserror::Error;

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
    /// No program has a registry of this size.
    #[error("the registry has a tree of {0} levels, expected 1 to {MAX_LOG_KEYS}")]
    Levels(u32),
    /// No program takes this number of signatures.
    #[error("batches of {0} signatures, expected 1 to {MAX_BATCH}")]
    Signatures(usize),
}

/// The program that verifies signatures of one scheme by keys of a registry of up to `2^log_keys`
/// keys, so many of them at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureBatchProgram {
    pub(super) scheme: Xmss,
    pub(super) log_keys: u32,
    pub(super) signatures: usize,
}

impl SignatureBatchProgram {
    /// The program for registries whose tree has `log_keys` levels, and batches of up to
    /// `signatures` signatures. No more than there are keys are in a batch, so no larger number
    /// counts.
    ///
    /// # Errors
    /// If the precompiles cannot verify signatures with the scheme's parameters, or a number is out
    /// of range.
    pub fn new(
        scheme: Xmss,
        log_keys: u32,
        signatures: usize,
    ) -> Result<Self, SignatureBatchProgramError> {
        let Parameters { bits, chains, .. } = *scheme.parameters();
        if bits != DIGIT_BITS {
            return Err(SignatureBatchProgramError::Digits(bits));
        }
        if chains as usize > 2 * MAX_PAIRS {
            return Err(SignatureBatchProgramError::Chains(chains));
        }
        if !(1..=MAX_LOG_KEYS).contains(&log_keys) {
            return Err(SignatureBatchProgramError::Levels(log_keys));
        }
        if !(1..=MAX_BATCH).contains(&signatures) {
            return Err(SignatureBatchProgramError::Signatures(signatures));
        }
        Ok(Self {
            scheme,
            log_keys,
            signatures: signatures.min(1 << log_keys),
        })
    }

    /// The scheme of the signatures.
    pub const fn scheme(&self) -> &Xmss {
        &self.scheme
    }

    /// Logarithm of the number of leaves of the registry's tree.
    pub const fn log_keys(&self) -> u32 {
        self.log_keys
    }

    /// Largest number of signatures of a batch.
    pub const fn signatures(&self) -> usize {
        self.signatures
    }

    /// Number of pairs of chains of a signature.
    pub(super) const fn pairs(&self) -> u32 {
        self.scheme.parameters().chains / 2
    }

    /// Number of steps of all chains of a signature.
    const fn steps(&self) -> u32 {
        let parameters = self.scheme.parameters();
        parameters.chains * self.scheme.last_position() - parameters.target_sum
    }

    /// The text of the program, in the zk-DSL.
    pub fn source(&self) -> String {
        let Self { log_keys, .. } = self;
        let (pairs, steps) = (self.pairs(), self.steps());
        let levels = self.scheme.parameters().levels;
        format!(
            "use droste_gadgets::xmss::verify_registered;\n\n\
             pub fn main() {{\n    \
             verify_registered::<{log_keys}, {pairs}, {steps}, {levels}>();\n\
             }}\n"
        )
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// If the compiler refuses the text, which would be an error of this crate.
    pub fn compile(&self) -> Result<Compiled, Box<CompileError>> {
        compile_file("registered.rs", &self.source(), SOURCES)
    }
}
