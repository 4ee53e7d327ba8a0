//! Proves random calls and prints rate, size, bits and peak memory:
//! `cargo run --release -p droste-binary --example rate -- blake3 14`, for 2^14 calls.

use std::error::Error;
use std::time::Instant;

use droste_binary::{Hash, HashCalls, decode, encode, prove, verify};
use mimalloc::MiMalloc;

/// As the command `droste` has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (hash, log) = (arguments.next(), arguments.next());
    let hash = hash.unwrap_or_default();
    let hash = Hash::ALL.into_iter().find(|known| known.name() == hash);
    let hash = hash.ok_or("expected blake3, blake2s or keccak-f")?;
    let log: u32 = log.as_deref().unwrap_or("12").parse()?;
    let inputs = (0..1usize << log).map(|i| random(i as u64, hash.input_bytes()));
    let statement = HashCalls::of_inputs(hash, inputs)?;
    let calls = statement.len() as f64;

    let mut best = f64::MAX;
    let mut cpu = f64::MAX;
    let mut bytes = vec![];
    for _ in 0..3 {
        let start = (Instant::now(), cpu_seconds().unwrap_or_default());
        bytes = encode(&prove(&statement)?)?;
        best = best.min(start.0.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds().unwrap_or_default() - start.1);
    }
    let start = Instant::now();
    let security = verify(&statement, &decode(&bytes)?)?;
    println!(
        "{hash} 2^{log}: {:.0} calls/s, {:.0} per CPU second, {} bytes, verified in {:.0} ms, {:.1} bits, peak {} MiB",
        calls / best,
        calls / cpu,
        bytes.len(),
        start.elapsed().as_secs_f64() * 1e3,
        security.bits,
        peak_kib().unwrap_or_default() / 1024,
    );
    for (term, bits) in security.terms {
        println!("  {bits:7.2}  {term}");
    }
    Ok(())
}

/// Bytes that differ from seed to seed (xorshift, from a seed that splitmix spreads).
fn random(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let words = (0..bytes / 8).map(|_| next());
    words.flat_map(u64::to_le_bytes).collect()
}

/// The most memory that the process had, by Linux's account.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// CPU time of the process in all threads, by Linux's account in hundredths of a second.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}
