//! Circuits that verify proofs of recursion programs over WHIR.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use droste_gadgets::NativeTape;
use droste_gadgets::hash::Hash;
use droste_gadgets::verify::multilinear::shape::Shape;
use droste_gadgets::verify::whir::shape::{Queries, Shape as Opening};
use droste_native::field::EXTENSION_DEGREE;
use droste_native::stark::security::{SCHWARTZ_ZIPPEL, Security, SecurityTerm};
use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{Layout, Scheme, WhirSettings, field_bits};
use droste_native::{F, HashId, HashSuite, Poseidon16Suite};
use droste_vm::key::SchemeError;
use droste_vm::record::Execution;
use droste_vm::tables::LANES;
use droste_vm::whir::{Key, Proof, Provable, Verifier};

use super::{ChildShape, Children, CircuitError, Parts, RecursionCircuit, Verifies};
use crate::codegen::MultilinearEvaluators;
use crate::program::multilinear::{recursion, run_recursion};
use crate::shape::multilinear_shape;
use crate::tape::{Answers, TapeSuite, commitment_lanes};

/// A circuit that verifies proofs over WHIR of one shape (one machine, settings and list of
/// heights), which may be of any programs.
pub struct MultilinearCircuit<H = Poseidon16Suite> {
    circuit: Arc<RecursionCircuit>,
    hash: PhantomData<fn() -> H>,
}

/// What a program that verifies proofs over WHIR is generated from.
pub(crate) struct WhirVerifier {
    /// Hash of their commitments.
    pub hash: HashId,
    /// Settings, of which the shape says the rest.
    pub settings: WhirSettings,
    /// How their tables are stacked.
    pub layout: Layout,
    /// Shape of the proofs.
    pub shape: Shape,
    /// Evaluators of their tables' constraints and messages.
    pub evaluators: MultilinearEvaluators,
    /// A key digest's preimage without the commitment to the program, which is its last part.
    pub header: Vec<F>,
    /// Proven security of every proof that the program accepts: that of the proof, and of what the
    /// program checks in another way than the native verifier.
    pub security: Security,
}

impl<H> fmt::Debug for MultilinearCircuit<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.circuit.fmt(f)
    }
}

impl<H> Deref for MultilinearCircuit<H> {
    type Target = RecursionCircuit;

    fn deref(&self) -> &RecursionCircuit {
        &self.circuit
    }
}

/// A key digest's preimage without the commitment to the program, which is its last part.
fn header<H: HashSuite>(key: &Key<H>) -> Vec<F> {
    let mut preimage = key.preimage();
    preimage.truncate(16);
    preimage
}

impl<H: TapeSuite> MultilinearCircuit<H> {
    /// The circuit that verifies `count` proofs with these heights under the key of `verifier`.
    ///
    /// # Errors
    /// If no proof of the verifier's key has these heights, or no program can be generated.
    pub fn new<T: Provable>(
        verifier: &Verifier<T, H>,
        log_heights: &[usize],
        count: usize,
    ) -> Result<Self, CircuitError> {
        let circuit = compile(verifier, log_heights, count, Instant::now())?;
        Self::of(Arc::new(circuit))
    }

    /// The circuit for `count` proofs of this shape, on the standard machine.
    ///
    /// # Errors
    /// If the standard machine makes no such proofs, or no program can be generated.
    pub fn of_shape(shape: &ChildShape, count: usize) -> Result<Self, CircuitError> {
        Self::of(Arc::new(super::compile(shape, count)?))
    }

    /// Wraps a circuit whose children are proofs over WHIR, committed in `H`.
    pub(crate) fn of(circuit: Arc<RecursionCircuit>) -> Result<Self, CircuitError> {
        match circuit.whir()?.hash == H::ID {
            true => Ok(Self {
                circuit,
                hash: PhantomData,
            }),
            false => Err(CircuitError::OtherShape { child: 0 }),
        }
    }

    /// The hints with which the program accepts these children.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    pub fn tape(&self, children: &[&Proof<H>]) -> Result<NativeTape, CircuitError> {
        self.check_count(children.len())?;
        let WhirVerifier {
            settings,
            layout,
            shape,
            evaluators,
            header: expected,
            ..
        } = self.whir()?;
        let scheme = Scheme::<H>::new(settings, layout.clone());
        let scheme = scheme.map_err(|error| CircuitError::Key(SchemeError::from(error).into()))?;
        let Children::Programs { shape: child, .. } = self.children() else {
            return Err(CircuitError::OtherShape { child: 0 });
        };
        let mut answers = Answers::<H>::default();
        for (index, proof) in children.iter().enumerate() {
            if header(&proof.key) != *expected
                || proof.log_heights != child.log_heights
                || !proof.key.program.len().is_power_of_two()
            {
                return Err(CircuitError::OtherShape { child: index });
            }
            let root = SuiteCap::from_digests(proof.key.program.clone());
            answers.message(commitment_lanes::<H>(&root));
            answers.message(proof.statement.to_vec());
            answers.multilinear(shape, &scheme, &proof.stark)?;
        }
        let record = || run_recursion::<H>(shape, evaluators, expected, children.len());
        Ok(answers.record(record)?)
    }

    /// Runs the program on these children.
    ///
    /// # Errors
    /// If it rejects them.
    pub fn execute(&self, children: &[&Proof<H>]) -> Result<Execution, CircuitError> {
        self.circuit.execute(&self.tape(children)?)
    }
}

