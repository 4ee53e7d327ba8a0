//! The Poseidon2 tables, without a bus and with one.

use droste_native::F;
use droste_native::hash::poseidon2::{PARENT_WIDTH, SPONGE_WIDTH};
use p3_air::{Air, AirBuilder};
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};

use super::columns::{
    Poseidon2ParentCols, Poseidon2ParentTableCols, Poseidon2SpongeCols, Poseidon2SpongeTableCols,
};
use super::constraints::{DEGREE, eval_poseidon2_parent, eval_poseidon2_sponge};

crate::message! {
    /// A permutation of width 16.
    pub struct ParentMessage<T> on "poseidon2_parent" {
        /// The state before the permutation.
        inputs: [T; PARENT_WIDTH],
        /// The state after the permutation.
        outputs: [T; PARENT_WIDTH],
    }
}

crate::message! {
    /// A permutation of width 24.
    pub struct SpongeMessage<T> on "poseidon2_sponge" {
        /// The state before the permutation.
        inputs: [T; SPONGE_WIDTH],
        /// The state after the permutation.
        outputs: [T; SPONGE_WIDTH],
    }
}

/// Bus on which the table of width 16 sends permutations.
pub const PARENT_BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(ParentMessage::<()>::DECLARATION.bus);

/// Bus on which the table of width 24 sends permutations.
pub const SPONGE_BUS: PermutationCheckBus<'static> =
    PermutationCheckBus::new(SpongeMessage::<()>::DECLARATION.bus);

/// Declares the AIR of one width without a bus, and that with one.
macro_rules! airs {
    (
        $(#[$air_meta:meta])*
        $air:ident($columns:ident, $eval:ident)
        $(#[$table_meta:meta])*
        $table:ident($table_columns:ident, $message:ident, $bus:ident)
    ) => {
        crate::air! {
            $(#[$air_meta])*
            pub struct $air($columns), degree = DEGREE, next = []
        }

        impl<AB: AirBuilder<F = F>> Air<AB> for $air {
            #[inline]
            fn eval(&self, builder: &mut AB) {
                crate::rows!(builder, row: $columns<AB::Var>);
                $eval(builder, row);
            }
        }

        crate::air! {
            $(#[$table_meta])*
            pub struct $table($table_columns), degree = DEGREE, next = []
        }

        impl<AB: InteractionBuilder<F = F>> Air<AB> for $table {
            #[inline]
            fn eval(&self, builder: &mut AB) {
                crate::rows!(builder, row: $table_columns<AB::Var>);
                $eval(builder, &row.permutation);
                builder.assert_bool(row.is_real);
                let message = $message {
                    inputs: row.permutation.inputs,
                    outputs: *row.permutation.outputs(),
                };
                let count = Count::bounded(row.is_real.into(), 1);
                $bus.send(builder, message.into_fields(), count);
            }
        }
    };
}

airs! {
    /// Permutations of width 16, one per row, without a bus: 164 columns.
    Poseidon2ParentAir(Poseidon2ParentCols, eval_poseidon2_parent)
    /// Permutations of width 16, one per row, sent on [`PARENT_BUS`]: 165 columns.
    ///
    /// A row sends `(inputs, outputs)` once if it is real, and never otherwise. The inputs are any
    /// field elements: the table that receives them must constrain them.
    Poseidon2ParentTable(Poseidon2ParentTableCols, ParentMessage, PARENT_BUS)
}

airs! {
    /// Permutations of width 24, one per row, without a bus: 239 columns.
    Poseidon2SpongeAir(Poseidon2SpongeCols, eval_poseidon2_sponge)
    /// Permutations of width 24, one per row, sent on [`SPONGE_BUS`]: 240 columns.
    ///
    /// A row sends `(inputs, outputs)` once if it is real, and never otherwise. The inputs are any
    /// field elements: the table that receives them must constrain them.
    Poseidon2SpongeTable(Poseidon2SpongeTableCols, SpongeMessage, SPONGE_BUS)
}
