//! Commitments, the form of statements of any length.

use droste::both_ways::Program;
use droste::program::{commitment, digest_to_limbs};
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

program!(three_lanes {
    use droste_gadgets::commitment::commit_slice;
    use droste_gadgets::prelude::*;

    pub fn main() {
        // The commitment binds all lanes: those after the third are zero.
        let commitment = commit_slice(hint_slice(1).any(), 3);
        for i in 0..8 {
            reveal(commitment.lane(i));
        }
    }
});

program!(eleven_lanes {
    use droste_gadgets::commitment::commit_slice;
    use droste_gadgets::prelude::*;

    pub fn main() {
        // The commitment binds all lanes: those after the eleventh are zero.
        let commitment = commit_slice(hint_slice(2).any(), 11);
        for i in 0..8 {
            reveal(commitment.lane(i));
        }
    }
});

/// The lanes after those that are committed, in the same block, must be zero.
#[test]
fn a_committed_slice_ends_in_zeros() {
    let programs: [(usize, &str, fn()); 2] = [
        (3, three_lanes::SOURCE, three_lanes::main),
        (11, eleven_lanes::SOURCE, eleven_lanes::main),
    ];
    for (n, source, main) in programs {
        let program = Program::new("committed_slice", source, main);
        let tape = |lanes: &[F]| {
            let blocks = lanes.as_chunks::<8>().0.iter();
            NativeTape {
                hints: vec![Hint::Slice(blocks.map(|block| block.map(Some)).collect())],
            }
        };
        let mut lanes: Vec<F> = (1..=n).map(F::from_usize).collect();
        let expected = commitment(&lanes).map(|element| element.as_canonical_u32());
        lanes.resize(n.next_multiple_of(8), F::ZERO);
        assert_eq!(program.both(&tape(&lanes), &[]), Ok(expected));
        for lane in n..lanes.len() {
            for wrong in [F::ONE, F::NEG_ONE] {
                let mut lanes = lanes.clone();
                lanes[lane] = wrong;
                program.both(&tape(&lanes), &[]).unwrap_err();
            }
        }
    }
}

program!(nothing_committed {
    use droste_gadgets::commitment::reveal_commitment;

    pub fn main() {
        reveal_commitment(&[]);
    }
});

#[test]
fn a_statement_commits_to_no_elements() {
    let program = Program::new(
        "nothing_committed",
        nothing_committed::SOURCE,
        nothing_committed::main,
    );
    let expected = commitment(&[]).map(|element| element.as_canonical_u32());
    assert_eq!(program.both(&NativeTape::default(), &[]), Ok(expected));
}

program!(committed {
    use droste_gadgets::commitment::{commit, commit_slice, lanes, reveal_commitment};
    use droste_gadgets::prelude::*;

    pub fn main() {
        // The commitment binds all hints.
        let x = hint_felt().any();
        let root = keccak_hash(hint_slice(2).any(), 8);
        let data = hint_slice(2).any();
        let mut elements = vec![x];
        for limb in lanes(root, 16) {
            elements.push(limb);
        }
        assert_eq!(commit_slice(root, 16), commit(&elements[1..17]));
        let inner = commit_slice(data, 11);
        assert_eq!(inner, commit(&lanes(data, 11)));
        for i in 0..8 {
            elements.push(inner.lane(i));
        }
        reveal_commitment(&elements);
    }
});

/// The commitment to an element, a Keccak-256 digest and another commitment is the one that is
/// computed outside of the program, and every hint is bound.
#[test]
fn a_statement_commits_to_elements_and_digests() {
    let program = Program::new("committed", committed::SOURCE, committed::main);
    let message: [u8; 32] = std::array::from_fn(|i| 7 * i as u8);
    let root = digest_to_limbs(Keccak256.hash(&message));
    let data: Vec<F> = (1..12).map(F::from_u32).collect();
    let slice = |lanes: &[F]| {
        let lane = |i: usize| Some(lanes.get(i).copied().unwrap_or_default());
        let block = |i: usize| std::array::from_fn(|j| lane(8 * i + j));
        Hint::Slice((0..lanes.len().div_ceil(8)).map(block).collect())
    };
    let x = F::from_u32(5);
    let message = digest_to_limbs(message);
    let tape = NativeTape {
        hints: vec![Hint::Felt(x), slice(message.as_flattened()), slice(&data)],
    };
    let elements = [&[x][..], root.as_flattened(), &commitment(&data)].concat();
    let expected = commitment(&elements).map(|element| element.as_canonical_u32());
    assert_eq!(program.both(&tape, &[]), Ok(expected));
    assert_eq!(program.mutate_hints(&tape, &[]), 0);
}

program!(lengths {
    use droste_gadgets::commitment::{commit, lanes, reveal_commitment};
    use droste_gadgets::prelude::*;

    pub fn main() {
        // The commitments bind all lanes.
        let all = lanes(hint_slice(3).any(), 24);
        let mut elements = Vec::new();
        for n in 0..25usize {
            let commitment = commit(&all[0..n]);
            for i in 0..8 {
                elements.push(commitment.lane(i));
            }
        }
        reveal_commitment(&elements);
    }
});

#[test]
fn a_commitment_takes_any_number_of_elements() {
    let program = Program::new("lengths", lengths::SOURCE, lengths::main);
    // Zeros: only their number tells them apart.
    let kinds: [fn(usize) -> F; 2] = [|_| F::ZERO, F::from_usize];
    for lane in kinds {
        let all: Vec<F> = (0..24).map(lane).collect();
        let blocks = all.as_chunks::<8>().0.iter();
        let tape = NativeTape {
            hints: vec![Hint::Slice(blocks.map(|block| block.map(Some)).collect())],
        };
        let commitments: Vec<_> = (0..25).flat_map(|n| commitment(&all[..n])).collect();
        let expected = commitment(&commitments).map(|element| element.as_canonical_u32());
        assert_eq!(program.both(&tape, &[]), Ok(expected));
    }
}
