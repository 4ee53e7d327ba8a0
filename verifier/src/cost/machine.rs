//! Describes the machine that measures, so that figures of several machines can be told apart.

use std::fs;

use blake3::platform::Platform;
use droste_native::hash::poseidon16;
use droste_native::{F, processor_features};
use p3_field::{Field, PackedValue};
use p3_maybe_rayon::prelude::current_num_threads;
use serde::{Deserialize, Serialize};

/// A machine, and what this build makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor, or its architecture if the operating system does not tell the name.
    pub processor: String,
    /// Instruction set extensions of the processor that matter to the kernels.
    pub features: Vec<String>,
    /// Kernels that this build uses.
    pub kernels: Kernels,
    /// Threads that provers use.
    pub threads: usize,
    /// Memory of the machine, if the operating system tells it.
    pub memory_bytes: Option<u64>,
}

/// The kernel that computes each hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernels {
    /// Of Poseidon-16, chosen when Droste is built.
    pub poseidon16: String,
    /// Of Blake3, chosen when Droste runs.
    pub blake3: String,
    /// Of Keccak, chosen when Droste is built.
    pub keccak: String,
}

impl Machine {
    /// The machine that runs this.
    pub fn this() -> Self {
        let architecture = std::env::consts::ARCH.to_owned();
        Self {
            processor: line("/proc/cpuinfo", "model name").unwrap_or(architecture),
            features: processor_features()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            kernels: Kernels::this(),
            threads: current_num_threads(),
            memory_bytes: line("/proc/meminfo", "MemTotal").and_then(|text| {
                let kilobytes = text.strip_suffix("kB")?.trim().parse::<u64>().ok()?;
                kilobytes.checked_mul(1024)
            }),
        }
    }
}

impl Kernels {
    /// The kernels of this build on this machine.
    pub fn this() -> Self {
        let lanes = <F as Field>::Packing::WIDTH;
        Self {
            poseidon16: format!("{}, {lanes} lanes", poseidon16::KERNELS),
            blake3: format!("blake3 crate, {:?}", Platform::detect()),
            keccak: format!("Plonky3, {} lanes", p3_keccak::VECTOR_LEN),
        }
    }
}

/// The value of a line `name : value` of a file.
fn line(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(found, _)| found.trim() == name)?;
    Some(value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_described() {
        let machine = Machine::this();
        assert!(!machine.processor.is_empty());
        assert!(machine.threads > 0);
        // A build for this processor uses nothing that the processor lacks.
        if cfg!(target_feature = "avx512ifma") {
            assert!(machine.features.iter().any(|name| name == "avx512ifma"));
            assert!(machine.kernels.poseidon16.starts_with("avx512ifma"));
        }
        if cfg!(target_feature = "avx512f") {
            assert!(machine.kernels.keccak.ends_with("8 lanes"));
        }
    }
}
