//! Proofs of lists of hash calls, of Merkle paths and of graphs, over GF(2^128).

use droste_binary::file::{File, verify_file};
use droste_binary::paths::{MerklePaths, Path, root};
use droste_binary::{
    Blake3, Hash, HashCalls, HashGraph, Poseidon16, Proof, Source, Statement, TreeHash, Witness,
    prove,
};

use droste_verifier::aggregate::{Aggregate, Aggregator};
use droste_verifier::binary::BinaryCircuit;
use droste_verifier::circuit::BinaryShape;

use crate::data::Found;

/// Bits that all these proofs have.
const BITS: usize = 100;

fn calls(hash: Hash) -> HashCalls {
    let inputs = (0..8).map(|call| vec![call; hash.input_bytes()]);
    HashCalls::of_inputs(hash, inputs).unwrap()
}

/// Paths of two levels, and their siblings.
fn paths(hash: Hash) -> (MerklePaths, Vec<[[u8; 32]; 2]>) {
    let path = |index: u8| {
        let (leaf, siblings) = ([index; 32], [[index ^ 0x55; 32], [index ^ 0xaa; 32]]);
        let index = index.into();
        let root = root(hash, &leaf, index, &siblings).unwrap();
        (Path { leaf, index, root }, siblings)
    };
    let (list, siblings) = (0..4).map(path).unzip();
    (MerklePaths::new(hash, 2, list).unwrap(), siblings)
}

/// A chain of states of Keccak-f, of which the first one is the witness.
fn graph() -> HashGraph {
    let mut graph = HashGraph::new(Hash::KeccakF);
    graph.push(&[Source::Witness; 13]).unwrap();
    for call in 0..7 {
        let sources: [_; 13] = std::array::from_fn(|element| Source::output(call, element));
        graph.push(&sources).unwrap();
    }
    graph
}

/// The wrap of a proof about calls.
pub fn wrap(aggregator: &Aggregator) -> Aggregate {
    let calls = calls(Hash::Blake3);
    let proof = prove(&calls).unwrap();
    let circuit = BinaryCircuit::new(BinaryShape::of(calls.shape()).unwrap()).unwrap();
    let run = circuit.run(&calls, &proof).unwrap();
    aggregator.wrap_run(run).unwrap()
}

/// Files that are kept, as they are not small: one about each kind of statement.
const KEPT: [&str; 3] = [
    "calls.blake3.blake3",
    "paths.keccak-f.poseidon16",
    "graph.keccak-f.blake3",
];

fn add<H: TreeHash>(found: &mut Found, name: &str, statement: Statement<'_>, proof: Proof<H>) {
    let bytes = File::new(statement, proof).encode().unwrap();
    let name = format!("{name}.{}", H::ID);
    if KEPT.contains(&name.as_str()) {
        found.add_file(&name, bytes)
    } else {
        found.add_digest(&name, &bytes)
    }
}

fn add_all<H: TreeHash>(found: &mut Found) {
    for hash in Hash::ALL {
        let calls = calls(hash);
        let proof = prove::<H>(&calls).unwrap();
        add(
            found,
            &format!("calls.{hash}"),
            Statement::Calls(&calls),
            proof,
        );
        let (paths, siblings) = paths(hash);
        let proof = prove::<H>(Witness::of_paths(&paths, &siblings).unwrap()).unwrap();
        add(
            found,
            &format!("paths.{hash}"),
            Statement::Paths(&paths),
            proof,
        );
    }
    let graph = graph();
    let proof = prove::<H>(Witness::of_graph(&graph, &[[0; 16]; 13]).unwrap()).unwrap();
    add(found, "graph.keccak-f", Statement::Graph(&graph), proof);
}

#[test]
fn lists() {
    let mut found = Found::new("lists");
    add_all::<Blake3>(&mut found);
    add_all::<Poseidon16>(&mut found);
    found.compare();
}

/// Whether the kept file of a name is accepted; its hash of trees is the last part of the name.
pub fn is_accepted(kind: &str, hash: &str, tree: &str, bytes: &[u8]) -> bool {
    match tree {
        "blake3" => is_accepted_in::<Blake3>(kind, hash, bytes),
        _ => is_accepted_in::<Poseidon16>(kind, hash, bytes),
    }
}

fn is_accepted_in<H: TreeHash>(kind: &str, hash: &str, bytes: &[u8]) -> bool {
    let hash = Hash::ALL.into_iter().find(|known| known.name() == hash);
    let hash = hash.unwrap();
    match kind {
        "calls" => verify_file::<H>(&calls(hash), bytes, BITS).is_ok(),
        "paths" => verify_file::<H>(&paths(hash).0, bytes, BITS).is_ok(),
        _ => verify_file::<H>(&graph(), bytes, BITS).is_ok(),
    }
}
