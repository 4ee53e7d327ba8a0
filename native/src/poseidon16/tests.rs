use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_koala_bear::default_koalabear_poseidon1_16;
use p3_symmetric::{Permutation, PseudoCompressionFunction};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

use super::*;

type Packed = <F as Field>::Packing;

fn random_state(rng: &mut SmallRng) -> [F; WIDTH] {
    std::array::from_fn(|_| rng.random())
}

/// The definition, word for word: constants, S-boxes, dense matrix, in every round.
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

/// States whose elements all sit at a boundary of the canonical or Montgomery range.
fn boundary_states() -> Vec<[F; WIDTH]> {
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
    states
}

#[test]
fn published_vector() {
    let file: Value = serde_json::from_str(include_str!("../../tests/poseidon16.json")).unwrap();
    let cases = file["permute"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let read = |key: &str| -> [F; WIDTH] {
            let values = case[key].as_array().unwrap();
            assert_eq!(values.len(), WIDTH);
            std::array::from_fn(|i| F::from_u64(values[i].as_u64().unwrap()))
        };
        assert_eq!(Poseidon16.permute(read("input")), read("output"));
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
fn mds_by_fft_is_the_circulant_matrix() {
    let mut rng = SmallRng::seed_from_u64(19);
    for _ in 0..200 {
        let state = random_state(&mut rng);
        let mut transformed = state;
        mds_multiply(&mut transformed);
        assert_eq!(transformed, dense_mds(state));
    }
}

/// Counts multiplications by constants.
#[derive(Clone)]
struct Counting<'a>(&'a std::cell::Cell<usize>);

impl std::ops::Add for Counting<'_> {
    type Output = Self;
    fn add(self, _: Self) -> Self {
        self
    }
}

impl std::ops::Sub for Counting<'_> {
    type Output = Self;
    fn sub(self, _: Self) -> Self {
        self
    }
}

impl std::ops::Mul<F> for Counting<'_> {
    type Output = Self;
    fn mul(self, _: F) -> Self {
        self.0.update(|count| count.saturating_add(1));
        self
    }
}

#[test]
fn mds_by_fft_takes_50_multiplications() {
    let count = std::cell::Cell::new(0);
    mds_multiply(&mut std::array::from_fn(|_| Counting(&count)));
    assert_eq!(count.get(), 50);
}
