use p3_symmetric::Permutation;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use sha3::Digest;

use super::*;

fn reference(message: &[u8]) -> [u8; 32] {
    sha3::Keccak256::digest(message).into()
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

#[test]
fn published_vectors() {
    let file: Value = serde_json::from_str(include_str!("../../../tests/keccak256.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > 300);
    for case in cases {
        let message = pattern(case["input_len"].as_u64().unwrap() as usize);
        let digest: String = Keccak256
            .hash(&message)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(digest, case["digest"].as_str().unwrap());
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
    let mut rng = SmallRng::seed_from_u64(300);
    for length in 0..=300 {
        let messages: Vec<u8> = (0..11 * length).map(|_| rng.random()).collect();
        for count in [1, 2, 11] {
            let mut digests = vec![[0; 32]; count];
            Keccak256.hash_many(&messages[..count * length], &mut digests);
            for (i, digest) in digests.iter().enumerate() {
                assert_eq!(*digest, reference(&messages[i * length..][..length]));
            }
        }
        let message = &messages[..length];
        let expected = reference(message);
        assert_eq!(Keccak256.hash(message), expected);
        assert_eq!(Keccak256.hash_slice(message), expected);
        assert_eq!(Keccak256.hash_iter(message.iter().copied()), expected);
        assert_eq!(Keccak256.hash_iter_slices(message.chunks(7)), expected);
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
    let mut rng = SmallRng::seed_from_u64(64);
    let pairs: Vec<[[u8; 32]; 2]> = (0..1000)
        .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| rng.random())))
        .collect();
    let mut batched = vec![[0; 32]; pairs.len()];
    Keccak256.compress_many(&pairs, &mut batched);
    for (pair, batched) in pairs.iter().zip(batched) {
        let expected = reference(pair.as_flattened());
        assert_eq!(Keccak256.parent(&pair[0], &pair[1]), expected);
        assert_eq!(Keccak256.compress(*pair), expected);
        assert_eq!(batched, expected);
        let mut alone = [[0; 32]];
        Keccak256.compress_many(&[*pair], &mut alone);
        assert_eq!(alone[0], expected);
    }
}
