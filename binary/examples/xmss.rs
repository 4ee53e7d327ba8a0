//! Signs messages with many keys of XMSS in BLAKE2s, proves and verifies that the signatures are
//! valid, and prints what it took: `cargo run --release -p droste-binary --features xmss --example
//! xmss -- SIGNATURES`. `RAYON_NUM_THREADS=1` makes it one thread.

use std::error::Error;
use std::time::{Duration, Instant};

use droste_binary::xmss::{PARAMETERS, Signed, TweakableBlake2s, graph, witness};
use droste_binary::{Blake3, Witness, prove, verify};
use droste_native::hash_signature::{Claim, SecretKey, Signature, Xmss};
use droste_native::stark::security::decimals;
use rayon::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// The slot in which all keys sign.
const SLOT: u32 = 5;

/// CPU time of the process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn sign(
    scheme: Xmss<TweakableBlake2s>,
    number: u64,
    message: &[u8; 32],
) -> Result<(Signed, Signature<TweakableBlake2s>), Box<dyn Error + Send + Sync>> {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let key = SecretKey::generate(scheme, &seed, SLOT..=SLOT)?;
    let (public_key, signature) = (key.public_key(), key.sign(SLOT, message)?);
    let signed = Signed {
        public_key,
        slot: SLOT,
        message: *message,
        randomness: signature.randomness,
    };
    Ok((signed, signature))
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let count = std::env::args().nth(1).unwrap_or_else(|| "1000".to_owned());
    let count: u64 = count.parse()?;
    let scheme = Xmss::new(PARAMETERS)?;
    let message = [7; 32];
    let signatures = (0..count).into_par_iter();
    let signatures = signatures.map(|number| sign(scheme, number, &message));
    let signatures = signatures.collect::<Result<Vec<_>, _>>()?;
    let signed: Vec<Signed> = signatures.iter().map(|(signed, _)| *signed).collect();

    let start = (Instant::now(), cpu_time());
    let statement = graph(&scheme, &signed)?;
    let mut values = Vec::new();
    for (signed, signature) in &signatures {
        let claim = Claim {
            public_key: &signed.public_key,
            slot: signed.slot,
            message: &signed.message,
            signature,
        };
        values.extend(witness(&scheme, &claim)?);
    }
    let proof = prove::<Blake3>(Witness::of_graph(&statement, &values)?)?;
    let (time, cpu) = (start.0.elapsed(), cpu_time() - start.1);
    println!("{count} signatures, {} compressions", statement.len());
    println!("proved in {time:.2?}, {cpu:.2?} of CPU time");
    let rate = count as f64 / cpu.as_secs_f64();
    println!("{rate:.0} signatures a second of CPU time");

    let (start, before) = (Instant::now(), cpu_time());
    let security = verify(&graph(&scheme, &signed)?, &proof)?;
    let cpu = cpu_time() - before;
    println!("verified in {:.1?}, {cpu:.1?} of CPU time", start.elapsed());
    println!("{} bits", decimals(security.sum()));
    println!("{} bytes of elements", proof.bytes_of_elements());
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        println!("peak memory {}", peak.unwrap_or_default().trim());
    }
    Ok(())
}
