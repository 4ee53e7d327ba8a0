//! Proofs over BabyBear: what Plonky3's verifier accepts is accepted, and nothing else.

pub(super) mod examples;
mod opened;
mod refused;

use droste_native::stark::security::Preset;
use droste_native::{BabyBear4, FriSettings};
use droste_tests::attack::hints::Case;
use droste_tests::attack::padding::padding;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::airs::StockUni;
use droste_verifier::keys::Deriver;
use p3_blake3::Blake3;
use p3_keccak::Keccak256Hash;
use p3_uni_stark::prove;

use super::agreement::{LONG, SHORT, expect, one_query};
use super::canonical;
use super::config::{stock, stock_sponge};
use super::fixture::{BENCHMARK, FIBONACCI, HIGH_ARITY, STEPS, TABLES, batch_fixture, uni_fixture};
use super::hiding::{self, ZK};
use crate::airs::tables::{Plain, Table, plain_trace};

/// Settings with another blowup, a longer final polynomial, folds of several levels, and work before
/// each of them.
const WITH_FINAL: FriSettings = FriSettings {
    log_blowup: 2,
    log_final_poly_len: 1,
    max_log_arity: 2,
    batch_grinding_bits: 1,
    commit_grinding_bits: 2,
    cap_height: 1,
    ..BENCHMARK
};

/// An AIR without a next row, whose quotient has several chunks and whose rows have an odd number of
/// words.
const PRODUCT: (Plain, usize) = (Plain::Product { degree: 5 }, 4);

/// An AIR with periodic columns.
const CLOCK: (Plain, usize) = (Plain::Clock, 4);

/// Tables with lookups on two buses and within a table, with periodic and preprocessed columns,
/// public values, with a next row and without, and of three heights.
const ALL_TABLES: [(Table, usize); 7] = [
    (Table::Range { log_height: 5 }, 5),
    (Table::Keys { columns: 37 }, 3),
    (Table::Shuffle, 4),
    (Table::Receiver, 4),
    (Table::Plain(Plain::Fibonacci), 5),
    (Table::Plain(Plain::Steps { log_height: 5 }), 5),
    (Table::Plain(Plain::Clock), 4),
];

#[test]
fn the_sponge_of_keccak_is_accepted() {
    let made = stock_sponge::<BabyBear4>;
    uni_fixture!(made(&HIGH_ARITY), HIGH_ARITY, FIBONACCI).expect_accepted();
    uni_fixture!(made(&WITH_FINAL), WITH_FINAL, PRODUCT).expect_accepted();
    batch_fixture!(made(&WITH_FINAL), WITH_FINAL, &ALL_TABLES).expect_accepted();
}

#[test]
fn hashes_of_bytes_are_accepted() {
    let made = stock::<Blake3, BabyBear4>(&WITH_FINAL);
    uni_fixture!(made, WITH_FINAL, CLOCK).expect_accepted();
    let made = stock::<Keccak256Hash, BabyBear4>(&WITH_FINAL);
    batch_fixture!(made, WITH_FINAL, &ALL_TABLES).expect_accepted();
}

fn sponge(count: usize) {
    let made = stock_sponge::<BabyBear4>(&BENCHMARK);
    expect(&uni_fixture!(made, BENCHMARK, STEPS), count);
    let made = stock_sponge::<BabyBear4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
}

fn bytes(count: usize) {
    let made = stock::<Blake3, BabyBear4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
    let made = stock::<Keccak256Hash, BabyBear4>(&BENCHMARK);
    expect(&uni_fixture!(made, BENCHMARK, FIBONACCI), count);
}

fn hidden(count: usize) {
    let made = hiding::config::sponge::<BabyBear4>(&ZK, 1);
    expect(&hiding::uni!(made, ZK, hiding::STEPS), count);
}

#[test]
fn verifiers_agree_on_the_sponge_of_keccak() {
    sponge(SHORT);
}

#[test]
fn verifiers_agree_on_hashes_of_bytes() {
    bytes(SHORT);
}

#[test]
fn verifiers_agree_on_hiding_proofs() {
    hidden(SHORT);
}

#[test]
#[ignore = "minutes: \
    cargo test -p droste-tests --release --test verifier baby_bear::long -- --ignored --nocapture"]
fn long() {
    sponge(LONG);
    bytes(LONG);
    hidden(LONG);
}

/// The machine refuses every false hint that it reads, whatever the native run would say.
#[test]
fn false_hints_are_accepted_in_padding_only() {
    let (circuit, tape) = one_query!(stock_sponge::<BabyBear4>, (Plain::Product { degree: 3 }, 4));
    let padding = padding(circuit.shape().unwrap(), &tape);
    let case = Case::new("BabyBear".into(), circuit.compiled(), tape, padding);
    let report = case.false_hints(1, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.lanes, report.all);
}

#[test]
#[ignore = "half a minute: cargo test -p droste-tests --test verifier stock:: -- --ignored"]
fn proofs_are_wrapped_and_joined() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    macro_rules! leaf {
        ($made:expr) => {{
            let (config, trees, ()) = $made;
            let proof = prove(&config, &table, trace.clone(), &public).unwrap();
            let circuit = StockUni::new(config, trees, (), BENCHMARK, table, log_height).unwrap();
            let run = circuit.run(&proof, &public).unwrap();
            let deriver = Deriver::new().with_airs(&circuit).unwrap();
            canonical(&aggregator, run, &deriver)
        }};
    }
    let leaves = vec![
        leaf!(stock_sponge::<BabyBear4>(&BENCHMARK)),
        leaf!(stock::<Blake3, BabyBear4>(&BENCHMARK)),
    ];
    let joined = aggregator.join(leaves).unwrap();
    assert!(aggregator.is_canonical(joined.proof()));
    assert_eq!(joined.tree().claim.statement(), joined.proof().statement);
}
