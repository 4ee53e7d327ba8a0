//! The generated verifier in the machine.

use droste_gadgets::{SOURCES, Tape};
use droste_native::HashId;
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::compile_file;
use droste_vm::executor::execute;
use droste_vm::record::Execution;

/// The entry that hands `verify` its arguments from the tape.
fn main(hash: HashId) -> String {
    let blocks = if hash == HashId::Poseidon16 { 2 } else { 4 };
    format!(
        "
/// Reads the arguments from the tape and verifies.
pub fn main() {{
    let mut seed = [Felt::ZERO; 8];
    for i in 0..8 {{
        seed[i] = hint_felt().any();
    }}
    let preprocessed = hint_slice({blocks}).any();
    let mut public = [Felt::ZERO; 2];
    for i in 0..2 {{
        public[i] = hint_felt().any();
    }}
    verify(seed, preprocessed, public);
}}
"
    )
}

/// Compiles and runs the verifier.
pub fn run(text: &str, hash: HashId, tape: &Tape) -> Result<Execution, String> {
    let text = format!("{text}{}", main(hash));
    let compiled = compile_file("verifier.rs", &text, SOURCES)
        .map_err(|error| format!("{:?}", miette::Report::new(*error)))?;
    println!("{} instructions", compiled.program.instructions.len());
    execute(&compiled, &[], &machine_tape(tape), 1 << 24)
        .map_err(|error| format!("{:?}", miette::Report::new(error)))
}
