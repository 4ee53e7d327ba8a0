//! Memory that hostile files take. The test is a binary of its own, since it replaces the allocator
//! to count its bytes.

use droste_air::test_utils::{Counting, process_peak};
use droste_batch::file::{File, MAX_BYTES};
use droste_batch::opening::{Query, Round};
use droste_batch::statement::Statement;
use droste_batch::{Blake3, Hash, HashCalls, prove};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Decoding allocates at most this many bytes for each byte of a file, as [`MAX_BYTES`] says, plus
/// [`CONSTANT`].
const FACTOR: usize = 72;
/// See [`FACTOR`].
const CONSTANT: usize = 4 << 20;

/// Queries without a row and a path are two bytes of a file. A list of them takes the most if it is
/// one longer than a room that is a power of two of the first one, of 1 MiB.
#[test]
fn hostile_files_take_no_more_memory_than_stated() {
    let calls = HashCalls::of_inputs(Hash::Blake3, [[1; 112]]).unwrap();
    let proof = prove::<Blake3>(&calls).unwrap();
    let mut file = File::new(&Statement::Calls(&calls), proof);
    file.proof.opening.last_polynomial.clear();
    let messages = file.proof.opening.rounds[0].messages;
    let first = (1 << 20) / size_of::<Query<Blake3>>();
    let more_than = |doubled: usize| (first << doubled) + 1;
    let most = (MAX_BYTES - 10_000) / 2;
    let mut largest = 0;
    for lists in [
        vec![more_than(4)],
        vec![most],
        vec![more_than(0), more_than(1), more_than(2), more_than(4)],
        vec![more_than(3), most - more_than(3)],
        vec![0; MAX_BYTES / 200],
    ] {
        let rounds = lists.iter().map(|&queries| Round {
            messages,
            queries: vec![
                Query {
                    row: vec![],
                    path: vec![],
                };
                queries
            ],
        });
        file.proof.opening.rounds = rounds.collect();
        let bytes = file.encode().unwrap();
        let (decoded, taken) = process_peak(|| File::<Blake3>::decode(&bytes));
        assert!(decoded.is_ok(), "{} bytes", bytes.len());
        assert!(
            taken <= FACTOR * bytes.len() + CONSTANT,
            "{} bytes take {taken}",
            bytes.len()
        );
        largest = largest.max(taken / bytes.len());
    }
    assert!(largest > FACTOR - 8, "a file takes {largest} a byte");
}
