//! What a proof is about, and what of it is a claim about elements of the trace.

use std::fmt;

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::blake::Blake;
use crate::calls::{Hash, HashCalls, words_of};
use crate::circuit::{Circuit, PublicRow, WORDS};
use crate::field::{K, dot, eq_table};
use crate::keccak;
use crate::merkle::MerkleTree;
use crate::paths::{Digest, MerklePaths, input, input_without_message, node};
use crate::trace::{ELEMENTS, LOG_ELEMENTS, lanes, pack, words};
use crate::tree_hash::TreeHash;

/// Fewest calls that a trace has room for.
const MIN_CALLS: usize = 8;

/// What a proof is about.
#[derive(Clone, Copy, Debug)]
pub enum Statement<'a> {
    /// Outputs are those of the inputs.
    Calls(&'a HashCalls),
    /// Leaves have paths to roots. A call is a node, a path is as many as it is deep, from the
    /// parent of the leaf to the root.
    Paths(&'a MerklePaths),
}

impl Statement<'_> {
    /// The hash that is called.
    pub const fn hash(&self) -> Hash {
        match self {
            Self::Calls(calls) => calls.hash(),
            Self::Paths(paths) => paths.hash(),
        }
    }

    /// Number of calls, without those that fill the trace up.
    pub const fn num_calls(&self) -> usize {
        match self {
            Self::Calls(calls) => calls.len(),
            Self::Paths(paths) => paths.nodes(),
        }
    }

    /// Base-two logarithm of the calls of the trace: those of the statement, then calls with the
    /// input [`Self::padding`].
    pub fn log_calls(&self) -> usize {
        self.num_calls().max(MIN_CALLS).next_power_of_two().ilog2() as usize
    }

    /// The input of the calls after the last one: zero, or that of a node whose children are zero.
    pub fn padding(&self) -> Vec<u8> {
        match self {
            Self::Calls(calls) => vec![0; calls.hash().input_bytes()],
            Self::Paths(paths) => input(paths.hash(), &[0; 32], &[0; 32]),
        }
    }

    /// Kind and hash, number of calls, and depth of paths: the first leaf of [`Self::digest`].
    pub fn numbers(&self) -> K {
        let (kind, depth) = match self {
            Self::Calls(_) => (0, 0),
            Self::Paths(paths) => (1, paths.depth()),
        };
        let numbers = u128::from(kind << 2 | self.hash().number())
            | (self.num_calls() as u128) << 32
            | (depth as u128) << 64;
        K::from_repr(numbers)
    }

    /// A digest of all that the statement says: the parent of the leaf of its numbers and of the
    /// [root](Self::root) of its list. The transcript begins with it.
    pub fn digest<H: TreeHash>(&self) -> H::Digest {
        let mut digest = [H::Digest::default()];
        H::hash_rows(&[self.numbers()], 1, &mut digest);
        let [numbers] = digest;
        H::compress(&[[numbers, self.root::<H>()]], &mut digest);
        let [digest] = digest;
        digest
    }

    /// The root of a Merkle tree of the list: of input and output of each call, or of leaf, index
    /// (an element) and root of each path, then rows of zeros up to a power of two, at least two.
    pub fn root<H: TreeHash>(&self) -> H::Digest {
        let (width, mut rows) = match self {
            Self::Calls(calls) => {
                let bytes = calls.hash().input_bytes() + calls.hash().output_bytes();
                let rows = calls
                    .calls()
                    .flat_map(|(input, output)| elements(&[input, output]));
                (bytes.div_ceil(BYTES), rows.collect::<Vec<K>>())
            }
            Self::Paths(paths) => {
                let rows = paths.paths().iter().flat_map(|path| {
                    elements(&[
                        &path.leaf,
                        &u128::from(path.index).to_le_bytes(),
                        &path.root,
                    ])
                });
                ((32 + BYTES + 32) / BYTES, rows.collect())
            }
        };
        let count = (rows.len() / width).next_power_of_two().max(2);
        rows.resize(count * width, K::ZERO);
        MerkleTree::<H>::new(&rows, width).root()
    }
}

