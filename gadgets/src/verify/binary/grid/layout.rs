//! The calls of a grid, and what each of them is.
//!
//! A grid is the openings of some Merkle trees at some indices: the queries of a proof. Every query
//! makes the same calls, the steps, of which only the known words, the bits of the index and the
//! digests of caps differ. Both the program and whoever makes its hints get the steps from here.
//!
//! Call `step * 2^k + query` is the step of the query, with `2^k >= queries`. Calls of queries that
//! there are not are free, as are those that fill the trace up.
//!
//! What is known of a query is its region of memory: the rows of all leaves, in the order of the
//! trees, each laid out to be hashed ([`crate::suites::hash::Hash::RUN`]) from the block after the
//! last one of the row before, then a block of the index and zeros. A lane has the element of the
//! machine's field whose word in Montgomery's form is hashed. In rows over BabyBear that is the word
//! of another element, below the order of that field and so of the machine's.

use crate::verify::binary::field::log_ceil;
use crate::verify::binary::shape::{Element, Place};

/// Trees of the overwrite sponge over the 64-bit lanes of Keccak-f, whose calls are those of
/// `droste_binary::Hash::KeccakRate`, as those of [`KECCAK`].
pub const K64: usize = 0;
/// Trees of Keccak-256.
pub const KECCAK: usize = 1;
/// Trees of BLAKE3, whose calls are compressions.
pub const BLAKE3: usize = 2;

/// A step that begins a leaf, or a chunk of one in BLAKE3: all of its input is known.
pub const FIRST: usize = 0;
/// A further block of it: what is known is written over or added to the output before, or, in
/// BLAKE3, is the block, and the output before is the chaining value.
pub const NEXT: usize = 1;
/// A node of a path: the output before is the child that a bit of the index names, the other one is
/// free.
pub const NODE: usize = 2;
/// A node of which both children are outputs: of a taller leaf's path and of a lower leaf, or, in
/// BLAKE3, of parts of a leaf.
pub const PARENT: usize = 3;

/// Words of a block of a leaf in Keccak.
pub const KECCAK_WORDS: usize = 34;
/// Blocks of memory that they take.
const KECCAK_BLOCKS: usize = 5;
/// Words of a block of a leaf in BLAKE3.
const BLAKE3_WORDS: usize = 16;
/// Words of a chunk in BLAKE3.
const CHUNK_WORDS: usize = 256;
/// Words of an element of GF(2^128).
const ELEMENT_WORDS: usize = 4;

/// Flags of BLAKE3 (its paper, section 2.2).
const CHUNK_START: usize = 1;
const CHUNK_END: usize = 2;
const PARENT_FLAG: usize = 4;
const ROOT: usize = 8;

/// The initial chaining value of BLAKE3, in elements of words of 32 bits.
const BLAKE3_IV: [[u32; 4]; 2] = [
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a],
    [0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19],
];

/// The matrices of one height of a tree: a row of them, then nodes up to the next height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Elements of the row, at least one.
    pub words: usize,
    /// Number of nodes after the leaf, or after its parent with those of taller leaves.
    pub depth: usize,
    /// The bit of the index that the first of these nodes has, the next ones the bits after it.
    pub first_bit: usize,
}

/// A tree, and what of it a query opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its leaves, the tallest first.
    pub leaves: Vec<Leaf>,
    /// Logarithm of the number of digests of its cap, which the top bits of the index name.
    pub cap_levels: usize,
}

/// An element of an input that is in two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The first place.
    pub first: Place,
    /// Another one.
    pub other: Place,
}

/// Where elements of inputs and outputs are in the rows of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The first place of each element of the input.
    pub inputs: Vec<Place>,
    /// The place of each element of the output.
    pub outputs: Vec<Place>,
    /// The other places of elements of the input.
    pub copies: Vec<Copied>,
}

/// The openings of all queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// [`K64`], [`KECCAK`] or [`BLAKE3`].
    pub hash: usize,
    /// Number of queries.
    pub queries: usize,
    /// Number of bits of an index, from 1 to 30.
    pub index_bits: usize,
    /// The trees.
    pub trees: Vec<Tree>,
    /// Where elements are.
    pub places: Places,
    /// What is added to the input's last element in its places.
    pub offset: Element,
}

