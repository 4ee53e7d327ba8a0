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
use super::planes::{Block, Planes, by_word, compress};
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
    pub scalars: Planes,
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
        let count = scalars.len();
        let parts = for_ranges(threads, count, &|range| {
            // The first part gets room for all, because the others are appended to it.
            let room = if range.start == 0 { count } else { range.len() };
            let positions = range.clone();
            match scalars {
                Scalars::Integers(integers) => {
                    let groups = integers[range].chunks(LANES);
                    let convert = |group: &[_]| by_word(&padded(group, |x: &BigInt<4>| x.0));
                    Part::new(positions, room, groups.map(convert))
                }
                Scalars::Elements(elements) => {
                    let groups = elements[range].chunks(LANES);
                    let convert = |group: &[_]| match group.as_array() {
                        Some(group) => backend.integers(group),
                        None => backend.integers(&padded(group, |x| *x)),
                    };
                    Part::new(positions, room, groups.map(convert))
                }
            }
        });
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_default();
        for part in parts {
            whole.append(&part);
        }
        whole.scalars.finish();
        Self {
            active: whole.active,
            bits: whole.scalars.bits(),
            duplicates: duplicate_density(&whole.scalars),
            scalars: whole.scalars,
        }
    }

    /// Drops the positions whose base is the identity.
    pub fn drop_identities<C: MsmCurve>(&mut self, bases: &[Affine<C>]) {
        let active = std::mem::take(&mut self.active);
        let term = |at: &usize| !bases[active[*at] as usize].is_zero();
        let kept: Vec<usize> = (0..active.len()).filter(term).collect();
        self.active = kept.iter().map(|&at| active[at]).collect();
        self.scalars = self.scalars.select(kept.iter().copied());
        self.bits = self.scalars.bits();
        self.duplicates = duplicate_density(&self.scalars);
    }
}

/// What was found in a range of the scalars.
#[derive(Default)]
struct Part {
    active: Vec<u32>,
    scalars: Planes,
}

impl Part {
    /// Scans groups of scalars that cover the range; the last group ends in zeros.
    fn new(range: Range<usize>, room: usize, groups: impl Iterator<Item = Block>) -> Self {
        let mut active = Vec::with_capacity(room);
        // Blocks are written whole, and what follows their last nonzero scalar is overwritten.
        active.resize(range.len() + LANES, 0);
        let mut scalars = Planes::with_room(room);
        for (start, mut group) in range.step_by(LANES).zip(groups) {
            let mut positions = [0; LANES];
            for (lane, position) in positions.iter_mut().enumerate() {
                *position = (start + lane) as u32;
            }
            let count = compress(&mut group, &mut positions);
            if let Some(next) = active[scalars.len()..].first_chunk_mut() {
                *next = positions;
            }
            scalars.push(&group, count);
        }
        active.truncate(scalars.len());
        Self { active, scalars }
    }

    /// Appends the part that comes next.
    fn append(&mut self, next: &Self) {
        self.active.extend_from_slice(&next.active);
        self.scalars.append(&next.scalars);
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

/// Share of repeats in a sample of evenly spaced scalars, in 1/1024. The sample contains fewer
/// repeats than all scalars do, so the estimate is low.
fn duplicate_density(scalars: &Planes) -> u32 {
    let stride = scalars.len().div_ceil(SAMPLE).max(1);
    let sample = scalars.select((0..scalars.len()).step_by(stride));
    let clusters = Clusters::new(&sample, SAMPLE);
    let repeats = clusters.members() - clusters.len();
    (repeats * 1024 / sample.len().max(1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::portable::Portable;
    use crate::msm::tests::on_backends;
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
            let kept: Vec<u64> = (0..3).map(|i| scan.scalars.get(i)[0]).collect();
            assert_eq!(kept, [5, 1 << 13, 5]);
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
            on_backends!(backend => {
                assert_eq!(Scan::new::<Config>(backend, elements, threads), expected);
            });
        }
    }
}
