//! Programs in the zk-DSL: compiling them, running them in the machine and natively, and the
//! commitments that they reveal.

pub use droste_gadgets::run_native;
pub use droste_lang::compiler::{
    CompileError, Compiled, SourceMap, assembly, compile_file, compile_with,
};
pub use droste_lang::executor::{
    CallContext, Fault, Memory, RunError, Said, Tape, TapeItem, execute,
};
pub use droste_lang::isa::{self, Program};
pub use droste_lang::precompile::{
    Function, Integers, Operand, Output, Parameter, Precompile, Refusal, any,
};
pub use droste_lang::record::{Call, Execution};
pub use droste_native::hash::commitment::commitment;
pub use droste_native::precompile::{ByteDigest, digest_to_limbs};

/// The gadget library in the form that the compiler takes: path and text of each file.
pub const GADGETS: &[(&str, &str)] = droste_gadgets::SOURCES;

/// Compiles the text of a program, which may import the gadget library.
///
/// # Errors
/// A [`CompileError`] that points at the first part of the source that is wrong or not in the
/// zk-DSL.
pub fn compile(text: &str) -> Result<Compiled, Box<CompileError>> {
    compile_file("main.rs", text, GADGETS)
}