impl fmt::Display for Statement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = self.hash();
        match self {
            Self::Calls(calls) => write!(f, "{} calls of {hash}", calls.len()),
            Self::Paths(paths) => {
                let (number, depth) = (paths.paths().len(), paths.depth());
                write!(f, "{number} paths of depth {depth} in {hash}")
            }
        }
    }
}

/// Bytes of an element.
const BYTES: usize = 16;

/// Parts one after the other as elements, of which the last one is filled up with zeros.
fn elements(parts: &[&[u8]]) -> Vec<K> {
    let bytes = parts.concat();
    let element = |bytes: &[u8]| {
        let mut whole = [0; BYTES];
        whole[..bytes.len()].copy_from_slice(bytes);
        K::from_le_bytes(whole)
    };
    bytes.chunks(BYTES).map(element).collect()
}

/// The weight of one element in one row of every call.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// Index of the weights of calls.
    calls: usize,
    row: usize,
    element: usize,
    scale: K,
}

/// Claims about elements that the statement makes, as one: a sum of elements with weights.
#[derive(Clone, Debug)]
pub struct PublicClaims {
    /// Weights of calls.
    calls: Vec<Vec<K>>,
    terms: Vec<Term>,
    /// What the sum is.
    pub value: K,
}

/// Number of claims that [`PublicClaims::new`] makes one, besides those of rows: chain and root,
/// for both elements of a digest.
const PATH_CLAIMS: usize = 4;

impl PublicClaims {
    /// Number of claims that are made one.
    pub fn number(statement: &Statement<'_>, circuit: &Circuit) -> usize {
        match statement {
            Statement::Calls(_) => circuit.public.len(),
            Statement::Paths(_) => PATH_CLAIMS + circuit.public.len(),
        }
    }

    /// The claims at a point over calls, of [`Statement::log_calls`] coordinates, and one over
    /// elements, of four, by powers of a challenge. All three must be drawn after statement and
    /// trace.
    pub fn new(
        statement: &Statement<'_>,
        circuit: &Circuit,
        calls: &[K],
        elements: &[K],
        eta: K,
    ) -> Self {
        let (calls, elements) = (eq_table(calls), eq_table(elements));
        let number = Self::number(statement, circuit);
        let powers: Vec<K> = eta.shifted_powers(eta).take(number).collect();
        match statement {
            Statement::Calls(list) => Self::of_calls(list, circuit, calls, &elements, &powers),
            Statement::Paths(paths) => Self::of_paths(paths, circuit, calls, &elements, &powers),
        }
    }

    fn of_calls(
        list: &HashCalls,
        circuit: &Circuit,
        calls: Vec<K>,
        elements: &[K],
        powers: &[K],
    ) -> Self {
        let hash = list.hash();
        let mut claims = Self {
            calls: Vec::new(),
            terms: Vec::new(),
            value: K::ZERO,
        };
        for (public, &power) in circuit.public.iter().zip(powers) {
            claims.add_row(public.row, public.elements, elements, power);
        }
        let value = |input: &[u8], output: &[u8]| -> K {
            let rows = public_rows(hash, input, output);
            let masks = circuit.public.iter().map(|public| public.elements);
            (rows.iter().zip(masks).zip(powers))
                .map(|((row, mask), &power)| power * masked_dot(row, elements, mask))
                .sum()
        };
        let listed: Vec<_> = list.calls().zip(&calls).collect();
        claims.value = listed
            .into_par_iter()
            .with_min_len(64)
            .map(|((input, output), &weight)| weight * value(input, output))
            .reduce(|| K::ZERO, |left, right| left + right);
        // The padding's calls are those of zero.
        let rest: K = calls.iter().skip(list.len()).copied().sum();
        let zero = vec![0; hash.input_bytes()];
        claims.value += rest * value(&zero, &hash.apply(&zero));
        claims.calls.push(calls);
        claims
    }

