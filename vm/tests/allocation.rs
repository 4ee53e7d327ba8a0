//! Memory that hostile bytes make decoding and verifying take, counted by the allocator: a test binary
//! of its own, with one test, so that nothing else allocates meanwhile.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{fibonacci, run, statement, toy};
use droste_native::{Blake3Family, HashFamily, KeccakFamily, Poseidon16Family};
use droste_vm::codec::{decode, encode};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use droste_vm::verifier::Verifier;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Decoding takes at most so many bytes for each byte of a file, as `droste_vm::codec` says,
const DECODE_FACTOR: usize = 16;
/// and so many more.
const DECODE_CONSTANT: usize = 8 << 20;
/// Verifying a proof of the machine without precompiles takes at most so many bytes.
const VERIFY_BOUND: usize = 1 << 24;

/// The system's allocator, counting.
struct Counting;

static PRESENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let present = PRESENT.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(present, Ordering::Relaxed);
}

fn shrink(bytes: usize) {
    PRESENT.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call is handed on unchanged to the system's allocator, whose contract is the same;
// counting touches atomics only and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's obligations are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there while one is copied to the other.
        grow(size);
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `call` returns, and by how many bytes it raised what is allocated at most.
fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = PRESENT.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let value = call();
    (value, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

/// A flipped bit, a cut, a length of another size or a longer claim.
fn tamper(honest: &[u8], case: usize, rng: &mut SmallRng) -> Vec<u8> {
    let mut bytes = honest.to_vec();
    let at = rng.random_range(13..bytes.len());
    match case % 4 {
        0 => bytes.truncate(at),
        1 => bytes[at] = 250 + rng.random_range(0..6),
        2 => {
            let claim = 1u64 << rng.random_range(16..64);
            bytes[at] = 253;
            bytes.splice(at + 1..at + 1, claim.to_le_bytes());
        }
        _ => bytes[at] ^= 1 << rng.random_range(0..8),
    }
    bytes
}

fn memory_is_bounded<H: HashFamily>(count: usize)
where
    StandardTables: Provable<H>,
{
    let compiled = fibonacci(6);
    let execution = run(&compiled, &statement());
    let options = ProveOptions {
        settings: toy(),
        heights: Heights::Minimal,
    };
    let proof: Proof<H> = prove(&compiled.program, &execution, &options).unwrap();
    let honest = encode(&proof).unwrap();
    let mut rng = SmallRng::seed_from_u64(11);
    let (mut decoding, mut verifying) = (0, 0);
    for case in 0..count {
        let bytes = match case {
            0 => honest.clone(),
            _ => tamper(&honest, case, &mut rng),
        };
        let (proof, taken) = peak(|| decode::<H>(&bytes));
        decoding = decoding.max(taken);
        assert!(
            taken <= DECODE_FACTOR * bytes.len() + DECODE_CONSTANT,
            "{} bytes take {taken}",
            bytes.len()
        );
        let Ok(proof) = proof else { continue };
        let (verdict, taken) = peak(|| {
            let verifier = Verifier::<H, StandardTables>::new(proof.key.clone())?;
            verifier.verify(&statement(), 0, &proof)
        });
        assert_eq!(verdict.is_ok(), bytes == honest);
        verifying = verifying.max(taken);
        assert!(taken <= VERIFY_BOUND, "verifying takes {taken} bytes");
    }
    let length = honest.len();
    println!(
        "{}: {length} bytes, decoding {decoding}, verifying {verifying}",
        H::NAME
    );
}

#[test]
fn hostile_bytes_take_no_more_memory_than_stated() {
    memory_is_bounded::<Poseidon16Family>(4_000);
    memory_is_bounded::<Blake3Family>(4_000);
    memory_is_bounded::<KeccakFamily>(4_000);
}
