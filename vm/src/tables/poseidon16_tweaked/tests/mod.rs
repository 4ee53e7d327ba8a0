mod forgeries;

use droste_native::F;
use droste_native::precompile::{
    NODE_LANES, poseidon16_compress, poseidon16_tweaked, poseidon16_winternitz,
};
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;

use super::{Poseidon16TweakedTable, TweakedCols};
use crate::isa::id;
use crate::tables::LANES;
use crate::tables::testing::{self, Block, dense};

type Node = [F; NODE_LANES];

fn node(block: &Block, half: usize) -> Node {
    std::array::from_fn(|lane| block[half * NODE_LANES + lane])
}

fn parameter() -> Node {
    node(&dense(1000), 0)
}

type Run = testing::Run<Poseidon16TweakedTable>;

impl Run {
    /// Adds chains whose pairs have these digits.
    fn winternitz(&mut self, pairs: &[(u32, u32)]) {
        let mut digits = [F::ZERO; LANES];
        for (index, (left, right)) in pairs.iter().enumerate() {
            digits[index / 4] += F::from_u32((left + 8 * right) << (6 * (index % 4)));
        }
        (digits[6], digits[7]) = (F::from_u32(3 << 10), F::from_u32(77));
        let mut held = [F::ZERO; LANES];
        held[..NODE_LANES].copy_from_slice(&parameter());
        let steps = pairs.iter().map(|(left, right)| 14 - left - right).sum();
        let starts: Vec<Block> = (0..pairs.len() as u32).map(dense).collect();
        let first = dense(500);
        let states = poseidon16_winternitz(&starts, &held, &digits, &first, steps).unwrap();
        let a = self.push(starts);
        let b = self.push([held, digits, first]);
        let c = self.push(states);
        let call = [a, b, c, pairs.len() as u32, steps];
        self.calls.push((id::POSEIDON16_WINTERNITZ, call));
    }

    /// Adds a path with these sides, low first.
    fn path(&mut self, sides: &[bool]) {
        let leaf = dense(600);
        let mut below = node(&leaf, 0);
        let (mut tweaks, mut children) = (Vec::new(), Vec::new());
        for (level, &is_right) in (0..).zip(sides) {
            let mut tweak = dense(700 + level);
            tweak[2] = F::from_bool(is_right);
            let mut pair = dense(800 + level);
            pair[NODE_LANES * usize::from(is_right)..][..NODE_LANES].copy_from_slice(&below);
            below = poseidon16_tweaked([tweak[0], tweak[1]], parameter(), pair);
            tweaks.push(tweak);
            children.push(pair);
        }
        let mut key = [F::ZERO; LANES];
        key[..NODE_LANES].copy_from_slice(&below);
        key[NODE_LANES..].copy_from_slice(&parameter());
        let (a, b, c) = (self.push([key]), self.push(tweaks), self.push(children));
        let d = self.push([leaf]);
        let call = [a, b, c, d, sides.len() as u32];
        self.calls.push((id::POSEIDON16_TWEAKED_PATH, call));
    }
}

fn chains(pairs: &[(u32, u32)]) -> Run {
    let mut run = Run::new();
    run.winternitz(pairs);
    run
}

fn path(sides: &[bool]) -> Run {
    let mut run = Run::new();
    run.path(sides);
    run
}

/// Chains with and without steps, in one and in two elements; paths with both sides.
fn mixed() -> Run {
    let mut run = chains(&[(5, 7), (7, 6), (7, 7), (6, 5), (7, 6)]);
    run.winternitz(&[(6, 6)]);
    run.winternitz(&[(7, 7)]);
    run.winternitz(&[(7, 7), (7, 7), (6, 7), (7, 7)]);
    run.path(&[false, true, true]);
    run.path(&[true]);
    run
}

// The accumulator, the call, two columns of two block lookups each, and the result.
crate::tables::testing::common_tests!(Poseidon16TweakedTable: 200, 3, 25);

#[test]
fn every_digit_agrees_with_the_native_function() {
    for left in 0..8 {
        for right in 0..8 {
            chains(&[(left, right)]).assert_accepts();
        }
    }
    chains(&[(3, 4); 24]).assert_accepts();
}

#[test]
fn a_batch_proof_of_a_wrong_chain_is_rejected() {
    assert!(!chains(&[(6, 7)]).with_wrong_result().proves());
}

/// The last row of the table is the last row of a call of each kind.
#[test]
fn full_tables_are_accepted() {
    let mut last_is_path = chains(&[(7, 6)]);
    last_is_path.path(&[true, false]);
    for run in [
        chains(&[(5, 7), (7, 7)]),
        last_is_path,
        path(&[true, true, false, false]),
    ] {
        run.assert_fills(4);
        assert!(run.proves());
    }
}

#[test]
fn every_cell_that_matters_is_constrained() {
    mixed().assert_constrained(&TweakedCols::<u8>::names(), TweakedCols::free_columns);
}

#[test]
fn the_native_functions_refuse_what_no_trace_has() {
    let held = dense(1);
    let start = [dense(2)];
    let mut digits = [F::ZERO; LANES];
    digits[0] = F::from_u32(7 + 8 * 6);
    let walk = |digits: &Block, steps| poseidon16_winternitz(&start, &held, digits, &held, steps);
    let states = walk(&digits, 1).unwrap();
    let end = poseidon16_tweaked([F::from_u32(14), F::ZERO], node(&start[0], 1), held);
    let mut ends = start[0];
    ends[NODE_LANES..].copy_from_slice(&end);
    assert_eq!(states, [poseidon16_compress(&held, &ends)]);
    assert!(walk(&digits, 0).is_err());
    assert!(walk(&digits, 2).is_err());
    digits[0] += F::from_u32(64);
    assert!(walk(&digits, 1).is_err());
    assert!(poseidon16_winternitz(&[], &held, &digits, &held, 0).is_err());
    assert!(poseidon16_winternitz(&[held; 25], &held, &[F::ZERO; 8], &held, 350).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn mixtures_agree(
        pairs in prop::collection::vec(prop::collection::vec((0u32..8, 0u32..8), 1..25), 0..3),
        sides in prop::collection::vec(prop::collection::vec(any::<bool>(), 1..33), 0..3),
    ) {
        let mut run = Run::new();
        for pairs in &pairs {
            run.winternitz(pairs);
        }
        for sides in &sides {
            run.path(sides);
        }
        run.assert_accepts();
    }
}
