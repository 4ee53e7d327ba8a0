//! The program that verifies a batch of signatures.

use droste_gadgets::SOURCES;
use droste_native::hash_signature::{Parameters, Xmss};
use droste_native::precompile::{DIGIT_BITS, MAX_PAIRS};
use droste_vm::compiler::{Compiled, compile_file};
use thiserror::Error;

/// Largest logarithm of the number of keys of a batch: over WHIR no table has more than 2^20 rows.
pub const MAX_LOG_KEYS: u32 = 12;

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
    #[error("the batch has {0} signatures, expected 1 to {most}", most = 1u32 << MAX_LOG_KEYS)]
    Signatures(usize),
}

/// The program that verifies batches of up to `2^log_keys` signatures of one scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureBatchProgram {
    scheme: Xmss,
    log_keys: u32,
}

impl SignatureBatchProgram {
    /// The program for batches of up to `signatures` signatures, rounded up to a power of two that
    /// is at least two.
    ///
    /// # Errors
    /// If the precompiles cannot verify signatures with the scheme's parameters, or the number is
    /// zero or above `2^MAX_LOG_KEYS`.
    pub fn new(scheme: Xmss, signatures: usize) -> Result<Self, SignatureBatchProgramError> {
        let Parameters { bits, chains, .. } = *scheme.parameters();
        if bits != DIGIT_BITS {
            return Err(SignatureBatchProgramError::Digits(bits));
        }
        if chains as usize > 2 * MAX_PAIRS {
            return Err(SignatureBatchProgramError::Chains(chains));
        }
        if !(1..=1 << MAX_LOG_KEYS).contains(&signatures) {
            return Err(SignatureBatchProgramError::Signatures(signatures));
        }
        Ok(Self {
            scheme,
            log_keys: signatures.next_power_of_two().ilog2().max(1),
        })
    }

    /// The scheme of the signatures.
    pub const fn scheme(&self) -> &Xmss {
        &self.scheme
    }

    /// Logarithm of the largest number of signatures of a batch.
    pub const fn log_keys(&self) -> u32 {
        self.log_keys
    }

    /// Number of pairs of chains of a signature.
    pub(super) const fn pairs(&self) -> u32 {
        self.scheme.parameters().chains / 2
    }

    /// Number of steps of all chains of a signature.
    pub(super) const fn steps(&self) -> u32 {
        let parameters = self.scheme.parameters();
        parameters.chains * self.scheme.last_position() - parameters.target_sum
    }

    /// Number of rows of a signature in the table of its hashes: steps of chains, compressions of
    /// pairs of chain ends, and levels of the path.
    pub(super) const fn rows(&self) -> u32 {
        self.steps() + self.pairs() + self.scheme.parameters().levels
    }

    /// The text of the program, in the zk-DSL.
    pub fn source(&self) -> String {
        let Self { log_keys, .. } = self;
        let (pairs, steps) = (self.pairs(), self.steps());
        let levels = self.scheme.parameters().levels;
        format!(
            "use droste_gadgets::xmss::verify_signatures;\n\n\
             pub fn main() {{\n    \
             verify_signatures::<{log_keys}, {pairs}, {steps}, {levels}>();\n\
             }}\n"
        )
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// If the compiler refuses the text, which would be an error of this crate.
    pub fn compile(&self) -> Result<Compiled, Box<droste_vm::compiler::CompileError>> {
        compile_file("xmss.rs", &self.source(), SOURCES)
    }
}
