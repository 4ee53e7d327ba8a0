//! Key sets in files are trusted only if their keys are derived again.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use droste_air::test_utils::peak;
use droste_gadgets::SOURCES;
use droste_native::{F, FriSettings, HashId};
use droste_verifier::aggregate::{AcceptError, Aggregate, AggregateOptions, UnverifiedAggregate};
use droste_verifier::circuit::{CircuitError, PRECOMPILES};
use droste_verifier::claim::{Claim, ClaimError, ClaimTree, MAX_DEPTH, MAX_NODES};
use droste_verifier::file;
use droste_verifier::keys::{
    Cache, ChildShape, Children, ClaimedKeys, Deriver, KeysError, ListedKey, MAX_CHILDREN,
    MAX_COST, Recipe, RecipeError,
};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::whir::ProvingKey;
use p3_field::PrimeCharacteristicRing;

use crate::{ANY, TOYS, aggregator, copy, cost, fri, unverified, whir};

/// One deriver for all tests of this file, so that each key is derived once.
static DERIVER: LazyLock<Deriver> = LazyLock::new(Deriver::new);

/// Changes a recipe, the shape of its children or their number.
type Change = fn(&mut Recipe, &mut ChildShape, &mut usize);

fn changed(recipe: &Recipe, change: Change) -> Recipe {
    let mut recipe = recipe.clone();
    let Children::Programs {
        mut shape,
        mut count,
    } = recipe.children.clone()
    else {
        panic!("{recipe:?}");
    };
    change(&mut recipe, &mut shape, &mut count);
    recipe.children = Children::Programs { shape, count };
    recipe
}

/// The recursion key of an aggregate for this number of children, and what is listed with it.
fn listed(aggregate: &Aggregate, children: usize) -> (KeyDigest, ListedKey) {
    let of = |listed: &ListedKey| match &listed.recipe.children {
        Children::Programs { count, .. } => *count == children,
        Children::Airs { .. }
        | Children::Paths(_)
        | Children::Calls(_)
        | Children::OwnMachine { .. }
        | Children::Opened { .. }
        | Children::OpenedAirs { .. } => false,
    };
    let keys = aggregate.keys().claimed().iter();
    let (key, listed) = keys.filter(|(_, key)| of(key)).last().unwrap();
    (key, listed.clone())
}

/// A copy of a list in which one key's entry is changed.
fn with(claimed: &ClaimedKeys, key: KeyDigest, change: ListedKey) -> ClaimedKeys {
    let mut keys = ClaimedKeys::default();
    for (other, listed) in claimed.iter() {
        let listed = if other == key { &change } else { listed };
        keys.insert(other, listed.bits, listed.recipe.clone());
    }
    keys
}

#[test]
fn honest_keys_are_derived() {
    let outer = &TOYS.outer;
    let start = Instant::now();
    let derived = unverified(outer).derive(&DERIVER, ANY).unwrap();
    println!("two keys derived in {:?}", start.elapsed());
    assert_eq!(derived.keys(), outer.keys());
    assert_eq!(derived.accepted(), outer.accepted());
    // The join's key can be derived without any proof.
    let (join, of_join) = listed(outer, 2);
    let recipe = aggregator().join_recipe(2).unwrap();
    assert_eq!(recipe, of_join.recipe);
    assert_eq!(DERIVER.key(&recipe).unwrap(), (join, of_join.bits));
}

/// The proof of a program that verifies nothing and reveals the claim of a proof that does not
/// exist.
fn forged() -> UnverifiedAggregate {
    let (factorial, _) = TOYS.wraps[0].tree().leaves()[0];
    let statement = [5, 999, 0, 0, 0, 0, 0, 0].map(F::new);
    let claim = Claim::Children(vec![ClaimTree {
        key: factorial,
        claim: Claim::Statement(statement),
    }]);
    let reveals: Vec<String> = claim
        .statement()
        .iter()
        .map(|lane| format!("    reveal(Felt::new({lane}));\n"))
        .collect();
    let text = format!(
        "use droste_gadgets::prelude::*;\npub fn main() {{\n{}}}\n",
        reveals.concat()
    );
    let compiled = compile(&text, SOURCES).unwrap();
    let execution = execute(&compiled, &[], &Tape::default(), 1 << 16).unwrap();
    let aggregator = aggregator();
    let key = ProvingKey::<StandardTables>::with_precompiles(
        &compiled.program,
        &BTreeSet::from(PRECOMPILES),
        *aggregator.settings(),
        Heights::Exact(aggregator.log_heights().to_vec()),
    )
    .unwrap();
    let proof = key.prove_run(&execution).unwrap();
    let tree = ClaimTree {
        key: proof.key.digest(),
        claim,
    };
    let mut keys = ClaimedKeys::default();
    let (_, wrap) = listed(&TOYS.wraps[0], 1);
    keys.insert(tree.key, 250, wrap.recipe);
    UnverifiedAggregate { proof, tree, keys }
}

