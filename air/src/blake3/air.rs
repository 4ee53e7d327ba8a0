//! The Blake3 table: one compression per row.

use droste_native::F;
use p3_air::{Air, AirBuilder};
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{Blake3Cols, Blake3TableCols};
use super::compression::{eval_compression, message};

/// Largest degree of the constraints.
pub const DEGREE: usize = 3;

crate::message! {
    /// A compression. Limbs have 16 bits, low first.
    pub struct CompressionMessage<T> on "blake3" {
        /// Limbs of the input chaining value.
        chaining: [T; 16],
        /// Limbs of the message block.
        message: [T; 32],
        /// Limbs of the counter.
        counter: [T; 4],
        /// Number of bytes of the message block.
        block_length: T,
        /// The flags.
        flags: T,
        /// Limbs of the output chaining value.
        output: [T; 16],
    }
}

/// Bus on which the tables of this module send compressions.
pub const BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(CompressionMessage::<()>::DECLARATION.bus);

crate::air! {
    /// Compressions, one per row, without a bus: 8,271 columns.
    pub struct Blake3Air(Blake3Cols), degree = DEGREE, next = []
}

impl<AB: AirBuilder<F = F>> Air<AB> for Blake3Air {
    #[inline]
    fn eval(&self, builder: &mut AB) {
        crate::rows!(builder, row: Blake3Cols<AB::Var>);
        eval_compression(builder, row);
    }
}

crate::air! {
    /// Compressions, one per row, sent on [`BUS`]: 8,272 columns.
    ///
    /// A row sends its message once if it is real, and never otherwise.
    pub struct Blake3Table(Blake3TableCols as Row), degree = DEGREE, next = [], eval = eval(row)
}

#[inline]
fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
    eval_compression(builder, &row.compression);
    builder.assert_bool(row.is_real);
    let message = message::<AB>(&row.compression);
    BUS.send(
        builder,
        message.into_fields(),
        Count::bounded(row.is_real.into(), 1),
    );
}
