//! What proves a machine is a choice: traits for provers of runs, for verifiers and for proofs, for
//! code that is to work with either proof stack.
//!
//! | stack | [`Prove`] | [`Verify`] | [`RunProof`] | [`Proves`] |
//! |---|---|---|---|---|
//! | batch STARKs over FRI | [`crate::fri::ProvingKey`] | [`crate::fri::Verifier`] | [`crate::fri::Proof`] | a [`HashSuite`](droste_native::HashSuite) |
//! | sumcheck, LogUp with GKR, WHIR | [`crate::whir::ProvingKey`] | [`crate::whir::Verifier`] | [`crate::whir::Proof`] | [`Whir`](crate::whir::Whir) of one |

#[cfg(feature = "prover")]
use droste_native::HashId;
#[cfg(feature = "prover")]
use droste_native::codec::{DecodeError, MAX_BYTES, check_length};
use droste_native::whir::WhirSettings;
use droste_native::whir::settings::WhirSettingsError;
use droste_native::{FriSettings, SettingsError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

#[cfg(feature = "prover")]
use crate::{fri, whir};

#[cfg(feature = "prover")]
mod error;
mod parameters;
#[cfg(feature = "prover")]
mod proves;

#[cfg(feature = "prover")]
pub use error::ProveError;
pub use parameters::Parameters;
#[cfg(feature = "prover")]
pub use proves::{Prove, Proves, RunProof, Verify};

/// A proof stack.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Stack {
    /// Batch STARKs over FRI.
    Fri,
    /// Sumcheck, LogUp with GKR, WHIR.
    #[default]
    Whir,
}

/// A name that no stack has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown proof stack `{0}`: expected fri or whir")]
pub struct UnknownStack(pub String);

impl Stack {
    /// Both stacks.
    pub const ALL: [Self; 2] = [Self::Fri, Self::Whir];

    /// The stack's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fri => "fri",
            Self::Whir => "whir",
        }
    }
}

droste_native::named!(Stack, UnknownStack);

/// The settings of a proof, which also say its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum StackSettings {
    /// Of a batch STARK over FRI.
    Fri(FriSettings),
    /// Of a proof over WHIR.
    Whir(WhirSettings),
}

/// Settings out of range.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum StackSettingsError {
    /// Of FRI.
    Fri(#[from] SettingsError),
    /// Of WHIR.
    Whir(#[from] WhirSettingsError),
}

impl From<FriSettings> for StackSettings {
    fn from(settings: FriSettings) -> Self {
        Self::Fri(settings)
    }
}

impl From<WhirSettings> for StackSettings {
    fn from(settings: WhirSettings) -> Self {
        Self::Whir(settings)
    }
}

impl StackSettings {
    /// The stack.
    pub const fn stack(&self) -> Stack {
        match self {
            Self::Fri(_) => Stack::Fri,
            Self::Whir(_) => Stack::Whir,
        }
    }

    /// Checks every field against its range.
    ///
    /// # Errors
    /// The first field that is out of range.
    pub fn validate(&self) -> Result<(), StackSettingsError> {
        match self {
            Self::Fri(settings) => settings.validate()?,
            Self::Whir(settings) => settings.validate()?,
        }
        Ok(())
    }

    /// Logarithm of the blowup factor of the codewords of the tables' columns.
    pub const fn log_blowup(&self) -> usize {
        match self {
            Self::Fri(settings) => settings.log_blowup,
            Self::Whir(settings) => settings.log_blowup,
        }
    }
}

/// The proof stack of a file that may be a proof. Of any other file it is that over FRI, whose
/// decoder refuses it.
#[cfg(feature = "prover")]
pub fn stack_of(bytes: &[u8]) -> Stack {
    if bytes.starts_with(&whir::MAGIC) {
        Stack::Whir
    } else {
        Stack::Fri
    }
}

/// Reads from a file's header in which hash its proof, of either stack, is committed.
///
/// # Errors
/// If the bytes do not begin as a proof of this version does.
#[cfg(feature = "prover")]
pub fn hash_of(bytes: &[u8]) -> Result<HashId, DecodeError> {
    check_length(bytes, MAX_BYTES)?;
    match stack_of(bytes) {
        Stack::Fri => fri::KIND.hash_of(bytes),
        Stack::Whir => whir::KIND.hash_of(bytes),
    }
}
