//! Measures files, claims and memberships of large claim trees.
//!
//! `cargo run --release -p droste-bench --example large_claim -- [LEAVES] [FILE]`
//!
//! The tree is made up: leaves of one program with distinct statements, each wrapped once, and
//! joins of two. No such proofs are made. The proof at the root is of a program that reveals the
//! tree's claim, which verification against a derived or pinned key refuses. Everything measured
//! here depends on the tree's size only. FILE is written for `droste inspect --claimed` and
//! `droste member`.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use droste_air::test_utils::{Counting, peak};
use droste_native::F;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::aggregate::{Aggregator, UnverifiedAggregate};
use droste_verifier::claim::{AcceptedLeaves, Claim, ClaimTree};
use droste_verifier::file::{self, member};
use droste_verifier::keys::ClaimedKeys;
use droste_verifier::member::Membership;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, ProvingKey};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Keys of the made-up proofs.
const PROGRAM: KeyDigest = KeyDigest([F::new(1); 8]);
const WRAP: KeyDigest = KeyDigest([F::new(2); 8]);
const JOIN: KeyDigest = KeyDigest([F::new(3); 8]);

/// Joins of two over as many wraps of leaves. The last proof of an odd level goes up alone.
fn tree(leaves: usize) -> ClaimTree {
    let node = |key, children| ClaimTree {
        key,
        claim: Claim::Children(children),
    };
    let leaf = |number| ClaimTree {
        key: PROGRAM,
        claim: Claim::Statement([number, 1, 2, 3, 4, 5, 6, 7].map(F::from_usize)),
    };
    let mut level: Vec<ClaimTree> = (0..leaves).map(|i| node(WRAP, vec![leaf(i)])).collect();
    while level.len() > 1 {
        let mut nodes = level.into_iter();
        level = vec![];
        while let Some(first) = nodes.next() {
            level.push(match nodes.next() {
                Some(second) => node(JOIN, vec![first, second]),
                None => first,
            });
        }
    }
    level.remove(0)
}

/// An aggregate of this tree that is consistent in itself.
fn aggregate(mut tree: ClaimTree) -> Result<UnverifiedAggregate, Box<dyn Error>> {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let lanes = tree.claim.statement();
    let lanes = lanes.map(|lane| format!("    reveal(Felt::new({}));\n", lane.as_canonical_u32()));
    let body = lanes.concat();
    let program = format!("use droste_gadgets::prelude::*;\npub fn main() {{\n{body}}}\n");
    let compiled = compile(&program, &[])?;
    let execution = execute(&compiled, &[], &Tape::default(), 1 << 16)?;
    let (settings, heights) = (WhirSettings::toy(), Heights::Minimal);
    let key = ProvingKey::<StandardTables>::new(&compiled.program, settings, heights)?;
    let proof = key.prove_run(&execution)?;
    tree.key = proof.key.digest();
    let mut keys = ClaimedKeys::default();
    for (_, node) in tree.nodes().filter(|(_, node)| !node.children().is_empty()) {
        if keys.bits(node.key).is_none() {
            keys.insert(node.key, 100, aggregator.join_recipe(2)?);
        }
    }
    Ok(UnverifiedAggregate { proof, tree, keys })
}

/// The shortest of three durations of a call, and its result.
fn time<T>(mut call: impl FnMut() -> T) -> (T, Duration) {
    let mut run = || {
        let start = Instant::now();
        let value = black_box(call());
        (value, start.elapsed())
    };
    let mut best = run();
    for _ in 0..2 {
        let next = run();
        if next.1 < best.1 {
            best = next;
        }
    }
    best
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let leaves: usize = arguments.first().map_or(Ok(1 << 16), |text| text.parse())?;
    let aggregate = aggregate(tree(leaves.max(1)))?;
    let nodes = aggregate.tree.nodes().count();
    println!(
        "{leaves} leaves, {nodes} nodes, {} levels",
        aggregate.tree.depth()
    );

    let proof = whir::encode(&aggregate.proof)?.len();
    let (bytes, encode) = time(|| file::encode_unverified(&aggregate));
    let bytes = bytes?;
    let per_leaf = (bytes.len() - proof) as f64 / leaves as f64;
    println!(
        "file: {} bytes, {proof} of them for the proof; {per_leaf:.1} a leaf; written in {encode:.1?}",
        bytes.len(),
    );
    let (read, decode) = time(|| file::decode(&bytes));
    drop(read?);
    let (read, memory) = peak(|| file::decode(&bytes));
    drop(read?);
    println!(
        "decoding: {decode:.1?}, {:.1} MB at most, {} bytes a node",
        memory as f64 / 1e6,
        memory / nodes
    );
    let (_, digest) = time(|| aggregate.tree.claim.statement());
    println!("digest of the tree: {digest:.1?}");
    let (accepted, check) = time(|| aggregate.check());
    println!(
        "digest, keys, bits and proof: {check:.1?}, {} proofs",
        accepted?.proofs
    );

    let leaf = leaves / 2;
    let (member, make) = time(|| Membership::new(&aggregate.tree, &aggregate.keys, leaf));
    let written = member::encode(&member?)?;
    let (claim, key) = (aggregate.claim(), aggregate.key());
    let verify = || -> Result<_, Box<dyn Error>> {
        Ok(member::decode(&written)?.verify(
            &claim,
            key,
            VerifyOptions::min_bits(100),
            &AcceptedLeaves::Any,
        )?)
    };
    let (shown, verify) = time(verify);
    println!(
        "membership of leaf {leaf}: made in {make:.1?}, {} bytes, decoded and verified in {verify:.1?}, \
         {} levels",
        written.len(),
        shown?.position.len()
    );
    if let Some(path) = arguments.get(1) {
        fs::write(path, &bytes)?;
    }
    Ok(())
}
