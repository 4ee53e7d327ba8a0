//! Keccak-f over bits: 24 rows per permutation.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::{Air, AirBuilder, WindowAccess};

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
        let main = builder.main();
        eval_round(
            builder,
            main.current_slice().borrow(),
            main.next_slice().borrow(),
        );
    }
}