    /// For each call and both elements of digests: the child that its index says is the leaf in the
    /// first call of a path, and else the output of the call before; the output of the last call is
    /// the root. What of the input is not its children is constant.
    fn of_paths(
        statement: &MerklePaths,
        circuit: &Circuit,
        calls: Vec<K>,
        elements: &[K],
        powers: &[K],
    ) -> Self {
        let (hash, depth, nodes) = (statement.hash(), statement.depth(), statement.nodes());
        let places = NodePlaces::of(hash);
        let zero = K::zero_vec(calls.len());
        let (mut left, mut right) = (calls.clone(), zero.clone());
        let (mut before, mut last) = (zero.clone(), zero);
        let (path_powers, row_powers) = powers.split_at(PATH_CLAIMS);
        let digest_weights = |power: usize| [path_powers[power], path_powers[power + 1]];
        let (chain, root) = (digest_weights(0), digest_weights(2));
        let mut value = K::ZERO;
        let empty_root = node(hash, &[0; 32], &[0; 32]);
        for (call, &weight) in calls.iter().enumerate() {
            // The padding's calls are paths of depth 1 whose leaf, index and sibling are zero.
            let path = statement.paths().get(call / depth);
            let level = if call < nodes { call % depth } else { 0 };
            let is_last = call >= nodes || level == depth - 1;
            if path.is_some_and(|path| call < nodes && path.is_right(level)) {
                right[call] = weight;
                left[call] = K::ZERO;
            }
            if level == 0 {
                let leaf = path
                    .filter(|_| call < nodes)
                    .map_or([0; 32], |path| path.leaf);
                value += weight * dot(&digest_elements(&leaf), &chain);
            } else {
                before[call - 1] = weight;
            }
            if is_last {
                last[call] = weight;
                let end = path
                    .filter(|_| call < nodes)
                    .map_or(empty_root, |path| path.root);
                value += weight * dot(&digest_elements(&end), &root);
            }
        }
        let mut claims = Self {
            calls: vec![calls, left, right, before, last],
            terms: Vec::new(),
            value,
        };
        for d in 0..2 {
            for (calls, (row, element), scale) in [
                (1, places.left, chain[d]),
                (2, places.right, chain[d]),
                (3, places.output, chain[d]),
                (4, places.output, root[d]),
            ] {
                claims.terms.push(Term {
                    calls,
                    row,
                    element: element + d,
                    scale,
                });
            }
        }
        // Weights of all calls add up to one.
        let rows = node_constants(hash, circuit);
        for (
            (
                PublicRow {
                    row,
                    elements: mask,
                },
                constant,
            ),
            &power,
        ) in rows.iter().zip(row_powers)
        {
            claims.add_row(*row, *mask, elements, power);
            claims.value += power * masked_dot(constant, elements, *mask);
        }
        claims
    }

    /// Terms of the elements of a row that the mask has, with the first weights of calls.
    fn add_row(&mut self, row: usize, mask: u16, elements: &[K], scale: K) {
        for (element, &weight) in elements
            .iter()
            .enumerate()
            .filter(|(g, _)| mask >> g & 1 == 1)
        {
            self.terms.push(Term {
                calls: 0,
                row,
                element,
                scale: scale * weight,
            });
        }
    }

    /// Adds the weights to those of one element of one row of all calls.
    ///
    /// `column` is `16 row + element`, and `values` are those of all calls.
    pub fn add_to(&self, column: usize, values: &mut [K]) {
        let own = |term: &&Term| term.row << LOG_ELEMENTS | term.element == column;
        for term in self.terms.iter().filter(own) {
            for (value, &weight) in values.iter_mut().zip(&self.calls[term.calls]) {
                *value += term.scale * weight;
            }
        }
    }

    /// The multilinear extension of the weights.
    pub fn evaluate(&self, row: &[K], call: &[K], elements: &[K]) -> K {
        let (rows, calls, elements) = (eq_table(row), eq_table(call), eq_table(elements));
        let at_calls: Vec<K> = self
            .calls
            .iter()
            .map(|weights| dot(weights, &calls))
            .collect();
        (self.terms.iter())
            .map(|term| term.scale * rows[term.row] * elements[term.element] * at_calls[term.calls])
            .sum()
    }
}

