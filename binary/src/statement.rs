//! What a proof is about, and what of it is a claim about elements of the trace.

mod claims;
mod places;

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

pub use self::claims::PublicClaims;
#[cfg(test)]
pub(crate) use self::places::public_rows;
pub use self::places::{NodePlaces, Place, Places, node_constants};
use crate::calls::{ELEMENT_BYTES, Hash, HashCalls};
use crate::field::K;
use crate::graph::{GraphCall, HashGraph};
use crate::merkle::MerkleTree;
use crate::paths::MerklePaths;
use crate::shape::StatementShape;
use crate::tree_hash::TreeHash;

/// What a proof is about.
#[derive(Clone, Copy, Debug)]
pub enum Statement<'a> {
    /// Outputs are those of the inputs.
    Calls(&'a HashCalls),
    /// Leaves have paths to roots. A call is a node, a path is as many as it is deep, from the
    /// parent of the leaf to the root.
    Paths(&'a MerklePaths),
    /// Inputs are made of earlier outputs and values, and outputs are those that are expected. The
    /// graph has a call at least.
    Graph(&'a HashGraph),
}

impl<'a> From<&'a HashCalls> for Statement<'a> {
    fn from(calls: &'a HashCalls) -> Self {
        Self::Calls(calls)
    }
}

impl<'a> From<&'a MerklePaths> for Statement<'a> {
    fn from(paths: &'a MerklePaths) -> Self {
        Self::Paths(paths)
    }
}

impl<'a> From<&'a HashGraph> for Statement<'a> {
    fn from(graph: &'a HashGraph) -> Self {
        Self::Graph(graph)
    }
}

impl Statement<'_> {
    /// The hash that is called.
    pub const fn hash(&self) -> Hash {
        self.shape().hash()
    }

    /// Its shape.
    pub const fn shape(&self) -> StatementShape {
        match self {
            Self::Calls(calls) => calls.shape(),
            Self::Paths(paths) => paths.shape(),
            Self::Graph(graph) => graph.shape(),
        }
    }

    /// A digest of all that the statement says: the parent of the leaf of its numbers and of the
    /// [root](Self::root) of its list. The transcript begins with it.
    pub fn digest<H: TreeHash>(&self) -> H::Digest {
        let mut digest = [H::Digest::default()];
        H::hash_rows(&[self.shape().numbers()], 1, &mut digest);
        let [numbers] = digest;
        H::compress(&[[numbers, self.root::<H>()]], &mut digest);
        let [digest] = digest;
        digest
    }

    /// The root of a Merkle tree of the list: of input and output of each call, each filled up with
    /// zeros to whole elements, of leaf, index (an element) and root of each path, or of all that a
    /// graph has of each call, then rows of zeros up to a power of two, at least two.
    pub fn root<H: TreeHash>(&self) -> H::Digest {
        let (width, mut rows) = match self {
            Self::Calls(calls) => {
                let hash = calls.hash();
                let rows = calls.calls();
                let rows = rows.flat_map(|(input, output)| elements(input).chain(elements(output)));
                let width = hash.input_elements() + hash.output_elements();
                (width, rows.collect::<Vec<K>>())
            }
            Self::Paths(paths) => {
                let rows = paths.paths().iter().flat_map(|path| {
                    row(&[
                        &path.leaf,
                        &u128::from(path.index).to_le_bytes(),
                        &path.root,
                    ])
                });
                ((32 + ELEMENT_BYTES + 32) / ELEMENT_BYTES, rows.collect())
            }
            Self::Graph(graph) => {
                let calls: Vec<_> = graph.calls().collect();
                let rows = calls.into_par_iter().flat_map_iter(graph_row).collect();
                (graph_row_elements(graph.hash()), rows)
            }
        };
        let count = (rows.len() / width).next_power_of_two().max(2);
        rows.resize(count * width, K::ZERO);
        MerkleTree::<H>::new(&rows, width).root()
    }
}

/// Bytes as elements, of which the last one is filled up with zeros.
fn elements(bytes: &[u8]) -> impl Iterator<Item = K> {
    bytes.chunks(ELEMENT_BYTES).map(|bytes| {
        let mut whole = [0; ELEMENT_BYTES];
        whole[..bytes.len()].copy_from_slice(bytes);
        K::from_le_bytes(whole)
    })
}

/// Parts one after the other as elements.
fn row(parts: &[&[u8]]) -> Vec<K> {
    elements(&parts.concat()).collect()
}

/// All that a graph has of a call: values, then expected ones or zeros, then kinds of the elements
/// of the input, four bytes each, and which of the output's are expected, by the bits of two bytes.
fn graph_row(call: GraphCall<'_>) -> Vec<K> {
    let expected: Vec<_> = call
        .expected
        .iter()
        .map(|own| own.unwrap_or_default())
        .collect();
    let wires: Vec<_> = call.wires.iter().map(|wire| wire.to_bytes()).collect();
    let is_expected = call.expected.iter().rev();
    let is_expected = is_expected.fold(0_u16, |bits, own| bits << 1 | u16::from(own.is_some()));
    row(&[
        call.values.as_flattened(),
        expected.as_flattened(),
        wires.as_flattened(),
        &is_expected.to_le_bytes(),
    ])
}

/// Elements of a [`graph_row`].
const fn graph_row_elements(hash: Hash) -> usize {
    let (inputs, outputs) = (hash.input_elements(), hash.output_elements());
    let kinds = size_of::<u32>() * inputs + size_of::<u16>();
    inputs + outputs + kinds.div_ceil(ELEMENT_BYTES)
}

#[cfg(test)]
mod claims_tests;
#[cfg(test)]
pub(crate) mod graph_tests;
#[cfg(test)]
pub(crate) mod tests;
