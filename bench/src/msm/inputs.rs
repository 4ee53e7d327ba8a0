//! Bases and scalars that multiplications are measured on.

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::PrimeField;
use clap::ValueEnum;
use droste_curves::msm::MsmCurve;

/// Kinds of scalars.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scalars {
    /// Uniform below the group order.
    Uniform,
    /// 30% zeros, 30% drawn from 16 values, the rest uniform.
    Dup60,
    /// Uniform with 64 bits.
    Bits64,
    /// Uniform with 128 bits.
    Bits128,
    /// One value for all terms.
    Equal,
}

/// SplitMix64, which is reproducible and good enough to generate scalars.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn element<F: PrimeField>(&mut self, words: usize) -> F {
        let bytes: Vec<u8> = (0..words).flat_map(|_| self.next().to_le_bytes()).collect();
        F::from_le_bytes_mod_order(&bytes)
    }
}

/// Returns distinct points: each is the one before plus the same step.
pub fn bases<C: MsmCurve>(n: usize) -> Vec<Affine<C>> {
    let mut words = Words(1);
    let g = Projective::<C>::generator();
    let start = g * words.element::<C::ScalarField>(8);
    let step = g * words.element::<C::ScalarField>(8);
    let walk: Vec<_> = std::iter::successors(Some(start), |point| Some(*point + step))
        .take(n)
        .collect();
    Projective::normalize_batch(&walk)
}

/// Returns scalars of a kind.
pub fn scalars<F: PrimeField>(kind: Scalars, n: usize) -> Vec<F> {
    let mut words = Words(2);
    let few: Vec<F> = (0..16).map(|_| words.element(8)).collect();
    (0..n)
        .map(|_| match kind {
            Scalars::Uniform => words.element(8),
            Scalars::Bits64 => words.element(1),
            Scalars::Bits128 => words.element(2),
            Scalars::Equal => few[0],
            Scalars::Dup60 => match words.next() % 10 {
                0..3 => F::ZERO,
                3..6 => few[(words.next() % 16) as usize],
                _ => words.element(8),
            },
        })
        .collect()
}
