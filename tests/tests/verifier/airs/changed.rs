//! Plonky3's verifier and the recursion program reject the same damaged proofs.
//!
//! A proof is serialized. One place in each kind of its parts (commitments, opened values,
//! terminals, heights, folded rows, siblings, leaves, nonces, final coefficients) is damaged at a
//! time, and the result is read as a proof again. The program rejects it in its native run, which
//! records the tape. No tape of such a proof exists for the machine: the damage changes the
//! transcript, which then asks for other rows, and the rows of the proof do not authenticate. The
//! tests `hints` and `checks` give the machine tapes that it must reject.

use std::collections::BTreeMap;

use droste_native::changes::{Changes, Node, Place, by_kind};
use droste_native::{Config, F, FriSettings, KeccakSuite, Poseidon16Suite};
use droste_verifier::airs::{BatchCircuit, Seed};
use droste_verifier::tape::TapeSuite;
use p3_batch_stark::BatchProof;
use p3_field::PrimeCharacteristicRing;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::common::{Batch, SETTINGS, Uni, prove};
use super::tables::{Plain, Table};

/// Tables with lookups, preprocessed columns, public values and two heights.
const TABLES: [(Table, usize); 4] = [
    (Table::Range { log_height: 4 }, 4),
    (Table::Keys { columns: 1 }, 4),
    (Table::Plain(Plain::Fibonacci), 5),
    (Table::Plain(Plain::Steps { log_height: 5 }), 5),
];

const WITH_FINAL: FriSettings = FriSettings {
    log_final_poly_len: 1,
    ..SETTINGS
};

/// The first, the middle and the last place of each kind.
fn some<'a, 'p>(
    kinds: &'a BTreeMap<String, Vec<Place<'p>>>,
) -> impl Iterator<Item = &'a Place<'p>> {
    kinds.values().flat_map(|places| {
        let mut chosen = vec![0, places.len() / 2, places.len() - 1];
        chosen.dedup();
        chosen.into_iter().map(move |index| &places[index])
    })
}

/// Damages a proof in every kind of place; `accepts` must return false for each. Returns the number
/// of damaged proofs. Damage that does not decode is rejected by the decoder, and does not count.
fn damage<P: Serialize + DeserializeOwned>(proof: &P, accepts: impl Fn(&P) -> bool) -> usize {
    assert!(accepts(proof), "the honest proof");
    let changes = Changes::new(proof).unwrap();
    let (numbers, lists) = (by_kind(changes.numbers()), by_kind(changes.lists()));
    println!(
        "{} kinds of numbers, {} of lists",
        numbers.len(),
        lists.len()
    );
    let mut damaged = 0;
    let mut refuse = |proof: Option<P>, place: &Place<'_>, what: &str| {
        if let Some(proof) = proof {
            assert!(!accepts(&proof), "{} is {what}", place.name);
            damaged += 1;
        }
    };
    for place in some(&numbers) {
        let changed = changes.with(place, Node::decrement);
        refuse(changed, place, "another number");
    }
    for place in some(&lists) {
        let mut edit = |edit: fn(&mut Vec<Node>), what| {
            refuse(changes.with_list(place, edit), place, what);
        };
        edit(|list| drop(list.pop()), "shorter");
        edit(|list| list.extend(list.last().cloned()), "longer");
        edit(|list| list.reverse(), "in reverse order");
    }
    damaged
}

fn batch<H: TapeSuite>(tables: &[(Table, usize)], settings: FriSettings) {
    let batch = Batch::<H>::new(tables, settings, Seed::Key);
    let count = damage(&batch.proof, |proof| {
        let native = batch.circuit.verify(proof, &batch.public_values).is_ok();
        let program = &batch.circuit;
        let machine = program.execute(proof, &batch.public_values).is_ok();
        assert_eq!(native, machine, "the verifiers disagree");
        native
    });
    println!("{count} damaged proofs");
    assert!(count > 150);
}

#[test]
fn damaged_batches_are_rejected() {
    batch::<Poseidon16Suite>(&TABLES, WITH_FINAL);
    batch::<KeccakSuite>(&TABLES[..3], SETTINGS);
}

/// Nonces of sites without proof of work must be zero.
#[test]
fn damaged_nonces_without_work_are_rejected() {
    let settings = FriSettings {
        num_queries: 1,
        ..FriSettings::toy()
    };
    batch::<Poseidon16Suite>(&TABLES, settings);
}

#[test]
fn damaged_proofs_of_one_table_are_rejected() {
    let uni = Uni::<Poseidon16Suite>::new(Plain::Steps { log_height: 4 }, 4, WITH_FINAL, Seed::Key);
    let public_values = [uni.public_values.clone()];
    let count = damage(&uni.proof, |proof| {
        let native = uni.circuit.verify(proof, &uni.public_values).is_ok();
        let machine = uni.circuit.execute(proof, &public_values).is_ok();
        assert_eq!(native, machine, "the verifiers disagree");
        native
    });
    assert!(count > 100);
}

