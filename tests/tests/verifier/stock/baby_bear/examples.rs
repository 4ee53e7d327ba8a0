//! Programs of Plonky3 over BabyBear: their AIRs and configurations, at few rows and queries.

use droste_native::{BabyBear, BabyBear4, FriSettings};
use droste_verifier::airs::StockUni;
use p3_baby_bear::{
    BABYBEAR_POSEIDON1_HALF_FULL_ROUNDS, BABYBEAR_POSEIDON1_PARTIAL_ROUNDS_16,
    BABYBEAR_POSEIDON1_RC_16, BABYBEAR_POSEIDON2_HALF_FULL_ROUNDS,
    BABYBEAR_POSEIDON2_PARTIAL_ROUNDS_16, BABYBEAR_S_BOX_DEGREE,
    GenericPoseidon2LinearLayersBabyBear, MDSBabyBearData,
};
use p3_blake3_air::Blake3Air;
use p3_keccak_air::KeccakAir;
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::VectorizedPoseidon1Air;
use p3_poseidon2_air::{RoundConstants, VectorizedPoseidon2Air};
use p3_uni_stark::prove;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::stock::config::stock_sponge;
use crate::stock::fixture::{BENCHMARK, HIGH_ARITY, run};
use crate::stock::hiding::{ZK, alone, config};

/// The settings of the programs, of which tests have fewer queries and less work.
const IN_FULL: FriSettings = FriSettings {
    num_queries: 100,
    query_grinding_bits: 16,
    ..BENCHMARK
};

/// The settings of `prove_prime_field_31`, which folds by more and works before it combines.
pub const KECCAK_F_IN_FULL: FriSettings = FriSettings {
    max_log_arity: 3,
    batch_grinding_bits: 10,
    ..IN_FULL
};

/// The AIR of `prove_poseidon1_baby_bear_keccak`.
pub type Poseidon1Air = VectorizedPoseidon1Air<
    BabyBear,
    16,
    BABYBEAR_S_BOX_DEGREE,
    1,
    BABYBEAR_POSEIDON1_HALF_FULL_ROUNDS,
    BABYBEAR_POSEIDON1_PARTIAL_ROUNDS_16,
    8,
>;

/// That AIR, with its constants.
pub fn poseidon1_air() -> Poseidon1Air {
    let constants = Poseidon1Constants::<BabyBear, 16> {
        rounds_f: 2 * BABYBEAR_POSEIDON1_HALF_FULL_ROUNDS,
        rounds_p: BABYBEAR_POSEIDON1_PARTIAL_ROUNDS_16,
        mds_circ_col: MDSBabyBearData::MATRIX_CIRC_MDS_16_COL,
        round_constants: BABYBEAR_POSEIDON1_RC_16.to_vec(),
    };
    let (full, partial) = constants.to_optimized();
    Poseidon1Air::new(full, partial)
}

/// The AIR of `prove_poseidon2_baby_bear_keccak_zk`, and that of the objective
/// `-o poseidon-2-permutations` of `prove_prime_field_31`.
pub type Poseidon2Air = VectorizedPoseidon2Air<
    BabyBear,
    GenericPoseidon2LinearLayersBabyBear,
    16,
    BABYBEAR_S_BOX_DEGREE,
    1,
    BABYBEAR_POSEIDON2_HALF_FULL_ROUNDS,
    BABYBEAR_POSEIDON2_PARTIAL_ROUNDS_16,
    8,
>;

/// That AIR, with the constants that both programs draw first.
pub fn poseidon2_air() -> Poseidon2Air {
    let mut rng = SmallRng::seed_from_u64(1);
    Poseidon2Air::new(RoundConstants::from_rng(&mut rng))
}

fn poseidon1(settings: FriSettings, log_height: usize) {
    let air = poseidon1_air();
    let trace = air.generate_vectorized_trace_rows(8 << log_height, settings.log_blowup);
    let made = stock_sponge::<BabyBear4>(&settings);
    run!(made, settings, air, log_height, trace);
}

fn keccak_f(settings: FriSettings, log_height: usize) {
    let permutations = (1 << log_height) / 24;
    let trace = KeccakAir {}.generate_random_trace_rows(permutations, settings.log_blowup);
    let made = stock_sponge::<BabyBear4>(&settings);
    run!(made, settings, KeccakAir {}, log_height, trace);
}

#[test]
fn prove_poseidon1_baby_bear_keccak_is_accepted() {
    poseidon1(BENCHMARK, 2);
}

/// The objective `-o poseidon-1-permutations` of `prove_prime_field_31 -f baby-bear -m keccak`.
#[test]
fn prove_prime_field_31_of_poseidon1_is_accepted() {
    poseidon1(HIGH_ARITY, 3);
}

/// The objective `-o poseidon-2-permutations` of `prove_prime_field_31 -f baby-bear -m keccak`.
#[test]
fn prove_prime_field_31_of_poseidon2_is_accepted() {
    let (air, log_height) = (poseidon2_air(), 2);
    let trace = air.generate_vectorized_trace_rows(8 << log_height, HIGH_ARITY.log_blowup);
    let made = stock_sponge::<BabyBear4>(&HIGH_ARITY);
    run!(made, HIGH_ARITY, air, log_height, trace);
}

/// [`HIGH_ARITY`] with one query, for AIRs with long rows.
const ONE_QUERY: FriSettings = FriSettings {
    num_queries: 1,
    ..HIGH_ARITY
};

/// The objective `-o keccak-f-permutations` of `prove_prime_field_31 -f baby-bear -m keccak`.
#[test]
fn prove_prime_field_31_of_keccak_f_is_accepted() {
    keccak_f(ONE_QUERY, 5);
}

/// The objective `-o blake-3-permutations` of `prove_prime_field_31 -f baby-bear -m keccak`.
#[test]
fn prove_prime_field_31_of_blake3_is_accepted() {
    let trace = Blake3Air {}.generate_random_trace_rows(4, ONE_QUERY.log_blowup);
    let made = stock_sponge::<BabyBear4>(&ONE_QUERY);
    run!(made, ONE_QUERY, Blake3Air {}, 2, trace);
}

#[test]
fn prove_poseidon2_baby_bear_keccak_zk_is_accepted() {
    let (air, log_height) = (poseidon2_air(), 4);
    let (config, trees, ()) = config::sponge::<BabyBear4>(&ZK, 1);
    let trace = air.generate_vectorized_trace_rows(8 << log_height, ZK.log_blowup);
    let proof = alone(|| prove(&config, &air, trace, &[]).unwrap());
    let circuit = StockUni::new(config, trees, (), ZK, air, log_height).unwrap();
    let run = circuit.run(&proof, &[]).unwrap();
    assert_eq!(run.execution().statement, circuit.claim(&[]).unwrap());
}

#[test]
#[ignore = "minutes of CPU time and gigabytes of memory: \
    cargo test -p droste-tests --release --test verifier baby_bear::examples -- --ignored"]
fn prove_poseidon1_baby_bear_keccak_is_accepted_in_full() {
    poseidon1(IN_FULL, 16);
}

#[test]
#[ignore = "minutes of CPU time and gigabytes of memory: \
    cargo test -p droste-tests --release --test verifier baby_bear::examples -- --ignored"]
fn prove_prime_field_31_of_keccak_f_is_accepted_in_full() {
    keccak_f(KECCAK_F_IN_FULL, 15);
}
