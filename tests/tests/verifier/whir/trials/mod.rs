//! Soundness by experiment: how often dishonest provers are believed.
//!
//! A bound on a verifier's error is the probability of certain events. Here a dishonest prover
//! follows the protocol from a false statement to the last check, natively and in the machine, and
//! is believed if and only if one of these events happens. Each experiment is about one [`Term`] of
//! docs/soundness.md: it counts the seeds with which the prover is believed, and compares them with
//! the predicted rate.
//!
//! Challenges are among sixteen elements of the field ([`few`]), so that a prover whose lie is a
//! polynomial with `d` roots among them is believed at a rate of `d / 16`. So it is the number of
//! roots and rounds that is tested, which the bound has over `|EF|`, and that nothing else stops
//! such a prover. Queries are as always.

mod circuit;
mod dishonest;
mod few;
mod interval;
mod machine;
mod opened;
mod prover;
mod term;
mod words;

use std::fmt;

use droste_gadgets::prelude::Felt;
use droste_gadgets::suites::poseidon16::Poseidon16Challenger;
use droste_gadgets::verify::recursion::{Key, over_whir};
use droste_native::{F, Poseidon16Suite};
use droste_verifier::tape::{Answers, TapeError, TapeSuite};
use droste_vm::whir::{KEY_TAG, Proof};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use rayon::prelude::*;

use dishonest::{Dishonest, Trial};
use droste_vm::verifier::VerifyOptions;
use few::FewChallenges;
use interval::interval;
use machine::Machine;
use prover::LANES;
use term::Term;
use words::{DISTANCE, OUTSIDE_ROOTS};

use super::check::failure;

/// An experiment: what a prover hopes for.
struct Experiment {
    name: String,
    term: fn(&Machine, usize, usize) -> Term,
    /// The number of the commitment.
    number: usize,
}

/// What the seeds of an experiment came to.
struct Outcome {
    name: String,
    seeds: usize,
    believed: usize,
    predicted: f64,
    /// Seeds with which a verifier has another opinion than the prover.
    surprises: Vec<usize>,
}

impl Outcome {
    fn is_as_predicted(&self) -> bool {
        let [low, high] = interval(self.believed, self.seeds);
        self.surprises.is_empty() && (low..=high).contains(&self.predicted)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.believed as f64 / self.seeds as f64;
        let [low, high] = interval(self.believed, self.seeds);
        write!(
            f,
            "| {} | {} | {} | {:.4} | {rate:.4} | {low:.4} to {high:.4} |",
            self.name, self.seeds, self.believed, self.predicted,
        )?;
        if !self.surprises.is_empty() {
            write!(f, " surprises: {:?}", self.surprises)?;
        }
        Ok(())
    }
}

fn experiments(machine: &Machine) -> Vec<Experiment> {
    let mut all: Vec<Experiment> = vec![];
    let mut add = |name: &str, number, term| {
        all.push(Experiment {
            name: name.to_owned(),
            term,
            number,
        });
    };
    add("lookups: elements of a message", 0, |_, _, _| Term::Lookups);
    add("fractions: combinations", 0, |_, _, _| Term::Combination);
    add("fractions: first rounds", 0, |_, _, _| Term::First);
    add("fractions: rounds of a layer", 0, |machine, _, seed| {
        Term::Rounds(2 + seed % (machine.shape.log_leaves() - 2))
    });
    add("fractions: line", 0, |_, _, _| Term::Line);
    add("fractions: combination of the leaves", 0, |_, _, _| {
        Term::Theta
    });
    add("constraints: combination", 0, |_, _, _| Term::Constraints);
    add("constraints: point", 0, |_, _, _| Term::Point);
    add("zerocheck: rounds", 0, |_, _, _| Term::Zerocheck);
    add("columns", 0, |_, _, _| Term::Columns);
    add("combination of claims", 0, |_, _, _| Term::Claims);
    add("samples outside the domain, and queries", 0, |_, _, _| {
        Term::Outside
    });
    let last = machine.scheme.schedule().folded.len();
    for number in 0..=last + 1 {
        add(&format!("sumcheck {number}"), number, |_, n, _| {
            Term::Sumcheck(n)
        });
    }
    for number in 1..=last {
        let name = format!("combination of answers {number}");
        add(&name, number, |_, n, _| Term::Answers(n));
    }
    for number in 0..=last {
        add(&format!("fold {number}"), number, |_, n, _| Term::Fold(n));
    }
    for number in 0..=last {
        add(&format!("queries to {number}"), number, |_, n, _| {
            Term::Queries(n)
        });
    }
    all
}