impl WhirVerifier {
    /// The text of the program for `count` proofs.
    pub fn text(&self, count: usize) -> String {
        recursion(
            self.hash,
            &self.shape,
            &self.evaluators,
            &self.header,
            count,
        )
    }
}

/// The circuit for `count` proofs of this shape.
pub(super) fn compile_shape<H: TapeSuite>(
    shape: &ChildShape,
    count: usize,
) -> Result<RecursionCircuit, CircuitError> {
    let start = Instant::now();
    let verifier = shape.verifier_over_whir::<H>()?;
    compile(&verifier, &shape.log_heights, count, start)
}

/// The circuit that verifies `count` proofs with these heights under the key of `verifier`.
fn compile<T: Provable, H: TapeSuite>(
    verifier: &Verifier<T, H>,
    log_heights: &[usize],
    count: usize,
    start: Instant,
) -> Result<RecursionCircuit, CircuitError> {
    RecursionCircuit::new(Parts {
        children: Children::Programs {
            shape: ChildShape::new(verifier.key(), log_heights),
            count,
        },
        verifies: Verifies::Whir(Box::new(generate(verifier, log_heights)?)),
        start,
    })
}

/// Layout and schedule of the commitments of proofs with these heights under the key of `verifier`,
/// and the shape of these proofs.
pub(crate) fn shape_of<T: Provable, H: HashSuite>(
    verifier: &Verifier<T, H>,
    log_heights: &[usize],
) -> Result<(Scheme<H>, Shape), CircuitError> {
    let settings = &verifier.key().settings;
    let (cap_height, level) = (settings.cap_height, settings.security_level);
    let shape = verifier.shape(log_heights);
    let (scheme, heights) = shape.map_err(CircuitError::Heights)?;
    let shape = multilinear_shape(verifier.system(), &heights, &scheme, cap_height, level)?;
    Ok((scheme, shape))
}

/// What the program for proofs with these heights under the key of `verifier` is generated from.
fn generate<T: Provable, H: TapeSuite>(
    verifier: &Verifier<T, H>,
    log_heights: &[usize],
) -> Result<WhirVerifier, CircuitError> {
    let (scheme, shape) = shape_of(verifier, log_heights)?;
    let mut security = verifier
        .security(log_heights)
        .map_err(CircuitError::Heights)?;
    security.add(comparison_of_leaves::<H>(&shape.opening));
    Ok(WhirVerifier {
        hash: H::ID,
        settings: verifier.key().settings,
        layout: scheme.layout().clone(),
        shape,
        evaluators: MultilinearEvaluators::new(verifier.system())?,
        header: header(verifier.key()),
        security,
    })
}

/// The program compares the leaves of each commitment with their combination at a random point,
/// instead of folding each. For leaves of `n` elements of the base field in each tree, which are
/// laid out in fewer than `n + 8` lanes and the gaps between runs, the error is at most the sum of
/// the lanes over `|EF|` (`droste_gadgets::verify::whir::rows`). The last answers are compared with
/// the values of the final polynomial in one sum, by powers of a challenge.
fn comparison_of_leaves<H: TapeSuite>(shape: &Opening) -> SecurityTerm {
    let rounds = shape.rounds.iter().map(|round| &round.queries);
    // Lanes without an element at the end of a run.
    let gap = LANES * H::Gadget::RUN_BLOCKS - H::Gadget::RUN;
    let of = |queries: &Queries| {
        let degree = if queries.base { 1 } else { EXTENSION_DEGREE };
        let lanes = queries.trees.iter().map(|rows| degree * rows.len());
        let trees = lanes.map(|lanes| lanes + gap * (lanes / H::Gadget::RUN) + LANES);
        trees.sum::<usize>()
    };
    let last = &shape.final_queries;
    let count = rounds.map(of).sum::<usize>() + of(last) + last.count;
    SecurityTerm {
        commitment: None,
        name: "comparisons of leaves",
        theorem: SCHWARTZ_ZIPPEL,
        bits: field_bits() - (count as f64).log2(),
    }
}
