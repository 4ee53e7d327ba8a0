//! Runs the generated verifier in the machine.

use droste_gadgets::{NativeTape, SOURCES};
use droste_native::HashId;
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::compile_file;
use droste_vm::executor::execute;
use droste_vm::record::Execution;

/// Text of a `main` that reads the arguments of `verify` from the tape.
fn main(hash: HashId) -> String {
    let (module, name) = match hash {
        HashId::Poseidon16 => ("poseidon16", "Poseidon16"),
        HashId::Poseidon2 => ("poseidon2", "Poseidon2"),
        HashId::Blake3 => ("blake3", "Blake3"),
        HashId::Keccak => ("keccak", "Keccak"),
    };
    let blocks = if hash.is_of_bytes() { 4 } else { 2 };
    format!(
        "
use droste_gadgets::verify::fri::verify;
use droste_gadgets::suites::{module}::{{{name} as H, {name}Challenger as C}};

/// Reads the arguments from the tape and verifies.
pub fn main() {{
    let mut seed = [Felt::ZERO; 8];
    for i in 0..8 {{
        seed[i] = hint_felt().any();
    }}
    let preprocessed = hint_slice({blocks}).any();
    let mut public = vec![vec![], vec![Felt::ZERO; 2]];
    for i in 0..2 {{
        public[1][i] = hint_felt().any();
    }}
    verify::<H, C, Tables>(&shape(), &Tables, &seed, vec![preprocessed], &public);
}}
"
    )
}

/// Compiles and runs the verifier in the machine.
pub fn run(text: &str, hash: HashId, tape: &NativeTape) -> Result<Execution, String> {
    let text = format!("{text}{}", main(hash));
    let compiled = compile_file("verifier.rs", &text, SOURCES)
        .map_err(|error| format!("{:?}", miette::Report::new(*error)))?;
    println!("{} instructions", compiled.program.instructions.len());
    execute(&compiled, &[], &machine_tape(tape), 1 << 24)
        .map_err(|error| format!("{:?}", miette::Report::new(error)))
}
