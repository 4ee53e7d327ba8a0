//! Round constants of Poseidon2, for those who do not take Plonky3's defaults.
//!
//! Plonky3's examples and tests draw theirs from a random generator
//! (`Poseidon2KoalaBear::new_from_rng_128`). A program that verifies such proofs has the constants
//! as data: [`Constants::blocks`] is what it holds in memory, and what the tables of calls with any
//! constants load.

use p3_koala_bear::{
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL, KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_16_INTERNAL, KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL, KOALABEAR_POSEIDON2_RC_24_INTERNAL,
    Poseidon2KoalaBear,
};
use p3_poseidon2::ExternalLayerConstants;

use super::{
    HALF_FULL_ROUNDS, PARENT_PARTIAL_ROUNDS, PARENT_WIDTH, SPONGE_PARTIAL_ROUNDS, SPONGE_WIDTH,
};
use crate::field::{DIGEST, F};

/// A permutation with round constants of any origin.
pub type Poseidon2With<const WIDTH: usize> = Poseidon2KoalaBear<WIDTH>;

/// The round constants of the permutation of `WIDTH` elements, 16 or 24. The round numbers and the
/// matrices are always Plonky3's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants<const WIDTH: usize> {
    initial: [[F; WIDTH]; HALF_FULL_ROUNDS],
    internal: Vec<F>,
    terminal: [[F; WIDTH]; HALF_FULL_ROUNDS],
}

impl<const WIDTH: usize> Constants<WIDTH> {
    /// Returns all constants in the order in which the permutation uses them.
    pub fn elements(&self) -> Vec<F> {
        let initial = self.initial.as_flattened();
        let terminal = self.terminal.as_flattened();
        [initial, &self.internal, terminal].concat()
    }

    /// Returns the [elements](Self::elements) in blocks, the last one filled up with zeros.
    pub fn blocks(&self) -> Vec<[F; DIGEST]> {
        let elements = self.elements();
        let chunks = elements.chunks(DIGEST);
        let block =
            |chunk: &[F]| std::array::from_fn(|lane| chunk.get(lane).copied().unwrap_or_default());
        chunks.map(block).collect()
    }

    /// Reads constants in the order of [`elements`](Self::elements). Missing ones are zero.
    fn read(elements: impl IntoIterator<Item = F>, partial_rounds: usize) -> Self {
        let mut elements = elements.into_iter();
        let mut next = || elements.next().unwrap_or_default();
        Self {
            initial: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            internal: (0..partial_rounds).map(|_| next()).collect(),
            terminal: std::array::from_fn(|_| std::array::from_fn(|_| next())),
        }
    }
}

/// Implements what needs the number of partial rounds of a width.
macro_rules! constants {
    ($width:ident, $partial:ident, $initial:ident, $internal:ident, $terminal:ident) => {
        impl Constants<$width> {
            /// Number of partial rounds.
            pub const PARTIAL_ROUNDS: usize = $partial;

            /// Number of constants.
            pub const COUNT: usize = 2 * HALF_FULL_ROUNDS * $width + $partial;

            /// Number of blocks that [`blocks`](Self::blocks) returns.
            pub const BLOCKS: usize = Self::COUNT.div_ceil(DIGEST);

            /// The constants of the first full rounds, of the partial rounds and of the last full
            /// rounds.
            pub fn new(
                initial: [[F; $width]; HALF_FULL_ROUNDS],
                internal: [F; $partial],
                terminal: [[F; $width]; HALF_FULL_ROUNDS],
            ) -> Self {
                Self {
                    initial,
                    internal: internal.to_vec(),
                    terminal,
                }
            }

            /// Draws the constants of `Poseidon2KoalaBear::new_from_rng_128`, in its order: those of
            /// the last full rounds before those of the partial ones.
            pub fn drawn(mut draw: impl FnMut() -> F) -> Self {
                let initial = std::array::from_fn(|_| std::array::from_fn(|_| draw()));
                let terminal = std::array::from_fn(|_| std::array::from_fn(|_| draw()));
                Self::new(initial, std::array::from_fn(|_| draw()), terminal)
            }

            /// Reads the constants that [`blocks`](Self::blocks) returns, if these are as many and
            /// the last one is filled up with zeros.
            pub fn from_blocks(blocks: &[[F; DIGEST]]) -> Option<Self> {
                let read = Self::read(blocks.iter().flatten().copied(), $partial);
                (read.blocks() == blocks).then_some(read)
            }

            /// Returns Plonky3's permutation with these constants.
            pub fn permutation(&self) -> Poseidon2With<$width> {
                let (initial, terminal) = (self.initial.to_vec(), self.terminal.to_vec());
                let external = ExternalLayerConstants::new(initial, terminal);
                Poseidon2KoalaBear::new(external, self.internal.clone())
            }
        }

        /// Plonky3's default constants.
        impl Default for Constants<$width> {
            fn default() -> Self {
                Self::new($initial, $internal, $terminal)
            }
        }
    };
}

constants!(
    PARENT_WIDTH,
    PARENT_PARTIAL_ROUNDS,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_16_INTERNAL,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL
);
constants!(
    SPONGE_WIDTH,
    SPONGE_PARTIAL_ROUNDS,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_24_INTERNAL,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL
);

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;
    use p3_symmetric::Permutation;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::hash::poseidon2::Poseidon2;

    /// Compares constants with the permutations that Plonky3 makes of the same draws and of its
    /// defaults.
    macro_rules! check {
        ($width:ident, $blocks:literal) => {
            let state: [F; $width] = std::array::from_fn(|lane| F::from_usize(lane * lane + 7));
            let default = Constants::<$width>::default();
            let expected = Poseidon2::<$width>.permute(state);
            assert_eq!(default.permutation().permute(state), expected);
            for seed in 0..3 {
                let mut rng = SmallRng::seed_from_u64(seed);
                let plonky3 = Poseidon2KoalaBear::<$width>::new_from_rng_128(&mut rng);
                let after: u64 = rng.random();
                let mut rng = SmallRng::seed_from_u64(seed);
                let constants = Constants::<$width>::drawn(|| rng.random());
                assert_eq!(rng.random::<u64>(), after, "as many draws");
                let expected = plonky3.permute(state);
                assert_eq!(constants.permutation().permute(state), expected);
                assert_ne!(constants, default);

                let elements = constants.elements();
                assert_eq!(elements.len(), Constants::<$width>::COUNT);
                let blocks = constants.blocks();
                assert_eq!(blocks.len(), $blocks);
                assert_eq!(blocks.len(), Constants::<$width>::BLOCKS);
                let (used, filled) = blocks.as_flattened().split_at(elements.len());
                assert_eq!(used, elements);
                assert!(filled.iter().all(|&lane| lane == F::ZERO));
                let read = Constants::<$width>::from_blocks(&blocks);
                assert_eq!(read, Some(constants));
                assert_eq!(Constants::<$width>::from_blocks(&blocks[1..]), None);
                let mut others = blocks.clone();
                others[$blocks - 1][DIGEST - 1] = F::ONE;
                assert_eq!(Constants::<$width>::from_blocks(&others), None);
            }
        };
    }

    #[test]
    fn constants_are_plonky3s() {
        check!(PARENT_WIDTH, 19);
        check!(SPONGE_WIDTH, 27);
    }
}
