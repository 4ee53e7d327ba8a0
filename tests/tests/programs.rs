//! Every example program is run natively and in the machine.

use droste::both_ways::Program;
use droste::program::{commitment, compile, digest_to_limbs};
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use droste_native::precompile::{keccak_merkle, poseidon16_compress, poseidon16_merkle};
use droste_programs as programs;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

fn program(name: &str, main: fn()) -> Program {
    Program::new(
        name,
        programs::source(name).expect("the program exists"),
        main,
    )
}

fn block(seed: u32) -> [Option<F>; 8] {
    std::array::from_fn(|lane| Some(F::from_u32(seed * 1000 + 17 * lane as u32 + 1)))
}

/// Declares a program as a module and as its text.
macro_rules! program {
    ($name:ident { $($text:tt)* }) => {
        mod $name {
            pub const SOURCE: &str = stringify!($($text)*);
            $($text)*
        }
    };
}

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

#[test]
fn factorial() {
    let program = program("factorial", programs::factorial::main);
    for n in [0, 1, 5, 12, 100] {
        program.both(&NativeTape::default(), &[n]).unwrap();
    }
    assert_eq!(program.both(&NativeTape::default(), &[5]).unwrap()[1], 120);
    program.mutate_hints(&NativeTape::default(), &[7]);
}

#[test]
fn fibonacci() {
    let program = program("fibonacci", programs::fibonacci::main);
    for n in [0, 1, 2, 30] {
        program.both(&NativeTape::default(), &[n]).unwrap();
    }
    program.mutate_hints(&NativeTape::default(), &[9]);
}

/// Runs the program both ways, with every correct order and some wrong ones.
#[test]
fn sort() {
    let program = program("sort", programs::sort::main);
    let tape = |order: [u32; 4]| NativeTape {
        hints: order.map(|index| Hint::Felt(F::from_u32(index))).to_vec(),
    };
    let numbers = [500, 7, 65_535, 0];
    let sorted = program.both(&tape([3, 1, 0, 2]), &numbers).unwrap();
    assert_eq!(sorted, [500, 7, 65_535, 0, 0, 7, 500, 65_535]);
    assert_eq!(program.mutate_hints(&tape([3, 1, 0, 2]), &numbers), 0);
    // An order that is not sorted, one that is no permutation, one with an index that is too large.
    for order in [[1, 3, 0, 2], [3, 1, 0, 0], [3, 3, 3, 3], [3, 1, 0, 4]] {
        program.both(&tape(order), &numbers).unwrap_err();
    }
    // Equal numbers may be in any order.
    for order in [[3, 1, 0, 2], [3, 1, 2, 0]] {
        program.both(&tape(order), &[9, 7, 9, 0]).unwrap();
    }
    program
        .both(&tape([0, 1, 2, 3]), &[0, 1, 2, 65_536])
        .unwrap_err();
}

#[test]
fn hash_chains() {
    let chains: [(&str, fn()); 3] = [
        ("poseidon16_chain", programs::poseidon16_chain::main),
        ("blake3_chain", programs::blake3_chain::main),
        ("keccak_chain", programs::keccak_chain::main),
    ];
    for (name, main) in chains {
        let program = program(name, main);
        for n in [0, 1, 6] {
            program.both(&NativeTape::default(), &[n, 7]).unwrap();
        }
        program.mutate_hints(&NativeTape::default(), &[3, 7]);
    }
}

#[test]
fn poseidon16_permute() {
    let program = program("poseidon16_permute", programs::poseidon16_permute::main);
    let inputs = program.compiled.public_inputs as u32;
    let public: Vec<_> = (0..inputs).collect();
    let slices = vec![Hint::Slice(vec![block(1), block(2)])];
    for hints in [Vec::new(), slices] {
        let _ = program.both(&NativeTape { hints }, &public);
    }
}

/// Paths of one tree, two of siblings; another root, leaf, index or sibling is refused.
#[test]
fn merkle_paths() {
    let program = program("merkle_paths", programs::merkle_paths::main);
    let digest = |seed: u32| [2 * seed, 2 * seed + 1].map(|seed| block(seed).map(Option::unwrap));
    let mut siblings: Vec<_> = (1..17).map(digest).collect();
    let (mut leaf, mut index) = (digest(0), 0b1010_0110_0101_1001);
    let root = keccak_merkle(&leaf, index, &siblings).unwrap();
    let whole = |blocks: &[_]| Hint::Slice(blocks.iter().map(|b: &[F; 8]| b.map(Some)).collect());
    let mut hints = vec![whole(&root)];
    let chain = |state, blocks: &[_]| {
        blocks
            .iter()
            .fold(state, |state, block| poseidon16_compress(&state, block))
    };
    let mut expected = chain([F::ZERO; 8], &root);
    for _path in 0..4 {
        let mut number = [F::ZERO; 8];
        number[0] = F::from_u32(index);
        expected = chain(chain(expected, &leaf), &[number]);
        let path = [
            whole(&leaf),
            whole(&[number]),
            whole(siblings.as_flattened()),
        ];
        hints.extend(path);
        std::mem::swap(&mut leaf, &mut siblings[0]);
        index ^= 1;
    }
    let tape = NativeTape { hints };
    let statement = program.both(&tape, &[]).unwrap();
    assert_eq!(statement, expected.map(|lane| lane.as_canonical_u32()));
    for hint in 0..tape.hints.len() {
        let mut tape = tape.clone();
        if let Hint::Slice(blocks) = &mut tape.hints[hint] {
            blocks[0][0] = blocks[0][0].map(|lane| lane + F::ONE);
        }
        program.both(&tape, &[]).unwrap_err();
    }
}

