//! Iterators. They are lazy: each element is computed when it is taken, in Rust's order.

mod consume;
mod counted;
mod methods;
mod own;
mod pull;

use std::rc::Rc;

use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::compiler::value::Held;
use droste_native::F;

/// What remains of an iterator. The closures of adaptors are part of it.
#[derive(Clone, Debug)]
pub enum Iter {
    /// The elements from `front` to before `back`, as parts of a value that is held in this way.
    Items {
        values: Rc<Vec<Value>>,
        front: usize,
        back: usize,
        held: Held,
    },
    /// The integers from `next` to before `end`, if there is one.
    Range {
        next: i128,
        end: Option<i128>,
        ty: Option<IntType>,
    },
    /// `count(n)` or `count_to(n)`
    Count(Word),
    Map(Box<Iter>, Value),
    Filter(Box<Iter>, Value),
    FilterMap(Box<Iter>, Value),
    /// The inner iterator in progress; without a closure it is `flatten`.
    FlatMap(Box<Iter>, Option<Box<Iter>>, Option<Value>),
    /// Whether it has ended.
    TakeWhile(Box<Iter>, Value, bool),
    MapWhile(Box<Iter>, Value),
    /// Whether an element was taken.
    SkipWhile(Box<Iter>, Value, bool),
    Inspect(Box<Iter>, Value),
    /// The closure, and the state that it changes.
    Scan(Box<Iter>, Value, Value),
    /// Clones of the elements.
    Cloned(Box<Iter>),
    /// Number of the next element.
    Enumerate(Box<Iter>, u64),
    Zip(Box<Iter>, Box<Iter>),
    /// What remains of both.
    Chain(Option<Box<Iter>>, Option<Box<Iter>>),
    Rev(Box<Iter>),
    /// Step, and whether no element was taken yet.
    StepBy(Box<Iter>, u64, bool),
    Skip(Box<Iter>, u64),
    Take(Box<Iter>, u64),
    /// The iterator from its beginning, and what remains of this turn.
    Cycle(Rc<Iter>, Box<Iter>),
    /// The result of looking at the next element.
    Peekable(Box<Iter>, Option<Option<Value>>),
    Repeat(Value),
    /// The next element, and what makes one of the last.
    Successors(Option<Value>, Value),
    /// What makes an element, and whether it returns an `Option` of one.
    FromFn(Value, bool),
    /// A value for whose type the program implements `Iterator`.
    Own(Value),
    /// An iterator that has said `None`, and may go on.
    Ended(Box<Iter>),
}

/// Returns whether two values are certainly the same.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Tuple(a), Value::Tuple(b))
        | (Value::Array(a), Value::Array(b))
        | (Value::Vec(a, _), Value::Vec(b, _))
            if Rc::ptr_eq(a, b) =>
        {
            return true;
        }
        (Value::Struct(a, _), Value::Struct(b, _)) if Rc::ptr_eq(a, b) => return true,
        (Value::Closure(a), Value::Closure(b)) if Rc::ptr_eq(a, b) => return true,
        _ => {}
    }
    match (a.parts(), b.parts()) {
        (Some(x), Some(y)) => {
            x.len() == y.len() && a.same_shape(b) && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (None, None) => a.same_leaf(b),
        _ => false,
    }
}

/// Returns a bool that is known here as such.
pub(super) fn known(value: Value) -> Value {
    match value {
        Value::Flag(Word::Const(value)) => Value::Bool(value == F::ONE),
        value => value,
    }
}

fn pair(a: Value, b: Value) -> Value {
    Value::Tuple(Rc::new(vec![a, b]))
}

fn index(number: u64) -> Value {
    Value::Int(i128::from(number), Some(IntType::Usize))
}

fn after_end<T>(span: Span) -> Eval<T> {
    let message = "what this gives after a `None` depends on the standard library's version";
    fail_help(
        span,
        message,
        "call `fuse` of the iterator before its adaptors",
    )
}

fn no_end<T>(span: Span) -> Eval<T> {
    let message = "this iterator cannot be taken from its end";
    fail_help(span, message, "`collect` it into a `Vec` first")
}

