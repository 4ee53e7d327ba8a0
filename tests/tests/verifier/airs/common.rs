//! Proofs of the test tables, and circuits that verify them.

use droste_native::{Config, F, FriSettings};
use droste_verifier::airs::{AirCircuit, BatchCircuit, Seed, UniCircuit};
use droste_verifier::claim::claim_digest;
use droste_verifier::tape::{ProofParts, TapeSuite};
use droste_vm::record::Execution;
use p3_batch_stark::{BatchProof, StarkInstance, prove_batch};
use p3_uni_stark::{Proof as UniProof, prove_with_preprocessed, setup_preprocessed};

use super::tables::{Plain, Table, plain_trace, traces};

/// Few queries, proof of work at every site, caps of two digests, folding by 8.
pub const SETTINGS: FriSettings = FriSettings {
    log_blowup: 2,
    log_final_poly_len: 0,
    max_log_arity: 3,
    num_queries: 2,
    batch_grinding_bits: 1,
    commit_grinding_bits: 2,
    query_grinding_bits: 3,
    lookup_grinding_bits: 2,
    ood_grinding_bits: 1,
    cap_height: 1,
};

/// A batch proof and its circuit.
pub struct Batch<H: TapeSuite> {
    pub circuit: BatchCircuit<H, Table>,
    pub proof: BatchProof<Config<H>>,
    pub public_values: Vec<Vec<F>>,
}

impl<H: TapeSuite> Batch<H> {
    pub fn new(tables: &[(Table, usize)], settings: FriSettings, seed: Seed) -> Self {
        let (airs, log_heights): (Vec<Table>, Vec<usize>) = tables.iter().copied().unzip();
        let circuit = BatchCircuit::new(airs, settings, &log_heights, seed).unwrap();
        let (proof, public_values) = prove(&circuit, tables, 7);
        Self {
            circuit,
            proof,
            public_values,
        }
    }

    /// Runs the program on the proof.
    pub fn execute(&self) -> Execution {
        execute(&self.circuit, &self.proof, &self.public_values)
    }
}

/// Runs a program on a proof, whose statement is that of the claim.
fn execute<'a, H: TapeSuite>(
    circuit: &AirCircuit<H>,
    proof: impl Into<ProofParts<'a, H>>,
    public_values: &[Vec<F>],
) -> Execution {
    let execution = circuit.execute(proof, public_values).unwrap();
    let leaf = circuit.leaf(public_values).unwrap();
    let expected = claim_digest(&[(leaf.key, leaf.claim.statement())]);
    assert_eq!(execution.statement, expected);
    assert_eq!(circuit.claim(public_values).unwrap(), expected);
    execution
}

/// A proof of the circuit's tables.
pub fn prove<H: TapeSuite>(
    circuit: &BatchCircuit<H, Table>,
    tables: &[(Table, usize)],
    seed: u32,
) -> (BatchProof<Config<H>>, Vec<Vec<F>>) {
    let traces = traces(tables, seed);
    let instances: Vec<_> = tables
        .iter()
        .zip(&traces)
        .map(|((air, _), (trace, public))| StarkInstance {
            air,
            trace,
            public_values: public.clone(),
        })
        .collect();
    let proof = prove_batch(&circuit.config().unwrap(), &instances, circuit.data()).unwrap();
    let public_values = traces.into_iter().map(|(_, public)| public).collect();
    (proof, public_values)
}

/// A proof of one table alone, and its circuit.
pub struct Uni<H: TapeSuite> {
    pub circuit: UniCircuit<H, Plain>,
    pub proof: UniProof<Config<H>>,
    pub public_values: Vec<F>,
}

impl<H: TapeSuite> Uni<H> {
    pub fn new(table: Plain, log_height: usize, settings: FriSettings, seed: Seed) -> Self {
        let circuit = UniCircuit::new(table, settings, log_height, seed).unwrap();
        let config = circuit.config().unwrap();
        let (trace, public_values) = plain_trace(table, log_height, 7);
        let preprocessed = setup_preprocessed(&config, &table, log_height).unwrap();
        let data = preprocessed.as_ref().map(|(data, _)| data);
        let proof = prove_with_preprocessed(&config, &table, trace, &public_values, data).unwrap();
        Self {
            circuit,
            proof,
            public_values,
        }
    }

    /// Runs the program on the proof.
    pub fn execute(&self) -> Execution {
        let public_values = [self.public_values.clone()];
        let execution = execute(&self.circuit, &self.proof, &public_values);
        assert_eq!(
            self.circuit.claim(&self.public_values).unwrap(),
            execution.statement
        );
        execution
    }
}
