//! Expressions and statements.

use std::rc::Rc;

use syn::punctuated::Punctuated;

use super::{Parser, symbol};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help, failure};

const NO_CLOSURES: &str = "write a `for` loop, or a function";

impl Parser {
    pub(super) fn block(&self, block: &syn::Block) -> Result<Block> {
        let mut statements = Vec::new();
        let mut tail = None;
        for (index, statement) in block.stmts.iter().enumerate() {
            let last = index + 1 == block.stmts.len();
            match statement {
                syn::Stmt::Local(local) => {
                    let ty = match &local.pat {
                        syn::Pat::Type(typed) => Some(self.ty(&typed.ty)?),
                        _ => None,
                    };
                    let value = match &local.init {
                        None => None,
                        Some(init) if init.diverge.is_some() => {
                            return fail(self.span_of(local), "`let else` is not in the subset");
                        }
                        Some(init) => Some(self.expr(&init.expr)?),
                    };
                    statements.push(Statement::Let(self.pattern(&local.pat)?, ty, value));
                }
                syn::Stmt::Item(syn::Item::Const(item)) => {
                    let constant = self.constant(&item.ident, &item.ty, Some(&item.expr))?;
                    statements.push(Statement::Item(Rc::new(constant)));
                }
                syn::Stmt::Item(item) => {
                    return fail_help(
                        self.span_of(item),
                        "only constants may be declared inside a function",
                        "move this item out of the function",
                    );
                }
                syn::Stmt::Expr(value, semicolon) => {
                    let value = self.expr(value)?;
                    if last && semicolon.is_none() {
                        tail = Some(Box::new(value));
                    } else {
                        statements.push(Statement::Expr(value));
                    }
                }
                syn::Stmt::Macro(statement) => {
                    let value = self.macro_call(&statement.mac)?;
                    if last && statement.semi_token.is_none() {
                        tail = Some(Box::new(value));
                    } else {
                        statements.push(Statement::Expr(value));
                    }
                }
            }
        }
        Ok(Block { statements, tail })
    }

    fn boxed(&self, expr: &syn::Expr) -> Result<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    fn list<T>(&self, list: &Punctuated<syn::Expr, T>) -> Result<Vec<Expr>> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn expr(&self, expr: &syn::Expr) -> Result<Expr> {
        let depth = self.depth.get();
        if depth > super::MAX_DEPTH {
            return fail_help(
                self.span_of(expr),
                "this expression is nested too deeply",
                "give its parts names with `let`",
            );
        }
        self.depth.set(depth + 1);
        let result = self.expr_at(expr);
        self.depth.set(depth);
        result
    }

