//! Statements and proofs, honest ones and others. Known answers are in `tests/known_answers.rs`.

use crate::air::trace;
use crate::proof::prove_trace;
use crate::public::PublicBits;
use crate::public::tests::random_calls;
use crate::scheme::{Challenger, Config, challenger};
use crate::*;
use p3_matrix::dense::RowMajorMatrix;

/// A statement with one bit changed, counted over all bits of its calls.
pub(crate) fn changed(statement: &HashCalls, call: usize, bit: usize) -> HashCalls {
    let mut calls: Vec<_> = statement
        .calls()
        .map(|(input, output)| (input.to_vec(), output.to_vec()))
        .collect();
    let (input, output) = &mut calls[call];
    let byte = bit / 8;
    match byte < input.len() {
        true => input[byte] ^= 1 << (bit % 8),
        false => output[byte - input.len()] ^= 1 << (bit % 8),
    }
    HashCalls::new(statement.hash(), calls).unwrap()
}

fn config(statement: &HashCalls) -> Config {
    Config::new(PublicBits::new(statement).unwrap()).unwrap()
}

#[test]
fn statements_are_proved_and_verified() {
    for (hash, calls) in Hash::ALL.into_iter().zip([1, 65, 3]) {
        let statement = random_calls(hash, calls, 3);
        let proof = prove(&statement).unwrap();
        let bytes = encode(&proof).unwrap();
        let security = verify(&statement, &decode(&bytes).unwrap()).unwrap();
        assert!(security.bits >= MIN_BITS as f64, "{security:?}");
        // Proving is deterministic.
        assert!(bytes == encode(&prove(&statement).unwrap()).unwrap());
        // No other statement is accepted: another bit, length or hash.
        let bits = 8 * (hash.input_bytes() + hash.output_bytes());
        let places = (0..bits).step_by(67).map(|bit| (0, bit));
        let mut others: Vec<_> = places
            .chain([(calls - 1, bits - 1)])
            .map(|(call, bit)| changed(&statement, call, bit))
            .collect();
        let longer = statement.calls().chain([statement.calls().next().unwrap()]);
        others.push(HashCalls::new(hash, longer).unwrap());
        let other = Hash::ALL[usize::from(hash == Hash::Blake3)];
        others.push(random_calls(other, calls, 3));
        for other in &others {
            let error = verify(other, &proof).unwrap_err();
            let expected = matches!(error, VerifyError::OtherStatement { .. });
            assert!(expected, "{error:?}");
        }
        // Nor if the file says that it is a proof of it.
        let other = &others[0];
        let proof = Proof {
            statement: other.digest(),
            ..proof
        };
        let error = verify(other, &proof).unwrap_err();
        let expected = matches!(error, VerifyError::Constraints(_) | VerifyError::Opening(_));
        assert!(expected, "{error:?}");
    }
}

/// A proof of a trace that says it is one of a statement.
fn lie(said: &HashCalls, trace: RowMajorMatrix<u64>, transcript: Challenger) -> Proof {
    Proof {
        statement: said.digest(),
        inner: prove_trace(&config(said), trace, transcript).unwrap(),
    }
}

/// A prover that begins the transcript with the false statement, and has a valid trace.
#[test]
fn every_public_bit_is_bound_to_the_trace() {
    for hash in Hash::ALL {
        let statement = random_calls(hash, 2, 4);
        let honest = trace(config(&statement).public());
        let inputs = 8 * hash.input_bytes();
        for bit in [0, inputs - 1, inputs, inputs + 8 * hash.output_bytes() - 1] {
            let said = changed(&statement, 1, bit);
            let proof = lie(&said, honest.clone(), challenger(&said.digest()));
            let error = verify(&said, &proof).unwrap_err();
            assert!(
                matches!(error, VerifyError::PublicBit { bit: found } if found == bit),
                "{error:?}"
            );
            // The honest prover does not try.
            let error = prove(&said).err().unwrap();
            assert!(matches!(error, ProveError::FalseCall { call: 1, .. }));
        }
        // A call that is not in the statement, in a row of padding.
        let more = trace(config(&random_calls(hash, 3, 4)).public());
        let proof = lie(&statement, more, challenger(&statement.digest()));
        let error = verify(&statement, &proof).unwrap_err();
        assert!(matches!(error, VerifyError::PublicBit { .. }), "{error:?}");
    }
}

/// A prover that leaves the statement out of the transcript, and could choose it afterwards.
#[test]
fn the_transcript_begins_with_the_statement() {
    let statement = random_calls(Hash::Blake3, 2, 5);
    let honest = trace(config(&statement).public());
    let proved = |transcript| lie(&statement, honest.clone(), transcript);
    let true_one = proved(challenger(&statement.digest()));
    assert!(verify(&statement, &true_one).is_ok());
    let label = crate::scheme::LABEL;
    for state in [vec![], label.to_vec(), [label, &[0; 32]].concat()] {
        let proof = proved(Challenger::from_hasher(state, p3_keccak::Keccak256Hash));
        assert!(verify(&statement, &proof).is_err());
    }
    let others = [
        random_calls(Hash::Blake3, 2, 6),
        random_calls(Hash::Blake3, 3, 5),
    ];
    for other in others {
        assert!(verify(&statement, &proved(challenger(&other.digest()))).is_err());
    }
}

