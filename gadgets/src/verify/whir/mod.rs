//! The verifier of openings of multilinear polynomials by WHIR (ePrint 2024/1586).
//!
//! It accepts the openings that `p3_whir` 0.8.0 verifies (`MultilinearPcs::verify` and
//! `PrescribedPointPcs::verify_at`, with the prefix layout over two-adic domains).
//! `docs/notes/whir-protocol.md` describes the protocol message by message. One file for each of its
//! parts: the claims, the rounds of sumcheck, the queries; this file has their order.
//!
//! Queries are sampled between other samples, so the challenger must be able to sample in any order,
//! and a sampled word must be one element: [`Poseidon16Challenger`](crate::poseidon16::Poseidon16Challenger).

pub mod claims;
pub mod query;
pub mod rows;
pub mod shape;
pub mod sumcheck;

use crate::fri::power;
use crate::hash::{Challenger, Hash, observe_constants};
use crate::packing::{blocks_for, unpack_all};
use crate::prelude::*;

use claims::{Claims, Coordinates, Opened};
use query::{Answer, Places};
use shape::{Queries, Round, Shape};

/// The claims that a round adds: values of the folded polynomial outside the domain and at the
/// queried points, weighted by the powers of one challenge from the first on.
struct Added {
    /// Number of variables of the folded polynomial.
    variables: usize,
    /// The challenge that combines the claims.
    challenge: Ext,
    /// Points outside the domain, of which the other coordinates are the repeated squares.
    ood_points: Vec<Ext>,
    /// Queried points of the domain.
    query_points: Vec<Felt>,
}

/// Observes the commitment to a stacked polynomial, as `p3_sumcheck::layout::observe_commitment`
/// does. The caller binds the commitment.
pub fn observe_commitment<C: Challenger>(shape: &Shape, t: &mut C, commitment: Slice) {
    observe_constants(t, &shape.commitment_seed);
    t.observe_digests(commitment, 1usize << shape.cap_levels(&shape.queries(0)));
}

/// Verifies one opening of the polynomials that were committed to, which is read from the tape, and
/// returns what was opened.
///
/// `points` has the point of every batch, unless the transcript draws them ([`Shape::drawn`]). The
/// transcript must have observed the commitment before anything that the points depend on.
pub fn verify<H: Hash, C: Challenger + Copy>(
    shape: &Shape,
    t: &mut C,
    commitment: Slice,
    points: &[Vec<Ext>],
) -> Vec<Opened> {
    let table = query::points();
    let first = Claims::read::<H, C>(shape, t, points);

    observe_constants(t, &shape.whir_seed);
    observe_constants(t, &shape.batching_seed);
    let alpha = t.sample();
    let mut claim = first.combined(shape, alpha);

    // The coordinates at which the sumcheck ends, in the order of the variables.
    let mut coordinates = Vec::new();
    let mut fold = sumcheck::rounds::<H, C>(&shape.sumcheck, t, &mut claim);
    for coordinate in &fold {
        coordinates.push(*coordinate);
    }
    let mut committed = commitment;
    let mut added = Vec::new();
    for number in 0..shape.rounds.len() {
        let round = &shape.rounds[number];
        // The transcript binds the commitment, and the next round's queries open it.
        let next = hint_slice(shape.digests(number + 1) * H::DIGEST_BLOCKS).any();
        t.observe_digests(next, shape.digests(number + 1));
        let (ood_points, ood_values) = outside::<H, C>(round, t);
        let places = Places::new(shape, number, committed, table, &fold);
        let words = sampled::<C>(&round.queries, t);
        let challenge = t.sample();
        // The claim so far keeps the weight one.
        let mut query_points = Vec::new();
        if round.queries.base {
            let rows = rows::combined::<H, C>(&round.queries, &places, &words, challenge, *t);
            let before = power(challenge, 1 + ood_values.len());
            claim = claim + claims::added(challenge, &ood_values, &[]) + before * rows.value;
            query_points = rows.points;
        } else {
            let answers = answers::<H, C>(&round.queries, &places, words);
            claim = claim + claims::added(challenge, &ood_values, &answers);
            for answer in answers {
                query_points.push(answer.point);
            }
        }
        added.push(Added {
            variables: round.variables,
            challenge,
            ood_points,
            query_points,
        });
        fold = sumcheck::rounds::<H, C>(&round.sumcheck, t, &mut claim);
        for coordinate in &fold {
            coordinates.push(*coordinate);
        }
        committed = next;
    }

    let number = shape.rounds.len();
    let last = observed::<H, C>(t, 1usize << shape.final_variables);
    let places = Places::new(shape, number, committed, table, &fold);
    let words = sampled::<C>(&shape.final_queries, t);
    let answers = answers::<H, C>(&shape.final_queries, &places, words);
    query::check_final(&last, &answers);
    let rest = sumcheck::rounds::<H, C>(&shape.final_sumcheck, t, &mut claim);
    for coordinate in &rest {
        coordinates.push(*coordinate);
    }

    // The sumcheck has reduced all claims to one: the sum of their weights at the coordinates, times
    // the value of the final polynomial at the last of them (section 5 of the paper, "decision").
    let coordinates = Coordinates::new(&coordinates);
    let mut weight = first.weight(shape, alpha, &coordinates);
    for later in &added {
        weight = weight + later.weight(&coordinates);
    }
    assert_eq!(weight * sumcheck::multilinear(&last, &rest), claim);
    first.openings
}

impl Added {
    /// Returns the sum of the weights at the last coordinates, as many as there are variables.
    fn weight(&self, all: &Coordinates) -> Ext {
        let from = all.values.len() - self.variables;
        let queries = self.query_points.len();
        let mut sum = Ext::ZERO;
        for i in 0..queries {
            let x = self.query_points[queries - 1 - i];
            sum = sum * self.challenge + query::weight(all, from, x);
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
fn outside<H: Hash, C: Challenger>(round: &Round, t: &mut C) -> (Vec<Ext>, Vec<Ext>) {
    let mut points = Vec::new();
    let mut values = Vec::new();
    for _i in 0..round.ood_samples {
        points.push(t.sample());
        values.push(observed::<H, C>(t, 1)[0]);
    }
    (points, values)
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

/// Answers queries one by one.
fn answers<H: Hash, C: Challenger>(
    queries: &Queries,
    places: &Places,
    words: Vec<[Felt; 2]>,
) -> Vec<Answer> {
    query::tell(&words);
    let mut answers = Vec::new();
    for word in words {
        answers.push(query::query::<H, C>(queries, places, word));
    }
    answers
}

/// Reads `n` extension elements of the proof, and observes them. Every value is admissible: the
/// final equation of [`verify`] binds them.
pub fn observed<H: Hash, C: Challenger>(t: &mut C, n: usize) -> Vec<Ext> {
    let at = t.position();
    t.advise_slice(5 * n);
    let slice = hint_slice(blocks_for::<H>(at, 5 * n)).any();
    t.observe_slice(slice, 5 * n);
    unpack_all::<H>(slice, at, n)
}
