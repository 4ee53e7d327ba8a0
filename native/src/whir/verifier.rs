//! The verifier of openings.

use std::iter::zip;

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_matrix::Dimensions;
use p3_merkle_tree::MerkleTreeError;
use thiserror::Error;

use super::claims::{Claim, equality_table};
use super::proof::{Opening, Queries, Sumcheck};
use super::scheme::{Scheme, check_work, query_points, sample_indices};
use super::settings::CommitmentStep;
use crate::field::{EF, EXTENSION_DEGREE, F};
use crate::stark::challenger::Transcript;
use crate::stark::suite::{Commitment, HashSuite, SuiteCap};

/// Why an opening is rejected.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// A list does not have the length that the schedule says.
    #[error("the opening has {found} {list}, expected {expected}")]
    Length {
        /// What the list contains.
        list: &'static str,
        /// Its length according to the schedule.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A nonce does not pass its proof of work.
    #[error("the proof of work before {before} does not pass")]
    Grinding {
        /// What comes after it.
        before: &'static str,
    },
    /// Opened leaves are not those of the commitment.
    #[error("leaves of tree {tree} of commitment {commitment} are not in it")]
    Path {
        /// Number of the commitment, the stack being 0.
        commitment: usize,
        /// Index of the tree.
        tree: usize,
        /// The reason.
        #[source]
        source: MerkleTreeError,
    },
    /// The final polynomial does not have the value of an opened leaf.
    #[error("the final polynomial does not agree with query {query}")]
    FinalPolynomial {
        /// Index of the query.
        query: usize,
    },
    /// The claims do not follow from the final polynomial.
    #[error("the final equation does not hold")]
    FinalEquation,
}

impl OpeningError {
    pub(super) const fn check_length(
        list: &'static str,
        expected: usize,
        found: usize,
    ) -> Result<(), Self> {
        if expected == found {
            Ok(())
        } else {
            Err(Self::Length {
                list,
                expected,
                found,
            })
        }
    }
}

/// A sum of values that a round adds to the claim, and their weights.
struct Added<'a> {
    step: &'a CommitmentStep,
    challenge: EF,
    /// Weights of values outside the domain.
    outside: Vec<Claim>,
    /// Points of the domain that were queried.
    points: Vec<F>,
}

impl Added<'_> {
    /// The weights at a point, combined by the powers of the challenge from the first on.
    fn evaluate(&self, point: &[EF]) -> EF {
        let outside = self.outside.iter().map(|claim| claim.evaluate(point));
        let queries = self.points.iter().map(|&x| select(x, point));
        combine(outside.chain(queries), self.challenge) * self.challenge
    }
}

/// The sum of the values times the powers of a challenge, from power zero on.
fn combine(values: impl Iterator<Item = EF>, challenge: EF) -> EF {
    zip(values, challenge.powers())
        .map(|(value, power)| value * power)
        .sum()
}

/// The value at a point of the multilinear polynomial that is `x^b` at position `b`.
fn select(x: F, point: &[EF]) -> EF {
    let squares = std::iter::successors(Some(x), |power| Some(power.square()));
    zip(point.iter().rev(), squares)
        .map(|(&r, power)| r * (power - F::ONE) + EF::ONE)
        .product()
}

/// The multilinear polynomial with these values on the hypercube at a point.
fn evaluate(values: &[EF], point: &[EF]) -> EF {
    zip(equality_table(point), values)
        .map(|(weight, &value)| weight * value)
        .sum()
}

/// What is left to prove: the sum of the products of a polynomial's and the weights' values.
struct Claimed<'a, H: HashSuite> {
    challenger: &'a mut dyn Transcript<H>,
    sum: EF,
    /// The challenges of all sumchecks, to which the variables are bound.
    point: Vec<EF>,
}

impl<H: HashSuite> Claimed<'_, H> {
    /// Verifies rounds of sumcheck. No equation is checked in a round: a false message leads to a
    /// false claim. Returns the challenges.
    fn sumcheck(
        &mut self,
        proof: &Sumcheck,
        rounds: usize,
        grinding_bits: usize,
    ) -> Result<Vec<EF>, OpeningError> {
        OpeningError::check_length("sumcheck messages", rounds, proof.messages.len())?;
        let nonces = if grinding_bits > 0 { rounds } else { 0 };
        OpeningError::check_length("sumcheck nonces", nonces, proof.nonces.len())?;
        let mut nonces = proof.nonces.chunks(1);
        let mut point = vec![];
        for message in &proof.messages {
            let &[constant, quadratic] = message.read(self.challenger);
            let nonce = nonces.next().unwrap_or_default();
            check_work(
                self.challenger,
                nonce,
                grinding_bits,
                "a sumcheck challenge",
            )?;
            let r = self.challenger.sample_extension();
            let linear = self.sum - constant.double() - quadratic;
            self.sum = (quadratic * r + linear) * r + constant;
            point.push(r);
        }
        self.point.extend(&point);
        Ok(point)
    }
}

