//! Polynomials in one variable over the 64 bits of a lane, and their products.
//!
//! A lane's bits are the values of a polynomial of degree below 64 at the points `d_0..d_63` of the
//! subspace `S_6`, spanned by the first six elements of the Cantor basis. A product of two such
//! polynomials has degree at most 126, so its values at the 128 points of `S_7` are enough. All
//! these points are in the subfield GF(2^8) (Binius64's univariate skip, in other words).

use std::array::from_fn;

use p3_binary_dft::{domain_point, subspace_polynomial};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::bits::{BitMatrix, Bytes, Words};
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

/// The values of polynomials at `d_64..d_127`, one for each of 64 words: value `8 P + q` is in list
/// `q` at place `P`.
pub type Points = [[Bytes; 8]; 8];

/// GF(2^8) by coordinates: powers of a root `t` of `x^8 + x^4 + x^3 + x + 1`.
pub struct Subfield {
    /// `t^0..t^7` in `K`.
    pub basis: [K; COORDINATES],
    /// For each power of `t` the values at `d_64..d_127`, times it.
    extensions: [Extension; COORDINATES],
}

/// The matrices of [`Subfield::extend`], for each `q`.
type Extension = [[BitMatrix; EVALUATIONS]; 8];

/// Products that one of two lists of eight elements takes.
const EVALUATIONS: usize = 27;

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
        let extensions = from_fn(|power| {
            from_fn(|q| {
                // For each difference of bytes, what the bits of one have at point `q` of another.
                let columns: [[u8; 8]; 8] = from_fn(|difference| {
                    from_fn(|y| times_power(inverses[8 * difference + (q ^ y)], power))
                });
                let columns = evaluate(&columns, |left, right| from_fn(|y| left[y] ^ right[y]));
                columns.map(|columns| BitMatrix::new(&columns))
            })
        });
        Self { basis, extensions }
    }

    /// The values of words' polynomials at `d_64..d_127`, times `t^power`.
    ///
    /// Bit `z` has `1 / d_(64 + (p xor z))` at point `p`. So what byte `b` has at point `8 P + q`
    /// is the product with a matrix that depends on `q` and on `P xor b`: for each `q`, bytes and
    /// matrices are multiplied as elements of the group algebra of three bits, for which
    /// Karatsuba's formula takes `3^3` products.
    #[inline]
    pub fn extend(&self, words: &Words, power: usize) -> Points {
        let bytes = evaluate(&words.bytes(), |left, right| left ^ right).map(Bytes::factor);
        let matrices = &self.extensions[power];
        from_fn(|q| interpolate(&from_fn(|i| bytes[i].image(&matrices[q][i]))))
    }
}

/// Of eight elements, which three bits number, the sums over both values of some of the bits: a
/// digit of the index, in the base of three, is a bit, or 2 for the sum.
#[inline(always)]
fn evaluate<T: Copy>(list: &[T; 8], add: impl Fn(T, T) -> T) -> [T; EVALUATIONS] {
    let sum = |i: usize, j: usize| add(list[i], list[j]);
    let lowest: [[T; 3]; 4] = from_fn(|i| [list[2 * i], list[2 * i + 1], sum(2 * i, 2 * i + 1)]);
    let middle: [[T; 9]; 2] = from_fn(|i| {
        let [left, right] = [lowest[2 * i], lowest[2 * i + 1]];
        from_fn(|k| match k / 3 {
            0 => left[k % 3],
            1 => right[k % 3],
            _ => add(left[k % 3], right[k % 3]),
        })
    });
    let [left, right] = middle;
    from_fn(|k| match k / 9 {
        0 => left[k % 9],
        1 => right[k % 9],
        _ => add(left[k % 9], right[k % 9]),
    })
}

/// The product of two lists in the group algebra, from the products of what [`evaluate`] makes of
/// them.
#[inline(always)]
fn interpolate(products: &[Bytes; EVALUATIONS]) -> [Bytes; 8] {
    let (highest, _) = products.as_chunks::<9>();
    let middle = halves(highest);
    let lowest: [[[Bytes; 3]; 2]; 2] = middle.map(|list| halves(list.as_chunks().0));
    from_fn(|i| {
        let [first, second, of_sums] = lowest[i / 4][i / 2 % 2];
        let equal = first ^ second;
        if i % 2 == 0 { equal } else { equal ^ of_sums }
    })
}

/// For a bit of the index, the products at equal bits and those at different ones, given those of
/// zeros, of ones, and of sums.
#[inline(always)]
fn halves<const N: usize>(products: &[[Bytes; N]]) -> [[Bytes; N]; 2] {
    let equal: [Bytes; N] = from_fn(|k| products[0][k] ^ products[1][k]);
    [equal, from_fn(|k| equal[k] ^ products[2][k])]
}

/// Coordinates of the product with `t^power`.
fn times_power(byte: u8, power: usize) -> u8 {
    (0..power).fold(byte, |byte, _| (byte << 1) ^ ((byte >> 7) * 0x1b))
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

    /// The value at `d_(64 + p)` of the word at a place.
    fn unslice(subfield: &Subfield, points: &Points, p: usize, place: usize) -> K {
        let slices = points[p % 8][p / 8].slices();
        let byte = (0..COORDINATES)
            .map(|b| ((slices[b] >> place & 1) as u8) << b)
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
            let words = |word: u64| Words::new(&from_fn(|eight| from_fn(|i| word.rotate_left(8 * eight as u32 + i as u32))));
            let (sa, sb) = (subfield.extend(&words(a), power), subfield.extend(&words(b), 0));
            for p in [0, 1, 62] {
                for place in [0, 7, 63] {
                    let expected = value(b.rotate_left(place), domain_point(64 + p));
                    prop_assert_eq!(unslice(&subfield, &sb, p, place as usize), expected);
                }
            }
            let products: Points = from_fn(|q| from_fn(|i| sa[q][i].times(sb[q][i])));
            // The product, less the polynomial of degree 63 with its values at the bits, vanishes
            // there.
            let low: [K; 64] = std::array::from_fn(|z| K::from_bool((a & b) >> z & 1 == 1));
            let extended = extrapolate(&low);
            let weights = extended_weights(x);
            let difference: K = (0..64)
                .map(|p| {
                    let product = unslice(&subfield, &products, p, 0);
                    (product + extended[p] * subfield.basis[power]) * weights[p]
                })
                .sum();
            let expected = (value(a, x) * value(b, x) + value(a & b, x)) * subfield.basis[power];
            prop_assert_eq!(difference, expected);
        }
    }
}
