//! Blocks, statements and macros.

use std::rc::Rc;

use syn::punctuated::Punctuated;

use super::Parser;
use super::attribute::{attributes, path_text};
use super::item::MACROS;
use super::syntax_error;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

/// Returns the attributes of a statement that can be left out.
fn of_statement(statement: &syn::Stmt) -> &[syn::Attribute] {
    match statement {
        syn::Stmt::Local(local) => &local.attrs,
        syn::Stmt::Macro(statement) => &statement.attrs,
        // Other expressions' attributes are refused when they are read, unless they are kept.
        syn::Stmt::Expr(expr, _) => {
            attributes!(expr, Expr: Block Call ForLoop If Match MethodCall While)
        }
        // An item's attributes are read with the item.
        syn::Stmt::Item(_) => &[],
    }
}

impl Parser {
    pub(super) fn block(&self, block: &syn::Block) -> Result<Block> {
        let mut present = Vec::with_capacity(block.stmts.len());
        for (index, statement) in block.stmts.iter().enumerate() {
            let tail = index + 1 == block.stmts.len();
            if self.present(of_statement(statement))? {
                present.push(statement);
            } else if let (true, syn::Stmt::Expr(expr, None)) = (tail, statement) {
                let span = self.span_of(expr);
                return fail(span, "the value of a block cannot be left out by `cfg`");
            }
        }
        let (mut constants, mut statements): (Vec<Rc<Const>>, _) = (Vec::new(), Vec::new());
        let mut tail = None;
        for (index, statement) in present.iter().enumerate() {
            let last = index + 1 == present.len();
            let (value, semicolon) = match statement {
                syn::Stmt::Local(local) => {
                    statements.push(self.local(local)?);
                    continue;
                }
                syn::Stmt::Item(syn::Item::Const(item)) => {
                    if !self.present(&item.attrs)? {
                        continue;
                    }
                    let constant = self.constant_item(item)?;
                    if constants.iter().any(|other| other.name == constant.name) {
                        let name = constant.name;
                        return fail(constant.span, format!("`{name}` is declared a second time"));
                    }
                    constants.push(Rc::new(constant));
                    continue;
                }
                syn::Stmt::Item(item) => {
                    let message = "only constants may be declared inside a function";
                    let help = "move this item out of the function";
                    return fail_help(self.span_of(item), message, help);
                }
                // A semicolon that ends nothing.
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => {
                    continue;
                }
                syn::Stmt::Expr(value, semicolon) => (self.expr(value)?, semicolon.is_some()),
                syn::Stmt::Macro(statement) => (
                    self.macro_call(&statement.mac)?,
                    statement.semi_token.is_some(),
                ),
            };
            if last && !semicolon {
                tail = Some(Box::new(value));
            } else {
                statements.push(Statement::Expr(value));
            }
        }
        Ok(Block {
            constants,
            statements,
            tail,
        })
    }

    fn local(&self, local: &syn::Local) -> Result<Statement> {
        let syn::Local {
            attrs: _,
            let_token: _,
            pat,
            init,
            semi_token: _,
        } = local;
        let (pattern, ty) = match pat {
            syn::Pat::Type(syn::PatType {
                attrs,
                pat,
                colon_token: _,
                ty,
            }) => {
                self.kept(attrs)?;
                (&**pat, Some(self.ty(ty)?))
            }
            pattern => (pattern, None),
        };
        let value = match init {
            None => None,
            Some(syn::LocalInit {
                eq_token: _,
                expr,
                diverge: None,
            }) => Some(self.expr(expr)?),
            Some(_) => return fail(self.span_of(local), "`let else` is not in the subset"),
        };
        let pattern = self.pattern(pattern)?;
        if value.is_none() && !matches!(pattern.kind, PatternKind::Bind(_)) {
            let message = "only a single name can be declared without a value";
            return fail(pattern.span, message);
        }
        Ok(Statement::Let(pattern, ty, value))
    }

    pub(super) fn macro_call(&self, call: &syn::Macro) -> Result<Expr> {
        let span = self.span_of(call);
        let text = path_text(&call.path);
        let name = text
            .strip_prefix("std::")
            .or_else(|| text.strip_prefix("core::"))
            .unwrap_or(&text);
        if !MACROS.contains(&name) {
            let help = match name {
                "print" | "println" | "eprint" | "eprintln" | "dbg" => {
                    "to see a value, `reveal` it, or let an `assert_eq!` fail: its error has both sides"
                }
                _ if name.starts_with("debug_") => {
                    "whether it runs depends on the build: write the macro without `debug_`"
                }
                _ => "`assert!`, `assert_eq!`, `assert_ne!` and `panic!` are",
            };
            let message = format!("the macro `{name}!` is not in the subset");
            return fail_help(span, message, help);
        }
        let arguments = || {
            call.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated)
                .map_err(|error| syntax_error(span, &error))
        };
        let boxed = |expr: &syn::Expr| self.expr(expr).map(Box::new);
        if name == "vec" {
            return Ok(Expr {
                kind: self.vec(call)?,
                span,
                reference: false,
            });
        }
        let kind = match name {
            "assert" => {
                let arguments = arguments()?;
                let Some(condition) = arguments.first() else {
                    return fail(span, "`assert!` takes a condition");
                };
                let message = self.message(arguments.iter().skip(1))?;
                ExprKind::Assert(boxed(condition)?, message)
            }
            "assert_eq" | "assert_ne" => {
                let arguments = arguments()?;
                let (Some(left), Some(right)) = (arguments.first(), arguments.get(1)) else {
                    return fail(span, format!("`{name}!` takes two values"));
                };
                let message = self.message(arguments.iter().skip(2))?;
                ExprKind::AssertEq(boxed(left)?, boxed(right)?, name == "assert_eq", message)
            }
            // It is an error to reach any of the others, whatever it would print.
            _ => ExprKind::Panic,
        };
        Ok(Expr {
            kind,
            span,
            reference: false,
        })
    }

    /// Parses `vec![a, b]` or `vec![value; length]`.
    fn vec(&self, call: &syn::Macro) -> Result<ExprKind> {
        let parse = |input: syn::parse::ParseStream<'_>| {
            let mut values: Vec<syn::Expr> = Vec::new();
            while !input.is_empty() {
                values.push(input.parse()?);
                if values.len() == 1 && input.peek(syn::Token![;]) {
                    input.parse::<syn::Token![;]>()?;
                    return Ok((values, Some(input.parse::<syn::Expr>()?)));
                }
                if !input.is_empty() {
                    input.parse::<syn::Token![,]>()?;
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

    /// Returns the text of an assertion's message. Printing it must have no other effect.
    fn message<'a>(
        &self,
        arguments: impl Iterator<Item = &'a syn::Expr>,
    ) -> Result<Option<Rc<str>>> {
        let mut text = None;
        for argument in arguments {
            if let (None, syn::Expr::Lit(literal)) = (&text, argument)
                && let syn::Lit::Str(literal) = &literal.lit
            {
                text = Some(literal.value().into());
            }
            let mut inner = argument;
            loop {
                inner = match inner {
                    syn::Expr::Lit(_) | syn::Expr::Path(_) => break,
                    syn::Expr::Field(field) => &field.base,
                    syn::Expr::Paren(paren) => &paren.expr,
                    syn::Expr::Reference(reference) => &reference.expr,
                    syn::Expr::Assign(named) => &named.right,
                    _ => {
                        let message = "this would be computed only if the assertion fails";
                        let help = "a message may only name variables and their fields";
                        return fail_help(self.span_of(argument), message, help);
                    }
                };
            }
        }
        Ok(text)
    }
}
