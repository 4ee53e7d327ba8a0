//! Provers that lie, each in a transcript that is consistent with its lie.

mod blake;
mod forced;
mod forms;
mod graph;
mod keccak;
mod slow;

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;

use self::slow::{Check, DishonestProver, Stage, Statement, log_calls, play};
use crate::calls::{Hash, HashCalls};
use crate::circuit::{Row, WORDS};
use crate::columns::ColumnsError;
use crate::error::BinaryError;
use crate::field::K;
use crate::proof::{Proof, prove, verify};
use crate::reduction::ReductionError;
use crate::ring_switch::RingSwitchError;
use crate::statement::tests::calls;
use crate::trace::{circuit, rows_of_call};
use crate::tree_hash::Poseidon16;
use crate::zerocheck::ZerocheckError;

/// More calls than 8, so that the trace has 16 and Keccak's opening has two rounds.
const CALLS: usize = 9;

/// The first check that the verifier finds to fail.
fn refused(calls: &HashCalls, proof: &Proof<Poseidon16>) -> Option<Check> {
    match verify(calls, proof) {
        Ok(_) => None,
        Err(BinaryError::Reduction(ReductionError::Zerocheck(ZerocheckError::Constraints))) => {
            Some(Check::Constraints)
        }
        Err(BinaryError::Reduction(ReductionError::Columns(ColumnsError::Values))) => {
            Some(Check::Values)
        }
        Err(BinaryError::Reduction(ReductionError::RingSwitch(RingSwitchError::Sums))) => {
            Some(Check::Sums)
        }
        Err(BinaryError::Claim) => Some(Check::Claim),
        Err(error) => panic!("{error}"),
    }
}

/// Inputs of the trace: those of the calls, then zero.
fn inputs(calls: &HashCalls) -> Vec<Vec<u8>> {
    let mut inputs: Vec<_> = calls.calls().map(|(input, _)| input.to_vec()).collect();
    inputs.resize(1 << log_calls(calls), vec![0; calls.hash().input_bytes()]);
    inputs
}

/// The rows of the trace.
fn trace(calls: &HashCalls) -> Vec<Row> {
    let rows_of = |input: Vec<u8>| {
        let mut rows = vec![[0; WORDS]; rows_per_call(calls.hash())];
        rows_of_call(calls.hash(), &input, &mut rows);
        rows
    };
    inputs(calls).into_iter().flat_map(rows_of).collect()
}

fn rows_per_call(hash: Hash) -> usize {
    1 << circuit(hash).log_rows
}

/// The row with the output, and the first word of it there.
fn place_of_output(hash: Hash) -> (usize, usize) {
    match hash {
        Hash::Blake3 => (7, 4),
        Hash::Blake2s => (11, 4),
        Hash::KeccakF | Hash::KeccakRate => (24, 0),
    }
}

/// The list with the outputs that are in the rows.
fn with_outputs_of(calls: &HashCalls, rows: &[Row]) -> HashCalls {
    let hash = calls.hash();
    let (row, word) = place_of_output(hash);
    let outputs = rows.chunks(rows_per_call(hash)).map(|rows| {
        let words = rows[row][word..][..hash.output_bytes() / 8].iter();
        words.flat_map(|word| word.to_le_bytes()).collect()
    });
    let outputs: Vec<Vec<u8>> = outputs.collect();
    let inputs = calls.calls().map(|(input, _)| input);
    HashCalls::new(hash, inputs.zip(outputs)).unwrap()
}

/// A list with one false bit of an output, and a trace that has it, too: only the last round is
/// false.
fn false_output(hash: Hash) -> Statement {
    let calls = calls(hash, CALLS);
    let mut rows = trace(&calls);
    let (row, word) = place_of_output(hash);
    rows[rows_per_call(hash) + row][word + 1] ^= 1 << 40;
    Statement::new(with_outputs_of(&calls, &rows), &rows)
}

fn honest(hash: Hash) -> Statement {
    let calls = calls(hash, CALLS);
    let rows = trace(&calls);
    Statement::new(calls, &rows)
}

/// Plays, and compares what fails with what the verifier refuses.
fn outcome(statement: &Statement, prover: DishonestProver) -> Option<Check> {
    let (proof, failed) = play(statement, prover);
    let refused = refused(statement.calls(), &proof);
    assert_eq!(refused, failed.first().copied(), "{prover:?}");
    refused
}

/// The check that a false message before it fails.
fn check_after(stage: Stage) -> Check {
    match stage {
        Stage::Trace | Stage::Bits | Stage::Row(_) => Check::Constraints,
        Stage::Forms | Stage::Column(_) => Check::Values,
        Stage::Values => Check::Sums,
        _ => Check::Claim,
    }
}

