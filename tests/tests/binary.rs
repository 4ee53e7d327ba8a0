//! Proofs of lists of hash calls, of Merkle paths and of graphs: every part of a proof is checked,
//! no part makes a panic, and the bytes are the same at any number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};

use droste_binary::file::{File, verify_file};
use droste_binary::paths::{self, MerklePaths};
use droste_binary::{Blake3, Hash, HashCalls, HashGraph, Source, Witness, prove};
use droste_native::changes::{Changes, LENGTHS, Node, by_kind};
use rayon::ThreadPoolBuilder;

/// Length of a file's header.
const HEADER: usize = 13;

/// What the node may be changed to: other numbers, shorter and longer lists, absent values.
fn others(node: &Node) -> Vec<Node> {
    let edited = |edit: &dyn Fn(&mut Node)| {
        let mut node = node.clone();
        edit(&mut node);
        node
    };
    match node {
        Node::Number(..) => vec![edited(&|number| number.flip(0))],
        Node::Bytes(bytes) => [0, 8 * bytes.len() - 1]
            .map(|bit| edited(&|bytes| bytes.flip(bit)))
            .to_vec(),
        Node::List(items) if items.is_empty() => vec![Node::List(vec![Node::Bytes(vec![0; 16])])],
        Node::List(items) => LENGTHS
            .map(|edit| {
                let mut items = items.clone();
                edit(&mut items);
                Node::List(items)
            })
            .to_vec(),
        Node::Option(Some(_)) => vec![Node::Option(None)],
        // The smallest values that any absent part could have, and none.
        Node::Option(None) => [1, 64]
            .map(|zeros| Node::Option(Some(Box::new(Node::Raw(vec![0; zeros])))))
            .to_vec(),
        _ => vec![],
    }
}

/// A list of calls and the file of its proof, whose opening has two rounds.
fn calls() -> (HashCalls, File<Blake3>) {
    let inputs = (0..33).map(|call| [call; 112]);
    let statement = HashCalls::of_inputs(Hash::Blake3, inputs).unwrap();
    let proof = prove(&statement).unwrap();
    let file = File::new(&statement, proof);
    (statement, file)
}

/// Paths and the file of their proof.
fn merkle_paths() -> (MerklePaths, File<Blake3>) {
    let siblings: Vec<_> = (0..9).map(|path| vec![[path; 32]; 4]).collect();
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
    let proof = prove(Witness::of_paths(&statement, &siblings).unwrap()).unwrap();
    let file = File::new(&statement, proof);
    (statement, file)
}

/// The file of a proof of a chain of states, of which the first one is the witness.
fn graph() -> File<Blake3> {
    let mut graph = HashGraph::new(Hash::KeccakF);
    graph.push(&[Source::Witness; 13]).unwrap();
    for call in 0..40 {
        let sources: [_; 13] = std::array::from_fn(|element| Source::output(call, element));
        graph.push(&sources).unwrap();
    }
    let proof = prove(Witness::of_graph(&graph, &[[0; 16]; 13]).unwrap()).unwrap();
    File::new(&graph, proof)
}

#[test]
fn every_part_of_a_proof_of_calls_is_checked() {
    let (statement, file) = calls();
    check_every_part(&file, |bytes| {
        verify_file::<Blake3>(&statement, bytes, 0).is_ok()
    });
}

#[test]
fn every_part_of_a_proof_of_paths_is_checked() {
    let (statement, file) = merkle_paths();
    check_every_part(&file, |bytes| {
        verify_file::<Blake3>(&statement, bytes, 0).is_ok()
    });
}

/// Changes every kind of part of a file, in the first and the last place where there is one.
fn check_every_part(file: &File<Blake3>, accepts: impl Fn(&[u8]) -> bool) {
    let bytes = file.encode().unwrap();
    let (header, body) = bytes.split_at(HEADER);
    let changes = Changes::new(file).unwrap();
    assert!(changes.encoding() == body, "the tree is the file");
    assert!(accepts(&bytes));

    let mut places = changes.places(|_| true);
    places.retain(|place| !others(place.node).is_empty());
    let kinds = by_kind(places);
    assert!(kinds.len() >= 20, "{:?}", kinds.keys());
    for places in kinds.values() {
        let mut ends = vec![0, places.len() - 1];
        ends.dedup();
        for place in ends.into_iter().map(|index| &places[index]) {
            for other in others(place.node) {
                let changed = changes.bytes(place, |node| *node = other).unwrap();
                let bytes = [header, changed.as_slice()].concat();
                let accepted = catch_unwind(AssertUnwindSafe(|| accepts(&bytes)));
                let accepted = accepted.unwrap_or_else(|_| panic!("a panic by {}", place.name));
                assert!(!accepted, "{}", place.name);
            }
        }
    }
}

#[test]
fn proofs_are_the_same_at_any_number_of_threads() {
    let proved = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let files = pool
            .unwrap()
            .install(|| [calls().1, merkle_paths().1, graph()]);
        files.map(|file| file.encode().unwrap())
    };
    assert!(proved(1) == proved(2));
}
