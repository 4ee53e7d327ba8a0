//! A polynomial commitment for one multilinear polynomial over [`K`], and its openings.
//!
//! It is Ligero with its rows' combination replaced by a sumcheck, used recursively, as in Ligerito
//! (ePrint 2025/1187). The message of round `i` is the multilinear polynomial `f_i`, its values on
//! the hypercube. Its top four variables number 16 columns, and each column is encoded by the
//! additive Reed-Solomon code of Lin, Chung and Han; the rows of the 16 codewords are the leaves of
//! a Merkle tree. A round
//!
//! 1. folds the top four variables by four messages of the sumcheck of `sum_y f_i(y) W_i(y) = c_i`,
//! 2. commits to the folded polynomial `f_{i+1}`, or sends it if the round is the last one,
//! 3. opens random rows of `f_i`'s codeword: a row, folded by the same challenges, must be the
//!    element of `f_{i+1}`'s codeword (at `f_i`'s rate) at the row's point `z`.
//!
//! That element is `sum_b f_{i+1}(b) prod_j W_j(z)^(b_j)`, where `W_j` is the subspace polynomial
//! of the first `j` dimensions: a claim on `f_{i+1}` of the kind that the round began with. So the
//! claims of all rows join the claim `c_{i+1}`, each by a power of a challenge. After the last
//! round the sumcheck goes on to the last variable, so that the weight `W_0` is needed at one point
//! only.
//!
//! [`security`](Settings::security) counts what a prover can gain.

mod prover;
mod queries;
mod security;
mod sumcheck;
#[cfg(test)]
mod tests;
mod verifier;

use std::array::from_fn;

use droste_native::stark::challenger::{Decommitted, Observe, Sent};
use p3_binary_dft::{domain_point, subspace_polynomial};
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use self::sumcheck::fold_columns;
use crate::field::{K, dot};
use crate::tree_hash::{MAX_LOG_POSITIONS, Transcript, TreeHash};

pub use prover::{Committed, commit};
pub use verifier::verify;

/// Variables that a round folds.
pub const FOLDED: usize = 4;

/// Columns of a codeword.
pub const COLUMNS: usize = 1 << FOLDED;

/// Most variables of a polynomial that is sent instead of a commitment to it.
const MAX_LAST_VARIABLES: usize = 8;

/// The number of queries at a rate of `2^-1` to `2^-5`: the least `q` of `((1 + rate) / 2)^q <=
/// 2^-103`.
const QUERIES: [usize; 5] = [249, 152, 125, 113, 108];

/// Variables from which on the first rate is `2^-1`, not `2^-2`: half of a long codeword to encode
/// and hash saves more than a hundred queries cost a verifier in a circuit.
const LARGE: usize = 21;

/// Base-two logarithm of a round's inverse rate.
const fn log_inv_rate(num_variables: usize, round: usize) -> usize {
    match round {
        0 if num_variables >= LARGE => 1,
        0 => 2,
        1 => 3,
        2 => 4,
        _ => 5,
    }
}

/// For each column of a polynomial `f` and each one of a weight `W`, the sum `sum_y f(i, y) W(j,
/// y)`, where a column is a value of the highest four variables.
pub type Products = [[K; COLUMNS]; COLUMNS];

/// The weight `W` of an opening, as its prover needs it: all values are never in memory, and a
/// weight with a structure has ways to sum them.
pub trait Weight {
    /// The sums of products with a polynomial's columns, from which all messages of the first
    /// round's sumcheck follow.
    fn products(&self, polynomial: &[K]) -> Products;

    /// The sum of the columns, each with its scale: `sum_i scales_i W(i, y)` for each `y`.
    fn folded(&self, scales: &[K; COLUMNS]) -> Vec<K>;
}

impl Weight for [K] {
    fn products(&self, polynomial: &[K]) -> Products {
        let [polynomial, weight] = [polynomial, self].map(columns);
        from_fn(|i| from_fn(|j| dot(polynomial[i], weight[j])))
    }

    fn folded(&self, scales: &[K; COLUMNS]) -> Vec<K> {
        fold_columns(self, scales)
    }
}

/// All values of a weight, from what it has for the scales of columns.
#[cfg(test)]
pub(crate) fn values_of(folded: impl Fn(&[K; COLUMNS]) -> Vec<K>) -> Vec<K> {
    let unit = |i| from_fn(|j| K::from_bool(i == j));
    (0..COLUMNS).flat_map(|i| folded(&unit(i))).collect()
}

/// The columns of a list of values.
pub(crate) fn columns(values: &[K]) -> [&[K]; COLUMNS] {
    let length = values.len() / COLUMNS;
    from_fn(|i| &values[i * length..][..length])
}

