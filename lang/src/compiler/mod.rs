//! The zk-DSL compiler: a subset of Rust to instructions of the machine.
//!
//! The passes are a file or folder each: `parse` (text to syntax tree), `resolve` (table of items),
//! `eval` (partial evaluation to the representation in `ir`, which `build` folds and shares),
//! `optimise` (removal of dead code, fused assertions), `allocate` (places in memory), `emit`
//! (instructions).

mod allocate;
mod ast;
mod build;
mod display;
mod emit;
mod error;
mod eval;
mod interface;
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
pub use interface::{Argument, Interface, Parameter, Signature, TypeName, error_at, interface};
pub use output::{
    Body, Check, Compiled, Hint, Iteration, Location, Pieces, Print, Relation, Site, SourceFile,
    SourceMap, Span,
};
pub use resolve::standard_names;

use crate::isa::{Program, id};
use crate::precompile::{self, Precompile};

/// Stack size of the thread that compiles: the evaluator recurses as deeply as the program is
/// nested, up to a limit that needs a fraction of this.
const STACK: usize = 1 << 28;

/// The part of the standard library that is written in the language, as paths and texts.
const STANDARD: &[(&str, &str)] = &[
    ("std /option.rs", include_str!("standard/option.rs")),
    ("std /result.rs", include_str!("standard/result.rs")),
    ("std /cmp.rs", include_str!("standard/cmp.rs")),
];

/// Compiles a program.
///
/// `entry` is the source text whose `main` is run. `libraries` are the files that it may import
/// from, as pairs of path and text. A path begins with the crate's name:
/// `droste_gadgets/fri/query.rs` or `droste_gadgets::fri::query` is the module
/// `droste_gadgets::fri::query`. The prelude, `droste_gadgets::prelude`, is built in. `main /a.rs` is
/// the module `a` of the entry's own crate, which the entry declares with `mod a;`.
///
/// # Errors
/// A [`CompileError`] that points at the first piece of source that is wrong or outside the subset.
pub fn compile(entry: &str, libraries: &[(&str, &str)]) -> Result<Compiled, Box<CompileError>> {
    compile_file("main.rs", entry, libraries)
}

/// Like [`compile`], with a name for the entry file, which messages use.
pub fn compile_file(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
) -> Result<Compiled, Box<CompileError>> {
    compile_with(path, entry, libraries, &[])
}

/// Like [`compile_file`], with precompiles in addition to the built-in ones.
/// `droste_vm::machine::custom_precompiles` returns those of a machine's tables.
pub fn compile_with(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
    precompiles: &[Precompile],
) -> Result<Compiled, Box<CompileError>> {
    on_large_stack(path, entry, libraries, |files| {
        let (mut ir, sites) = lower(files, precompiles)?;
        let uses = optimise::optimise(&mut ir, precompiles);
        let layout = allocate::allocate(&mut ir, &uses);
        if let Some(location) = layout.too_large {
            let message = "the program needs more memory than the machine has";
            let help = format!("a memory has at most {} cells", crate::isa::MAX_CELLS);
            return error::fail_help(location.span, message, help);
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
                files: shown(files),
                sites,
                locations: code.locations,
                hints: code.hint_locations,
                checks: code.checks,
                messages: code.messages,
                iterations: ir.iterations,
                bodies: code.bodies,
                prints: code.prints,
            },
        })
    })
}

/// Returns the text of the program's intermediate representation, before places in memory are
/// assigned.
pub fn intermediate(
    path: &str,
    entry: &str,
    libraries: &[(&str, &str)],
) -> Result<String, Box<CompileError>> {
    on_large_stack(path, entry, libraries, |files| {
        let (mut ir, ..) = lower(files, &[])?;
        optimise::optimise(&mut ir, &[]);
        Ok(ir.to_string())
    })
}

/// Parses a file and hands its syntax tree to `read`, on a stack that is large enough. The code need
/// not be in the subset, but its size and nesting are limited as in programs.
///
/// # Errors
/// A [`CompileError`] that points at what is no Rust, or beyond these limits.
pub fn read_syntax<T: Send>(
    path: &str,
    text: &str,
    read: impl FnOnce(&syn::File) -> T + Send,
) -> Result<T, Box<CompileError>> {
    on_large_stack(path, text, &[], |files| {
        check_size(files)?;
        Ok(read(&parse::syntax(text)?))
    })
}

