//! What the scheme asks of a hash function.
//!
//! A *tweakable hash* is a hash function that also takes a public parameter, which differs from key
//! to key, and a tweak, which differs from call to call within a key. So an attack on one call is
//! no attack on another, of this key or of others (Bernstein et al., "The SPHINCS+ Signature
//! Framework", ePrint 2019/1086).

use std::fmt::Debug;
use std::hash::Hash;
use std::iter::repeat_with;

use super::{ParameterError, Parameters, VerifyError};

/// A hash function for chains, leaves, Merkle nodes and messages.
///
/// All methods take many independent calls, so that an implementation can compute them side by
/// side. They return one result per call, in the order of the calls.
pub trait TweakableHash: Copy + Debug + Eq + Send + Sync + 'static {
    /// Names the hash: keys of another one are other keys.
    const NAME: &'static str;

    /// A value in a chain, a leaf or a Merkle node.
    type Digest: Fixed;
    /// The public parameter of a key.
    type Parameter: Fixed;
    /// What is signed.
    type Message: Fixed;
    /// What the signer draws until the digits have the target sum.
    type Randomness: Fixed;
    /// The message's digest, before it is split into digits.
    type MessageDigest: Fixed;

    /// Checks that this hash can be used with these parameters.
    ///
    /// # Errors
    /// If a number is out of its range, or digits or tweaks would not fit.
    fn check(parameters: &Parameters) -> Result<(), ParameterError>;

    /// The next value of each chain. Positions have `bits` bits.
    fn chain_steps(bits: u32, chains: &[&mut Chain<Self>]) -> Vec<Self::Digest>;

    /// The leaf of each one-time key.
    fn leaves(leaves: &[Leaf<'_, Self>]) -> Vec<Self::Digest>;

    /// The Merkle node above each pair of children.
    fn parents(parents: &[Parent<Self>]) -> Vec<Self::Digest>;

    /// The digest of each message.
    fn message_digests(messages: &[Message<'_, Self>]) -> Vec<Self::MessageDigest>;

    /// All digits of `bits` bits that a message's digest has, at least as many as there are chains.
    ///
    /// # Errors
    /// [`VerifyError::NoDigits`] if this digest is refused, because digits would not be uniform.
    fn digits(digest: &Self::MessageDigest, bits: u32) -> Result<Vec<u8>, VerifyError>;
}

/// A chain at one of its positions, on the way to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain<H: TweakableHash> {
    /// Public parameter of the key.
    pub parameter: H::Parameter,
    /// Slot of the one-time key.
    pub slot: u32,
    /// Number of the chain within the one-time key.
    pub index: u32,
    /// Position of `value`.
    pub position: u32,
    /// Position to go to.
    pub end: u32,
    /// The value at `position`.
    pub value: H::Digest,
}

/// The last values of a one-time key's chains, of which its leaf is the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf<'a, H: TweakableHash> {
    /// Public parameter of the key.
    pub parameter: H::Parameter,
    /// Slot of the one-time key.
    pub slot: u32,
    /// One value per chain.
    pub ends: &'a [H::Digest],
}

/// The two children of a Merkle node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent<H: TweakableHash> {
    /// Public parameter of the key.
    pub parameter: H::Parameter,
    /// Level of the node: 1 above leaves, [`Parameters::levels`] at the root.
    pub level: u32,
    /// Number of the node within its level.
    pub index: u32,
    /// The children, left and right.
    pub children: [H::Digest; 2],
}

/// A message to be signed in a slot of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a, H: TweakableHash> {
    /// Public parameter of the key.
    pub parameter: H::Parameter,
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: &'a H::Message,
    /// What the signer drew.
    pub randomness: H::Randomness,
}

/// A value of fixed length.
pub trait Fixed: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// Number of its elements.
    const ELEMENTS: usize;
    /// Number of bytes of its encoding.
    const BYTES: usize;

    /// Appends its encoding.
    fn write(&self, bytes: &mut Vec<u8>);

    /// The value that [`Self::write`] encodes as these [`Self::BYTES`] bytes.
    ///
    /// # Errors
    /// The number of the first element whose bytes encode none.
    fn read(bytes: &[u8]) -> Result<Self, usize>;

    /// A uniform value, from as many uniform words of four bytes as it takes.
    fn draw(words: &mut impl FnMut() -> [u8; 4]) -> Self;
}

impl<const N: usize> Fixed for [u8; N] {
    const ELEMENTS: usize = N;
    const BYTES: usize = N;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self);
    }

    fn read(bytes: &[u8]) -> Result<Self, usize> {
        bytes.first_chunk().copied().ok_or(bytes.len())
    }

    fn draw(words: &mut impl FnMut() -> [u8; 4]) -> Self {
        let mut value = [0; N];
        for (byte, drawn) in value.iter_mut().zip(repeat_with(words).flatten()) {
            *byte = drawn;
        }
        value
    }
}

/// Takes every chain from its position to its end.
///
/// Chains have different lengths, so the calls of a round are those of all chains that are not yet
/// at their ends: a vector of lanes stays full until the longest chains are left.
pub(super) fn walk<H: TweakableHash>(bits: u32, chains: &mut [Chain<H>]) {
    loop {
        let waiting = chains.iter_mut().filter(|chain| chain.position < chain.end);
        let waiting: Vec<&mut Chain<H>> = waiting.collect();
        if waiting.is_empty() {
            return;
        }
        let values = H::chain_steps(bits, &waiting);
        for (chain, value) in waiting.into_iter().zip(values) {
            chain.value = value;
            chain.position += 1;
        }
    }
}
