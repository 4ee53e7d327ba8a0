//! Rules of folds on paper, and what they are made of, natively and in the machine.

use droste::both_ways::{Hint, NativeTape, Program, Rule, machine_tape, paper};
use droste::fold::{Counters, Fold, Paper, PaperChild, Source};
use droste::hash::{Poseidon16, Preset};
use droste::program::commitment;
use droste_gadgets::signers::SIGNERS_TAG;
use droste_native::F;
use droste_native::precompile::poseidon16_compress;
use droste_programs::fold_source;
use droste_programs::folds::{block, chain, reduce, repeat, signers};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

fn rules(stem: &str) -> Paper {
    let text = fold_source(stem).expect("the rules exist");
    let source = Source::new(stem, text).expect("a module");
    Fold::of(source, Preset::Toy).paper().expect("rules")
}

/// A block of these numbers and zeros.
fn numbers<const N: usize>(numbers: [u32; N]) -> [F; 8] {
    std::array::from_fn(|i| F::from_u32(numbers.get(i).copied().unwrap_or(0)))
}

fn slice(blocks: &[[F; 8]]) -> Hint {
    Hint::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}

fn node(state: &[[F; 8]]) -> PaperChild {
    PaperChild::Node {
        counters: Counters::START,
        state: state.to_vec(),
    }
}

fn leaf(statement: [F; 8]) -> PaperChild {
    PaperChild::Leaf { statement }
}

/// Fails unless a rule returns this state of these children, natively and in the machine, and no
/// hint is free: neither of the function, nor of what the rule has around it.
fn agrees(
    rules: &Paper,
    (rule, main): (&str, fn()),
    children: &[PaperChild],
    hints: &[Hint],
    expected: &[[F; 8]],
) {
    let tested = Rule::new(rules, rule, main);
    let run = tested.both(children, hints);
    run.unwrap_or_else(|error| panic!("{rule}: {error}"));
    let hints_of_machine = machine_tape(&NativeTape {
        hints: hints.to_vec(),
    });
    let run = rules.run(rule, children, &hints_of_machine);
    let run = run.unwrap_or_else(|error| panic!("{rule}: {error}"));
    assert_eq!(run.state, expected, "{rule}");
    let again = rules.check_state(&run.state);
    again.unwrap_or_else(|error| panic!("{rule}: {error}"));
    assert_eq!(tested.mutate_hints(children, hints), 0, "{rule}");
}

/// The `main` of each rule under rustc.
mod native {
    use super::*;

    pub fn block() {
        paper!(chain, Span, rules = 4, block(leaf 0 = paper::path(0)));
    }

    pub fn merge_spans() {
        paper!(chain, Span, rules = 4, merge(node, node));
    }

    pub fn pair_of_blocks() {
        paper!(chain, Span, rules = 4, pair(leaf 0 = paper::path(0), leaf 0 = paper::path(0)));
    }

    pub fn append() {
        paper!(chain, Span, rules = 4, append(node, leaf 0 = paper::path(0)));
    }

    pub fn start() {
        paper!(repeat, Power, rules = 2, start());
    }

    pub fn step() {
        paper!(repeat, Power, rules = 2, step(node));
    }

    pub fn item() {
        paper!(reduce, Sorted, rules = 3, item(leaf 0 = paper::path(0)));
    }

    pub fn merge_lists() {
        paper!(reduce, Sorted, rules = 3, merge(node, node));
    }

    pub fn pair_of_items() {
        paper!(reduce, Sorted, rules = 3, pair(leaf 0 = paper::path(0), leaf 0 = paper::path(0)));
    }

    pub fn batch() {
        paper!(signers, Signers, rules = 4, batch(leaf 0 = paper::path(0)));
    }

    pub fn unite() {
        paper!(signers, Signers, rules = 4, unite(node, node));
    }

    pub fn pair_of_batches() {
        paper!(signers, Signers, rules = 4, pair(leaf 0 = paper::path(0), leaf 0 = paper::path(0)));
    }

    pub fn add() {
        paper!(signers, Signers, rules = 4, add(node, leaf 0 = paper::path(0)));
    }
}

