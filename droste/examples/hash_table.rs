//! Turns the hashing of a message into rows of the hash's table, and proves those rows. Parameters
//! are insecure.
//!
//! The proof shows that each row is a permutation (or a compression of Blake3). A system that
//! embeds the table must also constrain that the rows follow from one another and from the message;
//! `droste::table::keccak::sponge` does so for Keccak-256.
//!
//! `cargo run --release -p droste --example hash_table`

use std::error::Error;

use droste::hash::{Blake3, Keccak256, Poseidon16};
use droste::plonky3::p3_air::symbolic::SymbolicAirBuilder;
use droste::plonky3::p3_uni_stark::{ProverConstraintFolder, VerifierConstraintFolder};
use droste::prelude::*;
use droste::table::{blake3, keccak, poseidon16};

type Config = droste::hash::Config<Blake3Suite>;

/// Proves the rows of a table, committed in Blake3, and verifies the proof.
fn prove_table<A>(name: &str, air: &A, trace: RowMajorMatrix<F>) -> Result<(), Box<dyn Error>>
where
    A: Air<SymbolicAirBuilder<F>>
        + for<'a> Air<ProverConstraintFolder<'a, Config>>
        + for<'a> Air<VerifierConstraintFolder<'a, Config>>,
{
    let config = config::<Blake3Suite>(&Preset::Toy.settings(1)?, &[])?;
    let (rows, columns) = (trace.height(), trace.width());
    let proof = prove_air(&config, air, trace, &[])?;
    verify_air(&config, air, &proof, &[])?;
    println!("{name}: {rows} rows of {columns} columns proved");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let message = [7; 200];

    // 1. From the message to the inputs of the rows. The last row's output is the digest.
    let permutations = poseidon16::rows_of(&message);
    let last = permutations.last().ok_or("a hash has at least one row")?;
    let digest = Poseidon16.permute(*last);
    let digest = digest[..8]
        .iter()
        .flat_map(|x| x.as_canonical_u32().to_le_bytes());
    assert!(digest.eq(Poseidon16.hash_bytes(&message)));

    // 2. From the rows to a trace: columns filled in, padded to a power of two.
    let trace = poseidon16::generate_permutations(&permutations, None)?;

    // 3. From the trace to a proof.
    prove_table("Poseidon-16", &poseidon16::Poseidon16Air, trace)?;

    // 4. Do the same for Blake3, whose rows are the compressions of chunks and parents.
    let compressions = blake3::rows_of(&message);
    let last = compressions.last().ok_or("a hash has at least one row")?;
    let digest = last.output().into_iter().flat_map(u32::to_le_bytes);
    assert!(digest.eq(Blake3.hash(&message)));
    let trace = blake3::generate_compressions(&compressions, None)?;
    prove_table("Blake3", &blake3::Blake3Air, trace)?;

    // 5. Do the same for Keccak-256, where a permutation takes 24 rows.
    let permutations = keccak::rows_of(&message);
    let last = permutations.last().ok_or("a hash has at least one row")?;
    let digest = keccak::permute(*last);
    let digest = digest[..4].iter().flat_map(|lane| lane.to_le_bytes());
    assert!(digest.eq(Keccak256.hash(&message)));
    let trace = keccak::generate_permutations(&permutations, None)?;
    prove_table("Keccak-256", &keccak::KeccakAir, trace)
}
