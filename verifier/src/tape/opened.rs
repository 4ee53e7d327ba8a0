//! Openings in a batch: the graph of their calls, and its proof.

use droste_binary::{
    BinaryError, GraphError, HashGraph, Output, Poseidon16, Proof, Source, Witness, prove_bound,
};
use droste_gadgets::suites::blake3::Blake3;
use droste_gadgets::suites::hash::Hash;
use droste_gadgets::suites::keccak::Keccak;
use droste_gadgets::verify::binary::grid::layout::{
    BLAKE3, FIRST, Grid, NEXT, NODE, PARENT, Step, constants_of, is_carried, log_queries,
    message_element, row_blocks, steps,
};
use droste_native::F;
use droste_native::field::BaseField;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use crate::binary::hash_of;

/// A digest of a hash of bytes.
pub type Digest = [u8; 32];

/// An element of an input or output.
type Element = [u8; 16];

/// Lanes of a block of memory.
const LANES: usize = 8;

/// Words of an element.
const WORDS: usize = 4;

/// Elements of a node's message: two of each child.
const CHILDREN: usize = 4;

/// What is opened at the queries of a proof, in the order of a grid's trees.
#[derive(Clone, Debug)]
pub struct GridOpenings {
    /// The index of each query.
    pub indices: Vec<usize>,
    /// The rows of each query: the elements whose words in Montgomery's form are hashed, which over
    /// another field are those [`with_same_words`].
    pub rows: Vec<Vec<Vec<F>>>,
    /// The siblings of each query by tree, from the leaves on.
    pub siblings: Vec<Vec<Vec<Digest>>>,
    /// The caps of all trees.
    pub caps: Vec<Vec<Digest>>,
}

impl GridOpenings {
    /// What is known of the calls: rows, bits of indices, and caps.
    ///
    /// # Errors
    /// If there are too many calls for one proof, or a row or a step is not that of a grid.
    pub fn graph(&self, grid: &Grid) -> Result<HashGraph, GraphError> {
        let hash = hash_of(grid.hash);
        let free = vec![Source::Witness; hash.input_elements()];
        let words = |rows: &Vec<Vec<F>>| words(&region(grid, rows));
        let regions: Vec<Vec<u32>> = self.rows.iter().map(words).collect();
        let queries: Vec<(usize, &Vec<u32>)> =
            (self.indices.iter().copied().zip(&regions)).collect();
        let log_queries = log_queries(grid);
        let mut graph = HashGraph::new(hash);
        for step in &steps(grid) {
            for query in 0..1 << log_queries {
                let output = |step: usize, element: usize| Output {
                    call: step << log_queries | query,
                    element,
                };
                let Some(&(index, region)) = queries.get(query) else {
                    graph.push(&free)?;
                    continue;
                };
                let call = graph.push(&sources(grid.hash, step, region, index, output))?;
                for (element, value) in self.root(grid, step, index).into_iter().enumerate() {
                    graph.expect(Output { call, element }, value)?;
                }
            }
        }
        Ok(graph)
    }

    /// The elements of the digest that the output of a step is, if it is a tree's root.
    fn root(&self, grid: &Grid, step: &Step, index: usize) -> Vec<Element> {
        let Some(number) = step.end.checked_sub(1) else {
            return Vec::new();
        };
        let levels = grid.trees.get(number).map_or(0, |tree| tree.cap_levels);
        let top = index >> grid.index_bits.saturating_sub(levels);
        let digest = self.caps.get(number).and_then(|cap| cap.get(top));
        digest.map(elements).unwrap_or_default()
    }

    /// The values of the graph's witness elements: siblings, and zeros in free calls.
    pub fn witness(&self, grid: &Grid) -> Vec<[u8; 16]> {
        let free = hash_of(grid.hash).input_elements();
        let mut values = Vec::new();
        let (mut tree, mut level) = (0, 0);
        for step in &steps(grid) {
            for query in 0..1 << log_queries(grid) {
                if query >= self.indices.len() {
                    values.resize(values.len() + free, Element::default());
                } else if step.kind == NODE {
                    let siblings = self.siblings.get(query).and_then(|trees| trees.get(tree));
                    let sibling = siblings.and_then(|siblings| siblings.get(level));
                    values.extend(elements(sibling.unwrap_or(&[0; 32])));
                }
            }
            if step.kind == NODE {
                level += 1;
            }
            if step.end > 0 {
                (tree, level) = (tree + 1, 0);
            }
        }
        values
    }

