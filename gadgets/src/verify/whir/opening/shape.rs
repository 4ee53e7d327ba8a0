//! The shape of an opening: everything about it that its verifier takes as given.
//!
//! As with [`crate::verify::fri::shape`], it is a constant of the program in the machine, and an
//! ordinary value natively. No length is read from a proof.

/// Consecutive rounds of sumcheck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sumcheck {
    /// Number of rounds; there may be none.
    pub rounds: usize,
    /// Bits of the proof of work before each challenge.
    pub grinding_bits: usize,
}

/// The queries to one commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queries {
    /// Number of queries.
    pub count: usize,
    /// Logarithm of the number of leaves, which is the number of bits of an index: at most 24.
    pub log_leaves: usize,
    /// For each tree of the commitment, the rows of which a leaf has the elements. The trees are
    /// opened at the same indices. Rows that are in no tree are zero.
    pub trees: Vec<Vec<usize>>,
    /// Whether a leaf has elements of the base field: those of the first commitment do.
    pub base: bool,
    /// Bits of the proof of work before the queries.
    pub grinding_bits: usize,
}

/// A round: a commitment to the polynomial that was folded, and what ties it to the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Number of variables of the folded polynomial.
    pub variables: usize,
    /// Number of samples outside the domain.
    pub ood_samples: usize,
    /// The queries to the previous commitment.
    pub queries: Queries,
    /// The rounds of sumcheck that fold further.
    pub sumcheck: Sumcheck,
}

/// The shape of an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of variables of the stacked polynomial.
    pub variables: usize,
    /// Number of levels of a Merkle tree that its cap replaces, unless the tree has fewer.
    pub cap_height: usize,
    /// Number of samples outside the domain of the first commitment.
    pub ood_samples: usize,
    /// The rounds of sumcheck before the first round.
    pub sumcheck: Sumcheck,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Number of variables of the final polynomial.
    pub final_variables: usize,
    /// The queries to the last commitment.
    pub final_queries: Queries,
    /// The rounds of sumcheck over the final polynomial.
    pub final_sumcheck: Sumcheck,
}

impl Shape {
    /// Returns the queries to commitment `number`, counted from the first.
    pub fn queries(&self, number: usize) -> Queries {
        if number < self.rounds.len() {
            self.rounds[number].queries.clone()
        } else {
            self.final_queries.clone()
        }
    }

    /// Returns the number of levels that the cap of the commitment that is queried so replaces.
    pub fn cap_levels(&self, queries: &Queries) -> usize {
        self.cap_height.min(queries.log_leaves)
    }

    /// Returns the number of digests of each tree of commitment `number`.
    pub fn digests(&self, number: usize) -> usize {
        1usize << self.cap_levels(&self.queries(number))
    }
}

impl Queries {
    /// Returns the rows of all trees, one after the other.
    pub fn rows(&self) -> Vec<usize> {
        let mut rows = Vec::new();
        for tree in &self.trees {
            for row in tree {
                rows.push(*row);
            }
        }
        rows
    }
}
