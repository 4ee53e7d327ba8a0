//! Circuits for recursion: compiled programs that verify proofs, with the keys that prove their
//! runs.
//!
//! A [`RecursionCircuit`] is generated and compiled once, and its program is committed to once for
//! each choice of settings and heights, however many proofs it verifies. It verifies proofs of
//! programs, on the standard machine or on one with tables of the caller's own ([`MachineProof`]);
//! the circuits of [`crate::airs`] verify Plonky3 proofs of any AIRs. [`CircuitCache`] keeps circuits
//! between steps that need the same one.

mod binary;
mod cache;
mod children;
mod fri;
mod key;
mod leaf;
mod machine;
mod opened;
mod recent;
mod rule;
mod run;
mod whir;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use cache::CircuitCache;
use droste_gadgets::verify::whir::shape::Shape as WhirShape;
use droste_gadgets::{NativeTape, SOURCES};
use droste_native::stark::security::Security;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId, with_suite};
use droste_vm::compiler::{CompileError, Compiled, compile_file};
use droste_vm::executor::{RunError, Tape, execute};
use droste_vm::fri::Verifier;
use droste_vm::heights::Heights;
use droste_vm::isa::{Program, id};
use droste_vm::key::{Key, KeyError, ProofSystem};
use droste_vm::machine::{
    Machine, MachineError, MachineTables, Provable, StandardTables, precompiles_of,
};
use droste_vm::record::Execution;
use droste_vm::stack::{ProveError, RunProof, Stack};
use droste_vm::tables::program::ProgramTable;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyError;
use droste_vm::whir as whir_stack;
use educe::Educe;
pub use key::CircuitKey;
pub use leaf::LeafProof;
pub(crate) use leaf::with_proof;
pub use machine::MachineProof;
pub(crate) use machine::OwnMachine;
pub use run::Run;
use thiserror::Error;

pub use crate::keys::{
    BinaryShape, CallsShape, ChildShape, Children, MAX_TABLES, Openings, PathsShape,
};

pub(crate) use binary::BinaryVerifier;
pub(crate) use fri::FriVerifier;
pub(crate) use recent::Recent;
pub(crate) use whir::{WhirVerifier, shape_of};

use crate::binary::ShapeError as BinaryShapeError;
use crate::codegen::{CodegenError, WhirEvaluators};
use crate::keys::RecipeError;
use crate::program::{self, airs, recursion};
use crate::shape::{FriShape, ShapeError, WhirShapeError};
use crate::tape::{TapeError, TapeSuite, machine_tape};

/// Precompiles whose tables the recursion machine R has: extension arithmetic, Poseidon-16, and
/// powers as weights, which the verifier of R's own proofs takes.
pub const PRECOMPILES: [u32; 3] = [id::EXT, id::POSEIDON16_SPONGE, id::POWER_WEIGHTS];

/// Largest number of cycles of a recursion program's run.
const MAX_CYCLES: u64 = 1 << 24;

/// Number of keys that a circuit keeps. An aggregator uses up to three keys per circuit.
const KEYS: usize = 4;

type Result<T, E = CircuitError> = std::result::Result<T, E>;

