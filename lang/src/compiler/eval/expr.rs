//! Expressions.

use std::rc::Rc;

use super::*;
use crate::compiler::value::Held;
use integer::Typed;
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
pub(super) fn integer_only(expected: Ty) -> Ty {
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
            ExprKind::Int(value, suffix) => self.literal(*value, *suffix, &expected, expr.span),
            ExprKind::Bytes(bytes) => self.bounded(Value::Array(text::all_bytes(bytes)), expr.span),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Text(text) => Ok(Value::Text(text.clone())),
            ExprKind::Path(path) => {
                self.expected = expected;
                self.path_value(path)
            }
            ExprKind::Unary(op, inner) => {
                let expected = integer_only(expected);
                // The literal alone may be out of range of its type, as that of `-128i8`.
                if let (UnaryOp::Negate, ExprKind::Int(value, suffix)) = (op, &inner.kind) {
                    return self.literal(-*value, *suffix, &expected, expr.span);
                }
                let value = self.moved(inner, expected)?;
                self.at(expr.span);
                self.unary(*op, value, expr.span)
            }
            ExprKind::Binary(op, left, right) => {
                self.binary_expr(*op, left, right, expected, expr.span)
            }
            ExprKind::Assign(target, value) => self.assign(target, value),
            ExprKind::AssignOp(op, target, value) => self.assign_op(*op, target, value, expr.span),
            ExprKind::Call(path, arguments) => self.call(path, arguments, expected, expr.span),
            ExprKind::CallValue(callee, arguments) => self.call_value(callee, arguments, expr.span),
            ExprKind::Closure(closure) => self.closure(closure),
            ExprKind::MethodCall(receiver, name, turbofish, arguments) => {
                self.method_call(receiver, *name, turbofish, arguments, &expected, expr.span)
            }
            ExprKind::Deref(_)
            | ExprKind::Field(..)
            | ExprKind::TupleField(..)
            | ExprKind::Index(..) => self.projection(expr),
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
            ExprKind::Range(start, end, closed) => {
                let (start, end) = (start.as_deref(), end.as_deref());
                self.range(start, end, *closed, expected, expr.span)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_deref(), expected, expr.span)
            }
            ExprKind::Let(pattern, value) => self.let_condition(pattern, value).map(Value::Bool),
            ExprKind::Match(value, arms) => self.matching(value, arms, &expected, expr.span),
            ExprKind::Block(block, label) => {
                self.expected = expected;
                self.labelled_block(block, *label)
            }
            ExprKind::Constant(block) => {
                self.expected = expected;
                self.constantly(expr.span, |this| this.block(block))
            }
            ExprKind::For(pattern, iterator, body, label) => {
                self.for_loop(pattern, iterator, body, *label, expr.span)
            }
            ExprKind::While(condition, body, label) => {
                self.while_loop(condition, body, *label, expr.span)
            }
            ExprKind::Loop(body, label) => self.loop_expr(body, *label, expr.span),
            ExprKind::Return(None) => Err(Flow::Return(Value::unit())),
            ExprKind::Return(Some(value)) => {
                self.expected = self.output_type()?;
                let result = self.expr(value)?;
                self.check_move(value, &result)?;
                Err(Flow::Return(result))
            }
            ExprKind::Break(label, value) => {
                let value = match value {
                    Some(value) => self.moved(value, Ty::Unknown)?,
                    None => Value::unit(),
                };
                Err(Flow::Break(*label, value))
            }
            ExprKind::Continue(label) => Err(Flow::Continue(*label)),
            ExprKind::Try(value) => self.try_expr(value, &expected, expr.span),
            ExprKind::RefMut(inner) => match self.closure_reference(expr) {
                Some(closure) => Ok(closure),
                None => self.mutable_reference(inner, expr.span),
            },
            ExprKind::Cast(inner, ty) => self.cast(inner, ty, expr.span),
            ExprKind::Dbg(inner) => {
                let value = self.moved(inner, expected)?;
                let seen = self.seen(value.clone(), inner.span)?;
                self.print(&seen, inner.span)?;
                Ok(value)
            }
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
            ExprKind::Panic(message) => {
                let text = message.as_deref().map(|message| self.message_text(message));
                let text = text.map_or(String::new(), |text| format!(": {text}"));
                let message = format!("this macro is reached at compile time{text}");
                fail_certain(expr.span, message)
            }
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
            self.append(&mut elements, value, expr.span)?;
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
        let value = self.expr(left)?;
        self.expected = self.expected_other(&value, left.span)?;
        let right = self.expr(right)?;
        Ok((value, right))
    }

    /// Returns the type that is expected of the left side of an operator, given that of the result.
    /// Both are one integer type, unless the program has the operator for integers.
    fn expected_left(&self, op: BinaryOp, expected: Ty) -> Ty {
        let own = |name| {
            let head = unify::head(&Ty::USIZE);
            let methods = &self.items.methods;
            head.is_some_and(|head| methods.contains_key(&(head, Symbol::new(name))))
        };
        match (integer_only(expected), op.method()) {
            (Ty::Int(_), Some((_, name))) if own(name) => Ty::Unknown,
            (expected, _) => expected,
        }
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
                let expected = self.expected_left(op, expected);
                let left = self.moved(left, expected)?;
                (left, self.moved(right, Ty::Unknown)?)
            }
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::Div
            | Op::Rem
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor => {
                let expected = self.expected_left(op, expected);
                let left = self.moved(left, expected.clone())?;
                let expected = match left {
                    Value::Int(_, Some(ty)) => Ty::Int(Some(ty)),
                    Value::Int(_, None) => expected,
                    _ => Ty::Unknown,
                };
                (left, self.moved(right, expected)?)
            }
        };
        self.at(span);
        self.binary(op, value, right, span)
    }

    /// Evaluates `&&` or `||`. Rust does not evaluate the right side if the left one decides, so
    /// this is a branch, unless evaluating it makes no difference.
    fn lazy(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Eval<Value> {
        let decides = op == BinaryOp::Or;
        if !self.is_total(right) {
            let condition = self.condition(left)?;
            return self.unless(condition, decides, span, |this| this.expr(right));
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
        if let ExprKind::Field(base, name) = &expr.kind
            && matches!(&*name.text(), "start" | "end")
            && let Some(Value::Range(..) | Value::From(..)) = self.glance(base)
        {
            return match (self.expr(base)?, &*name.text()) {
                (Value::Range(start, _, ty) | Value::From(start, ty), "start") => {
                    Ok(Value::Int(start, ty))
                }
                // That of `a..=b` is no field.
                (Value::Range(_, end, ty), "end") => Ok(Value::Int(end, ty)),
                (value, name) => fail(expr.span, format!("{value} has no field `{name}`")),
            };
        }
        match self.locate_itself(expr)? {
            Located::Place(place) => {
                let value = self.read_place(&place)?;
                self.check_whole(place.variable, place.steps(), expr.span)?;
                Ok(match value {
                    // It is moved or lent on. rustc lets nothing use both.
                    Value::Reference(_) => value,
                    value => self.through(&place, value),
                })
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

    /// Evaluates expressions whose values are moved.
    pub(super) fn all_moved(&mut self, all: &[Expr]) -> Eval<Vec<Value>> {
        let values = all.iter().map(|expr| self.moved(expr, Ty::Unknown));
        values.collect()
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
        let (value, ty) = self.typed_int(expr, Ty::USIZE)?;
        self.integer(&Value::Int(value, ty), expr.span)
    }

    /// Evaluates the length of an array.
    pub(super) fn length(&mut self, expr: &Expr) -> Eval<u64> {
        self.constantly(expr.span, |this| this.int(expr))
    }

    /// Evaluates a range, of which the ends may be missing. The type expected of it is expected of
    /// its ends.
    fn range(
        &mut self,
        start: Option<&Expr>,
        end: Option<&Expr>,
        closed: bool,
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let mut expected = match expected {
            Ty::Iter(element) => (*element).clone(),
            expected => expected,
        };
        let mut bounds = [None, None];
        let mut ty = None;
        for (bound, expr) in bounds.iter_mut().zip([start, end]) {
            let Some(expr) = expr else {
                continue;
            };
            let (value, found) = self.typed_int(expr, expected.clone())?;
            ty = self.common(ty, found, span)?;
            if ty.is_some() {
                expected = Ty::Int(ty);
            }
            *bound = Some((value, expr.span));
        }
        for (value, span) in bounds.into_iter().flatten() {
            self.fitting(value, ty, span)?;
        }
        let [low, high] = bounds.map(|bound| bound.map(|(value, _)| value));
        let high = match high.map(|high| high.checked_add(i128::from(closed))) {
            Some(None) => return fail(span, "this range has no end"),
            high => high.flatten(),
        };
        // Between these there are numbers that are no chars.
        let all = (ty, low, high);
        if let (Some(IntType::Char), Some(..=0xD7FF), None | Some(0xE001..)) = all {
            return fail(span, "this range of chars is not in the subset");
        }
        Ok(match (low, high) {
            (Some(low), Some(high)) => Value::Range(low, high, ty),
            (Some(low), None) => Value::From(low, ty),
            (None, high) => Value::To(high, ty),
        })
    }

    /// Evaluates `inner as ty`.
    fn cast(&mut self, inner: &Expr, ty: &Type, span: Span) -> Eval<Value> {
        let Ty::Int(Some(ty)) = self.ty(ty)? else {
            return fail_help(
                span,
                "casts are for integers known at compile time",
                "make a field element of an integer with `felt(n)`",
            );
        };
        // Only a literal gets its type from the cast, that of a `char` is a `u8`.
        let literal: &Expr = match &inner.kind {
            ExprKind::Unary(_, operand) => operand,
            _ => inner,
        };
        let wanted = match ty {
            IntType::Char => IntType::U8,
            ty => ty,
        };
        let value = match literal.kind {
            ExprKind::Int(_, None) => self.expr_of(inner, Ty::Int(Some(wanted)))?,
            _ => self.expr(inner)?,
        };
        match value {
            Value::Struct(of, _) if self.items.structs[of.id].ast.is_castable() => {
                let value = Value::Int(self.discriminant(&of, span)?, Some(IntType::Isize));
                self.cast_integer(&value, ty, span)
            }
            value @ Value::Struct(..) => {
                let message = format!("`{}` is no number", self.shown_type(&value.ty()));
                let help = "`as` is for integers and enums without fields";
                fail_help(span, message, help)
            }
            value => self.cast_integer(&value, ty, span),
        }
    }
}
