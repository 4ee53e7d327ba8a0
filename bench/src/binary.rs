//! `droste-bench binary`: lists of hash calls over GF(2^128), in which every bit of inputs and
//! outputs is public, beside Plonky3's own proofs of the same calls, in which none is. The two are
//! other protocols, at 100 proven bits each: ours has a row for each round, our commitment and
//! trees and transcript in BLAKE3; Plonky3's has a row for each call, BaseFold and Keccak-256. They
//! take turns on one thread; the memory of each is measured in a process of its own.
//!
//! Flock is not run. What its authors have published of one thread is repeated beside the figures.

mod unbound;

use clap::{Args, value_parser};
use droste_binary::file::{File, verify_file};
use droste_binary::{Blake3, Hash, HashCalls, prove};
use serde_json::{Value, json};

use crate::race::duel;
use crate::report::Report;
use crate::{memory, process, progress};

/// Names of the two sides.
const OURS: &str = "ours";
const P3: &str = "p3";

/// Key of the peak of memory in a row.
const PEAK: &str = "peak_rss_bytes";

/// Arguments of the command.
#[derive(Args)]
pub struct Arguments {
    /// Rounds per measurement, of which the median is reported.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Logarithm of the number of compressions of BLAKE3.
    #[arg(long, default_value_t = 13, value_parser = value_parser!(u32).range(6..=17))]
    blake3: u32,
    /// Logarithm of the number of permutations Keccak-f.
    #[arg(long, default_value_t = 12, value_parser = value_parser!(u32).range(6..=15))]
    keccak_f: u32,
    /// Proves one side of one hash once and prints the peak of memory of this process.
    #[arg(long, hide = true, num_args = 2, value_names = ["HASH", "SIDE"])]
    peak: Vec<String>,
}

/// Proves calls once, and returns the bytes of the proof.
type Side<'a> = Box<dyn FnMut() -> usize + Send + 'a>;

/// The bytes of a file with a proof.
fn file(statement: &HashCalls) -> Vec<u8> {
    let proof = prove::<Blake3>(statement).expect("the statement is true");
    let file = File::new(statement, proof);
    file.encode().expect("it can be encoded")
}

fn ours(statement: &HashCalls) -> Side<'_> {
    Box::new(move || file(statement).len())
}

/// Compressions or permutations a second that Flock's authors measured on one thread of an AMD
/// Ryzen Threadripper 7970X with AVX-512, in batches of 2^14: github.com/succinctlabs/flock,
/// README.md, of BLAKE3 at commit 0e973e3, of Keccak-f (row-major) at ccdbd9e, both of 17 July
/// 2026. By the first, its encoder of BLAKE3 has shrunk since.
const fn published_by_flock(hash: Hash) -> Option<f64> {
    match hash {
        Hash::Blake3 => Some(62_700.0),
        Hash::Blake2s | Hash::KeccakRate => None,
        Hash::KeccakF => Some(19_047.8),
    }
}

/// A statement about calls whose inputs differ in all words.
fn statement(hash: Hash, log_calls: u32) -> HashCalls {
    let input = |call: u32| -> Vec<u8> {
        let words = 0..hash.input_bytes() as u32 / 4;
        let words = words.map(|word| (call << 8 | word).wrapping_mul(0x9e37_79b1));
        words.flat_map(u32::to_le_bytes).collect()
    };
    HashCalls::of_inputs(hash, (0..1 << log_calls).map(input)).expect("inputs of this length")
}

impl Arguments {
    fn log_calls(&self, hash: Hash) -> u32 {
        match hash {
            Hash::KeccakF => self.keccak_f,
            _ => self.blake3,
        }
    }

    /// Measures the peak of memory of one side in another process.
    fn peak_elsewhere(&self, hash: Hash, side: &str) -> Option<u64> {
        let (blake3, keccak_f) = (self.blake3.to_string(), self.keccak_f.to_string());
        let sizes = ["--blake3", &blake3, "--keccak-f", &keccak_f];
        let arguments = [["binary", "--peak", hash.name(), side], sizes].concat();
        process::row(&arguments, &[])?[PEAK].as_u64()
    }

    fn measure(&self, hash: Hash) -> Value {
        let statement = statement(hash, self.log_calls(hash));
        if let [_, side] = self.peak.as_slice() {
            let mut prove = match side.as_str() {
                OURS => ours(&statement),
                _ => unbound::side(&statement),
            };
            prove();
            return json!({ PEAK: memory::peak() });
        }
        progress::at(hash.name());
        verify_file::<Blake3>(&statement, &file(&statement), 100).expect("the proof is valid");
        let (mut ours, mut peer) = (ours(&statement), unbound::side(&statement));
        let sizes = [ours(), peer()];
        let (our_times, peer_times) = duel(
            self.rounds,
            1,
            || {
                ours();
            },
            || {
                peer();
            },
        );
        let calls = statement.len() as f64;
        json!({
            "hash": hash.name(),
            "calls": statement.len(),
            "ours_calls_per_s": calls / our_times.median() * 1e9,
            "p3_calls_per_s": calls / peer_times.median() * 1e9,
            "ratio_throughput": peer_times.ratio(&our_times),
            "ours_proof_bytes": sizes[0],
            "p3_proof_bytes": sizes[1],
            "ours_peak_rss_bytes": self.peak_elsewhere(hash, OURS),
            "p3_peak_rss_bytes": self.peak_elsewhere(hash, P3),
            "flock_published_calls_per_s": published_by_flock(hash),
        })
    }
}

/// Runs every measurement on one thread.
pub fn run(arguments: &Arguments) -> Report {
    let chosen = |hash: &Hash| match arguments.peak.first() {
        Some(name) => name == hash.name(),
        None => true,
    };
    // Plonky3 has no AIR of BLAKE2s over bits.
    let hashes = [Hash::Blake3, Hash::KeccakF].into_iter().filter(chosen);
    let rows = || hashes.map(|hash| arguments.measure(hash)).collect();
    Report::from_rows(
        match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
            Ok(pool) => pool.install(rows),
            // If no pool can be made, rayon runs everything on this thread.
            Err(_) => rows(),
        },
    )
}
