//! What the vectors of all instruction sets share: operations that are one intrinsic each.

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

        impl Add for Doubles {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the target has the instruction set.
                Self(unsafe { intrinsic::add(self.0, other.0) })
            }
        }

        impl Sub for Doubles {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: the target has the instruction set.
                Self(unsafe { intrinsic::sub(self.0, other.0) })
            }
        }

        impl Mul for Doubles {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: the target has the instruction set.
                Self(unsafe { intrinsic::mul(self.0, other.0) })
            }
        }

        impl Lanes for $name {
            const LANES: usize = $lanes;

            type Doubles = Doubles;
            type Words = $words;

            #[inline(always)]
            fn splat(value: f64) -> Doubles {
                // SAFETY: the target has the instruction set.
                Doubles(unsafe { intrinsic::splat(value) })
            }

            #[inline(always)]
            fn multiply_add(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
                // SAFETY: the target has the instruction set.
                Doubles(unsafe { intrinsic::multiply_add(a.0, b.0, c.0) })
            }

            #[inline(always)]
            fn subtract_product(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
                // SAFETY: the target has the instruction set.
                Doubles(unsafe { intrinsic::subtract_product(a.0, b.0, c.0) })
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

            #[inline(always)]
            fn bits(x: Doubles) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::bits(x.0) }
            }

            #[inline(always)]
            fn splat_words(value: u64) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::splat_words(value.cast_signed()) }
            }

            #[inline(always)]
            fn splat_halves(value: u32) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::splat_halves(value.cast_signed()) }
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
            fn subtract(a: $words, b: $words) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::subtract(a, b) }
            }

            #[inline(always)]
            fn add_halves(a: $words, b: $words) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::add_halves(a, b) }
            }

            #[inline(always)]
            fn min_halves(a: $words, b: $words) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::min_halves(a, b) }
            }

            #[inline(always)]
            fn high_halves(x: $words) -> $words {
                // SAFETY: the target has the instruction set.
                unsafe { intrinsic::shift_right::<32>(x) }
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
