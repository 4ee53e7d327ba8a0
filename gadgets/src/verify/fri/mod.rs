//! The verifier of proofs over two-adic FRI: one source for all shapes and hashes.
//!
//! In the machine, the shape is a constant of the program, and [`Constraints`] are generated from
//! the AIRs; natively, both are ordinary values. The verifier accepts the proofs that
//! `p3_batch_stark::verify_batch` and `p3_uni_stark::verify` accept. Its phases, one file each, are
//! those of the protocol: the transcript up to the opened values, the constraints at the
//! out-of-domain point, the commitments to folded codewords, and the queries.

pub mod constraints;
pub mod folding;
pub mod index;
pub mod query;
pub mod shape;
pub mod transcript;

use crate::advice::{tell_ext, tell_word};
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};

use constraints::Constraints;
use index::Pieces;
use query::Places;
use shape::Shape;
use transcript::Commitments;

/// Verifies one proof, which is read from the tape. Its transcript begins with `seed`;
/// `preprocessed` is the commitment to the preprocessed traces, if there are any; `public` are the
/// public values of every table. The caller must bind these three.
pub fn verify<H: Hash, C: Challenger, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    seed: &[Felt],
    preprocessed: Vec<Slice>,
    public: &[Vec<Felt>],
) {
    assert_eq!(shape.degree, Ext::degree());
    let commitments = Commitments::hint::<H>(shape, preprocessed);
    let mut t = C::new();
    let challenged = transcript::challenges(shape, &mut t, seed, public, &commitments);
    let (opened, combiner) = transcript::openings::<H, C>(shape, &mut t);
    let (betas, final_poly) = folding::commit_phase(shape, &mut t, &commitments.folds);

    constraints::check(shape, constraints, &challenged, &opened, public);

    let zeta = challenged.zeta;
    let values = query::values::<H>(shape, zeta, combiner, &opened, &betas, final_poly);
    let mut words = Vec::new();
    for _i in 0..shape.num_queries {
        words.push(t.sample_word());
    }
    // The prover can only answer the queries once it knows the values that they depend on.
    tell_ext(zeta);
    tell_ext(combiner);
    for beta in betas {
        tell_ext(beta);
    }
    for word in &words {
        tell_word(*word);
    }
    let places = Places {
        inputs: commitments.inputs(),
        folds: commitments.folds,
        points: Pieces::new(shape).points(),
    };
    let values = values.pin();
    for word in words {
        query::query::<H, C>(shape, &places, &values, word);
    }
}
