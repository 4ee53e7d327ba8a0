//! Macros of the language.

use std::rc::Rc;

use syn::punctuated::Punctuated;
use syn::{Token, parse::ParseStream};

use super::Parser;
use super::attribute::path_text;
use super::item::MACROS;
use super::syntax_error;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help, wanted};
use crate::compiler::output::Span;

/// What a place of a message shows.
enum Shown {
    Text(String),
    Value(Expr),
}

impl Parser {
    pub(super) fn macro_call(&self, call: &syn::Macro) -> Result<Expr> {
        let span = self.span_of(call);
        let text = path_text(&call.path);
        let name = text
            .strip_prefix("std::")
            .or_else(|| text.strip_prefix("core::"))
            .unwrap_or(&text);
        let known = MACROS.iter().copied().find(|known| *known == name);
        let Some(known) = known else {
            let help = match name {
                _ if wanted(name).is_some() => wanted(name).unwrap_or_default(),
                _ if name.starts_with("debug_") => {
                    "whether it runs depends on the build: write the macro without `debug_`"
                }
                _ => "`assert!`, `assert_eq!`, `assert_ne!` and `panic!` are",
            };
            let message = format!("the macro `{name}!` is not in the subset");
            return fail_help(span, message, help);
        };
        let arguments = || {
            call.parse_body_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated)
                .map_err(|error| syntax_error(span, &error))
        };
        let boxed = |expr: &syn::Expr| self.expr(expr).map(Box::new);
        let kind = match known {
            "vec" => self.vec(call)?,
            "matches" => self.matches(call)?,
            "dbg" => {
                let arguments = arguments()?;
                let (1, Some(value)) = (arguments.len(), arguments.first()) else {
                    return fail_help(span, "`dbg!` takes one value", "write one `dbg!` for each");
                };
                ExprKind::Dbg(boxed(value)?)
            }
            "assert" => {
                let arguments = arguments()?;
                let Some(condition) = arguments.first() else {
                    return fail(span, "`assert!` takes a condition");
                };
                let message = self.message(arguments.iter().skip(1), span, true)?;
                ExprKind::Assert(boxed(condition)?, message)
            }
            "assert_eq" | "assert_ne" => {
                let arguments = arguments()?;
                let (Some(left), Some(right)) = (arguments.first(), arguments.get(1)) else {
                    return fail(span, format!("`{known}!` takes two values"));
                };
                let message = self.message(arguments.iter().skip(2), span, true)?;
                ExprKind::AssertEq(boxed(left)?, boxed(right)?, known == "assert_eq", message)
            }
            // It is an error to reach any of the others, whatever it would print.
            _ => {
                let message = arguments().ok();
                let message = message.map(|all| self.message(all.iter(), span, false));
                ExprKind::Panic(message.transpose()?.flatten())
            }
        };
        Ok(Expr::new(kind, span))
    }

    /// Parses `matches!(value, pattern if guard)`: a `match` with two arms.
    fn matches(&self, call: &syn::Macro) -> Result<ExprKind> {
        let parse = |input: ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let span = self.span_of(call);
        let (value, pattern, guard) = call
            .parse_body_with(parse)
            .map_err(|error| syntax_error(span, &error))?;
        let guard = guard.map(|guard| self.condition(&guard)).transpose()?;
        let answer = |answer| Expr::new(ExprKind::Bool(answer), span);
        let wild = Pattern {
            kind: PatternKind::Wild,
            span,
        };
        let arms = vec![
            (self.pattern(&pattern)?, guard, answer(true)),
            (wild, None, answer(false)),
        ];
        Ok(ExprKind::Match(Box::new(self.expr(&value)?), arms))
    }

    /// Parses `vec![a, b]` or `vec![value; length]`.
    fn vec(&self, call: &syn::Macro) -> Result<ExprKind> {
        let parse = |input: ParseStream<'_>| {
            let mut values: Vec<syn::Expr> = Vec::new();
            while !input.is_empty() {
                values.push(input.parse()?);
                if values.len() == 1 && input.peek(Token![;]) {
                    input.parse::<Token![;]>()?;
                    return Ok((values, Some(input.parse::<syn::Expr>()?)));
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok((values, None))
        };
        let (values, length) = call
            .parse_body_with(parse)
            .map_err(|error| syntax_error(self.span_of(call), &error))?;
        let values = values.iter().map(|value| self.expr(value));
        let mut values: Vec<Expr> = values.collect::<Result<_>>()?;
        match (length, values.pop()) {
            (Some(length), Some(value)) => {
                let length = Box::new(self.expr(&length)?);
                Ok(ExprKind::VecRepeat(Box::new(value), length))
            }
            (_, last) => {
                values.extend(last);
                Ok(ExprKind::Vec(values))
            }
        }
    }

    /// Returns a message, from the format string on. Printing it must have no other effect, or if
    /// it need not be `exact`, what is not just printed stays as it is written.
    fn message<'a>(
        &self,
        arguments: impl Iterator<Item = &'a syn::Expr>,
        span: Span,
        exact: bool,
    ) -> Result<Option<Rc<Message>>> {
        let (mut text, mut values) = (None, Vec::new());
        for argument in arguments {
            if let (None, syn::Expr::Lit(literal)) = (&text, argument)
                && let syn::Lit::Str(literal) = &literal.lit
            {
                text = Some(literal.value());
                continue;
            }
            let (name, value) = match argument {
                syn::Expr::Assign(named) => match &*named.left {
                    syn::Expr::Path(path) => (path_text(&path.path), &*named.right),
                    _ => return fail(self.span_of(argument), "a name is expected here"),
                },
                value => (String::new(), value),
            };
            values.push((name, self.shown(value, exact)?));
        }
        let pieces = text.map(|text| pieces(&text, values, span, |name| self.used(name)));
        Ok(pieces.map(|pieces| Rc::new(Message { pieces })))
    }

    /// Returns what an argument of a message shows, if that is known.
    fn shown(&self, argument: &syn::Expr, exact: bool) -> Result<Option<Shown>> {
        let mut inner = argument;
        loop {
            inner = match inner {
                syn::Expr::Lit(literal) => {
                    if let syn::Lit::Str(text) = &literal.lit {
                        return Ok(Some(Shown::Text(text.value())));
                    }
                    break;
                }
                syn::Expr::Path(_) => break,
                syn::Expr::Field(field) => &field.base,
                syn::Expr::Paren(paren) => &paren.expr,
                syn::Expr::Reference(reference) => &reference.expr,
                _ if exact => {
                    let message = "this would be computed only if the assertion fails";
                    let help = "a message may only name variables and their fields";
                    return fail_help(self.span_of(argument), message, help);
                }
                _ => return Ok(None),
            };
        }
        Ok(self.expr(argument).ok().map(Shown::Value))
    }
}

