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

use crate::isa::Program;

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
    on_large_stack(path, entry, libraries, |files| {
        let (mut ir, sites) = lower(files)?;
        let uses = optimise::optimise(&mut ir);
        let layout = allocate::allocate(&mut ir, &uses);
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
        let (mut ir, _) = lower(files)?;
        optimise::optimise(&mut ir);
        Ok(ir.to_string())
    })
}

fn lower(files: &[SourceFile]) -> error::Result<(ir::Ir, Vec<Site>)> {
    let mut modules = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let module = parse::parse_file(index as u32, &file.text)?;
        modules.push((file.path.clone(), module));
    }
    let (items, entry) = resolve::Items::new(modules)?;
    eval::evaluate(&items, entry)
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
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let message = format!("cannot start the compiler's thread: {error}");
                Err(error::failure(Span::default(), message).into_error(&[]))
            }
        }
    })
}
