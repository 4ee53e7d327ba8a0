//! The prover of the zerocheck.

use std::iter::zip;

use droste_native::lanes::Packed;
use droste_native::stark::challenger::{ExtensionTranscript, Sent};
use droste_native::{EF, F};
use p3_field::{Field, PackedField, PrimeCharacteristicRing, batch_multiplicative_inverse};
use thiserror::Error;
use tracing::info_span;

use super::columns::{Eq, State};
use super::opened::open;
use super::polynomial::Polynomial;
use super::verifier::{Reduction, ZerocheckError, check};
use super::{ClaimError, Combination, LeafClaim, Opened, ZerocheckProof};
use crate::whir::cells::{self, Cells, CellsError, Rows};
use crate::whir::challenges::LookupChallenges;
use crate::whir::hypercube::eq_evaluations;
use crate::whir::system::{Shape, System};

/// Why no zerocheck is proved.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub enum ProvingError {
    /// The claim does not fit the tables.
    Claim(#[from] ClaimError),
    /// The cells do not fit the tables.
    Cells(#[from] CellsError),
    /// The cells violate a constraint, or do not have the claimed leaves.
    #[error("the cells violate a constraint, or do not have the claimed leaves")]
    Unsatisfied,
    /// The verifier would refuse the proof.
    #[error("the verifier would refuse the proof: {0}")]
    Refused(#[from] ZerocheckError),
}

/// A proof, and what it leads to.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The proof.
    pub proof: ZerocheckProof,
    /// What the verifier gets from it.
    pub reduction: Reduction,
    /// Values of the columns of each table. The transcript has not absorbed them.
    pub opened: Vec<Opened>,
}

/// Proves the claim, and that constraints are zero.
///
/// # Errors
/// If claim or cells do not have the shape of these tables, and if cells violate a constraint or do
/// not have the claimed leaves. The latter is found before the first round, where the sums of the
/// tables are not what the claim says; and again in the end, where the opened values are checked as
/// the verifier does.
pub fn prove(
    system: &System,
    shape: &Shape,
    cells: &[Cells<'_>],
    public_values: &[F],
    claim: &LeafClaim,
    challenges: &LookupChallenges,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<Proved, ProvingError> {
    prove_in::<Packed>(
        system,
        shape,
        cells,
        public_values,
        claim,
        challenges,
        challenger,
    )
}

/// [`prove`] in the lanes of a packed field.
pub(super) fn prove_in<P: PackedField<Scalar = F>>(
    system: &System,
    shape: &Shape,
    cells: &[Cells<'_>],
    public_values: &[F],
    claim: &LeafClaim,
    challenges: &LookupChallenges,
    challenger: &mut dyn ExtensionTranscript,
) -> Result<Proved, ProvingError> {
    let coordinates = claim.coordinates(shape)?;
    if let Some(round) = coordinates.iter().position(EF::is_zero) {
        return Err(ClaimError::ZeroCoordinate { round }.into());
    }
    cells::check(system, shape, cells, public_values)?;
    let alpha: EF = challenger.sample_extension();
    let combinations = Combination::of_tables(system, shape, claim, challenges, alpha);
    let rows = system.tables().iter().zip(cells).zip(shape.log_heights());
    let rows: Vec<Rows<'_>> = rows
        .map(|((table, &cells), &log_height)| Rows::new(table, cells, public_values, log_height))
        .collect();
    let weights = coordinates.get(1..).unwrap_or_default();
    let rounds = Rounds::<P> {
        weights: Eq::of_rounds(eq_evaluations(weights)),
        inverses: batch_multiplicative_inverse(coordinates),
        coordinates,
        // The linear form is interpolated too.
        interpolation: Interpolation::new(system.degree().max(1)),
    };

    let tables = system.tables().iter().zip(&combinations).zip(&rows);
    let mut tables: Vec<Prover<'_, P>> = tables
        .zip(shape.log_heights())
        .map(|(((table, combination), rows), &log_height)| {
            let _span = info_span!("first round", table = table.name).entered();
            let polynomial = Polynomial::new(&table.expressions, combination, public_values);
            Prover::new(polynomial, rows, &rounds, log_height)
        })
        .collect();
    let mut value = claim.sum();
    if tables.iter().map(|table| table.sum).sum::<EF>() != value {
        return Err(ProvingError::Unsatisfied);
    }

    let mut point = Vec::with_capacity(coordinates.len());
    let mut proof = ZerocheckProof { rounds: Vec::new() };
    for round in 0..coordinates.len() {
        let left = coordinates.len() - round;
        let mut coefficients = vec![EF::ZERO; system.degree() + 1];
        for table in &mut tables {
            table.add_round(&rounds, left, &mut coefficients);
        }
        let message = coefficients.get(1..).unwrap_or_default().to_vec();
        proof.rounds.push(Sent::send(message, challenger));
        let r: EF = challenger.sample_extension();
        value = evaluate(&coefficients, r);
        let _span = info_span!("fold").entered();
        for table in &mut tables {
            table.fold(&rounds, r, left);
        }
        point.push(r);
    }
    let reduction = Reduction {
        alpha,
        point,
        value,
    };
    let opened = info_span!("open").in_scope(|| open::<P>(system, &rows, &reduction.point));
    check(
        system,
        shape,
        claim,
        challenges,
        public_values,
        &reduction,
        &opened,
    )?;
    Ok(Proved {
        proof,
        reduction,
        opened,
    })
}

/// What is known of the rounds before the first one.
struct Rounds<'a, P: PackedField<Scalar = F>> {
    coordinates: &'a [EF],
    inverses: Vec<EF>,
    /// The weights of the rows, by number of variables after the round's.
    weights: Vec<Eq<P>>,
    interpolation: Interpolation,
}

/// A table during the rounds.
struct Prover<'a, P: PackedField<Scalar = F>> {
    polynomial: Polynomial,
    /// The columns, as long as variables are left.
    state: Option<State<'a, P>>,
    num_variables: usize,
    /// The table's sum.
    sum: EF,
    /// The sums of the linear form and of the polynomial's parts.
    sums: Vec<EF>,
    /// The round polynomials of these, in coefficients.
    round: Vec<Vec<EF>>,
    /// What is known of the table's second round.
    second: Second,
}

/// The second round of a table.
enum Second {
    /// For the linear form and each part, and for each of the points that its round polynomial is
    /// interpolated at, the coefficients of its value as a polynomial in the variable of the first
    /// round.
    Known(Vec<Vec<Vec<EF>>>),
    /// The first variable, which is to be fixed with that of the second round.
    Begun(EF),
    /// Nothing. Each round begins with columns of which the variables before are fixed.
    Unknown,
}

impl<'a, P: PackedField<Scalar = F>> Prover<'a, P> {
    /// Computes the columns and the table's first round, which depends on no challenge of a round.
    fn new(
        polynomial: Polynomial,
        rows: &Rows<'a>,
        rounds: &Rounds<'_, P>,
        log_height: usize,
    ) -> Self {
        let state = info_span!("columns").in_scope(|| State::new(&polynomial, rows));
        let first = rounds.coordinates.len() - log_height;
        let coordinate = rounds.coordinates[first];
        let interpolate = |values: &Vec<EF>| rounds.interpolation.coefficients(values);
        let parts = polynomial.parts.iter();
        let (round, second) = if let State::Cells(columns) = &state {
            let eq = &rounds.weights[log_height - 2];
            let [at_00, at_01, at_10, at_11] = columns.linear_sums_of_both(eq);
            let linear = vec![vec![at_00, at_10], vec![at_01, at_11]];
            let parts = parts.map(|part| columns.sums_of_both(part, eq));
            let second: Vec<Vec<Vec<EF>>> = std::iter::once(linear)
                .chain(parts)
                .map(|lines| lines.iter().map(interpolate).collect())
                .collect();
            // The first round's sums are those where the second variable is 0 or 1, weighted.
            let next = rounds.coordinates[first + 1];
            let weigh = |(&zero, &one): (&EF, &EF)| zero + next * (one - zero);
            let weighed = |lines: &Vec<Vec<EF>>| zip(&lines[0], &lines[1]).map(weigh).collect();
            let round: Vec<Vec<EF>> = second.iter().map(weighed).collect();
            (round, Second::Known(second))
        } else {
            let eq = &rounds.weights[log_height - 1];
            let linear = state.linear_sums(eq).to_vec();
            let parts = parts.map(|part| state.sums(part, eq, false));
            let values: Vec<Vec<EF>> = std::iter::once(linear).chain(parts).collect();
            (values.iter().map(interpolate).collect(), Second::Unknown)
        };
        let sum = |coefficients: &Vec<EF>| {
            let (zero, one) = (coefficients[0], coefficients.iter().copied().sum::<EF>());
            zero + coordinate * (one - zero)
        };
        let sums: Vec<EF> = round.iter().map(sum).collect();
        Self {
            polynomial,
            state: Some(state),
            num_variables: log_height,
            sum: sums.iter().copied().sum(),
            sums,
            round,
            second,
        }
    }

    /// Adds the table's part of the round in which `left` variables are left.
    fn add_round(&mut self, rounds: &Rounds<'_, P>, left: usize, coefficients: &mut [EF]) {
        if self.num_variables < left {
            coefficients[0] += self.sum;
            return;
        }
        if self.round.is_empty() {
            self.compute_round(rounds, left);
        }
        for of_part in &self.round {
            zip(&mut *coefficients, of_part).for_each(|(sum, &coefficient)| *sum += coefficient);
        }
    }

    /// The value of each part at 1 follows from its sum and its value at 0.
    fn compute_round(&mut self, rounds: &Rounds<'_, P>, left: usize) {
        let Some(state) = &self.state else {
            return;
        };
        let _span = info_span!("round", left).entered();
        let eq = &rounds.weights[left - 1];
        let round = rounds.coordinates.len() - left;
        let (coordinate, inverse) = (rounds.coordinates[round], rounds.inverses[round]);
        let at_one = |zero: EF, sum: EF| zero + (sum - zero) * inverse;
        debug_assert!(coordinate * inverse == EF::ONE);
        let [zero, _] = state.linear_sums(eq);
        let linear = vec![zero, at_one(zero, self.sums[0]) - zero];
        let parts = self.polynomial.parts.iter().zip(&self.sums[1..]);
        let parts = parts.map(|(part, &sum)| {
            let mut values = state.sums(part, eq, true);
            values.insert(1, at_one(values[0], sum));
            rounds.interpolation.coefficients(&values)
        });
        self.round = std::iter::once(linear).chain(parts).collect();
    }

    /// Fixes the variable of the round in which `left` variables are left.
    fn fold(&mut self, rounds: &Rounds<'_, P>, r: EF, left: usize) {
        if self.num_variables < left {
            return;
        }
        let round = std::mem::take(&mut self.round);
        self.sums = round.iter().map(|part| evaluate(part, r)).collect();
        self.num_variables -= 1;
        let state = self.state.take();
        match std::mem::replace(&mut self.second, Second::Unknown) {
            Second::Known(lines) => {
                let at_r = |line: &Vec<EF>| evaluate(line, r);
                let values = lines
                    .iter()
                    .map(|lines| lines.iter().map(at_r).collect::<Vec<EF>>());
                let round = values.map(|values| rounds.interpolation.coefficients(&values));
                self.round = round.collect();
                self.state = state;
                self.second = Second::Begun(r);
            }
            Second::Begun(first) => self.state = state.map(|state| state.fold_both([first, r])),
            Second::Unknown => self.state = state.map(|state| state.fold(r)),
        }
    }
}

/// The value of a polynomial, given its coefficients.
fn evaluate(coefficients: &[EF], r: EF) -> EF {
    let coefficients = coefficients.iter().rev();
    coefficients.fold(EF::ZERO, |value, &coefficient| value * r + coefficient)
}

/// Interpolation at 0, 1, 2 and so on.
struct Interpolation {
    /// By number of points: of each point the coefficients of the polynomial that is one there and
    /// zero at the others.
    bases: Vec<Vec<Vec<F>>>,
}

impl Interpolation {
    fn new(degree: usize) -> Self {
        Self {
            bases: (0..degree + 2).map(basis).collect(),
        }
    }

    /// The coefficients of the polynomial with these values.
    fn coefficients(&self, values: &[EF]) -> Vec<EF> {
        let mut coefficients = vec![EF::ZERO; values.len()];
        for (polynomial, &value) in zip(&self.bases[values.len()], values) {
            for (sum, &coefficient) in zip(&mut coefficients, polynomial) {
                *sum += value * coefficient;
            }
        }
        coefficients
    }
}

fn basis(points: usize) -> Vec<Vec<F>> {
    let polynomial = |point: usize| {
        let mut coefficients = vec![F::ONE];
        for other in (0..points).filter(|&other| other != point) {
            // Times (X - other) / (point - other).
            let (point, other) = (F::from_usize(point), F::from_usize(other));
            let scale = (point - other).inverse();
            coefficients.push(F::ZERO);
            for index in (0..coefficients.len()).rev() {
                let below = index
                    .checked_sub(1)
                    .map_or(F::ZERO, |below| coefficients[below]);
                coefficients[index] = (below - coefficients[index] * other) * scale;
            }
        }
        coefficients
    };
    (0..points).map(polynomial).collect()
}
