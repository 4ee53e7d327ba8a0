//! Supplies the hints that come from one proof.

use std::collections::VecDeque;

use droste_gadgets::verify::binary::grid::layout::Grid;
use droste_gadgets::verify::fri::shape::{
    MAIN, PERMUTATION, PREPROCESSED, QUOTIENT, RANDOM, Round,
};
use droste_native::F;
use droste_native::field::{AnyChallenge, EXTENSION_DEGREE};
use droste_native::stark::suite::SuiteCap;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use super::config::{Cap, FriConfig};
use super::opened::{Digest, GridOpenings, with_same_words};
use super::parts::{ProofParts, TableParts};
use super::queries::{Claims, Opened};
use super::{TapeError, commitment_lanes, expect_length, lanes, queries};
use crate::binary::messages;
use crate::shape::FriShape;

/// The parts of a proof, one message after another. The answers to the queries are computed once
/// the program has sampled the queries.
pub(super) struct ProofAnswers<'a, V: FriConfig> {
    shape: FriShape,
    opener: V::Opener,
    preprocessed: Option<Cap<V>>,
    proof: ProofParts<'a, V>,
    /// The opened rows, per opening.
    values: Vec<Vec<V::Challenge>>,
    messages: VecDeque<Vec<F>>,
    /// What the program reported: the challenges that the openings depend on.
    told: Vec<Vec<F>>,
    answered: bool,
    /// The calls of the openings, if they are in a batch.
    grid: Option<Grid>,
    /// The openings of which a batch is to be proved, once the program has told their digest.
    batch: Option<GridOpenings>,
}

impl<'a, V: FriConfig> ProofAnswers<'a, V> {
    pub(super) fn new(
        shape: &FriShape,
        grid: Option<&Grid>,
        opener: V::Opener,
        preprocessed: Option<&Cap<V>>,
        proof: ProofParts<'a, V>,
    ) -> Result<Self, TapeError> {
        let tables = shape.tables.len();
        expect_length("tables opened", proof.tables.len(), tables)?;
        expect_length("lookup terminals", proof.terminals.len(), tables)?;
        expect_length("heights", proof.log_heights.len(), tables)?;
        for (table, &bits) in shape.tables.iter().zip(proof.log_heights) {
            let expected = table.log_height + shape.log_extension();
            expect_length(&format!("height of {}", table.name), bits, expected)?;
        }
        let hiding = usize::from(shape.random_codewords > 0);
        let part = "random commitments";
        expect_length(part, usize::from(proof.random.is_some()), hiding)?;
        for table in &proof.tables {
            let part = "opened random polynomials";
            expect_length(part, usize::from(table.base.random.is_some()), hiding)?;
        }
        let rounds = shape.rounds();
        check_codewords(&rounds, proof.codewords, hiding > 0)?;
        let values = opened_values(&rounds, &proof.tables, proof.codewords)?;
        let mut answers = Self {
            shape: shape.clone(),
            opener,
            preprocessed: preprocessed.cloned(),
            proof,
            values,
            messages: VecDeque::new(),
            told: Vec::new(),
            answered: false,
            grid: grid.cloned(),
            batch: None,
        };
        answers.commitments()?;
        answers.transcript()?;
        Ok(answers)
    }

    /// Adds the commitments, which the program reads before everything else.
    fn commitments(&mut self) -> Result<(), TapeError> {
        let shape = &self.shape;
        let proof = &self.proof;
        let count = |present: bool| usize::from(present);
        let lookups = count(shape.has_lookups());
        let part = "lookup commitments";
        expect_length(part, count(proof.permutation.is_some()), lookups)?;
        let part = "preprocessed commitments";
        let preprocessed = count(shape.digests(PREPROCESSED) > 0);
        expect_length(part, count(self.preprocessed.is_some()), preprocessed)?;
        let mut commitments = vec![
            (Some(proof.main), "main", shape.digests(MAIN)),
            (proof.permutation, "permutation", shape.digests(PERMUTATION)),
            (Some(proof.quotient), "quotient", shape.digests(QUOTIENT)),
            (proof.random, "random", shape.digests(RANDOM)),
        ];
        let arities = &shape.log_arities;
        let folds = &proof.fri.commit_phase_commits;
        expect_length("folding commitments", folds.len(), arities.len())?;
        let mut log_length = shape.log_length();
        for (commitment, log_arity) in folds.iter().zip(arities) {
            log_length -= log_arity;
            let digests = 1 << shape.settings.cap_height.min(log_length);
            commitments.push((Some(commitment), "folded codewords", digests));
        }
        for (commitment, name, digests) in commitments {
            let Some(commitment) = commitment else {
                continue;
            };
            expect_length(
                &format!("cap of {name}"),
                commitment.digests().len(),
                digests,
            )?;
            self.messages.push_back(commitment_lanes::<V>(commitment));
        }
        Ok(())
    }

