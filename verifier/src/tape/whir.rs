//! Supplies the hints that come from one proof over WHIR.

use std::collections::VecDeque;

use droste_gadgets::suites::hash::Hash;
use droste_gadgets::verify::whir::opening::shape::{Queries, Sumcheck};
use droste_gadgets::verify::whir::shape::Shape;
use droste_native::gkr::Fraction;
use droste_native::precompile::ext_to_block;
use droste_native::stark::challenger::Sent;
use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{self, Scheme};
use droste_native::{Commitment, EF, F};
use droste_vm::tables::LANES;
use droste_vm::whir::StarkProof;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::suite::TapeSuite;
use super::{TapeError, commitment_lanes, expect_length};

/// What the program reads next.
enum Part<'a, H: TapeSuite> {
    Message(Vec<F>),
    /// The answers to queries, which depend on what the program has sampled: the number of the
    /// commitment, and the queries.
    Answers(usize, Queries, &'a whir::Queries<H>),
}

/// The parts of a proof, one message after another.
pub(super) struct WhirAnswers<'a, H: TapeSuite> {
    scheme: &'a Scheme<H>,
    parts: VecDeque<Part<'a, H>>,
    /// The indices that the program has sampled since its last queries.
    indices: Vec<usize>,
    /// The challenge by which it combines the leaves of these queries.
    challenge: EF,
}

impl<'a, H: TapeSuite> WhirAnswers<'a, H> {
    /// Takes the proof apart.
    pub(super) fn new(
        shape: &Shape,
        scheme: &'a Scheme<H>,
        proof: &'a StarkProof<H>,
    ) -> Result<Self, TapeError> {
        let mut answers = Self {
            scheme,
            parts: VecDeque::new(),
            indices: Vec::new(),
            challenge: EF::ZERO,
        };
        answers.cap(proof.commitment.peek(), shape.opening.digests(0))?;
        answers.one_by_one(&proof.outside, shape.opening.ood_samples)?;
        let nonces = &proof.lookup_nonces;
        answers.nonce("the lookups", nonces, shape.lookup_grinding_bits)?;
        answers.fractions(shape, proof)?;
        let rounds = &proof.zerocheck.rounds;
        expect_length("rounds of the zerocheck", rounds.len(), shape.log_rows())?;
        for round in rounds {
            answers.extensions("round of the zerocheck", round.peek(), shape.degree)?;
        }
        let opened = proof.opened.peek();
        expect_length("tables", opened.len(), shape.tables.len())?;
        for (table, opened) in shape.tables.iter().zip(opened) {
            let kinds = [
                (&opened.main, table.main.order.len()),
                (&opened.main_next, table.main.next),
                (&opened.preprocessed, table.preprocessed.order.len()),
                (&opened.preprocessed_next, table.preprocessed.next),
            ];
            for (values, expected) in kinds {
                answers.extensions("opened values", values, expected)?;
            }
        }
        answers.opening(shape, &proof.opening)?;
        Ok(answers)
    }

    fn fractions(&mut self, shape: &Shape, proof: &StarkProof<H>) -> Result<(), TapeError> {
        let fractions = &proof.fractions;
        let layers = shape.log_leaves - 1;
        expect_length("layers of fractions", fractions.layers.len(), layers)?;
        self.halves(fractions.root.peek())?;
        for (number, layer) in fractions.layers.iter().enumerate() {
            self.extensions("first round of a layer", &[*layer.quadratic.peek()], 1)?;
            expect_length("rounds of a layer", layer.rounds.len(), number)?;
            for round in layer.rounds.iter().map(Sent::peek) {
                self.extensions("round of a layer", &[round.linear, round.quadratic], 2)?;
            }
            self.halves(layer.halves.peek())?;
        }
        Ok(())
    }

    fn halves(&mut self, halves: &[Fraction<EF>; 2]) -> Result<(), TapeError> {
        let values = halves.map(|half| [half.numerator, half.denominator]);
        self.extensions("halves of a layer", &values.concat(), 4)
    }

    fn opening(&mut self, shape: &Shape, opening: &'a whir::Opening<H>) -> Result<(), TapeError> {
        let shape = &shape.opening;
        self.sumcheck(&opening.sumcheck, &shape.sumcheck)?;
        expect_length("rounds", opening.rounds.len(), shape.rounds.len())?;
        for (number, (round, proof)) in shape.rounds.iter().zip(&opening.rounds).enumerate() {
            self.cap(proof.commitment.peek(), shape.digests(number + 1))?;
            self.one_by_one(&proof.outside, round.ood_samples)?;
            self.queries(number, &round.queries, &proof.queries)?;
            self.sumcheck(&proof.sumcheck, &round.sumcheck)?;
        }
        let last = 1 << shape.final_variables;
        self.extensions("final polynomial", opening.final_polynomial.peek(), last)?;
        let number = shape.rounds.len();
        self.queries(number, &shape.final_queries, &opening.final_queries)?;
        self.sumcheck(&opening.final_sumcheck, &shape.final_sumcheck)
    }

    fn message(&mut self, message: Vec<F>) {
        self.parts.push_back(Part::Message(message));
    }

    /// Adds these values as a message; none for no values.
    fn extensions(&mut self, part: &str, values: &[EF], expected: usize) -> Result<(), TapeError> {
        expect_length(part, values.len(), expected)?;
        if expected > 0 {
            self.message(observed::<H>(values));
        }
        Ok(())
    }

    /// Adds a message for each value.
    fn one_by_one(&mut self, values: &[Sent<EF>], expected: usize) -> Result<(), TapeError> {
        let part = "values outside the domain";
        expect_length(part, values.len(), expected)?;
        values
            .iter()
            .try_for_each(|value| self.extensions(part, &[*value.peek()], 1))
    }