/// Returns the files under the paths that messages show: those of the entry's own modules are beside
/// the entry.
fn shown(files: &[SourceFile]) -> Vec<SourceFile> {
    let entry = files.first().map_or("", |file| &file.path);
    let folder = &entry[..entry.rfind(['/', '\\']).map_or(0, |end| end + 1)];
    let mut files = files.to_vec();
    for file in &mut files {
        let inner = file.path.strip_prefix(resolve::ENTRY);
        if let Some(inner) = inner.and_then(|inner| inner.strip_prefix('/')) {
            file.path = format!("{folder}{inner}");
        }
    }
    files
}

fn lower(files: &[SourceFile], precompiles: &[Precompile]) -> error::Result<eval::Evaluated> {
    check_size(files)?;
    let mut modules = Vec::with_capacity(files.len());
    let mut failed: Option<Box<error::Failure>> = None;
    for (index, file) in files.iter().enumerate() {
        let mut failure = match parse::parse_file(index as u32, &file.text) {
            Ok(module) => {
                modules.push((file.path.clone(), module));
                continue;
            }
            Err(failure) => failure,
        };
        match &mut failed {
            None => failed = Some(failure),
            Some(first) => {
                let others = std::mem::take(&mut failure.others);
                first.others.push(*failure);
                first.others.extend(others);
                first.others.truncate(parse::MAX_FAILURES - 1);
            }
        }
    }
    if let Some(failure) = failed {
        return Err(failure);
    }
    check_precompiles(precompiles)?;
    let functions = precompiles.iter().flat_map(|custom| custom.functions);
    let names = functions.map(|function| function.name);
    let (items, entry) = resolve::Items::new(modules, names)?;
    eval::evaluate(&items, entry, precompiles)
}

/// Refuses files that are too long together.
fn check_size(files: &[SourceFile]) -> error::Result<()> {
    let own = files
        .iter()
        .filter(|file| !file.path.starts_with(resolve::STD));
    let bytes: usize = own.map(|file| file.text.len()).sum();
    if bytes <= parse::MAX_TEXT {
        return Ok(());
    }
    let most = parse::MAX_TEXT;
    let message = format!("the program and its libraries have {bytes} bytes, more than {most}");
    error::fail(Span::default(), message)
}

/// Refuses precompiles that cannot be encoded, or whose names or identities are taken.
fn check_precompiles(precompiles: &[Precompile]) -> error::Result<()> {
    for (index, custom) in precompiles.iter().enumerate() {
        let wrong =
            |reason: &str| error::fail(Span::default(), format!("precompile {custom:?}: {reason}"));
        let others = &precompiles[..index];
        if !id::CUSTOM.contains(&custom.identity) {
            let owner = match precompile::find(custom.identity, &[]) {
                Some(owner) => format!("that of the built-in `{}`", owner.name),
                None => "none of a user's".to_owned(),
            };
            let (first, last) = (id::CUSTOM.start, id::CUSTOM.end - 1);
            return wrong(&format!(
                "its identity is {owner}, expected one of `id::CUSTOM`, {first} to {last}"
            ));
        }
        if others.iter().any(|other| other.identity == custom.identity) {
            return wrong("its identity is also another precompile's");
        }
        for (number, function) in custom.functions.iter().enumerate() {
            let mut earlier = custom.functions[..number].iter();
            if earlier.any(|other| other.name == function.name)
                || resolve::is_builtin(function.name)
                || precompile::function(function.name, others).is_some()
            {
                return wrong("one of its functions has the name of another function");
            }
            if let Some(problem) = function.problem() {
                return wrong(problem);
            }
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
    files.extend_from_slice(STANDARD);
    let files: Vec<_> = files
        .into_iter()
        .map(|(path, text)| SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        })
        .collect();
    let run = || body(&files).map_err(|failure| failure.into_error(&shown(&files)));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run);
        match thread.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            // A panic is a bug of the compiler, whatever the source is. It must not end the
            // caller's process, except in the compiler's own tests.
            Ok(Err(panic)) if cfg!(test) => std::panic::resume_unwind(panic),
            Ok(Err(_)) => {
                let message = "the compiler failed on this program: please report it";
                Err(error::failure(Span::default(), message).into_error(&shown(&files)))
            }
            Err(error) => {
                let message = format!("cannot start the compiler's thread: {error}");
                Err(error::failure(Span::default(), message).into_error(&[]))
            }
        }
    })
}