    /// Adds what the program reads while it runs the transcript.
    fn transcript(&mut self) -> Result<(), TapeError> {
        let shape = self.shape.clone();
        let settings = &shape.settings;
        let lookup_nonces = usize::from(self.proof.lookup_nonce.is_some());
        let lookups = usize::from(shape.has_lookups());
        expect_length("lookup nonces", lookup_nonces, lookups)?;
        if let Some(nonce) = self.proof.lookup_nonce {
            self.nonce("lookups", settings.lookup_grinding_bits, nonce)?;
        }
        let terminals = self.proof.terminals.clone();
        for (table, terminal) in shape.tables.iter().zip(terminals) {
            let expected = usize::from(table.shape.has_terminal());
            let part = format!("terminals of {}", table.name);
            expect_length(&part, usize::from(terminal.is_some()), expected)?;
            if let Some(terminal) = terminal {
                self.element(terminal);
            }
        }
        self.nonce(
            "the point",
            settings.ood_grinding_bits,
            self.proof.ood_nonce,
        )?;
        self.opened();
        let fri = self.proof.fri;
        let bits = settings.batch_grinding_bits;
        self.nonce("the combination", bits, fri.batch_pow_witness)?;
        let nonces = &fri.commit_pow_witnesses;
        expect_length("folding nonces", nonces.len(), shape.log_arities.len())?;
        for &nonce in nonces {
            self.nonce("a fold", settings.commit_grinding_bits, nonce)?;
        }
        let expected = 1 << settings.log_final_poly_len;
        expect_length("final polynomial", fri.final_poly.len(), expected)?;
        for &coefficient in &fri.final_poly {
            self.element(coefficient);
        }
        let bits = settings.query_grinding_bits;
        self.nonce("the queries", bits, fri.query_pow_witness)
    }

    /// Adds an element that the program reads by itself: the canonical integers of its coefficients.
    fn element(&mut self, element: V::Challenge) {
        let cells = element.cells().into_iter().take(V::DEGREE);
        self.messages.push_back(cells.collect());
    }

    /// Adds the opened values, which the program reads as the transcript observes them.
    fn opened(&mut self) {
        let values = self.values.iter().flatten();
        let coefficients = values
            .flat_map(<V::Challenge as BasedVectorSpace<V::Val>>::as_basis_coefficients_slice);
        self.messages.push_back(lanes(coefficients));
    }

    /// Adds a nonce, whose lanes the program reads one by one.
    fn nonce(&mut self, site: &'static str, bits: usize, nonce: V::Val) -> Result<(), TapeError> {
        if bits > 0 {
            let lanes = lanes(&[nonce]).into_iter().map(|lane| vec![lane]);
            self.messages.extend(lanes);
        } else if nonce != V::Val::ZERO {
            let nonce = F::from_u32(nonce.as_canonical_u32());
            return Err(TapeError::Nonce { site, nonce });
        }
        Ok(())
    }

    pub(super) fn told(&mut self, values: Vec<F>) {
        self.told.push(values);
    }

    /// Returns the next message; the answers to the queries come last, and after them the proof
    /// that they are right, if the program does not see that from paths.
    pub(super) fn next(&mut self) -> Result<Option<Vec<F>>, TapeError> {
        if self.messages.is_empty() {
            if !self.answered {
                self.answered = true;
                self.answer()?;
            } else if let Some(batch) = self.batch.take() {
                self.prove(&batch)?;
            }
        }
        Ok(self.messages.pop_front())
    }

