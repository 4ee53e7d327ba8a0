//! AIRs with their lookups, evaluated symbolically over the fields of proofs.

use droste_native::field::AnyChallenge;
use droste_native::{BabyBear, BabyBear4, EF, EF4, F};
use p3_air::Air;
use p3_air::symbolic::{AirLayout, ConstraintLayout, SymbolicExpression, SymbolicExpressionExt};
use p3_batch_stark::symbolic::get_max_constraint_degree;
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, Lookup, LookupProtocol};

/// The constraints of an AIR, and then those of its lookups.
pub struct Recorded<E: AnyChallenge> {
    /// Those over the base field.
    pub base: Vec<SymbolicExpression<E::Base>>,
    /// Those over the extension.
    pub extension: Vec<SymbolicExpressionExt<E::Base, E::Asked>>,
    /// The places of both among all of them.
    pub order: ConstraintLayout,
    /// Largest degree of one.
    pub degree: usize,
}

/// A field of challenges for which Plonky3 evaluates AIRs and lookups symbolically. That it does is
/// known for each field, not for a variable one, so this is implemented field by field.
pub trait SymbolicField: AnyChallenge {
    /// Evaluates an AIR of height `2^log_height` and its lookups.
    fn record<A>(
        air: &A,
        layout: AirLayout,
        lookups: &[Lookup<Self::Base>],
        log_height: usize,
    ) -> Recorded<Self>
    where
        A: Air<InteractionSymbolicBuilder<Self::Base, Self::Asked>>;
}

/// Implements [`SymbolicField`] for fields of challenges over a base field. AIRs are asked for
/// their constraints over the extension `$asked`.
macro_rules! symbolic_field {
    ($($field:ty, $base:ty, $asked:ty;)*) => {$(
        impl SymbolicField for $field {
            fn record<A>(
                air: &A,
                layout: AirLayout,
                lookups: &[Lookup<$base>],
                log_height: usize,
            ) -> Recorded<Self>
            where
                A: Air<InteractionSymbolicBuilder<$base, $asked>>,
            {
                let gadget = LogUpGadget::new();
                let mut builder = InteractionSymbolicBuilder::<$base, $asked>::new(AirLayout {
                    permutation_width: if lookups.is_empty() {
                        0
                    } else {
                        lookups.len() + 1
                    },
                    num_permutation_challenges: lookups.len() * gadget.num_challenges(),
                    num_permutation_values: usize::from(!lookups.is_empty()),
                    ..layout
                });
                gadget.eval_air_and_lookups(air, &mut builder, lookups);
                let base = builder.base_constraints();
                let extension = builder.extension_constraints();
                let degree = match layout.num_periodic_columns {
                    // This repeats Plonky3's computation of the degree, because Plonky3 would
                    // evaluate the constraints again, which takes a large part of a second for a
                    // table of thousands of columns.
                    0 => {
                        let base = base.iter().map(|each| each.degree_multiple());
                        let extension = extension.iter().map(|each| each.degree_multiple());
                        base.chain(extension).max().unwrap_or(0)
                    }
                    _ => {
                        let rows = 1 << log_height;
                        get_max_constraint_degree::<$base, $asked, A, _>(
                            air, layout, rows, lookups, &gadget,
                        )
                    }
                };
                let order = builder.constraint_layout();
                Recorded {
                    base,
                    extension,
                    order,
                    degree,
                }
            }
        }
    )*};
}

symbolic_field! {
    EF, F, EF;
    EF4, F, EF;
    BabyBear4, BabyBear, BabyBear4;
}