/// The probability of the event that the prover hopes for.
fn predicted(machine: &Machine, term: Term) -> f64 {
    let challenges = circuit::CHALLENGES.len() as f64;
    // Of so many steps, one has a challenge that is a root.
    let any =
        |steps: usize, roots: usize| 1.0 - (1.0 - roots as f64 / challenges).powi(steps as i32);
    let shape = &machine.shape;
    let layers = shape.log_leaves() - 1;
    let blocks = shape.log_heights()[machine.table("blocks")];
    let honest = |number: usize| {
        let queries = machine.commitments()[number].queries;
        (1.0 - 1.0 / DISTANCE as f64).powi(queries as i32)
    };
    match term {
        Term::Lookups | Term::Constraints | Term::Columns => any(1, LANES - 1),
        Term::Combination => any(layers, 1),
        Term::First => any(layers, 2),
        Term::Rounds(layer) => any(layer - 1, 2),
        Term::Line | Term::Theta | Term::Answers(_) | Term::Fold(_) => any(1, 1),
        // If both challenges of the lookups are one, too, small messages have the denominator zero.
        Term::Point => any(blocks, 1) * (1.0 - 1.0 / (challenges * challenges)),
        Term::Zerocheck => {
            let degree = machine.verifier.system().degree();
            any(shape.max_log_height(), degree)
        }
        Term::Claims => any(1, 3),
        Term::Outside => any(1, OUTSIDE_ROOTS) * honest(0),
        Term::Sumcheck(number) => {
            let schedule = machine.scheme.schedule();
            let folds = machine.commitments().into_iter().map(|step| step.fold);
            let rounds: Vec<usize> = folds.chain([schedule.final_variables]).collect();
            any(rounds[number], 2)
        }
        Term::Queries(number) => honest(number),
    }
}

/// The challenges of an experiment: all for queries.
fn challenges(term: Term) -> Vec<F> {
    let mut few = circuit::CHALLENGES.map(F::new).to_vec();
    match term {
        Term::Queries(_) => few.clear(),
        // The first row is not looked at where a coordinate is one.
        Term::Point => few[0] = F::ONE,
        _ => {}
    }
    few
}

/// Whether the verifier in the machine accepts: natively, in Rust, and compiled.
fn in_the_machine(machine: &Machine, term: Term, proof: &Proof) -> [bool; 2] {
    let few = !matches!(term, Term::Queries(_));
    let shape = machine.recursion.shape_over_whir().unwrap();
    let mut answers = Answers::<Poseidon16Suite>::default();
    answers.message(proof.key.program.concat());
    answers.message(proof.statement.to_vec());
    answers.whir(shape, &machine.scheme, &proof.stark).unwrap();
    let mut header = proof.key.preimage();
    header.truncate(16);
    let block = |block: &[F; 8]| block.map(|lane| lane.as_canonical_u32());
    let key = Key {
        tag: Felt::from(KEY_TAG),
        header: header.as_chunks().0.iter().map(block).collect(),
    };
    type Gadget = <Poseidon16Suite as TapeSuite>::Gadget;
    let evaluators = machine.recursion.evaluators_over_whir().unwrap();
    let tape = answers.record(|| {
        if few {
            over_whir::<Gadget, circuit::FewChallenges, _>(shape, evaluators, &key)
        } else {
            over_whir::<Gadget, Poseidon16Challenger, _>(shape, evaluators, &key)
        };
    });
    let (tape, accepts) = match tape {
        Ok(tape) => (tape, true),
        Err(TapeError::Rejected { tape, .. }) => (tape, false),
        Err(error) => panic!("{term:?}: {error}"),
    };
    let compiled = &machine.compiled[usize::from(few)];
    [accepts, failure(compiled, &tape).is_ok()]
}

