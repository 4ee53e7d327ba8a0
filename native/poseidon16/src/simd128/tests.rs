use p3_koala_bear::default_koalabear_poseidon1_16;
use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::constants::MDS_COLUMN;
use super::super::tests::{boundary_states, random_state};
use super::constants::{Round, constants};
use super::lanes::Lanes;
use super::*;

const P: i32 = MODULUS.cast_signed();

/// Nothing overflows in it either: [`Lanes`] would panic.
#[test]
fn permutation_on_arrays_agrees_with_plonky3() {
    let plonky3 = default_koalabear_poseidon1_16();
    let mut rng = SmallRng::seed_from_u64(30);
    let random = (0..2000).map(|_| random_state(&mut rng));
    for state in boundary_states().into_iter().chain(random) {
        let output = permutation::<Lanes>(constants(), &state);
        assert_eq!(output, plonky3.permute(state));
    }
}

/// On the largest values that the kernel meets the product by the matrix is exact, does not
/// overflow, and is as small as the next step needs it.
#[test]
fn products_of_the_largest_values_are_exact_and_bounded() {
    let mut rng = SmallRng::seed_from_u64(31);
    let signs = [0, 0xffff, 0xaaaa, 0x00ff, 0x0f0f, 0x3333, 0x1, 0x8000];
    let mut states: Vec<[i32; WIDTH]> = signs
        .iter()
        .map(|signs: &u32| std::array::from_fn(|i| if signs >> i & 1 == 1 { P } else { -P }))
        .collect();
    // The largest halves.
    let halves = [i32::from(i16::MIN), i32::from(i16::MAX)];
    for low in halves {
        for high in [-0x7f00, 0x7f00] {
            states.push([(high << 16) + low; WIDTH]);
        }
    }
    states.extend((0..200).map(|_| std::array::from_fn(|_| rng.random_range(-P..=P))));
    for round in [&constants().rounds[0], &constants().rounds[27]] {
        for state in &states {
            check_product(state, round);
        }
    }
}

fn check_product(state: &[i32; WIDTH], round: &Round) {
    let parts = std::array::from_fn(|i| Lanes(std::array::from_fn(|j| state[4 * i + j])));
    let output = Matrix(constants().matrix.map(Lanes)).multiply(parts, round);
    for i in 0..WIDTH {
        let (low, high) = (round.low[i / 4][i % 4], round.high[i / 4][i % 4]);
        let constant = i64::from(low - (1 << 15)) + (i64::from(high) << 16);
        let sum: i64 = (0..WIDTH)
            .map(|j| MDS_COLUMN[(WIDTH + i - j) % WIDTH] * i64::from(state[j]))
            .sum();
        let value = i64::from(output[i / 4].0[i % 4]);
        let modulus = i64::from(P);
        assert_eq!(((value << 16) - sum - constant).rem_euclid(modulus), 0);
        assert!(value.abs() < modulus / 2 + (1 << 24), "{value}");
    }
}

#[test]
fn montgomery_products_are_exact_and_bounded() {
    let mut rng = SmallRng::seed_from_u64(32);
    let edges = [-P, 1 - P, -P / 2, -1, 0, 1, 1 << 24, P / 2, P - 1, P];
    let mut pairs: Vec<[i32; 2]> = edges.iter().flat_map(|&a| edges.map(|b| [a, b])).collect();
    pairs.extend((0..2000).map(|_| [0; 2].map(|_| rng.random_range(-P..=P))));
    for [a, b] in pairs {
        let product = montgomery(Lanes([a; 4]), Lanes([b; 4]));
        let alone = montgomery_alone(a, b);
        assert_eq!(product, Lanes([alone; 4]));
        let difference = (i64::from(alone) << 32) - i64::from(a) * i64::from(b);
        assert_eq!(difference % i64::from(P), 0);
        assert!(alone.abs() < P, "{alone}");
    }
}

/// The vectors of the target do what arrays do.
#[cfg(poseidon16 = "simd128")]
#[test]
fn vectors_agree_with_arrays() {
    use super::wasm::Words;

    fn all<V: Vector>(a: [i32; 4], b: [i32; 4]) -> Vec<V> {
        let (x, y) = (V::new(a), V::new(b));
        let mut results = vec![
            x.with_first(y.first()),
            x.add(y),
            x.sub(y),
            x.xor(y),
            x.and(y),
            x.shift_left::<7>(),
            x.shift_right::<8>(),
            x.add_to_negative(V::new([P; 4])),
            x.low_product(y),
            x.high_product(y),
            x.low_halves(y),
            x.high_halves(y),
            x.dot(y),
        ];
        results.extend(x.pairs());
        results
    }

    /// Those that the kernel does on integers at the ends of their range, where sums would
    /// overflow.
    fn products<V: Vector>(a: i32, b: i32) -> [V; 6] {
        let (x, y) = (V::new([a, b, a, b]), V::new([b, a, a, b]));
        [
            x.low_product(y),
            x.high_product(y),
            x.low_halves(y),
            x.high_halves(y),
            x.add_to_negative(V::new([P; 4])),
            montgomery(x, y),
        ]
    }

    let mut rng = SmallRng::seed_from_u64(33);
    for _ in 0..1000 {
        let [a, b] = [0; 2].map(|_| [0; 4].map(|_| rng.random_range(-P / 2..=P / 2)));
        let found = all::<Words>(a, b);
        for (index, (found, expected)) in found.iter().zip(all::<Lanes>(a, b)).enumerate() {
            assert_eq!(found.lanes(), expected.0, "operation {index}");
        }
    }
    let edges = [-P, 1 - P, -0x7fff, -1, 0, 0x7fff, 0x8000, P - 1, P];
    for a in edges {
        for b in edges {
            let expected = products::<Lanes>(a, b).map(|lanes| lanes.0);
            let found = products::<Words>(a, b).map(|words| words.lanes());
            assert_eq!(found, expected, "{a}, {b}");
        }
    }
}
