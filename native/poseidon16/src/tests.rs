use std::cell::Cell;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use p3_field::{Algebra, Field, PackedValue, PrimeCharacteristicRing};
use p3_koala_bear::default_koalabear_poseidon1_16;
use p3_mds::karatsuba_convolution::mds_circulant_karatsuba_16;
use p3_symmetric::{Permutation, PseudoCompressionFunction};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;

type Packed = <F as Field>::Packing;

pub(super) fn random_state(rng: &mut SmallRng) -> [F; WIDTH] {
    std::array::from_fn(|_| rng.random())
}

/// The textbook definition: in every round constants, S-boxes and the dense matrix.
fn textbook(mut state: [F; WIDTH]) -> [F; WIDTH] {
    for (round, constants) in ROUND_CONSTANTS.iter().enumerate() {
        for i in 0..WIDTH {
            state[i] += constants[i];
        }
        let full = !(HALF_FULL_ROUNDS..HALF_FULL_ROUNDS + PARTIAL_ROUNDS).contains(&round);
        for value in &mut state[..if full { WIDTH } else { 1 }] {
            *value = value.cube();
        }
        state = dense_mds(state);
    }
    state
}

fn dense_mds(state: [F; WIDTH]) -> [F; WIDTH] {
    std::array::from_fn(|i| {
        (0..WIDTH)
            .map(|j| F::from_i64(MDS_COLUMN[(WIDTH + i - j) % WIDTH]) * state[j])
            .sum()
    })
}

/// States whose elements are all at a boundary of the canonical or the Montgomery range.
pub(super) fn boundary_states() -> Vec<[F; WIDTH]> {
    let edges = [
        F::ZERO,
        F::ONE,
        F::NEG_ONE,
        F::TWO,
        -F::TWO,
        F::from_u32(1 << 24),
    ];
    let mut states: Vec<[F; WIDTH]> = edges.iter().map(|&x| [x; WIDTH]).collect();
    for i in 0..WIDTH {
        for &edge in &edges {
            let mut state = [F::ZERO; WIDTH];
            state[i] = edge;
            states.push(state);
        }
    }
    // All kinds of edges side by side, whose sums do not cancel in the ways of the states above.
    let mut rng = SmallRng::seed_from_u64(27);
    let edges = [F::ZERO, F::NEG_ONE, F::ONE, -F::TWO].map(|x| x / F::TWO.exp_u64(32));
    let mixed = |_| std::array::from_fn(|_| edges[rng.random_range(0..4)]);
    states.extend((0..200).map(mixed));
    states
}

/// The vector of p3-koala-bear, which the textbook definition above gives, too.
#[test]
fn published_vector() {
    let output = [
        610090613, 935319874, 1893335292, 796792199, 356405232, 552237741, 55134556, 1215104204,
        1823723405, 1133298033, 1780633798, 1453946561, 710069176, 1128629550, 1917333254,
        1175481618,
    ];
    let input = std::array::from_fn(F::from_usize);
    let output = output.map(F::from_u32);
    assert_eq!(Poseidon16.permute(input), output);
    assert_eq!(textbook(input), output);
}

/// The permutation over any algebra of the base field. It multiplies by the MDS matrix by FFT, in
/// 50 multiplications, and computes the partial rounds by sparse matrices.
fn permute_generic<A: Algebra<F>>(state: &mut [A; WIDTH]) {
    let (first, last) = ROUND_CONSTANTS.split_at(HALF_FULL_ROUNDS + PARTIAL_ROUNDS);
    for constants in &first[..HALF_FULL_ROUNDS] {
        full_round(state, constants);
    }
    partial_rounds(state);
    for constants in last {
        full_round(state, constants);
    }
}

/// One full round: adds the constants, cubes every element, multiplies by the MDS matrix.
fn full_round<A: Algebra<F>>(state: &mut [A; WIDTH], constants: &[F; WIDTH]) {
    for (value, &constant) in state.iter_mut().zip(constants) {
        *value = (value.clone() + constant).cube();
    }
    mds_multiply(state);
}

