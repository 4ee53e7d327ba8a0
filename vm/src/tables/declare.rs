//! The macro that declares the type of a machine's tables.

#[doc(hidden)]
pub mod __private {
    pub use droste_air::End;
    pub use droste_native::F;
    pub use p3_air::{Air, BaseAir, BoundaryPublic};
    pub use p3_lookup::InteractionBuilder;
    pub use p3_matrix::dense::RowMajorMatrix;
}

/// Declares the type of a machine's tables: an enum with the four tables that every machine has,
/// and one variant per listed table. Each listed type must implement
/// [`Table`](crate::tables::Table), `Air` and `Default`.
///
/// Every method of `BaseAir` calls that of the table. A method that a later Plonky3 adds must be
/// added here, since its default would hide the tables' own.
///
/// ```
/// droste_vm::machine! {
///     /// A machine without precompiles.
///     pub enum Plain {}
/// }
/// ```
#[macro_export]
macro_rules! machine {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident($table:ty) ),* $(,)?
        }
    ) => {
        $crate::machine! {
            @enum
            $(#[$meta])*
            $visibility enum $name {
                /// The processor: one row per executed instruction.
                Cpu($crate::tables::cpu::CpuTable),
                $( $(#[$variant_meta])* $variant($table), )*
                /// The program.
                Program($crate::tables::program::ProgramTable),
                /// Word memory.
                Words($crate::tables::words::WordsTable),
                /// Block memory.
                Blocks($crate::tables::blocks::BlocksTable),
            }
        }

        impl $crate::machine::MachineTables for $name {
            fn precompile_tables() -> Vec<Self> {
                vec![ $( Self::$variant(<$table>::default()), )* ]
            }
        }
    };
    (
        @enum
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $( $(#[$variant_meta:meta])* $variant:ident($table:ty), )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $visibility enum $name {
            $( $(#[$variant_meta])* $variant($table), )*
        }

        $(
            impl From<$table> for $name {
                fn from(table: $table) -> Self {
                    Self::$variant(table)
                }
            }
        )*

        const _: () = {
            use $crate::tables::declare::__private as p;
            type F = p::F;


            impl p::BaseAir<F> for $name {
                fn width(&self) -> usize {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::width(table), )* }
                }
                fn preprocessed_trace(&self) -> Option<p::RowMajorMatrix<F>> {
                    match self { $( Self::$variant(table) => table.preprocessed_trace(), )* }
                }
                fn preprocessed_width(&self) -> usize {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::preprocessed_width(table), )* }
                }
                fn num_periodic_columns(&self) -> usize {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::num_periodic_columns(table), )* }
                }
                fn periodic_columns(&self) -> ::std::borrow::Cow<'_, [Vec<F>]> {
                    match self { $( Self::$variant(table) => table.periodic_columns(), )* }
                }
                fn periodic_values(&self, row_index: usize) -> Vec<F> {
                    match self { $( Self::$variant(table) => table.periodic_values(row_index), )* }
                }
                fn periodic_columns_matrix(&self) -> Option<p::RowMajorMatrix<F>> {
                    match self { $( Self::$variant(table) => table.periodic_columns_matrix(), )* }
                }
                fn main_next_row_columns(&self) -> Vec<usize> {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::main_next_row_columns(table), )* }
                }
                fn preprocessed_next_row_columns(&self) -> Vec<usize> {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::preprocessed_next_row_columns(table), )* }
                }
                fn num_constraints(&self) -> Option<usize> {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::num_constraints(table), )* }
                }
                fn max_constraint_degree(&self) -> Option<usize> {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::max_constraint_degree(table), )* }
                }
                fn num_public_values(&self) -> usize {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::num_public_values(table), )* }
                }
                fn public_boundary_io(&self) -> &[p::BoundaryPublic] {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::public_boundary_io(table), )* }
                }
                fn assumes_boolean_trace(&self) -> bool {
                    match self { $( Self::$variant(table) => p::BaseAir::<F>::assumes_boolean_trace(table), )* }
                }
            }

            impl<AB> p::Air<AB> for $name
            where
                AB: p::InteractionBuilder<F = F>,
                $( $table: p::Air<AB>, )*
            {
                // rustc shares a generic function that is never inlined among crates: those that
                // use these tables link the constraints of this one instead of compiling them.
                #[inline(never)]
                fn eval(&self, builder: &mut AB) {
                    match self { $( Self::$variant(table) => p::Air::eval(table, builder), )* }
                }
            }

            impl $crate::tables::Table for $name {
                fn name(&self) -> &'static str {
                    match self { $( Self::$variant(table) => table.name(), )* }
                }
                fn precompiles(&self) -> &'static [$crate::precompile::Precompile] {
                    match self { $( Self::$variant(table) => table.precompiles(), )* }
                }
                fn fixed_log_height(&self) -> Option<usize> {
                    match self { $( Self::$variant(table) => table.fixed_log_height(), )* }
                }
                fn is_sound_with(&self, end: p::End) -> bool {
                    match self { $( Self::$variant(table) => table.is_sound_with(end), )* }
                }
                fn rows(&self, input: &$crate::tables::TraceInput<'_>) -> usize {
                    match self { $( Self::$variant(table) => table.rows(input), )* }
                }
                fn trace(
                    &self,
                    input: &$crate::tables::TraceInput<'_>,
                    log_height: usize,
                    counts: &mut $crate::tables::LookupCounts,
                ) -> p::RowMajorMatrix<F> {
                    match self { $( Self::$variant(table) => table.trace(input, log_height, counts), )* }
                }
            }
        };
    };
}
