//! The native run of every program compared with an independent computation.

use droste_gadgets::fold::{Leaf, State};
use droste_gadgets::prelude::{Block, hint_slice};
use droste_gadgets::signers::SIGNERS_TAG;
use droste_gadgets::{Hint, NativeTape, commitment, run_native};
use droste_native::F;
use droste_native::hash::commitment::commitment as commit;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::precompile::{digest_to_limbs, poseidon16_compress};
use droste_programs::*;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use sha3::{Digest, Keccak256};

fn run(tape: Vec<Hint>, public: &[u32], program: fn()) -> [u32; 8] {
    run_native(&NativeTape { hints: tape }, public, program).unwrap()
}

fn integers(values: &[F]) -> Vec<u32> {
    values.iter().map(|x| x.as_canonical_u32()).collect()
}

fn whole(blocks: &[[F; 8]]) -> Hint {
    Hint::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}

#[test]
fn factorial_and_fibonacci() {
    assert_eq!(run(vec![], &[5], factorial::main)[..2], [5, 120]);
    assert_eq!(run(vec![], &[0], factorial::main)[..2], [0, 1]);
    assert_eq!(run(vec![], &[10], fibonacci::main)[..2], [10, 55]);
    assert_eq!(run(vec![], &[0], fibonacci::main)[..2], [0, 0]);
}

#[test]
fn permutation() {
    let mut state = [F::ZERO; 16];
    for (i, x) in state[..4].iter_mut().enumerate() {
        *x = F::from_usize(i + 1);
    }
    let output = Poseidon16.permute(state);
    let expected = integers(&[output[0], output[7], output[8], output[15]]);
    let statement = run(vec![], &[1, 2, 3, 4], poseidon16_permute::main);
    assert_eq!(statement[4..], expected[..]);
}

#[test]
fn poseidon16_chain_compresses() {
    let zero = [F::ZERO; 8];
    let mut digest = zero;
    digest[0] = F::from_u32(9);
    for _ in 0..3 {
        digest = poseidon16_compress(&digest, &zero);
    }
    let statement = run(vec![], &[3, 9], poseidon16_chain::main);
    assert_eq!(statement[2..6], integers(&digest[..4])[..]);
}

fn byte_chain(program: fn(), hash: impl Fn(&[u8]) -> [u8; 32]) {
    let mut digest = [0; 32];
    digest[..2].copy_from_slice(&0x1234_u16.to_le_bytes());
    for _ in 0..3 {
        digest = hash(&digest);
    }
    let statement = run(vec![], &[3, 0x1234], program);
    assert_eq!(
        statement[2..6],
        integers(&digest_to_limbs(digest)[0][..4])[..]
    );
}

#[test]
fn byte_chains_hash() {
    byte_chain(blake3_chain::main, |bytes| *blake3::hash(bytes).as_bytes());
    byte_chain(keccak_chain::main, |bytes| Keccak256::digest(bytes).into());
}

#[test]
fn poseidon16_membership_recomputes_the_root() {
    let block = |i: usize| std::array::from_fn(|lane| F::from_usize(100 * i + lane));
    let path: Vec<_> = (1..9).map(block).collect();
    let mut root = block(0);
    for (i, sibling) in path.iter().enumerate() {
        root = if 0b1010_0110 >> i & 1 == 1 {
            poseidon16_compress(sibling, &root)
        } else {
            poseidon16_compress(&root, sibling)
        };
    }
    let tape = |index: u32| {
        vec![
            whole(&[block(0)]),
            Hint::Felt(F::from_u32(index)),
            whole(&path),
        ]
    };
    let statement = run(tape(0b1010_0110), &[], poseidon16_membership::main);
    assert_eq!(statement[..], integers(&root)[..]);
    let too_large = NativeTape { hints: tape(256) };
    assert!(run_native(&too_large, &[], poseidon16_membership::main).is_err());
}

fn byte_membership(program: fn(), hash: impl Fn(&[u8]) -> [u8; 32]) {
    let digest = |i: u8| [i; 32];
    let mut root = digest(0);
    for i in 0..8 {
        let sibling = digest(i + 1);
        root = if 0b0110_0101 >> i & 1 == 1 {
            hash(&[sibling, root].concat())
        } else {
            hash(&[root, sibling].concat())
        };
    }
    let path: Vec<_> = (1..9).flat_map(|i| digest_to_limbs(digest(i))).collect();
    let tape = vec![
        whole(&digest_to_limbs(digest(0))),
        Hint::Felt(F::from_u32(0b0110_0101)),
        whole(&path),
    ];
    let [left, right] = digest_to_limbs(root);
    let expected = integers(&poseidon16_compress(&left, &right));
    assert_eq!(run(tape, &[], program)[..], expected[..]);
}

