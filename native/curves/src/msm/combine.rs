//! Window combination: the sum of points weighted by powers of two, by one Horner pass over the
//! bits.

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::{AdditiveGroup, Zero};

use super::curve::MsmCurve;

/// Returns the sum of `2^shift P` over all pairs.
pub fn combine<C: MsmCurve>(mut terms: Vec<(u32, Affine<C>)>) -> Projective<C> {
    terms.sort_by_key(|&(shift, _)| std::cmp::Reverse(shift));
    let mut total = Projective::<C>::zero();
    let mut at = terms.first().map_or(0, |&(shift, _)| shift);
    for (shift, point) in terms {
        (shift..at).for_each(|_| {
            total.double_in_place();
        });
        at = shift;
        total += point;
    }
    (0..at).for_each(|_| {
        total.double_in_place();
    });
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::{Fr, G1Projective, g1::Config};
    use ark_ec::PrimeGroup;

    #[test]
    fn weighs_by_powers_of_two() {
        let g = G1Projective::generator();
        let terms = |shifts: &[u32]| -> Vec<(u32, Affine<Config>)> {
            shifts.iter().map(|&shift| (shift, g.into())).collect()
        };
        assert_eq!(combine(terms(&[])), G1Projective::zero());
        assert_eq!(combine(terms(&[5, 0, 3, 3])), g * Fr::from(32 + 1 + 8 + 8));
        assert_eq!(combine(terms(&[7])), g * Fr::from(128));
    }
}
