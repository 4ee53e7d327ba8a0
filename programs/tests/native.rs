//! The native run of every program compared with an independent computation.

use droste_gadgets::{Hint, NativeTape, run_native};
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::precompile::{digest_to_limbs, poseidon16_compress};
use droste_programs::*;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use sha3::{Digest, Keccak256};

fn run(tape: Vec<Hint>, public: &[u32], program: fn()) -> [u32; 8] {
    run_native(&NativeTape { hints: tape }, public, program).unwrap()
}

fn integers(values: &[F]) -> Vec<u32> {
    values.iter().map(|x| x.as_canonical_u32()).collect()
}

fn whole(blocks: &[[F; 8]]) -> Hint {
    Hint::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}

#[test]
fn factorial_and_fibonacci() {
    assert_eq!(run(vec![], &[5], factorial::main)[..2], [5, 120]);
    assert_eq!(run(vec![], &[0], factorial::main)[..2], [0, 1]);
    assert_eq!(run(vec![], &[10], fibonacci::main)[..2], [10, 55]);
    assert_eq!(run(vec![], &[0], fibonacci::main)[..2], [0, 0]);
}

#[test]
fn permutation() {
    let mut state = [F::ZERO; 16];
    for (i, x) in state[..4].iter_mut().enumerate() {
        *x = F::from_usize(i + 1);
    }
    let output = Poseidon16.permute(state);
    let expected = integers(&[output[0], output[7], output[8], output[15]]);
    let statement = run(vec![], &[1, 2, 3, 4], poseidon16_permute::main);
    assert_eq!(statement[4..], expected[..]);
}

#[test]
fn poseidon16_chain_compresses() {
    let zero = [F::ZERO; 8];
    let mut digest = zero;
    digest[0] = F::from_u32(9);
    for _ in 0..3 {
        digest = poseidon16_compress(&digest, &zero);
    }
    let statement = run(vec![], &[3, 9], poseidon16_chain::main);
    assert_eq!(statement[2..6], integers(&digest[..4])[..]);
}

fn byte_chain(program: fn(), hash: impl Fn(&[u8]) -> [u8; 32]) {
    let mut digest = [0; 32];
    digest[..2].copy_from_slice(&0x1234_u16.to_le_bytes());
    for _ in 0..3 {
        digest = hash(&digest);
    }
    let statement = run(vec![], &[3, 0x1234], program);
    assert_eq!(
        statement[2..6],
        integers(&digest_to_limbs(digest)[0][..4])[..]
    );
}

#[test]
fn byte_chains_hash() {
    byte_chain(blake3_chain::main, |bytes| *blake3::hash(bytes).as_bytes());
    byte_chain(keccak_chain::main, |bytes| Keccak256::digest(bytes).into());
}

#[test]
fn poseidon16_membership_recomputes_the_root() {
    let block = |i: usize| std::array::from_fn(|lane| F::from_usize(100 * i + lane));
    let path: Vec<_> = (1..9).map(block).collect();
    let mut root = block(0);
    for (i, sibling) in path.iter().enumerate() {
        root = if 0b1010_0110 >> i & 1 == 1 {
            poseidon16_compress(sibling, &root)
        } else {
            poseidon16_compress(&root, sibling)
        };
    }
    let tape = |index: u32| {
        vec![
            whole(&[block(0)]),
            Hint::Felt(F::from_u32(index)),
            whole(&path),
        ]
    };
    let statement = run(tape(0b1010_0110), &[], poseidon16_membership::main);
    assert_eq!(statement[..], integers(&root)[..]);
    let too_large = NativeTape { hints: tape(256) };
    assert!(run_native(&too_large, &[], poseidon16_membership::main).is_err());
}

fn byte_membership(program: fn(), hash: impl Fn(&[u8]) -> [u8; 32]) {
    let digest = |i: u8| [i; 32];
    let mut root = digest(0);
    for i in 0..8 {
        let sibling = digest(i + 1);
        root = if 0b0110_0101 >> i & 1 == 1 {
            hash(&[sibling, root].concat())
        } else {
            hash(&[root, sibling].concat())
        };
    }
    let path: Vec<_> = (1..9).flat_map(|i| digest_to_limbs(digest(i))).collect();
    let tape = vec![
        whole(&digest_to_limbs(digest(0))),
        Hint::Felt(F::from_u32(0b0110_0101)),
        whole(&path),
    ];
    let [left, right] = digest_to_limbs(root);
    let expected = integers(&poseidon16_compress(&left, &right));
    assert_eq!(run(tape, &[], program)[..], expected[..]);
}

#[test]
fn byte_memberships_recompute_the_root() {
    byte_membership(blake3_membership::main, |bytes| {
        *blake3::hash(bytes).as_bytes()
    });
    byte_membership(keccak_membership::main, |bytes| {
        Keccak256::digest(bytes).into()
    });
}

#[test]
fn failures_are_results() {
    let empty = NativeTape::default();
    let missing = run_native(&empty, &[], factorial::main).unwrap_err();
    assert_eq!(missing.to_string(), "a public input is missing");
    let unread = run_native(&empty, &[1, 2], factorial::main).unwrap_err();
    assert_eq!(unread.to_string(), "1 public inputs were not read");
    let hints = NativeTape {
        hints: vec![Hint::Felt(F::ONE)],
    };
    let left = run_native(&hints, &[1], factorial::main).unwrap_err();
    assert_eq!(left.to_string(), "1 hints are left on the tape");
    let kind = run_native(&hints, &[], poseidon16_membership::main).unwrap_err();
    assert_eq!(
        kind.to_string(),
        "the tape holds an element, expected 1 blocks"
    );
}
