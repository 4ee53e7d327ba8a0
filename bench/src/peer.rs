//! Measures how long Plonky3's own prover takes per unit of `fft_cost` on Plonky3's own Poseidon1
//! table, so that figures from different machines can be compared.

use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};
use droste_native::stark::challenger::with_grinding;
use droste_native::{Config, F, FriSettings, HashId, HashSuite, with_suite};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;

use super::CostError;
use crate::resources::cpu_time;

/// Plonky3's table of Poseidon1 permutations.
pub type PeerTable = Poseidon1Air<F, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>;

/// Smallest and largest height of the table. In smaller tables grinding and queries outweigh the
/// transforms.
pub const PEER_HEIGHTS: (usize, usize) = (1 << 10, 1 << 16);

/// CPU time of p3-batch-stark on p3-poseidon1-air, in nanoseconds, divided by `w * h * log2(h)`: in
/// this hash, at these settings, at the height nearest to `height` within 2^10 to 2^16.
///
/// # Errors
/// If the settings are out of range, or the table cannot be proved.
pub fn cpu_ns_per_fft_unit(
    hash: HashId,
    settings: &FriSettings,
    height: usize,
) -> Result<f64, CostError> {
    // The hash is chosen here, not by a type parameter, so that Plonky3's prover is compiled in
    // this crate and not in every user of it.
    with_suite!(hash, H => measure::<H>(settings, height))
}

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

fn peer(error: impl std::error::Error + Send + Sync + 'static) -> CostError {
    CostError::Peer(Box::new(error))
}

fn measure<H: HashSuite>(settings: &FriSettings, height: usize) -> Result<f64, CostError> {
    let height = height.clamp(PEER_HEIGHTS.0, PEER_HEIGHTS.1);
    let table = peer_table();
    let config: Config<H> = droste_native::config::<H>(settings, &[]).map_err(peer)?;

    let start = cpu_time();
    let trace = peer_trace(&table, height, settings.log_blowup);
    let cells = trace.width() * trace.height();
    let instances = [StarkInstance {
        air: &table,
        trace: &trace,
        public_values: vec![],
    }];
    let data = ProverData::from_instances(&config, &instances).map_err(peer)?;
    let proof = with_grinding(|| prove_batch(&config, &instances, &data))
        .map_err(peer)?
        .map_err(peer)?;
    let spent = cpu_time().saturating_sub(start);

    verify_batch(&config, &[table], &proof, &[vec![]], &data.common).map_err(peer)?;
    let fft_cost = (cells * height.ilog2() as usize) as f64;
    Ok(spent.as_nanos() as f64 / fft_cost)
}
