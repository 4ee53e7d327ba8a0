//! What evaluating an expression may do besides returning a value.

use super::*;
use crate::compiler::resolve::TraitName;
use crate::compiler::value::Held;

/// Returns whether a trait is that of an operator without assignment.
fn is_operator(of: &TraitName) -> bool {
    #[rustfmt::skip]
    const OPERATORS: [&str; 14] = [
        "Add", "BitAnd", "BitOr", "BitXor", "Div", "Mul", "Neg", "Not", "PartialEq", "PartialOrd",
        "Rem", "Shl", "Shr", "Sub",
    ];
    matches!(of, TraitName::Builtin(name) if OPERATORS.contains(&&*name.text()))
}

/// Returns whether an expression consists of literals: evaluating it changes nothing and cannot
/// fail, whatever was evaluated before.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(..) | ExprKind::Bool(_) => true,
        ExprKind::Unary(_, inner) => is_literal(inner),
        ExprKind::Range(start, end, _) => {
            let mut ends = [start, end].into_iter().flatten();
            ends.all(|end| is_literal(end))
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
        ExprKind::Index(inner, index) => is_fixed(inner) && is_literal(index),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Returns whether evaluating an expression of run-time values can neither fail nor change
    /// anything, so that it does not matter whether it is evaluated.
    pub(super) fn is_total(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Path(_) => true,
            ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
                self.is_total(inner)
            }
            ExprKind::Unary(_, inner) => self.is_total(inner) && self.is_own(inner),
            // It is no function of the program, and truncates.
            ExprKind::Cast(inner, _) => self.is_total(inner),
            ExprKind::Range(start, end, _) => {
                let mut ends = [start, end].into_iter().flatten();
                ends.all(|end| self.is_total(end))
            }
            // Integers and indices can only fail while compiling.
            ExprKind::Index(left, right) => {
                self.is_total(left) && self.is_total(right) && !self.indexes_own(expr)
            }
            ExprKind::Binary(_, left, right) => {
                let total = self.is_total(left) && self.is_total(right);
                total && self.is_own(left) && self.is_own(right)
            }
            _ => false,
        }
    }

    /// Returns whether finding a place can neither change anything nor depend on changes, or fails
    /// while compiling.
    pub(super) fn is_total_place(&mut self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
                self.is_total_place(inner)
            }
            // A function of the program that finds an element does nothing else.
            ExprKind::Index(base, index) => self.is_total_place(base) && self.is_total(index),
            _ => self.is_total(place),
        }
    }

    /// Returns whether an operator on this is the language's own, and not a function of the
    /// program: no part of the operand is a struct.
    fn is_own(&mut self, operand: &Expr) -> bool {
        fn has_struct(value: &Value) -> bool {
            let mut parts = value.parts().unwrap_or_default().iter();
            matches!(value, Value::Struct(..)) || parts.any(has_struct)
        }
        let mut traits = self.items.implementors.keys();
        if !traits.any(is_operator) {
            return true;
        }
        match &operand.kind {
            ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Cast(..) => true,
            // Those of its operands are.
            ExprKind::Binary(..) | ExprKind::Unary(..) => true,
            _ => match self.glance(operand) {
                Some(value) => !has_struct(&value),
                None => operand
                    .ident()
                    .is_some_and(|name| self.constant_parameter(name).is_some()),
            },
        }
    }

    /// Refuses copies of `Words`, which the machine does not make: all names would mean the same
    /// write-once words.
    pub(super) fn can_copy(&self, value: &Value, span: Span) -> Eval<()> {
        match value {
            Value::Words(..) => fail_help(
                span,
                "`Words` cannot be copied",
                "make new ones, and set each word",
            ),
            Value::Iter(iter) => {
                let mut result = Ok(());
                iter.values(&mut |value| {
                    if result.is_ok() {
                        result = self.can_copy(value, span);
                    }
                });
                result
            }
            value => {
                if let Value::Struct(structure, _) = value {
                    self.no_function_of(structure.id, &["clone"], span)?;
                }
                let mut parts = value.parts().unwrap_or_default().iter();
                parts.try_for_each(|value| self.can_copy(value, span))
            }
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
        if let Value::Iter(iter) = value
            && iter.gives(&|value| self.can_clone(value, span).is_err())
        {
            return fail(span, "the elements of this iterator are not `Clone`");
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
