//! Memory and CPU time that hostile bytes make decoding and verifying take. The tests are a binary
//! of their own, since they replace the allocator to count its bytes, and run one after the other.

#[path = "../vm/common/mod.rs"]
mod common;
mod counting;
mod headers;
mod lists;

use common::{fibonacci, run, statement, toy_proof};
use counting::{alone, taken as measure};
use droste_native::codec::DecodeError;
use droste_native::whir::WhirSettings;
use droste_native::{Blake3Suite, HashSuite, KeccakSuite, Poseidon16Suite};
use droste_vm::fri::{Proof, Verifier, decode, encode};
use droste_vm::heights::Heights;
use droste_vm::key::KeyHeights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::stack::Prove;
use droste_vm::verifier::{Report, VerifyError, VerifyOptions};
use droste_vm::whir;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Decoding allocates at most this many bytes for each byte of a file, as `droste_native::codec` says,
/// plus [`DECODE_CONSTANT`].
const DECODE_FACTOR: usize = 15;
/// See [`DECODE_FACTOR`].
const DECODE_CONSTANT: usize = 2 << 20;
/// Decoding an aggregate allocates at most this many bytes for each byte of a file, as
/// `droste_verifier::file` says, plus [`DECODE_CONSTANT`].
const DECODE_FACTOR_OF_AGGREGATES: usize = 48;
/// Verifying a proof of the machine without precompiles allocates at most this many bytes.
const VERIFY_BOUND: usize = 1 << 24;

/// Flips a bit, truncates the file, replaces a byte by one that begins a longer integer, or inserts
/// a large integer, which a list may take for its length.
fn tamper(honest: &[u8], case: usize, rng: &mut SmallRng) -> Vec<u8> {
    let mut bytes = honest.to_vec();
    let at = rng.random_range(13..bytes.len());
    match case % 4 {
        0 => bytes.truncate(at),
        1 => bytes[at] = 250 + rng.random_range(0..6),
        2 => {
            let claim = 1u64 << rng.random_range(16..64);
            bytes[at] = 253;
            bytes.splice(at + 1..at + 1, claim.to_le_bytes());
        }
        _ => bytes[at] ^= 1 << rng.random_range(0..8),
    }
    bytes
}

/// Decodes and verifies the honest bytes and `count - 1` others.
fn memory_is_bounded<P>(
    name: &str,
    honest: &[u8],
    count: usize,
    decode: impl Fn(&[u8]) -> Result<P, DecodeError>,
    verify: impl Fn(&P) -> Result<Report, VerifyError>,
) {
    let mut rng = SmallRng::seed_from_u64(11);
    let (mut decoding, mut verifying) = (0, 0);
    for case in 0..count {
        let bytes = match case {
            0 => honest.to_vec(),
            _ => tamper(honest, case, &mut rng),
        };
        let (proof, taken) = measure(|| decode(&bytes));
        decoding = decoding.max(taken.bytes);
        assert!(
            taken.bytes <= DECODE_FACTOR * bytes.len() + DECODE_CONSTANT,
            "{} bytes take {taken:?}",
            bytes.len()
        );
        let Ok(proof) = proof else { continue };
        let (verdict, taken) = measure(|| verify(&proof));
        assert_eq!(verdict.is_ok(), bytes == honest);
        verifying = verifying.max(taken.bytes);
        assert!(taken.bytes <= VERIFY_BOUND, "verifying takes {taken:?}");
    }
    let length = honest.len();
    println!("{name}: {length} bytes, decoding {decoding}, verifying {verifying}");
}

fn memory_is_bounded_in<H: HashSuite>(count: usize)
where
    StandardTables: Provable<H>,
{
    let honest = encode(&toy_proof::<H>()).unwrap();
    memory_is_bounded(H::NAME, &honest, count, decode::<H>, |proof| {
        let verifier = Verifier::<H, StandardTables>::new(proof.key.clone())?;
        verifier.verify(&statement(), VerifyOptions::min_bits(0), proof)
    });
}

/// An empty name is one byte of a file and 24 of memory: a list that is longer than any machine's
/// is refused because of its length.
#[test]
fn long_lists_are_not_read() {
    alone(|| {
        type Change = fn(&mut Proof<Blake3Suite>);
        let changes: [Change; 2] = [
            |proof| proof.key.tables = vec![String::new(); 1 << 22],
            |proof| proof.key.heights = KeyHeights::Fixed(vec![6; 1 << 22]),
        ];
        for change in changes {
            let mut proof = toy_proof();
            change(&mut proof);
            let bytes = encode(&proof).unwrap();
            let (refusal, taken) = measure(|| decode::<Blake3Suite>(&bytes).unwrap_err());
            assert!(refusal.to_string().contains("256 elements"), "{refusal}");
            assert!(taken.bytes <= 1 << 20, "{taken:?}");
        }
    });
}

#[test]
fn hostile_bytes_take_no_more_memory_than_stated() {
    alone(|| {
        memory_is_bounded_in::<Poseidon16Suite>(4_000);
        // Only the size of digests differs.
        memory_is_bounded_in::<Blake3Suite>(1_000);
        memory_is_bounded_in::<KeccakSuite>(1_000);
    });
}

#[test]
fn hostile_bytes_over_whir_take_no_more_memory_than_stated() {
    alone(|| {
        let compiled = fibonacci(6);
        let execution = run(&compiled, &statement());
        let settings = WhirSettings::toy();
        let key =
            whir::ProvingKey::<StandardTables>::new(&compiled.program, settings, Heights::Minimal);
        let proof = key.unwrap().prove_run(&execution).unwrap();
        let honest = whir::encode(&proof).unwrap();
        memory_is_bounded("WHIR", &honest, 4_000, whir::decode, |proof| {
            let verifier = whir::Verifier::<StandardTables>::new(proof.key.clone())?;
            verifier.verify(&statement(), VerifyOptions::min_bits(0), proof)
        });
    });
}