/// Traces that violate a constraint in one bit, outside of inputs and outputs.
#[test]
fn false_traces_are_refused() {
    for hash in Hash::ALL {
        let statement = random_calls(hash, 1, 7);
        let mut rows = trace(config(&statement).public());
        let column = rows.width / 2;
        rows.values[column] ^= 1 << 5;
        let proof = lie(&statement, rows, challenger(&statement.digest()));
        let error = verify(&statement, &proof).unwrap_err();
        assert!(matches!(error, VerifyError::Constraints(_)), "{error:?}");
    }
}

#[test]
fn statements_have_limits() {
    let input = vec![0; 112];
    let none: [(&[u8], &[u8]); 0] = [];
    let error = HashCalls::new(Hash::Blake3, none).unwrap_err();
    assert_eq!(error, StatementError::Empty(Hash::Blake3));
    let error = HashCalls::new(Hash::Blake3, [(&input, [0; 32])]).unwrap_err();
    assert!(matches!(
        error,
        StatementError::Length {
            part: "output",
            expected: 64,
            ..
        }
    ));
    let error = HashCalls::of_inputs(Hash::KeccakF, [&input]).unwrap_err();
    assert!(matches!(
        error,
        StatementError::Length {
            part: "input",
            expected: 200,
            ..
        }
    ));
    for hash in Hash::ALL {
        let (input, output) = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
        let calls = |calls| HashCalls::new(hash, std::iter::repeat_n((&input, &output), calls));
        let most = hash.max_calls();
        assert_eq!(calls(most).unwrap().len(), most);
        let error = calls(most + 1).unwrap_err();
        assert_eq!(
            error,
            StatementError::TooManyCalls {
                hash,
                found: most + 1,
                most
            }
        );
    }
}

/// The largest statements have settings with enough bits: Plonky3's accounting, without a proof.
#[test]
fn the_largest_statements_have_their_bits() {
    for hash in Hash::ALL {
        let (input, output) = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
        let calls = std::iter::repeat_n((&input, &output), hash.max_calls());
        let security = security(&HashCalls::new(hash, calls).unwrap()).unwrap();
        assert!(
            (100.5..100.7).contains(&security.bits),
            "{hash}: {security:?}"
        );
    }
}

/// No file with a changed, missing or additional byte is accepted, and none makes a panic.
#[test]
fn changed_files_are_refused() {
    let statement = random_calls(Hash::Blake3, 1, 8);
    let bytes = encode(&prove(&statement).unwrap()).unwrap();
    assert!(bytes.len() < MAX_BYTES / 4);
    let refused = |bytes: &[u8]| match decode(bytes) {
        Ok(proof) => verify(&statement, &proof).is_err(),
        Err(_) => true,
    };
    assert!(!refused(&bytes));
    for i in 0..200 {
        let mut changed = bytes.clone();
        // The first bytes, then places all over the file.
        let at = if i < 40 {
            i
        } else {
            bytes.len() / 160 * (i - 40) + 7 * i % 100
        };
        changed[at] ^= 1 << (i % 8);
        assert!(refused(&changed), "byte {at}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert_eq!(decode(&longer).err(), Some(DecodeError::TrailingBytes(1)));
    assert!(decode(&bytes[..bytes.len() - 1]).is_err());
    let mut version = bytes.clone();
    version[8] = 2;
    assert_eq!(
        decode(&version).err(),
        Some(DecodeError::Version {
            expected: 1,
            found: 2
        })
    );
    assert!(matches!(
        decode(&vec![0; MAX_BYTES + 1]),
        Err(DecodeError::TooLong { .. })
    ));
}

/// The README's table, from its formulas.
#[test]
fn bits_are_those_of_the_table() {
    for (hash, constraints, columns) in [
        (Hash::Blake3, 10_640, 11_536_usize),
        (Hash::Blake2s, 15_200, 16_096),
        (Hash::KeccakF, 38_400, 40_000),
    ] {
        for log_calls in [0, 7, 10] {
            let (input, output) = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
            let calls = std::iter::repeat_n((&input, &output), 1 << log_calls);
            let security = security(&HashCalls::new(hash, calls).unwrap()).unwrap();
            let n = f64::from(log_calls.max(6));
            let w = f64::from(columns.next_power_of_two().trailing_zeros());
            let k = n + w - 7.0;
            let field = 128_f64.exp2();
            let terms = [
                f64::from(constraints - 1) / field,
                n / 127_f64.exp2(),
                3.0 * n / field,
                n / field,
                w / field,
                (7.0 + 2.0 * k) / field,
                (2.0 * (k + 1.0).exp2() - 4.0 + 3.0 * k) / field + 0.75_f64.powi(244),
                (-128_f64).exp2(),
            ];
            let bits = -terms.iter().sum::<f64>().log2();
            assert!((security.bits - bits).abs() < 0.001, "{security:?}, {bits}");
            assert_eq!(security.terms.len(), terms.len(), "{security:?}");
            for term in terms {
                let bits = -term.log2();
                let found = security
                    .terms
                    .iter()
                    .any(|(_, of)| (of - bits).abs() < 0.001);
                assert!(found, "{security:?}, {bits}");
            }
        }
    }
}
