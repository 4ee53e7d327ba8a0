//! What the proof of a batch says, and that a key is in it.

use droste_gadgets::xmss::CLAIM_TAG;
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::hash_signature::json::{canonical, elements};
use droste_native::hash_signature::{DecodeError, PublicKey};
use droste_native::precompile::{Block, LANES, poseidon16_compress, poseidon16_merkle};
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::MAX_LOG_KEYS;

/// These keys, in this order, signed this message in this slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureBatchClaim {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
    /// The keys. One may be there more than once.
    pub keys: Vec<PublicKey>,
}

impl SignatureBatchClaim {
    /// The statement of a proof of the program for `2^log_keys` keys that says this, or `None` if
    /// there is no such proof: a batch has at least one key, and no more than the program takes.
    pub fn statement(&self, log_keys: u32) -> Option<[F; LANES]> {
        let signatures = signatures(self.keys.len(), log_keys)?;
        let root = root(self.key_blocks(log_keys));
        Some(statement(signatures, self.slot, &self.message, &root))
    }

    /// That the key at `index` is in the claim, or `None` if it has no such key, or there are more
    /// keys than `2^log_keys`.
    pub fn member(&self, log_keys: u32, index: usize) -> Option<SignatureBatchMember> {
        let key = *self.keys.get(index)?;
        let signatures = signatures(self.keys.len(), log_keys)?;
        let mut nodes = self.key_blocks(log_keys);
        let mut path = vec![];
        for level in 0..log_keys {
            path.push(*nodes.get((index >> level) ^ 1)?);
            nodes = parents(&nodes);
        }
        Some(SignatureBatchMember {
            signatures,
            slot: self.slot,
            message: self.message,
            key,
            index: index as u32,
            path,
        })
    }

    /// The leaves of the tree of keys: blocks of zeros follow the keys. `log_keys` must be at most
    /// [`MAX_LOG_KEYS`].
    pub(super) fn key_blocks(&self, log_keys: u32) -> Vec<Block> {
        let mut blocks: Vec<Block> = self.keys.iter().map(key_block).collect();
        blocks.resize(blocks.len().max(1 << log_keys), [F::ZERO; LANES]);
        blocks
    }
}

/// That a key signed a message in a slot, for a verifier who knows the statement of the batch's
/// proof. Nothing of it is verified before [`Self::verify`].
///
/// With serde it has the fields `signatures`, `slot`, `message`, `root`, `public_param`, `index`
/// and `path`, all of them canonical integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Entry", into = "Entry")]
pub struct SignatureBatchMember {
    /// Number of signatures of the batch.
    pub signatures: u32,
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
    /// The key.
    pub key: PublicKey,
    /// Its index among the batch's keys, from 0.
    pub index: u32,
    /// Siblings on the way from the key to the root of the tree of keys, from below.
    pub path: Vec<Block>,
}

/// Why a [`SignatureBatchMember`] is refused.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SignatureBatchMemberError {
    /// The program does not take this number of signatures.
    #[error("the batch has {signatures} signatures, expected 1 to {most}")]
    Signatures {
        /// Number of signatures.
        signatures: u32,
        /// Largest number.
        most: u32,
    },
    /// The batch has no signature of this index: what is at the place in the tree has not signed.
    #[error("there is no signature {index}: the batch has {signatures}, counted from 0")]
    NotSigned {
        /// The index.
        index: u32,
        /// Number of signatures.
        signatures: u32,
    },
    /// The path does not have as many levels as the tree of keys.
    #[error("the path has {found} levels, expected {expected}")]
    Levels {
        /// Number of levels of the program's tree.
        expected: u32,
        /// Number of siblings.
        found: usize,
    },
    /// The statement says something else.
    #[error("the statement is not that of a batch with this key, message and slot")]
    Statement,
}

