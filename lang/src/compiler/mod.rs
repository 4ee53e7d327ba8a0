//! The zk-DSL compiler: a subset of Rust to instructions of the machine.
//!
//! Passes, one file or folder each: `parse` (text to syntax), `resolve` (item table), `eval`
//! (partial evaluation to the representation of `ir`, which `build` folds and shares), `optimise`
//! (dead code, fused assertions), `allocate` (places in memory), `emit` (instructions).

mod allocate;
mod ast;
mod build;
mod display;
mod emit;
mod error;
mod eval;
mod ir;
mod optimise;
mod output;
mod parse;
mod resolve;
#[cfg(test)]
mod tests;
mod value;

pub use display::assembly;
pub use error::CompileError;
pub use output::{Compiled, Hint, Location, Site, SourceFile, SourceMap, Span};

use crate::isa::{Program, id};
use crate::precompile::{Output, Parameter, Precompile, Reads};

/// Stack of the compiling thread: evaluation follows the nesting of the program.
const STACK: usize = 1 << 30;

/// Compiles a program.
///
/// `entry` is the source text whose `main` is run; `libraries` are the files it may import from,
/// as path and text. A path begins with the crate's name: `droste_gadgets/fri/query.rs` or `droste_gadgets::fri::query` is
/// `droste_gadgets::fri::query`. The prelude, `droste_gadgets::prelude`, is built in.
///
/// # Errors
///
/// A [`CompileError`] points at the first piece of source that is outside of the subset or wrong.
pub fn compile(entry: &str, libraries: &[(&str, &str)]) -> Result<Compiled, Box<CompileError>> {
    compile_file("main.rs", entry, libraries)
}

/// As [`compile`], with a name for the entry file in messages.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_file(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
) -> Result<Compiled, Box<CompileError>> {
    compile_with(path, entry, libraries, &[])
}

/// As [`compile_file`], with precompiles beside those of the standard machine: those of a machine's
/// tables are `droste_vm::machine::custom_precompiles`.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_with(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
    precompiles: &[Precompile],
) -> Result<Compiled, Box<CompileError>> {
    on_large_stack(path, entry, libraries, |files| {
        let (mut ir, sites) = lower(files, precompiles)?;
        let uses = optimise::optimise(&mut ir);
        let layout = allocate::allocate(&mut ir, &uses);
        if let Some(location) = layout.too_large {
            let mut failure = error::failure(location.span, "the program needs too much memory");
            let most = crate::executor::MAX_CELLS;
            failure.help = Some(format!("a memory has at most {most} cells"));
            return Err(failure);
        }
        let code = emit::emit(&ir, &layout, &uses);
        let main = layout.extents[ir::MAIN as usize];
        Ok(Compiled {
            program: Program {
                instructions: code.instructions,
            },
            hints: code.hints,
            constants: code.constants,
            globals: layout.globals,
            entry_words: main.words,
            entry_frame: main.total,
            public_inputs: ir.public_inputs,
            public_outputs: ir.public_outputs,
            precompiles: precompiles.to_vec(),
            source_map: SourceMap {
                files: files.to_vec(),
                sites,
                locations: code.locations,
            },
        })
    })
}

/// The text of the program's intermediate representation, as it is before places are assigned.
///
/// # Errors
///
/// As [`compile`].
pub fn intermediate(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
) -> Result<String, Box<CompileError>> {
    on_large_stack(path, entry, libraries, |files| {
        let (mut ir, _) = lower(files, &[])?;
        optimise::optimise(&mut ir);
        Ok(ir.to_string())
    })
}

fn lower(files: &[SourceFile], precompiles: &[Precompile]) -> error::Result<(ir::Ir, Vec<Site>)> {
    let mut modules = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let module = parse::parse_file(index as u32, &file.text)?;
        modules.push((file.path.clone(), module));
    }
    check_precompiles(precompiles)?;
    let names = precompiles.iter().map(|custom| custom.name);
    let (items, entry) = resolve::Items::new(modules, names)?;
    eval::evaluate(&items, entry, precompiles)
}

/// Refuses precompiles that the instruction set has no room for.
fn check_precompiles(precompiles: &[Precompile]) -> error::Result<()> {
    for (index, custom) in precompiles.iter().enumerate() {
        let wrong = |reason: &str| {
            let message = format!("precompile {custom:?}: {reason}");
            Err(error::failure(Span::default(), message))
        };
        let others = &precompiles[..index];
        if !id::CUSTOM.contains(&custom.identity) {
            return wrong("its identity is not among those of users");
        }
        if others.iter().any(|other| other.identity == custom.identity) {
            return wrong("its identity is another one's");
        }
        if others.iter().any(|other| other.name == custom.name) {
            return wrong("its name is another one's");
        }
        let lengths = |parameter: &&Parameter| **parameter == Parameter::Length;
        let lengths = custom.parameters.iter().filter(lengths).count();
        if lengths > 1 || custom.parameters.len() - lengths > 3 {
            return wrong("it has more parameters than operands");
        }
        for parameter in custom.parameters {
            match parameter {
                Parameter::Slice(Reads::Blocks(0) | Reads::LanesPerLength(0)) => {
                    return wrong("it reads nothing of a slice");
                }
                Parameter::Slice(Reads::LanesPerLength(_)) if lengths == 0 => {
                    return wrong("it has no length that says how much of a slice it reads");
                }
                Parameter::UncheckedSlice if !custom.name.contains("unchecked") => {
                    return wrong(
                        "how much of a slice it reads is not known: say `unchecked` in its name",
                    );
                }
                _ => {}
            }
        }
        if matches!(custom.output, Output::Slice(blocks) if blocks == 0 || blocks >= value::LIMIT) {
            return wrong("it returns no blocks, or too many");
        }
    }
    Ok(())
}

fn on_large_stack<T: Send>(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
    body: impl FnOnce(&[SourceFile]) -> error::Result<T> + Send,
) -> Result<T, Box<CompileError>> {
    let mut files = vec![(path, entry)];
    files.extend_from_slice(libraries);
    let files: Vec<_> = files
        .into_iter()
        .map(|(path, text)| SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        })
        .collect();
    let run = || body(&files).map_err(|failure| failure.into_error(&files));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run);
        match thread.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            // A bug of the compiler, whatever the source: it must not end the caller's process, unless that is
            // a test of the compiler.
            Ok(Err(panic)) if cfg!(test) => std::panic::resume_unwind(panic),
            Ok(Err(_)) => {
                let message = "the compiler failed on this program: please report it";
                Err(error::failure(Span::default(), message).into_error(&files))
            }
            Err(error) => {
                let message = format!("cannot start the compiler's thread: {error}");
                Err(error::failure(Span::default(), message).into_error(&[]))
            }
        }
    })
}