    /// Proves that these openings are right; the transcript begins with this digest of theirs.
    ///
    /// # Errors
    /// If they are not.
    pub fn prove(&self, grid: &Grid, digest: &[F; 8]) -> Result<Proof<Poseidon16>, BinaryError> {
        let graph = self.graph(grid)?;
        let witness = Witness::of_graph(&graph, &self.witness(grid))?;
        prove_bound::<Poseidon16>(witness, digest)
    }
}

/// The two elements of a digest.
fn elements(digest: &Digest) -> Vec<Element> {
    digest.as_chunks().0.to_vec()
}

/// The elements of [`F`] whose words in Montgomery's form are those of a row, which are what Plonky3
/// hashes. No field of a row has words that are not below the order of [`F`].
pub fn with_same_words<K: BaseField>(row: &[K]) -> Vec<F> {
    let of_words = F::from_u64(1 << 32).inverse();
    let elements = row.iter().map(K::to_unique_u32);
    elements.map(|word| F::from_u32(word) * of_words).collect()
}

/// The words of elements.
fn words(elements: &[F]) -> Vec<u32> {
    elements.iter().map(F::to_unique_u32).collect()
}

/// A query's rows as they lie in its region, without the index.
fn region(grid: &Grid, rows: &[Vec<F>]) -> Vec<F> {
    let (run, run_blocks) = if grid.hash == BLAKE3 {
        (Blake3::RUN, Blake3::RUN_BLOCKS)
    } else {
        (Keccak::RUN, Keccak::RUN_BLOCKS)
    };
    let mut region = Vec::new();
    for row in rows.iter().filter(|row| !row.is_empty()) {
        let first = region.len();
        for (i, words) in row.chunks(run).enumerate() {
            region.resize(first + LANES * run_blocks * i, F::ZERO);
            region.extend(words);
        }
        region.resize(first + LANES * row_blocks(grid.hash, row.len()), F::ZERO);
    }
    region
}

/// What the elements of a step's input are, of a query with this region and index. `output` is the
/// element of the output of another step.
fn sources(
    hash: usize,
    step: &Step,
    region: &[u32],
    index: usize,
    output: impl Fn(usize, usize) -> Output,
) -> Vec<Source> {
    let first = message_element(hash);
    let mut values = vec![0_u128; hash_of(hash).input_elements()];
    let mut add = |element: usize, words: &[u32]| {
        if let Some(value) = values.get_mut(element) {
            *value ^= integer(words);
        }
    };
    for constant in constants_of(hash, step) {
        add(constant.element, &constant.words);
    }
    let begin = LANES * step.block;
    let known = region.get(begin..begin + step.words).unwrap_or_default();
    for (i, words) in known.chunks(WORDS).enumerate() {
        add(first + i, words);
    }
    let source = |(element, value): (usize, u128)| {
        let child = element.checked_sub(first).filter(|&i| i < CHILDREN);
        let output = match (step.kind, child) {
            (FIRST, _) => None,
            (NEXT, _) => is_carried(hash, step.words, element).then(|| output(step.from, element)),
            // The right child if the bit of the index is one.
            (NODE, Some(i)) if i / 2 != index >> step.bit & 1 => return Source::Witness,
            (PARENT, Some(i)) if i / 2 == 1 => Some(output(step.other, i % 2)),
            (_, Some(i)) => Some(output(step.from, i % 2)),
            (_, None) => None,
        };
        Source::Known {
            output,
            value: value.to_le_bytes(),
        }
    };
    values.into_iter().enumerate().map(source).collect()
}

