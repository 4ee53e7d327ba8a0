//! A precompile of your own takes one table and one line in the list of a machine. A program calls
//! it, natively and in the machine, and the proof is wrapped like any other. Parameters are
//! insecure. `docs/precompiles.md` explains what such a table must constrain.
//!
//! `cargo run --release -p droste --example precompile`

mod program;
mod squares;

use std::error::Error;

use droste::both_ways::{NativeTape, Program};
use droste::machine::tables::ext::ExtTable;
use droste::machine::whir::{Proof, ProvingKey, Verifier, Whir};
use droste::machine::{Prove, custom_precompiles};
use droste::prelude::*;
use droste::program::{GADGETS, compile_with};
use droste::recursion::file;
use squares::{SquaresTable, squares};

// 1. The table is in `squares.rs`: native function, columns, constraints, trace.

// 2. The machine. Every machine has the tables `cpu`, `program`, `words` and `blocks`; of the
//    listed tables, a program's machine has those that the program needs.
droste::machine::machine! {
    /// A machine that squares the lanes of a block in one instruction.
    pub enum Tables {
        /// Extension arithmetic.
        Ext(ExtTable),
        /// Squares of a block's lanes.
        Squares(SquaresTable),
    }
}

// 3. A program that calls it, in `program.rs`. It imports the native function from a crate by name,
//    which here is this one.
extern crate self as my_crate;

const PROGRAM: &str = include_str!("program.rs");

fn main() -> Result<(), Box<dyn Error>> {
    // 4. The compiler gets the precompiles from the machine's tables; the executor gets them with
    //    the compiled program.
    let precompiles = custom_precompiles::<Tables>();
    let compiled = compile_with("program.rs", PROGRAM, GADGETS, &precompiles)?;
    let public = [F::from_u32(3)];
    let run = execute(&compiled, &public, &Tape::default(), 1 << 12)?;

    // 5. The key names the tables and binds their constraints: a verifier for another machine
    //    rejects the proof.
    let settings = WhirSettings::toy();
    let key = ProvingKey::<Tables>::new(&compiled, settings, Heights::Minimal)?;
    let proof = key.prove_run(&run)?;
    let insecure = VerifyOptions::min_bits(0);
    let report = Verifier::<Tables>::new(key.key().clone())?.verify(&public, insecure, &proof)?;
    println!("3 squared twice is {}", report.statement[1]);
    assert_eq!(report.statement[1], F::from_u32(81));

    // 6. Tests compare the run in the machine with a native run, change hints, and prove.
    let tested = Program::with_precompiles("program.rs", PROGRAM, &precompiles, program::main);
    let statement = tested.both(&NativeTape::default(), &[3])?;
    assert_eq!(statement[..2], [3, 81]);
    tested.prove::<Whir, Tables>(&NativeTape::default(), &[5], settings);

    // 7. The wrap can be joined with any other: see the example `aggregate`.
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let verified = VerifiedProof::new_on::<Tables>(proof, key.key(), &public, insecure)?;
    let bytes = file::encode(&aggregator.wrap(&verified)?)?;

    // 8. Another party that has the tables derives the keys of its recursion programs.
    let deriver = Deriver::new().with_machine::<Proof, Tables>();
    let leaves = AcceptedLeaves::from_iter([key.key().digest()]);
    let wrap = file::decode(&bytes)?.derive(&deriver, &leaves)?;
    assert_eq!(wrap.tree().leaves(), [(report.key, report.statement)]);
    Ok(())
}
