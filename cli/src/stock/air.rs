//! Plonky3's AIRs of hashes, as its example programs prove them.

use droste_native::F;
use droste_native::field::{BabyBear, BaseField};
use p3_air::{Air, AirBuilder, BaseAir};
use p3_baby_bear::{
    BABYBEAR_POSEIDON2_HALF_FULL_ROUNDS, BABYBEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    BABYBEAR_S_BOX_DEGREE, GenericPoseidon2LinearLayersBabyBear,
};
use p3_blake3_air::Blake3Air;
use p3_keccak_air::KeccakAir;
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear, KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16, KOALABEAR_S_BOX_DEGREE,
};
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// Elements of Poseidon2's state.
const WIDTH: usize = 16;

/// A field over which the AIRs are.
pub trait HashField: BaseField {
    /// The AIR of Poseidon2, of eight permutations a row.
    type Poseidon2;

    /// Number of Poseidon2's round constants.
    const CONSTANTS: usize;

    /// The AIR of Poseidon2 with the constants that Plonky3's examples draw.
    fn drawn_poseidon2() -> Self::Poseidon2;

    /// The AIR of Poseidon2 with these constants, in the order of the rounds, if there are
    /// [`Self::CONSTANTS`].
    fn poseidon2(constants: &[Self]) -> Option<Self::Poseidon2>;
}

/// Implements [`HashField`] by the parameters of Poseidon2: matrices, degree and registers of an
/// S-box, full rounds before the partial ones and after them, and partial rounds.
macro_rules! hash_field {
    ($field:ty, $layers:ty, $degree:expr, $registers:expr, $full:expr, $partial:expr) => {
        impl HashField for $field {
            type Poseidon2 = VectorizedPoseidon2Air<
                $field,
                $layers,
                WIDTH,
                { $degree },
                { $registers },
                { $full },
                { $partial },
                8,
            >;

            const CONSTANTS: usize = 2 * $full * WIDTH + $partial;

            fn drawn_poseidon2() -> Self::Poseidon2 {
                let constants = RoundConstants::from_rng(&mut SmallRng::seed_from_u64(1));
                VectorizedPoseidon2Air::new(constants)
            }

            fn poseidon2(constants: &[Self]) -> Option<Self::Poseidon2> {
                of_rounds(constants).map(VectorizedPoseidon2Air::new)
            }
        }
    };
}

// As in `prove_poseidon2_koala_bear_keccak`.
hash_field! {
    F,
    GenericPoseidon2LinearLayersKoalaBear,
    KOALABEAR_S_BOX_DEGREE,
    0,
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16
}

// As in `prove_prime_field_31 -f baby-bear`.
hash_field! {
    BabyBear,
    GenericPoseidon2LinearLayersBabyBear,
    BABYBEAR_S_BOX_DEGREE,
    1,
    BABYBEAR_POSEIDON2_HALF_FULL_ROUNDS,
    BABYBEAR_POSEIDON2_PARTIAL_ROUNDS_16
}

/// One of the AIRs over a field. It is one type for all, so that what verifies its proofs is
/// compiled once for each configuration.
pub enum HashAir<K: HashField> {
    /// The permutations of Keccak, of 24 rows each.
    KeccakF(KeccakAir),
    /// The compression function of BLAKE3, once a row.
    Blake3(Blake3Air),
    /// Poseidon2 over the field.
    Poseidon2(K::Poseidon2),
}

/// The constants of the rounds.
fn of_rounds<K: HashField, const FULL: usize, const PARTIAL: usize>(
    constants: &[K],
) -> Option<RoundConstants<K, WIDTH, FULL, PARTIAL>> {
    let full = |elements: &[K]| {
        let (rounds, rest) = elements.as_chunks::<WIDTH>();
        let rounds = <[[K; WIDTH]; FULL]>::try_from(rounds).ok();
        rounds.filter(|_| rest.is_empty())
    };
    let (initial, rest) = constants.split_at_checked(FULL * WIDTH)?;
    let (partial, terminal) = rest.split_first_chunk::<PARTIAL>()?;
    Some(RoundConstants::new(
        full(initial)?,
        *partial,
        full(terminal)?,
    ))
}

/// What an expression is for the AIR.
macro_rules! of_each {
    ($self:ident, $air:ident => $value:expr) => {
        match $self {
            Self::KeccakF($air) => $value,
            Self::Blake3($air) => $value,
            Self::Poseidon2($air) => $value,
        }
    };
}

impl<K: HashField<Poseidon2: BaseAir<K>>> BaseAir<K> for HashAir<K> {
    fn width(&self) -> usize {
        of_each!(self, air => BaseAir::<K>::width(air))
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        of_each!(self, air => BaseAir::<K>::main_next_row_columns(air))
    }

    fn num_constraints(&self) -> Option<usize> {
        of_each!(self, air => BaseAir::<K>::num_constraints(air))
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        of_each!(self, air => BaseAir::<K>::max_constraint_degree(air))
    }
}

impl<K, AB> Air<AB> for HashAir<K>
where
    K: HashField<Poseidon2: BaseAir<K> + Air<AB>>,
    AB: AirBuilder<F = K>,
{
    fn eval(&self, builder: &mut AB) {
        of_each!(self, air => air.eval(builder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Constants are given to the rounds in their order, and a wrong number of them is refused.
    fn check<K: HashField, const FULL: usize, const PARTIAL: usize>() {
        assert_eq!(K::CONSTANTS, 2 * FULL * WIDTH + PARTIAL);
        let constants: Vec<K> = (0..K::CONSTANTS).map(K::from_usize).collect();
        let of = |first: usize| std::array::from_fn(|i| K::from_usize(first + i));
        let full = |first: usize| std::array::from_fn(|round| of(first + WIDTH * round));
        let after = FULL * WIDTH;
        let partial = std::array::from_fn(|i| K::from_usize(after + i));
        let expected: RoundConstants<K, WIDTH, FULL, PARTIAL> =
            RoundConstants::new(full(0), partial, full(after + PARTIAL));
        let found = of_rounds::<K, FULL, PARTIAL>(&constants).unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        assert!(K::poseidon2(&constants).is_some());
        for wrong in [0, 63, 64, after + PARTIAL, K::CONSTANTS - 1] {
            assert!(K::poseidon2(&constants[..wrong]).is_none(), "{wrong}");
        }
        let longer = [constants.as_slice(), &[K::ONE]].concat();
        assert!(K::poseidon2(&longer).is_none());
    }

    #[test]
    fn constants_are_those_of_the_rounds() {
        check::<F, 4, 20>();
        check::<BabyBear, 4, 13>();
    }
}
