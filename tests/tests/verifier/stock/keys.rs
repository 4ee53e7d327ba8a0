//! Keys name the hash, the round constants and the fields of a configuration.

use std::collections::BTreeSet;

use droste_native::{
    BabyBear4, Blake3Suite, EF, EF4, F, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_verifier::airs::{Seed, StockUni, UniCircuit};
use droste_vm::key::KeyDigest;
use p3_blake3::Blake3;
use p3_keccak::Keccak256Hash;

use super::config::{
    stock, stock_drawn, stock_narrow, stock_narrow_of, stock_poseidon2, stock_sponge,
};
use super::fixture::{BENCHMARK, STEPS};
use crate::airs::tables::Plain;

/// The key of proofs of one AIR, and its identity, with a configuration.
macro_rules! key {
    ($made:expr) => {{
        let ((config, trees, constants), (table, log_height)) = ($made, STEPS);
        let circuit = StockUni::new(config, trees, constants, BENCHMARK, table, log_height);
        let circuit = circuit.unwrap();
        (circuit.air_key().digest(), circuit.air_key().identity)
    }};
}

/// The key of proofs of the same AIR in a hash suite.
macro_rules! suite_key {
    ($suite:ty, $seed:expr) => {{
        let (table, log_height) = STEPS;
        let circuit = UniCircuit::<$suite, Plain>::new(table, BENCHMARK, log_height, $seed);
        let circuit = circuit.unwrap();
        (circuit.air_key().digest(), circuit.air_key().identity)
    }};
}

#[test]
fn every_configuration_has_a_key_of_its_own() {
    let stock_seed = Seed::StockForFixedAirs;
    let suites = [
        suite_key!(Poseidon16Suite, stock_seed),
        suite_key!(Poseidon2Suite, stock_seed),
        suite_key!(Blake3Suite, stock_seed),
        suite_key!(KeccakSuite, stock_seed),
        suite_key!(Poseidon16Suite, Seed::Key),
        suite_key!(Poseidon2Suite, Seed::Key),
        suite_key!(Blake3Suite, Seed::Key),
        suite_key!(KeccakSuite, Seed::Key),
    ];
    let others = [
        key!(stock_poseidon2::<EF4>(&BENCHMARK)),
        key!(stock::<Blake3, EF4>(&BENCHMARK)),
        key!(stock::<Keccak256Hash, EF4>(&BENCHMARK)),
        key!(stock_sponge::<EF4>(&BENCHMARK)),
        key!(stock_sponge::<EF>(&BENCHMARK)),
        key!(stock_drawn::<EF4>(&BENCHMARK)),
        key!(stock_drawn::<EF>(&BENCHMARK)),
        key!(stock_narrow::<EF4>(&BENCHMARK)),
        key!(stock_narrow::<EF>(&BENCHMARK)),
        key!(stock_narrow_of::<EF4>(&BENCHMARK, 2)),
        key!(stock::<Blake3, BabyBear4>(&BENCHMARK)),
        key!(stock::<Keccak256Hash, BabyBear4>(&BENCHMARK)),
        key!(stock_sponge::<BabyBear4>(&BENCHMARK)),
    ];
    let all = || suites.iter().chain(&others);
    let keys: BTreeSet<KeyDigest> = all().map(|&(key, _)| key).collect();
    assert_eq!(keys.len(), suites.len() + others.len());
    // So have programs, whose identity is that of the AIRs without their preprocessed traces.
    let identities: BTreeSet<[F; 8]> = all().map(|&(_, identity)| identity).collect();
    assert_eq!(identities.len(), suites.len() + others.len());
}

/// Proofs at degree 5 of a configuration that a suite has are those of the suite, under its key.
#[test]
fn configurations_of_suites_have_their_keys() {
    let stock_seed = Seed::StockForFixedAirs;
    let pairs = [
        (
            key!(stock_poseidon2::<EF>(&BENCHMARK)),
            suite_key!(Poseidon2Suite, stock_seed),
        ),
        (
            key!(stock::<Blake3, EF>(&BENCHMARK)),
            suite_key!(Blake3Suite, stock_seed),
        ),
        (
            key!(stock::<Keccak256Hash, EF>(&BENCHMARK)),
            suite_key!(KeccakSuite, stock_seed),
        ),
    ];
    for (stock, suite) in pairs {
        assert_eq!(stock, suite);
    }
}
