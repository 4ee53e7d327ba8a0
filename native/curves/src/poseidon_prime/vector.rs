//! Full rounds by AVX-512 IFMA, with the words of one state side by side, one per lane.
//!
//! The words stay in Montgomery form with radix `2^256`, as in the partial rounds, although
//! products are divided by `2^260` here: `x^alpha` comes out too small by a factor of
//! `2^(4 (alpha - 1))`, for which the matrix makes up. Words are below `2 p` on input, so below
//! `3 p` once a constant is added; a product of two such words is below `(1 + 9 / 32) p`, and so is
//! a sum of `T <= 8` products with entries of the matrix.

use ark_ff::PrimeField;

use super::kernel::words;
use super::parameters::Parameters;
use super::sparse::Sparse;
use crate::mont4::Limbs;
use crate::msm::field::ifma::{self, Fe, LIMBS, Modulus};

/// One number per lane, in limbs.
type Lanes = [[u64; 8]; LIMBS];

/// The full rounds of a permutation.
#[derive(Clone, Debug)]
pub struct Vector<const T: usize> {
    modulus: Modulus,
    squarings: u32,
    beginning: Vec<Round<T>>,
    ending: Vec<Round<T>>,
}

// Aligned to cache lines: loading a vector of 64 bytes that straddles two takes two loads.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Round<const T: usize> {
    constants: Lanes,
    columns: [Lanes; T],
}

/// A value that is aligned to cache lines.
#[repr(align(64))]
struct Aligned<A>(A);

fn lanes<const T: usize>(numbers: &[Limbs; T]) -> Lanes {
    let mut out = [[0; 8]; LIMBS];
    for (lane, number) in numbers.iter().enumerate() {
        for (limb, value) in ifma::limbs(number).into_iter().enumerate() {
            out[limb][lane] = value;
        }
    }
    out
}

impl<const T: usize> Vector<T> {
    /// Returns the rounds, if this machine has the instructions and the state fits into the lanes.
    pub fn new<F: PrimeField>(
        parameters: &Parameters<F, T>,
        sparse: &Sparse<F, T>,
    ) -> Option<Self> {
        // For two words, scalar code is faster.
        if !ifma::available() || !(3..=8).contains(&T) {
            return None;
        }
        let squarings = parameters.squarings()?;
        let factor = F::from(2u64).pow([260 + 4 * (parameters.alpha - 1)]);
        let round = |(constants, matrix): (&[F; T], &[[F; T]; T])| {
            let mut columns = [[[0; 8]; LIMBS]; T];
            for (j, column) in columns.iter_mut().enumerate() {
                let mut numbers = [[0; 4]; T];
                for (number, row) in numbers.iter_mut().zip(matrix) {
                    *number = (row[j] * factor).into_bigint().as_ref().try_into().ok()?;
                }
                *column = lanes(&numbers);
            }
            let constants = lanes(&words(constants)?);
            Some(Round { constants, columns })
        };
        let [beginning, ending] = sparse.full_rounds(parameters);
        Some(Self {
            modulus: Modulus::new(F::MODULUS.as_ref().try_into().ok()?)?,
            squarings,
            beginning: beginning.into_iter().map(round).collect::<Option<_>>()?,
            ending: ending.into_iter().map(round).collect::<Option<_>>()?,
        })
    }

    /// Runs the full rounds before the partial ones, on words below `2 p`.
    pub fn begin(&self, state: &mut [Limbs; T]) {
        // SAFETY: a value of this type exists only where the features are there.
        unsafe { self.run(state, &self.beginning) }
    }

    /// Runs the full rounds after the partial ones, on words below `2 p`.
    pub fn end(&self, state: &mut [Limbs; T]) {
        // SAFETY: as above.
        unsafe { self.run(state, &self.ending) }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn run(&self, state: &mut [Limbs; T], rounds: &[Round<T>]) {
        let mut aligned = Aligned([[0; 8]; 4]);
        let planes = &mut aligned.0;
        for (lane, word) in state.iter().enumerate() {
            for (plane, limb) in planes.iter_mut().zip(word) {
                plane[lane] = *limb;
            }
        }
        let mut lanes = ifma::from_words(&[
            ifma::load(&planes[0]),
            ifma::load(&planes[1]),
            ifma::load(&planes[2]),
            ifma::load(&planes[3]),
        ]);
        for round in rounds {
            lanes = self.round(&lanes, round);
        }
        for (plane, value) in planes.iter_mut().zip(ifma::to_words(&lanes)) {
            ifma::store(plane, value);
        }
        for (lane, word) in state.iter_mut().enumerate() {
            for (plane, limb) in planes.iter().zip(word) {
                *limb = plane[lane];
            }
        }
    }

    #[allow(clippy::needless_range_loop)] // plain loops inline into functions of a target feature
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    fn round(&self, state: &Fe, round: &Round<T>) -> Fe {
        let mut x = *state;
        for limb in 0..LIMBS {
            x[limb] = ifma::load(&round.constants[limb]);
        }
        let x = ifma::normalize(ifma::add(state, &x));
        let m = &self.modulus;
        let mut power = x;
        for _ in 0..self.squarings {
            power = m.mul(&power, &power);
        }
        let power = m.mul(&power, &x);
        let mut factors = Aligned([[0; 8]; LIMBS]);
        for limb in 0..LIMBS {
            ifma::store(&mut factors.0[limb], power[limb]);
        }
        m.dot_broadcast(&round.columns, &factors.0)
    }
}
