//! Proofs of small programs: they are made and verified, and refused where they must be.

use droste_native::{Blake3Suite, EF, F, FriSettings, HashSuite, KeccakSuite, Poseidon16Suite};
use droste_tests::every_suite;
use droste_vm::fri::{Proof, ProveOptions, ProvingKey, encode, prove, verify};
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{DigestError, Key, KeyDigest, KeyError};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::stack::ProveError;
use droste_vm::tables::program::ProgramError;
use droste_vm::verifier::{Report, VerifyError, VerifyOptions, verify_program};
use p3_field::PrimeCharacteristicRing;

use crate::common::{fibonacci, run, statement, toy};

fn options(heights: Heights) -> ProveOptions {
    ProveOptions {
        settings: toy(),
        heights,
    }
}

fn proof<H: HashSuite>(steps: u32, heights: Heights) -> Result<Proof<H>, ProveError>
where
    StandardTables: Provable<H>,
{
    let compiled = fibonacci(steps);
    let execution = run(&compiled, &statement());
    prove::<H>(&compiled.program, &execution, &options(heights))
}

fn check<H: HashSuite>(
    key: &Key<H>,
    public: &[F],
    min_bits: usize,
    proof: &Proof<H>,
) -> Result<Report, VerifyError>
where
    StandardTables: Provable<H>,
{
    verify::<H, StandardTables>(key, public, VerifyOptions::min_bits(min_bits), proof)
}

fn key<H: HashSuite>(steps: u32, heights: Heights) -> Key<H>
where
    StandardTables: Provable<H>,
{
    ProvingKey::<H, StandardTables>::new(&fibonacci(steps).program, toy(), heights)
        .unwrap()
        .key()
        .clone()
}

fn proves_and_verifies<H: HashSuite>()
where
    StandardTables: Provable<H>,
{
    let proof = proof::<H>(20, Heights::Minimal).unwrap();
    let key = key::<H>(20, Heights::Minimal);
    let report = check(&key, &statement(), 0, &proof).unwrap();
    assert_eq!(report.statement[..3], statement());
    assert_eq!(report.key, key.digest());
    assert_eq!(proof.key, key);
    let heights: Vec<_> = report
        .tables
        .iter()
        .map(|table| (table.name, table.shape.log_height))
        .collect();
    assert_eq!(
        heights,
        [("cpu", 8), ("program", 6), ("words", 9), ("blocks", 6)]
    );
    // More bits are required than the proof has.
    let found = report.security.bits();
    let weak = check(&key, &statement(), found + 1, &proof).unwrap_err();
    let asked = found + 1;
    assert!(
        matches!(weak, VerifyError::Security { expected, found: bits } if expected == asked && bits == found),
        "{weak}"
    );
    // An element of the statement is wrong, and then too many elements are given.
    let mut wrong = statement();
    wrong[1] += F::ONE;
    let rejection = check(&key, &wrong, 0, &proof).unwrap_err();
    assert!(matches!(rejection, VerifyError::Statement { index: 1, .. }));
    let rejection = check(&key, &[F::ZERO; 9], 0, &proof).unwrap_err();
    assert!(matches!(rejection, VerifyError::StatementLength(9)));
}

#[test]
fn poseidon16_proves_and_verifies() {
    proves_and_verifies::<Poseidon16Suite>();
}

#[test]
fn blake3_proves_and_verifies() {
    proves_and_verifies::<Blake3Suite>();
}

#[test]
fn keccak_proves_and_verifies() {
    proves_and_verifies::<KeccakSuite>();
}

#[test]
fn heights_are_free_or_fixed_by_the_key() {
    type H = Blake3Suite;
    let minimal = proof::<H>(20, Heights::Minimal).unwrap();
    for (heights, expected) in [
        (Heights::Uniform(9), [9, 9, 9, 9]),
        (Heights::Exact(vec![10, 6, 9, 7]), [10, 6, 9, 7]),
    ] {
        let proof = proof::<H>(20, heights.clone()).unwrap();
        assert_eq!(proof.batch.degree_bits, expected);
        let key = key::<H>(20, heights);
        check(&key, &statement(), 0, &proof).unwrap();
        // Heights are part of the key.
        assert_ne!(key.digest(), minimal.key.digest());
        let rejection = check(&key, &statement(), 0, &minimal).unwrap_err();
        assert!(matches!(
            rejection,
            VerifyError::Key { differs, .. } if differs.0.starts_with("heights Free, expected Fixed")
        ));
    }
    // Another run of the same program is proved under the same key, where heights are free.
    let key = key::<H>(20, Heights::Minimal);
    assert_eq!(key, minimal.key);
}

#[test]
fn rows_that_do_not_fit_are_named() {
    let error = proof::<Blake3Suite>(20, Heights::Uniform(7)).unwrap_err();
    assert!(matches!(
        error,
        ProveError::TooManyRows {
            table: "cpu",
            log_height: 7,
            ..
        }
    ));
    let error = proof::<Blake3Suite>(20, Heights::Uniform(24)).unwrap_err();
    assert!(matches!(error, ProveError::Key(KeyError::Height { .. })));
    let settings = FriSettings {
        cap_height: 11,
        ..toy()
    };
    let heights = Heights::Exact(vec![10, 10, 10, 9]);
    let program = fibonacci(20).program;
    let refusal = ProvingKey::<Blake3Suite, StandardTables>::new(&program, settings, heights);
    assert!(matches!(
        refusal,
        Err(KeyError::Height {
            log_height: 9,
            min: 10,
            ..
        })
    ));
    let error = proof::<Blake3Suite>(20, Heights::Exact(vec![8])).unwrap_err();
    assert!(matches!(
        error,
        ProveError::Key(KeyError::HeightCount {
            expected: 4,
            found: 1
        })
    ));
    let error = proof::<Blake3Suite>(20, Heights::Exact(vec![8, 2, 9, 6])).unwrap_err();
    assert!(matches!(
        error,
        ProveError::Key(KeyError::Program(ProgramError::Height {
            log_height: 2,
            ..
        }))
    ));
}

