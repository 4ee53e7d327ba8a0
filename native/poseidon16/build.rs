//! Names the kernels of Poseidon-16 that fit the target, as the configuration `poseidon16`:
//! `avx512ifma`, `avx512`, `avx2`, `simd128` or `portable`.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(poseidon16, values(\"avx512ifma\", \"avx512\", \"avx2\", \"simd128\", \"portable\"))"
    );
    let features = var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let architecture = var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let on = |wanted: &str| architecture == wanted;
    let has = |wanted: &str| features.split(',').any(|feature| feature == wanted);
    if on("wasm32") && has("simd128") {
        return choose("simd128");
    }
    let has = |wanted: &str| on("x86_64") && has(wanted);
    // Plonky3 packs the field in AVX-512 wherever that is, so AVX2 is no second choice there.
    let kernels = match (has("avx512f"), has("avx2") && has("fma")) {
        (true, _) if has("avx512ifma") => "avx512ifma",
        (true, _) if has("avx512dq") => "avx512",
        (false, true) => "avx2",
        _ => "portable",
    };
    choose(kernels);
}

fn choose(kernels: &str) {
    println!("cargo::rustc-cfg=poseidon16=\"{kernels}\"");
    println!("cargo::rustc-env=POSEIDON16_KERNELS={kernels}");
}
