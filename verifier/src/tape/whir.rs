//! Supplies the hints that come from one opening by WHIR.

use std::collections::VecDeque;

use droste_gadgets::verify::whir::shape::{Queries, Shape, Sumcheck};
use droste_native::stark::suite::{MultiProof, SuiteCap};
use droste_native::{Commitment, EF, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::Dimensions;
use p3_sumcheck::SumcheckData;
use p3_whir::pcs::proof::{PcsProof, QueryOpenings};

use super::suite::TapeSuite;
use super::{TapeError, commitment_lanes, expect_length};

/// The openings of one commitment.
type Openings<H> = QueryOpenings<F, EF, MultiProof<H>>;

/// What the program reads next.
enum Part<'a, H: TapeSuite> {
    Message(Vec<F>),
    /// The answers to queries, which depend on what the program has sampled; and whether the program
    /// reads the combination of the leaves first.
    Answers(Queries, &'a Openings<H>, bool),
}

/// The parts of an opening, one message after another.
pub(super) struct OpeningAnswers<'a, H: TapeSuite> {
    cap_height: usize,
    parts: VecDeque<Part<'a, H>>,
    /// The indices that the program has sampled since its last queries.
    indices: Vec<usize>,
    /// The challenge by which it combines the leaves.
    challenge: EF,
}

impl<'a, H: TapeSuite> OpeningAnswers<'a, H> {
    /// Takes the opening apart.
    pub(super) fn new(
        shape: &Shape,
        proof: &'a PcsProof<F, EF, H::ValMmcs>,
    ) -> Result<Self, TapeError> {
        let mut answers = Self {
            cap_height: shape.cap_height,
            parts: VecDeque::new(),
            indices: Vec::new(),
            challenge: EF::ZERO,
        };
        let whir = &proof.whir;
        answers.one_by_one(
            "values outside the domain",
            &whir.initial_ood_answers,
            shape.ood_samples,
        )?;
        expect_length("batches", proof.evals.len(), shape.batches.len())?;
        for (batch, evals) in shape.batches.iter().zip(&proof.evals) {
            expect_length("opened values", evals.current().len(), batch.current.len())?;
            expect_length("opened next values", evals.next().len(), batch.next.len())?;
            answers.extensions(&evals.to_vec());
        }
        answers.sumcheck(&whir.initial_sumcheck, &shape.sumcheck)?;
        expect_length("rounds", whir.rounds.len(), shape.rounds.len())?;
        for (number, (round, proof)) in shape.rounds.iter().zip(&whir.rounds).enumerate() {
            let commitment = proof.commitment.as_ref();
            expect_length(
                "commitments of a round",
                usize::from(commitment.is_some()),
                1,
            )?;
            if let Some(commitment) = commitment {
                answers.commitment(commitment, shape.digests(number + 1))?;
            }
            answers.one_by_one(
                "values outside the domain",
                &proof.ood_answers,
                round.ood_samples,
            )?;
            let combined = round.queries.base;
            answers.queries(&round.queries, &proof.openings, proof.pow_witness, combined)?;
            answers.sumcheck(&proof.sumcheck, &round.sumcheck)?;
        }
        let last = whir
            .final_poly
            .as_ref()
            .map_or(&[][..], |last| last.as_slice());
        expect_length("final polynomial", last.len(), 1 << shape.final_variables)?;
        answers.extensions(last);
        answers.queries(
            &shape.final_queries,
            &whir.final_openings,
            whir.final_pow_witness,
            false,
        )?;
        // A sumcheck without rounds may be absent.
        let nothing = SumcheckData::default();
        let rest = whir.final_sumcheck.as_ref().unwrap_or(&nothing);
        answers.sumcheck(rest, &shape.final_sumcheck)?;
        Ok(answers)
    }

    fn message(&mut self, message: Vec<F>) {
        self.parts.push_back(Part::Message(message));
    }

    fn extensions(&mut self, values: &[EF]) {
        let lanes = |value: &EF| value.as_basis_coefficients_slice().to_vec();
        self.message(values.iter().flat_map(lanes).collect());
    }

    /// Adds a message for each value.
    fn one_by_one(&mut self, part: &str, values: &[EF], expected: usize) -> Result<(), TapeError> {
        expect_length(part, values.len(), expected)?;
        for &value in values {
            self.extensions(&[value]);
        }
        Ok(())
    }

    fn commitment(&mut self, commitment: &Commitment<H>, digests: usize) -> Result<(), TapeError> {
        expect_length("cap of a round", commitment.digests().len(), digests)?;
        self.message(commitment_lanes::<H>(commitment));
        Ok(())
    }

