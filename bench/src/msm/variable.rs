//! Windows of two sizes in one sum, computed as two sums over the low and the high bits of the
//! scalars. It measures what such a split would gain over one size for all windows.

use ark_ec::short_weierstrass::Affine;
use ark_ff::{AdditiveGroup, BigInt, PrimeField};
use droste_curves::msm::{Msm, MsmCurve};
use serde_json::{Value, json};

use crate::race::duel;

/// Compares windows of one size with windows of size `window` for the low and `window - 1` for the
/// high bits, split such that the top window uses all of its bits, for every `window` near the
/// best.
pub fn rows<C: MsmCurve>(
    options: &Msm,
    bases: &[Affine<C>],
    scalars: &[C::ScalarField],
    rounds: usize,
) -> Vec<Value> {
    // One more bit for the sign.
    let bits = C::ScalarField::MODULUS_BIT_SIZE + 1;
    let mut rows = vec![];
    for window in 8..=16 {
        let windows = bits.div_ceil(window);
        let spare = windows * window - bits;
        if spare == 0 || spare >= windows {
            continue;
        }
        let low_bits = (windows - spare) * window;
        let (low, high): (Vec<_>, Vec<_>) =
            scalars.iter().map(|scalar| cut(scalar, low_bits)).unzip();
        let (below, above) = (
            options.clone().window(window),
            options.clone().window(window - 1),
        );
        let sum = || {
            let low = below.sum_bigint(bases, &low).ok()?;
            let mut sum = above.sum_bigint(bases, &high).ok()?;
            (0..low_bits).for_each(|_| {
                sum.double_in_place();
            });
            Some(sum + low)
        };
        let best = || options.sum(bases, scalars).ok();
        assert!(
            sum() == best(),
            "the two partial sums do not add up to the sum"
        );
        let (variable, fixed) = duel(
            rounds,
            1,
            || {
                std::hint::black_box(sum());
            },
            || {
                std::hint::black_box(best());
            },
        );
        rows.push(json!({
            "n": bases.len(), "windows_below": windows - spare, "bits_below": window,
            "windows_above": spare, "bits_above": window - 1,
            "variable_ms": variable.median() / 1e6, "fixed_ms": fixed.median() / 1e6,
            "ratio": variable.ratio(&fixed),
        }));
    }
    rows
}

/// Returns the low `bits` bits and the remaining ones.
fn cut<F: PrimeField<BigInt = BigInt<4>>>(scalar: &F, bits: u32) -> (BigInt<4>, BigInt<4>) {
    let whole = scalar.into_bigint();
    let high = whole >> bits;
    let mut low = whole;
    ark_ff::BigInteger::sub_with_borrow(&mut low, &(high << bits));
    (low, high)
}
