//! Places of syntax in its file.
//!
//! `syn` tells the place of a node by printing all its tokens and taking the first and the last. Of
//! the nodes that a large program has most of, these two are found in the syntax itself.

use proc_macro2::LineColumn;
use syn::spanned::Spanned;

use super::Parser;
use crate::compiler::output::Span;

/// Byte offsets of the lines of a text.
pub(super) struct Lines(Vec<Line>);

struct Line {
    start: usize,
    /// Offset in the line of each character, and of its end: nothing where all are of one byte.
    characters: Vec<usize>,
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let characters = if line.is_ascii() {
                Vec::new()
            } else {
                let offsets = line.char_indices().map(|(offset, _)| offset);
                offsets.chain([line.len()]).collect()
            };
            let line_start = start;
            start += line.len();
            Line {
                start: line_start,
                characters,
            }
        });
        Self(lines.collect())
    }

    /// Of a line, from 1, and a character in it, from 0.
    fn offset(&self, place: LineColumn) -> u32 {
        let line = self.0.get(place.line.saturating_sub(1));
        let offset = line.map_or(0, |line| {
            let column = line.characters.get(place.column);
            line.start + column.copied().unwrap_or(place.column)
        });
        offset as u32
    }
}

type Ends = (proc_macro2::Span, proc_macro2::Span);

impl Parser {
    pub(super) fn span(&self, span: proc_macro2::Span) -> Span {
        self.between((span, span))
    }

    /// From the first of two tokens to the last.
    fn between(&self, (first, last): Ends) -> Span {
        Span {
            file: self.file,
            start: self.lines.offset(first.start()),
            end: self.lines.offset(last.end()),
        }
    }

    pub(super) fn span_of(&self, syntax: &impl Spanned) -> Span {
        self.span(syntax.span())
    }

    pub(super) fn span_of_expr(&self, expr: &syn::Expr) -> Span {
        self.between(ends_of_expr(expr))
    }

    pub(super) fn span_of_path(&self, path: &syn::Path) -> Span {
        self.between(ends_of_path(path))
    }
}

/// The first token and the last.
fn ends_of_expr(expr: &syn::Expr) -> Ends {
    match expr {
        syn::Expr::Lit(syn::ExprLit { attrs, lit }) if attrs.is_empty() => (lit.span(), lit.span()),
        syn::Expr::Path(syn::ExprPath {
            attrs,
            qself: None,
            path,
        }) if attrs.is_empty() => ends_of_path(path),
        syn::Expr::Binary(binary) if binary.attrs.is_empty() => {
            (ends_of_expr(&binary.left).0, ends_of_expr(&binary.right).1)
        }
        syn::Expr::MethodCall(call) if call.attrs.is_empty() => {
            let close = call.paren_token.span.close();
            (ends_of_expr(&call.receiver).0, close)
        }
        syn::Expr::Call(call) if call.attrs.is_empty() => {
            (ends_of_expr(&call.func).0, call.paren_token.span.close())
        }
        syn::Expr::Index(index) if index.attrs.is_empty() => {
            let close = index.bracket_token.span.close();
            (ends_of_expr(&index.expr).0, close)
        }
        syn::Expr::Field(field) if field.attrs.is_empty() => {
            (ends_of_expr(&field.base).0, field.member.span())
        }
        syn::Expr::Try(tried) if tried.attrs.is_empty() => {
            let end = tried.question_token.span;
            (ends_of_expr(&tried.expr).0, end)
        }
        syn::Expr::Paren(paren) if paren.attrs.is_empty() => {
            let delimiters = paren.paren_token.span;
            (delimiters.open(), delimiters.close())
        }
        other => (other.span(), other.span()),
    }
}

fn ends_of_path(path: &syn::Path) -> Ends {
    match (
        &path.leading_colon,
        path.segments.first(),
        path.segments.last(),
    ) {
        (None, Some(first), Some(last)) if last.arguments.is_none() => {
            (first.ident.span(), last.ident.span())
        }
        _ => (path.span(), path.span()),
    }
}

#[cfg(test)]
mod tests {
    use syn::visit::{self, Visit};

    use super::*;

    const TEXT: &str = "
        // é\u{1f300}
        fn f(x: [Felt; 2], s: S) -> Felt {
            let (é, y) = (x[0] + x[1] * f::<2>(x, s) - Felt::new(1), 5); let z = é.a;
            /* é */ (é + y.field.0.method(z)[1]).method::<Felt>(&mut s, -y) + <S as T>::G;
            #[allow(é)] y(z);
            if é == (S { x: 1 }).x { a::<B>::c } else { m!(é) }
            (s.f)(x)?.g(é)?; (|é| é)(y)
        }\r\n";

    struct Compare<'a>(&'a Parser, usize);

    impl<'ast> Visit<'ast> for Compare<'_> {
        fn visit_expr(&mut self, expr: &'ast syn::Expr) {
            let Span { start, end, .. } = self.0.span_of_expr(expr);
            let expected = expr.span().byte_range();
            assert_eq!(start as usize..end as usize, expected);
            self.1 += 1;
            visit::visit_expr(self, expr);
        }

        fn visit_path(&mut self, path: &'ast syn::Path) {
            let Span { start, end, .. } = self.0.span_of_path(path);
            let expected = path.span().byte_range();
            assert_eq!(start as usize..end as usize, expected);
            self.1 += 1;
            visit::visit_path(self, path);
        }
    }

    #[test]
    fn places_are_those_of_syn() {
        let parser = Parser::new(0, TEXT);
        let mut compare = Compare(&parser, 0);
        compare.visit_file(&syn::parse_str(TEXT).unwrap());
        assert!(compare.1 > 60, "{}", compare.1);
    }
}
