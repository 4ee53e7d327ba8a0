//! The two instances of the permutation: their round constants and their matrices.

use std::sync::LazyLock;

use droste_native::F;
use droste_native::hash::poseidon2::{
    HALF_FULL_ROUNDS, PARENT_PARTIAL_ROUNDS, PARENT_WIDTH, SPONGE_PARTIAL_ROUNDS, SPONGE_WIDTH,
};
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear, KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
    KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL, KOALABEAR_POSEIDON2_RC_16_INTERNAL,
    KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL, KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
    KOALABEAR_POSEIDON2_RC_24_INTERNAL,
};
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::partial::PartialMatrix;

/// Plonky3's linear layers, at both widths.
pub(super) type Layers = GenericPoseidon2LinearLayersKoalaBear;

/// What differs between the permutations of two widths.
pub(super) struct Instance<const WIDTH: usize, const PARTIAL: usize> {
    /// The constants of each of the first full rounds.
    pub beginning: [[F; WIDTH]; HALF_FULL_ROUNDS],
    /// The constant of each partial round, for element 0.
    pub partial: [F; PARTIAL],
    /// The constants of each of the last full rounds.
    pub ending: [[F; WIDTH]; HALF_FULL_ROUNDS],
    /// The matrix of the partial rounds.
    pub matrix: PartialMatrix,
}

impl<const WIDTH: usize, const PARTIAL: usize> Instance<WIDTH, PARTIAL>
where
    Layers: GenericPoseidon2LinearLayers<WIDTH>,
{
    fn new(
        beginning: [[F; WIDTH]; HALF_FULL_ROUNDS],
        partial: [F; PARTIAL],
        ending: [[F; WIDTH]; HALF_FULL_ROUNDS],
    ) -> Self {
        Self {
            beginning,
            partial,
            ending,
            matrix: PartialMatrix::new::<WIDTH>(),
        }
    }
}

/// The permutation of width 16, which makes parents.
pub(super) static PARENT: LazyLock<Instance<PARENT_WIDTH, PARENT_PARTIAL_ROUNDS>> =
    LazyLock::new(|| {
        Instance::new(
            KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
            KOALABEAR_POSEIDON2_RC_16_INTERNAL,
            KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
        )
    });

/// The permutation of width 24, of leaves and transcripts.
pub(super) static SPONGE: LazyLock<Instance<SPONGE_WIDTH, SPONGE_PARTIAL_ROUNDS>> =
    LazyLock::new(|| {
        Instance::new(
            KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
            KOALABEAR_POSEIDON2_RC_24_INTERNAL,
            KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
        )
    });
