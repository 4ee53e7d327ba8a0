//! Places: variables, their fields and elements.

mod change;

use std::rc::Rc;

use super::variables::Step;
use super::*;
use crate::compiler::value::{Held, Structure};

/// How an expression reaches a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// It is a variable, or a part of one.
    Own,
    /// It is a mutable reference to the place.
    Reference,
    /// It is behind a mutable reference.
    Behind,
}

/// A variable of the current call, and the path from it to one of its parts.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub variable: usize,
    steps: Vec<Step>,
    /// A range of elements, if the place is only a part of an array.
    part: Option<(usize, usize)>,
    pub reach: Reach,
    pub span: Span,
}

impl Place {
    /// Returns the place of a whole variable.
    pub(super) const fn of_variable(variable: usize, span: Span) -> Self {
        Self {
            variable,
            steps: Vec::new(),
            part: None,
            reach: Reach::Own,
            span,
        }
    }

    /// Returns the place as another expression reaches it.
    pub(super) fn reached(&self, reach: Reach, span: Span) -> Self {
        Self {
            reach,
            span,
            ..self.clone()
        }
    }

    /// Returns the same place of another variable.
    pub(super) fn of(&self, variable: usize) -> Self {
        Self {
            variable,
            ..self.clone()
        }
    }

    /// Returns whether it is only a part of a list.
    pub(super) const fn is_part(&self) -> bool {
        self.part.is_some()
    }

    /// Returns whether two places are the same, however they are reached.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let all = |place: &Self| (place.variable, place.part);
        all(self) == all(other) && self.steps == other.steps
    }

    /// Returns the steps from the variable to the part.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the place of a part.
    pub(super) fn part_of(&self, steps: &[Step]) -> Self {
        Self {
            steps: [&self.steps, steps].concat(),
            ..*self
        }
    }

    /// Returns the place of an element.
    pub(super) fn element(&self, index: usize) -> Self {
        let first = self.part.map_or(0, |(start, _)| start);
        let place = self.part_of(&[Step::Element(first + index)]);
        Self {
            part: None,
            ..place
        }
    }

    /// Returns the place of the elements from `start` to before `end`.
    pub(super) fn elements(&self, start: usize, end: usize) -> Self {
        let first = self.part.map_or(0, |(first, _)| first);
        Self {
            part: Some((first + start, first + end)),
            ..self.clone()
        }
    }

    /// Returns the place of the whole list of which it is a part.
    pub(super) fn whole(&self) -> Self {
        Self {
            part: None,
            ..self.clone()
        }
    }

    /// Returns the place that has this one's part `inner`, as a place of a variable which has the
    /// value of this place.
    pub(super) fn then(&self, inner: &Self) -> Self {
        let (place, rest) = match inner.steps.split_first() {
            Some((Step::Element(index), rest)) => (self.element(*index), rest),
            Some((step, rest)) => (self.part_of(&[*step]), rest),
            None => (self.clone(), Default::default()),
        };
        let place = place.part_of(rest);
        match inner.part {
            Some((start, end)) => place.elements(start, end),
            None => place,
        }
    }

    /// Notes that a part of the place, or what a reference refers to, is meant.
    fn go_behind(&mut self) {
        if self.reach == Reach::Reference {
            self.reach = Reach::Behind;
        }
    }

    /// Returns whether it is an element, or a part of one.
    pub(super) fn is_element(&self) -> bool {
        let mut steps = self.steps.iter();
        self.part.is_some() || steps.any(|step| matches!(step, Step::Element(_)))
    }
}

/// What an expression denotes: a place, or a value without a place.
pub(super) enum Located {
    Place(Place),
    Value(Value),
}

fn child(value: &Value, step: Step) -> Option<&Value> {
    match (step, value) {
        (Step::Element(index), Value::Array(values) | Value::Vec(values, _))
        | (Step::Field(index), Value::Tuple(values)) => values.get(index),
        (Step::Field(index), Value::Struct(structure, _)) => structure.fields.get(index),
        _ => None,
    }
}

/// Returns how many values are copied when the part to which these steps lead is changed: what
/// another value shares is copied first.
fn copied(value: &Value, steps: &[Step]) -> u64 {
    let (mut value, mut shared, mut count) = (value, false, 0);
    for step in steps {
        let length = match value {
            Value::Array(values) | Value::Vec(values, _) | Value::Tuple(values) => {
                shared |= Rc::strong_count(values) > 1;
                values.len()
            }
            Value::Struct(structure, _) => {
                shared |= Rc::strong_count(structure) > 1;
                structure.fields.len()
            }
            _ => 0,
        };
        count += if shared { length as u64 } else { 0 };
        let Some(next) = child(value, *step) else {
            break;
        };
        value = next;
    }
    count
}

