//! Text to [`ast`](super::ast): `syn` does the grammar, this keeps the subset and refuses the rest.

mod expr;
mod item;

use super::ast::{Module, Symbol};
use super::error::{Result, failure};
use super::output::Span;

/// Parses one file.
pub fn parse_file(file: u32, text: &str) -> Result<Module> {
    let parser = Parser { file };
    let syntax = syn::parse_file(text).map_err(|error| {
        let span = parser.span(error.span());
        failure(span, format!("syntax error: {error}"))
    })?;
    parser.items(&syntax.items)
}

/// Converts the syntax of one file.
struct Parser {
    file: u32,
}

impl Parser {
    fn span(&self, span: proc_macro2::Span) -> Span {
        let range = span.byte_range();
        Span {
            file: self.file,
            start: range.start as u32,
            end: range.end as u32,
        }
    }

    fn span_of(&self, syntax: &impl syn::spanned::Spanned) -> Span {
        self.span(syntax.span())
    }
}

fn symbol(ident: &syn::Ident) -> Symbol {
    Symbol::new(&ident.to_string())
}