    fn expr_at(&self, expr: &syn::Expr) -> Result<Expr> {
        let span = self.span_of(expr);
        let kind = match expr {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Int(value) => match value.base10_parse() {
                    Ok(value) => ExprKind::Int(value),
                    Err(_) => return fail(span, "this integer does not fit 64 bits"),
                },
                syn::Lit::Bool(value) => ExprKind::Bool(value.value),
                syn::Lit::Str(_) => ExprKind::Text,
                _ => return fail(span, "this literal is not in the subset"),
            },
            syn::Expr::Path(path) => ExprKind::Path(self.path(path.qself.as_ref(), &path.path)?),
            syn::Expr::Unary(unary) => match unary.op {
                syn::UnOp::Deref(_) => return self.expr(&unary.expr),
                syn::UnOp::Neg(_) => ExprKind::Unary(UnaryOp::Negate, self.boxed(&unary.expr)?),
                syn::UnOp::Not(_) => ExprKind::Unary(UnaryOp::Not, self.boxed(&unary.expr)?),
                _ => return fail(span, "this operator is not in the subset"),
            },
            syn::Expr::Binary(binary) => {
                let (left, right) = (self.boxed(&binary.left)?, self.boxed(&binary.right)?);
                match binary_op(&binary.op) {
                    Some((op, false)) => ExprKind::Binary(op, left, right),
                    Some((op, true)) => ExprKind::AssignOp(op, left, right),
                    None => return fail(span, "this operator is not in the subset"),
                }
            }
            syn::Expr::Assign(assign) => {
                ExprKind::Assign(self.boxed(&assign.left)?, self.boxed(&assign.right)?)
            }
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) => ExprKind::Call(
                    self.path(path.qself.as_ref(), &path.path)?,
                    self.list(&call.args)?,
                ),
                _ => return fail_help(span, "only named functions can be called", NO_CLOSURES),
            },
            syn::Expr::MethodCall(call) => ExprKind::MethodCall(
                self.boxed(&call.receiver)?,
                symbol(&call.method),
                match &call.turbofish {
                    Some(arguments) => self.generic_arguments(arguments)?,
                    None => Vec::new(),
                },
                self.list(&call.args)?,
            ),
            syn::Expr::Field(field) => match &field.member {
                syn::Member::Named(name) => ExprKind::Field(self.boxed(&field.base)?, symbol(name)),
                syn::Member::Unnamed(index) => {
                    ExprKind::TupleField(self.boxed(&field.base)?, index.index as usize)
                }
            },
            syn::Expr::Index(index) => {
                ExprKind::Index(self.boxed(&index.expr)?, self.boxed(&index.index)?)
            }
            syn::Expr::Struct(structure) => {
                let mut fields = Vec::new();
                for field in &structure.fields {
                    let name = match &field.member {
                        syn::Member::Named(name) => symbol(name),
                        syn::Member::Unnamed(index) => Symbol::new(&index.index.to_string()),
                    };
                    fields.push((name, self.expr(&field.expr)?));
                }
                let rest = structure.rest.as_ref();
                ExprKind::Struct(
                    self.path(structure.qself.as_ref(), &structure.path)?,
                    fields,
                    rest.map(|rest| self.boxed(rest)).transpose()?,
                )
            }
            syn::Expr::Tuple(tuple) => ExprKind::Tuple(self.list(&tuple.elems)?),
            syn::Expr::Array(array) => ExprKind::Array(self.list(&array.elems)?),
            syn::Expr::Repeat(repeat) => {
                ExprKind::Repeat(self.boxed(&repeat.expr)?, self.boxed(&repeat.len)?)
            }
            syn::Expr::Range(range) => {
                let bound = |end: &Option<Box<syn::Expr>>| {
                    end.as_ref().map(|end| self.boxed(end)).transpose()
                };
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                ExprKind::Range(bound(&range.start)?, bound(&range.end)?, closed)
            }
            syn::Expr::If(conditional) => {
                if let syn::Expr::Let(condition) = &*conditional.cond {
                    return fail(self.span_of(condition), "`if let` is not in the subset");
                }
                let otherwise = match &conditional.else_branch {
                    Some((_, otherwise)) => Some(self.boxed(otherwise)?),
                    None => None,
                };
                let then = self.block(&conditional.then_branch)?;
                ExprKind::If(self.boxed(&conditional.cond)?, then, otherwise)
            }
            syn::Expr::Match(matching) => {
                let mut arms = Vec::new();
                for arm in &matching.arms {
                    let guard = match &arm.guard {
                        Some((_, guard)) => Some(self.expr(guard)?),
                        None => None,
                    };
                    arms.push((self.pattern(&arm.pat)?, guard, self.expr(&arm.body)?));
                }
                ExprKind::Match(self.boxed(&matching.expr)?, arms)
            }
            syn::Expr::Block(block) => ExprKind::Block(self.block(&block.block)?),
            syn::Expr::Const(block) => ExprKind::Block(self.block(&block.block)?),
            syn::Expr::ForLoop(loop_) => ExprKind::For(
                self.pattern(&loop_.pat)?,
                self.boxed(&loop_.expr)?,
                self.block(&loop_.body)?,
            ),
            syn::Expr::While(loop_) => {
                ExprKind::While(self.boxed(&loop_.cond)?, self.block(&loop_.body)?)
            }
            syn::Expr::Loop(_) => {
                return fail_help(
                    span,
                    "`loop` is not in the subset",
                    "write `for i in 0..N`, `for i in count(N)` or `for i in count_to(n)`",
                );
            }
            syn::Expr::Return(value) => {
                let value = value.expr.as_ref();
                ExprKind::Return(value.map(|value| self.boxed(value)).transpose()?)
            }
            syn::Expr::Break(_) => ExprKind::Break,
            syn::Expr::Continue(_) => ExprKind::Continue,
            syn::Expr::Reference(reference) => {
                if reference.mutability.is_none() {
                    return self.expr(&reference.expr);
                }
                ExprKind::RefMut(self.boxed(&reference.expr)?)
            }
            syn::Expr::Cast(cast) => ExprKind::Cast(self.boxed(&cast.expr)?, self.ty(&cast.ty)?),
            syn::Expr::Macro(call) => return self.macro_call(&call.mac),
            syn::Expr::Closure(_) => {
                return fail_help(span, "closures are not in the subset", NO_CLOSURES);
            }
            syn::Expr::Unsafe(_) => return fail(span, "`unsafe` is not in the subset"),
            _ => return fail(span, "this expression is not in the subset"),
        };
        Ok(Expr { kind, span })
    }

    fn macro_call(&self, call: &syn::Macro) -> Result<Expr> {
        let span = self.span_of(call);
        let name = call.path.segments.last().map(|segment| &segment.ident);
        let name = name.map(ToString::to_string).unwrap_or_default();
        let arguments = || {
            call.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated)
                .map_err(|error| failure(span, format!("syntax error: {error}")))
        };
        let kind = match name.as_str() {
            "assert" | "debug_assert" => {
                let arguments = arguments()?;
                let Some(condition) = arguments.first() else {
                    return fail(span, "`assert!` takes a condition");
                };
                ExprKind::Assert(self.boxed(condition)?)
            }
            "assert_eq" | "assert_ne" | "debug_assert_eq" => {
                let arguments = arguments()?;
                let (Some(left), Some(right)) = (arguments.first(), arguments.get(1)) else {
                    return fail(span, format!("`{name}!` takes two values"));
                };
                let equal = name != "assert_ne";
                ExprKind::AssertEq(self.boxed(left)?, self.boxed(right)?, equal)
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => ExprKind::Panic,
            _ => {
                return fail_help(
                    span,
                    format!("the macro `{name}!` is not in the subset"),
                    "`assert!`, `assert_eq!`, `assert_ne!` and `panic!` are",
                );
            }
        };
        Ok(Expr { kind, span })
    }
}