/// Returns the pieces of a message. Each value is shown once, whatever its format is.
fn pieces(
    text: &str,
    mut values: Vec<(String, Option<Shown>)>,
    span: Span,
    used: impl Fn(Symbol),
) -> Vec<(String, Option<Expr>)> {
    let (mut pieces, mut piece, mut next, mut rest) = (Vec::new(), String::new(), 0, text);
    while let Some(at) = rest.find(['{', '}']) {
        piece.push_str(&rest[..at]);
        rest = &rest[at..];
        let doubled = rest.starts_with("{{") || rest.starts_with("}}");
        let end = rest.find('}').filter(|end| *end > 0 && !doubled);
        let Some(end) = end else {
            piece.push_str(&rest[..1]);
            rest = &rest[1 + usize::from(doubled)..];
            continue;
        };
        let (written, after) = rest.split_at(end + 1);
        rest = after;
        let inner = &written[1..end];
        let (name, format) = inner.split_once(':').unwrap_or((inner, ""));
        let name = name.trim();
        next += usize::from(format.contains(".*"));
        let number = if name.is_empty() {
            next += 1;
            Some(next - 1)
        } else {
            let named = values.iter().position(|value| value.0 == name);
            name.parse().ok().or(named)
        };
        let shown = match number {
            Some(number) => values.get_mut(number).and_then(|value| value.1.take()),
            None if name.is_ascii() => {
                let name = Symbol::new(name);
                used(name);
                let path = ExprKind::Path(Path::of_name(name, span));
                Some(Shown::Value(Expr::new(path, span)))
            }
            None => None,
        };
        match shown {
            Some(Shown::Text(text)) => piece.push_str(&text),
            Some(Shown::Value(value)) => pieces.push((std::mem::take(&mut piece), Some(value))),
            None => piece.push_str(written),
        }
    }
    piece.push_str(rest);
    if !piece.is_empty() {
        pieces.push((piece, None));
    }
    pieces
}
