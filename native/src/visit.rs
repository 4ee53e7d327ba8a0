//! The order of the parts of a proof over WHIR.

use std::slice::from_ref;

use crate::field::{EF, F};
use crate::gkr::{Fraction, GkrProof};
use crate::stark::challenger::Sent;
use crate::stark::suite::{Commitment, HashSuite};
use crate::whir::{Opening, Queries, Sumcheck};

/// What takes the parts of a proof in the order in which the transcript observes them.
pub trait Visitor<'a> {
    /// Suite of the proof.
    type Suite: HashSuite;

    /// Takes a commitment.
    fn commitment(&mut self, commitment: &'a Commitment<Self::Suite>);

    /// Takes the elements of one message.
    fn elements(&mut self, elements: &[EF]);

    /// Takes the nonce of a proof of work, or nothing if there is none.
    fn nonces(&mut self, nonces: &[F]);

    /// Takes what answers the queries to one commitment: the leaves and paths, not the nonce, which
    /// comes before.
    fn answers(&mut self, queries: &'a Queries<Self::Suite>);

    /// Takes values, a message for each.
    fn one_by_one(&mut self, values: &[Sent<EF>]) {
        for value in values {
            self.elements(from_ref(value.peek()));
        }
    }
}

impl GkrProof {
    /// Visits all parts.
    pub fn visit<'a>(&'a self, visitor: &mut impl Visitor<'a>) {
        visit_halves(self.root.peek(), visitor);
        for layer in &self.layers {
            visitor.elements(from_ref(layer.quadratic.peek()));
            for round in layer.rounds.iter().map(Sent::peek) {
                visitor.elements(&[round.linear, round.quadratic]);
            }
            visit_halves(layer.halves.peek(), visitor);
        }
    }
}

fn visit_halves<'a>(halves: &[Fraction<EF>; 2], visitor: &mut impl Visitor<'a>) {
    let values = halves.map(|half| [half.numerator, half.denominator]);
    visitor.elements(values.as_flattened());
}

impl<H: HashSuite> Opening<H> {
    /// Visits all parts.
    pub fn visit<'a>(&'a self, visitor: &mut impl Visitor<'a, Suite = H>) {
        self.sumcheck.visit(visitor);
        for round in &self.rounds {
            visitor.commitment(round.commitment.peek());
            visitor.one_by_one(&round.outside);
            round.queries.visit(visitor);
            round.sumcheck.visit(visitor);
        }
        visitor.elements(self.final_polynomial.peek());
        self.final_queries.visit(visitor);
        self.final_sumcheck.visit(visitor);
    }
}

impl<H: HashSuite> Queries<H> {
    fn visit<'a>(&'a self, visitor: &mut impl Visitor<'a, Suite = H>) {
        visitor.nonces(&self.nonces);
        visitor.answers(self);
    }
}

impl Sumcheck {
    /// Visits a message and its nonce after the other. Nonces without a message come last.
    fn visit<'a>(&'a self, visitor: &mut impl Visitor<'a>) {
        let mut nonces = self.nonces.chunks(1);
        for message in &self.messages {
            visitor.elements(message.peek());
            visitor.nonces(nonces.next().unwrap_or_default());
        }
        nonces.for_each(|nonce| visitor.nonces(nonce));
    }
}
