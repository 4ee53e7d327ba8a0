//! Leaves: through which wraps they come, what passes for one, and which programs are none. Shapes
//! and keys of rules without proofs are tested in `verifier/src/fold/leaf/tests.rs`.

use droste_verifier::aggregate::{AcceptError, AggregateError, VerifiedProof};
use droste_verifier::claim::ClaimError;
use droste_verifier::fold::{LeafKindError, RefusedFold};

use super::nodes::own;
use super::*;

/// Place of the leaf's statement among the hints of `append` after the proofs.
const STATEMENT: usize = 2;

const LAST_WRAP: &str = "the child is no last wrap of such a proof";
const SOMETHING_ELSE: &str = "the wraps verified something else";

/// The program of `append` refuses this proof, and that a leaf behind it has this statement.
fn refuses_leaf(proof: &whir::Proof, statement: Lanes, reason: &str) {
    let (fold, mut own) = (&CHAIN.fold, own());
    own[STATEMENT] = slice(&[statement]);
    let proofs = [CHAIN.pair.proof(), proof];
    let tape = tape(fold, "append", &list(fold.family()), &proofs, &own);
    refuses(fold, "append", &tape, reason);
}

/// Why `append` does not take this leaf, in words.
fn no_leaf(child: Child<'_>) -> String {
    let children = [Child::Node(&CHAIN.pair), child];
    let refused = CHAIN.fold.prove("append", &children, &Tape::default());
    mismatch(refused.unwrap_err(), 1)
}

/// A leaf of the fold [`PATHS`], through the second path.
fn second_path(proof: &whir::Proof, statement: Lanes) -> Tape {
    let Paths { fold, leaves, .. } = &*PATHS;
    let own = [slice(&[statement]), slice(&leaves[1].roots)];
    tape(fold, "block#1", &list(fold.family()), &[proof], &own)
}

/// A proof in a byte hash takes several wraps. Its leaf is opened through all of them, by a program
/// of its own.
#[test]
fn leaves_come_through_several_paths() {
    let Paths {
        fold,
        leaves,
        nodes,
        ..
    } = &*PATHS;
    let paths = leaves.each_ref().map(|leaf| path(&leaf.wrap));
    assert_eq!(paths[0].len(), 2);
    assert!(paths[1].len() > 2, "{:?}", paths[1]);
    let known: Vec<_> = (fold.leaves()[0].paths().iter())
        .map(|path| path.keys())
        .collect();
    assert_eq!(known, paths);
    let names: Vec<String> = fold.rules().map(|rule| rule.name).collect();
    assert_eq!(names, ["block", "block#1", "merge"]);
    for (index, node) in nodes.iter().enumerate() {
        assert_eq!(node.rule(), fold.rules().nth(index).unwrap().key);
    }
    let tape = second_path(leaves[1].wrap.proof(), leaves[1].statement());
    assert_eq!(run(fold, "block#1", &tape), Ok(nodes[1].statement()));
    // By the name of a program, its own path is taken only.
    for (rule, leaf) in [("block#1", &leaves[0]), ("merge", &leaves[1])] {
        let children = vec![Child::Leaf(&leaf.wrap); if rule == "merge" { 2 } else { 1 }];
        let refused = fold.prove(rule, &children, &Tape::default());
        mismatch(refused.unwrap_err(), 0);
    }
}

#[test]
fn another_wrap() {
    let other = &PATHS.leaves[1];
    assert!(CHAIN.fold.aggregator().is_canonical(other.wrap.proof()));
    refuses_leaf(other.wrap.proof(), other.statement(), LAST_WRAP);
    let words = no_leaf(Child::Leaf(&other.wrap));
    assert!(words.contains("another program"), "{words}");
}

/// A wrap's key does not depend on the program of the proof that it verified.
#[test]
fn another_program_behind_the_same_wrap() {
    let text = STEP.replace("(from, transaction)", "(transaction, from)");
    let (program, aggregator) = (program(&text), CHAIN.fold.aggregator());
    let other = Leaf::new(&program, aggregator, poseidon16(), lanes(7), 1);
    assert_eq!(other.wrap.tree().key, CHAIN.leaves[0].wrap.tree().key);
    let [(key, statement)] = other.wrap.tree().leaves()[..] else {
        panic!("one leaf");
    };
    refuses_leaf(other.wrap.proof(), statement, SOMETHING_ELSE);
    let words = no_leaf(Child::Leaf(&other.wrap));
    assert!(words.contains("another program"), "{words}");
    // A sample is one of the program with which it is given.
    let refused = LeafKind::of_program("step", self::program(STEP), &other.wrap).unwrap_err();
    let named = matches!(refused, LeafKindError::OtherProgram { key: found } if found == key);
    assert!(named, "{refused}");
}

#[test]
fn another_statement() {
    let [first, _, third] = &CHAIN.leaves;
    refuses_leaf(third.wrap.proof(), first.statement(), SOMETHING_ELSE);
    for lane in 0..8 {
        let mut statement = third.statement();
        statement[lane] += F::ONE;
        refuses_leaf(third.wrap.proof(), statement, SOMETHING_ELSE);
    }
}

#[test]
fn a_path_of_another_length() {
    let [short, long] = &PATHS.leaves;
    // The first wraps as if they were the program.
    for below in 0..path(&long.wrap).len() - 1 {
        let mut node = long.wrap.tree();
        for _ in 0..below {
            node = &node.children()[0];
        }
        let tape = second_path(long.wrap.proof(), node.claim.statement());
        refuses(&PATHS.fold, "block#1", &tape, SOMETHING_ELSE);
    }
    // One wrap where there should be several.
    let tape = second_path(short.wrap.proof(), short.statement());
    refuses(&PATHS.fold, "block#1", &tape, LAST_WRAP);
}

