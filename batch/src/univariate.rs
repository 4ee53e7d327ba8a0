//! Polynomials in one variable over the 64 bits of a lane, and their products.
//!
//! A lane's bits are the values of a polynomial of degree below 64 at the points `d_0..d_63` of the
//! subspace `S_6`, spanned by the first six elements of the Cantor basis. A product of two such
//! polynomials has degree at most 126, so its values at the 128 points of `S_7` are enough. All
//! these points are in the subfield GF(2^8) (Binius64's univariate skip, in other words).

use p3_binary_dft::{domain_point, subspace_polynomial};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::bits::Points;
use crate::circuit::BITS;
use crate::field::K;

/// Values that a message of the prover has: those at `d_64..d_127`.
pub const EXTENDED: usize = 64;

/// Coordinates of GF(2^8).
pub const COORDINATES: usize = 8;

/// The Lagrange polynomials of the points `first..2^j` of `S_j`, at `x`: `W_j(x) / (x + d_i)`,
/// since the derivative of `W_j` is 1.
fn lagrange(j: usize, first: usize, x: K) -> Vec<K> {
    let vanishing = subspace_polynomial(j, x);
    (first..1 << j)
        .map(|i| {
            let difference = x + domain_point::<K>(i);
            match difference.try_inverse() {
                Some(inverse) => vanishing * inverse,
                None => K::ONE,
            }
        })
        .collect()
}

/// What each bit of a lane weighs in the value of its polynomial at `x`.
pub fn bit_weights(x: K) -> [K; BITS] {
    let weights = lagrange(6, 0, x);
    std::array::from_fn(|z| weights.get(z).copied().unwrap_or_default())
}

/// What each value at `d_64..d_127` weighs in the value at `x` of the polynomial of degree below
/// 128 that is 0 at `d_0..d_63`.
pub fn extended_weights(x: K) -> Vec<K> {
    lagrange(7, BITS, x)
}

/// GF(2^8) by coordinates: powers of a root `t` of `x^8 + x^4 + x^3 + x + 1`.
pub struct Subfield {
    /// `t^0..t^7` in `K`.
    pub basis: [K; COORDINATES],
    /// For each value of a lane's lowest byte, its part of the values at `d_64..d_127`.
    extension: Vec<Points>,
}

/// `t^0..t^7`, for the first `t` of the subfield in the order of the domain.
pub fn powers() -> [K; COORDINATES] {
    // S_8 is the subfield, so a root is among its points.
    let root = (0..256)
        .map(domain_point::<K>)
        .find(|t| {
            let fourth = t.square().square();
            fourth.square() + fourth + t.square() * *t + *t + K::ONE == K::ZERO
        })
        .unwrap_or_default();
    let mut power = K::ONE;
    std::array::from_fn(|_| {
        let current = power;
        power *= root;
        current
    })
}

impl Default for Subfield {
    fn default() -> Self {
        Self::new()
    }
}

impl Subfield {
    /// Makes the tables.
    pub fn new() -> Self {
        let basis = powers();
        let byte_of = |value: K| {
            (0..=255u8)
                .find(|&byte| embed(&basis, byte) == value)
                .unwrap_or(0)
        };
        // W_6 is 1 on the coset S_7 \ S_6, so each Lagrange polynomial is 1 / (x + d_z) there, and
        // d_64 + p + d_z is the point of index 64 + (p xor z).
        let inverses: Vec<u8> = (0..EXTENDED)
            .map(|i| byte_of(domain_point::<K>(64 + i).try_inverse().unwrap_or_default()))
            .collect();
        let mut extension = vec![Points::default()];
        for z in 0..8 {
            let own = Points::new(&std::array::from_fn(|p| inverses[p ^ z]));
            extension.extend_from_within(..);
            for points in extension.iter_mut().skip(1 << z) {
                *points += &own;
            }
        }
        Self { basis, extension }
    }