/// The integer whose digits in base `2^32` are these words, low first.
fn integer(words: &[u32]) -> u128 {
    let words = words.iter().rev();
    words.fold(0, |high, &word| high << 32 | u128::from(word))
}

#[cfg(test)]
mod dishonest;

#[cfg(test)]
mod tests {
    use droste_binary::{WitnessError, verify_bound};
    use droste_gadgets::verify::binary::grid::layout::{K64, KECCAK, Leaf, Tree};
    use droste_native::field::BabyBear;
    use p3_keccak::{Keccak256Hash, KeccakF};
    use p3_symmetric::{
        CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge,
        PseudoCompressionFunction, SerializingHasher,
    };
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::binary::places_of;

    type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;

    fn lanes(digest: &Digest) -> [u64; 4] {
        let lanes = digest.as_chunks().0;
        std::array::from_fn(|i| u64::from_le_bytes(lanes[i]))
    }

    fn bytes(lanes: [u64; 4]) -> Digest {
        let bytes = lanes.map(u64::to_le_bytes);
        std::array::from_fn(|i| bytes[i / 8][i % 8])
    }

    /// Plonky3's hash of a row.
    fn leaf(hash: usize, row: &[F]) -> Digest {
        let row = row.iter().copied();
        match hash {
            BLAKE3 => SerializingHasher::new(p3_blake3::Blake3).hash_iter(row),
            KECCAK => SerializingHasher::new(Keccak256Hash).hash_iter(row),
            _ => bytes(SerializingHasher::new(Sponge::new(KeccakF)).hash_iter(row)),
        }
    }

    /// Plonky3's parent.
    fn parent(hash: usize, children: [Digest; 2]) -> Digest {
        match hash {
            BLAKE3 => {
                CompressionFunctionFromHasher::<_, 2, 32>::new(p3_blake3::Blake3).compress(children)
            }
            KECCAK => {
                CompressionFunctionFromHasher::<_, 2, 32>::new(Keccak256Hash).compress(children)
            }
            _ => {
                let sponge = Sponge::new(KeccakF);
                let children = children.map(|child| lanes(&child));
                bytes(CompressionFunctionFromHasher::<_, 2, 4>::new(sponge).compress(children))
            }
        }
    }

    /// The openings of three queries in three trees: one of two heights, one whose leaves have half
    /// as many indices, and one whose leaves are its cap. Rows have these numbers of elements.
    pub(super) fn openings(hash: usize, words: [usize; 4]) -> (Grid, GridOpenings) {
        let leaf_of = |words, depth, first_bit| Leaf {
            words,
            depth,
            first_bit,
        };
        let cap_levels = 2;
        let leaves = [
            vec![leaf_of(words[0], 2, 0), leaf_of(words[1], 1, 2)],
            vec![leaf_of(words[2], 2, 1)],
            vec![leaf_of(words[3], 0, 3)],
        ];
        let tree = |leaves| Tree { leaves, cap_levels };
        let (places, offset) = places_of(hash);
        let grid = Grid {
            hash,
            queries: 3,
            index_bits: 5,
            trees: leaves.map(tree).to_vec(),
            places,
            offset,
        };
        let mut random = SmallRng::seed_from_u64(1);
        let mut openings = GridOpenings {
            indices: vec![0b01101, 0b11010, 0b00111],
            rows: Vec::new(),
            siblings: Vec::new(),
            caps: (0..3).map(|_| vec![random.random(); 4]).collect(),
        };
        for &index in &openings.indices {
            let (mut rows, mut siblings) = (Vec::new(), Vec::new());
            for (number, tree) in grid.trees.iter().enumerate() {
                let (mut node, mut path) = (None, Vec::new());
                for of in &tree.leaves {
                    let row: Vec<F> = (0..of.words).map(|_| random.random()).collect();
                    let digest = leaf(hash, &row);
                    let mut last = node.map_or(digest, |node| parent(hash, [node, digest]));
                    for level in 0..of.depth {
                        let sibling: Digest = random.random();
                        let is_right = index >> (of.first_bit + level) & 1 == 1;
                        let children = if is_right {
                            [sibling, last]
                        } else {
                            [last, sibling]
                        };
                        last = parent(hash, children);
                        path.push(sibling);
                    }
                    node = Some(last);
                    rows.push(row);
                }
                openings.caps[number][index >> 3] = node.unwrap();
                siblings.push(path);
            }
            openings.rows.push(rows);
            openings.siblings.push(siblings);
        }
        (grid, openings)
    }

