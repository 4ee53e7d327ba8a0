//! The sparse form in 4-limb arithmetic without full reductions, for common fields whose modulus
//! `p` leaves the top bits of four limbs unused.
//!
//! Each word of a matrix product is a sum of products that is reduced once, and nothing is brought
//! below `p` before the end. The bounds assume `(T + 1) p <= 2/3 2^256`, hence `p <= 2/9 2^256`.
//! Words are below `2 p` between rounds, and below `3 p` once a constant is added; a product of two
//! factors below `3 p` is below `(1 + 9 p / 2^256) p <= 3 p`; a sum of `T` such factors times
//! constants is below `(1 + 3 T p / 2^256) p < 3 p`, and one subtraction of `2 p` brings it below
//! `2 p` again.
//!
//! Partial rounds are computed in pairs. The sum that the second round of a pair takes over the
//! words that the first one changes equals the same sum over the unchanged words, plus a constant
//! times the power of the first round. So neither sum has to wait for a power, and both updates of
//! a word are reduced together.

use std::any::Any;

use ark_ff::{BigInt, PrimeField};

use super::parameters::Parameters;
use super::sparse::{Sparse, SparseRound};
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::mont4::Adx;
use crate::mont4::{Limbs, Multiplier, Safe, add};

/// The constants of a permutation, as limbs in Montgomery form.
#[derive(Clone, Debug)]
pub struct Kernel<const T: usize> {
    p: Limbs,
    /// `2 p`.
    twice: Limbs,
    /// `-p^-1 mod 2^64`.
    inverse: u64,
    /// Number of squarings in the power: 2 for `x^5`, 4 for `x^17`.
    squarings: u32,
    beginning: Vec<FullRound<T>>,
    pairs: Vec<PartialPair<T>>,
    /// The last partial round, if the number of partial rounds is odd.
    odd: Option<PartialRound<T>>,
    ending: Vec<FullRound<T>>,
    /// Full rounds on all words at once, if the machine has the instructions.
    #[cfg(target_arch = "x86_64")]
    vector: Option<Vector<T>>,
}

#[derive(Clone, Debug)]
struct FullRound<const T: usize> {
    constants: [Limbs; T],
    matrix: [[Limbs; T]; T],
}

#[derive(Clone, Debug)]
struct PartialRound<const T: usize> {
    constant: Limbs,
    row: [Limbs; T],
    column: [Limbs; T],
}

/// Two consecutive partial rounds.
#[derive(Clone, Debug)]
struct PartialPair<const T: usize> {
    constants: [Limbs; 2],
    rows: [[Limbs; T]; 2],
    /// For each word, its coefficients of the first and the second power; for word 0, in the state
    /// after both rounds.
    columns: [[Limbs; 2]; T],
}

impl<const T: usize> PartialPair<T> {
    fn new<F: PrimeField>(first: &SparseRound<F, T>, second: &SparseRound<F, T>) -> Option<Self> {
        let mut columns = [[[0; 4]; 2]; T];
        for (word, columns) in columns.iter_mut().enumerate().skip(1) {
            *columns = words(&[first.column[word], second.column[word]])?;
        }
        let cross = (1..T).map(|i| second.row[i] * first.column[i]).sum();
        columns[0] = words(&[cross, second.row[0]])?;
        Some(Self {
            constants: words(&[first.constant, second.constant])?,
            rows: [words(&first.row)?, words(&second.row)?],
            columns,
        })
    }
}

impl<const T: usize> Kernel<T> {
    /// Returns the kernel, if this field, width and power are supported.
    pub fn new<F: PrimeField>(
        parameters: &Parameters<F, T>,
        sparse: &Sparse<F, T>,
    ) -> Option<Self> {
        let p: Limbs = F::MODULUS.as_ref().try_into().ok()?;
        // Require 3 (T + 1) p <= 2^257, with the top limb of p rounded up.
        if 3 * (T as u128 + 1) * (u128::from(p[3]) + 1) > 1 << 65 {
            return None;
        }
        let squarings = parameters.squarings()?;
        let full = |(constants, matrix): (&[F; T], &[[F; T]; T])| {
            let mut rows = [[[0; 4]; T]; T];
            for (row, from) in rows.iter_mut().zip(matrix) {
                *row = words(from)?;
            }
            Some(FullRound {
                constants: words(constants)?,
                matrix: rows,
            })
        };
        let [beginning, ending] = sparse.full_rounds(parameters);
        let (pairs, odd) = sparse.rounds.as_chunks();
        let pairs = pairs.iter().map(|[a, b]| PartialPair::new(a, b));
        let odd = odd.first().map(|round| {
            Some(PartialRound {
                constant: words(&[round.constant])?[0],
                row: words(&round.row)?,
                column: words(&round.column)?,
            })
        });
        #[cfg(target_arch = "x86_64")]
        let vector = Vector::new(parameters, sparse);
        Some(Self {
            #[cfg(target_arch = "x86_64")]
            vector,
            p,
            twice: add(&p, &p),
            inverse: inverse(p[0]),
            squarings,
            beginning: beginning.into_iter().map(full).collect::<Option<_>>()?,
            pairs: pairs.collect::<Option<_>>()?,
            odd: match odd {
                Some(round) => Some(round?),
                None => None,
            },
            ending: ending.into_iter().map(full).collect::<Option<_>>()?,
        })
    }

