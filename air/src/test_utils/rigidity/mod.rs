//! Soundness tests by differentiation: which cells can change, to first order, although inputs do
//! not?
//!
//! [`Rigidity`] takes tables with honest traces. Every constraint, on every row, is a polynomial in
//! the cells of two rows. Its differential at the trace is a linear form in the changes of these
//! cells, which must be zero if the changed trace is to satisfy the constraint, too. So are the
//! forms that buses give:
//!
//! - The counts of equal messages keep their sum.
//! - An element of a message whose count is not zero changes as that of the message that answers
//!   it. On an open bus the other side is honest, and the element does not change. If several equal
//!   messages answer several others, any of them may answer any, and only the sum of the elements'
//!   changes, each times its count, is zero.
//!
//! The cells that a test declares as [given](Rigidity::given), such as inputs, do not change.
//! Elimination then finds the cells whose change is zero in every solution of this linear system.
//! Every other cell is *free*: constraints leave it to the prover, at least to first order. A test
//! lists those that may be, each with its reason.
//!
//! Unlike [`Harness::mutate`](super::Harness::mutate), which changes one cell and leaves the others
//! alone, this finds any number of cells that change together. It sees the first order only. What
//! has a finite number of solutions is rigid: a sign, the root of a square, a bit that is another
//! bit, rows that are exchanged, a message that is answered by another one. A mutation sees some of
//! these. The reverse is possible, too: a cell is free to first order but not in truth if the only
//! constraint on it is a square or a product of two zeros. And it is a statement about one trace:
//! the trace must exercise every kind of row, and its inputs should be random.

mod differential;
#[cfg(test)]
mod hashes;
mod linear;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use p3_field::{Field, PrimeField32};
use p3_matrix::Matrix;

use self::differential::{Dual, Expressions, Row, SymbolicTable};
use self::linear::{Form, combine, zeros};
use super::check::{Failure, canonical, is_listed};

/// A cell of a trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Name of the table.
    pub table: String,
    /// Name of the column.
    pub column: String,
    /// Row of the trace.
    pub row: usize,
}

/// A constraint or a message of a table, by its position in the order in which the table declares
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A constraint.
    Constraint(usize),
    /// A message.
    Message(usize),
}

/// Free cells against those that a test lists.
#[derive(Clone, Debug)]
pub struct RigidityReport {
    /// Number of all cells.
    pub cells: usize,
    /// Number of cells that are free and listed.
    pub listed: usize,
    /// Cells that are free although they are not listed.
    pub free: Vec<Cell>,
    /// Cells that are listed although they are not free.
    pub not_free: Vec<Cell>,
}

impl RigidityReport {
    /// Prints the number of cells.
    ///
    /// # Panics
    ///
    /// If a cell is free that is not listed, or the reverse.
    pub fn expect_rigid(&self) {
        println!("{self}");
        assert!(self.free.is_empty() && self.not_free.is_empty(), "{self}");
    }
}

impl fmt::Display for RigidityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cells, {} listed as free", self.cells, self.listed)?;
        for (cells, what) in [
            (&self.free, "free"),
            (&self.not_free, "listed, but not free"),
        ] {
            let mut columns: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
            for cell in cells {
                let column = columns.entry((&cell.table, &cell.column)).or_default();
                column.push(cell.row);
            }
            for ((table, column), rows) in columns {
                write!(f, "\n  {what}: {table}, {column}, rows {rows:?}")?;
            }
        }
        Ok(())
    }
}

/// Cells of one table: rows of the columns of this name, or whose names continue it with `[` or `.`.
struct Listed {
    table: String,
    column: String,
    rows: Vec<usize>,
}

impl Listed {
    fn new(table: &str, column: &str, rows: impl IntoIterator<Item = usize>) -> Self {
        Self {
            table: table.to_owned(),
            column: column.to_owned(),
            rows: rows.into_iter().collect(),
        }
    }
}

/// A set of tables with honest traces, and what is known of their cells.
pub struct Rigidity<'a, F: Field> {
    tables: Vec<SymbolicTable<'a, F>>,
    open_buses: Vec<String>,
    given: Vec<Listed>,
    free: Vec<Listed>,
}

