//! Native and in-circuit verifier reject proofs of other claims and of other keys.

use droste_native::{Config, F, FriSettings, Poseidon16Family};
use droste_verifier::driver::{BatchDriver, Seed};
use droste_verifier::tape::TapeFamily;
use p3_batch_stark::BatchProof;
use p3_field::PrimeCharacteristicRing;

use crate::common::{Batch, SETTINGS};
use crate::tables::{Plain, Table};

/// Lookups, preprocessed columns, public values, two heights, a final polynomial.
const TABLES: [(Table, usize); 4] = [
    (Table::Range { log_height: 4 }, 4),
    (Table::Keys { columns: 1 }, 4),
    (Table::Plain(Plain::Fibonacci), 5),
    (Table::Plain(Plain::Steps { log_height: 5 }), 5),
];

/// Both verdicts on a proof with other public values, or against another driver.
fn rejects<H: TapeFamily>(
    driver: &BatchDriver<H, Table>,
    proof: &BatchProof<Config<H>>,
    public_values: &[Vec<F>],
) {
    assert!(driver.verify(proof, public_values).is_err());
    assert!(driver.program().execute(proof, public_values).is_err());
}

#[test]
fn public_values_are_constrained() {
    let batch = Batch::<Poseidon16Family>::new(&TABLES, SETTINGS, Seed::Key);
    for index in 0..3 {
        let mut public_values = batch.public_values.clone();
        public_values[2][index] += F::ONE;
        rejects(&batch.driver, &batch.proof, &public_values);
    }
    let mut public_values = batch.public_values.clone();
    public_values[2].push(F::ZERO);
    rejects(&batch.driver, &batch.proof, &public_values);
    public_values[2].truncate(2);
    rejects(&batch.driver, &batch.proof, &public_values);
    public_values.swap(1, 2);
    rejects(&batch.driver, &batch.proof, &public_values);
}

/// Another order of tables, other tables, other preprocessed content, other settings, another seed.
#[test]
fn proofs_under_another_key_are_rejected() {
    type H = Poseidon16Family;
    let fibonacci = (Table::Plain(Plain::Fibonacci), 4);
    let product = |degree| (Table::Plain(Plain::Product { degree }), 4);
    let honest = Batch::<H>::new(&[fibonacci, product(2)], SETTINGS, Seed::Key);
    let key = honest.driver.program().key();
    let other = |tables: &[(Table, usize)], settings: FriSettings, seed| {
        let (airs, log_heights): (Vec<Table>, Vec<usize>) = tables.iter().copied().unzip();
        let driver = BatchDriver::<H, Table>::new(airs, settings, &log_heights, seed).unwrap();
        assert_ne!(driver.program().key().digest(), key.digest());
        rejects(&driver, &honest.proof, &honest.public_values);
    };
    // A constraint of the same shape: the transcript of Plonky3 alone would not tell them apart.
    other(&[fibonacci, product(3)], SETTINGS, Seed::Key);
    other(&[product(2), fibonacci], SETTINGS, Seed::Key);
    other(&[fibonacci, product(2), product(2)], SETTINGS, Seed::Key);
    other(&[fibonacci], SETTINGS, Seed::Key);
    other(&[fibonacci, (product(2).0, 3)], SETTINGS, Seed::Key);
    other(&[fibonacci, product(2)], SETTINGS, Seed::Stock);
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

/// The same proof under the key of the other protocol, of another preprocessed trace.
#[test]
fn the_preprocessed_commitment_is_the_keys() {
    let batch = Batch::<Poseidon16Family>::new(&TABLES, SETTINGS, Seed::Key);
    let program = batch.driver.program();
    let mut tape = program.tape(&batch.proof, &batch.public_values).unwrap();
    // The prover brings a commitment of its own: it is the first hint.
    let other = Batch::<Poseidon16Family>::new(
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
        .driver
        .program()
        .tape(&other.proof, &other.public_values)
        .unwrap();
    assert_ne!(tape.hints[0], brought.hints[0]);
    tape.hints[0] = brought.hints[0].clone();
    let tape = droste_verifier::tape::machine_tape(&tape);
    let run = droste_vm::executor::execute(program.compiled(), &[], &tape, 1 << 24);
    assert!(run.is_err());
}
