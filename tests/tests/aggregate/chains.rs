//! Chains and trees of proofs, the final verification, and files of aggregates.

use std::time::Instant;

use droste_native::codec::{DecodeError, encode_body};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{Blake3Suite, EF, F, FriSettings, KeccakSuite, Poseidon16Suite};
use droste_verifier::aggregate::{
    AcceptError, Aggregate, AggregateError, AggregateOptions, Aggregator, Step, UnverifiedAggregate,
};
use droste_verifier::claim::{Claim, ClaimError};
use droste_verifier::file::{self, FileError};
use droste_verifier::keys::{ClaimedKeys, Deriver, KeysError};
use droste_verifier::resources::cpu_time;
use droste_vm::verifier::VerifyError;
use p3_field::PrimeCharacteristicRing;

use crate::{ANY, TOYS, Toys, accept, aggregator, copy, leaf, unverified, verified, wrapped};

#[test]
fn joins_of_joins_have_one_key() {
    let aggregator = aggregator();
    assert!(matches!(
        aggregator.join(vec![]),
        Err(AggregateError::Empty)
    ));
    let Toys {
        wraps,
        inner,
        outer,
    } = &*TOYS;
    let again = aggregator.join(vec![copy(inner), copy(&wraps[1])]).unwrap();
    assert_eq!(
        outer.proof().key.digest(),
        again.steps()[0].report.key,
        "the fixed point of recursion"
    );
    // The keys of a wrap and of a join; further joins add no key.
    assert_eq!(outer.keys().iter().len(), 2);
    assert_eq!(outer.key(), again.key());
    accept(outer);
    accept(&again);
    // Three leaves, three wraps and two joins, all of toy security.
    assert_eq!(outer.accepted().proofs, 8);
    assert!(outer.accepted().tree_bits < outer.accepted().bits);

    the_end_of_a_chain_is_checked(outer, &again);
    files_are_read_as_written(outer);
    what_does_not_verify_is_no_aggregate(&wraps[0]);
    // Aggregates of another aggregator are refused.
    let other = Aggregator::for_preset(Preset::Proven100, 2);
    assert!(matches!(
        other.join(vec![copy(&wraps[0])]),
        Err(AggregateError::OtherShape { child: 0, .. })
    ));
}

/// The second of two equal joins reuses what the first compiled and committed to, and makes the
/// same proof. So does another aggregator, which compiles the program itself.
fn joins_twice(preset: Preset, wraps: [&Aggregate; 2], of_another: &Aggregate) {
    let aggregator = Aggregator::for_preset(preset, 2);
    for round in 1..=2 {
        let children = wraps.map(copy).into();
        let (wall, cpu) = (Instant::now(), cpu_time());
        let joined = aggregator.clone().join(children).unwrap();
        let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
        let Step { compile, prove, .. } = joined.steps()[0];
        println!(
            "join {round} at {preset}: {wall:.2?}, {cpu:.2?} of CPU time; compile {compile:.2?}, prove {prove:.2?}"
        );
        assert_eq!(aggregator.circuits().compiled(), 1);
        assert_eq!(
            file::encode(&joined).unwrap(),
            file::encode(of_another).unwrap()
        );
    }
}

#[test]
fn a_second_join_compiles_nothing() {
    let Toys { wraps, inner, .. } = &*TOYS;
    joins_twice(Preset::Toy, wraps.each_ref(), inner);
}

#[test]
#[ignore = "two wraps and three joins at 100 bits, minutes: cargo test -p droste-tests --test aggregate proven_security -- --ignored"]
fn a_second_join_of_proven_security_compiles_nothing() {
    let preset = Preset::Proven100;
    let aggregator = Aggregator::for_preset(preset, 2);
    let wraps = [5, 6].map(|n| {
        let leaf = leaf::<Poseidon16Suite>("factorial", n, preset.settings(2).unwrap());
        aggregator.wrap(&verified(leaf)).unwrap()
    });
    let joined = aggregator.join(wraps.each_ref().map(copy).into()).unwrap();
    // Apart from the join's, one circuit per step was compiled: both wraps use the same ones.
    let wrapped = aggregator.circuits().compiled() - 1;
    assert_eq!(wrapped, wraps[0].steps().len());
    joins_twice(preset, wraps.each_ref(), &joined);
}

