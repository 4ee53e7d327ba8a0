//! From proofs to a proof that they verify.
//!
//! [`Recursion::new`] generates and compiles the program for children of one shape: one machine, one
//! list of heights, any programs. [`Recursion::prove`] verifies the children natively, runs the
//! program on them and proves the run. What comes out is an ordinary proof in Poseidon-16 whose
//! statement is the claim (see [`crate::claim`]); proved at fixed heights it is a child of the next
//! level.

use droste_gadgets::{SOURCES, Tape};
use droste_native::family::FamilyCap;
use droste_native::security::SecurityReport;
use droste_native::{Commitment, F, HashFamily, Poseidon16Family};
use droste_vm::compiler::{Compiled, compile_file};
use droste_vm::executor::execute;
use droste_vm::key::Key;
use droste_vm::machine::Provable;
use droste_vm::prover::{Proof, ProveError, ProveOptions, prove};
use droste_vm::record::Execution;
use droste_vm::verifier::{Verifier, VerifyError};
use p3_air::BaseAir;
use thiserror::Error;

use crate::claim::{Claim, ClaimTree};
use crate::codegen::{CodegenError, Evaluators, TableSource, generate};
use crate::keys::{ChildShape, Children};
use crate::program::{recursion, run_recursion};
use crate::shape::{ProofShape, ShapeError};
use crate::tape::{Answers, TapeError, TapeFamily, commitment_lanes, machine_tape};

/// Most cycles of a recursion program.
pub(crate) const LIMIT: u64 = 1 << 24;