impl Iter {
    /// Returns the iterator over these values.
    pub fn items(values: Rc<Vec<Value>>, held: Held) -> Self {
        let (front, back) = (0, values.len());
        Self::Items {
            values,
            front,
            back,
            held,
        }
    }

    /// Returns the elements that remain of a list, if it iterates over one.
    pub fn left(&self) -> Option<&[Value]> {
        match self {
            Self::Items {
                values,
                front,
                back,
                ..
            } => values.get(*front..*back),
            _ => None,
        }
    }

    /// Returns the value that is this iterator.
    pub fn into_value(self) -> Value {
        match self {
            // The ends of others depend on how they were taken, and of which type they are.
            Self::Range {
                next,
                end: Some(end),
                ty,
            } if next < end => Value::Range(next, end, ty),
            Self::Range {
                next,
                end: None,
                ty,
            } => Value::From(next, ty),
            Self::Count(word) => Value::Count(word),
            Self::Own(value) => value,
            // What it gives now is its own affair.
            Self::Ended(inner) => inner.into_value(),
            other => Value::Iter(Rc::new(other)),
        }
    }

    /// Returns the number of iterations of a run-time loop, and the closures that map its counter.
    pub fn counted(self) -> Result<(Word, Vec<Value>), Self> {
        match self {
            Self::Count(word) => Ok((word, Vec::new())),
            Self::Map(inner, f) => match inner.counted() {
                Ok((word, mut maps)) => {
                    maps.push(f);
                    Ok((word, maps))
                }
                Err(inner) => Err(Self::Map(Box::new(inner), f)),
            },
            other => Err(other),
        }
    }

    /// Returns the type of the elements, as far as it is known without computing one.
    pub fn element(&self) -> Ty {
        match self {
            Self::Items { values, .. } => values.first().map_or(Ty::Unknown, Value::ty),
            Self::Range { ty, .. } => Ty::Int(*ty),
            Self::Count(_) => Ty::Felt,
            Self::Repeat(value) | Self::Successors(Some(value), _) => value.ty(),
            Self::Enumerate(inner, _) => Ty::Tuple([Ty::USIZE, inner.element()].into()),
            Self::Zip(a, b) => Ty::Tuple([a.element(), b.element()].into()),
            Self::Filter(inner, _)
            | Self::TakeWhile(inner, ..)
            | Self::SkipWhile(inner, ..)
            | Self::Inspect(inner, _)
            | Self::Cloned(inner)
            | Self::Rev(inner)
            | Self::StepBy(inner, ..)
            | Self::Skip(inner, _)
            | Self::Take(inner, _)
            | Self::Cycle(_, inner)
            | Self::Peekable(inner, _)
            | Self::Ended(inner)
            | Self::Chain(Some(inner), _)
            | Self::Chain(None, Some(inner)) => inner.element(),
            Self::Map(..)
            | Self::FilterMap(..)
            | Self::FlatMap(..)
            | Self::MapWhile(..)
            | Self::Scan(..)
            | Self::FromFn(..)
            | Self::Own(_)
            | Self::Successors(None, _)
            | Self::Chain(None, None) => Ty::Unknown,
        }
    }

    /// Returns the iterators of which it consists.
    fn inner(&self) -> [Option<&Self>; 2] {
        match self {
            Self::Map(inner, _)
            | Self::Filter(inner, _)
            | Self::FilterMap(inner, _)
            | Self::TakeWhile(inner, ..)
            | Self::MapWhile(inner, _)
            | Self::SkipWhile(inner, ..)
            | Self::Inspect(inner, _)
            | Self::Scan(inner, ..)
            | Self::Cloned(inner)
            | Self::Enumerate(inner, _)
            | Self::Rev(inner)
            | Self::StepBy(inner, ..)
            | Self::Skip(inner, _)
            | Self::Take(inner, _)
            | Self::Ended(inner)
            | Self::Peekable(inner, _) => [Some(&**inner), None],
            Self::FlatMap(inner, now, _) => [Some(&**inner), now.as_deref()],
            Self::Zip(a, b) => [Some(&**a), Some(&**b)],
            Self::Chain(a, b) => [a.as_deref(), b.as_deref()],
            Self::Cycle(all, now) => [Some(&**all), Some(&**now)],
            _ => [None, None],
        }
    }

