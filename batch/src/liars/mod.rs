//! Provers that lie, each in a transcript that is consistent with its lie.

mod slow;

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;

use self::slow::{Check, Liar, Stage, Statement, play};
use crate::columns::ColumnsError;
use crate::field::K;
use crate::keccak::{LANES, ROUNDS, State, next, states};
use crate::proof::{Proof, ProofError, prove, verify};
use crate::reduction::ReductionError;
use crate::ring_switch::RingSwitchError;
use crate::trace::Calls;
use crate::trace::tests::calls;
use crate::zerocheck::ZerocheckError;

/// More calls than 8, so that the trace has 16 and the opening has two rounds.
const CALLS: usize = 9;

/// Rows of the trace.
const ROWS: usize = 16 * 32;

/// The first check that the verifier finds to fail.
fn refused(calls: &Calls, proof: &Proof) -> Option<Check> {
    match verify(calls, proof) {
        Ok(_) => None,
        Err(ProofError::Reduction(ReductionError::Zerocheck(ZerocheckError::Constraints))) => {
            Some(Check::Constraints)
        }
        Err(ProofError::Reduction(ReductionError::Columns(ColumnsError::Values))) => {
            Some(Check::Values)
        }
        Err(ProofError::Reduction(ReductionError::RingSwitch(RingSwitchError::Sums))) => {
            Some(Check::Sums)
        }
        Err(ProofError::Claim) => Some(Check::Claim),
        Err(error) => panic!("{error}"),
    }
}

/// The states of the trace: those of the calls, then of calls of zero.
fn trace(calls: &Calls) -> Vec<State> {
    let padding = [[0; LANES]; ROWS / 32];
    let inputs = calls.inputs().iter().chain(&padding).take(ROWS / 32);
    inputs
        .flat_map(|input| {
            let mut rows = [[0; LANES]; 32];
            rows[..=ROUNDS].copy_from_slice(&states(input));
            rows
        })
        .collect()
}

/// The list with this output of call 1.
fn with_output(calls: &Calls, output: State) -> Calls {
    let mut outputs = calls.outputs().to_vec();
    outputs[1] = output;
    Calls::new(calls.inputs().to_vec(), outputs).unwrap()
}

/// A list with one false bit of an output, and a trace that has it, too: only the last round is false.
fn false_output() -> Statement {
    let calls = calls(CALLS);
    let mut rows = trace(&calls);
    rows[32 + ROUNDS][7] ^= 1 << 40;
    Statement::new(with_output(&calls, rows[32 + ROUNDS]), &rows)
}

/// Plays, and compares what fails with what the verifier refuses.
fn outcome(statement: &Statement, liar: Liar) -> Option<Check> {
    let (proof, failed) = play(statement, liar);
    let refused = refused(statement.calls(), &proof);
    assert_eq!(refused, failed.first().copied(), "{liar:?}");
    refused
}

/// The check that a false message before it fails.
fn check_after(stage: Stage) -> Check {
    match stage {
        Stage::Trace | Stage::Bits | Stage::Row(_) => Check::Constraints,
        Stage::Lanes | Stage::Column(_) => Check::Values,
        Stage::Values => Check::Sums,
        _ => Check::Claim,
    }
}

/// Stages that are rounds of sum checks.
fn rounds() -> impl Iterator<Item = Stage> {
    let opening = |i| (0..4).map(move |j| Stage::Opening(i, j));
    (0..9)
        .map(Stage::Row)
        .chain((0..11).map(Stage::Column))
        .chain(opening(0))
        .chain(opening(1))
        .chain((0..5).map(Stage::Last))
}

/// The slow prover is the real one.
#[test]
fn an_honest_play_is_the_proof() {
    for count in [CALLS, 16] {
        let calls = calls(count);
        let statement = Statement::new(calls.clone(), &trace(&calls));
        let (proof, failed) = play(&statement, Liar::default());
        assert_eq!(failed, []);
        assert_eq!(proof, prove(&calls).unwrap());
        assert!(verify(&calls, &proof).is_ok());
    }
}

/// One false element in each message, after which the prover goes on as if it were right.
#[test]
fn false_messages_are_refused_by_the_next_check() {
    let calls = calls(CALLS);
    let statement = Statement::new(calls.clone(), &trace(&calls));
    let elements = |stage, count: usize, check| (0..count).map(move |i| (stage, i, check));
    let cases = (elements(Stage::Bits, 64, Check::Constraints).step_by(21))
        .chain(elements(Stage::Lanes, 26, Check::Constraints).step_by(5))
        .chain(elements(Stage::Values, 2, Check::Values))
        .chain(elements(Stage::Sums, 128, Check::Sums).step_by(127))
        .chain(elements(Stage::Word(0), 3, Check::Claim))
        .chain(elements(Stage::Word(1), 32, Check::Claim).step_by(31))
        .chain(
            rounds()
                .enumerate()
                .map(|(i, stage)| (stage, i % 2, check_after(stage))),
        );
    for (stage, element, check) in cases {
        let liar = Liar {
            change: Some((stage, element)),
            ..Liar::default()
        };
        assert_eq!(
            outcome(&statement, liar),
            Some(check),
            "{stage:?} {element}"
        );
    }
}

