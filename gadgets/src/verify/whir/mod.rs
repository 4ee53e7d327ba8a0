//! The verifier of proofs by sumcheck, LogUp with GKR, and WHIR: one source for all shapes.
//!
//! It accepts the proofs that `droste_vm::whir` verifies; `docs/notes/whir-protocol.md` describes
//! the protocol message by message. One file for each of its parts: the transcript, the sum of
//! fractions, the rounds of sumcheck, the constraints at the opened row, the weights of opened
//! values; this file has their order. The opening is [`opening`].
//!
//! What keeps it small in the machine:
//!
//! - `power_weights` takes the index of a query and returns its weight, a row for each variable.
//! - An element of five coefficients is observed with three zeros, as it lies in memory.
//! - The program's rows are rows of the same stack, opened at the same indices. So a query opens a
//!   second leaf and path, without a second run of WHIR.
//! - All values of a table are one claim, whose weight is a product over the variables, not a sum
//!   over columns.
//! - Leaves of a commitment are combined by the round's challenge, folded once, and compared with
//!   the leaves at a random point, one `horner` a leaf.
//! - The values of a layer of fractions at both halves give the first round of the next sumcheck but
//!   for one coefficient; in a round one multiplication gives the constant coefficient.
//! - Queries are inlined: a frame has as many cells in both memories, so a function that uses one
//!   more than the other leaves blocks empty, about nine for each query.

pub mod constraints;
pub mod gkr;
pub mod opening;
pub mod shape;
pub mod sumcheck;
pub mod transcript;
pub mod weights;

use crate::constraints::combine;
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::verify::opened::Challenges;

use constraints::Constraints;
use shape::Shape;

/// Verifies one proof, which is read from the tape. Its transcript begins with the elements of
/// `seed`, then those of the statement, of which every table's public values are the first
/// elements; `preprocessed` is the commitment to the preprocessed columns. The caller must bind
/// these three.
pub fn verify<H: Hash, C: Challenger + Clone, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    seed: &[Felt],
    preprocessed: Slice,
    statement: [Felt; 8],
) {
    // `power_weights` and the transcript's elements are of this degree.
    assert_eq!(Ext::degree(), 5);
    let mut t = C::new();
    transcript::begin(shape, &mut t, seed, statement);
    // The transcript binds the commitment, and queries open it.
    let digests = shape.opening.digests(0);
    let main = hint_slice(digests * H::DIGEST_BLOCKS).any();
    t.observe_digests(main, digests);
    let outside = opening::outside(shape.opening.ood_samples, &mut t);

    let (beta, buses) = transcript::lookups(shape, &mut t);
    let leaves = gkr::verify(shape.log_leaves, &mut t);
    let alpha = t.sample();
    let mut sum = leaves.combiner * (leaves.denominator - Ext::ONE) + leaves.numerator;
    let rows = leaves.last_coordinates(shape.log_rows());
    let rho = sumcheck::rounds(&mut t, &mut sum, &rows, shape.degree);
    let challenges = Challenges {
        alpha: alpha.pin(),
        beta: beta.pin(),
        buses,
    };

    // The opened values must lead to the sum that is left.
    let values = transcript::opened(shape, &mut t);
    let total = constraints::total(
        shape,
        constraints,
        &challenges,
        &leaves,
        &rho,
        &values,
        statement,
    );
    assert_eq!(total, sum);

    let (y, gamma) = t.sample_pair();
    let claimed = transcript::claims(&outside, &values, y);
    let commitments = vec![main, preprocessed];
    let end = opening::open::<H, C>(
        &shape.opening,
        &mut t,
        &commitments,
        combine(&claimed, gamma),
    );
    let weights = weights::claims(shape, &outside, &rho, y, &end.coordinates);
    end.check(combine(&weights, gamma));
}