    /// Permutes a state, and returns whether it is over the field that the kernel was made for.
    pub fn permute<F: PrimeField>(&self, state: &mut [F; T]) -> bool {
        let Some(mut limbs) = words(state) else {
            return false;
        };
        #[cfg(target_arch = "x86_64")]
        if let Some(adx) = Adx::new() {
            match &self.vector {
                Some(vector) => self.permute_vectorised(&mut limbs, vector, adx),
                None => self.permute_limbs(&mut limbs, adx),
            }
            return set_words(state, &limbs);
        }
        self.permute_limbs(&mut limbs, Safe);
        set_words(state, &limbs)
    }

    #[cfg(target_arch = "x86_64")]
    fn permute_vectorised(&self, state: &mut [Limbs; T], vector: &Vector<T>, with: Adx) {
        vector.begin(state);
        self.partial_rounds(state, with);
        vector.end(state);
        for word in state {
            *word = with.subtract_once(word, &self.p);
        }
    }

    #[inline(always)]
    fn permute_limbs(&self, state: &mut [Limbs; T], with: impl Multiplier) {
        for round in &self.beginning {
            self.full_round(state, round, with);
        }
        self.partial_rounds(state, with);
        for round in &self.ending {
            self.full_round(state, round, with);
        }
        for word in state {
            *word = with.subtract_once(word, &self.p);
        }
    }

    #[inline(always)]
    fn full_round(&self, state: &mut [Limbs; T], round: &FullRound<T>, with: impl Multiplier) {
        for (word, constant) in state.iter_mut().zip(&round.constants) {
            *word = self.power(&add(word, constant), with);
        }
        let powers = *state;
        for (word, row) in state.iter_mut().zip(&round.matrix) {
            let sum = with.dot_unreduced(row, &powers, &self.p, self.inverse);
            *word = with.subtract_once(&sum, &self.twice);
        }
    }

    #[inline(always)]
    fn partial_rounds(&self, state: &mut [Limbs; T], with: impl Multiplier) {
        for pair in &self.pairs {
            self.partial_pair(state, pair, with);
        }
        if let Some(round) = &self.odd {
            self.partial_round(state, round, with);
        }
    }

    #[inline(always)]
    fn partial_pair(&self, state: &mut [Limbs; T], pair: &PartialPair<T>, with: impl Multiplier) {
        let dot = |a: &[Limbs], b: &[Limbs]| {
            // The sum is below (7 / 3) p, and after the subtraction below (4 / 3) p.
            let sum = with.dot_unreduced(a, b, &self.p, self.inverse);
            with.subtract_once(&sum, &self.p)
        };
        let sums = [0, 1].map(|i| dot(&pair.rows[i][1..], &state[1..]));
        let first = self.power(&add(&state[0], &pair.constants[0]), with);
        let product = with.mul_unreduced(&first, &pair.rows[0][0], &self.p, self.inverse);
        let word = with.subtract_once(&add(&product, &sums[0]), &self.twice);
        let second = self.power(&add(&word, &pair.constants[1]), with);
        state[0] = sums[1];
        for (word, columns) in state.iter_mut().zip(&pair.columns) {
            let update = dot(columns, &[first, second]);
            *word = with.subtract_once(&add(word, &update), &self.twice);
        }
    }

    /// The sum over the other words, which does not depend on the power, comes first, so that the
    /// processor computes both at once.
    #[inline(always)]
    fn partial_round(
        &self,
        state: &mut [Limbs; T],
        round: &PartialRound<T>,
        with: impl Multiplier,
    ) {
        let sum = with.dot_unreduced(&round.row[1..], &state[1..], &self.p, self.inverse);
        let first = self.power(&add(&state[0], &round.constant), with);
        let add_product = |word: &Limbs, factor: &Limbs| {
            let product = with.mul_unreduced(&first, factor, &self.p, self.inverse);
            with.subtract_once(&add(word, &product), &self.twice)
        };
        state[0] = add_product(&with.subtract_once(&sum, &self.p), &round.row[0]);
        for (word, factor) in state.iter_mut().zip(&round.column).skip(1) {
            *word = add_product(word, factor);
        }
    }

