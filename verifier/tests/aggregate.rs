//! Proofs brought home and joined, joins included: one key for every join of two.

use droste_native::security::Preset;
use droste_native::{F, Poseidon16Family};
use droste_verifier::aggregate::{Aggregate, AggregateError, Aggregator};
use droste_verifier::claim::ClaimError;
use droste_verifier::recursion::claim_tree;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::prover::{Proof, ProveOptions, prove};
use p3_field::PrimeCharacteristicRing;

/// Heights that a join of two fits, at toy parameters.
const LOG_HEIGHTS: [usize; 6] = [16, 16, 13, 16, 15, 16];

fn aggregator() -> Aggregator {
    let settings = Preset::Toy.settings(2).unwrap();
    Aggregator::new(settings, LOG_HEIGHTS.to_vec())
}

/// A proof of factorial(n), brought home, and the key of the leaf.
fn wrapped(aggregator: &Aggregator, n: u32) -> (Aggregate, KeyDigest) {
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(n)], &Tape::default(), 1 << 16).unwrap();
    let options = ProveOptions {
        settings: Preset::Toy.settings(2).unwrap(),
        heights: Heights::Minimal,
    };
    let leaf: Proof<Poseidon16Family> = prove(&compiled.program, &execution, &options).unwrap();
    let tree = claim_tree(&leaf, vec![]);
    let aggregate = aggregator.wrap(&leaf, tree, |_| ()).unwrap();
    assert!(aggregator.is_home(&aggregate.proof));
    (aggregate, leaf.key.digest())
}

#[test]
fn joins_of_joins_have_one_key() {
    let aggregator = aggregator();
    assert!(matches!(
        aggregator.join(vec![]),
        Err(AggregateError::Empty)
    ));

    let wraps: Vec<(Aggregate, KeyDigest)> = [5, 6].map(|n| wrapped(&aggregator, n)).into();
    let leaf = wraps[0].1;
    let wrap = wraps[0].0.proof.key.digest();
    let pair = wraps.into_iter().map(|(aggregate, _)| aggregate).collect();
    let inner = aggregator.join(pair).unwrap();
    let join = inner.proof.key.digest();

    let (third, _) = wrapped(&aggregator, 7);
    let outer = aggregator.join(vec![inner, third]).unwrap();
    assert_eq!(
        outer.proof.key.digest(),
        join,
        "the fixed point of recursion"
    );
    outer.check(&[wrap, join], &[leaf]).unwrap();
    assert_eq!(
        outer.check(&[join], &[leaf]),
        Err(ClaimError::Recursion(wrap))
    );
    assert_eq!(outer.check(&[wrap, join], &[]), Err(ClaimError::Leaf(leaf)));
}
