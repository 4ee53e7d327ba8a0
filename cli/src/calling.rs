//! The option `--calls`: programs whose calls of a hash are shown by one binary proof.

use std::ops::Deref;
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use droste_binary::Hash;
use droste_native::F;
use droste_verifier::binary::{CallingError, CallingProgram};
use droste_verifier::proofs::{self, Known, ProofError};
use droste_verifier::summary::ProofSummary;
use droste_vm::compiler::Compiled;
use droste_vm::isa::Program;
use droste_vm::verifier::{VerifyError, VerifyOptions};

use crate::error::CommandError;
use crate::paths::Input;
use crate::program::read_text;
use crate::sources::Sources;

/// How a program is compiled.
#[derive(Clone, Debug, Args)]
pub struct Calls {
    /// For a program that takes outputs of a hash as hints and verifies one binary proof of them:
    /// blake3, blake2s or keccak-f, and the number of calls that it is compiled for, as keccak-f:64.
    #[arg(long, value_name = "HASH:NUMBER")]
    calls: Option<CallsOf>,
    /// A library that the program may import by its name: a file, or the folder of a package.
    #[arg(long, value_name = "PATH", conflicts_with = "calls")]
    library: Vec<Input>,
}

/// A hash, and a number of calls of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CallsOf {
    hash: Hash,
    number: usize,
}

impl FromStr for CallsOf {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "expected a hash (blake3, blake2s or keccak-f), `:` and a number";
        let (name, number) = text.split_once(':').ok_or(EXPECTED)?;
        let hash = Hash::ALL.into_iter().find(|hash| hash.name() == name);
        Ok(Self {
            hash: hash.ok_or(EXPECTED)?,
            number: number.parse().map_err(|_| EXPECTED)?,
        })
    }
}

impl Calls {
    /// Whether one of the options is there.
    pub const fn is_given(&self) -> bool {
        self.calls.is_some() || !self.library.is_empty()
    }

    /// Compiles the program at `path`.
    ///
    /// # Errors
    /// If it cannot be read or does not compile, or there is no proof about so many calls.
    pub fn compile(&self, path: &Path) -> Result<Loaded, CommandError> {
        let Some(CallsOf { hash, number }) = self.calls else {
            let sources = Sources::read(path, &self.library)?;
            return Ok(Loaded::Plain(Box::new(sources.compile()?)));
        };
        match CallingProgram::new(hash, number, &read_text(path)?) {
            Ok(program) => Ok(Loaded::Calling(Box::new(program))),
            Err(CallingError::Compile(error)) => Err(error.into()),
            Err(error) => Err(CommandError::failed(error)),
        }
    }
}

/// A compiled program, with or without such calls.
pub enum Loaded {
    /// A program with a `main`.
    Plain(Box<Compiled>),
    /// One with such calls.
    Calling(Box<CallingProgram>),
}

impl Deref for Loaded {
    type Target = Compiled;

    fn deref(&self) -> &Compiled {
        match self {
            Self::Plain(compiled) => compiled,
            Self::Calling(program) => program.compiled(),
        }
    }
}

impl AsRef<Program> for Loaded {
    fn as_ref(&self) -> &Program {
        &self.program
    }
}

impl Loaded {
    /// What the proof of a run says, with the binary proof that the run verified, if it did.
    pub fn counted(&self, says: ProofSummary) -> ProofSummary {
        match self {
            Self::Plain(_) => says,
            Self::Calling(program) => program.counted(says),
        }
    }

    /// Proven bits of the binary proof that a run verifies, if it does.
    pub fn bits(&self) -> Option<usize> {
        match self {
            Self::Plain(_) => None,
            Self::Calling(program) => Some(program.security().bits()),
        }
    }

    /// Checks that the binary proof has these bits.
    ///
    /// # Errors
    /// If it has fewer.
    pub fn check_bits(&self, min_bits: usize) -> Result<(), VerifyError> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Calling(program) => program.check_bits(min_bits),
        }
    }

    /// Decodes the proof of a run and verifies it.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        &self,
        bytes: &[u8],
        public: &[F],
        options: VerifyOptions,
    ) -> Result<ProofSummary, ProofError> {
        match self {
            Self::Plain(compiled) => {
                proofs::verify(bytes, Known::Program(&compiled.program), public, options)
            }
            Self::Calling(program) => program.verify(bytes, public, options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_a_hash_and_a_number() {
        for hash in Hash::ALL {
            let calls = format!("{hash}:64").parse::<CallsOf>();
            assert_eq!(calls, Ok(CallsOf { hash, number: 64 }));
        }
        for text in [
            "keccak-f",
            "keccak-f:",
            "keccak-f:x",
            "keccak-f:-8",
            "md5:8",
            ":8",
            "",
        ] {
            assert!(text.parse::<CallsOf>().is_err(), "{text}");
        }
    }
}
