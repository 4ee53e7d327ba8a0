//! Memory that hostile files take. The test is a binary of its own, since it replaces the allocator
//! to count its bytes.

use droste_air::test_utils::{Counting, process_peak};
use droste_binary::field::K;
use droste_binary::file::{DecodeError, File, MAX_BYTES};
use droste_binary::opening::{Query, Round};
use droste_binary::{Blake3, Hash, HashCalls, prove};
use droste_native::codec::LIST_FACTOR;
use droste_native::stark::challenger::{Decommitted, Sent};
use p3_field::PrimeCharacteristicRing;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Decoding allocates at most this many bytes for each byte of a file, as [`MAX_BYTES`] says, plus
/// [`CONSTANT`].
const FACTOR: usize = 15;
/// See [`FACTOR`].
const CONSTANT: usize = 2 << 20;

/// Queries without a row and a path are two bytes of a file and 48 of memory. A list of them takes
/// the most if it is one longer than a room that is a power of two of the first one, of 1 MiB.
#[test]
fn hostile_files_take_no_more_memory_than_stated() {
    let calls = HashCalls::of_inputs(Hash::Blake3, [[1; 112]]).unwrap();
    let proof = prove::<Blake3>(&calls).unwrap();
    let mut file = File::new(&calls, proof);
    let honest = file.encode().unwrap();
    let (decoded, taken) = process_peak(|| File::<Blake3>::decode(&honest));
    assert_eq!(decoded.unwrap(), file);
    let ratio = taken as f64 / honest.len() as f64;
    println!("{} bytes take {ratio:.2} a byte", honest.len());
    assert!(2.0 * ratio < LIST_FACTOR as f64);

    let messages = file.proof.opening.rounds[0].messages;
    let first = (1 << 20) / size_of::<Query<Blake3>>();
    let more_than = |doubled: usize| (first << doubled) + 1;
    let most = (MAX_BYTES - 10_000) / 2;
    let (mut read, mut refused) = (0, 0);
    for (lists, elements) in [
        // Elements take as much memory as bytes of the file, and so leave room for queries.
        (vec![more_than(0)], 14_000),
        (vec![more_than(1)], 28_000),
        (vec![more_than(0), first], 28_000),
        (vec![0; MAX_BYTES / 200], 0),
        (vec![more_than(4)], 0),
        (vec![most], 0),
        (
            vec![more_than(0), more_than(1), more_than(2), more_than(4)],
            0,
        ),
        (vec![more_than(3), most - more_than(3)], 0),
    ] {
        let rounds = lists.iter().map(|&queries| Round {
            messages,
            queries: vec![
                Query {
                    row: Decommitted::default(),
                    path: vec![],
                };
                queries
            ],
        });
        file.proof.opening.rounds = rounds.collect();
        file.proof.opening.last_polynomial = Sent::forged(vec![K::ZERO; elements]);
        let bytes = file.encode().unwrap();
        assert!(bytes.len() <= MAX_BYTES);
        let (decoded, taken) = process_peak(|| File::<Blake3>::decode(&bytes));
        assert!(
            taken <= FACTOR * bytes.len() + CONSTANT,
            "{} bytes take {taken}",
            bytes.len()
        );
        match decoded {
            Ok(_) => read = read.max(taken / bytes.len()),
            Err(DecodeError::Malformed(_)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(refused, 4);
    assert!(read > FACTOR / 2, "a file takes {read} a byte");
}
