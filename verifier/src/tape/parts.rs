//! The parts of a proof that a verifier reads, for both protocols.

use p3_batch_stark::BatchProof;
use p3_commit::{ExtensionMmcs, OpenedValues as PcsValues, Pcs};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_fri::{BatchMultiOpening, FriProof};
use p3_uni_stark::{OpenedValues, Proof as UniProof, StarkGenericConfig};

use super::config::{Cap, FriConfig};

/// Merkle trees over rows of challenges.
pub(super) type ChallengeTrees<V> =
    ExtensionMmcs<<V as FriConfig>::Val, <V as FriConfig>::Challenge, <V as FriConfig>::Trees>;

/// The low-degree test of a proof, with the openings of its input commitments.
pub(super) type Fri<V> = FriProof<
    <V as FriConfig>::Challenge,
    ChallengeTrees<V>,
    <V as FriConfig>::Val,
    Vec<BatchMultiOpening<<V as FriConfig>::Val, <V as FriConfig>::Trees>>,
>;

/// The opening argument of a proof: the low-degree test alone, or after the values of random
/// codewords, which hiding proofs have there instead of among the opened values.
pub trait OpeningArgument<V: FriConfig> {
    /// The low-degree test.
    fn fri(&self) -> &Fri<V>;

    /// Values of random codewords, by commitment, matrix and point.
    fn codewords(&self) -> &[Vec<Vec<Vec<V::Challenge>>>];
}

impl<V: FriConfig> OpeningArgument<V> for Fri<V> {
    fn fri(&self) -> &Self {
        self
    }

    fn codewords(&self) -> &[Vec<Vec<Vec<V::Challenge>>>] {
        &[]
    }
}

impl<V: FriConfig> OpeningArgument<V> for (PcsValues<V::Challenge>, Fri<V>) {
    fn fri(&self) -> &Fri<V> {
        &self.1
    }

    fn codewords(&self) -> &[Vec<Vec<Vec<V::Challenge>>>] {
        &self.0
    }
}

/// The parts of a p3-batch-stark or p3-uni-stark proof.
pub struct ProofParts<'a, V: FriConfig> {
    pub(super) main: &'a Cap<V>,
    pub(super) permutation: Option<&'a Cap<V>>,
    pub(super) quotient: &'a Cap<V>,
    /// The commitment to random polynomials, which only hiding proofs have.
    pub(super) random: Option<&'a Cap<V>>,
    pub(super) log_heights: &'a [usize],
    pub(super) tables: Vec<TableParts<'a, V::Challenge>>,
    pub(super) terminals: Vec<Option<V::Challenge>>,
    pub(super) lookup_nonce: Option<V::Val>,
    pub(super) ood_nonce: V::Val,
    /// Values of random codewords, by commitment, matrix and point; empty if it is not hiding.
    pub(super) codewords: &'a [Vec<Vec<Vec<V::Challenge>>>],
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
            base.random.as_deref(),
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
            Domain = TwoAdicMultiplicativeCoset<V::Val>,
            Commitment = Cap<V>,
            Proof: OpeningArgument<V>,
        >,
{
    fn from(proof: &'a BatchProof<SC>) -> Self {
        let instances = &proof.opened_values.instances;
        Self {
            main: &proof.commitments.main,
            permutation: proof.commitments.permutation.as_ref(),
            quotient: &proof.commitments.quotient_chunks,
            random: proof.commitments.random.as_ref(),
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
            codewords: proof.opening_proof.codewords(),
            fri: proof.opening_proof.fri(),
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
            Domain = TwoAdicMultiplicativeCoset<V::Val>,
            Commitment = Cap<V>,
            Proof: OpeningArgument<V>,
        >,
{
    fn from(proof: &'a UniProof<SC>) -> Self {
        Self {
            main: &proof.commitments.trace,
            permutation: None,
            quotient: &proof.commitments.quotient_chunks,
            random: proof.commitments.random.as_ref(),
            log_heights: std::slice::from_ref(&proof.degree_bits),
            tables: vec![TableParts {
                base: &proof.opened_values,
                permutation: &[],
                permutation_next: &[],
            }],
            terminals: vec![None],
            lookup_nonce: None,
            ood_nonce: proof.ood_pow_witness,
            codewords: proof.opening_proof.codewords(),
            fri: proof.opening_proof.fri(),
        }
    }
}