/// The operator, and whether it assigns.
fn binary_op(op: &syn::BinOp) -> Option<(BinaryOp, bool)> {
    use syn::BinOp as S;
    Some(match op {
        S::Add(_) => (BinaryOp::Add, false),
        S::Sub(_) => (BinaryOp::Sub, false),
        S::Mul(_) => (BinaryOp::Mul, false),
        S::Div(_) => (BinaryOp::Div, false),
        S::Rem(_) => (BinaryOp::Rem, false),
        S::Shl(_) => (BinaryOp::Shl, false),
        S::Shr(_) => (BinaryOp::Shr, false),
        S::BitAnd(_) => (BinaryOp::BitAnd, false),
        S::BitOr(_) => (BinaryOp::BitOr, false),
        S::BitXor(_) => (BinaryOp::BitXor, false),
        S::Eq(_) => (BinaryOp::Eq, false),
        S::Ne(_) => (BinaryOp::Ne, false),
        S::Lt(_) => (BinaryOp::Lt, false),
        S::Le(_) => (BinaryOp::Le, false),
        S::Gt(_) => (BinaryOp::Gt, false),
        S::Ge(_) => (BinaryOp::Ge, false),
        S::And(_) => (BinaryOp::And, false),
        S::Or(_) => (BinaryOp::Or, false),
        S::AddAssign(_) => (BinaryOp::Add, true),
        S::SubAssign(_) => (BinaryOp::Sub, true),
        S::MulAssign(_) => (BinaryOp::Mul, true),
        S::DivAssign(_) => (BinaryOp::Div, true),
        S::RemAssign(_) => (BinaryOp::Rem, true),
        S::ShlAssign(_) => (BinaryOp::Shl, true),
        S::ShrAssign(_) => (BinaryOp::Shr, true),
        _ => return None,
    })
}
