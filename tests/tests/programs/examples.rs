//! The programs of `droste_programs`.

use droste::both_ways::{Program, machine_tape};
use droste_gadgets::{Hint, NativeTape};
use droste_native::F;
use droste_native::precompile::{keccak_merkle, poseidon16_compress};
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

/// The tape of a native run, as `droste prove --hints` reads it.
#[test]
fn tapes_of_native_runs_are_written() {
    let mut lanes = block(0);
    lanes[7] = None;
    let hints = vec![Hint::Felt(F::from_u32(3)), Hint::Slice(vec![lanes])];
    let written = serde_json::to_string(&machine_tape(&NativeTape { hints })).unwrap();
    let expected = r#"[{"felt":3},{"slice":[[1,18,35,52,69,86,103,null]]}]"#;
    assert_eq!(written, expected);
}
