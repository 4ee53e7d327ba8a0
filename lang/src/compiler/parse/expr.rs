//! Expressions.

use syn::punctuated::Punctuated;

use super::attribute::attributes;
use super::{Inside, Parser};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

const NO_CLOSURES: &str = "write a `for` loop, or a function";

impl Parser {
    fn boxed(&self, expr: &syn::Expr) -> Result<Box<Expr>> {
        self.expr(expr).map(Box::new)
    }

    fn option(&self, expr: &Option<Box<syn::Expr>>) -> Result<Option<Box<Expr>>> {
        expr.as_ref().map(|expr| self.boxed(expr)).transpose()
    }

    fn list<T>(&self, list: &Punctuated<syn::Expr, T>) -> Result<Vec<Expr>> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn expr(&self, expr: &syn::Expr) -> Result<Expr> {
        let depth = self.depth.get();
        if depth > super::MAX_DEPTH {
            let message = "this expression is nested too deeply";
            let help = "give its parts names with `let`";
            return fail_help(self.span_of(expr), message, help);
        }
        self.depth.set(depth + 1);
        let result = self.expr_at(expr);
        self.depth.set(depth);
        result
    }

    /// Parses the value of a constant, or a length.
    pub(super) fn constant_expr(&self, expr: &syn::Expr) -> Result<Expr> {
        self.inside(Inside::default(), || self.expr(expr))
    }

    fn body_of_loop(&self, body: &syn::Block) -> Result<Block> {
        let inside = Inside {
            a_loop: true,
            ..self.inside.get()
        };
        self.inside(inside, || self.block(body))
    }

    fn expr_at(&self, expr: &syn::Expr) -> Result<Expr> {
        self.kept(of_expr(expr))?;
        let span = self.span_of_expr(expr);
        let kind = match expr {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Reference(syn::ExprReference {
                mutability: None,
                expr,
                ..
            }) => {
                let inner = self.expr(expr)?;
                return Ok(Expr {
                    reference: true,
                    ..inner
                });
            }
            syn::Expr::Reference(reference) => ExprKind::RefMut(self.boxed(&reference.expr)?),
            syn::Expr::Macro(call) => return self.macro_call(&call.mac),
            syn::Expr::Lit(literal) => self.literal(&literal.lit)?,
            syn::Expr::Path(syn::ExprPath { qself, path, .. }) => {
                ExprKind::Path(self.path(qself.as_ref(), path)?)
            }
            syn::Expr::Infer(_) => ExprKind::Path(Path::of_name(Symbol::new("_"), span)),
            syn::Expr::Unary(_)
            | syn::Expr::Binary(_)
            | syn::Expr::Assign(_)
            | syn::Expr::Range(_)
            | syn::Expr::Cast(_) => self.operator(expr, span)?,
            syn::Expr::Call(call) => self.call(call, span)?,
            syn::Expr::MethodCall(call) => ExprKind::MethodCall(
                self.boxed(&call.receiver)?,
                self.symbol(&call.method)?,
                match &call.turbofish {
                    Some(arguments) => self.generic_arguments(arguments)?,
                    None => Vec::new(),
                },
                self.list(&call.args)?,
            ),
            syn::Expr::Field(field) => {
                let base = self.boxed(&field.base)?;
                match &field.member {
                    syn::Member::Named(name) => ExprKind::Field(base, self.symbol(name)?),
                    syn::Member::Unnamed(index) => ExprKind::TupleField(base, index.index as usize),
                }
            }
            syn::Expr::Index(at) => ExprKind::Index(self.boxed(&at.expr)?, self.boxed(&at.index)?),
            syn::Expr::Struct(structure) => self.structure_literal(structure)?,
            syn::Expr::Tuple(tuple) => ExprKind::Tuple(self.list(&tuple.elems)?),
            syn::Expr::Array(array) => ExprKind::Array(self.list(&array.elems)?),
            syn::Expr::Repeat(repeat) => {
                let length = Box::new(self.constant_expr(&repeat.len)?);
                ExprKind::Repeat(self.boxed(&repeat.expr)?, length)
            }
            other => self.control(other, span)?,
        };
        Ok(Expr {
            kind,
            span,
            reference: false,
        })
    }