/// Stages that are rounds of sum checks.
fn rounds(statement: &Statement) -> Vec<Stage> {
    let settings = statement.settings();
    let opening = (0..settings.rounds().len())
        .flat_map(|round| (0..4).map(move |message| Stage::Opening(round, message)));
    (0..statement.rows().ilog2() as usize)
        .map(Stage::Row)
        .chain((0..11).map(Stage::Column))
        .chain(opening)
        .chain((0..settings.last_variables()).map(Stage::Last))
        .collect()
}

/// The slow prover is the real one. Openings have one round or two.
#[test]
fn an_honest_play_is_the_proof() {
    for (hash, counts) in [
        (Hash::Blake3, [CALLS, 33]),
        (Hash::Blake2s, [CALLS, 17]),
        (Hash::KeccakF, [CALLS, 16]),
    ] {
        for count in counts {
            let calls = calls(hash, count);
            let statement = Statement::new(calls.clone(), &trace(&calls));
            let (proof, failed) = play(&statement, DishonestProver::default());
            assert_eq!(failed, []);
            assert_eq!(proof, prove(&calls).unwrap(), "{hash}, {count}");
            assert!(verify(&calls, &proof).is_ok());
        }
    }
}

/// One false element in each message, after which the prover goes on as if it were right.
fn false_messages(hash: Hash) {
    let statement = honest(hash);
    let forms = statement.circuit().operands.len() + statement.circuit().groups.len();
    let settings = statement.settings();
    let last_word = settings.rounds().len() - 1;
    let last_values = 1 << settings.last_variables();
    let elements = |stage, count: usize, check| (0..count).map(move |i| (stage, i, check));
    let mut cases: Vec<_> = (elements(Stage::Bits, 64, Check::Constraints).step_by(21))
        .chain(elements(Stage::Forms, forms, Check::Constraints).step_by(5))
        .chain([(Stage::Forms, forms - 1, Check::Constraints)])
        .chain(elements(Stage::Values, 2, Check::Values))
        .chain(elements(Stage::Sums, 128, Check::Sums).step_by(127))
        .chain(elements(Stage::Word(0), 3, Check::Claim))
        .collect();
    let last = elements(Stage::Word(last_word), last_values, Check::Claim);
    cases.extend(last.step_by(last_values - 1));
    let rounds = rounds(&statement).into_iter().enumerate();
    cases.extend(rounds.map(|(i, stage)| (stage, i % 2, check_after(stage))));
    for (stage, element, check) in cases {
        let prover = DishonestProver {
            change: Some((stage, element)),
            ..DishonestProver::default()
        };
        assert_eq!(
            outcome(&statement, prover),
            Some(check),
            "{hash}: {stage:?} {element}"
        );
    }
}

#[test]
fn false_messages_are_refused_by_the_next_check() {
    false_messages(Hash::KeccakF);
    false_messages(Hash::Blake3);
}

/// A false claim that the prover carries past checks, by messages that satisfy them, ends at the
/// next one.
#[test]
fn false_messages_that_pass_checks_are_refused_by_a_later_one() {
    for hash in Hash::ALL {
        let statement = false_output(hash);
        let checks = [Check::Constraints, Check::Values, Check::Sums, Check::Claim];
        for (passes, check) in checks.into_iter().enumerate() {
            let prover = DishonestProver {
                passes,
                ..DishonestProver::default()
            };
            assert_eq!(outcome(&statement, prover), Some(check), "{hash}");
        }
        let statement = honest(hash);
        for (stage, passes) in [
            (Stage::Bits, 1),
            (Stage::Forms, 1),
            (Stage::Values, 2),
            (Stage::Sums, 3),
        ] {
            let prover = DishonestProver {
                change: Some((stage, 1)),
                passes,
                known: None,
            };
            assert_eq!(outcome(&statement, prover), Some(checks[passes]), "{hash}");
        }
    }
}

