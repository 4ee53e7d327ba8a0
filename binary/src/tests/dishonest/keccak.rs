//! Lies about Keccak-f.

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;

use super::forced::{force, known};
use super::slow::{Check, DishonestProver, Statement, play};
use super::{CALLS, false_bits, honest, outcome, refused, trace, with_outputs_of};
use crate::calls::Hash;
use crate::circuit::{Row, WORDS};
use crate::field::K;
use crate::keccak::{LANES, RATE_LANES, ROUND_CONSTANTS, ROUNDS, rows};
use crate::statement::tests::calls;
use crate::trace::{circuit, rows_of_call};

/// The state after a round.
fn next(state: &Row, round: usize) -> Row {
    let mut first = [[0; WORDS]; 2];
    rows::<false>(state[..LANES].try_into().unwrap(), &mut first);
    let mut next = first[1];
    next[0] ^= ROUND_CONSTANTS[0] ^ ROUND_CONSTANTS[round];
    next
}

/// The constraints alone determine the output. Nothing forces the word between rate and capacity,
/// nor is it needed.
#[test]
fn outputs_are_forced() {
    for (hash, between) in [(Hash::KeccakF, None), (Hash::KeccakRate, Some(RATE_LANES))] {
        let circuit = circuit(hash);
        let input: Vec<u8> = (0..hash.input_bytes())
            .map(|i| (37 * i + 11) as u8)
            .collect();
        let mut rows = vec![[0; WORDS]; 1 << circuit.log_rows];
        rows_of_call(hash, &input, &mut rows);
        let mut forced = vec![[0; WORDS]; ROUNDS + 1];
        forced[0] = rows[0];
        let words_of_state = LANES + between.iter().count();
        let mut is_known = vec![known(words_of_state..WORDS); ROUNDS + 1];
        let all = known((0..WORDS).filter(|&word| between != Some(word)));
        is_known[0] = all;
        let indices: Vec<usize> = (0..ROUNDS).collect();
        force(&circuit, &indices, &mut forced, &mut is_known);
        assert_eq!(is_known, [all; ROUNDS + 1], "{hash}");
        assert_eq!(forced, rows[..=ROUNDS], "{hash}");
    }
}

/// With eight equal weights instead of the powers of `t`, errors of two rounds would cancel.
#[test]
fn rounds_have_weights_of_their_own() {
    let calls = calls(Hash::KeccakF, CALLS);
    let mut rows = trace(&calls);
    // Any states in rows 1 to 7, and in row 8 what makes the sum of the eight constraints zero.
    let call = &mut rows[32..64];
    for (row, state) in call.iter_mut().enumerate().take(8).skip(2) {
        state[row] ^= 1 << (9 * row);
    }
    call[8] = [0; WORDS];
    for row in 0..8 {
        let after = next(&call[row], row);
        let claimed = if row < 7 { call[row + 1] } else { [0; WORDS] };
        for lane in 0..LANES {
            call[8][lane] ^= after[lane] ^ claimed[lane];
        }
    }
    for row in 8..ROUNDS {
        call[row + 1] = next(&call[row], row);
    }
    let list = with_outputs_of(&calls, &rows);
    assert_ne!(list, calls);
    let mut statement = Statement::new(list, &rows);
    assert_eq!(
        outcome(&statement, DishonestProver::default()),
        Some(Check::Constraints)
    );
    statement.basis = [K::ONE; 8];
    let (proof, failed) = play(&statement, DishonestProver::default());
    assert_eq!(failed, []);
    assert_eq!(refused(statement.calls(), &proof), Some(Check::Constraints));
}

/// A prover with a round constant of its own, whose output follows from it.
#[test]
fn false_round_constants_are_refused() {
    let calls = calls(Hash::KeccakF, CALLS);
    for (round, bit) in [(0, 0), (8, 63), (23, 1)] {
        // All calls have it, so that the prover's sums are zero.
        let mut rows = trace(&calls);
        for call in rows.chunks_mut(32) {
            for row in 0..ROUNDS {
                call[row + 1] = next(&call[row], row);
                call[row + 1][0] ^= u64::from(row == round) << bit;
            }
        }
        let mut statement = Statement::new(with_outputs_of(&calls, &rows), &rows);
        let mut false_circuit = circuit(Hash::KeccakF);
        let constants = &mut false_circuit.groups[0].constants;
        let constant = constants.iter_mut().find(|constant| constant.1 == round);
        constant.unwrap().2 ^= 1 << bit;
        statement.set_circuit(false_circuit);
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            Some(Check::Constraints)
        );
    }
}

/// One false bit in each kind of row.
#[test]
fn false_bits_of_the_trace() {
    let cases = [
        // Inputs and outputs of the list, and of the padding.
        (0, 0, 0, Some(Check::Constraints)),
        (ROUNDS, 24, 63, Some(Check::Constraints)),
        (32 * 15, 3, 31, Some(Check::Constraints)),
        // Between rounds.
        (32 * 8 + 1, 24, 0, Some(Check::Constraints)),
        (32 * 2 + 8, 0, 63, Some(Check::Constraints)),
        (32 * 2 + 23, 12, 5, Some(Check::Constraints)),
        // A free row, and one that is not committed to.
        (25, 0, 0, None),
        (32 * 4 + 31, 24, 63, Some(Check::Claim)),
    ];
    false_bits(Hash::KeccakF, &cases);
}

/// Elements without lanes: the list's rows say that they are zero, and no others matter that are
/// committed to.
#[test]
fn bits_outside_of_the_state() {
    let honest = honest(Hash::KeccakF);
    let high = K::from_repr(1 << 64);
    let cases = [
        // The upper half of element 12.
        (12, 0, Some(Check::Claim)),
        (12, ROUNDS, Some(Check::Claim)),
        (12, 5, None),
        (13, 25, None),
        (15, 5, None),
        // Rows 26 to 31 are not committed to.
        (0, 26, Some(Check::Claim)),
        (15, 31, Some(Check::Claim)),
    ];
    for (element, row, check) in cases {
        let mut elements = honest.elements().to_vec();
        elements[honest.place(32 * 3 + row, element)] += high;
        let statement = Statement::of_elements(honest.calls().clone(), elements);
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            check,
            "element {element} of row {row}"
        );
    }
}
