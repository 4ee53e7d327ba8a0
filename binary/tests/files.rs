//! Files of proofs: what is not exactly what a prover wrote is refused by name.

use droste_binary::file::{DecodeError, File, MAGIC, MAX_BYTES, VERSION, verify_file};
use droste_binary::paths::{MerklePaths, Path, node};
use droste_binary::statement::Statement;
use droste_binary::{BinaryError, Blake3, Hash, HashCalls, Poseidon16, TreeHash, Witness, prove};

/// Length of a file's header.
const HEADER: usize = 13;

fn calls() -> HashCalls {
    HashCalls::of_inputs(Hash::Blake3, [[1; 112], [2; 112], [3; 112]]).unwrap()
}

fn file<H: TreeHash>(calls: &HashCalls) -> Vec<u8> {
    let proof = prove::<H>(calls).unwrap();
    let file = File::new(calls, proof);
    file.encode().unwrap()
}

fn files_are_read_as_they_were_written<H: TreeHash>() {
    let calls = calls();
    let bytes = file::<H>(&calls);
    let summary = verify_file::<H>(&calls, &bytes, 100).unwrap();
    assert_eq!((summary.hash, summary.calls), ("blake3", 3));
    assert_eq!(summary.proof_bytes, bytes.len());
    assert_eq!(summary.proven_bits, summary.security.sum as usize);
    assert!(summary.paths.is_none());
    let read = File::<H>::decode(&bytes).unwrap();
    assert_eq!(read.statement, Statement::Calls(&calls).digest::<H>());
    assert_eq!(read.encode().unwrap(), bytes);
}

#[test]
fn files_of_both_hashes_are_read() {
    files_are_read_as_they_were_written::<Blake3>();
    files_are_read_as_they_were_written::<Poseidon16>();
}

fn refused(bytes: &[u8]) -> DecodeError {
    File::<Blake3>::decode(bytes).unwrap_err()
}

#[test]
fn another_header_is_named() {
    let bytes = file::<Blake3>(&calls());
    for at in 0..HEADER {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let error = refused(&changed);
            let expected = match at {
                0..8 => error == DecodeError::Magic,
                8..12 => matches!(
                    error,
                    DecodeError::Version {
                        expected: VERSION,
                        ..
                    }
                ),
                _ => matches!(
                    error,
                    DecodeError::OtherHash { .. } | DecodeError::UnknownHash(_)
                ),
            };
            assert!(expected, "byte {at}: {error}");
        }
        assert_eq!(refused(&bytes[..at]), DecodeError::Magic);
    }
    // A version that there was, and a file of the other hash.
    let mut version = bytes.clone();
    version[8..12].copy_from_slice(&1_u32.to_le_bytes());
    let (expected, found) = (VERSION, 1);
    assert_eq!(refused(&version), DecodeError::Version { expected, found });
    let other = refused(&file::<Poseidon16>(&calls()));
    assert!(matches!(other, DecodeError::OtherHash { .. }), "{other}");
    assert_eq!(bytes[..8], MAGIC);
}