/// All partial rounds, in the sparse form.
fn partial_rounds<A: Algebra<F>>(state: &mut [A; WIDTH]) {
    let sparse = sparse_partial_rounds();
    for (value, &constant) in state.iter_mut().zip(&sparse.first_constants) {
        *value += constant;
    }
    let input = state.clone();
    for (value, row) in state.iter_mut().zip(&sparse.transition) {
        *value = A::mixed_dot_product(&input, row);
    }
    for round in 0..PARTIAL_ROUNDS {
        state[0] = state[0].cube() + sparse.constants[round];
        let first = A::mixed_dot_product(state, &sparse.first_row[round]);
        let column = &sparse.first_column[round];
        let (head, tail) = state.split_at_mut(1);
        for (value, &entry) in tail.iter_mut().zip(column) {
            *value += head[0].clone() * entry;
        }
        head[0] = first;
    }
}

#[test]
fn agrees_with_plonky3_and_the_textbook() {
    let plonky3 = default_koalabear_poseidon1_16();
    let mut rng = SmallRng::seed_from_u64(16);
    let random = (0..10_000).map(|_| random_state(&mut rng));
    for (i, state) in boundary_states().into_iter().chain(random).enumerate() {
        let output = Poseidon16.permute(state);
        assert_eq!(output, plonky3.permute(state));
        let mut generic = state;
        permute_generic(&mut generic);
        assert_eq!(output, generic);
        if i < 500 {
            assert_eq!(output, textbook(state));
        }
    }
}

#[test]
fn packed_agrees_with_scalar() {
    let mut rng = SmallRng::seed_from_u64(17);
    let mut states = boundary_states();
    while states.len() < 1024 {
        states.push(random_state(&mut rng));
    }
    for lanes in states.chunks_exact(Packed::WIDTH) {
        let mut packed: [Packed; WIDTH] =
            std::array::from_fn(|i| Packed::from_fn(|lane| lanes[lane][i]));
        Poseidon16.permute_mut(&mut packed);
        for (lane, &state) in lanes.iter().enumerate() {
            let output = Poseidon16.permute(state);
            for i in 0..WIDTH {
                assert_eq!(packed[i].as_slice()[lane], output[i]);
            }
        }
    }
}

#[test]
fn compress_is_the_truncated_feed_forward() {
    let mut rng = SmallRng::seed_from_u64(18);
    let state = random_state(&mut rng);
    let output = Poseidon16.permute(state);
    let expected: [F; DIGEST] = std::array::from_fn(|i| output[i] + state[i]);
    let left = std::array::from_fn(|i| state[i]);
    let right = std::array::from_fn(|i| state[DIGEST + i]);
    assert_eq!(Poseidon16.compress(state), expected);
    assert_eq!(Poseidon16.compress_pair(left, right), expected);
    assert_eq!(
        PseudoCompressionFunction::compress(&Poseidon16, [left, right]),
        expected
    );

    let packed = |digest: [F; DIGEST]| digest.map(Packed::from);
    let parents: [Packed; DIGEST] =
        PseudoCompressionFunction::compress(&Poseidon16, [packed(left), packed(right)]);
    for i in 0..DIGEST {
        assert!(parents[i].as_slice().iter().all(|&x| x == expected[i]));
    }
}

#[test]
fn both_forms_of_mds_are_the_circulant_matrix() {
    let mut rng = SmallRng::seed_from_u64(19);
    for _ in 0..200 {
        let state = random_state(&mut rng);
        let mut transformed = state;
        mds_multiply(&mut transformed);
        assert_eq!(transformed, dense_mds(state));
        let mut convolved = state;
        mds_convolve(&mut convolved);
        assert_eq!(convolved, dense_mds(state));
    }
}

