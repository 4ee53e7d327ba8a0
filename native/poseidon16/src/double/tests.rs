use p3_field::PrimeCharacteristicRing;
use p3_koala_bear::default_koalabear_poseidon1_16;
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::constants::{MDS_COLUMN, WIDTH};
use super::super::tests::{boundary_states, random_state};
use super::arithmetic::{DOWN, canonical, cubes, integer, reduce};
use super::constants::SQUARE_COLUMN;
use super::lanes::Lanes;
use super::{packed, single};
use crate::field::{F, MODULUS};

const P: i64 = MODULUS as i64;

/// Runs a test with every instruction set of the target.
macro_rules! every_instruction_set {
    ($($test:ident;)*) => {$(
        #[test]
        fn $test() {
            generic::$test::<super::avx2::Avx2, 4>();
            #[cfg(all(target_feature = "avx512f", target_feature = "avx512dq"))]
            generic::$test::<super::avx512::Avx512, 2>();
        }
    )*};
}

every_instruction_set! {
    one_state_agrees_with_plonky3;
    packed_states_agree_with_plonky3;
    residues_are_exact_and_bounded;
    cubes_are_exact_and_bounded;
    two_partial_rounds_of_the_largest_values_are_exact;
}

/// The lanes of a vector.
fn lanes<L: Lanes>(x: L::Doubles) -> Vec<f64> {
    let mut values = [0.0; WIDTH];
    L::store(x, &mut values, 0);
    values[..L::LANES].to_vec()
}

fn vector<L: Lanes>(values: &[f64]) -> L::Doubles {
    let mut padded = [0.0; WIDTH];
    padded[..values.len()].copy_from_slice(values);
    L::load(&padded, 0)
}

fn residue(x: f64) -> i64 {
    assert_eq!(x.fract(), 0.0);
    (x as i64).rem_euclid(P)
}

/// The product of `x` by the circulant matrix of a column.
fn product(column: &[i64; WIDTH], x: &[i64; WIDTH]) -> [i128; WIDTH] {
    std::array::from_fn(|i| {
        (0..WIDTH)
            .map(|j| i128::from(column[(WIDTH + i - j) % WIDTH]) * i128::from(x[j]))
            .sum()
    })
}

/// States of the largest values that the kernels meet, with the signs that make sums largest.
fn extreme_states() -> Vec<[i64; WIDTH]> {
    let mut rng = SmallRng::seed_from_u64(23);
    let mut states = vec![[P - 1; WIDTH], [1 - P; WIDTH]];
    for bits in [0xaaaa_u16, 0x00ff, 0x0f0f, 0x3333, 0x1, 0x8000] {
        states.push(std::array::from_fn(|i| {
            if bits >> i & 1 == 1 { P - 1 } else { 1 - P }
        }));
    }
    states.extend((0..200).map(|_| std::array::from_fn(|_| rng.random_range(1 - P..P))));
    states
}

mod generic {
    use super::*;

    pub fn one_state_agrees_with_plonky3<L: Lanes, const VECTORS: usize>() {
        let plonky3 = default_koalabear_poseidon1_16();
        let mut rng = SmallRng::seed_from_u64(21);
        let random = (0..2_000).map(|_| random_state(&mut rng));
        for state in boundary_states().into_iter().chain(random) {
            let mut output = state;
            single::permute::<L, VECTORS>(&mut output);
            assert_eq!(output, plonky3.permute(state));
        }
    }

    pub fn packed_states_agree_with_plonky3<L: Lanes, const VECTORS: usize>() {
        if L::LANES == 8 {
            packed_states::<L, 16>();
        } else {
            packed_states::<L, 8>();
        }
    }

    fn packed_states<L: Lanes, const HALVES: usize>() {
        let plonky3 = default_koalabear_poseidon1_16();
        let mut rng = SmallRng::seed_from_u64(25);
        let mut states = boundary_states();
        states.resize_with(1024, || random_state(&mut rng));
        for states in states.as_chunks::<HALVES>().0 {
            let mut packed: [[F; HALVES]; WIDTH] =
                std::array::from_fn(|i| states.map(|state| state[i]));
            packed::permute::<L, _>(&mut packed);
            for (lane, &state) in states.iter().enumerate() {
                assert_eq!(packed.map(|element| element[lane]), plonky3.permute(state));
            }
        }
    }

