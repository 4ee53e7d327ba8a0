//! Blocks and statements.

use super::Parser;
use super::attribute::attributes;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail};

/// Returns the attributes of a statement that can be left out.
fn of_statement(statement: &syn::Stmt) -> &[syn::Attribute] {
    match statement {
        syn::Stmt::Local(local) => &local.attrs,
        syn::Stmt::Macro(statement) => &statement.attrs,
        // Other expressions' attributes are refused when they are read, unless they are kept.
        syn::Stmt::Expr(expr, _) => {
            attributes!(expr, Expr: Block Call ForLoop If Loop Match MethodCall While)
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
        let items = present.iter().filter_map(|statement| match statement {
            syn::Stmt::Item(item) => Some(item),
            _ => None,
        });
        let items: Vec<_> = items.collect();
        // Modules of the blocks in this one belong into its own.
        let around = (!items.is_empty()).then(|| self.hidden.take());
        let (mut statements, mut tail) = (Vec::new(), None);
        for (index, statement) in present.iter().enumerate() {
            let last = index + 1 == present.len();
            let (value, semicolon) = match statement {
                syn::Stmt::Local(local) => {
                    statements.push(self.local(local)?);
                    continue;
                }
                syn::Stmt::Item(_) => continue,
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
        let module = match around {
            Some(around) => {
                // Items name no variables.
                let names = self.names.borrow().len();
                let module = self.hidden_module(&items, around)?;
                self.names.borrow_mut().truncate(names);
                module
            }
            None => None,
        };
        Ok(Block {
            statements,
            tail,
            module,
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
        let (value, otherwise) = match init {
            None => (None, None),
            Some(syn::LocalInit {
                eq_token: _,
                expr,
                diverge,
            }) => {
                let otherwise = match diverge.as_ref().map(|(_, otherwise)| &**otherwise) {
                    None => None,
                    Some(syn::Expr::Block(otherwise)) => Some(self.block(&otherwise.block)?),
                    Some(other) => return fail(self.span_of(other), "a block is expected here"),
                };
                (Some(self.expr(expr)?), otherwise)
            }
        };
        let pattern = self.pattern(pattern)?;
        if value.is_none() && !matches!(pattern.kind, PatternKind::Bind(_)) {
            let message = "only a single name can be declared without a value";
            return fail(pattern.span, message);
        }
        Ok(Statement::Let(pattern, ty, value, otherwise))
    }
}
