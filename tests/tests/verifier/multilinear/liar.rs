//! Provers who lie: a transcript that observes other elements than it is given, and the places of a
//! proof's values among the observed elements.
//!
//! A prover with such a transcript says one thing that is false, and goes on by the book, with the
//! challenges that follow from the lie. So only those checks fail that bind the false value.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use droste_native::stark::challenger::{ExtensionTranscript, Poseidon16Challenger};
use droste_native::whir::{Queries, Sumcheck, WhirSettings};
use droste_native::{EF, F};
use droste_verifier::circuit::RecursionCircuit;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::whir::{Proof, ProvingKey, Verifier};
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::MerkleCap;

/// Few rows, at a level at which every step but the last sumcheck has a proof of work.
const fn settings() -> WhirSettings {
    WhirSettings {
        security_level: 128,
        grinding_bits: 12,
        log_block: 9,
        log_blowup: 3,
        second_log_blowup: 5,
        later_fold: 2,
        blowup_step: 1,
        cap_height: 2,
    }
}

/// A commitment.
pub type Cap = MerkleCap<F, [F; 8]>;

/// What is added to observed elements, by their place.
pub type Lies = BTreeMap<usize, F>;

/// The transcript of a liar, which keeps what it observes and samples.
#[derive(Clone, Default)]
pub struct Liar {
    honest: Poseidon16Challenger,
    lies: Lies,
    /// What it is given to observe.
    pub observed: Vec<F>,
    /// Samples, each with the number of elements that were observed before.
    sampled: Vec<(usize, F)>,
    /// The same of integers.
    integers: Vec<(usize, usize)>,
}

impl Liar {
    pub fn new(lies: Lies) -> Self {
        Self {
            lies,
            ..Self::default()
        }
    }

    /// The first challenge that was sampled after so many observed elements.
    pub fn challenge(&self, after: usize) -> EF {
        let mut samples = self.sampled.iter().filter(|(at, _)| *at == after);
        EF::from_basis_coefficients_fn(|_| samples.next().unwrap().1)
    }

    /// The indices that were sampled after a proof of work whose nonce is at this place.
    pub fn indices(&self, nonce: usize) -> Vec<usize> {
        let integers = self.integers.iter().filter(|(at, _)| *at == nonce + 1);
        // The first of them is what the proof of work is about.
        integers.skip(1).map(|&(_, index)| index).collect()
    }
}

impl CanObserve<F> for Liar {
    fn observe(&mut self, value: F) {
        let lie = self.lies.get(&self.observed.len()).copied();
        self.observed.push(value);
        self.honest.observe(value + lie.unwrap_or_default());
    }
}

/// A commitment is observed as the elements of its digests.
impl CanObserve<Cap> for Liar {
    fn observe(&mut self, cap: Cap) {
        for digest in cap.roots() {
            self.observe_slice(digest);
        }
    }
}

impl CanSample<F> for Liar {
    fn sample(&mut self) -> F {
        let sample = self.honest.sample();
        self.sampled.push((self.observed.len(), sample));
        sample
    }
}

impl CanSampleBits<usize> for Liar {
    fn sample_bits(&mut self, bits: usize) -> usize {
        let integer = self.honest.sample_bits(bits);
        self.integers.push((self.observed.len(), integer));
        integer
    }
}

impl FieldChallenger<F> for Liar {}

impl ExtensionTranscript for Liar {}

impl GrindingChallenger for Liar {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        let nonce = self.honest.clone().grind(bits);
        // A lie about the nonce makes the work worthless, and the prover goes on all the same.
        let _ = self.check_witness(bits, nonce);
        nonce
    }
}

