//! A precompile of one's own: one table, one line in the list of a machine, and a program that calls
//! it. Parameters are insecure. `docs/precompiles.md` explains what such a table must constrain.
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

// 2. The machine: processor, program and memories are in every one, and of these tables a program
//    has those that it needs. The second line compiles Plonky3's prover for it.
droste::machine::machine! {
    /// A machine that squares the lanes of a block in one instruction.
    pub enum Tables {
        /// Extension arithmetic.
        Ext(ExtTable),
        /// Squares of a block's lanes.
        Squares(SquaresTable),
    }
}
droste::machine::provable! { Tables: Blake3Family }

// 3. A program that calls it. Natively, `squares` comes from the crate that it is imported from.
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
    // 4. Compiler and executor learn of the precompile from the machine's tables.
    let precompiles = custom_precompiles::<Tables>();
    let compiled = compile_with("main.rs", PROGRAM, GADGETS, &precompiles)?;
    let public = [F::from_u32(3)];
    let run = execute(&compiled, &public, &Tape::default(), 1 << 12)?;

    // 5. The key names the tables and binds their constraints: another machine rejects the proof.
    let settings = Preset::Toy.settings(2)?;
    let key =
        ProvingKey::<Blake3Family, Tables>::new(&compiled.program, settings, Heights::Minimal)?;
    let proof = prove_with_key(&key, &run)?;
    let report = verify::<Blake3Family, Tables>(key.key(), &public, 0, &proof)?;
    println!("3 squared twice is {}", report.statement[1]);
    assert_eq!(report.statement[1], F::from_u32(81));
    Ok(())
}