    fn cap(&mut self, cap: &Commitment<H>, digests: usize) -> Result<(), TapeError> {
        expect_length("digests of a cap", cap.digests().len(), digests)?;
        self.message(commitment_lanes::<H>(cap));
        Ok(())
    }

    fn nonces(
        &mut self,
        site: &'static str,
        nonces: &[F],
        expected: usize,
    ) -> Result<(), TapeError> {
        match nonces {
            [nonce, ..] if expected == 0 => Err(TapeError::Nonce {
                site,
                nonce: *nonce,
            }),
            _ => expect_length("nonces", nonces.len(), expected),
        }
    }

    /// Adds the nonce of a proof of work, if it has any bits.
    fn nonce(&mut self, site: &'static str, nonces: &[F], bits: usize) -> Result<(), TapeError> {
        self.nonces(site, nonces, usize::from(bits > 0))?;
        if let Some(&nonce) = nonces.first() {
            self.message(vec![nonce]);
        }
        Ok(())
    }

    fn sumcheck(&mut self, proof: &whir::Sumcheck, shape: &Sumcheck) -> Result<(), TapeError> {
        expect_length("rounds of sumcheck", proof.messages.len(), shape.rounds)?;
        let nonces = match shape.grinding_bits {
            0 => 0,
            _ => shape.rounds,
        };
        self.nonces("a sumcheck", &proof.nonces, nonces)?;
        let mut nonces = proof.nonces.iter();
        for message in &proof.messages {
            self.extensions("round of sumcheck", message.peek(), 2)?;
            if let Some(&nonce) = nonces.next() {
                self.message(vec![nonce]);
            }
        }
        Ok(())
    }

    fn queries(
        &mut self,
        commitment: usize,
        shape: &Queries,
        proof: &'a whir::Queries<H>,
    ) -> Result<(), TapeError> {
        self.nonce("the queries", &proof.nonces, shape.grinding_bits)?;
        self.parts
            .push_back(Part::Answers(commitment, shape.clone(), proof));
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
            Some(Part::Answers(commitment, shape, proof)) => {
                let messages = self.answers(commitment, &shape, proof)?;
                for message in messages.into_iter().rev() {
                    self.parts.push_front(Part::Message(message));
                }
                self.next()
            }
            None => Ok(None),
        }
    }

    /// The leaves and paths of all queries to one commitment, in order.
    fn answers(
        &mut self,
        commitment: usize,
        shape: &Queries,
        proof: &whir::Queries<H>,
    ) -> Result<Vec<Vec<F>>, TapeError> {
        let mask = (1 << shape.log_leaves) - 1;
        let mut indices = std::mem::take(&mut self.indices);
        for index in &mut indices {
            *index &= mask;
        }
        expect_length("sampled queries", indices.len(), shape.count)?;
        expect_length("trees", proof.trees.len(), shape.trees.len())?;
        let mut paths = Vec::new();
        for (tree, rows) in proof.trees.iter().zip(&shape.trees) {
            let degree = if shape.base { 1 } else { 5 };
            expect_length("opened leaves", tree.leaves.count(), shape.count)?;
            for leaf in tree.leaves.peek() {
                expect_length("opened leaf", leaf.len(), degree * rows.len())?;
            }
            let restored = self.scheme.restore_paths(commitment, &indices, tree)?;
            expect_length("restored paths", restored.len(), shape.count)?;
            paths.push(restored);
        }
        // The program reads the combination of the leaves first.
        let mut messages = vec![self.combination(proof)];
        for query in 0..shape.count {
            for (tree, paths) in proof.trees.iter().zip(&paths) {
                let mut leaf = tree.leaves.peek().get(query).cloned().unwrap_or_default();
                if <H::Gadget as Hash>::FILLS_BLOCKS {
                    // The program reads whole blocks of leaves that are shorter than one.
                    leaf.resize(leaf.len().max(LANES), F::ZERO);
                }
                messages.push(leaf);
                let path = paths.get(query).into_iter().flatten();
                messages.push(path.flat_map(H::digest_blocks).flatten().collect());
            }
        }
        // A leaf in the cap has no path.
        messages.retain(|message| !message.is_empty());
        Ok(messages)
    }

    /// The sum of the leaves times the powers of the challenge, as a message: the coefficients of
    /// that of each tree, one after the other, in whole blocks.
    fn combination(&self, proof: &whir::Queries<H>) -> Vec<F> {
        let of_tree = |tree: &'_ whir::OpenedTree<H>| {
            let leaves = tree.leaves.peek();
            let width = leaves.first().map_or(0, Vec::len);
            let mut sum = vec![EF::ZERO; width];
            for leaf in leaves.iter().rev() {
                for (sum, &element) in sum.iter_mut().zip(leaf) {
                    *sum = *sum * self.challenge + element;
                }
            }
            sum
        };
        let sums = proof.trees.iter().flat_map(of_tree);
        let mut lanes: Vec<F> = sums
            .flat_map(|sum| sum.as_basis_coefficients_slice().to_vec())
            .collect();
        lanes.resize(lanes.len().next_multiple_of(LANES), F::ZERO);
        lanes
    }
}

/// Elements as a program that verifies proofs over WHIR reads them: for a transcript of bytes the
/// coefficients, else each in a block.
pub fn observed<H: TapeSuite>(values: &[EF]) -> Vec<F> {
    let lanes = |value: &EF| match H::ID.is_of_bytes() {
        true => value.as_basis_coefficients_slice().to_vec(),
        false => ext_to_block(*value).to_vec(),
    };
    values.iter().flat_map(lanes).collect()
}
