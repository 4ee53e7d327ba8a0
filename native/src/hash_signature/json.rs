//! Field elements in JSON: canonical integers.
//!
//! They are read as integers of 64 bits, so that whatever is not below the modulus is refused with
//! the same words.

use p3_field::integers::QuotientMap;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::DecodeError;
use crate::field::F;

/// The integers of field elements.
pub fn canonical<const N: usize>(elements: [F; N]) -> [u64; N] {
    elements.map(|element| element.as_canonical_u32().into())
}

/// The elements of a field's value, before which the field has `before` others.
///
/// # Errors
/// Names the field and the first element that is not below the modulus.
pub fn elements<const N: usize>(
    field: &'static str,
    before: usize,
    values: [u64; N],
) -> Result<[F; N], DecodeError> {
    let mut elements = [F::ZERO; N];
    for ((index, element), value) in (before..).zip(&mut elements).zip(values) {
        *element =
            F::from_canonical_checked(value).ok_or(DecodeError::NotCanonical { field, index })?;
    }
    Ok(elements)
}
