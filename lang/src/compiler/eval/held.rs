//! How values are held. Structures that are not `Copy` and `Vec`s have one owner, and a shared
//! reference to them changes and gives away nothing. References are values here, and these know that
//! they are one. In other values it makes no difference.

use std::rc::Rc;

use super::*;
use crate::compiler::value::{Held, Structure};

impl Evaluator<'_> {
    /// Returns whether a structure is `Copy`.
    pub(super) fn is_copy(&self, id: usize) -> bool {
        self.items.structs[id].copy
    }

    /// Returns whether a structure is `Clone`.
    pub(super) fn is_clone(&self, id: usize) -> bool {
        self.items.structs[id].clone
    }

    /// Returns whether a structure has one owner. `S<T>` may be `Copy` for some `T` only.
    fn is_single(&self, of: &Structure) -> bool {
        let mut fields = of.fields.iter();
        !self.is_copy(of.id)
            || !of.generics.is_empty() && fields.any(|field| self.has(field, Held::Owned))
    }

    /// Returns whether a part of a value that has one owner is held in this way. The elements of an
    /// array are all held alike.
    fn has(&self, value: &Value, wanted: Held) -> bool {
        match value {
            Value::Struct(of, held) => *held == wanted && self.is_single(of),
            Value::Vec(_, held) => *held == wanted,
            Value::Array(values) => values.first().is_some_and(|part| self.has(part, wanted)),
            Value::Tuple(values) => {
                self.count(values);
                values.iter().any(|part| self.has(part, wanted))
            }
            _ => false,
        }
    }

    /// Returns whether not just one of two values is a reference.
    pub(super) fn held_alike(&self, a: &Value, b: &Value) -> bool {
        let is_reference = |value| self.has(value, Held::Shared) && !self.is_owned(value);
        !(is_reference(a) && self.is_owned(b) || self.is_owned(a) && is_reference(b))
    }

    /// Counts the steps of a walk; the next step that is charged sees them.
    fn count(&self, values: &[Value]) {
        let steps = self.steps.get();
        self.steps.set(steps.saturating_add(values.len() as u64));
    }

    pub(super) fn is_owned(&self, value: &Value) -> bool {
        self.has(value, Held::Owned)
    }

    fn held(&self, value: &Value, new: Held) -> Value {
        let all = |values: &Rc<Vec<Value>>| {
            self.count(values);
            Rc::new(values.iter().map(|value| self.held(value, new)).collect())
        };
        match value {
            Value::Struct(of, _)
                if self.is_single(of) && (new == Held::Shared || self.is_clone(of.id)) =>
            {
                Value::Struct(of.clone(), new)
            }
            Value::Vec(values, _) => Value::Vec(values.clone(), new),
            Value::Array(values) => Value::Array(all(values)),
            Value::Tuple(values) => Value::Tuple(all(values)),
            value => value.clone(),
        }
    }

    /// Returns the shared reference to a value.
    pub(super) fn shared(&self, value: Value) -> Value {
        if self.has(&value, Held::Owned) || self.has(&value, Held::Either) {
            self.held(&value, Held::Shared)
        } else {
            value
        }
    }

    /// Returns the clone of a value. The clone of a reference to what is not `Clone` is a reference.
    pub(super) fn cloned(&self, value: Value) -> Value {
        if self.has(&value, Held::Shared) {
            self.held(&value, Held::Either)
        } else {
            value
        }
    }

    /// Returns a part of a value that is held in this way.
    pub(super) fn part(&self, part: &Value, of: Held) -> Value {
        match of {
            Held::Owned => part.clone(),
            Held::Shared => self.shared(part.clone()),
            Held::Either => self.held(part, Held::Either),
        }
    }

    /// Refuses to use a value of which a part was moved.
    pub(super) fn check_whole(&mut self, variable: usize, value: &Value, span: Span) -> Eval<()> {
        if !self.here().partial.contains(&variable) {
            return Ok(());
        }
        self.walk(value, span)?;
        if value.has_empty() {
            return fail(span, "a part of this value was moved");
        }
        Ok(())
    }
}
