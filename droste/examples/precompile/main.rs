//! A precompile of your own takes one table and one line in the list of a machine; a program then
//! calls it. Parameters are insecure. `docs/precompiles.md` explains what such a table must
//! constrain.
//!
//! `cargo run --release -p droste --example precompile`

mod squares;

use std::error::Error;

use droste::machine::{
    ProvingKey, custom_precompiles, prove_with_key, tables::ext::ExtTable, verify,
};
use droste::prelude::*;
use droste::program::{GADGETS, compile_with};
use squares::SquaresTable;

// 1. The table is in `squares.rs`: native function, columns, constraints, trace.

// 2. The machine. Every machine has the tables `cpu`, `program`, `words` and `blocks`; of the
//    listed tables, a program's machine has those that the program needs. `provable!` compiles
//    Plonky3's prover for it.
droste::machine::machine! {
    /// A machine that squares the lanes of a block in one instruction.
    pub enum Tables {
        /// Extension arithmetic.
        Ext(ExtTable),
        /// Squares of a block's lanes.
        Squares(SquaresTable),
    }
}
droste::machine::provable! { Tables: Blake3Suite }

// 3. A program that calls it. In a native run, `squares` is the function of the crate that it is
//    imported from.
const PROGRAM: &str = "
use droste_gadgets::prelude::*;
use my_crate::squares;

pub fn main() {
    let x = public_input();
    let block = Block::new([x, felt(2), felt(3), x, x, x, x, felt(8)]);
    reveal(squares(squares(block)).lane(0));
}
";

fn main() -> Result<(), Box<dyn Error>> {
    // 4. The compiler gets the precompiles from the machine's tables; the executor gets them with
    //    the compiled program.
    let precompiles = custom_precompiles::<Tables>();
    let compiled = compile_with("main.rs", PROGRAM, GADGETS, &precompiles)?;
    let public = [F::from_u32(3)];
    let run = execute(&compiled, &public, &Tape::default(), 1 << 12)?;

    // 5. The key names the tables and binds their constraints: a verifier for another machine
    //    rejects the proof.
    let settings = Preset::Toy.settings(2)?;
    let key = ProvingKey::<Blake3Suite, Tables>::new(&compiled, settings, Heights::Minimal)?;
    let proof = prove_with_key(&key, &run)?;
    let insecure = VerifyOptions::min_bits(0);
    let report = verify::<Blake3Suite, Tables>(key.key(), &public, insecure, &proof)?;
    println!("3 squared twice is {}", report.statement[1]);
    assert_eq!(report.statement[1], F::from_u32(81));
    Ok(())
}
