//! Generates constraint evaluators from AIRs.
//!
//! A recursive verifier evaluates, for each table of a proof, the constraints of its AIR at the
//! out-of-domain point, folded by a challenge. This module generates that code as zk-DSL text from
//! the symbolic expressions of the AIRs that are proved, so that no constraint is written twice.
//! [`generate`] takes any AIRs that p3-batch-stark proves, lookups included, and computes what its
//! verifier computes: constraints of the AIR in order, then those of the lookups, as
//! `acc = acc * alpha + constraint` from zero.
//!
//! The evaluators are shortened in passes, each in a file of its own:
//! - `symbolic`: has Plonky3 evaluate an AIR and its lookups symbolically;
//! - `expression`: gathers Plonky3's expressions in one graph, in which equal ones are merged;
//! - `lower`: turns the graph into one polynomial whose variables are opened values, and sums that
//!   are used more than once;
//! - `transpose`: evaluates linear layers that end several rounds once, transposed;
//! - `cofactor`: computes once what several values are multiplied by;
//! - `factor`: takes out common factors (selectors, flags, denominators) where that pays;
//! - `schedule`: applies Horner's rule and emits instructions of the machine (`a * b + c` is one,
//!   with `b` and `c` extension elements or scalars; so is `c - a * b`);
//! - `identity`: adds the polynomial identities of a table over WHIR, at the challenge;
//! - `text`: prints the zk-DSL text.
//!
//! Every statement of the text is one instruction of the machine, provided that the compiler fuses
//! `a * b + c` and `c - a * b`.
//!
//! The passes compute in the base field of the proofs. What comes before and after them, the graph
//! and the programs, has constants as cells of the machine (`cells`).

mod cells;
mod cofactor;
mod expression;
mod factor;
mod identity;
mod input;
mod lower;
mod native;
mod periodic;
mod polynomial;
mod program;
mod schedule;
mod shape;
mod symbolic;
#[cfg(test)]
mod tests;
mod text;
mod transpose;
mod whir;

use droste_native::F;
use droste_native::field::{BaseField, ChallengeField};
use droste_vm::lookups::row_weight;
use p3_air::symbolic::AirLayout;
use p3_air::{Air, BaseAir};
use p3_field::BasedVectorSpace;
use p3_lookup::{InteractionSymbolicBuilder, Lookup, Lookups};
use p3_maybe_rayon::prelude::*;

pub use input::{Input, OpenedTable};
pub use program::{Instruction, StraightLine, Value};
pub use shape::{AirShape, Buses};
pub use symbolic::{Recorded, SymbolicField};
pub use whir::{WhirEvaluators, WhirTable};

use cells::cell;
use expression::{Leaf, Node};
use lower::{Strategy, fold};
use polynomial::Arena;

/// Why an evaluator could not be generated or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodegenError {
    /// A table's name cannot be part of the evaluator's name.
    #[error("the name {0:?} of a table is not a lowercase identifier, which names its evaluator")]
    Name(String),
    /// Two tables have one name.
    #[error("two tables are named {0:?}, expected a different name for each")]
    DuplicateName(String),
    /// Messages on one bus differ in width, so that one could pass for another.
    #[error("bus {bus:?} has messages of {expected} and of {found} elements, expected one length")]
    BusWidth {
        /// Name of the bus.
        bus: String,
        /// Width of its first message.
        expected: usize,
        /// Width of another.
        found: usize,
    },
    /// A lookup's fraction column is not the one that its position in the list requires.
    #[error(
        "table {table:?}: lookup {position} names fraction column {column}, which is out of order"
    )]
    LookupColumn {
        /// Name of the table.
        table: String,
        /// Index in the list of lookups.
        position: usize,
        /// Column that it names.
        column: usize,
    },
    /// The AIR relies on the proof system to bind public values at the boundary, which batch proofs
    /// do not do.
    #[error("table {0:?} declares boundary public values, which batch proofs do not bind")]
    BoundaryPublic(String),
    /// A periodic column's length is not a power of two that divides the height.
    #[error(
        "table {table:?}: periodic column {column} has {length} values, expected a power of two \
         that is at most the height 2^{log_height}"
    )]
    PeriodicColumn {
        /// Name of the table.
        table: String,
        /// Index of the column.
        column: usize,
        /// Its length.
        length: usize,
        /// Logarithm of the height.
        log_height: usize,
    },
    /// There are not as many buses as messages.
    #[error("table {table:?} has the buses of {found} messages, expected {expected}")]
    Buses {
        /// Name of the table.
        table: String,
        /// Number of messages.
        expected: usize,
        /// Number of buses.
        found: usize,
    },
    /// There are not as many names, lookups or heights as tables.
    #[error("{found} {what} were given, expected {expected}: one for each table")]
    Count {
        /// What was counted.
        what: &'static str,
        /// Number of tables.
        expected: usize,
        /// What was found.
        found: usize,
    },
    /// An evaluator has no result although it evaluates something, or more than one.
    #[error("evaluator `{evaluator}` has {found} results, expected {expected}")]
    Results {
        /// Name of the evaluator.
        evaluator: String,
        /// Number of results that it should have.
        expected: usize,
        /// Number of its results.
        found: usize,
    },
    /// An AIR's constraints have a constant of the extension over which it is asked for them, which
    /// is not that of the challenges.
    #[error("table {0:?} has a constant of the extension of degree 5, which challenges are not of")]
    ExtensionConstant(String),
    /// An evaluator reads a value that its caller does not have.
    #[error("the evaluator reads {0:?}, which the openings do not have")]
    MissingInput(Input),
}

