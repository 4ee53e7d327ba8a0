//! The two fields everything in Droste is written over.

use p3_field::extension::QuinticTrinomialExtensionField;
use p3_koala_bear::KoalaBear;

/// The base field, KoalaBear: integers modulo `p = 2^31 - 2^24 + 1`.
pub type F = KoalaBear;

/// The challenge field, of degree 5 over [`F`] and about 155 bits: `F[X] / (X^5 + X^2 - 1)`.
///
/// Degree 4 (124 bits) cannot reach 100 proven bits at real sizes: the batching and commit terms of
/// FRI cap it below.
pub type EF = QuinticTrinomialExtensionField<KoalaBear>;

/// Number of base field elements in an [`EF`].
pub const EXTENSION_DEGREE: usize = 5;

/// Number of base field elements in a Poseidon-16 digest (248 bits, so 124 bits against collisions).
pub const DIGEST: usize = 8;

/// The modulus `p` of the base field.
pub const MODULUS: u32 = 0x7f00_0001;

/// Calls a macro with the type of the packed field, on targets where it is not the field itself.
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
pub(crate) use for_packed_field;
