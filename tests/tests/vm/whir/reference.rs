//! A prover of the zerocheck that follows the definitions, row by row and without packing. It does
//! not check what it proves.

use std::collections::BTreeMap;

use droste_native::stark::challenger::{ExtensionTranscript, Sent};
use droste_native::{EF, F};
use droste_vm::whir::expressions::{Leaf, Row as Offset};
use droste_vm::whir::system::{Slots, TableSystem};
use droste_vm::whir::zerocheck::{LeafClaim, Opened, ZerocheckProof};
use p3_challenger::FieldChallenger;
use p3_field::{Algebra, Field, PrimeCharacteristicRing};

use super::run::{Run, challenger};

/// A row of a table.
pub struct Row<'a> {
    pub run: &'a Run,
    pub table: usize,
    pub row: usize,
}

impl Row<'_> {
    fn read(&self, leaf: Leaf) -> F {
        let table = &self.run.system.tables()[self.table];
        let height = 1 << self.run.shape.log_heights()[self.table];
        let last = height - 1;
        let row = |offset| match offset {
            Offset::Current => self.row,
            Offset::Next => (self.row + 1).min(last),
        };
        match leaf {
            Leaf::Main(offset, column) => {
                self.run.main[self.table][table.main.slot(column) * height + row(offset)]
            }
            Leaf::Preprocessed(offset, column) => {
                let slot = table.preprocessed.slot(column);
                self.run.preprocessed[self.table][slot * height + row(offset)]
            }
            Leaf::Public(index) => self.run.public_values[index],
            Leaf::FirstRow => F::from_bool(self.row == 0),
            Leaf::LastRow => F::from_bool(self.row == last),
            Leaf::Transition => F::from_bool(self.row != last),
        }
    }

    /// Values of all nodes of the table's expressions.
    pub fn values(&self) -> Vec<F> {
        let table = &self.run.system.tables()[self.table];
        table.expressions.evaluate(&|leaf| self.read(leaf))
    }

    /// Whether a constraint is violated.
    pub fn is_wrong(&self) -> bool {
        let table = &self.run.system.tables()[self.table];
        let constraints = constraints(table, &self.values(), |leaf| self.read(leaf));
        constraints.iter().any(|&value| value != F::ZERO)
    }
}

/// The values of all constraints of a table, given those of its nodes: first the coefficients of
/// its identities, from the highest on, one product of coefficients after the other.
fn constraints<V: Algebra<F> + Copy + PartialEq>(
    table: &TableSystem,
    nodes: &[V],
    read: impl Fn(Leaf) -> V,
) -> Vec<V> {
    let mut constraints = Vec::with_capacity(table.expressions.num_constraints());
    for identity in table.expressions.identities() {
        let cells = |columns: &[usize]| -> Vec<V> {
            let cells = columns
                .iter()
                .map(|&column| Leaf::Main(Offset::Current, column));
            cells.map(&read).collect()
        };
        let mut coefficients = vec![V::ZERO; identity.num_coefficients()];
        for [left, right] in &identity.products {
            let right = cells(right);
            for (i, left) in cells(left).into_iter().enumerate() {
                // Most cells are bits, and padding is zero.
                if left == V::ZERO {
                    continue;
                }
                for (j, &right) in right.iter().enumerate() {
                    coefficients[i + j] += left * right;
                }
            }
        }
        for (summand, weight) in &identity.summands {
            for (i, cell) in cells(summand).into_iter().enumerate() {
                for &(exponent, factor) in weight {
                    coefficients[i + exponent] += cell * factor;
                }
            }
        }
        constraints.extend(coefficients.into_iter().rev());
    }
    constraints.extend(
        table
            .expressions
            .constraints()
            .iter()
            .map(|&node| nodes[node]),
    );
    constraints
}

