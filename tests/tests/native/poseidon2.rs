//! Poseidon2's permutations against ePrint 2023/323, with constants that are generated anew.

use droste_curves::poseidon_prime::grain::Grain;
use droste_native::F;
use droste_native::field::MODULUS;
use droste_native::hash::poseidon2::{
    HALF_FULL_ROUNDS, PARENT_PARTIAL_ROUNDS, PARENT_WIDTH, Poseidon2, SPONGE_PARTIAL_ROUNDS,
    SPONGE_WIDTH,
};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_symmetric::Permutation;

/// The permutation as ePrint 2023/323 defines it (sections 5.1 and 5.2), from its matrices and
/// from constants that are generated anew.
fn reference<const WIDTH: usize>(
    mut state: [F; WIDTH],
    partial_rounds: usize,
    diagonal: [F; WIDTH],
) -> [F; WIDTH] {
    let mut grain = Grain::new(31, WIDTH, 2 * HALF_FULL_ROUNDS, partial_rounds);
    let mut constant = || loop {
        let bits = (0..31).fold(0u32, |value, _| value << 1 | u32::from(grain.bit()));
        if bits < MODULUS {
            break F::new(bits);
        }
    };
    // `circ(2 M4, M4, .., M4)` as in section 5.1; for `M4` Plonky3 takes another MDS matrix.
    let external = |state: &[F; WIDTH]| -> [F; WIDTH] {
        const M4: [[u32; 4]; 4] = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]];
        std::array::from_fn(|i| {
            let entry = |j: usize| F::from_u32(M4[i % 4][j % 4] << u32::from(i / 4 == j / 4));
            (0..WIDTH).map(|j| entry(j) * state[j]).sum()
        })
    };
    state = external(&state);
    for round in 0..2 * HALF_FULL_ROUNDS + partial_rounds {
        let partial = (HALF_FULL_ROUNDS..HALF_FULL_ROUNDS + partial_rounds).contains(&round);
        if partial {
            state[0] = (state[0] + constant()).cube();
            let sum: F = state.into_iter().sum();
            state = std::array::from_fn(|i| sum + diagonal[i] * state[i]);
        } else {
            state = external(&state.map(|x| (x + constant()).cube()));
        }
    }
    state
}

/// The matrix of a partial round is `1 + diag`. Each entry is a sign and numerator, and the
/// exponent of two in the denominator: Plonky3's choice, which ePrint 2023/323 (section 5.3)
/// leaves to the instance.
fn diagonal<const WIDTH: usize>(entries: [(i64, u64); WIDTH]) -> [F; WIDTH] {
    entries.map(|(numerator, shift)| F::from_i64(numerator) * F::TWO.exp_u64(shift).inverse())
}

#[test]
fn permutations_are_those_of_the_paper() {
    let head = [
        (-2, 0),
        (1, 0),
        (2, 0),
        (1, 1),
        (3, 0),
        (4, 0),
        (-1, 1),
        (-3, 0),
        (-4, 0),
    ];
    let tail = [(1, 8), (1, 3), (1, 24), (-1, 8), (-1, 3), (-1, 4), (-1, 24)];
    let mut entries = [(0, 0); PARENT_WIDTH];
    entries[..9].copy_from_slice(&head);
    entries[9..].copy_from_slice(&tail);
    let input = std::array::from_fn(|i| F::from_usize(i * i + 1));
    let expected = reference(input, PARENT_PARTIAL_ROUNDS, diagonal(entries));
    assert_eq!(Poseidon2.permute(input), expected);

    let tail = [
        (1, 8),
        (1, 2),
        (1, 3),
        (1, 4),
        (1, 5),
        (1, 6),
        (1, 24),
        (-1, 8),
        (-1, 3),
        (-1, 4),
        (-1, 5),
        (-1, 6),
        (-1, 7),
        (-1, 9),
        (-1, 24),
    ];
    let mut entries = [(0, 0); SPONGE_WIDTH];
    entries[..9].copy_from_slice(&head);
    entries[9..].copy_from_slice(&tail);
    let input = std::array::from_fn(|i| F::from_usize(i * i + 1));
    let expected = reference(input, SPONGE_PARTIAL_ROUNDS, diagonal(entries));
    assert_eq!(Poseidon2.permute(input), expected);
}
