//! The program that computes a leaf root, and its hints.

use droste_gadgets::SOURCES;
use droste_gadgets::leaf_root::LEAF_WORD;
use droste_native::F;
use droste_native::precompile::{Block, digest_to_limbs};
use droste_vm::compiler::{Compiled, compile_file};
use droste_vm::executor::{Tape, TapeItem, execute};
use droste_vm::key::KeyDigest;
use droste_vm::machine::precompiles_of;
use droste_vm::record::Execution;
use p3_field::{Field, PrimeCharacteristicRing};

use super::{LeafRoot, LeafRootError, LeafTree, ListedKeys};
use crate::circuit::{CircuitError, rows_of_tables};
use crate::claim::{Claim, ClaimTree, claim_digest};

/// Bound on the instructions for a node, and a share of the rest.
const INSTRUCTIONS: u64 = 1 << 9;

/// The program for claim trees of up to so many leaves, and four times as many nodes: where joins
/// take two, there are a leaf, one or two wraps and a join for each.
///
/// Its proofs have the same heights for all trees that it takes, so that their wraps have one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafRootProgram {
    log_leaves: u32,
}

impl LeafRootProgram {
    /// The programs that there are, for 16, 128 and 1,024 leaves: each has keys of its own, that
    /// must be known, and takes as long for one leaf as for all.
    pub const ALL: [Self; 3] = [Self::SMALLEST, Self::of(7), Self::LARGEST];

    /// The program for the smallest trees.
    pub const SMALLEST: Self = Self::of(4);

    /// The program for the largest trees.
    pub const LARGEST: Self = Self::of(10);

    /// Largest logarithm of the number of leaves: what the program adds up must not wrap around the
    /// field.
    const MAX_LOG_LEAVES: u32 = 12;

    const fn of(log_leaves: u32) -> Self {
        Self { log_leaves }
    }

    /// The program for up to `2^log_leaves` leaves, 2 to 4,096. [`Self::for_tree`] and
    /// [`Self::for_leaves`] use those in [`Self::ALL`] only.
    pub fn new(log_leaves: u32) -> Option<Self> {
        let possible = (1..=Self::MAX_LOG_LEAVES).contains(&log_leaves);
        possible.then_some(Self::of(log_leaves))
    }

    /// The smallest program of [`Self::ALL`] for so many leaves, if there is one.
    pub fn for_leaves(leaves: usize) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|program| leaves <= program.leaves())
    }

    /// Largest number of leaves.
    pub const fn leaves(self) -> usize {
        1 << self.log_leaves
    }

    /// Largest number of nodes.
    pub const fn nodes(self) -> usize {
        4 << self.log_leaves
    }

    /// The text of the program, in the zk-DSL.
    pub fn source(self) -> String {
        let (log_leaves, log_nodes) = (self.log_leaves, self.log_leaves + 2);
        format!(
            "use droste_gadgets::leaf_root::reveal_leaf_root;\n\n\
             pub fn main() {{\n    \
             reveal_leaf_root::<{log_leaves}, {log_nodes}>();\n\
             }}\n"
        )
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// If the compiler refuses the text, which would be an error of this crate.
    pub fn compile(self) -> Result<Compiled, LeafRootError> {
        let compiled = compile_file("leaf_root.rs", &self.source(), SOURCES);
        compiled.map_err(LeafRootError::Compile)
    }

    /// Runs the compiled program.
    pub(super) fn run(self, compiled: &Compiled, tape: &Tape) -> Result<Execution, LeafRootError> {
        let limit = INSTRUCTIONS * self.nodes() as u64;
        let execution = execute(compiled, &[], tape, limit);
        execution.map_err(|error| LeafRootError::Run(Box::new(error)))
    }

    /// Names of the tables of the compiled program's machine, in order, and the number of rows that
    /// the largest tree needs of each: the most leaves, which cost more than other nodes, and the
    /// most nodes.
    pub(super) fn rows(self, compiled: &Compiled) -> Result<Vec<(String, usize)>, LeafRootError> {
        let key = KeyDigest([F::ZERO; 8]);
        let chain = self.nodes() - self.leaves();
        let mut children = vec![1; chain - 1];
        children.push(self.leaves());
        children.resize(self.nodes(), 0);
        let tree = FlatTree::new(children.into_iter().map(|children| Node {
            key,
            statement: [F::ZERO; 8],
            children,
        }));
        let tape = self.hints_of(&tree, &ListedKeys::new([key])?)?.tape;
        let execution = self.run(compiled, &tape)?;
        let precompiles = precompiles_of(&compiled.program);
        let rows = rows_of_tables(&compiled.program, &execution, &precompiles);
        Ok(rows.map_err(CircuitError::from)?)
    }

    /// The hints with which the program goes through a claim tree, and what it says.
    ///
    /// # Errors
    /// If the tree is too large, or has a node with children whose key is not listed.
    pub fn hints(self, tree: &ClaimTree, listed: &ListedKeys) -> Result<Hints, LeafRootError> {
        self.hints_of(&FlatTree::of(tree), listed)
    }

    fn hints_of(self, tree: &FlatTree, listed: &ListedKeys) -> Result<Hints, LeafRootError> {
        let leaves = tree.leaves();
        let (count, nodes) = (leaves.len(), tree.nodes.len());
        let too_large = || LeafRootError::TooLarge {
            leaves: count,
            nodes,
            program: self,
        };
        if count > self.leaves() || nodes > self.nodes() {
            return Err(too_large());
        }
        let tree_of_leaves = LeafTree::new(leaves).ok_or_else(too_large)?;
        let (says, root) = (tree.root().ok_or_else(too_large)?, tree_of_leaves.root());

        let bits = |number: usize, count: u32| {
            (0..count).map(move |bit| TapeItem::Felt(F::from_bool(number >> bit & 1 == 1)))
        };
        let mut items: Vec<TapeItem> = bits(count - 1, self.log_leaves).collect();
        items.extend(bits(nodes - 1, self.log_leaves + 2));
        items.push(slice(listed.blocks(), listed.blocks().len()));
        let blocks = tree
            .nodes
            .iter()
            .flat_map(|node| [node.key.0, node.statement]);
        items.push(slice(blocks, 2 * self.nodes()));
        let digests = tree_of_leaves.nodes().iter().copied();
        items.push(slice(digests.flat_map(digest_to_limbs), 4 * self.leaves()));
        let mut tag = [F::ZERO; 8];
        tag[0] = F::from_usize(LEAF_WORD);
        for node in &tree.nodes {
            items.push(TapeItem::Felt(F::from_usize(node.children)));
            items.push(match node.children {
                0 => scaled([node.key.0, node.statement, tag]),
                _ => TapeItem::Felt(F::from_usize(listed.place(node.key)?)),
            });
        }
        let says = LeafRoot {
            keys: listed.digest(),
            key: says.key,
            claim: says.statement,
            root,
            leaves: count as u32,
        };
        items.push(scaled([says.keys.0, says.key.0, says.claim]));
        Ok(Hints {
            tape: Tape { items },
            says,
            tree: tree_of_leaves,
        })
    }

    /// The smallest program of [`Self::ALL`] that takes a claim tree.
    ///
    /// # Errors
    /// [`LeafRootError::TooLarge`].
    pub fn for_tree(tree: &ClaimTree) -> Result<Self, LeafRootError> {
        let (leaves, nodes) = (tree.leaves().len(), tree.nodes().count());
        let mut all = Self::ALL.into_iter();
        let fits = |program: &Self| leaves <= program.leaves() && nodes <= program.nodes();
        all.find(fits).ok_or(LeafRootError::TooLarge {
            leaves,
            nodes,
            program: Self::LARGEST,
        })
    }
}

