//! Where dishonest provers hope for a challenge.

use super::machine::Step;

/// Where a dishonest prover hopes for a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `beta`: two messages that differ have the same combination.
    Lookups,
    /// `lambda` of any layer: the numerators' and the denominators' lies cancel.
    Combination,
    /// The first round of any layer.
    First,
    /// The other rounds of one layer.
    Rounds(usize),
    /// The line through the values of the leaves.
    Line,
    /// What combines the leaves' numerators and denominators.
    Theta,
    /// What combines constraints.
    Constraints,
    /// The point at which constraints are checked.
    Point,
    /// Rounds of the zerocheck.
    Zerocheck,
    /// What combines the columns of a table.
    Columns,
    /// What combines claims.
    Claims,
    /// Rounds of a sumcheck of the opening.
    Sumcheck(usize),
    /// What combines a value outside the domain with the claim so far.
    Answers(usize),
    /// Two polynomials near the commitment have one value outside the domain.
    Outside,
    /// Rows that are false everywhere become a codeword when they are folded.
    Fold(usize),
    /// A codeword that is false at some of its places is not queried there.
    Queries(usize),
}

impl Term {
    /// Whether the challenge of this step is one that the prover hopes for.
    pub fn hopes_at(self, step: Step) -> bool {
        match (self, step) {
            (Self::Lookups, Step::Beta)
            | (Self::Combination, Step::Combination(_))
            | (Self::First, Step::First(_))
            | (Self::Line, Step::Line)
            | (Self::Theta, Step::Theta)
            | (Self::Constraints | Self::Point, Step::Constraints)
            | (Self::Zerocheck, Step::Zerocheck(_))
            | (Self::Columns, Step::Columns)
            | (Self::Claims, Step::Claims)
            | (Self::Outside, Step::Outside(0)) => true,
            (Self::Rounds(own), Step::Round(layer, _)) => own == layer,
            (Self::Sumcheck(own), Step::Sumcheck(number, _))
            | (Self::Fold(own), Step::Sumcheck(number, _))
            | (Self::Answers(own), Step::Answers(number)) => own == number,
            _ => false,
        }
    }
}
