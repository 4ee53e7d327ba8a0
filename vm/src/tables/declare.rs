//! The macro that declares the type of a machine's tables.

#[doc(hidden)]
pub mod __private {
    pub use droste_air::End;
    pub use droste_native::{F, HashId};
    pub use p3_air::{Air, BaseAir, BoundaryPublic};
    pub use p3_lookup::InteractionBuilder;
    pub use p3_matrix::dense::RowMajorMatrix;
}

/// Declares the type of a machine's tables: an enum with the four tables that every machine has,
/// and one variant per listed table. Each listed type must implement
/// [`Table`](crate::tables::Table), `Air` and `Default`. No type can be listed twice, since `From`
/// would be implemented twice; tables that number what they send rely on it.
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

            fn precompile_types() -> Vec<&'static str> {
                vec![ $( stringify!($table), )* ]
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
                $crate::forward_base_air! { table in [$( Self::$variant(table) ),*] }
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
                $crate::forward! {
                    [$crate::tables::Table] table in [$( Self::$variant(table) ),*]
                    fn name(&self) -> &'static str;
                    fn precompiles(&self) -> &'static [$crate::precompile::Precompile];
                    fn fixed_log_height(&self) -> Option<usize>;
                    fn is_sound_with(&self, end: p::End) -> bool;
                    fn identities(&self) -> Vec<$crate::tables::PolynomialIdentity>;
                    fn verifier_cost(&self) -> $crate::tables::VerifierCost;
                    fn permutation(&self) -> Option<p::HashId>;
                    fn rows(&self, input: &$crate::tables::TraceInput<'_>) -> usize;
                    fn trace(
                        &self,
                        input: &$crate::tables::TraceInput<'_>,
                        log_height: usize,
                        counts: &mut $crate::tables::LookupCounts
                    ) -> p::RowMajorMatrix<F>;
                }
            }
        };
    };
}

/// Methods that call those of the table that `self` holds, to which one of the patterns binds a
/// name.
#[doc(hidden)]
#[macro_export]
macro_rules! forward {
    ([$trait:path] $table:ident in $patterns:tt $(
        fn $method:ident(&$this:ident $(, $argument:ident: $type:ty)*) -> $result:ty;
    )*) => {
        $( $crate::forward! {
            @one [$trait] ($table $(, $argument)*) in $patterns
            fn $method(&$this $(, $argument: $type)*) -> $result
        } )*
    };
    (
        @one [$trait:path] $call:tt in [$($pattern:pat),*]
        fn $method:ident(&$this:ident $(, $argument:ident: $type:ty)*) -> $result:ty
    ) => {
        fn $method(&$this $(, $argument: $type)*) -> $result {
            match $this { $( $pattern => <_ as $trait>::$method $call, )* }
        }
    };
}

/// The methods of `BaseAir`. One that a later Plonky3 adds must be added here, since its default
/// would hide the tables' own.
#[doc(hidden)]
#[macro_export]
macro_rules! forward_base_air {
    ($table:ident in $patterns:tt) => {
        $crate::forward! {
            [p::BaseAir<p::F>] $table in $patterns
            fn width(&self) -> usize;
            fn preprocessed_trace(&self) -> Option<p::RowMajorMatrix<p::F>>;
            fn preprocessed_width(&self) -> usize;
            fn num_periodic_columns(&self) -> usize;
            fn periodic_columns(&self) -> ::std::borrow::Cow<'_, [Vec<p::F>]>;
            fn periodic_values(&self, row_index: usize) -> Vec<p::F>;
            fn periodic_columns_matrix(&self) -> Option<p::RowMajorMatrix<p::F>>;
            fn main_next_row_columns(&self) -> Vec<usize>;
            fn preprocessed_next_row_columns(&self) -> Vec<usize>;
            fn num_constraints(&self) -> Option<usize>;
            fn max_constraint_degree(&self) -> Option<usize>;
            fn num_public_values(&self) -> usize;
            fn public_boundary_io(&self) -> &[p::BoundaryPublic];
            fn assumes_boolean_trace(&self) -> bool;
        }
    };
}
