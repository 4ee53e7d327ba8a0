//! Taking elements, as the standard library defines it for each adaptor.

use super::counted::COUNTED;
use super::*;
use crate::compiler::eval::carry::paired;

fn not_promised<T>(what: &str, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("{what} depends on the standard library's version"),
        "let the closure only compute, or write a `for` loop",
    )
}

impl Evaluator<'_> {
    /// Returns the iterator over a value.
    pub(in super::super) fn iterate(&mut self, value: Value, span: Span) -> Eval<Iter> {
        let (next, end, ty) = match value {
            Value::Iter(iter) if iter.has_ended() => return after_end(span),
            Value::Iter(iter) => return Ok(Rc::unwrap_or_clone(iter)),
            Value::Count(word) => return Ok(Iter::Count(word)),
            Value::Reference(reference) => return self.iterate_reference(&reference, span),
            Value::Array(values) => return Ok(Iter::items(values, Held::Owned)),
            Value::Vec(values, held) => return Ok(Iter::items(values, held)),
            Value::Range(next, end, ty) => (next, Some(end), ty),
            Value::From(next, ty) => (next, None, ty),
            other => {
                let held = match (self.as_option(&other), self.as_result(&other)) {
                    (Some(held), _) => held,
                    (_, Some(held)) => held.ok(),
                    (None, None) => return self.iterate_own(other, span),
                };
                let values = held.into_iter().collect();
                return Ok(Iter::items(Rc::new(values), Held::Owned));
            }
        };
        // What they have between them are no `char`s.
        if ty == Some(IntType::Char) && next < 0xE000 && end.is_none_or(|end| end > 0xD800) {
            let message = "ranges of `char` from below U+D800 to beyond it are not in the subset";
            return fail(span, message);
        }
        Ok(Iter::Range { next, end, ty })
    }

    /// Takes the next element.
    pub(in super::super) fn next(&mut self, iter: &mut Iter, span: Span) -> Eval<Option<Value>> {
        self.charge(1, span)?;
        self.pull(iter, false, span)
    }

    /// Takes an element, the last one or the first, as the standard library defines it for each
    /// adaptor.
    pub(in super::super) fn pull(
        &mut self,
        iter: &mut Iter,
        last: bool,
        span: Span,
    ) -> Eval<Option<Value>> {
        let found = match iter {
            Iter::Items {
                values,
                front,
                back,
                held,
            } => {
                if *front >= *back {
                    return Ok(None);
                }
                let index = if last {
                    *back -= 1;
                    *back
                } else {
                    *front += 1;
                    *front - 1
                };
                values.get(index).map(|value| self.part(value, *held))
            }
            Iter::Range { next, end, ty } => match end {
                Some(end) if *next >= *end => None,
                Some(end) if last => {
                    *end -= 1;
                    Some(Value::Int(*end, *ty))
                }
                None if last => return no_end(span),
                end => {
                    let value = *next;
                    let Some(after) = value.checked_add(1) else {
                        return integer::beyond(span);
                    };
                    *next = after;
                    // Rust computes the next element, too.
                    if end.is_none() {
                        self.fitting(*next, *ty, span)?;
                    }
                    Some(Value::Int(value, *ty))
                }
            },
            Iter::Count(_) => {
                let message = "the number of these elements is known only in a run";
                return fail_help(span, message, COUNTED);
            }
            Iter::Map(inner, f) => match self.pull(inner, last, span)? {
                Some(value) => Some(self.call_closure(f, vec![value], span)?),
                None => None,
            },
            Iter::Inspect(inner, f) => match self.pull(inner, last, span)? {
                Some(value) => {
                    let shared = self.shared(value.clone());
                    self.call_closure(f, vec![shared], span)?;
                    Some(value)
                }
                None => None,
            },
            Iter::Cloned(inner) => match self.pull(inner, last, span)? {
                Some(value) => Some(self.clone_of(value, span)?),
                None => None,
            },
            Iter::Filter(inner, f) => loop {
                self.charge(1, span)?;
                match self.pull(inner, last, span)? {
                    Some(value) if !self.test(f, &value, span)? => {}
                    found => break found,
                }
            },
            Iter::FilterMap(inner, f) => loop {
                self.charge(1, span)?;
                let Some(value) = self.pull(inner, last, span)? else {
                    break None;
                };
                if let Some(found) = self.apply_option(f, value, span)? {
                    break Some(found);
                }
            },
            Iter::Rev(inner) => self.pull(inner, !last, span)?,
            Iter::Enumerate(inner, number) => {
                let Some(value) = self.pull(inner, last, span)? else {
                    return Ok(None);
                };
                let at = match inner.length() {
                    Some(left) if last => number.saturating_add(left),
                    None if last => return no_end(span),
                    _ => {
                        *number += 1;
                        *number - 1
                    }
                };
                Some(pair(index(at), value))
            }
            Iter::Zip(a, b) => return self.pull_both(a, b, last, span),
            Iter::Chain(a, b) => {
                let (first, second) = if last { (b, a) } else { (a, b) };
                if let Some(inner) = first {
                    let value = self.pull(inner, last, span)?;
                    if value.is_some() {
                        return Ok(value);
                    }
                    *first = None;
                }
                match second {
                    Some(inner) => self.pull(inner, last, span)?,
                    None => None,
                }
            }
            Iter::StepBy(inner, step, first) => {
                let begins = *first;
                let skipped = match inner.length() {
                    Some(left) if last => match (left % *step, *first) {
                        (0, true) => *step - 1,
                        (rest, true) => rest - 1,
                        (rest, false) => rest,
                    },
                    None if last => return no_end(span),
                    _ if std::mem::take(first) => 0,
                    _ => *step - 1,
                };
                let found = self.nth(inner, skipped, last, span)?;
                // Some methods of the standard library go on if there is no first element.
                if begins && found.is_none() && inner.has_ended() {
                    return after_end(span);
                }
                found
            }
            Iter::Skip(inner, skipped) if last => match inner.length() {
                Some(left) if left > *skipped => self.pull(inner, true, span)?,
                Some(_) => None,
                None => return no_end(span),
            },
            Iter::Skip(inner, skipped) => {
                let skipped = std::mem::take(skipped);
                self.nth(inner, skipped, false, span)?
            }
            Iter::Take(_, 0) => None,
            Iter::Take(inner, taken) => {
                let skipped = match inner.length() {
                    Some(left) if last => left.saturating_sub(*taken),
                    None if last => return no_end(span),
                    _ => 0,
                };
                *taken -= 1;
                self.nth(inner, skipped, last, span)?
            }
            Iter::Peekable(inner, seen) => match seen.take() {
                None => self.pull(inner, last, span)?,
                Some(value) if !last => value,
                Some(None) => {
                    *seen = Some(None);
                    None
                }
                Some(value) => match self.pull(inner, true, span)? {
                    Some(found) => {
                        *seen = Some(value);
                        Some(found)
                    }
                    None => {
                        *seen = Some(None);
                        value
                    }
                },
            },
            Iter::Repeat(value) => {
                let value = value.clone();
                Some(self.clone_of(value, span)?)
            }
            _ if last => return no_end(span),
            Iter::FlatMap(inner, now, f) => loop {
                self.charge(1, span)?;
                if let Some(now) = now {
                    let value = self.pull(now, false, span)?;
                    if value.is_some() {
                        break value;
                    }
                }
                *now = None;
                let Some(value) = self.pull(inner, false, span)? else {
                    **inner = Iter::items(Rc::default(), Held::Owned);
                    break None;
                };
                let value = match f {
                    Some(f) => self.call_closure(f, vec![value], span)?,
                    None => value,
                };
                *now = Some(Box::new(self.iterate(value, span)?));
            },
            Iter::TakeWhile(_, _, true) => None,
            Iter::TakeWhile(inner, f, ended) => match self.pull(inner, false, span)? {
                Some(value) if !self.test(f, &value, span)? => {
                    *ended = true;
                    None
                }
                value => value,
            },
            Iter::MapWhile(inner, f) => match self.pull(inner, false, span)? {
                Some(value) => self.apply_option(f, value, span)?,
                None => None,
            },
            Iter::Scan(inner, f, state) => match self.pull(inner, false, span)? {
                Some(value) => {
                    let state = std::slice::from_mut(state);
                    let result = self.call_changing(f, state, vec![value], span)?;
                    self.optional_of(&result, span)?
                }
                None => None,
            },
            Iter::SkipWhile(inner, f, taken) => loop {
                self.charge(1, span)?;
                match self.pull(inner, false, span)? {
                    Some(value) if !*taken && self.test(f, &value, span)? => {}
                    Some(value) => {
                        *taken = true;
                        break Some(value);
                    }
                    None => break None,
                }
            },
            Iter::Cycle(all, now) => match self.pull(now, false, span)? {
                Some(value) => Some(value),
                None => {
                    **now = Iter::clone(all);
                    self.pull(now, false, span)?
                }
            },
            Iter::Successors(next, f) => match next.take() {
                Some(value) => {
                    let shared = self.shared(value.clone());
                    *next = self.apply_option(f, shared, span)?;
                    Some(value)
                }
                None => None,
            },
            Iter::Own(value) => self.next_of(value, span)?,
            Iter::FromFn(f, optional) => {
                let result = self.call_closure(f, Vec::new(), span)?;
                if *optional {
                    self.optional_of(&result, span)?
                } else {
                    Some(result)
                }
            }
            Iter::Ended(_) => return after_end(span),
        };
        let may_go_on = matches!(
            iter,
            Iter::MapWhile(..) | Iter::Scan(..) | Iter::Own(_) | Iter::FromFn(..)
        );
        if may_go_on && found.is_none() {
            let empty = Iter::items(Rc::default(), Held::Owned);
            *iter = Iter::Ended(Box::new(std::mem::replace(iter, empty)));
        }
        Ok(found)
    }

    /// Takes an element of each of two iterators. The standard library may or may not take one more
    /// of the longer iterator, so this may do nothing else.
    fn pull_both(
        &mut self,
        a: &mut Iter,
        b: &mut Iter,
        last: bool,
        span: Span,
    ) -> Eval<Option<Value>> {
        const LONGER: &str = "what the longer side of this `zip` does after the end of the other";
        if last {
            let (Some(left), Some(right)) = (a.length(), b.length()) else {
                return no_end(span);
            };
            let (longer, surplus) = if left > right {
                (&mut *a, left - right)
            } else {
                (&mut *b, right - left)
            };
            if surplus > 0 && longer.calls() {
                self.pure(LONGER, span, |this| {
                    this.advance(longer, surplus, true, span)
                })?;
            } else {
                self.advance(longer, surplus, true, span)?;
            }
        }
        let (first, only_computes) = match b.length() {
            Some(0) | None if a.calls() => self.watched(span, |this| this.pull(a, last, span))?,
            _ => (self.pull(a, last, span)?, true),
        };
        let Some(first) = first else {
            return Ok(None);
        };
        match self.pull(b, last, span)? {
            Some(second) => Ok(Some(pair(first, second))),
            None if only_computes => Ok(None),
            None => not_promised(LONGER, span),
        }
    }

    /// Skips elements, and takes the one after them.
    pub(in super::super) fn nth(
        &mut self,
        iter: &mut Iter,
        skipped: u64,
        last: bool,
        span: Span,
    ) -> Eval<Option<Value>> {
        if self.advance(iter, skipped, last, span)? {
            self.pull(iter, last, span)
        } else {
            Ok(None)
        }
    }

    /// Skips elements. Returns whether there were so many.
    fn advance(&mut self, iter: &mut Iter, number: u64, last: bool, span: Span) -> Eval<bool> {
        match iter {
            Iter::Items { front, back, .. } => {
                let left = back.saturating_sub(*front);
                let skipped = usize::try_from(number).unwrap_or(usize::MAX).min(left);
                if last {
                    *back -= skipped;
                } else {
                    *front += skipped;
                }
                Ok(number <= left as u64)
            }
            Iter::Range { next, end, .. } if end.is_some() || !last => {
                let number = i128::from(number);
                let left = end.map_or(i128::MAX, |end| end.saturating_sub(*next).max(0));
                let skipped = number.min(left);
                match (end, next.checked_add(skipped)) {
                    (Some(end), _) if last => *end -= skipped,
                    (_, Some(after)) => *next = after,
                    (_, None) => return integer::beyond(span),
                }
                Ok(number <= left)
            }
            Iter::Rev(inner) => self.advance(inner, number, !last, span),
            iter => {
                for _ in 0..number {
                    self.charge(1, span)?;
                    if self.pull(iter, last, span)?.is_none() {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// Returns what a closure says of a reference to a value, a bool that is known here.
    pub(in super::super) fn test(
        &mut self,
        closure: &mut Value,
        value: &Value,
        span: Span,
    ) -> Eval<bool> {
        let shared = self.shared(value.clone());
        match known(self.call_closure(closure, vec![shared], span)?) {
            Value::Bool(value) => Ok(value),
            Value::Flag(_) => fail_help(
                span,
                "which elements are taken must be known at compile time",
                "write a `for` loop with an `if`",
            ),
            other => fail(span, format!("this closure returns a bool, not {other}")),
        }
    }

    /// Returns what the `Option` holds that a closure returns.
    pub(super) fn apply_option(
        &mut self,
        closure: &mut Value,
        value: Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let result = self.call_closure(closure, vec![value], span)?;
        self.optional_of(&result, span)
    }

    /// Returns what the `Option` holds that a closure has returned.
    pub(super) fn optional_of(&self, result: &Value, span: Span) -> Eval<Option<Value>> {
        match self.as_option(result) {
            Some(held) => Ok(held),
            None => fail(
                span,
                format!("this closure returns an `Option`, not {result}"),
            ),
        }
    }

    /// Returns a clone of what a reference refers to.
    pub(in super::super) fn clone_of(&mut self, value: Value, span: Span) -> Eval<Value> {
        let value = self.seen(value, span)?;
        self.walk(&value, span)?;
        self.can_copy(&value, span)?;
        self.can_clone(&value, span)?;
        Ok(self.cloned(value))
    }

    /// Runs code of which the standard library does not say how often, or in which order, it runs.
    /// So it may change nothing, and emit nothing.
    pub(in super::super) fn pure<T>(
        &mut self,
        what: &str,
        span: Span,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        match self.watched(span, body)? {
            (result, true) => Ok(result),
            _ => not_promised(what, span),
        }
    }

    /// Runs code. Also returns whether it changes nothing, and emits nothing.
    fn watched<T>(
        &mut self,
        span: Span,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<(T, bool)> {
        let emitted = self.builder.emitted();
        let before = self.here().vars.clone();
        self.charge(before.len() as u64, span)?;
        let result = body(self)?;
        let only_computes = self.builder.emitted() == emitted
            && paired(&before, &self.here().vars).all(|(_, a, b)| same(a, b));
        Ok((result, only_computes))
    }
}
