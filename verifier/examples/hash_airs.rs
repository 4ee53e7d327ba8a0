//! Plonky3's own AIRs of Keccak-f and Blake3, proved with p3-uni-stark under each hash, and the proofs
//! verified in the machine.
//!
//! `cargo run --release -p droste-verifier --example hash_airs`

use std::error::Error;

use droste_native::{Blake3Family, Config, F, FriSettings, KeccakFamily, Poseidon16Family};
use droste_verifier::claim::claim_digest;
use droste_verifier::driver::{Seed, UniAir, UniDriver};
use droste_verifier::tape::TapeFamily;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::prover::ProveOptions;
use droste_vm::verifier::verify;
use p3_air::{Air, DebugConstraintBuilder};
use p3_blake3_air::Blake3Air;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{ProverConstraintFolder, prove};

/// Toy settings: the proofs are not secure.
const INNER: FriSettings = FriSettings {
    log_blowup: 1,
    ..FriSettings::toy()
};

/// Proves `trace`, verifies that proof in the machine, proves the run, and verifies this.
fn recurse<H, A>(name: &str, air: A, trace: RowMajorMatrix<F>) -> Result<(), Box<dyn Error>>
where
    H: TapeFamily,
    A: UniAir<H>
        + for<'a> Air<ProverConstraintFolder<'a, Config<H>>>
        + for<'a> Air<DebugConstraintBuilder<'a, F>>,
{
    let log_height = trace.height().ilog2() as usize;
    let driver = UniDriver::<H, A>::new(air, INNER, log_height, Seed::Key)?;
    let proof =
        prove(&driver.config()?, driver.air(), trace, &[]).map_err(|error| format!("{error:?}"))?;

    let options = ProveOptions {
        settings: FriSettings::toy(),
        heights: Heights::Minimal,
    };
    let wrap = driver.prove(&proof, &[], &options)?;
    let leaf = driver.program().leaf(&[vec![]]);
    let claim = claim_digest(&[(leaf.key, leaf.claim.statement())]);
    verify::<Poseidon16Family, StandardTables>(&wrap.key, &claim, 0, &wrap)?;
    let heights = &wrap.batch.degree_bits;
    println!("{name} in {}: verified at heights 2^{heights:?}", H::NAME);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let keccak = || KeccakAir {}.generate_random_trace_rows(1, INNER.log_blowup);
    let blake3 = || Blake3Air {}.generate_random_trace_rows(4, INNER.log_blowup);
    recurse::<Poseidon16Family, _>("p3-keccak-air", KeccakAir {}, keccak())?;
    recurse::<Poseidon16Family, _>("p3-blake3-air", Blake3Air {}, blake3())?;
    recurse::<Blake3Family, _>("p3-keccak-air", KeccakAir {}, keccak())?;
    recurse::<KeccakFamily, _>("p3-blake3-air", Blake3Air {}, blake3())
}
