//! The parts of a proof that a verifier reads, for both protocols.

use droste_native::stark::suite::ChallengeMmcs;
use droste_native::{Commitment, Config, EF, F, HashSuite};
use p3_batch_stark::BatchProof;
use p3_fri::{BatchMultiOpening, FriProof};
use p3_uni_stark::{OpenedValues, Proof as UniProof};

/// The low-degree test of a proof, with the openings of its input commitments.
pub(super) type Fri<H> =
    FriProof<EF, ChallengeMmcs<H>, F, Vec<BatchMultiOpening<F, <H as HashSuite>::ValMmcs>>>;

/// The parts of a p3-batch-stark or p3-uni-stark proof.
pub struct ProofParts<'a, H: HashSuite> {
    pub(super) main: &'a Commitment<H>,
    pub(super) permutation: Option<&'a Commitment<H>>,
    pub(super) quotient: &'a Commitment<H>,
    /// Whether there is a commitment to random polynomials, which only hiding proofs have.
    pub(super) random: bool,
    pub(super) log_heights: &'a [usize],
    pub(super) tables: Vec<TableParts<'a>>,
    pub(super) terminals: Vec<Option<EF>>,
    pub(super) lookup_nonce: Option<F>,
    pub(super) ood_nonce: F,
    pub(super) fri: &'a Fri<H>,
}

/// Opened values of one table.
pub(super) struct TableParts<'a> {
    pub(super) base: &'a OpenedValues<EF>,
    pub(super) permutation: &'a [EF],
    pub(super) permutation_next: &'a [EF],
}

impl TableParts<'_> {
    /// Number of opened values, including those that no constraint reads.
    pub(super) fn len(&self) -> usize {
        let base = self.base;
        let rows = [
            Some(base.trace_local.as_slice()),
            base.trace_next.as_deref(),
            base.preprocessed_local(),
            base.preprocessed_next(),
            Some(self.permutation),
            Some(self.permutation_next),
        ];
        let chunks = base.quotient_chunks.iter().map(Vec::len);
        rows.into_iter()
            .flatten()
            .map(<[EF]>::len)
            .chain(chunks)
            .sum()
    }
}

impl<'a, H: HashSuite> From<&'a BatchProof<Config<H>>> for ProofParts<'a, H> {
    fn from(proof: &'a BatchProof<Config<H>>) -> Self {
        let random = |values: &OpenedValues<EF>| values.random.is_some();
        let instances = &proof.opened_values.instances;
        Self {
            main: &proof.commitments.main,
            permutation: proof.commitments.permutation.as_ref(),
            quotient: &proof.commitments.quotient_chunks,
            random: proof.commitments.random.is_some()
                || instances.iter().any(|i| random(&i.base_opened_values)),
            log_heights: &proof.degree_bits,
            tables: instances
                .iter()
                .map(|instance| TableParts {
                    base: &instance.base_opened_values,
                    permutation: &instance.permutation_local,
                    permutation_next: &instance.permutation_next,
                })
                .collect(),
            terminals: proof
                .lookup_terminals
                .iter()
                .map(|terminal| terminal.as_ref().map(|terminal| terminal.0))
                .collect(),
            lookup_nonce: proof.lookup_pow_witness,
            ood_nonce: proof.ood_pow_witness,
            fri: &proof.opening_proof,
        }
    }
}

impl<'a, H: HashSuite> From<&'a UniProof<Config<H>>> for ProofParts<'a, H> {
    fn from(proof: &'a UniProof<Config<H>>) -> Self {
        Self {
            main: &proof.commitments.trace,
            permutation: None,
            quotient: &proof.commitments.quotient_chunks,
            random: proof.commitments.random.is_some() || proof.opened_values.random.is_some(),
            log_heights: std::slice::from_ref(&proof.degree_bits),
            tables: vec![TableParts {
                base: &proof.opened_values,
                permutation: &[],
                permutation_next: &[],
            }],
            terminals: vec![None],
            lookup_nonce: None,
            ood_nonce: proof.ood_pow_witness,
            fri: &proof.opening_proof,
        }
    }
}
