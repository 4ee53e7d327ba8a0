//! Openings by p3-whir in Poseidon-16, honest ones and false ones.

use std::collections::BTreeMap;

use droste_gadgets::hash::Challenger;
use droste_gadgets::poseidon16::{Poseidon16 as Gadget, Poseidon16Challenger};
use droste_gadgets::prelude::*;
use droste_gadgets::verify::whir::shape::Shape;
use droste_gadgets::verify::whir::{observe_commitment, observed, verify};
use droste_gadgets::{Failure, NativeTape, SOURCES, run_native};
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::{Commitment, EF, F, HashSuite, Poseidon16Suite};
use droste_verifier::tape::{Answers, TapeError, commitment_lanes};
use droste_verifier::whir::{opening_shape, shape_text};
use droste_vm::compiler::{Compiled, compile_file};
use p3_challenger::{
    CanObserve, CanSample, CanSampleBits, CanSampleUniformBits, DuplexChallenger, FieldChallenger,
    GrindingChallenger, ResamplingError,
};
use p3_commit::MultilinearPcs;
use p3_dft::Radix2DFTSmallBatch;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::{Layout, PrefixProver, Table, observe_commitment as bind};
use p3_sumcheck::{OpeningBatch, OpeningProtocol, PrescribedPointPcs, TableShape, TableSpec};
use p3_symmetric::MerkleCap;
use p3_whir::parameters::{FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig};
use p3_whir::pcs::proof::PcsProof;
use p3_whir::pcs::prover::WhirProver;
use p3_whir::pcs::verifier::errors::VerifierError;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

type Mmcs = <Poseidon16Suite as HashSuite>::ValMmcs;
type Prover = PrefixProver<F, EF>;
type Pcs = WhirProver<EF, F, Radix2DFTSmallBatch<F>, Mmcs, Transcript, Prover>;
pub type Proof = PcsProof<F, EF, Mmcs>;
pub type Cap = Commitment<Poseidon16Suite>;

/// Differences between what a prover says and what it should say, by their place among the elements
/// that the transcript observes.
pub type Lies = BTreeMap<usize, F>;

/// Plonky3's duplex challenger, which keeps what it observes and samples. It may lie: it absorbs
/// other elements than it is given. A prover with such a transcript is honest about everything but
/// these elements, if the elements of its proof are then changed accordingly.
#[derive(Clone)]
pub struct Transcript {
    duplex: DuplexChallenger<F, Poseidon16, 16, 8>,
    pub observed: Vec<F>,
    pub sampled: Vec<F>,
    pub indices: Vec<usize>,
    lies: Lies,
    /// A place, and the transcript before the element there was observed.
    keep: Option<usize>,
    pub kept: Option<Box<Self>>,
}

impl Transcript {
    pub fn new(lies: Lies, keep: Option<usize>) -> Self {
        Self {
            duplex: DuplexChallenger::new(Poseidon16),
            observed: Vec::new(),
            sampled: Vec::new(),
            indices: Vec::new(),
            lies,
            keep,
            kept: None,
        }
    }
}

impl CanObserve<F> for Transcript {
    fn observe(&mut self, value: F) {
        let place = self.observed.len();
        if self.keep == Some(place) {
            self.kept = Some(Box::new(self.clone()));
        }
        self.observed.push(value);
        let lie = self.lies.get(&place).copied().unwrap_or_default();
        self.duplex.observe(value + lie);
    }
}

impl CanObserve<MerkleCap<F, [F; 8]>> for Transcript {
    fn observe(&mut self, cap: MerkleCap<F, [F; 8]>) {
        for &element in cap.roots().iter().flatten() {
            self.observe(element);
        }
    }
}

impl CanSample<F> for Transcript {
    fn sample(&mut self) -> F {
        let sample = CanSample::<F>::sample(&mut self.duplex);
        self.sampled.push(sample);
        sample
    }
}

impl CanSampleBits<usize> for Transcript {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.duplex.sample_bits(bits)
    }
}

impl CanSampleUniformBits<F> for Transcript {
    fn sample_uniform_bits<const RESAMPLE: bool>(
        &mut self,
        bits: usize,
    ) -> Result<usize, ResamplingError> {
        let index = self.duplex.sample_uniform_bits::<RESAMPLE>(bits)?;
        self.indices.push(index);
        Ok(index)
    }
}

impl FieldChallenger<F> for Transcript {}

impl GrindingChallenger for Transcript {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        let works = |nonce: &F| self.duplex.clone().check_witness(bits, *nonce);
        let nonce = (0..).map(F::from_u32).find(works).unwrap();
        // A lie about the nonce makes the work worthless; the prover goes on all the same.
        let _ = self.check_witness(bits, nonce);
        nonce
    }
}

