//! The transcript up to the opened values: what is observed and what is sampled.
//!
//! Claim: every challenge is sampled after everything that must not depend on it, including the
//! shape and the statement. ePrint 2023/691 shows what goes wrong if something is left out. The
//! order is that of `p3_batch_stark::verify_batch`, whose `BatchVerifierTranscript` has one method
//! per phase, and of `p3_uni_stark::verify`.

use crate::packing::{blocks_for, unpack_all};
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash, observe_constants, observe_ext, observe_integer};
use crate::verify::fri::shape::{MAIN, PERMUTATION, PREPROCESSED, QUOTIENT, RANDOM, Shape};

/// The commitments of a proof, each a slice of consecutive digests.
#[derive(Clone, Debug)]
pub struct Commitments {
    /// Main traces.
    pub main: Slice,
    /// Lookup traces, if any table has lookups.
    pub permutation: Vec<Slice>,
    /// Quotient chunks.
    pub quotient: Slice,
    /// Random polynomials, if the proof is hiding.
    pub random: Vec<Slice>,
    /// Preprocessed traces, if there are any.
    pub preprocessed: Vec<Slice>,
    /// Folded codewords, one commitment per round.
    pub folds: Vec<Slice>,
}

impl Commitments {
    /// Reads the commitments that the prover sends, which are all but the one to preprocessed
    /// traces. The transcript binds them, and queries open them.
    pub fn hint<H: Hash>(shape: &Shape, preprocessed: Vec<Slice>) -> Self {
        assert_eq!(preprocessed.len(), shape.digests(PREPROCESSED).min(1));
        let main = hint_slice(shape.digests(MAIN) * H::DIGEST_BLOCKS).any();
        let mut permutation = Vec::new();
        if shape.has_lookups() {
            permutation.push(hint_slice(shape.digests(PERMUTATION) * H::DIGEST_BLOCKS).any());
        }
        let quotient = hint_slice(shape.digests(QUOTIENT) * H::DIGEST_BLOCKS).any();
        let mut random = Vec::new();
        if shape.digests(RANDOM) > 0 {
            random.push(hint_slice(shape.digests(RANDOM) * H::DIGEST_BLOCKS).any());
        }
        let mut folds = Vec::new();
        let mut log_length = shape.log_length();
        for log_arity in &shape.log_arities {
            log_length -= *log_arity;
            let digests = 1usize << shape.cap_levels(log_length);
            folds.push(hint_slice(digests * H::DIGEST_BLOCKS).any());
        }
        Self {
            main,
            permutation,
            quotient,
            random,
            preprocessed,
            folds,
        }
    }

    /// Returns the commitments but those of folds, in the order in which they are opened.
    pub fn inputs(&self) -> Vec<Slice> {
        let mut inputs = self.random.clone();
        inputs.push(self.main);
        inputs.push(self.quotient);
        for commitment in &self.preprocessed {
            inputs.push(*commitment);
        }
        for commitment in &self.permutation {
            inputs.push(*commitment);
        }
        inputs
    }
}

/// The challenges that are sampled before the opened values are sent, and the sums of lookups.
#[derive(Clone, Debug)]
pub struct Challenged {
    /// The challenge of the lookup argument from which the challenge of each bus is made; zero
    /// without lookups.
    pub lookup_alpha: Ext,
    /// The challenge that combines the elements of a message; zero without lookups.
    pub lookup_beta: Ext,
    /// For each table, the sum of its lookups; zero without lookups.
    pub terminals: Vec<Ext>,
    /// The challenge that folds constraints.
    pub alpha: Ext,
    /// The out-of-domain point.
    pub zeta: Ext,
}

/// Runs the transcript from the key to the out-of-domain point. Fails unless the sums of lookups
/// add up to zero.
pub fn challenges<H: Hash, C: Challenger>(
    shape: &Shape,
    t: &mut C,
    seed: &[Felt],
    public: &[Vec<Felt>],
    commitments: &Commitments,
) -> Challenged {
    for x in seed {
        t.observe(*x);
    }
    observe_constants(t, &shape.stark_seed);
    // In p3-uni-stark, the height is part of the seed, and the preprocessed commitment comes before
    // the public values.
    if !shape.uni {
        for table in &shape.tables {
            observe_integer(t, table.log_height + shape.log_extension());
        }
    }
    t.observe_digests(commitments.main, shape.digests(MAIN));
    if shape.uni {
        observe_preprocessed(shape, t, commitments);
    }
    for table in 0..shape.tables.len() {
        let lanes = H::LANES * shape.tables[table].public_values;
        assert_eq!(public[table].len(), lanes);
        for x in &public[table] {
            t.observe(*x);
        }
    }
    if !shape.uni {
        observe_preprocessed(shape, t, commitments);
    }

    let mut lookup_alpha = Ext::ZERO;
    let mut lookup_beta = Ext::ZERO;
    let mut terminals = vec![Ext::ZERO; shape.tables.len()];
    if shape.has_lookups() {
        t.grind(shape.lookup_grinding_bits);
        (lookup_alpha, lookup_beta) = t.sample_pair();
        t.observe_digests(commitments.permutation[0], shape.digests(PERMUTATION));
        let mut sum = Ext::ZERO;
        for table in 0..shape.tables.len() {
            if shape.tables[table].permutation_width > 0 {
                // The constraints bind this sum.
                let terminal = hint_ext().checked();
                observe_ext(t, terminal);
                sum += terminal;
                terminals[table] = terminal;
            }
        }
        assert_eq!(sum, Ext::ZERO);
    }
    let alpha = t.sample();
    t.observe_digests(commitments.quotient, shape.digests(QUOTIENT));
    for commitment in &commitments.random {
        t.observe_digests(*commitment, shape.digests(RANDOM));
    }
    t.grind(shape.ood_grinding_bits);
    let zeta = t.sample();
    Challenged {
        lookup_alpha,
        lookup_beta,
        terminals,
        alpha,
        zeta,
    }
}

fn observe_preprocessed<C: Challenger>(shape: &Shape, t: &mut C, commitments: &Commitments) {
    for commitment in &commitments.preprocessed {
        t.observe_digests(*commitment, shape.digests(PREPROCESSED));
    }
}

/// Reads the opened rows, in the order of the proof, and samples the challenge that combines them.
/// Values of random codewords, which Plonky3 has in another part of the proof, are at the end of
/// their rows.
pub fn openings<H: Hash, C: Challenger>(shape: &Shape, t: &mut C) -> (Vec<Vec<Ext>>, Ext) {
    observe_constants(t, &shape.opening_seed);
    let mut elements = 0usize;
    for round in shape.rounds() {
        for matrix in &round.matrices {
            elements += matrix.width * matrix.openings.len();
        }
    }
    let mut at = t.position();
    t.advise_slice(shape.degree * elements);
    // The constraints and the queries bind these values.
    let slice = hint_slice(blocks_for::<H>(at, shape.degree * elements)).any();
    t.observe_slice(slice, shape.degree * elements);
    let mut opened = Vec::new();
    for round in shape.rounds() {
        for matrix in &round.matrices {
            for _opening in &matrix.openings {
                opened.push(unpack_all::<H>(slice, at, matrix.width));
                at += shape.degree * matrix.width;
            }
        }
    }
    t.grind(shape.batch_grinding_bits);
    let combiner = t.sample();
    (opened, combiner)
}
