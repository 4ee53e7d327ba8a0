//! Loops. They are unrolled at compile time where possible, and otherwise emitted.

mod run_time;

use std::rc::Rc;

use super::assertion::Condition;
use super::place::Place;
use super::*;
use crate::compiler::resolve::Head;
use crate::compiler::value::Held;

/// Returns whether a loop of this label goes on after its body, or the value with which it ends. A
/// jump to another is handed on.
fn after_body(result: Eval<Value>, label: Option<Label>) -> Eval<Option<Value>> {
    match result {
        Ok(_) => Ok(None),
        Err(Flow::Continue(to)) if to.is_none() || to == label => Ok(None),
        Err(Flow::Break(to, value)) if to.is_none() || to == label => Ok(Some(value)),
        Err(other) => Err(other),
    }
}

impl Evaluator<'_> {
    pub(super) fn while_loop(
        &mut self,
        condition: &Expr,
        body: &Block,
        label: Option<Label>,
        span: Span,
    ) -> Eval<Value> {
        let mut number = 0;
        loop {
            self.charge(1, span)?;
            let mark = self.here().vars.len();
            match self.condition(condition)? {
                Condition::Known(true) => {}
                Condition::Known(false) => {
                    self.here().vars.truncate(mark);
                    return Ok(Value::unit());
                }
                _ => {
                    let message = "the condition of a `while` loop must be known at compile time";
                    let help = "write `for i in count(N)` or `for i in count_to(n)`";
                    return fail_help(condition.span, message, help);
                }
            }
            let result = self.iteration(body, &mut number, span);
            self.here().vars.truncate(mark);
            if after_body(result, label)?.is_some() {
                return Ok(Value::unit());
            }
        }
    }

    /// Evaluates `loop`. Its value is that of the `break` which ends it.
    pub(super) fn loop_expr(
        &mut self,
        body: &Block,
        label: Option<Label>,
        span: Span,
    ) -> Eval<Value> {
        let mark = self.here().vars.len();
        let mut number = 0;
        loop {
            self.charge(1, span)?;
            let result = self.iteration(body, &mut number, span);
            self.here().vars.truncate(mark);
            if let Some(value) = after_body(result, label)? {
                return Ok(value);
            }
        }
    }

    pub(super) fn for_loop(
        &mut self,
        pattern: &Pattern,
        iterator: &Expr,
        body: &Block,
        label: Option<Label>,
        span: Span,
    ) -> Eval<Value> {
        let kept = self.kept_iterator(iterator)?;
        let mut iter = match &kept {
            Some(_) => Iter::items(Rc::default(), Held::Owned),
            None => {
                let value = self.moved(iterator, Ty::Unknown)?;
                let iter = self.iterate(value, iterator.span)?;
                match iter.counted() {
                    Ok((count, maps)) => {
                        self.counted_loop(count, maps, Vec::new(), span, |this, value, _| {
                            this.bind(pattern, value)?;
                            this.body(body, span)
                        })?;
                        return Ok(Value::unit());
                    }
                    Err(iter) => iter,
                }
            }
        };
        let plain = match iter {
            Iter::Items { .. } | Iter::Range { .. } => iter.length(),
            _ => None,
        };
        self.charge(plain.unwrap_or(0), span)?;
        let mut number = 0;
        loop {
            let item = match &kept {
                Some(place) => {
                    let value = self.take_place(place)?;
                    let mut iter = self.iterate(value, iterator.span)?;
                    let item = self.next(&mut iter, span)?;
                    self.write_back(place, iter.into_value())?;
                    item
                }
                None if plain.is_some() => self.pull(&mut iter, false, span)?,
                None => self.next(&mut iter, span)?,
            };
            let Some(item) = item else {
                return Ok(Value::unit());
            };
            let mark = self.here().vars.len();
            self.bind(pattern, item)?;
            let result = self.iteration(body, &mut number, span);
            self.here().vars.truncate(mark);
            if after_body(result, label)?.is_some() {
                return Ok(Value::unit());
            }
        }
    }

    /// Evaluates the body of a loop that is unrolled, for its iteration of this number.
    fn iteration(&mut self, body: &Block, number: &mut u64, span: Span) -> Eval<Value> {
        self.builder.enter_iteration(span, *number);
        *number += 1;
        let result = self.body(body, span);
        self.builder.leave_iteration();
        result
    }

    /// Evaluates the body of a loop, whose value is `()`.
    fn body(&mut self, body: &Block, span: Span) -> Eval<Value> {
        let value = self.block(body)?;
        self.check_unit(&value, span)?;
        Ok(value)
    }

    /// Returns whether a method of lists or iterators may be the program's.
    fn may_be_of_program(&self, name: Symbol) -> bool {
        let methods = &self.items.methods;
        let mut heads = [Head::Array, Head::Any].into_iter();
        heads.any(|head| methods.contains_key(&(head, name)))
    }

    /// Returns the place of an iterator that a loop has by `&mut`.
    fn kept_iterator(&mut self, expr: &Expr) -> Eval<Option<Place>> {
        let inner: &Expr = match &expr.kind {
            ExprKind::RefMut(inner) => inner,
            ExprKind::MethodCall(receiver, name, _, _)
                if *name == "by_ref" && !self.may_be_of_program(*name) =>
            {
                receiver
            }
            _ if self.is_mutable_reference(expr) => expr,
            _ => return Ok(None),
        };
        match self.glance(inner) {
            Some(Value::Iter(_) | Value::Range(..) | Value::From(..)) => Ok(self.borrow(inner)?.1),
            Some(value) if self.is_own_iterator(&value) => Ok(self.borrow(inner)?.1),
            _ => Ok(None),
        }
    }
}
