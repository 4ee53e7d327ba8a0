//! Programs that verify proofs of programs over WHIR.

use droste_gadgets::NativeTape;
use droste_gadgets::suites::hash::Hash;
use droste_gadgets::verify::whir::opening::shape::{Queries, Shape as Opening};
use droste_gadgets::verify::whir::shape::Shape;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::stark::security::{SCHWARTZ_ZIPPEL, Security, SecurityTerm};
use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{Layout, Scheme, WhirSettings, field_bits};
use droste_native::{F, HashId, HashSuite};
use droste_vm::key::SchemeError;
use droste_vm::tables::LANES;
use droste_vm::whir::{Proof, Provable, Verifier};

use super::{CircuitError, RecursionCircuit, Result, header};
use crate::codegen::WhirEvaluators;
use crate::program::whir::run_recursion;
use crate::shape::whir_shape;
use crate::tape::{Answers, TapeSuite, commitment_lanes};

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
    pub evaluators: WhirEvaluators,
    /// A key digest's preimage without the commitment to the program, which is its last part.
    pub header: Vec<F>,
    /// Proven security of every proof that the program accepts: that of the proof, and of what the
    /// program checks in another way than the native verifier.
    pub security: Security,
}

impl WhirVerifier {
    /// Of proofs with these heights under the key of `verifier`.
    pub(crate) fn new<T: Provable, H: TapeSuite>(
        verifier: &Verifier<T, H>,
        log_heights: &[usize],
    ) -> Result<Self> {
        let (scheme, shape) = shape_of(verifier, log_heights)?;
        let mut security = verifier
            .security(log_heights)
            .map_err(CircuitError::Heights)?;
        security.add(comparison_of_leaves::<H>(&shape.opening));
        Ok(Self {
            hash: H::ID,
            settings: verifier.key().settings,
            layout: scheme.layout().clone(),
            shape,
            evaluators: WhirEvaluators::new(verifier.system())?,
            header: header(verifier.key()),
            security,
        })
    }
}

/// Layout and schedule of the commitments of proofs with these heights under the key of `verifier`,
/// and the shape of these proofs.
pub(crate) fn shape_of<T: Provable, H: HashSuite>(
    verifier: &Verifier<T, H>,
    log_heights: &[usize],
) -> Result<(Scheme<H>, Shape)> {
    let settings = &verifier.key().settings;
    let shape = verifier.shape(log_heights);
    let (scheme, heights) = shape.map_err(CircuitError::Heights)?;
    let shape = whir_shape(verifier.system(), &heights, &scheme, settings)?;
    Ok((scheme, shape))
}

/// The hints with which a circuit's program accepts these children.
pub(super) fn tape<H: TapeSuite>(
    circuit: &RecursionCircuit,
    children: &[&Proof<H>],
) -> Result<NativeTape> {
    let WhirVerifier {
        settings,
        layout,
        shape,
        evaluators,
        header,
        ..
    } = circuit.whir()?;
    circuit.check_children(children, header)?;
    let scheme = Scheme::<H>::new(settings, layout.clone());
    let scheme = scheme.map_err(|error| CircuitError::Key(SchemeError::from(error).into()))?;
    let mut answers = Answers::<H>::default();
    for proof in children {
        let root = SuiteCap::from_digests(proof.key.program.clone());
        answers.message(commitment_lanes::<H>(&root));
        answers.message(proof.statement.to_vec());
        answers.whir(shape, &scheme, &proof.stark)?;
    }
    let record = || run_recursion::<H>(shape, evaluators, header, children.len());
    Ok(answers.record(record)?)
}

/// The program compares the leaves of each commitment with their combination at a random point,
/// instead of folding each. For leaves of `n` elements of the base field in each tree, which are
/// laid out in fewer than `n + 8` lanes and the gaps between runs, the error is at most the sum of
/// the lanes over `|EF|` (`droste_gadgets::verify::whir::opening::rows`). The last answers are compared with
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
        bits: field_bits() - (count as f64).log2() - H::ID.sampling_loss(),
    }
}