/// A part of a proof that the transcript observes.
pub enum Part<'a> {
    Element(&'a mut F),
    Extension(&'a mut EF),
    Cap(&'a mut Cap),
}

impl Part<'_> {
    /// The elements that are observed.
    pub fn elements(&self) -> Vec<F> {
        match self {
            Self::Element(x) => vec![**x],
            Self::Extension(x) => block(x).to_vec(),
            Self::Cap(cap) => cap.roots().concat(),
        }
    }

    /// Changes the elements.
    fn add(&mut self, lies: &[F]) {
        match self {
            Self::Element(x) => **x += lies[0],
            Self::Extension(x) => {
                **x += EF::from_basis_coefficients_slice(&lies[..5]).unwrap();
                assert_eq!(lies[5..], [F::ZERO; 3], "no proof has such a lie");
            }
            Self::Cap(cap) => {
                let mut digests = cap.roots().to_vec();
                for (x, lie) in digests.as_flattened_mut().iter_mut().zip(lies) {
                    *x += *lie;
                }
                **cap = Cap::new(digests);
            }
        }
    }
}

/// An element of the extension as it is observed.
pub fn block(x: &EF) -> [F; 8] {
    let mut block = [F::ZERO; 8];
    block[..5].copy_from_slice(x.as_basis_coefficients_slice());
    block
}

/// Visits the parts of a proof in the order in which the transcript observes them, with their names
/// and places.
struct Walk<'a> {
    place: usize,
    visit: &'a mut dyn FnMut(String, usize, Part<'_>),
}

impl Walk<'_> {
    fn part(&mut self, name: impl Into<String>, part: Part<'_>) {
        let length = part.elements().len();
        (self.visit)(name.into(), self.place, part);
        self.place += length;
    }

    fn extensions<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a mut EF>) {
        for (i, value) in values.into_iter().enumerate() {
            self.part(format!("{name} {i}"), Part::Extension(value));
        }
    }

    fn nonce(&mut self, name: &str, queries: &mut Queries) {
        for nonce in &mut queries.nonces {
            self.part(format!("{name} nonce"), Part::Element(nonce));
        }
    }

    fn sumcheck(&mut self, name: &str, sumcheck: &mut Sumcheck) {
        let mut nonces = sumcheck.nonces.iter_mut();
        for (i, message) in sumcheck.messages.iter_mut().enumerate() {
            self.extensions(&format!("{name} message {i}"), message);
            if let Some(nonce) = nonces.next() {
                self.part(format!("{name} nonce {i}"), Part::Element(nonce));
            }
        }
    }

    fn proof(&mut self, proof: &mut Proof) {
        // The key's digest, the statement, and the heights with their number.
        self.place = 8;
        for (i, x) in proof.statement.iter_mut().enumerate() {
            self.part(format!("statement {i}"), Part::Element(x));
        }
        self.place += (1 + proof.log_heights.len()).next_multiple_of(8);

        let stark = &mut proof.stark;
        self.part("commitment 0", Part::Cap(&mut stark.commitment));
        self.extensions("outside", &mut stark.outside);
        let halves = |halves| {
            let [zero, one]: &mut [droste_native::gkr::Fraction<EF>; 2] = halves;
            [
                &mut zero.numerator,
                &mut zero.denominator,
                &mut one.numerator,
                &mut one.denominator,
            ]
        };
        self.extensions("root", halves(&mut stark.fractions.root));
        for (layer, proof) in (1..).zip(&mut stark.fractions.layers) {
            let name = format!("layer {layer} first coefficient");
            self.extensions(&name, [&mut proof.quadratic]);
            for (i, round) in proof.rounds.iter_mut().enumerate() {
                let name = format!("layer {layer} round {i} coefficient");
                self.extensions(&name, [&mut round.linear, &mut round.quadratic]);
            }
            self.extensions(&format!("layer {layer} half"), halves(&mut proof.halves));
        }
        for (i, round) in stark.zerocheck.rounds.iter_mut().enumerate() {
            self.extensions(&format!("zerocheck round {i} coefficient"), round);
        }
        for (i, opened) in stark.opened.iter_mut().enumerate() {
            self.extensions(&format!("opened {i} main"), &mut opened.main);
            self.extensions(&format!("opened {i} main next"), &mut opened.main_next);
            let name = format!("opened {i} preprocessed");
            self.extensions(&name, &mut opened.preprocessed);
            let name = format!("opened {i} preprocessed next");
            self.extensions(&name, &mut opened.preprocessed_next);
        }

        let opening = &mut stark.opening;
        self.sumcheck("sumcheck 0", &mut opening.sumcheck);
        for (i, round) in opening.rounds.iter_mut().enumerate() {
            let number = i + 1;
            self.part(
                format!("commitment {number}"),
                Part::Cap(&mut round.commitment),
            );
            self.extensions(&format!("outside of {number}"), &mut round.outside);
            self.nonce(&format!("queries {i}"), &mut round.queries);
            self.sumcheck(&format!("sumcheck {number}"), &mut round.sumcheck);
        }
        self.extensions("final polynomial", &mut opening.final_polynomial);
        let number = opening.rounds.len();
        self.nonce(&format!("queries {number}"), &mut opening.final_queries);
        self.sumcheck("final sumcheck", &mut opening.final_sumcheck);
    }
}

