//! Poseidon2 with round constants that a program gives: of width 16 for leaves, parents and
//! transcripts, and of width 24 for leaves and transcripts.

use std::sync::Arc;

use p3_symmetric::Permutation;

use super::{Block, PrecompileError, Result, SpongeOutput, merkle, on_elements, sponge};
use crate::field::F;
use crate::hash::poseidon2::{Constants, Poseidon2With};

/// The permutations of a run, whose constants its program gives: once for each width, before any
/// call that needs them.
#[derive(Clone, Debug, Default)]
pub struct Permutations {
    of_16: Option<Arc<Poseidon2With<16>>>,
    of_24: Option<Arc<Poseidon2With<24>>>,
}

/// Defines a permutation by the constants in these blocks.
macro_rules! define {
    ($permutation:expr, $width:literal, $name:literal, $blocks:expr) => {{
        let error = PrecompileError::Constants {
            name: $name,
            blocks: Constants::<$width>::BLOCKS,
        };
        let constants = Constants::<$width>::from_blocks($blocks);
        let constants = constants.filter(|_| $permutation.is_none()).ok_or(error)?;
        $permutation = Some(Arc::new(constants.permutation()));
        Ok(())
    }};
}

impl Permutations {
    /// Takes the constants of width 16, [`Constants::blocks`].
    ///
    /// # Errors
    /// If these are not such blocks, or they have been given before.
    pub fn poseidon2_16_constants(&mut self, blocks: &[Block]) -> Result<()> {
        define!(self.of_16, 16, "poseidon2_16_constants", blocks)
    }

    /// Takes the constants of width 24, [`Constants::blocks`].
    ///
    /// # Errors
    /// If these are not such blocks, or they have been given before.
    pub fn poseidon2_24_constants(&mut self, blocks: &[Block]) -> Result<()> {
        define!(self.of_24, 24, "poseidon2_24_constants", blocks)
    }

    fn of_16(&self) -> Result<&Poseidon2With<16>> {
        let error = PrecompileError::NoConstants {
            width: 16,
            name: "poseidon2_16_constants",
        };
        self.of_16.as_deref().ok_or(error)
    }

    fn of_24(&self) -> Result<&Poseidon2With<24>> {
        let error = PrecompileError::NoConstants {
            width: 24,
            name: "poseidon2_24_constants",
        };
        self.of_24.as_deref().ok_or(error)
    }

    /// The parent of two digests: `truncate_8(P(x))` of width 16, without feed-forward.
    ///
    /// # Errors
    /// If there are no constants.
    pub fn poseidon2_16_compress(&self, left: &Block, right: &Block) -> Result<Block> {
        Ok(parent(self.of_16()?, left, right))
    }

    /// Overwrite sponge of width 16 and rate 8 over the first `lanes >= 8` lanes of `blocks`; see
    /// [`poseidon16_duplex`](super::poseidon16_duplex).
    ///
    /// # Errors
    /// If there are no constants, or `lanes` is below 8 or exceeds the lanes of `blocks`.
    pub fn poseidon2_16_duplex(
        &self,
        blocks: &[Block],
        lanes: usize,
        capacity: &Block,
        tag: F,
    ) -> Result<SpongeOutput<1>> {
        let permutation = self.of_16()?;
        let permute = |[rate]: [Block; 1], capacity: Block| {
            let [rate, capacity] = on_elements([rate, capacity], |state: [F; 16]| {
                permutation.permute(state)
            });
            ([rate], capacity)
        };
        sponge(
            "poseidon2_16_duplex",
            (blocks, lanes),
            capacity,
            tag,
            permute,
        )
    }

    /// The root of a Merkle path whose parents are [`Self::poseidon2_16_compress`]; see
    /// [`poseidon16_merkle`](super::poseidon16_merkle).
    ///
    /// # Errors
    /// If there are no constants, or as for [`poseidon16_merkle`](super::poseidon16_merkle).
    pub fn poseidon2_16_merkle(
        &self,
        leaf: &Block,
        index: u32,
        siblings: &[Block],
    ) -> Result<Block> {
        let permutation = self.of_16()?;
        let parent = |left: &Block, right: &Block| parent(permutation, left, right);
        merkle("poseidon2_16_merkle", *leaf, index, siblings, parent)
    }

    /// Overwrite sponge of width 24 and rate 16 over the first `lanes >= 16` lanes of `blocks`; see
    /// [`poseidon2_sponge`](super::poseidon2_sponge).
    ///
    /// # Errors
    /// If there are no constants, or `lanes` is below 16 or exceeds the lanes of `blocks`.
    pub fn poseidon2_24_duplex(
        &self,
        blocks: &[Block],
        lanes: usize,
        capacity: &Block,
        tag: F,
    ) -> Result<SpongeOutput<2>> {
        let permutation = self.of_24()?;
        let permute = |[low, high]: [Block; 2], capacity: Block| {
            let [low, high, capacity] = on_elements([low, high, capacity], |state: [F; 24]| {
                permutation.permute(state)
            });
            ([low, high], capacity)
        };
        sponge(
            "poseidon2_24_duplex",
            (blocks, lanes),
            capacity,
            tag,
            permute,
        )
    }
}

/// The first half of the permutation of two digests.
fn parent(permutation: &Poseidon2With<16>, left: &Block, right: &Block) -> Block {
    let [parent, _] = on_elements([*left, *right], |state: [F; 16]| permutation.permute(state));
    parent
}