/// A step of a query: one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// [`FIRST`], [`NEXT`], [`NODE`] or [`PARENT`].
    pub kind: usize,
    /// Number of known words of a block of a leaf.
    pub words: usize,
    /// Where they begin in a query's region, in blocks.
    pub block: usize,
    /// The bit of the index, of a node. It is one if the output before is the right child.
    pub bit: usize,
    /// The step whose output this one takes, unless it is a first one; of a parent the left one.
    pub from: usize,
    /// The step of a parent's right child.
    pub other: usize,
    /// One more than the number of the tree whose cap has the output; zero if none has it.
    pub end: usize,
    /// Flags of BLAKE3.
    pub flags: usize,
    /// Number of the chunk in BLAKE3.
    pub counter: usize,
}

/// An element of an input, or what is added to it, that is the same in all queries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantElement {
    /// The element.
    pub element: usize,
    /// Its four words of 32 bits, low first.
    pub words: [u32; 4],
}

/// Whether all bits of leaves of so many words are linear in what is known, so that they are steps
/// of a grid. Not in the overwrite sponge, if the last block is not the first one and ends within
/// an element, half of which it keeps then; the last lane of the rate is an element.
pub fn is_supported(hash: usize, words: usize) -> bool {
    let rest = words % KECCAK_WORDS;
    let is_split = rest % ELEMENT_WORDS == 1 || rest % ELEMENT_WORDS == 2;
    let is_whole = rest + 1 == KECCAK_WORDS || !is_split;
    words > 0 && (hash != K64 || words <= KECCAK_WORDS || is_whole)
}

/// Returns the number of blocks of a row of so many elements in a region.
pub fn row_blocks(hash: usize, words: usize) -> usize {
    if hash == BLAKE3 {
        words.div_ceil(8)
    } else {
        let last = words - 1;
        last / KECCAK_WORDS * KECCAK_BLOCKS + last % KECCAK_WORDS / 8 + 1
    }
}

/// Returns the number of blocks of the region of a query.
pub fn region_blocks(grid: &Grid) -> usize {
    let mut blocks = 1usize;
    for tree in &grid.trees {
        for leaf in &tree.leaves {
            blocks += row_blocks(grid.hash, leaf.words);
        }
    }
    blocks
}

/// Returns the logarithm of the number of calls of a step: there is one for each query, and free
/// ones.
pub fn log_queries(grid: &Grid) -> usize {
    log_ceil(grid.queries)
}

/// Returns the logarithm of the number of calls of the trace.
pub fn log_calls(grid: &Grid) -> usize {
    // A trace has eight calls at least.
    (log_queries(grid) + log_ceil(steps(grid).len())).max(3)
}

/// Returns the element of the input with which the words of a block of a leaf begin, and the left
/// child of a node.
pub fn message_element(hash: usize) -> usize {
    if hash == BLAKE3 { 2 } else { 0 }
}

/// Returns the number of elements that so many words take.
pub fn elements_of(words: usize) -> usize {
    words.div_ceil(ELEMENT_WORDS)
}

/// Whether this element of a further block of so many words is that of the output before, or has it
/// added.
pub fn is_carried(hash: usize, words: usize, element: usize) -> bool {
    if hash == BLAKE3 {
        element < 2
    } else if hash == KECCAK {
        true
    } else {
        // The last lane of the rate is an element.
        element >= elements_of(words)
    }
}

/// Returns the steps of a query, in order.
pub fn steps(grid: &Grid) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block = 0usize;
    for number in 0..grid.trees.len() {
        let tree = &grid.trees[number];
        for i in 0..tree.leaves.len() {
            let leaf = &tree.leaves[i];
            let before = steps.len();
            let own = leaf_steps(grid.hash, leaf.words, block, before);
            for step in &own {
                steps.push(step.clone());
            }
            if i > 0 {
                let last = steps.len() - 1;
                steps.push(parent(before - 1, last));
            }
            for j in 0..leaf.depth {
                let last = steps.len() - 1;
                let mut node = parent(last, 0);
                node.kind = NODE;
                node.bit = leaf.first_bit + j;
                steps.push(node);
            }
            block += row_blocks(grid.hash, leaf.words);
        }
        let last = steps.len() - 1;
        steps[last].end = number + 1;
    }
    steps
}

/// Returns a parent of the outputs of two steps.
fn parent(left: usize, right: usize) -> Step {
    Step {
        kind: PARENT,
        words: 0,
        block: 0,
        bit: 0,
        from: left,
        other: right,
        end: 0,
        flags: CHUNK_START + CHUNK_END + ROOT,
        counter: 0,
    }
}

