//! Round constants of configurations, which their types do not show.

use droste_gadgets::suites::{poseidon2_16, poseidon2_24};
use droste_native::F;
use droste_native::hash::poseidon2::Constants;
use p3_challenger::{CanObserve, CanSample};
use p3_commit::Mmcs;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleCap;
use thiserror::Error;

/// Round constants of a configuration:
///
/// | configuration over | constants |
/// |---|---|
/// | hashes of bytes | `()` |
/// | Poseidon2 of width 16 | [`Constants<16>`](Constants) |
/// | Poseidon2 of widths 24 and 16 | `(Constants<24>, Constants<16>)` |
pub trait RoundConstants: sealed::Sealed {
    /// The blocks in which programs have them. There are none if programs need not be given any.
    fn blocks(&self) -> Vec<[F; 8]>;

    /// Gives the constants in these blocks to the gadgets of a native run.
    fn set(blocks: &[[u32; 8]]);
}

/// Gadgets have the constants of these types only.
mod sealed {
    use droste_native::hash::poseidon2::Constants;

    pub trait Sealed {}

    impl Sealed for () {}
    impl Sealed for Constants<16> {}
    impl Sealed for (Constants<24>, Constants<16>) {}
}

impl RoundConstants for () {
    fn blocks(&self) -> Vec<[F; 8]> {
        Vec::new()
    }

    fn set(_: &[[u32; 8]]) {}
}

impl RoundConstants for Constants<16> {
    fn blocks(&self) -> Vec<[F; 8]> {
        self.blocks()
    }

    fn set(blocks: &[[u32; 8]]) {
        poseidon2_16::set_constants(blocks);
    }
}

/// Plonky3's default constants are those of the suite Poseidon2, whose tables have them.
impl RoundConstants for (Constants<24>, Constants<16>) {
    fn blocks(&self) -> Vec<[F; 8]> {
        if *self == (Constants::<24>::default(), Constants::<16>::default()) {
            return Vec::new();
        }
        all(self)
    }

    // The gadgets of a native run, which are those of any constants, read the hints that those of
    // the suite read.
    fn set(blocks: &[[u32; 8]]) {
        if blocks.is_empty() {
            let default = all(&(Constants::default(), Constants::default()));
            let blocks: Vec<_> = default.iter().map(integers).collect();
            poseidon2_24::set_constants(&blocks);
        } else {
            poseidon2_24::set_constants(blocks);
        }
    }
}

/// The constants of both widths.
fn all((wide, narrow): &(Constants<24>, Constants<16>)) -> Vec<[F; 8]> {
    [wide.blocks(), narrow.blocks()].concat()
}

fn integers(block: &[F; 8]) -> [u32; 8] {
    block.map(|lane| lane.as_canonical_u32())
}

/// The part of a configuration whose round constants are not those that were given.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ConstantsError {
    /// The hash of leaves.
    #[error("leaves are hashed with other round constants than were given")]
    Leaf,
    /// The compression function.
    #[error("parents are hashed with other round constants than were given")]
    Parent,
    /// The challenger.
    #[error(
        "the challenger has other round constants than were given, or has observed something \
         before it is used"
    )]
    Challenger,
}

/// Height of the highest caps that [`FriSettings`](droste_native::FriSettings) can have.
const MAX_CAP_HEIGHT: usize = 16;

/// Compares the trees and the challenger of a configuration with those of the constants that were
/// given for it. Both trees have caps of this height.
pub(super) fn check_constants<T, const N: usize, C>(
    (trees, expected_trees): (&T, &T),
    cap_height: usize,
    (mut challenger, mut expected): (C, C),
) -> Result<(), ConstantsError>
where
    T: Mmcs<F, Commitment = MerkleCap<F, [F; N]>>,
    C: CanObserve<F> + CanSample<F>,
{
    let same = |height: usize| {
        let column = || RowMajorMatrix::new_col((0..height).map(F::from_usize).collect());
        let commit = |trees: &T| trees.commit_matrix(column()).0;
        commit(trees).roots() == commit(expected_trees).roots()
    };
    // The cap of one row is its digest.
    if !same(1) {
        return Err(ConstantsError::Leaf);
    }
    // Twice as many rows as the cap has digests.
    if !same(2 << cap_height.min(MAX_CAP_HEIGHT)) {
        return Err(ConstantsError::Parent);
    }
    let sample = |challenger: &mut C| -> F {
        challenger.observe(F::ONE);
        challenger.sample()
    };
    if sample(&mut challenger) != sample(&mut expected) {
        return Err(ConstantsError::Challenger);
    }
    Ok(())
}
