//! Families: what binds a node to the list of its fold's rules, what the list says of bits, and folds
//! as leaves of aggregates.

use std::sync::Arc;

use droste_verifier::claim::ClaimError;
use droste_verifier::fold::{
    FamilyRecipe, FoldLeafError, LeafKindError, LeafProgram, RefusedFold, statement,
};
use droste_verifier::keys::Deriver;

use super::*;

/// A rule without nodes, honestly run on a leaf, under a list in which the key of another rule is
/// that of a program without checks, and which states many bits.
fn evil() -> &'static Folded {
    static EVIL: LazyLock<Folded> = LazyLock::new(|| {
        let Chain { fold, leaves, .. } = &*CHAIN;
        let leaf = &leaves[2];
        let mut keys = fold.family().keys.clone();
        keys.retain(|key| *key != CHAIN.merged.rule());
        keys.push(says(fold, lanes(0)).key.digest());
        let family = Family::new(256, 256, keys).unwrap();
        let own = [slice(&[leaf.statement()]), slice(&leaf.roots)];
        let tape = tape(fold, "block", &list(&family), &[leaf.wrap.proof()], &own);

        let (circuit, aggregator) = (fold.circuit("block").unwrap(), fold.aggregator());
        let run = execute(circuit.compiled(), &[], &tape, 1 << 24).unwrap();
        let heights = Heights::Exact(aggregator.log_heights().to_vec());
        let key = circuit.key(*aggregator.settings(), &heights).unwrap();
        let evil = UnverifiedFold {
            counters: CHAIN.one.counters(),
            state: CHAIN.one.state().to_vec(),
            proof: key.prove(&run).unwrap(),
            family,
        };
        let key = evil.key();
        evil.verify(key, &ANY).unwrap()
    });
    &EVIL
}

/// The key of a rule alone says nothing: the list is a hint. Its digest does.
#[test]
fn an_honest_rule_under_an_evil_list_has_another_key() {
    let evil = evil();
    assert_eq!(evil.rule(), CHAIN.one.rule());
    let (expected, found) = (CHAIN.fold.key(), evil.key());
    assert_ne!(expected, found);
    unverified(evil).check().unwrap();
    for key in [expected, evil.rule()] {
        let refused = unverified(evil).verify(key, &ANY).unwrap_err();
        assert!(matches!(refused, RefusedFold::Key { .. }), "{refused}");
    }
    // It says so in its statement.
    let mut forged = unverified(evil);
    forged.family = CHAIN.fold.family().clone();
    let refused = forged.verify(expected, &ANY).unwrap_err();
    assert!(matches!(refused, RefusedFold::Statement), "{refused}");
}

#[test]
fn a_child_of_another_family_is_refused() {
    let (evil, fold) = (evil(), &CHAIN.fold);
    let node = |node: &Folded, key: KeyDigest| {
        let place = fold.family().place(node.rule()).unwrap();
        let said = said(key, node.counters(), node.state());
        [felt(place), slice(&said)]
    };
    let first = node(&CHAIN.pair, fold.key());
    for (key, reason) in [
        (evil.key(), "the child is of another family"),
        (fold.key(), "the child says something else"),
    ] {
        let own = [&first[..], &node(evil, key), &[felt(1)]].concat();
        let proofs = [CHAIN.pair.proof(), evil.proof()];
        let tape = tape(fold, "merge", &list(fold.family()), &proofs, &own);
        refuses(fold, "merge", &tape, reason);
    }
    let children = [Child::Node(&CHAIN.pair), Child::Node(evil)];
    let refused = fold.prove("merge", &children, &Tape::default());
    let words = mismatch(refused.unwrap_err(), 1);
    assert!(words.contains("another fold"), "{words}");
}

/// Proofs of few bits behind a wrap are bound by the fold key, and count.
#[test]
fn a_toy_leaf_makes_another_head() {
    let (weak, usual) = (&WEAK.fold, &CHAIN.fold);
    assert_eq!(weak.family().bits, usual.family().bits);
    let (found, of_usual) = (weak.family().bits_behind, usual.family().bits_behind);
    assert!(found < of_usual, "{found}, {of_usual}");
    let accepted = WEAK.node.accepted();
    assert_eq!(accepted.bits, usize::from(found));
    assert!(accepted.tree_bits <= accepted.bits);

    // A list that states more is another one.
    let mut boasting = unverified(&WEAK.node);
    boasting.family.bits_behind = of_usual;
    let refused = boasting.check().unwrap_err();
    assert!(matches!(refused, RefusedFold::Statement), "{refused}");
    let refused = boasting.verify(weak.key(), &ANY).unwrap_err();
    assert!(matches!(refused, RefusedFold::Key { .. }), "{refused}");
    let more = Options::min_bits(usize::from(found) + 1);
    let refused = unverified(&WEAK.node).verify(weak.key(), &more);
    assert!(refused.is_err(), "{refused:?}");
}

