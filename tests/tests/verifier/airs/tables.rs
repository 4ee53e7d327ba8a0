//! Test tables of every kind, over any prime field of 31 bits, which can be combined in a proof.

use std::borrow::Cow;

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_lookup::{Count, InteractionBuilder, LookupBus};
use p3_matrix::dense::RowMajorMatrix;

const RANGE: LookupBus<'static> = LookupBus::new("range");
const PAIRS: LookupBus<'static> = LookupBus::new("pairs");

/// A table without lookups: p3-uni-stark proves it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// Columns `a, b, c` with `a * b^(degree - 1) = c`. No constraint reads the next row.
    Product {
        /// Degree of the constraint.
        degree: u32,
    },
    /// Columns `a, b` with `a' = b`, `b' = a + b`; public values: the first `a` and `b`, the last
    /// `b`.
    Fibonacci,
    /// Preprocessed `p`; column `x` with `x' = x + p'` and `x = p` first.
    Steps {
        /// Logarithm of the height.
        log_height: usize,
    },
    /// Column `a` is a bit, column `b` is unconstrained. No constraint reads the next row.
    Free,
    /// Column `x = q + 2 r` for periodic columns `q` of period 2, `r` of period 4.
    Clock,
}

impl<F: PrimeField32> BaseAir<F> for Plain {
    fn width(&self) -> usize {
        match self {
            Self::Product { .. } => 3,
            Self::Fibonacci | Self::Free => 2,
            Self::Steps { .. } | Self::Clock => 1,
        }
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        match self {
            Self::Steps { log_height } => {
                let steps = (0..1u32 << log_height).map(|i| F::from_u32(i * i + 1));
                Some(RowMajorMatrix::new_col(steps.collect()))
            }
            _ => None,
        }
    }

    fn preprocessed_width(&self) -> usize {
        usize::from(matches!(self, Self::Steps { .. }))
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Product { .. } | Self::Free | Self::Clock => vec![],
            Self::Fibonacci => vec![0, 1],
            Self::Steps { .. } => vec![0],
        }
    }

    fn num_public_values(&self) -> usize {
        match self {
            Self::Fibonacci => 3,
            _ => 0,
        }
    }

    fn num_periodic_columns(&self) -> usize {
        BaseAir::<F>::periodic_columns(self).len()
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        match self {
            Self::Clock => Cow::Owned(vec![
                vec![F::ONE, F::TWO],
                vec![F::ZERO, F::ONE, F::TWO, F::NEG_ONE],
            ]),
            _ => Cow::Owned(vec![]),
        }
    }
}

impl<AB: AirBuilder<F: PrimeField32>> Air<AB> for Plain {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let now: Vec<AB::Expr> = main.current_slice().iter().map(|&x| x.into()).collect();
        let next: Vec<AB::Expr> = main.next_slice().iter().map(|&x| x.into()).collect();
        match self {
            Self::Product { degree } => {
                let power = (1..*degree).fold(now[0].clone(), |power, _| power * now[1].clone());
                builder.assert_eq(power, now[2].clone());
            }
            Self::Fibonacci => {
                let [first_a, first_b, last_b] =
                    std::array::from_fn(|i| builder.public_values()[i]);
                builder.when_first_row().assert_eq(now[0].clone(), first_a);
                builder.when_first_row().assert_eq(now[1].clone(), first_b);
                let sum = now[0].clone() + now[1].clone();
                builder
                    .when_transition()
                    .assert_eq(next[0].clone(), now[1].clone());
                builder.when_transition().assert_eq(next[1].clone(), sum);
                builder.when_last_row().assert_eq(now[1].clone(), last_b);
            }
            Self::Steps { .. } => {
                let fixed: AB::Expr = builder.preprocessed().current_slice()[0].into();
                let fixed_next: AB::Expr = builder.preprocessed().next_slice()[0].into();
                builder.when_first_row().assert_eq(now[0].clone(), fixed);
                builder
                    .when_transition()
                    .assert_eq(next[0].clone(), now[0].clone() + fixed_next);
            }
            Self::Free => builder.assert_bool(now[0].clone()),
            Self::Clock => {
                let [q, r] = std::array::from_fn(|i| builder.periodic_values()[i].into());
                let r: AB::Expr = r;
                builder.assert_eq(now[0].clone(), r.double() + q);
            }
        }
    }
}

/// A table of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A table without lookups.
    Plain(Plain),
    /// Preprocessed integers below `2^log_height`, and how often each is looked up.
    Range {
        /// Logarithm of the height.
        log_height: usize,
    },
    /// Columns whose values are looked up in [`Self::Range`].
    Keys {
        /// Number of columns.
        columns: usize,
    },
    /// Columns `x, y, z`: `y` permutes `x`, by a lookup within the table, and `(x, z)` is sent.
    Shuffle,
    /// Columns `x, z`: `(x, z)` is received.
    Receiver,
}

impl<F: PrimeField32> BaseAir<F> for Table {
    fn width(&self) -> usize {
        match self {
            Self::Plain(plain) => BaseAir::<F>::width(plain),
            Self::Range { .. } => 1,
            Self::Keys { columns } => *columns,
            Self::Shuffle => 3,
            Self::Receiver => 2,
        }
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        match self {
            Self::Plain(plain) => plain.preprocessed_trace(),
            Self::Range { log_height } => {
                let integers = (0..1u32 << log_height).map(F::from_u32);
                Some(RowMajorMatrix::new_col(integers.collect()))
            }
            _ => None,
        }
    }