    /// `x^5` or `x^17`, for a word below `3 p`.
    #[inline(always)]
    fn power(&self, x: &Limbs, with: impl Multiplier) -> Limbs {
        let square = |y: &Limbs| with.mul_unreduced(y, y, &self.p, self.inverse);
        let mut power = square(&square(x));
        if self.squarings == 4 {
            power = square(&square(&power));
        }
        with.mul_unreduced(&power, x, &self.p, self.inverse)
    }
}

/// `-p^-1 mod 2^64` by Newton's iteration, for odd `p`.
fn inverse(p: u64) -> u64 {
    let step = |x: u64, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x)));
    (0..6).fold(1, step).wrapping_neg()
}

/// Evaluates `$call` on an array of field elements if their field is one of those supported.
macro_rules! known {
    ($elements:expr, $cast:ident, $found:ident => $call:expr) => {{
        let elements = $elements;
        if let Some($found) = elements.$cast::<[ark_bls12_377::Fr; N]>() {
            $call
        } else if let Some($found) = elements.$cast::<[ark_bn254::Fr; N]>() {
            $call
        } else {
            None
        }
    }};
}

/// The Montgomery representations of the elements, if their field is supported.
#[inline(always)]
pub(super) fn words<F: PrimeField, const N: usize>(elements: &[F; N]) -> Option<[Limbs; N]> {
    known!(elements as &dyn Any, downcast_ref, found => Some(found.map(|x| x.0.0)))
}

/// Sets the elements from their Montgomery representations, and returns whether the field is
/// supported.
#[inline(always)]
fn set_words<F: PrimeField, const N: usize>(elements: &mut [F; N], words: &[Limbs; N]) -> bool {
    let set = known!(elements as &mut dyn Any, downcast_mut, found => {
        for (element, words) in found.iter_mut().zip(words) {
            element.0 = BigInt(*words);
        }
        Some(())
    });
    set.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poseidon_prime::{Poseidon, circom, poseidon377};
    use crate::test_utils::{bytes, on_words};

    /// Both multipliers compared with the dense form in arkworks' arithmetic.
    fn check<F: PrimeField, const T: usize>(poseidon: &Poseidon<F, T>, state: [F; T]) {
        let mut expected = state;
        poseidon.permute_dense(&mut expected);
        let kernel = poseidon
            .kernel()
            .expect("a kernel for this field and width");
        let mut limbs = words(&state).unwrap();
        kernel.permute_limbs(&mut limbs, Safe);
        assert_eq!(limbs, words(&expected).unwrap());
        #[cfg(target_arch = "x86_64")]
        if let Some(adx) = Adx::new() {
            let mut limbs = words(&state).unwrap();
            kernel.permute_limbs(&mut limbs, adx);
            assert_eq!(limbs, words(&expected).unwrap());
        }
        let mut found = state;
        assert!(kernel.permute(&mut found));
        assert_eq!(found, expected);
    }

    fn check_bytes<F: PrimeField, const T: usize>(poseidon: &Poseidon<F, T>, bytes: &[u8]) {
        check(
            poseidon,
            std::array::from_fn(|i| F::from_le_bytes_mod_order(&bytes[i..i + 64])),
        );
        // States of words next to the modulus, of zeros, and of ones.
        check(
            poseidon,
            std::array::from_fn(|i| match bytes[i] % 4 {
                0 => F::ZERO,
                1 => F::ONE,
                2 => -F::ONE,
                _ => -F::from(u64::from(bytes[i])),
            }),
        );
    }

    #[test]
    fn agrees_with_the_dense_form() {
        let two = Poseidon::<_, 2>::new(poseidon377::parameters().unwrap()).unwrap();
        let five = Poseidon::<_, 5>::new(poseidon377::parameters().unwrap()).unwrap();
        let eight = Poseidon::<_, 8>::new(poseidon377::parameters().unwrap()).unwrap();
        let circom = Poseidon::<_, 2>::new(circom::parameters().unwrap()).unwrap();
        on_words(32, 10, &|words| {
            let bytes = bytes(words);
            check_bytes(&two, &bytes);
            check_bytes(&five, &bytes);
            check_bytes(&eight, &bytes);
            check_bytes(&circom, &bytes);
        });
    }

    #[test]
    fn only_where_the_bounds_hold() {
        let wide = Poseidon::<_, 5>::new(circom::parameters().unwrap()).unwrap();
        assert!(wide.kernel().is_none());
        let p = u128::from(ark_bls12_377::Fr::MODULUS.0[3]) + 1;
        assert!(3 * 9 * p <= 1 << 65);
    }
}
