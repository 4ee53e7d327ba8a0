//! The parts of a proof that a verifier reads, for both protocols.

use droste_native::F;
use p3_batch_stark::BatchProof;
use p3_commit::{ExtensionMmcs, Pcs};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_fri::{BatchMultiOpening, FriProof};
use p3_uni_stark::{OpenedValues, Proof as UniProof, StarkGenericConfig};

use super::config::{Cap, FriConfig};

/// Merkle trees over rows of challenges.
pub(super) type ChallengeTrees<V> =
    ExtensionMmcs<F, <V as FriConfig>::Challenge, <V as FriConfig>::Trees>;

/// The low-degree test of a proof, with the openings of its input commitments.
pub(super) type Fri<V> = FriProof<
    <V as FriConfig>::Challenge,
    ChallengeTrees<V>,
    F,
    Vec<BatchMultiOpening<F, <V as FriConfig>::Trees>>,
>;

/// The parts of a p3-batch-stark or p3-uni-stark proof.
pub struct ProofParts<'a, V: FriConfig> {
    pub(super) main: &'a Cap<V>,
    pub(super) permutation: Option<&'a Cap<V>>,
    pub(super) quotient: &'a Cap<V>,
    /// Whether there is a commitment to random polynomials, which only hiding proofs have.
    pub(super) random: bool,
    pub(super) log_heights: &'a [usize],
    pub(super) tables: Vec<TableParts<'a, V::Challenge>>,
    pub(super) terminals: Vec<Option<V::Challenge>>,
    pub(super) lookup_nonce: Option<F>,
    pub(super) ood_nonce: F,
    pub(super) fri: &'a Fri<V>,
}

/// Opened values of one table.
pub(super) struct TableParts<'a, E> {
    pub(super) base: &'a OpenedValues<E>,
    pub(super) permutation: &'a [E],
    pub(super) permutation_next: &'a [E],
}

impl<E> TableParts<'_, E> {
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
            .map(<[E]>::len)
            .chain(chunks)
            .sum()
    }
}

impl<'a, V, SC> From<&'a BatchProof<SC>> for ProofParts<'a, V>
where
    V: FriConfig,
    SC: StarkGenericConfig<Challenge = V::Challenge>,
    SC::Pcs: Pcs<
            V::Challenge,
            SC::Challenger,
            Domain = TwoAdicMultiplicativeCoset<F>,
            Commitment = Cap<V>,
            Proof = Fri<V>,
        >,
{
    fn from(proof: &'a BatchProof<SC>) -> Self {
        let random = |values: &OpenedValues<V::Challenge>| values.random.is_some();
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

impl<'a, V, SC> From<&'a UniProof<SC>> for ProofParts<'a, V>
where
    V: FriConfig,
    SC: StarkGenericConfig<Challenge = V::Challenge>,
    SC::Pcs: Pcs<
            V::Challenge,
            SC::Challenger,
            Domain = TwoAdicMultiplicativeCoset<F>,
            Commitment = Cap<V>,
            Proof = Fri<V>,
        >,
{
    fn from(proof: &'a UniProof<SC>) -> Self {
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
