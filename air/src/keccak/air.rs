//! Keccak-f over bits: 24 rows per permutation.

use droste_native::F;
use p3_air::{Air, AirBuilder};

use super::columns::KeccakCols;
use super::permutation::eval_round;

/// Largest degree of the constraints.
pub const DEGREE: usize = 3;

crate::air! {
    /// Permutations, 24 rows each, without a bus: 2,471 columns.
    pub struct KeccakAir(KeccakCols), degree = DEGREE
}

impl<AB: AirBuilder<F = F>> Air<AB> for KeccakAir {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        crate::rows!(builder, local, next: KeccakCols<AB::Var>);
        eval_round(builder, local, next);
    }
}