    fn operator(&self, expr: &syn::Expr, span: Span) -> Result<ExprKind> {
        Ok(match expr {
            syn::Expr::Unary(unary) => {
                let inner = self.boxed(&unary.expr)?;
                match unary.op {
                    syn::UnOp::Deref(_) => ExprKind::Deref(inner),
                    syn::UnOp::Neg(_) => ExprKind::Unary(UnaryOp::Negate, inner),
                    syn::UnOp::Not(_) => ExprKind::Unary(UnaryOp::Not, inner),
                    _ => return fail(span, "this operator is not in the subset"),
                }
            }
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
            syn::Expr::Range(range) => {
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                ExprKind::Range(self.option(&range.start)?, self.option(&range.end)?, closed)
            }
            syn::Expr::Cast(cast) => ExprKind::Cast(self.boxed(&cast.expr)?, self.ty(&cast.ty)?),
            _ => return fail(span, "this expression is not in the subset"),
        })
    }

    fn call(&self, call: &syn::ExprCall, span: Span) -> Result<ExprKind> {
        let syn::Expr::Path(syn::ExprPath { attrs, qself, path }) = &*call.func else {
            return fail_help(span, "only named functions can be called", NO_CLOSURES);
        };
        self.kept(attrs)?;
        let path = self.path(qself.as_ref(), path)?;
        Ok(ExprKind::Call(path, self.list(&call.args)?))
    }

