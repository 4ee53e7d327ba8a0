//! The first pass over the scalars: finds which terms count, how long the scalars are, and how many
//! values repeat.

use std::ops::Range;

use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::Affine;
use ark_ff::BigInt;

use super::backend::Backend;
use super::curve::MsmCurve;
use super::duplicates::Clusters;
use super::parallel::for_ranges;
use super::recode::Word;
use super::schedule::LANES;

/// Number of scalars in the sample by which repeats are estimated.
const SAMPLE: usize = 1024;

/// The scalars of a call.
#[derive(Clone, Copy, Debug)]
pub enum Scalars<'a, F> {
    /// Elements of the field.
    Elements(&'a [F]),
    /// Integers, which may exceed the order.
    Integers(&'a [BigInt<4>]),
}

impl<F> Scalars<'_, F> {
    /// Number of scalars.
    pub fn len(&self) -> usize {
        match self {
            Self::Elements(elements) => elements.len(),
            Self::Integers(integers) => integers.len(),
        }
    }
}

/// What the scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Positions of the scalars that are not zero, ascending.
    pub active: Vec<u32>,
    /// The scalars at these positions.
    pub scalars: Vec<Word>,
    /// Length in bits of the longest of them.
    pub bits: u32,
    /// Share of repeats in a sample of them, in 1/1024.
    pub duplicates: u32,
}

impl Scan {
    /// Scans scalars. Identities among the bases are found when bases are packed, so that they are
    /// read only once.
    pub fn new<C: MsmCurve>(
        backend: &impl Backend<C>,
        scalars: Scalars<'_, C::ScalarField>,
        threads: usize,
    ) -> Self {
        let mut parts = for_ranges(threads, scalars.len(), |range| match scalars {
            Scalars::Integers(integers) => {
                let groups = integers[range.clone()].chunks(LANES);
                Part::new(range, groups.map(|group| padded(group, |x| x.0)))
            }
            Scalars::Elements(elements) => {
                let groups = elements[range.clone()].chunks(LANES);
                let convert = |group: &[_]| match group.as_array() {
                    Some(group) => backend.integers(group),
                    None => backend.integers(&padded(group, |x| *x)),
                };
                Part::new(range, groups.map(convert))
            }
        });
        let mut seen = [0; 4];
        for part in &parts {
            seen.iter_mut().zip(part.seen).for_each(|(s, w)| *s |= w);
        }
        let (active, scalars) = match &mut parts[..] {
            [only] => (
                std::mem::take(&mut only.active),
                std::mem::take(&mut only.scalars),
            ),
            parts => {
                let (active, scalars): (Vec<_>, Vec<_>) = parts
                    .iter()
                    .map(|part| (&part.active[..], &part.scalars[..]))
                    .unzip();
                (active.concat(), scalars.concat())
            }
        };
        let duplicates = duplicate_density(&scalars);
        Self {
            active,
            scalars,
            bits: bit_length(&seen),
            duplicates,
        }
    }

    /// Drops the positions whose base is the identity.
    pub fn drop_identities<C: MsmCurve>(&mut self, bases: &[Affine<C>]) {
        let terms = self.active.iter().zip(&self.scalars);
        let kept = terms.filter(|(i, _)| !bases[**i as usize].is_zero());
        (self.active, self.scalars) = kept.map(|(i, scalar)| (*i, *scalar)).unzip();
        let bits = self.scalars.iter().map(bit_length).max();
        self.bits = bits.unwrap_or_default();
        self.duplicates = duplicate_density(&self.scalars);
    }
}

/// What was found in a range of the scalars.
struct Part {
    active: Vec<u32>,
    scalars: Vec<Word>,
    /// Bitwise OR of all scalars.
    seen: Word,
}

