//! Stands in for the tables of compressions and permutations: it sends the tables of calls every
//! message that is right, and no other.

use droste_air::{blake3, keccak};
use droste_native::F;
use p3_field::PrimeField32;

/// Returns whether a table on this bus can send the message, which must be a correct compression or
/// permutation.
pub fn is_true(bus: &str, message: &[u32]) -> bool {
    match bus {
        "blake3" => is_compression(message).unwrap_or(false),
        "keccak_f" => is_permutation(message).unwrap_or(false),
        _ => false,
    }
}

/// Returns the words of 16-bit limbs, or `None` if a value is no limb.
fn words<const N: usize>(limbs: &[u32]) -> Option<[u32; N]> {
    assert_eq!(limbs.len(), 2 * N);
    limbs
        .iter()
        .all(|&limb| limb < 1 << 16)
        .then(|| std::array::from_fn(|i| limbs[2 * i] | limbs[2 * i + 1] << 16))
}

fn is_compression(message: &[u32]) -> Option<bool> {
    let [low, high] = words(&message[48..52])?;
    let compression = blake3::Compression {
        chaining: words(&message[..16])?,
        message: words(&message[16..48])?,
        counter: u64::from(low) | u64::from(high) << 32,
        block_length: u8::try_from(message[52])
            .ok()
            .filter(|&bytes| bytes < 128)?,
        flags: message[53].try_into().ok()?,
    };
    Some(words(&message[54..])? == compression.output())
}

fn is_permutation(message: &[u32]) -> Option<bool> {
    let state = |limbs: &[u32]| -> Option<keccak::State> {
        let words: [u32; 50] = words(limbs)?;
        Some(std::array::from_fn(|i| {
            u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32
        }))
    };
    let (input, output) = message.split_at(message.len() / 2);
    Some(keccak::permute(state(input)?) == state(output)?)
}

#[test]
fn only_what_is_true_is_answered() {
    let compression = blake3::Compression::default();
    let limbs = compression.output().map(|word| [word & 0xffff, word >> 16]);
    let mut message = [&[0; 54], limbs.as_flattened()].concat();
    assert!(is_true("blake3", &message));
    for field in 0..message.len() {
        for wrong in [message[field] + 1, message[field] + (1 << 16)] {
            let right = std::mem::replace(&mut message[field], wrong);
            assert!(!is_true("blake3", &message), "field {field}");
            message[field] = right;
        }
    }
    let output = keccak::permute([0; 25]).map(keccak::limbs);
    let output = output.as_flattened().iter().map(F::as_canonical_u32);
    let mut message: Vec<u32> = [0; 100].into_iter().chain(output).collect();
    assert!(is_true("keccak_f", &message));
    message[150] += 1;
    assert!(!is_true("keccak_f", &message));
}
