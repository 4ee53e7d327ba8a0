//! Counters and bits: what is counted of the proofs below a node. That a rule bounds those of its
//! children, and finds the depth, is tested without proofs (`verifier/src/program/fold/tests`), since
//! no honest proof has counters out of range.

use droste_verifier::fold::{MAX_COUNT, PaperChild};

use super::*;

#[test]
fn every_proof_is_counted_once() {
    let Chain {
        pair, one, merged, ..
    } = &*CHAIN;
    // A rule is a proof, the last wrap of each leaf, and what is behind that.
    let [first, second] = PATHS.leaves.each_ref().map(|leaf| {
        let wraps = path(&leaf.wrap).len() - 1;
        wraps as u32
    });
    for (node, expected) in [
        (pair, counters(3, 2, 0)),
        (one, counters(2, 1, 0)),
        (merged, counters(6, 3, 1)),
        (&PATHS.nodes[0], counters(2, first, 0)),
        (&PATHS.nodes[1], counters(2, second, 0)),
        (&PATHS.merged, counters(5, first + second, 1)),
    ] {
        assert_eq!(node.counters(), expected);
        assert_eq!(node.accepted().counters, expected);
    }
}

/// The head of the list has the least bits of what the rules accept, of either kind.
#[test]
fn the_head_has_the_bits_of_what_is_accepted() {
    for fold in [&CHAIN.fold, &PATHS.fold, &WEAK.fold] {
        let family = fold.family();
        for rule in fold.rules() {
            let circuit = fold.circuit(&rule.name).unwrap();
            assert_eq!(circuit.bits(), usize::from(family.bits), "{}", rule.name);
        }
        let paths = fold.leaves().iter().flat_map(|leaf| leaf.paths());
        let wraps = paths.flat_map(|path| path.wraps());
        let least = wraps.map(|wrap| wrap.bits).min().unwrap();
        assert_eq!(least, usize::from(family.bits_behind));
    }
    // They are those of the wraps' own recipes.
    for leaf in CHAIN.leaves.iter().chain(&PATHS.leaves) {
        for (key, listed) in leaf.wrap.keys().claimed().iter() {
            let folds = [&CHAIN.fold, &PATHS.fold];
            let leaves = folds.into_iter().flat_map(|fold| fold.leaves());
            let paths = leaves.flat_map(|leaf| leaf.paths());
            let mut wraps = paths.flat_map(|path| path.wraps());
            let wrap = wraps.find(|wrap| wrap.key == key).unwrap();
            assert_eq!((wrap.bits, &wrap.recipe), (listed.bits, &listed.recipe));
        }
    }
}

/// A fold ends where a counter would leave its range.
#[test]
fn a_fold_ends_at_its_last_proof() {
    let [a, b, c] = [1, 2, 3].map(lanes);
    let merged = |left: Counters, right: Counters| {
        let node = |counters, state| PaperChild::Node { counters, state };
        let children = [node(left, span(a, b, 1)), node(right, span(b, c, 1))];
        let run = CHAIN.fold.paper().run("merge", &children, &Tape::default());
        run.map(|run| run.counters)
    };
    let (most, start) = (MAX_COUNT, Counters::START);
    let largest = merged(counters(most - 2, most - 1, most - 2), start).unwrap();
    assert_eq!(largest, counters(most, most - 1, most - 1));
    for (left, right, found) in [
        (counters(most - 1, 0, 0), start, most + 1),
        (counters(1, most - 1, 0), counters(1, 1, 0), most),
        (start, counters(1, 0, most - 1), most),
    ] {
        let refused = merged(left, right).unwrap_err();
        let ends = matches!(refused, FoldError::Counter(of) if of == u64::from(found));
        assert!(ends, "{refused}");
    }
}
