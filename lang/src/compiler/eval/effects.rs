//! What evaluating an expression may do besides returning a value.

use super::*;
use crate::compiler::value::Held;

/// Returns whether evaluating an expression of run-time values can neither fail nor change
/// anything, so that it does not matter whether it is evaluated.
pub(super) fn is_total(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Path(_) => true,
        ExprKind::Deref(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::TupleField(inner, _)
        | ExprKind::Unary(_, inner) => is_total(inner),
        // Integers and indices can only fail while compiling.
        ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => {
            is_total(left) && is_total(right)
        }
        _ => false,
    }
}

/// Returns whether a place does not depend on what was evaluated before: all of its indices are
/// literals.
pub(super) fn is_fixed(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Path(_) => true,
        ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
            is_fixed(inner)
        }
        ExprKind::Index(inner, index) => is_fixed(inner) && matches!(index.kind, ExprKind::Int(..)),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Refuses copies of `Words`, which the machine does not make: all names would mean the same
    /// write-once words.
    pub(super) fn can_copy(&self, value: &Value, span: Span) -> Eval<()> {
        match value {
            Value::Words(..) => fail_help(
                span,
                "`Words` cannot be copied",
                "make new ones, and set each word",
            ),
            Value::Tuple(values)
            | Value::Array(values)
            | Value::Vec(values, _)
            | Value::Elements(values) => values
                .iter()
                .try_for_each(|value| self.can_copy(value, span)),
            Value::Struct(structure, _) => {
                self.no_function_of(structure.id, &["clone"], span)?;
                let mut fields = structure.fields.iter();
                fields.try_for_each(|value| self.can_copy(value, span))
            }
            Value::Unchecked(value) => self.can_copy(value, span),
            _ => Ok(()),
        }
    }

    /// Refuses to clone a structure that is not `Clone`. References to it may be.
    pub(super) fn can_clone(&self, value: &Value, span: Span) -> Eval<()> {
        if let Value::Struct(structure, held) = value {
            // A reference is, whatever it refers to.
            if *held == Held::Shared {
                return Ok(());
            }
            if !self.is_clone(structure.id) {
                let ty = self.items.structs[structure.id].ast.name;
                return fail(span, format!("`{ty}` is not `Clone`"));
            }
        }
        let mut parts = value.parts().unwrap_or_default().iter();
        parts.try_for_each(|part| self.can_clone(part, span))
    }

    /// Refuses an operation that would not call a function which the program wrote for a type.
    pub(super) fn no_function_of(&self, id: usize, names: &[&str], span: Span) -> Eval<()> {
        let head = crate::compiler::resolve::Head::Struct(id);
        for name in names {
            if self.items.methods.contains_key(&(head, Symbol::new(name))) {
                let ty = self.items.structs[id].ast.name;
                return fail_help(
                    span,
                    format!("`{ty}` has a `{name}` of its own, which this would not call"),
                    "derive the trait, or call the function by its name",
                );
            }
        }
        Ok(())
    }
}
