//! The messages of a table's lookups as a straight-line program.
//!
//! Plonky3 keeps the fields and counts of messages as symbolic expressions. They are lowered once,
//! equal subexpressions to one step, and the steps are then evaluated on packed rows.

use std::collections::{BTreeSet, HashMap};

use droste_native::{EF, F};
use p3_air::symbolic::{BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_field::{
    Algebra, BasedVectorSpace, ExtensionField, Field, PackedValue, PrimeCharacteristicRing,
};
use p3_lookup::Lookup;

use crate::multilinear::expressions::Node;
pub(super) use crate::multilinear::expressions::Row;

/// Field elements of several rows.
pub(super) type Packed = <F as Field>::Packing;

/// Extension field elements of several rows.
pub(super) type PackedExt = <EF as ExtensionField<F>>::ExtensionPacking;

/// Number of rows that are evaluated together.
pub(super) const LANES: usize = <Packed as PackedValue>::WIDTH;

/// Number of base field elements in an extension field element.
pub(super) const DEGREE: usize = <EF as BasedVectorSpace<F>>::DIMENSION;

/// A value that the program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Leaf {
    Main(Row, usize),
    Preprocessed(Row, usize),
    Periodic(usize),
    Public(usize),
    FirstRow,
    LastRow,
    Transition,
}

/// One step of the program. Operands are the indices of earlier steps.
type Step = Node<Leaf>;

/// A message: the steps that compute its fields, its count and, in an exclusive lookup, its flag.
#[derive(Clone, Debug)]
struct Message {
    fields: Vec<usize>,
    count: usize,
    flag: Option<usize>,
}

/// The messages of a table's lookups: those of one column are added to one fraction.
#[derive(Clone, Debug)]
pub(super) struct Messages {
    steps: Vec<Step>,
    columns: Vec<Vec<Message>>,
}

impl Messages {
    /// Lowers the messages of these lookups.
    pub(super) fn new(lookups: &[Lookup<F>]) -> Self {
        let mut lowering = Lowering::default();
        let columns = lookups
            .iter()
            .map(|lookup| {
                let counts = lookup.elements.iter().zip(&lookup.multiplicities);
                counts
                    .enumerate()
                    .map(|(index, (fields, count))| Message {
                        fields: fields.iter().map(|field| lowering.lower(field)).collect(),
                        count: lowering.lower(count),
                        flag: lookup
                            .flags
                            .as_ref()
                            .and_then(|flags| flags.get(index))
                            .map(|flag| lowering.lower(flag)),
                    })
                    .collect()
            })
            .collect();
        Self {
            steps: lowering.steps,
            columns,
        }
    }

    /// The main columns that messages read, in ascending order.
    pub(super) fn main_columns(&self) -> Vec<usize> {
        let columns = self.steps.iter().filter_map(|step| match step {
            Step::Leaf(Leaf::Main(_, column)) => Some(*column),
            _ => None,
        });
        let columns: BTreeSet<usize> = columns.collect();
        columns.into_iter().collect()
    }

    /// Evaluates every step.
    pub(super) fn evaluate(&self, values: &mut Vec<Packed>, read: impl Fn(Leaf) -> Packed) {
        values.clear();
        for step in &self.steps {
            let value = match *step {
                Step::Leaf(leaf) => read(leaf),
                Step::Constant(constant) => constant.into(),
                Step::Add(x, y) => values[x] + values[y],
                Step::Sub(x, y) => values[x] - values[y],
                Step::Mul(x, y) => values[x] * values[y],
                Step::Neg(x) => -values[x],
            };
            values.push(value);
        }
    }
}

/// The state of lowering: the steps so far, by content, and by the expression that they compute.
#[derive(Default)]
struct Lowering {
    steps: Vec<Step>,
    by_content: HashMap<Step, usize>,
    by_expression: HashMap<*const SymbolicExpression<F>, usize>,
}

impl Lowering {
    fn lower(&mut self, expression: &SymbolicExpression<F>) -> usize {
        // Shared subexpressions have one address. The lookups are borrowed while they are lowered,
        // so that no address is used twice.
        let address: *const _ = expression;
        if let Some(&index) = self.by_expression.get(&address) {
            return index;
        }
        let step = match expression {
            SymbolicExpr::Leaf(leaf) => leaf_step(leaf),
            SymbolicExpr::Add { x, y, .. } => Step::Add(self.lower(x), self.lower(y)),
            SymbolicExpr::Sub { x, y, .. } => Step::Sub(self.lower(x), self.lower(y)),
            SymbolicExpr::Mul { x, y, .. } => Step::Mul(self.lower(x), self.lower(y)),
            SymbolicExpr::Neg { x, .. } => Step::Neg(self.lower(x)),
        };
        let next = self.steps.len();
        let index = *self.by_content.entry(step).or_insert(next);
        if index == next {
            self.steps.push(step);
        }
        self.by_expression.insert(address, index);
        index
    }
}