#[test]
fn a_node_for_a_leaf() {
    let one = &CHAIN.one;
    refuses_leaf(one.proof(), one.statement(), LAST_WRAP);
    assert_eq!(no_leaf(Child::Node(one)), "a node of this fold");
}

#[test]
fn a_leaf_for_a_node() {
    let Chain {
        fold,
        leaves,
        pair,
        one,
        ..
    } = &*CHAIN;
    let wrap = &leaves[0].wrap;
    let [first, second] = [pair, one].map(|node| {
        let place = fold.family().place(node.rule()).unwrap();
        let said = said(fold.key(), node.counters(), node.state());
        [felt(place), slice(&said)]
    });
    let own = [&first[..], &second, &[felt(1)]].concat();
    let tape = |first: &whir::Proof| {
        let proofs = [first, one.proof()];
        tape(fold, "merge", &list(fold.family()), &proofs, &own)
    };
    let honest = run(fold, "merge", &tape(pair.proof()));
    assert_eq!(honest, Ok(CHAIN.merged.statement()));
    let no_rule = "the child is no proof of a rule";
    refuses(fold, "merge", &tape(wrap.proof()), no_rule);
    let children = [Child::Leaf(wrap), Child::Node(one)];
    let refused = fold.prove("merge", &children, &Tape::default());
    let words = mismatch(refused.unwrap_err(), 0);
    assert_eq!(words, "a wrap of a program's proof");
}

/// A program without checks, whose proofs have the shape of nodes, reveals what a node revealed.
#[test]
fn a_program_that_reveals_a_statement_is_no_node() {
    let Chain { fold, pair, .. } = &*CHAIN;
    let proof = says(fold, pair.statement());
    let key = proof.key.digest();
    let tape = |list: &[Lanes]| {
        let proofs = [&proof, CHAIN.leaves[2].wrap.proof()];
        tape(fold, "append", list, &proofs, &own())
    };
    let mut list = list(fold.family());
    let no_rule = "the child is no proof of a rule";
    refuses(fold, "append", &tape(&list), no_rule);
    let place = fold.family().place(pair.rule()).unwrap();
    list[1 + place] = key.0;
    let family = "the child is of another family";
    refuses(fold, "append", &tape(&list), family);
    // Nor for a leaf, whatever it says.
    refuses_leaf(&proof, CHAIN.leaves[2].statement(), LAST_WRAP);

    let claim = pair.claim();
    let fold = UnverifiedFold {
        family: claim.family,
        counters: claim.counters,
        state: claim.state,
        proof,
    };
    let refused = fold.verify(CHAIN.fold.key(), &ANY).unwrap_err();
    let named = matches!(refused, RefusedFold::Rule(found) if found == key);
    assert!(named, "{refused}");
}

/// The wrap of a proof, as if that were an ordinary program's.
fn hiding(aggregator: &Aggregator, proof: &whir::Proof) -> Aggregate {
    let proof = VerifiedProof::under_its_own_key(copy_of_proof(proof));
    aggregator.wrap(&proof.unwrap()).unwrap()
}

/// A program is not accepted with a sample that is the wrap of this proof, which has the shape of
/// joins.
fn has_canonical_shape(program: &Compiled, proof: &whir::Proof) {
    // One that derived nothing before: the fold's own refuses to wrap what hides children.
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let sample = hiding(&aggregator, proof);
    let refused = LeafKind::of_program("hiding", program, &sample).unwrap_err();
    let words = refused.to_string();
    let named = matches!(refused, LeafKindError::Canonical(_));
    assert!(named && words.contains("toy and arity 2"), "{words}");
}

/// Counters and bits would count one proof for all that a join verified.
#[test]
fn a_join_as_leaf_is_named() {
    let wraps = CHAIN.leaves[..2].iter();
    let wraps = wraps.map(|leaf| copy_of_wrap(&leaf.wrap)).collect();
    let join = CHAIN.fold.aggregator().join(wraps).unwrap();
    has_canonical_shape(&program(STEP), join.proof());
    // Nor with its leaves.
    let refused = LeafKind::of_program("join", program(STEP), &join).unwrap_err();
    assert!(matches!(refused, LeafKindError::Tree), "{refused}");
}

#[test]
fn a_rule_as_leaf_is_named() {
    let circuit = CHAIN.fold.circuit("block").unwrap();
    has_canonical_shape(circuit.compiled(), CHAIN.one.proof());
}

/// Its key is that of a join of one, which every aggregator knows, so that it is no sample at all.
#[test]
fn a_wrap_of_a_rule_as_leaf_is_named() {
    let wrap = CHAIN.fold.aggregator().wrap_fold(copy(&CHAIN.one)).unwrap();
    let proof = VerifiedProof::under_its_own_key(copy_of_proof(wrap.proof()));
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let refused = aggregator.wrap(&proof.unwrap()).unwrap_err();
    let hidden = ClaimError::Hidden(wrap.proof().key.digest());
    let AggregateError::Accept(AcceptError::Claim(found)) = refused else {
        panic!("{refused}");
    };
    assert_eq!(found, hidden);
}

/// Whoever makes a fold has derived the keys of the wraps.
#[test]
fn pinned_samples_are_refused() {
    let wrap = &CHAIN.leaves[0].wrap;
    let refused = LeafKind::of_program("step", program(STEP), &copy_of_wrap(wrap)).unwrap_err();
    assert!(matches!(refused, LeafKindError::Claimed), "{refused}");
}
