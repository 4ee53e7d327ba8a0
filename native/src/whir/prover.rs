//! The prover of openings.

use std::iter::zip;

use p3_field::PrimeCharacteristicRing;
use thiserror::Error;
use tracing::info_span;

use super::claims::{Claim, equality_table, powers};
use super::commit::{Codeword, Committed};
use super::kernels::combination;
use super::proof::{Opening, Queries, Round};
use super::scheme::{Scheme, grind, query_points, sample_indices};
use super::settings::CommitmentStep;
use super::sumcheck::{self, WeightedPolynomial};
use super::sums::{PresentRows, RowProducts, SplitClaim, partial_sums};
use super::weights::{packed_equality_table, powers_table, row_weights};
use crate::field::{EF, F};
use crate::lanes::PackedExt;
use crate::stark::challenger::{NoNonce, Sent, Transcript, with_grinding};
use crate::stark::suite::HashSuite;

/// Why an opening cannot be made.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum OpenError {
    /// The rows that were committed to are not those of the layout.
    #[error("{found} {kind} cells were given to commit to, expected {expected}")]
    Cells {
        /// `main` or `preprocessed`.
        kind: &'static str,
        /// Number of cells of the layout.
        expected: usize,
        /// Number of cells committed to.
        found: usize,
    },
    /// A claim has another number of variables than the stack, or weighs the next rows of a table
    /// that is higher than a row of the stack is long.
    #[error("claim {claim} does not fit the stack")]
    Claim {
        /// Index of the claim.
        claim: usize,
    },
    /// No nonce passes a proof of work.
    #[error(transparent)]
    NoNonce(#[from] NoNonce),
}

/// The values outside the domain, and what the prover keeps of their computation.
#[derive(Clone, Debug)]
pub struct Outside {
    claims: Vec<Claim>,
    values: Vec<Sent<EF>>,
    sums: Vec<Vec<EF>>,
}

impl Outside {
    /// The values, which the proof must contain for [`Scheme::sample_outside`].
    pub fn values(&self) -> &[Sent<EF>] {
        &self.values
    }
}