/// The batches of a table: columns, and columns of which the next row is opened.
pub type Batches = Vec<(Vec<usize>, Vec<usize>)>;

/// Tables, the batches of columns that are opened, and parameters.
#[derive(Clone)]
pub struct Case {
    /// For each table the logarithm of its height, its columns, and the batches.
    pub tables: Vec<(usize, usize, Batches)>,
    pub drawn: bool,
    pub cap_height: usize,
    pub level: usize,
    pub pow: usize,
    pub assumption: SecurityAssumption,
    pub rate: usize,
    pub folds: Vec<usize>,
    pub rates: Vec<usize>,
}

/// An opening, with everything that its verifier is given.
#[derive(Clone)]
pub struct Opening {
    pub commitment: Cap,
    pub points: Vec<Point<EF>>,
    pub proof: Proof,
    /// What the prover's transcript observed.
    pub observed: Vec<F>,
    /// The transcript at its end.
    pub transcript: Transcript,
}

impl Case {
    /// Two tables of 2^12 cells in all, rate 1/4, folds of 4 and 3 variables.
    pub fn small(drawn: bool, batches: [Batches; 2]) -> Self {
        let [first, second] = batches;
        Self {
            tables: vec![(8, 4, first), (10, 3, second)],
            drawn,
            cap_height: 2,
            level: 40,
            pow: 10,
            assumption: SecurityAssumption::JohnsonBound,
            rate: 2,
            folds: vec![4, 3],
            rates: vec![4],
        }
    }

    /// One table of 2^10 cells with proofs of work at every site, three commitments, no samples outside
    /// the domain, and leaves that are shorter than the rate.
    pub fn grinding() -> Self {
        Self {
            tables: vec![(8, 4, vec![(vec![2], vec![])])],
            drawn: false,
            cap_height: 0,
            level: 156,
            pow: 16,
            assumption: SecurityAssumption::UniqueDecoding,
            rate: 3,
            folds: vec![2, 1, 2],
            rates: vec![4, 5],
        }
    }

    fn variables(&self) -> usize {
        let cells: usize = self.tables.iter().map(|(log, width, _)| width << log).sum();
        cells.next_power_of_two().ilog2() as usize
    }

    pub fn config(&self) -> WhirConfig<EF, F, Transcript> {
        let parameters = ProtocolParameters {
            starting_log_inv_rate: self.rate,
            round_log_inv_rates: self.rates.clone(),
            folding_factor: FoldingFactor::PerRound(self.folds.clone()),
            soundness_type: self.assumption,
            security_level: self.level,
            pow_bits: self.pow,
        };
        WhirConfig::new(self.variables(), parameters).unwrap()
    }

    pub fn protocol(&self) -> OpeningProtocol {
        let spec = |(log, width, batches): &(usize, usize, Batches)| {
            let batch = |(current, next): &(Vec<usize>, Vec<usize>)| {
                OpeningBatch::new(current.clone(), next.clone())
            };
            let batches = batches.iter().map(batch).collect();
            TableSpec::new(TableShape::new(*log, *width), batches)
        };
        OpeningProtocol::new(self.tables.iter().map(spec).collect())
    }

    pub fn shape(&self) -> Shape {
        opening_shape(
            &self.config(),
            self.cap_height,
            &self.protocol(),
            self.drawn,
        )
        .unwrap()
    }

    fn pcs(&self) -> Pcs {
        let mmcs = Poseidon16Suite::val_mmcs(self.cap_height);
        Pcs::new(self.config(), Radix2DFTSmallBatch::default(), mmcs)
    }

    /// The points of the batches, unless the transcript draws them.
    fn points(&self) -> Vec<Point<EF>> {
        if self.drawn {
            return Vec::new();
        }
        let mut rng = SmallRng::seed_from_u64(7);
        let protocol = self.protocol();
        let tables = protocol.table_shapes();
        let mut point = |table: usize| {
            let n = tables[table].num_variables();
            Point::new((0..n).map(|_| rng.random()).collect::<Vec<EF>>())
        };
        protocol
            .iter_openings()
            .map(|(table, _)| point(table))
            .collect()
    }

    /// An opening by a prover who adds one to the element at one place, if any.
    pub fn open(&self, lie: Option<usize>) -> Opening {
        let lies = lie.into_iter().map(|place| (place, F::ONE)).collect();
        self.open_with(Transcript::new(lies, None))
    }