thread_local! {
    static MULTIPLICATIONS: Cell<usize> = const { Cell::new(0) };
}

/// An element that counts its multiplications by constants.
#[derive(Clone, Copy, Debug, Default)]
struct Counting(F);

impl From<F> for Counting {
    fn from(value: F) -> Self {
        Self(value)
    }
}

impl Neg for Counting {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<F> for Counting {
    type Output = Self;
    fn mul(self, constant: F) -> Self {
        MULTIPLICATIONS.with(|count| count.update(|count| count.saturating_add(1)));
        Self(self.0 * constant)
    }
}

impl MulAssign<F> for Counting {
    fn mul_assign(&mut self, constant: F) {
        *self = *self * constant;
    }
}

impl Mul for Counting {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl MulAssign for Counting {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

/// Additions and subtractions, which are not counted, of elements and of constants.
macro_rules! implement_linear {
    ($($operand:ty, $value:expr;)*) => {$(
        impl Add<$operand> for Counting {
            type Output = Self;
            fn add(self, other: $operand) -> Self {
                Self(self.0 + $value(other))
            }
        }

        impl AddAssign<$operand> for Counting {
            fn add_assign(&mut self, other: $operand) {
                *self = *self + other;
            }
        }

        impl Sub<$operand> for Counting {
            type Output = Self;
            fn sub(self, other: $operand) -> Self {
                Self(self.0 - $value(other))
            }
        }

        impl SubAssign<$operand> for Counting {
            fn sub_assign(&mut self, other: $operand) {
                *self = *self - other;
            }
        }
    )*};
}

implement_linear! {
    Counting, |other: Self| other.0;
    F, |constant: F| constant;
}

impl Sum for Counting {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, Add::add)
    }
}

impl Product for Counting {
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        factors.fold(Self::ONE, Mul::mul)
    }
}

impl PrimeCharacteristicRing for Counting {
    type PrimeSubfield = F;

    const ZERO: Self = Self(F::ZERO);
    const ONE: Self = Self(F::ONE);
    const TWO: Self = Self(F::TWO);
    const NEG_ONE: Self = Self(F::NEG_ONE);

    fn from_prime_subfield(value: F) -> Self {
        Self(value)
    }
}

impl Algebra<F> for Counting {}

/// Returns the number of multiplications by constants that `work` does on a random state, and the
/// state after it.
fn count(work: impl Fn(&mut [Counting; WIDTH])) -> (usize, [F; WIDTH]) {
    let mut state = random_state(&mut SmallRng::seed_from_u64(20)).map(Counting);
    MULTIPLICATIONS.with(|count| count.set(0));
    work(&mut state);
    (MULTIPLICATIONS.with(Cell::get), state.map(|value| value.0))
}

#[test]
fn mds_by_fft_takes_50_multiplications() {
    let column = MDS_COLUMN.map(F::from_i64);
    let (fft, expected) = count(mds_multiply);
    let (circulant, output) = count(|state| mds_circulant_karatsuba_16(state, &column));
    assert_eq!((fft, circulant), (50, 72));
    assert_eq!(output, expected);
    assert_eq!(count(mds_convolve), (64 + 16 + 4 + 2, expected));

    // A permutation, and a row of the table, multiplies by the matrix in each full round, and once
    // by the dense matrix of the sparse form: 176 multiplications fewer than with the circulant
    // form.
    let full_rounds = 2 * HALF_FULL_ROUNDS;
    let partial = WIDTH * WIDTH + PARTIAL_ROUNDS * (WIDTH + WIDTH - 1);
    assert_eq!(full_rounds * (circulant - fft), 176);
    let (permutation, output) = count(permute_generic);
    assert_eq!(permutation, full_rounds * fft + partial);
    let state = random_state(&mut SmallRng::seed_from_u64(20));
    assert_eq!(output, Poseidon16.permute(state));
}
