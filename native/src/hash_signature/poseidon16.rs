//! Poseidon-16's compression as a tweakable hash.
//!
//! Every call is a compression `C`, of 16 elements to 8 (permute, add the input, keep 8), or
//! several of them. Elements that no part of the input takes are zero.

use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_symmetric::PseudoCompressionFunction;

use super::{
    Chain, Fixed, Leaf, Message, ParameterError, Parameters, Parent, TweakableHash, VerifyError,
};
use crate::field::{DIGEST, F, MODULUS};
use crate::hash::encoding::{
    ELEMENT_BYTES, element_from_canonical_bytes, element_from_sample, element_to_canonical_bytes,
};
use crate::hash::poseidon16::Poseidon16;

/// Low bits of an element of a message's digest that are split into digits.
pub const DIGITS_BITS: u32 = 24;

/// Bits of a tweak's `sub`.
const SUB_BITS: u32 = 10;

/// Half an input of a compression.
type Half = [F; DIGEST];

/// The input of a compression, in halves.
type Input = [Half; 2];

/// What a tweak's call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TweakKind {
    /// A step of a chain. `sub` is `chain * 2^bits + position`, `index` the slot.
    Chain = 0,
    /// A leaf. `sub` is zero, `index` the slot.
    Leaf = 1,
    /// A Merkle node. `sub` is its level, from 1 up, `index` its number within the level.
    Merkle = 2,
    /// The digest of a message. `sub` is zero, `index` the slot.
    Encoding = 3,
}

/// The tweak of a call: `[kind * 2^26 + (index >> 16) * 2^10 + sub, index & 0xffff]`.
///
/// Different arguments give different tweaks if `sub` is below `2^10`, as it is with all parameters
/// that [`Xmss::new`](super::Xmss::new) accepts.
pub const fn tweak(kind: TweakKind, sub: u32, index: u32) -> [F; 2] {
    let kind = (kind as u32) << (16 + SUB_BITS);
    let high = (index >> 16) << SUB_BITS;
    [
        F::new(kind | high | sub & ((1 << SUB_BITS) - 1)),
        F::new(index & 0xffff),
    ]
}

/// Poseidon-16 as a tweakable hash: digests and public parameters of 4 elements, 124 bits, messages
/// of 8, randomness of 6.
///
/// It provides no constant time: neither do keys and signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TweakablePoseidon16;

impl TweakableHash for TweakablePoseidon16 {
    const NAME: &'static str = "Poseidon-16";

    type Digest = [F; 4];
    type Parameter = [F; 4];
    type Message = [F; 8];
    type Randomness = [F; 6];
    type MessageDigest = [F; 8];

    fn check(parameters: &Parameters) -> Result<(), ParameterError> {
        parameters.check(DIGEST as u32 * DIGITS_BITS, 1 << SUB_BITS)?;
        let Parameters { chains, bits, .. } = *parameters;
        if !DIGITS_BITS.is_multiple_of(bits) {
            let of = DIGITS_BITS;
            return Err(ParameterError::Bits { bits, of });
        }
        if !chains.is_multiple_of(2) {
            return Err(ParameterError::OddChains { chains });
        }
        Ok(())
    }

    fn chain_steps(bits: u32, chains: &[&mut Chain<Self>]) -> Vec<[F; 4]> {
        let inputs = chains.iter().map(|chain| chain_input(bits, chain));
        compress(inputs).map(first_half).collect()
    }

