// Runs rules and the program of blocks natively and in the machine: both must say the same. Children
// of rules say what a test wants, without proofs.

use droste::both_ways::{Hint, NativeTape, Program, Rule, paper};
use droste::fold::{Counters, Fold, Paper, PaperChild, Source};
use droste::prelude::*;
use droste::program::commitment;

use package::{block, chain};

/// The rules of `src/chain.rs` in the machine.
fn rules() -> Paper {
    let source = Source::new("chain", include_str!("../src/chain.rs")).unwrap();
    Fold::of(source, Preset::Toy).paper().unwrap()
}

/// The same under rustc. There are four rules.
fn merge() {
    paper!(chain, Span, rules = 4, merge(node, node));
}

fn pair() {
    paper!(chain, Span, rules = 4, pair(leaf 0 = paper::path(0), leaf 0 = paper::path(0)));
}

fn append() {
    paper!(chain, Span, rules = 4, append(node, leaf 0 = paper::path(0)));
}

fn root(number: u32) -> [F; 8] {
    [F::from_u32(number); 8]
}

fn span(from: u32, to: u32) -> PaperChild {
    let mut blocks = [F::ZERO; 8];
    blocks[0] = F::from_u32(to - from);
    PaperChild::Node {
        counters: Counters::START,
        state: vec![root(from), root(to), blocks],
    }
}

/// A block that leads from one root to another.
fn leaf(from: u32, to: u32) -> PaperChild {
    PaperChild::Leaf {
        statement: commitment([root(from), root(to)].as_flattened()),
    }
}

/// The hint with which a rule opens what a block says.
fn roots(from: u32, to: u32) -> Hint {
    Hint::Slice([from, to].map(|number| root(number).map(Some)).to_vec())
}

#[test]
fn spans_follow_each_other() {
    let merge = Rule::new(&rules(), "merge", merge);
    merge.both(&[span(1, 3), span(3, 4)], &[]).unwrap();
    let error = merge.both(&[span(1, 3), span(4, 5)], &[]).unwrap_err();
    assert!(
        error.contains("the second span begins elsewhere"),
        "{error}"
    );
}

#[test]
fn blocks_are_paired() {
    let pair = Rule::new(&rules(), "pair", pair);
    let (children, hints) = ([leaf(1, 2), leaf(2, 3)], [roots(1, 2), roots(2, 3)]);
    pair.both(&children, &hints).unwrap();
    let [first, second] = hints;
    pair.both(&children, &[second, first]).unwrap_err();
}

#[test]
fn a_block_is_appended() {
    let append = Rule::new(&rules(), "append", append);
    let children = [span(1, 3), leaf(3, 4)];
    append.both(&children, &[roots(3, 4)]).unwrap();
    // The leaf says other roots.
    append.both(&children, &[roots(3, 5)]).unwrap_err();
}

#[test]
fn the_program_of_a_block_runs() {
    let block = Program::new("src/block.rs", include_str!("../src/block.rs"), block::main);
    let slice = |number| Hint::Slice(vec![root(number).map(Some)]);
    let at = |height: u32| NativeTape {
        hints: vec![slice(7), Hint::Felt(F::from_u32(height)), slice(1)],
    };
    let first = block.both(&at(0), &[]).unwrap();
    // The same block at another height leads from another root to another.
    let second = block.both(&at(1), &[]).unwrap();
    assert_ne!(first, second);
    block.both(&at(1 << 30), &[]).unwrap_err();
}