impl Experiment {
    /// The proof of this seed, and the challenges of its transcript.
    fn prove(&self, seed: usize) -> (Term, Trial, Vec<F>) {
        let term = (self.term)(Machine::shared(), self.number, seed);
        let few = challenges(term);
        (term, Dishonest::prove(term, few.clone(), seed), few)
    }

    /// Runs the experiment with so many seeds; in the machine with the first few that are believed,
    /// and the first few that are not.
    fn run(&self, seeds: usize, in_machine: usize) -> Outcome {
        let machine = Machine::shared();
        let run = |seed: usize| {
            let (term, trial, few) = self.prove(seed);
            let mut transcript = FewChallenges::new(few);
            let verifier = &machine.verifier;
            let verdict = verifier.verify_with(
                &[],
                VerifyOptions::min_bits(0),
                &trial.proof,
                &mut transcript,
            );
            (verdict.is_ok(), trial.escapes, predicted(machine, term))
        };
        let verdicts: Vec<(bool, bool, f64)> = (0..seeds).into_par_iter().map(run).collect();
        let differs = |&seed: &usize| verdicts[seed].0 != verdicts[seed].1;
        let mut surprises: Vec<usize> = (0..seeds).filter(differs).collect();
        for believed in [true, false] {
            let chosen = (0..seeds).filter(|&seed| verdicts[seed].0 == believed);
            for seed in chosen.take(in_machine) {
                let (term, trial, _) = self.prove(seed);
                // The challenges of the verifier in the machine are always the same ones.
                if term != Term::Point
                    && in_the_machine(machine, term, &trial.proof) != [believed; 2]
                {
                    surprises.push(seed);
                }
            }
        }
        Outcome {
            name: self.name.clone(),
            seeds,
            believed: verdicts.iter().filter(|verdict| verdict.0).count(),
            predicted: verdicts.iter().map(|verdict| verdict.2).sum::<f64>() / seeds as f64,
            surprises,
        }
    }
}

fn run(seeds: usize, in_machine: usize) {
    let machine = Machine::shared();
    println!("| term | seeds | believed | predicted | measured | interval |");
    println!("|---|---|---|---|---|---|");
    let mut failed = vec![];
    for experiment in experiments(machine) {
        let outcome = experiment.run(seeds, in_machine);
        println!("{outcome}");
        if !outcome.is_as_predicted() {
            failed.push(outcome.name);
        }
    }
    assert!(failed.is_empty(), "not as predicted: {failed:?}");
}

#[test]
fn dishonest_provers_are_believed_as_often_as_predicted() {
    run(48, 1);
}

/// A root more or less among the challenges is noticed at the number of seeds of the long form, and
/// so is a single seed with which the prover should not have been believed.
#[test]
fn other_rates_are_not_as_predicted() {
    let outcome = |roots: usize, predicted: usize, surprises| Outcome {
        name: String::new(),
        seeds: SEEDS,
        believed: SEEDS * roots / 16,
        predicted: predicted as f64 / 16.0,
        surprises,
    };
    for roots in [0, 1, 7, 15] {
        assert!(outcome(roots, roots, vec![]).is_as_predicted());
        assert!(!outcome(roots, roots + 1, vec![]).is_as_predicted());
        assert!(!outcome(roots + 1, roots, vec![]).is_as_predicted());
        assert!(!outcome(roots, roots, vec![7]).is_as_predicted());
    }
}

/// Seeds of each experiment in the long form.
const SEEDS: usize = 4_000;

#[test]
#[ignore = "minutes of CPU time, prints a table: \
    cargo test -p droste-tests --release --test verifier trials::long -- --ignored --nocapture"]
fn long() {
    run(SEEDS, 10);
}
