//! Changed proofs and files, one test per check that refuses them. `tests/tests/mutate.rs` changes
//! every part of a proof.

use droste_native::codec::DecodeError;
use droste_native::{Blake3Suite, F, FriSettings, HashSuite};
use droste_vm::fri::{Proof, ProvingKey, Verifier, decode, encode, prove_traces, traces};
use droste_vm::heights::Heights;
use droste_vm::key::{KeyError, KeyHeights};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::{VerifyError, VerifyOptions};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;

use crate::common::{fibonacci, run, statement, toy, toy_proof};

fn make<H: HashSuite>() -> (Verifier<H, StandardTables>, Proof<H>)
where
    StandardTables: Provable<H>,
{
    let proof = toy_proof::<H>();
    (Verifier::new(proof.key.clone()).unwrap(), proof)
}

#[test]
fn headers_are_checked() {
    type H = Blake3Suite;
    let (_, proof) = make::<H>();
    let honest = encode(&proof).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = honest.clone();
        bytes[at] = byte;
        decode::<H>(&bytes).unwrap_err()
    };
    assert_eq!(with(0, b'D'), DecodeError::Magic);
    assert_eq!(
        with(8, 9),
        DecodeError::Version {
            expected: 2,
            found: 9
        }
    );
    assert_eq!(with(12, 4), DecodeError::UnknownHash(4));
    assert!(matches!(with(12, 0), DecodeError::OtherHash { .. }));
    assert_eq!(decode::<H>(&[]).unwrap_err(), DecodeError::Magic);
    for length in 0..13 {
        assert_eq!(
            decode::<H>(&honest[..length]).unwrap_err(),
            DecodeError::Magic
        );
    }
    let mut longer = honest;
    longer.push(0);
    assert_eq!(
        decode::<H>(&longer).unwrap_err(),
        DecodeError::TrailingBytes(1)
    );
}

/// A list that claims more elements than there are bytes allocates no memory for them. A number
/// that is read at the place of a length is out of range.
#[test]
fn claimed_lengths_are_not_believed() {
    type H = Blake3Suite;
    let (verifier, proof) = make::<H>();
    let honest = encode(&proof).unwrap();
    for at in 13..honest.len().min(600) {
        for claim in [u64::MAX, 1 << 60, 1 << 40, 1 << 32] {
            let mut bytes = honest[..at].to_vec();
            bytes.push(253);
            bytes.extend(claim.to_le_bytes());
            bytes.extend(&honest[at + 1..]);
            if let Ok(proof) = decode::<H>(&bytes) {
                assert!(
                    verifier
                        .verify(&statement(), VerifyOptions::min_bits(0), &proof)
                        .is_err()
                );
                assert!(Verifier::<H, StandardTables>::new(proof.key).is_err());
            }
        }
    }
}

#[test]
fn longer_forms_of_integers_are_refused() {
    type H = Blake3Suite;
    let (_, proof) = make::<H>();
    let honest = encode(&proof).unwrap();
    // The first byte of the body is the blowup, 1.
    assert_eq!(honest[13], 1);
    let mut bytes = honest[..13].to_vec();
    bytes.extend([251, 1, 0]);
    bytes.extend(&honest[14..]);
    assert_eq!(decode::<H>(&bytes).unwrap_err(), DecodeError::NotCanonical);
}

/// More digests than a cap has would be absorbed and never compared with anything.
#[test]
fn surplus_cap_digests_are_rejected() {
    type H = Blake3Suite;
    let (verifier, proof) = make::<H>();
    let honest = serde_json::to_value(&proof).unwrap();
    for path in [
        "/batch/commitments/main/cap",
        "/batch/commitments/quotient_chunks/cap",
        "/batch/commitments/permutation/cap",
        "/batch/opening_proof/commit_phase_commits/0/cap",
    ] {
        let mut changed = honest.clone();
        let cap = changed.pointer_mut(path).unwrap().as_array_mut().unwrap();
        cap.push(cap[0].clone());
        let proof: Proof<H> = serde_json::from_value(changed).unwrap();
        let rejection = verifier
            .verify(&statement(), VerifyOptions::min_bits(0), &proof)
            .unwrap_err();
        assert!(
            matches!(
                rejection,
                VerifyError::CapSize {
                    expected: 1,
                    found: 2,
                    ..
                }
            ),
            "{path}: {rejection:?}"
        );
    }
}

/// Plonky3 authenticates no row of a table that is shorter than the cap of its commitment. A prover
/// who may choose such a height could answer queries with rows that were never committed to.
#[test]
fn tables_shorter_than_the_cap_are_rejected() {
    type H = Blake3Suite;
    let compiled = fibonacci(6);
    let execution = run(&compiled, &statement());
    let key = |cap_height| {
        let settings = FriSettings {
            cap_height,
            ..toy()
        };
        ProvingKey::<H, StandardTables>::new(&compiled.program, settings, Heights::Minimal).unwrap()
    };
    // At blowup 2, a table of 2^8 rows is just tall enough for a cap of 2^9 digests.
    let (capped, plain) = (key(9), key(0));
    let mut tables = traces(&capped, &execution).unwrap();
    let short = traces(&plain, &execution).unwrap();
    assert!(tables.iter().all(|table| table.height() >= 1 << 8));
    let verifier = Verifier::<H, StandardTables>::new(capped.key().clone()).unwrap();
    let honest = prove_traces(&capped, execution.statement, &tables).unwrap();
    verifier
        .verify(&statement(), VerifyOptions::min_bits(0), &honest)
        .unwrap();

    let words = tables.len() - 2;
    assert!(short[words].height() < 1 << 8);
    tables[words] = short[words].clone();
    let proof = prove_traces(&capped, execution.statement, &tables).unwrap();
    let rejection = verifier
        .verify(&statement(), VerifyOptions::min_bits(0), &proof)
        .unwrap_err();
    assert!(matches!(rejection, VerifyError::Heights { .. }));

    // A key cannot name such heights either.
    let mut fixed = capped.key().clone();
    fixed.heights = KeyHeights::Fixed(proof.batch.degree_bits.clone());
    let refusal = Verifier::<H, StandardTables>::new(fixed).err();
    assert!(matches!(
        refusal,
        Some(VerifyError::UnusableKey(KeyError::Height { .. }))
    ));
}

/// The whole statement is bound, including elements that the caller does not ask about.
#[test]
fn every_lane_of_the_statement_is_bound() {
    let (verifier, mut proof) = make::<Blake3Suite>();
    for lane in 0..8 {
        proof.statement[lane] += F::ONE;
        assert!(
            verifier
                .verify(&[], VerifyOptions::min_bits(0), &proof)
                .is_err()
        );
        proof.statement[lane] -= F::ONE;
    }
    verifier
        .verify(&[], VerifyOptions::min_bits(0), &proof)
        .unwrap();
}
