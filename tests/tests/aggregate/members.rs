//! Memberships that nobody made honestly.

use droste_air::test_utils::peak;
use droste_native::F;
use droste_verifier::claim::{MAX_DEPTH, MAX_NODES};
use droste_verifier::file::member::{FILE_VERSION, MAGIC, decode, encode};
use droste_verifier::file::{FileError, MAX_KEYS};
use droste_verifier::member::{Level, MemberError, Membership};
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;

use crate::ANY;
use droste_vm::verifier::VerifyOptions;

const KEY: KeyDigest = KeyDigest([F::ONE; 8]);

/// A path of levels with this number of children.
fn wide(levels: usize, children: usize) -> Membership {
    let level = Level {
        children: vec![(KEY, [F::ZERO; 8]); children],
        child: 0,
    };
    Membership {
        keys: vec![(KEY, 100)],
        path: vec![level; levels],
    }
}

#[test]
fn hostile_memberships_take_no_more_memory_than_stated() {
    for (levels, children) in [(16, 1 << 14), (MAX_DEPTH, 0), (1, MAX_NODES)] {
        let member = wide(levels, children);
        let bytes = encode(&member).unwrap();
        let (read, taken) = peak(|| decode(&bytes).unwrap());
        println!("{levels}: {} bytes, {taken} of memory", bytes.len());
        assert_eq!(read, member);
        assert!(taken <= 6 * bytes.len() + (1 << 17), "{taken}");
        let error = read
            .verify(&[F::ZERO; 8], read.key(), VerifyOptions::min_bits(0), ANY)
            .unwrap_err();
        assert!(matches!(error, MemberError::Digest(1)), "{error}");
    }
}

/// Lists are refused by their lengths, whatever follows.
#[test]
fn long_lists_of_memberships_are_not_read() {
    let many_keys = Membership {
        keys: vec![(KEY, 100); MAX_KEYS + 1],
        path: vec![],
    };
    let long = [wide(MAX_DEPTH + 1, 0), wide(1, MAX_NODES + 1), many_keys];
    let mut files: Vec<Vec<u8>> = long.iter().map(|long| encode(long).unwrap()).collect();
    let header = [&MAGIC[..], &FILE_VERSION.to_le_bytes()].concat();
    // 2^64 - 1 keys, levels or children.
    let length = [&[253][..], &[0xff; 8]].concat();
    for before in [&[][..], &[0], &[0, 1]] {
        files.push([&header, before, &length[..]].concat());
    }
    for (index, bytes) in files.iter().enumerate() {
        let (error, taken) = peak(|| decode(bytes).unwrap_err());
        assert!(matches!(error, FileError::Decode(_)), "{index}: {error}");
        assert!(taken <= 1 << 18, "{index}: {taken}");
    }
}

/// A number has one form: the shortest.
#[test]
fn other_forms_of_numbers_are_refused() {
    let bytes = encode(&wide(1, 1)).unwrap();
    // The number of keys, and the number of the child that the path goes on with.
    for at in [12, bytes.len() - 1] {
        let (number, rest) = bytes[at..].split_first().unwrap();
        for form in [&[251, *number, 0][..], &[252, *number, 0, 0, 0]] {
            let longer = [&bytes[..at], form, rest].concat();
            let error = decode(&longer).unwrap_err();
            assert_eq!(error, FileError::NotCanonical, "{at}");
        }
    }
}
