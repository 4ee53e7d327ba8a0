//! The peer of proofs over WHIR: p3-multi-stark over p3-whir on p3-poseidon1-air, in our
//! Poseidon-16, with the same settings.

use crate::peer::{PEER_HEIGHTS, peer_table, peer_trace};
use droste_native::stark::challenger::{Poseidon16Challenger, with_grinding};
use droste_native::stark::suite::{HashSuite, Poseidon16Mmcs};
use droste_native::whir::WhirSettings;
use droste_native::{EF, F, Poseidon16Suite};
use droste_verifier::resources::cpu_time;
use p3_dft::Radix2DFTSmallBatch;
use p3_matrix::Matrix;
use p3_multi_stark::config::MultiStarkConfig;
use p3_multi_stark::{
    ProverInstance, ProverInstances, VerifierInstance, VerifierInstances, prove, setup, verify,
};
use p3_sumcheck::layout::{Layout, PrefixProver, Table, Witness};
use p3_whir::{WhirProver, WhirProverData};

type Stack = PrefixProver<F, EF>;
type Scheme =
    WhirProver<EF, F, Radix2DFTSmallBatch<F>, Poseidon16Mmcs, Poseidon16Challenger, Stack>;

struct Config {
    scheme: Scheme,
    /// Number of variables of the first fold.
    fold: usize,
}

impl MultiStarkConfig for Config {
    type Val = F;
    type Challenge = EF;
    type Challenger = Poseidon16Challenger;
    type Pcs = Scheme;

    fn pcs(&self) -> &Scheme {
        &self.scheme
    }

    fn min_num_variables(&self) -> usize {
        self.fold
    }

    fn build_witness(&self, tables: Vec<Table<F>>) -> Witness<F> {
        Stack::new_witness(tables, self.fold)
    }

    fn committed_table<'a>(
        &self,
        data: &'a WhirProverData<F, EF, Poseidon16Mmcs, Stack>,
        index: usize,
    ) -> &'a Table<F> {
        data.table(index)
    }
}

/// CPU time of p3-multi-stark on p3-poseidon1-air, in nanoseconds, divided by `w * h * log2(h)`: at
/// these settings, at the height nearest to `height` at which p3-batch-stark is measured, too.
pub fn cpu_ns_per_fft_unit(settings: &WhirSettings, height: usize) -> f64 {
    let height = height.clamp(PEER_HEIGHTS.0, PEER_HEIGHTS.1);
    let air = peer_table();
    let start = cpu_time();
    let trace = peer_trace(&air, height, 0);
    let cells = trace.width() * trace.height();
    let log_height = height.ilog2() as usize;
    let log_cells = cells.next_power_of_two().ilog2() as usize;
    // As in R, a row of the stack is as long as the table is high.
    let fold = log_cells - log_height;
    let settings = WhirSettings {
        log_block: log_height,
        ..*settings
    };
    let parameters = settings.parameters(fold).expect("there are parameters");
    let mmcs = Poseidon16Suite::val_mmcs(settings.cap_height);
    let config = Config {
        scheme: Scheme::new(parameters, Radix2DFTSmallBatch::default(), mmcs),
        fold,
    };
    let (proving, verifying) =
        setup(&config, &[&air], &mut Poseidon16Challenger::default()).expect("the table has a key");
    let table = Table::new(trace.transpose());
    let instances = vec![ProverInstance::new(&air, table, &proving, &[])];
    let grinding = settings.grinding_bits;
    let proof = with_grinding(|| {
        prove(
            &config,
            ProverInstances::new(instances),
            grinding,
            &mut Poseidon16Challenger::default(),
        )
    });
    let proof = proof
        .expect("nonces are found")
        .expect("the trace is valid");
    let spent = cpu_time().saturating_sub(start);

    let instances = vec![VerifierInstance::new(&air, &verifying, log_height, &[])];
    verify(
        &config,
        VerifierInstances::new(instances),
        &proof,
        grinding,
        &mut Poseidon16Challenger::default(),
    )
    .expect("the proof is valid");
    spent.as_nanos() as f64 / (cells * log_height) as f64
}
