//! Soundness tests by mutation and differentiation, for the tables of this workspace and for users'
//! own.
//!
//! [`Harness`] takes a set of tables with valid traces. It evaluates every constraint row by row,
//! and every bus, and returns what fails as a [`Failure`]. Then it changes one cell at a time and
//! reports each change that no constraint and no bus detects: a malicious prover may choose such a
//! cell freely.
//!
//! [`Rigidity`] takes the same tables, and finds cells that can change together, to first order,
//! although inputs do not change.
//!
//! [`Counting`] is an allocator that reports how much memory a call takes, since hostile input must
//! not cost much either.
//!
//! ```
//! use std::borrow::Borrow;
//!
//! use droste_air::test_utils::{Harness, Rigidity, Rows, Table};
//! use droste_native::F;
//! use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
//! use p3_field::PrimeCharacteristicRing;
//! use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};
//! use p3_matrix::dense::RowMajorMatrix;
//!
//! droste_air::columns! {
//!     /// `square = root^2`, offered to the bus while `is_real` is one.
//!     struct Cols<T> {
//!         root: T,
//!         square: T,
//!         is_real: T,
//!     }
//! }
//!
//! struct Squares;
//!
//! impl BaseAir<F> for Squares {
//!     fn width(&self) -> usize {
//!         Cols::<u8>::WIDTH
//!     }
//! }
//!
//! impl<AB: InteractionBuilder<F = F>> Air<AB> for Squares {
//!     fn eval(&self, builder: &mut AB) {
//!         let main = builder.main();
//!         let row: &Cols<AB::Var> = main.current_slice().borrow();
//!         builder.assert_bool(row.is_real);
//!         builder.assert_eq(row.square, row.root * row.root);
//!         PermutationCheckBus::new("squares").send(
//!             builder,
//!             [row.root, row.square],
//!             Count::bounded(row.is_real.into(), 1),
//!         );
//!     }
//! }
//!
//! let trace = RowMajorMatrix::new(
//!     [[3, 9, 1], [5, 25, 1], [7, 49, 1], [0, 0, 0]].concat().into_iter().map(F::from_u32).collect(),
//!     3,
//! );
//! let table = Table::new("squares", &Squares, trace.clone()).names(Cols::<u8>::names());
//! // The receiver of the messages is not part of this test.
//! let harness = Harness::new(vec![table]).open_bus("squares");
//! harness.check()?;
//! harness.mutate("squares", &Rows::of(3, 4)).expect_caught();
//!
//! let table = Table::new("squares", &Squares, trace).names(Cols::<u8>::names());
//! let rigidity = Rigidity::new(vec![table]).open_bus("squares");
//! // The square of a root of zero does not change to first order.
//! let rigidity = rigidity.free("squares", "root", [3], "padding sends no message");
//! rigidity.check()?.expect_rigid();
//! # Ok::<(), droste_air::test_utils::Failure>(())
//! ```

mod builder;
mod check;
mod degree;
mod memory;
mod mutate;
mod rigidity;
#[cfg(test)]
mod tests;

pub use builder::{Message, RowBuilder, Window};
pub use check::{Failure, Harness, Table};
pub use degree::{constraint_degree, largest_message};
pub use memory::{Counting, peak, process_peak};
pub use mutate::{Caught, Outcome, Report, Rows};
pub use rigidity::{Cell, Part, Rigidity, RigidityReport};
