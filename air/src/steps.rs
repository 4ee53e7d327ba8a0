//! Computations of several rows each: which step of its computation a row is.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::{TraceError, TraceResult};

/// Constrains `steps` to be the one-hot step of each row in its computation of `N` rows, with
/// degree 2.
///
/// A row of step 0 is followed by step 1, or by another row of step 0: then it is *idle*, and no
/// computation begins there. Every other step is followed by the next one, and the last by step 0.
/// Row 0 is idle.
///
/// # Soundness
///
/// Whichever [`End`](crate::End) the table has, right above a row of any step but 0 are the rows of
/// all steps before it, and another row of the table above those: only step `i - 1` is followed by
/// step `i`, and row 0 is followed by step 0. The rest of the computation is below: on the last row
/// no step but 0 can be, since neither row 0 nor the row itself is the step after it; except that
/// in a ring the last step may be, which row 0 follows as it should.
pub fn eval_steps<AB: AirBuilder<F = F>, const N: usize>(
    builder: &mut AB,
    local: &[AB::Var; N],
    next: &[AB::Var; N],
) {
    let mut first = builder.when_first_row();
    for (step, &flag) in local.iter().enumerate() {
        first.assert_eq(flag, AB::Expr::from_bool(step == 0));
    }
    first.assert_zero(next[1]);
    builder.assert_zero(next[1] * (local[0] - next[1]));
    builder.assert_eq(next[0] + next[1], local[0] + local[N - 1]);
    for (&flag, &before) in next[2..].iter().zip(&local[1..]) {
        builder.assert_eq(flag, before);
    }
}

/// Number of rows of so many computations of `steps` rows, with an idle row above and one below
/// them. The last row must be idle where it is followed by itself.
pub const fn rows(steps: usize, computations: usize) -> usize {
    1 + steps * computations + 1
}

/// A trace of `computations` whose rows `fill(index, rows)` fills, `steps` for each, between copies
/// of the row `idle`.
pub(crate) fn generate(
    steps: usize,
    computations: usize,
    height: Option<usize>,
    idle: &[F],
    fill: impl Fn(usize, &mut [F]) + Sync,
) -> TraceResult {
    if computations == 0 && height.is_none() {
        return Err(TraceError::Empty);
    }
    let height = TraceError::height(rows(steps, computations), height)?;
    let width = idle.len();
    let mut values = F::zero_vec(height * width);
    let (above, rest) = values.split_at_mut(width);
    let (filled, below) = rest.split_at_mut(steps * computations * width);
    above.copy_from_slice(idle);
    filled
        .par_chunks_exact_mut(steps * width)
        .enumerate()
        .for_each(|(index, rows)| fill(index, rows));
    below
        .par_chunks_exact_mut(width)
        .for_each(|row| row.copy_from_slice(idle));
    Ok(RowMajorMatrix::new(values, width))
}

#[cfg(test)]
mod tests {
    use p3_air::{Air, BaseAir, WindowAccess};
    use p3_matrix::Matrix;

    use super::*;
    use crate::End;
    use crate::test_utils::{Harness, Table};

    struct Steps;

    impl BaseAir<F> for Steps {
        fn width(&self) -> usize {
            3
        }
    }

    impl<AB: AirBuilder<F = F>> Air<AB> for Steps {
        fn eval(&self, builder: &mut AB) {
            let main = builder.main();
            let row = |row: &[AB::Var]| [row[0], row[1], row[2]];
            eval_steps(builder, &row(main.current_slice()), &row(main.next_slice()));
        }
    }

    /// Whether rows with these steps, `None` for rows that are not one-hot, are what the
    /// constraints are to allow.
    fn allowed(steps: &[Option<usize>], end: End) -> bool {
        let height = steps.len();
        steps[0] == Some(0)
            && (0..height).all(|row| match (steps[row], steps[end.next(row, height)]) {
                (Some(0), Some(1)) => row > 0,
                (Some(0 | 2), Some(0)) | (Some(1), Some(2)) => true,
                _ => false,
            })
    }

    /// Every trace of these heights with these rows is accepted just if it is allowed.
    fn check(rows: &[[u32; 3]], heights: &[u32]) {
        for &height in heights {
            for number in 0..rows.len().pow(height) {
                let digit = |row| number / rows.len().pow(row) % rows.len();
                let trace: Vec<[u32; 3]> = (0..height).map(|row| rows[digit(row)]).collect();
                let steps = trace.iter().map(|row| match row {
                    [1, 0, 0] => Some(0),
                    [0, 1, 0] => Some(1),
                    [0, 0, 1] => Some(2),
                    _ => None,
                });
                let steps: Vec<_> = steps.collect();
                for end in [End::Ring, End::Repeat] {
                    let cells = trace.iter().flatten().map(|&cell| F::from_u32(cell));
                    let trace = RowMajorMatrix::new(cells.collect(), 3);
                    let table = Table::new("steps", &Steps, trace).end(end);
                    let accepted = Harness::new(vec![table]).check().is_ok();
                    assert_eq!(accepted, allowed(&steps, end), "{steps:?} {end:?}");
                }
            }
        }
    }

    #[test]
    fn computations_have_all_of_their_rows() {
        let cells = |base: u32| move |row: u32| [row % base, row / base % base, row / base / base];
        check(&(0..27).map(cells(3)).collect::<Vec<_>>(), &[1, 2]);
        check(&(0..8).map(cells(2)).collect::<Vec<_>>(), &[4]);
        check(&[[1, 0, 0], [0, 1, 0], [0, 0, 1]], &[8]);
    }

    #[test]
    fn rows_are_between_idle_ones() {
        let idle = [1, 0, 0].map(F::from_u32);
        let fill = |_, rows: &mut [F]| {
            for (step, row) in rows.chunks_exact_mut(3).enumerate() {
                row[step] = F::ONE;
            }
        };
        for computations in 1..6 {
            let trace = generate(3, computations, None, &idle, fill).unwrap();
            assert_eq!(trace.height(), (3 * computations + 2).next_power_of_two());
            for end in [End::Ring, End::Repeat] {
                let table = Table::new("steps", &Steps, trace.clone()).end(end);
                Harness::new(vec![table]).check().unwrap();
            }
        }
        assert_eq!(generate(3, 0, None, &idle, fill), Err(TraceError::Empty));
        let error = TraceError::TooShort { rows: 5, height: 4 };
        assert_eq!(generate(3, 1, Some(4), &idle, fill), Err(error));
    }
}
