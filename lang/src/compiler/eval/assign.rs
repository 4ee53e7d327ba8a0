//! Assignments.

use super::iterator::same;
use super::place::Located;
use super::*;

/// Returns whether operators that assign to this value are the language's own.
fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Int(..) | Value::Bool(_) | Value::Flag(_))
}

fn is_wild(target: &Expr) -> bool {
    target.ident().is_some_and(|name| name == "_")
}

fn any_order<T>(span: Span) -> Eval<T> {
    fail_help(
        span,
        "which side is evaluated first depends on which operator is meant",
        "give the index or the value a name with `let`",
    )
}

impl Evaluator<'_> {
    /// Evaluates `target = value`. As in Rust, the value is first.
    pub(super) fn assign(&mut self, target: &Expr, value: &Expr) -> Eval<Value> {
        if let ExprKind::Tuple(targets) = &target.kind {
            return self.assign_tuple(targets, value);
        }
        let ty = match self.glance(target) {
            Some(old) => self.bounded_type(old.ty(), target.span)?,
            None => Ty::Unknown,
        };
        let value = self.moved(value, ty)?;
        self.store(target, value)?;
        Ok(Value::unit())
    }

    /// Writes a value where an expression says. A mutable reference replaces another one.
    fn store(&mut self, target: &Expr, value: Value) -> Eval<()> {
        if is_wild(target) {
            return Ok(());
        }
        let place = match value {
            Value::Reference(_) => match self.locate_itself(target)? {
                Located::Place(place) => place,
                Located::Value(_) => return fail(target.span, "this cannot be assigned to"),
            },
            _ => self.target(target)?,
        };
        let mut value = value;
        if self.glance(target).is_none() {
            // Its type was not known before.
            let ty = self.read_place(&place)?.ty();
            let ty = self.bounded_type(ty, target.span)?;
            value = self.settled(value, &ty, target.span)?;
        }
        self.write_place(&place, value)
    }

    /// Evaluates `target op= value`. For built-in types Rust evaluates the value first, for all
    /// others the target.
    pub(super) fn assign_op(
        &mut self,
        op: BinaryOp,
        target: &Expr,
        value: &Expr,
        span: Span,
    ) -> Eval<Value> {
        // The value is first only if the operator is the language's own. It is not in generic code,
        // or if the value is a reference.
        let mut in_any_order = effects::is_fixed(target) && !self.indexes_own(target)
            || effects::is_literal(value)
            || self.is_total_place(target) && self.is_total(value);
        let (old, value, place) = match self.glance(target).filter(is_scalar) {
            Some(old) if in_any_order => {
                self.expected = match op {
                    BinaryOp::Shl | BinaryOp::Shr => Ty::Unknown,
                    _ => old.ty(),
                };
                let value = self.expr(value)?;
                let place = self.target(target)?;
                (self.read_place(&place)?, value, place)
            }
            Some(_) => return any_order(span),
            None => {
                // Both orders are the same if the value is.
                let before = if !in_any_order && self.is_total(value) {
                    Some(self.expr(value)?)
                } else {
                    None
                };
                let place = self.target(target)?;
                let value = self.moved(value, Ty::Unknown)?;
                in_any_order |= before.is_some_and(|before| same(&before, &value));
                (self.read_place(&place)?, value, place)
            }
        };
        if is_scalar(&old) && !in_any_order {
            return any_order(span);
        }
        self.at(span);
        if self.assign_operator(op, &place, &value, span)? {
            return Ok(Value::unit());
        }
        let new = self.binary(op, old, value, span)?;
        self.write_place(&place, new)?;
        Ok(Value::unit())
    }

    fn assign_tuple(&mut self, targets: &[Expr], value: &Expr) -> Eval<Value> {
        let old = targets.iter().map(|target| self.glance(target));
        let types = old.map(|old| old.map_or(Ty::Unknown, |old| old.ty()));
        let types = types.collect();
        let Value::Tuple(values) = self.expr_of(value, Ty::Tuple(types))? else {
            return fail(value.span, "a tuple is expected here");
        };
        if values.len() != targets.len() {
            return fail(value.span, "the tuples have different lengths");
        }
        for (index, (target, part)) in targets.iter().zip(values.iter()).enumerate() {
            if !is_wild(target) {
                self.move_field(value, index, part)?;
            }
        }
        for (target, value) in targets.iter().zip(values.iter()) {
            self.store(target, value.clone())?;
        }
        Ok(Value::unit())
    }
}