/// The proofs behind another fold have the least bits of its rules, its leaves, and the wraps.
#[test]
fn bits_of_a_foreign_fold_count() {
    let (direct, behind) = (&*foreign::DIRECT, &*foreign::BEHIND);
    let chain = CHAIN.fold.family();
    let found = direct.fold.family().bits_behind;
    assert_eq!(found, chain.bits.min(chain.bits_behind));
    let weak = WEAK.fold.family();
    let wraps = behind.wrap.keys().claimed().iter();
    let least = wraps.map(|(_, listed)| listed.bits).min().unwrap();
    let of_family = usize::from(weak.bits.min(weak.bits_behind));
    let found = behind.fold.family().bits_behind;
    assert_eq!(usize::from(found), least.min(of_family));
    assert_eq!(found, weak.bits_behind);
    assert_eq!(behind.imported.accepted().bits, usize::from(found));
}

#[test]
fn an_aggregate_counts_what_is_below_a_fold() {
    let Chain {
        fold,
        leaves,
        merged,
        ..
    } = &*CHAIN;
    let wrap = fold.aggregator().wrap_fold(copy(merged)).unwrap();
    let leaf = copy_of_wrap(&leaves[0].wrap);
    let rule = (merged.rule(), merged.statement());
    assert_eq!(wrap.tree().leaves(), [rule]);
    let join = fold.aggregator().join(vec![wrap, leaf]).unwrap();
    let before = join.accepted();
    assert_eq!(before.proofs, 5);

    let claim = merged.claim();
    let with = |claims: &[_], key| join.with_folds(claims, &[key]);
    let claims = [claim.clone()];
    let counted = with(&claims, fold.key()).unwrap();
    // The fold's root is there already.
    assert_eq!(counted.proofs, before.proofs + 6 + 3 - 1);
    assert!(counted.bits <= before.bits && counted.tree_bits <= before.tree_bits);
    counted
        .check(AggregateOptions::min_bits(counted.bits))
        .unwrap();
    let other = with(&claims, WEAK.fold.key()).unwrap_err();
    assert!(
        matches!(other, FoldLeafError::Key { claim: 0, .. }),
        "{other}"
    );
    // A claim with fewer proofs opens nothing.
    let mut fewer = claim;
    fewer.counters.behind -= 1;
    let refused = with(&[fewer], fold.key()).unwrap_err();
    let unopened = matches!(refused, FoldLeafError::Unopened(key) if key == merged.rule());
    assert!(unopened, "{refused}");

    // Whoever has derived the rules knows that a leaf under such a key hides proofs.
    let hidden = fold.deriver().hidden_leaves(&join);
    assert_eq!(hidden, Ok([merged.rule()].into()));
    let unknown = Deriver::new().hidden_leaves(&join).unwrap();
    assert!(unknown.is_empty());
    let named: AcceptedLeaves = join.tree().leaves().iter().map(|(key, _)| *key).collect();
    let bytes = file::encode(&join).unwrap();
    let options = AggregateOptions::min_bits(0);
    let join = file::decode(&bytes).unwrap();
    let key = join.key();
    let join = join.pinned(key, options, &named).unwrap();
    let refused = fold.deriver().hidden_leaves(&join);
    assert_eq!(refused, Err(ClaimError::Hidden(merged.rule())));
}

/// Another process derives the same keys from the texts and the recipe, which is a file.
#[test]
fn the_key_is_the_same_again() {
    let Paths { fold, program, .. } = &*PATHS;
    let written = serde_json::to_string(fold.recipe()).unwrap();
    let recipe: FamilyRecipe = serde_json::from_str(&written).unwrap();
    assert_eq!(recipe, *fold.recipe());
    let deriver = Arc::new(Deriver::new());
    let derive = |program: &Compiled| {
        let (leaves, recipe) = ([LeafProgram::Program(&program.program)], recipe.clone());
        Fold::from_recipe(short(), &leaves, vec![], recipe, Arc::clone(&deriver))
    };
    let again = derive(program).unwrap();
    assert_eq!(again.family(), fold.family());
    assert_eq!(again.recipe(), fold.recipe());
    assert!(again.rules().eq(fold.rules()));
    // It accepts and continues what the first one made.
    let node = again.accept(unverified(&PATHS.merged), &ANY).unwrap();
    assert_eq!(node.statement(), PATHS.merged.statement());

    // Of another program it is none.
    let refused = derive(&self::program(SAYS)).unwrap_err();
    let FoldError::Leaf { leaf: 0, source } = refused else {
        panic!("{refused}");
    };
    let named = matches!(*source, LeafKindError::OtherProgram { .. });
    assert!(named, "{source}");
}

/// A last proof says what the fold says, under the key that last proofs of its shape have.
#[test]
fn the_last_proof_names_the_rule_and_what_it_says() {
    let Chain { fold, merged, .. } = &*CHAIN;
    let exit = fold
        .exit(merged, WhirSettings::of_exit(Preset::Toy))
        .unwrap();
    let says = statement(fold.key(), merged.counters(), merged.state());
    let claim = droste_verifier::claim::claim_digest(&[(merged.rule(), says)]);
    assert_eq!(exit.proof.statement, claim);
    let key = exit.proof.key.digest();
    let bytes = whir::encode(&exit.proof).unwrap();
    let known = proofs::Known::Key(key);
    proofs::verify(&bytes, known, &claim, INSECURE).unwrap();
    assert!(exit.accepted.bits <= merged.accepted().bits);
}
