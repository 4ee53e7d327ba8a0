//! Translates text to [`ast`](super::ast). `syn` parses the grammar; this keeps the subset and
//! refuses the rest.

mod attribute;
mod block;
mod expr;
mod function;
mod item;
mod pattern;
mod span;
mod ty;

use std::cell::Cell;
use std::fmt::Display;

use proc_macro2::{LexError, TokenStream, TokenTree};

use super::ast::{Module, Symbol};
use super::error::{Result, fail, failure};
use span::Lines;

/// Largest depth of nested brackets, and largest number of operators in a row: `syn` parses these
/// by recursion.
const MAX_NESTING: usize = 1 << 10;

/// Largest depth of nested expressions. A chain of operators or methods is nested, too.
const MAX_DEPTH: usize = 1 << 10;

/// Parses one file.
pub fn parse_file(file: u32, text: &str) -> Result<Module> {
    let parser = Parser {
        file,
        lines: Lines::new(text),
        depth: Cell::new(0),
    };
    let wrong =
        |span, error: &dyn Display| failure(parser.span(span), format!("syntax error: {error}"));
    let tokens: TokenStream = text
        .parse()
        .map_err(|error: LexError| wrong(error.span(), &error))?;
    parser.check_nesting(&tokens)?;
    let syntax: syn::File = syn::parse2(tokens).map_err(|error| wrong(error.span(), &error))?;
    parser.kept(&syntax.attrs)?;
    parser.items(&syntax.items)
}

/// Converts the syntax tree of one file.
struct Parser {
    file: u32,
    lines: Lines,
    /// Depth of the present expression.
    depth: Cell<usize>,
}

impl Parser {
    fn check_nesting(&self, tokens: &TokenStream) -> Result<()> {
        let mut open = vec![tokens.clone().into_iter()];
        let mut operators = 0;
        while let Some(inner) = open.last_mut() {
            match inner.next() {
                None => {
                    open.pop();
                }
                Some(token) => {
                    let punct = matches!(token, TokenTree::Punct(_));
                    operators = if punct { operators + 1 } else { 0 };
                    if open.len().max(operators) > MAX_NESTING {
                        return fail(self.span(token.span()), "this is nested too deeply");
                    }
                    if let TokenTree::Group(group) = token {
                        open.push(group.stream().into_iter());
                    }
                }
            }
        }
        Ok(())
    }

    /// Interns the name of an identifier.
    fn symbol(&self, ident: &syn::Ident) -> Result<Symbol> {
        let text = ident.to_string();
        if text.starts_with("r#") {
            let span = self.span(ident.span());
            return fail(span, "raw identifiers are not in the subset");
        }
        Ok(Symbol::new(&text))
    }
}
