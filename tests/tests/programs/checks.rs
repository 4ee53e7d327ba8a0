//! What programs check is checked whatever they do with it afterwards.

use droste::both_ways::Program;
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::precompile::poseidon16_merkle;
use p3_field::PrimeCharacteristicRing;

program!(unused {
    use droste_gadgets::prelude::*;

    #[inline(never)]
    fn check(data: Slice, x: Felt) {
        let _element = data.block(0).as_ext();
        let _inverse = x.inverse();
        let _index = Index::<5>::new(x);
    }

    pub fn main() {
        let x = public_input();
        check(hint_slice(1).any(), x);
        reveal(x);
    }
});

/// What an operation asserts is checked even if its result is not used.
#[test]
fn results_that_nothing_uses_are_checked() {
    let program = Program::new("unused", unused::SOURCE, unused::main);
    let tape = |lane: u32| {
        let lanes = [1, 2, 3, 4, 5, 0, 0, lane].map(|x| Some(F::from_u32(x)));
        NativeTape {
            hints: vec![Hint::Slice(vec![lanes])],
        }
    };
    program.both(&tape(0), &[4]).unwrap();
    for (lane, x) in [(1, 4), (0, 0), (0, 5)] {
        program.both(&tape(lane), &[x]).unwrap_err();
    }
}

program!(paths {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        let which = Index::<2>::new(x);
        let roots = hint_slice(2).any();
        let leaves = hint_slice(2).any();
        let path = hint_slice(3).any();
        assert_eq!(
            roots.at(which),
            poseidon16_merkle(leaves.at(which), felt(5), path, 3)
        );
        reveal(x);
    }
});

/// A Merkle path whose leaf and root are at addresses known at run time. The root is compared by
/// writing it.
#[test]
fn leaves_and_roots_are_at_any_address() {
    let program = Program::new("paths", paths::SOURCE, paths::main);
    let block = |seed: u32| [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| F::from_u32(8 * seed + lane));
    let (leaves, path) = ([block(1), block(2)], [block(3), block(4), block(5)]);
    let roots = leaves.map(|leaf| poseidon16_merkle(&leaf, 5, &path).unwrap());
    let tape = |roots: [[F; 8]; 2]| {
        let slice =
            |blocks: &[[F; 8]]| Hint::Slice(blocks.iter().map(|block| block.map(Some)).collect());
        NativeTape {
            hints: vec![slice(&roots), slice(&leaves), slice(&path)],
        }
    };
    for which in [0, 1] {
        program.both(&tape(roots), &[which]).unwrap();
        // The root that is not asked for may have any value.
        for wrong in [0, 1] {
            for lane in 0..8 {
                let mut roots = roots;
                roots[wrong][lane] += F::ONE;
                let run = program.both(&tape(roots), &[which]);
                assert_eq!(run.is_err(), wrong == which as usize);
            }
        }
    }
}

program!(lanes {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        let given = hint_slice(1).any().block(0);
        let two = felt(2);
        let made = Block::new([x, x + two, x * two, x * x, two, x + x * x, Felt::ONE, x * x * x]);
        assert_eq!(made, given);
        reveal(x);
    }
});

/// A block that several instructions make is compared as a whole, even if it is used only in the
/// comparison.
#[test]
fn every_lane_of_a_block_is_compared() {
    let program = Program::new("lanes", lanes::SOURCE, lanes::main);
    let tape = |wrong: Option<usize>| {
        let mut lanes = [3, 5, 6, 9, 2, 12, 1, 27].map(|x| Some(F::from_u32(x)));
        if let Some(wrong) = wrong {
            lanes[wrong] = Some(F::from_u32(100));
        }
        NativeTape {
            hints: vec![Hint::Slice(vec![lanes])],
        }
    };
    program.both(&tape(None), &[3]).unwrap();
    for lane in 0..8 {
        program.both(&tape(Some(lane)), &[3]).unwrap_err();
    }
}