    /// An opening by a prover with this transcript.
    pub fn open_with(&self, mut transcript: Transcript) -> Opening {
        let mut rng = SmallRng::seed_from_u64(1);
        let table = |&(log, width, _): &(usize, usize, _)| Table::rand(&mut rng, width, log);
        let tables = self.tables.iter().map(table).collect();
        let witness = Prover::new_witness(tables, self.folds[0]);
        let pcs = self.pcs();
        let (commitment, data) = pcs.commit(witness, &mut transcript).unwrap();
        let points = self.points();
        let protocol = self.protocol();
        let proof = if self.drawn {
            pcs.open(data, protocol, &mut transcript)
        } else {
            observe_points(&points, &mut transcript);
            pcs.open_at(data, &protocol, &points, &mut transcript)
        };
        Opening {
            commitment,
            points,
            proof: proof.unwrap(),
            observed: transcript.observed.clone(),
            transcript,
        }
    }

    /// Plonky3's verdict.
    pub fn plonky3(&self, opening: &Opening) -> Result<(), VerifierError> {
        let pcs = self.pcs();
        let mut transcript = Transcript::new(Lies::new(), None);
        let Opening {
            commitment,
            points,
            proof,
            ..
        } = opening;
        if self.drawn {
            return pcs.verify(commitment, proof, &mut transcript, self.protocol());
        }
        bind::<F, _, _>(&mut transcript, commitment.clone());
        observe_points(points, &mut transcript);
        let protocol = self.protocol();
        pcs.verify_at(commitment, proof, &protocol, points, &mut transcript)
            .map(|_| ())
    }

    /// Runs the verifier natively, and records the tape.
    pub fn record(&self, opening: &Opening) -> Result<NativeTape, TapeError> {
        let shape = self.shape();
        let mut answers = Answers::<Poseidon16Suite>::default();
        answers.message(commitment_lanes::<Poseidon16Suite>(&opening.commitment));
        for point in &opening.points {
            let lanes = |x: &EF| x.as_basis_coefficients_slice().to_vec();
            answers.message(point.as_slice().iter().flat_map(lanes).collect());
        }
        answers.opening(&shape, &opening.proof)?;
        answers.record(|| program(&shape))
    }

    /// Runs the verifier natively on a tape.
    pub fn run(&self, tape: &NativeTape) -> Result<(), Failure> {
        let shape = self.shape();
        run_native(tape, &[], || program(&shape)).map(|_| ())
    }

    /// The same program for the machine.
    pub fn compile(&self) -> Compiled {
        let text = format!(
            "use droste_gadgets::hash::Challenger;\nuse droste_gadgets::poseidon16::{{Poseidon16 as Gadget, Poseidon16Challenger}};\n\
             use droste_gadgets::prelude::*;\n\
             use droste_gadgets::verify::whir::{{observe_commitment, observed, verify}};\n{}\n\
             {PROGRAM}\n\npub fn main() {{\n    program(&shape());\n}}\n",
            shape_text(&self.shape())
        );
        match compile_file("opening.rs", &text, SOURCES) {
            Ok(compiled) => compiled,
            Err(error) => panic!("{error:?}"),
        }
    }
}

pub fn observe_points(points: &[Point<EF>], transcript: &mut Transcript) {
    for point in points {
        for &coordinate in point.as_slice() {
            transcript.observe_algebra_element(coordinate);
        }
    }
}

/// Defines a function and a constant with its text.
macro_rules! with_text {
    ($text:ident: $function:item) => {
        $function
        const $text: &str = stringify!($function);
    };
}

with_text! { PROGRAM:
fn program(shape: &Shape) {
    let mut t = Poseidon16Challenger::new();
    // The transcript binds the commitment, and the first queries open it.
    let commitment = hint_slice(shape.digests(0)).any();
    observe_commitment(shape, &mut t, commitment);
    let mut points = Vec::new();
    if !shape.drawn {
        for batch in &shape.batches {
            points.push(observed::<Gadget, Poseidon16Challenger>(&mut t, batch.variables));
        }
    }
    let opened = verify::<Gadget, Poseidon16Challenger>(shape, &mut t, commitment, &points);
    // The statement depends on everything that the opening is about.
    let mut sum = commitment.block(0).lane(0);
    for batch in &opened {
        for value in &batch.current {
            sum += value.coeff(4);
        }
        for value in &batch.next {
            sum += value.coeff(4);
        }
    }
    reveal(sum);
}
}

/// Where the transcript observed these elements, one after another.
pub fn place(observed: &[F], elements: &[F]) -> usize {
    let mut places = observed
        .windows(elements.len())
        .enumerate()
        .filter(|(_, window)| *window == elements);
    let (place, _) = places.next().unwrap();
    assert!(places.next().is_none(), "the elements occur twice");
    place
}