fn the_end_of_a_chain_is_checked(outer: &Aggregate, other: &Aggregate) {
    let (key, claim) = (outer.key(), outer.claim());
    let changed = |change: &dyn Fn(&mut UnverifiedAggregate)| {
        let mut aggregate = unverified(outer);
        change(&mut aggregate);
        aggregate
            .verify(key, &claim, AggregateOptions::min_bits(0), ANY)
            .unwrap_err()
    };
    let children = |aggregate: &mut UnverifiedAggregate| match &mut aggregate.tree.claim {
        Claim::Children(children) => std::mem::take(children),
        Claim::Statement(_) => vec![],
    };
    unverified(outer)
        .verify(key, &claim, AggregateOptions::min_bits(0), ANY)
        .unwrap();

    // Another claim is refused, and so is the tree of another claim.
    assert!(matches!(
        unverified(other).verify(key, &claim, AggregateOptions::min_bits(0), ANY),
        Err(AcceptError::OtherClaim { .. })
    ));
    let error = changed(&|aggregate| aggregate.tree = other.tree().clone());
    assert!(matches!(error, AcceptError::Claim(ClaimError::Digest)));
    let error = changed(&|aggregate| {
        let mut swapped = children(aggregate);
        swapped.reverse();
        aggregate.tree.claim = Claim::Children(swapped);
    });
    assert!(matches!(error, AcceptError::Claim(ClaimError::Digest)));
    let error = changed(&|aggregate| aggregate.tree.key = other.tree().leaves()[0].0);
    assert!(matches!(error, AcceptError::Claim(ClaimError::Root { .. })));

    // A tree that is cut off is refused: its digests are right, but it does not show what is below.
    let error = changed(&|aggregate| aggregate.tree.claim = Claim::Statement(claim));
    assert!(matches!(error, AcceptError::Claim(ClaimError::Hidden(_))));
    let error = changed(&|aggregate| {
        let mut cut = children(aggregate);
        cut[0].claim = Claim::Statement(cut[0].claim.statement());
        aggregate.tree.claim = Claim::Children(cut);
    });
    assert!(matches!(error, AcceptError::Claim(ClaimError::Hidden(_))));

    // Other recursion keys are refused.
    let digest = |error: &AcceptError| matches!(error, AcceptError::Keys(KeysError::Digest { expected, .. }) if *expected == key);
    let error = changed(&|aggregate| {
        let (_, listed) = aggregate.keys.iter().next().unwrap();
        let recipe = listed.recipe.clone();
        aggregate
            .keys
            .insert(other.tree().leaves()[0].0, 100, recipe);
    });
    assert!(digest(&error), "{error}");
    let error = changed(&|aggregate| aggregate.keys = Default::default());
    assert!(digest(&error), "{error}");
    let mut unlisted = unverified(outer);
    unlisted.keys = Default::default();
    let none = unlisted.key();
    assert!(matches!(
        unlisted.verify(none, &claim, AggregateOptions::min_bits(0), ANY),
        Err(AcceptError::Claim(ClaimError::Recursion(_)))
    ));

    // Another proof under the same key is refused.
    let error = changed(&|aggregate| {
        let mut of_other = unverified(other).proof;
        std::mem::swap(&mut aggregate.proof.stark, &mut of_other.stark);
    });
    assert!(matches!(error, AcceptError::Verify(_)), "{error}");
}