/// One table to generate an evaluator for.
#[derive(Debug)]
pub struct TableSource<'a, A, K: BaseField = F> {
    /// Lowercase identifier: the evaluator is `eval_<name>`.
    pub name: &'a str,
    /// Constraints.
    pub air: &'a A,
    /// Packed lookups, from p3's `CommonData`.
    pub lookups: &'a [Lookup<K>],
    /// Columns of the committed preprocessed trace, from p3's `CommonData`.
    pub preprocessed_width: usize,
    /// Logarithm of the height. Only periodic columns depend on it.
    pub log_height: usize,
}

impl<'a, K: BaseField, A: BaseAir<K>> TableSource<'a, A, K> {
    /// One for each of a proof's tables.
    ///
    /// # Errors
    /// If there are not as many names, lookups or heights as AIRs.
    pub(crate) fn list(
        names: &'a [String],
        airs: &'a [A],
        lookups: &'a [Lookups<K>],
        log_heights: &[usize],
    ) -> Result<Vec<Self>, CodegenError> {
        let expected = airs.len();
        let counts = [
            ("names", names.len()),
            ("lists of lookups", lookups.len()),
            ("heights", log_heights.len()),
        ];
        if let Some((what, found)) = counts.into_iter().find(|&(_, found)| found != expected) {
            return Err(CodegenError::Count {
                what,
                expected,
                found,
            });
        }
        let tables = names.iter().zip(airs).zip(lookups).zip(log_heights);
        let tables = tables.map(|(((name, air), lookups), &log_height)| Self {
            name,
            air,
            lookups,
            preprocessed_width: air.preprocessed_width(),
            log_height,
        });
        Ok(tables.collect())
    }
}

/// Shape and evaluator of one table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name given in [`TableSource`].
    pub name: String,
    /// What a proof carries for the table.
    pub shape: AirShape,
    /// Evaluator of the folded constraints, with one result.
    pub program: StraightLine,
    /// Evaluator of the periodic columns, with one result per column.
    pub periodic: StraightLine,
}

/// Evaluators of all tables of a proof.
#[derive(Clone, Debug)]
pub struct FriEvaluators {
    /// The field of challenges.
    pub field: ChallengeField,
    /// Tables in the order of the proof.
    pub tables: Vec<Table>,
    /// Buses and the challenges they need.
    pub buses: Buses,
}

impl FriEvaluators {
    /// Degree of the field of challenges.
    #[must_use]
    pub const fn degree(&self) -> usize {
        self.field.degree()
    }

    /// The evaluators as one file of zk-DSL text.
    #[must_use]
    pub fn text(&self) -> String {
        text::file(&self.tables)
    }
}

