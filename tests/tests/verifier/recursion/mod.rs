//! The generated verifier, run natively and in the machine, on proofs that Plonky3's verifier
//! accepts.

mod airs;
// The text is the same for every hash. A test checks that the generator still produces it.
#[rustfmt::skip]
#[allow(clippy::all, unused)]
mod generated;
mod machine;
mod prove;

use std::path::PathBuf;

use droste_gadgets::prelude::*;
use droste_gadgets::suites::blake3::{Blake3, Blake3Challenger};
use droste_gadgets::suites::keccak::{Keccak, KeccakChallenger};
use droste_gadgets::suites::poseidon2::{Poseidon2, Poseidon2Challenger};
use droste_gadgets::suites::poseidon16::{Poseidon16, Poseidon16Challenger};
use droste_gadgets::verify::fri::constraints::Constraints;
use droste_gadgets::verify::fri::shape::Shape;
use droste_gadgets::verify::fri::verify;
use droste_gadgets::{Failure, Hint, NativeTape, run_native};
use droste_native::{
    Blake3Suite, F, FriSettings, HashId, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_verifier::program::verifier;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use prove::{Proved, prove};

/// Toy settings with proof of work at every site, folding by 8 and caps of two levels.
const SETTINGS: FriSettings = FriSettings {
    log_blowup: 2,
    log_final_poly_len: 1,
    max_log_arity: 3,
    num_queries: 3,
    batch_grinding_bits: 1,
    commit_grinding_bits: 2,
    query_grinding_bits: 3,
    lookup_grinding_bits: 2,
    ood_grinding_bits: 1,
    cap_height: 1,
};

const SEED: [u32; 8] = [11, 12, 13, 14, 15, 16, 17, 18];

/// Compares the generated text with the checked-in file, or writes the file if the environment
/// variable `UPDATE` is set.
fn check_generated(text: &str) {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/verifier/recursion/generated.rs");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        old == text,
        "{} is stale: run with UPDATE=1",
        path.display()
    );
}

macro_rules! suite {
    ($module:ident, $suite:ty, $hash:expr, $h:ty, $c:ty) => {
        mod $module {
            use super::*;

            fn proved() -> Proved<$suite> {
                prove::<$suite>(&SETTINGS, $hash, &SEED, 6, 4)
            }

            /// The transcripts of byte hashes sometimes reject a sample, so different seeds take
            /// different branches, which take different numbers of cycles.
            #[test]
            fn other_proofs_are_accepted() {
                let mut lengths = std::collections::BTreeSet::new();
                for first in 0..6 {
                    let mut seed = SEED;
                    seed[0] = first;
                    let proved = prove::<$suite>(&SETTINGS, $hash, &seed, 6, 4);
                    let tape = tape(&proved);
                    run(&tape).unwrap();
                    let text = verifier(&proved.shape, &proved.evaluators);
                    let execution = machine::run(&text, $hash, &tape).unwrap();
                    lengths.insert(execution.cycles.len());
                }
                // With some of these seeds Blake3 rejects a sample; hashes of elements never do.
                match $hash {
                    HashId::Poseidon16 | HashId::Poseidon2 => assert_eq!(lengths.len(), 1),
                    HashId::Blake3 => assert!(lengths.len() > 1),
                    HashId::Keccak => {}
                }
            }

            /// Reads the arguments of `verify` and verifies the proof.
            fn program(shape: &Shape, constraints: &impl Constraints) {
                let mut seed = [Felt::ZERO; 8];
                for lane in &mut seed {
                    *lane = hint_felt().any();
                }
                let blocks = if $hash.is_of_bytes() { 4 } else { 2 };
                let preprocessed = vec![hint_slice(blocks).any()];
                let public = [vec![], vec![hint_felt().any(), hint_felt().any()]];
                verify::<$h, $c, _>(shape, constraints, &seed, preprocessed, &public);
            }

            /// Records the tape, with constraints evaluated by the interpreter of the evaluators.
            fn tape(proved: &Proved<$suite>) -> NativeTape {
                let run = || program(&proved.shape, &proved.evaluators);
                proved.answers().record(run).unwrap()
            }

            /// Runs the verifier on a tape, with the generated evaluators.
            fn run(tape: &NativeTape) -> Result<[u32; 8], Failure> {
                run_native(tape, &[], || {
                    program(&generated::shape(), &generated::Tables);
                })
            }

            #[test]
            fn text_is_current() {
                let proved = proved();
                check_generated(&verifier(&proved.shape, &proved.evaluators));
            }

            #[test]
            fn honest_proof_is_accepted() {
                let tape = tape(&proved());
                println!("{} hints", tape.hints.len());
                run(&tape).unwrap();
            }

            #[test]
            fn the_machine_accepts_the_honest_proof() {
                let proved = proved();
                let text = verifier(&proved.shape, &proved.evaluators);
                let execution = machine::run(&text, $hash, &tape(&proved)).unwrap();
                println!("{} cycles", execution.cycles.len());
                for (id, calls) in execution.calls.iter().enumerate() {
                    println!("  precompile {id}: {} calls", calls.len());
                }
            }

            #[test]
            fn every_damaged_hint_is_rejected() {
                let tape = tape(&proved());
                for at in 0..tape.hints.len() {
                    for damaged in damage(&tape.hints[at], at) {
                        let mut tape = tape.clone();
                        tape.hints[at] = damaged;
                        assert!(run(&tape).is_err(), "hint {at}: {:?}", tape.hints[at]);
                    }
                }
            }
        }
    };
}

/// Versions of a hint, each with one element changed.
fn damage(hint: &Hint, at: usize) -> Vec<Hint> {
    match hint {
        Hint::Felt(x) => vec![Hint::Felt(*x + F::ONE), Hint::Felt(F::ONE - *x)],
        Hint::Ext(x) => vec![Hint::Ext(*x + F::ONE)],
        Hint::Slice(blocks) => {
            let set: Vec<(usize, usize)> = (0..blocks.len())
                .flat_map(|block| (0..8).map(move |lane| (block, lane)))
                // A zero may be padding, which byte hashes do not read.
                .filter(|&(block, lane)| blocks[block][lane].is_some_and(|x| x != F::ZERO))
                .collect();
            // Takes a few lanes of each slice, which differ from slice to slice.
            let (block, lane) = set[at * 7 % set.len()];
            [(block, lane), set[0], set[set.len() - 1]]
                .into_iter()
                .map(|(block, lane)| {
                    let mut blocks = blocks.clone();
                    let old = blocks[block][lane].unwrap();
                    blocks[block][lane] = Some(F::from_u32(old.as_canonical_u32() ^ 1));
                    Hint::Slice(blocks)
                })
                .collect()
        }
    }
}

suite!(
    poseidon16,
    Poseidon16Suite,
    HashId::Poseidon16,
    Poseidon16,
    Poseidon16Challenger
);
suite!(
    poseidon2,
    Poseidon2Suite,
    HashId::Poseidon2,
    Poseidon2,
    Poseidon2Challenger
);
suite!(
    blake3,
    Blake3Suite,
    HashId::Blake3,
    Blake3,
    Blake3Challenger
);
suite!(
    keccak,
    KeccakSuite,
    HashId::Keccak,
    Keccak,
    KeccakChallenger
);
