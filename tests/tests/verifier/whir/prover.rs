//! Provers who lie: a transcript that observes other elements than it is given, and the places of a
//! proof's values among the observed elements.
//!
//! A prover with such a transcript says one thing that is false, and goes on by the book, with the
//! challenges that follow from the lie. So only those checks fail that bind the false value.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use droste_native::stark::challenger::{ExtensionTranscript, Sent, Transcript};
use droste_native::stark::suite::{MultiProof, SuiteCap};
use droste_native::whir::{Sumcheck, WhirSettings};
use droste_native::{Commitment, EF, F, HashSuite, KeccakSuite, Poseidon16Suite};
use droste_verifier::circuit::RecursionCircuit;
use droste_verifier::tape::{TapeSuite, observed};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::whir::{Proof, ProvingKey, Verifier};
use p3_challenger::{CanObserve, CanSampleBits};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::MerkleCap;

/// A commitment. (The name that is generic over the suite cannot be told from [`F`].)
pub type Cap<D = [F; 8]> = MerkleCap<F, D>;

/// What is added to observed elements, by their place. A digest is observed as its elements.
pub type Lies = BTreeMap<usize, F>;

/// A hash in which provers lie.
pub trait DishonestSuite: TapeSuite {
    /// Few rows, at a level at which every step but the last sumcheck has a proof of work.
    const SETTINGS: WhirSettings;

    /// Path of the gadget for the transcript.
    const TRANSCRIPT: &str;

    /// The digest with these elements; of those of a byte hash the low 16 bits count.
    fn digest(elements: &[F]) -> Self::Digest;

    /// The first digest of the paths of opened leaves.
    fn first_sibling(paths: &mut MultiProof<Self>) -> &mut Self::Digest;

    fn transcript(prover: &mut DishonestProver<Self>) -> &mut dyn Transcript<Self>;

    /// The case of all tests here.
    fn case() -> &'static OnceLock<Case<Self>>;
}

/// Implements [`DishonestSuite`].
macro_rules! liar_suite {
    ($suite:ty, $settings:expr, $transcript:expr, $digest:expr) => {
        impl DishonestSuite for $suite {
            const SETTINGS: WhirSettings = $settings;
            const TRANSCRIPT: &str = $transcript;

            fn digest(elements: &[F]) -> Self::Digest {
                $digest(elements)
            }

            fn first_sibling(paths: &mut MultiProof<Self>) -> &mut Self::Digest {
                &mut paths.sibling_hashes[0]
            }

            fn transcript(prover: &mut DishonestProver<Self>) -> &mut dyn Transcript<Self> {
                prover
            }

            fn case() -> &'static OnceLock<Case<Self>> {
                static CASE: OnceLock<Case<$suite>> = OnceLock::new();
                &CASE
            }
        }

        impl CanObserve<Cap<<$suite as HashSuite>::Digest>> for DishonestProver<$suite> {
            fn observe(&mut self, cap: Commitment<$suite>) {
                let lies = self.note(&elements::<$suite>(cap.digests()));
                self.honest.observe(add::<$suite>(&cap, &lies));
            }
        }
    };
}

const SETTINGS: WhirSettings = WhirSettings {
    security_level: 128,
    grinding_bits: 12,
    lookup_grinding_bits: 10,
    log_block: 9,
    log_blowup: 3,
    second_log_blowup: 5,
    later_fold: 2,
    blowup_step: 1,
    cap_height: 2,
};

liar_suite! {
    Poseidon16Suite,
    SETTINGS,
    "droste_gadgets::suites::poseidon16::Poseidon16Challenger",
    |elements: &[F]| elements.try_into().unwrap()
}

// The leaves of later commitments have 40 elements, which are hashed in two runs.
liar_suite! {
    KeccakSuite,
    WhirSettings {
        later_fold: 3,
        ..SETTINGS
    },
    "droste_gadgets::suites::keccak::KeccakWhirChallenger",
    |elements: &[F]| {
        let limbs = elements.iter().map(|limb| limb.as_canonical_u32() as u16);
        let bytes: Vec<u8> = limbs.flat_map(u16::to_le_bytes).collect();
        bytes.try_into().unwrap()
    }
}

/// The elements of digests.
pub fn elements<H: DishonestSuite>(digests: &[H::Digest]) -> Vec<F> {
    digests.iter().flat_map(H::digest_elements).collect()
}

/// Adds to the elements of the digests of a commitment.
fn add<H: DishonestSuite>(cap: &Commitment<H>, lies: &[F]) -> Commitment<H> {
    let elements = elements::<H>(cap.digests()).into_iter();
    let said: Vec<F> = elements.zip(lies).map(|(x, &lie)| x + lie).collect();
    let digests = said.chunks(said.len() / cap.digests().len());
    SuiteCap::from_digests(digests.map(H::digest).collect())
}

/// The transcript of a prover, which keeps what it observes and samples.
pub struct DishonestProver<H: DishonestSuite> {
    honest: H::Challenger,
    lies: Lies,
    /// What it is given to observe.
    pub observed: Vec<F>,
    /// Challenges, each with the number of elements that were observed before.
    sampled: Vec<(usize, EF)>,
    /// The same of integers.
    integers: Vec<(usize, usize)>,
}

