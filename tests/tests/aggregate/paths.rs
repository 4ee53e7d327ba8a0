//! Proofs about Merkle paths over GF(2^128) are children like others.

use std::sync::LazyLock;

use droste_binary::paths::{Digest, MerklePaths, Path, node};
use droste_binary::{Hash, Poseidon16, Proof, Witness, prove};
use droste_verifier::binary::{BinaryCircuit, BinaryCircuitError, ShapeError, statement};
use droste_verifier::circuit::{BinaryShape, Children, PathsShape};
use droste_verifier::keys::{ClaimedKeys, Deriver, KeysError, RecipeError};
use droste_vm::key::KeyDigest;

use super::*;

const HASH: Hash = Hash::KeccakF;

/// Paths of depth 2 in trees of their own, and their siblings.
fn paths(count: u8) -> (MerklePaths, Vec<[Digest; 2]>) {
    let path = |n: u8| {
        let (leaf, siblings) = ([n; 32], [[n ^ 0x55; 32], [n ^ 0xaa; 32]]);
        let below = match n & 1 {
            0 => node(HASH, &leaf, &siblings[0]),
            _ => node(HASH, &siblings[0], &leaf),
        };
        let root = match n >> 1 & 1 {
            0 => node(HASH, &below, &siblings[1]),
            _ => node(HASH, &siblings[1], &below),
        };
        let index = u64::from(n & 3);
        (Path { leaf, index, root }, siblings)
    };
    let (list, siblings) = (0..count).map(path).unzip();
    (MerklePaths::new(HASH, 2, list).unwrap(), siblings)
}

/// Four paths, their proof and its wrap.
static WRAPPED: LazyLock<(MerklePaths, Proof<Poseidon16>, BinaryCircuit, Aggregate)> =
    LazyLock::new(|| {
        let (paths, siblings) = paths(4);
        let proof = prove::<Poseidon16>(Witness::of_paths(&paths, &siblings).unwrap()).unwrap();
        let circuit = BinaryCircuit::new(BinaryShape::of(paths.shape()).unwrap()).unwrap();
        let run = circuit.run(&paths, &proof).unwrap();
        let wrap = aggregator().wrap_run(run).unwrap();
        (paths, proof, circuit, wrap)
    });

/// The wrap of a batch whose leaf this is has the canonical shape and is joined like any other.
pub fn is_wrapped_and_joined(wrap: &Aggregate, leaf: (KeyDigest, [F; 8])) {
    assert!(aggregator().is_canonical(wrap.proof()));
    assert_eq!(wrap.tree().leaves(), [leaf]);
    accept(wrap);
    let joined = aggregator().join(vec![copy(wrap), copy(&TOYS.wraps[0])]);
    let joined = joined.unwrap();
    assert_eq!(joined.tree().leaves()[0], leaf);
    accept(&joined);
    // Whoever has the file derives its keys.
    let derived = Deriver::new().derive(&unverified(&joined).keys).unwrap();
    assert_eq!(derived.digest(), joined.key());
}

#[test]
fn a_proof_about_paths_is_wrapped_and_joined() {
    let (paths, _, circuit, wrap) = &*WRAPPED;
    let leaf = circuit.leaf(paths).unwrap().leaves()[0];
    assert_eq!(leaf, (circuit.binary_shape().key(), statement(paths)));
    is_wrapped_and_joined(wrap, leaf);
}

/// Bits of the proof's protocol, and of what the program checks in another way.
#[test]
fn bits_of_proofs_about_paths() {
    let bits = WRAPPED.2.bits();
    assert!((100..=103).contains(&bits), "{bits}");
}

#[test]
fn other_lists_are_refused() {
    let (paths, proof, circuit, _) = &*WRAPPED;
    let mut list = paths.paths().to_vec();
    list[3].index ^= 1;
    let other = MerklePaths::new(HASH, 2, list).unwrap();
    assert_ne!(statement(&other), statement(paths));
    let refused = circuit.run(&other, proof).unwrap_err();
    assert!(
        matches!(refused, BinaryCircuitError::Rejected(_)),
        "{refused}"
    );
    // Nor by the program alone.
    circuit.tape(&other, proof).unwrap_err();
    let (more, _) = self::paths(8);
    let refused = circuit.run(&more, proof).unwrap_err();
    assert!(
        matches!(refused, BinaryCircuitError::Rejected(_)),
        "{refused}"
    );
    let refused = circuit.tape(&more, proof).unwrap_err();
    assert!(
        matches!(refused, BinaryCircuitError::OtherShape { .. }),
        "{refused}"
    );
}

#[test]
fn lists_without_a_shape_are_refused() {
    for (depth, count) in [(2, 2), (2, 3), (3, 4)] {
        let path = Path {
            leaf: [0; 32],
            index: 0,
            root: [0; 32],
        };
        let paths = MerklePaths::new(HASH, depth, vec![path; count]).unwrap();
        let refused = BinaryShape::of(paths.shape()).unwrap_err();
        assert!(matches!(refused, ShapeError::Numbers { .. }), "{refused}");
    }
}

/// Keys bind each number of the shape, and recipes with numbers of no shape are refused before
/// anything is computed from them.
#[test]
fn other_recipes_are_refused() {
    let (.., circuit, wrap) = &*WRAPPED;
    let BinaryShape::Paths(shape) = circuit.binary_shape() else {
        panic!("{circuit:?}")
    };
    let with = |change: &dyn Fn(&mut PathsShape)| {
        let mut changed = shape;
        change(&mut changed);
        let mut keys = ClaimedKeys::default();
        for (key, listed) in wrap.keys().claimed().iter() {
            let mut recipe = listed.recipe.clone();
            if let Children::Paths(of) = &mut recipe.children {
                *of = changed;
            }
            keys.insert(key, listed.bits, recipe);
        }
        (changed, keys)
    };
    let (other, keys) = with(&|shape| (shape.log_depth, shape.log_paths) = (2, 1));
    assert_ne!(BinaryShape::from(other).key(), circuit.binary_shape().key());
    let refused = Deriver::new().derive(&keys).unwrap_err();
    assert!(matches!(refused, KeysError::Forged { .. }), "{refused}");
    let changes: [&dyn Fn(&mut PathsShape); 5] = [
        &|shape| shape.hash = 3,
        &|shape| shape.log_depth = 7,
        &|shape| shape.log_paths = 17,
        &|shape| shape.log_paths = usize::MAX,
        &|shape| shape.log_paths = 1,
    ];
    for change in changes {
        let refused = Deriver::new().derive(&with(change).1).unwrap_err();
        let KeysError::Recipe { source, .. } = refused else {
            panic!("{refused}");
        };
        let out_of_range = matches!(
            *source,
            RecipeError::TooLarge { .. } | RecipeError::Malformed { .. }
        );
        assert!(out_of_range, "{source}");
    }
}
