use std::borrow::Borrow;
use std::collections::HashMap;

use droste_air::poseidon16::{Mode, Poseidon16TableCols, generate_table};
use droste_native::F;
use p3_commit::Mmcs;
use p3_field::{Field, PackedValue};
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::MerkleTreeMmcs;

use super::*;

type Packed = <F as Field>::Packing;

impl<const RATE: usize> Mmo<RATE> {
    /// Number of permutations for a row of `length` elements.
    const fn permutations(length: usize) -> usize {
        let blocks = length.div_ceil(RATE);
        if blocks == 0 { 1 } else { blocks }
    }

    /// One call: `s' = P(x) + x`, where `x` is `state` with its first lanes overwritten by `block`.
    fn step(state: &[F; WIDTH], block: &[F; RATE]) -> [F; WIDTH] {
        let mut next = *state;
        absorb(&mut next, block.iter().copied());
        next
    }
}

fn block<const RATE: usize>(first: usize) -> [F; RATE] {
    std::array::from_fn(|i| F::from_usize(if i == 0 { first } else { 0 }))
}

/// The attack that the module's documentation describes, with one lane (31 bits) carried over
/// instead of four. In about 2^16 calls it finds two messages that lead to the same whole state.
#[test]
fn one_carried_lane_collides_in_the_whole_state() {
    const RATE: usize = WIDTH - 1;
    let zero = [F::ZERO; WIDTH];
    let mut seen: HashMap<F, usize> = HashMap::new();
    let (first, second) = (0..1 << 20)
        .find_map(|message| {
            let state = Mmo::<RATE>::step(&zero, &block(message));
            let earlier = seen.insert(state[RATE], message)?;
            Some((earlier, message))
        })
        .expect("a collision by the birthday bound");

    let (a, b) = (block::<RATE>(first), block::<RATE>(second));
    assert_ne!(a, b);
    let next = block(7);
    let after = |message| Mmo::<RATE>::step(&Mmo::<RATE>::step(&zero, message), &next);
    assert_eq!(after(&a), after(&b), "all 16 lanes agree");

    // The digests of the two messages with any common suffix agree too.
    for suffix in [vec![], vec![F::TWO; 40]] {
        let digest = |start: &[F; RATE]| {
            let message = [&start[..], &next, &suffix].concat();
            Mmo::<RATE>.hash_slice(&message)
        };
        assert_eq!(digest(&a), digest(&b));
    }
}

/// With four lanes carried over, the same attack finds nothing among as many messages: its cost is
/// determined by the number of carried lanes.
#[test]
fn four_carried_lanes_do_not_collide_that_early() {
    let zero = [F::ZERO; WIDTH];
    let mut seen = std::collections::HashSet::new();
    for message in 0..1 << 14 {
        let state = MmoRate12::step(&zero, &block(message));
        assert!(seen.insert([state[12], state[13], state[14], state[15]]));
    }
}

#[test]
fn rate_12_saves_a_third_of_the_permutations() {
    assert_eq!(MmoRate12::permutations(96), 8);
    assert_eq!(Mmo::<8>::permutations(96), 12);
    assert_eq!(MmoRate12::permutations(0), 1);
    assert_eq!(MmoRate12::permutations(13), 2);
}

/// The number of rows that it saves: a call is a row with `P(x) + x`, and it takes fewer calls.
#[test]
fn rate_12_takes_fewer_rows() {
    let leaf: Vec<F> = (1..=64).map(F::from_u32).collect();
    let mut state = [F::ZERO; WIDTH];
    let mut calls = vec![];
    for block in leaf.chunks(12) {
        state[..12].fill(F::ZERO);
        state[..block.len()].copy_from_slice(block);
        calls.push((state, Mode::Compress));
        let trace = generate_table(&calls[calls.len() - 1..], None).unwrap();
        let row = trace.row_slice(0).unwrap();
        let row: &Poseidon16TableCols<F> = (*row).borrow();
        let outputs = row.permutation.outputs();
        state = std::array::from_fn(|i| outputs[i] + row.permutation.inputs[i]);
    }
    let digest: [F; DIGEST] = MmoRate12::default().hash_slice(&leaf);
    assert_eq!(digest, state[..DIGEST]);
    assert_eq!(calls.len(), MmoRate12::permutations(64));
    assert_eq!((calls.len(), Mmo::<8>::permutations(64)), (6, 8));
}

#[test]
fn steps_make_up_the_hash() {
    let message: Vec<F> = (1..=30).map(F::from_usize).collect();
    let mut state = [F::ZERO; WIDTH];
    for chunk in message.chunks(12) {
        let block = std::array::from_fn(|i| chunk.get(i).copied().unwrap_or_default());
        state = MmoRate12::step(&state, &block);
    }
    assert_eq!(Mmo::<12>.hash_slice(&message), state[..DIGEST]);
}

#[test]
fn merkle_trees_take_it_as_leaf_hasher() {
    type Tree = MerkleTreeMmcs<Packed, Packed, MmoRate12, Poseidon16, 2, DIGEST>;
    let (height, width) = (2 * Packed::WIDTH.max(2), 30);
    let values = (0..height * width).map(F::from_usize).collect();
    let mmcs = Tree::new(Mmo, Poseidon16, 0);
    let (root, data) = mmcs.commit_matrix(RowMajorMatrix::new(values, width));
    for index in [0, 1, height - 1] {
        let mut opening = mmcs.open_batch(index, &data);
        let dimensions = [Dimensions { width, height }];
        mmcs.verify_batch(&root, &dimensions, index, (&opening).into())
            .unwrap();
        opening.opened_values[0][3] += F::ONE;
        assert!(
            mmcs.verify_batch(&root, &dimensions, index, (&opening).into())
                .is_err()
        );
    }
}
