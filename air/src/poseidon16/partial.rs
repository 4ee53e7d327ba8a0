//! Constraints of the partial rounds.
//!
//! Between two S-boxes of element 0 everything is linear, and each S-box output is a column, so the
//! state remains linear in the columns. The same constraints are written in two ways. Round by
//! round takes the fewest multiplications; it is used where each of them counts, as in a circuit
//! that is generated from the expressions. Blocks of four rounds take the fewest reductions; they
//! are used where expressions are values, since a dot product takes one reduction for eight
//! products.

use std::mem::needs_drop;
use std::sync::LazyLock;

use droste_native::F;
use droste_native::hash::poseidon16::{
    PARTIAL_ROUNDS, SparsePartialRounds, WIDTH, sparse_partial_rounds,
};
use p3_air::AirBuilder;
use p3_field::{Algebra, PrimeCharacteristicRing};

/// Constrains `sbox_outputs` to be the S-box outputs of the partial rounds that follow `state`, and
/// sets `state` to the state after these rounds.
#[inline]
pub(super) fn eval_partial_rounds<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    state: &mut [AB::Expr; WIDTH],
    sbox_outputs: &[AB::Var; PARTIAL_ROUNDS],
) {
    for (value, &constant) in state
        .iter_mut()
        .zip(&sparse_partial_rounds().first_constants)
    {
        *value += constant;
    }
    // Expressions that own memory are symbolic; for them, the number of multiplications counts.
    if needs_drop::<AB::Expr>() {
        eval_rounds(builder, state, sbox_outputs);
    } else {
        eval_blocks(builder, state, sbox_outputs);
    }
}

/// The constraints round by round, with sparse matrices: 256 + 20 * 31 multiplications.
#[inline]
fn eval_rounds<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    state: &mut [AB::Expr; WIDTH],
    sbox_outputs: &[AB::Var; PARTIAL_ROUNDS],
) {
    let sparse = sparse_partial_rounds();
    let dense: [AB::Expr; WIDTH] = sparse
        .transition
        .each_ref()
        .map(|row| AB::Expr::mixed_dot_product(state, row));
    *state = dense;
    for (round, &output) in sbox_outputs.iter().enumerate() {
        builder.assert_eq(state[0].cube(), output);
        state[0] = output.into();
        state[0] += sparse.constants[round];
        let first = AB::Expr::mixed_dot_product(state, &sparse.first_row[round]);
        let (head, tail) = state.split_at_mut(1);
        for (value, &factor) in tail.iter_mut().zip(&sparse.first_column[round]) {
            *value += head[0].clone() * factor;
        }
        head[0] = first;
    }
}

/// Number of rounds per block.
const BLOCK: usize = 4;

/// Number of blocks.
const BLOCKS: usize = PARTIAL_ROUNDS / BLOCK;

/// The constants that a block of rounds needs in addition to the sparse matrices.
struct Block {
    /// The coefficient with which element 0 after the S-box of round `j` contributes to element 0
    /// after a later round `k` through the other elements: `cross[k][j]`.
    cross: [[F; BLOCK]; BLOCK],
    /// The coefficients with which element 0 after the S-box of each round contributes to elements
    /// 1 to 15 after the block.
    gains: [[F; BLOCK]; WIDTH - 1],
}

impl Block {
    fn new(sparse: &SparsePartialRounds, first: usize) -> Self {
        let cross = |k: usize, j: usize| -> F {
            let (row, column) = (
                &sparse.first_row[first + k],
                &sparse.first_column[first + j],
            );
            row[1..].iter().zip(column).map(|(&a, &b)| a * b).sum()
        };
        Self {
            cross: std::array::from_fn(|k| {
                std::array::from_fn(|j| if j < k { cross(k, j) } else { F::ZERO })
            }),
            gains: std::array::from_fn(|i| {
                std::array::from_fn(|j| sparse.first_column[first + j][i])
            }),
        }
    }
}

