//! The path for few terms: sums them by interleaved windows, without buckets.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::{AdditiveGroup, Zero};

use super::arena::{Arena, Size};
use super::curve::MsmCurve;
use super::planes::Planes;
use super::recode::{Digits, bucket_count};

/// Largest number of terms for which this path is taken.
pub const MAX_TERMS: usize = 16;

const WINDOW: u32 = 4;

/// Returns `sum_i k_i P_i` by shared doublings (Straus), for nonidentity points and scalars of
/// `bits` bits.
pub fn sum_small<C: MsmCurve>(points: &[Affine<C>], scalars: &Planes, bits: u32) -> Projective<C> {
    let mut arena = Arena::<()>::default();
    let shape = [scalars.len(), 1];
    let size = Size::of::<(), _>(|c| drop(Digits::lay_out(c, shape, bits, WINDOW)));
    let mut digits = Digits::lay_out(&mut arena.carve(size), shape, bits, WINDOW);
    digits.recode(false, 1, |start| [scalars.block(start)]);
    let multiples: Vec<Vec<Projective<C>>> = points.iter().map(multiples).collect();
    let mut total = Projective::<C>::zero();
    let mut row = vec![0; points.len()];
    for window in (0..digits.windows()).rev() {
        (0..WINDOW).for_each(|_| {
            total.double_in_place();
        });
        digits.extract(window, 0, 0..points.len(), &mut row);
        for (multiples, digit) in multiples.iter().zip(&row) {
            let value = (digit >> 1) as usize;
            if value > 0 {
                let term = multiples[value - 1];
                total += if digit & 1 == 1 { -term } else { term };
            }
        }
    }
    total
}

/// Returns `P, 2P, ...` up to the largest digit.
fn multiples<C: MsmCurve>(point: &Affine<C>) -> Vec<Projective<C>> {
    let first = point.into_group();
    std::iter::successors(Some(first), |last| Some(*last + point))
        .take(bucket_count(WINDOW))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::{Fr, G1Projective, g1::Config};
    use ark_ec::PrimeGroup;
    use ark_ff::PrimeField;

    #[test]
    fn agrees_with_single_multiplications() {
        let g = G1Projective::generator();
        for n in 0..6u64 {
            let scalars: Vec<Fr> = (0..n).map(|i| -Fr::from(i * i + 1)).collect();
            let points: Vec<Affine<Config>> =
                (0..n).map(|i| (g * Fr::from(i + 3)).into()).collect();
            let expected = (0..n).map(|i| -Fr::from((i * i + 1) * (i + 3))).sum::<Fr>();
            let words: Planes = scalars.iter().map(|s| s.into_bigint().0).collect();
            assert_eq!(sum_small(&points, &words, 254), g * expected);
        }
    }
}
