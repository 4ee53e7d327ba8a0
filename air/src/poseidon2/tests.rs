use std::borrow::{Borrow, BorrowMut};
use std::collections::BTreeMap;

use droste_native::F;
use droste_native::hash::poseidon2::{
    Constants, PARENT_WIDTH, Poseidon2, RATE, SPONGE_WIDTH, compress_pair, hash_row,
};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use p3_symmetric::Permutation;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::TraceError;
use crate::test_utils::{Harness, Rows, Table, constraint_degree, largest_message};

fn random_inputs<const WIDTH: usize>(count: usize) -> Vec<[F; WIDTH]>
where
    StandardUniform: Distribution<[F; WIDTH]>,
{
    let mut rng = SmallRng::seed_from_u64(1);
    (0..count).map(|_| rng.random()).collect()
}

/// States of 0, 1 and p - 1, then random ones.
fn inputs<const WIDTH: usize>(count: usize) -> Vec<[F; WIDTH]>
where
    StandardUniform: Distribution<[F; WIDTH]>,
{
    let edges = [F::ZERO, F::ONE, F::NEG_ONE];
    let mixed = std::array::from_fn(|i| edges[i % 3]);
    let edges = edges.map(|edge| [edge; WIDTH]).into_iter().chain([mixed]);
    edges.chain(random_inputs(count)).collect()
}

/// Declares the tests of the tables of one width.
macro_rules! tests {
    (
        $width:ident, $columns:ident, $air:ident, $generate_permutations:ident,
        $table_columns:ident, $table:ident, $generate_table:ident, $message:ident
    ) => {
        use super::*;

        #[test]
        fn rows_are_the_native_permutation() {
            let inputs = inputs::<$width>(60);
            let trace = $generate_permutations(&inputs, None).unwrap();
            for (index, input) in inputs.iter().enumerate() {
                let row = trace.row_slice(index).unwrap();
                let row: &$columns<F> = (*row).borrow();
                assert_eq!(row.inputs, *input);
                assert_eq!(*row.outputs(), Poseidon2::<$width>.permute(*input));
            }
            let harness = Harness::new(vec![Table::new("alone", &$air, trace)]);
            harness.check().unwrap();
        }

        #[test]
        fn messages_are_the_native_permutation() {
            let inputs = inputs::<$width>(10);
            let trace = $generate_table(&inputs, None).unwrap();
            let harness = Harness::new(vec![Table::new("table", &$table, trace)]);
            let messages = harness.messages().unwrap();
            let expected: BTreeMap<Vec<u32>, u32> = inputs
                .into_iter()
                .map(|input| {
                    let output = Poseidon2::<$width>.permute(input);
                    let fields = input.into_iter().chain(output);
                    (fields.map(|x| x.as_canonical_u32()).collect(), 1)
                })
                .collect();
            assert_eq!(messages[$message::<()>::DECLARATION.bus], expected);
        }

        #[test]
        fn impossible_heights_are_refused() {
            for generate in [$generate_permutations, $generate_table] {
                assert_eq!(generate(&[], None), Err(TraceError::Empty));
                let inputs = [[F::ZERO; $width]; 3];
                assert_eq!(
                    generate(&inputs, Some(2)),
                    Err(TraceError::TooShort { rows: 3, height: 2 })
                );
                assert_eq!(
                    generate(&inputs, Some(6)),
                    Err(TraceError::NotAPowerOfTwo(6))
                );
            }
        }

        #[test]
        fn degree_reached_is_the_degree_declared() {
            assert_eq!(constraint_degree(&$air), DEGREE);
            assert_eq!(constraint_degree(&$table), DEGREE);
        }

        #[test]
        fn messages_are_small() {
            assert!(largest_message(&$table, 10_000) <= 2 * $width + 1);
        }

        #[test]
        fn every_cell_is_constrained() {
            let inputs = random_inputs::<$width>(3);
            let trace = $generate_table(&inputs, None).unwrap();
            let table = Table::new("table", &$table, trace).names($table_columns::<u8>::names());
            let bus = $message::<()>::DECLARATION.bus;
            let harness = Harness::new(vec![table]).open_bus(bus);
            harness.check().unwrap();
            let report = harness.mutate("table", &Rows::of(3, 4));
            report.expect_caught();
            let trace = $generate_permutations(&inputs, None).unwrap();
            let table = Table::new("alone", &$air, trace).names($columns::<u8>::names());
            let harness = Harness::new(vec![table]);
            harness.check().unwrap();
            harness.mutate("alone", &Rows::of(3, 4)).expect_caught();
        }
    };
}