impl<H: DishonestSuite> DishonestProver<H> {
    pub fn new(lies: Lies) -> Self {
        Self {
            honest: H::challenger(),
            lies,
            observed: vec![],
            sampled: vec![],
            integers: vec![],
        }
    }

    /// The first challenge that was sampled after so many observed elements.
    pub fn challenge(&self, after: usize) -> EF {
        let mut samples = self.sampled.iter().filter(|(at, _)| *at == after);
        samples.next().unwrap().1
    }

    /// The indices that were sampled after a proof of work whose nonce is at this place.
    pub fn indices(&self, nonce: usize) -> Vec<usize> {
        let integers = self.integers.iter().filter(|(at, _)| *at == nonce + 1);
        integers.map(|&(_, index)| index).collect()
    }

    /// Notes what is to be observed. Returns the lies about it.
    fn note(&mut self, elements: &[F]) -> Vec<F> {
        let places = self.observed.len()..;
        self.observed.extend(elements);
        let lies = places.zip(elements).map(|(place, _)| self.lies.get(&place));
        lies.map(|lie| lie.copied().unwrap_or_default()).collect()
    }
}

impl<H: DishonestSuite> CanObserve<F> for DishonestProver<H> {
    fn observe(&mut self, value: F) {
        let lie = self.note(&[value]);
        self.honest.observe(value + lie[0]);
    }
}

impl<H: DishonestSuite> CanSampleBits<usize> for DishonestProver<H> {
    fn sample_bits(&mut self, bits: usize) -> usize {
        let integer = self.honest.sample_bits(bits);
        self.integers.push((self.observed.len(), integer));
        integer
    }
}

impl<H: DishonestSuite> ExtensionTranscript for DishonestProver<H> {
    fn observe_extension(&mut self, value: EF) {
        self.observe_slice(&observed::<H>(&[value]));
    }

    fn sample_extension(&mut self) -> EF {
        let sample = self.honest.sample_extension();
        self.sampled.push((self.observed.len(), sample));
        sample
    }

    fn prove_work(&mut self, bits: usize) -> F {
        let nonce = self.honest.clone().prove_work(bits);
        // A lie about the nonce makes the work worthless, and the prover goes on all the same.
        let _ = self.check_work(bits, nonce);
        nonce
    }

    fn check_work(&mut self, bits: usize, nonce: F) -> bool {
        let lie = self.note(&[nonce]);
        self.honest.check_work(bits, nonce + lie[0])
    }
}

/// A part of a proof that the transcript observes.
pub enum Part<'a, H: DishonestSuite> {
    Element(&'a mut F),
    Extension(&'a mut EF),
    Cap(&'a mut Commitment<H>),
}

impl<H: DishonestSuite> Part<'_, H> {
    /// The elements that are observed.
    pub fn elements(&self) -> Vec<F> {
        match self {
            Self::Element(x) => vec![**x],
            Self::Extension(x) => observed::<H>(&[**x]),
            Self::Cap(cap) => elements::<H>(cap.digests()),
        }
    }

    /// Changes the elements.
    fn add(&mut self, lies: &[F]) {
        match self {
            Self::Element(x) => **x += lies[0],
            Self::Extension(x) => {
                **x += EF::from_basis_coefficients_slice(&lies[..5]).unwrap();
                let others = lies[5..].iter();
                assert!(
                    others.eq(vec![&F::ZERO; lies.len() - 5]),
                    "no proof has such a lie"
                );
            }
            Self::Cap(cap) => **cap = add::<H>(cap, lies),
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
struct Walk<'a, H: DishonestSuite> {
    place: usize,
    visit: &'a mut dyn FnMut(String, usize, Part<'_, H>),
}

impl<H: DishonestSuite> Walk<'_, H> {
    fn part(&mut self, name: impl Into<String>, part: Part<'_, H>) {
        let length = part.elements().len();
        (self.visit)(name.into(), self.place, part);
        self.place += length;
    }

    fn extensions<'a>(&mut self, name: &str, values: impl IntoIterator<Item = &'a mut EF>) {
        for (i, value) in values.into_iter().enumerate() {
            self.part(format!("{name} {i}"), Part::Extension(value));
        }
    }

    fn nonce(&mut self, name: &str, nonces: &mut [F]) {
        for nonce in nonces {
            self.part(format!("{name} nonce"), Part::Element(nonce));
        }
    }

    fn sumcheck(&mut self, name: &str, sumcheck: &mut Sumcheck) {
        let mut nonces = sumcheck.nonces.iter_mut();
        for (i, message) in sumcheck.messages.iter_mut().enumerate() {
            self.extensions(&format!("{name} message {i}"), message.forge());
            if let Some(nonce) = nonces.next() {
                self.part(format!("{name} nonce {i}"), Part::Element(nonce));
            }
        }
    }

    fn proof(&mut self, proof: &mut Proof<H>) {
        // The key's digest, the statement, and the heights with their number.
        self.place = 8;
        for (i, x) in proof.statement.iter_mut().enumerate() {
            self.part(format!("statement {i}"), Part::Element(x));
        }
        self.place += (1 + proof.log_heights.len()).next_multiple_of(8);

        let stark = &mut proof.stark;
        self.part("commitment 0", Part::Cap(stark.commitment.forge()));
        self.extensions("outside", stark.outside.iter_mut().map(Sent::forge));
        self.nonce("lookups", &mut stark.lookup_nonces);
        let halves = |halves| {
            let [zero, one]: &mut [droste_native::gkr::Fraction<EF>; 2] = halves;
            [
                &mut zero.numerator,
                &mut zero.denominator,
                &mut one.numerator,
                &mut one.denominator,
            ]
        };
        self.extensions("root", halves(stark.fractions.root.forge()));
        for (layer, proof) in (1..).zip(&mut stark.fractions.layers) {
            let name = format!("layer {layer} first coefficient");
            self.extensions(&name, [proof.quadratic.forge()]);
            for (i, round) in proof.rounds.iter_mut().map(Sent::forge).enumerate() {
                let name = format!("layer {layer} round {i} coefficient");
                self.extensions(&name, [&mut round.linear, &mut round.quadratic]);
            }
            let values = halves(proof.halves.forge());
            self.extensions(&format!("layer {layer} half"), values);
        }
        for (i, round) in stark.zerocheck.rounds.iter_mut().enumerate() {
            let name = format!("zerocheck round {i} coefficient");
            self.extensions(&name, round.forge());
        }
        for (i, opened) in stark.opened.forge().iter_mut().enumerate() {
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
                Part::Cap(round.commitment.forge()),
            );
            let values = round.outside.iter_mut().map(Sent::forge);
            self.extensions(&format!("outside of {number}"), values);
            self.nonce(&format!("queries {i}"), &mut round.queries.nonces);
            self.sumcheck(&format!("sumcheck {number}"), &mut round.sumcheck);
        }
        self.extensions("final polynomial", opening.final_polynomial.forge());
        let number = opening.rounds.len();
        self.nonce(
            &format!("queries {number}"),
            &mut opening.final_queries.nonces,
        );
        self.sumcheck("final sumcheck", &mut opening.final_sumcheck);
    }
}

