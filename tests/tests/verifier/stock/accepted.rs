//! Plonky3's configurations that are accepted, at few rows and two queries.

use droste_native::stark::security::Preset;
use droste_native::{EF, EF4, F, FriSettings};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::airs::StockUni;
use droste_verifier::circuit::Run;
use droste_verifier::keys::Deriver;
use p3_blake3::Blake3;
use p3_keccak::Keccak256Hash;
use p3_keccak_air::KeccakAir;
use p3_koala_bear::{
    GenericPoseidon2LinearLayersKoalaBear, KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16, KOALABEAR_S_BOX_DEGREE,
};
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use p3_uni_stark::prove;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::canonical;
use super::config::{
    stock, stock_drawn, stock_drawn_from, stock_narrow, stock_poseidon2, stock_sponge,
};
use super::fixture::{
    BENCHMARK, FIBONACCI, HIGH_ARITY, STEPS, TABLES, batch_fixture, run, uni_fixture,
};

/// Checks that proofs of one table and of several are accepted, with a configuration at a degree.
macro_rules! accepts {
    ($stock:expr) => {{
        uni_fixture!($stock(&BENCHMARK), BENCHMARK, FIBONACCI).expect_accepted();
        uni_fixture!($stock(&HIGH_ARITY), HIGH_ARITY, STEPS).expect_accepted();
        batch_fixture!($stock(&HIGH_ARITY), HIGH_ARITY, &TABLES).expect_accepted();
    }};
}

#[test]
fn the_sponge_of_keccak_is_accepted_at_degree_4() {
    accepts!(stock_sponge::<EF4>);
}

#[test]
fn the_sponge_of_keccak_is_accepted_at_degree_5() {
    uni_fixture!(stock_sponge::<EF>(&BENCHMARK), BENCHMARK, FIBONACCI).expect_accepted();
}

#[test]
fn blake3_is_accepted_at_degree_4() {
    accepts!(stock::<Blake3, EF4>);
}

#[test]
fn keccak_256_is_accepted_at_degree_4() {
    accepts!(stock::<Keccak256Hash, EF4>);
}

#[test]
fn poseidon2_is_accepted_at_degree_4() {
    accepts!(stock_poseidon2::<EF4>);
}

#[test]
fn poseidon2_with_random_constants_is_accepted_at_degree_4() {
    accepts!(stock_drawn::<EF4>);
}

#[test]
fn poseidon2_with_random_constants_is_accepted_at_degree_5() {
    uni_fixture!(stock_drawn::<EF>(&BENCHMARK), BENCHMARK, STEPS).expect_accepted();
}

#[test]
fn poseidon2_of_width_16_is_accepted_at_degree_4() {
    accepts!(stock_narrow::<EF4>);
}

#[test]
fn poseidon2_of_width_16_is_accepted_at_degree_5() {
    accepts!(stock_narrow::<EF>);
}

/// The AIR of `prove_poseidon2_koala_bear_keccak`, with its constants.
pub(super) type Poseidon2Air = VectorizedPoseidon2Air<
    F,
    GenericPoseidon2LinearLayersKoalaBear,
    16,
    KOALABEAR_S_BOX_DEGREE,
    0,
    KOALABEAR_POSEIDON2_HALF_FULL_ROUNDS,
    KOALABEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    8,
>;

pub(super) fn poseidon2_air() -> Poseidon2Air {
    poseidon2_air_of(&mut SmallRng::seed_from_u64(1))
}

fn poseidon2_air_of(rng: &mut SmallRng) -> Poseidon2Air {
    VectorizedPoseidon2Air::new(RoundConstants::from_rng(rng))
}

/// Verifies a proof of `prove_poseidon2_koala_bear_keccak`, with these settings and `2^log_height`
/// rows, in the machine.
fn poseidon2_koala_bear_keccak(settings: FriSettings, log_height: usize) -> Run {
    let air = poseidon2_air();
    let trace = air.generate_vectorized_trace_rows(8 << log_height, settings.log_blowup);
    run!(
        stock_sponge::<EF4>(&settings),
        settings,
        air,
        log_height,
        trace
    )
}

#[test]
fn prove_poseidon2_koala_bear_keccak_is_accepted() {
    poseidon2_koala_bear_keccak(BENCHMARK, 2);
}

#[test]
#[ignore = "a minute of CPU time: cargo test -p droste-tests --test verifier in_full -- --ignored"]
fn prove_poseidon2_koala_bear_keccak_is_accepted_in_full() {
    let settings = FriSettings {
        num_queries: 100,
        query_grinding_bits: 16,
        ..BENCHMARK
    };
    poseidon2_koala_bear_keccak(settings, 16);
}

