//! The values that a constraint evaluator reads: openings, challenges and selectors of one table.

use droste_native::field::{AnyChallenge, EXTENSION_DEGREE};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::cells::element;

/// One value that the constraints of a table may read at the out-of-domain point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// Column of the main trace, in this row or the next.
    Main {
        /// Whether it is opened at the next row.
        next: bool,
        /// Column.
        column: usize,
    },
    /// Column of the preprocessed trace, in this row or the next.
    Preprocessed {
        /// Whether it is opened at the next row.
        next: bool,
        /// Column.
        column: usize,
    },
    /// Column of the lookup trace as it is committed: extension column `i` is the `degree` flat
    /// columns from `degree * i`, one per coordinate.
    Permutation {
        /// Whether it is opened at the next row.
        next: bool,
        /// Flat column.
        column: usize,
    },
    /// Periodic column, evaluated at the point.
    Periodic(usize),
    /// Public value of the table: a base field element.
    Public(usize),
    /// Public value of the table, of a proof over another base field than the machine's: an
    /// extension element.
    PublicElement(usize),
    /// Selector that is nonzero only on the first row.
    IsFirstRow,
    /// Selector that is nonzero only on the last row.
    IsLastRow,
    /// Selector that is zero only on the last row.
    IsTransition,
    /// Committed sum of the table's lookups.
    Terminal,
    /// Denominator base of a bus, `alpha + (bus + 1) * beta^width`.
    Bus(usize),
    /// Combiner of a bus message's elements.
    Beta,
    /// Challenge that folds the constraints.
    Alpha,
    /// Combiner of a message's multiplicity and denominator.
    Combiner,
    /// Weight of a message of the table.
    Weight(usize),
    /// The out-of-domain point, at which periodic columns are evaluated.
    Point,
    /// `X^i`, element of the extension's basis.
    Basis(usize),
}

impl Input {
    /// Whether the value is a base field element at run time.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::Public(_))
    }
}

/// The basis element `X^i`, with as many coefficients as constants of programs have.
pub(super) fn basis(i: usize) -> [F; EXTENSION_DEGREE] {
    core::array::from_fn(|j| F::from_bool(i == j))
}

/// Openings, challenges and selectors of one table, as native values: the counterpart of `Opened`
/// and `Challenges` in `droste_gadgets::verify::opened`. Challenges are in `E`.
#[derive(Clone, Debug, Default)]
pub struct OpenedTable<E = EF> {
    /// Main trace at the point.
    pub main: Vec<E>,
    /// Main trace at the next point; empty when the table never reads its next row.
    pub main_next: Vec<E>,
    /// Preprocessed trace at the point.
    pub preprocessed: Vec<E>,
    /// Preprocessed trace at the next point; empty when it is not opened there.
    pub preprocessed_next: Vec<E>,
    /// Lookup trace at the point, in flat columns.
    pub permutation: Vec<E>,
    /// Lookup trace at the next point, in flat columns.
    pub permutation_next: Vec<E>,
    /// Periodic columns at the point.
    pub periodic: Vec<E>,
    /// Public values.
    pub public_values: Vec<F>,
    /// Public values of a proof over another base field than the machine's.
    pub public_elements: Vec<E>,
    /// Selector of the first row.
    pub is_first_row: E,
    /// Selector of the last row.
    pub is_last_row: E,
    /// Selector of all rows except the last.
    pub is_transition: E,
    /// Sum of the table's lookups; ignored if it has none.
    pub terminal: E,
    /// Denominator base of every bus of the batch.
    pub buses: Vec<E>,
    /// Combiner of message elements.
    pub beta: E,
    /// Challenge that folds constraints.
    pub alpha: E,
    /// The point itself.
    pub point: E,
    /// Combiner of multiplicities and denominators.
    pub combiner: E,
    /// Weight of every message.
    pub weights: Vec<E>,
}

impl<E: AnyChallenge> OpenedTable<E> {
    /// Returns the value of `input`, or `None` if this table has no such value.
    #[must_use]
    pub fn get(&self, input: Input) -> Option<E> {
        let row = |next: bool, here: &[E], there: &[E], column: usize| {
            (if next { there } else { here }).get(column).copied()
        };
        match input {
            Input::Main { next, column } => row(next, &self.main, &self.main_next, column),
            Input::Preprocessed { next, column } => {
                row(next, &self.preprocessed, &self.preprocessed_next, column)
            }
            Input::Permutation { next, column } => {
                row(next, &self.permutation, &self.permutation_next, column)
            }
            Input::Periodic(i) => self.periodic.get(i).copied(),
            Input::Public(i) => self
                .public_values
                .get(i)
                .map(|&x| element::<E::Base>(x).into()),
            Input::PublicElement(i) => self.public_elements.get(i).copied(),
            Input::IsFirstRow => Some(self.is_first_row),
            Input::IsLastRow => Some(self.is_last_row),
            Input::IsTransition => Some(self.is_transition),
            Input::Terminal => Some(self.terminal),
            Input::Bus(i) => self.buses.get(i).copied(),
            Input::Beta => Some(self.beta),
            Input::Alpha => Some(self.alpha),
            Input::Combiner => Some(self.combiner),
            Input::Weight(i) => self.weights.get(i).copied(),
            Input::Point => Some(self.point),
            Input::Basis(i) => <E as BasedVectorSpace<E::Base>>::ith_basis_element(i),
        }
    }
}