/// Visits the parts of a proof that the transcript observes, in order, with their names and the
/// places of their first elements. Returns the number of observed elements.
pub fn walk<H: DishonestSuite>(
    proof: &mut Proof<H>,
    visit: &mut dyn FnMut(String, usize, Part<'_, H>),
) -> usize {
    let mut walk = Walk { place: 0, visit };
    walk.proof(proof);
    walk.place
}

/// Writes lies into a proof, at the places where its transcript observed them.
pub fn write<H: DishonestSuite>(lies: &Lies, proof: &mut Proof<H>) {
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

pub fn copy<H: DishonestSuite>(proof: &Proof<H>) -> Proof<H> {
    Proof {
        key: proof.key.clone(),
        statement: proof.statement,
        log_heights: proof.log_heights.clone(),
        stark: proof.stark.clone(),
    }
}

/// A run, an honest proof of it, and the verifiers of such proofs.
pub struct Case<H: DishonestSuite = Poseidon16Suite> {
    key: ProvingKey<StandardTables, H>,
    execution: Execution,
    traces: Vec<RowMajorMatrix<F>>,
    pub verifier: Verifier<StandardTables, H>,
    pub circuit: RecursionCircuit,
    pub honest: Proof<H>,
    /// The transcript of the honest proof.
    pub transcript: DishonestProver<H>,
    /// Names and places of the parts.
    pub places: Vec<(String, usize)>,
}

impl<H: DishonestSuite> Case<H> {
    /// The case of all tests in this hash, which is made once: a small run, proofs of work at every
    /// step, several commitments.
    pub fn shared() -> &'static Self {
        H::case().get_or_init(|| Self::new(H::SETTINGS))
    }

    /// The same run with other settings.
    pub fn new(settings: WhirSettings) -> Self {
        let source = "use droste_gadgets::prelude::*;
            pub fn main() { let x = public_input(); reveal(x * x); }";
        let compiled = compile(source, &[]).unwrap();
        let execution = execute(&compiled, &[F::from_u32(12)], &Tape::default(), 1 << 16).unwrap();
        let key = ProvingKey::new(&compiled.program, settings, Heights::Minimal).unwrap();
        let traces = key.traces(&execution).unwrap();
        let verifier = Verifier::new(key.key().clone()).unwrap();
        let mut transcript = DishonestProver::new(Lies::new());
        let mut honest = key
            .prove_traces_with(execution.statement, &traces, H::transcript(&mut transcript))
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
    pub fn lie(&self, lies: &Lies) -> (Proof<H>, DishonestProver<H>) {
        let mut transcript = DishonestProver::new(lies.clone());
        let statement = self.execution.statement;
        let proof =
            self.key
                .prove_traces_with(statement, &self.traces, H::transcript(&mut transcript));
        let mut proof = proof.unwrap();
        write(lies, &mut proof);
        (proof, transcript)
    }
}