fn files_are_read_as_written(aggregate: &Aggregate) {
    let honest = file::encode(aggregate).unwrap();
    assert!(file::is_aggregate(&honest));
    let read = file::decode(&honest).unwrap();
    assert_eq!(
        (&read.tree, &read.keys),
        (aggregate.tree(), aggregate.keys().claimed())
    );
    assert_eq!(file::encode_unverified(&read).unwrap(), honest);
    let error = |bytes: &[u8]| file::decode(bytes).unwrap_err();
    let with = |at: usize, byte: u8| {
        let mut bytes = honest.clone();
        bytes[at] = byte;
        error(&bytes)
    };
    assert_eq!(with(7, b'p'), FileError::Magic);
    // Version 1 had keys without recipes, version 2 a key in every node, versions to 4 proofs over
    // FRI, version 5 no nonces before lookups.
    for found in [1, 2, 3, 4, 5, 9] {
        assert_eq!(with(8, found), FileError::Version(found.into()));
    }
    // The number of keys follows the header, and its encoding must be the shortest.
    assert_eq!(honest[12], 2);
    let mut longer = honest[..12].to_vec();
    longer.extend([251, 2, 0]);
    longer.extend(&honest[13..]);
    assert_eq!(error(&longer), FileError::NotCanonical);
    // Keys in descending order are refused. Each is 32 bytes, one byte of bits, and a recipe.
    let keys = read.keys.iter();
    let lengths: Vec<usize> = keys
        .map(|(_, listed)| 33 + encode_body(vec![], &listed.recipe).unwrap().len())
        .collect();
    let mut swapped = honest.clone();
    swapped[13..13 + lengths[0] + lengths[1]].rotate_left(lengths[0]);
    assert_eq!(error(&swapped), FileError::NotCanonical);
    let mut longer = honest.clone();
    longer.push(0);
    assert_eq!(
        error(&longer),
        FileError::Decode(DecodeError::TrailingBytes(1))
    );
    let mut longest = honest.clone();
    longest.resize(file::MAX_BYTES + 1, 0);
    let long = error(&longest);
    assert!(
        matches!(long, FileError::Decode(DecodeError::TooLong { .. })),
        "{long}"
    );
    for length in (0..honest.len()).step_by(honest.len() / 60) {
        error(&honest[..length]);
    }
    // Damaged lengths do not lead to large allocations.
    for at in 12..400 {
        let mut bytes = honest[..at].to_vec();
        bytes.push(253);
        bytes.extend((1u64 << 60).to_le_bytes());
        bytes.extend(&honest[at + 1..]);
        let Ok(read) = file::decode(&bytes) else {
            continue;
        };
        // The digest of a set binds keys and bits, not recipes.
        let keys = read.keys.clone();
        if let Ok(read) = read.verify(
            aggregate.key(),
            &aggregate.claim(),
            AggregateOptions::min_bits(0),
            ANY,
        ) {
            assert!(read.keys().iter().eq(aggregate.keys().iter()));
            Deriver::new().derive(&keys).unwrap_err();
        }
    }
}

/// An aggregate that does not verify cannot be joined.
fn what_does_not_verify_is_no_aggregate(child: &Aggregate) {
    let rejected = |change: &dyn Fn(&mut UnverifiedAggregate)| {
        let mut aggregate = unverified(child);
        change(&mut aggregate);
        aggregate
            .pinned(child.key(), AggregateOptions::min_bits(0), ANY)
            .unwrap_err()
    };
    // Impossible heights are refused before anything is allocated for them.
    for log_height in [3, 40, usize::MAX] {
        let error = rejected(&|aggregate| {
            aggregate.proof.log_heights[0] = log_height;
        });
        let heights = matches!(error, AcceptError::Verify(VerifyError::Heights { .. }));
        assert!(heights, "{error:?}");
    }
    let error = rejected(&|aggregate| {
        aggregate.proof.statement[0] += F::ONE;
    });
    let digest = matches!(error, AcceptError::Claim(ClaimError::Digest));
    assert!(digest, "{error:?}");
    let error = rejected(&|aggregate| {
        aggregate.proof.stark.opening.final_polynomial.forge()[0] += EF::ONE;
    });
    let opening = matches!(error, AcceptError::Verify(VerifyError::WhirOpening(_)));
    assert!(opening, "{error:?}");
    // A key of another program.
    let error = rejected(&|aggregate| aggregate.proof.key.program[0][0] += F::ONE);
    let root = matches!(error, AcceptError::Claim(ClaimError::Root { .. }));
    assert!(root, "{error:?}");
}

