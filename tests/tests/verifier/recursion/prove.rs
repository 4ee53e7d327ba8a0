//! Honest proofs of the test tables.

use droste_native::stark::config::config;
use droste_native::{Commitment, Config, EF, F, FriSettings, HashId};
use droste_verifier::codegen::{FriEvaluators, TableSource, generate};
use droste_verifier::shape::{FriShape, Protocol};
use droste_verifier::tape::{Answers, TapeSuite, commitment_lanes};
use p3_air::BaseAir;
use p3_batch_stark::{BatchProof, ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;

use super::airs::{Toy, traces};

/// A proof, with everything that its verifier needs.
pub struct Proved<H: TapeSuite> {
    pub shape: FriShape,
    pub evaluators: FriEvaluators,
    pub seed: Vec<F>,
    pub preprocessed: Option<Commitment<H>>,
    pub public_values: Vec<Vec<F>>,
    pub proof: BatchProof<Config<H>>,
}

impl<H: TapeSuite> Proved<H> {
    /// The prover's answers to a program that reads the arguments of `verify`, then the proof.
    pub fn answers(&self) -> Answers<'_, H> {
        let mut answers = Answers::default();
        for seed in &self.seed {
            answers.message(vec![*seed]);
        }
        let preprocessed = self.preprocessed.as_ref().unwrap();
        answers.message(commitment_lanes::<H>(preprocessed));
        for value in &self.public_values[1] {
            answers.message(vec![*value]);
        }
        answers
            .proof(&self.shape, None, Some(preprocessed), &self.proof)
            .unwrap();
        answers
    }
}

pub fn prove<H: TapeSuite>(
    settings: &FriSettings,
    hash: HashId,
    seed: &[u32],
    log_range: usize,
    log_rows: usize,
) -> Proved<H> {
    let seed: Vec<F> = seed.iter().map(|&x| F::from_u32(x)).collect();
    let config = config::<H>(settings, &seed).unwrap();
    let airs = [
        Toy::Range {
            log_height: log_range,
        },
        Toy::Cubes,
    ];
    let traces = traces(log_range, log_rows, 5);
    let public_values: Vec<Vec<F>> = traces.iter().map(|(_, public)| public.clone()).collect();
    let instances: Vec<_> = airs
        .iter()
        .zip(&traces)
        .map(|(air, (trace, public))| StarkInstance {
            air,
            trace,
            public_values: public.clone(),
        })
        .collect();
    let data = ProverData::from_instances(&config, &instances).unwrap();
    let proof = prove_batch(&config, &instances, &data).unwrap();
    verify_batch(&config, &airs, &proof, &public_values, &data.common).unwrap();

    let heights = [log_range, log_rows];
    let sources: Vec<TableSource<'_, Toy>> = airs
        .iter()
        .zip(["range", "cubes"])
        .zip(data.common.lookups.iter().zip(heights))
        .map(|((air, name), (lookups, log_height))| TableSource {
            name,
            air,
            lookups,
            preprocessed_width: BaseAir::<F>::preprocessed_width(air),
            log_height,
        })
        .collect();
    let evaluators = generate::<EF, _>(&sources).unwrap();
    let shape = FriShape::new(
        Protocol::Batch,
        hash,
        *settings,
        seed.len(),
        &evaluators,
        &heights,
    )
    .unwrap();
    Proved {
        shape,
        evaluators,
        seed,
        preprocessed: data
            .common
            .preprocessed
            .as_ref()
            .map(|p| p.commitment.clone()),
        public_values,
        proof,
    }
}
