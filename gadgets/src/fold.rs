//! Folds: what the program of every rule has around the developer's function. A rule verifies its
//! children, opens what they say, calls the function, and reveals the state that this returns.
//!
//! `droste_verifier::fold` says what a fold is, and writes the `main` that calls this. A run does
//! not know the keys of the rules as constants, since its own is one of them. It reads them as a
//! hint, and its statement binds their digest.

use crate::prelude::*;
use crate::suites::poseidon16::{hash_blocks, hash_slice};
use crate::verify::recursion::Child;

/// Tag of a node's statement ("fold").
pub const FOLD_TAG: u32 = 0x666f_6c64;

/// Tag of the list of a fold's rules ("rule").
pub const RULES_TAG: u32 = 0x7275_6c65;

/// Tag of claims, which are the statements of wraps ("clai").
const CLAIM_TAG: u32 = 0x636c_6169;

/// Blocks of a node's message before its state: the digest of the rules, and the counters.
const HEAD: usize = 2;

/// Blocks of shifts of a counter: an element that has them is an integer below 2^24.
const COUNTER: usize = 3;

/// What a fold says, as blocks. Every state has as many, whatever its value.
pub trait State {
    /// Number of blocks, 1 to 64.
    const BLOCKS: usize;

    /// The blocks, which differ for different states.
    fn blocks(&self) -> Vec<Block>;

    /// The state of these blocks, which [`Self::blocks`] returned for it. It reads no hint.
    fn of(blocks: &[Block]) -> Self;
}

/// A proof of the accepted program of number `I`.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<const I: usize> {
    /// Statement of the proof.
    pub statement: Block,
}

/// A proof of the other fold of number `I`, whose states are of type `S`.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<const I: usize, S> {
    /// What it says.
    pub state: S,
}

/// The rules of a fold, as a run knows them.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The head, and the key of each rule.
    keys: Slice,
    digest: Block,
}

/// What is counted of a proof and of the proofs below it.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// Proofs of this fold's shape: of rules, and last wraps.
    pub rules: Felt,
    /// Proofs behind wraps.
    pub behind: Felt,
    /// Levels of rules below.
    pub depth: Felt,
}

/// Reads the list of a fold with so many rules.
pub fn family(rules: usize) -> Family {
    // Every list is admissible: the statement binds its digest.
    let keys = hint_slice(rules + 1).any();
    let digest = hash_slice(Felt::new(RULES_TAG), keys, rules + 1);
    Family { keys, digest }
}

/// Opens a child that is a node of this fold: returns its counters and its state.
pub fn node<S: State, const RULES: usize>(family: &Family, child: &Child) -> (Counters, S) {
    // Every place in the list is admissible: it is that of a rule.
    let place = Index::<RULES>::new(hint_felt().any());
    let key = family.keys.skip(1).at(place);
    assert_eq!(key, child.key, "the child is no proof of a rule");
    opened::<S>(family.digest, child.statement)
}

/// Opens the statement of a rule's proof, of a fold whose list has this digest.
fn opened<S: State>(digest: Block, statement: Block) -> (Counters, S) {
    // Compared with the statement.
    let said = hint_slice(HEAD + S::BLOCKS).any();
    assert_eq!(said.block(0), digest, "the child is of another family");
    let found = hash_slice(Felt::new(FOLD_TAG), said, HEAD + S::BLOCKS);
    assert_eq!(found, statement, "the child says something else");
    // The lanes after these are zero: the child's program is a rule of the list, and reveals no
    // other statement.
    let head = said.block(1);
    let counters = Counters {
        rules: head.lane(0),
        behind: head.lane(1),
        depth: head.lane(2),
    };
    // The child's own run added them up without checking that the sums are integers. They are
    // bounded here, so that those of this run are.
    let _not_zero = right_shifts(counters.rules - Felt::ONE, COUNTER);
    let _bounded = right_shifts(counters.behind, COUNTER);
    let _bounded = right_shifts(counters.depth, COUNTER);
    let mut blocks = Vec::new();
    for i in 0..S::BLOCKS {
        blocks.push(said.block(HEAD + i));
    }
    (counters, S::of(&blocks))
}

/// Opens a child that is a leaf: `path` has the keys of the wraps, the last one first, and then
/// that of the program.
pub fn leaf<const I: usize>(child: &Child, path: &[[u32; 8]]) -> Leaf<I> {
    // Compared with the child's statement.
    let statement = hint_slice(1).any().block(0);
    let wraps = path.len() - 1;
    below_wraps(child, path, wraps, constant(path[wraps]), statement);
    Leaf { statement }
}

