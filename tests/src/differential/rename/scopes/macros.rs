//! What macros read: their arguments, and the names in braces of their messages.

use proc_macro2::{Span, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, Token};

use super::super::names::Position;
use super::Reader;

impl Reader<'_> {
    /// Reads the names in braces of a message.
    fn message(&mut self, span: Span) {
        let range = span.byte_range();
        let Some(text) = self.source.get(range.clone()) else {
            return;
        };
        let text = text.replace("{{", "  ");
        for (at, _) in text.match_indices('{') {
            let rest = &text[at + 1..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap_or(0)];
            if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                let start = range.start + at + 1;
                let key = self.resolve(name, Position::Value);
                let group = self.names.groups.entry(key.clone()).or_default();
                group.uses.push((start, Position::Value));
                self.edit(start..start + name.len(), key);
            }
        }
    }

    pub(super) fn macro_tokens(&mut self, name: &str, tokens: &TokenStream) {
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        let repeat = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            let _: Token![;] = input.parse()?;
            Ok([value, input.parse()?])
        };
        let pattern = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            let _: Token![,] = input.parse()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            let _: Option<Token![,]> = input.parse()?;
            Ok((value, pattern, guard))
        };
        let values: Vec<Expr> = match name {
            "matches" => {
                let Ok((value, pattern, guard)) = pattern.parse2(tokens.clone()) else {
                    return self.lost = true;
                };
                self.visit_expr(&value);
                return self.block(|this| {
                    this.visit_pat(&pattern);
                    if let Some(guard) = &guard {
                        this.visit_expr(guard);
                    }
                });
            }
            "vec" => match repeat.parse2(tokens.clone()) {
                Ok(values) => values.into(),
                Err(_) => match list.parse2(tokens.clone()) {
                    Ok(values) => values.into_iter().collect(),
                    Err(_) => return self.lost = true,
                },
            },
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
            | "debug_assert_ne" | "panic" | "unreachable" | "todo" | "unimplemented" | "dbg" => {
                match list.parse2(tokens.clone()) {
                    Ok(values) => values.into_iter().collect(),
                    Err(_) => return self.lost = true,
                }
            }
            _ => return self.lost = true,
        };
        for value in values {
            if let Expr::Lit(literal) = &value
                && let syn::Lit::Str(text) = &literal.lit
            {
                self.message(text.span());
            }
            self.visit_expr(&value);
        }
    }
}
