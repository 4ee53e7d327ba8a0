//! What evaluating an expression may do beside giving a value.

use super::*;

/// Whether an expression of run-time values neither fails nor changes anything, so that it makes no
/// difference whether it is evaluated.
pub(super) fn is_total(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Path(_) => true,
        ExprKind::Deref(inner)
        | ExprKind::Field(inner, _)
        | ExprKind::TupleField(inner, _)
        | ExprKind::Unary(_, inner) => is_total(inner),
        // What fails of integers and indices fails while compiling.
        ExprKind::Binary(_, left, right) | ExprKind::Index(left, right) => {
            is_total(left) && is_total(right)
        }
        _ => false,
    }
}

/// Whether a place is the same whatever was evaluated before: its indices are literals.
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

/// Whether an expression has an operator in it, which may be a function of the program's.
fn has_operator(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(..) | ExprKind::Binary(..) => true,
        ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
            has_operator(inner)
        }
        ExprKind::Index(left, right) => has_operator(left) || has_operator(right),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// As [`is_total`], where the program may have operators of its own: those may do anything.
    pub(super) fn is_surely_total(&self, expr: &Expr) -> bool {
        is_total(expr) && !(self.items.has_operators && has_operator(expr))
    }

    /// Refuses copies that the machine does not make: words are written once, by whatever name.
    pub(super) fn can_copy(&self, value: &Value, span: Span) -> Eval<()> {
        match value {
            Value::Words(..) => fail_help(
                span,
                "`Words` are not copied",
                "make new ones, and set each word",
            ),
            Value::Tuple(values)
            | Value::Array(values)
            | Value::Vec(values)
            | Value::Elements(values) => values
                .iter()
                .try_for_each(|value| self.can_copy(value, span)),
            Value::Struct(structure) => {
                self.no_function_of(structure.id, &["clone"], span)?;
                let mut fields = structure.fields.iter();
                fields.try_for_each(|value| self.can_copy(value, span))
            }
            Value::Unchecked(value) => self.can_copy(value, span),
            _ => Ok(()),
        }
    }

    /// Refuses what would pass over a function that the program wrote for a type.
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
