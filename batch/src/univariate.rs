//! Polynomials in one variable over the 64 bits of a lane, and their products.
//!
//! A lane's bits are the values of a polynomial of degree below 64 at the points `d_0..d_63` of the
//! subspace `S_6`, spanned by the first six elements of the Cantor basis. A product of two such
//! polynomials has degree at most 126, so its values at the 128 points of `S_7` are enough. All
//! these points are in the subfield GF(2^8), where the prover computes in slices: a word of 64
//! points for each of the eight coordinates (Binius64's univariate skip, in other words).

use p3_binary_dft::{domain_point, subspace_polynomial};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::circuit::BITS;
use crate::field::K;

/// Values that a message of the prover has: those at `d_64..d_127`.
pub const EXTENDED: usize = 64;

/// Coordinates of GF(2^8).
pub const COORDINATES: usize = 8;

/// 64 elements of GF(2^8): bit `p` of word `b` is coordinate `b` of element `p`.
pub type Slices = [u64; COORDINATES];

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
    /// For each byte of a lane and each value of it, its part of the values at `d_64..d_127`.
    extension: Vec<[Slices; 256]>,
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
        let extension = (0..BITS / 8)
            .map(|byte| {
                let mut table = [[0; COORDINATES]; 256];
                for value in 1..256usize {
                    let z = 8 * byte + value.trailing_zeros() as usize;
                    let mut slices = table[value & (value - 1)];
                    for p in 0..EXTENDED {
                        let element = inverses[p ^ z];
                        for (b, slice) in slices.iter_mut().enumerate() {
                            *slice ^= u64::from(element >> b & 1) << p;
                        }
                    }
                    table[value] = slices;
                }
                table
            })
            .collect();
        Self { basis, extension }
    }

    /// The values of a lane's polynomial at `d_64..d_127`.
    #[inline]
    pub fn extend(&self, lane: u64) -> Slices {
        let mut slices = [0; COORDINATES];
        for (table, byte) in self.extension.iter().zip(lane.to_le_bytes()) {
            for (slice, part) in slices.iter_mut().zip(&table[usize::from(byte)]) {
                *slice ^= part;
            }
        }
        slices
    }
}

/// The element of the subfield with these coordinates.
pub fn embed(basis: &[K; COORDINATES], byte: u8) -> K {
    (0..COORDINATES)
        .filter(|b| byte >> b & 1 == 1)
        .map(|b| basis[b])
        .sum()
}

/// Lists of 64 elements whose products are computed together: a vector register of words.
const BLOCK: usize = 8;

/// Products of `N` lists of 64 elements, and their multiples by `t^power` added to `sums`.
/// `a` and `b` have coordinates first.
///
/// # Panics
///
/// If `N` is not a multiple of 8.
#[inline]
pub fn add_products<const N: usize>(
    a: &[[u64; N]; COORDINATES],
    b: &[[u64; N]; COORDINATES],
    power: usize,
    sums: &mut [[u64; N]; COORDINATES],
) {
    const { assert!(N.is_multiple_of(BLOCK)) };
    for block in 0..N / BLOCK {
        let part = |lists: &[[u64; N]; COORDINATES]| -> [[u64; BLOCK]; COORDINATES] {
            std::array::from_fn(|i| std::array::from_fn(|n| lists[i][block * BLOCK + n]))
        };
        let mut product = product(&part(a), &part(b));
        for _ in 0..power {
            product = times_t(product);
        }
        for (sum, part) in sums.iter_mut().zip(&product) {
            for (sum, part) in sum[block * BLOCK..].iter_mut().zip(part) {
                *sum ^= part;
            }
        }
    }
}

/// Products modulo `t^8 + t^4 + t^3 + t + 1`.
#[inline(always)]
fn product(
    a: &[[u64; BLOCK]; COORDINATES],
    b: &[[u64; BLOCK]; COORDINATES],
) -> [[u64; BLOCK]; COORDINATES] {
    // Horner's rule, from the highest coordinate of `a` down.
    let mut sum = [[0; BLOCK]; COORDINATES];
    for a in a.iter().rev() {
        sum = times_t(sum);
        for (sum, b) in sum.iter_mut().zip(b) {
            for n in 0..BLOCK {
                sum[n] ^= a[n] & b[n];
            }
        }
    }
    sum
}

/// Products with `t`.
#[inline(always)]
fn times_t(x: [[u64; BLOCK]; COORDINATES]) -> [[u64; BLOCK]; COORDINATES] {
    let add = |i: usize| -> [u64; BLOCK] { std::array::from_fn(|n| x[i][n] ^ x[7][n]) };
    [x[7], add(0), x[1], add(2), add(3), x[4], x[5], x[6]]
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
    use crate::field::frobenius;

    fn unslice(subfield: &Subfield, slices: &Slices, p: usize) -> K {
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
        assert!(elements.iter().all(|&x| frobenius(x, 8) == x));
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
            let mut product = [[0u64; 8]; COORDINATES];
            add_products(&sa.map(|s| [s; 8]), &sb.map(|s| [s; 8]), power, &mut product);
            let slices = product.map(|s| s[0]);
            // The product, less the polynomial of degree 63 with its values at the bits, vanishes
            // there.
            let low: [K; 64] = std::array::from_fn(|z| K::from_bool((a & b) >> z & 1 == 1));
            let extended = extrapolate(&low);
            let weights = extended_weights(x);
            let difference: K = (0..64)
                .map(|p| {
                    let product = unslice(&subfield, &slices, p);
                    (product + extended[p] * subfield.basis[power]) * weights[p]
                })
                .sum();
            let expected = (value(a, x) * value(b, x) + value(a & b, x)) * subfield.basis[power];
            prop_assert_eq!(difference, expected);
        }
    }
}
