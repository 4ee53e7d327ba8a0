//! Changed files and forged proofs: none is accepted, none makes a verifier panic. `docs/testing.md`
//! has the long form.

use droste_air::test_utils::Counting;
use droste_native::{Blake3Family, HashId, KeccakFamily, Poseidon16Family};
use droste_tests::attack::files::{join, proofs, wraps};
use droste_tests::attack::forge::{EVERYTHING, LITTLE, forger};
use droste_tests::attack::run::Plan;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Decoding and verifying one file take at most so many bytes.
const MEMORY: usize = 1 << 26;

#[test]
fn nothing_false_is_accepted() {
    let mut files = proofs();
    // Wraps of byte hashes, the largest files, are attacked in the long form.
    files.extend(wraps(&[HashId::Poseidon16]));
    files.push(join());
    let plan = Plan {
        // One in six draws changes nothing.
        count: 24_800,
        seed: 10,
        limit: None,
        threads: 2,
        files,
        forgers: vec![
            forger::<Poseidon16Family>("little", LITTLE),
            forger::<Blake3Family>("little", LITTLE),
            forger::<KeccakFamily>("little", LITTLE),
            forger::<Blake3Family>("everything", EVERYTHING),
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