/// Why a recursion step failed.
#[derive(Debug, Error)]
pub enum RecursionError {
    /// The evaluators of the children's tables.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// The children's shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The generated program does not compile.
    #[error("the generated program does not compile: {0}")]
    Compile(String),
    /// No children of the key have the given heights.
    #[error("the children's heights: {0}")]
    Heights(VerifyError),
    /// A child is not valid.
    #[error("child {child}: {source}")]
    Child {
        /// Which.
        child: usize,
        /// Why.
        source: VerifyError,
    },
    /// The number of children is not that of the program.
    #[error("{found} children, the program verifies {expected}")]
    Children {
        /// Number of the program.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A child's key differs from the others' in more than its program, or its heights do.
    #[error("child {child} is of another machine or of other heights")]
    Machine {
        /// Which.
        child: usize,
    },
    /// A child cannot be written to the tape.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// The program rejects the children.
    #[error("the program rejects its children: {0}")]
    Run(String),
    /// Proving the run.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// The program that verifies children of one shape.
#[derive(Debug)]
pub struct Recursion<H: HashFamily> {
    key: Key<H>,
    shape: ProofShape,
    evaluators: Evaluators,
    security: SecurityReport,
    children: usize,
    text: String,
    compiled: Compiled,
}

/// All of a key digest's preimage but the commitment to the program.
fn header<H: HashFamily>(key: &Key<H>) -> Vec<F> {
    let mut preimage = key.preimage();
    preimage.truncate(16);
    preimage
}

impl<H: TapeFamily> Recursion<H> {
    /// The program for `children` proofs like those that `verifier` verifies, of these heights.
    ///
    /// # Errors
    /// If no proof of the verifier's key has these heights, or there is no such program.
    pub fn new<T: Provable<H>>(
        verifier: &Verifier<H, T>,
        log_heights: &[usize],
        children: usize,
    ) -> Result<Self, RecursionError> {
        let key = verifier.key();
        let (_, security) = verifier
            .shape(log_heights)
            .map_err(RecursionError::Heights)?;
        let tables = verifier.machine().tables();
        let names: Vec<String> = tables
            .iter()
            .map(|table| table.name().replace([' ', '-'], "_"))
            .collect();
        let sources: Vec<TableSource<'_, T>> = tables
            .iter()
            .zip(&names)
            .zip(&verifier.common().lookups)
            .zip(log_heights)
            .map(|(((air, name), lookups), &log_height)| TableSource {
                name,
                air,
                lookups,
                preprocessed_width: BaseAir::<F>::preprocessed_width(air),
                log_height,
            })
            .collect();
        let evaluators = generate(&sources)?;
        let digest = key.digest().0.len();
        let shape = ProofShape::new(H::ID, key.settings, digest, &evaluators, log_heights)?;
        let text = recursion(&shape, &evaluators, &header(key), children);
        let compiled = compile_file("recursion.rs", &text, SOURCES)
            .map_err(|error| RecursionError::Compile(error.to_string()))?;
        Ok(Self {
            key: key.clone(),
            shape,
            evaluators,
            security,
            children,
            text,
            compiled,
        })
    }

    /// Proven security of every proof that the program accepts as a child.
    pub const fn security(&self) -> &SecurityReport {
        &self.security
    }

    /// What the program is generated from.
    pub fn children(&self) -> Children {
        let tables = self.shape.tables.iter();
        let log_heights: Vec<usize> = tables.map(|table| table.log_height).collect();
        Children::Programs {
            shape: ChildShape::new(&self.key, &log_heights),
            count: self.children,
        }
    }

    /// Shape of the children.
    pub const fn shape(&self) -> &ProofShape {
        &self.shape
    }

    /// The program's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program.
    pub const fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The hints with which the program accepts these children.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    pub fn tape(&self, children: &[&Proof<H>]) -> Result<Tape, RecursionError> {
        if children.len() != self.children {
            return Err(RecursionError::Children {
                expected: self.children,
                found: children.len(),
            });
        }
        let roots: Vec<Commitment<H>> = children
            .iter()
            .map(|proof| FamilyCap::from_digests(proof.key.program.clone()))
            .collect();
        let mut answers = Answers::<H>::default();
        for (child, (proof, root)) in children.iter().zip(&roots).enumerate() {
            let heights = self.shape.tables.iter().map(|table| table.log_height);
            if header(&proof.key) != header(&self.key)
                || !heights.eq(proof.batch.degree_bits.iter().copied())
            {
                return Err(RecursionError::Machine { child });
            }
            answers.message(commitment_lanes::<H>(root));
            answers.message(proof.statement.to_vec());
            answers.proof(&self.shape, Some(root), &proof.batch)?;
        }
        let header = header(&self.key);
        let (shape, evaluators) = (&self.shape, &self.evaluators);
        let run = || run_recursion::<H>(shape, evaluators, &header, self.children);
        Ok(answers.record(run)?)
    }

    /// Runs the program on these children.
    ///
    /// # Errors
    /// If it rejects them.
    pub fn execute(&self, children: &[&Proof<H>]) -> Result<Execution, RecursionError> {
        let tape = machine_tape(&self.tape(children)?);
        execute(&self.compiled, &[], &tape, LIMIT)
            .map_err(|error| RecursionError::Run(error.to_string()))
    }

    /// Verifies the children natively, then in the machine, and proves that.
    ///
    /// # Errors
    /// If a child is not valid, or the proof cannot be made.
    pub fn prove<T: Provable<H>>(
        &self,
        children: &[&Proof<H>],
        options: &ProveOptions,
    ) -> Result<Proof<Poseidon16Family>, RecursionError>
    where
        droste_vm::machine::StandardTables: Provable<Poseidon16Family>,
    {
        for (child, proof) in children.iter().enumerate() {
            Verifier::<H, T>::new(proof.key.clone())
                .and_then(|verifier| verifier.verify(&[], 0, proof))
                .map_err(|source| RecursionError::Child { child, source })?;
        }
        let execution = self.execute(children)?;
        Ok(prove(&self.compiled.program, &execution, options)?)
    }
}

/// The claim tree of a proof whose children have these trees, none for an ordinary program's.
pub fn claim_tree<H: HashFamily>(proof: &Proof<H>, children: Vec<ClaimTree>) -> ClaimTree {
    ClaimTree {
        key: proof.key.digest(),
        claim: if children.is_empty() {
            Claim::Statement(proof.statement)
        } else {
            Claim::Children(children)
        },
    }
}