impl<'a, F: PrimeField32> Rigidity<'a, F> {
    /// A set of tables whose buses must balance among these tables.
    pub const fn new(tables: Vec<SymbolicTable<'a, F>>) -> Self {
        Self {
            tables,
            open_buses: Vec::new(),
            given: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Declares that the other side of a bus is outside of this set and honest: it sends and
    /// receives exactly what the traces need.
    #[must_use]
    pub fn open_bus(mut self, bus: &str) -> Self {
        self.open_buses.push(bus.to_owned());
        self
    }

    /// Declares cells that do not change, such as inputs: those on these rows, in the columns of
    /// `table` whose name is `column` or starts with it followed by `[` or `.`.
    #[must_use]
    pub fn given(
        mut self,
        table: &str,
        column: &str,
        rows: impl IntoIterator<Item = usize>,
    ) -> Self {
        self.given.push(Listed::new(table, column, rows));
        self
    }

    /// Declares, with a reason, cells that are free by design, named as by [`Self::given`].
    #[must_use]
    pub fn free(
        mut self,
        table: &str,
        column: &str,
        rows: impl IntoIterator<Item = usize>,
        _reason: &str,
    ) -> Self {
        self.free.push(Listed::new(table, column, rows));
        self
    }

    /// Finds the free cells, and compares them with those that are declared.
    ///
    /// # Errors
    ///
    /// If the traces are not honest.
    ///
    /// # Panics
    ///
    /// If a declaration names a cell that does not exist, or a table has constraints over an
    /// extension field or indexed lookups, which are not supported.
    pub fn check(&self) -> Result<RigidityReport, Failure> {
        let free = self.linearise()?.free(None);
        let listed: BTreeSet<usize> = self.cells(&self.free).collect();
        let name = |cells: Vec<usize>| cells.into_iter().map(|cell| self.cell(cell)).collect();
        Ok(RigidityReport {
            cells: self.first_cells().1,
            listed: free.intersection(&listed).count(),
            free: name(free.difference(&listed).copied().collect()),
            not_free: name(listed.difference(&free).copied().collect()),
        })
    }

    /// Leaves out one constraint or message of a table after another, and returns for each the
    /// cells that become free. A test of the test: a part without such cells is one that the test
    /// does not see.
    ///
    /// # Errors
    ///
    /// If the traces are not honest.
    ///
    /// # Panics
    ///
    /// As [`Self::check`], and if there is no such table.
    pub fn removals(&self, table: &str) -> Result<Vec<(Part, Vec<Cell>)>, Failure> {
        let linear = self.linearise()?;
        let index = self.index(table);
        let free = linear.free(None);
        let parts = linear.parts(index).into_iter().map(|part| {
            let freed = linear.free(Some((index, part)));
            let freed = freed.difference(&free).map(|&cell| self.cell(cell));
            (part, freed.collect())
        });
        Ok(parts.collect())
    }

    fn index(&self, table: &str) -> usize {
        let index = self.tables.iter().position(|other| other.name == table);
        index.unwrap_or_else(|| panic!("no table named {table}"))
    }

    /// The number of each table's first cell, and of all cells.
    fn first_cells(&self) -> (Vec<usize>, usize) {
        let mut total = 0;
        let mut first = Vec::with_capacity(self.tables.len());
        for table in &self.tables {
            first.push(total);
            total += table.trace.values.len();
        }
        (first, total)
    }

    fn cell(&self, number: usize) -> Cell {
        let (first, _) = self.first_cells();
        let index = first.partition_point(|&first| first <= number) - 1;
        let (table, number) = (&self.tables[index], number - first[index]);
        let width = table.trace.width();
        Cell {
            table: table.name.clone(),
            column: table.names[number % width].clone(),
            row: number / width,
        }
    }

    fn cells<'s>(&'s self, listed: &'s [Listed]) -> impl Iterator<Item = usize> + 's {
        let (first, _) = self.first_cells();
        listed.iter().flat_map(move |listed| {
            let index = self.index(&listed.table);
            let (first, table) = (first[index], &self.tables[index]);
            let names = table.names.iter().enumerate();
            let columns = names.filter(|(_, name)| is_listed(name, &listed.column));
            let columns: Vec<usize> = columns.map(|(column, _)| column).collect();
            assert!(!columns.is_empty(), "no column named {}", listed.column);
            let (width, height) = (table.trace.width(), table.trace.height());
            listed.rows.iter().flat_map(move |&row| {
                assert!(row < height, "table {} has no row {row}", table.name);
                let columns = columns.clone().into_iter();
                columns.map(move |column| first + row * width + column)
            })
        })
    }

    /// Differentiates the constraints and messages of all tables.
    fn linearise(&self) -> Result<Linear<'_, F>, Failure> {
        let (first, cells) = self.first_cells();
        let mut linear = Linear {
            cells,
            open_buses: &self.open_buses,
            given: self
                .cells(&self.given)
                .map(|cell| vec![(cell, F::ONE)])
                .collect(),
            constraints: Vec::new(),
            messages: Vec::new(),
        };
        for (index, table) in self.tables.iter().enumerate() {
            table.check_width()?;
            let expressions = Expressions::new(table);
            for row in 0..table.trace.height() {
                let mut at = Row::new(table, first[index], row);
                for (constraint, expression) in expressions.constraints.iter().enumerate() {
                    let Dual { value, form } = &*at.evaluate(expression);
                    if !value.is_zero() {
                        return Err(Failure::Constraint {
                            table: table.name.clone(),
                            row,
                            constraint,
                        });
                    }
                    linear.constraints.push((index, constraint, form.clone()));
                }
                for (number, message) in expressions.messages.iter().enumerate() {
                    let fields = message.fields.iter();
                    let fields = fields.map(|field| (*at.evaluate(field)).clone());
                    let (values, forms) = fields.map(|dual| (dual.value, dual.form)).unzip();
                    linear.messages.push(Message {
                        table: index,
                        number,
                        bus: message.bus.clone(),
                        fields: values,
                        forms,
                        count: (*at.evaluate(&message.count)).clone(),
                    });
                }
            }
        }
        linear.check_buses()?;
        Ok(linear)
    }
}

/// A message of one row.
struct Message<F> {
    table: usize,
    number: usize,
    bus: String,
    fields: Vec<F>,
    forms: Vec<Form<F>>,
    count: Dual<F>,
}

/// Constraints and messages of all tables, to first order.
struct Linear<'a, F> {
    cells: usize,
    open_buses: &'a [String],
    given: Vec<Form<F>>,
    constraints: Vec<(usize, usize, Form<F>)>,
    messages: Vec<Message<F>>,
}

