//! No changed proof is accepted, and no bytes make decoding or verifying panic.

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::{fibonacci, run, statement, toy};
use droste_native::{Blake3Family, F, FriSettings, HashFamily, KeccakFamily, Poseidon16Family};
use droste_vm::codec::{DecodeError, decode, encode, hash_of, read_file, write_file};
use droste_vm::heights::Heights;
use droste_vm::key::{KeyHeights, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove, prove_traces, traces};
use droste_vm::verifier::{Verifier, VerifyError};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

const MODULUS: u64 = droste_native::field::MODULUS as u64;

/// Settings in which every part of a proof exists: grinding, caps, several folding rounds, a final
/// polynomial.
const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    log_final_poly_len: 1,
    max_log_arity: 2,
    num_queries: 3,
    batch_grinding_bits: 1,
    commit_grinding_bits: 1,
    query_grinding_bits: 2,
    lookup_grinding_bits: 1,
    ood_grinding_bits: 1,
    cap_height: 1,
};

fn make<H: HashFamily>(settings: FriSettings) -> (Verifier<H, StandardTables>, Proof<H>)
where
    StandardTables: Provable<H>,
{
    let compiled = fibonacci(6);
    let execution = run(&compiled, &statement());
    let options = ProveOptions {
        settings,
        heights: Heights::Minimal,
    };
    let proof = prove::<H>(&compiled.program, &execution, &options).unwrap();
    (Verifier::new(proof.key.clone()).unwrap(), proof)
}

/// The kinds of places in a proof, and of each kind a few paths: the first, the last, some between.
fn places(value: &Value, kind: &mut String, path: &mut Vec<String>, found: &mut Places) {
    let length = kind.len();
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                kind.push('/');
                kind.push_str(name);
                path.push(name.clone());
                places(field, kind, path, found);
                path.pop();
                kind.truncate(length);
            }
        }
        Value::Array(items) => {
            found
                .entry(format!("{kind}[]"))
                .or_default()
                .push(path.clone());
            for (index, item) in items.iter().enumerate() {
                kind.push_str("/*");
                path.push(index.to_string());
                places(item, kind, path, found);
                path.pop();
                kind.truncate(length);
            }
        }
        _ => found.entry(kind.clone()).or_default().push(path.clone()),
    }
}

type Places = BTreeMap<String, Vec<Vec<String>>>;

fn at<'a>(value: &'a mut Value, path: &[String]) -> &'a mut Value {
    value.pointer_mut(&format!("/{}", path.join("/"))).unwrap()
}

/// Changed versions of a value.
fn changes(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap();
            [
                number + 1,
                number ^ 1,
                (number + MODULUS - 1) % MODULUS,
                0,
                u64::MAX,
                63,
            ]
            .into_iter()
            .filter(|&other| other != number)
            .map(Value::from)
            .collect()
        }
        Value::Null => vec![Value::from(0), Value::Array(vec![])],
        Value::String(text) => vec![Value::from(format!("{text}x")), Value::from("")],
        Value::Array(items) => {
            let mut changed = vec![vec![]];
            if let Some((last, rest)) = items.split_last() {
                changed.push(rest.to_vec());
                let mut longer = items.clone();
                longer.push(last.clone());
                changed.push(longer);
                changed.push(items.iter().chain(items).cloned().collect());
                changed.push(items.iter().rev().cloned().collect());
            }
            changed
                .into_iter()
                .filter(|other| other != items)
                .map(Value::Array)
                .collect()
        }
        _ => vec![],
    }
}