fn blocks() -> &'static [Block; BLOCKS] {
    static CONSTANTS: LazyLock<[Block; BLOCKS]> = LazyLock::new(|| {
        let sparse = sparse_partial_rounds();
        std::array::from_fn(|block| Block::new(sparse, BLOCK * block))
    });
    &CONSTANTS
}

/// The constraints block by block: elements 1 to 15 change once per block, by one dot product each.
#[inline]
fn eval_blocks<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    state: &mut [AB::Expr; WIDTH],
    sbox_outputs: &[AB::Var; PARTIAL_ROUNDS],
) {
    let sparse = sparse_partial_rounds();
    let input = state.clone();
    for (value, row) in state.iter_mut().zip(&sparse.transition) {
        *value = dot_product(&input, row);
    }
    let outputs = sbox_outputs.as_chunks::<BLOCK>().0;
    for (index, (block, outputs)) in blocks().iter().zip(outputs).enumerate() {
        let mut heads = [AB::Expr::ZERO; BLOCK];
        for (k, &output) in outputs.iter().enumerate() {
            let round = BLOCK * index + k;
            builder.assert_eq(state[0].cube(), output);
            heads[k] = output.into() + sparse.constants[round];
            state[0] = heads[k].clone();
            state[0] = dot_product(state, &sparse.first_row[round]);
            // The factors of later rounds of the block are zero, as are their heads so far.
            if k > 0 {
                state[0] += AB::Expr::mixed_dot_product(&heads, &block.cross[k]);
            }
        }
        for (value, gains) in state[1..].iter_mut().zip(&block.gains) {
            *value += AB::Expr::mixed_dot_product(&heads, gains);
        }
    }
}

/// A dot product in two halves: a packed dot product of Plonky3 takes one reduction for length 8,
/// but four for length 16.
#[inline]
fn dot_product<E: Algebra<F>>(a: &[E; WIDTH], f: &[F; WIDTH]) -> E {
    let (a, f) = (a.as_chunks::<8>().0, f.as_chunks::<8>().0);
    E::mixed_dot_product(&a[0], &f[0]) + E::mixed_dot_product(&a[1], &f[1])
}

#[cfg(test)]
mod tests {
    use p3_air::RowWindow;

    use super::*;

    /// A builder whose expressions are field elements; it records the values of the constraints.
    #[derive(Default)]
    struct Values(Vec<F>);

    impl AirBuilder for Values {
        type F = F;
        type Expr = F;
        type Var = F;
        type PreprocessedWindow = RowWindow<'static, F>;
        type MainWindow = RowWindow<'static, F>;
        type PublicVar = F;
        type PeriodicVar = F;

        fn main(&self) -> Self::MainWindow {
            RowWindow::from_two_rows(&[], &[])
        }

        fn preprocessed(&self) -> &Self::PreprocessedWindow {
            unreachable!("no constraint reads a row")
        }

        fn is_first_row(&self) -> F {
            F::ONE
        }

        fn is_last_row(&self) -> F {
            F::ONE
        }

        fn is_transition(&self) -> F {
            F::ONE
        }

        fn assert_zero<I: Into<F>>(&mut self, value: I) {
            self.0.push(value.into());
        }
    }

    #[test]
    fn both_ways_are_the_same_constraints() {
        // The S-box outputs are arbitrary: the constraints are polynomials in them, and must agree
        // for wrong ones, too.
        for seed in 0..20 {
            let state: [F; WIDTH] =
                std::array::from_fn(|i| F::from_usize(seed * 1000 + i).exp_u64(5));
            let outputs = std::array::from_fn(|i| F::from_usize(seed * 77 + i).exp_u64(7));
            let (mut rounds, mut blocks) = (state, state);
            let (mut one, mut other) = (Values::default(), Values::default());
            eval_rounds(&mut one, &mut rounds, &outputs);
            eval_blocks(&mut other, &mut blocks, &outputs);
            assert_eq!(rounds, blocks);
            assert_eq!(one.0.len(), PARTIAL_ROUNDS);
            assert_eq!(one.0, other.0);
        }
    }
}
