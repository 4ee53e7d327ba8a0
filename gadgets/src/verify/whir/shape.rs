//! The shape of an opening: everything about it that its verifier takes as given.
//!
//! As with [`crate::verify::shape`], it is a constant of the program in the machine, and an ordinary
//! value natively. No length is read from a proof.

/// Consecutive rounds of sumcheck under one seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sumcheck {
    /// Number of rounds; there may be none, and then there is no seed.
    pub rounds: usize,
    /// Bits of the proof of work before each challenge.
    pub grinding_bits: usize,
    /// The constants that Plonky3's transcript observes before the first round.
    pub seed: Vec<u32>,
}

/// The queries to one commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queries {
    /// Number of queries.
    pub count: usize,
    /// Logarithm of the number of leaves, which is the number of bits of an index: at most 24.
    pub log_leaves: usize,
    /// Logarithm of the number of elements of a leaf.
    pub log_arity: usize,
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

/// A column of a batch of openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Where the column is within the stacked polynomial: the integer of the variables after those
    /// of its table, the first one of them as the top bit.
    pub slot: usize,
    /// Exponent of the challenge's power by which the value is multiplied.
    pub power: usize,
}

/// Columns of one table that are opened at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Number of variables of the table.
    pub variables: usize,
    /// The columns whose values at the point are opened.
    pub current: Vec<Column>,
    /// The columns whose next rows are opened; the last row is its own next one.
    pub next: Vec<Column>,
    /// The constants that Plonky3's transcript observes before the batch.
    pub seed: Vec<u32>,
}

/// The shape of an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of variables of the stacked polynomial.
    pub variables: usize,
    /// Number of levels of a Merkle tree that its cap replaces, unless the tree has fewer.
    pub cap_height: usize,
    /// Whether the transcript draws the points of the batches; otherwise the caller gives them.
    pub drawn: bool,
    /// Number of samples outside the domain of the first commitment.
    pub ood_samples: usize,
    /// The batches, in the order of the proof.
    pub batches: Vec<Batch>,
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
    /// The constants that Plonky3's transcript observes before the first commitment.
    pub commitment_seed: Vec<u32>,
    /// The constants that it observes before each sample outside the first domain.
    pub ood_seed: Vec<u32>,
    /// The constants that it observes before everything that follows the claims.
    pub whir_seed: Vec<u32>,
    /// The constants that it observes before the challenge that combines the claims.
    pub batching_seed: Vec<u32>,
}

impl Shape {
    /// Returns the number of claims: the opened values, and those outside the first domain.
    pub fn claims(&self) -> usize {
        let mut claims = self.ood_samples;
        for batch in &self.batches {
            claims += batch.current.len() + batch.next.len();
        }
        claims
    }

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

    /// Returns the number of digests of commitment `number`.
    pub fn digests(&self, number: usize) -> usize {
        1usize << self.cap_levels(&self.queries(number))
    }
}
