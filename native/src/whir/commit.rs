//! Commitments: codewords of rows, and their Merkle trees.

use std::fmt::{self, Debug};

use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use tracing::info_span;

use super::proof::OpenedTree;
use super::scheme::Scheme;
use super::settings::CommitmentStep;
use crate::field::{EF, EXTENSION_DEGREE, F};
use crate::stark::challenger::Decommitted;
use crate::stark::suite::{Commitment, HashSuite, Poseidon16Suite, Tree};
use crate::transpose::transpose;

/// Fourier transforms.
pub(super) type Dft = Radix2DFTSmallBatch<F>;

/// Rows of a stack, and the commitment to them.
pub struct Committed<H: HashSuite = Poseidon16Suite> {
    cells: Vec<F>,
    codeword: Codeword<H>,
}

/// A commitment, and what opens it.
pub(super) struct Codeword<H: HashSuite> {
    cap: Commitment<H>,
    tree: Tree<H>,
}

impl<H: HashSuite> Committed<H> {
    /// The commitment.
    pub const fn cap(&self) -> &Commitment<H> {
        &self.codeword.cap
    }

    /// The cells of the rows, one row after the other.
    pub fn cells(&self) -> &[F] {
        &self.cells
    }

    pub(super) const fn codeword(&self) -> &Codeword<H> {
        &self.codeword
    }

    /// Rows with a commitment to others, for tests.
    #[cfg(test)]
    pub(super) fn forged(cells: Vec<F>, other: Self) -> Self {
        Self { cells, ..other }
    }
}

impl<H: HashSuite> Debug for Committed<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Committed")
            .field("cap", self.cap())
            .finish_non_exhaustive()
    }
}

impl<H: HashSuite> Codeword<H> {
    pub(super) const fn cap(&self) -> &Commitment<H> {
        &self.cap
    }

    /// Opens leaves.
    pub(super) fn open(&self, mmcs: &H::ValMmcs, indices: &[usize]) -> OpenedTree<H> {
        let (leaves, paths) = H::open_rows(mmcs, indices, &self.tree);
        OpenedTree {
            leaves: Decommitted::new(leaves),
            paths,
        }
    }
}

impl<H: HashSuite> Scheme<H> {
    /// Commits to rows of the stack: all those of its main, or all those of its preprocessed
    /// columns that are present ([`super::Layout`]), one after the other.
    ///
    /// The cells of a row are the coefficients, constant term first, of a polynomial. Leaf `j` of
    /// the Merkle tree has the values of all rows' polynomials at `g^j`, where `g` generates the
    /// subgroup of order `2^(log_block + log_blowup)`.
    ///
    /// # Panics
    /// If there is no row, or the last one is not complete.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn commit(&self, cells: Vec<F>) -> Committed<H> {
        let height = 1 << self.layout.log_block();
        let width = cells.len() / height;
        assert!(
            width > 0 && cells.len() == width * height,
            "{} cells are no rows of {height} cells",
            cells.len()
        );
        let log_blowup = self.parameters.starting_log_inv_rate;
        let codeword = self.commit_codeword(encode(&self.dft, &cells, width, log_blowup));
        Committed { cells, codeword }
    }

    /// Commits to a folded polynomial, given by its values on the hypercube. The first variables of
    /// the polynomial choose a row.
    pub(super) fn commit_folded(&self, values: &[EF], step: &CommitmentStep) -> Codeword<H> {
        self.commit_codeword(encode_folded(&self.dft, values, step))
    }

    fn commit_codeword(&self, codeword: RowMajorMatrix<F>) -> Codeword<H> {
        let _span = info_span!("hash codeword").entered();
        let (cap, tree) = H::commit_rows(&self.mmcs, codeword);
        Codeword { cap, tree }
    }
}

/// The codeword of `width` rows of the stack.
fn encode(dft: &Dft, cells: &[F], width: usize, log_blowup: usize) -> RowMajorMatrix<F> {
    let _span = info_span!("encode rows", width).entered();
    let mut values = F::zero_vec(cells.len() << log_blowup);
    transpose(cells, width, &mut values[..cells.len()]);
    dft.dft_batch(RowMajorMatrix::new(values, width))
}

/// The codeword of a folded polynomial.
fn encode_folded(dft: &Dft, values: &[EF], step: &CommitmentStep) -> RowMajorMatrix<F> {
    let _span = info_span!("encode folded rows").entered();
    let width = EXTENSION_DEGREE << step.fold;
    let height = values.len() >> step.fold;
    let mut encoded = F::zero_vec(width << step.log_leaves);
    let leaves = encoded.par_chunks_exact_mut(width).take(height);
    leaves.enumerate().for_each(|(x, leaf)| {
        let elements = leaf.chunks_exact_mut(EXTENSION_DEGREE);
        for (element, value) in elements.zip(values[x..].iter().step_by(height)) {
            element.copy_from_slice(value.as_basis_coefficients_slice());
        }
    });
    dft.dft_batch(RowMajorMatrix::new(encoded, width))
}
