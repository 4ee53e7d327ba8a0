//! Many signatures of XMSS in BLAKE2s as one statement: a graph of the compressions that verify
//! them.
//!
//! The statement has of each signature what it signs, the key and the randomness, so that its
//! verifier computes the message's digits, and knows how the graph is wired; the values of chains
//! and the siblings are the witness: they are no part of it, but a proof is not made to hide them.
//!
//! A signature's calls are, in order: the steps of each chain from its digit on, the blocks of the
//! leaf, the Merkle nodes from the leaf's parent to the root.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use droste_native::hash_signature::{
    Claim, Message, Parameters, PublicKey, TweakKind, TweakableHash, VerifyError, Xmss,
};
use thiserror::Error;

use crate::calls::Hash;
use crate::graph::{GraphError, HashGraph, Output, Source};

mod hash;
#[cfg(test)]
mod tests;

pub use hash::{Element, TweakableBlake2s, tweak};

use hash::{ELEMENT, chain_tweak, counter, first_state};

/// Parameters for proofs: 64 digits of 2 bits use the whole digest of a message, one of 110 of
/// which has the sum, and 80 steps of chains remain for the verifier. With 17 blocks of a leaf and
/// 32 Merkle nodes a signature is 129 compressions, so that a proof has at most 2,032 signatures.
pub const PARAMETERS: Parameters = Parameters {
    chains: 64,
    bits: 2,
    levels: 32,
    target_sum: 112,
};

/// Elements of the data of one block.
const BLOCK: usize = 4;

/// What a signature is claimed for, and of it what the statement has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    /// The key.
    pub public_key: PublicKey<TweakableBlake2s>,
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: [u8; 32],
    /// The signature's randomness.
    pub randomness: [u8; 24],
}

/// Why signatures are no statement.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SignaturesError {
    /// A message's digest has no encoding, or the tree does not have the slot.
    #[error("signature {index}: {reason}")]
    Signature {
        /// Number of the signature.
        index: usize,
        /// Why.
        #[source]
        reason: VerifyError,
    },
    /// There are more compressions than one proof has.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl Signed {
    /// That of a claim.
    pub fn of(claim: &Claim<'_, TweakableBlake2s>) -> Self {
        Self {
            public_key: *claim.public_key,
            slot: claim.slot,
            message: *claim.message,
            randomness: claim.signature.randomness,
        }
    }

    fn encoding(&self, scheme: &Xmss<TweakableBlake2s>) -> Result<Vec<u8>, VerifyError> {
        let last = scheme.last_slot();
        if self.slot > last {
            let slot = self.slot;
            return Err(VerifyError::Slot { slot, last });
        }
        let message = Message {
            parameter: self.public_key.parameter,
            slot: self.slot,
            message: &self.message,
            randomness: self.randomness,
        };
        let digest = TweakableBlake2s::message_digests(&[message]);
        scheme.encoding(&digest.first().copied().unwrap_or_default())
    }
}

/// The graph whose proofs say that there are signatures for all of these: whoever verifies one
/// computes it from what is claimed.
///
/// The scheme must be one of the verifier's own: with other parameters signatures are forged from
/// true ones. A signature that is listed twice counts twice. No signatures are a graph, too, which
/// [`prove`](crate::prove) and [`verify`](crate::verify) refuse. Signers use each slot once: see
/// `droste_native::hash_signature::StoredKey`.
///
/// # Errors
/// If a message's digits do not have the target sum, a slot is none of the tree's, or there are
/// more compressions than a proof has.
pub fn graph(
    scheme: &Xmss<TweakableBlake2s>,
    signed: &[Signed],
) -> Result<HashGraph, SignaturesError> {
    let mut graph = HashGraph::new(Hash::Blake2s);
    for (index, signed) in signed.iter().enumerate() {
        let encoding = signed.encoding(scheme);
        let digits = encoding.map_err(|reason| SignaturesError::Signature { index, reason })?;
        add(&mut graph, scheme, signed, &digits)?;
    }
    Ok(graph)
}

/// The witness elements of a signature, in the graph's order: the values of chains that have steps,
/// those of the others, which are in the leaf's blocks, and the siblings.
///
/// # Errors
/// As [`graph`], or if there are more or fewer of them than the scheme says.
pub fn witness(
    scheme: &Xmss<TweakableBlake2s>,
    claim: &Claim<'_, TweakableBlake2s>,
) -> Result<Vec<Element>, VerifyError> {
    scheme.check_shape(claim.slot, claim.signature)?;
    let digits = Signed::of(claim).encoding(scheme)?;
    let values = claim.signature.chain_values.iter().zip(digits);
    let is_end = |digit: u8| u32::from(digit) == scheme.last_position();
    let (ends, starts): (Vec<_>, Vec<_>) = values.partition(|&(_, digit)| is_end(digit));
    let values = starts.into_iter().chain(ends).map(|(&value, _)| value);
    Ok(values.chain(claim.signature.path.iter().copied()).collect())
}

/// Adds a signature's calls.
fn add(
    graph: &mut HashGraph,
    scheme: &Xmss<TweakableBlake2s>,
    signed: &Signed,
    digits: &[u8],
) -> Result<(), GraphError> {
    let Parameters { bits, levels, .. } = *scheme.parameters();
    let PublicKey { root, parameter } = signed.public_key;
    let slot = signed.slot;
    let begin = |tweak| vec![Source::value(tweak), Source::value(parameter)];

    let mut data = begin(tweak(TweakKind::Leaf, 0, slot));
    for (index, &digit) in (0..).zip(digits) {
        let mut end = Source::Witness;
        for position in u32::from(digit)..scheme.last_position() {
            let mut step = begin(chain_tweak(bits, index, position, slot));
            step.push(end);
            end = digest(add_hash(graph, &step)?);
        }
        data.push(end);
    }
    let mut call = add_hash(graph, &data)?;
    for level in 0..levels {
        // The root's level has no bits of a slot of 32 bits left.
        let number = slot.checked_shr(level + 1).unwrap_or(0);
        let mut node = begin(tweak(TweakKind::Merkle, level + 1, number));
        node.extend(match slot >> level & 1 {
            0 => [digest(call), Source::Witness],
            _ => [Source::Witness, digest(call)],
        });
        call = add_hash(graph, &node)?;
    }
    graph.expect(Output { call, element: 0 }, root)
}

/// Adds the calls of a digest, and returns the last one.
fn add_hash(graph: &mut HashGraph, data: &[Source]) -> Result<usize, GraphError> {
    let length = data.len() * ELEMENT;
    let blocks = data.chunks(BLOCK);
    let last = blocks.len().saturating_sub(1);
    let mut state = first_state().map(Source::value);
    let mut call = 0;
    for (i, block) in blocks.enumerate() {
        let mut input = state.to_vec();
        input.extend(block);
        input.resize(state.len() + BLOCK, Source::value([0; ELEMENT]));
        let end = (i + 1) * BLOCK * ELEMENT;
        input.push(Source::value(counter(end.min(length), i == last)));
        call = graph.push(&input)?;
        state = [0, 1].map(|element| Source::output(call, element));
    }
    Ok(call)
}

/// The digest that a call ends.
const fn digest(call: usize) -> Source {
    Source::output(call, 0)
}
