//! A table as `p3-multi-stark` takes it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use droste_air::End;
use droste_native::{EF, F};
use p3_air::symbolic::{AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_air::{Air, BaseAir};
use p3_lookup::{InteractionBuilder, InteractionSymbolicBuilder, Kind, Lookup, Lookups};
use p3_matrix::dense::RowMajorMatrix;

use crate::machine::MachineError;
use crate::tables::Table;

/// A table whose next row is opened in exactly the columns that its constraints and messages read
/// there.
///
/// Under FRI a table that reads one cell of the next row has all of its columns opened a second
/// time; here a list of columns is opened.
#[derive(Clone, Debug)]
pub struct WhirTable<T> {
    table: T,
    next: Vec<usize>,
    next_preprocessed: Vec<usize>,
}

impl<T> WhirTable<T>
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>>,
{
    /// Finds the columns that the table reads in the next row.
    pub(super) fn new(table: T) -> (Self, Lookups<F>) {
        let layout = AirLayout::from_air(&table);
        let builder = InteractionSymbolicBuilder::<F, EF>::from_air(&table, layout);
        let constraints = builder.base_constraints();
        let lookups = Lookups::from_air::<EF, _>(&table);
        let mut read = NextColumns::default();
        constraints
            .iter()
            .for_each(|constraint| read.visit(constraint));
        for lookup in lookups.iter() {
            let messages = lookup.elements.iter().flatten();
            for expression in messages.chain(&lookup.multiplicities) {
                read.visit(expression);
            }
        }
        let table = Self {
            table,
            next: read.main.into_iter().collect(),
            next_preprocessed: read.preprocessed.into_iter().collect(),
        };
        (table, lookups)
    }

    /// The table.
    pub fn table(&self) -> &T {
        &self.table
    }
}

/// The columns of the next row that expressions read.
#[derive(Default)]
struct NextColumns {
    main: BTreeSet<usize>,
    preprocessed: BTreeSet<usize>,
    /// Addresses of the expressions that were visited. Expressions share their parts: as trees they
    /// can be exponentially large.
    seen: HashSet<*const SymbolicExpression<F>>,
}

impl NextColumns {
    /// The expressions must be borrowed as long as `self` is used, so that no address is that of
    /// two of them.
    fn visit(&mut self, expression: &SymbolicExpression<F>) {
        if !self.seen.insert(std::ptr::from_ref(expression)) {
            return;
        }
        match expression {
            SymbolicExpr::Leaf(BaseLeaf::Variable(variable)) => match variable.entry {
                BaseEntry::Main { offset } if offset > 0 => {
                    self.main.insert(variable.index);
                }
                BaseEntry::Preprocessed { offset } if offset > 0 => {
                    self.preprocessed.insert(variable.index);
                }
                _ => {}
            },
            SymbolicExpr::Leaf(_) => {}
            SymbolicExpr::Add { x, y, .. }
            | SymbolicExpr::Sub { x, y, .. }
            | SymbolicExpr::Mul { x, y, .. } => {
                self.visit(x);
                self.visit(y);
            }
            SymbolicExpr::Neg { x, .. } => self.visit(x),
        }
    }
}

impl<T: BaseAir<F>> BaseAir<F> for WhirTable<T> {
    fn width(&self) -> usize {
        self.table.width()
    }

    /// One row of zeros, which nothing reads: Plonky3 asks for the content of preprocessed columns
    /// only before it asks for the commitment to it, which exists by then.
    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        let width = self.table.preprocessed_width();
        (width > 0).then(|| RowMajorMatrix::new(vec![F::default(); width], width))
    }

    fn preprocessed_width(&self) -> usize {
        self.table.preprocessed_width()
    }

    fn num_periodic_columns(&self) -> usize {
        self.table.num_periodic_columns()
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        self.table.periodic_columns()
    }

    fn periodic_values(&self, row_index: usize) -> Vec<F> {
        self.table.periodic_values(row_index)
    }

    fn periodic_columns_matrix(&self) -> Option<RowMajorMatrix<F>> {
        self.table.periodic_columns_matrix()
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        self.next.clone()
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        self.next_preprocessed.clone()
    }

    fn num_public_values(&self) -> usize {
        self.table.num_public_values()
    }
}

impl<AB: InteractionBuilder<F = F>, T: BaseAir<F> + Air<AB>> Air<AB> for WhirTable<T> {
    fn eval(&self, builder: &mut AB) {
        self.table.eval(builder);
    }
}

/// Checks that every table is sound where its last row is followed by itself.
pub(super) fn check_ends<T: Table>(tables: &[T]) -> Result<(), MachineError> {
    let ring = tables
        .iter()
        .find(|table| !table.is_sound_with(End::Repeat));
    match ring {
        None => Ok(()),
        Some(table) => Err(MachineError::Table {
            table: table.name(),
            reason: "it does not say that it is sound where its last row is followed by itself",
        }),
    }
}