#[test]
fn byte_memberships_recompute_the_root() {
    byte_membership(blake3_membership::main, |bytes| {
        *blake3::hash(bytes).as_bytes()
    });
    byte_membership(keccak_membership::main, |bytes| {
        Keccak256::digest(bytes).into()
    });
}

#[test]
fn failures_are_results() {
    let empty = NativeTape::default();
    let missing = run_native(&empty, &[], factorial::main).unwrap_err();
    assert_eq!(missing.to_string(), "a public input is missing");
    let unread = run_native(&empty, &[1, 2], factorial::main).unwrap_err();
    assert_eq!(unread.to_string(), "1 public inputs were not read");
    let hints = NativeTape {
        hints: vec![Hint::Felt(F::ONE)],
    };
    let left = run_native(&hints, &[1], factorial::main).unwrap_err();
    assert_eq!(left.to_string(), "1 hints are left on the tape");
    let kind = run_native(&hints, &[], poseidon16_membership::main).unwrap_err();
    assert_eq!(
        kind.to_string(),
        "the tape holds an element, expected 1 blocks"
    );
}

/// Reads the state of a child.
fn child<S: State>() -> S {
    let said = hint_slice(S::BLOCKS).any();
    let blocks: Vec<Block> = (0..S::BLOCKS).map(|i| said.block(i)).collect();
    S::of(&blocks)
}

/// Reads a leaf.
fn leaf() -> Leaf<0> {
    let statement = hint_slice(1).any().block(0);
    Leaf { statement }
}

/// Reveals the commitment to a state's blocks.
fn reveal_blocks<S: State>(state: &S) {
    let blocks = state.blocks();
    assert_eq!(blocks.len(), S::BLOCKS);
    let lanes = blocks
        .iter()
        .flat_map(|block| (0..8).map(move |i| block.lane(i)));
    commitment::reveal_commitment(&lanes.collect::<Vec<_>>());
}

/// Runs a function of rules on these hints. Returns the commitment to the state, or why there is
/// none.
fn rule(hints: &[&[[F; 8]]], main: fn()) -> Result<Vec<u32>, String> {
    let hints = hints.iter().map(|blocks| whole(blocks)).collect();
    let run = run_native(&NativeTape { hints }, &[], main);
    run.map(|statement| statement.to_vec())
        .map_err(|error| error.to_string())
}

fn committed(blocks: &[[F; 8]]) -> Vec<u32> {
    integers(&commit(blocks.as_flattened()))
}

/// A block of these numbers and zeros.
fn numbers<const N: usize>(numbers: [u32; N]) -> [F; 8] {
    std::array::from_fn(|i| F::from_u32(numbers.get(i).copied().unwrap_or(0)))
}

fn failed(run: Result<Vec<u32>, String>) -> String {
    run.expect_err("the function fails")
}

#[test]
fn spans_follow_each_other() {
    let [a, b, c] = [1, 2, 3].map(|seed| numbers([seed, 10 * seed, 100]));
    let merge = || reveal_blocks(&folds::chain::merge(&child(), &child()));
    let left = [a, b, numbers([5])];
    let span = rule(&[&left, &[b, c, numbers([7])]], merge);
    assert_eq!(span, Ok(committed(&[a, c, numbers([12])])));
    let error = failed(rule(&[&left, &[c, b, numbers([7])]], merge));
    assert!(error.contains("begins elsewhere"), "{error}");

    // A leaf's statement is the commitment to both roots.
    let said = |from: [F; 8], to: [F; 8]| commit([from, to].as_flattened());
    let append = || reveal_blocks(&folds::chain::append(&child(), &leaf()));
    let span = rule(&[&left, &[said(b, c)], &[b, c]], append);
    assert_eq!(span, Ok(committed(&[a, c, numbers([6])])));
    let error = failed(rule(&[&left, &[said(b, c)], &[b, a]], append));
    assert!(error.contains("other roots"), "{error}");
    let pair = || reveal_blocks(&folds::chain::pair(&leaf(), &leaf()));
    let span = rule(&[&[said(a, b)], &[said(b, c)], &[a, b], &[b, c]], pair);
    assert_eq!(span, Ok(committed(&[a, c, numbers([2])])));
}

