//! The verifier of openings of multilinear polynomials by WHIR (ePrint 2024/1586).
//!
//! It accepts the openings that `droste_native::whir` verifies, and those whose leaves, where they
//! are shorter than a block, are padded with other elements than zeros: they are hashed, but not
//! read. `docs/notes/whir-protocol.md` describes the protocol message by message. One file for each
//! of its parts: the rounds of sumcheck, the queries; this file has their order.
//!
//! Queries are sampled between other samples, so the challenger must be able to sample in any
//! order: a duplex challenger, or a byte challenger that is [`Fresh`](crate::suites::bytes::Fresh).

pub mod claims;
pub mod query;
pub mod rows;
pub mod shape;
pub mod sumcheck;

use crate::bits::INVERSE_GENERATORS;
use crate::fri::power;
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};

use claims::Coordinates;
use query::Places;
use shape::{Queries, Shape};

/// Samples outside the domain of a commitment, and the values that the prover claims there.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The last coordinate of each point, of which the others are the repeated squares.
    pub points: Vec<Ext>,
    /// The values.
    pub values: Vec<Ext>,
}

/// The claims that a round adds: values of the folded polynomial outside the domain and at the
/// queried points, weighted by the powers of one challenge from the first on.
struct Added {
    /// Number of variables of the folded polynomial.
    variables: usize,
    /// Logarithm of the number of leaves that the queries choose from.
    log_leaves: usize,
    /// The challenge that combines the claims.
    challenge: Ext,
    /// Points outside the domain, of which the other coordinates are the repeated squares.
    ood_points: Vec<Ext>,
    /// Indices of the queries.
    indices: Vec<Felt>,
}

/// What is left to check when an opening has been read.
pub struct End {
    /// The coordinates at which the sumcheck ended, in the order of the variables.
    pub coordinates: Coordinates,
    /// The claim that is left.
    claim: Ext,
    /// Value of the final polynomial at the last coordinates.
    last: Ext,
    /// The weights of the claims that the rounds added.
    added: Ext,
}

impl End {
    /// Asserts that the opened claims hold. `weight` is the value at the coordinates of the sum of
    /// their weights, each multiplied by its power of the challenge that combined the claims.
    pub fn check(&self, weight: Ext) {
        // The sumcheck has reduced all claims to one: the sum of their weights at the coordinates,
        // times the value of the final polynomial (section 5 of the paper, "decision").
        assert_eq!((weight + self.added) * self.last, self.claim);
    }
}

/// Reads an opening of the stacked polynomial from the tape, and verifies everything of it but the
/// weights of the claims that it opens, which are only known at its end: the caller must call
/// [`End::check`].
///
/// `commitments` are those to the rows, one for each tree; `claim` is the sum of the claimed
/// values, combined by a challenge that was sampled after them.
pub fn open<H: Hash, C: Challenger + Clone>(
    shape: &Shape,
    t: &mut C,
    commitments: &[Slice],
    claim: Ext,
) -> End {
    let mut claim = claim;
    let mut coordinates = Vec::new();
    let mut fold = sumcheck::rounds(&shape.sumcheck, t, &mut claim);
    for coordinate in &fold {
        coordinates.push(*coordinate);
    }
    let mut committed = Vec::new();
    for commitment in commitments {
        committed.push(*commitment);
    }
    let mut added = Vec::new();
    for number in 0..shape.rounds.len() {
        let round = &shape.rounds[number];
        let queries = &round.queries;
        // The transcript binds the commitment, and the next round's queries open it.
        let next = hint_slice(shape.digests(number + 1) * H::DIGEST_BLOCKS).any();
        t.observe_digests(next, shape.digests(number + 1));
        let outside = outside(round.ood_samples, t);
        let places = Places::new(shape, number, &committed, &fold);
        let words = sampled::<C>(queries, t);
        let challenge = t.sample();
        let copy = t.clone();
        let answers = rows::combined::<H, C>(queries, &places, &words, challenge, copy);
        // The claim so far keeps the weight one.
        let before = power(challenge, 1 + outside.values.len());
        claim = claim + claims::added(challenge, &outside.values) + before * answers.value;
        added.push(Added {
            variables: round.variables,
            log_leaves: queries.log_leaves,
            challenge,
            ood_points: outside.points,
            indices: answers.indices,
        });
        fold = sumcheck::rounds(&round.sumcheck, t, &mut claim);
        for coordinate in &fold {
            coordinates.push(*coordinate);
        }
        committed = vec![next];
    }

    let last = t.read_extensions(1usize << shape.final_variables);
    let queries = &shape.final_queries;
    let places = Places::new(shape, shape.rounds.len(), &committed, &fold);
    let words = sampled::<C>(queries, t);
    // The answers are compared all together: see `rows`.
    let mut copy = t.clone();
    let challenge = copy.sample();
    let answers = rows::combined::<H, C>(queries, &places, &words, challenge, copy);
    query::check_final(&last, queries.log_leaves, challenge, &answers);
    let rest = sumcheck::rounds(&shape.final_sumcheck, t, &mut claim);
    for coordinate in &rest {
        coordinates.push(*coordinate);
    }
    assert_eq!(coordinates.len(), shape.variables);

    let coordinates = Coordinates::new(&coordinates);
    let mut weight = Ext::ZERO;
    for later in &added {
        weight = weight + later.weight(&coordinates);
    }
    End {
        coordinates,
        claim,
        last: sumcheck::multilinear(&last, &rest),
        added: weight,
    }
}

impl Added {
    /// Returns the sum of the weights at the last coordinates, as many as there are variables.
    fn weight(&self, all: &Coordinates) -> Ext {
        let from = all.values.len() - self.variables;
        // An index has as many bits as leaves need, which may be more than there are variables.
        let length = self.variables.max(self.log_leaves);
        let coordinates = all.reversed(from, length);
        let generator = Felt::new(INVERSE_GENERATORS[self.log_leaves]).inverse();
        let queries = self.indices.len();
        let mut sum = Ext::ZERO;
        for i in 0..queries {
            let index = self.indices[queries - 1 - i];
            sum = sum * self.challenge + power_weights(coordinates, length, generator, index);
        }
        let ood = self.ood_points.len();
        for i in 0..ood {
            let point = self.ood_points[ood - 1 - i];
            sum = sum * self.challenge + all.equality_of_powers(from, point);
        }
        sum * self.challenge
    }
}

/// Samples points outside the domain, and reads and observes the claimed values there, one after
/// the other.
pub fn outside<C: Challenger>(samples: usize, t: &mut C) -> Outside {
    let mut points = Vec::new();
    let mut values = Vec::new();
    for _i in 0..samples {
        points.push(t.sample());
        values.push(t.read_extensions(1)[0]);
    }
    Outside { points, values }
}

/// Samples the words of the queries to one commitment.
fn sampled<C: Challenger>(queries: &Queries, t: &mut C) -> Vec<[Felt; 2]> {
    t.grind(queries.grinding_bits);
    let mut words = Vec::new();
    for _i in 0..queries.count {
        words.push(t.sample_word());
    }
    words
}
