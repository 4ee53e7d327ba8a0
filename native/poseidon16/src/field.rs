//! The base field.

use p3_koala_bear::KoalaBear;

/// The base field, KoalaBear: integers modulo `p = 2^31 - 2^24 + 1`.
pub type F = KoalaBear;

/// Number of base field elements in a Poseidon-16 digest: 248 bits, hence 124 bits against
/// collisions.
pub const DIGEST: usize = 8;

/// The modulus `p` of the base field.
pub const MODULUS: u32 = 0x7f00_0001;

/// Calls a macro with the packed field's type, on targets where the field is not its own packing.
#[doc(hidden)]
#[macro_export]
macro_rules! for_packed_field {
    ($macro:ident) => {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        $macro!(p3_koala_bear::PackedKoalaBearAVX512);

        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx2",
            not(target_feature = "avx512f")
        ))]
        $macro!(p3_koala_bear::PackedKoalaBearAVX2);

        #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
        $macro!(p3_koala_bear::PackedKoalaBearNeon);
    };
}
