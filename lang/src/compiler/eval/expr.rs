//! Expressions.

use std::rc::Rc;

use super::*;
use crate::compiler::value::Held;
use integer::{Typed, common, fitting};
use place::Located;

/// Returns the type that is expected of the elements of an array.
fn element_type(expected: &Ty) -> Ty {
    match expected {
        Ty::Array(element, _) | Ty::Vec(element) => (**element).clone(),
        _ => Ty::Unknown,
    }
}

/// Returns the expected type if it is an integer. Operators of field elements may have operands of
/// two types.
fn integer_only(expected: Ty) -> Ty {
    match expected {
        Ty::Int(_) => expected,
        _ => Ty::Unknown,
    }
}

impl Evaluator<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Eval<Value> {
        let value = self.nested(expr.span, |this| this.expr_at(expr))?;
        Ok(if expr.reference {
            self.shared(value)
        } else {
            value
        })
    }

    fn expr_at(&mut self, expr: &Expr) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        match &expr.kind {
            ExprKind::Int(value, suffix) => {
                let ty = match (suffix, &expected) {
                    (None, Ty::Int(ty)) => *ty,
                    (suffix, _) => *suffix,
                };
                integer::settle(Value::Int(*value, None), &Ty::Int(ty), expr.span)
            }
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Text => Ok(Value::Text),
            ExprKind::Path(path) => self.path_value(path),
            ExprKind::Deref(inner) => self.projection(inner),
            ExprKind::Unary(op, inner) => {
                let value = self.expr_of(inner, integer_only(expected))?;
                self.at(expr.span);
                self.unary(*op, value, expr.span)
            }
            ExprKind::Binary(op, left, right) => {
                self.binary_expr(*op, left, right, expected, expr.span)
            }
            ExprKind::Assign(target, value) => self.assign(target, value),
            ExprKind::AssignOp(op, target, value) => self.assign_op(*op, target, value, expr.span),
            ExprKind::Call(path, arguments) => self.call(path, arguments, expected, expr.span),
            ExprKind::MethodCall(receiver, name, turbofish, arguments) => {
                self.method_call(receiver, *name, turbofish, arguments, expr.span)
            }
            ExprKind::Field(..) | ExprKind::TupleField(..) | ExprKind::Index(..) => {
                self.projection(expr)
            }
            ExprKind::Struct(path, fields, base) => {
                self.structure(path, fields, base.as_deref(), &expected, expr.span)
            }
            ExprKind::Tuple(values) => self.tuple(values, &expected, expr.span),
            ExprKind::Array(values) => {
                let values = self.elements_of(values, &expected)?;
                self.bounded(Value::Array(values), expr.span)
            }
            ExprKind::Vec(values) => {
                let values = self.elements_of(values, &expected)?;
                self.bounded(Value::Vec(values, Held::Owned), expr.span)
            }
            ExprKind::VecRepeat(value, length) => {
                let value = self.moved(value, element_type(&expected))?;
                let length = self.int(length)?;
                // The value is cloned for all elements but the last.
                let cloned = length > 1;
                let values = self.repeat(value, length, cloned, cloned, expr.span)?;
                self.bounded(Value::Vec(values, Held::Owned), expr.span)
            }
            ExprKind::Repeat(value, length) => {
                let length = self.length(length)?;
                // A constant is evaluated for each element.
                let constant = matches!(value.kind, ExprKind::Path(_))
                    && value.ident().is_none_or(|name| self.slot(name).is_none());
                let value = self.moved(value, element_type(&expected))?;
                let cloned = length > 1 && !constant;
                let values = self.repeat(value, length, length != 1, cloned, expr.span)?;
                self.bounded(Value::Array(values), expr.span)
            }
            ExprKind::Range(Some(start), Some(end), closed) => {
                // The type expected of a range is expected of its ends.
                self.range(start, end, *closed, expected, expr.span)
            }
            ExprKind::Range(..) => fail(expr.span, "a range needs both bounds"),
            ExprKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_deref(), expected, expr.span)
            }
            ExprKind::Match(value, arms) => self.matching(value, arms, &expected, expr.span),
            ExprKind::Block(block) => {
                self.expected = expected;
                self.block(block)
            }
            ExprKind::Constant(block) => {
                self.expected = expected;
                self.constantly(expr.span, |this| this.block(block))
            }
            ExprKind::For(pattern, iterator, body) => {
                self.for_loop(pattern, iterator, body, expr.span)
            }
            ExprKind::While(condition, body) => self.while_loop(condition, body, expr.span),
            ExprKind::Return(None) => Err(Flow::Return(Value::unit())),
            ExprKind::Return(Some(value)) => {
                self.expected = self.output_type()?;
                let result = self.expr(value)?;
                self.check_move(value, &result)?;
                Err(Flow::Return(result))
            }
            ExprKind::Break => Err(Flow::Break),
            ExprKind::Continue => Err(Flow::Continue),
            ExprKind::RefMut(_) => fail_help(
                expr.span,
                "`&mut` is only for arguments",
                "pass `&mut place` to a function, or return the new value",
            ),
            ExprKind::Cast(inner, ty) => self.cast(inner, ty, expr.span),
            ExprKind::Assert(condition, message) => {
                let value = self.condition(condition)?;
                self.at(expr.span);
                let result = self.assert(value, expr.span);
                self.with_message(result, message.as_deref(), expr.span)
            }
            ExprKind::AssertEq(left, right, equal, message) => {
                let (left, right) = self.operands(left, right)?;
                self.at(expr.span);
                let result = self.assert_sides(&left, &right, *equal, expr.span);
                self.with_message(result, message.as_deref(), expr.span)
            }
            ExprKind::Panic => fail(expr.span, "this macro is reached at compile time"),
        }
    }

    fn tuple(&mut self, values: &[Expr], expected: &Ty, span: Span) -> Eval<Value> {
        let types = match expected {
            Ty::Tuple(types) if types.len() == values.len() => types.to_vec(),
            _ => vec![Ty::Unknown; values.len()],
        };
        let values = values.iter().zip(types);
        let values = values.map(|(value, ty)| self.moved(value, ty));
        let values = Value::Tuple(Rc::new(values.collect::<Eval<_>>()?));
        self.bounded_type(values.ty(), span)?;
        self.bounded(values, span)
    }

    fn elements_of(&mut self, values: &[Expr], expected: &Ty) -> Eval<Rc<Vec<Value>>> {
        let element = element_type(expected);
        let mut elements: Vec<Value> = Vec::with_capacity(values.len());
        for expr in values {
            let value = self.moved(expr, element.clone())?;
            self.check_element(elements.first(), &value, expr.span)?;
            elements.push(value);
        }
        Ok(Rc::new(elements))
    }

    fn repeat(
        &mut self,
        value: Value,
        length: u64,
        copied: bool,
        cloned: bool,
        span: Span,
    ) -> Eval<Rc<Vec<Value>>> {
        self.charge(length, span)?;
        if copied {
            self.walk(&value, span)?;
            self.can_copy(&value, span)?;
        }
        if cloned {
            self.can_clone(&value, span)?;
        }
        Ok(Rc::new(vec![value; length as usize]))
    }

    /// Evaluates two operands, the left one first. If they are integers, they have one type.
    pub(super) fn operands(&mut self, left: &Expr, right: &Expr) -> Eval<(Value, Value)> {
        let left = self.expr(left)?;
        if let Value::Int(_, ty) = left {
            self.expected = Ty::Int(ty);
        }
        let right = self.expr(right)?;
        Ok((left, right))
    }

    fn binary_expr(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        use BinaryOp as Op;
        let (value, right) = match op {
            Op::And | Op::Or => return self.lazy(op, left, right, span),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => self.operands(left, right)?,
            Op::Shl | Op::Shr => {
                let expected = integer_only(expected);
                let left = self.expr_of(left, expected)?;
                (left, self.expr(right)?)
            }
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Rem
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor => {
                let expected = integer_only(expected);
                let left = self.expr_of(left, expected.clone())?;
                let expected = match left {
                    Value::Int(_, Some(ty)) => Ty::Int(Some(ty)),
                    Value::Int(_, None) => expected,
                    _ => Ty::Unknown,
                };
                (left, self.expr_of(right, expected)?)
            }
        };
        self.at(span);
        self.binary(op, value, right, span)
    }

    /// Evaluates `&&` or `||`. Rust does not evaluate the right side if the left one decides, so
    /// this is a branch, unless evaluating it makes no difference.
    fn lazy(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Eval<Value> {
        let decides = op == BinaryOp::Or;
        if !effects::is_total(right) {
            let condition = self.condition(left)?;
            return self.branch(condition, span, |this, holds| {
                if holds == decides {
                    Ok(Value::Bool(decides))
                } else {
                    this.expr(right)
                }
            });
        }
        let left = match self.expr(left)? {
            Value::Bool(value) if value == decides => return Ok(Value::Bool(decides)),
            left => left,
        };
        let right = self.expr(right)?;
        self.at(span);
        self.binary(op, left, right, span)
    }

    /// Evaluates a field or an element. If it belongs to a variable, the rest is not copied.
    fn projection(&mut self, expr: &Expr) -> Eval<Value> {
        match self.locate(expr)? {
            Located::Place(place) => {
                let value = self.read_place(&place)?;
                self.check_whole(place.variable, place.steps(), expr.span)?;
                Ok(self.through(&place, value))
            }
            Located::Value(value) => Ok(value),
        }
    }

    /// Evaluates an expression of type `ty` whose value is moved.
    pub(super) fn moved(&mut self, expr: &Expr, ty: Ty) -> Eval<Value> {
        let value = self.expr_of(expr, ty)?;
        self.check_move(expr, &value)?;
        Ok(value)
    }

    /// Evaluates an expression of type `ty`.
    pub(super) fn expr_of(&mut self, expr: &Expr, ty: Ty) -> Eval<Value> {
        self.expected = ty.clone();
        let value = self.expr(expr)?;
        self.settled(value, &ty, expr.span)
    }

    /// Evaluates an integer, and returns it with its type.
    pub(super) fn typed_int(&mut self, expr: &Expr, expected: Ty) -> Eval<Typed> {
        self.expected = expected;
        match self.expr(expr)? {
            Value::Int(value, ty) => Ok((value, ty)),
            other => fail_help(
                expr.span,
                format!("expected an integer known at compile time, found {other}"),
                "run-time indices are `Index<N>`, run-time loop bounds go through `count_to`",
            ),
        }
    }

    /// Evaluates a `usize` that must be known at compile time.
    pub(super) fn int(&mut self, expr: &Expr) -> Eval<u64> {
        let usize = Some(IntType::Usize);
        let (value, ty) = self.typed_int(expr, Ty::Int(usize))?;
        common(ty, usize, expr.span)?;
        Ok(value)
    }

    /// Evaluates the length of an array.
    pub(super) fn length(&mut self, expr: &Expr) -> Eval<u64> {
        self.constantly(expr.span, |this| this.int(expr))
    }

    /// Evaluates `start..end` or `start..=end`.
    pub(super) fn range(
        &mut self,
        start: &Expr,
        end: &Expr,
        closed: bool,
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let (low, s) = self.typed_int(start, expected.clone())?;
        let hint = s.map_or(expected, |ty| Ty::Int(Some(ty)));
        let (high, t) = self.typed_int(end, hint)?;
        let ty = common(s, t, span)?;
        fitting(low, ty, start.span)?;
        fitting(high, ty, end.span)?;
        match high.checked_add(u64::from(closed)) {
            Some(high) => Ok(Value::Range(low, high, ty)),
            None => fail(span, "this range has no end"),
        }
    }

    /// Evaluates `inner as ty`.
    pub(super) fn cast(&mut self, inner: &Expr, ty: &Type, span: Span) -> Eval<Value> {
        let ty = self.ty(ty)?;
        // Only a literal gets its type from the cast.
        if let (ExprKind::Int(_, None), Ty::Int(_)) = (&inner.kind, &ty) {
            return self.expr_of(inner, ty);
        }
        match (self.expr(inner)?, ty) {
            (Value::Int(value, _), Ty::Int(Some(ty))) => Ok(Value::Int(value & ty.max(), Some(ty))),
            (Value::Bool(value), Ty::Int(Some(ty))) => Ok(Value::Int(u64::from(value), Some(ty))),
            _ => fail_help(
                span,
                "casts are for integers known at compile time",
                "make a field element of an integer with `felt(n)`",
            ),
        }
    }
}
