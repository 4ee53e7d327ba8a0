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
