//! Measures how long Plonky3's own prover takes per unit of `fft_cost` on Plonky3's own Poseidon1
//! table, so that figures from different machines can be compared.

use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};
use droste_native::stark::challenger::with_grinding;
use droste_native::{Config, F, FriSettings, HashSuite};
use droste_verifier::resources::cpu_time;
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;

/// Plonky3's table of Poseidon1 permutations.
pub type PeerTable = Poseidon1Air<F, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>;

/// Smallest and largest height of the table. In smaller tables grinding and queries outweigh the
/// transforms.
pub const PEER_HEIGHTS: (usize, usize) = (1 << 10, 1 << 16);

/// The table, of the parameters of our Poseidon-16.
pub fn peer_table() -> PeerTable {
    let (full, partial) = Poseidon1Constants {
        rounds_f: 2 * HALF_FULL_ROUNDS,
        rounds_p: PARTIAL_ROUNDS,
        mds_circ_col: MDS_COLUMN,
        round_constants: ROUND_CONSTANTS.to_vec(),
    }
    .to_optimized();
    PeerTable::new(full, partial)
}

/// A trace of so many permutations, with room for the rows of a low-degree extension.
pub fn peer_trace(table: &PeerTable, height: usize, log_blowup: usize) -> RowMajorMatrix<F> {
    let inputs = (0..height)
        .map(|row| std::array::from_fn(|lane| F::from_usize(row * WIDTH + lane)))
        .collect();
    table.generate_trace_rows_from_inputs(inputs, log_blowup)
}

/// CPU time of p3-batch-stark on p3-poseidon1-air, in nanoseconds, divided by `w * h * log2(h)`: in
/// this hash, at these settings, at the height nearest to `height` within 2^10 to 2^16.
pub fn cpu_ns_per_fft_unit<H: HashSuite>(settings: &FriSettings, height: usize) -> f64 {
    let height = height.clamp(PEER_HEIGHTS.0, PEER_HEIGHTS.1);
    let table = peer_table();
    let config: Config<H> =
        droste_native::config::<H>(settings, &[]).expect("the settings are in range");

    let start = cpu_time();
    let trace = peer_trace(&table, height, settings.log_blowup);
    let cells = trace.width() * trace.height();
    let instances = [StarkInstance {
        air: &table,
        trace: &trace,
        public_values: vec![],
    }];
    let data = ProverData::from_instances(&config, &instances).expect("the table can be set up");
    let proof = with_grinding(|| prove_batch(&config, &instances, &data));
    let proof = proof
        .expect("a nonce is found")
        .expect("the table can be proved");
    let spent = cpu_time().saturating_sub(start);

    let verdict = verify_batch(&config, &[table], &proof, &[vec![]], &data.common);
    verdict.expect("the proof is valid");
    let fft_cost = (cells * height.ilog2() as usize) as f64;
    spent.as_nanos() as f64 / fft_cost
}