#[test]
fn rules_of_the_rollup_agree() {
    let rules = rules("chain");
    let [a, b, c] = [1, 2, 3].map(|seed| numbers([seed, 10 * seed, 100, 7, 7, 7, 7, seed]));
    let said = |from: [F; 8], to: [F; 8]| leaf(commitment([from, to].as_flattened()));
    let number = |number| numbers([number]);
    let (first, second) = (slice(&[a, b]), slice(&[b, c]));

    let state = [a, b, number(1)];
    agrees(
        &rules,
        ("block", native::block),
        &[said(a, b)],
        std::slice::from_ref(&first),
        &state,
    );
    let children = [node(&state), node(&[b, c, number(4)])];
    let state = [a, c, number(5)];
    agrees(
        &rules,
        ("merge", native::merge_spans),
        &children,
        &[],
        &state,
    );
    let children = [said(a, b), said(b, c)];
    let hints = [first, second.clone()];
    let state = [a, c, number(2)];
    agrees(
        &rules,
        ("pair", native::pair_of_blocks),
        &children,
        &hints,
        &state,
    );
    let children = [node(&[c, b, number(9)]), said(b, c)];
    let state = [c, c, number(10)];
    agrees(
        &rules,
        ("append", native::append),
        &children,
        &[second],
        &state,
    );
}

/// Levels of the rollup's tree of accounts.
const LEVELS: usize = 8;

/// A rollup of which only accounts 0 and 1 have something.
struct Rollup {
    balances: [u32; 2],
    height: u32,
}

impl Rollup {
    /// The siblings of account 0 or 1.
    fn siblings(&self, account: usize) -> Vec<[F; 8]> {
        let (mut siblings, mut empty) = (vec![numbers([self.balances[1 - account]])], [F::ZERO; 8]);
        while siblings.len() < LEVELS {
            empty = poseidon16_compress(&empty, &empty);
            siblings.push(empty);
        }
        siblings
    }

    /// Root of the tree.
    fn accounts(&self) -> [F; 8] {
        let first = numbers([self.balances[0]]);
        let siblings = self.siblings(0);
        let parent = |node, sibling: &[F; 8]| poseidon16_compress(&node, sibling);
        siblings.iter().fold(first, parent)
    }

    /// The root that blocks lead to.
    fn root(&self) -> [F; 8] {
        poseidon16_compress(&self.accounts(), &numbers([self.height]))
    }

    /// Makes a block that transfers this amount from an account to the other one, and nothing three
    /// times. Returns what its program reads, and the roots before and after it.
    fn block(&mut self, from: usize, amount: u32) -> (NativeTape, [[F; 8]; 2]) {
        let felt = |x: u32| Hint::Felt(F::from_u32(x));
        let before = self.root();
        let mut hints = vec![slice(&[self.accounts()]), felt(self.height)];
        for amount in [amount, 0, 0, 0] {
            hints.push(felt(amount));
            for account in [from, 1 - from] {
                let siblings = slice(&self.siblings(account));
                let balance = self.balances[account];
                hints.extend([felt(account as u32), felt(balance), siblings]);
                self.balances[account] = if account == from {
                    balance - amount
                } else {
                    balance + amount
                };
            }
        }
        self.height += 1;
        (NativeTape { hints }, [before, self.root()])
    }
}

/// A block, its reversal, and the same block again: all accounts are what they were, but the root
/// binds the height.
#[test]
fn a_block_of_the_rollup_fits_only_once() {
    let text = fold_source("block").expect("the program exists");
    let program = Program::new("block", text, block::main);
    let mut rollup = Rollup {
        balances: [900, 50],
        height: 7,
    };
    let accounts = rollup.accounts();
    let made = |rollup: &mut Rollup, from: usize| {
        let (tape, roots) = rollup.block(from, 400);
        let expected = commitment(roots.as_flattened()).map(|lane| lane.as_canonical_u32());
        assert_eq!(program.both(&tape, &[]), Ok(expected));
        roots
    };
    let (first, reversal) = (made(&mut rollup, 0), made(&mut rollup, 1));
    assert_eq!(rollup.accounts(), accounts);
    let again = made(&mut rollup, 0);

    let rules = rules("chain");
    let said = |roots: [[F; 8]; 2]| leaf(commitment(roots.as_flattened()));
    let pair = Rule::new(&rules, "pair", native::pair_of_blocks);
    let children = [said(first), said(reversal)];
    let paired = pair.both(&children, &[slice(&first), slice(&reversal)]);
    paired.expect("the reversal follows the block");
    let append = Rule::new(&rules, "append", native::append);
    let both = [first[0], reversal[1], numbers([2])];
    let more = |roots: [[F; 8]; 2]| append.both(&[node(&both), said(roots)], &[slice(&roots)]);
    more(again).expect("the same transfers at the next height follow");
    let refused = more(first).expect_err("the first block does not fit again");
    let words = "the second span begins elsewhere";
    assert!(refused.contains(words), "{refused}");
    let merge = Rule::new(&rules, "merge", native::merge_spans);
    let twice = merge.both(&[node(&both), node(&both)], &[]);
    let refused = twice.expect_err("nor do both blocks");
    assert!(refused.contains(words), "{refused}");
    // No block has a height that the field's order is near.
    rollup.height = 1 << 30;
    let (tape, _) = rollup.block(0, 0);
    program.both(&tape, &[]).unwrap_err();
}

