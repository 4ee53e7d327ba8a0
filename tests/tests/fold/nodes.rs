//! Nodes of nodes: what they say, and lies about what is below them. The lies are told to the program
//! of `append`, with the proofs of a node and of a leaf that it verifies.

use droste_verifier::fold::{FoldVerifier, statement};
use droste_verifier::keys::Evidence;
use droste_vm::whir::Verifier;

use super::*;

/// Places of hints after the proofs.
const PLACE: usize = 0;
const SAID: usize = 1;

/// What `append` reads of the node `pair` and of the third leaf, and then its function.
pub(super) fn own() -> Vec<TapeItem> {
    let Chain {
        fold, leaves, pair, ..
    } = &*CHAIN;
    let place = fold.family().place(pair.rule()).unwrap();
    vec![
        felt(place),
        slice(&said(fold.key(), pair.counters(), pair.state())),
        slice(&[leaves[2].statement()]),
        slice(&leaves[2].roots),
    ]
}

/// The hints of `append` on that node and that leaf, with another list or other hints after the
/// proofs.
fn appended(list: &[Lanes], own: &[TapeItem]) -> Tape {
    let proofs = [CHAIN.pair.proof(), CHAIN.leaves[2].wrap.proof()];
    tape(&CHAIN.fold, "append", list, &proofs, own)
}

/// The program refuses these hints after the proofs.
fn refuses_own(own: &[TapeItem], reason: &str) {
    let list = list(CHAIN.fold.family());
    refuses(&CHAIN.fold, "append", &appended(&list, own), reason);
}

/// Every lane of these blocks of what the node says, one more than it is.
fn refuses_lanes(lanes: std::ops::Range<usize>, reason: &str) {
    for lane in lanes {
        let mut own = own();
        let TapeItem::Slice(blocks) = &mut own[SAID] else {
            panic!("what the node says");
        };
        *blocks[lane / 8][lane % 8].as_mut().unwrap() += F::ONE;
        refuses_own(&own, reason);
    }
}

#[test]
fn nodes_say_what_their_rules_return() {
    let Chain {
        fold,
        leaves,
        pair,
        one,
        merged,
    } = &*CHAIN;
    let [a, b, c] = leaves.each_ref().map(|leaf| leaf.roots);
    assert_eq!((a[1], b[1]), (b[0], c[0]));
    let verifier = FoldVerifier::new(fold.key());
    for (node, rule, state) in [
        (pair, "pair", span(a[0], b[1], 2)),
        (one, "block", span(c[0], c[1], 1)),
        (merged, "merge", span(a[0], c[1], 3)),
    ] {
        assert_eq!(node.state(), state, "{rule}");
        let info = fold.rules().find(|info| info.name == rule).unwrap();
        assert_eq!(node.rule(), info.key);
        assert_eq!(
            (node.key(), node.evidence()),
            (fold.key(), Evidence::Derived)
        );
        let says = statement(fold.key(), node.counters(), &state);
        assert_eq!(node.statement(), says);
        assert!(fold.aggregator().is_canonical(node.proof()));

        // Whoever has the key alone verifies the file.
        let accepted = node.accepted();
        let expected = Options::min_bits(accepted.bits)
            .with_min_tree_bits(accepted.tree_bits)
            .with_max_proofs(node.counters().proofs())
            .with_max_depth(node.counters().depth)
            .with_state(state.clone());
        let read = unverified(node).verify(fold.key(), &expected).unwrap();
        assert_eq!(read.accepted(), accepted);
        assert_eq!((read.state(), read.evidence()), (&*state, Evidence::Pinned));
        // What was computed for other rules does not matter.
        let again = verifier.verify(unverified(node), &expected).unwrap();
        assert_eq!(
            (again.accepted(), again.evidence()),
            (accepted, Evidence::Pinned)
        );
        let derived = fold.accept(unverified(node), &expected).unwrap();
        assert_eq!(derived.evidence(), Evidence::Derived);
        let light = droste_verify::FoldExpected {
            key: fold.key(),
            options: expected,
        };
        let bytes = file::fold::encode(node).unwrap();
        let read = droste_verify::verify_fold(&bytes, &light).unwrap();
        assert_eq!(read.state(), state);
    }
    assert_eq!(merged.family(), fold.family());
}

