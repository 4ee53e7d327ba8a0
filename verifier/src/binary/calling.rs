//! Programs of users whose calls of a hash are proved in one binary proof.
//!
//! Such a program has a struct `Program`, a [`Caller`] of `droste_gadgets::verify::binary::called`.
//! `droste_programs::keccak_calls` is one. It is compiled for a hash and a number of calls, and
//! rustc compiles the same text. The `main` that is generated here has the list of its calls and
//! verifies it.

use std::collections::VecDeque;

use droste_binary::field::K;
use droste_binary::statement::Statement;
use droste_binary::{BinaryError, Hash, HashCalls, StatementError, StatementShape, prove};
use droste_gadgets::record::{Prover, RecordError, record_public, run_calls};
use droste_gadgets::verify::binary::called::Caller;
use droste_gadgets::verify::binary::shape::{Calls, Shape};
use droste_gadgets::{Failure, NativeTape, SOURCES};
use droste_native::F;
use droste_native::precompile::binary_from_block;
use droste_native::stark::security::Security;
use droste_vm::compiler::{CompileError, Compiled, compile_file};
use droste_vm::verifier::{VerifyError, VerifyOptions};
use p3_binary_field::TowerLevel;
use thiserror::Error;

use super::tape::{Messages, elements, lanes};
use super::{BinaryTapeError, ListShape, ShapeError};
use crate::circuit::{BinaryShape, BinaryVerifier, CallsShape};
use crate::program::literal;
use crate::proofs::{self, Known, ProofError};
use crate::summary::ProofSummary;

/// The name of the module that has the text of the user's program.
const MODULE: &str = "program/calling.rs";

/// The name of the module that runs it. It belongs to the gadgets' crate, since what has the list
/// of calls is visible only there.
const RUN: &str = "droste_gadgets/verify/binary/calling_main.rs";

/// The file that is compiled.
const MAIN: &str = "use droste_gadgets::verify::binary::calling_main;\n\n\
                    /// Runs the program, and verifies its calls.\n\
                    pub fn main() {\n    calling_main::main();\n}\n";

