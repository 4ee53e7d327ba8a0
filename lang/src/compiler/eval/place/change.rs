//! Changes of places: writing, taking and lending what is there.

use super::*;

impl Evaluator<'_> {
    /// Leaves a place without a value.
    pub(in super::super) fn empty(&mut self, place: &Place, empty: Value) -> Eval<()> {
        *self.place_mut(place)? = empty;
        self.here().vars.take(place.variable, &place.steps);
        Ok(())
    }

    /// Returns whether a part of what is there may be changed: it is not behind a shared reference.
    pub(in super::super) fn may_change(&mut self, place: &Place) -> bool {
        let here = self.here();
        let mut value = Some(&here.vars[place.variable]);
        let mut behind = here.references.contains(&place.variable);
        for step in &place.steps {
            behind |= value.is_some_and(is_shared);
            value = value.and_then(|value| child(value, *step));
        }
        !behind && !value.is_some_and(is_shared)
    }

    fn place_mut(&mut self, place: &Place) -> Eval<&mut Value> {
        if !place.steps.is_empty() && self.here().references.contains(&place.variable) {
            return behind_reference(place.span);
        }
        if place.part.is_some() {
            let message = "a part of an array cannot be changed as a whole";
            return fail_help(place.span, message, "change its elements");
        }
        let copied = copied(&self.here().vars[place.variable], &place.steps);
        self.charge(copied, place.span)?;
        let mut value = &mut self.here().vars[place.variable];
        for step in &place.steps {
            if is_shared(value) {
                return behind_reference(place.span);
            }
            value = match child_mut(value, *step) {
                Some(value) => value,
                None => return fail(place.span, "the value's structure has changed"),
            };
        }
        Ok(value)
    }

    /// Replaces the value at a place.
    pub(in super::super) fn write_place(&mut self, place: &Place, value: Value) -> Eval<()> {
        let value = if place.steps.is_empty() {
            value
        } else {
            self.bounded(value, place.span)?
        };
        let old = self.place_mut(place)?.clone();
        if !value.is_of(&old.ty()) || !self.held_alike(&old, &value) {
            return self.mismatched(&self.shown_type_of(&old), &value, place.span);
        }
        drop(old);
        self.fill(place, value)
    }

    /// Writes a value back that was moved out of a place. Whoever changed it meanwhile has counted
    /// what became a part of it.
    pub(in super::super) fn write_back(&mut self, place: &Place, value: Value) -> Eval<()> {
        self.bounded_type(value.ty(), place.span)?;
        self.fill(place, value)
    }

    /// Returns the elements that are a part of an array or a `Vec`.
    fn part_mut(&mut self, place: &Place, part: (usize, usize)) -> Eval<&mut [Value]> {
        let span = place.span;
        let whole = place.whole();
        let length = self
            .read_place(&whole)?
            .elements()
            .map_or(0, |all| all.len());
        self.charge(length as u64, span)?;
        let value = self.place_mut(&whole)?;
        if is_shared(value) {
            return behind_reference(span);
        }
        let elements = match value {
            Value::Array(values) | Value::Vec(values, _) => {
                Rc::make_mut(values).get_mut(part.0..part.1)
            }
            _ => None,
        };
        match elements {
            Some(elements) => Ok(elements),
            None => fail(span, "the value's structure has changed"),
        }
    }

    /// Notes that the value at a place changes, if a closure has captured the variable.
    fn note(&mut self, place: &Place) {
        let here = self.here();
        if let Some(birth) = here.vars.birth(place.variable) {
            here.assigned.note(birth, &place.steps);
        }
    }

    fn fill(&mut self, place: &Place, value: Value) -> Eval<()> {
        self.note(place);
        if let (Some(part), Value::Array(values)) = (place.part, &value) {
            let elements = self.part_mut(place, part)?;
            if elements.len() != values.len() {
                return fail(place.span, "the value's structure has changed");
            }
            elements.clone_from_slice(values);
            return Ok(());
        }
        *self.place_mut(place)? = value;
        self.here().vars.fill(place.variable, &place.steps);
        Ok(())
    }

    /// Moves the value out of a place until it is written back.
    pub(in super::super) fn take_place(&mut self, place: &Place) -> Eval<Value> {
        let span = place.span;
        self.note(place);
        let value = match place.part {
            Some(part) => {
                let elements = self.part_mut(place, part)?.iter_mut();
                let taken = elements.map(|element| std::mem::replace(element, Value::LENT));
                Value::Array(Rc::new(taken.collect()))
            }
            None => std::mem::replace(self.place_mut(place)?, Value::LENT),
        };
        let lent = |value: &Value| matches!(value, Value::Empty(..));
        match value {
            Value::Empty(..) => fail(span, "this is already borrowed mutably"),
            Value::Array(values) if place.part.is_some() && values.iter().any(lent) => {
                fail(span, "this is already borrowed mutably")
            }
            value if is_shared(&value) => behind_reference(span),
            value => Ok(value),
        }
    }
}