impl<H: HashSuite> Scheme<H> {
    /// Samples the points outside the domain, and evaluates the stack there and sends the values. The
    /// transcript must have observed the commitments.
    ///
    /// # Errors
    /// If the rows that were committed to are not those of the layout.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn outside(
        &self,
        main: &Committed<H>,
        preprocessed: Option<&Committed<H>>,
        challenger: &mut dyn Transcript<H>,
    ) -> Result<Outside, OpenError> {
        let rows = self.present_rows(main, preprocessed)?;
        let mut outside = Outside {
            claims: vec![],
            values: vec![],
            sums: vec![],
        };
        for _ in 0..self.parameters.commitment_ood_samples() {
            let claim = Claim::at_powers(challenger.sample_extension(), self.layout.variables());
            let split = self.split(std::slice::from_ref(&claim))?;
            let sums = partial_sums(&self.layout, &rows, &split);
            for (split, sums) in zip(split, sums) {
                outside
                    .values
                    .push(Sent::send(split.total(&sums), challenger));
                outside.sums.push(sums);
            }
            outside.claims.push(claim);
        }
        Ok(outside)
    }

    /// Opens the stack: proves the claims about the values outside the domain, then `claims`. The
    /// transcript must have observed the commitments, and everything that determines the claims and
    /// their values.
    ///
    /// # Errors
    /// If the rows that were committed to are not those of the layout, a claim does not fit the
    /// stack, or no nonce passes a proof of work.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn open(
        &self,
        main: &Committed<H>,
        preprocessed: Option<&Committed<H>>,
        outside: Outside,
        claims: &[Claim],
        challenger: &mut dyn Transcript<H>,
    ) -> Result<Opening<H>, OpenError> {
        let _span = info_span!("open").entered();
        let rows = self.present_rows(main, preprocessed)?;
        let mut split = self.split(&outside.claims)?;
        let of_tables = self.split(claims)?;
        let mut sums = outside.sums;
        sums.extend(partial_sums(&self.layout, &rows, &of_tables));
        split.extend(of_tables);
        let codewords = std::iter::once(main).chain(preprocessed);
        let codewords = codewords.map(Committed::codeword).collect();
        let opening = with_grinding(|| self.prove(&rows, codewords, &split, sums, challenger))?;
        Ok(opening)
    }

    fn prove(
        &self,
        rows: &[PresentRows<'_>],
        stack: Vec<&Codeword<H>>,
        claims: &[SplitClaim],
        sums: Vec<Vec<EF>>,
        challenger: &mut dyn Transcript<H>,
    ) -> Opening<H> {
        let schedule = &self.schedule;
        let mut previous = &schedule.stack;
        let mut product = RowProducts::new(claims, sums, challenger.sample_extension());
        let bits = previous.fold_grinding_bits;
        let (sumcheck, point) = sumcheck::prove(&mut product, previous.fold, bits, challenger);

        let values = bind_rows(rows, &point, self.layout.log_block());
        let weights = row_weights(self.layout.log_block(), claims, product.scales());
        let mut polynomial = WeightedPolynomial::new(values, weights);
        let mut codeword = None;
        let mut rounds = vec![];
        for step in &schedule.folded {
            let next = self.commit_folded(&polynomial.values(), step);
            let commitment = Sent::send(next.cap().clone(), challenger);
            let span = info_span!("evaluate outside the domain").entered();
            let mut outside = vec![];
            let mut tables = vec![];
            for _ in 0..step.outside {
                let table =
                    packed_equality_table(&powers(challenger.sample_extension(), step.variables));
                outside.push(Sent::send(polynomial.evaluate(&table), challenger));
                tables.push(table);
            }
            drop(span);
            let trees = codeword
                .as_ref()
                .map_or_else(|| stack.clone(), |last| vec![last]);
            let (queries, indices) = self.answer(&trees, previous, challenger);
            let challenge = challenger.sample_extension();
            let mut scales = challenge.powers().skip(1);
            for (table, scale) in zip(&tables, scales.by_ref()) {
                polynomial.add_weights(table, scale);
            }
            let scales: Vec<EF> = scales.take(indices.len()).collect();
            let points = query_points(previous, &indices);
            polynomial.add_weights(&powers_table(step.variables, &points, &scales), EF::ONE);
            let bits = step.fold_grinding_bits;
            let (sumcheck, _) = sumcheck::prove(&mut polynomial, step.fold, bits, challenger);
            rounds.push(Round {
                commitment,
                outside,
                queries,
                sumcheck,
            });
            codeword = Some(next);
            previous = step;
        }

        let final_polynomial = Sent::send(polynomial.values(), challenger);
        let trees = codeword
            .as_ref()
            .map_or_else(|| stack.clone(), |last| vec![last]);
        let (final_queries, _) = self.answer(&trees, previous, challenger);
        let (final_sumcheck, _) = sumcheck::prove(
            &mut polynomial,
            schedule.final_variables,
            schedule.final_grinding_bits,
            challenger,
        );
        Opening {
            sumcheck,
            rounds,
            final_polynomial,
            final_queries,
            final_sumcheck,
        }
    }

    /// Samples the queries to a commitment, and opens its trees there. Returns the indices too.
    fn answer(
        &self,
        trees: &[&Codeword<H>],
        step: &CommitmentStep,
        challenger: &mut dyn Transcript<H>,
    ) -> (Queries<H>, Vec<usize>) {
        let nonces = grind(challenger, step.query_grinding_bits)
            .into_iter()
            .collect();
        let indices = sample_indices(challenger, step);
        let _span = info_span!("open leaves").entered();
        let open = |tree: &&Codeword<H>| tree.open(&self.mmcs, &indices);
        let trees = trees.iter().map(open).collect();
        (Queries { nonces, trees }, indices)
    }

    /// The rows that were committed to.
    fn present_rows<'a>(
        &'a self,
        main: &'a Committed<H>,
        preprocessed: Option<&'a Committed<H>>,
    ) -> Result<[PresentRows<'a>; 2], OpenError> {
        let cells = |kind, expected: usize, committed: Option<&'a Committed<H>>| {
            let cells = committed.map_or(&[][..], Committed::cells);
            let found = cells.len();
            (found == expected)
                .then_some(cells)
                .ok_or(OpenError::Cells {
                    kind,
                    expected,
                    found,
                })
        };
        let layout = &self.layout;
        Ok([
            (
                layout.main_rows(),
                cells("main", layout.main_cells(), Some(main))?,
            ),
            (
                layout.preprocessed_rows(),
                cells("preprocessed", layout.preprocessed_cells(), preprocessed)?,
            ),
        ])
    }

    fn split(&self, claims: &[Claim]) -> Result<Vec<SplitClaim>, OpenError> {
        let split = |(index, claim)| {
            SplitClaim::new(claim, &self.layout).ok_or(OpenError::Claim { claim: index })
        };
        claims.iter().enumerate().map(split).collect()
    }
}

/// Binds the variables that choose a row.
fn bind_rows(rows: &[PresentRows<'_>], point: &[EF], log_block: usize) -> Vec<PackedExt> {
    let _span = info_span!("bind rows").entered();
    let weights = equality_table(point);
    let present = rows
        .iter()
        .flat_map(|(indices, cells)| zip(indices.iter(), cells.chunks_exact(1 << log_block)));
    let (rows, weights): (Vec<&[F]>, Vec<EF>) = present
        .filter_map(|(&index, cells)| Some((cells, *weights.get(index)?)))
        .unzip();
    combination(&rows, &weights)
}