/// Where a node's children and its digest are: the row, and the first of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePlaces {
    /// The left child.
    pub left: (usize, usize),
    /// The right child.
    pub right: (usize, usize),
    /// The digest.
    pub output: (usize, usize),
}

/// The elements of public rows that are the same in every node, in the circuit's order, with their
/// values. Other elements have any value.
pub fn node_constants(hash: Hash, circuit: &Circuit) -> Vec<(PublicRow, [K; ELEMENTS])> {
    let places = NodePlaces::of(hash);
    let values = public_rows(hash, &input_without_message(hash), &[]);
    let constants = circuit.public.iter().map(|public| PublicRow {
        row: public.row,
        elements: public.elements & !places.variable(public.row),
    });
    constants.zip(values).collect()
}

impl NodePlaces {
    /// Those of a node of this hash.
    pub const fn of(hash: Hash) -> Self {
        let (row, left, output) = match hash {
            Hash::Blake3 => (Blake::Blake3.first_round(), 2, (Blake::Blake3.end(), 2)),
            Hash::Blake2s => (Blake::Blake2s.first_round(), 2, (Blake::Blake2s.end(), 2)),
            Hash::KeccakF => (0, 0, (keccak::ROUNDS, 0)),
        };
        Self {
            left: (row, left),
            right: (row, left + 2),
            output,
        }
    }

    /// The public elements of a row that differ from node to node. Those after the digest, of an
    /// output that is longer, are in no claim.
    const fn variable(&self, row: usize) -> u16 {
        if row == self.output.0 {
            if self.output.1 == 0 {
                u16::MAX
            } else {
                0b1111 << self.output.1
            }
        } else if row == self.left.0 {
            0b1111 << self.left.1
        } else {
            0
        }
    }
}

/// A digest as elements.
fn digest_elements(digest: &Digest) -> [K; 2] {
    let (halves, _) = digest.as_chunks();
    std::array::from_fn(|i| K::from_le_bytes(halves[i]))
}

/// A sum of products over the indices that a mask has.
fn masked_dot(left: &[K], right: &[K], mask: u16) -> K {
    (left.iter().zip(right).enumerate())
        .filter(|(i, _)| mask >> i & 1 == 1)
        .map(|(_, (&left, &right))| left * right)
        .sum()
}

/// The public rows of a call, in the order of the circuit. Elements that are not public have any
/// value.
pub(crate) fn public_rows(hash: Hash, input: &[u8], output: &[u8]) -> Vec<[K; ELEMENTS]> {
    let mut rows = [[0; WORDS]; 3];
    let mut set = |row: usize, first: usize, words: &[u32]| {
        for (i, &word) in words.iter().enumerate() {
            rows[row][(first + i) / 2] |= u64::from(word) << (32 * ((first + i) % 2));
        }
    };
    let mut compression = |blake: Blake| {
        let all = words_of(input);
        set(0, 0, &all[4..8]);
        set(
            0,
            4,
            &blake.last_words(std::array::from_fn(|i| all[24 + i])),
        );
        set(0, 8, &all[8..24]);
        set(1, 8, &words(output));
        set(1, 24, &all[..8]);
        set(2, 24, &all[..8]);
    };
    let count = match hash {
        Hash::Blake3 => {
            compression(Blake::Blake3);
            2
        }
        Hash::Blake2s => {
            compression(Blake::Blake2s);
            3
        }
        Hash::KeccakF => {
            rows[0][..keccak::LANES].copy_from_slice(&lanes(input));
            rows[1][..keccak::LANES].copy_from_slice(&lanes(output));
            2
        }
    };
    rows[..count].iter().map(pack).collect()
}

#[cfg(test)]
mod claims_tests;
#[cfg(test)]
pub(crate) mod tests;