    /// Adds the openings of the commitments at the queries.
    fn answer(&mut self) -> Result<(), TapeError> {
        let shape = &self.shape;
        let (mut challenges, mut words) = (Vec::new(), Vec::new());
        for told in &std::mem::take(&mut self.told) {
            match (challenge(told), told.as_slice()) {
                (Some(challenge), _) => challenges.push(challenge),
                (None, &[a, b]) => words.push(V::integer([a, b])),
                (None, other) => expect_length("reported lists of challenges", other.len(), 2)?,
            }
        }
        expect_length("queries", words.len(), shape.settings.num_queries)?;
        let [zeta, combiner, betas @ ..] = challenges.as_slice() else {
            return expect_length("challenges", challenges.len(), 2);
        };
        let claims = queries::claims::<V>(
            shape,
            self.preprocessed.as_ref(),
            &self.proof,
            &self.values,
            *zeta,
        )?;
        let fri = self.proof.fri;
        let opener = &self.opener;
        let opened = queries::open::<V>(shape, opener, fri, &claims, *combiner, betas, &words)?;
        if self.grid.is_some() {
            self.open_in_batch(&opened, &claims);
            return Ok(());
        }
        for query in 0..words.len() {
            opened.answer(shape, query, &mut self.messages);
        }
        Ok(())
    }

    /// Adds the rows of each query, and keeps what a batch shows of them.
    fn open_in_batch(&mut self, opened: &Opened<V::Val>, claims: &Claims<V>) {
        let folds = self.proof.fri.commit_phase_commits.iter();
        let commitments = claims.iter().map(|claim| &claim.commitment).chain(folds);
        let mut batch = GridOpenings {
            indices: opened.indices.clone(),
            rows: Vec::new(),
            siblings: Vec::new(),
            caps: commitments.map(cap_digests::<V>).collect(),
        };
        for query in 0..opened.indices.len() {
            let (mut rows, mut siblings) = (Vec::new(), Vec::new());
            for tree in opened.trees(&self.shape, query) {
                let mut path = Vec::new();
                for leaf in tree {
                    let row = with_same_words(&leaf.row);
                    self.messages.push_back(row.clone());
                    rows.push(row);
                    path.extend(leaf.siblings.into_iter().map(digest));
                }
                siblings.push(path);
            }
            batch.rows.push(rows);
            batch.siblings.push(siblings);
        }
        self.batch = Some(batch);
    }

    /// Proves that the openings are right, and adds the proof. The program has told their digest.
    fn prove(&mut self, batch: &GridOpenings) -> Result<(), TapeError> {
        let (Some(grid), [told]) = (&self.grid, self.told.as_slice()) else {
            return expect_length("digests of openings", self.told.len(), 1);
        };
        let Ok(digest) = <&[F; 8]>::try_from(told.as_slice()) else {
            return expect_length("digest of openings", told.len(), 8);
        };
        let proof = tracing::info_span!("openings in a batch")
            .in_scope(|| batch.prove(grid, digest))
            .map_err(|error| TapeError::Batch(Box::new(error)))?;
        self.messages = messages(&proof);
        Ok(())
    }
}

/// The digests of a commitment in a hash of bytes.
fn cap_digests<V: FriConfig>(commitment: &Cap<V>) -> Vec<Digest> {
    let digests = commitment.digests().iter();
    digests.map(|own| digest(&V::digest_blocks(own))).collect()
}

/// The bytes of a digest, whose limbs are in these blocks.
fn digest(blocks: &[[F; 8]]) -> Digest {
    let limbs = blocks.as_flattened().iter();
    let bytes = limbs.flat_map(|limb| (limb.as_canonical_u32() as u16).to_le_bytes());
    let mut digest = Digest::default();
    digest
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, byte)| *to = byte);
    digest
}

/// The challenge that a program tells by the canonical integers of its coefficients.
fn challenge<E: AnyChallenge>(told: &[F]) -> Option<E> {
    if told.len() != E::FIELD.degree() {
        return None;
    }
    let mut cells = [F::ZERO; EXTENSION_DEGREE];
    for (cell, &coefficient) in cells.iter_mut().zip(told) {
        *cell = coefficient;
    }
    E::of_cells(&cells)
}

