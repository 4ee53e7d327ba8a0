//! Words that are committed to instead of the honest codeword.

use std::iter::zip;

use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::CommitmentStep;
use droste_native::{EF, F, HashSuite, Poseidon16Suite};
use p3_commit::Mmcs;
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::prover::{Prover, in_base, with_roots};
use super::term::Term;

/// The reciprocal of the part of the leaves at which a word is false.
pub const DISTANCE: usize = 4;

/// How many challenges two polynomials have the same value at.
pub const OUTSIDE_ROOTS: usize = 8;

impl Prover {
    /// Another word than the honest one, if the prover commits to one here.
    pub fn commit(&mut self, number: usize, cap: &mut [F]) {
        let is_other = match self.term {
            Term::Queries(of) | Term::Fold(of) => of == number,
            Term::Outside => number == 0,
            _ => false,
        };
        if !is_other {
            return;
        }
        let step = self.machine.commitments()[number];
        let mut word = match number {
            0 => encode(&self.machine.main_cells(&self.traces), &step),
            _ => self.folded_rows(&step),
        };
        let length = 1 << step.log_leaves;
        let mut places: Vec<usize> = (0..length).collect();
        places.shuffle(&mut self.rng);
        match self.term {
            Term::Fold(_) => {
                places.clear();
                self.spoil_two_rows(number, &mut word);
            }
            Term::Outside => {
                // The codewords agree at some places.
                let other = self.rows_of_other(&step);
                places.retain(|&place| *other.row_slice(place).unwrap() != *word.row_mut(place));
                places.truncate(length / DISTANCE);
                for &place in &places {
                    let leaf = other.row_slice(place).unwrap();
                    word.row_mut(place).copy_from_slice(&leaf);
                }
            }
            _ => {
                places.truncate(length / DISTANCE);
                for &place in &places {
                    word.row_mut(place).fill_with(|| self.rng.random());
                }
            }
        }
        let (said, _) = Poseidon16Suite::val_mmcs(0).commit_matrix(word.clone());
        cap.copy_from_slice(said.roots().as_flattened());
        self.word = Some((number, word, places));
    }

    /// Changes rows 0 and 1 of all leaves so that the change cancels when they are folded by one
    /// challenge, the last one of the fold.
    fn spoil_two_rows(&mut self, number: usize, word: &mut RowMajorMatrix<F>) {
        self.fold = self.hoped(1)[0];
        let root = in_base(self.fold);
        let second = match number {
            0 => 1,
            _ => EXTENSION_DEGREE,
        };
        assert_eq!(self.machine.scheme.layout().main_rows()[..2], [0, 1]);
        for leaf in word.rows_mut() {
            let scale: F = self.rng.random();
            leaf[0] += scale * root;
            leaf[second] += scale * (root - F::ONE);
        }
    }

    /// The rows of the polynomial whose value outside the domain [`Term::Outside`]'s prover says:
    /// the first one has other cells.
    fn rows_of_other(&mut self, step: &CommitmentStep) -> RowMajorMatrix<F> {
        let layout = self.machine.scheme.layout();
        assert_eq!(layout.main_rows()[0], 0);
        self.other = with_roots(&self.hoped(OUTSIDE_ROOTS));
        // From coefficients to values on the hypercube.
        let mut values = self.other.clone();
        values.resize(1 << layout.log_block(), EF::ZERO);
        for bit in 0..layout.log_block() {
            for i in (0..values.len()).filter(|i| i >> bit & 1 == 1) {
                let below = values[i ^ (1 << bit)];
                values[i] += below;
            }
        }
        let mut cells = self.machine.main_cells(&self.traces);
        for (cell, value) in zip(&mut cells, &values) {
            *cell += in_base(*value);
        }
        encode(&cells, step)
    }

    fn folded_rows(&self, step: &CommitmentStep) -> RowMajorMatrix<F> {
        let mut values = self.machine.stack(&self.traces);
        for &r in &self.bound {
            let (zeros, ones) = values.split_at(values.len() / 2);
            values = zip(zeros, ones)
                .map(|(&zero, &one)| zero + r * (one - zero))
                .collect();
        }
        assert_eq!(values.len(), 1 << step.variables);
        let height = values.len() >> step.fold;
        let width = EXTENSION_DEGREE << step.fold;
        let mut cells = vec![F::ZERO; width << step.log_leaves];
        for (i, value) in values.iter().enumerate() {
            let at = (i % height) * width + EXTENSION_DEGREE * (i / height);
            cells[at..at + EXTENSION_DEGREE].copy_from_slice(value.as_basis_coefficients_slice());
        }
        let matrix = RowMajorMatrix::new(cells, width);
        Radix2DFTSmallBatch::default().dft_batch(matrix)
    }
}

/// The codewords of rows of cells.
fn encode(cells: &[F], step: &CommitmentStep) -> RowMajorMatrix<F> {
    let height = 1 << (step.variables - step.fold);
    let width = cells.len() / height;
    let mut transposed = vec![F::ZERO; width << step.log_leaves];
    for (i, &cell) in cells.iter().enumerate() {
        transposed[(i % height) * width + i / height] = cell;
    }
    Radix2DFTSmallBatch::default().dft_batch(RowMajorMatrix::new(transposed, width))
}