/// Generates the evaluators of a proof's tables.
///
/// The text declares, for a table `cpu`, `eval_cpu(v: &Opened, c: &Challenges) -> Ext`, of
/// `droste_gadgets::verify::opened`. The lookup trace is passed flat, as it is opened, and
/// recomposed inside. Denominator base `i` is `alpha' + (i + 1) * beta^w` for the lookup challenges
/// `alpha'` and `beta` and `w = message_width` of [`Buses`]; the caller computes them once for all
/// tables. A table with periodic columns has `periodic_cpu(point: Ext) -> Vec<Ext>` too. The caller
/// computes the selectors and divides by the vanishing polynomial. Challenges are in `E`. AIRs are
/// asked for their constraints over its `Asked`, of which they must have no constants if it is of
/// another degree. Over [`BabyBear`](droste_native::BabyBear) constants are printed as their
/// canonical integers, and public values are read as elements of the extension.
///
/// # Errors
/// [`CodegenError`] for names, buses, lookups, periodic columns or constants that are not as it
/// says.
pub fn generate<E, A>(
    sources: &[TableSource<'_, A, E::Base>],
) -> Result<FriEvaluators, CodegenError>
where
    E: SymbolicField,
    A: Air<InteractionSymbolicBuilder<E::Base, E::Asked>>,
{
    let buses = Buses::number(sources.iter().map(|s| s.lookups))?;
    let mut symbolic: Vec<Symbolic> = Vec::with_capacity(sources.len());
    for (source, buses) in sources.iter().zip(&buses.of_lookups) {
        if symbolic.iter().any(|table| table.name == source.name) {
            return Err(CodegenError::DuplicateName(source.name.to_owned()));
        }
        symbolic.push(evaluate::<E, A>(source, buses)?);
    }
    // Shortening the evaluators takes nearly all the time. They do not depend on each other, so
    // this runs in parallel.
    let tables = symbolic
        .into_par_iter()
        .map(|table| {
            let degree = E::FIELD.degree();
            let program = shortest::<E::Base>(&table.nodes, &table.constraints, degree).cells();
            check_results(format!("eval_{}", table.name), &program, 1)?;
            Ok(Table {
                program,
                name: table.name,
                shape: table.shape,
                periodic: table.periodic,
            })
        })
        .collect::<Result<_, _>>()?;
    Ok(FriEvaluators {
        field: E::FIELD,
        tables,
        buses,
    })
}

/// Checks that an evaluator has as many results as it should have.
fn check_results(
    evaluator: String,
    program: &StraightLine,
    expected: usize,
) -> Result<(), CodegenError> {
    let found = program.results.len();
    if expected != found {
        return Err(CodegenError::Results {
            evaluator,
            expected,
            found,
        });
    }
    Ok(())
}

/// A table with its constraints as a graph of expressions.
struct Symbolic {
    name: String,
    shape: AirShape,
    periodic: StraightLine,
    nodes: Vec<Node>,
    /// The constraints, in the order in which they are folded.
    constraints: Vec<usize>,
}

/// The shortest evaluator that is found for the constraints, folded by the challenge, which has
/// this degree.
fn shortest<K: BaseField>(nodes: &[Node], constraints: &[usize], degree: usize) -> StraightLine<K> {
    let by = |strategy| {
        let mut arena = Arena::default();
        let folded = fold(nodes, constraints, degree, strategy, &mut arena);
        let folded = transpose::transpose(folded, &mut arena);
        let folded = cofactor::cofactors(folded, &mut arena);
        let folded = arena.inline(folded);
        schedule::schedule(folded, arena)
    };
    // Which strategy is shorter depends on the AIR: try both.
    let (shared, transposed) = join(|| by(Strategy::Share), || by(Strategy::Transpose));
    if transposed.len() < shared.len() {
        transposed
    } else {
        shared
    }
}

/// Refuses a table that has no evaluator.
fn check<K: BaseField, A: BaseAir<K>>(source: &TableSource<'_, A, K>) -> Result<(), CodegenError> {
    let name = source.name;
    if !is_identifier(name) {
        return Err(CodegenError::Name(name.to_owned()));
    }
    if !source.air.public_boundary_io().is_empty() {
        return Err(CodegenError::BoundaryPublic(name.to_owned()));
    }
    for (position, lookup) in source.lookups.iter().enumerate() {
        if lookup.column != position {
            return Err(CodegenError::LookupColumn {
                table: name.to_owned(),
                position,
                column: lookup.column,
            });
        }
    }
    Ok(())
}

fn evaluate<E, A>(
    source: &TableSource<'_, A, E::Base>,
    buses: &[usize],
) -> Result<Symbolic, CodegenError>
where
    E: SymbolicField,
    A: Air<InteractionSymbolicBuilder<E::Base, E::Asked>>,
{
    let TableSource {
        name,
        air,
        lookups,
        preprocessed_width,
        log_height,
    } = *source;
    check(source)?;
    let periodic_columns = air.periodic_columns().into_owned();
    let periodic = periodic::evaluator(name, &periodic_columns, log_height)?;

    let layout = AirLayout {
        preprocessed_width,
        main_width: air.width(),
        num_public_values: air.num_public_values(),
        num_periodic_columns: air.num_periodic_columns(),
        ..Default::default()
    };
    let recorded = E::record(air, layout, lookups, log_height);
    let Recorded { order, .. } = &recorded;
    let constraint_degree = recorded
        .degree
        .max(air.max_constraint_degree().unwrap_or(0));
    let degree = E::FIELD.degree();
    let shape = AirShape {
        degree,
        main_width: layout.main_width,
        main_next: !air.main_next_row_columns().is_empty(),
        preprocessed_width,
        preprocessed_next: preprocessed_width > 0
            && !air.preprocessed_next_row_columns().is_empty(),
        constraint_degree,
        num_lookups: lookups.len(),
        buses: buses.to_vec(),
        row_weight: row_weight(lookups),
        num_public_values: layout.num_public_values,
        periodic_columns: periodic_columns
            .iter()
            .map(|column| column.iter().map(|&x| cell(x)).collect())
            .collect(),
        num_constraints: order.total_constraints(),
    };

    let (nodes, [base, extension]) = expression::import(&shape, &recorded);
    let is_basis = |node: &Node| matches!(node, Node::Leaf(Leaf::Input(Input::Basis(_))));
    let asked = <E::Asked as BasedVectorSpace<E::Base>>::DIMENSION;
    if degree != asked && nodes.iter().any(is_basis) {
        return Err(CodegenError::ExtensionConstant(name.to_owned()));
    }
    let mut constraints = vec![0; order.total_constraints()];
    for (stream, indices) in [(base, &order.base_indices), (extension, &order.ext_indices)] {
        for (node, &index) in stream.into_iter().zip(indices) {
            constraints[index] = node;
        }
    }
    Ok(Symbolic {
        name: name.to_owned(),
        shape,
        periodic,
        nodes,
        constraints,
    })
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_lowercase())
        && letters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