/// The root has the required bits, but a proof below it does not.
#[test]
fn a_toy_child_below_a_stronger_root_is_rejected() {
    let weak = FriSettings {
        num_queries: 2,
        ..FriSettings::toy()
    };
    let leaf = leaf::<Poseidon16Suite>("factorial", 5, weak);
    let aggregator = Aggregator::new(WhirSettings::toy(), vec![]);
    let aggregate = aggregator.first_step(&verified(leaf)).unwrap();
    let (key, claim) = (aggregate.key(), aggregate.claim());
    let verify =
        |bits| unverified(&aggregate).verify(key, &claim, AggregateOptions::min_bits(bits), ANY);
    let accepted = aggregate.accepted();
    let root = accepted.root.security.bits();
    assert!(accepted.bits < root);
    let error = verify(root).unwrap_err();
    let AcceptError::Claim(ClaimError::Security { found, .. }) = error else {
        panic!("{error}");
    };
    assert_eq!(found, accepted.bits);
    verify(found).unwrap();
    // The bits are part of the digest that the caller gives.
    let mut boasting = unverified(&aggregate);
    let (own, listed) = boasting.keys.iter().next().unwrap();
    let mut more = ClaimedKeys::default();
    more.insert(own, root, listed.recipe.clone());
    boasting.keys = more;
    assert!(matches!(
        boasting.verify(key, &claim, AggregateOptions::min_bits(root), ANY),
        Err(AcceptError::Keys(KeysError::Digest { .. }))
    ));
}

/// A chain of joins, each of the one before and one more proof, and a tree of joins end with the
/// same key digest and with one claim each.
fn chain_and_tree(wraps: &[Aggregate], depth: usize) {
    let aggregator = aggregator();
    let join = |children: &[&Aggregate]| {
        let children = children.iter().copied().map(copy).collect();
        aggregator.join(children).unwrap()
    };
    // Both begin with this join.
    let pair = join(&[&wraps[0], &wraps[1]]);
    let mut leaves = pair.tree().leaves();
    let mut chain = copy(&pair);
    for step in 2..=depth {
        let next = &wraps[step % wraps.len()];
        leaves.extend(next.tree().leaves());
        chain = join(&[&chain, next]);
    }
    assert_eq!(chain.tree().leaves(), leaves);
    accept(&chain);

    let joins = |level: &[Aggregate]| -> Vec<Aggregate> {
        let pairs = level.chunks(2);
        pairs.map(|pair| join(&[&pair[0], &pair[1]])).collect()
    };
    let mut level = vec![pair];
    level.extend(joins(&wraps[2..]));
    while level.len() > 1 {
        level = joins(&level);
    }
    let leaves: Vec<_> = wraps.iter().flat_map(|wrap| wrap.tree().leaves()).collect();
    assert_eq!(level[0].tree().leaves(), leaves);
    accept(&level[0]);
    // The digest of the chain's keys also verifies the tree.
    let verify = |claim| {
        unverified(&level[0]).verify(chain.key(), &claim, AggregateOptions::min_bits(0), ANY)
    };
    verify(level[0].claim()).unwrap();
    assert!(verify(chain.claim()).is_err());
}

#[test]
fn a_chain_and_a_tree_of_mixed_hashes_and_programs() {
    chain_and_tree(
        &[
            wrapped::<Poseidon16Suite>("factorial", 5),
            wrapped::<Blake3Suite>("fibonacci", 4),
        ],
        2,
    );
}

#[test]
#[ignore = "215 s of CPU time: cargo test -p droste-tests --test aggregate -- --ignored"]
fn a_chain_of_depth_5_and_a_tree_of_8_leaves() {
    chain_and_tree(
        &[
            wrapped::<Poseidon16Suite>("factorial", 2),
            wrapped::<Blake3Suite>("factorial", 3),
            wrapped::<KeccakSuite>("factorial", 4),
            wrapped::<Poseidon16Suite>("fibonacci", 2),
            wrapped::<Blake3Suite>("fibonacci", 3),
            wrapped::<KeccakSuite>("fibonacci", 4),
            wrapped::<Poseidon16Suite>("factorial", 5),
            wrapped::<Blake3Suite>("fibonacci", 5),
        ],
        5,
    );
}
