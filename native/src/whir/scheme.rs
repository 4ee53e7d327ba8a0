//! The commitment scheme for one shape of stack.

use p3_field::{PrimeCharacteristicRing, TwoAdicField};
use p3_matrix::Dimensions;
use p3_merkle_tree::MerkleTreeError;

use super::claims::Claim;
#[cfg(feature = "prover")]
use super::commit::Dft;
use super::layout::Layout;
use super::proof::OpenedTree;
use super::settings::{CommitmentStep, Parameters, Schedule, WhirSettings, WhirSettingsError};
use super::verifier::OpeningError;
use crate::field::{EF, EXTENSION_DEGREE, F};
use crate::stark::challenger::{ExtensionTranscript, Sent};
use crate::stark::suite::{HashSuite, Poseidon16Suite};

/// The commitment scheme for one shape of stack, in one hash: it commits to rows, and proves and
/// verifies claims about the stack.
#[derive(Clone, Debug)]
pub struct Scheme<H: HashSuite = Poseidon16Suite> {
    pub(super) parameters: Parameters,
    pub(super) schedule: Schedule,
    pub(super) layout: Layout,
    cap_height: usize,
    pub(super) mmcs: H::ValMmcs,
    #[cfg(feature = "prover")]
    pub(super) dft: Dft,
}

impl<H: HashSuite> Scheme<H> {
    /// The scheme for a stack of this layout.
    ///
    /// # Errors
    /// If the settings are out of range, have no parameters for so many rows, or are for rows of
    /// another length than the layout's.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn new(settings: &WhirSettings, layout: Layout) -> Result<Self, WhirSettingsError> {
        let parameters = settings.parameters(layout.row_variables())?;
        if settings.log_block != layout.log_block() {
            return Err(WhirSettingsError::Block {
                expected: settings.log_block,
                found: layout.log_block(),
            });
        }
        Ok(Self {
            schedule: Schedule::new(settings, &parameters)?,
            parameters,
            layout,
            cap_height: settings.cap_height,
            mmcs: H::val_mmcs(settings.cap_height),
            #[cfg(feature = "prover")]
            dft: Dft::default(),
        })
    }

    /// Where the columns of the tables lie.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The commitments of an opening, with numbers of queries and bits of grinding.
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Plonky3's parameters of an opening.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Number of digests of a commitment with so many leaves.
    pub fn cap_size(&self, commitment: &CommitmentStep) -> usize {
        1 << self.cap_height.min(commitment.log_leaves)
    }

    /// Most bytes of an opening and of the commitments that are sent: 32 for a digest, 4 for a
    /// coefficient or a nonce, and nothing for lengths. An opening has fewer where the paths of its
    /// queries meet earlier than they must.
    pub fn most_bytes(&self) -> usize {
        let (nonce, element) = (4, 4 * EXTENSION_DEGREE);
        let sumcheck = |rounds: usize, grinding_bits: usize| {
            rounds * (2 * element + if grinding_bits > 0 { nonce } else { 0 })
        };
        let schedule = &self.schedule;
        let commitments = schedule.commitments().enumerate().map(|(number, step)| {
            let stack = [
                self.layout.main_rows().len(),
                self.layout.preprocessed_rows().len(),
            ];
            let folded = [EXTENSION_DEGREE << step.fold];
            let trees = if number == 0 { &stack[..] } else { &folded };
            let siblings = most_siblings(step.queries, step.log_leaves, self.cap_height);
            let of_tree = |&width: &usize| 4 * step.queries * width + DIGEST_BYTES * siblings;
            let trees = trees.iter().filter(|&&width| width > 0).map(of_tree);
            let work = if step.query_grinding_bits > 0 {
                nonce
            } else {
                0
            };
            trees.sum::<usize>()
                + DIGEST_BYTES * self.cap_size(step)
                + element * step.outside
                + sumcheck(step.fold, step.fold_grinding_bits)
                + work
        });
        commitments.sum::<usize>()
            + (element << schedule.final_variables)
            + sumcheck(schedule.final_variables, schedule.final_grinding_bits)
    }

    /// Samples the points outside the domain, and reads the claimed values there. The transcript
    /// must have observed the commitments. Returns the claims.
    ///
    /// # Errors
    /// If there are more or fewer values than samples.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn sample_outside(
        &self,
        values: &[Sent<EF>],
        challenger: &mut dyn ExtensionTranscript,
    ) -> Result<Vec<(Claim, EF)>, OpeningError> {
        let expected = self.parameters.commitment_ood_samples();
        OpeningError::check_length("values outside the domain", expected, values.len())?;
        let variables = self.layout.variables();
        Ok(values
            .iter()
            .map(|value| {
                let claim = Claim::at_powers(challenger.sample_extension(), variables);
                (claim, *value.read(challenger))
            })
            .collect())
    }

    /// Restores one full authentication path for each query, the leaf's level first. Nothing is
    /// checked against a commitment. `number` counts the commitments, the stack being 0, and
    /// `indices` are what [`Self::verify`] returns for it.
    ///
    /// # Errors
    /// If the leaves or paths do not fit the tree.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn restore_paths(
        &self,
        number: usize,
        indices: &[usize],
        tree: &OpenedTree<H>,
    ) -> Result<Vec<Vec<H::Digest>>, MerkleTreeError> {
        let leaves = tree.leaves.peek();
        let step = self.schedule.commitments().nth(number);
        let dimensions = Dimensions {
            width: leaves.first().map_or(0, Vec::len),
            height: 1 << step.map_or(0, |step| step.log_leaves),
        };
        let rows: Vec<Vec<Vec<F>>> = leaves.iter().map(|leaf| vec![leaf.clone()]).collect();
        H::restore_paths(&self.mmcs, &[dimensions], indices, &rows, &tree.paths)
    }
}

