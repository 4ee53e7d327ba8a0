//! Field arithmetic of the multi-scalar multiplication.

#[cfg(target_arch = "x86_64")]
pub mod ifma;
pub mod safegcd;

use ark_ff::{BigInt, Fp, MontBackend, MontConfig, PrimeField, Zero};

use safegcd::Modulus;

use crate::mont4::Multiplier;

/// A prime field that the kernels support: arkworks' Montgomery representation in 4 or 6 limbs.
pub trait KernelField: PrimeField {
    /// The inverse of the element; zero for zero.
    fn invert(&self) -> Self;

    /// The element whose Montgomery representation is the inverse of this one's representation,
    /// which is the inverse divided by the square of the radix. Zero for zero.
    fn invert_representation(&self) -> Self;

    /// The product, computed without data-dependent branches where such code exists.
    fn product(&self, other: &Self, _: impl Multiplier) -> Self {
        *self * other
    }

    /// The product, not necessarily reduced below the modulus: it may only be used as a factor.
    fn factor(&self, other: &Self, _: impl Multiplier) -> Self {
        *self * other
    }

    /// The difference, computed without data-dependent branches where such code exists.
    fn difference(&self, other: &Self, _: impl Multiplier) -> Self {
        *self - other
    }

    /// The difference, which may only be used as a factor, and whether it is zero.
    fn gap(&self, other: &Self, _: impl Multiplier) -> (Self, bool) {
        let difference = *self - other;
        (difference, difference.is_zero())
    }

    /// The negated element if `condition` holds, otherwise the element.
    fn negated_if(&self, condition: bool, _: impl Multiplier) -> Self {
        if condition { -*self } else { *self }
    }

    /// The four limbs of the Montgomery representation (radix `2^256`), if the field has four.
    fn limbs4(&self) -> Option<&[u64; 4]> {
        None
    }

    /// The element with this Montgomery representation, which must be below the modulus, if the
    /// field has four limbs.
    fn from_limbs4(_: [u64; 4]) -> Option<Self> {
        None
    }

    /// The modulus, if it has four limbs.
    fn modulus4() -> Option<[u64; 4]> {
        None
    }
}

/// Converts `(x R)^-1` to `x^-1 R`, by two conversions into Montgomery form, each of which
/// multiplies by `R`.
fn restore_montgomery<const N: usize, T: MontConfig<N>>(
    limbs: [u64; N],
) -> Fp<MontBackend<T, N>, N> {
    let once = T::from_bigint(BigInt(limbs));
    once.and_then(|value| T::from_bigint(value.0))
        .unwrap_or_else(Fp::zero)
}

impl<T: MontConfig<4>> KernelField for Fp<MontBackend<T, 4>, 4> {
    fn invert(&self) -> Self {
        restore_montgomery(self.invert_representation().0.0)
    }

    fn invert_representation(&self) -> Self {
        const { assert!(T::MODULUS.0[3] != 0) };
        let modulus = const { Modulus::<5>::new(&T::MODULUS.0) };
        let mut limbs = self.0.0;
        modulus.invert(&mut limbs);
        Fp::new_unchecked(BigInt(limbs))
    }

    #[inline(always)]
    fn product(&self, other: &Self, with: impl Multiplier) -> Self {
        if T::MODULUS.0[3] >> 63 != 0 {
            return *self * other;
        }
        let limbs = with.mul(&self.0.0, &other.0.0, &T::MODULUS.0, T::INV);
        Fp::new_unchecked(BigInt(limbs))
    }

    #[inline(always)]
    fn factor(&self, other: &Self, with: impl Multiplier) -> Self {
        // Since p / 2^256 is at most 1/4, the product of two factors below 2 p is below 2 p.
        if T::MODULUS.0[3] >= 1 << 62 {
            return self.product(other, with);
        }
        let limbs = with.mul_unreduced(&self.0.0, &other.0.0, &T::MODULUS.0, T::INV);
        Fp::new_unchecked(BigInt(limbs))
    }

    #[inline(always)]
    fn difference(&self, other: &Self, with: impl Multiplier) -> Self {
        if T::MODULUS.0[3] >> 63 != 0 {
            return *self - other;
        }
        let limbs = with.sub(&self.0.0, &other.0.0, &T::MODULUS.0);
        Fp::new_unchecked(BigInt(limbs))
    }

    #[inline(always)]
    fn gap(&self, other: &Self, with: impl Multiplier) -> (Self, bool) {
        if T::MODULUS.0[3] >= 1 << 62 {
            let difference = self.difference(other, with);
            return (difference, difference.is_zero());
        }
        // The result is below 2 p.
        let (limbs, same) = with.gap(&self.0.0, &other.0.0, &T::MODULUS.0);
        (Fp::new_unchecked(BigInt(limbs)), same)
    }

