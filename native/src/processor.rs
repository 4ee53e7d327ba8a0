//! What the processor has.

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
