//! The native and the in-circuit verifier accept honest proofs of many shapes.

use droste_native::{Blake3Suite, FriSettings, KeccakSuite, Poseidon16Suite};
use droste_verifier::airs::Seed;
use droste_verifier::tape::TapeSuite;

use super::common::{Batch, SETTINGS, Uni};
use super::tables::{Plain, Table};

const PRODUCT: Table = Table::Plain(Plain::Product { degree: 2 });
const FIBONACCI: Table = Table::Plain(Plain::Fibonacci);
const CLOCK: Table = Table::Plain(Plain::Clock);

const fn steps(log_height: usize) -> (Table, usize) {
    (Table::Plain(Plain::Steps { log_height }), log_height)
}

const fn range(log_height: usize) -> (Table, usize) {
    (Table::Range { log_height }, log_height)
}

const fn keys(columns: usize, log_height: usize) -> (Table, usize) {
    (Table::Keys { columns }, log_height)
}

const fn degree(degree: u32, log_height: usize) -> (Table, usize) {
    (Table::Plain(Plain::Product { degree }), log_height)
}

/// Proves the tables, and verifies the proof natively and in the machine.
fn batch<H: TapeSuite>(tables: &[(Table, usize)], settings: FriSettings) {
    let batch = Batch::<H>::new(tables, settings, Seed::Key);
    batch
        .circuit
        .verify(&batch.proof, &batch.public_values)
        .unwrap();
    let execution = batch.execute();
    println!(
        "{} tables: {} instructions, {} cycles",
        tables.len(),
        batch.circuit.compiled().program.instructions.len(),
        execution.cycles.len()
    );
}

fn uni<H: TapeSuite>(table: Plain, log_height: usize, settings: FriSettings, seed: Seed) {
    let uni = Uni::<H>::new(table, log_height, settings, seed);
    uni.circuit.verify(&uni.proof, &uni.public_values).unwrap();
    uni.execute();
}

/// Settings without caps and grinding: every table may have one row.
const BARE: FriSettings = FriSettings {
    num_queries: 2,
    ..FriSettings::toy()
};

#[test]
fn one_table_of_one_row() {
    batch::<Poseidon16Suite>(&[(PRODUCT, 0)], BARE);
    batch::<Poseidon16Suite>(&[(FIBONACCI, 0)], BARE);
    batch::<Blake3Suite>(&[(FIBONACCI, 0)], BARE);
}

#[test]
fn one_row_beside_taller_tables() {
    let tables = [
        (FIBONACCI, 0),
        steps(3),
        (PRODUCT, 1),
        (Table::Shuffle, 0),
        (Table::Receiver, 0),
    ];
    batch::<Poseidon16Suite>(&tables, BARE);
}

#[test]
fn equal_heights() {
    let tables = [range(4), keys(3, 4), (FIBONACCI, 4), steps(4)];
    batch::<Poseidon16Suite>(&tables, SETTINGS);
    batch::<KeccakSuite>(&tables, SETTINGS);
}

#[test]
fn every_kind_of_table() {
    let tables = [
        range(5),
        (Table::Shuffle, 3),
        (Table::Receiver, 3),
        keys(2, 2),
        (CLOCK, 4),
        steps(2),
        (FIBONACCI, 6),
    ];
    batch::<Poseidon16Suite>(&tables, SETTINGS);
    batch::<Blake3Suite>(&tables, SETTINGS);
}

#[test]
fn twelve_tables() {
    let tables = [
        (FIBONACCI, 1),
        range(3),
        degree(3, 5),
        keys(1, 4),
        steps(6),
        (CLOCK, 2),
        degree(5, 3),
        (Table::Shuffle, 2),
        (Table::Receiver, 2),
        (FIBONACCI, 6),
        (PRODUCT, 0),
        steps(1),
    ];
    batch::<Poseidon16Suite>(&tables, BARE);
}

#[test]
fn quotients_of_one_to_eight_chunks() {
    for n in [2, 3, 4, 9] {
        batch::<Poseidon16Suite>(
            &[degree(n, 3)],
            FriSettings {
                log_blowup: 3,
                ..BARE
            },
        );
    }
}

/// Tables with other settings.
fn with(tables: &[(Table, usize)], change: impl FnOnce(&mut FriSettings)) {
    let mut settings = SETTINGS;
    change(&mut settings);
    batch::<Poseidon16Suite>(tables, settings);
}

#[test]
fn caps() {
    for cap_height in [0, 1] {
        with(&[range(5), keys(2, 3)], |settings| {
            settings.cap_height = cap_height
        });
    }
}

#[test]
fn arities_and_final_polynomials() {
    for (max_log_arity, log_final_poly_len) in [(1, 0), (1, 2), (2, 1), (4, 0), (4, 3)] {
        with(&[(FIBONACCI, 7), steps(4)], |settings| {
            settings.max_log_arity = max_log_arity;
            settings.log_final_poly_len = log_final_poly_len;
        });
    }
}

#[test]
fn blowups() {
    for log_blowup in [3, 4] {
        with(&[range(3), keys(1, 5)], |settings| {
            settings.log_blowup = log_blowup
        });
    }
}

#[test]
fn one_table_alone() {
    use Seed::{Key, StockForFixedAirs};
    uni::<Poseidon16Suite>(Plain::Fibonacci, 4, SETTINGS, Key);
    uni::<Poseidon16Suite>(Plain::Steps { log_height: 3 }, 3, SETTINGS, Key);
    uni::<Poseidon16Suite>(Plain::Clock, 2, BARE, StockForFixedAirs);
    uni::<Poseidon16Suite>(Plain::Product { degree: 3 }, 0, BARE, StockForFixedAirs);
    uni::<Blake3Suite>(
        Plain::Steps { log_height: 3 },
        3,
        SETTINGS,
        StockForFixedAirs,
    );
    uni::<KeccakSuite>(Plain::Fibonacci, 3, SETTINGS, Key);
}

/// Rows whose hash is a digest of the cap have an empty Merkle path.
#[test]
fn rows_below_the_cap() {
    for (cap_height, log_blowup) in [(2, 2), (5, 2), (1, 1), (3, 1)] {
        let settings = FriSettings {
            cap_height,
            log_blowup,
            ..SETTINGS
        };
        batch::<Poseidon16Suite>(&[range(5), keys(2, 4)], settings);
        batch::<KeccakSuite>(&[steps(5), (FIBONACCI, 4)], settings);
    }
}
