//! What the processor has, and what the build uses of it.

use std::sync::atomic::{AtomicBool, Ordering};

use p3_field::{Field, PackedValue};

use crate::field::F;
use crate::hash::poseidon16::KERNELS;

/// Instruction set extensions of the processor that runs this which matter to the kernels, by the
/// names that rustc has for them. Which of them a build uses depends on its target features, too
/// (`poseidon16::KERNELS`).
#[cfg(target_arch = "x86_64")]
pub fn processor_features() -> Vec<&'static str> {
    macro_rules! detected {
        ($($feature:tt),*) => {
            [$(($feature, std::is_x86_feature_detected!($feature))),*]
        };
    }
    let features = detected!(
        "avx2",
        "bmi2",
        "adx",
        "avx512f",
        "avx512dq",
        "avx512bw",
        "avx512vl",
        "avx512ifma",
        "avx512vbmi2"
    );
    let present = features.into_iter().filter(|(_, present)| *present);
    present.map(|(feature, _)| feature).collect()
}

/// Instruction set extensions of the processor that matter to the kernels.
#[cfg(not(target_arch = "x86_64"))]
pub fn processor_features() -> Vec<&'static str> {
    if cfg!(target_feature = "neon") {
        vec!["neon"]
    } else {
        vec![]
    }
}

/// The kernels of this build, in a line: those of Poseidon-16, and the lanes of the base field and of
/// Keccak.
pub fn kernels() -> String {
    let lanes = <F as Field>::Packing::WIDTH;
    let keccak = p3_keccak::VECTOR_LEN;
    format!("Poseidon-16: {KERNELS}, lanes of the field: {lanes}, of Keccak: {keccak}")
}

/// Whether [`baseline_warning`] was asked for or logged.
static TOLD: AtomicBool = AtomicBool::new(false);

/// What to say to users of a build that has one lane where the processor has vectors: it was made
/// for any processor of its architecture, and what it proves it proves many times slower. Provers
/// log it as a warning of `tracing`, once, unless it was asked for before.
pub fn baseline_warning() -> Option<String> {
    TOLD.store(true, Ordering::Relaxed);
    warning(<F as Field>::Packing::WIDTH, &processor_features())
}

/// Logs [`baseline_warning`], if there is one and nobody knows of it. For provers.
pub fn log_baseline_warning() {
    if !TOLD.load(Ordering::Relaxed)
        && let Some(text) = baseline_warning()
    {
        tracing::warn!("{text}");
    }
}

fn warning(lanes: usize, features: &[&str]) -> Option<String> {
    let wider: Vec<&str> = ["avx2", "avx512f", "avx512ifma"]
        .into_iter()
        .filter(|feature| features.contains(feature))
        .collect();
    if lanes > 1 || wider.is_empty() {
        return None;
    }
    Some(format!(
        "this build has one lane (kernels: {KERNELS}), and the processor has {}: \
         build with RUSTFLAGS=-Ctarget-cpu=native",
        wider.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_of_one_lane_are_warned_of_where_there_are_vectors() {
        let features = ["avx2", "bmi2", "avx512f"];
        let text = warning(1, &features).unwrap();
        assert!(text.contains("avx2, avx512f:"), "{text}");
        assert_eq!(warning(8, &features), None);
        assert_eq!(warning(1, &["bmi2"]), None);
        // A build for this processor has its vectors.
        if cfg!(target_feature = "avx2") {
            assert_eq!(baseline_warning(), None);
        }
    }
}