#[test]
fn rules_of_a_repeated_function_agree() {
    let rules = rules("repeat");
    let x = numbers([1, 2, 3, 4, 5, 6, 7, 8]);
    let state = [x, x, numbers([])];
    agrees(
        &rules,
        ("start", native::start),
        &[],
        &[slice(&[x])],
        &state,
    );
    let children = [node(&[numbers([9]), x, numbers([300])])];
    let last = (0..100).fold(x, |x, _| poseidon16_compress(&x, &x));
    let state = [numbers([9]), last, numbers([400])];
    agrees(&rules, ("step", native::step), &children, &[], &state);
}

#[test]
fn rules_of_a_sorted_list_agree() {
    let rules = rules("reduce");
    let items = [numbers([4, 70]), numbers([5, 70])];
    let list = poseidon16_compress(&items[0], &items[1]);
    let state = [numbers([4, 5, 70, 70, 70]), items[0]];
    agrees(
        &rules,
        ("item", native::item),
        &[leaf(items[0])],
        &[],
        &state,
    );
    let both = [numbers([4, 6, 140, 70, 70]), list];
    let children = items.map(leaf);
    agrees(
        &rules,
        ("pair", native::pair_of_items),
        &children,
        &[],
        &both,
    );
    let right = [numbers([6, 9, 500, 71, 65_535]), items[0]];
    let list = poseidon16_compress(&list, &items[0]);
    let state = [numbers([4, 9, 640, 70, 65_535]), list];
    let children = [node(&both), node(&right)];
    agrees(
        &rules,
        ("merge", native::merge_lists),
        &children,
        &[],
        &state,
    );
}

#[test]
fn rules_of_signers_agree() {
    let rules = rules("signers");
    let set = |words: [u32; 3]| {
        let mut set = [[F::ZERO; 8]; 11];
        for (lane, word) in set.as_flattened_mut().iter_mut().zip(words) {
            *lane = F::from_u32(word);
        }
        set
    };
    let state = |set: &[[F; 8]; 11], count: u32| {
        let digest = Poseidon16.hash(F::new(SIGNERS_TAG), set.as_flattened());
        let count = numbers([count]);
        [
            numbers([5]),
            numbers([1; 8]),
            numbers([2; 8]),
            digest,
            count,
        ]
    };
    let said = |state: &[[F; 8]; 5]| {
        let tag = F::from_usize(droste_gadgets::xmss::CLAIM_TAG);
        leaf(Poseidon16.hash(tag, state.as_flattened()))
    };
    let (a, b) = (set([0b1101, 7, 0]), set([0b1001, 8, 1 << 23]));
    let (common, both) = (set([0b1001, 0, 0]), set([0b1101, 15, 1 << 23]));
    let (left, right, united) = (state(&a, 6), state(&b, 4), state(&both, 8));
    let sets = [slice(&a), slice(&b), slice(&common)];

    let hints = [slice(&left)];
    agrees(
        &rules,
        ("batch", native::batch),
        &[said(&left)],
        &hints,
        &left,
    );
    let children = [node(&left), node(&right)];
    agrees(&rules, ("unite", native::unite), &children, &sets, &united);
    // All hints of both batches come before those of their union.
    let hints = [&[slice(&left), slice(&right)][..], &sets].concat();
    let children = [said(&left), said(&right)];
    agrees(
        &rules,
        ("pair", native::pair_of_batches),
        &children,
        &hints,
        &united,
    );
    let hints = [&[slice(&right)][..], &sets].concat();
    let children = [node(&left), said(&right)];
    agrees(&rules, ("add", native::add), &children, &hints, &united);
}