#[test]
fn a_function_is_repeated() {
    let x = numbers([1, 2, 3]);
    let start = || reveal_blocks(&folds::repeat::start());
    assert_eq!(rule(&[&[x]], start), Ok(committed(&[x, x, numbers([])])));
    let mut last = x;
    for _ in 0..100 {
        last = poseidon16_compress(&last, &last);
    }
    let step = || reveal_blocks(&folds::repeat::step(&child()));
    let power = rule(&[&[numbers([9]), x, numbers([300])]], step);
    let expected = [numbers([9]), last, numbers([400])];
    assert_eq!(power, Ok(committed(&expected)));
}

#[test]
fn lists_are_sorted_and_counted_once() {
    assert_eq!(run(vec![], &[3, 700], folds::item::main)[..2], [3, 700]);
    for public in [[1 << 14, 0], [0, 1 << 16]] {
        assert!(run_native(&NativeTape::default(), &public, folds::item::main).is_err());
    }
    let pair = || reveal_blocks(&folds::reduce::pair(&leaf(), &leaf()));
    let [first, second] = [numbers([4, 70]), numbers([5, 90])];
    let list = poseidon16_compress(&first, &second);
    let both = [numbers([4, 6, 160, 70, 90]), list];
    assert_eq!(rule(&[&[first], &[second]], pair), Ok(committed(&both)));
    // The same item twice, and an item that is less than the one before it.
    let error = failed(rule(&[&[first], &[first]], pair));
    assert!(error.contains("begins elsewhere"), "{error}");
    failed(rule(&[&[first], &[numbers([5, 69])]], pair));

    let merge = || reveal_blocks(&folds::reduce::merge(&child(), &child()));
    let right = [numbers([6, 9, 500, 90, 300]), first];
    let expected = [
        numbers([4, 9, 660, 70, 300]),
        poseidon16_compress(&list, &first),
    ];
    assert_eq!(rule(&[&both, &right], merge), Ok(committed(&expected)));
}

#[test]
fn signers_of_two_batches_are_united() {
    const SIGNERS: F = F::new(SIGNERS_TAG);
    let set = |words: &[u32]| {
        let mut set = [[F::ZERO; 8]; 11];
        for (lane, word) in set.as_flattened_mut().iter_mut().zip(words) {
            *lane = F::from_u32(*word);
        }
        set
    };
    let batch = |set: &[[F; 8]; 11], count: u32| {
        let digest = Poseidon16.hash(SIGNERS, set.as_flattened());
        [
            numbers([5]),
            numbers([1; 8]),
            numbers([2; 8]),
            digest,
            numbers([count]),
        ]
    };
    let (a, b) = (set(&[0b1101, 7]), set(&[0b1001, 8, 1 << 23]));
    let (common, both) = (set(&[0b1001]), set(&[0b1101, 15, 1 << 23]));
    let (left, right) = (batch(&a, 6), batch(&b, 4));
    let unite = || reveal_blocks(&folds::signers::unite(&child(), &child()));
    let united = rule(&[&left, &right, &a, &b, &common], unite);
    assert_eq!(united, Ok(committed(&batch(&both, 8))));
    let error = failed(rule(&[&left, &right, &a, &b, &set(&[0b1000])], unite));
    assert!(error.contains("that both have"), "{error}");
    let error = failed(rule(&[&left, &right, &b, &b, &common], unite));
    assert!(error.contains("on the left"), "{error}");
    let mut other = right;
    other[1] = numbers([3]);
    let error = failed(rule(&[&left, &other, &a, &b, &common], unite));
    assert!(error.contains("messages differ"), "{error}");
}

/// Accounts of the rollup's example, the height, and the hints of a block.
struct Accounts {
    balances: Vec<u32>,
    height: u32,
    hints: Vec<Hint>,
}

/// The transfers of a block: from which account, to which, and how much.
type Transfers = [(usize, usize, u32); 4];

impl Accounts {
    fn new() -> Self {
        let mut balances: Vec<u32> = (0..256).map(|i| 1000 + i).collect();
        balances[9] = (1 << 29) - 1;
        Self {
            balances,
            height: 7,
            hints: vec![],
        }
    }

    /// Root of the tree of accounts.
    fn tree(&self) -> [F; 8] {
        self.path(0).1
    }

    /// The root that blocks lead to.
    fn root(&self) -> [F; 8] {
        poseidon16_compress(&self.tree(), &numbers([self.height]))
    }