mod parent {
    tests!(
        PARENT_WIDTH,
        Poseidon2ParentCols,
        Poseidon2ParentAir,
        generate_parent_permutations,
        Poseidon2ParentTableCols,
        Poseidon2ParentTable,
        generate_parent_table,
        ParentMessage
    );

    #[test]
    fn a_row_makes_a_parent() {
        let input = random_inputs::<PARENT_WIDTH>(1)[0];
        let (left, right) = input.split_at(8);
        let parent = compress_pair(left.try_into().unwrap(), right.try_into().unwrap());
        let trace = generate_parent_permutations(&[input], None).unwrap();
        let row = trace.row_slice(0).unwrap();
        let row: &Poseidon2ParentCols<F> = (*row).borrow();
        assert_eq!(row.outputs()[..8], parent);
    }
}

mod sponge {
    tests!(
        SPONGE_WIDTH,
        Poseidon2SpongeCols,
        Poseidon2SpongeAir,
        generate_sponge_permutations,
        Poseidon2SpongeTableCols,
        Poseidon2SpongeTable,
        generate_sponge_table,
        SpongeMessage
    );

    #[test]
    fn rows_make_a_leaf() {
        let leaf: Vec<F> = (1..=40).map(F::from_u32).collect();
        let mut state = [F::ZERO; SPONGE_WIDTH];
        for block in leaf.chunks(RATE) {
            state[..block.len()].copy_from_slice(block);
            let trace = generate_sponge_permutations(&[state], None).unwrap();
            let row = trace.row_slice(0).unwrap();
            let row: &Poseidon2SpongeCols<F> = (*row).borrow();
            state = *row.outputs();
        }
        assert_eq!(state[..8], hash_row(&leaf));
    }
}

/// With default constants a row is that of the AIR, with drawn ones it is Plonky3's permutation.
#[test]
fn constants_in_columns_are_those_of_the_permutation() {
    macro_rules! check {
        ($width:ident, $columns:ident, $constants:ident, $fill:ident, $fill_with:ident) => {
            let mut rng = SmallRng::seed_from_u64(2);
            let drawn = Constants::<$width>::drawn(|| rng.random());
            for input in inputs::<$width>(10) {
                for constants in [Constants::<$width>::default(), drawn.clone()] {
                    let mut cells = F::zero_vec($columns::<u8>::WIDTH);
                    let row: &mut $columns<F> = cells.as_mut_slice().borrow_mut();
                    let elements = constants.elements();
                    let columns: &$constants<F> = elements.as_slice().borrow();
                    $fill_with(columns, input, row);
                    let expected = constants.permutation().permute(input);
                    assert_eq!(*row.outputs(), expected);
                    let mut of_air = F::zero_vec(cells.len());
                    $fill(input, of_air.as_mut_slice().borrow_mut());
                    assert_eq!(cells == of_air, constants != drawn);
                }
            }
        };
    }
    check!(
        PARENT_WIDTH,
        Poseidon2ParentCols,
        Poseidon2ParentConstants,
        fill_parent_row,
        fill_parent_row_with
    );
    check!(
        SPONGE_WIDTH,
        Poseidon2SpongeCols,
        Poseidon2SpongeConstants,
        fill_sponge_row,
        fill_sponge_row_with
    );
}

#[test]
fn widths() {
    assert_eq!(Poseidon2ParentConstants::<u8>::WIDTH, 148);
    assert_eq!(Poseidon2SpongeConstants::<u8>::WIDTH, 215);
    assert_eq!(Poseidon2ParentCols::<u8>::WIDTH, 164);
    assert_eq!(Poseidon2ParentTableCols::<u8>::WIDTH, 165);
    assert_eq!(Poseidon2SpongeCols::<u8>::WIDTH, 239);
    assert_eq!(Poseidon2SpongeTableCols::<u8>::WIDTH, 240);
}
