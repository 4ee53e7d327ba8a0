//! Tells the crate for which processor it is compiled, which `cfg` does not say.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    // Flags are separated by 0x1f; `-C target-cpu=X` may be one or two of them.
    let target_cpu = flags
        .split('\x1f')
        .filter_map(|flag| flag.trim_start_matches("-C").strip_prefix("target-cpu="))
        .next_back();
    println!(
        "cargo::rustc-env=DROSTE_TARGET_CPU={}",
        target_cpu.unwrap_or("generic")
    );
}
