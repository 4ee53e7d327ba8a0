//! The traits that a recursive verifier needs of the hash in which a proof is committed.

use crate::bits::Bits;
use crate::prelude::*;
use crate::verify::fri::point::{BABY_BEAR, Point};

/// [`Hash::GRID`] of a hash whose trees are opened by tables only.
pub const NO_GRID: usize = 3;

/// Digests, leaves and Merkle paths of one hash suite.
///
/// Elements to be hashed are stored in blocks of eight, in runs: each run has [`Hash::RUN`]
/// elements and starts [`Hash::RUN_BLOCKS`] blocks after the start of the previous one. Elements of
/// BabyBear are stored as words, of two lanes each, and then all of this takes twice as many blocks.
pub trait Hash {
    /// A digest.
    type Digest: Copy;
    /// A point of the domains of proofs in this hash: a [`Felt`], or an [`Ext`] over BabyBear.
    type Point: Point;

    /// Number of lanes of an element that is hashed: two over BabyBear, else one.
    const LANES: usize;
    /// Number of elements of a run.
    const RUN: usize;
    /// Number of blocks from the start of one run to the start of the next.
    const RUN_BLOCKS: usize;
    /// Number of blocks of a digest in memory.
    const DIGEST_BLOCKS: usize;
    /// The least number of elements whose hash gives values to the lanes after the last element. In
    /// a shorter row these lanes, up to the end of its last block, must be zero.
    const FILLED_FROM: usize;
    /// Whether a row that is shorter than a block has the hash of that block filled up with zeros.
    const FILLS_BLOCKS: bool;
    /// The kind of the [grids](crate::verify::binary::grid::layout) that trees in this hash make, or
    /// [`NO_GRID`].
    const GRID: usize;

    /// Returns digest `i` of consecutive digests of [`Hash::DIGEST_BLOCKS`] blocks each.
    ///
    /// This function does not bound `i`: the caller must ensure by constraints that it is below the
    /// number of digests.
    fn digest_unchecked(digests: Slice, i: Felt) -> Self::Digest;

    /// Returns the hash of `n >= 1` elements.
    fn leaf(data: Slice, n: usize) -> Self::Digest;

    /// Returns the parent of two digests.
    fn parent(left: Self::Digest, right: Self::Digest) -> Self::Digest;

    /// Returns the digest `depth` levels above `leaf`, from 1 to 30. The bits of `index`, low first,
    /// say on which levels the current node is the right child. Fails unless `index` is below
    /// `2^depth`.
    fn path(leaf: Self::Digest, index: Felt, path: Slice, depth: usize) -> Self::Digest;

    /// Fails if the digests differ.
    fn assert_same(a: Self::Digest, b: Self::Digest);
}

/// The challenger (Fiat-Shamir transcript) of one hash suite.
pub trait Challenger {
    /// Returns a transcript that has observed nothing.
    fn new() -> Self;

    /// Observes an element or, in a challenger over BabyBear, a limb of an element's word, of which
    /// the low one comes first.
    fn observe(&mut self, x: Felt);

    /// Observes `n` consecutive digests.
    fn observe_digests(&mut self, digests: Slice, n: usize);

    /// Returns the position, counted from the start of a run, at which the next observed element is
    /// stored; the elements of [`Challenger::observe_slice`] must start there.
    fn position(&self) -> usize;

    /// Advises the slice for [`Challenger::observe_slice`], with `n` elements that the prover
    /// supplies.
    fn advise_slice(&self, n: usize);

    /// Observes `n` elements, which are laid out from [`Challenger::position`] on, as words in a
    /// challenger over BabyBear. The lanes before them must repeat the elements observed last, which
    /// is checked.
    fn observe_slice(&mut self, data: Slice, n: usize);

    /// Reads `n` extension elements that the prover supplies, and observes them as the protocols
    /// over WHIR do: each in a block, as it is stored, or its coefficients alone. Every value is
    /// admissible: the caller must bind them.
    fn read_extensions(&mut self, n: usize) -> Vec<Ext>;

    /// Samples an extension element. The duplex challengers sample anything next. With a byte
    /// challenger an observation must follow first, except before another element if it is
    /// [`Fresh`](crate::suites::bytes::Fresh), as in the verifiers over WHIR; other programs do not
    /// compile, and natively the sample is an error.
    fn sample(&mut self) -> Ext;

    /// Samples two extension elements.
    fn sample_pair(&mut self) -> (Ext, Ext);

    /// Samples a word, which stands for an integer.
    fn sample_word(&mut self) -> [Felt; 2];

    /// Returns the bits of the integer that a sampled word stands for: the low 24 at least.
    fn bits(word: [Felt; 2]) -> Bits;

    /// Fails unless the low `n <= 30` bits of the integer that a sampled word stands for are zero.
    fn assert_low_bits_are_zero(word: [Felt; 2], n: usize);

    /// Checks a proof of work of `bits` bits, whose nonce is a hint. Does nothing for zero bits.
    fn grind(&mut self, bits: usize);
}

/// The generator `X` of the extension.
pub const X: Ext = Ext::new([0, 1, 0, 0, 0]);

/// Returns the constant `X^i`.
pub fn x_power(i: usize) -> Ext {
    let mut power = Ext::ONE;
    for _i in 0..i {
        power = power * X;
    }
    power
}

/// Returns the constant `X^-i`, by which weights of `horner` are reduced.
pub fn x_power_inverse(i: usize) -> Ext {
    x_power(i).inverse()
}

/// Checks a proof of work of `bits` bits, whose nonce is one element. Does nothing for zero bits.
/// Fails over BabyBear, where a nonce is two limbs.
pub fn grind_element<C: Challenger>(challenger: &mut C, bits: usize) {
    if bits > 0 {
        assert!(Ext::modulus() != BABY_BEAR);
        // Every nonce is admissible: the bits that it must lead to are checked below.
        let nonce = hint_felt().any();
        challenger.observe(nonce);
        let word = challenger.sample_word();
        C::assert_low_bits_are_zero(word, bits);
    }
}

/// Observes an extension element.
pub fn observe_ext<C: Challenger>(challenger: &mut C, x: Ext) {
    if Ext::modulus() == BABY_BEAR {
        let words = x.as_block();
        for i in 0..8 {
            challenger.observe(words.lane(i));
        }
    } else {
        for i in 0..Ext::degree() {
            challenger.observe(x.coeff(i));
        }
    }
}

/// Observes the logarithm of a table's height, as an extension element, as Plonky3 does.
pub fn observe_integer<C: Challenger>(challenger: &mut C, x: usize) {
    let mut zeros = Ext::degree() - 1;
    if Ext::modulus() == BABY_BEAR {
        let word = (x << 32) % BABY_BEAR;
        challenger.observe(felt(word % (1 << 16)));
        challenger.observe(felt(word >> 16));
        zeros = 2 * zeros;
    } else {
        challenger.observe(felt(x));
    }
    for _i in 0..zeros {
        challenger.observe(Felt::ZERO);
    }
}

/// Observes constants.
pub fn observe_constants<C: Challenger>(challenger: &mut C, constants: &[u32]) {
    for constant in constants {
        challenger.observe(Felt::new(*constant));
    }
}