    #[inline(always)]
    fn negated_if(&self, condition: bool, with: impl Multiplier) -> Self {
        if T::MODULUS.0[3] >> 63 != 0 {
            return if condition { -*self } else { *self };
        }
        let [a, b, c, d] = self.0.0;
        let condition = condition & (a | b | c | d != 0);
        let limbs = with.negate_if(condition, &self.0.0, &T::MODULUS.0);
        Fp::new_unchecked(BigInt(limbs))
    }

    fn limbs4(&self) -> Option<&[u64; 4]> {
        Some(&self.0.0)
    }

    fn from_limbs4(limbs: [u64; 4]) -> Option<Self> {
        Some(Fp::new_unchecked(BigInt(limbs)))
    }

    fn modulus4() -> Option<[u64; 4]> {
        Some(T::MODULUS.0)
    }
}

impl<T: MontConfig<6>> KernelField for Fp<MontBackend<T, 6>, 6> {
    fn invert(&self) -> Self {
        restore_montgomery(self.invert_representation().0.0)
    }

    fn invert_representation(&self) -> Self {
        let modulus = const { Modulus::<7>::new(&T::MODULUS.0) };
        let mut limbs = self.0.0;
        modulus.invert(&mut limbs);
        Fp::new_unchecked(BigInt(limbs))
    }
}

#[cfg(test)]
mod tests {
    use ark_ff::{One, Zero};

    use super::KernelField;
    use crate::mont4::{Multiplier, Safe};
    use crate::test_utils::{bytes, on_words};

    fn check<F: KernelField>(value: F) {
        assert_eq!(value.invert(), value.inverse().unwrap_or(F::zero()));
        let limbs = F::MODULUS_BIT_SIZE.div_ceil(64);
        let square = F::from(2u64).pow([u64::from(128 * limbs)]);
        assert_eq!(value.invert_representation() * square, value.invert());
    }

    fn check_operations<F: KernelField>(a: F, b: F) {
        check_with(a, b, Safe);
        #[cfg(target_arch = "x86_64")]
        if let Some(adx) = crate::mont4::Adx::new() {
            check_with(a, b, adx);
        }
    }

    fn check_with<F: KernelField>(a: F, b: F, with: impl Multiplier) {
        for (a, b) in [(a, b), (b, a), (a, a), (a, -b)] {
            assert_eq!(a.product(&b, with), a * b);
            assert_eq!(a.difference(&b, with), a - b);
            let (gap, same) = a.gap(&b, with);
            assert_eq!(same, a == b);
            assert_eq!(gap.product(&a, with), (a - b) * a);
            // Each factor as large as it can get.
            let (back, _) = b.gap(&a, with);
            let (square, both) = (gap.factor(&gap, with), gap.factor(&back, with));
            assert_eq!(square.product(&both, with), -(a - b).square().square());
            assert_eq!(square.product(&gap, with), (a - b).square() * (a - b));
            // The longest sequence of unreduced products that additions form: a chain, times a
            // chain, times a reduced element, squared.
            let chain = (0..9).fold(a, |chain, _| chain.factor(&b, with));
            let exact = (0..9).fold(a, |chain, _| chain * b);
            assert_eq!(chain.product(&a, with), exact * a);
            let slope = chain.factor(&chain, with).factor(&b, with);
            let exact = exact.square() * b;
            assert_eq!(slope.product(&slope, with), exact.square());
            assert_eq!(slope.product(&a, with), exact * a);
            assert_eq!(a.negated_if(false, with), a);
            assert_eq!(a.negated_if(true, with), -a);
        }
    }

    fn check_field<F: KernelField>(bytes: &[u8]) {
        let random = F::from_le_bytes_mod_order(bytes);
        let other = F::from_le_bytes_mod_order(&bytes[32..]);
        for value in [F::zero(), F::one(), -F::one(), other] {
            check_operations(random, value);
            check_operations(F::zero(), value);
            check_operations(-F::one(), value);
        }
        check(F::from_le_bytes_mod_order(bytes));
        // Small values, and values close to the modulus.
        check(F::from(u64::from(bytes[0])));
        check(-F::from(u64::from(bytes[0])));
    }

    #[test]
    fn agrees_with_arkworks() {
        on_words(256, 8, &|words| {
            let bytes = bytes(words);
            check_field::<ark_bn254::Fq>(&bytes);
            check_field::<ark_bn254::Fr>(&bytes);
            check_field::<ark_pallas::Fq>(&bytes);
            check_field::<ark_pallas::Fr>(&bytes);
            check_field::<ark_bls12_381::Fq>(&bytes);
        });
    }

    #[test]
    fn boundaries() {
        fn run<F: KernelField>() {
            check(F::zero());
            check(F::one());
            check(-F::one());
            for power in 0..F::MODULUS_BIT_SIZE {
                check(F::from(2u64).pow([u64::from(power)]));
            }
        }
        run::<ark_bn254::Fq>();
        run::<ark_bls12_381::Fq>();
        assert!(ark_bn254::Fq::one().limbs4().is_some() && !ark_bn254::Fq::zero().is_one());
    }
}