/// Returns the steps of a leaf of so many words, which begins at this block and step.
fn leaf_steps(hash: usize, words: usize, block: usize, first: usize) -> Vec<Step> {
    if hash != BLAKE3 {
        // Keccak-256 pads what is whole, too.
        let padded = if hash == KECCAK { words + 1 } else { words };
        let blocks = padded.div_ceil(KECCAK_WORDS);
        let mut steps = Vec::new();
        for i in 0..blocks {
            let known = KECCAK_WORDS.min(words - KECCAK_WORDS * i);
            let from = block + KECCAK_BLOCKS * i;
            steps.push(leaf_block(i, known, from, first));
        }
        steps
    } else if words <= CHUNK_WORDS {
        chunk(words, block, first, 0, ROOT)
    } else {
        joined_chunks(words, block, first)
    }
}

/// Returns step `i` of the blocks of a leaf.
fn leaf_block(i: usize, words: usize, block: usize, first: usize) -> Step {
    Step {
        kind: if i == 0 { FIRST } else { NEXT },
        words,
        block,
        bit: 0,
        from: if i == 0 { 0 } else { first + i - 1 },
        other: 0,
        end: 0,
        flags: 0,
        counter: 0,
    }
}

/// Returns the steps of a chunk of BLAKE3. `root` is what its last block has of the flags.
fn chunk(words: usize, block: usize, first: usize, counter: usize, root: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let blocks = words.div_ceil(BLAKE3_WORDS);
    for i in 0..blocks {
        let known = BLAKE3_WORDS.min(words - BLAKE3_WORDS * i);
        let mut step = leaf_block(i, known, block + 2 * i, first);
        step.counter = counter;
        if i == 0 {
            step.flags += CHUNK_START;
        }
        if i + 1 == blocks {
            step.flags += CHUNK_END + root;
        }
        steps.push(step);
    }
    steps
}

/// Returns the steps of several chunks, joined as in [`crate::suites::blake3`].
fn joined_chunks(words: usize, block: usize, first: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut ends = Vec::new();
    for i in 0..words.div_ceil(CHUNK_WORDS) {
        let length = CHUNK_WORDS.min(words - CHUNK_WORDS * i);
        let from = block + CHUNK_WORDS / 8 * i;
        for step in chunk(length, from, first + steps.len(), i, 0) {
            steps.push(step);
        }
        ends.push(first + steps.len() - 1);
    }
    while ends.len() > 1 {
        let root = if ends.len() == 2 { ROOT } else { 0 };
        let mut next = Vec::new();
        for i in 0..ends.len() / 2 {
            let mut node = parent(ends[2 * i], ends[2 * i + 1]);
            node.flags = PARENT_FLAG + root;
            steps.push(node);
            next.push(first + steps.len() - 1);
        }
        if ends.len() % 2 == 1 {
            next.push(ends[ends.len() - 1]);
        }
        ends = next;
    }
    steps
}

/// Returns what is constant in the input of a step, but for zeros: of a further block in Keccak-256
/// it is added to the output before.
pub fn constants_of(hash: usize, step: &Step) -> Vec<ConstantElement> {
    let mut all = Vec::new();
    let is_node = step.kind == NODE || step.kind == PARENT;
    if hash == BLAKE3 {
        if step.kind != NEXT {
            for element in 0..2 {
                all.push(ConstantElement {
                    element,
                    words: BLAKE3_IV[element],
                });
            }
        }
        let length = if is_node { BLAKE3_WORDS } else { step.words };
        let bytes = (4 * length) as u32;
        all.push(ConstantElement {
            element: 6,
            words: [step.counter as u32, 0, bytes, step.flags as u32],
        });
    } else if hash == KECCAK {
        let words = if is_node { 16 } else { step.words };
        // A byte of 1 after the words, and 0x80 in the last one of the block.
        if words < KECCAK_WORDS {
            for element in 0..elements_of(KECCAK_WORDS) {
                let mut own = [0u32; 4];
                for i in 0..ELEMENT_WORDS {
                    let place = ELEMENT_WORDS * element + i;
                    if place == words {
                        own[i] += 1;
                    }
                    if place + 1 == KECCAK_WORDS {
                        own[i] += 0x8000_0000;
                    }
                }
                if own[0] + own[1] + own[2] + own[3] > 0 {
                    all.push(ConstantElement {
                        element,
                        words: own,
                    });
                }
            }
        }
    }
    all
}

/// Returns the low bits of a word.
fn low(word: u32, bits: usize) -> u32 {
    word % (1u32 << bits)
}

/// Returns the element of four words of 32 bits, low first. Its lanes have 30 bits.
pub fn element_of(words: [u32; 4]) -> Element {
    vec![
        low(words[0], 30),
        (words[0] >> 30) + (low(words[1], 28) << 2),
        (words[1] >> 28) + (low(words[2], 26) << 4),
        (words[2] >> 26) + (low(words[3], 24) << 6),
        words[3] >> 24,
    ]
}
