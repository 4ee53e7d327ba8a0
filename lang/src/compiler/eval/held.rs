//! How values are held. Structures that are not `Copy` and `Vec`s have one owner, and a shared
//! reference to them changes and gives away nothing. References are values here, and these know that
//! they are one. In other values it makes no difference.

use std::rc::Rc;

use super::variables::Step;
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

    /// Returns whether a part of a value that has one owner is held in this way. The elements of an
    /// array are all held alike.
    fn has(&self, value: &Value, wanted: Held) -> bool {
        match value {
            Value::Struct(of, held) => *held == wanted && of.single,
            Value::Vec(_, held) => *held == wanted,
            Value::Array(values) => match values.first() {
                // Some variants hold what has one owner, others do not.
                Some(Value::Struct(of, _)) if self.items.structs[of.id].ast.is_enum => {
                    self.count(values);
                    values.iter().any(|part| self.has(part, wanted))
                }
                first => first.is_some_and(|part| self.has(part, wanted)),
            },
            Value::Tuple(values) => {
                self.count(values);
                values.iter().any(|part| self.has(part, wanted))
            }
            Value::Iter(iter) => {
                wanted == Held::Owned && iter.gives(&|value| self.has(value, Held::Owned))
            }
            _ => false,
        }
    }

    /// Returns whether a value has a mutable reference in it. Fields that are declared as one are
    /// refused, so only structures with generic arguments may have one.
    pub(super) fn has_reference(&self, value: &Value) -> bool {
        match value {
            Value::Reference(_) => true,
            Value::Iter(iter) => {
                let first = iter.left().and_then(<[Value]>::first);
                matches!(first, Some(Value::Reference(_)))
            }
            Value::Struct(of, _) if of.generics.is_empty() => false,
            Value::Array(values) | Value::Vec(values, _) => match values.first() {
                Some(Value::Struct(of, _)) if self.items.structs[of.id].ast.is_enum => {
                    !of.generics.is_empty() && {
                        self.count(values);
                        values.iter().any(|part| self.has_reference(part))
                    }
                }
                first => first.is_some_and(|part| self.has_reference(part)),
            },
            value => {
                let mut parts = value.parts().unwrap_or_default().iter();
                parts.any(|part| self.has_reference(part))
            }
        }
    }

    /// Returns whether no part of two values of one type is owned in one and a reference in the
    /// other.
    pub(super) fn held_alike(&self, a: &Value, b: &Value) -> bool {
        let held = |value: &Value| match value {
            Value::Struct(of, held) if of.single => Some(*held),
            Value::Vec(_, held) => Some(*held),
            _ => None,
        };
        match (a, b) {
            (Value::Empty(_, held), value) | (value, Value::Empty(_, held)) => match held {
                Held::Owned => self.is_owned(value) || !self.has(value, Held::Shared),
                Held::Shared => !self.is_owned(value),
                Held::Either => true,
            },
            (Value::Reference(_), other) | (other, Value::Reference(_)) => {
                matches!(other, Value::Reference(_))
            }
            _ => match (held(a), held(b)) {
                (Some(Held::Owned), Some(Held::Shared))
                | (Some(Held::Shared), Some(Held::Owned)) => false,
                (None | Some(Held::Owned), None | Some(Held::Owned)) => {
                    let parts = a.parts().unwrap_or_default();
                    // The elements of a list are all held alike.
                    let several =
                        matches!(a, Value::Tuple(_) | Value::Struct(..) | Value::Closure(_));
                    let parts = &parts[..if several {
                        parts.len()
                    } else {
                        parts.len().min(1)
                    }];
                    self.count(parts);
                    let mut pairs = parts.iter().zip(b.parts().unwrap_or_default());
                    pairs.all(|(a, b)| self.held_alike(a, b))
                }
                _ => true,
            },
        }
    }

    /// Counts the steps of a walk; the next step that is charged sees them.
    fn count(&self, values: &[Value]) {
        let steps = self.steps.get();
        self.steps.set(steps.saturating_add(values.len() as u64));
    }

    /// Returns whether a value is itself a shared reference, if this is certain.
    pub(super) fn is_reference(&self, value: &Value) -> Option<bool> {
        let held = match value {
            Value::Struct(of, held) if of.single => held,
            Value::Vec(_, held) => held,
            _ => return None,
        };
        match held {
            Held::Owned => Some(false),
            Held::Shared => Some(true),
            Held::Either => None,
        }
    }

    pub(super) fn is_owned(&self, value: &Value) -> bool {
        self.has(value, Held::Owned)
    }

    /// Returns whether a structure is `Clone` as its parts are.
    fn is_clone_of_parts(&self, of: &Structure) -> bool {
        self.count(&of.fields);
        self.is_clone(of.id) && of.fields.iter().all(|field| self.is_clonable(field))
    }

    /// Returns whether a value is `Clone`, as references are.
    pub(super) fn is_clonable(&self, value: &Value) -> bool {
        match value {
            Value::Struct(_, Held::Shared) | Value::Vec(_, Held::Shared) => true,
            Value::Struct(of, _) => self.is_clone_of_parts(of),
            Value::Array(values) | Value::Vec(values, _) => {
                values.first().is_none_or(|part| self.is_clonable(part))
            }
            Value::Tuple(values) => {
                self.count(values);
                values.iter().all(|part| self.is_clonable(part))
            }
            Value::Iter(iter) => !iter.gives(&|value| !self.is_clonable(value)),
            _ => true,
        }
    }

    fn held(&self, value: &Value, new: Held) -> Value {
        let all = |values: &Rc<Vec<Value>>| {
            self.count(values);
            Rc::new(values.iter().map(|value| self.held(value, new)).collect())
        };
        match value {
            Value::Struct(of, _)
                if of.single && (new == Held::Shared || self.is_clone_of_parts(of)) =>
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

    /// Refuses to use a place of which a part was moved.
    pub(super) fn check_whole(&mut self, variable: usize, steps: &[Step], span: Span) -> Eval<()> {
        if self.here().vars.is_partial(variable, steps) {
            return fail(span, "a part of this value was moved");
        }
        Ok(())
    }
}
