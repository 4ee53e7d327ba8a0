//! Folds of real proofs, at toy parameters: what nodes say, which lies about children their programs
//! refuse, and which leaves, folds and rules are refused before anything is proved.
//!
//! What needs no proofs of rules is tested elsewhere. `verifier/src/program/fold/tests` tells lies to
//! rules on paper, natively and in the machine, among them all about counters and depths.
//! `verifier/src/fold` tests each check of whoever verifies a root, and signatures, recipes and
//! leaf kinds.

mod all;
mod counters;
mod examples;
mod families;
mod foreign;
mod hostile;
mod leaves;
mod nodes;
mod room;

use std::sync::LazyLock;

use droste_gadgets::SOURCES;
use droste_native::hash::commitment::commitment;
use droste_native::precompile::poseidon16_compress;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_verifier::aggregate::{Aggregate, AggregateOptions, Aggregator};
use droste_verifier::circuit::PRECOMPILES;
use droste_verifier::claim::{AcceptedLeaves, Claim};
use droste_verifier::file;
use droste_verifier::fold::{
    Child, Counters, Family, Fold, FoldError, Folded, LeafKind, LeafProgram, Options, Source,
    UnverifiedFold,
};
use droste_verifier::proofs;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, TapeItem, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::{Prove, StackSettings};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir;
use p3_field::PrimeCharacteristicRing;

type Lanes = [F; 8];

/// Any fold of these rules, whatever its bits.
const ANY: Options = Options::min_bits(0);

const INSECURE: VerifyOptions = VerifyOptions::min_bits(0);

/// A leaf program: a root absorbs a transaction. The statement is that of the example `block`.
const STEP: &str = "
use droste_gadgets::commitment::reveal_commitment;
use droste_gadgets::prelude::*;

pub fn main() {
    // The commitment binds the first root; whoever has the transaction may absorb it.
    let from = hint_slice(1).any().block(0);
    let transaction = hint_slice(1).any().block(0);
    let to = poseidon16_compress(from, transaction);
    let mut roots = Vec::new();
    for lane in 0..8 {
        roots.push(from.lane(lane));
    }
    for lane in 0..8 {
        roots.push(to.lane(lane));
    }
    reveal_commitment(&roots);
}
";

/// A program without checks, which says whatever it is given.
const SAYS: &str = "
use droste_gadgets::prelude::*;

pub fn main() {
    for _i in 0..8 {
        let _said = public_input();
    }
}
";

/// A proof of a leaf program and its wrap.
struct Leaf {
    /// Roots before and after.
    roots: [Lanes; 2],
    bytes: Vec<u8>,
    wrap: Aggregate,
}

/// The example of a rollup on three leaves.
struct Chain {
    fold: Fold,
    leaves: [Leaf; 3],
    /// The first two leaves.
    pair: Folded,
    /// The third leaf.
    one: Folded,
    /// All three, as a tree.
    merged: Folded,
}

/// The rules `block` and `merge` of the example, on leaves that come through several paths.
struct Paths {
    fold: Fold,
    program: Compiled,
    /// The first in Poseidon-16, behind one wrap; the second in Blake3, behind several.
    leaves: [Leaf; 2],
    /// A node of each, and both merged.
    nodes: [Folded; 2],
    merged: Folded,
}

/// The same rules, on a leaf of fewer bits.
struct Weak {
    fold: Fold,
    /// A node of that leaf.
    node: Folded,
}

static CHAIN: LazyLock<Chain> = LazyLock::new(|| {
    let builder = Fold::of(chain(), Preset::Toy);
    let (program, aggregator) = (program(STEP), builder.aggregator().unwrap());
    let mut root = lanes(7);
    let leaves = [1, 2, 3].map(|transaction| {
        let leaf = Leaf::new(&program, &aggregator, poseidon16(), root, transaction);
        root = leaf.roots[1];
        leaf
    });
    let kind = LeafKind::of_program("step", &program, &leaves[0].wrap).unwrap();
    let fold = builder.with_leaf(kind).build().unwrap();
    let [a, b, c] = leaves.each_ref().map(|leaf| Child::Leaf(&leaf.wrap));
    let pair = fold.prove("pair", &[a, b], &hints(&leaves[..2])).unwrap();
    let one = fold.prove("block", &[c], &hints(&leaves[2..])).unwrap();
    let nodes = [Child::Node(&pair), Child::Node(&one)];
    let merged = fold.prove("merge", &nodes, &Tape::default()).unwrap();
    Chain {
        fold,
        leaves,
        pair,
        one,
        merged,
    }
});