/// A forged claim under the forger's own key, listed with 250 bits, is refused although everything
/// else about it is right.
#[test]
fn forged_keys_launder_nothing() {
    let forgery = forged();
    let key = forgery.tree.key;
    forgery.check().unwrap();
    let names_it = |refusal: &AcceptError| {
        matches!(refusal, AcceptError::Keys(KeysError::Forged { key: named, .. }) if *named == key)
            && refusal.to_string().contains(&key.to_string())
    };
    let refused = |aggregate: UnverifiedAggregate| aggregate.derive(&DERIVER, ANY).unwrap_err();

    // The forger pins the digest of the forged set and joins the forgery with an honest aggregate.
    let honest = &TOYS.wraps[0];
    let poisonous = forgery.key();
    let children = vec![
        copy(honest),
        forgery
            .pinned(poisonous, AggregateOptions::min_bits(0), ANY)
            .unwrap(),
    ];
    let poisoned = aggregator().join(children).unwrap();
    assert_eq!(poisoned.keys().iter().len(), 3);
    assert_eq!(poisoned.keys().bits(key), Some(250));
    // Nobody else accepts the result, though its proof is valid.
    unverified(&poisoned).check().unwrap();
    let refusal = refused(unverified(&poisoned));
    assert!(names_it(&refusal), "{refusal}");

    // The forger's key in the set of an honest aggregate that does not use it.
    let mut added = unverified(honest);
    let (_, wrap) = listed(honest, 1);
    added.keys.insert(key, 250, wrap.recipe);
    let unused = |refusal: &AcceptError| matches!(refusal, AcceptError::Claim(ClaimError::Unused(named)) if *named == key);
    let digest = added.key();
    let refusal = refused(added);
    assert!(unused(&refusal), "{refusal}");
    // This is refused even if the digest of the changed set is pinned.
    let mut added = unverified(honest);
    let (_, wrap) = listed(honest, 1);
    added.keys.insert(key, 250, wrap.recipe);
    let refusal = added
        .verify(digest, &honest.claim(), AggregateOptions::min_bits(0), ANY)
        .unwrap_err();
    assert!(unused(&refusal), "{refusal}");
}

/// A file in which the byte of a key's bits is changed is refused.
#[test]
fn listed_bits_are_computed_anew() {
    let wrap = &TOYS.wraps[0];
    let mut bytes = file::encode(wrap).unwrap();
    // Header, number of keys and the first key's digest come before it.
    let place = 12 + 1 + 32;
    let (key, of_wrap) = listed(wrap, 1);
    assert_eq!(usize::from(bytes[place]), of_wrap.bits);
    bytes[place] = 250;
    let boasting = file::decode(&bytes).unwrap();
    assert_eq!(boasting.keys.bits(key), Some(250));
    let refusal = boasting.derive(&DERIVER, ANY).unwrap_err();
    let AcceptError::Keys(KeysError::Bits {
        key: named,
        listed,
        found,
    }) = refusal
    else {
        panic!("{refusal}");
    };
    assert_eq!((named, listed, found), (key, 250, of_wrap.bits));
}

/// A file whose digest is pinned may list false recipes. After a join with an aggregate whose keys
/// were derived, the derived recipes are kept, so that the keys can be derived again.
#[test]
fn derived_recipes_outlive_pinned_ones() {
    let [one, other] = &TOYS.wraps;
    let (key, mut wrap) = listed(one, 1);
    wrap.recipe.settings.security_level += 1;
    let mut altered = unverified(one);
    altered.keys = with(&altered.keys, key, wrap);
    let pinned = altered
        .pinned(one.key(), AggregateOptions::min_bits(0), ANY)
        .unwrap();
    let derived = unverified(other).derive(&DERIVER, ANY).unwrap();
    let joined = aggregator().join(vec![pinned, derived]).unwrap();
    assert_eq!(joined.keys(), TOYS.inner.keys());
    unverified(&joined).derive(&DERIVER, ANY).unwrap();
}