/// Returns whether a value is a shared reference that nothing may be changed through.
pub(super) fn is_shared(value: &Value) -> bool {
    matches!(
        value,
        Value::Struct(_, Held::Shared) | Value::Vec(_, Held::Shared)
    )
}

fn behind_reference<T>(span: Span) -> Eval<T> {
    let message = "this is behind a shared reference, and cannot be changed or moved";
    fail_help(span, message, "take it by `&mut`, or clone it")
}

fn child_mut(value: &mut Value, step: Step) -> Option<&mut Value> {
    match (step, value) {
        (Step::Element(index), Value::Array(values) | Value::Vec(values, _))
        | (Step::Field(index), Value::Tuple(values)) => Rc::make_mut(values).get_mut(index),
        (Step::Field(index), Value::Struct(structure, _)) => {
            Rc::make_mut(structure).fields.get_mut(index)
        }
        _ => None,
    }
}

impl Evaluator<'_> {
    /// Returns what an expression denotes; of a mutable reference, what it refers to. The parts of
    /// the expression are evaluated once, the base before the index.
    pub(super) fn locate(&mut self, expr: &Expr) -> Eval<Located> {
        let located = self.locate_itself(expr)?;
        self.follow(located, expr.span)
    }

    /// Returns what a mutable reference refers to, and everything else as it is.
    fn follow(&mut self, located: Located, span: Span) -> Eval<Located> {
        let reference = match &located {
            Located::Place(place) => self.value_at(place),
            Located::Value(value) => Some(value),
        };
        match reference {
            Some(Value::Reference(reference)) => {
                let reference = reference.clone();
                self.referent(&reference, span).map(Located::Place)
            }
            _ => Ok(located),
        }
    }

    /// Returns what an expression denotes, a mutable reference itself.
    pub(super) fn locate_itself(&mut self, expr: &Expr) -> Eval<Located> {
        match &expr.kind {
            ExprKind::Path(path) => match path.ident().and_then(|name| self.slot(name)) {
                Some(variable) => {
                    let mut place = Place::of_variable(variable, expr.span);
                    if self.here().borrowed.contains(&variable) {
                        place.reach = Reach::Reference;
                    }
                    Ok(Located::Place(place))
                }
                None => self.expr(expr).map(Located::Value),
            },
            ExprKind::Deref(inner) => Ok(match self.locate(inner)? {
                Located::Place(mut place) => {
                    place.go_behind();
                    Located::Place(place)
                }
                value => value,
            }),
            ExprKind::Field(base, name) => {
                let base = self.locate(base)?;
                let step = match &self.peek(&base)? {
                    Value::Struct(structure, _) => {
                        Step::Field(self.field_index(structure, *name, expr.span)?)
                    }
                    Value::Range(..) | Value::From(..) => {
                        let message = format!("`{name}` of a range is only a value here");
                        let help = "`let start = range.start;`, or make a new range";
                        return fail_help(expr.span, message, help);
                    }
                    value => return fail(expr.span, format!("{value} has no field `{name}`")),
                };
                self.descend(base, step, expr.span)
            }
            ExprKind::TupleField(base, index) => {
                let base = self.locate(base)?;
                let value = self.peek(&base)?;
                let length = match &value {
                    Value::Tuple(values) => values.len(),
                    Value::Struct(structure, _) => structure.fields.len(),
                    _ => 0,
                };
                if *index >= length {
                    return fail(expr.span, format!("{value} has no field {index}"));
                }
                if let Value::Struct(structure, _) = &value {
                    self.check_field(structure.id, *index, expr.span)?;
                }
                self.descend(base, Step::Field(*index), expr.span)
            }
            ExprKind::Index(base, index) => {
                let base = self.locate(base)?;
                let own = matches!(self.peek(&base)?, Value::Struct(..));
                if own {
                    return self.own_element(base, index, expr.span);
                }
                self.expected = Ty::USIZE;
                let at = self.expr(index)?;
                self.element(base, &at, index.span, expr.span)
            }
            _ => self.expr(expr).map(Located::Value),
        }
    }

    fn element(&mut self, base: Located, at: &Value, index: Span, span: Span) -> Eval<Located> {
        let value = self.peek(&base)?;
        if let Value::Text(text) = &value {
            return match self.part_of_text(text, at, span)? {
                Some(part) => Ok(Located::Value(part)),
                None => fail_certain(index, "this range is no part of the text"),
            };
        }
        let Some(values) = value.elements() else {
            return fail(span, format!("{value} cannot be indexed"));
        };
        let length = values.len();
        let (start, end, ty) = match at {
            Value::Int(at, ty) => (*at, None, *ty),
            Value::Range(start, end, ty) => (*start, Some(*end), *ty),
            Value::From(start, ty) => (*start, Some(length as i128), *ty),
            Value::To(end, ty) => (0, Some(end.unwrap_or(length as i128)), *ty),
            other => {
                return fail_help(
                    index,
                    format!("an index is an integer known at compile time, not {other}"),
                    "for a run-time index use `Words<N>` and `Index<N>`, or `Slice::at`",
                );
            }
        };
        if ty.is_some() {
            self.common(ty, Some(IntType::Usize), index)?;
        }
        match end {
            None => {
                let Some(at) = usize::try_from(start).ok().filter(|at| *at < length) else {
                    let message = format!("index {start} is out of range of {value} of {length}");
                    return fail_certain(index, message);
                };
                match base {
                    Located::Place(mut place) => {
                        let first = place.part.take().map_or(0, |(start, _)| start);
                        self.descend(Located::Place(place), Step::Element(first + at), span)
                    }
                    base => self.descend(base, Step::Element(at), span),
                }
            }
            Some(end) => {
                if start < 0 || start > end || end > length as i128 {
                    return fail_certain(index, "this range is outside of the array");
                }
                let (start, end) = (start as usize, end as usize);
                Ok(match base {
                    Located::Place(mut place) => {
                        place = place.elements(start, end);
                        place.go_behind();
                        place.span = span;
                        Located::Place(place)
                    }
                    Located::Value(_) => {
                        Located::Value(Value::Array(Rc::new(values[start..end].to_vec())))
                    }
                })
            }
        }
    }

    /// Returns the value there. Containers are shared and not copied.
    fn peek(&mut self, located: &Located) -> Eval<Value> {
        match located {
            Located::Place(place) => self.read_place(place),
            Located::Value(value) => Ok(value.clone()),
        }
    }

    fn descend(&mut self, base: Located, step: Step, span: Span) -> Eval<Located> {
        match base {
            Located::Place(mut place) => {
                place.steps.push(step);
                place.go_behind();
                place.span = span;
                Ok(Located::Place(place))
            }
            Located::Value(value) => match child(&value, step) {
                Some(value) => Ok(Located::Value(value.clone())),
                None => fail(span, "the value has no such part"),
            },
        }
    }

    /// Returns the value of an expression, and its place if it has one.
    pub(super) fn borrow(&mut self, expr: &Expr) -> Eval<(Value, Option<Place>)> {
        let located = match &expr.kind {
            ExprKind::RefMut(inner) => self.lendable(inner)?,
            _ => self.locate(expr)?,
        };
        match located {
            Located::Place(place) => {
                let value = self.read_place(&place)?;
                self.check_whole(place.variable, &place.steps, place.span)?;
                Ok((value, Some(place)))
            }
            Located::Value(value) => Ok((value, None)),
        }
    }

    /// Returns the place that an expression denotes.
    pub(super) fn target(&mut self, expr: &Expr) -> Eval<Place> {
        if let ExprKind::Deref(inner) = &expr.kind {
            return self.target_behind(inner, expr.span);
        }
        match self.locate_itself(expr)? {
            Located::Place(place) if self.is_reference_at(&place) => {
                let ty = self.read_place(&place)?.ty();
                let ty = self.shown_type(&ty);
                let message = format!("this is of type `&mut {ty}`, not `{ty}`");
                fail_help(expr.span, message, "write `*` before it")
            }
            Located::Place(place) => Ok(place),
            Located::Value(_) => fail(expr.span, "this cannot be assigned to"),
        }
    }

    /// Returns the place to which an expression refers, which must be a mutable reference. If a copy
    /// were taken for one, what is assigned would be lost.
    fn target_behind(&mut self, expr: &Expr, span: Span) -> Eval<Place> {
        let reference = self.locate_itself(expr)?;
        let is_mutable = match &reference {
            Located::Place(place) if self.here().references.contains(&place.variable) => {
                return behind_reference(span);
            }
            Located::Place(place) => self.is_reference_at(place),
            Located::Value(value) => matches!(value, Value::Reference(_)),
        };
        match self.follow(reference, expr.span)? {
            Located::Place(mut place) if is_mutable => {
                place.go_behind();
                Ok(place)
            }
            _ => fail(span, "this is no mutable reference"),
        }
    }

    /// Returns the value of a place before the parts of its expression are evaluated. Any element
    /// represents an array, and any list a part of it. An index that is not a range by its form is
    /// taken to be an integer.
    pub(super) fn glance(&mut self, expr: &Expr) -> Option<Value> {
        match self.glance_itself(expr)? {
            Value::Reference(reference) => {
                let place = self.referent(&reference, expr.span).ok()?;
                self.read_place(&place).ok()
            }
            value => Some(value),
        }
    }

    /// Like [`Self::glance`], but returns a mutable reference itself.
    pub(super) fn glance_itself(&mut self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Path(path) => {
                let slot = self.slot(path.ident()?)?;
                Some(self.here().vars[slot].clone())
            }
            ExprKind::Deref(inner) => self.glance(inner),
            ExprKind::Field(base, name) => match self.glance(base)? {
                Value::Struct(structure, _) => {
                    let index = self.field_index(&structure, *name, expr.span).ok()?;
                    structure.fields.get(index).cloned()
                }
                _ => None,
            },
            ExprKind::TupleField(base, index) => {
                let base = self.glance(base)?;
                child(&base, Step::Field(*index)).cloned()
            }
            ExprKind::Index(base, index) => {
                let base = self.glance(base)?;
                let at = self.glance(index);
                let range = matches!(at, Some(Value::Range(..) | Value::From(..) | Value::To(..)));
                if range || matches!(index.kind, ExprKind::Range(..)) {
                    return Some(base);
                }
                child(&base, Step::Element(0)).cloned()
            }
            _ => None,
        }
    }

    /// Returns the value or, for a part of a list, the list at a place.
    pub(super) fn value_at(&mut self, place: &Place) -> Option<&Value> {
        let mut steps = place.steps.iter();
        let variable = &self.here().vars[place.variable];
        steps.try_fold(variable, |value, step| child(value, *step))
    }

    /// Returns which variants the structures have through which the steps of a place lead.
    pub(super) fn variants(&mut self, place: &Place) -> Vec<usize> {
        let mut value = Some(&self.here().vars[place.variable]);
        let variants = place.steps.iter().map(|step| {
            let variant = match value {
                Some(Value::Struct(of, _)) => of.variant,
                _ => 0,
            };
            value = value.and_then(|value| child(value, *step));
            variant
        });
        variants.collect()
    }

    /// Returns a copy of the value at a place.
    pub(super) fn read_place(&mut self, place: &Place) -> Eval<Value> {
        let mut value = &self.here().vars[place.variable];
        for step in &place.steps {
            value = match child(value, *step) {
                Some(value) => value,
                None => return fail(place.span, "the value's structure has changed"),
            };
        }
        match (value, place.part) {
            (Value::Empty(..), _) => fail(place.span, "this has no value here"),
            (Value::Array(values) | Value::Vec(values, _), Some((start, end))) => {
                let Some(part) = values.get(start..end) else {
                    return fail(place.span, "the value's structure has changed");
                };
                let part = Value::Array(Rc::new(part.to_vec()));
                self.charge((end - start) as u64, place.span)?;
                Ok(part)
            }
            (value, _) => Ok(value.clone()),
        }
    }

    /// Returns a value that is read at a place, as a reference if the place is behind one.
    pub(super) fn through(&mut self, place: &Place, value: Value) -> Value {
        if self.is_behind(place) {
            self.shared(value)
        } else {
            value
        }
    }

    /// Returns whether a place is behind a reference.
    pub(super) fn is_behind(&mut self, place: &Place) -> bool {
        let here = self.here();
        let mut value = Some(&here.vars[place.variable]);
        let mut steps = place.steps.iter();
        place.reach != Reach::Own
            || here.borrowed.contains(&place.variable)
            || steps.any(|step| {
                let behind = value.is_some_and(is_shared);
                value = value.and_then(|value| child(value, *step));
                behind
            })
    }

    pub(super) fn field_index(
        &self,
        structure: &Structure,
        name: Symbol,
        span: Span,
    ) -> Eval<usize> {
        let ast = self.items.structs[structure.id]
            .ast
            .variant(structure.variant);
        match ast.fields.iter().position(|(field, _)| *field == name) {
            Some(index) => {
                self.check_field(structure.id, index, span)?;
                Ok(index)
            }
            None => fail(span, format!("`{}` has no field `{name}`", ast.name)),
        }
    }

    /// Refuses a field that is private in another module, as rustc does.
    pub(super) fn check_field(&self, id: usize, field: usize, span: Span) -> Eval<()> {
        if self.items.is_field_visible(id, field, self.module()) {
            return Ok(());
        }
        let ast = self.items.structs[id].ast.variant(0);
        let name = ast.fields.get(field).map_or(ast.name, |(name, _)| *name);
        let message = format!(
            "the field `{name}` of `{}` is private in another module",
            ast.name
        );
        fail(span, message)
    }
}
