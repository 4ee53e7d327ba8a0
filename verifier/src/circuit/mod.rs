//! Circuits for recursion: compiled programs that verify proofs, with the keys that prove their
//! runs.
//!
//! A [`RecursionCircuit`] is generated and compiled once, and its program is committed to once for
//! each choice of settings and heights, however many proofs it verifies. [`ProgramCircuit`]
//! verifies proofs of programs; the circuits of [`crate::airs`] verify Plonky3 proofs of any AIRs.
//! [`CircuitCache`] keeps circuits between steps that need the same one.

mod cache;
mod children;
mod key;
mod program;
mod recent;
mod run;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use droste_gadgets::{NativeTape, SOURCES};
use droste_native::stark::security::SecurityReport;
use droste_native::{F, FriSettings, HashId};
use droste_vm::compiler::{CompileError, Compiled, compile_file};
use droste_vm::executor::{RunError, execute};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::key::KeyError;
use droste_vm::machine::{Machine, MachineError, StandardTables, precompiles_of};
use droste_vm::prover::ProveError;
use droste_vm::record::Execution;
use droste_vm::tables::program::ProgramTable;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyError;
use thiserror::Error;

pub use cache::CircuitCache;
pub use children::{ChildShape, Children, MAX_TABLES};
pub use key::CircuitKey;
pub(crate) use key::proving_key;
pub use program::ProgramCircuit;
pub use run::Run;

use crate::codegen::{CodegenError, Evaluators};
use crate::program::{airs, recursion, run_airs, run_recursion};
use crate::shape::{ProofShape, ShapeError};
use crate::tape::{Answers, TapeError, TapeSuite, machine_tape};
use recent::Recent;

/// Precompiles whose tables the recursion machine R has: extension arithmetic and Poseidon-16.
pub const PRECOMPILES: [u32; 2] = [id::EXT, id::POSEIDON16_SPONGE];

/// Largest number of cycles of a recursion program's run.
const MAX_CYCLES: u64 = 1 << 24;

/// Number of keys that a circuit keeps. An aggregator uses up to three keys per circuit.
const KEYS: usize = 4;

/// Why a circuit cannot be made, or a run of it cannot be made or proved.
#[derive(Debug, Error)]
pub enum CircuitError {
    /// The constraint evaluators of the children's tables cannot be generated.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// No recursive verifier can be generated for the children's shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The generated program does not compile.
    #[error("the generated program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// There is no machine whose proofs have the shape of the children.
    #[error("no machine makes proofs of the children's shape")]
    ChildMachine(#[source] KeyError),
    /// No proofs under the children's key have the given heights.
    #[error("no proofs under the children's key have the given heights")]
    Heights(#[source] VerifyError),
    /// A child is not valid.
    #[error("child {child} is not valid")]
    Child {
        /// Index of the child, from 0.
        child: usize,
        /// Why it is not valid.
        source: VerifyError,
    },
    /// The number of children is not that of the program.
    #[error("{found} children were given, but the program verifies {expected}")]
    ChildCount {
        /// Number of children that the program verifies.
        expected: usize,
        /// Number of children given.
        found: usize,
    },
    /// A child's heights, or anything in its key but the program, differ from what the circuit was
    /// made for.
    #[error(
        "child {child} has another shape than the program verifies: machine, settings or heights"
    )]
    OtherShape {
        /// Index of the child, from 0.
        child: usize,
    },
    /// The hints for the children cannot be written.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// The program rejects the children.
    #[error("the program rejects its children")]
    Run(#[source] Box<RunError>),
    /// There is no machine that runs the program.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The key of the program cannot be made.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The run cannot be proved.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// A proof, or the key under which it is verified, is not valid.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

/// A compiled program that verifies proofs of one shape, with the keys that prove its runs.
pub struct RecursionCircuit {
    children: Children,
    shape: ProofShape,
    evaluators: Evaluators,
    /// Preimage of the children's key digests up to the commitment to the program: the part that
    /// all children share.
    header: Vec<F>,
    security: SecurityReport,
    text: String,
    compiled: Compiled,
    compile_time: Duration,
    keys: Recent<(FriSettings, Heights), CircuitKey>,
}

impl fmt::Debug for RecursionCircuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecursionCircuit")
            .field("children", &self.children)
            .field("instructions", &self.compiled.program.instructions.len())
            .finish_non_exhaustive()
    }
}