    #[test]
    fn elements_have_the_words_of_rows() {
        let row = [F::ZERO, F::ONE, F::TWO, F::NEG_ONE];
        assert_eq!(with_same_words(&row), row);
        let row = [
            BabyBear::ZERO,
            BabyBear::ONE,
            BabyBear::TWO,
            BabyBear::NEG_ONE,
        ];
        let words = with_same_words(&row);
        assert_ne!(words[1], F::ONE);
        for (element, same) in row.iter().zip(words) {
            assert_eq!(same.to_unique_u32(), element.to_unique_u32());
        }
    }

    /// Lengths of rows: whole blocks, less and more, and in BLAKE3 several chunks.
    const ROWS: [(usize, [usize; 4]); 7] = [
        (K64, [1, 3, 33, 34]),
        (K64, [37, 68, 72, 2]),
        (KECCAK, [1, 2, 33, 34]),
        (KECCAK, [35, 36, 68, 70]),
        (BLAKE3, [1, 8, 16, 17]),
        (BLAKE3, [32, 256, 257, 300]),
        (BLAKE3, [700, 1_025, 5, 1]),
    ];

    #[test]
    fn openings_lead_to_caps() {
        for (hash, words) in ROWS {
            let (grid, openings) = openings(hash, words);
            let graph = openings.graph(&grid).unwrap();
            assert_eq!(graph.len(), 4 * steps(&grid).len());
            let inputs = graph.inputs(&openings.witness(&grid));
            assert!(inputs.is_ok(), "{words:?}: {inputs:?}");
        }
    }

    /// In each query: the first and the last element of a row, each sibling, each bit of the index,
    /// and each cap.
    #[test]
    fn other_openings_do_not() {
        for (hash, words) in ROWS {
            let (grid, honest) = openings(hash, words);
            let refused = |changed: &GridOpenings| {
                let graph = changed.graph(&grid).unwrap();
                let inputs = graph.inputs(&changed.witness(&grid));
                assert!(matches!(inputs, Err(WitnessError::Output { .. })));
            };
            for query in 0..3 {
                for (row, words) in words.into_iter().enumerate() {
                    for element in [0, words - 1] {
                        let mut changed = honest.clone();
                        changed.rows[query][row][element] += F::ONE;
                        refused(&changed);
                    }
                }
                for (tree, levels) in [(0, 3), (1, 2)] {
                    for level in 0..levels {
                        let mut changed = honest.clone();
                        changed.siblings[query][tree][level][31] ^= 0x80;
                        refused(&changed);
                    }
                }
                for bit in 0..grid.index_bits {
                    let mut changed = honest.clone();
                    changed.indices[query] ^= 1 << bit;
                    refused(&changed);
                }
                for tree in 0..3 {
                    let mut changed = honest.clone();
                    let top = honest.indices[query] >> 3;
                    changed.caps[tree][top][16] ^= 1;
                    refused(&changed);
                }
            }
        }
    }

    #[test]
    fn openings_are_proved_with_their_digest() {
        for (hash, words) in [ROWS[0], ROWS[3], ROWS[4]] {
            let (grid, openings) = openings(hash, words);
            let graph = openings.graph(&grid).unwrap();
            let digest = [F::TWO; 8];
            let proof = openings.prove(&grid, &digest).unwrap();
            verify_bound(&graph, &digest, &proof).unwrap();
            assert!(verify_bound(&graph, &[F::ONE; 8], &proof).is_err());
            let mut other = openings.clone();
            other.rows[2][0][0] += F::ONE;
            assert!(other.prove(&grid, &digest).is_err());
            let other = other.graph(&grid).unwrap();
            assert!(verify_bound(&other, &digest, &proof).is_err());
        }
    }
}
