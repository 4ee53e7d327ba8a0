//! Proofs are brought to the canonical shape and joined, and joins are joined again. Every join of
//! two has the same key; at the end there is one digest and one claim. Key sets are trusted only if
//! their keys were derived or their digest was pinned.

mod calls;
mod chains;
mod cost;
mod dossier;
mod exit;
mod keys;
mod leaf_root;
mod leaves;
mod light;
mod members;
mod paths;
mod plan;
mod presets;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use droste_air::test_utils::Counting;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, FriSettings, Poseidon16Suite};
use droste_verifier::aggregate::{
    AcceptError, Aggregate, AggregateError, AggregateOptions, Aggregator, BitsError, RunFigures,
    UnverifiedAggregate, VerifiedProof,
};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::stack::StackSettings;
use p3_field::PrimeCharacteristicRing;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// For tests that are about something else than leaves.
const ANY: &AcceptedLeaves = &AcceptedLeaves::Any;

/// Aggregates that several tests use, made once.
struct Toys {
    /// Two wraps of factorial.
    wraps: [Aggregate; 2],
    /// The join of the two wraps.
    inner: Aggregate,
    /// The join of `inner` and a third wrap.
    outer: Aggregate,
}

static TOYS: LazyLock<Toys> = LazyLock::new(|| {
    let [a, b, c] = [5, 6, 7].map(|n| wrapped::<Poseidon16Suite>("factorial", n));
    let join = |children| aggregator().join(children).unwrap();
    let inner = join(vec![copy(&a), copy(&b)]);
    let outer = join(vec![copy(&inner), c]);
    Toys {
        wraps: [a, b],
        inner,
        outer,
    }
});

/// An aggregator of toy security. All its clones share their circuits.
fn aggregator() -> Aggregator {
    static AGGREGATOR: LazyLock<Aggregator> =
        LazyLock::new(|| Aggregator::for_preset(Preset::Toy, 2));
    AGGREGATOR.clone()
}

/// FRI settings of leaves of toy security.
fn toy() -> FriSettings {
    Preset::Toy.settings(2).unwrap()
}

/// The settings of a leaf's shape.
fn fri(settings: &mut StackSettings) -> &mut FriSettings {
    match settings {
        StackSettings::Fri(settings) => settings,
        StackSettings::Whir(_) => panic!("settings over WHIR"),
    }
}

/// The settings of the shape of a recursion proof.
fn whir(settings: &mut StackSettings) -> &mut WhirSettings {
    match settings {
        StackSettings::Whir(settings) => settings,
        StackSettings::Fri(_) => panic!("settings of FRI"),
    }
}

fn leaf<H: TapeSuite>(program: &str, n: u32, settings: FriSettings) -> Proof<H>
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

fn verified<H: TapeSuite>(proof: Proof<H>) -> VerifiedProof<Proof<H>>
where
    StandardTables: Provable<H>,
{
    VerifiedProof::under_its_own_key(proof).unwrap()
}

/// A proof of a program, brought to the canonical shape.
fn wrapped<H: TapeSuite>(program: &str, n: u32) -> Aggregate
where
    StandardTables: Provable<H>,
{
    let aggregator = aggregator();
    let leaf = verified(leaf::<H>(program, n, toy()));
    let aggregate = aggregator.wrap(&leaf).unwrap();
    assert!(aggregator.is_canonical(aggregate.proof()));
    assert_eq!(
        aggregate.tree().leaves(),
        [(leaf.proof().key.digest(), leaf.proof().statement)]
    );
    accept(&aggregate);
    foretold(&leaf, &aggregate);
    aggregate
}

/// What was known of the steps before they were made: everything about the first, and about further
/// ones estimates.
fn foretold<H: TapeSuite>(leaf: &VerifiedProof<Proof<H>>, wrap: &Aggregate)
where
    StandardTables: Provable<H>,
{
    let aggregator = aggregator();
    let figures = RunFigures::of_proof(aggregator.circuits(), leaf).unwrap();
    let outlook = aggregator.wrap_outlook(&figures).unwrap();
    assert_eq!(outlook.len(), wrap.steps().len());
    for (index, (outlook, step)) in outlook.iter().zip(wrap.steps()).enumerate() {
        let fft_cost = step.report.fft_cost();
        println!(
            "{} step {index}: {} cycles and fft_cost {fft_cost} foretold as {} and {}",
            H::NAME,
            step.cycles,
            outlook.cycles,
            outlook.fft_cost
        );
        assert_eq!(outlook.exact, index == 0);
        assert_eq!(outlook.canonical, step.canonical);
        if outlook.exact {
            assert_eq!((outlook.cycles, outlook.fft_cost), (step.cycles, fft_cost));
            let mut listed = wrap.keys().claimed().iter();
            let of_step = listed.find(|(key, _)| *key == step.report.key);
            assert_eq!(of_step.unwrap().1.recipe, outlook.recipe);
        } else {
            let share = outlook.cycles as f64 / step.cycles as f64;
            assert!((0.5..2.0).contains(&share), "{share}");
        }
    }
}

/// The aggregate as it would be read from a file.
fn unverified(aggregate: &Aggregate) -> UnverifiedAggregate {
    file::decode(&file::encode(aggregate).unwrap()).unwrap()
}

/// A copy of an aggregate, because joining consumes its children.
fn copy(aggregate: &Aggregate) -> Aggregate {
    unverified(aggregate)
        .pinned(aggregate.key(), AggregateOptions::min_bits(0), ANY)
        .unwrap()
}

/// The aggregate is accepted at its stated bits, of each proof and of all together, and refused at
/// one more.
fn accept(aggregate: &Aggregate) {
    let verify = |bits, tree_bits| {
        let options = AggregateOptions::min_bits(bits).with_min_tree_bits(Some(tree_bits));
        let (key, claim) = (aggregate.key(), aggregate.claim());
        unverified(aggregate).verify(key, &claim, options, ANY)
    };
    let accepted = aggregate.accepted();
    let (bits, tree_bits) = (accepted.bits, accepted.tree_bits);
    assert!(tree_bits <= bits);
    assert_eq!(verify(bits, tree_bits).unwrap().accepted(), accepted);
    verify(bits + 1, tree_bits).unwrap_err();
    let refusal = verify(bits, tree_bits + 1).unwrap_err();
    assert!(
        matches!(refusal, AcceptError::Bits(BitsError::Tree { found, .. }) if found == tree_bits),
        "{refusal}"
    );
}

/// At heights too small for any proof, the attempt ends with an error as soon as a step would
/// repeat its child's shape.
#[test]
fn a_canonical_shape_out_of_reach_is_refused() {
    let steps = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&steps);
    let small = Aggregator::new(WhirSettings::toy(), vec![6; 7]).with_progress(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let leaf = leaf::<Poseidon16Suite>("factorial", 5, toy());
    let refusal = small.wrap(&verified(leaf)).unwrap_err();
    assert!(
        matches!(refusal, AggregateError::NoCanonicalShape),
        "{refusal}"
    );
    assert!((1..6).contains(&steps.load(Ordering::Relaxed)), "{steps:?}");
}
