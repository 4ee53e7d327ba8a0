//! First look at the scalars: which terms count, how many bits there are, which values repeat.

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::Affine;
use std::collections::HashMap;

use super::curve::MsmCurve;
use super::recode::Word;

/// Scalars looked at to estimate how many are repeats.
const SAMPLE: usize = 1024;

/// What the scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Positions whose scalar and base are both nonzero, ascending.
    pub active: Vec<u32>,
    /// Length of the longest active scalar.
    pub bits: u32,
    /// Repeats among the sampled active scalars, in 1/1024.
    pub duplicates: u32,
}

impl Scan {
    /// Scans pairs of bases and scalars of equal number.
    pub fn new<C: MsmCurve>(bases: &[Affine<C>], scalars: &[Word]) -> Self {
        let mut active = Vec::with_capacity(scalars.len());
        let mut seen = [0u64; 4];
        for (i, (base, (scalar, _))) in bases.iter().zip(scalars).enumerate() {
            if *scalar != [0; 4] && !base.is_zero() {
                active.push(i as u32);
                seen.iter_mut().zip(scalar).for_each(|(s, w)| *s |= w);
            }
        }
        let duplicates = duplicate_density(&active, scalars);
        Self {
            active,
            bits: bit_length(&seen),
            duplicates,
        }
    }
}

/// Position of the highest bit that is set, plus one.
pub fn bit_length(words: &[u64; 4]) -> u32 {
    let top = words.iter().rposition(|&word| word != 0);
    top.map_or(0, |i| 64 * i as u32 + 64 - words[i].leading_zeros())
}

/// Repeats in an evenly spread sample; repeats within the sample stand for far more in the whole,
/// so this errs on the low side.
fn duplicate_density(active: &[u32], scalars: &[Word]) -> u32 {
    if active.is_empty() {
        return 0;
    }
    let stride = active.len().div_ceil(SAMPLE);
    let mut seen = HashMap::with_capacity(SAMPLE);
    let (mut sampled, mut repeats) = (0u32, 0u32);
    for &i in active.iter().step_by(stride) {
        sampled += 1;
        let count = seen.entry(scalars[i as usize].0).or_insert(0u32);
        repeats += u32::from(*count > 0);
        *count += 1;
    }
    repeats * 1024 / sampled
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bn254::{G1Affine, g1::Config};

    #[test]
    fn counts_active_terms_bits_and_repeats() {
        let g = G1Affine::generator();
        let bases = [g, g, G1Affine::identity(), g, g];
        let scalars = [5u64, 0, 1 << 40, 1 << 13, 5].map(|word| ([word, 0, 0, 0], 0));
        let scan = Scan::new::<Config>(&bases, &scalars);
        assert_eq!(scan.active, [0, 3, 4]);
        assert_eq!(scan.bits, 14);
        assert_eq!(scan.duplicates, 1024 / 3);
        assert_eq!(Scan::new::<Config>(&[], &[]), Scan::default());
    }

    #[test]
    fn bit_lengths() {
        assert_eq!(bit_length(&[0; 4]), 0);
        for bit in 0..256 {
            let mut words = [0u64; 4];
            words[bit / 64] |= 1 << (bit % 64);
            assert_eq!(bit_length(&words), bit as u32 + 1);
            words[0] |= 1;
            assert_eq!(bit_length(&words), bit as u32 + 1);
        }
    }
}