/// A row of a codeword: the values of its columns at one point.
pub type Row = Vec<K>;

/// What both parties compute from the numbers of variables and of columns alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    num_variables: usize,
    rounds: Vec<RoundSettings>,
}

/// One round of [`Settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundSettings {
    /// Variables of the round's message.
    pub num_variables: usize,
    /// Base-two logarithm of the inverse rate of its code.
    pub log_inv_rate: usize,
    /// Number of rows that are opened.
    pub queries: usize,
    /// Columns that are committed to: the first ones. The message is zero in the others.
    pub columns: usize,
}

impl RoundSettings {
    /// Variables of the folded message.
    pub const fn folded_variables(&self) -> usize {
        self.num_variables - FOLDED
    }

    /// Base-two logarithm of the number of rows of the codeword.
    pub const fn log_rows(&self) -> usize {
        self.folded_variables() + self.log_inv_rate
    }
}

/// Why there are no [`Settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A polynomial of too few or too many variables.
    #[error(
        "a polynomial of {found} variables cannot be committed to, only one of {} to {} variables",
        Settings::MIN_VARIABLES,
        Settings::MAX_VARIABLES
    )]
    NumVariables {
        /// The number of variables.
        found: usize,
    },
    /// No columns, or too many.
    #[error("the commitment has {found} columns, expected 1 to {COLUMNS}")]
    Columns {
        /// The number of columns.
        found: usize,
    },
}

impl Settings {
    /// The least number of variables: below it, the polynomial is shorter than an opening.
    pub const MIN_VARIABLES: usize = 8;

    /// The greatest number of variables: the first codeword has `2^24` rows, as many as there are
    /// [positions](Transcript::sample_positions).
    pub const MAX_VARIABLES: usize = MAX_LOG_POSITIONS - log_inv_rate(usize::MAX, 0) + FOLDED;

    /// The settings for a polynomial of `num_variables` variables.
    ///
    /// # Errors
    /// If the number is not from [`Self::MIN_VARIABLES`] to [`Self::MAX_VARIABLES`].
    pub fn new(num_variables: usize) -> Result<Self, SettingsError> {
        Self::with_columns(num_variables, COLUMNS)
    }

    /// The settings for a polynomial that is zero but for the first `columns` sixteenths of its
    /// values: the opening proves this, too, since the other columns are not committed to.
    ///
    /// # Errors
    /// If there are no columns or more than 16, or as [`Self::new`].
    pub fn with_columns(num_variables: usize, columns: usize) -> Result<Self, SettingsError> {
        if !(1..=COLUMNS).contains(&columns) {
            return Err(SettingsError::Columns { found: columns });
        }
        if !(Self::MIN_VARIABLES..=Self::MAX_VARIABLES).contains(&num_variables) {
            return Err(SettingsError::NumVariables {
                found: num_variables,
            });
        }
        let mut rounds = Vec::new();
        let mut variables = num_variables;
        while rounds.is_empty() || variables > MAX_LAST_VARIABLES {
            let log_inv_rate = log_inv_rate(num_variables, rounds.len());
            rounds.push(RoundSettings {
                num_variables: variables,
                log_inv_rate,
                queries: QUERIES[log_inv_rate - 1],
                columns: if rounds.is_empty() { columns } else { COLUMNS },
            });
            variables -= FOLDED;
        }
        Ok(Self {
            num_variables,
            rounds,
        })
    }

    /// Variables of the polynomial.
    pub const fn num_variables(&self) -> usize {
        self.num_variables
    }

    /// The rounds, at least one.
    pub fn rounds(&self) -> &[RoundSettings] {
        &self.rounds
    }

    /// Variables of the polynomial that is sent in full.
    pub fn last_variables(&self) -> usize {
        self.num_variables - FOLDED * self.rounds.len()
    }
}

/// A sumcheck message: a polynomial of degree 2, of which the claim gives the middle coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The value at 0.
    pub constant: K,
    /// The coefficient of the square.
    pub leading: K,
}

impl Message {
    /// Samples the challenge of the message, which is sent, and makes the claim one about the
    /// polynomial at the challenge.
    ///
    /// The values at 0 and 1 add up to the claim. In characteristic 2 they add up to the sum of the
    /// middle and the leading coefficient, too.
    pub(crate) fn reduce(&self, claim: &mut K, transcript: &mut dyn Transcript) -> K {
        let challenge = transcript.sample();
        let middle = *claim + self.leading;
        *claim = self.constant + challenge * (middle + challenge * self.leading);
        challenge
    }
}

impl Observe<dyn Transcript + '_> for Message {
    fn observe(&self, transcript: &mut (dyn Transcript + '_)) {
        transcript.observe(&[self.constant, self.leading]);
    }
}

