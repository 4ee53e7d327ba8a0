//! `droste hash`: digests as other tools print them, and the bare permutation.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use droste_native::hash::blake3::Blake3;
use droste_native::hash::keccak::Keccak256;
use droste_native::hash::poseidon16::{Poseidon16, WIDTH};
use droste_native::{F, HashId};
use p3_field::PrimeField32;
use serde::Serialize;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::program::read_at_most;
use crate::progress::Progress;

/// Input length in bytes from which on progress is shown: hashing so much takes half a second in
/// Poseidon-16.
const LONG: usize = 1 << 24;

/// Arguments of `droste hash`.
#[derive(Debug, Args)]
pub struct Hash {
    /// Hash: poseidon16, blake3 (BLAKE3) or keccak (Keccak-256).
    hash: HashId,
    /// File to hash; without it, or with `-`, standard input is hashed.
    file: Option<PathBuf>,
    /// Largest number of bytes to read; the message is held in memory.
    #[arg(long, default_value_t = 1 << 30)]
    limit: u64,
    /// Instead of hashing, permute a state of 16 comma-separated field elements (poseidon16 only).
    #[arg(long, value_name = "X0,..,X15", conflicts_with = "file")]
    permute: Option<String>,
}

#[derive(Serialize)]
struct Digest {
    hash: HashId,
    digest: String,
}

impl Report for Digest {
    fn rows(&self) -> Vec<Vec<String>> {
        vec![vec![self.digest.clone()]]
    }
}

#[derive(Serialize)]
struct Permuted {
    hash: HashId,
    output: Vec<u32>,
}

impl Report for Permuted {
    fn rows(&self) -> Vec<Vec<String>> {
        let outputs: Vec<String> = self.output.iter().map(u32::to_string).collect();
        vec![vec![outputs.join(",")]]
    }
}

impl Hash {
    /// Prints the digest or the permuted state.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if let Some(list) = &self.permute {
            return permute(self.hash, list, format);
        }
        let message = read(self.file.as_deref(), self.limit)?;
        let progress = (message.len() > LONG).then(|| Progress::spinner("hashing"));
        let digest = match self.hash {
            HashId::Poseidon16 => Poseidon16.hash_bytes(&message),
            HashId::Blake3 => Blake3.hash(&message),
            HashId::Keccak => Keccak256.hash(&message),
        };
        drop(progress);
        let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let hash = self.hash;
        Ok(print(&Digest { hash, digest }, format)?)
    }
}

fn permute(hash: HashId, list: &str, format: Format) -> Result<(), CommandError> {
    if hash != HashId::Poseidon16 {
        return Err(CommandError::usage("--permute works with poseidon16 only"));
    }
    let elements = field_list(list)?;
    let state: [F; WIDTH] = elements.try_into().map_err(|elements: Vec<F>| {
        let given = elements.len();
        CommandError::usage(format!(
            "--permute takes {WIDTH} elements, but {given} were given"
        ))
    })?;
    let output = Poseidon16.permute(state);
    let output = output.iter().map(F::as_canonical_u32).collect();
    Ok(print(&Permuted { hash, output }, format)?)
}

fn read(file: Option<&Path>, limit: u64) -> Result<Vec<u8>, CommandError> {
    match file {
        Some(path) if path != Path::new("-") => File::open(path)
            .and_then(|file| read_at_most(file, limit))
            .map_err(CommandError::file(path)),
        _ => read_at_most(io::stdin().lock(), limit)
            .map_err(CommandError::file(Path::new("standard input"))),
    }
}