impl Part {
    /// Scans groups of scalars that cover the range; the last group ends in zeros.
    fn new(range: Range<usize>, groups: impl Iterator<Item = [Word; LANES]>) -> Self {
        let mut part = Self {
            active: Vec::with_capacity(range.len()),
            scalars: Vec::with_capacity(range.len()),
            seen: [0; 4],
        };
        for (start, group) in range.step_by(LANES).zip(groups) {
            let (mut positions, mut kept, mut count) = ([0; LANES], [[0; 4]; LANES], 0);
            for (i, scalar) in group.into_iter().enumerate() {
                let or = &mut part.seen;
                *or = [
                    or[0] | scalar[0],
                    or[1] | scalar[1],
                    or[2] | scalar[2],
                    or[3] | scalar[3],
                ];
                // No branch here: zeros among the scalars may follow no pattern that a processor
                // could predict.
                (positions[count], kept[count]) = ((start + i) as u32, scalar);
                count += usize::from(scalar.iter().fold(0, |or, word| or | word) != 0);
            }
            if count == LANES {
                part.active.extend_from_slice(&positions);
                part.scalars.extend_from_slice(&kept);
            } else {
                part.active.extend_from_slice(&positions[..count]);
                part.scalars.extend_from_slice(&kept[..count]);
            }
        }
        part
    }
}

/// A group of scalars, filled up with zeros.
fn padded<T, U: Copy + Default>(group: &[T], map: impl Fn(&T) -> U) -> [U; LANES] {
    let mut out = [U::default(); LANES];
    out.iter_mut()
        .zip(group)
        .for_each(|(out, item)| *out = map(item));
    out
}

/// Position of the highest bit that is set, plus one.
pub fn bit_length(words: &[u64; 4]) -> u32 {
    let top = words.iter().rposition(|&word| word != 0);
    top.map_or(0, |i| 64 * i as u32 + 64 - words[i].leading_zeros())
}

/// Share of repeats in a sample of evenly spaced scalars, in 1/1024. The sample contains fewer
/// repeats than all scalars do, so the estimate is low.
fn duplicate_density(scalars: &[Word]) -> u32 {
    let stride = scalars.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Word> = scalars.iter().step_by(stride).copied().collect();
    let clusters = Clusters::new(&sample, SAMPLE);
    let repeats = clusters.members() - clusters.len();
    (repeats * 1024 / sample.len().max(1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::msm::portable::Portable;
    use ark_bn254::{Fr, G1Affine, g1::Config};
    use ark_ff::{AdditiveGroup, PrimeField};

    #[test]
    fn counts_active_terms_bits_and_repeats() {
        let g = G1Affine::generator();
        let bases = [g, g, G1Affine::identity(), g, g];
        let values = [5u64, 0, 1 << 40, 1 << 13, 5];
        let (elements, integers) = (values.map(Fr::from), values.map(BigInt::from));
        for scalars in [Scalars::Elements(&elements), Scalars::Integers(&integers)] {
            let mut scan = Scan::new::<Config>(&Portable, scalars, 2);
            assert_eq!(scan.active, [0, 2, 3, 4]);
            assert_eq!((scan.bits, scan.duplicates), (41, 1024 / 4));
            scan.drop_identities(&bases);
            assert_eq!(scan.active, [0, 3, 4]);
            assert_eq!(scan.scalars, [5, 1 << 13, 5].map(|word| [word, 0, 0, 0]));
            assert_eq!((scan.bits, scan.duplicates), (14, 1024 / 3));
        }
        let nothing = Scan::new::<Config>(&Portable, Scalars::Elements(&[]), 1);
        assert_eq!(nothing, Scan::default());
    }

    #[test]
    fn threads_and_backends_agree() {
        let count = 5003;
        let scalar = |i: u64| match i % 3 {
            0 => Fr::ZERO,
            _ => -Fr::from(i * i),
        };
        let scalars: Vec<Fr> = (0..count).map(scalar).collect();
        let integers: Vec<_> = scalars.iter().map(|scalar| scalar.into_bigint()).collect();
        let elements = Scalars::Elements(&scalars);
        let expected = Scan::new::<Config>(&Portable, Scalars::Integers(&integers), 1);
        assert_eq!(expected.scalars.len(), scalars.len() * 2 / 3);
        for threads in [1, 2, 3] {
            let found = Scan::new::<Config>(&Portable, elements, threads);
            assert_eq!(found, expected);
            #[cfg(target_arch = "x86_64")]
            if let Some(ifma) = crate::curves::msm::ifma::Ifma::<Config>::new() {
                assert_eq!(Scan::new(&ifma, elements, threads), expected);
            }
        }
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