/// The tape of this test is that of [`Fold::prove`], whose run reveals the statement of its proof.
#[test]
fn an_honest_run_is_accepted() {
    let (fold, list) = (&CHAIN.fold, list(CHAIN.fold.family()));
    let [a, .., c] = CHAIN.leaves.each_ref().map(|leaf| leaf.roots);
    let expected = statement(fold.key(), counters(5, 3, 1), &span(a[0], c[1], 3));
    assert_eq!(run(fold, "append", &appended(&list, &own())), Ok(expected));
    let children = [Child::Node(&CHAIN.pair), Child::Leaf(&CHAIN.leaves[2].wrap)];
    let proved = fold.prove("append", &children, &hints(&CHAIN.leaves[2..]));
    assert_eq!(proved.unwrap().statement(), expected);
}

#[test]
fn a_key_of_no_rule_is_refused() {
    let no_rule = "the child is no proof of a rule";
    let mut list = list(CHAIN.fold.family());
    let place = CHAIN.fold.family().place(CHAIN.pair.rule()).unwrap();
    list[1 + place] = lanes(7);
    refuses(&CHAIN.fold, "append", &appended(&list, &own()), no_rule);
    // The list is not the child's, but has its key.
    list[1 + place] = CHAIN.pair.rule().0;
    list[1 + (place + 1) % 4] = lanes(7);
    let family = "the child is of another family";
    refuses(&CHAIN.fold, "append", &appended(&list, &own()), family);
    // The key of a wrap, which is no rule.
    let wraps = [CHAIN.leaves[0].wrap.proof(), CHAIN.leaves[2].wrap.proof()];
    let list = self::list(CHAIN.fold.family());
    let wrapped = tape(&CHAIN.fold, "append", &list, &wraps, &own());
    refuses(&CHAIN.fold, "append", &wrapped, no_rule);
}

#[test]
fn another_place_is_refused() {
    let place = CHAIN.fold.family().place(CHAIN.pair.rule()).unwrap();
    for other in (0..4).filter(|other| *other != place) {
        let mut own = own();
        own[PLACE] = felt(other);
        refuses_own(&own, "the child is no proof of a rule");
    }
    for outside in [4, 1 << 20] {
        let mut own = own();
        own[PLACE] = felt(outside);
        refuses_own(&own, "");
    }
}

#[test]
fn another_state_is_refused() {
    refuses_lanes(16..40, "the child says something else");
    // Another node of the same rules, whose state the function would take, too.
    let (key, merged) = (CHAIN.fold.key(), &CHAIN.merged);
    let mut own = own();
    own[SAID] = slice(&said(key, merged.counters(), merged.state()));
    refuses_own(&own, "the child says something else");
}

#[test]
fn another_counter_is_refused() {
    refuses_lanes(8..11, "the child says something else");
}

/// The lanes after the counters, which no rule reads.
#[test]
fn another_lane_of_the_head_is_refused() {
    refuses_lanes(11..16, "the child says something else");
    // And those of the fold key.
    refuses_lanes(0..8, "the child ");
}

/// A proof of a rule is one of its statement.
#[test]
fn every_lane_of_the_statement_is_bound() {
    let mut proof = copy_of_proof(CHAIN.merged.proof());
    let verifier = Verifier::<StandardTables>::new(proof.key.clone()).unwrap();
    verifier.verify(&[], INSECURE, &proof).unwrap();
    for lane in 0..8 {
        proof.statement[lane] += F::ONE;
        verifier.verify(&[], INSECURE, &proof).unwrap_err();
        proof.statement[lane] -= F::ONE;
    }
}

/// Children that are not what the slots take are named before anything is proved.
#[test]
fn other_children_are_named() {
    let Chain {
        fold, pair, one, ..
    } = &*CHAIN;
    let refused = |rule: &str, children: &[Child<'_>]| {
        let refused = fold.prove(rule, children, &Tape::default());
        refused.unwrap_err()
    };
    // What the function refuses is said in its words, with the line.
    let error = refused("merge", &[Child::Node(one), Child::Node(pair)]);
    let FoldError::Run { rule, reason, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(rule, "merge");
    let words = "the second span begins elsewhere (chain.rs:";
    assert!(reason.starts_with(words), "{reason}");
    let other = &WEAK.node;
    let words = mismatch(
        refused("merge", &[Child::Node(pair), Child::Node(other)]),
        1,
    );
    assert!(words.contains("another fold"), "{words}");
}