    /// Returns the closure of an adaptor.
    const fn closure(&self) -> Option<&Value> {
        match self {
            Self::Map(_, f)
            | Self::Filter(_, f)
            | Self::FilterMap(_, f)
            | Self::FlatMap(_, _, Some(f))
            | Self::TakeWhile(_, f, _)
            | Self::MapWhile(_, f)
            | Self::SkipWhile(_, f, _)
            | Self::Inspect(_, f)
            | Self::Scan(_, f, _)
            | Self::FromFn(f, _)
            | Self::Successors(_, f) => Some(f),
            _ => None,
        }
    }

    /// Calls `visit` on every value in it: elements, closures, and the word of [`Self::Count`].
    pub fn values(&self, visit: &mut dyn FnMut(&Value)) {
        match self {
            Self::Items {
                values,
                front,
                back,
                ..
            } => {
                let left = values.get(*front..*back).unwrap_or_default();
                left.iter().for_each(&mut *visit);
            }
            Self::Count(word) => visit(&Value::Count(*word)),
            Self::Repeat(value)
            | Self::Own(value)
            | Self::Scan(_, _, value)
            | Self::Peekable(_, Some(Some(value)))
            | Self::Successors(Some(value), _) => visit(value),
            _ => {}
        }
        self.closure().into_iter().for_each(&mut *visit);
        let inner = self.inner().into_iter().flatten();
        inner.for_each(|inner| inner.values(visit));
    }

    /// Returns whether it has values of its own, and not references to them, that are such. Those of
    /// a list are given as an array.
    pub fn gives(&self, test: &dyn Fn(&Value) -> bool) -> bool {
        let own = match self {
            Self::Items {
                values,
                held: Held::Owned,
                ..
            } => test(&Value::Array(values.clone())),
            Self::Repeat(value)
            | Self::Own(value)
            | Self::Scan(_, _, value)
            | Self::Peekable(_, Some(Some(value)))
            | Self::Successors(Some(value), _) => test(value),
            _ => false,
        };
        let mut inner = self.inner().into_iter().flatten();
        own || inner.any(|inner| inner.gives(test))
    }

    /// Returns whether taking an element may call a closure, or a function of the program.
    fn calls(&self) -> bool {
        let mut inner = self.inner().into_iter().flatten();
        self.closure().is_some() || matches!(self, Self::Own(_)) || inner.any(Self::calls)
    }

    /// Returns whether an iterator in it has said `None`, and may go on. `peek` remembers a `None`.
    fn has_ended(&self) -> bool {
        let mut inner = self.inner().into_iter().flatten();
        match self {
            Self::Ended(_) => true,
            Self::Peekable(_, Some(None)) => false,
            _ => inner.any(Self::has_ended),
        }
    }

    /// Returns the number of elements, if it is known without taking them.
    pub fn length(&self) -> Option<u64> {
        match self {
            Self::Items { front, back, .. } => Some(back.saturating_sub(*front) as u64),
            Self::Range { next, end, .. } => {
                u64::try_from((*end)?.saturating_sub(*next).max(0)).ok()
            }
            Self::Map(inner, _)
            | Self::Inspect(inner, _)
            | Self::Cloned(inner)
            | Self::Enumerate(inner, _)
            | Self::Rev(inner) => inner.length(),
            Self::Zip(a, b) => Some(a.length()?.min(b.length()?)),
            Self::Chain(a, b) => {
                let length = |part: &Option<Box<Self>>| match part {
                    Some(part) => part.length(),
                    None => Some(0),
                };
                length(a)?.checked_add(length(b)?)
            }
            Self::StepBy(inner, step, true) => Some(inner.length()?.div_ceil(*step)),
            Self::StepBy(inner, step, false) => Some(inner.length()? / *step),
            Self::Skip(inner, skipped) => Some(inner.length()?.saturating_sub(*skipped)),
            Self::Take(inner, taken) => Some(inner.length()?.min(*taken)),
            Self::Peekable(_, Some(None)) => Some(0),
            Self::Peekable(inner, seen) => inner.length()?.checked_add(u64::from(seen.is_some())),
            _ => None,
        }
    }
}
