//! Expressions.

use syn::punctuated::Punctuated;

use super::attribute::attributes;
use super::{Inside, Parser, Target};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help, wanted};
use crate::compiler::output::Span;

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
        self.deeper(expr, || self.expr_at(expr))
    }

    fn deeper(&self, expr: &syn::Expr, parse: impl FnOnce() -> Result<Expr>) -> Result<Expr> {
        let depth = self.depth.get();
        if depth > super::MAX_DEPTH {
            let message = "this expression is nested too deeply";
            let help = "give its parts names with `let`";
            return fail_help(self.span_of(expr), message, help);
        }
        self.depth.set(depth + 1);
        let result = parse();
        self.depth.set(depth);
        result
    }

    /// Parses a condition, which may have `let` in it.
    pub(super) fn condition(&self, expr: &syn::Expr) -> Result<Expr> {
        let kind = match expr {
            syn::Expr::Let(syn::ExprLet {
                attrs, pat, expr, ..
            }) => {
                self.kept(attrs)?;
                ExprKind::Let(Box::new(self.pattern(pat)?), self.boxed(expr)?)
            }
            syn::Expr::Binary(syn::ExprBinary {
                attrs,
                left,
                op: syn::BinOp::And(_),
                right,
            }) => {
                self.kept(attrs)?;
                let left = self.deeper(left, || self.condition(left))?;
                let right = self.deeper(right, || self.condition(right))?;
                ExprKind::Binary(BinaryOp::And, Box::new(left), Box::new(right))
            }
            _ => return self.expr(expr),
        };
        Ok(Expr::new(kind, self.span_of_expr(expr)))
    }

    /// Parses the value of a constant, or a length.
    pub(super) fn constant_expr(&self, expr: &syn::Expr) -> Result<Expr> {
        self.inside(self.apart(), || self.expr(expr))
    }

    fn body_of_loop(
        &self,
        label: Option<Label>,
        target: Target,
        body: &syn::Block,
    ) -> Result<Block> {
        let inside = Inside {
            a_loop: Some(target),
            ..self.inside.get()
        };
        self.labelled(label, target, || self.inside(inside, || self.block(body)))
    }

    fn label(&self, label: Option<&syn::Label>) -> Result<Option<Label>> {
        label
            .map(|label| self.symbol(&label.name.ident))
            .transpose()
    }

    /// Checks a jump and returns its label.
    fn jump(
        &self,
        label: Option<&syn::Lifetime>,
        fits: impl Fn(Target) -> bool,
        span: Span,
    ) -> Result<Option<Label>> {
        let inside = self.inside.get();
        let label = label.map(|label| self.symbol(&label.ident)).transpose()?;
        let target = match label {
            None => inside.a_loop,
            Some(label) => {
                let labels = self.labels.borrow();
                let mut near = labels.iter().skip(inside.labels).rev();
                let found = near.find(|(name, _)| *name == label);
                found.map(|(_, target)| *target)
            }
        };
        match (target, label) {
            (Some(target), _) if fits(target) => Ok(label),
            (Some(_), _) => fail(span, "this jump does not fit what it leaves"),
            (None, Some(label)) => fail(span, format!("there is no loop `'{label}` around this")),
            (None, None) => fail(span, "`break` or `continue` outside of a loop"),
        }
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
            syn::Expr::Call(call) => self.call(call)?,
            syn::Expr::MethodCall(call) => ExprKind::MethodCall(
                self.boxed(&call.receiver)?,
                self.symbol(&call.method)?,
                match &call.turbofish {
                    Some(arguments) => self.generic_arguments(arguments)?.0,
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
            reference: matches!(kind, ExprKind::Bytes(_)),
            kind,
            span,
        })
    }

    fn operator(&self, expr: &syn::Expr, span: Span) -> Result<ExprKind> {
        Ok(match expr {
            syn::Expr::Unary(unary) => {
                let inner = match (&unary.op, &*unary.expr) {
                    (
                        syn::UnOp::Neg(_),
                        syn::Expr::Lit(syn::ExprLit {
                            attrs,
                            lit: syn::Lit::Int(value),
                        }),
                    ) => {
                        self.kept(attrs)?;
                        let kind = self.integer(value, true)?;
                        Box::new(Expr::new(kind, self.span_of_expr(&unary.expr)))
                    }
                    (_, inner) => self.boxed(inner)?,
                };
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

    fn call(&self, call: &syn::ExprCall) -> Result<ExprKind> {
        let mut function = &*call.func;
        while let syn::Expr::Paren(syn::ExprParen { attrs, expr, .. }) = function {
            self.kept(attrs)?;
            function = expr;
        }
        let syn::Expr::Path(syn::ExprPath { attrs, qself, path }) = function else {
            let function = self.boxed(function)?;
            return Ok(ExprKind::CallValue(function, self.list(&call.args)?));
        };
        self.kept(attrs)?;
        let path = self.path(qself.as_ref(), path)?;
        Ok(ExprKind::Call(path, self.list(&call.args)?))
    }

    /// Parses blocks, branches, loops and jumps.
    fn control(&self, expr: &syn::Expr, span: Span) -> Result<ExprKind> {
        Ok(match expr {
            syn::Expr::If(branch) => {
                let condition = Box::new(self.condition(&branch.cond)?);
                let then = self.block(&branch.then_branch)?;
                let otherwise = branch.else_branch.as_ref();
                let otherwise = otherwise.map(|(_, otherwise)| self.boxed(otherwise));
                ExprKind::If(condition, then, otherwise.transpose()?)
            }
            syn::Expr::Let(_) => {
                let message = "`let` belongs into the condition of `if` or `while`, joined by `&&`";
                return fail_help(span, message, "write `matches!(value, pattern)`");
            }
            syn::Expr::Match(matching) => self.matching(matching)?,
            syn::Expr::Block(syn::ExprBlock { label, block, .. }) => {
                let label = self.label(label.as_ref())?;
                let block = self.labelled(label, Target::Block, || self.block(block));
                ExprKind::Block(block?, label)
            }
            syn::Expr::Const(constant) => {
                let block = self.inside(self.apart(), || self.block(&constant.block));
                ExprKind::Constant(block?)
            }
            syn::Expr::ForLoop(syn::ExprForLoop {
                label,
                pat,
                expr,
                body,
                ..
            }) => {
                let label = self.label(label.as_ref())?;
                ExprKind::For(
                    self.pattern(pat)?,
                    self.boxed(expr)?,
                    self.body_of_loop(label, Target::Bounded, body)?,
                    label,
                )
            }
            syn::Expr::While(syn::ExprWhile {
                label, cond, body, ..
            }) => {
                let label = self.label(label.as_ref())?;
                let inside = Inside {
                    a_loop: None,
                    ..self.inside.get()
                };
                let condition = self.inside(inside, || self.condition(cond))?;
                let body = self.body_of_loop(label, Target::Bounded, body)?;
                ExprKind::While(Box::new(condition), body, label)
            }
            syn::Expr::Loop(syn::ExprLoop { label, body, .. }) => {
                let label = self.label(label.as_ref())?;
                ExprKind::Loop(self.body_of_loop(label, Target::Loop, body)?, label)
            }
            syn::Expr::Return(_) if !self.inside.get().returns => {
                return fail(span, "`return` outside of a function");
            }
            syn::Expr::Try(_) if !self.inside.get().returns => {
                return fail(span, "`?` outside of a function");
            }
            syn::Expr::Return(jump) => ExprKind::Return(self.option(&jump.expr)?),
            syn::Expr::Try(tried) => ExprKind::Try(self.boxed(&tried.expr)?),
            syn::Expr::Break(syn::ExprBreak { label, expr, .. }) => {
                let valued = |target| expr.is_none() || target != Target::Bounded;
                let label = self.jump(label.as_ref(), valued, span)?;
                ExprKind::Break(label, self.option(expr)?)
            }
            syn::Expr::Continue(jump) => {
                let repeats = |target| target != Target::Block;
                ExprKind::Continue(self.jump(jump.label.as_ref(), repeats, span)?)
            }
            syn::Expr::Closure(closure) => self.closure(closure, span)?,
            syn::Expr::Unsafe(_) => return self.foreign("unsafe", span),
            syn::Expr::Async(_) | syn::Expr::Await(_) => return self.foreign("async", span),
            _ => return fail(span, "this expression is not in the subset"),
        })
    }

    fn literal(&self, literal: &syn::Lit) -> Result<ExprKind> {
        let span = self.span_of(literal);
        Ok(match literal {
            syn::Lit::Int(value) => self.integer(value, false)?,
            syn::Lit::Byte(value) => ExprKind::Int(value.value().into(), Some(IntType::U8)),
            syn::Lit::Char(value) => {
                let number = u32::from(value.value());
                ExprKind::Int(number.into(), Some(IntType::Char))
            }
            syn::Lit::ByteStr(value) => ExprKind::Bytes(value.value().into()),
            syn::Lit::Bool(value) => ExprKind::Bool(value.value),
            syn::Lit::Str(value) => ExprKind::Text(value.value().into()),
            syn::Lit::Float(_) => {
                let help = wanted("f64").unwrap_or_default();
                return fail_help(span, "this literal is not in the subset", help);
            }
            _ => return fail(span, "this literal is not in the subset"),
        })
    }

    /// Refuses a part of Rust, with what the language has instead.
    pub(super) fn foreign<T>(&self, name: &str, span: Span) -> Result<T> {
        let message = format!("`{name}` is not in the subset");
        fail_help(span, message, wanted(name).unwrap_or_default())
    }

    /// Parses an integer, whose sign is written before it if it is `negated`.
    fn integer(&self, value: &syn::LitInt, negated: bool) -> Result<ExprKind> {
        let span = self.span_of(value);
        let suffix = value.suffix();
        let ty = IntType::named(suffix).filter(|ty| *ty != IntType::Char);
        if ty.is_none() && !suffix.is_empty() {
            let message = format!("numbers of type `{suffix}` are not in the subset");
            let help = "u8 to u128, i8 to i128, usize and isize are in the subset";
            return fail_help(span, message, help);
        }
        let max = ty.map_or(i128::MAX, IntType::max);
        let min = ty.map_or(i128::MIN, IntType::min);
        let beyond = i128::from(negated && ty.is_some_and(IntType::signed));
        match value.base10_parse::<i128>() {
            Ok(number) if number >= min && number - beyond <= max => Ok(ExprKind::Int(number, ty)),
            _ => fail(span, "this integer does not fit its type, or 127 bits"),
        }
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
                .map(|(_, guard)| self.condition(guard))
                .transpose()?;
            arms.push((self.pattern(pat)?, guard, self.expr(body)?));
        }
        Ok(ExprKind::Match(self.boxed(&matching.expr)?, arms))
    }
}

/// Returns the attributes of an expression that is in the subset.
fn of_expr(expr: &syn::Expr) -> &[syn::Attribute] {
    attributes!(expr, Expr: Array Assign Binary Block Break Call Cast Closure Const Continue Field
        ForLoop Group If Index Infer Lit Loop Macro Match MethodCall Paren Path Range Reference Repeat
        Return Struct Try Tuple Unary While)
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