/// `prod_i (z_i x_i + (1 - z_i) (1 - x_i))`, big-endian.
fn eq(point: &[EF], index: usize) -> EF {
    let bit = |i: usize| F::from_usize((index >> (point.len() - 1 - i)) & 1);
    (0..point.len())
        .map(|i| point[i] * bit(i) + (EF::ONE - point[i]) * (F::ONE - bit(i)))
        .product()
}

/// A table's polynomial as a function of what is read.
struct Table<'a> {
    run: &'a Run,
    table: usize,
    claim: &'a LeafClaim,
    /// What each constraint is multiplied by.
    powers: Vec<EF>,
    /// What the fraction of each message is multiplied by.
    weights: Vec<EF>,
    columns: BTreeMap<Leaf, Vec<EF>>,
}

impl<'a> Table<'a> {
    fn new(run: &'a Run, table: usize, claim: &'a LeafClaim, alpha: EF) -> Self {
        let tables = run.system.tables();
        let of_system = &tables[table];
        let mut read = leaves(&of_system.main, Leaf::Main);
        read.extend(leaves(&of_system.preprocessed, Leaf::Preprocessed));
        read.extend([Leaf::FirstRow, Leaf::LastRow, Leaf::Transition]);
        let log_height = run.shape.log_heights()[table];
        let column = |leaf| {
            let rows = (0..1 << log_height).map(|row| Row { run, table, row });
            rows.map(|row| EF::from(row.read(leaf))).collect()
        };
        let constraints = |table: &TableSystem| table.expressions.num_constraints();
        let later: usize = tables[..table].iter().map(constraints).sum();
        let powers = (0..constraints(of_system)).rev();
        let first = run.shape.starts()[table] >> log_height;
        let high = &claim.point[..claim.point.len() - log_height];
        let messages = 0..of_system.expressions.messages().len();
        Self {
            run,
            table,
            claim,
            powers: powers
                .map(|index| alpha.exp_u64((later + index) as u64 + 1))
                .collect(),
            weights: messages.map(|index| eq(high, first + index)).collect(),
            columns: read.into_iter().map(|leaf| (leaf, column(leaf))).collect(),
        }
    }

    fn read(&self, leaf: Leaf, value: impl Fn(&[EF]) -> EF) -> EF {
        value(&self.columns[&leaf])
    }

    /// The polynomial, as in the documentation of the zerocheck.
    fn evaluate(&self, value: impl Fn(&[EF]) -> EF + Copy) -> EF {
        let run = self.run;
        let table = &run.system.tables()[self.table];
        let values = table.expressions.evaluate(&|leaf| match leaf {
            Leaf::Public(index) => run.public_values[index].into(),
            leaf => self.read(leaf, value),
        });
        let mut sum = EF::ZERO;
        let constraints = constraints(table, &values, |leaf| self.read(leaf, value));
        for (&constraint, &power) in constraints.iter().zip(&self.powers) {
            sum += constraint * power;
        }
        let (alpha, beta) = (run.challenges.alpha, run.challenges.beta);
        let above = beta.exp_u64(run.system.message_width() as u64);
        for (index, message) in table.expressions.messages().iter().enumerate() {
            let combined = message.payload.iter();
            let combined = combined.fold(EF::ZERO, |sum, &element| sum * beta + values[element]);
            let bus = F::from_usize(table.buses[index] + 1);
            let denominator = alpha + above * bus - combined;
            let fraction =
                values[message.multiplicity] + self.claim.theta * (denominator - EF::ONE);
            sum += self.weights[index] * fraction;
        }
        sum
    }

    fn num_rows(&self) -> usize {
        self.columns[&Leaf::FirstRow].len()
    }
}

fn leaves(slots: &Slots, leaf: fn(Offset, usize) -> Leaf) -> Vec<Leaf> {
    let columns = slots.columns().iter();
    let next = columns.clone().take(slots.num_next());
    columns
        .map(|&column| leaf(Offset::Current, column))
        .chain(next.map(|&column| leaf(Offset::Next, column)))
        .collect()
}

