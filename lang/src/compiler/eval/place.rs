//! Places: variables, their fields and elements.

use std::rc::Rc;

use super::*;

/// A step into a value.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Field(usize),
    Element(usize),
}

/// A variable of the current call and the way into it.
pub(super) struct Place {
    variable: usize,
    steps: Vec<Step>,
    span: Span,
}

/// The error for an index that is only known at run time, or is none.
pub(super) fn not_an_index<T>(found: &Value, span: Span) -> Eval<T> {
    let found = found.describe();
    fail_help(
        span,
        format!("an index is an integer known at compile time, not {found}"),
        "for a run-time index use `Words<N>` and `Index<N>`, or `Slice::at`",
    )
}

impl Evaluator<'_> {
    /// The place an expression names; `None` if it is not one.
    pub(super) fn place(&mut self, expr: &Expr) -> Eval<Option<Place>> {
        match &expr.kind {
            ExprKind::RefMut(inner) => self.place(inner),
            ExprKind::Path(path) => {
                let Some(name) = path.ident() else {
                    return Ok(None);
                };
                let here = self.here();
                let variable = here.vars.iter().rposition(|(bound, _)| *bound == name);
                Ok(variable.map(|variable| Place {
                    variable,
                    steps: Vec::new(),
                    span: expr.span,
                }))
            }
            ExprKind::Field(base, name) => self.step(base, expr.span, |this, value| {
                let Value::Struct(structure) = value else {
                    let found = value.describe();
                    return fail(expr.span, format!("{found} has no field `{name}`"));
                };
                Ok(Step::Field(this.field_index(structure, *name, expr.span)?))
            }),
            ExprKind::TupleField(base, index) => self.step(base, expr.span, |_, value| {
                let length = match value {
                    Value::Tuple(values) => values.len(),
                    Value::Struct(structure) => structure.fields.len(),
                    _ => 0,
                };
                if *index < length {
                    return Ok(Step::Field(*index));
                }
                let found = value.describe();
                fail(expr.span, format!("{found} has no field {index}"))
            }),
            ExprKind::Index(base, index) => {
                let at = match self.expr(index)? {
                    Value::Int(at) => at as usize,
                    Value::Range(..) => return Ok(None),
                    other => return not_an_index(&other, index.span),
                };
                self.step(base, expr.span, |_, value| {
                    let Value::Array(values) = value else {
                        let found = value.describe();
                        return fail(expr.span, format!("{found} cannot be indexed"));
                    };
                    if at >= values.len() {
                        let length = values.len();
                        return fail(
                            index.span,
                            format!("index {at} is out of range of an array of {length}"),
                        );
                    }
                    Ok(Step::Element(at))
                })
            }
            _ => Ok(None),
        }
    }

    fn step(
        &mut self,
        base: &Expr,
        span: Span,
        next: impl FnOnce(&mut Self, &Value) -> Eval<Step>,
    ) -> Eval<Option<Place>> {
        let Some(mut place) = self.place(base)? else {
            return Ok(None);
        };
        // The container is cheap to share, its elements are not copied.
        let value = self.read_place(&place)?;
        place.steps.push(next(self, &value)?);
        place.span = span;
        Ok(Some(place))
    }

    /// A copy of the value at a place.
    pub(super) fn read_place(&mut self, place: &Place) -> Eval<Value> {
        let mut value = &self.here().vars[place.variable].1;
        for step in &place.steps {
            value = match (step, value) {
                (Step::Element(index), Value::Array(values))
                | (Step::Field(index), Value::Tuple(values)) => &values[*index],
                (Step::Field(index), Value::Struct(structure)) => &structure.fields[*index],
                _ => return fail(place.span, "the value changed its shape"),
            };
        }
        match value {
            Value::Lent => fail(place.span, "this has no value here"),
            value => Ok(value.clone()),
        }
    }

    fn place_mut(&mut self, place: &Place) -> Eval<&mut Value> {
        let mut value = &mut self.here().vars[place.variable].1;
        for step in &place.steps {
            value = match (step, value) {
                (Step::Element(index), Value::Array(values))
                | (Step::Field(index), Value::Tuple(values)) => &mut Rc::make_mut(values)[*index],
                (Step::Field(index), Value::Struct(structure)) => {
                    &mut Rc::make_mut(structure).fields[*index]
                }
                _ => return fail(place.span, "the value changed its shape"),
            };
        }
        Ok(value)
    }

    /// Replaces the value at a place.
    pub(super) fn write_place(&mut self, place: &Place, value: Value) -> Eval<()> {
        *self.place_mut(place)? = value;
        Ok(())
    }

    /// Moves the value out of a place, until it is written back.
    pub(super) fn take_place(&mut self, place: &Place) -> Eval<Value> {
        let span = place.span;
        let value = std::mem::replace(self.place_mut(place)?, Value::Lent);
        match value {
            Value::Lent => fail(span, "this is already borrowed mutably"),
            value => Ok(value),
        }
    }
}
