//! Supplies the hints that come from one proof over WHIR.

use std::collections::VecDeque;

use droste_gadgets::suites::hash::Hash;
use droste_gadgets::verify::whir::opening::shape::{self as opening, Queries, Sumcheck};
use droste_gadgets::verify::whir::shape::Shape;
use droste_native::precompile::ext_to_block;
use droste_native::stark::challenger::Sent;
use droste_native::stark::suite::SuiteCap;
use droste_native::visit::Visitor;
use droste_native::whir::{self, Scheme};
use droste_native::{Commitment, EF, F};
use droste_vm::tables::LANES;
use droste_vm::whir::StarkProof;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::suite::TapeSuite;
use super::{TapeError, commitment_lanes, expect_length};

/// What errors call a proof of work before queries.
const QUERIES: &str = "the queries";

/// What the program reads next.
enum Part<'a, H: TapeSuite> {
    Message(Vec<F>),
    /// The answers to queries, which depend on what the program has sampled, and the number of the
    /// commitment.
    Answers(usize, &'a whir::Queries<H>),
}

/// The parts of a proof, one message after another.
pub(super) struct WhirAnswers<'a, H: TapeSuite> {
    shape: opening::Shape,
    scheme: &'a Scheme<H>,
    parts: VecDeque<Part<'a, H>>,
    /// The number of commitments whose queries were visited.
    commitments: usize,
    /// The indices that the program has sampled since its last queries.
    indices: Vec<usize>,
    /// The challenge by which it combines the leaves of these queries.
    challenge: EF,
}

impl<'a, H: TapeSuite> Visitor<'a> for WhirAnswers<'a, H> {
    type Suite = H;

    fn commitment(&mut self, commitment: &Commitment<H>) {
        self.message(commitment_lanes::<H>(commitment));
    }

    fn elements(&mut self, elements: &[EF]) {
        self.message(observed::<H>(elements));
    }

    fn nonces(&mut self, nonces: &[F]) {
        self.message(nonces.to_vec());
    }

    fn answers(&mut self, queries: &'a whir::Queries<H>) {
        self.parts
            .push_back(Part::Answers(self.commitments, queries));
        self.commitments += 1;
    }
}

impl<'a, H: TapeSuite> WhirAnswers<'a, H> {
    /// Takes the proof apart.
    pub(super) fn new(
        shape: &Shape,
        scheme: &'a Scheme<H>,
        proof: &'a StarkProof<H>,
    ) -> Result<Self, TapeError> {
        check(shape, proof)?;
        let mut answers = Self {
            shape: shape.opening.clone(),
            scheme,
            parts: VecDeque::new(),
            commitments: 0,
            indices: Vec::new(),
            challenge: EF::ZERO,
        };
        proof.visit(&mut answers);
        Ok(answers)
    }

    /// Adds a message. The program reads none of no elements.
    fn message(&mut self, message: Vec<F>) {
        if !message.is_empty() {
            self.parts.push_back(Part::Message(message));
        }
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
            Some(Part::Answers(commitment, proof)) => {
                let shape = self.shape.queries(commitment);
                let messages = self.leaves_and_paths(commitment, &shape, proof)?;
                for message in messages.into_iter().rev() {
                    self.parts.push_front(Part::Message(message));
                }
                self.next()
            }
            None => Ok(None),
        }
    }

    /// The leaves and paths of all queries to one commitment, in order.
    fn leaves_and_paths(
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

/// Refuses a proof of which a part that the program reads before any query has another length.
fn check<H: TapeSuite>(shape: &Shape, proof: &StarkProof<H>) -> Result<(), TapeError> {
    let (opening, lookups) = (&shape.opening, &proof.lookup_nonces);
    check_commitment::<H>(
        (proof.commitment.peek(), opening.digests(0)),
        (&proof.outside, opening.ood_samples),
    )?;
    check_nonces("the lookups", lookups, shape.lookup_grinding_bits, 1)?;
    let layers = &proof.fractions.layers;
    expect_length("layers of fractions", layers.len(), shape.log_leaves - 1)?;
    for (number, layer) in layers.iter().enumerate() {
        expect_length("rounds of a layer", layer.rounds.len(), number)?;
    }
    let rounds = &proof.zerocheck.rounds;
    expect_length("rounds of the zerocheck", rounds.len(), shape.log_rows())?;
    for round in rounds {
        expect_length("round of the zerocheck", round.count(), shape.degree)?;
    }
    expect_length("tables", proof.opened.count(), shape.tables.len())?;
    for (table, opened) in shape.tables.iter().zip(proof.opened.peek()) {
        let expected = [
            table.main.order.len(),
            table.main.next,
            table.preprocessed.order.len(),
            table.preprocessed.next,
        ];
        for (values, expected) in opened.kinds().into_iter().zip(expected) {
            expect_length("opened values", values.len(), expected)?;
        }
    }
    check_opening(opening, &proof.opening)
}

fn check_opening<H: TapeSuite>(
    shape: &opening::Shape,
    opening: &whir::Opening<H>,
) -> Result<(), TapeError> {
    check_sumcheck(&opening.sumcheck, &shape.sumcheck)?;
    expect_length("rounds", opening.rounds.len(), shape.rounds.len())?;
    for (number, (round, proof)) in shape.rounds.iter().zip(&opening.rounds).enumerate() {
        check_commitment::<H>(
            (proof.commitment.peek(), shape.digests(number + 1)),
            (&proof.outside, round.ood_samples),
        )?;
        check_nonces(
            QUERIES,
            &proof.queries.nonces,
            round.queries.grinding_bits,
            1,
        )?;
        check_sumcheck(&proof.sumcheck, &round.sumcheck)?;
    }
    let last = 1 << shape.final_variables;
    expect_length("final polynomial", opening.final_polynomial.count(), last)?;
    let queries = &shape.final_queries;
    check_nonces(
        QUERIES,
        &opening.final_queries.nonces,
        queries.grinding_bits,
        1,
    )?;
    check_sumcheck(&opening.final_sumcheck, &shape.final_sumcheck)
}

/// Of a commitment and its values outside the domain.
fn check_commitment<H: TapeSuite>(
    (cap, digests): (&Commitment<H>, usize),
    (outside, samples): (&[Sent<EF>], usize),
) -> Result<(), TapeError> {
    expect_length("digests of a cap", cap.digests().len(), digests)?;
    expect_length("values outside the domain", outside.len(), samples)
}

/// Of proofs of work with these bits, so many if there are any bits.
fn check_nonces(
    site: &'static str,
    nonces: &[F],
    bits: usize,
    number: usize,
) -> Result<(), TapeError> {
    match (nonces, bits) {
        ([], 0) => Ok(()),
        (&[nonce, ..], 0) => Err(TapeError::Nonce { site, nonce }),
        _ => expect_length("nonces", nonces.len(), number),
    }
}

fn check_sumcheck(proof: &whir::Sumcheck, shape: &Sumcheck) -> Result<(), TapeError> {
    expect_length("rounds of sumcheck", proof.messages.len(), shape.rounds)?;
    check_nonces(
        "a sumcheck",
        &proof.nonces,
        shape.grinding_bits,
        shape.rounds,
    )
}

/// Elements as a program that verifies proofs over WHIR reads them: for a transcript of bytes the
/// coefficients, else each in a block.
pub fn observed<H: TapeSuite>(values: &[EF]) -> Vec<F> {
    let lanes = |value: &EF| {
        if H::ID.is_of_bytes() {
            value.as_basis_coefficients_slice().to_vec()
        } else {
            ext_to_block(*value).to_vec()
        }
    };
    values.iter().flat_map(lanes).collect()
}
