//! The prover.

use droste_native::stark::challenger::{Decommitted, Sent};
use droste_native::transpose;
use p3_binary_dft::{AdditiveNtt, LchNtt};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::queries::add_weights;
use super::sumcheck::{Tables, first_messages, fold_columns};
use super::{
    COLUMNS, FOLDED, Message, Opening, Query, QueryWeight, Round, RoundSettings, Settings, Weight,
    observe_statement,
};
use crate::field::{K, dot, eq_table};
use crate::merkle::MerkleTree;
use crate::tree_hash::{Transcript, TreeHash};

/// A codeword of a round's message and the Merkle tree over its rows.
#[derive(Clone, Debug)]
pub(super) struct Codeword<H: TreeHash> {
    /// The rows one after the other.
    pub(super) values: Vec<K>,
    columns: usize,
    tree: MerkleTree<H>,
}

impl<H: TreeHash> Codeword<H> {
    fn encode(message: &[K], settings: &RoundSettings) -> Self {
        let variables = settings.folded_variables();
        let committed = &message[..settings.columns << variables];
        let mut values = K::zero_vec(committed.len() << settings.log_inv_rate);
        transpose(committed, settings.columns, &mut values[..committed.len()]);
        let message = RowMajorMatrix::new(values, settings.columns);
        let codeword = LchNtt::default().ntt_batch_padded(message, settings.log_inv_rate);
        Self::new(codeword.values, settings.columns)
    }

    pub(super) fn new(values: Vec<K>, columns: usize) -> Self {
        let tree = MerkleTree::new(&values, columns);
        Self {
            values,
            columns,
            tree,
        }
    }

    fn query(&self, position: usize) -> Query<H> {
        let row = |position: usize| &self.values[position * self.columns..][..self.columns];
        Query {
            row: Decommitted::new(row(position).to_vec()),
            path: self.tree.path(position, row(position ^ 1)),
        }
    }
}

/// A polynomial, its codeword, and the tree over the codeword's rows.
#[derive(Clone, Debug)]
pub struct Committed<H: TreeHash> {
    pub(super) settings: Settings,
    pub(super) message: Vec<K>,
    pub(super) codeword: Codeword<H>,
}

/// Commits to the polynomial whose values on the hypercube are `message`: the value of index `y` is
/// that at the corner whose coordinate `i` is bit `i` of `y`.
///
/// # Panics
/// If there are not as many values as the settings say, or a column that they leave out is not
/// zero.
pub fn commit<H: TreeHash>(settings: &Settings, message: Vec<K>) -> Committed<H> {
    check_length("message", message.len(), settings);
    let columns = settings.rounds[0].columns << settings.rounds[0].folded_variables();
    assert!(
        message[columns..].iter().all(|&value| value == K::ZERO),
        "the message is not zero after its first {columns} values"
    );
    let codeword = Codeword::encode(&message, &settings.rounds[0]);
    Committed {
        settings: settings.clone(),
        message,
        codeword,
    }
}

fn check_length(table: &str, length: usize, settings: &Settings) {
    let variables = settings.num_variables;
    assert!(
        length == 1 << variables,
        "the {table} has {length} elements, expected 2^{variables}"
    );
}

impl<H: TreeHash> Committed<H> {
    /// The commitment.
    pub fn root(&self) -> H::Digest {
        self.codeword.tree.root()
    }

    /// The polynomial's values.
    pub fn message(&self) -> &[K] {
        &self.message
    }

    /// Proves that `sum_y f(y) W(y)` is `claim`, where `f` is the polynomial and `weight` has the
    /// values of `W` on the hypercube.
    ///
    /// The caller must have observed the root before the weight or the claim were determined, and
    /// the transcript so far must determine the weight. The claim is observed here. A false claim
    /// gives an opening that is refused.
    ///
    /// # Panics
    /// If the weight is one of polynomials of another number of variables.
    pub fn open(
        self,
        weight: &(impl Weight + ?Sized),
        claim: K,
        transcript: &mut H::Transcript,
    ) -> Opening<H> {
        let Self {
            settings,
            message,
            mut codeword,
        } = self;
        observe_statement(&settings, claim, transcript);
        let mut claim = claim;
        let products = weight.products(&message);
        let (mut messages, mut folding) = first_messages(products, &mut claim, transcript);
        let scales = column_scales(&folding);
        let mut tables = Tables {
            polynomial: fold_columns(&message, &scales),
            weight: weight.folded(&scales),
        };
        drop(message);
        let mut rounds = Vec::with_capacity(settings.rounds.len());
        let mut roots = Vec::with_capacity(settings.rounds.len() - 1);
        let mut last_polynomial = Sent::default();
        for (i, round) in settings.rounds.iter().enumerate() {
            if i > 0 {
                (messages, folding) = tables.sumcheck(FOLDED, &mut claim, transcript);
                // A sixteenth is left.
                tables.polynomial.shrink_to_fit();
                tables.weight.shrink_to_fit();
            }
            let next = settings.rounds.get(i + 1);
            let next = next.map(|round| Codeword::encode(&tables.polynomial, round));
            match &next {
                Some(next) => roots.push(Sent::send(next.tree.root(), transcript)),
                None => {
                    let values = tables.polynomial.clone();
                    last_polynomial = Sent::send::<dyn Transcript>(values, transcript);
                }
            }
            let positions = transcript.sample_positions(round.queries, round.log_rows());
            let batching = transcript.sample();
            let columns = column_scales(&folding);
            let mut scale = K::ONE;
            let mut queries = Vec::with_capacity(round.queries);
            let mut weights = Vec::with_capacity(round.queries);
            for position in positions {
                let query = codeword.query(position);
                scale *= batching;
                claim += scale * dot(query.row.peek(), &columns);
                queries.push(query);
                let weight = QueryWeight::new(position, round.folded_variables(), scale);
                weights.push((position, weight));
            }
            add_weights(&mut tables.weight, weights);
            let messages = std::array::from_fn(|j| messages[j]);
            rounds.push(Round { messages, queries });
            if let Some(next) = next {
                codeword = next;
            }
        }
        let variables = settings.last_variables();
        let (last_messages, _) = tables.sumcheck(variables, &mut claim, transcript);
        Opening {
            rounds,
            roots,
            last_polynomial,
            last_messages,
        }
    }
}

/// What each column weighs when it is folded by the challenges of the highest variables.
fn column_scales(challenges: &[K]) -> [K; COLUMNS] {
    let point: Vec<K> = challenges.iter().rev().copied().collect();
    let scales = eq_table(&point);
    std::array::from_fn(|i| scales[i])
}

impl Tables {
    /// Folds the `variables` highest variables; returns their messages and challenges.
    fn sumcheck(
        &mut self,
        variables: usize,
        claim: &mut K,
        transcript: &mut dyn Transcript,
    ) -> (Vec<Sent<Message>>, Vec<K>) {
        let mut messages = Vec::with_capacity(variables);
        let mut challenges = Vec::with_capacity(variables);
        for i in 0..variables {
            let message = match challenges.last() {
                None => self.message(),
                Some(&challenge) => self.fold_and_message(challenge),
            };
            messages.push(Sent::send(message, transcript));
            challenges.push(message.reduce(claim, transcript));
            if i + 1 == variables {
                self.fold(challenges[i]);
            }
        }
        (messages, challenges)
    }
}