    fn leaves(leaves: &[Leaf<'_, Self>]) -> Vec<[F; 4]> {
        let starts = leaves
            .iter()
            .map(|leaf| leaf_start_input(&leaf.parameter, leaf.slot));
        let mut states: Vec<Half> = compress(starts).collect();
        let pairs = leaves.iter().map(|leaf| leaf.ends.len() / 2).max();
        for i in 0..pairs.unwrap_or(0) {
            let inputs = states.iter().zip(leaves).map(|(state, leaf)| {
                let pair = leaf.ends.as_chunks().0.get(i);
                [*state, pair.map(|[a, b]| join(*a, *b)).unwrap_or_default()]
            });
            states = compress(inputs).collect();
        }
        states.into_iter().map(first_half).collect()
    }

    fn parents(parents: &[Parent<Self>]) -> Vec<[F; 4]> {
        let inputs = parents.iter().map(parent_input);
        compress(inputs).map(first_half).collect()
    }

    fn message_digests(messages: &[Message<'_, Self>]) -> Vec<[F; 8]> {
        let (first, second): (Vec<Input>, Vec<Half>) = messages.iter().map(message_inputs).unzip();
        let states = compress(first.into_iter());
        compress(states.zip(second).map(Into::into)).collect()
    }

    fn digits(digest: &[F; 8], bits: u32) -> Result<Vec<u8>, VerifyError> {
        // Of the elements below `p - 1 = 127 * 2^24`, equally many have the same low 24 bits.
        if let Some(element) = digest.iter().position(|&x| x == F::NEG_ONE) {
            return Err(VerifyError::NoDigits { element });
        }
        let mask = (1u32 << bits) - 1;
        Ok(digest
            .iter()
            .flat_map(|x| {
                let value = x.as_canonical_u32();
                (0..DIGITS_BITS / bits).map(move |i| (value >> (bits * i) & mask) as u8)
            })
            .collect())
    }
}

const _: () = assert!(MODULUS - 1 == 127 << DIGITS_BITS);

/// The input of a chain's step, of which the next value is the first 4 elements:
/// `tweak | 0 0 | value | parameter | 0 0 0 0`.
pub fn chain_input(bits: u32, chain: &Chain<TweakablePoseidon16>) -> [[F; 8]; 2] {
    let sub = chain.index << bits | chain.position;
    let tweak = tweak(TweakKind::Chain, sub, chain.slot);
    [
        join(pad(tweak), chain.value),
        join(chain.parameter, [F::ZERO; 4]),
    ]
}

/// The input of the first compression of a leaf: `tweak | 0 0 | parameter | 0 0 0 0 0 0 0 0`.
///
/// The state is its output. Each of the following compressions takes the state and the last values
/// of two chains, and its output is the next state. The leaf is the first 4 elements of the last.
pub fn leaf_start_input(parameter: &[F; 4], slot: u32) -> [[F; 8]; 2] {
    let tweak = tweak(TweakKind::Leaf, 0, slot);
    [join(pad(tweak), *parameter), [F::ZERO; 8]]
}

/// The input of a Merkle node, which is the first 4 elements of the output:
/// `tweak | 0 0 | parameter | left | right`.
pub fn parent_input(parent: &Parent<TweakablePoseidon16>) -> [[F; 8]; 2] {
    let tweak = tweak(TweakKind::Merkle, parent.level, parent.index);
    let [left, right] = parent.children;
    [join(pad(tweak), parent.parameter), join(left, right)]
}

/// The input of a message's first compression, `message | randomness | tweak`, and what the second
/// takes after the first one's output: `parameter | 0 0 0 0`.
pub fn message_inputs(message: &Message<'_, TweakablePoseidon16>) -> ([[F; 8]; 2], [F; 8]) {
    let [t0, t1] = tweak(TweakKind::Encoding, 0, message.slot);
    let [r0, r1, r2, r3, r4, r5] = message.randomness;
    (
        [*message.message, [r0, r1, r2, r3, r4, r5, t0, t1]],
        join(message.parameter, [F::ZERO; 4]),
    )
}

/// The compressions of all inputs, computed in the lanes of vectors.
fn compress(inputs: impl Iterator<Item = Input>) -> impl Iterator<Item = Half> {
    let inputs: Vec<Input> = inputs.collect();
    let mut outputs = vec![[F::ZERO; DIGEST]; inputs.len()];
    Poseidon16.compress_many(&inputs, &mut outputs);
    outputs.into_iter()
}

pub(super) fn join([a, b, c, d]: [F; 4], [e, f, g, h]: [F; 4]) -> Half {
    [a, b, c, d, e, f, g, h]
}

pub(super) fn first_half([a, b, c, d, ..]: Half) -> [F; 4] {
    [a, b, c, d]
}

fn pad([a, b]: [F; 2]) -> [F; 4] {
    [a, b, F::ZERO, F::ZERO]
}

impl<const N: usize> Fixed for [F; N] {
    const ELEMENTS: usize = N;
    const BYTES: usize = N * ELEMENT_BYTES;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.iter().flat_map(|&x| element_to_canonical_bytes(x)));
    }

    fn read(bytes: &[u8]) -> Result<Self, usize> {
        let mut value = [F::ZERO; N];
        let mut words = bytes.as_chunks().0.iter();
        for (i, element) in value.iter_mut().enumerate() {
            let word = words.next().copied();
            *element = word.and_then(element_from_canonical_bytes).ok_or(i)?;
        }
        Ok(value)
    }

    fn draw(words: &mut impl FnMut() -> [u8; 4]) -> Self {
        std::array::from_fn(|_| {
            loop {
                // One word of 128 is drawn again.
                if let Some(element) = element_from_sample(words()) {
                    return element;
                }
            }
        })
    }
}