/// Bytes of a digest, in every suite.
const DIGEST_BYTES: usize = 32;

/// Most siblings that the paths of so many leaves need below the cap, each counted once: those of
/// leaves whose paths meet as late as they can. Leaves may be drawn repeatedly, so of more than
/// half of them, half need the most.
pub(super) fn most_siblings(leaves: usize, log_leaves: usize, cap_height: usize) -> usize {
    let leaves = leaves.min(1 << log_leaves.saturating_sub(1));
    let on_paths = |level: usize| leaves.min(1 << level);
    let levels = cap_height + 1..=log_leaves;
    levels
        .map(|level| 2 * on_paths(level - 1) - on_paths(level))
        .sum()
}

/// Samples the indices of a commitment's queries. Leaves may be drawn repeatedly.
///
/// An index is the low bits of one element. One of them has a probability that is `1/p` larger than
/// that of the others.
pub(super) fn sample_indices(
    challenger: &mut dyn ExtensionTranscript,
    step: &CommitmentStep,
) -> Vec<usize> {
    let draw = |_| challenger.sample_bits(step.log_leaves);
    (0..step.queries).map(draw).collect()
}

/// The points of the domain at these indices of a commitment's leaves.
pub(super) fn query_points(step: &CommitmentStep, indices: &[usize]) -> Vec<F> {
    let generator = F::two_adic_generator(step.log_leaves);
    let point = |&index: &usize| generator.exp_u64(index as u64);
    indices.iter().map(point).collect()
}

/// Does a proof of work, if it has any bits, and returns its nonce.
///
/// If there is no nonce, it unwinds to [`with_grinding`](crate::stark::challenger::with_grinding).
pub fn grind(challenger: &mut dyn ExtensionTranscript, bits: usize) -> Option<F> {
    (bits > 0).then(|| challenger.prove_work(bits))
}

/// Checks the proof of work before a step: there is a nonce exactly if it has any bits.
///
/// # Errors
/// If there are other nonces, or the one there is does not pass.
pub fn check_work(
    challenger: &mut dyn ExtensionTranscript,
    nonces: &[F],
    bits: usize,
    before: &'static str,
) -> Result<(), OpeningError> {
    OpeningError::check_length("nonces", usize::from(bits > 0), nonces.len())?;
    let passes = |&nonce| challenger.check_work(bits, nonce);
    if nonces.first().is_none_or(passes) {
        Ok(())
    } else {
        Err(OpeningError::Grinding { before })
    }
}