/// If a challenge were known before the message that it follows, a false output would be proven:
/// the play with this challenge on both sides has no check that fails. The verifier refuses the
/// proof, since the challenge is another one.
fn known_challenges(hash: Hash) {
    let statement = false_output(hash);
    let challenge = K::from_repr(0x0123_4567_89ab_cdef_0011_2233_4455_6677);
    let words = (0..statement.settings().rounds().len()).map(Stage::Word);
    let mut cases = vec![
        // The weights of bits: of bit 0.
        (Stage::Sums, K::ZERO),
        // The weights of rows and constraints: of call 0 and constraint 0.
        (Stage::Trace, K::ZERO),
    ];
    let stages = [Stage::Bits, Stage::Forms, Stage::Values].into_iter();
    let stages = stages.chain(words.clone()).chain(rounds(&statement));
    cases.extend(stages.map(|stage| (stage, challenge)));
    // Powers that are all one: no batch of rows.
    cases.extend(words.map(|stage| (stage, K::ONE)));
    for (stage, challenge) in cases {
        let prover = DishonestProver {
            change: None,
            passes: 3,
            known: Some((stage, challenge)),
        };
        let (proof, failed) = play(&statement, prover);
        assert_eq!(failed, [], "{hash}: {stage:?}");
        assert_eq!(
            refused(statement.calls(), &proof),
            Some(check_after(stage)),
            "{hash}: {stage:?}"
        );
    }
}

#[test]
fn every_challenge_is_needed() {
    known_challenges(Hash::KeccakF);
    known_challenges(Hash::Blake3);
}

/// With one weight for inputs and outputs, the same change in both would be proven: in a lane, or
/// in words of message and output that are in the same elements of their rows.
#[test]
fn inputs_and_outputs_have_weights_of_their_own() {
    for (hash, input_byte) in [
        (Hash::Blake3, 32 + 11),
        (Hash::Blake2s, 32 + 11),
        (Hash::KeccakF, 11),
    ] {
        let calls = calls(hash, CALLS);
        let changed = calls.calls().enumerate().map(|(i, (input, output))| {
            let (mut input, mut output) = (input.to_vec(), output.to_vec());
            if i == 3 {
                input[input_byte] ^= 5;
                output[11] ^= 5;
            }
            (input, output)
        });
        let changed = HashCalls::new(hash, changed).unwrap();
        let statement = Statement::new(changed, &trace(&calls));
        let prover = DishonestProver {
            known: Some((Stage::Public, K::ONE)),
            ..DishonestProver::default()
        };
        let (proof, failed) = play(&statement, prover);
        assert_eq!(failed, [], "{hash}");
        assert_eq!(refused(statement.calls(), &proof), Some(Check::Claim));
        // Without it, the list is refused even by the play.
        assert_eq!(
            outcome(&statement, DishonestProver::default()),
            Some(Check::Claim)
        );
    }
}

/// Bits of the trace that are false: row, word, bit, and the check that fails.
fn false_bits(hash: Hash, cases: &[(usize, usize, u32, Option<Check>)]) {
    let calls = calls(hash, CALLS);
    let honest = trace(&calls);
    for &(row, word, bit, check) in cases {
        let mut rows = honest.clone();
        rows[row][word] ^= 1 << bit;
        let statement = Statement::new(calls.clone(), &rows);
        let outcome = outcome(&statement, DishonestProver::default());
        assert_eq!(outcome, check, "{hash}: word {word} of row {row}");
    }
}

/// True traces of other lists: swapped, repeated, left out, or with another padding.
#[test]
fn traces_of_other_calls_are_refused() {
    for hash in Hash::ALL {
        let calls = calls(hash, CALLS);
        let listed: Vec<_> = calls.calls().collect();
        let list =
            |order: &[usize]| HashCalls::new(hash, order.iter().map(|&call| listed[call])).unwrap();
        let order: Vec<usize> = (0..CALLS).collect();
        let mut swapped = order.clone();
        swapped.swap(2, 5);
        let mut repeated = order.clone();
        repeated[8] = 7;
        let longer: Vec<usize> = order.iter().copied().chain([0]).collect();
        for other in [swapped, repeated, longer] {
            let other = list(&other);
            let statement = Statement::new(calls.clone(), &trace(&other));
            assert_eq!(
                outcome(&statement, DishonestProver::default()),
                Some(Check::Claim)
            );
            let statement = Statement::new(other, &trace(&calls));
            assert_eq!(
                outcome(&statement, DishonestProver::default()),
                Some(Check::Claim)
            );
        }
        // A call of zero is in the trace, but the list has another length.
        let mut inputs: Vec<_> = calls.calls().map(|(input, _)| input.to_vec()).collect();
        inputs.push(vec![0; hash.input_bytes()]);
        let padded = HashCalls::of_inputs(hash, inputs).unwrap();
        assert_eq!(trace(&padded), trace(&calls));
        let proof = prove::<Poseidon16>(&padded).unwrap();
        assert!(verify(&padded, &proof).is_ok());
        assert!(verify(&calls, &proof).is_err());
    }
}
