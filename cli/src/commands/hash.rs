//! `droste hash`: digests as other tools print them, and the bare permutation.

use std::io;
use std::path::Path;

use clap::Args;
use droste_native::hash::blake3::Blake3;
use droste_native::hash::keccak::Keccak256;
use droste_native::hash::poseidon2;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::{F, HashId, files};
use droste_verifier::summary::integers;
use serde::Serialize;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, list, print};
use crate::paths::Input;
use crate::progress::Progress;

/// Input length in bytes from which on progress is shown: hashing so much takes half a second in
/// Poseidon-16.
const LONG: usize = 1 << 24;

/// Arguments of `droste hash`.
#[derive(Debug, Args)]
pub struct Hash {
    /// Hash: poseidon16, poseidon2, blake3 (BLAKE3) or keccak (Keccak-256).
    hash: HashId,
    /// File to hash; without it, or with `-`, standard input is hashed.
    file: Option<Input>,
    /// Largest number of bytes to read; the message is held in memory.
    #[arg(long, default_value_t = 1 << 30)]
    limit: u64,
    /// Instead of hashing, permute a state of comma-separated field elements: 16 for poseidon16, 16
    /// or 24 for poseidon2.
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
        vec![vec![list(&self.output)]]
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
            HashId::Poseidon2 => poseidon2::hash_bytes(&message),
            HashId::Blake3 => Blake3.hash(&message),
            HashId::Keccak => Keccak256.hash(&message),
        };
        if let Some(progress) = progress {
            progress.finish();
        }
        let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let hash = self.hash;
        Ok(print(&Digest { hash, digest }, format)?)
    }
}

fn permute(hash: HashId, list: &str, format: Format) -> Result<(), CommandError> {
    let state = field_list(list)?;
    let (widths, output) = match hash {
        HashId::Poseidon16 => {
            let output = array(&state).map(|state| Poseidon16.permute(state).to_vec());
            ("16", output)
        }
        HashId::Poseidon2 => {
            let narrow = array(&state).map(|state| poseidon2::permute_parent(state).to_vec());
            let wide = array(&state).map(|state| poseidon2::permute_sponge(state).to_vec());
            ("16 or 24", narrow.or(wide))
        }
        HashId::Blake3 | HashId::Keccak => {
            let message = "--permute works with poseidon16 and poseidon2 only";
            return Err(CommandError::usage(message));
        }
    };
    let Some(output) = output else {
        let given = state.len();
        let message = format!("--permute takes {widths} elements, but {given} were given");
        return Err(CommandError::usage(message));
    };
    let output = integers(&output);
    Ok(print(&Permuted { hash, output }, format)?)
}

fn array<const WIDTH: usize>(elements: &[F]) -> Option<[F; WIDTH]> {
    elements.try_into().ok()
}

fn read(file: Option<&Path>, limit: u64) -> Result<Vec<u8>, CommandError> {
    match file {
        Some(path) if path != Path::new("-") => {
            files::read(path, limit).map_err(CommandError::file(path))
        }
        _ => files::read_at_most(io::stdin().lock(), limit)
            .map_err(CommandError::file(Path::new("standard input"))),
    }
}
