//! The opening.

use droste_native::stark::challenger::{Decommitted, Observe, Sent};
use p3_binary_dft::{domain_point, subspace_polynomial};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};

use super::algebra::{dot, eq_at, fold, products};
use super::{Check, Play, Stage, Statement, Word};
use crate::field::K;
use crate::opening::{FOLDED, Message, Opening, Query, Round};
use crate::tree_hash::{Poseidon16, Transcript};

/// Opens: `sum_y f(y) W(y)` is the claim.
pub fn open(statement: &Statement, play: &mut Play, mut weights: Vec<K>) -> Opening<Poseidon16> {
    let settings = &statement.settings;
    let variables = K::from_repr(settings.num_variables() as u128);
    play.transcript.observe(&[variables, play.observed]);
    let mut values = statement.elements.clone();
    let mut next_word = None;
    let mut opening = Opening {
        rounds: Vec::new(),
        roots: Vec::new(),
        last_polynomial: Sent::default(),
        last_messages: Vec::new(),
    };
    let message = |coefficients: Vec<K>| {
        Sent::forged(Message {
            constant: coefficients[0],
            leading: coefficients[1],
        })
    };
    for (i, round) in settings.rounds().iter().enumerate() {
        let mut point = Vec::new();
        let messages = std::array::from_fn(|j: usize| {
            let honest = products(&[(&values, &weights)]);
            let (coefficients, x) = play.round(Stage::Opening(i, j), &honest);
            point.insert(0, x);
            fold([&mut values, &mut weights], x);
            message(coefficients)
        });
        assert_eq!(point.len(), FOLDED);
        play.change(Stage::Word(i), &mut values);
        if let Some(gamma) = play.known(Stage::Word(i)) {
            // Element 0 is in every element of the codeword: W_j^0 is 1.
            let rows: K = gamma.powers().skip(1).take(round.queries).sum();
            let error = play.claim + dot(&values, &weights);
            values[0] += error * (weights[0] + rows).inverse();
        }
        let word = std::mem::replace(
            &mut next_word,
            settings
                .rounds()
                .get(i + 1)
                .map(|round| Word::new(&values, round)),
        );
        let word = word.as_ref().unwrap_or(&statement.word);
        match &next_word {
            Some(next) => {
                let root = next.tree.root();
                root.observe(&mut play.transcript);
                opening.roots.push(Sent::forged(root));
            }
            None => {
                opening.last_polynomial = Sent::forged(values.clone());
                play.transcript.observe(&values);
            }
        }
        let positions = play
            .transcript
            .sample_positions(round.queries, round.log_rows());
        let gamma = play.challenge(Stage::Word(i));
        let mut queries = Vec::new();
        for (position, power) in positions.into_iter().zip(gamma.powers().skip(1)) {
            let row = |position: usize| &word.values[position * word.columns..][..word.columns];
            let path = word.tree.path(position, row(position ^ 1));
            let row = row(position).to_vec();
            let folded: K = row
                .iter()
                .enumerate()
                .map(|(c, &value)| value * eq_at(&point, c))
                .sum();
            play.claim += power * folded;
            let mut element = vec![power];
            for j in 0..round.folded_variables() {
                let factor = subspace_polynomial(j, domain_point::<K>(position));
                let high: Vec<K> = element.iter().map(|&value| value * factor).collect();
                element.extend(high);
            }
            for (weight, value) in weights.iter_mut().zip(element) {
                *weight += value;
            }
            let row = Decommitted::new(row);
            queries.push(Query { row, path });
        }
        opening.rounds.push(Round { messages, queries });
    }
    for i in 0..settings.last_variables() {
        let (coefficients, x) = play.round(Stage::Last(i), &products(&[(&values, &weights)]));
        fold([&mut values, &mut weights], x);
        opening.last_messages.push(message(coefficients));
    }
    play.check(Check::Claim, play.claim == values[0] * weights[0]);
    opening
}
