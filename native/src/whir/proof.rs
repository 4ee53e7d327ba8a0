//! What the prover of an opening sends.

use serde::{Deserialize, Serialize};

use crate::field::{EF, F};
use crate::stark::challenger::{Decommitted, Sent};
use crate::stark::suite::{Commitment, HashSuite, MultiProof, Poseidon16Suite};

/// A proof of claims about a stack.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Opening<H: HashSuite = Poseidon16Suite> {
    /// The sumcheck that binds the variables of the stack's rows.
    pub sumcheck: Sumcheck,
    /// One round for each later commitment.
    pub rounds: Vec<Round<H>>,
    /// The values on the hypercube of the polynomial that is left.
    pub final_polynomial: Sent<Vec<EF>>,
    /// The queries to the last commitment.
    pub final_queries: Queries<H>,
    /// The sumcheck over the final polynomial.
    pub final_sumcheck: Sumcheck,
}

impl<H: HashSuite> Opening<H> {
    /// Number of queries to the stack.
    pub fn first_queries(&self) -> usize {
        let mut trees = self.first_trees().iter();
        trees.next().map_or(0, |tree| tree.leaves.count())
    }

    /// Number of elements that one of these opens.
    pub fn first_opened(&self) -> usize {
        let leaves = self
            .first_trees()
            .iter()
            .filter_map(|tree| tree.leaves.peek().first());
        leaves.map(Vec::len).sum()
    }

    fn first_trees(&self) -> &[OpenedTree<H>] {
        let first = self.rounds.first().map(|round| &round.queries);
        &first.unwrap_or(&self.final_queries).trees
    }
}

/// Rounds of a sumcheck over a product of two multilinear polynomials.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sumcheck {
    /// For each round the constant and the quadratic coefficient of the round's polynomial.
    pub messages: Vec<Sent<[EF; 2]>>,
    /// For each round the nonce of its proof of work, or nothing if there is none.
    pub nonces: Vec<F>,
}

/// A later commitment, and what ties it to the one before.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Round<H: HashSuite = Poseidon16Suite> {
    /// The commitment to the folded polynomial.
    pub commitment: Sent<Commitment<H>>,
    /// Its values outside the domain.
    pub outside: Vec<Sent<EF>>,
    /// The queries to the previous commitment.
    pub queries: Queries<H>,
    /// The sumcheck that binds the variables of the commitment's rows.
    pub sumcheck: Sumcheck,
}

/// The queries to one commitment.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Queries<H: HashSuite = Poseidon16Suite> {
    /// The nonce of the proof of work, or nothing if there is none.
    pub nonces: Vec<F>,
    /// The opened leaves of each tree: for the stack that of its main rows, then that of its
    /// preprocessed rows if there are any, otherwise one tree. All are opened at the same indices.
    pub trees: Vec<OpenedTree<H>>,
}

/// Opened leaves of one tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct OpenedTree<H: HashSuite = Poseidon16Suite> {
    /// The leaf of each query, in the order of the queries: the values of the rows, those of later
    /// commitments as five coefficients each.
    pub leaves: Decommitted<Vec<Vec<F>>>,
    /// The siblings that the leaves need, each once.
    pub paths: MultiProof<H>,
}