/// A false claim that the prover carries past checks, by messages that satisfy them, ends at the next
/// one.
#[test]
fn false_messages_that_pass_checks_are_refused_by_a_later_one() {
    let statement = false_output();
    let checks = [Check::Constraints, Check::Values, Check::Sums, Check::Claim];
    for (passes, check) in checks.into_iter().enumerate() {
        let liar = Liar {
            passes,
            ..Liar::default()
        };
        assert_eq!(outcome(&statement, liar), Some(check));
    }
    let calls = calls(CALLS);
    let statement = Statement::new(calls.clone(), &trace(&calls));
    for (stage, passes) in [
        (Stage::Bits, 1),
        (Stage::Lanes, 1),
        (Stage::Values, 2),
        (Stage::Sums, 3),
    ] {
        let liar = Liar {
            change: Some((stage, 1)),
            passes,
            known: None,
        };
        assert_eq!(outcome(&statement, liar), Some(checks[passes]));
    }
}

/// If a challenge were known before the message that it follows, a false output would be proven: the
/// play with this challenge on both sides has no check that fails. The verifier refuses the proof, since
/// the challenge is another one.
#[test]
fn every_challenge_is_needed() {
    let statement = false_output();
    let challenge = K::from_repr(0x0123_4567_89ab_cdef_0011_2233_4455_6677);
    let cases = [
        // The weights of bits: of bit 0.
        (Stage::Sums, K::ZERO),
        // The weights of rows: of call 0.
        (Stage::Trace, K::ZERO),
    ]
    .into_iter()
    .chain(
        [
            Stage::Bits,
            Stage::Lanes,
            Stage::Values,
            Stage::Word(0),
            Stage::Word(1),
        ]
        .into_iter()
        .chain(rounds())
        .map(|stage| (stage, challenge)),
    );
    for (stage, challenge) in cases {
        let liar = Liar {
            change: None,
            passes: 3,
            known: Some((stage, challenge)),
        };
        let (proof, failed) = play(&statement, liar);
        assert_eq!(failed, [], "{stage:?}");
        assert_eq!(
            refused(statement.calls(), &proof),
            Some(check_after(stage)),
            "{stage:?}"
        );
    }
    // Powers that are all one: no batch of rows.
    for round in 0..2 {
        let liar = Liar {
            change: None,
            passes: 3,
            known: Some((Stage::Word(round), K::ONE)),
        };
        let (proof, failed) = play(&statement, liar);
        assert_eq!(failed, []);
        assert_eq!(refused(statement.calls(), &proof), Some(Check::Claim));
    }
}

/// With one weight for inputs and outputs, the same change in both would be proven.
#[test]
fn inputs_and_outputs_have_weights_of_their_own() {
    let calls = calls(CALLS);
    let rows = trace(&calls);
    let [mut inputs, mut outputs] = [calls.inputs().to_vec(), calls.outputs().to_vec()];
    inputs[3][11] ^= 5;
    outputs[3][11] ^= 5;
    let statement = Statement::new(Calls::new(inputs, outputs).unwrap(), &rows);
    let liar = Liar {
        known: Some((Stage::Public, K::ONE)),
        ..Liar::default()
    };
    let (proof, failed) = play(&statement, liar);
    assert_eq!(failed, []);
    assert_eq!(refused(statement.calls(), &proof), Some(Check::Claim));
}

/// With eight equal weights instead of the powers of `t`, errors of two rounds would cancel.
#[test]
fn rounds_have_weights_of_their_own() {
    let calls = calls(CALLS);
    let mut rows = trace(&calls);
    // Any states in rows 1 to 7, and in row 8 what makes the sum of the eight constraints zero.
    let call = &mut rows[32..64];
    for (row, state) in call.iter_mut().enumerate().take(8).skip(2) {
        state[row] ^= 1 << (9 * row);
    }
    call[8] = [0; LANES];
    for row in 0..8 {
        let after = next(&call[row], row);
        let claimed = if row < 7 { call[row + 1] } else { [0; LANES] };
        for lane in 0..LANES {
            call[8][lane] ^= after[lane] ^ claimed[lane];
        }
    }
    for row in 8..ROUNDS {
        call[row + 1] = next(&call[row], row);
    }
    let output = call[ROUNDS];
    assert_ne!(output, calls.outputs()[1]);
    let mut statement = Statement::new(with_output(&calls, output), &rows);
    assert_eq!(
        outcome(&statement, Liar::default()),
        Some(Check::Constraints)
    );
    statement.basis = [K::ONE; 8];
    let (proof, failed) = play(&statement, Liar::default());
    assert_eq!(failed, []);
    assert_eq!(refused(statement.calls(), &proof), Some(Check::Constraints));
}

