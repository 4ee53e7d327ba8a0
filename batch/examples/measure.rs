//! Proves and verifies random calls of a hash, and prints what it took:
//! `cargo run --release -p droste-batch --example measure -- HASH CALLS`.
//! `RAYON_NUM_THREADS=1` makes it one thread.

use std::time::{Duration, Instant};

use droste_batch::{Hash, HashCalls, prove, verify};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustix::time::{ClockId, clock_gettime};

/// CPU time of the process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The most memory that the process has had, where Linux tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let hash = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    let hash = hash.ok_or("the first argument is no hash: blake3, blake2s, keccak-f")?;
    let count = std::env::args()
        .nth(2)
        .map_or(Ok(1 << 12), |calls| calls.parse())?;
    let mut random = SmallRng::seed_from_u64(1);
    let inputs = (0..count).map(|_| {
        let mut input = vec![0; hash.input_bytes()];
        random.fill(&mut input[..]);
        input
    });
    let calls = HashCalls::of_inputs(hash, inputs)?;

    let (start, cpu) = (Instant::now(), cpu_time());
    let proof = prove(&calls)?;
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
    let rate = count as f64 / cpu.as_secs_f64();
    println!("{count} calls: {wall:.2?}, CPU time {cpu:.2?}, {rate:.0} calls a second of CPU time");
    if let Some(peak) = peak_memory() {
        println!("peak memory {peak}");
    }

    let start = Instant::now();
    let security = verify(&calls, &proof)?;
    println!("verified in {:.2?}", start.elapsed());
    println!("{} bytes of elements", proof.bytes_of_elements());
    println!("{:.2} bits", security.bits());
    for term in &security.terms {
        let round = term
            .round
            .map_or(String::new(), |round| format!(", round {round}"));
        println!("  {:.1} {}{round}", term.bits, term.name);
    }
    Ok(())
}