/// Why a program with calls is not compiled, or has no hints.
#[derive(Debug, Error)]
pub enum CallingError {
    /// No program verifies proofs about this number of calls.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The program does not compile.
    #[error("the program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// A hint has no answer.
    #[error(transparent)]
    Prover(#[from] CallsProverError),
    /// The program fails.
    #[error("the program fails in its native run")]
    Failed(#[source] Failure),
}

/// Why the program's prover has no answer to a hint.
#[derive(Debug, Error)]
pub enum CallsProverError {
    /// The caller gave no next hint, or one of another length.
    #[error(
        "the program reads a hint of {0} elements, but the next hint that was given has another \
         length or there is none"
    )]
    Hint(usize),
    /// A block of an input is no element of GF(2^128).
    #[error("an input of call {call} has a block that is no element of GF(2^128)")]
    Element {
        /// Index of the call.
        call: usize,
    },
    /// The last element of an input has bits after those of the input.
    #[error(
        "the input of call {call} is too long: it has bits behind the last one that {hash} takes"
    )]
    Input {
        /// The hash.
        hash: Hash,
        /// Index of the call.
        call: usize,
    },
    /// The calls are no statement.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// They cannot be proved.
    #[error(transparent)]
    Prove(#[from] BinaryError),
    /// The program reads another proof.
    #[error(transparent)]
    Proof(#[from] BinaryTapeError),
}

/// A program that makes calls of a hash, compiled.
#[derive(Debug)]
pub struct CallingProgram {
    hash: Hash,
    shape: Shape,
    calls: Calls,
    security: Security,
    compiled: Compiled,
}

impl CallingProgram {
    /// Compiles a program, whose file has this name and text, for so many calls, a power of two.
    ///
    /// # Errors
    /// If there is no proof about so many calls, or the program does not compile.
    pub fn new(hash: Hash, calls: usize, text: &str) -> Result<Self, CallingError> {
        let of = BinaryShape::of(StatementShape::Calls { hash, calls })?;
        let BinaryVerifier {
            program, security, ..
        } = BinaryVerifier::new(of)?;
        let shape = program.shape;
        let ListShape::Calls(calls) = program.list else {
            return Err(ShapeError::Graph.into());
        };
        let run = format!(
            "use droste_gadgets::verify::binary::shape::{{\n    \
             Calls, Circuit, Common, Constant, Constants, Group, Place, Product, PublicRow, \
             Rotation, Round, Shape, Term,\n}};\n\
             use droste_gadgets::verify::binary::called;\n\
             use program::calling::Program;\n\n\
             /// The shape of the proof.\npub fn shape() -> Shape {{\n{}\n}}\n\n\
             /// What it is about.\npub fn calls() -> Calls {{\n{}\n}}\n\n\
             /// Runs the program, and verifies its calls.\n\
             pub fn main() {{\n    called::run::<Program>(&shape(), calls());\n}}\n",
            literal(&shape),
            literal(&calls),
        );
        let sources = [SOURCES, &[(MODULE, text), (RUN, &run)]].concat();
        let compiled = compile_file("main.rs", MAIN, &sources).map_err(CallingError::Compile)?;
        Ok(Self {
            hash,
            shape,
            calls,
            security,
            compiled,
        })
    }

    /// Proven security of the binary proof. A proof of the program has the bits of the weaker one of
    /// both: [`Self::verify`] and [`Self::counted`] count both, an aggregate only its own proofs.
    pub const fn security(&self) -> &Security {
        &self.security
    }

    /// Checks that the binary proof has these proven bits.
    ///
    /// # Errors
    /// If it has fewer.
    pub fn check_bits(&self, expected: usize) -> Result<(), VerifyError> {
        let found = self.security.bits();
        if found < expected {
            Err(VerifyError::Security { expected, found })
        } else {
            Ok(())
        }
    }

    /// What the proof of a run says, with the binary proof that the run verified.
    #[must_use]
    pub fn counted(&self, says: ProofSummary) -> ProofSummary {
        says.with_inner(&self.security)
    }

    /// Decodes the proof of a run of the program, and verifies it as [`proofs::verify`] does. The
    /// bits that the options ask for are asked of the binary proof, too.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        &self,
        bytes: &[u8],
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<ProofSummary, ProofError> {
        self.check_bits(options.min_bits)?;
        let known = Known::Program(&self.compiled.program);
        let says = proofs::verify(bytes, known, expected, options)?;
        Ok(self.counted(says))
    }

    /// The shape of the binary proof: the hash, and the number of calls for which the program was
    /// compiled.
    pub fn calls_shape(&self) -> CallsShape {
        CallsShape {
            hash: self.hash.number(),
            log_calls: self.shape.log_calls,
        }
    }

    /// The program for the machine.
    pub const fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Runs the program natively: `P` is its `Program`, compiled by rustc.
    pub fn run<P: Caller>(&self) {
        run_calls::<P>(&self.shape, self.calls.clone());
    }

    /// The hints of a run with these public inputs. Its calls are run natively and proved. `hints`
    /// are the answers to the program's other hints: for `n` blocks, `8 n` elements.
    ///
    /// # Errors
    /// If a hint has no answer, or the program fails.
    pub fn tape<P: Caller>(
        &self,
        public: &[u32],
        hints: Vec<Vec<F>>,
    ) -> Result<NativeTape, CallingError> {
        let mut prover = CallsProver {
            hash: self.hash,
            number: 1 << self.shape.log_calls,
            hints: hints.into(),
            inputs: Vec::new(),
            output: None,
            messages: None,
        };
        match record_public(&mut prover, public, || self.run::<P>()) {
            Ok((tape, _)) => {
                if let Some(messages) = &prover.messages {
                    messages.finish().map_err(CallsProverError::from)?;
                }
                Ok(tape)
            }
            Err(RecordError::Prover(error)) => Err(error.into()),
            Err(RecordError::Program { failure, .. }) => Err(CallingError::Failed(failure)),
        }
    }
}

/// Answers the hints of a program.
struct CallsProver {
    hash: Hash,
    /// Number of calls.
    number: usize,
    /// Answers to the program's own hints.
    hints: VecDeque<Vec<F>>,
    /// Inputs of the calls up to now.
    inputs: Vec<Vec<u8>>,
    /// The output of the last one, or why there is none, until it is read.
    output: Option<Result<Vec<F>, CallsProverError>>,
    /// The list and the proof, from the first message on.
    messages: Option<Messages>,
}

impl CallsProver {
    /// The bytes of an input.
    fn input(&self, blocks: &[F]) -> Result<Vec<u8>, CallsProverError> {
        let call = self.inputs.len();
        let (blocks, _) = blocks.as_chunks::<8>();
        let elements = blocks.iter().map(binary_from_block);
        let elements: Vec<K> = elements
            .collect::<Result<_, _>>()
            .map_err(|_| CallsProverError::Element { call })?;
        let mut bytes: Vec<u8> = (elements.iter())
            .flat_map(|x| x.to_repr().to_le_bytes())
            .collect();
        let rest = bytes.split_off(self.hash.input_bytes().min(bytes.len()));
        if rest.iter().all(|&byte| byte == 0) {
            Ok(bytes)
        } else {
            Err(CallsProverError::Input {
                hash: self.hash,
                call,
            })
        }
    }

    /// Makes a call, and returns the lanes of its output.
    fn call(&mut self, blocks: &[F]) -> Result<Vec<F>, CallsProverError> {
        let input = self.input(blocks)?;
        let output = self.hash.output(&input)?;
        self.inputs.push(input);
        Ok(lanes(&elements(&output)))
    }

    /// The messages of the proof about all calls.
    fn prove(&self) -> Result<Messages, CallsProverError> {
        let calls = HashCalls::of_inputs(self.hash, &self.inputs)?;
        let proof = prove(&calls)?;
        Ok(Messages::new(Statement::Calls(&calls), &proof))
    }
}

impl Prover for CallsProver {
    type Error = CallsProverError;

    fn message(&mut self, n: usize) -> Result<Vec<F>, CallsProverError> {
        if let Some(output) = self.output.take() {
            return output;
        }
        if self.inputs.len() < self.number || !self.hints.is_empty() {
            let hint = self.hints.pop_front().filter(|hint| hint.len() == n);
            return hint.ok_or(CallsProverError::Hint(n));
        }
        let mut messages = match self.messages.take() {
            Some(messages) => messages,
            None => self.prove()?,
        };
        let message = messages.message(n);
        self.messages = Some(messages);
        Ok(message?)
    }

    fn told(&mut self, values: Vec<F>) {
        self.output = Some(self.call(&values));
    }
}

#[cfg(test)]
mod tests;