/// Everything that a circuit is made from.
pub(crate) struct Parts {
    /// Names the circuit in recipes.
    pub children: Children,
    /// Shape of the children.
    pub shape: ProofShape,
    /// Constraint evaluators of the children's tables.
    pub evaluators: Evaluators,
    /// Preimage of the children's key digests up to the commitment.
    pub header: Vec<F>,
    /// Proven security of each child.
    pub security: SecurityReport,
    /// When work on the circuit began, for [`RecursionCircuit::compile_time`].
    pub start: Instant,
}

impl RecursionCircuit {
    /// Generates the program and compiles it.
    pub(crate) fn new(parts: Parts) -> Result<Self, CircuitError> {
        let Parts {
            children,
            shape,
            evaluators,
            header,
            security,
            start,
        } = parts;
        let (file, text) = match &children {
            Children::Programs { count, .. } => (
                "recursion.rs",
                recursion(&shape, &evaluators, &header, *count),
            ),
            Children::Airs { .. } => ("airs.rs", airs(&shape, &evaluators, &header)),
        };
        let compiled = compile_file(file, &text, SOURCES).map_err(CircuitError::Compile)?;
        Ok(Self {
            children,
            shape,
            evaluators,
            header,
            security,
            text,
            compiled,
            compile_time: start.elapsed(),
            keys: Recent::new(KEYS),
        })
    }

    /// The proofs that the program verifies, from which it is generated.
    pub const fn children(&self) -> &Children {
        &self.children
    }

    /// Shape of the children.
    pub const fn shape(&self) -> &ProofShape {
        &self.shape
    }

    /// Hash in which the children are committed.
    pub const fn hash(&self) -> HashId {
        self.shape.hash
    }

    /// Proven security of every proof that the program accepts as a child.
    pub const fn security(&self) -> &SecurityReport {
        &self.security
    }

    /// The generated zk-DSL text of the program.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The compiled program.
    pub const fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Time that generating and compiling the program took.
    pub const fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Preimage of the children's key digests up to the commitment.
    pub(crate) fn header(&self) -> &[F] {
        &self.header
    }

    /// Records, in a native run, the tape on which the program accepts the proofs of `answers`.
    pub(crate) fn record<H: TapeSuite>(
        &self,
        answers: Answers<'_, H>,
    ) -> Result<NativeTape, TapeError> {
        let (shape, evaluators, header) = (&self.shape, &self.evaluators, &self.header);
        answers.record(|| match self.children {
            Children::Programs { count, .. } => {
                run_recursion::<H>(shape, evaluators, header, count);
            }
            Children::Airs { .. } => run_airs::<H>(shape, evaluators, header),
        })
    }

    /// Runs the program on a tape.
    pub(crate) fn execute(&self, tape: &NativeTape) -> Result<Execution, CircuitError> {
        execute(&self.compiled, &[], &machine_tape(tape), MAX_CYCLES)
            .map_err(|error| CircuitError::Run(Box::new(error)))
    }

    /// Number of rows that a run fills in each table of the machine that proves it, in the
    /// machine's order.
    pub(crate) fn rows(&self, execution: &Execution) -> Result<Vec<usize>, CircuitError> {
        let program = &self.compiled.program;
        let machine = self.machine()?;
        let input = TraceInput { program, execution };
        let tables = machine.tables().iter();
        Ok(tables.map(|table| table.rows(&input)).collect())
    }

    /// Names of the tables of the machine that proves its runs, in order.
    pub(crate) fn table_names(&self) -> Result<Vec<String>, CircuitError> {
        Ok(self.machine()?.names())
    }

    /// The machine that proves its runs, without the content of the program.
    fn machine(&self) -> Result<Machine<StandardTables>, CircuitError> {
        let precompiles = &PRECOMPILES.into() | &precompiles_of(&self.compiled.program);
        Ok(Machine::new(ProgramTable::of_height(0), &precompiles)?)
    }

    /// The key that proves and verifies runs of the program with these settings and heights. It is
    /// made on first use; the `KEYS` most recently used keys are kept.
    ///
    /// # Errors
    /// If no run can be proved with them.
    pub fn key(
        &self,
        settings: FriSettings,
        heights: &Heights,
    ) -> Result<Arc<CircuitKey>, CircuitError> {
        self.keys.get_or_make(&(settings, heights.clone()), || {
            CircuitKey::new(&self.compiled.program, settings, heights.clone())
        })
    }
}