/// A change of any part of a recipe changes the derived key.
#[test]
fn altered_recipes_have_other_keys() {
    let of_wraps: [Change; 5] = [
        |recipe, _, _| recipe.settings.security_level += 1,
        |recipe, _, _| recipe.heights = Heights::Minimal,
        |_, shape, _| fri(&mut shape.settings).num_queries += 1,
        |_, shape, _| shape.log_heights[0] += 1,
        |_, shape, _| shape.fixed = true,
    ];
    let of_joins: [Change; 3] = [
        |_, shape, _| whir(&mut shape.settings).security_level += 1,
        |_, shape, _| shape.fixed = false,
        |_, _, count| *count += 1,
    ];
    let of_wraps = of_wraps.map(|change| (&TOYS.wraps[0], 1, change));
    let of_joins = of_joins.map(|change| (&TOYS.inner, 2, change));
    for (index, (aggregate, children, change)) in of_wraps.into_iter().chain(of_joins).enumerate() {
        let (key, honest) = listed(aggregate, children);
        let recipe = changed(&honest.recipe, change);
        let altered = ListedKey {
            recipe,
            bits: honest.bits,
        };
        let mut forgery = unverified(aggregate);
        forgery.keys = with(&forgery.keys, key, altered);
        // The digest of the set depends on keys and bits only.
        assert_eq!(forgery.key(), aggregate.key());
        let refusal = forgery.derive(&DERIVER, ANY).unwrap_err();
        let forged = matches!(refusal, AcceptError::Keys(KeysError::Forged { key: named, .. }) if named == key);
        assert!(forged, "{index}: {refusal}");
    }
}

/// Recipes with oversized numbers are refused before anything is generated, with an error that
/// names the number.
#[test]
fn hostile_recipes_cost_nothing() {
    let too_large: [Change; 11] = [
        |_, _, count| *count = 1_000_000_000,
        // Leaves are wrapped one by one.
        |_, _, count| *count = 2,
        |recipe, _, _| recipe.heights = Heights::Uniform(60),
        |recipe, _, _| recipe.heights = Heights::Exact(vec![60; 7]),
        |recipe, _, _| recipe.heights = Heights::Exact(vec![6; 1 << 20]),
        |_, shape, _| shape.tables = vec!["cpu".into(); 1 << 20],
        |_, shape, _| fri(&mut shape.settings).cap_height = 16,
        |_, shape, _| fri(&mut shape.settings).log_final_poly_len = 16,
        |_, shape, _| fri(&mut shape.settings).max_log_arity = 8,
        // Every number is within its limit, but together they would take minutes.
        |_, shape, count| {
            *shape = cost::widest_over_whir();
            *count = MAX_CHILDREN;
        },
        |recipe, shape, _| {
            *shape = cost::widest();
            shape.hash = HashId::Keccak;
            recipe.heights = Heights::Uniform(20);
            fri(&mut shape.settings).max_log_arity = 1;
        },
    ];
    let others: [Change; 10] = [
        |_, _, count| *count = 0,
        |recipe, _, _| recipe.settings.security_level = usize::MAX,
        |recipe, _, _| recipe.settings.log_blowup = 60,
        |_, shape, _| fri(&mut shape.settings).log_blowup = usize::MAX,
        |_, shape, _| fri(&mut shape.settings).cap_height = usize::MAX,
        |_, shape, _| shape.log_heights = vec![],
        |_, shape, _| shape.log_heights.fill(60),
        |_, shape, _| shape.log_heights[0] = usize::MAX,
        |_, shape, _| shape.tables.swap(0, 1),
        |_, shape, _| shape.hash = HashId::Keccak,
    ];
    let (key, honest) = listed(&TOYS.wraps[0], 1);
    let refuse = |change: Change| {
        let recipe = changed(&honest.recipe, change);
        let mut keys = ClaimedKeys::default();
        keys.insert(key, honest.bits, recipe);
        peak(|| Deriver::new().derive(&keys).unwrap_err())
    };
    let start = Instant::now();
    for (index, change) in too_large.into_iter().enumerate() {
        let (refusal, taken) = refuse(change);
        assert!(taken <= 1 << 16, "{index}: {taken} bytes");
        let KeysError::Recipe { key: named, source } = &refusal else {
            panic!("{index}: {refusal}");
        };
        let large = matches!(**source, RecipeError::TooLarge { .. });
        assert!(*named == key && large, "{index}: {refusal}");
    }
    // Each key is within the limit, but all together exceed it.
    let mut keys = ClaimedKeys::default();
    let mut sum = 0;
    let (_, of_join) = listed(&TOYS.inner, 2);
    for number in 0..64 {
        let mut recipe = of_join.recipe.clone();
        if let Children::Programs { count, .. } = &mut recipe.children {
            *count = MAX_CHILDREN;
        }
        recipe.check().unwrap();
        sum += recipe.cost();
        keys.insert(KeyDigest([F::new(number); 8]), honest.bits, recipe);
    }
    let (refusal, taken) = peak(|| Deriver::new().derive(&keys).unwrap_err());
    assert!(
        matches!(refusal, KeysError::Cost { found } if found == sum && found > MAX_COST),
        "{refusal}"
    );
    let remedy = "pin the key set (`droste join --key-set DIGEST`)";
    assert!(refusal.to_string().contains(remedy), "{refusal}");
    assert!(taken <= 1 << 16, "{taken} bytes");
    assert!(start.elapsed() < Duration::from_millis(500));
    for (index, change) in others.into_iter().enumerate() {
        let (refusal, _) = refuse(change);
        let recipe = matches!(&refusal, KeysError::Recipe { key: named, .. } if *named == key);
        // With another hash the shape is valid too, but belongs to another program, whose key
        // differs.
        let other_hash = index == 9 && matches!(refusal, KeysError::Forged { .. });
        assert!(recipe || other_hash, "{index}: {refusal}");
    }
}