pub fn prove(run: &Run, claim: &LeafClaim) -> (ZerocheckProof, Vec<Opened>) {
    let mut challenger = challenger(2);
    let alpha = challenger.sample_algebra_element();
    let mut tables: Vec<Table<'_>> = (0..run.system.tables().len())
        .map(|table| Table::new(run, table, claim, alpha))
        .collect();

    let num_rounds = run.shape.max_log_height();
    let degree = run.system.degree();
    let coordinates = &claim.point[claim.point.len() - num_rounds..];
    // What a table adds to the rounds before its own.
    let sums: Vec<EF> = tables
        .iter()
        .map(|table| {
            let rows = table.num_rows();
            let later = &coordinates[num_rounds - rows.ilog2() as usize..];
            let values = (0..rows).map(|row| eq(later, row) * table.evaluate(|column| column[row]));
            values.sum()
        })
        .collect();
    let mut rounds = vec![];
    for round in 0..num_rounds {
        // The round's polynomial at 0, 1, .., degree.
        let mut evaluations = vec![EF::ZERO; degree + 1];
        for (table, &sum) in tables.iter().zip(&sums) {
            let left = num_rounds - round;
            let rows = table.num_rows();
            if rows < 1 << left {
                evaluations.iter_mut().for_each(|value| *value += sum);
                continue;
            }
            let half = rows / 2;
            for (point, value) in evaluations.iter_mut().enumerate() {
                let point = F::from_usize(point);
                for row in 0..half {
                    let weight = eq(&coordinates[round + 1..], row);
                    *value += weight
                        * table.evaluate(|column| {
                            column[row] + (column[row + half] - column[row]) * point
                        });
                }
            }
        }
        let mut coefficients = interpolate(&evaluations);
        let _constant = coefficients.remove(0);
        for &coefficient in &coefficients {
            challenger.observe_extension(coefficient);
        }
        let r: EF = challenger.sample_algebra_element();
        for table in &mut tables {
            if table.num_rows() < 1 << (num_rounds - round) {
                continue;
            }
            for column in table.columns.values_mut() {
                let (low, high) = column.split_at(column.len() / 2);
                let pairs = low.iter().zip(high);
                *column = pairs.map(|(&low, &high)| low + (high - low) * r).collect();
            }
        }
        rounds.push(Sent::forged(coefficients));
    }
    let opened = tables.iter().map(|table| {
        let of_system = &run.system.tables()[table.table];
        let values = |slots: &Slots, leaf: fn(Offset, usize) -> Leaf| {
            let mut values: Vec<EF> = leaves(slots, leaf)
                .into_iter()
                .map(|leaf| table.read(leaf, |column| column[0]))
                .collect();
            let next = values.split_off(slots.width());
            (values, next)
        };
        let (main, main_next) = values(&of_system.main, Leaf::Main);
        let (preprocessed, preprocessed_next) = values(&of_system.preprocessed, Leaf::Preprocessed);
        Opened {
            main,
            main_next,
            preprocessed,
            preprocessed_next,
        }
    });
    (ZerocheckProof { rounds }, opened.collect())
}

/// Coefficients of the polynomial with these values at 0, 1, 2 and so on, by Newton's differences.
fn interpolate(values: &[EF]) -> Vec<EF> {
    let mut differences = values.to_vec();
    for order in 1..values.len() {
        for index in (order..values.len()).rev() {
            let difference = differences[index] - differences[index - 1];
            differences[index] = difference * F::from_usize(order).inverse();
        }
    }
    let mut coefficients = vec![EF::ZERO; values.len()];
    for (node, &difference) in differences.iter().enumerate().rev() {
        // Times (X - node), plus the difference.
        for index in (0..coefficients.len()).rev() {
            let below = index
                .checked_sub(1)
                .map_or(EF::ZERO, |below| coefficients[below]);
            coefficients[index] = below - coefficients[index] * F::from_usize(node);
        }
        coefficients[0] += difference;
    }
    coefficients
}