program!(union {
    use droste_gadgets::prelude::*;
    use droste_gadgets::signers::{digest_of_signers, signers_of_both};

    pub fn main() {
        let (left, right) = (hint_slice(2).any(), hint_slice(2).any());
        let (both, number) = signers_of_both(left, right, 2);
        reveal(number);
        for lane in 0..7 {
            reveal(digest_of_signers(both, 2).lane(lane));
        }
    }
});

/// The union of two sets counts each signer once, and only the intersection passes as such.
#[test]
fn signers_are_united_once() {
    let program = Program::new("union", union::SOURCE, union::main);
    let slice = |words: &[[u32; 8]; 2]| {
        Hint::Slice(
            words
                .map(|block| block.map(|word| Some(F::from_u32(word))))
                .to_vec(),
        )
    };
    let zip = |left: [[u32; 8]; 2], right: [[u32; 8]; 2], of: fn(u32, u32) -> u32| {
        [0, 1].map(|i| [0, 1, 2, 3, 4, 5, 6, 7].map(|j| of(left[i][j], right[i][j])))
    };
    let words = |seed: u32| {
        [0, 8].map(|from| {
            [0, 1, 2, 3, 4, 5, 6, 7]
                .map(|i| (seed + from + i).wrapping_mul(2_654_435_761).rotate_left(i) & 0xff_ffff)
        })
    };
    let full = [[0xff_ffff; 8]; 2];
    let none = [[0; 8]; 2];
    let tape = |left, right, common| NativeTape {
        hints: [left, right, common].iter().map(slice).collect(),
    };
    for (left, right) in [
        (words(1), words(100)),
        (words(7), words(7)),
        (none, none),
        (none, full),
        (full, full),
        (full, words(3)),
    ] {
        let both = zip(left, right, |left, right| left | right);
        let number: u32 = both
            .as_flattened()
            .iter()
            .map(|word| word.count_ones())
            .sum();
        let tape = tape(left, right, zip(left, right, |left, right| left & right));
        let statement = program.both(&tape, &[]).expect("the intersection passes");
        let elements: Vec<F> = both
            .as_flattened()
            .iter()
            .map(|x| F::from_u32(*x))
            .collect();
        let digest = Poseidon16.hash(F::new(SIGNERS_TAG), &elements);
        let digest = digest.map(|element| element.as_canonical_u32());
        assert_eq!((statement[0], &statement[1..]), (number, &digest[..7]));
    }

    // Every digit of four bits beside every other, and everything as their intersection.
    for pair in 0..256 {
        let (left, right) = (pair >> 4, pair & 15);
        let one = |word| {
            let mut words = none;
            words[0][0] = word;
            words
        };
        for common in 0..16 {
            let tape = tape(one(left), one(right), one(common));
            let run = program.native(&tape, &[]);
            let number = run.ok().map(|statement| statement[0]);
            let right_one = common == left & right;
            assert_eq!(number, right_one.then_some((left | right).count_ones()));
        }
    }

    // Lies about what both have in common: one lane, or two that make the sums right again.
    let honest = tape(
        words(1),
        words(100),
        zip(words(1), words(100), |l, r| l & r),
    );
    assert_eq!(program.mutate_hints(&honest, &[]), 0);
    let common = zip(words(1), words(100), |left, right| left & right);
    for (lane, other) in [(0, 1), (3, 6)] {
        for change in [1, 2, 1 << 20, F::ORDER_U32 - 1, F::ORDER_U32 - 5] {
            let mut lie = honest.clone();
            let mut changed = common.map(|block| block.map(F::from_u32));
            changed[0][lane] += F::new(change);
            changed[0][other] -= F::new(change);
            lie.hints[2] = Hint::Slice(changed.map(|block| block.map(Some)).to_vec());
            assert!(
                program.both(&lie, &[]).is_err(),
                "{lane}, {other}, {change}"
            );
        }
    }
    // No word is 2^24 or more.
    let mut large = none;
    large[1][7] = 1 << 24;
    assert!(program.both(&tape(large, none, none), &[]).is_err());
}