/// The same for recipes of joins.
#[test]
fn hostile_recipes_of_joins_are_refused() {
    let (_, honest) = listed(&TOYS.inner, 2);
    let changed = |change: &dyn Fn(&mut Recipe, &mut ChildShape)| {
        let mut recipe = honest.recipe.clone();
        let Children::Programs { mut shape, count } = recipe.children.clone() else {
            panic!("{recipe:?}");
        };
        change(&mut recipe, &mut shape);
        recipe.children = Children::Programs { shape, count };
        recipe
    };
    changed(&|_, _| ()).check().unwrap();
    type Change = fn(&mut Recipe, &mut ChildShape);
    let out_of_range: [Change; 7] = [
        |recipe, _| recipe.settings.log_block = 60,
        |recipe, _| recipe.settings.log_blowup = 8,
        |recipe, _| recipe.settings.security_level = 0,
        |_, shape| whir(&mut shape.settings).cap_height = 16,
        |_, shape| whir(&mut shape.settings).later_fold = 8,
        |_, shape| whir(&mut shape.settings).log_block = usize::MAX,
        |_, shape| shape.hash = HashId::Keccak,
    ];
    for (number, change) in out_of_range.into_iter().enumerate() {
        let refusal = changed(&change).check().unwrap_err();
        let by_name = matches!(
            refusal,
            RecipeError::Settings(_) | RecipeError::TooLarge { .. }
        );
        assert!(by_name, "{number}: {refusal}");
    }
    // Tables in an order that no machine has.
    let other = changed(&|_, shape| shape.tables[1] = "keccak".to_owned());
    let refusal = other.derive().unwrap_err();
    let machine = matches!(refusal, RecipeError::Circuit(CircuitError::ChildMachine(_)));
    assert!(machine, "{refusal}");
}

/// Lists in recipes that exceed the limits are refused by their length, before they are read: an
/// empty name takes one byte of a file, but 24 of memory.
#[test]
fn long_lists_in_recipes_are_not_read() {
    type Change = fn(&mut Recipe, &mut ChildShape);
    let changes: [Change; 3] = [
        |_, shape| shape.tables = vec![String::new(); 1 << 20],
        |_, shape| shape.log_heights = vec![6; 1 << 20],
        |recipe, _| recipe.heights = Heights::Exact(vec![6; 1 << 20]),
    ];
    let wrap = &TOYS.wraps[0];
    let (key, honest) = listed(wrap, 1);
    for (index, change) in changes.into_iter().enumerate() {
        let mut altered = honest.clone();
        let Children::Programs { mut shape, count } = altered.recipe.children.clone() else {
            panic!("{altered:?}");
        };
        change(&mut altered.recipe, &mut shape);
        altered.recipe.children = Children::Programs { shape, count };
        let mut aggregate = unverified(wrap);
        aggregate.keys = with(&aggregate.keys, key, altered);
        let bytes = file::encode_unverified(&aggregate).unwrap();
        let (refusal, taken) = peak(|| file::decode(&bytes).unwrap_err());
        assert!(
            refusal.to_string().contains("elements"),
            "{index}: {refusal}"
        );
        assert!(taken <= 1 << 20, "{index}: {taken} bytes");
    }
}

/// Of the 16 bytes of memory that lists may take per byte of an aggregate, aggregates take less
/// than a quarter, all that decoding allocates included.
#[test]
fn aggregates_are_far_from_the_budget_of_memory() {
    let aggregates = TOYS.wraps.iter().chain([&TOYS.inner]);
    for aggregate in aggregates.map(unverified) {
        let bytes = file::encode_unverified(&aggregate).unwrap();
        let (read, taken) = peak(|| file::decode(&bytes).unwrap());
        assert_eq!(read.tree, aggregate.tree);
        println!("{} bytes, {taken} bytes of memory", bytes.len());
        assert!(taken <= 4 * bytes.len(), "{taken} bytes");
    }
}