#[test]
fn keys_differ_with_everything_they_fix() {
    let digests = |settings: FriSettings| {
        let mut digests = vec![];
        for steps in [20, 21] {
            let program = fibonacci(steps).program;
            let heights = Heights::Minimal;
            let poseidon = ProvingKey::<Poseidon16Suite, StandardTables>::new(
                &program,
                settings,
                heights.clone(),
            );
            digests.push(poseidon.unwrap().key().digest().to_string());
            let blake = ProvingKey::<Blake3Suite, StandardTables>::new(&program, settings, heights);
            digests.push(blake.unwrap().key().digest().to_string());
        }
        digests
    };
    let base = toy();
    let mut all = digests(base);
    all.extend(digests(FriSettings {
        num_queries: 5,
        ..base
    }));
    all.extend(digests(FriSettings {
        query_grinding_bits: 1,
        ..base
    }));
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    for digest in all {
        let parsed: KeyDigest = digest.parse().unwrap();
        assert_eq!(parsed.to_string(), digest);
        assert_eq!(format!("{parsed:?}"), format!("KeyDigest({digest})"));
    }
    assert_eq!("00".parse::<KeyDigest>(), Err(DigestError::Digits));
    assert_eq!(
        "ff".repeat(32).parse::<KeyDigest>(),
        Err(DigestError::NotCanonical(0))
    );
}

#[test]
fn a_proof_of_another_program_is_rejected() {
    let proof = proof::<Poseidon16Suite>(20, Heights::Minimal).unwrap();
    let key = key::<Poseidon16Suite>(21, Heights::Minimal);
    let rejection = check(&key, &statement(), 0, &proof).unwrap_err();
    assert!(matches!(rejection, VerifyError::Key { .. }));
    // Claiming the other key does not help either.
    let forged = Proof {
        key: key.clone(),
        ..proof
    };
    assert!(check(&key, &statement(), 0, &forged).is_err());
}

fn proofs_do_not_depend_on_threads<H: HashSuite>()
where
    StandardTables: Provable<H>,
{
    let settings = FriSettings {
        query_grinding_bits: 6,
        commit_grinding_bits: 3,
        lookup_grinding_bits: 5,
        ..toy()
    };
    let compiled = fibonacci(20);
    let execution = run(&compiled, &statement());
    let options = ProveOptions {
        settings,
        heights: Heights::Minimal,
    };
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let proof = pool.install(|| prove::<H>(&compiled.program, &execution, &options));
        encode(&proof.unwrap()).unwrap()
    };
    let expected = bytes(1);
    for threads in [1, 2, 3] {
        assert!(bytes(threads) == expected, "{} at {threads}", H::NAME);
    }
}

#[test]
fn proofs_are_deterministic() {
    every_suite!(proofs_do_not_depend_on_threads);
}

/// A proof that states more work than is allowed is refused before any work is done, an invalid one
/// before the program is committed to, one of another program afterwards.
#[test]
fn the_program_is_committed_last() {
    type T = StandardTables;
    let exact = Heights::Uniform(8);
    let mut proof = proof::<Blake3Suite>(4, exact.clone()).unwrap();
    let program = fibonacci(4).program;
    let verify = |program: &Program, bits: usize, limit: usize, proof: &Proof<Blake3Suite>| {
        let options = VerifyOptions::min_bits(bits).with_limit(limit);
        verify_program::<Blake3Suite, T>(program, &statement(), options, proof)
    };
    let rows = 1 << (8 + toy().log_blowup);
    let report = verify(&program, 0, rows, &proof).unwrap();
    assert_eq!(report.key, proof.key.digest());
    assert!(matches!(
        verify(&program, 0, rows - 1, &proof),
        Err(VerifyError::Limit { rows: asked, limit }) if asked == rows && limit == rows - 1
    ));
    assert!(matches!(
        verify(&program, 100, rows, &proof),
        Err(VerifyError::Security { expected: 100, .. })
    ));
    // The key of another program is computed and differs.
    let other = fibonacci(5).program;
    let its_key = key::<Blake3Suite>(5, exact).digest();
    assert!(matches!(
        verify(&other, 0, rows, &proof),
        Err(VerifyError::Key { expected, found, differs })
            if expected == its_key && found == proof.key.digest() && differs.0 == "another program"
    ));
    // A program that has no key with these parameters is refused when the proof has been found
    // valid, and before.
    let none = Program::default();
    assert!(matches!(
        verify(&none, 0, rows, &proof),
        Err(VerifyError::ProgramKey(_))
    ));
    proof.batch.opened_values.instances[0]
        .base_opened_values
        .trace_local[0] += EF::ONE;
    assert!(matches!(
        verify(&none, 0, rows, &proof),
        Err(VerifyError::Openings(_) | VerifyError::Constraints { .. } | VerifyError::Grinding(_))
    ));
    // If the key leaves heights free, the program's table has the least height.
    let mut free = self::proof::<Blake3Suite>(4, Heights::Minimal).unwrap();
    verify(&program, 0, rows, &free).unwrap();
    free.key.program_log_height += 1;
    assert!(matches!(
        verify(&program, 0, usize::MAX, &free),
        Err(VerifyError::ProgramHeight {
            expected: 6,
            found: 7
        })
    ));
}
