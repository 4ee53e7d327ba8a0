//! The Keccak-256 root of the leaves of an aggregate, joined to it and said by its last proof.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::aggregate::{AggregateError, Aggregator, exit_statement};
use droste_verifier::leaf_root::{LeafRootError, Rooted, leaf_digest, verify_path};
use droste_verifier::summary::LeafRootSummary;

use crate::{TOYS, aggregator, copy};

#[test]
fn the_last_proof_says_the_root_of_all_leaves() {
    // Of three leaves, at two depths.
    let three = copy(&TOYS.outer);
    let mut expected = three.tree().leaves();
    let (key, claim) = (three.proof().key.digest(), three.claim());

    let Rooted { aggregate, leaves } = aggregator().leaf_root(three).unwrap();
    let says = &leaves.leaf_root;
    assert_eq!((says.key, says.claim, says.leaves), (key, claim, 3));
    assert_eq!(
        says.exit_statement(&leaves.pinned),
        exit_statement(&aggregate)
    );
    let settings = WhirSettings::of_exit(Preset::Toy);
    let exit = aggregator().exit(&aggregate, settings).unwrap();
    assert_eq!(exit.proof.statement, says.exit_statement(&leaves.pinned));

    // All leaves are in the tree, in the order of the levels.
    expected.sort_unstable();
    let mut found = leaves.tree.leaves().to_vec();
    found.sort_unstable();
    assert_eq!(found, expected);
    for (number, (key, statement)) in (0..).zip(leaves.tree.leaves()) {
        let (digest, path) = (
            leaf_digest(*key, statement),
            leaves.tree.path(number).unwrap(),
        );
        verify_path(&says.root, says.leaves, number, digest, &path).unwrap();
    }

    // A verifier knows the keys in between, whatever the aggregate is.
    let of_two = aggregator().leaf_root(copy(&TOYS.inner)).unwrap();
    assert_eq!(of_two.leaves.pinned, leaves.pinned);
    assert_ne!(of_two.leaves.leaf_root, leaves.leaf_root);

    let summary = LeafRootSummary::new(&leaves, &exit);
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["leaf_count"], 3);
    assert_eq!(json["leaves"].as_array().unwrap().len(), 3);
}

#[test]
fn only_aggregates_of_the_canonical_shape_have_a_leaf_root() {
    let other = Aggregator::for_preset(Preset::Proven100, 2);
    let refused = other.leaf_root(copy(&TOYS.outer)).unwrap_err();
    assert!(
        matches!(
            refused,
            LeafRootError::Aggregate(AggregateError::OtherShape { .. })
        ),
        "{refused}"
    );
}
