use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use sha3::Digest;

use super::*;
use crate::hash::tests::bytes::{hex, messages_agree, parents_agree, vectors};

fn reference(message: &[u8]) -> [u8; 32] {
    sha3::Keccak256::digest(message).into()
}

#[test]
fn published_vectors() {
    let cases = vectors(include_str!("../../../tests/keccak256.json"), "digest");
    assert!(cases.len() > 300);
    for (message, expected) in cases {
        assert_eq!(hex(Keccak256.hash(&message)), expected);
    }
}

/// Keccak-f[1600] of the zero state, compared with the Keccak team's intermediate values.
#[test]
fn permutation_of_zero() {
    let mut state = [0; 25];
    keccak_f(&mut state);
    assert_eq!(state[0], 0xf125_8f79_40e1_dde7);
    assert_eq!(state[1], 0x84d5_ccf9_33c0_478a);
    assert_eq!(state[24], 0xeaf1_ff7b_5cec_a249);
    keccak_f(&mut state);
    assert_eq!(state[0], 0x2d5c_954d_f96e_cb3c);
}

#[test]
fn permutation_agrees_with_plonky3() {
    let mut rng = SmallRng::seed_from_u64(25);
    for _ in 0..1000 {
        let state: [u64; 25] = std::array::from_fn(|_| rng.random());
        let mut ours = state;
        keccak_f(&mut ours);
        assert_eq!(ours, p3_keccak::KeccakF.permute(state));
    }
}

/// The dispatch by length: messages of every length, through every entry point.
#[test]
fn every_length_through_every_path() {
    for length in 0..=300 {
        let (message, expected) = messages_agree(&Keccak256, reference, length, &[1, 2, 11]);
        assert_eq!(Keccak256.hash(&message), expected);
        for cut in [0, 1, length / 2, length] {
            let mut stream = Keccak256Stream::default();
            stream.update(&message[..cut.min(length)]);
            stream.update(&[]);
            stream.update(&message[cut.min(length)..]);
            assert_eq!(stream.finalize(), expected);
        }
    }
}

#[test]
fn parents_are_hashes_of_64_bytes() {
    parents_agree(
        &Keccak256,
        |left, right| Keccak256.parent(left, right),
        reference,
    );
}
