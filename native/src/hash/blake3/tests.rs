use super::*;
use crate::hash::tests::bytes::{hex, messages_agree, parents_agree, vectors};

fn reference(message: &[u8]) -> [u8; 32] {
    ::blake3::hash(message).into()
}

#[test]
fn official_vectors() {
    let cases = vectors(include_str!("../../../tests/blake3.json"), "hash");
    assert!(cases.len() > 30);
    for (message, expected) in cases {
        // The vectors have extended output; its first 32 bytes are the hash.
        let expected = &expected[..64];
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
    for length in (0..=300).chain([1023, 1024, 1025, 2048, 3000]) {
        messages_agree(&Blake3, reference, length, &[1, 2, 16, 35]);
    }
}

#[test]
fn parents_are_hashes_of_64_bytes() {
    parents_agree(&Blake3, |left, right| Blake3.parent(left, right), reference);
}