fn every_field_matters<H: HashFamily>()
where
    StandardTables: Provable<H>,
{
    let (verifier, proof) = make::<H>(SETTINGS);
    verifier.verify(&statement(), 0, &proof).unwrap();
    let honest = serde_json::to_value(&proof).unwrap();
    let mut found = Places::new();
    places(&honest, &mut String::new(), &mut vec![], &mut found);
    assert!(found.len() > 40, "{:?}", found.keys());
    let mut tried = 0;
    for (kind, paths) in &found {
        let step = (paths.len() / 12).max(1);
        for path in paths.iter().step_by(step).chain(paths.last()) {
            let mut changed = honest.clone();
            for change in changes(at(&mut changed, path)) {
                let mut changed = honest.clone();
                *at(&mut changed, path) = change.clone();
                // What cannot even be decoded is rejected.
                let Ok(proof) = serde_json::from_value::<Proof<H>>(changed) else {
                    continue;
                };
                tried += 1;
                let verdict = verifier.verify(&statement(), 0, &proof);
                assert!(verdict.is_err(), "{kind} at {path:?}: {change} accepted");
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn every_field_of_a_poseidon16_proof_matters() {
    every_field_matters::<Poseidon16Family>();
}

#[test]
fn every_field_of_a_blake3_proof_matters() {
    every_field_matters::<Blake3Family>();
}

#[test]
fn every_field_of_a_keccak_proof_matters() {
    every_field_matters::<KeccakFamily>();
}

fn no_flip_is_accepted<H: HashFamily>(count: usize)
where
    StandardTables: Provable<H>,
{
    let (verifier, proof) = make::<H>(toy());
    let honest = encode(&proof).unwrap();
    assert_eq!(hash_of(&honest), Ok(H::ID));
    verifier
        .verify(&statement(), 0, &decode(&honest).unwrap())
        .unwrap();
    let mut rng = SmallRng::seed_from_u64(7);
    let mut decoded = 0;
    for case in 0..count {
        let mut bytes = honest.clone();
        match case % 8 {
            0 => bytes.truncate(rng.random_range(0..honest.len())),
            1 => bytes.extend((0..rng.random_range(1..20)).map(|_| rng.random::<u8>())),
            2 => {
                // Lengths and numbers of other sizes.
                let at = rng.random_range(0..bytes.len());
                bytes[at] = 250 + rng.random_range(0..6);
            }
            3 => {
                let at = rng.random_range(0..bytes.len());
                bytes.remove(at);
            }
            _ => {
                for _ in 0..rng.random_range(1..4) {
                    let at = rng.random_range(0..bytes.len());
                    bytes[at] ^= 1 << rng.random_range(0..8);
                }
            }
        }
        if bytes == honest {
            continue;
        }
        if let Ok(proof) = decode::<H>(&bytes) {
            decoded += 1;
            assert!(verifier.verify(&statement(), 0, &proof).is_err());
            // The key in the proof is hostile too.
            if let Ok(other) = Verifier::<H, StandardTables>::new(proof.key.clone()) {
                assert!(other.verify(&statement(), 0, &proof).is_err());
            }
        }
    }
    assert!(decoded > count / 10, "{decoded}");
}

#[test]
fn no_flip_of_a_poseidon16_proof_is_accepted() {
    no_flip_is_accepted::<Poseidon16Family>(3000);
}

#[test]
fn no_flip_of_a_blake3_proof_is_accepted() {
    no_flip_is_accepted::<Blake3Family>(4000);
}

#[test]
fn no_flip_of_a_keccak_proof_is_accepted() {
    no_flip_is_accepted::<KeccakFamily>(3000);
}

#[test]
fn headers_are_checked() {
    type H = Blake3Family;
    let (_, proof) = make::<H>(toy());
    let honest = encode(&proof).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = honest.clone();
        bytes[at] = byte;
        decode::<H>(&bytes).unwrap_err()
    };
    assert_eq!(with(0, b'D'), DecodeError::Magic);
    assert_eq!(with(8, 9), DecodeError::Version { found: 9 });
    assert_eq!(with(12, 3), DecodeError::UnknownHash { found: 3 });
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
        DecodeError::TrailingBytes { found: 1 }
    );
}

/// A list that claims more elements than there are bytes takes no memory for them; a number that is
/// read where a length stood is in range nowhere.
#[test]
fn claimed_lengths_are_not_believed() {
    type H = Blake3Family;
    let (verifier, proof) = make::<H>(toy());
    let honest = encode(&proof).unwrap();
    for at in 13..honest.len().min(600) {
        for claim in [u64::MAX, 1 << 60, 1 << 40, 1 << 32] {
            let mut bytes = honest[..at].to_vec();
            bytes.push(253);
            bytes.extend(claim.to_le_bytes());
            bytes.extend(&honest[at + 1..]);
            if let Ok(proof) = decode::<H>(&bytes) {
                assert!(verifier.verify(&statement(), 0, &proof).is_err());
                assert!(Verifier::<H, StandardTables>::new(proof.key).is_err());
            }
        }
    }
}

#[test]
fn longer_forms_of_integers_are_refused() {
    type H = Blake3Family;
    let (_, proof) = make::<H>(toy());
    let honest = encode(&proof).unwrap();
    // The first byte of the body is the blowup, 1.
    assert_eq!(honest[13], 1);
    let mut bytes = honest[..13].to_vec();
    bytes.extend([251, 1, 0]);
    bytes.extend(&honest[14..]);
    assert_eq!(decode::<H>(&bytes).unwrap_err(), DecodeError::NotCanonical);
}

#[test]
fn files_are_written_whole() {
    let folder = std::env::temp_dir().join(format!("droste-codec-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.proof");
    write_file(&path, b"first").unwrap();
    write_file(&path, b"second").unwrap();
    assert_eq!(read_file(&path).unwrap(), b"second");
    assert!(write_file(&folder.join("missing").join("a"), b"x").is_err());
    assert!(write_file(std::path::Path::new("/"), b"x").is_err());
    // A folder is no file to replace; nothing is left behind.
    fs::create_dir(folder.join("taken")).unwrap();
    assert!(write_file(&folder.join("taken"), b"x").is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    fs::remove_dir_all(&folder).unwrap();
}

/// More digests than a cap has would be absorbed and compared with nothing.
#[test]
fn surplus_cap_digests_are_rejected() {
    type H = Blake3Family;
    let (verifier, proof) = make::<H>(toy());
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
        let rejection = verifier.verify(&statement(), 0, &proof).unwrap_err();
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

/// Plonky3 authenticates no row of a table that is shorter than the cap of its commitment: a prover who may
/// choose heights would have a table of his own making.
#[test]
fn tables_shorter_than_the_cap_are_rejected() {
    type H = Blake3Family;
    let compiled = fibonacci(6);
    let execution = run(&compiled, &statement());
    let key = |cap_height| {
        let settings = FriSettings {
            cap_height,
            ..toy()
        };
        ProvingKey::<H, StandardTables>::new(&compiled.program, settings, Heights::Minimal).unwrap()
    };
    // At blowup 2, 2^8 rows reach a cap of 2^9 digests.
    let (capped, plain) = (key(9), key(0));
    let mut tables = traces(&capped, &execution).unwrap();
    let short = traces(&plain, &execution).unwrap();
    assert!(tables.iter().all(|table| table.height() >= 1 << 8));
    let verifier = Verifier::<H, StandardTables>::new(capped.key().clone()).unwrap();
    let honest = prove_traces(&capped, execution.statement, &tables).unwrap();
    verifier.verify(&statement(), 0, &honest).unwrap();

    let words = tables.len() - 2;
    assert!(short[words].height() < 1 << 8);
    tables[words] = short[words].clone();
    let proof = prove_traces(&capped, execution.statement, &tables).unwrap();
    let rejection = verifier.verify(&statement(), 0, &proof).unwrap_err();
    assert!(matches!(rejection, VerifyError::Heights { .. }));

    // Neither does a key name such heights.
    let mut fixed = capped.key().clone();
    fixed.heights = KeyHeights::Fixed(proof.batch.degree_bits.clone());
    let refusal = Verifier::<H, StandardTables>::new(fixed).err();
    assert_eq!(refusal, Some(VerifyError::KeyHeights));
}

/// The whole statement is bound, also where the caller asks for less.
#[test]
fn every_lane_of_the_statement_is_bound() {
    let (verifier, mut proof) = make::<Blake3Family>(toy());
    for lane in 0..8 {
        proof.statement[lane] += F::ONE;
        assert!(verifier.verify(&[], 0, &proof).is_err());
        proof.statement[lane] -= F::ONE;
    }
    verifier.verify(&[], 0, &proof).unwrap();
}
