//! Moves: a place is empty once its value has another owner.

use super::pattern::middle;
use super::place::{Located, Place, Reach};
use super::variables::Step;
use super::*;
use crate::compiler::value::Held;

fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path(_) => true,
        ExprKind::Deref(base) | ExprKind::Field(base, _) | ExprKind::TupleField(base, _) => {
            is_place(base)
        }
        _ => false,
    }
}

fn is_element(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Index(..) => true,
        ExprKind::Field(base, _) | ExprKind::TupleField(base, _) => is_element(base),
        _ => false,
    }
}

impl Evaluator<'_> {
    /// Refuses an argument that is no reference where one is declared.
    pub(super) fn check_reference_to(
        &mut self,
        argument: &Expr,
        value: &Value,
        place: Option<&Place>,
        param: &Param,
    ) -> Eval<()> {
        let mutable = param.mutable_reference;
        let fits = !mutable && (argument.reference || !param.ty.reference || !self.is_owned(value));
        let is_reference = |this: &mut Self| {
            matches!(value, Value::Reference(_))
                || place.is_some_and(|place| place.reach == Reach::Reference)
                || this.is_mutable_reference(argument)
        };
        if fits || !argument.reference && is_reference(self) {
            return Ok(());
        }
        let ty = self.shown_type(&value.ty());
        let reference = if mutable { "&mut " } else { "&" };
        self.mismatched(&format!("{reference}{ty}"), value, argument.span)
    }

    /// Moves the value of an expression: if it is a place, this is empty afterwards.
    pub(super) fn check_move(&mut self, expr: &Expr, value: &Value) -> Eval<()> {
        self.move_from(expr, &[], value)
    }

    /// Moves a field of an expression, which has this value.
    pub(super) fn move_field(&mut self, expr: &Expr, field: usize, value: &Value) -> Eval<()> {
        self.move_from(expr, &[Step::Field(field)], value)
    }

    fn move_from(&mut self, expr: &Expr, steps: &[Step], value: &Value) -> Eval<()> {
        let is_scalar = value.parts().is_none() && !matches!(value, Value::Iter(_));
        if expr.reference || is_scalar {
            return Ok(());
        }
        if is_element(expr) && self.is_owned(value) {
            return self.immovable(value, "an array or a `Vec`", expr.span);
        }
        match is_place(expr).then(|| self.locate(expr)).transpose()? {
            Some(Located::Place(place)) => self.move_out(&place.part_of(steps)),
            _ => self.check_static(expr, value),
        }
    }

    /// Refuses to move a value out of a `static`.
    pub(super) fn check_static(&mut self, expr: &Expr, value: &Value) -> Eval<()> {
        if self.is_owned(value) && self.is_static(expr)? {
            return self.immovable(value, "a `static`", expr.span);
        }
        Ok(())
    }

    /// Returns whether an expression is a `static` or a part of one.
    fn is_static(&mut self, expr: &Expr) -> Eval<bool> {
        match &expr.kind {
            ExprKind::Field(base, _)
            | ExprKind::TupleField(base, _)
            | ExprKind::Index(base, ..) => self.is_static(base),
            ExprKind::Path(path) => {
                let variable = path.ident().and_then(|name| self.slot(name));
                if variable.is_some() || !self.is_of_items(path) {
                    return Ok(false);
                }
                let found = self.items.path(self.module(), path, Namespace::Value)?;
                Ok(matches!(
                    found,
                    Some((Definition::Const(_, constant), used))
                        if constant.is_static && used == path.segments.len()
                ))
            }
            _ => Ok(false),
        }
    }

    /// Empties a place whose value is moved.
    pub(super) fn move_out(&mut self, place: &Place) -> Eval<()> {
        let value = self.read_place(place)?;
        if !self.is_owned(&value) {
            return Ok(());
        }
        if place.is_element() {
            return self.immovable(&value, "an array or a `Vec`", place.span);
        }
        self.take_owned(place, &value)
    }

    /// Empties the parts of a place that a pattern has moved into variables.
    pub(super) fn move_parts(&mut self, expr: &Expr, pattern: &Pattern, value: &Value) -> Eval<()> {
        if expr.reference || value.parts().is_none() || !self.is_owned(value) {
            return Ok(());
        }
        let mut parts = Vec::new();
        self.moved_parts(pattern, value, &mut Vec::new(), &mut parts)?;
        if is_element(expr) && !parts.is_empty() {
            return self.immovable(value, "an array or a `Vec`", expr.span);
        }
        if parts.is_empty() || !is_place(expr) {
            return Ok(());
        }
        self.check_static(expr, value)?;
        if let Located::Place(place) = self.locate(expr)? {
            for steps in parts {
                let place = place.part_of(&steps);
                let value = self.read_place(&place)?;
                self.take_owned(&place, &value)?;
            }
        }
        Ok(())
    }

    fn moved_parts(
        &mut self,
        pattern: &Pattern,
        value: &Value,
        steps: &mut Vec<Step>,
        found: &mut Vec<Vec<Step>>,
    ) -> Eval<()> {
        if !self.is_owned(value) {
            return Ok(());
        }
        let mut inner: Vec<(usize, &Pattern)> = Vec::new();
        let parts = value.parts().unwrap_or_default();
        match (&pattern.kind, value) {
            // The name of a unit struct or variant binds nothing.
            (PatternKind::Bind(name), _) if self.names_constant(*name, pattern.span)? => {}
            (PatternKind::Bind(_), _) => found.push(steps.clone()),
            (PatternKind::At(..), _) => found.push(steps.clone()),
            (PatternKind::Or(cases), _) => {
                let mark = self.here().vars.len();
                for case in cases {
                    let matches = self.try_match(case, value)?;
                    self.here().vars.truncate(mark);
                    if matches {
                        return self.moved_parts(case, value, steps, found);
                    }
                }
            }
            (PatternKind::Struct(_, fields, _), Value::Struct(of, _)) => {
                let declared = &self.items.structs[of.id].ast.variant(of.variant).fields;
                for (name, pattern) in fields {
                    let index = declared.iter().position(|(field, _)| field == name);
                    inner.extend(index.map(|index| (index, pattern)));
                }
            }
            (
                PatternKind::Tuple(all)
                | PatternKind::Array(all)
                | PatternKind::TupleStruct(_, all),
                _,
            ) => {
                let patterns = all.patterns.iter().enumerate();
                inner.extend(
                    patterns.map(|(index, pattern)| (all.position(index, parts.len()), pattern)),
                );
                if let (Some(_), Some(middle)) = (all.bound, middle(all, parts.len())) {
                    found.extend(
                        middle.map(|index| [steps.as_slice(), &[Step::Element(index)]].concat()),
                    );
                }
            }
            _ => {}
        }
        let is_array = matches!(value, Value::Array(_));
        for (index, pattern) in inner {
            let Some(part) = parts.get(index) else {
                continue;
            };
            steps.push(if is_array {
                Step::Element(index)
            } else {
                Step::Field(index)
            });
            self.moved_parts(pattern, part, steps, found)?;
            steps.pop();
        }
        Ok(())
    }

    fn take_owned(&mut self, place: &Place, value: &Value) -> Eval<()> {
        if self.is_behind(place) {
            return self.immovable(value, "a reference", place.span);
        }
        let ty = self.bounded_type(value.ty(), place.span)?;
        self.empty(place, Value::Empty(ty, Held::Owned))
    }

    /// Refuses to move what is behind a shared reference into a method.
    pub(super) fn check_owned(&self, value: &Value, span: Span) -> Eval<()> {
        match self.is_reference(value) {
            Some(true) => self.immovable(value, "a reference", span),
            _ => Ok(()),
        }
    }

    fn immovable<T>(&self, value: &Value, of: &str, span: Span) -> Eval<T> {
        let ty = self.shown_type(&value.ty());
        let message = format!("`{ty}` is not `Copy`, so it cannot be moved out of {of}");
        fail_help(span, message, "borrow it, or clone it")
    }
}