#[test]
fn merkle_membership() {
    let programs: [(&str, fn(), u32); 3] = [
        (
            "poseidon16_membership",
            programs::poseidon16_membership::main,
            1,
        ),
        ("blake3_membership", programs::blake3_membership::main, 2),
        ("keccak_membership", programs::keccak_membership::main, 2),
    ];
    for (name, main, digest) in programs {
        let program = program(name, main);
        // Limbs are below 2^16, as the lanes of these blocks are.
        let blocks = |first: u32, n: u32| (first..first + n).map(block).collect::<Vec<_>>();
        let hints = vec![
            Hint::Slice(blocks(1, digest)),
            Hint::Felt(F::from_u32(0b1011_0010)),
            Hint::Slice(blocks(3, 8 * digest)),
        ];
        let mut tape = NativeTape { hints };
        program.both(&tape, &[]).unwrap();
        assert_eq!(program.mutate_hints(&tape, &[]), 0, "{name}");
        // An index out of range makes both runs fail.
        tape.hints[1] = Hint::Felt(F::from_u32(1 << 8));
        program.both(&tape, &[]).unwrap_err();
    }
}

program!(comparison {
    use droste_gadgets::integers::less_than;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let a = public_input();
        let b = public_input();
        let mut order = Felt::ZERO;
        if less_than(a, b) {
            order = Felt::ONE;
        }
        if less_than(b, a) {
            order += felt(2);
        }
        assert!(!(less_than(a, b) && less_than(b, a)));
        reveal(order);
    }
});

/// Elements are compared as canonical integers, around the bounds of limbs and of the field.
#[test]
fn elements_are_compared_as_integers() {
    let program = Program::new("comparison", comparison::SOURCE, comparison::main);
    let none = NativeTape::default();
    let last = F::ORDER_U32 - 1;
    let bounds = [0, 1, 65_535, 65_536, 65_537, 1 << 30, last - 1, last];
    for a in bounds {
        for b in bounds {
            let order = u32::from(a < b) + 2 * u32::from(b < a);
            assert_eq!(program.both(&none, &[a, b]).unwrap()[2], order, "{a}, {b}");
        }
    }
    for (a, b) in [(0, last), (last, 0), (65_536, 65_537), (7, 7)] {
        program.mutate_hints(&none, &[a, b]);
    }
}

program!(comparison_of_constants {
    use droste_gadgets::integers::less_than;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        assert!(less_than(felt(65_535), felt(65_536)));
        assert!(!less_than(felt(2_130_706_432), felt(0)));
        assert!(!less_than(x, x));
        let mut order = Felt::ZERO;
        if less_than(x, felt(65_536)) {
            order = Felt::ONE;
        }
        if less_than(felt(65_536), x) {
            order += felt(2);
        }
        reveal(order);
    }
});

#[test]
fn constants_are_compared_as_integers() {
    let program = Program::new(
        "comparison_of_constants",
        comparison_of_constants::SOURCE,
        comparison_of_constants::main,
    );
    for x in [0, 65_535, 65_536, 65_537, F::ORDER_U32 - 1] {
        let order = u32::from(x < 65_536) + 2 * u32::from(x > 65_536);
        let statement = program.both(&NativeTape::default(), &[x]).unwrap();
        assert_eq!(statement[1], order, "{x}");
    }
}

program!(comparison_of_words {
    use droste_gadgets::integers::U32;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let a = U32::new(public_input(), public_input());
        let b = U32::new(public_input(), public_input());
        let mut below = Felt::ZERO;
        if a.less_than(b) {
            below = Felt::ONE;
        }
        reveal(below);
        reveal(a.low() + b.high());
    }
});

