//! Proofs brought home and joined, joins included: one key for every join of two, one digest and one
//! claim at the end. Key sets are believed only where their programs were generated or their digest was
//! known.

mod chains;
mod cost;
mod keys;
mod presets;

use std::sync::LazyLock;

use droste_air::test_utils::Counting;
use droste_native::security::Preset;
use droste_native::{F, FriSettings, Poseidon16Family};
use droste_verifier::aggregate::{
    Aggregate, AggregateError, Aggregator, UnverifiedAggregate, VerifiedProof,
};
use droste_verifier::file;
use droste_verifier::tape::TapeFamily;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use p3_field::PrimeCharacteristicRing;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Aggregates that several tests look at, made once.
struct Toys {
    /// Two wraps of factorial.
    wraps: [Aggregate; 2],
    /// Those joined.
    inner: Aggregate,
    /// The join of that and a third wrap.
    outer: Aggregate,
}

static TOYS: LazyLock<Toys> = LazyLock::new(|| {
    let [a, b, c] = [5, 6, 7].map(|n| wrapped::<Poseidon16Family>("factorial", n));
    let join = |children| aggregator().join(children).unwrap();
    let inner = join(vec![copy(&a), copy(&b)]);
    let outer = join(vec![copy(&inner), c]);
    Toys {
        wraps: [a, b],
        inner,
        outer,
    }
});

fn aggregator() -> Aggregator {
    Aggregator::for_preset(Preset::Toy, 2).unwrap()
}

fn leaf<H: TapeFamily>(program: &str, n: u32, settings: FriSettings) -> Proof<H>
where
    StandardTables: Provable<H>,
{
    let source = droste_programs::source(program).unwrap();
    let compiled = compile(source, &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(n)], &Tape::default(), 1 << 16).unwrap();
    let options = ProveOptions {
        settings,
        heights: Heights::Minimal,
    };
    prove(&compiled.program, &execution, &options).unwrap()
}

fn verified<H: TapeFamily>(proof: Proof<H>) -> VerifiedProof<H>
where
    StandardTables: Provable<H>,
{
    VerifiedProof::under_its_own_key(proof).unwrap()
}

/// A proof of a program, brought home.
fn wrapped<H: TapeFamily>(program: &str, n: u32) -> Aggregate
where
    StandardTables: Provable<H>,
{
    let aggregator = aggregator();
    let leaf = verified(leaf::<H>(program, n, *aggregator.settings()));
    let aggregate = aggregator.wrap(&leaf, |_| ()).unwrap();
    assert!(aggregator.is_home(aggregate.proof()));
    assert_eq!(
        aggregate.tree().leaves(),
        [(leaf.proof().key.digest(), leaf.proof().statement)]
    );
    accept(&aggregate);
    aggregate
}

/// What a file has of it.
fn unverified(aggregate: &Aggregate) -> UnverifiedAggregate {
    file::decode(&file::encode(aggregate).unwrap()).unwrap()
}

/// The same proof again: what is joined is used up.
fn copy(aggregate: &Aggregate) -> Aggregate {
    unverified(aggregate).pinned(aggregate.key(), 0).unwrap()
}

/// The aggregate has the bits that are said of it, and no more.
fn accept(aggregate: &Aggregate) {
    let verify = |bits| unverified(aggregate).verify(aggregate.key(), &aggregate.claim(), bits);
    let accepted = aggregate.accepted();
    assert_eq!(verify(accepted.bits).unwrap().accepted(), accepted);
    verify(accepted.bits + 1).unwrap_err();
    assert!(accepted.tree_bits <= accepted.bits);
}

/// A home too small for any proof: the way there is given up as soon as a step leads to its own shape.
#[test]
fn a_way_that_ends_nowhere_is_refused() {
    let small = Aggregator::new(Preset::Toy.settings(2).unwrap(), vec![6; 6]);
    let leaf = leaf::<Poseidon16Family>("factorial", 5, *small.settings());
    let mut steps = 0;
    let refusal = small.wrap(&verified(leaf), |_| steps += 1).unwrap_err();
    assert!(matches!(refusal, AggregateError::NotHome), "{refusal}");
    assert!(steps < 6, "{steps}");
}
