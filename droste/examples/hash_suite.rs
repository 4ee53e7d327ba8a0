//! Proves and verifies one AIR under each of the four hashes. Parameters are insecure.
//!
//! `cargo run --release -p droste --example hash_suite`

use std::error::Error;
use std::time::Instant;

use droste::prelude::*;

/// One column that starts at the public value and doubles from row to row.
struct Doubling;

impl<T> BaseAir<T> for Doubling {
    fn width(&self) -> usize {
        1
    }

    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: AirBuilder> Air<AB> for Doubling {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (now, next) = (main.current_slice()[0], main.next_slice()[0]);
        let first = builder.public_values()[0];
        builder.when_first_row().assert_eq(now, first);
        builder.when_transition().assert_eq(next, now + now);
    }
}

/// Proves a trace of 1,024 rows in hash `H`.
fn prove_in<H: HashSuite>() -> Result<(), Box<dyn Error>> {
    // 1. The number of queries of the low-degree test, at a blowup of 2. `Preset::Toy` makes 4,
    //    which is insecure; in production use `Preset::Proven120`, the default of the command: a
    //    join of proofs at `Proven100` has fewer than the 100 bits that it must have by default.
    let settings = Preset::Toy.settings(1)?;

    // 2. The configuration for Plonky3's provers, with the hash's Merkle trees and transcript. The
    //    second argument is absorbed by the transcript first: in a protocol, the digest of a key.
    let config = config::<H>(&settings, &[])?;

    // 3. The trace and its public value.
    let public = [F::from_u32(3)];
    let rows = std::iter::successors(Some(public[0]), |&row| Some(row.double()));
    let trace = RowMajorMatrix::new_col(rows.take(1 << 10).collect());

    // 4. Plonky3's own prover and verifier.
    let start = Instant::now();
    let proof = prove_air(&config, &Doubling, trace, &public).map_err(debug)?;
    let milliseconds = start.elapsed().as_millis();
    verify_air(&config, &Doubling, &proof, &public).map_err(debug)?;
    println!("{}: proved in {milliseconds} ms and verified", H::NAME);
    Ok(())
}

/// Prints an error. The types of Plonky3's errors depend on the hash.
fn debug(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

fn main() -> Result<(), Box<dyn Error>> {
    prove_in::<Poseidon16Suite>()?;
    prove_in::<Poseidon2Suite>()?;
    prove_in::<Blake3Suite>()?;
    prove_in::<KeccakSuite>()
}
