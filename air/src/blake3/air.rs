//! The Blake3 table.

use std::borrow::Borrow;

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{Blake3Cols, Blake3TableCols};
use super::compression::{eval_compression, message};

/// Degree of the constraints.
pub const DEGREE: usize = 3;

/// Bus of the messages `(cv[16], message[32], counter[4], block_length, flags, output[16])`, where
/// `cv`, `message`, `counter` and `output` are 16-bit limbs, low first.
pub const BUS: PermutationCheckBus<'static> = PermutationCheckBus::new("blake3");

/// Number of elements of a message on [`BUS`].
pub const MESSAGE: usize = 16 + 32 + 4 + 2 + 16;

/// Compressions alone, one per row, for use without a bus: 8,271 columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blake3Air;

impl BaseAir<F> for Blake3Air {
    fn width(&self) -> usize {
        Blake3Cols::<u8>::WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: AirBuilder<F = F>> Air<AB> for Blake3Air {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        eval_compression(builder, main.current_slice().borrow());
    }
}

/// Compressions, one per row, offered on [`BUS`]: 8,272 columns.
///
/// A row sends its message once if it is real and never otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blake3Table;

impl BaseAir<F> for Blake3Table {
    fn width(&self) -> usize {
        Blake3TableCols::<u8>::WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(DEGREE)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Blake3Table {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row: &Blake3TableCols<AB::Var> = main.current_slice().borrow();
        eval_compression(builder, &row.compression);
        builder.assert_bool(row.is_real);
        let message = message::<AB>(&row.compression);
        BUS.send(builder, message, Count::bounded(row.is_real.into(), 1));
    }
}