impl<F: PrimeField32> Linear<'_, F> {
    /// The parts of a table.
    fn parts(&self, table: usize) -> BTreeSet<Part> {
        let constraints = self.constraints.iter().filter(|other| other.0 == table);
        let messages = self.messages.iter().filter(|other| other.table == table);
        let constraints = constraints.map(|other| Part::Constraint(other.1));
        constraints
            .chain(messages.map(|other| Part::Message(other.number)))
            .collect()
    }

    /// Equal messages on one bus, except those of the part that is left out.
    fn groups(&self, without: Option<(usize, Part)>) -> Vec<Vec<&Message<F>>> {
        let mut groups: HashMap<(&str, &[F]), Vec<&Message<F>>> = HashMap::new();
        let messages = self
            .messages
            .iter()
            .filter(|message| without != Some((message.table, Part::Message(message.number))));
        for message in messages {
            let key = (message.bus.as_str(), message.fields.as_slice());
            groups.entry(key).or_default().push(message);
        }
        groups.into_values().collect()
    }

    fn is_open(&self, group: &[&Message<F>]) -> bool {
        self.open_buses.contains(&group[0].bus)
    }

    /// Checks that the buses that are not open balance.
    fn check_buses(&self) -> Result<(), Failure> {
        for group in self.groups(None) {
            let count: F = group.iter().map(|message| message.count.value).sum();
            if !count.is_zero() && !self.is_open(&group) {
                return Err(Failure::Bus {
                    bus: group[0].bus.clone(),
                    fields: canonical(&group[0].fields),
                    count: count.as_canonical_u32(),
                });
            }
        }
        Ok(())
    }

    /// The cells that may change if one part of a table is left out.
    fn free(&self, without: Option<(usize, Part)>) -> BTreeSet<usize> {
        let constraints = self.constraints.iter();
        let constraints = constraints
            .filter(|(table, number, _)| without != Some((*table, Part::Constraint(*number))));
        let mut forms: Vec<Form<F>> = self.given.clone();
        forms.extend(constraints.map(|(_, _, form)| form.clone()));
        for group in self.groups(without) {
            self.push_forms(&group, &mut forms);
        }
        let zeros = zeros(&forms, self.cells);
        (0..self.cells).filter(|&cell| !zeros[cell]).collect()
    }

    /// Appends the forms that equal messages on a bus give.
    fn push_forms(&self, group: &[&Message<F>], forms: &mut Vec<Form<F>>) {
        let is_open = self.is_open(group);
        let counts = group.iter().fold(Form::new(), |sum, message| {
            combine((F::ONE, &sum), (F::ONE, &message.count.form))
        });
        let active = group.iter().filter(|other| !other.count.value.is_zero());
        let is_sent = |message: &&&Message<F>| {
            message.count.value.as_canonical_u32() < (-message.count.value).as_canonical_u32()
        };
        let (sent, received): (Vec<&&Message<F>>, Vec<_>) = active.partition(is_sent);
        if is_open {
            forms.push(counts);
            forms.extend(
                sent.iter()
                    .chain(&received)
                    .flat_map(|other| other.forms.clone()),
            );
            return;
        }
        // Messages whose answer was left out are not compared with anything.
        if sent.is_empty() != received.is_empty() {
            return;
        }
        forms.push(counts);
        let all = || sent.iter().chain(&received);
        for element in 0..group[0].fields.len() {
            if let ([one], others) | (others, [one]) = (sent.as_slice(), received.as_slice()) {
                let one = (F::NEG_ONE, one.forms[element].as_slice());
                let others = others.iter().map(|other| &other.forms[element]);
                forms.extend(others.map(|other| combine((F::ONE, other), one)));
            } else {
                forms.push(all().fold(Form::new(), |sum, other| {
                    combine((F::ONE, &sum), (other.count.value, &other.forms[element]))
                }));
            }
        }
    }
}