/// Checks what `p3-multi-stark` 0.8.0 does not support, and panics at.
pub(super) fn check_lookups<L: AsRef<[Lookup<F>]>>(
    names: &[&'static str],
    lookups: &[L],
) -> Result<(), MachineError> {
    let mut lengths: BTreeMap<&str, usize> = BTreeMap::new();
    for (&table, lookups) in names.iter().zip(lookups) {
        let refuse = |reason| Err(MachineError::Table { table, reason });
        for lookup in lookups.as_ref() {
            if lookup.flags.is_some() {
                return refuse("lookups over WHIR cannot be exclusive");
            }
            let messages = || lookup.elements.iter();
            let expressions = messages().flatten().chain(&lookup.multiplicities);
            let mut seen = HashSet::new();
            if expressions
                .into_iter()
                .any(|part| is_periodic(part, &mut seen))
            {
                return refuse("lookups over WHIR cannot read periodic columns");
            }
            if messages().any(Vec::is_empty) {
                return refuse("a message over WHIR must have an element");
            }
            let mut of_lookup = messages().map(Vec::len);
            let length = of_lookup.next().unwrap_or(0);
            if of_lookup.any(|other| other != length) {
                return refuse("the messages of a lookup differ in length");
            }
            if let Kind::Global(bus) = &lookup.kind
                && *lengths.entry(bus).or_insert(length) != length
            {
                return refuse("its messages on a bus have another length than those before");
            }
        }
    }
    Ok(())
}

fn is_periodic(
    expression: &SymbolicExpression<F>,
    seen: &mut HashSet<*const SymbolicExpression<F>>,
) -> bool {
    if !seen.insert(std::ptr::from_ref(expression)) {
        return false;
    }
    match expression {
        SymbolicExpr::Leaf(BaseLeaf::Variable(variable)) => variable.entry == BaseEntry::Periodic,
        SymbolicExpr::Leaf(_) => false,
        SymbolicExpr::Add { x, y, .. }
        | SymbolicExpr::Sub { x, y, .. }
        | SymbolicExpr::Mul { x, y, .. } => is_periodic(x, seen) || is_periodic(y, seen),
        SymbolicExpr::Neg { x, .. } => is_periodic(x, seen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{MachineTables, StandardTables};
    use crate::tables::cpu::CpuTable;
    use crate::tables::ext::ExtTable;
    use crate::tables::poseidon16::Poseidon16CallTable;
    use crate::tables::program::ProgramTable;

    /// The next row is opened in the columns that are read there, which are fewer than all.
    #[test]
    fn only_columns_that_are_read_are_opened_twice() {
        let (cpu, _) = WhirTable::new(CpuTable);
        assert_eq!(cpu.main_next_row_columns().len(), 2);
        let (program, _) = WhirTable::new(ProgramTable::of_height(6));
        assert!(program.main_next_row_columns().is_empty());
        assert!(program.preprocessed_next_row_columns().is_empty());
        let (ext, _) = WhirTable::new(ExtTable);
        let (poseidon16, _) = WhirTable::new(Poseidon16CallTable);
        for (next, width) in [
            (ext.main_next_row_columns(), ext.width()),
            (poseidon16.main_next_row_columns(), poseidon16.width()),
        ] {
            assert!(next.len() * 2 < width, "{} of {width}", next.len());
            assert!(next.is_sorted_by(|left, right| left < right));
        }
    }

    #[test]
    fn tables_that_need_a_ring_are_refused() {
        for table in StandardTables::precompile_tables() {
            let verdict = check_ends(std::slice::from_ref(&table));
            let needs = ["blake3", "keccak"].contains(&table.name());
            assert_eq!(verdict.is_err(), needs, "{}", table.name());
        }
    }

    #[test]
    fn lookups_that_plonky3_panics_at_are_refused() {
        let tables = StandardTables::precompile_tables();
        let (names, lookups): (Vec<_>, Vec<_>) = tables
            .into_iter()
            .map(|table| (table.name(), WhirTable::new(table).1))
            .unzip();
        check_lookups(&names, &lookups).unwrap();
        let changes: [fn(&mut Lookup<F>); 4] = [
            |lookup| lookup.flags = Some(vec![]),
            |lookup| lookup.elements[0].clear(),
            |lookup| lookup.elements[0].truncate(1),
            |lookup| {
                let periodic = BaseEntry::Periodic;
                let variable = p3_air::symbolic::SymbolicVariable::new(periodic, 0);
                lookup.elements[0][0] = SymbolicExpression::from(variable);
            },
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut changed: Vec<Vec<_>> = lookups.iter().map(|list| list.to_vec()).collect();
            change(&mut changed[0][0]);
            assert!(check_lookups(&names, &changed).is_err(), "change {index}");
        }
    }
}