/// The largest tree of the nodes that take the fewest bytes in a file: long chains.
#[test]
fn the_largest_tree_takes_no_more_memory_than_stated() {
    let wrap = &TOYS.wraps[0];
    let key = wrap.tree().key;
    let node = |children| ClaimTree {
        key,
        claim: Claim::Children(children),
    };
    let leaf = ClaimTree {
        key: KeyDigest([F::ONE; 8]),
        claim: Claim::Statement([F::TWO; 8]),
    };
    let chain = (2..MAX_DEPTH).fold(leaf.clone(), |tree, _| node(vec![tree]));
    let chains = (MAX_NODES - 1) / (MAX_DEPTH - 1);
    let mut children = vec![chain; chains];
    children.resize(chains + (MAX_NODES - 1) % (MAX_DEPTH - 1), leaf);
    let mut aggregate = unverified(wrap);
    aggregate.tree = node(children);
    assert_eq!(aggregate.tree.nodes().count(), MAX_NODES);
    assert_eq!(aggregate.tree.depth(), MAX_DEPTH);
    let bytes = file::encode_unverified(&aggregate).unwrap();
    let (read, taken) = peak(|| file::decode(&bytes).unwrap());
    assert_eq!(read.tree, aggregate.tree);
    println!("{} bytes, {taken} bytes of memory", bytes.len());
    assert!(taken <= 160 * MAX_NODES, "{taken} bytes");
    // Leaves with a key each take more bytes of the file, too, so that fewer fit one.
    let leaves = file::MAX_BYTES / 72;
    let distinct = |number: usize| ClaimTree {
        key: KeyDigest(std::array::from_fn(|digit| {
            F::from_usize(number / 128_usize.pow(digit.min(3) as u32) % 128)
        })),
        claim: Claim::Statement([F::TWO; 8]),
    };
    let mut wide = unverified(wrap);
    wide.tree = node((0..leaves).map(distinct).collect());
    let bytes = file::encode_unverified(&wide).unwrap();
    let (read, taken) = peak(|| file::decode(&bytes).unwrap());
    println!("{} bytes, {taken} bytes of memory", bytes.len());
    assert!(taken <= 400 * leaves, "{taken} bytes");
    assert_eq!(read.tree, wide.tree);
    // Every walk over such a tree ends, here with the first thing that is wrong about it.
    let refusal = aggregate
        .verify(
            wrap.key(),
            &wrap.claim(),
            AggregateOptions::min_bits(0),
            ANY,
        )
        .unwrap_err();
    let digest = matches!(refusal, AcceptError::Claim(ClaimError::Digest));
    assert!(digest, "{refusal}");
}

#[test]
fn derived_keys_are_kept_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    let cache = || Some(Cache::in_folder(path.clone()).unwrap());
    let aggregate = &TOYS.inner;
    let derive = || unverified(aggregate).derive(&Deriver::new().with_cache(cache()), ANY);
    let entries = || {
        let entries = fs::read_dir(&path).unwrap();
        let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries
    };
    derive().unwrap();
    let files = entries();
    assert_eq!(files.len(), 2);
    let start = Instant::now();
    assert_eq!(derive().unwrap().keys(), aggregate.keys());
    println!("from disk in {:?}", start.elapsed());
    // A damaged file is written again.
    let written = fs::read(&files[0]).unwrap();
    fs::write(&files[0], &written[1..]).unwrap();
    derive().unwrap();
    assert_eq!((fs::read(&files[0]).unwrap(), entries()), (written, files));
}

/// A recipe whose settings give no security is derived with the bits that it has.
#[test]
fn bits_are_those_of_the_shape() {
    let (_, of_wrap) = listed(&TOYS.wraps[0], 1);
    let Children::Programs { shape, count } = of_wrap.recipe.children.clone() else {
        panic!("{of_wrap:?}");
    };
    let weaker = Recipe {
        children: Children::Programs {
            shape: ChildShape {
                settings: FriSettings {
                    num_queries: 1,
                    ..*fri(&mut shape.settings.clone())
                }
                .into(),
                ..shape
            },
            count,
        },
        ..of_wrap.recipe
    };
    let (_, bits) = DERIVER.key(&weaker).unwrap();
    assert!(bits < of_wrap.bits, "{bits}");
}
