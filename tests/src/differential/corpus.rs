//! The programs that are in the repository: those of `programs/` and those in the tests.

use std::path::Path;
use std::{fs, io};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Folders with tests that have programs in them.
const TESTS: &[&str] = &[
    "lang/tests",
    "lang/src/compiler/tests",
    "tests/tests",
    "tests/src",
    "droste/examples",
];

/// A program: where it is from, and its text.
pub struct Example {
    /// File, and a number if the file has several.
    pub name: String,
    /// Text of the program.
    pub text: String,
}

/// Returns the programs of `programs/`, and what looks like a program in the files of tests: a
/// string with a `main` in it, or the content of braces.
///
/// # Errors
///
/// If a file cannot be read.
pub fn examples() -> io::Result<Vec<Example>> {
    let programs = droste_programs::SOURCES.iter();
    let programs = programs.map(|(name, text)| Example {
        name: format!("programs/{name}"),
        text: (*text).to_owned(),
    });
    let mut examples: Vec<_> = programs.collect();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    for folder in TESTS {
        add_folder(&root.join(folder), folder, &mut examples)?;
    }
    Ok(examples)
}

fn add_folder(folder: &Path, name: &str, examples: &mut Vec<Example>) -> io::Result<()> {
    let mut entries = match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            add_folder(&path, &name, examples)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let mut found = Vec::new();
            if let Ok(tokens) = text.parse() {
                programs(tokens, &text, &mut found);
            }
            proc_macro2::extra::invalidate_current_thread_spans();
            let named = (1..).zip(found).map(|(number, text)| Example {
                name: format!("{name} {number}"),
                text,
            });
            examples.extend(named);
        }
    }
    Ok(())
}

fn programs(tokens: TokenStream, source: &str, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let range =
                    group.span_open().byte_range().end..group.span_close().byte_range().start;
                let inside = source.get(range).unwrap_or_default();
                let before = found.len();
                programs(group.stream(), source, found);
                let braces = group.delimiter() == Delimiter::Brace;
                if braces && found.len() == before && is_program(inside) {
                    found.push(inside.to_owned());
                }
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string())
                    && is_program(&text.value())
                {
                    found.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn is_program(text: &str) -> bool {
    text.contains("fn main()") && text.contains("use droste_gadgets::prelude::*")
}
