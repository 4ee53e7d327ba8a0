//! Proofs brought home and joined, joins included: one key for every join of two, one digest and one
//! claim at the end.

use droste_native::security::Preset;
use droste_native::{Blake3Family, F, FriSettings, KeccakFamily, Poseidon16Family};
use droste_verifier::aggregate::{Aggregate, AggregateError, Aggregator, PRECOMPILES};
use droste_verifier::claim::{Claim, ClaimError};
use droste_verifier::file::{self, FileError};
use droste_verifier::recursion::Recursion;
use droste_verifier::tape::TapeFamily;
use droste_vm::codec::DecodeError;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, log_heights, prove};
use droste_vm::tables::Table;
use droste_vm::verifier::{Verifier, VerifyError};
use p3_field::PrimeCharacteristicRing;

fn aggregator() -> Aggregator {
    Aggregator::for_preset(Preset::Toy, 2).unwrap()
}

/// A home too small for any proof: the way there is given up as soon as a step leads to its own shape.
#[test]
fn a_way_that_ends_nowhere_is_refused() {
    let small = Aggregator::new(Preset::Toy.settings(2).unwrap(), vec![6; 6]);
    let leaf = leaf::<Poseidon16Family>("factorial", 5, *small.settings());
    let mut steps = 0;
    let refusal = small.wrap(&leaf, |_| steps += 1).unwrap_err();
    assert!(matches!(refusal, AggregateError::NotHome), "{refusal}");
    assert!(steps < 6, "{steps}");
}

/// A preset's name is a promise about every proof that is home, its reduced number of queries included.
#[test]
fn homes_have_the_bits_of_their_presets() {
    let program = compile(droste_programs::source("factorial").unwrap(), &[])
        .unwrap()
        .program;
    for (preset, children, bits) in [
        (Preset::Proven100, 1, 100),
        (Preset::Proven100, 2, 100),
        (Preset::Proven100, 4, 100),
        (Preset::Proven120, 1, 120),
        (Preset::Proven120, 2, 120),
    ] {
        let aggregator = Aggregator::for_preset(preset, children).unwrap();
        let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
            &program,
            &PRECOMPILES.into(),
            *aggregator.settings(),
            Heights::Exact(aggregator.log_heights().to_vec()),
        )
        .unwrap();
        let verifier = Verifier::<_, StandardTables>::new(key.key().clone()).unwrap();
        let (_, security) = verifier.shape(aggregator.log_heights()).unwrap();
        assert!(
            security.bits() >= bits,
            "{preset}, {children}: {}",
            security.bits()
        );
    }
}

/// The same promise about the larger proofs on the way home.
fn steps_have_the_bits<H: TapeFamily>()
where
    StandardTables: Provable<H>,
{
    for (preset, children, bits) in [
        (Preset::Proven100, 1, 100),
        (Preset::Proven100, 2, 100),
        (Preset::Proven120, 1, 120),
    ] {
        let aggregator = Aggregator::for_preset(preset, children).unwrap();
        let leaf = leaf::<H>("factorial", 5, preset.settings(2).unwrap());
        let verifier = Verifier::<H, StandardTables>::new(leaf.key.clone()).unwrap();
        let wrap = Recursion::new(&verifier, &leaf.batch.degree_bits, 1).unwrap();
        let execution = wrap.execute(&[&leaf]).unwrap();
        let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
            &wrap.compiled().program,
            &PRECOMPILES.into(),
            *aggregator.settings_away(H::ID),
            Heights::Minimal,
        )
        .unwrap();
        // Larger proofs are verified in more rows.
        let heights: Vec<usize> = log_heights(&key, &execution)
            .unwrap()
            .iter()
            .zip(key.machine().tables())
            .map(|(log_height, table)| log_height + 2 * usize::from(table.name() != "program"))
            .collect();
        let verifier =
            Verifier::<Poseidon16Family, StandardTables>::new(key.key().clone()).unwrap();
        let (_, security) = verifier.shape(&heights).unwrap();
        let found = security.bits();
        assert!(found >= bits, "{preset}, {children}, {}: {found}", H::NAME);
    }
}

#[test]
fn steps_have_the_bits_of_their_presets() {
    steps_have_the_bits::<Poseidon16Family>();
    steps_have_the_bits::<Blake3Family>();
    steps_have_the_bits::<KeccakFamily>();
}

