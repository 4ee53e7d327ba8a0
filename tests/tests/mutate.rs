//! No changed file and no forged proof is accepted, and none makes a verifier panic.
//! `docs/testing.md` describes longer runs.

use droste_air::test_utils::Counting;
use droste_native::{Blake3Suite, HashId, KeccakSuite, Poseidon16Suite};
use droste_tests::attack::files::{DECODED, others, proofs, to_decode, wraps};
use droste_tests::attack::forge::{EVERYTHING, LITTLE, forger};
use droste_tests::attack::run::Plan;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Largest number of bytes that decoding and verifying one file may take.
const MEMORY: usize = 1 << 26;

#[test]
fn nothing_false_is_accepted() {
    let mut files = proofs();
    // Wraps of proofs in byte hashes, which are the largest files, are attacked only in longer
    // runs.
    files.extend(wraps(&[HashId::Poseidon16]));
    files.extend(others());
    let plan = Plan {
        // One in six random changes changes nothing.
        count: 28_300,
        seed: 10,
        limit: None,
        threads: 2,
        files,
        forgers: vec![
            forger::<Poseidon16Suite>("little", LITTLE),
            forger::<Blake3Suite>("little", LITTLE),
            forger::<KeccakSuite>("little", LITTLE),
            forger::<Blake3Suite>("everything", EVERYTHING),
        ],
    };
    let report = plan.run();
    println!("{report}");
    assert!(
        report.accepted.is_empty() && report.panics.is_empty(),
        "{report}"
    );
    assert!(report.tried >= 20_000, "{report}");
    assert!((1..=MEMORY).contains(&report.memory.0), "{report}");
    assert_eq!(report.missed(), [""; 0], "{report}");
}

/// Whatever decodes is what encoding writes, and no file makes a decoder panic.
#[test]
fn decoders_take_what_encoders_write() {
    let plan = Plan {
        count: 4_000,
        seed: 11,
        limit: None,
        threads: 2,
        files: to_decode(),
        forgers: vec![],
    };
    let report = plan.run();
    println!("{report:#}");
    assert!(
        report.accepted.is_empty() && report.panics.is_empty(),
        "{report:#}"
    );
    assert!((1..=MEMORY).contains(&report.memory.0), "{report:#}");
    let reached = report.reached();
    for name in [
        DECODED,
        "DecodeError::Malformed",
        "DecodeError::TrailingBytes",
    ] {
        assert!(reached.contains(name), "{name}: {report:#}");
    }
}