/// Visits the parts of a proof that the transcript observes, in order, with their names and the
/// places of their first elements. Returns the number of observed elements.
pub fn walk(proof: &mut Proof, visit: &mut dyn FnMut(String, usize, Part<'_>)) -> usize {
    let mut walk = Walk { place: 0, visit };
    walk.proof(proof);
    walk.place
}

/// Writes lies into a proof, at the places where its transcript observed them.
pub fn write(lies: &Lies, proof: &mut Proof) {
    let mut written = 0;
    walk(proof, &mut |_, place, mut part| {
        let length = part.elements().len();
        let mut own = vec![F::ZERO; length];
        for (&at, &lie) in lies.range(place..place + length) {
            own[at - place] = lie;
            written += 1;
        }
        part.add(&own);
    });
    // The key's digest is no part that can be written.
    let of_key = lies.range(..8).count();
    assert_eq!(written + of_key, lies.len());
}

pub fn copy(proof: &Proof) -> Proof {
    Proof {
        key: proof.key.clone(),
        statement: proof.statement,
        log_heights: proof.log_heights.clone(),
        stark: proof.stark.clone(),
    }
}

/// A run, an honest proof of it, and the verifiers of such proofs.
pub struct Case {
    key: ProvingKey<StandardTables>,
    execution: Execution,
    traces: Vec<RowMajorMatrix<F>>,
    pub verifier: Verifier<StandardTables>,
    pub circuit: RecursionCircuit,
    pub honest: Proof,
    /// The transcript of the honest proof.
    pub transcript: Liar,
    /// Names and places of the parts.
    pub places: Vec<(String, usize)>,
}

impl Case {
    /// The case of all tests here, which is made once: a small run, proofs of work at every step,
    /// three commitments.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Case> = OnceLock::new();
        SHARED.get_or_init(|| Self::new(settings()))
    }

    fn new(settings: WhirSettings) -> Self {
        let source = "use droste_gadgets::prelude::*;
            pub fn main() { let x = public_input(); reveal(x * x); }";
        let compiled = compile(source, &[]).unwrap();
        let execution = execute(&compiled, &[F::from_u32(12)], &Tape::default(), 1 << 16).unwrap();
        let key = ProvingKey::new(&compiled.program, settings, Heights::Minimal).unwrap();
        let traces = key.traces(&execution).unwrap();
        let verifier = Verifier::new(key.key().clone()).unwrap();
        let mut transcript = Liar::default();
        let mut honest = key
            .prove_traces_with(execution.statement, &traces, &mut transcript)
            .unwrap();
        let circuit = RecursionCircuit::over_whir(&verifier, &honest.log_heights, 1).unwrap();
        let mut places = vec![];
        let observed = walk(&mut honest, &mut |name, place, part| {
            let elements = part.elements();
            assert_eq!(transcript.observed[place..][..elements.len()], elements);
            places.push((name, place));
        });
        assert_eq!(observed, transcript.observed.len());
        Self {
            key,
            execution,
            traces,
            verifier,
            circuit,
            honest,
            transcript,
            places,
        }
    }

    /// The place of a part.
    pub fn place(&self, name: &str) -> usize {
        let found = self.places.iter().find(|(found, _)| found == name);
        found.unwrap_or_else(|| panic!("there is no {name}")).1
    }

    /// The proof of a prover with these lies, and its transcript.
    pub fn lie(&self, lies: &Lies) -> (Proof, Liar) {
        let mut transcript = Liar::new(lies.clone());
        let statement = self.execution.statement;
        let proof = self
            .key
            .prove_traces_with(statement, &self.traces, &mut transcript);
        let mut proof = proof.unwrap();
        write(lies, &mut proof);
        (proof, transcript)
    }
}