/// A prover with a round constant of its own, whose output follows from it.
#[test]
fn false_round_constants_are_refused() {
    let calls = calls(CALLS);
    for (round, bit) in [(0, 0), (8, 63), (23, 1)] {
        // All calls have it, so that the prover's sums are zero.
        let mut rows = trace(&calls);
        let mut outputs = calls.outputs().to_vec();
        for (c, call) in rows.chunks_mut(32).enumerate() {
            for row in 0..ROUNDS {
                call[row + 1] = next(&call[row], row);
                call[row + 1][0] ^= u64::from(row == round) << bit;
            }
            if let Some(output) = outputs.get_mut(c) {
                *output = call[ROUNDS];
            }
        }
        let list = Calls::new(calls.inputs().to_vec(), outputs).unwrap();
        let mut statement = Statement::new(list, &rows);
        statement.constants[round] ^= 1 << bit;
        assert_eq!(
            outcome(&statement, Liar::default()),
            Some(Check::Constraints)
        );
    }
}

/// One false bit in each kind of row.
#[test]
fn false_bits_of_the_trace() {
    let calls = calls(CALLS);
    let honest = trace(&calls);
    let cases = [
        // Inputs and outputs of the list, and of the padding.
        (0, 0, 0, Some(Check::Constraints)),
        (ROUNDS, 24, 63, Some(Check::Constraints)),
        (32 * 15, 3, 31, Some(Check::Constraints)),
        // Between rounds.
        (32 * 8 + 1, 24, 0, Some(Check::Constraints)),
        (32 * 2 + 8, 0, 63, Some(Check::Constraints)),
        (32 * 2 + 23, 12, 5, Some(Check::Constraints)),
        // Free rows.
        (25, 0, 0, None),
        (32 * 4 + 31, 24, 63, None),
    ];
    for (row, lane, bit, check) in cases {
        let mut rows = honest.clone();
        rows[row][lane] ^= 1 << bit;
        let statement = Statement::new(calls.clone(), &rows);
        assert_eq!(outcome(&statement, Liar::default()), check, "row {row}");
    }
}

/// Elements without lanes: the list's rows say that they are zero, and no others matter.
#[test]
fn bits_outside_of_the_state() {
    let calls = calls(CALLS);
    let honest = Statement::new(calls.clone(), &trace(&calls));
    let high = K::from_repr(1 << 64);
    let cases = [
        // The upper half of element 12.
        (12, 0, Some(Check::Claim)),
        (12, ROUNDS, Some(Check::Claim)),
        (12, 5, None),
        (12, 30, None),
        // Elements 13 to 15 are not committed to.
        (13, 5, Some(Check::Claim)),
        (15, 30, Some(Check::Claim)),
    ];
    for (element, row, check) in cases {
        let mut elements = honest.elements().to_vec();
        elements[element * ROWS + 32 * 3 + row] += high;
        let statement = Statement::of_elements(calls.clone(), elements);
        assert_eq!(
            outcome(&statement, Liar::default()),
            check,
            "element {element} of row {row}"
        );
    }
}

/// True traces of other lists: swapped, repeated, left out, or with another padding.
#[test]
fn traces_of_other_calls_are_refused() {
    let calls = calls(CALLS);
    let list = |order: &[usize]| {
        let [inputs, outputs] = [calls.inputs(), calls.outputs()]
            .map(|states| order.iter().map(|&call| states[call]).collect());
        Calls::new(inputs, outputs).unwrap()
    };
    let order: Vec<usize> = (0..CALLS).collect();
    let mut swapped = order.clone();
    swapped.swap(2, 5);
    let mut repeated = order.clone();
    repeated[8] = 7;
    let longer: Vec<usize> = order.iter().copied().chain([0]).collect();
    for other in [swapped, repeated, longer] {
        let other = list(&other);
        let statement = Statement::new(calls.clone(), &trace(&other));
        assert_eq!(outcome(&statement, Liar::default()), Some(Check::Claim));
        let statement = Statement::new(other, &trace(&calls));
        assert_eq!(outcome(&statement, Liar::default()), Some(Check::Claim));
    }
    // A call of zero is in the trace, but the list has another length.
    let inputs = [calls.inputs(), &[[0; LANES]]].concat();
    let padded = Calls::of_inputs(inputs).unwrap();
    assert_eq!(trace(&padded), trace(&calls));
    let proof = prove(&padded).unwrap();
    assert!(verify(&padded, &proof).is_ok());
    assert!(verify(&calls, &proof).is_err());
}