/// All integers of 32 bits are compared, those that are no elements, too. Limbs are in range.
#[test]
fn words_are_compared_as_integers() {
    let program = Program::new(
        "comparison_of_words",
        comparison_of_words::SOURCE,
        comparison_of_words::main,
    );
    let none = NativeTape::default();
    let limbs = |x: u32| [x & 0xffff, x >> 16];
    let p = F::ORDER_U32;
    let words = [0, 1, 65_535, 65_536, 65_537, p - 1, p, 1 << 31, u32::MAX];
    for a in words {
        for b in words {
            let public = [limbs(a), limbs(b)].concat();
            let below = u32::from(a < b);
            assert_eq!(program.both(&none, &public).unwrap()[4], below, "{a}, {b}");
        }
    }
    program.mutate_hints(&none, &[1, 65_535, 0, 65_535]);
    program.mutate_hints(&none, &[65_535, 0, 0, 1]);
    for limb in 0..4 {
        for too_large in [65_536, 65_537, 1 << 24, p - 1] {
            let mut public = [0, 1, 2, 3];
            public[limb] = too_large;
            program.both(&none, &public).unwrap_err();
        }
    }
}

program!(ranges {
    use droste_gadgets::integers::assert_bits;
    use droste_gadgets::prelude::*;

    pub fn main() {
        assert_bits(public_input(), 1);
        assert_bits(public_input(), 12);
        assert_bits(public_input(), 16);
        assert_bits(public_input(), 30);
        assert_bits(public_input(), 31);
        assert_bits(public_input(), 32);
    }
});

#[test]
fn ranges_end_at_powers_of_two() {
    let program = Program::new("ranges", ranges::SOURCE, ranges::main);
    let none = NativeTape::default();
    let last = F::ORDER_U32 - 1;
    let largest = [1, (1 << 12) - 1, (1 << 16) - 1, (1 << 30) - 1, last, last];
    program.both(&none, &largest).unwrap();
    program.both(&none, &[0; 6]).unwrap();
    for (i, above) in [2, 1 << 12, 1 << 16, 1 << 30].into_iter().enumerate() {
        for wrong in [above, above + 1, last] {
            let mut public = largest;
            public[i] = wrong;
            program.both(&none, &public).unwrap_err();
        }
    }
}

program!(ranges_around_bytes {
    use droste_gadgets::integers::assert_bits;
    use droste_gadgets::prelude::*;

    pub const BITS: [usize; 8] = [7, 8, 9, 17, 23, 24, 25, 29];

    pub fn main() {
        for bits in BITS {
            assert_bits(public_input(), bits);
        }
    }
});

#[test]
fn ranges_end_on_both_sides_of_whole_bytes() {
    let program = Program::new(
        "ranges_around_bytes",
        ranges_around_bytes::SOURCE,
        ranges_around_bytes::main,
    );
    let none = NativeTape::default();
    let largest = ranges_around_bytes::BITS.map(|bits| (1u32 << bits) - 1);
    program.both(&none, &largest).unwrap();
    for i in 0..largest.len() {
        let mut public = largest;
        public[i] += 1;
        program.both(&none, &public).unwrap_err();
    }
}

program!(range_in_a_branch {
    use droste_gadgets::integers::assert_bits;
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        let taken = public_input();
        if taken == Felt::ONE {
            assert_bits(x, 16);
        }
    }
});

#[test]
fn a_range_in_a_branch_is_checked_if_the_branch_is_taken() {
    let program = Program::new(
        "range_in_a_branch",
        range_in_a_branch::SOURCE,
        range_in_a_branch::main,
    );
    for x in [0, 65_535, 65_536, F::ORDER_U32 - 1] {
        for taken in [0, 1] {
            let run = program.both(&NativeTape::default(), &[x, taken]);
            assert_eq!(run.is_err(), taken == 1 && x > 65_535, "{x}, {taken}");
        }
    }
}

/// What no run could do does not compile.
#[test]
fn arguments_out_of_range_are_refused() {
    for (call, message) in [
        (
            "assert_bits(hint_felt().any(), 0)",
            "shifts take 1 to 4 blocks, not 0",
        ),
        (
            "assert_bits(hint_felt().any(), 33)",
            "shifts take 1 to 4 blocks, not 5",
        ),
        (
            "commit_slice(hint_slice(1).any(), 0)",
            "a sponge must absorb at least 8 lanes, not 0",
        ),
        (
            "commit_slice(hint_slice(1).any(), 9)",
            "this block is outside of the slice, which has 1 blocks",
        ),
        (
            "commit_slice(hint_slice(1).any(), 16)",
            "this needs 2 blocks of a slice, which has 1",
        ),
        (
            "reveal_commitment(&[public_input()])",
            "the statement has 8 elements",
        ),
    ] {
        let source = format!(
            "use droste_gadgets::commitment::{{commit_slice, reveal_commitment}};\n\
             use droste_gadgets::integers::assert_bits;\nuse droste_gadgets::prelude::*;\n\
             pub fn main() {{ {call}; }}\n"
        );
        let error = compile(&source).unwrap_err();
        assert_eq!(error.message, message, "{call}");
    }
}

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
