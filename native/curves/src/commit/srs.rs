//! Powers of a secret over BN254, from a `.ptau` file of snarkjs, which is checked, or from a seed
//! for tests.
//!
//! The format of the file: the bytes `ptau`, a version, then sections of `(type, size, data)`;
//! numbers are little-endian. Section 1 contains the modulus and the logarithm of the number of
//! powers, section 2 the powers over the first group, section 3 those over the second. Coordinates
//! are Montgomery representations with radix `2^256`.

// This module reads files, and no file may lead to a panic, so it is linted for what `lib.rs`
// allows.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

use ark_bn254::{Bn254, Fq, Fq2, Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{BigInt, Field, Fp, PrimeField, Zero};
use thiserror::Error;

use super::transcript::Transcript;
use crate::msm;

/// Why a file of powers is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SrsError {
    /// The file is shorter than its headers say.
    #[error("the file ends at byte {at}, in the middle of {what}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Length of the file.
        at: usize,
    },
    /// The file is not of this kind or version, or is for another curve.
    #[error("{0} differs from that of a .ptau file of version 1 for BN254")]
    Header(&'static str),
    /// A section is missing, occurs twice, or has the wrong size.
    #[error(
        "section {section} is missing, repeated, or of a size that does not fit 2^{power} powers"
    )]
    Section {
        /// Number of the section.
        section: u32,
        /// Logarithm of the number of powers.
        power: u32,
    },
    /// A point is not in the group.
    #[error("power {index} over G{group} is not a point of that group")]
    Point {
        /// The exponent.
        index: usize,
        /// The group, 1 or 2.
        group: u8,
    },
    /// The points are not the powers of one secret.
    #[error("the points are not powers of one nonzero secret")]
    Powers,
    /// The file has fewer powers than were asked for.
    #[error("the file has {available} powers, expected at least {wanted}")]
    TooFew {
        /// Powers asked for.
        wanted: usize,
        /// Powers in the file.
        available: usize,
    },
}

/// Powers `tau^i` of a secret, times the generator of the first group, and `tau` times that of the
/// second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Srs {
    powers: Vec<G1Affine>,
    tau_g2: G2Affine,
}

impl Srs {
    /// Powers of a secret that anybody can compute from the seed. For tests and benches only, since
    /// knowing the secret allows opening a commitment to any value.
    pub fn insecure_from_seed(seed: &[u8], len: usize) -> Self {
        let mut transcript = Transcript::new(b"insecure-srs");
        transcript.append_bytes(b"seed", seed);
        let tau: Fr = transcript.challenge(b"tau");
        let g = G1Projective::generator();
        // Fixed-base multiplication: a table of the generator's multiples for windows of 8 bits.
        let table: Vec<Vec<G1Projective>> =
            std::iter::successors(Some(g), |base| Some((0..8).fold(*base, |p, _| p + p)))
                .take(32)
                .map(|base| {
                    std::iter::successors(Some(G1Projective::zero()), |p| Some(*p + base))
                        .take(256)
                        .collect()
                })
                .collect();
        let multiple = |factor: Fr| -> G1Projective {
            let bytes = factor.into_bigint().0.map(u64::to_le_bytes).concat();
            let rows = table.iter().zip(bytes);
            rows.filter_map(|(row, byte)| row.get(usize::from(byte)))
                .sum()
        };
        let points: Vec<_> = std::iter::successors(Some(Fr::ONE), |power| Some(*power * tau))
            .take(len)
            .map(multiple)
            .collect();
        Self {
            powers: G1Projective::normalize_batch(&points),
            tau_g2: (G2Projective::generator() * tau).into_affine(),
        }
    }

    /// The first `len` powers of a `.ptau` file. Everything that is read is checked: header and
    /// sections, canonical coordinates, curve and group membership, and, by a random combination,
    /// that the points are the powers of one nonzero secret. That last check accepts other points
    /// with probability at most `len / 2^254`.
    pub fn from_ptau(file: &[u8], len: usize) -> Result<Self, SrsError> {
        let sections = Sections::parse(file)?;
        let available = 2 * sections.count - 1;
        if len > available {
            let wanted = len;
            return Err(SrsError::TooFew { wanted, available });
        }
        let mut powers = Vec::with_capacity(len);
        for (index, bytes) in sections.g1.chunks_exact(64).take(len.max(2)).enumerate() {
            let wrong = SrsError::Point { index, group: 1 };
            powers.push(g1(bytes).ok_or(wrong)?);
        }
        let mut second = sections.g2.chunks_exact(128);
        let mut second = (0..2).map(|index| {
            let wrong = SrsError::Point { index, group: 2 };
            second.next().and_then(g2).ok_or(wrong)
        });
        let (g2, tau_g2) = match (second.next(), second.next()) {
            (Some(g2), Some(tau_g2)) => (g2?, tau_g2?),
            _ => return Err(SrsError::Powers),
        };
        check_powers(&powers, g2, tau_g2)?;
        powers.truncate(len);
        Ok(Self { powers, tau_g2 })
    }

    /// Number of powers over the first group.
    pub fn len(&self) -> usize {
        self.powers.len()
    }

    /// Whether there are no powers.
    pub fn is_empty(&self) -> bool {
        self.powers.is_empty()
    }

    pub(super) fn tau_g2(&self) -> G2Affine {
        self.tau_g2
    }

    pub(super) fn into_powers(self) -> Vec<G1Affine> {
        self.powers
    }
}