#[cfg(test)]
mod tests {
    use p3_challenger::{CanObserve, DuplexChallenger};
    use p3_field::PrimeCharacteristicRing;
    use p3_symmetric::{
        CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation,
    };
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const ZERO: Block = [F::ZERO; 8];

    fn blocks_of(elements: &[F]) -> Vec<Block> {
        let block =
            |chunk: &[F]| std::array::from_fn(|i| chunk.get(i).copied().unwrap_or_default());
        elements.chunks(8).map(block).collect()
    }

    /// Permutations that the program has given random constants, and Plonky3's with the same.
    fn drawn() -> (Permutations, Poseidon2With<16>, Poseidon2With<24>) {
        let [mut ours, mut plonky3] = [5, 5].map(SmallRng::seed_from_u64);
        let mut permutations = Permutations::default();
        let narrow = Constants::<16>::drawn(|| ours.random());
        let wide = Constants::<24>::drawn(|| ours.random());
        permutations
            .poseidon2_16_constants(&narrow.blocks())
            .unwrap();
        permutations.poseidon2_24_constants(&wide.blocks()).unwrap();
        let narrow = Poseidon2With::<16>::new_from_rng_128(&mut plonky3);
        let wide = Poseidon2With::<24>::new_from_rng_128(&mut plonky3);
        (permutations, narrow, wide)
    }

    #[test]
    fn sponges_are_plonky3s() {
        let (permutations, narrow, wide) = drawn();
        let of_16 = PaddingFreeSponge::<_, 16, 8, 8>::new(narrow);
        let of_24 = PaddingFreeSponge::<_, 24, 16, 8>::new(wide);
        let elements: Vec<F> = (1..70).map(F::from_u32).collect();
        for n in 8..elements.len() {
            let (row, blocks) = (&elements[..n], blocks_of(&elements[..n]));
            let output = permutations.poseidon2_16_duplex(&blocks, n, &ZERO, F::ZERO);
            assert_eq!(output.unwrap().rate, [of_16.hash_slice(row)]);
            let output = permutations.poseidon2_24_duplex(&blocks, n, &ZERO, F::ZERO);
            match output {
                Ok(output) => assert_eq!(output.rate[0], of_24.hash_slice(row)),
                Err(_) => assert!(n < 16),
            }
        }
    }

    #[test]
    fn duplexes_are_the_challengers() {
        let (permutations, narrow, wide) = drawn();
        let elements: Vec<F> = (1..=48).map(F::from_u32).collect();
        let blocks = blocks_of(&elements);
        let mut of_16 = DuplexChallenger::<F, _, 16, 8>::new(narrow);
        of_16.observe_slice(&elements);
        let output = permutations.poseidon2_16_duplex(&blocks, 48, &ZERO, F::from_u32(8));
        let output = output.unwrap();
        let state = [output.rate[0], output.capacity];
        assert_eq!(state.as_flattened(), of_16.sponge_state);
        let mut of_24 = DuplexChallenger::<F, _, 24, 16>::new(wide);
        of_24.observe_slice(&elements);
        let output = permutations.poseidon2_24_duplex(&blocks, 48, &ZERO, F::from_u32(16));
        let output = output.unwrap();
        let state = [output.rate[0], output.rate[1], output.capacity];
        assert_eq!(state.as_flattened(), of_24.sponge_state);
    }

    #[test]
    fn paths_lead_to_plonky3s_root() {
        let (permutations, narrow, _) = drawn();
        let pair = TruncatedPermutation::<_, 2, 8, 16>::new(narrow);
        let level = [1, 2, 3, 4].map(|x| [F::from_u32(x); 8]);
        let [left, right] = [[level[0], level[1]], [level[2], level[3]]].map(|x| pair.compress(x));
        let compressed = permutations.poseidon2_16_compress(&level[0], &level[1]);
        assert_eq!(compressed, Ok(left));
        let root = permutations.poseidon2_16_merkle(&level[2], 2, &[level[3], left]);
        assert_eq!(root, Ok(pair.compress([left, right])));
        assert!(
            permutations
                .poseidon2_16_merkle(&level[2], 4, &level[..2])
                .is_err()
        );
    }

    #[test]
    fn constants_are_given_once_and_first() {
        let mut permutations = Permutations::default();
        let none = PrecompileError::NoConstants {
            width: 16,
            name: "poseidon2_16_constants",
        };
        assert_eq!(permutations.poseidon2_16_compress(&ZERO, &ZERO), Err(none));
        let wrong = PrecompileError::Constants {
            name: "poseidon2_16_constants",
            blocks: 19,
        };
        let blocks = Constants::<16>::default().blocks();
        let short = permutations.poseidon2_16_constants(&blocks[1..]);
        assert_eq!(short, Err(wrong.clone()));
        assert_eq!(permutations.poseidon2_16_constants(&blocks), Ok(()));
        assert_eq!(permutations.poseidon2_16_constants(&blocks), Err(wrong));
        let expected = crate::precompile::poseidon2_compress(&ZERO, &ZERO);
        assert_eq!(
            permutations.poseidon2_16_compress(&ZERO, &ZERO),
            Ok(expected)
        );
        assert!(
            permutations
                .poseidon2_24_duplex(&[ZERO; 2], 16, &ZERO, F::ZERO)
                .is_err()
        );
    }
}
