//! The two fields over which everything in Droste is written.

use p3_field::extension::QuinticTrinomialExtensionField;
use p3_koala_bear::KoalaBear;

pub use droste_poseidon16::field::{DIGEST, F, MODULUS};
pub(crate) use droste_poseidon16::for_packed_field;

/// The challenge field, of degree 5 over [`F`] and about 155 bits: `F[X] / (X^5 + X^2 - 1)`.
///
/// With degree 4 (124 bits), 100 proven bits are out of reach at the sizes of real proofs: the
/// error terms of FRI's batching and commit phase stay above `2^-100`.
pub type EF = QuinticTrinomialExtensionField<KoalaBear>;

/// Number of base field elements in an [`EF`].
pub const EXTENSION_DEGREE: usize = 5;