/// Opens a child that is a proof of another fold, whose list has the digest `digest`, or its last
/// wrap; `wraps` has the keys of the wraps, the last one first. Returns the counters that the proof
/// itself states, and what it says.
pub fn foreign<const I: usize, S: State, const RULES: usize>(
    child: &Child,
    wraps: &[[u32; 8]],
    digest: [u32; 8],
) -> (Counters, Foreign<I, S>) {
    let other = family(RULES);
    assert_eq!(
        other.digest,
        constant(digest),
        "a list of another fold's rules"
    );
    let mut root = *child;
    if !wraps.is_empty() {
        // Compared with the child's statement.
        let said = hint_slice(2).any();
        root = Child {
            key: said.block(0),
            statement: said.block(1),
        };
        below_wraps(child, wraps, wraps.len(), root.key, root.statement);
    }
    let (counters, state) = node::<S, RULES>(&other, &root);
    (counters, Foreign { state })
}

/// Fails unless a child is a proof of the first of `count` wraps and says, through all of them,
/// that a proof of this key has this statement. The first wrap of the list is the last one made.
fn below_wraps(child: &Child, wraps: &[[u32; 8]], count: usize, key: Block, statement: Block) {
    assert_eq!(
        child.key,
        constant(wraps[0]),
        "the child is no last wrap of such a proof"
    );
    let mut said = hash_blocks(Felt::new(CLAIM_TAG), &[key, statement]);
    for i in 1..count {
        let wrap = constant(wraps[count - i]);
        said = hash_blocks(Felt::new(CLAIM_TAG), &[wrap, said]);
    }
    assert_eq!(said, child.statement, "the wraps verified something else");
}

/// The counters of a proof whose children are nodes with the counters `below`, and `wraps` last
/// wraps, behind which there are `behind` proofs.
pub fn counted(below: &[Counters], wraps: usize, behind: usize) -> Counters {
    let mut rules = felt(1 + wraps);
    let mut others = felt(behind);
    for counters in below {
        rules += counters.rules;
        others += counters.behind;
    }
    let depth = levels(below);
    Counters {
        rules,
        behind: others,
        depth,
    }
}

/// One more than the depth of the deepest node below; 0 if there is none.
fn levels(below: &[Counters]) -> Felt {
    if below.is_empty() {
        return Felt::ZERO;
    }
    if below.len() == 1 {
        return below[0].depth + Felt::ONE;
    }
    // One value passes: it is above every depth, and just above one.
    let depth = hint_felt().any();
    let mut product = Felt::ONE;
    for counters in below {
        let difference = depth - counters.depth - Felt::ONE;
        let _not_negative = right_shifts(difference, COUNTER);
        product *= difference;
    }
    assert_eq!(
        product,
        Felt::ZERO,
        "the depth is more than one above the deepest child"
    );
    depth
}

/// The counters of another fold's proof behind `wraps` wraps, as a rule counts it. Only one of
/// these proofs has this fold's shape: the last wrap or, without wraps, the root.
pub fn as_behind(counters: &Counters, wraps: usize) -> Counters {
    let proofs = counters.rules + counters.behind + felt(wraps);
    Counters {
        rules: Felt::ONE,
        behind: proofs - Felt::ONE,
        depth: counters.depth,
    }
}

/// Reveals what a run says: the digest of its fold's list, its counters and its state.
pub fn reveal_state<S: State>(family: &Family, counters: &Counters, state: &S) {
    let blocks = state.blocks();
    assert_eq!(
        blocks.len(),
        S::BLOCKS,
        "`blocks` has another length than `BLOCKS`"
    );
    let zero = Felt::ZERO;
    let (rules, behind, depth) = (counters.rules, counters.behind, counters.depth);
    let mut message = vec![
        family.digest,
        Block::new([rules, behind, depth, zero, zero, zero, zero, zero]),
    ];
    for block in &blocks {
        message.push(*block);
    }
    let digest = hash_blocks(Felt::new(FOLD_TAG), &message);
    for i in 0..8 {
        reveal(digest.lane(i));
    }
}

/// A child that is not verified, for rules that run on paper. The key of no rule of a fold is that
/// of a program which calls this.
pub fn paper_child() -> Child {
    // Nobody proves a run on paper.
    let said = hint_slice(2).any();
    Child {
        key: said.block(0),
        statement: said.block(1),
    }
}

/// The block with these lanes.
fn constant(lanes: [u32; 8]) -> Block {
    let mut elements = [Felt::ZERO; 8];
    for i in 0..8 {
        elements[i] = Felt::new(lanes[i]);
    }
    Block::new(elements)
}