/// Checks that a proof has values of random codewords for the opened rows that it should have, and
/// no others. Their numbers are checked with the rows.
fn check_codewords<E>(
    rounds: &[Round],
    codewords: &[Vec<Vec<Vec<E>>>],
    hiding: bool,
) -> Result<(), TapeError> {
    let expected = if hiding { rounds.len() } else { 0 };
    let part = "commitments with random codewords";
    expect_length(part, codewords.len(), expected)?;
    for (round, codewords) in rounds.iter().zip(codewords) {
        let part = format!(
            "matrices of commitment {} with random codewords",
            round.kind
        );
        expect_length(&part, codewords.len(), round.matrices.len())?;
        for (matrix, codewords) in round.matrices.iter().zip(codewords) {
            let part = format!("points of commitment {} with random codewords", round.kind);
            expect_length(&part, codewords.len(), matrix.openings.len())?;
        }
    }
    Ok(())
}

/// The opened rows, in the order of the proof, each followed by the values of random codewords.
#[allow(
    clippy::indexing_slicing,
    reason = "rounds are made from the shape's tables; `new` checks that the proof has as many"
)]
fn opened_values<E: Clone>(
    rounds: &[Round],
    tables: &[TableParts<'_, E>],
    codewords: &[Vec<Vec<Vec<E>>>],
) -> Result<Vec<Vec<E>>, TapeError> {
    let mut chunks = vec![0; tables.len()];
    let mut lengths = vec![0; tables.len()];
    let mut rows = Vec::new();
    for (index, round) in rounds.iter().enumerate() {
        for matrix in &round.matrices {
            let table = &tables[matrix.table];
            let base = table.base;
            for (point, opening) in matrix.openings.iter().enumerate() {
                let row = match (round.kind, opening.next) {
                    (MAIN, false) => Some(base.trace_local.as_slice()),
                    (MAIN, true) => base.trace_next.as_deref(),
                    (QUOTIENT, _) => {
                        let chunk = base.quotient_chunks.get(chunks[matrix.table]);
                        chunks[matrix.table] += 1;
                        chunk.map(Vec::as_slice)
                    }
                    (PREPROCESSED, false) => base.preprocessed_local(),
                    (PREPROCESSED, true) => base.preprocessed_next(),
                    (RANDOM, _) => base.random.as_deref(),
                    (_, false) => Some(table.permutation),
                    (_, true) => Some(table.permutation_next),
                };
                let row = row.unwrap_or_default();
                let random = codewords
                    .get(index)
                    .and_then(|round| round.get(matrix.index)?.get(point))
                    .map_or(&[][..], Vec::as_slice);
                let part = format!("opened row {} of commitment {}", matrix.index, round.kind);
                expect_length(&part, row.len(), matrix.width - matrix.random)?;
                let part = format!(
                    "random codewords at row {} of commitment {}",
                    matrix.index, round.kind
                );
                expect_length(&part, random.len(), matrix.random)?;
                lengths[matrix.table] += row.len();
                rows.push([row, random].concat());
            }
        }
    }
    for (table, expected) in tables.iter().zip(lengths) {
        expect_length("opened values of a table", table.len(), expected)?;
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use droste_native::{BabyBear, BabyBear4, EF, EF4};

    use super::*;

    fn told(integers: &[u32]) -> Vec<F> {
        integers
            .iter()
            .map(|&integer| F::from_u32(integer))
            .collect()
    }

    #[test]
    fn told_challenges_are_canonical_coefficients() {
        let found = challenge::<BabyBear4>(&told(&[1, 2, 3, 2_013_265_920]));
        let coefficients = [1, 2, 3, 2_013_265_920].map(BabyBear::from_u32);
        let expected = BabyBear4::from_basis_coefficients_slice(&coefficients);
        assert!(found.is_some());
        assert_eq!(found, expected);
        // Not below the modulus.
        let other = told(&[0, 2_013_265_921, 0, 0]);
        assert_eq!(challenge::<BabyBear4>(&other), None);
        assert!(challenge::<EF4>(&other).is_some());
        // Words are told in two limbs.
        assert_eq!(challenge::<BabyBear4>(&told(&[1, 2])), None);
        let five = told(&[1, 2, 3, 4, 5]);
        assert_eq!(
            challenge::<EF>(&five),
            EF::from_basis_coefficients_slice(&five)
        );
        assert_eq!(challenge::<EF4>(&five), None);
    }
}
