//! The multilinear extension of a point's powers.

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{Result, check_range};
use crate::field::{EF, F};

/// Largest number of coordinates of [`power_weights`]: a two-adic subgroup has at most `2^24`
/// points.
pub const MAX_WEIGHT_COORDINATES: usize = 24;

/// The product of `1 - r_i + r_i x^(2^i)` over the coordinates `r_i`, where `x` is the generator to
/// the power of the exponent's canonical integer.
///
/// Expanded, it is the sum of `x^j` times `prod_i (1 - r_i or r_i, as bit i of j is 0 or 1)` over
/// the integers `j` of as many bits: the multilinear extension of the powers of `x`, at the
/// coordinates. WHIR gives this weight to a queried point.
///
/// # Errors
/// If there are no coordinates or more than [`MAX_WEIGHT_COORDINATES`], or the exponent has more
/// bits than there are coordinates.
pub fn power_weights(coordinates: &[EF], generator: F, exponent: F) -> Result<EF> {
    const NAME: &str = "power_weights";
    let (n, most) = (coordinates.len(), MAX_WEIGHT_COORDINATES as u64);
    check_range(NAME, "number of coordinates", n as u64, 1, most)?;
    let exponent = u64::from(exponent.as_canonical_u32());
    check_range(NAME, "exponent", exponent, 0, (1 << n) - 1)?;
    let mut power = generator.exp_u64(exponent);
    let mut product = EF::ONE;
    for &r in coordinates {
        product *= r * (power - F::ONE) + EF::ONE;
        power = power.square();
    }
    Ok(product)
}
