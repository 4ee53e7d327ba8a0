//! The two instances of the permutation: their default round constants and their matrices.

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

use super::columns::{Poseidon2ParentConstants, Poseidon2SpongeConstants};
use super::partial::PartialMatrix;

/// Plonky3's linear layers, at both widths.
pub(super) type Layers = GenericPoseidon2LinearLayersKoalaBear;

/// The round constants of a permutation: elements of the field, or columns.
pub(super) struct RoundConstants<'a, C, const WIDTH: usize, const PARTIAL: usize> {
    /// The constants of each of the first full rounds.
    pub beginning: &'a [[C; WIDTH]; HALF_FULL_ROUNDS],
    /// The constant of each partial round, for element 0.
    pub partial: &'a [C; PARTIAL],
    /// The constants of each of the last full rounds.
    pub ending: &'a [[C; WIDTH]; HALF_FULL_ROUNDS],
}

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

    /// Returns Plonky3's default constants.
    pub(super) const fn constants(&self) -> RoundConstants<'_, F, WIDTH, PARTIAL> {
        RoundConstants {
            beginning: &self.beginning,
            partial: &self.partial,
            ending: &self.ending,
        }
    }
}

/// Reads the columns of constants.
macro_rules! in_columns {
    ($columns:ident[$width:ident, $partial:ident]) => {
        impl<C> $columns<C> {
            pub(super) const fn rounds(&self) -> RoundConstants<'_, C, $width, $partial> {
                RoundConstants {
                    beginning: &self.initial,
                    partial: &self.internal,
                    ending: &self.terminal,
                }
            }
        }
    };
}

in_columns!(Poseidon2ParentConstants[PARENT_WIDTH, PARENT_PARTIAL_ROUNDS]);
in_columns!(Poseidon2SpongeConstants[SPONGE_WIDTH, SPONGE_PARTIAL_ROUNDS]);

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