#[test]
fn cut_and_extended_files_are_refused() {
    let bytes = file::<Blake3>(&calls());
    assert!(bytes.len() < MAX_BYTES / 2);
    for length in (HEADER..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
        let error = refused(&bytes[..length]);
        assert!(matches!(error, DecodeError::Malformed(_)), "{error}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert_eq!(refused(&longer), DecodeError::TrailingBytes(1));
    let twice = [bytes.as_slice(), &bytes].concat();
    assert_eq!(refused(&twice), DecodeError::TrailingBytes(bytes.len()));
    let error = refused(&vec![0; MAX_BYTES + 1]);
    assert!(matches!(error, DecodeError::TooLong { .. }), "{error}");
    // The length of the first list, behind two digests, in more bytes than it needs.
    let length = HEADER + 64;
    let (before, after) = bytes.split_at(length);
    assert_eq!(after[0], 64);
    let long = [before, &[251, 64, 0], &after[1..]].concat();
    assert_eq!(refused(&long), DecodeError::NotCanonical);
}

/// Bytes all over a file, and every one at its beginning.
#[test]
fn changed_files_are_refused() {
    let calls = calls();
    let bytes = file::<Blake3>(&calls);
    let places = (bytes.len() / 160..bytes.len()).step_by(bytes.len() / 160);
    for (i, at) in (0..HEADER + 80).chain(places).enumerate() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (i % 8);
        assert!(verify_file::<Blake3>(&calls, &changed, 0).is_err(), "{at}");
    }
}

#[test]
fn other_lists_and_too_few_bits_are_named() {
    let calls = calls();
    let bytes = file::<Blake3>(&calls);
    let error = verify_file::<Blake3>(&calls, &bytes, 104).unwrap_err();
    assert!(matches!(
        error,
        BinaryError::Bits {
            expected: 104.0,
            ..
        }
    ));
    let others = [
        HashCalls::new(Hash::Blake3, calls.calls().take(2)),
        HashCalls::new(Hash::Blake3, calls.calls().chain(calls.calls().take(1))),
        HashCalls::of_inputs(Hash::Blake3, [[1; 112], [2; 112], [4; 112]]),
        HashCalls::of_inputs(Hash::Blake2s, [[1; 112], [2; 112], [3; 112]]),
    ];
    for other in others {
        let other = other.unwrap();
        let error = verify_file::<Blake3>(&other, &bytes, 0).unwrap_err();
        let calls = format!("was given ({} calls of {})", other.len(), other.hash());
        assert!(error.to_string().contains(&calls), "{error}");
        // A file that says that it is one of the other list.
        let proof = File::<Blake3>::decode(&bytes).unwrap().proof;
        let file = File::new(&other, proof);
        let bytes = file.encode().unwrap();
        let error = verify_file::<Blake3>(&other, &bytes, 0).unwrap_err();
        assert!(matches!(error, BinaryError::Reduction(_)), "{error}");
    }
}

/// The nodes of paths as a list of calls: neither is shown by a proof of the other.
#[test]
fn proofs_of_paths_are_none_of_calls() {
    let (hash, leaf, siblings) = (Hash::Blake2s, [1; 32], [[2; 32], [3; 32]]);
    let root = node(hash, &siblings[1], &node(hash, &leaf, &siblings[0]));
    let (index, depth) = (2, 2);
    let paths = MerklePaths::new(hash, depth, vec![Path { leaf, index, root }]).unwrap();
    let inputs = paths.inputs(&[siblings]).unwrap();
    let calls = HashCalls::of_inputs(hash, inputs.chunks(112)).unwrap();
    let of_paths = prove::<Blake3>(Witness::of_paths(&paths, &[siblings]).unwrap()).unwrap();
    let of_calls = prove::<Blake3>(&calls).unwrap();
    let (paths_said, calls_said) = (Statement::Paths(&paths), Statement::Calls(&calls));
    let file = |said, proof| File::<Blake3>::new(said, proof).encode().unwrap();

    let right = verify_file::<Blake3>(&paths, &file(paths_said, of_paths.clone()), 0);
    let summary = right.unwrap();
    let shape = summary.paths.map(|paths| (paths.paths, paths.depth));
    assert_eq!((summary.calls, shape), (2, Some((1, 2))));
    let error = verify_file::<Blake3>(&paths, &file(calls_said, of_paths.clone()), 0).unwrap_err();
    let text = "the list that was given (1 paths of depth 2 in blake2s)";
    assert!(error.to_string().contains(text), "{error}");
    assert!(verify_file::<Blake3>(&paths, &file(paths_said, of_calls), 0).is_err());
    let file = file(calls_said, of_paths);
    assert!(verify_file::<Blake3>(&calls, &file, 0).is_err());
}