/// Why a circuit cannot be made, or a run of it cannot be made or proved.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum CircuitError {
    /// The constraint evaluators of the children's tables cannot be generated.
    Codegen(#[from] CodegenError),
    /// No recursive verifier can be generated for the children's shape.
    Shape(#[from] ShapeError),
    /// The generated program does not compile.
    #[error("the generated program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// There is no machine whose proofs have the shape of the children.
    #[error("no machine makes proofs of the children's shape")]
    ChildMachine(#[source] KeyError),
    /// There is no verifier of proofs over WHIR of the children's shape.
    ShapeOverWhir(#[from] WhirShapeError),
    /// There are no proofs about Merkle paths or calls of the children's shape.
    #[error(transparent)]
    BinaryShape(#[from] BinaryShapeError),
    /// The children are proofs of another stack.
    #[error("the children are proofs over {found}, expected {expected}")]
    Stack {
        /// Stack that is expected.
        expected: Stack,
        /// Stack of the children.
        found: Stack,
    },
    /// No proofs under the children's key have the given heights.
    #[error("no proofs under the children's key have the given heights")]
    Heights(#[source] VerifyError),
    /// The children are proofs on a machine that is not known here.
    #[error(
        "the children are proofs on another machine: its tables, constraints, lookups or settings \
         differ"
    )]
    OtherMachine,
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
    Tape(#[from] TapeError),
    /// The program rejects the children.
    #[error("the program rejects its children")]
    Run(#[source] Box<RunError>),
    /// There is no machine that runs the program.
    Machine(#[from] MachineError),
    /// The key of the program cannot be made.
    Key(#[from] KeyError),
    /// The run cannot be proved.
    Prove(#[from] ProveError),
    /// A proof, or the key under which it is verified, is not valid.
    Verify(#[from] VerifyError),
    /// The children are beyond the limits within which programs are generated.
    Limits(#[from] Box<RecipeError>),
}

/// What a circuit's program verifies.
pub(crate) enum Verifies {
    /// Batch STARKs over FRI.
    Fri(Box<FriVerifier>),
    /// Proofs over WHIR.
    Whir(Arc<WhirVerifier>),
    /// Proofs of `droste-binary`.
    Binary(Box<BinaryVerifier>),
}

/// A compiled program that verifies proofs of one shape (one machine, settings and list of
/// heights), which may be of any programs, with the keys that prove its runs.
///
/// The proof of its run is one over WHIR whose statement is the claim (see [`crate::claim`]).
#[derive(Educe)]
#[educe(Debug)]
pub struct RecursionCircuit {
    children: Children,
    #[educe(Debug(ignore))]
    verifies: Verifies,
    #[educe(Debug(ignore))]
    text: String,
    #[educe(Debug(ignore))]
    compiled: Compiled,
    compile_time: Duration,
    #[educe(Debug(ignore))]
    keys: Recent<(WhirSettings, Heights), CircuitKey>,
}

/// A key digest's preimage without the commitment to the program, which is its last part.
fn header<P: ProofSystem>(key: &Key<P>) -> Vec<F> {
    let mut preimage = key.preimage();
    preimage.truncate(16);
    preimage
}

impl RecursionCircuit {
    /// The circuit that verifies `count` proofs over FRI with these heights under the key of
    /// `verifier`, on the standard machine.
    ///
    /// # Errors
    /// If no proof of the verifier's key has these heights, or no program can be generated.
    pub fn over_fri<H: TapeSuite>(
        verifier: &Verifier<H, StandardTables>,
        log_heights: &[usize],
        count: usize,
    ) -> Result<Self>
    where
        StandardTables: Provable<H>,
    {
        let shape = ChildShape::new(verifier.key(), log_heights);
        Self::of_fri(Children::Programs { shape, count }, verifier, log_heights)
    }

    /// The circuit of these children, proofs over FRI under the key of `verifier`.
    fn of_fri<H: TapeSuite, T: Provable<H>>(
        children: Children,
        verifier: &Verifier<H, T>,
        log_heights: &[usize],
    ) -> Result<Self> {
        let start = Instant::now();
        let verifies = Verifies::Fri(Box::new(FriVerifier::new(verifier, log_heights)?));
        Self::new(children, verifies, start)
    }

    /// Like [`Self::over_fri`], for proofs over WHIR.
    ///
    /// # Errors
    /// If no proof of the verifier's key has these heights, or no program can be generated.
    pub fn over_whir<H: TapeSuite>(
        verifier: &whir_stack::Verifier<StandardTables, H>,
        log_heights: &[usize],
        count: usize,
    ) -> Result<Self> {
        let shape = ChildShape::new(verifier.key(), log_heights);
        Self::of_whir(Children::Programs { shape, count }, verifier, log_heights)
    }

    /// The circuit of these children, proofs over WHIR under the key of `verifier`.
    fn of_whir<T: whir_stack::Provable, H: TapeSuite>(
        children: Children,
        verifier: &whir_stack::Verifier<T, H>,
        log_heights: &[usize],
    ) -> Result<Self> {
        let start = Instant::now();
        let verifies = Verifies::Whir(Arc::new(WhirVerifier::new(verifier, log_heights)?));
        Self::new(children, verifies, start)
    }

    /// The circuit that verifies one proof on the machine and of the shape of this one. The machine
    /// has the tables `T`. The proof itself is not verified.
    ///
    /// # Errors
    /// [`CircuitError::OtherMachine`] if the tables `T` make another machine than that of the proof;
    /// [`CircuitError::Limits`] if generating the program would take long; or if there are no such
    /// proofs, or no program can be generated.
    pub fn of_machine<P: MachineProof<T>, T: MachineTables>(proof: &P) -> Result<Self> {
        let key = proof.key();
        let shape = ChildShape::new(key, proof.log_heights());
        let children = Children::OwnMachine {
            shape: shape.clone(),
            identity: key.machine_id,
        };
        children.check().map_err(Box::new)?;
        P::circuit(&shape, key.machine_id)
    }

    /// The circuit that verifies `count` proofs of this shape, on the standard machine.
    ///
    /// # Errors
    /// If the standard machine makes no such proofs, or no program can be generated.
    pub fn of_shape(shape: &ChildShape, count: usize) -> Result<Self> {
        let log_heights = &shape.log_heights;
        with_suite!(shape.hash, H => match shape.settings.stack() {
            Stack::Fri => {
                let verifier = shape.verifier::<H, StandardTables>()?;
                Self::over_fri(&verifier, log_heights, count)
            }
            Stack::Whir => {
                let verifier = shape.verifier_over_whir::<StandardTables, H>()?;
                Self::over_whir(&verifier, log_heights, count)
            }
        })
    }

    /// The circuit that verifies one proof about Merkle paths or calls of this shape.
    ///
    /// # Errors
    /// If there are no proofs of this shape, or no program can be generated.
    pub fn over_binary(shape: impl Into<BinaryShape>) -> Result<Self> {
        let (shape, start) = (shape.into(), Instant::now());
        let verifies = Verifies::Binary(Box::new(BinaryVerifier::new(shape)?));
        Self::new(shape.into(), verifies, start)
    }

    /// Generates the program and compiles it. `start` is when work on the circuit began, for
    /// [`Self::compile_time`].
    pub(crate) fn new(children: Children, verifies: Verifies, start: Instant) -> Result<Self> {
        let (file, text) = match (&verifies, &children) {
            (Verifies::Fri(fri), children) => {
                let (shape, evaluators, header) = (&fri.shape, &fri.evaluators, &fri.header);
                let openings = fri.openings.as_ref();
                if children.is_of_airs() {
                    let text = airs(shape, evaluators, openings, header, &fri.constants);
                    ("airs.rs", text)
                } else {
                    let text = recursion(shape, evaluators, openings, header, children.count());
                    ("recursion.rs", text)
                }
            }
            (Verifies::Whir(whir), children) => {
                let (evaluators, count) = (&whir.evaluators, children.count());
                let (hash, header) = (whir.hash, &whir.header);
                let text = program::whir::recursion(hash, &whir.shape, evaluators, header, count);
                ("whir.rs", text)
            }
            (Verifies::Binary(binary), _) => ("binary.rs", binary.text()),
        };
        Self::compile(children, verifies, (file, text), SOURCES, start)
    }

    /// Compiles the program whose file has this name and text.
    fn compile(
        children: Children,
        verifies: Verifies,
        (file, text): (&str, String),
        libraries: &[(&str, &str)],
        start: Instant,
    ) -> Result<Self> {
        let compiled = compile_file(file, &text, libraries).map_err(CircuitError::Compile)?;
        Ok(Self {
            children,
            verifies,
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

    /// What the program is generated from if it verifies proofs over FRI.
    pub(crate) fn fri(&self) -> Result<&FriVerifier> {
        match &self.verifies {
            Verifies::Fri(fri) => Ok(fri),
            Verifies::Whir(_) => Err(CircuitError::Stack {
                expected: Stack::Fri,
                found: Stack::Whir,
            }),
            Verifies::Binary(_) => Err(CircuitError::OtherShape { child: 0 }),
        }
    }

    /// What the program is generated from if it verifies proofs about Merkle paths or calls.
    pub(crate) fn binary(&self) -> Result<&BinaryVerifier> {
        match &self.verifies {
            Verifies::Binary(binary) => Ok(binary),
            Verifies::Fri(_) | Verifies::Whir(_) => Err(CircuitError::OtherShape { child: 0 }),
        }
    }

    /// What the program is generated from if it verifies proofs over WHIR.
    pub(crate) fn whir(&self) -> Result<&WhirVerifier> {
        match &self.verifies {
            Verifies::Whir(program) => Ok(program),
            Verifies::Fri(_) => Err(CircuitError::Stack {
                expected: Stack::Whir,
                found: Stack::Fri,
            }),
            Verifies::Binary(_) => Err(CircuitError::OtherShape { child: 0 }),
        }
    }

    /// Refuses any other number of children than the program verifies, and children of another
    /// shape, whose key digests have another preimage than `header` or which have other heights.
    fn check_children<P: RunProof>(&self, children: &[&P], header: &[F]) -> Result<()> {
        let (expected, found) = (self.children.count(), children.len());
        if found != expected {
            return Err(CircuitError::ChildCount { expected, found });
        }
        let (Children::Programs { shape, .. }
        | Children::OwnMachine { shape, .. }
        | Children::Opened { shape }) = &self.children
        else {
            return Err(CircuitError::OtherShape { child: 0 });
        };
        let other = children.iter().position(|proof| {
            let key = proof.key();
            P::System::HASH != shape.hash
                || self::header(key) != header
                || proof.log_heights() != shape.log_heights
                || !key.program.len().is_power_of_two()
        });
        match other {
            Some(child) => Err(CircuitError::OtherShape { child }),
            None => Ok(()),
        }
    }

    /// The hints with which the program accepts these children, proofs of programs.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    pub fn tape<P: LeafProof>(&self, children: &[&P]) -> Result<NativeTape> {
        P::tape(self, children)
    }

    /// Runs the program on these children, proofs of programs.
    ///
    /// # Errors
    /// If it rejects them.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn execute<P: LeafProof>(&self, children: &[&P]) -> Result<Execution> {
        self.run_tape(&self.tape(children)?)
    }

    /// Shape of the children if they are proofs over FRI.
    pub fn shape(&self) -> Option<&FriShape> {
        self.fri().ok().map(|fri| &fri.shape)
    }

    /// Shape of the children if they are proofs over WHIR.
    pub fn shape_over_whir(&self) -> Option<&WhirShape> {
        self.whir().ok().map(|whir| &whir.shape)
    }

    /// Evaluators of the children's tables if they are proofs over WHIR.
    pub fn evaluators_over_whir(&self) -> Option<&WhirEvaluators> {
        self.whir().ok().map(|whir| &whir.evaluators)
    }

    /// Hash suite of the children, or the one that has their transcript.
    pub fn hash(&self) -> HashId {
        match &self.verifies {
            Verifies::Fri(fri) => fri.shape.trees.hash(),
            Verifies::Whir(whir) => whir.hash,
            Verifies::Binary(_) => HashId::Poseidon16,
        }
    }

    /// Proven security of every proof that the program accepts as a child.
    pub fn security(&self) -> &Security {
        match &self.verifies {
            Verifies::Fri(fri) => &fri.security,
            Verifies::Whir(whir) => &whir.security,
            Verifies::Binary(binary) => &binary.security,
        }
    }

    /// Proven bits of every proof that the program accepts as a child.
    pub fn bits(&self) -> usize {
        self.security().bits()
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

    /// Runs the program on a tape.
    pub(crate) fn run_tape(&self, tape: &NativeTape) -> Result<Execution> {
        self.run_items(&machine_tape(tape))
    }

    /// Like [`Self::run_tape`], on a tape for the machine.
    pub(crate) fn run_items(&self, tape: &Tape) -> Result<Execution> {
        execute(&self.compiled, &[], tape, MAX_CYCLES)
            .map_err(|error| CircuitError::Run(Box::new(error)))
    }

    /// Names of the tables of the machine that proves runs of the program, in order, and the number
    /// of rows that this run needs of each. They are the tables of [`PRECOMPILES`] and of the
    /// program's own precompiles; of most tables of calls the last row is padding.
    ///
    /// # Errors
    /// If there is no machine that runs the program.
    pub fn needed_rows(&self, execution: &Execution) -> Result<Vec<(String, usize)>> {
        let program = &self.compiled.program;
        let precompiles = &PRECOMPILES.into() | &precompiles_of(program);
        Ok(rows_of_tables(program, execution, &precompiles)?)
    }

    /// The key that proves and verifies runs of the program with these settings and heights. It is
    /// made on first use; the `KEYS` most recently used keys are kept.
    ///
    /// # Errors
    /// If no run can be proved with them.
    pub fn key(&self, settings: WhirSettings, heights: &Heights) -> Result<Arc<CircuitKey>> {
        self.keys.get_or_make(&(settings, heights.clone()), || {
            CircuitKey::new(&self.compiled.program, settings, heights.clone())
        })
    }
}

/// Names of the tables of the machine with these precompiles, in order, and the number of rows that
/// a run needs of each.
pub(crate) fn rows_of_tables(
    program: &Program,
    execution: &Execution,
    precompiles: &BTreeSet<u32>,
) -> Result<Vec<(String, usize)>, MachineError> {
    let machine = Machine::<StandardTables>::new(ProgramTable::of_height(0), precompiles)?;
    let input = TraceInput { program, execution };
    let tables = machine.tables().iter();
    let tables = tables.map(|table| (table.name().to_owned(), table.padded_rows(&input)));
    Ok(tables.collect())
}
