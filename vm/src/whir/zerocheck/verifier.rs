//! The verifier of the zerocheck.

use droste_native::stark::challenger::ExtensionTranscript;
use droste_native::{EF, F};
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

use super::{
    ClaimError, Combination, LeafClaim, Opened, ZerocheckProof, evaluate_round, selectors,
};
use crate::whir::cells::{CellsError, check_public_values};
use crate::whir::challenges::LookupChallenges;
use crate::whir::expressions::{Leaf, Row};
use crate::whir::system::{Shape, System, TableSystem};

/// What remains to be checked after the sumcheck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The challenge that combines constraints.
    pub alpha: EF,
    /// The point: one coordinate per variable of the highest table. A table of `2^m` rows is opened
    /// at the last `m` of them.
    pub point: Vec<EF>,
    /// The sum of all tables' polynomials there.
    pub value: EF,
}

/// Why a zerocheck is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub enum ZerocheckError {
    /// The claim does not fit the tables.
    Claim(#[from] ClaimError),
    /// Another number of rounds than the highest table has variables.
    #[error("the zerocheck has {found} rounds, expected {expected}")]
    Rounds {
        /// Number of variables.
        expected: usize,
        /// Number of rounds.
        found: usize,
    },
    /// A round does not have as many coefficients as the degree of the tables.
    #[error("round {round} of the zerocheck has {found} coefficients, expected {expected}")]
    Coefficients {
        /// Index of the round.
        round: usize,
        /// Degree of the tables.
        expected: usize,
        /// Number of coefficients.
        found: usize,
    },
    /// The numbers of opened values are not those of the tables.
    #[error(
        "table {table} has a wrong number of opened values, expected one for each opened column"
    )]
    Opened {
        /// Name of the table, or how many tables have opened values.
        table: String,
    },
    /// Too few public values.
    PublicValues(#[from] CellsError),
    /// The opened values do not add up to what the sumcheck claims: a constraint is not zero, or
    /// the claim about the leaves is wrong.
    #[error("the opened values do not satisfy the constraints")]
    Value,
}

/// Verifies the sumcheck. The challenger must have absorbed everything that determines the cells
/// and the claim.
///
/// # Errors
/// If claim or proof do not have the shape of these tables. No proof of the right shape is refused
/// before [`check`].
pub fn verify(
    system: &System,
    shape: &Shape,
    claim: &LeafClaim,
    proof: &ZerocheckProof,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<Reduction, ZerocheckError> {
    let coordinates = claim.coordinates(shape)?;
    let (expected, found) = (coordinates.len(), proof.rounds.len());
    if expected != found {
        return Err(ZerocheckError::Rounds { expected, found });
    }
    let expected = system.degree();
    for (round, coefficients) in proof.rounds.iter().enumerate() {
        let found = coefficients.count();
        if expected != found {
            return Err(ZerocheckError::Coefficients {
                round,
                expected,
                found,
            });
        }
    }
    let alpha = challenger.sample_extension();
    let mut value = claim.sum();
    let mut point = Vec::with_capacity(coordinates.len());
    for (&coordinate, coefficients) in coordinates.iter().zip(&proof.rounds) {
        let coefficients = coefficients.read(challenger);
        let r = challenger.sample_extension();
        value = evaluate_round(coefficients, value, coordinate, r);
        point.push(r);
    }
    Ok(Reduction {
        alpha,
        point,
        value,
    })
}

/// Checks that the opened values, one list per table, are those of the sumcheck.
///
/// # Soundness
/// The caller must show that these are the values of the columns: those of the next row with the
/// last row followed by itself.
///
/// # Errors
/// If they are not, or if their numbers are not those of the tables.
pub fn check(
    system: &System,
    shape: &Shape,
    claim: &LeafClaim,
    challenges: &LookupChallenges,
    public_values: &[F],
    reduction: &Reduction,
    opened: &[Opened],
) -> Result<(), ZerocheckError> {
    claim.coordinates(shape)?;
    check_public_values(system, public_values)?;
    check_lengths(system, opened)?;
    let combinations = Combination::of_tables(system, shape, claim, challenges, reduction.alpha);
    let tables = system.tables().iter().zip(shape.log_heights()).zip(opened);
    let mut sum = EF::ZERO;
    for (((table, &log_height), opened), combination) in tables.zip(&combinations) {
        let before = reduction.point.len().saturating_sub(log_height);
        let (_, point) = reduction.point.split_at(before);
        sum += value(table, combination, opened, public_values, point);
    }
    if sum == reduction.value {
        Ok(())
    } else {
        Err(ZerocheckError::Value)
    }
}

/// Checks that there are as many opened values as the tables have columns.
///
/// # Errors
/// [`ZerocheckError::Opened`].
pub fn check_lengths(system: &System, opened: &[Opened]) -> Result<(), ZerocheckError> {
    let tables = system.tables();
    if opened.len() != tables.len() {
        return Err(ZerocheckError::Opened {
            table: opened.len().to_string(),
        });
    }
    for (table, opened) in tables.iter().zip(opened) {
        let expected =
            [&table.main, &table.preprocessed].map(|slots| [slots.width(), slots.num_next()]);
        let found = [
            [&opened.main, &opened.main_next].map(Vec::len),
            [&opened.preprocessed, &opened.preprocessed_next].map(Vec::len),
        ];
        if expected != found {
            return Err(ZerocheckError::Opened {
                table: table.name.to_owned(),
            });
        }
    }
    Ok(())
}

/// The value of a table's polynomial, of which the numbers of opened values have been checked.
fn value(
    table: &TableSystem,
    combination: &Combination,
    opened: &Opened,
    public_values: &[F],
    point: &[EF],
) -> EF {
    let (first, last) = selectors(point);
    let get = |values: &[EF], slot: usize| values.get(slot).copied().unwrap_or(EF::ZERO);
    let read = |leaf| match leaf {
        Leaf::Main(row, column) => {
            let slot = table.main.slot(column);
            match row {
                Row::Current => get(&opened.main, slot),
                Row::Next => get(&opened.main_next, slot),
            }
        }
        Leaf::Preprocessed(row, column) => {
            let slot = table.preprocessed.slot(column);
            match row {
                Row::Current => get(&opened.preprocessed, slot),
                Row::Next => get(&opened.preprocessed_next, slot),
            }
        }
        Leaf::Public(index) => public_values.get(index).copied().unwrap_or(F::ZERO).into(),
        Leaf::FirstRow => first,
        Leaf::LastRow => last,
        Leaf::Transition => EF::ONE - last,
    };
    let identities = table
        .expressions
        .evaluate_identities(combination.alpha, &read);
    let values = table.expressions.evaluate(&read);
    let outputs = table.expressions.outputs().zip(combination.coefficients());
    let terms = outputs.map(|(output, coefficient)| values[output] * coefficient);
    terms.sum::<EF>() + identities * combination.identities + combination.constant
}