/// Both verifiers reject a proof for other public values, or with another circuit.
fn rejects<H: TapeSuite>(
    circuit: &BatchCircuit<H, Table>,
    proof: &BatchProof<Config<H>>,
    public_values: &[Vec<F>],
) {
    assert!(circuit.verify(proof, public_values).is_err());
    assert!(circuit.execute(proof, public_values).is_err());
}

#[test]
fn public_values_are_constrained() {
    let batch = Batch::<Poseidon16Suite>::new(&TABLES, SETTINGS, Seed::Key);
    for index in 0..3 {
        let mut public_values = batch.public_values.clone();
        public_values[2][index] += F::ONE;
        rejects(&batch.circuit, &batch.proof, &public_values);
    }
    // The digest of other numbers of values may be the same, so nothing is claimed for them.
    let has_claim = |public_values: &[Vec<F>]| batch.circuit.claim(public_values).is_ok();
    let mut public_values = batch.public_values.clone();
    assert!(has_claim(&public_values));
    public_values[2].push(F::ZERO);
    rejects(&batch.circuit, &batch.proof, &public_values);
    assert!(!has_claim(&public_values));
    public_values[2].truncate(2);
    rejects(&batch.circuit, &batch.proof, &public_values);
    assert!(!has_claim(&public_values));
    public_values.swap(1, 2);
    rejects(&batch.circuit, &batch.proof, &public_values);
    assert!(!has_claim(&public_values));
    let mut public_values = batch.public_values.clone();
    public_values.push(vec![]);
    assert!(!has_claim(&public_values));
}

/// Proofs are rejected under keys with another order of tables, other tables, other preprocessed
/// values, other settings or another seed.
#[test]
fn proofs_under_another_key_are_rejected() {
    type H = Poseidon16Suite;
    let fibonacci = (Table::Plain(Plain::Fibonacci), 4);
    let product = |degree| (Table::Plain(Plain::Product { degree }), 4);
    let honest = Batch::<H>::new(&[fibonacci, product(2)], SETTINGS, Seed::Key);
    let key = honest.circuit.air_key();
    let other = |tables: &[(Table, usize)], settings: FriSettings, seed| {
        let (airs, log_heights): (Vec<Table>, Vec<usize>) = tables.iter().copied().unzip();
        let circuit = BatchCircuit::<H, Table>::new(airs, settings, &log_heights, seed).unwrap();
        assert_ne!(circuit.air_key().digest(), key.digest());
        rejects(&circuit, &honest.proof, &honest.public_values);
    };
    // The constraint has the same shape, so only the key in the transcript tells the two apart, not
    // Plonky3's own transcript.
    other(&[fibonacci, product(3)], SETTINGS, Seed::Key);
    other(&[product(2), fibonacci], SETTINGS, Seed::Key);
    other(&[fibonacci, product(2), product(2)], SETTINGS, Seed::Key);
    other(&[fibonacci], SETTINGS, Seed::Key);
    other(&[fibonacci, (product(2).0, 3)], SETTINGS, Seed::Key);
    other(&[fibonacci, product(2)], SETTINGS, Seed::StockForFixedAirs);
    for settings in [
        FriSettings {
            num_queries: 1,
            ..SETTINGS
        },
        FriSettings {
            num_queries: 3,
            ..SETTINGS
        },
        FriSettings {
            cap_height: 0,
            ..SETTINGS
        },
        FriSettings {
            log_final_poly_len: 1,
            ..SETTINGS
        },
        FriSettings {
            max_log_arity: 1,
            ..SETTINGS
        },
        FriSettings {
            query_grinding_bits: 0,
            ..SETTINGS
        },
        FriSettings {
            ood_grinding_bits: 0,
            ..SETTINGS
        },
    ] {
        other(&[fibonacci, product(2)], settings, Seed::Key);
    }
}

/// A proof is rejected under the key of another preprocessed trace: the program does not take the
/// commitment from the prover.
#[test]
fn the_preprocessed_commitment_is_the_keys() {
    let batch = Batch::<Poseidon16Suite>::new(&TABLES, SETTINGS, Seed::Key);
    let program = &batch.circuit;
    let mut tape = program.tape(&batch.proof, &batch.public_values).unwrap();
    // The prover supplies a commitment of its own, as the first hint.
    let other = Batch::<Poseidon16Suite>::new(
        &[
            TABLES[0],
            TABLES[1],
            TABLES[2],
            (Table::Plain(Plain::Product { degree: 2 }), 5),
        ],
        SETTINGS,
        Seed::Key,
    );
    let brought = other
        .circuit
        .tape(&other.proof, &other.public_values)
        .unwrap();
    assert_ne!(tape.hints[0], brought.hints[0]);
    tape.hints[0] = brought.hints[0].clone();
    let tape = droste_verifier::tape::machine_tape(&tape);
    let run = droste_vm::executor::execute(program.compiled(), &[], &tape, 1 << 24);
    assert!(run.is_err());
    let _ = prove(&batch.circuit, &TABLES, 9);
}
