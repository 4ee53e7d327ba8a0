//! What the vectors of all instruction sets share: operations that are one intrinsic each.

/// Implements operators of `Doubles` by expressions in their contents.
macro_rules! operators {
    ($($trait:ident, $method:ident($a:ident, $b:ident) = $result:expr;)*) => {$(
        impl $trait for Doubles {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                // SAFETY: the target has the instruction set.
                Self($result)
            }
        }
    )*};
}
pub(super) use operators;

/// Defines functions by intrinsics of the target's instruction set.
macro_rules! intrinsics {
    ($($name:ident($($argument:ident: $type:ty),*) -> $output:ty = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name($($argument: $type),*) -> $output {
            // SAFETY: the target has the instruction set.
            unsafe { $result }
        }
    )*};
}
pub(super) use intrinsics;

/// Declares an instruction set with its vectors of doubles, and implements
/// [`Lanes`](super::lanes::Lanes) by the intrinsics that are listed, and by the functions in the
/// body.
///
/// # Safety
/// The module must be compiled only if the whole build targets the instruction set: then every
/// processor that runs the build has the intrinsics.
macro_rules! vectors {
    (
        $(#[$meta:meta])*
        $name:ident: $lanes:literal lanes of $doubles:ty, $words:ty, in $register:ident;
        $($operation:ident: $intrinsic:ident,)*
        { $($body:tt)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        /// A vector of doubles.
        #[derive(Clone, Copy)]
        pub(super) struct Doubles($doubles);

        /// The intrinsics by the names of their operations.
        mod intrinsic {
            $(pub(super) use std::arch::x86_64::$intrinsic as $operation;)*
        }

        $crate::double::vector::operators! {
            Add, add(a, b) = unsafe { intrinsic::add(a, b) };
            Sub, sub(a, b) = unsafe { intrinsic::sub(a, b) };
            Mul, mul(a, b) = unsafe { intrinsic::mul(a, b) };
        }

        impl Lanes for $name {
            const LANES: usize = $lanes;

            type Doubles = Doubles;
            type Words = $words;

            $crate::double::vector::intrinsics! {
                splat(value: f64) -> Doubles = Doubles(intrinsic::splat(value));
                multiply_add(a: Doubles, b: Doubles, c: Doubles) -> Doubles =
                    Doubles(intrinsic::multiply_add(a.0, b.0, c.0));
                subtract_product(a: Doubles, b: Doubles, c: Doubles) -> Doubles =
                    Doubles(intrinsic::subtract_product(a.0, b.0, c.0));
                bits(x: Doubles) -> $words = intrinsic::bits(x.0);
                splat_words(value: u64) -> $words = intrinsic::splat_words(value.cast_signed());
                splat_halves(value: u32) -> $words = intrinsic::splat_halves(value.cast_signed());
                subtract(a: $words, b: $words) -> $words = intrinsic::subtract(a, b);
                add_halves(a: $words, b: $words) -> $words = intrinsic::add_halves(a, b);
                min_halves(a: $words, b: $words) -> $words = intrinsic::min_halves(a, b);
                high_halves(x: $words) -> $words = intrinsic::shift_right::<32>(x);
            }

            #[inline(always)]
            fn in_order(mut x: Doubles) -> Doubles {
                // SAFETY: the assembly contains no instruction.
                unsafe {
                    asm!(
                        "/* {0} */",
                        inout($register) x.0,
                        options(nomem, nostack, preserves_flags)
                    );
                }
                x
            }

            #[inline(always)]
            fn broadcast_first(x: Doubles) -> Doubles {
                // SAFETY: the target has the instruction set.
                Doubles(unsafe { intrinsic::broadcast(intrinsic::first(x.0)) })
            }

            #[inline(always)]
            fn load(values: &[f64; WIDTH], part: usize) -> Doubles {
                let values = &values.as_chunks::<$lanes>().0[part];
                // SAFETY: the target has the instruction set; the reference covers the vector, no
                // alignment needed.
                Doubles(unsafe { intrinsic::load(values.as_ptr()) })
            }

            #[inline(always)]
            fn store(x: Doubles, values: &mut [f64; WIDTH], part: usize) {
                let values = &mut values.as_chunks_mut::<$lanes>().0[part];
                // SAFETY: as in `load`.
                unsafe { intrinsic::store(values.as_mut_ptr(), x.0) };
            }

            /// In assembly, since the compiler replaces the intrinsic by a slower 64-bit
            /// multiplication where only the low half of the product is used.
            #[inline(always)]
            fn multiply(a: $words, b: $words) -> $words {
                let product;
                // SAFETY: the target has the instruction set; the instruction reads and writes
                // these registers only.
                unsafe {
                    asm!(
                        "vpmuldq {0}, {1}, {2}",
                        out($register) product, in($register) a, in($register) b,
                        options(nomem, nostack, preserves_flags),
                    );
                }
                product
            }

            #[inline(always)]
            fn load_halves(values: &[u32; WIDTH], part: usize) -> $words {
                let values = &values.as_chunks::<$lanes>().0[part];
                // SAFETY: the target has the instruction set; the reference covers half a vector,
                // no alignment needed.
                unsafe { intrinsic::widen(intrinsic::load_half(values.as_ptr().cast())) }
            }

            #[inline(always)]
            fn load_elements(state: &[F; WIDTH], part: usize) -> $words {
                let values = &state.as_chunks::<$lanes>().0[part];
                // SAFETY: as in `load_halves`. An element is a `u32`, its Montgomery form.
                unsafe { intrinsic::widen(intrinsic::load_half(values.as_ptr().cast())) }
            }

            #[inline(always)]
            fn load_packed(packed: &[F]) -> $words {
                let values = &packed.as_chunks::<{ 2 * $lanes }>().0[0];
                // SAFETY: the target has the instruction set; the reference covers the vector, no
                // alignment needed. An element is a `u32`, its Montgomery form.
                unsafe { intrinsic::load_words(values.as_ptr().cast()) }
            }

            $($body)*
        }
    };
}
pub(super) use vectors;
