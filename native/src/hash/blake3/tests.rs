use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

use super::*;

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

fn reference(message: &[u8]) -> [u8; 32] {
    ::blake3::hash(message).into()
}

#[test]
fn official_vectors() {
    let file: Value = serde_json::from_str(include_str!("../../../tests/blake3.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() > 30);
    for case in cases {
        let message = pattern(case["input_len"].as_u64().unwrap() as usize);
        // The vectors have extended output; its first 32 bytes are the hash.
        let expected = &case["hash"].as_str().unwrap()[..64];
        let hex =
            |digest: [u8; 32]| -> String { digest.iter().map(|b| format!("{b:02x}")).collect() };
        assert_eq!(hex(Blake3.hash(&message)), expected);
        for piece in [1, 63, 64, 1000, 1024, 5000] {
            let mut stream = Blake3Stream::default();
            message.chunks(piece).for_each(|bytes| stream.update(bytes));
            assert_eq!(hex(stream.finalize()), expected);
        }
    }
}

#[test]
fn every_length_through_every_path() {
    let mut rng = SmallRng::seed_from_u64(3);
    for length in (0..=300).chain([1023, 1024, 1025, 2048, 3000]) {
        let messages: Vec<u8> = (0..35 * length).map(|_| rng.random()).collect();
        for count in [1, 2, 16, 35] {
            let mut digests = vec![[0; 32]; count];
            Blake3.hash_many(&messages[..count * length], &mut digests);
            for (i, digest) in digests.iter().enumerate() {
                assert_eq!(*digest, reference(&messages[i * length..][..length]));
            }
        }
        let message = &messages[..length];
        let expected = reference(message);
        assert_eq!(Blake3.hash_slice(message), expected);
        assert_eq!(Blake3.hash_iter(message.iter().copied()), expected);
        assert_eq!(Blake3.hash_iter_slices(message.chunks(7)), expected);
    }
}

#[test]
fn parents_are_hashes_of_64_bytes() {
    let mut rng = SmallRng::seed_from_u64(64);
    let pairs: Vec<[[u8; 32]; 2]> = (0..1000)
        .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| rng.random())))
        .collect();
    let mut batched = vec![[0; 32]; pairs.len()];
    Blake3.compress_many(&pairs, &mut batched);
    for (pair, batched) in pairs.iter().zip(batched) {
        let expected = reference(pair.as_flattened());
        assert_eq!(Blake3.parent(&pair[0], &pair[1]), expected);
        assert_eq!(Blake3.compress(*pair), expected);
        assert_eq!(batched, expected);
    }
}