    fn preprocessed_width(&self) -> usize {
        match self {
            Self::Plain(plain) => BaseAir::<F>::preprocessed_width(plain),
            Self::Range { .. } => 1,
            _ => 0,
        }
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Plain(plain) => BaseAir::<F>::preprocessed_next_row_columns(plain),
            _ => vec![],
        }
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Plain(plain) => BaseAir::<F>::main_next_row_columns(plain),
            _ => vec![],
        }
    }

    fn num_public_values(&self) -> usize {
        match self {
            Self::Plain(plain) => BaseAir::<F>::num_public_values(plain),
            _ => 0,
        }
    }

    fn num_periodic_columns(&self) -> usize {
        BaseAir::<F>::periodic_columns(self).len()
    }

    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        match self {
            Self::Plain(plain) => plain.periodic_columns(),
            _ => Cow::Owned(vec![]),
        }
    }
}

impl<AB: InteractionBuilder<F: PrimeField32>> Air<AB> for Table {
    fn eval(&self, builder: &mut AB) {
        if let Self::Plain(plain) = self {
            plain.eval(builder);
            return;
        }
        let main = builder.main();
        let now: Vec<AB::Expr> = main.current_slice().iter().map(|&x| x.into()).collect();
        let once = || Count::bounded(AB::Expr::ONE, 1);
        match self {
            Self::Plain(_) => {}
            Self::Range { .. } => {
                let value: AB::Expr = builder.preprocessed().current_slice()[0].into();
                RANGE.table_entry(builder, [value], now[0].clone());
            }
            Self::Keys { .. } => {
                for key in now {
                    RANGE.lookup_key(builder, [key], once());
                }
            }
            Self::Shuffle => {
                builder.push_local_interaction(vec![
                    (vec![now[0].clone()], Count::from(1)),
                    (vec![now[1].clone()], Count::provided(AB::Expr::NEG_ONE)),
                ]);
                PAIRS.lookup_key(builder, [now[0].clone(), now[2].clone()], once());
            }
            Self::Receiver => PAIRS.table_entry(builder, now, AB::Expr::ONE),
        }
    }
}

/// The value of a column that nothing constrains, as an element of Droste's field.
pub const FREE: droste_native::F = droste_native::F::new(123_456_789);

/// Main trace and public values of one table.
pub type Trace<F> = (RowMajorMatrix<F>, Vec<F>);

/// The trace of a table without lookups.
pub fn plain_trace<F: PrimeField32>(table: Plain, log_height: usize, seed: u32) -> Trace<F> {
    let height = 1u32 << log_height;
    let mut public = vec![];
    let mut values = vec![];
    match table {
        Plain::Product { degree } => {
            for row in 0..height {
                let (a, b) = (F::from_u32(seed + row), F::from_u32(3 * row + 2));
                values.extend([a, b, a * b.exp_u64(u64::from(degree) - 1)]);
            }
        }
        Plain::Fibonacci => {
            let (mut a, mut b) = (F::from_u32(seed), F::ONE);
            for _ in 0..height {
                values.extend([a, b]);
                (a, b) = (b, a + b);
            }
            public = vec![values[0], values[1], values[values.len() - 1]];
        }
        Plain::Steps { .. } => {
            let mut x = F::ZERO;
            for row in 0..height {
                x += F::from_u32(row * row + 1);
                values.push(x);
            }
        }
        Plain::Free => {
            for _ in 0..height {
                values.extend([F::ONE, F::from_u32(FREE.as_canonical_u32())]);
            }
        }
        Plain::Clock => {
            let q = [1, 2];
            let r = [F::ZERO, F::ONE, F::TWO, F::NEG_ONE];
            for row in 0..height as usize {
                values.push(r[row % 4].double() + F::from_u32(q[row % 2]));
            }
        }
    }
    (
        RowMajorMatrix::new(values, BaseAir::<F>::width(&table)),
        public,
    )
}

/// Traces of a batch. There may be at most one table of each kind that takes part in lookups, and a
/// receiver must have the height of the shuffle.
pub fn traces<F: PrimeField32>(tables: &[(Table, usize)], seed: u32) -> Vec<Trace<F>> {
    let range = tables.iter().find_map(|(table, _)| match table {
        Table::Range { log_height } => Some(1u32 << log_height),
        _ => None,
    });
    let key = |row: u32, column: u32| (seed + 5 * row + 3 * column) % range.unwrap_or(1);
    let pair = |row: u32| [F::from_u32(seed + row), F::from_u32(row * row)];
    let mut counts = vec![F::ZERO; range.unwrap_or(0) as usize];
    for (table, log_height) in tables {
        if let Table::Keys { columns } = table {
            for row in 0..1 << log_height {
                for column in 0..*columns as u32 {
                    counts[key(row, column) as usize] += F::ONE;
                }
            }
        }
    }
    let trace = |&(table, log_height): &(Table, usize)| {
        let rows = 0..1u32 << log_height;
        let values: Vec<F> = match table {
            Table::Plain(plain) => return plain_trace(plain, log_height, seed),
            Table::Range { .. } => counts.clone(),
            Table::Keys { columns } => rows
                .flat_map(|row| (0..columns as u32).map(move |c| F::from_u32(key(row, c))))
                .collect(),
            Table::Shuffle => {
                let last = (1 << log_height) - 1;
                rows.flat_map(|row| [pair(row)[0], pair(last - row)[0], pair(row)[1]])
                    .collect()
            }
            Table::Receiver => rows.flat_map(pair).collect(),
        };
        (
            RowMajorMatrix::new(values, BaseAir::<F>::width(&table)),
            vec![],
        )
    };
    tables.iter().map(trace).collect()
}
