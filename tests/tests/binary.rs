//! Proofs of lists of hash calls: every part of a proof is checked, and no part makes a panic.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use droste_binary::{Hash, HashCalls, decode, encode, prove, verify};
use droste_tests::attack::tree::{Node, Path, tree};

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

#[test]
fn every_part_of_a_proof_is_checked() {
    let statement = HashCalls::of_inputs(Hash::Blake3, [[3; 112]]).unwrap();
    let proof = prove(&statement).unwrap();
    let file = encode(&proof).unwrap();
    let honest = tree(&proof).unwrap();
    let with_header = |node: &Node| {
        let mut bytes = file[..HEADER].to_vec();
        node.encode(&mut bytes);
        bytes
    };
    assert!(with_header(&honest) == file, "the tree is the proof");

    let mut kinds: BTreeMap<String, Vec<Path>> = BTreeMap::new();
    honest.visit(&mut |kind, path, node| {
        if !changes(node).is_empty() {
            kinds.entry(kind.into()).or_default().push(path.to_vec());
        }
    });
    assert!(kinds.len() >= 15, "{kinds:?}");
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
                    decode(&bytes).is_ok_and(|proof| verify(&statement, &proof).is_ok())
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
