//! Two tables that have every kind of opening and constraint.

use std::borrow::Cow;

use droste_native::F;
use p3_air::{Air, AirBuilder, BaseAir, PermutationAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, LookupBus};
use p3_matrix::dense::RowMajorMatrix;

const RANGE: LookupBus<'static> = LookupBus::new("range");

/// A table of the test proof.
#[derive(Clone, Copy, Debug)]
pub enum Toy {
    /// Preprocessed integers below `2^log_height` and how often each is looked up.
    Range {
        /// Logarithm of the height.
        log_height: usize,
    },
    /// Columns `x, y, s`: `x` counts up from the first public value, `y` adds up the cubes of `x`
    /// and ends at the second public value, `s` is a bit, and `s * x` and `x` are in range.
    Cubes,
}

impl BaseAir<F> for Toy {
    fn width(&self) -> usize {
        match self {
            Self::Range { .. } => 1,
            Self::Cubes => 3,
        }
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        match self {
            Self::Range { log_height } => Some(RowMajorMatrix::new_col(
                (0..1 << log_height).map(F::from_u32).collect(),
            )),
            Self::Cubes => None,
        }
    }

    fn preprocessed_width(&self) -> usize {
        usize::from(matches!(self, Self::Range { .. }))
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Range { .. } => vec![],
            Self::Cubes => vec![0, 1],
        }
    }

    fn num_public_values(&self) -> usize {
        match self {
            Self::Range { .. } => 0,
            Self::Cubes => 2,
        }
    }

    fn num_periodic_columns(&self) -> usize {
        self.periodic_columns().len()
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        match self {
            Self::Range { .. } => Cow::Owned(vec![]),
            // The bit `s` alternates.
            Self::Cubes => Cow::Owned(vec![vec![F::ZERO, F::ONE]]),
        }
    }
}

impl<AB: PermutationAirBuilder<F = F> + InteractionBuilder> Air<AB> for Toy {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let now = main.current_slice();
        match self {
            Self::Range { .. } => {
                let value: AB::Expr = builder.preprocessed().current_slice()[0].into();
                let count: AB::Expr = now[0].into();
                RANGE.table_entry(builder, [value], count);
            }
            Self::Cubes => {
                let next = main.next_slice();
                let (x, y, s) = (now[0], now[1], now[2]);
                let (next_x, next_y) = (next[0], next[1]);
                let [first, last] = std::array::from_fn(|i| builder.public_values()[i]);
                let alternating: AB::Expr = builder.periodic_values()[0].into();
                builder.when_first_row().assert_eq(x, first);
                builder.when_first_row().assert_eq(y, x * x * x);
                builder.when_transition().assert_eq(next_x, x + AB::F::ONE);
                builder
                    .when_transition()
                    .assert_eq(next_y, y + next_x * next_x * next_x);
                builder.when_last_row().assert_eq(y, last);
                builder.assert_eq(s, alternating);
                let one = || Count::bounded(AB::Expr::ONE, 1);
                RANGE.lookup_key(builder, [x.into()], one());
                RANGE.lookup_key(builder, [s * x], one());
            }
        }
    }
}

/// Traces and public values; `Cubes` has height `2^log_rows` and counts from `first`.
pub fn traces(log_range: usize, log_rows: usize, first: u32) -> Vec<(RowMajorMatrix<F>, Vec<F>)> {
    let mut counts = vec![F::ZERO; 1 << log_range];
    let mut rows = Vec::new();
    let mut y = F::ZERO;
    for row in 0..1u32 << log_rows {
        let x = first + row;
        let s = row % 2;
        y += F::from_u32(x).cube();
        rows.extend([F::from_u32(x), y, F::from_u32(s)]);
        counts[x as usize] += F::ONE;
        counts[(s * x) as usize] += F::ONE;
    }
    vec![
        (RowMajorMatrix::new_col(counts), vec![]),
        (RowMajorMatrix::new(rows, 3), vec![F::from_u32(first), y]),
    ]
}
