//! The transcript of a dishonest prover of a false statement.
//!
//! The honest prover works on false inputs, and does not know that they are. Its transcript changes
//! what it says so that the next check passes: a false claim stays in the proof, or becomes a true
//! one if a challenge is one of those that the prover has hoped for. It hopes in the steps of one
//! [`Term`] alone; in all others the false claim is such that no challenge makes it true. Once a
//! claim is true, nothing more is changed.

use std::iter::zip;

use droste_native::field::EXTENSION_DEGREE;
use droste_native::stark::challenger::{Decommitted, ExtensionTranscript};
use droste_native::whir::{OpenedTree, Queries};
use droste_native::{EF, F, HashSuite, Poseidon16Suite};
use droste_vm::whir::Proof;
use p3_challenger::{CanObserve, CanSampleBits};
use p3_commit::Mmcs;
use p3_field::BasedVectorSpace;

use super::super::prover::{Cap, Lies, block, write};
use super::few::FewChallenges;
use super::machine::{Event, Machine, Step};
use super::prover::Prover;
use super::term::Term;

/// A transcript that observes what a dishonest prover says.
#[derive(Clone)]
pub struct Dishonest {
    transcript: FewChallenges,
    prover: Box<Prover>,
    event: usize,
    pending: Vec<F>,
    /// Number of elements observed.
    place: usize,
    lies: Lies,
    indices: Vec<usize>,
}

/// A proof, and what its prover knows.
pub struct Trial {
    pub proof: Proof,
    /// Whether a challenge that the prover has hoped for was sampled, and no query meets a false
    /// leaf.
    pub escapes: bool,
}

/// The queries to a commitment.
fn queries(proof: &mut Proof, number: usize) -> &mut Queries {
    let opening = &mut proof.stark.opening;
    match opening.rounds.get_mut(number) {
        Some(round) => &mut round.queries,
        None => &mut opening.final_queries,
    }
}

impl Dishonest {
    /// The proof of a prover who hopes in this term. `few` are the challenges there are.
    pub fn prove(term: Term, few: Vec<F>, seed: usize) -> Trial {
        let (prover, statement) = Prover::new(term, few.clone(), seed);
        let traces = prover.traces.clone();
        let mut transcript = Self {
            transcript: FewChallenges::new(few),
            prover: Box::new(prover),
            event: 0,
            pending: vec![],
            place: 0,
            lies: Lies::new(),
            indices: vec![],
        };
        let key = &Machine::shared().key;
        let proof = key.prove_traces_with(statement, &traces, &mut transcript);
        transcript.finish(proof.unwrap())
    }

    /// Writes the lies into the honest prover's proof.
    fn finish(self, mut proof: Proof) -> Trial {
        assert_eq!(self.event, self.prover.machine.events.len());
        assert!(self.pending.is_empty());
        write(&self.lies, &mut proof);
        let term = self.prover.term;
        let escaped = self.prover.escaped;
        assert!(
            escaped.is_none_or(|step| term.hopes_at(step)),
            "{term:?}: {escaped:?}"
        );
        let mut escapes = escaped.is_some() || matches!(term, Term::Queries(_));
        escapes &= !self.prover.is_refused;
        if let Some((number, word, places)) = self.prover.word {
            let steps = self.prover.machine.commitments();
            let before: usize = steps[..number].iter().map(|step| step.queries).sum();
            let indices = &self.indices[before..][..steps[number].queries];
            let mmcs = Poseidon16Suite::val_mmcs(0);
            let (_, tree) = mmcs.commit_matrix(word);
            let (leaves, paths) = mmcs.open_multi_batch(indices, &tree);
            queries(&mut proof, number).trees[0] = OpenedTree {
                leaves: Decommitted::new(leaves.into_iter().flatten().collect()),
                paths,
            };
            escapes &= !indices.iter().any(|index| places.contains(index));
        }
        Trial { proof, escapes }
    }

    /// Observes a complete message.
    fn message(&mut self, step: Step) {
        let honest = std::mem::take(&mut self.pending);
        let mut said = honest.clone();
        let prover = &mut self.prover;
        match step {
            Step::Key | Step::Heights => {}
            Step::Statement => zip(&mut said, prover.statement).for_each(|(x, lie)| *x += lie),
            Step::Commitment(number) => prover.commit(number, &mut said),
            _ => {
                let element = |block: &[F]| {
                    EF::from_basis_coefficients_slice(&block[..EXTENSION_DEGREE]).unwrap()
                };
                let mut values: Vec<EF> = honest.chunks(8).map(element).collect();
                prover.say(step, &mut values);
                said = values.iter().flat_map(block).collect();
            }
        }
        for (&honest, &said) in zip(&honest, &said) {
            if honest != said {
                self.lies.insert(self.place, said - honest);
            }
            self.transcript.observe(said);
            self.place += 1;
        }
    }
}

impl CanObserve<F> for Dishonest {
    fn observe(&mut self, value: F) {
        let Event::Observe(step, length) = self.prover.machine.events[self.event] else {
            panic!(
                "an observation instead of {:?}",
                self.prover.machine.events[self.event]
            );
        };
        self.pending.push(value);
        if self.pending.len() == length {
            self.event += 1;
            self.message(step);
        }
    }
}

/// A commitment is observed as the elements of its digests.
impl CanObserve<Cap> for Dishonest {
    fn observe(&mut self, cap: Cap) {
        for digest in cap.roots() {
            self.observe_slice(digest);
        }
    }
}

impl CanSampleBits<usize> for Dishonest {
    fn sample_bits(&mut self, bits: usize) -> usize {
        let index = self.transcript.sample_bits(bits);
        self.indices.push(index);
        index
    }
}

impl ExtensionTranscript for Dishonest {
    fn sample_extension(&mut self) -> EF {
        let Event::Sample(step) = self.prover.machine.events[self.event] else {
            panic!(
                "a sample instead of {:?}",
                self.prover.machine.events[self.event]
            );
        };
        self.event += 1;
        let sample = self.transcript.sample_extension();
        self.prover.learn(step, sample);
        sample
    }

    fn prove_work(&mut self, _: usize) -> F {
        panic!("these settings have no proof of work")
    }
}
