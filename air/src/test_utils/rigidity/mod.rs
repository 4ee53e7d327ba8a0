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

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;

use self::differential::{Dual, Expressions, SymbolicTable};
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
    /// Reasons why cells are listed, with the number of cells.
    pub listed: Vec<(String, usize)>,
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
        write!(f, "{} cells", self.cells)?;
        for (reason, count) in &self.listed {
            write!(f, "\n  {count} free by design: {reason}")?;
        }
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

/// Cells of one table: rows of the columns of this name, or whose names continue it with `[`, `.`.
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
pub struct Rigidity<'a> {
    tables: Vec<SymbolicTable<'a>>,
    open_buses: Vec<String>,
    given: Vec<Listed>,
    free: Vec<(Listed, String)>,
}

impl<'a> Rigidity<'a> {
    /// A set of tables whose buses must balance among these tables.
    pub const fn new(tables: Vec<SymbolicTable<'a>>) -> Self {
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
        reason: &str,
    ) -> Self {
        let listed = Listed::new(table, column, rows);
        self.free.push((listed, reason.to_owned()));
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
        let mut listed = BTreeSet::new();
        let mut reasons = Vec::with_capacity(self.free.len());
        for (cells, reason) in &self.free {
            let before = listed.len();
            listed.extend(self.cells(cells));
            reasons.push((reason.clone(), listed.len() - before));
        }
        let name = |cells: Vec<usize>| cells.into_iter().map(|cell| self.cell(cell)).collect();
        Ok(RigidityReport {
            cells: self.first_cells().1,
            listed: reasons,
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

    /// The numbers of the cells that are listed.
    fn cells(&self, listed: &Listed) -> Vec<usize> {
        let index = self.index(&listed.table);
        let (first, table) = (self.first_cells().0[index], &self.tables[index]);
        let names = table.names.iter().enumerate();
        let columns = names.filter(|(_, name)| is_listed(name, &listed.column));
        let columns: Vec<usize> = columns.map(|(column, _)| column).collect();
        assert!(!columns.is_empty(), "no column named {}", listed.column);
        let (width, height) = (table.trace.width(), table.trace.height());
        let rows = listed.rows.iter().flat_map(|&row| {
            assert!(row < height, "table {} has no row {row}", table.name);
            columns
                .iter()
                .map(move |column| first + row * width + column)
        });
        rows.collect()
    }

    /// Differentiates the constraints and messages of all tables.
    fn linearise(&self) -> Result<Linear, Failure> {
        let (first, cells) = self.first_cells();
        let given = self.given.iter().flat_map(|listed| self.cells(listed));
        let mut constraints = Vec::new();
        let mut groups: HashMap<(String, Vec<F>), Vec<Message>> = HashMap::new();
        for (index, table) in self.tables.iter().enumerate() {
            table.check_width()?;
            let expressions = Expressions::new(table);
            for row in 0..table.trace.height() {
                let duals = expressions.evaluate(table, first[index], row);
                for (number, &expression) in expressions.constraints.iter().enumerate() {
                    let Dual { value, form } = &duals[expression];
                    if !value.is_zero() {
                        return Err(Failure::Constraint {
                            table: table.name.clone(),
                            row,
                            constraint: number,
                        });
                    }
                    constraints.push(((index, Part::Constraint(number)), form.clone()));
                }
                for (number, message) in expressions.messages.iter().enumerate() {
                    let fields = message.fields.iter().map(|&field| duals[field].clone());
                    let (values, forms) = fields.map(|dual| (dual.value, dual.form)).unzip();
                    let group = groups.entry((message.bus.clone(), values)).or_default();
                    group.push(Message {
                        part: (index, Part::Message(number)),
                        count: duals[message.count].clone(),
                        forms,
                    });
                }
            }
        }
        let mut linear = Linear {
            cells,
            given: given.map(|cell| vec![(cell, F::ONE)]).collect(),
            constraints,
            groups: Vec::with_capacity(groups.len()),
        };
        for ((bus, fields), messages) in groups {
            let count: F = messages.iter().map(|message| message.count.value).sum();
            let is_open = self.open_buses.contains(&bus);
            if !is_open && !count.is_zero() {
                return Err(Failure::Bus {
                    bus,
                    fields: canonical(&fields),
                    count: count.as_canonical_u32(),
                });
            }
            linear.groups.push(Group { is_open, messages });
        }
        Ok(linear)
    }
}

/// A part of a table, which has this index.
type TablePart = (usize, Part);

/// A message of one row, to first order.
struct Message {
    part: TablePart,
    count: Dual,
    /// The differentials of the elements.
    forms: Vec<Form>,
}

/// Equal messages on one bus.
struct Group {
    is_open: bool,
    messages: Vec<Message>,
}

impl Group {
    /// Appends the forms that the bus gives, without the messages of one part.
    fn push_forms(&self, without: Option<TablePart>, forms: &mut Vec<Form>) {
        let messages = self.messages.iter();
        let messages = messages.filter(|message| Some(message.part) != without);
        let messages: Vec<&Message> = messages.collect();
        let active = messages.iter().filter(|other| !other.count.value.is_zero());
        let is_sent = |message: &&&Message| {
            message.count.value.as_canonical_u32() < (-message.count.value).as_canonical_u32()
        };
        let (sent, received): (Vec<&&Message>, Vec<_>) = active.partition(is_sent);
        // Messages whose answer is left out are not compared with anything.
        if !self.is_open && sent.is_empty() != received.is_empty() {
            return;
        }
        forms.push(messages.iter().fold(Form::new(), |sum, message| {
            combine((F::ONE, &sum), (F::ONE, &message.count.form))
        }));
        let all = sent.iter().chain(&received);
        if self.is_open {
            forms.extend(all.flat_map(|message| message.forms.iter().cloned()));
        } else if let ([one], others) | (others, [one]) = (sent.as_slice(), received.as_slice()) {
            forms.extend(others.iter().flat_map(|other| {
                let pairs = other.forms.iter().zip(&one.forms);
                pairs.map(|(other, one)| combine((F::ONE, other), (F::NEG_ONE, one)))
            }));
        } else {
            let elements = self.messages[0].forms.len();
            forms.extend((0..elements).map(|element| {
                all.clone().fold(Form::new(), |sum, message| {
                    let (count, form) = (message.count.value, &message.forms[element]);
                    combine((F::ONE, &sum), (count, form))
                })
            }));
        }
    }
}

/// Constraints and messages of all tables, to first order.
struct Linear {
    cells: usize,
    given: Vec<Form>,
    constraints: Vec<(TablePart, Form)>,
    groups: Vec<Group>,
}

impl Linear {
    /// The parts of a table.
    fn parts(&self, table: usize) -> BTreeSet<Part> {
        let constraints = self.constraints.iter().map(|(part, _)| part);
        let messages = self.groups.iter().flat_map(|group| &group.messages);
        let parts = constraints.chain(messages.map(|message| &message.part));
        let parts = parts.filter(|part| part.0 == table);
        parts.map(|part| part.1).collect()
    }

    /// The cells that are free if one part is left out.
    fn free(&self, without: Option<TablePart>) -> BTreeSet<usize> {
        let mut of_buses = Vec::new();
        for group in &self.groups {
            group.push_forms(without, &mut of_buses);
        }
        let constraints = self.constraints.iter();
        let constraints = constraints.filter(|(part, _)| Some(*part) != without);
        let forms = self.given.iter().chain(constraints.map(|(_, form)| form));
        let forms: Vec<_> = forms.chain(&of_buses).map(Vec::as_slice).collect();
        let zeros = zeros(&forms, self.cells);
        (0..self.cells).filter(|&cell| !zeros[cell]).collect()
    }
}