impl<H: HashSuite> Scheme<H> {
    /// Verifies an opening of the stack that the commitments are to: that the sums of `claims` are
    /// the values they come with. Returns the indices of the queries to each commitment.
    ///
    /// What the caller must do first: read the commitments, call [`Self::sample_outside`], whose
    /// claims must be the first of `claims`, and observe everything that determines the other
    /// claims and their values.
    ///
    /// What is checked: all lengths, every proof of work, the paths of all leaves, the final
    /// polynomial against the leaves of the last commitment, and the final equation, on which
    /// everything else that was sent has an effect.
    ///
    /// # Errors
    /// Returns the first check that fails.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn verify(
        &self,
        main: &Commitment<H>,
        preprocessed: Option<&Commitment<H>>,
        claims: &[(Claim, EF)],
        opening: &Opening<H>,
        challenger: &mut dyn Transcript<H>,
    ) -> Result<Vec<Vec<usize>>, OpeningError> {
        let schedule = &self.schedule;
        let stack = self.stack_trees(main, preprocessed)?;
        for (claim, _) in claims {
            let variables = self.layout.variables();
            OpeningError::check_length("variables of a claim", variables, claim.variables())?;
        }
        OpeningError::check_length("rounds", schedule.folded.len(), opening.rounds.len())?;

        let combination = challenger.sample_extension();
        let mut claimed = Claimed {
            sum: combine(claims.iter().map(|&(_, value)| value), combination),
            challenger,
            point: vec![],
        };
        let mut previous = Committed {
            number: 0,
            step: &schedule.stack,
            trees: stack,
            fold: vec![],
        };
        let bits = previous.step.fold_grinding_bits;
        previous.fold = claimed.sumcheck(&opening.sumcheck, previous.step.fold, bits)?;
        let mut all_indices = vec![];
        let mut added = vec![];
        for (step, round) in zip(&schedule.folded, &opening.rounds) {
            let commitment = round
                .commitment
                .read_sized(claimed.challenger, |cap| self.check_cap(cap, step))?;
            let (list, found) = ("values outside the domain", round.outside.len());
            OpeningError::check_length(list, step.outside, found)?;
            let (mut outside, mut values) = (vec![], vec![]);
            for value in &round.outside {
                let point = claimed.challenger.sample_extension();
                outside.push(Claim::at_powers(point, step.variables));
                values.push(*value.read(claimed.challenger));
            }
            let (indices, answers) = self.query(&previous, &round.queries, &mut claimed)?;
            let challenge = claimed.challenger.sample_extension();
            values.extend(answers);
            claimed.sum += combine(values.into_iter(), challenge) * challenge;
            added.push(Added {
                step,
                challenge,
                outside,
                points: query_points(previous.step, &indices),
            });
            all_indices.push(indices);
            let fold = claimed.sumcheck(&round.sumcheck, step.fold, step.fold_grinding_bits)?;
            previous = Committed {
                number: previous.number + 1,
                step,
                trees: vec![(commitment, EXTENSION_DEGREE << step.fold)],
                fold,
            };
        }

        let values = 1 << schedule.final_variables;
        let polynomial = opening
            .final_polynomial
            .read_sized(claimed.challenger, |polynomial| {
                let list = "values of the final polynomial";
                OpeningError::check_length(list, values, polynomial.len())
            })?;
        let (indices, answers) = self.query(&previous, &opening.final_queries, &mut claimed)?;
        let points = query_points(previous.step, &indices);
        for (query, (answer, x)) in zip(answers, points).enumerate() {
            let value = polynomial
                .iter()
                .rev()
                .fold(EF::ZERO, |sum, &c| sum * x + c);
            if value != answer {
                return Err(OpeningError::FinalPolynomial { query });
            }
        }
        all_indices.push(indices);
        let rounds = schedule.final_variables;
        let bits = schedule.final_grinding_bits;
        let last = claimed.sumcheck(&opening.final_sumcheck, rounds, bits)?;

        let point = &claimed.point;
        let weights = claims.iter().map(|(claim, _)| claim.evaluate(point));
        let mut weight = combine(weights, combination);
        for added in added {
            let bound = point.len().saturating_sub(added.step.variables);
            let (_, rest) = point.split_at(bound);
            weight += added.evaluate(rest);
        }
        if claimed.sum != evaluate(polynomial, &last) * weight {
            return Err(OpeningError::FinalEquation);
        }
        Ok(all_indices)
    }

    /// The trees of the stack, and the lengths of their leaves.
    fn stack_trees<'a>(
        &self,
        main: &'a Commitment<H>,
        preprocessed: Option<&'a Commitment<H>>,
    ) -> Result<Vec<(&'a Commitment<H>, usize)>, OpeningError> {
        let (main_rows, rows) = (self.layout.main_rows(), self.layout.preprocessed_rows());
        let expected = usize::from(!rows.is_empty());
        let found = usize::from(preprocessed.is_some());
        OpeningError::check_length("preprocessed commitments", expected, found)?;
        let mut trees = vec![(main, main_rows.len())];
        trees.extend(preprocessed.map(|cap| (cap, rows.len())));
        for (cap, _) in &trees {
            self.check_cap(cap, &self.schedule.stack)?;
        }
        Ok(trees)
    }

    fn check_cap(&self, cap: &Commitment<H>, step: &CommitmentStep) -> Result<(), OpeningError> {
        OpeningError::check_length(
            "digests of a commitment",
            self.cap_size(step),
            cap.digests().len(),
        )
    }

    /// Verifies the queries to a commitment. Returns their indices, and the values of the leaves,
    /// folded.
    fn query(
        &self,
        committed: &Committed<'_, H>,
        queries: &Queries<H>,
        claimed: &mut Claimed<'_, H>,
    ) -> Result<(Vec<usize>, Vec<EF>), OpeningError> {
        let step = committed.step;
        let bits = step.query_grinding_bits;
        check_work(claimed.challenger, &queries.nonces, bits, "queries")?;
        let indices = sample_indices(claimed.challenger, step);
        let trees = committed.trees.len();
        OpeningError::check_length("opened trees", trees, queries.trees.len())?;
        let mut opened_leaves = vec![];
        for (tree, (&(cap, width), opened)) in zip(&committed.trees, &queries.trees).enumerate() {
            let dimensions = Dimensions {
                width,
                height: 1 << step.log_leaves,
            };
            let leaves = opened.leaves.check(|leaves| {
                OpeningError::check_length("opened leaves", indices.len(), leaves.len())?;
                for leaf in leaves {
                    OpeningError::check_length("elements of a leaf", width, leaf.len())?;
                }
                H::verify_rows(&self.mmcs, cap, dimensions, &indices, leaves, &opened.paths)
                    .map_err(|source| OpeningError::Path {
                        commitment: committed.number,
                        tree,
                        source,
                    })
            })?;
            opened_leaves.push(leaves);
        }
        let weights = equality_table(&committed.fold);
        let answers = (0..indices.len()).map(|query| {
            let leaves = opened_leaves.iter().filter_map(|leaves| leaves.get(query));
            if committed.number == 0 {
                let rows = [self.layout.main_rows(), self.layout.preprocessed_rows()];
                let rows = rows
                    .into_iter()
                    .flatten()
                    .filter_map(|&row| weights.get(row));
                zip(rows, leaves.flatten())
                    .map(|(&weight, &value)| weight * value)
                    .sum()
            } else {
                let elements = leaves.flat_map(|leaf| leaf.chunks_exact(EXTENSION_DEGREE));
                let elements = elements.filter_map(EF::from_basis_coefficients_slice);
                zip(&weights, elements)
                    .map(|(&weight, value)| weight * value)
                    .sum()
            }
        });
        let answers = answers.collect();
        Ok((indices, answers))
    }
}

/// A commitment whose rows' variables are bound.
struct Committed<'a, H: HashSuite> {
    /// Its number, the stack being 0.
    number: usize,
    step: &'a CommitmentStep,
    /// Its trees, and the lengths of their leaves.
    trees: Vec<(&'a Commitment<H>, usize)>,
    /// The challenges to which the variables that choose a row are bound.
    fold: Vec<EF>,
}