/// The objective `-o keccak-f-permutations` of `prove_prime_field_31 -f koala-bear -m keccak`.
#[test]
fn prove_prime_field_31_is_accepted() {
    let settings = FriSettings {
        num_queries: 1,
        ..HIGH_ARITY
    };
    let trace = KeccakAir {}.generate_random_trace_rows(1, settings.log_blowup);
    run!(
        stock_sponge::<EF4>(&settings),
        settings,
        KeccakAir {},
        5,
        trace
    );
}

/// The objective `-o poseidon-2-permutations` of `prove_prime_field_31 -f koala-bear -m poseidon2`.
/// The program draws the constants of the AIR before those of the configuration.
#[test]
fn prove_prime_field_31_in_poseidon2_is_accepted() {
    let mut rng = SmallRng::seed_from_u64(1);
    let (air, log_height) = (poseidon2_air_of(&mut rng), 2);
    let made = stock_drawn_from::<EF4>(&HIGH_ARITY, rng);
    let trace = air.generate_vectorized_trace_rows(8 << log_height, HIGH_ARITY.log_blowup);
    run!(made, HIGH_ARITY, air, log_height, trace);
}

/// A proof as its users store it needs no conversion, in whatever format of serde.
#[test]
fn bytes_are_accepted() {
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = crate::airs::tables::plain_trace(table, log_height, 7);
    let proof = prove(&config, &table, trace, &public).unwrap();
    let circuit = StockUni::new(config, trees, (), BENCHMARK, table, log_height).unwrap();
    let bytes = serde_json::to_vec(&proof).unwrap();
    let from =
        |bytes: &[u8]| circuit.run_from(&mut serde_json::Deserializer::from_slice(bytes), &public);
    let run = from(&bytes).unwrap();
    assert_eq!(run.execution().statement, circuit.claim(&public).unwrap());
    assert!(from(&bytes[..bytes.len() / 2]).is_err());
    assert!(from(b"{}").is_err());
}

#[test]
#[ignore = "half a minute: cargo test -p droste-tests --test verifier stock:: -- --ignored"]
fn proofs_of_degree_4_are_wrapped_and_joined() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = crate::airs::tables::plain_trace(table, log_height, 7);
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    let proof = prove(&config, &table, trace.clone(), &public).unwrap();
    let circuit = StockUni::new(config, trees, (), BENCHMARK, table, log_height).unwrap();
    let run = circuit.run(&proof, &public).unwrap();
    let sponge = canonical(
        &aggregator,
        run,
        &Deriver::new().with_airs(&circuit).unwrap(),
    );

    let (config, trees, constants) = stock_poseidon2::<EF4>(&BENCHMARK);
    let proof = prove(&config, &table, trace.clone(), &public).unwrap();
    let circuit = StockUni::new(config, trees, constants, BENCHMARK, table, log_height).unwrap();
    let run = circuit.run(&proof, &public).unwrap();
    let poseidon2 = canonical(
        &aggregator,
        run,
        &Deriver::new().with_airs(&circuit).unwrap(),
    );

    let (config, trees, constants) = stock_narrow::<EF4>(&BENCHMARK);
    let proof = prove(&config, &table, trace.clone(), &public).unwrap();
    let circuit = StockUni::new(config, trees, constants, BENCHMARK, table, log_height).unwrap();
    let run = circuit.run(&proof, &public).unwrap();
    let narrow = canonical(
        &aggregator,
        run,
        &Deriver::new().with_airs(&circuit).unwrap(),
    );

    let (config, trees, constants) = stock_drawn::<EF4>(&BENCHMARK);
    let proof = prove(&config, &table, trace, &public).unwrap();
    let circuit = StockUni::new(config, trees, constants, BENCHMARK, table, log_height).unwrap();
    let run = circuit.run(&proof, &public).unwrap();
    let drawn = canonical(
        &aggregator,
        run,
        &Deriver::new().with_airs(&circuit).unwrap(),
    );

    let children = vec![sponge, poseidon2];
    let joined = aggregator.join(children).unwrap();
    assert!(aggregator.is_canonical(joined.proof()));
    let joined = aggregator.join(vec![narrow, drawn]).unwrap();
    assert!(aggregator.is_canonical(joined.proof()));
    assert_eq!(joined.tree().claim.statement(), joined.proof().statement);
}