impl SignatureBatchMember {
    /// Verifies that the proof of a batch with this statement says that the key signed.
    ///
    /// # Soundness obligations
    ///
    /// The statement must be that of a valid proof under the key of the program for `2^log_keys`
    /// keys of the right scheme: that of a leaf whose key the caller has compared.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn verify(
        &self,
        log_keys: u32,
        expected: &[F; LANES],
    ) -> Result<(), SignatureBatchMemberError> {
        let Self {
            signatures, index, ..
        } = *self;
        // A longer path would take a node of the tree for a key, a shorter one a key for a node.
        if self.path.len() != log_keys as usize || log_keys > MAX_LOG_KEYS {
            return Err(SignatureBatchMemberError::Levels {
                expected: log_keys,
                found: self.path.len(),
            });
        }
        // The statement has the number as an element: a number above the modulus would be hashed as
        // the smaller one, and let what follows the keys pass for a key.
        let most = 1 << log_keys;
        if !(1..=most).contains(&signatures) {
            return Err(SignatureBatchMemberError::Signatures { signatures, most });
        }
        if index >= signatures {
            return Err(SignatureBatchMemberError::NotSigned { index, signatures });
        }
        let root = poseidon16_merkle(&key_block(&self.key), index, &self.path);
        let says = |root| statement(signatures, self.slot, &self.message, &root) == *expected;
        if root.is_ok_and(says) {
            Ok(())
        } else {
            Err(SignatureBatchMemberError::Statement)
        }
    }
}

/// A member as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    signatures: u32,
    slot: u32,
    message: [u64; 8],
    root: [u64; 4],
    public_param: [u64; 4],
    index: u32,
    path: Vec<[u64; 8]>,
}

impl TryFrom<Entry> for SignatureBatchMember {
    type Error = DecodeError;

    fn try_from(entry: Entry) -> Result<Self, DecodeError> {
        let path = entry.path.into_iter().enumerate();
        let path = path.map(|(level, node)| elements("path", LANES * level, node));
        Ok(Self {
            signatures: entry.signatures,
            slot: entry.slot,
            message: elements("message", 0, entry.message)?,
            key: PublicKey {
                root: elements("root", 0, entry.root)?,
                parameter: elements("public_param", 0, entry.public_param)?,
            },
            index: entry.index,
            path: path.collect::<Result<_, _>>()?,
        })
    }
}

impl From<SignatureBatchMember> for Entry {
    fn from(member: SignatureBatchMember) -> Self {
        Self {
            signatures: member.signatures,
            slot: member.slot,
            message: canonical(member.message),
            root: canonical(member.key.root),
            public_param: canonical(member.key.parameter),
            index: member.index,
            path: member.path.into_iter().map(canonical).collect(),
        }
    }
}

/// A key as a block: its root, then its public parameter.
pub fn key_block(key: &PublicKey) -> Block {
    let ([a, b, c, d], [e, f, g, h]) = (key.root, key.parameter);
    [a, b, c, d, e, f, g, h]
}

/// The number of keys, if the program for `2^log_keys` keys takes so many.
fn signatures(keys: usize, log_keys: u32) -> Option<u32> {
    let fits = log_keys <= MAX_LOG_KEYS && (1..=1 << log_keys).contains(&keys);
    fits.then_some(keys as u32)
}

/// The statement of a batch of so many signatures, which must be below the modulus.
fn statement(signatures: u32, slot: u32, message: &Block, root: &Block) -> [F; LANES] {
    let mut head = [F::ZERO; LANES];
    for (lane, value) in head.iter_mut().zip([signatures, slot & 0xffff, slot >> 16]) {
        *lane = F::from_u32(value);
    }
    let blocks = [head, *message, *root];
    Poseidon16.hash(F::from_usize(CLAIM_TAG), blocks.as_flattened())
}

fn parents(nodes: &[Block]) -> Vec<Block> {
    let pairs = nodes.as_chunks().0.iter();
    pairs
        .map(|[left, right]| poseidon16_compress(left, right))
        .collect()
}

/// The root of a tree whose number of leaves is a power of two.
fn root(mut nodes: Vec<Block>) -> Block {
    while nodes.len() > 1 {
        nodes = parents(&nodes);
    }
    nodes.pop().unwrap_or_default()
}
