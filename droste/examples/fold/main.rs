//! Blocks of a rollup become one proof: so many blocks lead from one root to another. Whoever
//! verifies it knows one key and reads one small state, whatever number of blocks there is.
//! Parameters are insecure. `docs/fold.md` explains folds.
//!
//! `cargo run --release -p droste --example fold`

use std::error::Error;

use droste::both_ways::{Rule, paper};
use droste::fold::{Child, Counters, LeafKind, Options, PaperChild, Source, file};
use droste::hash::Poseidon16;
use droste::prelude::*;
use droste::program::{TapeItem, commitment};
use droste_programs::folds::chain;

/// The leaf program: a block absorbs a transaction into the root. A real one is
/// `programs/src/folds/block.rs`. There the root binds the height, too, so that no block fits twice;
/// here it is a hash of all transactions, and does not come back.
const BLOCK: &str = "
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

/// The rule `merge` under rustc, on children without proofs.
fn merge() {
    paper!(chain, Span, rules = 4, merge(node, node));
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The rules: functions of spans and blocks, in one file.
    let rules = droste_programs::fold_source("chain").ok_or("there is no such file")?;
    let rules = || Source::new("chain", rules);

    // 2. Test them without proofs, natively and in the machine.
    let block = |number: usize| [F::from_usize(number); 8];
    let number = |number: u32| {
        let mut block = [F::ZERO; 8];
        block[0] = F::from_u32(number);
        block
    };
    let span = |from: usize, to: usize| PaperChild::Node {
        counters: Counters::START,
        state: vec![block(from), block(to), number(1)],
    };
    let tested = Rule::new(&Fold::of(rules()?, Preset::Toy).paper()?, "merge", merge);
    tested.both(&[span(1, 2), span(2, 3)], &[])?;
    let error = tested.both(&[span(1, 2), span(4, 5)], &[]).unwrap_err();
    println!("two spans with a gap: {error}");

    // 3. Prove some blocks, and wrap each proof. The fold's aggregator brings them to its shape.
    let program = compile(BLOCK)?;
    let builder = Fold::of(rules()?, Preset::Toy);
    let aggregator = builder.aggregator()?;
    let options = ProveOptions {
        settings: Preset::Toy.settings(2)?,
        heights: Heights::Minimal,
    };
    let (mut root, mut roots, mut wraps) = (block(7), vec![], vec![]);
    for transaction in 0..3 {
        let (from, transaction) = (root, block(transaction));
        root = Poseidon16.compress_pair(from, transaction);
        let mut tape = Tape::default();
        tape.slice(&[from]);
        tape.slice(&[transaction]);
        let run = execute(&program, &[], &tape, 1 << 16)?;
        let proof = prove_program::<Poseidon16Suite>(&program, &run, &options)?;
        let said = commitment([from, root].as_flattened());
        let insecure = VerifyOptions::min_bits(0);
        let proof = VerifiedProof::of_program(proof, &program, &said, insecure)?;
        roots.push([from, root].map(|root| root.map(Some)).to_vec());
        wraps.push(aggregator.wrap(&proof)?);
    }

    // 4. The fold accepts proofs of this program, and of no other. Its key follows from the texts.
    let leaf = LeafKind::of_program("block", &program, &wraps[0])?;
    let fold = builder.with_leaf(leaf).build()?;
    println!("fold key {}", fold.key());

    // 5. Two blocks at once, and then one more. Hints of a rule are those that its function reads.
    let hints = |from: usize, to: usize| Tape {
        items: roots[from..to]
            .iter()
            .cloned()
            .map(TapeItem::Slice)
            .collect(),
    };
    let [first, second, third] = &wraps[..] else {
        return Err("there are three blocks".into());
    };
    let pair = [Child::Leaf(first), Child::Leaf(second)];
    let two = fold.prove("pair", &pair, &hints(0, 2))?;
    let three = fold.prove(
        "append",
        &[Child::Node(&two), Child::Leaf(third)],
        &hints(2, 3),
    )?;
    let bytes = file::encode(&three)?;

    // 6. Another party knows the key, derived from the same texts, and the state that it expects.
    let expected = vec![block(7), root, number(3)];
    let options = Options::min_bits(0).with_state(expected);
    let accepted = file::decode(&bytes)?.verify(fold.key(), &options)?;
    let Counters { rules, behind, .. } = accepted.counters();
    println!("3 blocks, {} proofs, {} bytes", rules + behind, bytes.len());
    assert_eq!(rules, 5);
    Ok(())
}
