//! Files that are full of empty lists, which are one byte of a file and 24 of memory each.

use std::fmt::Display;

use droste_native::codec::LIST_FACTOR;
use droste_native::stark::challenger::{Decommitted, Sent};
use droste_native::whir::WhirSettings;
use droste_native::{Blake3Suite, EF, F, FriSettings, Poseidon16Suite};
use droste_verifier::aggregate::UnverifiedAggregate;
use droste_verifier::claim::{Claim, ClaimTree};
use droste_verifier::file;
use droste_verifier::keys::ClaimedKeys;
use droste_vm::fri::{self, ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::whir;
use p3_field::PrimeCharacteristicRing;

use crate::common::{fibonacci, run, statement, toy, toy_proof};
use crate::counting::{alone, taken};
use crate::{DECODE_CONSTANT, DECODE_FACTOR, DECODE_FACTOR_OF_AGGREGATES};

/// Empty lists for which `serde` reserves room at once: 1 MiB.
const FIRST: usize = (1 << 20) / size_of::<Vec<u32>>();

/// What decoding a file allocates.
struct Decoding {
    length: usize,
    bytes: usize,
    refusal: Option<String>,
}

impl Decoding {
    fn of<P, E: Display>(file: &[u8], decode: impl Fn(&[u8]) -> Result<P, E>) -> Self {
        let (decoded, taken) = taken(|| decode(file));
        Self {
            length: file.len(),
            bytes: taken.bytes,
            refusal: decoded.err().map(|error| error.to_string()),
        }
    }

    /// Bytes of memory for each of the file.
    fn ratio(&self) -> f64 {
        self.bytes as f64 / self.length as f64
    }
}

/// Decodes files with lists of empty lists and a longer or shorter list of elements, which take as
/// much memory as bytes of the file. `decoding` is given how many of both; without lists it decodes
/// an honest file.
fn empty_lists_are_bounded(name: &str, factor: usize, decoding: impl Fn(usize, usize) -> Decoding) {
    let honest = decoding(0, 0);
    assert_eq!(honest.refusal, None);
    let (mut read, mut refused) = (0_f64, 0_f64);
    // One more than there is room for, so that the room is doubled for the last one.
    let lengths = [FIRST, FIRST + 1, 2 * FIRST + 1, 4 * FIRST + 1, 6 * FIRST];
    for lists in lengths {
        for elements in [0, lists / 32, lists / 16, lists / 8, lists / 4] {
            let decoding = decoding(lists, elements);
            let (length, bytes) = (decoding.length, decoding.bytes);
            assert!(
                bytes <= factor * length + DECODE_CONSTANT,
                "{name}: {lists} lists, {elements} elements: {length} bytes take {bytes}"
            );
            match &decoding.refusal {
                None => read = read.max(decoding.ratio()),
                Some(refusal) => {
                    assert!(refusal.contains("too much memory"), "{refusal}");
                    refused = refused.max(decoding.ratio());
                }
            }
        }
    }
    let ratio = honest.ratio();
    println!("{name}: a byte takes {ratio:.2}; of hostile files {read:.2}, refused {refused:.2}");
    // The bound is not far above what such files take.
    assert!(read > 0.75 * factor as f64 && refused > 0.0);
}

fn proof_over_whir(settings: WhirSettings) -> whir::Proof {
    let compiled = fibonacci(6);
    let program = &compiled.program;
    let key = whir::ProvingKey::<StandardTables>::new(program, settings, Heights::Minimal).unwrap();
    key.prove_run(&run(&compiled, &statement())).unwrap()
}

#[test]
fn empty_lists_take_no_more_memory_than_stated() {
    alone(|| {
        empty_lists_are_bounded("FRI, opened rows", DECODE_FACTOR, |lists, elements| {
            let mut proof = toy_proof::<Blake3Suite>();
            if lists > 0 {
                let opening = &mut proof.batch.opening_proof;
                opening.input_openings[0].opened_values[0] = vec![vec![]; lists];
                opening.final_poly = vec![EF::ZERO; elements];
            }
            Decoding::of(&fri::encode(&proof).unwrap(), fri::decode::<Blake3Suite>)
        });
        let honest = whir::encode(&proof_over_whir(WhirSettings::toy())).unwrap();
        let proof = |lists: usize, elements: usize| {
            let mut proof: whir::Proof = whir::decode(&honest).unwrap();
            if lists > 0 {
                let opening = &mut proof.stark.opening;
                opening.rounds[0].queries.trees[0].leaves = Decommitted::new(vec![vec![]; lists]);
                opening.final_polynomial = Sent::forged(vec![EF::ZERO; elements]);
            }
            proof
        };
        empty_lists_are_bounded("WHIR, leaves", DECODE_FACTOR, |lists, elements| {
            let file = whir::encode(&proof(lists, elements)).unwrap();
            Decoding::of(&file, whir::decode::<Poseidon16Suite>)
        });
        let factor = DECODE_FACTOR_OF_AGGREGATES;
        empty_lists_are_bounded("aggregates, leaves", factor, |lists, elements| {
            let aggregate = UnverifiedAggregate {
                proof: proof(lists, elements),
                tree: ClaimTree {
                    key: KeyDigest([F::ONE; 8]),
                    claim: Claim::Statement(Default::default()),
                },
                keys: ClaimedKeys::default(),
            };
            Decoding::of(&file::encode_unverified(&aggregate).unwrap(), file::decode)
        });
    });
}

/// Lists of proofs may take [`LIST_FACTOR`] bytes of memory per byte of the file, and take less
/// than half as many, all that decoding allocates included: with many queries, too, where opened
/// rows are most of the file, because small trees have few siblings to send.
#[test]
fn proofs_are_far_from_the_budget_of_memory() {
    alone(|| {
        let far = |name: &str, decoding: Decoding| {
            let (length, ratio) = (decoding.length, decoding.ratio());
            println!("{name}: {length} bytes, {ratio:.2} bytes of memory for each");
            assert_eq!(decoding.refusal, None);
            assert!(2.0 * ratio < LIST_FACTOR as f64);
        };
        let compiled = fibonacci(6);
        let execution = run(&compiled, &statement());
        for num_queries in [1, 16, 128] {
            let options = ProveOptions {
                settings: FriSettings {
                    num_queries,
                    ..toy()
                },
                heights: Heights::Minimal,
            };
            let proof = prove::<Blake3Suite>(&compiled.program, &execution, &options).unwrap();
            let file = fri::encode(&proof).unwrap();
            far("FRI", Decoding::of(&file, fri::decode::<Blake3Suite>));
        }
        for settings in [WhirSettings::toy(), WhirSettings::proven_100()] {
            let file = whir::encode(&proof_over_whir(settings)).unwrap();
            far("WHIR", Decoding::of(&file, whir::decode::<Poseidon16Suite>));
        }
    });
}