    /// Makes a block. Returns what its program reads, and the roots before and after it.
    fn block(&mut self, transfers: Transfers) -> (Vec<Hint>, [[F; 8]; 2]) {
        let before = self.root();
        let height = Hint::Felt(F::from_u32(self.height));
        self.hints = vec![whole(&[self.tree()]), height];
        for (from, to, amount) in transfers {
            self.transfer(from, to, amount);
        }
        self.height += 1;
        (std::mem::take(&mut self.hints), [before, self.root()])
    }

    /// The siblings of an account, and the root of the tree.
    fn path(&self, mut index: usize) -> (Vec<[F; 8]>, [F; 8]) {
        let accounts = self.balances.iter();
        let mut nodes: Vec<_> = accounts.map(|balance| numbers([*balance])).collect();
        let mut siblings = vec![];
        while nodes.len() > 1 {
            siblings.push(nodes[index ^ 1]);
            let pairs = nodes.chunks(2);
            let parents = pairs.map(|pair| poseidon16_compress(&pair[0], &pair[1]));
            nodes = parents.collect();
            index /= 2;
        }
        (siblings, nodes[0])
    }

    fn changed(&mut self, index: usize, balance: u32) {
        let (siblings, _) = self.path(index);
        self.hints.extend([
            Hint::Felt(F::from_usize(index)),
            Hint::Felt(F::from_u32(self.balances[index])),
            whole(&siblings),
        ]);
        self.balances[index] = balance;
    }

    fn transfer(&mut self, from: usize, to: usize, amount: u32) {
        self.hints.push(Hint::Felt(F::from_u32(amount)));
        self.changed(from, self.balances[from].wrapping_sub(amount));
        self.changed(to, self.balances[to].wrapping_add(amount));
    }
}

#[test]
fn a_block_has_valid_transfers() {
    let transfers = [(3, 200, 400), (200, 255, 1600), (0, 1, 1000), (9, 9, 7)];
    let (hints, roots) = Accounts::new().block(transfers);
    let statement = run(hints, &[], folds::block::main);
    assert_eq!(statement[..], committed(&roots)[..]);
    let refused = |mut accounts: Accounts, transfer| {
        let (hints, _) = accounts.block([transfer, (0, 1, 0), (0, 1, 0), (0, 1, 0)]);
        assert!(run_native(&NativeTape { hints }, &[], folds::block::main).is_err());
    };
    // More than there is, and more than a balance can be.
    refused(Accounts::new(), (3, 4, 1004));
    refused(Accounts::new(), (3, 9, 1));
    // Heights do not wrap around.
    for height in [1 << 30, F::ORDER_U32 - 1] {
        let late = Accounts {
            height,
            ..Accounts::new()
        };
        refused(late, (0, 1, 0));
    }
}

/// After a block and its reversal all accounts are what they were, but the height is not: the block
/// does not fit again.
#[test]
fn a_block_fits_only_once() {
    let transfer = |from, to| [(from, to, 400), (0, 1, 0), (0, 1, 0), (0, 1, 0)];
    let mut accounts = Accounts::new();
    let mut made = |transfers| {
        let before = accounts.tree();
        let (hints, roots) = accounts.block(transfers);
        let statement = run(hints, &[], folds::block::main);
        assert_eq!(statement[..], committed(&roots)[..]);
        (before, roots)
    };
    let (tree, first) = made(transfer(3, 200));
    let (_, reversal) = made(transfer(200, 3));
    let (same, again) = made(transfer(3, 200));
    assert_eq!(same, tree);

    let said = |roots: &[[F; 8]; 2]| commit(roots.as_flattened());
    let pair = || reveal_blocks(&folds::chain::pair(&leaf(), &leaf()));
    let (a, b) = (said(&first), said(&reversal));
    let paired = rule(&[&[a], &[b], &first, &reversal], pair);
    let span = [first[0], reversal[1], numbers([2])];
    assert_eq!(paired, Ok(committed(&span)));
    let append = || reveal_blocks(&folds::chain::append(&child(), &leaf()));
    let error = failed(rule(&[&span, &[a], &first], append));
    assert!(error.contains("begins elsewhere"), "{error}");
    let merge = || reveal_blocks(&folds::chain::merge(&child(), &child()));
    let error = failed(rule(&[&span, &span], merge));
    assert!(error.contains("begins elsewhere"), "{error}");
    // The same transfers are another block now.
    let three = [first[0], again[1], numbers([3])];
    let appended = rule(&[&span, &[said(&again)], &again], append);
    assert_eq!(appended, Ok(committed(&three)));
}