fn leaf_step(leaf: &BaseLeaf<F>) -> Step {
    let row = |offset| match offset {
        0 => Row::Current,
        _ => Row::Next,
    };
    Step::Leaf(match leaf {
        BaseLeaf::Constant(constant) => return Step::Constant(*constant),
        BaseLeaf::IsFirstRow => Leaf::FirstRow,
        BaseLeaf::IsLastRow => Leaf::LastRow,
        BaseLeaf::IsTransition => Leaf::Transition,
        BaseLeaf::Variable(variable) => match variable.entry {
            BaseEntry::Main { offset } => Leaf::Main(row(offset), variable.index),
            BaseEntry::Preprocessed { offset } => Leaf::Preprocessed(row(offset), variable.index),
            BaseEntry::Periodic => Leaf::Periodic(variable.index),
            BaseEntry::Public => Leaf::Public(variable.index),
        },
    })
}

/// Messages and the challenges under which they become fractions.
pub(super) struct Fractions<'a> {
    messages: &'a Messages,
    columns: Vec<Challenged<'a>>,
}

/// The messages of a column and its challenges.
struct Challenged<'a> {
    messages: &'a [Message],
    alpha: PackedExt,
    /// Per coefficient of the extension field, those of the negated powers of the challenge by
    /// which the fields are multiplied, from the last field but one to the first.
    powers: Vec<Vec<F>>,
}

impl<'a> Fractions<'a> {
    /// `challenges` has two elements per column: that from which messages are subtracted, and that
    /// whose powers combine the fields.
    pub(super) fn new(messages: &'a Messages, challenges: &[EF]) -> Self {
        let columns = messages.columns.iter().zip(challenges.chunks_exact(2));
        let columns = columns
            .map(|(column, challenge)| {
                let (alpha, beta) = (challenge[0], challenge[1]);
                let longest = column.iter().map(|message| message.fields.len()).max();
                let powers: Vec<EF> = beta.powers().take(longest.unwrap_or(0)).collect();
                let negated = |d: usize| {
                    let powers = powers.iter().skip(1);
                    powers.map(move |power| {
                        let coefficients: &[F] = power.as_basis_coefficients_slice();
                        -coefficients[d]
                    })
                };
                Challenged {
                    messages: column,
                    alpha: alpha.into(),
                    powers: (0..DEGREE).map(|d| negated(d).collect()).collect(),
                }
            })
            .collect();
        Self { messages, columns }
    }

    /// Evaluates the messages, and passes numerator and denominator of each column's fraction to
    /// `each`, in order.
    ///
    /// The fraction is the sum of `count / (alpha - message)`, where a message is the polynomial
    /// with its fields as coefficients, the last one constant, at the challenge (LogUp: ePrint
    /// 2022/1530).
    pub(super) fn evaluate(
        &self,
        scratch: &mut Scratch,
        read: impl Fn(Leaf) -> Packed,
        mut each: impl FnMut(PackedExt, PackedExt),
    ) {
        let Scratch { values, fields } = scratch;
        self.messages.evaluate(values, read);
        for column in &self.columns {
            let (mut numerator, mut denominator) = (PackedExt::ZERO, PackedExt::ONE);
            for (index, message) in column.messages.iter().enumerate() {
                let term = column.term(message, values, fields);
                let count = values[message.count];
                match message.flag {
                    // At most one flag is 1. If none is, the fraction is 0 / 1.
                    Some(flag) => {
                        let flag = values[flag];
                        numerator += flag * count;
                        denominator += (term - PackedExt::ONE) * flag;
                    }
                    None if index == 0 => (numerator, denominator) = (count.into(), term),
                    None if index == 1 => {
                        let first = values[column.messages[0].count];
                        numerator = term * first + denominator * count;
                        denominator *= term;
                    }
                    None => {
                        numerator = numerator * term + denominator * count;
                        denominator *= term;
                    }
                }
            }
            each(numerator, denominator);
        }
    }
}

/// Buffers of [`Fractions::evaluate`].
#[derive(Default)]
pub(super) struct Scratch {
    values: Vec<Packed>,
    fields: Vec<Packed>,
}

impl Challenged<'_> {
    /// Returns `alpha - message`.
    fn term(&self, message: &Message, values: &[Packed], fields: &mut Vec<Packed>) -> PackedExt {
        let Some((&last, leading)) = message.fields.split_last() else {
            return self.alpha;
        };
        fields.clear();
        fields.extend(leading.iter().rev().map(|&field| values[field]));
        let combined = PackedExt::from_basis_coefficients_fn(|d| {
            let powers = &self.powers[d][..fields.len()];
            Packed::batched_linear_combination(fields, powers)
        });
        self.alpha + combined - values[last]
    }
}