static PATHS: LazyLock<Paths> = LazyLock::new(|| {
    let builder = Fold::of(short(), Preset::Toy);
    let (program, aggregator) = (program(STEP), builder.aggregator().unwrap());
    let first = Leaf::new(&program, &aggregator, poseidon16(), lanes(7), 1);
    let blake3 = of_leaf(HashId::Blake3);
    let second = Leaf::new(&program, &aggregator, blake3, first.roots[1], 2);
    let leaves = [first, second];
    let kind = LeafKind::of_program("step", &program, &leaves[0].wrap).unwrap();
    let kind = kind.with_path(LeafProgram::Program(&program.program), &leaves[1].wrap);
    let fold = builder.with_leaf(kind.unwrap()).build().unwrap();
    let nodes = leaves.each_ref().map(|leaf| {
        let (child, hints) = (Child::Leaf(&leaf.wrap), hints(std::slice::from_ref(leaf)));
        fold.prove("block", &[child], &hints).unwrap()
    });
    let children = nodes.each_ref().map(Child::Node);
    let merged = fold.prove("merge", &children, &Tape::default()).unwrap();
    Paths {
        fold,
        program,
        leaves,
        nodes,
        merged,
    }
});

static WEAK: LazyLock<Weak> = LazyLock::new(|| {
    let builder = Fold::of(short(), Preset::Toy);
    let (program, aggregator) = (program(STEP), builder.aggregator().unwrap());
    let mut settings = Preset::Toy.settings(2).unwrap();
    settings.num_queries = 1;
    let of = (HashId::Poseidon16, settings.into());
    let leaf = Leaf::new(&program, &aggregator, of, lanes(7), 1);
    let kind = LeafKind::of_program("step", &program, &leaf.wrap).unwrap();
    let fold = builder.with_leaf(kind).build().unwrap();
    let child = Child::Leaf(&leaf.wrap);
    let hints = hints(std::slice::from_ref(&leaf));
    let node = fold.prove("block", &[child], &hints).unwrap();
    Weak { fold, node }
});

impl Leaf {
    /// Proves in this hash, with these settings, that a transaction leads from a root to another,
    /// and wraps the proof.
    fn new(
        program: &Compiled,
        aggregator: &Aggregator,
        (hash, settings): (HashId, StackSettings),
        from: Lanes,
        transaction: u32,
    ) -> Self {
        let transaction = lanes(transaction);
        let mut tape = Tape::default();
        tape.slice(&[from]);
        tape.slice(&[transaction]);
        let run = execute(program, &[], &tape, 1 << 16).unwrap();
        let statement = run.statement;
        let proved = proofs::prove(hash, program, &run, &statement, settings).unwrap();
        let wrap = aggregator.wrap_bytes(&proved.bytes, program, &statement, INSECURE);
        Self {
            roots: [from, poseidon16_compress(&from, &transaction)],
            bytes: proved.bytes,
            wrap: wrap.unwrap(),
        }
    }

    /// What it says.
    fn statement(&self) -> Lanes {
        commitment(self.roots.as_flattened())
    }
}

/// The example `chain`: the rules `block`, `merge`, `pair` and `append`.
fn chain() -> Source {
    Source::new("chain", droste_programs::fold_source("chain").unwrap()).unwrap()
}

/// The example with the rules `block` and `merge` alone.
fn short() -> Source {
    let text = droste_programs::fold_source("chain").unwrap();
    let (text, _) = text.split_once("/// Two blocks in one step.").unwrap();
    Source::new("chain", text).unwrap()
}

fn program(text: &str) -> Compiled {
    compile(text, SOURCES).unwrap()
}

fn of_leaf(hash: HashId) -> (HashId, StackSettings) {
    (hash, WhirSettings::of_leaf(Preset::Toy, hash, 1).into())
}

fn poseidon16() -> (HashId, StackSettings) {
    of_leaf(HashId::Poseidon16)
}

fn lanes(x: u32) -> Lanes {
    [F::from_u32(x); 8]
}

/// A block that begins with these numbers.
fn numbers<const N: usize>(numbers: [u32; N]) -> Lanes {
    std::array::from_fn(|lane| F::from_u32(numbers.get(lane).copied().unwrap_or(0)))
}

fn span(from: Lanes, to: Lanes, blocks: u32) -> Vec<Lanes> {
    vec![from, to, numbers([blocks])]
}

const fn counters(rules: u32, behind: u32, depth: u32) -> Counters {
    Counters {
        rules,
        behind,
        depth,
    }
}

