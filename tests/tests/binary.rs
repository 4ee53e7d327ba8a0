//! Proofs of lists of hash calls and of Merkle paths: every part of a proof is checked, no part
//! makes a panic, and the bytes are the same at any number of threads.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use droste_binary::paths::{self, MerklePaths};
use droste_binary::{Hash, HashCalls, Proof, decode, encode, prove, verify};
use droste_tests::attack::tree::{Node, Path, tree};
use rayon::ThreadPoolBuilder;

/// Length of a file's header.
const HEADER: usize = 12;

/// What the node may be changed to: other numbers, shorter and longer lists, absent values.
fn changes(node: &Node) -> Vec<Node> {
    match node {
        Node::Number(value, width) => vec![Node::Number(value ^ 1, *width)],
        Node::Bytes(bytes) => [(0, 1), (bytes.len() - 1, 0x80)]
            .map(|(byte, bit)| {
                let mut changed = bytes.clone();
                changed[byte] ^= bit;
                Node::Bytes(changed)
            })
            .to_vec(),
        Node::List(items) => {
            let extra = items.last().cloned();
            let extra = extra.unwrap_or(Node::Bytes(vec![0; 16]));
            let longer = items.iter().cloned().chain([extra]).collect();
            let shorter = items.split_last().map(|(_, rest)| rest.to_vec());
            let mut changes = vec![Node::List(longer)];
            if let Some(shorter) = shorter {
                changes.push(Node::List(vec![]));
                changes.push(Node::List(shorter));
            }
            changes
        }
        Node::Option(Some(_)) => vec![Node::Option(None)],
        Node::Option(None) => [
            // The smallest values that any absent part could have, and none.
            vec![0; 1],
            vec![0; 64],
        ]
        .map(|zeros| Node::Option(Some(Box::new(Node::Raw(zeros)))))
        .to_vec(),
        _ => vec![],
    }
}

/// A call and its proof.
fn call() -> (HashCalls, Proof) {
    let statement = HashCalls::of_inputs(Hash::Blake3, [[3; 112]]).unwrap();
    let proof = prove(&statement).unwrap();
    (statement, proof)
}

/// Paths of 2^8 nodes, so that there are tensors of the next row, and their proof.
fn merkle_paths() -> (MerklePaths, Proof) {
    let siblings: Vec<_> = (0..64).map(|path| vec![[path; 32]; 4]).collect();
    let path = |siblings: &Vec<paths::Digest>| {
        let (leaf, index) = ([5; 32], 2);
        let climb = |(root, index): (paths::Digest, u64), sibling| match index % 2 {
            0 => (paths::node(Hash::Blake3, &root, sibling), index / 2),
            _ => (paths::node(Hash::Blake3, sibling, &root), index / 2),
        };
        let (root, _) = siblings.iter().fold((leaf, index), climb);
        paths::Path { leaf, index, root }
    };
    let statement = siblings.iter().map(path).collect();
    let statement = MerklePaths::new(Hash::Blake3, 4, statement).unwrap();
    let proof = paths::prove(&statement, &siblings).unwrap();
    (statement, proof)
}

#[test]
fn every_part_of_a_proof_is_checked() {
    let (statement, proof) = call();
    check_every_part(&proof, "", 15, |proof| verify(&statement, proof).is_ok());
}

/// In proofs of paths, the ring switch has parts that it does not have in proofs of calls.
#[test]
fn every_part_of_the_ring_switch_of_paths_is_checked() {
    let (statement, proof) = merkle_paths();
    let parts = "inner.opening.opening.reduction";
    check_every_part(&proof, parts, 10, |proof| {
        paths::verify(&statement, proof).is_ok()
    });
}

/// Changes every kind of part of a proof whose name begins so, of which there are so many at least.
fn check_every_part(
    proof: &Proof,
    parts: &str,
    expected_kinds: usize,
    accepts: impl Fn(&Proof) -> bool,
) {
    let file = encode(proof).unwrap();
    let honest = tree(proof).unwrap();
    let with_header = |node: &Node| {
        let mut bytes = file[..HEADER].to_vec();
        node.encode(&mut bytes);
        bytes
    };
    assert!(with_header(&honest) == file, "the tree is the proof");

    let mut kinds: BTreeMap<String, Vec<Path>> = BTreeMap::new();
    honest.visit(&mut |kind, path, node| {
        if kind.starts_with(parts) && !changes(node).is_empty() {
            kinds.entry(kind.into()).or_default().push(path.to_vec());
        }
    });
    let names: Vec<_> = kinds.keys().collect();
    assert!(kinds.len() >= expected_kinds, "{names:?}");
    assert!(decode(&file).is_ok_and(|proof| accepts(&proof)));
    for (kind, paths) in kinds {
        let mut places = vec![&paths[0]];
        if paths.len() > 1 {
            places.push(&paths[paths.len() - 1]);
        }
        for path in places {
            for change in changes(honest.at(path).unwrap()) {
                let mut changed = honest.clone();
                *changed.at_mut(path).unwrap() = change;
                let bytes = with_header(&changed);
                let accepted = catch_unwind(AssertUnwindSafe(|| {
                    decode(&bytes).is_ok_and(|proof| accepts(&proof))
                }));
                let accepted = accepted.unwrap_or_else(|_| panic!("a panic by {kind} {path:?}"));
                assert!(!accepted, "{kind} {path:?}");
            }
        }
    }
    // A list's length in more bytes than it needs, as every integer may be.
    let commitment = HEADER + 32;
    assert_eq!(file[commitment], 1, "the commitment has one digest");
    let longer = [&file[..commitment], &[251, 1, 0], &file[commitment + 1..]].concat();
    assert!(decode(&longer).is_err());
}

#[test]
fn proofs_are_the_same_at_any_number_of_threads() {
    let proved = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let proofs = pool.unwrap().install(|| [call().1, merkle_paths().1]);
        proofs.map(|proof| encode(&proof).unwrap())
    };
    assert!(proved(1) == proved(2));
}
