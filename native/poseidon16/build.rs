//! Names the kernels of Poseidon-16 that fit the target, as the configuration `poseidon16`:
//! `avx512ifma`, `avx512`, `avx2` or `portable`.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(poseidon16, values(\"avx512ifma\", \"avx512\", \"avx2\", \"portable\"))"
    );
    let features = var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let x86_64 = var("CARGO_CFG_TARGET_ARCH").is_ok_and(|architecture| architecture == "x86_64");
    let has = |wanted: &str| x86_64 && features.split(',').any(|feature| feature == wanted);
    // Plonky3 packs the field in AVX-512 wherever that is, so AVX2 is no second choice there.
    let kernels = match (has("avx512f"), has("avx2") && has("fma")) {
        (true, _) if has("avx512ifma") => "avx512ifma",
        (true, _) if has("avx512dq") => "avx512",
        (false, true) => "avx2",
        _ => "portable",
    };
    println!("cargo::rustc-cfg=poseidon16=\"{kernels}\"");
    println!("cargo::rustc-env=POSEIDON16_KERNELS={kernels}");
}