    fn sumcheck(&mut self, data: &SumcheckData<F, EF>, shape: &Sumcheck) -> Result<(), TapeError> {
        let messages = &data.polynomial_evaluations;
        expect_length("rounds of sumcheck", messages.len(), shape.rounds)?;
        let nonces = if shape.grinding_bits > 0 {
            shape.rounds
        } else {
            0
        };
        expect_length("nonces of sumcheck", data.pow_witnesses.len(), nonces)?;
        let mut nonces = data.pow_witnesses.iter();
        for message in messages {
            self.extensions(message);
            if let Some(&nonce) = nonces.next() {
                self.message(vec![nonce]);
            }
        }
        Ok(())
    }

    fn queries(
        &mut self,
        queries: &Queries,
        openings: &'a Openings<H>,
        nonce: F,
        combined: bool,
    ) -> Result<(), TapeError> {
        if queries.grinding_bits > 0 {
            self.message(vec![nonce]);
        } else if nonce != F::ZERO {
            let site = "the queries";
            return Err(TapeError::Nonce { site, nonce });
        }
        let part = Part::Answers(queries.clone(), openings, combined);
        self.parts.push_back(part);
        Ok(())
    }

    /// Receives a sampled word, or the challenge by which leaves are combined.
    pub(super) fn told(&mut self, values: &[F]) {
        if let &[a, b] = values {
            self.indices.push(H::integer([a, b]) as usize);
        } else if let Some(challenge) = EF::from_basis_coefficients_slice(values) {
            self.challenge = challenge;
        }
    }

    /// Returns the next message.
    pub(super) fn next(&mut self) -> Result<Option<Vec<F>>, TapeError> {
        match self.parts.pop_front() {
            Some(Part::Message(message)) => Ok(Some(message)),
            Some(Part::Answers(queries, openings, combined)) => {
                let messages = self.answers(&queries, openings, combined)?;
                for message in messages.into_iter().rev() {
                    self.parts.push_front(Part::Message(message));
                }
                self.next()
            }
            None => Ok(None),
        }
    }

    /// The rows and paths of all queries to one commitment, in order.
    fn answers(
        &mut self,
        queries: &Queries,
        openings: &Openings<H>,
        combined: bool,
    ) -> Result<Vec<Vec<F>>, TapeError> {
        let mask = (1usize << queries.log_leaves) - 1;
        let mut indices = std::mem::take(&mut self.indices);
        for index in &mut indices {
            *index &= mask;
        }
        expect_length("sampled queries", indices.len(), queries.count)?;
        let elements = 1usize << queries.log_arity;
        let (rows, proof, width) = match (openings, queries.base) {
            (QueryOpenings::Base(opening), true) => {
                (opening.rows.clone(), &opening.proof, elements)
            }
            (QueryOpenings::Extension(opening), false) => {
                let flat = |row: &Vec<EF>| EF::flatten_to_base(row.clone());
                let rows = opening.rows.iter().map(flat).collect();
                (rows, &opening.proof, 5 * elements)
            }
            // The openings are those of a field that the commitment is not over.
            _ => {
                expect_length("openings over the commitment's field", 0, 1)?;
                return Ok(Vec::new());
            }
        };
        expect_length("opened rows", rows.len(), queries.count)?;
        for row in &rows {
            expect_length("opened row", row.len(), width)?;
        }
        let mut messages = Vec::new();
        if combined {
            messages.push(combination(&rows, self.challenge, width));
        }
        let dimensions = [Dimensions {
            width,
            height: 1 << queries.log_leaves,
        }];
        let rows: Vec<Vec<Vec<F>>> = rows.into_iter().map(|row| vec![row]).collect();
        let mmcs = H::val_mmcs(self.cap_height);
        let paths = H::restore_paths(&mmcs, &dimensions, &indices, &rows, proof)?;
        expect_length("restored paths", paths.len(), rows.len())?;
        for (row, path) in rows.into_iter().zip(paths) {
            messages.push(row.concat());
            if !path.is_empty() {
                let lanes = path.iter().flat_map(H::digest_blocks).flatten();
                messages.push(lanes.collect());
            }
        }
        Ok(messages)
    }
}

/// The sum of the rows times the powers of a challenge, as a message.
fn combination(rows: &[Vec<F>], challenge: EF, width: usize) -> Vec<F> {
    let mut sum = vec![EF::ZERO; width];
    for row in rows.iter().rev() {
        for (sum, &element) in sum.iter_mut().zip(row) {
            *sum = *sum * challenge + element;
        }
    }
    EF::flatten_to_base(sum)
}