/// Checks `e(sum_i rho_i P_(i+1), g2) = e(sum_i rho_i P_i, tau g2)` for random `rho_i`, and that
/// both lists of powers start with the generators.
fn check_powers(powers: &[G1Affine], g2: G2Affine, tau_g2: G2Affine) -> Result<(), SrsError> {
    let wrong_start = powers.first() != Some(&G1Affine::generator());
    if wrong_start || g2 != G2Affine::generator() || tau_g2.is_zero() {
        return Err(SrsError::Powers);
    }
    let mut transcript = Transcript::new(b"ptau-check");
    for power in powers {
        transcript.append(b"power", power);
    }
    transcript.append(b"tau-g2", &tau_g2);
    let rho: Fr = transcript.challenge(b"rho");
    let (Some((_, all_but_last)), Some((_, all_but_first))) =
        (powers.split_last(), powers.split_first())
    else {
        return Err(SrsError::Powers);
    };
    let factors: Vec<Fr> = std::iter::successors(Some(rho), |power| Some(*power * rho))
        .take(all_but_first.len())
        .collect();
    let combine = |points| msm::msm(points, &factors).map_err(|_| SrsError::Powers);
    let low = combine(all_but_last)?;
    let high = combine(all_but_first)?;
    let points = [high.into_affine(), (-low).into_affine()];
    let product = Bn254::multi_pairing(points, [g2, tau_g2]);
    product.is_zero().then_some(()).ok_or(SrsError::Powers)
}

/// The parts of a file that are read.
struct Sections<'a> {
    /// Number of powers over the second group.
    count: usize,
    g1: &'a [u8],
    g2: &'a [u8],
}

/// The largest logarithm of the number of powers that is accepted. A larger file would not fit a
/// machine's memory, and the bound keeps sizes from overflowing.
const MAX_POWER: u32 = 28;

impl<'a> Sections<'a> {
    fn parse(file: &'a [u8]) -> Result<Self, SrsError> {
        let mut rest = Bytes { file, at: 0 };
        let header = SrsError::Header;
        if rest.take(4, "the magic")? != b"ptau" {
            return Err(header("the magic"));
        }
        if rest.u32("the version")? != 1 {
            return Err(header("the version"));
        }
        let mut found: [Option<&[u8]>; 3] = [None; 3];
        for _ in 0..rest.u32("the number of sections")? {
            let kind = rest.u32("a section's type")?;
            let size = rest.u64("a section's size")?;
            let data = rest.take(usize::try_from(size).unwrap_or(usize::MAX), "a section")?;
            let index = (kind as usize).checked_sub(1);
            if let Some(slot) = index.and_then(|i| found.get_mut(i)) {
                if slot.is_some() {
                    let (section, power) = (kind, 0);
                    return Err(SrsError::Section { section, power });
                }
                *slot = Some(data);
            }
        }
        let missing = |section| SrsError::Section { section, power: 0 };
        let [header_section, g1, g2] = found;
        let file = header_section.ok_or(missing(1))?;
        let mut first = Bytes { file, at: 0 };
        if first.u32("the size of the modulus")? != 32 {
            return Err(header("the size of the modulus"));
        }
        if first.take(32, "the modulus")? != Fq::MODULUS.0.map(u64::to_le_bytes).concat() {
            return Err(header("the modulus"));
        }
        let power = first.u32("the power")?;
        if power > MAX_POWER {
            return Err(header("the power"));
        }
        let count = 1usize << power;
        let sized = |section: u32, data: Option<&'a [u8]>, length: usize| {
            data.filter(|data| data.len() == length)
                .ok_or(SrsError::Section { section, power })
        };
        Ok(Self {
            count,
            g1: sized(2, g1, (2 * count - 1) * 64)?,
            g2: sized(3, g2, count * 128)?,
        })
    }
}

struct Bytes<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], SrsError> {
        let at = self.file.len();
        let end = self.at.saturating_add(count);
        let taken = self.file.get(self.at..end);
        let taken = taken.ok_or(SrsError::Truncated { what, at })?;
        self.at = end;
        Ok(taken)
    }

    fn u32(&mut self, what: &'static str) -> Result<u32, SrsError> {
        let bytes = self.take(4, what)?;
        let bytes = bytes.iter().rev();
        Ok(bytes.fold(0, |sum, &byte| sum << 8 | u32::from(byte)))
    }

    fn u64(&mut self, what: &'static str) -> Result<u64, SrsError> {
        let low = u64::from(self.u32(what)?);
        Ok(low | u64::from(self.u32(what)?) << 32)
    }
}

fn coordinate(bytes: &[u8]) -> Option<Fq> {
    let mut limbs = [0u64; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        *limb = u64::from_le_bytes(chunk.try_into().ok()?);
    }
    let representation = BigInt(limbs);
    (representation < Fq::MODULUS).then_some(Fp::new_unchecked(representation))
}

fn g1(bytes: &[u8]) -> Option<G1Affine> {
    let (x, y) = bytes.split_at_checked(32)?;
    let (x, y) = (coordinate(x)?, coordinate(y)?);
    let point = G1Affine::new_unchecked(x, y);
    // In G1 every point of the curve is in the group. The identity, which is not on the curve in
    // this form, is no power of a nonzero secret.
    point.is_on_curve().then_some(point)
}

fn g2(bytes: &[u8]) -> Option<G2Affine> {
    let mut c = bytes.chunks_exact(32).map(coordinate);
    let mut next = || Some(Fq2::new(c.next()??, c.next()??));
    let point = G2Affine::new_unchecked(next()?, next()?);
    (point.is_on_curve() && point.is_in_correct_subgroup_assuming_on_curve()).then_some(point)
}