    /// Parses blocks, branches, loops and jumps.
    fn control(&self, expr: &syn::Expr, span: Span) -> Result<ExprKind> {
        Ok(match expr {
            syn::Expr::If(branch) => {
                let condition = self.boxed(&branch.cond)?;
                let then = self.block(&branch.then_branch)?;
                let otherwise = branch.else_branch.as_ref();
                let otherwise = otherwise.map(|(_, otherwise)| self.boxed(otherwise));
                ExprKind::If(condition, then, otherwise.transpose()?)
            }
            syn::Expr::Let(_) => {
                let help = "compare with `==`, or write `match`";
                return fail_help(span, "`if let` is not in the subset", help);
            }
            syn::Expr::Match(matching) => self.matching(matching)?,
            syn::Expr::Block(syn::ExprBlock { label, block, .. }) => {
                self.no_label(label.as_ref())?;
                ExprKind::Block(self.block(block)?)
            }
            syn::Expr::Const(constant) => {
                let block = self.inside(Inside::default(), || self.block(&constant.block));
                ExprKind::Constant(block?)
            }
            syn::Expr::ForLoop(syn::ExprForLoop {
                label,
                pat,
                expr,
                body,
                ..
            }) => {
                self.no_label(label.as_ref())?;
                ExprKind::For(
                    self.pattern(pat)?,
                    self.boxed(expr)?,
                    self.body_of_loop(body)?,
                )
            }
            syn::Expr::While(syn::ExprWhile {
                label, cond, body, ..
            }) => {
                self.no_label(label.as_ref())?;
                let inside = Inside {
                    a_loop: false,
                    ..self.inside.get()
                };
                let condition = self.inside(inside, || self.boxed(cond))?;
                ExprKind::While(condition, self.body_of_loop(body)?)
            }
            syn::Expr::Return(_) if !self.inside.get().function => {
                return fail(span, "`return` outside of a function");
            }
            syn::Expr::Break(_) | syn::Expr::Continue(_) if !self.inside.get().a_loop => {
                return fail(span, "`break` or `continue` outside of a loop");
            }
            syn::Expr::Return(jump) => ExprKind::Return(self.option(&jump.expr)?),
            syn::Expr::Break(syn::ExprBreak { label, expr, .. }) => {
                self.no_lifetime(label.as_ref())?;
                if expr.is_some() {
                    return fail(span, "`break` with a value is not in the subset");
                }
                ExprKind::Break
            }
            syn::Expr::Continue(jump) => {
                self.no_lifetime(jump.label.as_ref())?;
                ExprKind::Continue
            }
            syn::Expr::Loop(_) => {
                let help = "write `for i in 0..N`, `for i in count(N)` or `for i in count_to(n)`";
                return fail_help(span, "`loop` is not in the subset", help);
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
                let suffix = value.suffix();
                let ty = IntType::named(suffix);
                if ty.is_none() && !suffix.is_empty() {
                    let message = format!("integers of type `{suffix}` are not in the subset");
                    let help = "u8, u16, u32, u64 and usize are in the subset";
                    return fail_help(span, message, help);
                }
                match value.base10_parse::<u64>() {
                    Ok(number) if number <= ty.map_or(u64::MAX, IntType::max) => {
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
            qself,
            path,
            fields: all,
            dot2_token,
            rest,
            ..
        } = structure;
        if dot2_token.is_some() && rest.is_none() {
            let span = self.span_of(structure);
            return fail(span, "`..` must be followed by a struct here");
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
        let path = self.path(qself.as_ref(), path)?;
        Ok(ExprKind::Struct(path, fields, self.option(rest)?))
    }

    pub(super) fn member(&self, member: &syn::Member) -> Result<Symbol> {
        match member {
            syn::Member::Named(name) => self.symbol(name),
            syn::Member::Unnamed(index) => Ok(Symbol::new(&index.index.to_string())),
        }
    }

    fn matching(&self, matching: &syn::ExprMatch) -> Result<ExprKind> {
        let mut arms = Vec::new();
        for syn::Arm {
            attrs,
            pat,
            guard,
            fat_arrow_token: _,
            body,
            comma: _,
        } in &matching.arms
        {
            if !self.present(attrs)? {
                continue;
            }
            let guard = guard
                .as_ref()
                .map(|(_, guard)| self.expr(guard))
                .transpose()?;
            arms.push((self.pattern(pat)?, guard, self.expr(body)?));
        }
        Ok(ExprKind::Match(self.boxed(&matching.expr)?, arms))
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

/// Returns the attributes of an expression that is in the subset.
fn of_expr(expr: &syn::Expr) -> &[syn::Attribute] {
    attributes!(expr, Expr: Array Assign Binary Block Break Call Cast Const Continue Field ForLoop
        Group If Index Infer Lit Macro Match MethodCall Paren Path Range Reference Repeat Return
        Struct Tuple Unary While)
}

/// Returns the operator, and whether it assigns.
fn binary_op(op: &syn::BinOp) -> Option<(BinaryOp, bool)> {
    use BinaryOp as Op;
    use syn::BinOp as S;
    let assigns = matches!(
        op,
        S::AddAssign(_)
            | S::SubAssign(_)
            | S::MulAssign(_)
            | S::DivAssign(_)
            | S::RemAssign(_)
            | S::ShlAssign(_)
            | S::ShrAssign(_)
            | S::BitAndAssign(_)
            | S::BitOrAssign(_)
            | S::BitXorAssign(_)
    );
    let op = match op {
        S::Add(_) | S::AddAssign(_) => Op::Add,
        S::Sub(_) | S::SubAssign(_) => Op::Sub,
        S::Mul(_) | S::MulAssign(_) => Op::Mul,
        S::Div(_) | S::DivAssign(_) => Op::Div,
        S::Rem(_) | S::RemAssign(_) => Op::Rem,
        S::Shl(_) | S::ShlAssign(_) => Op::Shl,
        S::Shr(_) | S::ShrAssign(_) => Op::Shr,
        S::BitAnd(_) | S::BitAndAssign(_) => Op::BitAnd,
        S::BitOr(_) | S::BitOrAssign(_) => Op::BitOr,
        S::BitXor(_) | S::BitXorAssign(_) => Op::BitXor,
        S::Eq(_) => Op::Eq,
        S::Ne(_) => Op::Ne,
        S::Lt(_) => Op::Lt,
        S::Le(_) => Op::Le,
        S::Gt(_) => Op::Gt,
        S::Ge(_) => Op::Ge,
        S::And(_) => Op::And,
        S::Or(_) => Op::Or,
        _ => return None,
    };
    Some((op, assigns))
}