/// Whether verifying `children` copies of a proof that is `from`'s home fits the home of `to`.
fn fits(from: &Aggregator, children: usize, to: &Aggregator) -> bool {
    let leaf = leaf::<Poseidon16Family>("factorial", 5, *from.settings());
    let wrap = from.wrap(&leaf, |_| ()).unwrap();
    assert!(from.is_home(&wrap.proof));
    let verifier = Verifier::<_, StandardTables>::new(wrap.proof.key.clone()).unwrap();
    let degree_bits = &wrap.proof.batch.degree_bits;
    let join = Recursion::new(&verifier, degree_bits, children).unwrap();
    let execution = join.execute(&vec![&wrap.proof; children]).unwrap();
    let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
        &join.compiled().program,
        &PRECOMPILES.into(),
        *to.settings(),
        Heights::Exact(to.log_heights().to_vec()),
    )
    .unwrap();
    log_heights(&key, &execution).is_ok()
}

/// Joins of one and of two children fill their homes almost: whoever lengthens a query sees it here.
#[test]
fn joins_fit_the_homes_of_their_presets() {
    for (preset, children) in [
        (Preset::Proven100, 1),
        (Preset::Proven100, 2),
        (Preset::Proven120, 1),
    ] {
        let home = Aggregator::for_preset(preset, children).unwrap();
        assert!(fits(&home, children, &home), "{preset}, {children}");
    }
    // The way home for proofs in Blake3 and Keccak where a join takes one.
    let [one, two] =
        [1, 2].map(|children| Aggregator::for_preset(Preset::Proven100, children).unwrap());
    assert!(fits(&two, 1, &one));
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

/// A proof of a program, brought home.
fn wrapped<H: TapeFamily>(program: &str, n: u32) -> Aggregate
where
    StandardTables: Provable<H>,
{
    let aggregator = aggregator();
    let leaf = leaf::<H>(program, n, *aggregator.settings());
    let aggregate = aggregator.wrap(&leaf, |_| ()).unwrap();
    assert!(aggregator.is_home(&aggregate.proof));
    assert_eq!(
        aggregate.tree.leaves(),
        [(leaf.key.digest(), leaf.statement)]
    );
    accept(&aggregate);
    aggregate
}

/// The same proof again: what is joined is used up.
fn copy(aggregate: &Aggregate) -> Aggregate {
    file::decode(&file::encode(aggregate).unwrap()).unwrap()
}

fn accept(aggregate: &Aggregate) {
    let accepted = aggregate
        .verify(aggregate.key(), &aggregate.claim(), 0)
        .unwrap();
    let bits = accepted.bits;
    aggregate
        .verify(aggregate.key(), &aggregate.claim(), bits)
        .unwrap();
    aggregate
        .verify(aggregate.key(), &aggregate.claim(), bits + 1)
        .unwrap_err();
}

#[test]
fn joins_of_joins_have_one_key() {
    let aggregator = aggregator();
    let joins = |children| aggregator.join(children).unwrap();
    assert!(matches!(
        aggregator.join(vec![]),
        Err(AggregateError::Empty)
    ));

    let [a, b, c] = [5, 6, 7].map(|n| wrapped::<Poseidon16Family>("factorial", n));
    let inner = joins(vec![copy(&a), copy(&b)]);
    let outer = joins(vec![copy(&inner), c]);
    let again = joins(vec![inner, copy(&b)]);
    assert_eq!(
        outer.proof.key.digest(),
        again.steps[0].report.key,
        "the fixed point of recursion"
    );
    // The keys of a wrap and of a join, the same from here on.
    assert_eq!(outer.keys.iter().len(), 2);
    assert_eq!(outer.key(), again.key());
    accept(&outer);
    accept(&again);

    the_end_of_a_chain_is_checked(&outer, &again);
    files_are_read_as_written(&outer);
    children_are_checked_before_they_are_used(&aggregator, &a);
}

fn the_end_of_a_chain_is_checked(outer: &Aggregate, other: &Aggregate) {
    let (key, claim) = (outer.key(), outer.claim());
    let check = |aggregate: &Aggregate| aggregate.verify(key, &claim, 0);
    let changed = |change: &dyn Fn(&mut Aggregate)| {
        let mut aggregate = copy(outer);
        change(&mut aggregate);
        check(&aggregate).unwrap_err()
    };
    let children = |aggregate: &mut Aggregate| match &mut aggregate.tree.claim {
        Claim::Children(children) => std::mem::take(children),
        Claim::Statement(_) => vec![],
    };
    check(outer).unwrap();

    // Another claim, and the tree of another claim.
    assert!(matches!(
        check(other),
        Err(AggregateError::Statement { .. })
    ));
    let error = changed(&|aggregate| aggregate.tree = copy(other).tree);
    assert!(matches!(error, AggregateError::Claim(ClaimError::Digest)));
    let error = changed(&|aggregate| {
        let mut swapped = children(aggregate);
        swapped.reverse();
        aggregate.tree.claim = Claim::Children(swapped);
    });
    assert!(matches!(error, AggregateError::Claim(ClaimError::Digest)));
    let error = changed(&|aggregate| aggregate.tree.key = other.tree.leaves()[0].0);
    assert!(matches!(
        error,
        AggregateError::Claim(ClaimError::Root { .. })
    ));

    // A tree cut off: the digests are right, but what is below is not shown.
    let error = changed(&|aggregate| aggregate.tree.claim = Claim::Statement(claim));
    assert!(matches!(
        error,
        AggregateError::Claim(ClaimError::Hidden(_))
    ));
    let error = changed(&|aggregate| {
        let mut cut = children(aggregate);
        cut[0].claim = Claim::Statement(cut[0].claim.statement());
        aggregate.tree.claim = Claim::Children(cut);
    });
    assert!(matches!(
        error,
        AggregateError::Claim(ClaimError::Hidden(_))
    ));

    // Other recursion keys.
    let error = changed(&|aggregate| aggregate.keys.insert(other.tree.leaves()[0].0, 100));
    assert!(matches!(error, AggregateError::Keys { .. }));
    let error = changed(&|aggregate| aggregate.keys = Default::default());
    assert!(matches!(error, AggregateError::Keys { .. }));
    let unlisted = Aggregate {
        keys: Default::default(),
        ..copy(outer)
    };
    assert!(matches!(
        unlisted.verify(unlisted.key(), &claim, 0),
        Err(AggregateError::Claim(ClaimError::Recursion(_)))
    ));

    // Another proof, of the same key.
    let error = changed(&|aggregate| aggregate.proof.batch = copy(other).proof.batch);
    assert!(matches!(error, AggregateError::Verify(_)), "{error}");
}

fn files_are_read_as_written(aggregate: &Aggregate) {
    let honest = file::encode(aggregate).unwrap();
    assert!(file::is_aggregate(&honest));
    let read = file::decode(&honest).unwrap();
    assert_eq!((&read.tree, &read.keys), (&aggregate.tree, &aggregate.keys));
    accept(&read);
    let error = |bytes: &[u8]| file::decode(bytes).unwrap_err();
    let with = |at: usize, byte: u8| {
        let mut bytes = honest.clone();
        bytes[at] = byte;
        error(&bytes)
    };
    assert_eq!(with(7, b'p'), FileError::Magic);
    assert_eq!(with(8, 9), FileError::Version { found: 9 });
    // The header is followed by the number of keys, whose length may be written in one way.
    assert_eq!(honest[12], 2);
    let mut longer = honest[..12].to_vec();
    longer.extend([251, 2, 0]);
    longer.extend(&honest[13..]);
    assert_eq!(error(&longer), FileError::NotCanonical);
    // Keys in descending order: each is 32 bytes and one of bits.
    let mut swapped = honest.clone();
    swapped[13..79].rotate_left(33);
    assert_eq!(error(&swapped), FileError::NotCanonical);
    let mut longer = honest.clone();
    longer.push(0);
    assert_eq!(
        error(&longer),
        FileError::Decode(DecodeError::TrailingBytes { found: 1 })
    );
    for length in (0..honest.len()).step_by(honest.len() / 60) {
        error(&honest[..length]);
    }
    // Lengths are not believed.
    for at in 12..400 {
        let mut bytes = honest[..at].to_vec();
        bytes.push(253);
        bytes.extend((1u64 << 60).to_le_bytes());
        bytes.extend(&honest[at + 1..]);
        if let Ok(read) = file::decode(&bytes) {
            let (key, claim) = (aggregate.key(), aggregate.claim());
            read.verify(key, &claim, 0).unwrap_err();
        }
    }
}

fn children_are_checked_before_they_are_used(aggregator: &Aggregator, child: &Aggregate) {
    let rejected = |change: &dyn Fn(&mut Aggregate)| {
        let mut second = copy(child);
        change(&mut second);
        let first = aggregator.join(vec![copy(&second), copy(child)]);
        let second = aggregator.join(vec![copy(child), second]);
        (first.unwrap_err(), second.unwrap_err())
    };
    // Impossible heights are an error before anything is built from them.
    for log_height in [14, 40, usize::MAX] {
        let errors = rejected(&|aggregate| aggregate.proof.batch.degree_bits[0] = log_height);
        let heights = |error: &AggregateError| {
            matches!(error, AggregateError::Verify(VerifyError::Heights { .. }))
        };
        assert!(heights(&errors.0) && heights(&errors.1), "{errors:?}");
    }
    let digest =
        |error: &AggregateError| matches!(error, AggregateError::Claim(ClaimError::Digest));
    let errors = rejected(&|aggregate| aggregate.proof.statement[0] += F::ONE);
    assert!(digest(&errors.0) && digest(&errors.1), "{errors:?}");
    // Of another aggregator.
    let other = Aggregator::for_preset(Preset::Proven100, 2).unwrap();
    assert!(matches!(
        other.join(vec![copy(child)]),
        Err(AggregateError::Foreign { child: 0 })
    ));
}

/// The root is as strong as asked for, what it verifies is not.
#[test]
fn a_toy_child_below_a_stronger_root_is_rejected() {
    let strong = FriSettings {
        num_queries: 8,
        ..FriSettings::toy()
    };
    let weak = FriSettings {
        num_queries: 2,
        ..FriSettings::toy()
    };
    let leaf = leaf::<Poseidon16Family>("factorial", 5, weak);
    let aggregator = Aggregator::new(strong, vec![]);
    let aggregate = aggregator.wrap_at_natural_heights(&leaf).unwrap();
    let (key, claim) = (aggregate.key(), aggregate.claim());
    let accepted = aggregate.verify(key, &claim, 0).unwrap();
    let root = accepted.root.security.bits();
    assert!(accepted.bits < root);
    let error = aggregate.verify(key, &claim, root).unwrap_err();
    let AggregateError::Claim(ClaimError::Security { found, .. }) = error else {
        panic!("{error}");
    };
    assert_eq!(found, accepted.bits);
    aggregate.verify(key, &claim, found).unwrap();
    // The bits are part of what the caller names.
    let mut boasting = copy(&aggregate);
    boasting.keys = [(aggregate.proof.key.digest(), root)].into_iter().collect();
    assert!(matches!(
        boasting.verify(key, &claim, root),
        Err(AggregateError::Keys { .. })
    ));
}

/// A chain of joins, each of the one before and one more proof, then a tree of joins: in the end one
/// key digest and one claim.
fn chain_and_tree(wraps: &[Aggregate], depth: usize) {
    let aggregator = aggregator();
    let join = |children: &[&Aggregate]| {
        let children = children.iter().copied().map(copy).collect();
        aggregator.join(children).unwrap()
    };
    let mut leaves = wraps[0].tree.leaves();
    let mut chain = copy(&wraps[0]);
    for step in 1..=depth {
        let next = &wraps[step % wraps.len()];
        leaves.extend(next.tree.leaves());
        chain = join(&[&chain, next]);
    }
    assert_eq!(chain.tree.leaves(), leaves);
    accept(&chain);

    let mut level: Vec<Aggregate> = wraps.iter().map(copy).collect();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| join(&[&pair[0], &pair[1]]))
            .collect();
    }
    let leaves: Vec<_> = wraps.iter().flat_map(|wrap| wrap.tree.leaves()).collect();
    assert_eq!(level[0].tree.leaves(), leaves);
    accept(&level[0]);
    // The digest that was learnt from the chain serves the tree.
    level[0].verify(chain.key(), &level[0].claim(), 0).unwrap();
    assert!(level[0].verify(chain.key(), &chain.claim(), 0).is_err());
}

#[test]
fn a_chain_and_a_tree_of_mixed_hashes_and_programs() {
    chain_and_tree(
        &[
            wrapped::<Poseidon16Family>("factorial", 5),
            wrapped::<Blake3Family>("fibonacci", 4),
        ],
        2,
    );
}

#[test]
#[ignore = "215 s of CPU time: cargo test -p droste-verifier --test aggregate -- --ignored"]
fn a_chain_of_depth_5_and_a_tree_of_8_leaves() {
    chain_and_tree(
        &[
            wrapped::<Poseidon16Family>("factorial", 2),
            wrapped::<Blake3Family>("factorial", 3),
            wrapped::<KeccakFamily>("factorial", 4),
            wrapped::<Poseidon16Family>("fibonacci", 2),
            wrapped::<Blake3Family>("fibonacci", 3),
            wrapped::<KeccakFamily>("fibonacci", 4),
            wrapped::<Poseidon16Family>("factorial", 5),
            wrapped::<Blake3Family>("fibonacci", 5),
        ],
        5,
    );
}
