//! The verifier.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use p3_field::PrimeCharacteristicRing;

use super::{FOLDED, Opening, OpeningError, QueryWeight, Reduced, Settings, observe_statement};
use crate::field::{K, dot, eq_table};
use crate::merkle::root_of_path;
use crate::tree_hash::{Transcript, TreeHash};

/// Checks that `sum_y f(y) W(y)` is `claim` for the polynomial `f` below `root`, except for an
/// evaluation of the weight `W`, which is left to the caller by [`Reduced`].
///
/// The caller must have observed the root before the weight or the claim were determined, and the
/// transcript so far must determine the weight. The claim is observed here.
///
/// # Errors
/// If a list has a wrong length, or a row is not below its root. Any other wrong opening or claim
/// leads to a [`Reduced`] that does not hold, except with the probability of
/// [`Settings::security`].
pub fn verify<H: TreeHash>(
    settings: &Settings,
    root: &H::Digest,
    claim: K,
    opening: &Opening<H>,
    transcript: &mut H::Transcript,
) -> Result<Reduced, OpeningError> {
    check_lengths(settings, opening)?;
    observe_statement(settings, claim, transcript);
    let mut claim = claim;
    let mut root = *root;
    // The coordinates from the highest one down.
    let mut challenges = Vec::with_capacity(settings.num_variables);
    let mut query_weights = Vec::new();
    let mut last_polynomial: &[K] = &[];
    for (i, (round_settings, round)) in settings.rounds.iter().zip(&opening.rounds).enumerate() {
        let mut folding: [K; FOLDED] = round.messages.each_ref().map(|message| {
            message
                .read::<dyn Transcript>(transcript)
                .reduce(&mut claim, transcript)
        });
        challenges.extend(folding);
        let next_root = opening.roots.get(i).map(|root| root.read(transcript));
        if next_root.is_none() {
            last_polynomial = opening.last_polynomial.read::<dyn Transcript>(transcript);
        }
        let positions =
            transcript.sample_positions(round_settings.queries, round_settings.log_rows());
        let batching = transcript.sample();
        folding.reverse();
        let columns = eq_table(&folding);
        let mut scale = K::ONE;
        for (j, (query, position)) in round.queries.iter().zip(positions).enumerate() {
            let row = query.row.check(|row| {
                (root_of_path::<H>(row, position, &query.path) == root)
                    .then_some(())
                    .ok_or(OpeningError::Path {
                        round: i,
                        query: j,
                        position,
                    })
            })?;
            scale *= batching;
            claim += scale * dot(row, &columns);
            query_weights.push(QueryWeight::new(
                position,
                round_settings.folded_variables(),
                scale,
            ));
        }
        if let Some(&next) = next_root {
            root = next;
        }
    }
    for message in &opening.last_messages {
        let message = message.read::<dyn Transcript>(transcript);
        challenges.push(message.reduce(&mut claim, transcript));
    }
    challenges.reverse();
    let point = challenges;
    let last_point = point.get(..settings.last_variables()).unwrap_or_default();
    let value = dot(last_polynomial, &eq_table(last_point));
    let queries: K = query_weights
        .iter()
        .map(|weight| weight.evaluate(&point))
        .sum();
    Ok(Reduced {
        point,
        value,
        weighted: claim + value * queries,
    })
}

/// Checks all lengths before anything is computed.
fn check_lengths<H: TreeHash>(
    settings: &Settings,
    opening: &Opening<H>,
) -> Result<(), OpeningError> {
    let rounds = settings.rounds.len();
    let last = settings.last_variables();
    for (list, found, expected) in [
        ("rounds", opening.rounds.len(), rounds),
        ("roots", opening.roots.len(), rounds - 1),
        (
            "values of the last polynomial",
            opening.last_polynomial.count(),
            1 << last,
        ),
        ("last sumcheck messages", opening.last_messages.len(), last),
    ] {
        if found != expected {
            return Err(OpeningError::Length {
                list,
                found,
                expected,
            });
        }
    }
    for (i, (round_settings, round)) in settings.rounds.iter().zip(&opening.rounds).enumerate() {
        let check = |list, found, expected| {
            if found == expected {
                Ok(())
            } else {
                Err(OpeningError::RoundLength {
                    round: i,
                    list,
                    found,
                    expected,
                })
            }
        };
        check("queries", round.queries.len(), round_settings.queries)?;
        for query in &round.queries {
            check(
                "elements in a row",
                query.row.count(),
                round_settings.columns,
            )?;
            check(
                "nodes in a path",
                query.path.len(),
                round_settings.log_rows(),
            )?;
        }
    }
    Ok(())
}