/// The hints of the functions that open these leaves.
fn hints(leaves: &[Leaf]) -> Tape {
    let items = leaves.iter().map(|leaf| slice(&leaf.roots)).collect();
    Tape { items }
}

fn slice(blocks: &[Lanes]) -> TapeItem {
    TapeItem::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}

fn felt(x: usize) -> TapeItem {
    TapeItem::Felt(F::from_usize(x))
}

/// The list of a fold's rules as its runs read it, by its definition.
fn list(family: &Family) -> Vec<Lanes> {
    let (rules, bits, behind) = (family.keys.len(), family.bits, family.bits_behind);
    let head = numbers([rules as u32, bits.into(), behind.into()]);
    let keys = family.keys.iter().map(|key| key.0);
    std::iter::once(head).chain(keys).collect()
}

/// What a node says, as the rule reads it that takes the node, by its definition.
fn said(family: KeyDigest, counters: Counters, state: &[Lanes]) -> Vec<Lanes> {
    let Counters {
        rules,
        behind,
        depth,
    } = counters;
    [&[family.0, numbers([rules, behind, depth])][..], state].concat()
}

/// The fold as somebody reads it from its file.
fn unverified(folded: &Folded) -> UnverifiedFold {
    file::fold::decode(&file::fold::encode(folded).unwrap()).unwrap()
}

fn copy(folded: &Folded) -> Folded {
    unverified(folded).verify(folded.key(), &ANY).unwrap()
}

/// A copy whose keys are pinned, not derived.
fn copy_of_wrap(wrap: &Aggregate) -> Aggregate {
    let wrapped = file::decode(&file::encode(wrap).unwrap()).unwrap();
    let options = AggregateOptions::min_bits(0);
    let pinned = wrapped.pinned(wrap.key(), options, &AcceptedLeaves::Any);
    pinned.unwrap()
}

fn copy_of_proof(proof: &whir::Proof) -> whir::Proof {
    whir::decode(&whir::encode(proof).unwrap()).unwrap()
}

/// The keys of the wraps above a leaf, the last one first, and its own.
fn path(wrap: &Aggregate) -> Vec<KeyDigest> {
    let (mut keys, mut at) = (vec![], wrap.tree());
    loop {
        keys.push(at.key);
        match &at.claim {
            Claim::Statement(_) => return keys,
            Claim::Children(children) => at = &children[0],
        }
    }
}

/// A proof of the shape of a fold's nodes, of a program that says whatever it is given.
fn says(fold: &Fold, statement: Lanes) -> whir::Proof {
    let program = program(SAYS);
    let run = execute(&program, &statement, &Tape::default(), 1 << 16).unwrap();
    let aggregator = fold.aggregator();
    let key = whir::ProvingKey::<StandardTables>::with_precompiles(
        &program.program,
        &PRECOMPILES.into(),
        *aggregator.settings(),
        Heights::Exact(aggregator.log_heights().to_vec()),
    );
    let proof = key.unwrap().prove_run(&run).unwrap();
    assert!(aggregator.is_canonical(&proof));
    assert_eq!(proof.statement, statement);
    proof
}

/// The hints of the run of a rule's program on these proofs. `own` are those after the proofs: what
/// the children say, and those of the function.
fn tape(
    fold: &Fold,
    rule: &str,
    list: &[Lanes],
    proofs: &[&whir::Proof],
    own: &[TapeItem],
) -> Tape {
    let circuit = fold.circuit(rule).unwrap();
    let children = circuit.tape(proofs).unwrap();
    let mut items = vec![slice(list)];
    items.extend(droste_verifier::tape::machine_tape(&children).items);
    items.extend_from_slice(own);
    Tape { items }
}

/// What a rule's program reveals on these hints, or the words with which it refuses them.
fn run(fold: &Fold, rule: &str, tape: &Tape) -> Result<Lanes, String> {
    let circuit = fold.circuit(rule).unwrap();
    let run = execute(circuit.compiled(), &[], tape, 1 << 24);
    run.map(|run| run.statement)
        .map_err(|error| error.to_string())
}

/// Fails unless the program of a rule refuses these hints for this reason.
fn refuses(fold: &Fold, rule: &str, tape: &Tape, reason: &str) {
    match run(fold, rule, tape) {
        Ok(_) => panic!("`{rule}` accepts, expected: {reason}"),
        Err(error) => assert!(error.contains(reason), "{error}\nexpected: {reason}"),
    }
}

/// Why a rule does not take this child, in words.
fn mismatch(error: FoldError, slot: usize) -> String {
    match error {
        FoldError::Child { child, found, .. } if child == slot => found,
        error => panic!("{error}"),
    }
}