/// A row of a codeword with its Merkle path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Query<H: TreeHash> {
    /// The row.
    pub row: Decommitted<Row>,
    /// Its path, from the leaf's sibling on.
    pub path: Vec<H::Digest>,
}

/// One round of an [`Opening`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Round<H: TreeHash> {
    /// The sumcheck messages of the top four variables, the highest one first.
    pub messages: [Sent<Message>; FOLDED],
    /// The rows that are opened, in the order of the positions sampled.
    pub queries: Vec<Query<H>>,
}

/// A proof of `sum_y f(y) W(y) = c` for a polynomial `f` that was committed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Opening<H: TreeHash> {
    /// The rounds.
    pub rounds: Vec<Round<H>>,
    /// The roots of the second codeword and of those after it.
    pub roots: Vec<Sent<H::Digest>>,
    /// The values of the last polynomial.
    pub last_polynomial: Sent<Vec<K>>,
    /// The sumcheck messages of its variables, the highest one first.
    pub last_messages: Vec<Sent<Message>>,
}

impl<H: TreeHash> Opening<H> {
    /// Number of elements of [`K`] and of digests.
    pub fn size(&self) -> (usize, usize) {
        let queries = || self.rounds.iter().flat_map(|round| &round.queries);
        let messages = FOLDED * self.rounds.len() + self.last_messages.len();
        let rows: usize = queries().map(|query| query.row.count()).sum();
        let elements = 2 * messages + rows + self.last_polynomial.count();
        let digests = self.roots.len() + queries().map(|query| query.path.len()).sum::<usize>();
        (elements, digests)
    }
}

/// What [`verify`] leaves to its caller: the claim holds if `weighted` is `value` times the
/// multilinear extension of the weight `W` at `point`.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The coordinates: the one of index bit 0 first.
    pub point: Vec<K>,
    /// The value of the polynomial at the point.
    pub value: K,
    /// What `value * W(point)` must be.
    pub weighted: K,
}

impl Reduced {
    /// Whether the claim holds, for a weight whose multilinear extension has the value `weight` at
    /// the point.
    #[must_use]
    pub fn holds(&self, weight: K) -> bool {
        self.weighted == self.value * weight
    }
}

/// Why an opening is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// A list of a wrong length.
    #[error("the opening has {found} {list}, expected {expected}")]
    Length {
        /// The list's elements.
        list: &'static str,
        /// Their number.
        found: usize,
        /// What the settings say.
        expected: usize,
    },
    /// A list of a wrong length in a round.
    #[error("round {round} of the opening has {found} {list}, expected {expected}")]
    RoundLength {
        /// The round, from 0.
        round: usize,
        /// The list's elements.
        list: &'static str,
        /// Their number.
        found: usize,
        /// What the settings say.
        expected: usize,
    },
    /// A Merkle path does not lead from its row to the root.
    #[error(
        "in round {round}, the Merkle path of query {query} does not lead from row {position} to \
         the codeword's root"
    )]
    Path {
        /// The round, from 0.
        round: usize,
        /// The query, from 0.
        query: usize,
        /// The row's position.
        position: usize,
    },
}

/// Observes what an opening is about, before its first message, apart from the root and the weight.
fn observe_statement(settings: &Settings, claim: K, transcript: &mut dyn Transcript) {
    let variables = K::from_repr(settings.num_variables as u128);
    transcript.observe(&[variables, claim]);
}

/// The weight of a claim on one element of a codeword: `scale * prod_j coordinates_j^(b_j)` at the
/// index of bits `b_j`.
#[derive(Clone, Debug)]
struct QueryWeight {
    scale: K,
    coordinates: Vec<K>,
}

impl QueryWeight {
    /// The weight of element `position` of the codeword of a message of `2^variables` elements:
    /// coordinate `j` is the subspace polynomial of the first `j` dimensions at the element's point
    /// (Lin, Chung and Han, "Novel polynomial basis and its application to Reed-Solomon erasure
    /// codes", section II).
    fn new(position: usize, variables: usize, scale: K) -> Self {
        let point: K = domain_point(position);
        // Each subspace polynomial is the one of dimension 1 at the value of the one before.
        let points = std::iter::successors(Some(point), |&x| Some(subspace_polynomial(1, x)));
        let coordinates = points.take(variables).collect();
        Self { scale, coordinates }
    }

    /// The multilinear extension at a point, of which the first coordinates are used.
    fn evaluate(&self, point: &[K]) -> K {
        let factors = self
            .coordinates
            .iter()
            .zip(point)
            .map(|(&x, &r)| K::ONE + r * (K::ONE + x));
        self.scale * factors.product::<K>()
    }
}
