//! Registries: lists of public keys, of which those who sign are a set.

use std::collections::HashMap;

use droste_native::F;
use droste_native::hash_signature::json::{canonical, elements};
use droste_native::hash_signature::{DecodeError, PublicKey};
use droste_native::precompile::{Block, LANES, poseidon16_compress};
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::MAX_LOG_KEYS;

/// Different public keys, in an order. The place of a key in it is what the sets of signers are of.
///
/// With serde it is a list whose entries have the fields `root` and `public_param`, canonical
/// integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Entry>", into = "Vec<Entry>")]
pub struct Registry {
    keys: Vec<PublicKey>,
    /// The leaves of the tree.
    blocks: Vec<Block>,
    places: HashMap<Block, usize>,
    root: Block,
}

/// Why keys are no registry.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RegistryError {
    /// There are no keys, or too many.
    #[error("the registry has {0} keys, expected 1 to {most}", most = 1u32 << MAX_LOG_KEYS)]
    Keys(usize),
    /// A key is there twice, so that it could be counted twice.
    #[error("key {second} of the registry is key {first} again")]
    Repeated {
        /// Its first place, from 0.
        first: usize,
        /// Its second place.
        second: usize,
    },
    /// A key is what places without a key have in the tree.
    #[error("key {0} of the registry has only zeros")]
    Zero(usize),
    /// An element is not below the modulus.
    #[error("key {key} of the registry: {source}")]
    NotCanonical {
        /// The key's place, from 0.
        key: usize,
        /// Which element.
        source: DecodeError,
    },
}

impl Registry {
    /// The registry of these keys.
    ///
    /// # Errors
    /// If there are none, more than `2^MAX_LOG_KEYS`, or one is there twice or zero.
    pub fn new(keys: Vec<PublicKey>) -> Result<Self, RegistryError> {
        if !(1..=1 << MAX_LOG_KEYS).contains(&keys.len()) {
            return Err(RegistryError::Keys(keys.len()));
        }
        let mut blocks: Vec<Block> = keys.iter().map(key_block).collect();
        let mut places = HashMap::new();
        for (second, &block) in blocks.iter().enumerate() {
            if block == [F::ZERO; LANES] {
                return Err(RegistryError::Zero(second));
            }
            if let Some(first) = places.insert(block, second) {
                return Err(RegistryError::Repeated { first, second });
            }
        }
        blocks.resize(keys.len().next_power_of_two().max(2), [F::ZERO; LANES]);
        let root = root(blocks.clone());
        Ok(Self {
            keys,
            blocks,
            places,
            root,
        })
    }

    /// The keys.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// Logarithm of the number of leaves of the tree over the keys, 1 at least: that of the
    /// program for this registry.
    pub fn log_keys(&self) -> u32 {
        self.blocks.len().ilog2()
    }

    /// The root of the Merkle tree in Poseidon-16 over the keys. Blocks of zeros follow them, under
    /// which nobody signs who has no preimage of zeros. So root and levels determine the keys.
    pub const fn root(&self) -> Block {
        self.root
    }

    /// The place of a key, if it is there.
    pub fn place(&self, key: &PublicKey) -> Option<usize> {
        self.places.get(&key_block(key)).copied()
    }

    /// The leaves of the tree.
    pub(super) fn key_blocks(&self) -> &[Block] {
        &self.blocks
    }
}

/// A key as a block: its root, then its public parameter.
pub fn key_block(key: &PublicKey) -> Block {
    join([key.root, key.parameter])
}

/// Both halves of a block.
pub(super) fn join([left, right]: [[F; 4]; 2]) -> Block {
    let ([a, b, c, d], [e, f, g, h]) = (left, right);
    [a, b, c, d, e, f, g, h]
}

/// The root of a tree whose number of leaves is a power of two.
fn root(mut nodes: Vec<Block>) -> Block {
    while nodes.len() > 1 {
        let pairs = nodes.as_chunks().0.iter();
        nodes = pairs
            .map(|[left, right]| poseidon16_compress(left, right))
            .collect();
    }
    nodes.pop().unwrap_or_default()
}

/// A key as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    root: [u64; 4],
    public_param: [u64; 4],
}

impl TryFrom<Vec<Entry>> for Registry {
    type Error = RegistryError;

    fn try_from(entries: Vec<Entry>) -> Result<Self, RegistryError> {
        let keys = entries.iter().enumerate().map(|(key, entry)| {
            let of_key = |source| RegistryError::NotCanonical { key, source };
            Ok(PublicKey {
                root: elements("root", 0, entry.root).map_err(of_key)?,
                parameter: elements("public_param", 0, entry.public_param).map_err(of_key)?,
            })
        });
        Self::new(keys.collect::<Result<_, RegistryError>>()?)
    }
}

impl From<Registry> for Vec<Entry> {
    fn from(registry: Registry) -> Self {
        let entries = registry.keys.into_iter().map(|key| Entry {
            root: canonical(key.root),
            public_param: canonical(key.parameter),
        });
        entries.collect()
    }
}
