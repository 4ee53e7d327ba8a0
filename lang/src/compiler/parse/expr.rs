//! Expressions.

use syn::punctuated::Punctuated;

use super::Parser;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

const NO_CLOSURES: &str = "write a `for` loop, or a function";

impl Parser {
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
        let span = self.span_of_expr(expr);
        let kind = match expr {
            syn::Expr::Paren(syn::ExprParen { attrs, expr, .. }) => {
                self.kept(attrs)?;
                return self.expr(expr);
            }
            syn::Expr::Group(syn::ExprGroup { attrs, expr, .. }) => {
                self.kept(attrs)?;
                return self.expr(expr);
            }
            syn::Expr::Lit(syn::ExprLit { attrs, lit }) => {
                self.kept(attrs)?;
                self.literal(lit)?
            }
            syn::Expr::Path(syn::ExprPath { attrs, qself, path }) => {
                self.kept(attrs)?;
                ExprKind::Path(self.path(qself.as_ref(), path)?)
            }
            syn::Expr::Infer(syn::ExprInfer { attrs, .. }) => {
                self.kept(attrs)?;
                ExprKind::Path(Path {
                    qualified: None,
                    segments: vec![Segment {
                        name: Symbol::new("_"),
                        generics: Vec::new(),
                    }],
                    span,
                })
            }
            syn::Expr::Unary(syn::ExprUnary { attrs, op, expr }) => {
                self.kept(attrs)?;
                let inner = self.boxed(expr)?;
                match op {
                    syn::UnOp::Deref(_) => ExprKind::Deref(inner),
                    syn::UnOp::Neg(_) => ExprKind::Unary(UnaryOp::Negate, inner),
                    syn::UnOp::Not(_) => ExprKind::Unary(UnaryOp::Not, inner),
                    _ => return fail(span, "this operator is not in the subset"),
                }
            }
            syn::Expr::Binary(syn::ExprBinary {
                attrs,
                left,
                op,
                right,
            }) => {
                self.kept(attrs)?;
                let (left, right) = (self.boxed(left)?, self.boxed(right)?);
                match binary_op(op) {
                    Some((op, false)) => ExprKind::Binary(op, left, right),
                    Some((op, true)) => ExprKind::AssignOp(op, left, right),
                    None => return fail(span, "this operator is not in the subset"),
                }
            }
            syn::Expr::Assign(syn::ExprAssign {
                attrs, left, right, ..
            }) => {
                self.kept(attrs)?;
                ExprKind::Assign(self.boxed(left)?, self.boxed(right)?)
            }
            syn::Expr::Call(syn::ExprCall {
                attrs, func, args, ..
            }) => {
                self.kept(attrs)?;
                let syn::Expr::Path(syn::ExprPath { attrs, qself, path }) = &**func else {
                    return fail_help(span, "only named functions can be called", NO_CLOSURES);
                };
                self.kept(attrs)?;
                ExprKind::Call(self.path(qself.as_ref(), path)?, self.list(args)?)
            }
            syn::Expr::MethodCall(syn::ExprMethodCall {
                attrs,
                receiver,
                dot_token: _,
                method,
                turbofish,
                paren_token: _,
                args,
            }) => {
                self.kept(attrs)?;
                ExprKind::MethodCall(
                    self.boxed(receiver)?,
                    self.symbol(method)?,
                    match turbofish {
                        Some(arguments) => self.generic_arguments(arguments)?,
                        None => Vec::new(),
                    },
                    self.list(args)?,
                )
            }
            syn::Expr::Field(syn::ExprField {
                attrs,
                base,
                member,
                ..
            }) => {
                self.kept(attrs)?;
                let base = self.boxed(base)?;
                match member {
                    syn::Member::Named(name) => ExprKind::Field(base, self.symbol(name)?),
                    syn::Member::Unnamed(index) => ExprKind::TupleField(base, index.index as usize),
                }
            }
            syn::Expr::Index(syn::ExprIndex {
                attrs, expr, index, ..
            }) => {
                self.kept(attrs)?;
                ExprKind::Index(self.boxed(expr)?, self.boxed(index)?)
            }
            syn::Expr::Struct(structure) => self.structure_literal(structure)?,
            syn::Expr::Tuple(syn::ExprTuple { attrs, elems, .. }) => {
                self.kept(attrs)?;
                ExprKind::Tuple(self.list(elems)?)
            }
            syn::Expr::Array(syn::ExprArray { attrs, elems, .. }) => {
                self.kept(attrs)?;
                ExprKind::Array(self.list(elems)?)
            }
            syn::Expr::Repeat(syn::ExprRepeat {
                attrs, expr, len, ..
            }) => {
                self.kept(attrs)?;
                ExprKind::Repeat(self.boxed(expr)?, self.boxed(len)?)
            }
            syn::Expr::Range(syn::ExprRange {
                attrs,
                start,
                limits,
                end,
            }) => {
                self.kept(attrs)?;
                let bound = |end: &Option<Box<syn::Expr>>| {
                    end.as_ref().map(|end| self.boxed(end)).transpose()
                };
                let closed = matches!(limits, syn::RangeLimits::Closed(_));
                ExprKind::Range(bound(start)?, bound(end)?, closed)
            }
            syn::Expr::Reference(syn::ExprReference {
                attrs,
                and_token: _,
                mutability,
                expr,
            }) => {
                self.kept(attrs)?;
                if mutability.is_none() {
                    return self.expr(expr);
                }
                ExprKind::RefMut(self.boxed(expr)?)
            }
            syn::Expr::Cast(syn::ExprCast {
                attrs, expr, ty, ..
            }) => {
                self.kept(attrs)?;
                ExprKind::Cast(self.boxed(expr)?, self.ty(ty)?)
            }
            syn::Expr::Macro(syn::ExprMacro { attrs, mac }) => {
                self.kept(attrs)?;
                return self.macro_call(mac);
            }
            other => self.control(other, span)?,
        };
        Ok(Expr { kind, span })
    }

    /// Parses blocks, branches, loops and jumps.
    fn control(&self, expr: &syn::Expr, span: Span) -> Result<ExprKind> {
        Ok(match expr {
            syn::Expr::If(syn::ExprIf {
                attrs,
                if_token: _,
                cond,
                then_branch,
                else_branch,
            }) => {
                self.kept(attrs)?;
                let condition = self.boxed(cond)?;
                let then = self.block(then_branch)?;
                let otherwise = else_branch.as_ref();
                let otherwise = otherwise.map(|(_, otherwise)| self.boxed(otherwise));
                ExprKind::If(condition, then, otherwise.transpose()?)
            }
            syn::Expr::Let(_) => {
                return fail_help(
                    span,
                    "`if let` is not in the subset",
                    "compare with `==`, or write `match`",
                );
            }
            syn::Expr::Match(matching) => self.matching(matching)?,
            syn::Expr::Block(syn::ExprBlock {
                attrs,
                label,
                block,
            }) => {
                self.kept(attrs)?;
                self.no_label(label.as_ref())?;
                ExprKind::Block(self.block(block)?)
            }
            syn::Expr::Const(syn::ExprConst { attrs, block, .. }) => {
                self.kept(attrs)?;
                ExprKind::Block(self.block(block)?)
            }
            syn::Expr::ForLoop(syn::ExprForLoop {
                attrs,
                label,
                for_token: _,
                pat,
                in_token: _,
                expr,
                body,
            }) => {
                self.kept(attrs)?;
                self.no_label(label.as_ref())?;
                ExprKind::For(self.pattern(pat)?, self.boxed(expr)?, self.block(body)?)
            }
            syn::Expr::While(syn::ExprWhile {
                attrs,
                label,
                while_token: _,
                cond,
                body,
            }) => {
                self.kept(attrs)?;
                self.no_label(label.as_ref())?;
                ExprKind::While(self.boxed(cond)?, self.block(body)?)
            }
            syn::Expr::Return(syn::ExprReturn { attrs, expr, .. }) => {
                self.kept(attrs)?;
                let value = expr.as_ref();
                ExprKind::Return(value.map(|value| self.boxed(value)).transpose()?)
            }
            syn::Expr::Break(syn::ExprBreak {
                attrs,
                break_token: _,
                label,
                expr,
            }) => {
                self.kept(attrs)?;
                self.no_lifetime(label.as_ref())?;
                if expr.is_some() {
                    return fail(span, "`break` with a value is not in the subset");
                }
                ExprKind::Break
            }
            syn::Expr::Continue(syn::ExprContinue { attrs, label, .. }) => {
                self.kept(attrs)?;
                self.no_lifetime(label.as_ref())?;
                ExprKind::Continue
            }
            syn::Expr::Loop(_) => {
                return fail_help(
                    span,
                    "`loop` is not in the subset",
                    "write `for i in 0..N`, `for i in count(N)` or `for i in count_to(n)`",
                );
            }
            syn::Expr::Closure(_) => {
                return fail_help(span, "closures are not in the subset", NO_CLOSURES);
            }
            syn::Expr::Unsafe(_) => return fail(span, "`unsafe` is not in the subset"),
            _ => return fail(span, "this expression is not in the subset"),
        })
    }

    fn literal(&self, literal: &syn::Lit) -> Result<ExprKind> {
        let span = self.span_of(literal);
        Ok(match literal {
            syn::Lit::Int(value) => {
                let ty = match value.suffix() {
                    "" => None,
                    suffix => match IntType::named(suffix) {
                        Some(ty) => Some(ty),
                        None => {
                            return fail_help(
                                span,
                                format!("integers of type `{suffix}` are not in the subset"),
                                "u8, u16, u32, u64 and usize are in the subset",
                            );
                        }
                    },
                };
                let number: Option<u64> = value.base10_parse().ok();
                match number {
                    Some(number) if number <= ty.map_or(u64::MAX, IntType::max) => {
                        ExprKind::Int(number, ty)
                    }
                    _ => return fail(span, "this integer does not fit its type, or 64 bits"),
                }
            }
            syn::Lit::Bool(value) => ExprKind::Bool(value.value),
            syn::Lit::Str(_) => ExprKind::Text,
            _ => return fail(span, "this literal is not in the subset"),
        })
    }

    fn structure_literal(&self, structure: &syn::ExprStruct) -> Result<ExprKind> {
        let syn::ExprStruct {
            attrs,
            qself,
            path,
            brace_token: _,
            fields: all,
            dot2_token,
            rest,
        } = structure;
        self.kept(attrs)?;
        if dot2_token.is_some() && rest.is_none() {
            return fail(
                self.span_of(structure),
                "`..` must be followed by a struct here",
            );
        }
        let mut fields = Vec::new();
        for syn::FieldValue {
            attrs,
            member,
            colon_token: _,
            expr,
        } in all
        {
            if self.present(attrs)? {
                fields.push((self.member(member)?, self.expr(expr)?));
            }
        }
        let rest = rest.as_ref();
        Ok(ExprKind::Struct(
            self.path(qself.as_ref(), path)?,
            fields,
            rest.map(|rest| self.boxed(rest)).transpose()?,
        ))
    }

    pub(super) fn member(&self, member: &syn::Member) -> Result<Symbol> {
        match member {
            syn::Member::Named(name) => self.symbol(name),
            syn::Member::Unnamed(index) => Ok(Symbol::new(&index.index.to_string())),
        }
    }

    fn matching(&self, matching: &syn::ExprMatch) -> Result<ExprKind> {
        let syn::ExprMatch {
            attrs,
            match_token: _,
            expr,
            brace_token: _,
            arms: all,
        } = matching;
        self.kept(attrs)?;
        let mut arms = Vec::new();
        for syn::Arm {
            attrs,
            pat,
            guard,
            fat_arrow_token: _,
            body,
            comma: _,
        } in all
        {
            if !self.present(attrs)? {
                continue;
            }
            let guard = match guard {
                Some((_, guard)) => Some(self.expr(guard)?),
                None => None,
            };
            arms.push((self.pattern(pat)?, guard, self.expr(body)?));
        }
        Ok(ExprKind::Match(self.boxed(expr)?, arms))
    }

    fn no_label(&self, label: Option<&syn::Label>) -> Result<()> {
        self.no_lifetime(label.map(|label| &label.name))
    }

    fn no_lifetime(&self, label: Option<&syn::Lifetime>) -> Result<()> {
        match label {
            None => Ok(()),
            Some(label) => fail_help(
                self.span_of(label),
                "labels are not in the subset",
                "keep the decision in a `bool`, or move the loops to a function and `return`",
            ),
        }
    }
}

/// Returns the operator, and whether it assigns.
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
        S::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        S::BitOrAssign(_) => (BinaryOp::BitOr, true),
        S::BitXorAssign(_) => (BinaryOp::BitXor, true),
        _ => return None,
    })
}
