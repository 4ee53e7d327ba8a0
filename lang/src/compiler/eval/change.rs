//! What a call of a closure changes: captured values before and after it.

use std::rc::Rc;

use super::carry::{at_run_time, carrier};
use super::*;

fn same_kind(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Struct(a, _), Value::Struct(b, _)) => (a.id, a.variant) == (b.id, b.variant),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Returns whether a value is what it was, except for parts that were moved: only the closure had
/// these.
pub(super) fn unchanged(before: &Value, after: &Value) -> bool {
    match (before.parts(), after.parts()) {
        _ if matches!(after, Value::Empty(..)) => true,
        (Some(old), Some(new)) => {
            same_kind(before, after)
                && old.len() == new.len()
                && (std::ptr::eq(old, new)
                    || old.iter().zip(new).all(|(old, new)| unchanged(old, new)))
        }
        (None, None) => before.same_leaf(after),
        _ => false,
    }
}

/// Returns whether two values may be the same. What is known only in a run is not compared.
fn may_be_same(a: &Value, b: &Value) -> bool {
    match (a.parts(), b.parts()) {
        (Some(x), Some(y)) => {
            same_kind(a, b)
                && x.len() == y.len()
                && (std::ptr::eq(x, y) || x.iter().zip(y).all(|(a, b)| may_be_same(a, b)))
        }
        (None, None) => {
            let of_run = carrier(&at_run_time(a)).is_some() || matches!(a, Value::Iter(_));
            of_run && same_kind(a, b) || a.same_leaf(b)
        }
        _ => false,
    }
}

/// Returns a value with what differs between two others of its type. Fields that do not may have
/// changed meanwhile: a closure captures only those that it uses. The others must be what they were
/// before; rustc sees to this, but not all texts are shown to it.
pub(super) fn updated(current: &Value, before: &Value, after: &Value) -> Option<Value> {
    if unchanged(before, after) {
        return Some(current.clone());
    }
    match (current, before, after) {
        (Value::Tuple(_) | Value::Struct(..), before, after)
            if same_kind(current, before) && same_kind(before, after) =>
        {
            let parts = |value: &Value| value.parts().unwrap_or_default().to_vec();
            let (old, new) = (parts(before), parts(after));
            let fields = parts(current).into_iter().zip(old.iter().zip(&new));
            let fields = fields.map(|(now, (old, new))| updated(&now, old, new));
            Some(current.with_parts(fields.collect::<Option<_>>()?))
        }
        (_, _, after) => may_be_same(before, current).then(|| after.clone()),
    }
}

/// Returns a closure that was passed or captured by value as the variable still has it. If it was
/// moved, only its changes of other variables matter; if it was copied, there are none.
pub(super) fn given_back(before: &Value, after: &Value) -> Value {
    let (Value::Closure(old), Value::Closure(new)) = (before, after) else {
        return after.clone();
    };
    if !Rc::ptr_eq(&old.scope, &new.scope) {
        return before.clone();
    }
    let pairs = old.captures.iter().zip(&new.captures);
    let captures = old.scope.captured.iter().zip(pairs);
    let captures = captures.map(|(captured, (old, new))| match captured {
        captured if !captured.by_reference => old.clone(),
        captured if captured.given => given_back(old, new),
        _ => new.clone(),
    });
    before.with_parts(captures.collect())
}

/// Returns whether a part that was assigned has changed.
pub(super) fn changed_there(before: &Value, after: &Value, fields: &[usize]) -> bool {
    let (mut before, mut after) = (before, after);
    for field in fields {
        match (before, after) {
            (Value::Tuple(_) | Value::Struct(..), _) if same_kind(before, after) => {}
            _ => break,
        }
        let (old, new) = (before.parts(), after.parts());
        let (Some(old), Some(new)) = (
            old.and_then(|parts| parts.get(*field)),
            new.and_then(|parts| parts.get(*field)),
        ) else {
            break;
        };
        (before, after) = (old, new);
    }
    !unchanged(before, after)
}