    pub fn residues_are_exact_and_bounded<L: Lanes, const VECTORS: usize>() {
        let mut rng = SmallRng::seed_from_u64(22);
        let limit = 1i64 << 51;
        let mut values = vec![0, 1, -1, P, -P, limit - 1, 1 - limit];
        for quotient in [0, 1, -1, 1000, -1000, (1 << 20) - 20, 20 - (1 << 20)] {
            // Where the quotient is nearly as far from one integer as from the next.
            values.extend((-2..=2).map(|near| quotient * P + P / 2 + near));
        }
        values.extend((0..1000).map(|_| rng.random_range(1 - limit..limit)));
        for value in values {
            let reduced = reduce::<L>(L::splat(value as f64));
            let words = canonical::<L>(integer::<L>(reduced));
            for result in lanes::<L>(reduced) {
                assert_eq!(residue(result), value.rem_euclid(P));
                assert!(result.abs() as i64 <= (P + 1) / 2);
            }
            let mut elements = [F::ZERO; WIDTH];
            L::store_elements(words, &mut elements, 0);
            // An element in Montgomery form is 2^32 times too large.
            let expected = F::from_i64(value) / F::TWO.exp_u64(32);
            assert!(elements[..L::LANES].iter().all(|&x| x == expected));
        }
    }

    pub fn cubes_are_exact_and_bounded<L: Lanes, const VECTORS: usize>() {
        let mut rng = SmallRng::seed_from_u64(24);
        let mut values = vec![
            0,
            1,
            -1,
            P,
            -P,
            P - 1,
            1 - P,
            P / 2,
            -P / 2,
            1 << 30,
            -1 << 30,
        ];
        values.extend((0..1000).map(|_| rng.random_range(-P..=P)));
        let radix = F::TWO.exp_u64(64);
        for value in values {
            let [cube] = cubes::<L, 1>([integer::<L>(L::splat(value as f64))]);
            for result in lanes::<L>(cube * L::splat(DOWN)) {
                let expected = F::from_i64(value).cube() / radix;
                assert_eq!(F::from_i64(residue(result)), expected);
                assert!((result.abs() as i64) < P);
            }
        }
    }

    /// The sums of the square of the matrix have the least room in 53 bits.
    pub fn two_partial_rounds_of_the_largest_values_are_exact<L: Lanes, const VECTORS: usize>() {
        let largest_change = 371 * P;
        for state in extreme_states() {
            for change in [largest_change, -largest_change, 1, 0] {
                let [square, column] = [&SQUARE_COLUMN, &MDS_COLUMN].map(|column| *column);
                let mut expected = product(&square, &state);
                for (value, entry) in expected.iter_mut().zip(column) {
                    *value += i128::from(entry * change);
                }
                let expected = expected.map(|value| value.rem_euclid(i128::from(P)) as i64);

                let mut group = state.map(|value| L::splat(value as f64));
                let change = L::splat(change as f64);
                let mut idle = [L::splat(0.0); WIDTH];
                packed::two_rounds::<L>(&mut group, change, &mut idle, &[0.0; 2]);
                for (value, expected) in group.into_iter().zip(expected) {
                    for lane in lanes::<L>(value) {
                        assert_eq!(residue(lane), expected);
                    }
                }

                let doubles = state.map(|value| value as f64);
                let (parts, _) = doubles.as_chunks::<16>();
                let vectors: [L::Doubles; VECTORS] =
                    std::array::from_fn(|i| vector::<L>(&parts[0][i * L::LANES..][..L::LANES]));
                let after = single::end_two_rounds::<L, VECTORS>(vectors, change);
                for (i, value) in after.into_iter().enumerate() {
                    for (lane, value) in lanes::<L>(value).into_iter().enumerate() {
                        assert_eq!(residue(value), expected[i * L::LANES + lane]);
                    }
                }
            }
        }
    }
}
