//! What is the same for both byte hashes.

use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;

type Reference = fn(&[u8]) -> [u8; 32];

/// Published vectors: messages, of which the file says the length, and what it calls `name`.
pub fn vectors(file: &str, name: &str) -> Vec<(Vec<u8>, String)> {
    let file: Value = serde_json::from_str(file).unwrap();
    let cases = file["cases"].as_array().unwrap().iter();
    let pattern = |length: u64| (0..length).map(|i| (i % 251) as u8).collect();
    cases
        .map(|case| {
            let message = pattern(case["input_len"].as_u64().unwrap());
            (message, case[name].as_str().unwrap().to_owned())
        })
        .collect()
}

pub fn hex(digest: [u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Random messages of this length, so many at a time, through every entry point. Returns one of
/// them and its digest.
pub fn messages_agree(
    hash: &impl CryptographicHasher<u8, [u8; 32]>,
    reference: Reference,
    length: usize,
    counts: &[usize],
) -> (Vec<u8>, [u8; 32]) {
    let mut rng = SmallRng::seed_from_u64(length as u64);
    let most = counts.iter().max().unwrap();
    let messages: Vec<u8> = (0..most * length).map(|_| rng.random()).collect();
    for &count in counts {
        let mut digests = vec![[0; 32]; count];
        hash.hash_many(&messages[..count * length], &mut digests);
        for (i, digest) in digests.iter().enumerate() {
            assert_eq!(*digest, reference(&messages[i * length..][..length]));
        }
    }
    let message = messages[..length].to_vec();
    let expected = reference(&message);
    assert_eq!(hash.hash_slice(&message), expected);
    assert_eq!(hash.hash_iter(message.iter().copied()), expected);
    assert_eq!(hash.hash_iter_slices(message.chunks(7)), expected);
    (message, expected)
}

/// Parents are hashes of 64 bytes, one at a time and many.
pub fn parents_agree(
    hash: &impl PseudoCompressionFunction<[u8; 32], 2>,
    parent: impl Fn(&[u8; 32], &[u8; 32]) -> [u8; 32],
    reference: Reference,
) {
    let mut rng = SmallRng::seed_from_u64(64);
    let pairs: Vec<[[u8; 32]; 2]> = (0..1000)
        .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| rng.random())))
        .collect();
    let mut batched = vec![[0; 32]; pairs.len()];
    hash.compress_many(&pairs, &mut batched);
    for (pair, batched) in pairs.iter().zip(batched) {
        let expected = reference(pair.as_flattened());
        assert_eq!(parent(&pair[0], &pair[1]), expected);
        assert_eq!(hash.compress(*pair), expected);
        assert_eq!(batched, expected);
        let mut alone = [[0; 32]];
        hash.compress_many(&[*pair], &mut alone);
        assert_eq!(alone[0], expected);
    }
}
