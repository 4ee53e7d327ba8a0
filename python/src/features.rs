//! Which kernels this build uses.

use std::collections::BTreeMap;

use blake3::platform::Platform;
use droste_curves::msm::{FieldBackend, Msm, MsmCurve};
use droste_native::hash::poseidon16::KERNELS;
use pyo3::prelude::*;
use serde::Serialize;

use crate::compute::number_of_threads;
use crate::records::Record;

/// Features of processors that kernels are chosen by, where they were compiled in.
const COMPILED: &[(&str, bool)] = &[
    ("sse4.1", cfg!(target_feature = "sse4.1")),
    ("avx2", cfg!(target_feature = "avx2")),
    ("bmi2", cfg!(target_feature = "bmi2")),
    ("adx", cfg!(target_feature = "adx")),
    ("avx512f", cfg!(target_feature = "avx512f")),
    ("avx512ifma", cfg!(target_feature = "avx512ifma")),
    ("neon", cfg!(target_feature = "neon")),
];

/// The vectors that Plonky3's packed field and permutations are compiled for.
const VECTORS: &str = if cfg!(target_feature = "avx512f") {
    "avx512"
} else if cfg!(target_feature = "avx2") {
    "avx2"
} else if cfg!(target_feature = "neon") {
    "neon"
} else {
    "portable"
};

#[derive(Serialize)]
pub struct Features {
    version: &'static str,
    target_cpu: &'static str,
    target_features: Vec<&'static str>,
    kernels: Kernels,
    threads: usize,
}

#[derive(Serialize)]
struct Kernels {
    field: &'static str,
    poseidon16: &'static str,
    blake3: String,
    keccak: &'static str,
    msm: BTreeMap<&'static str, &'static str>,
}

/// Returns which kernels this build of the package uses on this machine.
///
/// Kernels of the field, of Poseidon-16 and of Keccak are chosen when the package is built, for
/// `target_cpu`; those of Blake3 and of multi-scalar multiplication when they run.
#[pyfunction]
pub fn features() -> Record<Features> {
    Record(Features {
        version: env!("CARGO_PKG_VERSION"),
        target_cpu: env!("DROSTE_TARGET_CPU"),
        target_features: COMPILED
            .iter()
            .filter_map(|(name, compiled)| compiled.then_some(*name))
            .collect(),
        kernels: Kernels {
            field: VECTORS,
            poseidon16: KERNELS,
            blake3: format!("{:?}", Platform::detect()).to_lowercase(),
            keccak: VECTORS,
            msm: BTreeMap::from([
                ("bn254", backend::<ark_bn254::g1::Config>()),
                ("grumpkin", backend::<ark_grumpkin::GrumpkinConfig>()),
                ("pallas", backend::<ark_pallas::PallasConfig>()),
                ("vesta", backend::<ark_vesta::VestaConfig>()),
                ("bls12-381", backend::<ark_bls12_381::g1::Config>()),
            ]),
        },
        threads: number_of_threads(),
    })
}

/// The field arithmetic that sums over a curve use.
fn backend<C: MsmCurve>() -> &'static str {
    // One thread, this one: no other may be needed to say what there is.
    let msm = Msm::new().backend(FieldBackend::Ifma).threads(1);
    match msm.sum_bigint::<C>(&[], &[]) {
        Ok(_) => "avx512ifma",
        Err(_) => "portable",
    }
}