/// The hints of a run, and what it says.
#[derive(Clone, Debug)]
pub struct Hints {
    /// The hints.
    pub tape: Tape,
    /// What the run says.
    pub says: LeafRoot,
    /// The leaves in order, and their tree.
    pub tree: LeafTree,
}

/// A claim tree level by level.
struct FlatTree {
    nodes: Vec<Node>,
}

/// A node of a [`FlatTree`].
struct Node {
    key: KeyDigest,
    statement: [F; 8],
    /// Number of children; none if it is not opened.
    children: usize,
}

impl FlatTree {
    /// The tree with these nodes, level by level. The statements of those with children are
    /// computed.
    fn new(nodes: impl IntoIterator<Item = Node>) -> Self {
        let mut nodes: Vec<Node> = nodes.into_iter().collect();
        let mut end = nodes.len();
        for index in (0..nodes.len()).rev() {
            let Some(children) = nodes.get(index).map(|node| node.children) else {
                continue;
            };
            let start = end.saturating_sub(children);
            if let (1.., Some(below)) = (children, nodes.get(start..end)) {
                let below = below.iter().map(|child| (child.key, child.statement));
                let statement = claim_digest(&below.collect::<Vec<_>>());
                if let Some(node) = nodes.get_mut(index) {
                    node.statement = statement;
                }
            }
            end = start;
        }
        Self { nodes }
    }

    /// The nodes of a claim tree.
    fn of(root: &ClaimTree) -> Self {
        let (mut order, mut index) = (vec![root], 0);
        while let Some(&node) = order.get(index) {
            order.extend(node.children());
            index += 1;
        }
        Self::new(order.into_iter().map(|node| Node {
            key: node.key,
            statement: match node.claim {
                Claim::Statement(statement) => statement,
                // Computed from its children.
                Claim::Children(_) => [F::ZERO; 8],
            },
            children: node.children().len(),
        }))
    }

    fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    /// Keys and statements of the leaves.
    fn leaves(&self) -> Vec<(KeyDigest, [F; 8])> {
        let leaves = self.nodes.iter().filter(|node| node.children == 0);
        leaves.map(|leaf| (leaf.key, leaf.statement)).collect()
    }
}

/// Blocks divided by 2^32.
fn scaled(blocks: [Block; 3]) -> TapeItem {
    let inverse = F::from_u64(1 << 32).inverse();
    slice(blocks.map(|block| block.map(|lane| lane * inverse)), 3)
}

/// A slice of `length` blocks, of which these are the first and the others zero.
fn slice(blocks: impl IntoIterator<Item = Block>, length: usize) -> TapeItem {
    let blocks = blocks.into_iter().chain(std::iter::repeat([F::ZERO; 8]));
    TapeItem::Slice(blocks.take(length).map(|block| block.map(Some)).collect())
}
