//! BLAKE2s as a tweakable hash.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use droste_native::hash_signature::{
    Chain, Leaf, Message, ParameterError, Parameters, Parent, TweakKind, TweakableHash, VerifyError,
};

use crate::calls::{bytes_of, words_of};
use crate::native::{IV, blake2s};

/// Bytes of an element of a call's input or output, and of a digest, a tweak and a public
/// parameter.
pub const ELEMENT: usize = 16;

/// Bytes of a block.
const BLOCK: usize = 4 * ELEMENT;

/// Bits of a digit must divide those of a byte.
const BYTE: u32 = 8;

/// An element.
pub type Element = [u8; ELEMENT];

/// BLAKE2s (RFC 7693, 32 bytes of output, no key) as a tweakable hash: the first 16 bytes of the
/// digest of `tweak | parameter | data`. Messages have 32 bytes, randomness 24.
///
/// It provides no constant time: neither do keys and signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TweakableBlake2s;

/// The tweak of a call: kind, `sub` and `index` in four bytes each, little-endian, then four zeros.
/// [`TweakKind`] says what they are.
pub fn tweak(kind: TweakKind, sub: u32, index: u32) -> Element {
    element([kind as u32, sub, index, 0])
}

/// Four words, little-endian.
fn element(words: [u32; 4]) -> Element {
    let mut element = [0; ELEMENT];
    element.copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
    element
}

/// The tweak of a chain's step from a position.
pub fn chain_tweak(bits: u32, index: u32, position: u32, slot: u32) -> Element {
    tweak(TweakKind::Chain, index << bits | position, slot)
}

/// The state that BLAKE2s begins with, as two elements: the parameters are no key and 32 bytes of
/// output (RFC 7693, section 2.5).
pub fn first_state() -> [Element; 2] {
    let mut state = IV;
    state[0] ^= 0x0101_0020;
    halves(&bytes_of(&state))
}

/// The last element of the input of the compression of a block, as
/// [`Hash::Blake2s`](crate::Hash::Blake2s) has it: the number of bytes up to the block's end, and
/// whether it is the last block.
pub fn counter(bytes: usize, is_last: bool) -> Element {
    let bytes = bytes as u64;
    let last = if is_last { u32::MAX } else { 0 };
    element([bytes as u32, (bytes >> 32) as u32, last, 0])
}

/// The first 16 bytes of the digest of these parts, one after the other.
fn hash(parts: &[&[u8]]) -> Element {
    let mut message = parts.concat();
    let length = message.len();
    message.resize(length.next_multiple_of(BLOCK).max(BLOCK), 0);
    let [low, high] = first_state();
    let mut state = [low, high].concat();
    for (i, block) in message.chunks_exact(BLOCK).enumerate() {
        let end = (i + 1) * BLOCK;
        let counter = counter(end.min(length), end == message.len());
        state = bytes_of(&blake2s(&words_of(&[&state, block, &counter].concat())));
    }
    let [digest, _] = halves(&state);
    digest
}

/// Both halves of a state.
fn halves(state: &[u8]) -> [Element; 2] {
    let mut halves = [[0; ELEMENT]; 2];
    for (byte, &from) in halves.as_flattened_mut().iter_mut().zip(state) {
        *byte = from;
    }
    halves
}

impl TweakableHash for TweakableBlake2s {
    const NAME: &'static str = "BLAKE2s";

    type Digest = Element;
    type Parameter = Element;
    type Message = [u8; 32];
    type Randomness = [u8; 24];
    type MessageDigest = Element;

    fn check(parameters: &Parameters) -> Result<(), ParameterError> {
        parameters.check(BYTE * ELEMENT as u32, 1 << 31)?;
        let bits = parameters.bits;
        if BYTE.is_multiple_of(bits) {
            Ok(())
        } else {
            Err(ParameterError::Bits { bits, of: BYTE })
        }
    }

    fn chain_steps(bits: u32, chains: &[&mut Chain<Self>]) -> Vec<Element> {
        let step = |chain: &&mut Chain<Self>| {
            let tweak = chain_tweak(bits, chain.index, chain.position, chain.slot);
            hash(&[&tweak, &chain.parameter, &chain.value])
        };
        chains.iter().map(step).collect()
    }

    fn leaves(leaves: &[Leaf<'_, Self>]) -> Vec<Element> {
        let leaf = |leaf: &Leaf<'_, Self>| {
            let tweak = tweak(TweakKind::Leaf, 0, leaf.slot);
            hash(&[&tweak, &leaf.parameter, leaf.ends.as_flattened()])
        };
        leaves.iter().map(leaf).collect()
    }

    fn parents(parents: &[Parent<Self>]) -> Vec<Element> {
        let parent = |parent: &Parent<Self>| {
            let tweak = tweak(TweakKind::Merkle, parent.level, parent.index);
            hash(&[&tweak, &parent.parameter, parent.children.as_flattened()])
        };
        parents.iter().map(parent).collect()
    }

    fn message_digests(messages: &[Message<'_, Self>]) -> Vec<Element> {
        let digest = |message: &Message<'_, Self>| {
            let tweak = tweak(TweakKind::Encoding, 0, message.slot);
            let parts: [&[u8]; 4] = [
                &tweak,
                &message.parameter,
                message.message,
                &message.randomness,
            ];
            hash(&parts)
        };
        messages.iter().map(digest).collect()
    }

    /// The digits of a byte from its lowest bits up.
    fn digits(digest: &Element, bits: u32) -> Result<Vec<u8>, VerifyError> {
        let mask = u8::MAX.checked_shr(BYTE.saturating_sub(bits)).unwrap_or(0);
        let of_byte = |&byte: &u8| {
            let shifts = (0..BYTE).step_by(bits.max(1) as usize);
            shifts.map(move |shift| byte >> shift & mask)
        };
        Ok(digest.iter().flat_map(of_byte).collect())
    }
}
