//! Plonky3's AIRs of hashes, as its example programs prove them.

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir};
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

/// Rounds before the partial ones, and after them.
const FULL: usize = KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS;

/// Rounds with one S-box.
const PARTIAL: usize = KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16;

/// Number of Poseidon2's round constants.
pub const CONSTANTS: usize = 2 * FULL * WIDTH + PARTIAL;

/// The AIR of `prove_poseidon2_koala_bear_keccak`: eight permutations a row.
type Poseidon2Air = VectorizedPoseidon2Air<
    F,
    GenericPoseidon2LinearLayersKoalaBear,
    WIDTH,
    KOALABEAR_S_BOX_DEGREE,
    0,
    FULL,
    PARTIAL,
    8,
>;

/// One of the AIRs. It is one type for all, so that what verifies its proofs is compiled once for
/// each configuration.
#[expect(
    clippy::large_enum_variant,
    reason = "a command has one or a few of them"
)]
pub enum HashAir {
    /// The permutations of Keccak, of 24 rows each.
    KeccakF(KeccakAir),
    /// The compression function of BLAKE3, once a row.
    Blake3(Blake3Air),
    /// Poseidon2 over KoalaBear.
    Poseidon2(Poseidon2Air),
}

impl HashAir {
    /// The AIR of Poseidon2 with the constants of `prove_poseidon2_koala_bear_keccak`, which draws
    /// them like this.
    pub fn drawn_poseidon2() -> Self {
        let constants = RoundConstants::from_rng(&mut SmallRng::seed_from_u64(1));
        Self::Poseidon2(Poseidon2Air::new(constants))
    }

    /// The AIR of Poseidon2 with these constants, in the order of the rounds: [`CONSTANTS`] of them.
    pub fn poseidon2(constants: &[F]) -> Option<Self> {
        let constants = of_rounds(constants)?;
        Some(Self::Poseidon2(Poseidon2Air::new(constants)))
    }
}

/// The constants of the rounds.
fn of_rounds(constants: &[F]) -> Option<RoundConstants<F, WIDTH, FULL, PARTIAL>> {
    let full = |elements: &[F]| {
        let (rounds, rest) = elements.as_chunks::<WIDTH>();
        let rounds = <[[F; WIDTH]; FULL]>::try_from(rounds).ok();
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

impl BaseAir<F> for HashAir {
    fn width(&self) -> usize {
        of_each!(self, air => BaseAir::<F>::width(air))
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        of_each!(self, air => BaseAir::<F>::main_next_row_columns(air))
    }

    fn num_constraints(&self) -> Option<usize> {
        of_each!(self, air => BaseAir::<F>::num_constraints(air))
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        of_each!(self, air => BaseAir::<F>::max_constraint_degree(air))
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for HashAir {
    fn eval(&self, builder: &mut AB) {
        of_each!(self, air => air.eval(builder));
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    /// Constants are given to the rounds in their order, and a wrong number of them is refused.
    #[test]
    fn constants_are_those_of_the_rounds() {
        let constants: [F; CONSTANTS] = std::array::from_fn(F::from_usize);
        let of = |first: usize| std::array::from_fn(|i| F::from_usize(first + i));
        let full = |first: usize| std::array::from_fn(|round| of(first + WIDTH * round));
        let after = FULL * WIDTH;
        let partial = std::array::from_fn(|i| F::from_usize(after + i));
        let expected: RoundConstants<F, WIDTH, FULL, PARTIAL> =
            RoundConstants::new(full(0), partial, full(after + PARTIAL));
        let found = of_rounds(&constants).unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        for wrong in [0, 63, 64, 84, CONSTANTS - 1] {
            assert!(of_rounds(&constants[..wrong]).is_none(), "{wrong}");
        }
        let longer = [constants.as_slice(), &[F::ONE]].concat();
        assert!(of_rounds(&longer).is_none());
    }
}