    /// The values of a lane's polynomial at `d_64..d_127`.
    ///
    /// Bit `z` has `1 / d_(64 + (p xor z))` at point `p`. So the part of another byte than the
    /// lowest is that of the same lowest byte with the points exchanged whose indices differ by the
    /// byte's.
    #[inline]
    pub fn extend(&self, lane: u64) -> Points {
        let mut parts = lane
            .to_le_bytes()
            .map(|byte| self.extension[usize::from(byte)]);
        for width in [1, 2, 4] {
            for i in (0..8).step_by(2 * width) {
                let exchanged = parts[i + width].exchanged(8 * width);
                parts[i] += &exchanged;
            }
        }
        parts[0]
    }
}

/// The element of the subfield with these coordinates.
pub fn embed(basis: &[K; COORDINATES], byte: u8) -> K {
    (0..COORDINATES)
        .filter(|b| byte >> b & 1 == 1)
        .map(|b| basis[b])
        .sum()
}

/// The values at `d_64..d_127` of the polynomial of degree below 64 with these values at
/// `d_0..d_63`.
pub fn extrapolate(values: &[K; BITS]) -> [K; EXTENDED] {
    let inverses: Vec<K> = (0..EXTENDED)
        .map(|i| domain_point::<K>(64 + i).try_inverse().unwrap_or_default())
        .collect();
    std::array::from_fn(|p| (0..BITS).map(|z| values[z] * inverses[p ^ z]).sum())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use p3_binary_field::TowerLevel;
    use proptest::prelude::*;

    use super::*;

    fn unslice(subfield: &Subfield, points: &Points, p: usize) -> K {
        let slices = points.slices();
        let byte = (0..COORDINATES)
            .map(|b| ((slices[b] >> p & 1) as u8) << b)
            .sum();
        embed(&subfield.basis, byte)
    }

    #[test]
    fn weights_at_the_points_are_bits() {
        for i in [0, 5, 63] {
            let weights = bit_weights(domain_point(i));
            assert!((0..64).all(|z| weights[z] == K::from_bool(z == i)));
        }
        let weights = extended_weights(domain_point(64 + 9));
        assert!((0..64).all(|p| weights[p] == K::from_bool(p == 9)));
    }

    /// The argument of the zerocheck: no sum of some of the powers of `t` is zero.
    #[test]
    fn powers_are_a_basis_of_the_subfield() {
        let basis = powers();
        let elements: HashSet<K> = (0..=255).map(|byte| embed(&basis, byte)).collect();
        assert_eq!(elements.len(), 256);
        let conjugate = |x: K| (0..8).fold(x, |power, _| power.square());
        assert!(elements.iter().all(|&x| conjugate(x) == x));
        assert_eq!(Subfield::new().basis, basis);
    }

    proptest! {
        #[test]
        fn products_of_lanes(a in any::<u64>(), b in any::<u64>(), x in any::<u128>(), power in 0usize..8) {
            let subfield = Subfield::new();
            let x = K::from_repr(x);
            let value = |lane: u64, x: K| -> K {
                let weights = bit_weights(x);
                (0..64).filter(|z| lane >> z & 1 == 1).map(|z| weights[z]).sum()
            };
            let (sa, sb) = (subfield.extend(a), subfield.extend(b));
            for p in [0, 1, 62] {
                prop_assert_eq!(unslice(&subfield, &sa, p), value(a, domain_point(64 + p)));
            }
            let mut products = Points::default();
            products.add_products(&sa, 0, &sb, power);
            // The product, less the polynomial of degree 63 with its values at the bits, vanishes
            // there.
            let low: [K; 64] = std::array::from_fn(|z| K::from_bool((a & b) >> z & 1 == 1));
            let extended = extrapolate(&low);
            let weights = extended_weights(x);
            let difference: K = (0..64)
                .map(|p| {
                    let product = unslice(&subfield, &products, p);
                    (product + extended[p] * subfield.basis[power]) * weights[p]
                })
                .sum();
            let expected = (value(a, x) * value(b, x) + value(a & b, x)) * subfield.basis[power];
            prop_assert_eq!(difference, expected);
        }
    }
}
