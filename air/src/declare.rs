//! Macros that declare the type of an AIR, and that read its rows.

#[doc(hidden)]
pub mod __private {
    pub use droste_native::F;
    pub use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
    pub use p3_lookup::InteractionBuilder;
}

/// Declares the type of an AIR whose rows have the columns of a struct, and its
/// [`BaseAir`](p3_air::BaseAir): the width, the largest degree of its constraints and, if it is not
/// all of them, the columns that constraints read of the next row.
///
/// With `as` the columns of a builder's row get a name, and with `eval` the function of the
/// constraints is named: it takes the builder, the row and, if constraints read it, the next row.
/// Without it, `Air` is implemented by hand.
///
/// ```
/// # use droste_native::F;
/// # use p3_air::BaseAir;
/// # use p3_lookup::InteractionBuilder;
/// droste_air::columns! {
///     /// A boolean.
///     pub struct Boolean<T> {
///         /// Zero or one.
///         pub bit: T,
///     }
/// }
///
/// droste_air::air! {
///     /// One boolean per row.
///     pub struct Booleans(Boolean as Row), degree = 2, next = [], eval = eval(row)
/// }
///
/// fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, row: &Row<AB>) {
///     builder.assert_bool(row.bit);
/// }
///
/// assert_eq!(BaseAir::<F>::width(&Booleans), 1);
/// assert!(BaseAir::<F>::main_next_row_columns(&Booleans).is_empty());
/// ```
#[macro_export]
macro_rules! air {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident($columns:ident $(as $row:ident)?),
        degree = $degree:expr $(, next = $next_columns:expr)?
        $(, eval = $eval:ident($local:ident $(, $next:ident)?))?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default)]
        $visibility struct $name;

        impl $crate::declare::__private::BaseAir<$crate::declare::__private::F> for $name {
            fn width(&self) -> usize {
                $columns::<u8>::WIDTH
            }

            fn max_constraint_degree(&self) -> Option<usize> {
                Some($degree)
            }

            $(
                fn main_next_row_columns(&self) -> Vec<usize> {
                    $next_columns.to_vec()
                }
            )?
        }

        $(
            /// The columns of a row, as a builder has it.
            type $row<AB> = $columns<<AB as $crate::declare::__private::AirBuilder>::Var>;
        )?

        $(
            impl<AB> $crate::declare::__private::Air<AB> for $name
            where
                AB: $crate::declare::__private::InteractionBuilder<
                    F = $crate::declare::__private::F,
                >,
            {
                #[inline]
                fn eval(&self, builder: &mut AB) {
                    $crate::rows!(builder, $local $(, $next)?: $columns<AB::Var>);
                    $eval(builder, $local $(, $next)?);
                }
            }
        )?
    };
}

/// Reads the row of a builder, and the next one if it is named, as the columns of a struct.
///
/// ```
/// # use p3_air::{Air, AirBuilder};
/// # use p3_field::PrimeCharacteristicRing;
/// droste_air::columns! {
///     /// A number.
///     pub struct Counter<T> {
///         /// The number.
///         pub count: T,
///     }
/// }
///
/// droste_air::air! {
///     /// Numbers, of which each is one more than the one before it.
///     pub struct Counters(Counter), degree = 2
/// }
///
/// impl<AB: AirBuilder<F = droste_native::F>> Air<AB> for Counters {
///     fn eval(&self, builder: &mut AB) {
///         droste_air::rows!(builder, local, next: Counter<AB::Var>);
///         builder.when_transition().assert_eq(next.count, local.count + AB::Expr::ONE);
///     }
/// }
/// ```
#[macro_export]
macro_rules! rows {
    ($builder:ident, $local:ident $(, $next:ident)?: $columns:ty) => {
        let main = $crate::declare::__private::AirBuilder::main($builder);
        let $local: &$columns = ::std::borrow::Borrow::borrow(
            $crate::declare::__private::WindowAccess::current_slice(&main),
        );
        $(
            let $next: &$columns = ::std::borrow::Borrow::borrow(
                $crate::declare::__private::WindowAccess::next_slice(&main),
            );
        )?
    };
}
