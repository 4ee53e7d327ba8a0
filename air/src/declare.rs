//! The macro that declares the type of an AIR.

#[doc(hidden)]
pub mod __private {
    pub use droste_native::F;
    pub use p3_air::BaseAir;
}

/// Declares the type of an AIR whose rows have the columns of a struct, and its
/// [`BaseAir`](p3_air::BaseAir): the width, the largest degree of its constraints and, if it is not
/// all of them, the columns that constraints read of the next row.
///
/// ```
/// # use p3_air::BaseAir;
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
///     pub struct Booleans(Boolean), degree = 2, next = []
/// }
///
/// assert_eq!(BaseAir::<droste_native::F>::width(&Booleans), 1);
/// assert!(BaseAir::<droste_native::F>::main_next_row_columns(&Booleans).is_empty());
/// ```
#[macro_export]
macro_rules! air {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident($columns:ident),
        degree = $degree:expr $(, next = $next:expr)?
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
                    $next.to_vec()
                }
            )?
        }
    };
}
