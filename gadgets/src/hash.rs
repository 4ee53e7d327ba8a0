//! What a recursive verifier needs from the hash a proof is committed in.

use crate::prelude::*;

/// Digests, leaves and paths of one hash family.
///
/// Elements to be hashed stand in blocks, eight to a block; every [`Hash::RUN`] elements a new run
/// starts, [`Hash::RUN_BLOCKS`] blocks after the last.
pub trait Hash {
    /// A digest.
    type Digest: Copy;

    /// Elements of a run.
    const RUN: usize;
    /// Blocks from one run to the next.
    const RUN_BLOCKS: usize;
    /// Blocks of a digest in memory.
    const DIGEST_BLOCKS: usize;
    /// Whether hashing fills the lanes after the last of eight elements and more; else they are zero.
    const FILLS: bool;

    /// The digest at block `i * DIGEST_BLOCKS` of consecutive digests.
    ///
    /// Nothing here bounds `i`: the caller makes sure, by constraints, that it is below the number of
    /// digests.
    fn digest_unchecked(digests: Slice, i: Felt) -> Self::Digest;

    /// The hash of `n >= 1` elements.
    fn leaf(data: Slice, n: usize) -> Self::Digest;

    /// The parent of two digests.
    fn parent(left: Self::Digest, right: Self::Digest) -> Self::Digest;

    /// The digest `depth >= 1` levels above `leaf`; the bits of `index < 2^depth`, low first, say where
    /// it is the right child.
    fn path(leaf: Self::Digest, index: Felt, path: Slice, depth: usize) -> Self::Digest;

    /// Fails if the digests differ.
    fn assert_same(a: Self::Digest, b: Self::Digest);
}

/// The Fiat-Shamir transcript of one hash family.
pub trait Challenger {
    /// A transcript that has observed nothing.
    fn new() -> Self;

    /// Observes an element.
    fn observe(&mut self, x: Felt);

    /// Observes `n` consecutive digests.
    fn observe_digests(&mut self, digests: Slice, n: usize);

    /// Place within a run where the next observed element stands; the elements of
    /// [`Challenger::observe_slice`] start there.
    fn position(&self) -> usize;

    /// Advises the slice for [`Challenger::observe_slice`]: `n` elements of the prover.
    fn advise_slice(&self, n: usize);

    /// Observes `n` elements laid out from [`Challenger::position`] on, where the lanes before repeat
    /// what was observed last.
    fn observe_slice(&mut self, data: Slice, n: usize);

    /// Samples an extension element. What follows is an observation, unless it is the other of
    /// [`Challenger::sample_pair`].
    fn sample(&mut self) -> Ext;

    /// Samples two extension elements.
    fn sample_pair(&mut self) -> (Ext, Ext);

    /// Samples what [`Challenger::assert_bits`] decomposes.
    fn sample_word(&mut self) -> [Felt; 2];

    /// Bits for [`Challenger::assert_bits`] of a sampled word: hints, asserted to be bits.
    fn hint_bits(word: [Felt; 2]) -> [Felt; 32];

    /// Fails unless the bits are those, low first, of the integer that a sampled word is read as. `low`
    /// must be the integer of the first `n` of them, `1 <= n <= 24`.
    fn assert_bits(word: [Felt; 2], bits: [Felt; 32], low: Felt, n: usize);

    /// Checks a proof of work of `bits` bits; the nonce is a hint. Nothing happens for zero bits.
    fn grind(&mut self, bits: usize);
}

/// Fails unless the low `n <= 30` bits of a sampled word are zero.
pub fn assert_low_bits_are_zero<C: Challenger>(word: [Felt; 2], n: usize) {
    let bits = C::hint_bits(word);
    for i in 0..n {
        assert_eq!(bits[i], Felt::ZERO);
    }
    let first = if n < 24 { n } else { 24 };
    C::assert_bits(word, bits, Felt::ZERO, first);
}

/// Observes an extension element.
pub fn observe_ext<C: Challenger>(challenger: &mut C, x: Ext) {
    for i in 0..5 {
        challenger.observe(x.coeff(i));
    }
}

/// Observes the logarithm of a table's height, as the extension element it is sent as.
pub fn observe_integer<C: Challenger>(challenger: &mut C, x: usize) {
    challenger.observe(felt(x));
    for _i in 0..4 {
        challenger.observe(Felt::ZERO);
    }
}

/// Observes constants.
pub fn observe_constants<C: Challenger>(challenger: &mut C, constants: &[u32]) {
    for constant in constants {
        challenger.observe(Felt::new(*constant));
    }
}
