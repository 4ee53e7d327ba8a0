//! Loops. They are unrolled at compile time where possible, and otherwise emitted.

mod run_time;

use std::rc::Rc;

use super::assertion::Condition;
use super::place::Place;
use super::*;
use crate::compiler::resolve::Head;
use crate::compiler::value::Held;

/// A loop over the elements of a list by `&mut`.
struct Elements {
    list: Place,
    /// Yields indices of elements where Rust has references to them.
    iter: Iter,
    /// Where in what it yields the index is: fields of pairs, from the outermost on.
    fields: Vec<usize>,
}

/// Returns the name that a pattern gives to the element which is there, if it gives it one: `None`
/// for `_`. Returns nothing for patterns of its parts, or of what it is a part of.
fn name_of_element(pattern: &Pattern, fields: &[usize]) -> Option<Option<Symbol>> {
    match (&pattern.kind, fields) {
        (PatternKind::Wild, _) => Some(None),
        (PatternKind::Bind(name), []) => Some(Some(*name)),
        (PatternKind::Tuple(elements), [field, rest @ ..]) => {
            let mut patterns = elements.patterns.iter().enumerate();
            match patterns.find(|(number, _)| elements.position(*number, 2) == *field) {
                Some((_, pattern)) => name_of_element(pattern, rest),
                None => Some(None),
            }
        }
        _ => None,
    }
}

/// Replaces what is there in nested pairs, and returns it.
fn replace_field(value: &mut Value, fields: &[usize], new: Value) -> Value {
    match (fields, &mut *value) {
        ([field, rest @ ..], Value::Tuple(values)) if *field < values.len() => {
            replace_field(&mut Rc::make_mut(values)[*field], rest, new)
        }
        _ => std::mem::replace(value, new),
    }
}

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
        if let Some(elements) = self.mutable_elements(iterator)? {
            return self.for_elements(pattern, elements, body, label, span);
        }
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
            _ => Ok(None),
        }
    }

    /// Returns what a loop over `&mut list`, `list.iter_mut()`, or adaptors of it takes.
    fn mutable_elements(&mut self, expr: &Expr) -> Eval<Option<Elements>> {
        let list: &Expr = match &expr.kind {
            ExprKind::RefMut(inner) => inner,
            ExprKind::MethodCall(_, name, _, _) if self.may_be_of_program(*name) => {
                return Ok(None);
            }
            ExprKind::MethodCall(list, name, _, _) if *name == "iter_mut" => list,
            ExprKind::MethodCall(list, name, _, _)
                if *name == "into_iter" && self.is_mutable_reference(list) =>
            {
                match &list.kind {
                    ExprKind::RefMut(inner) => inner,
                    _ => list,
                }
            }
            ExprKind::MethodCall(inner, name, _, given) => {
                let text = name.text();
                let field = match &*text {
                    "enumerate" => Some(1),
                    "zip" => Some(0),
                    "rev" | "skip" | "step_by" | "take" => None,
                    _ => return Ok(None),
                };
                let Some(mut elements) = self.mutable_elements(inner)? else {
                    return Ok(None);
                };
                let mut values = Vec::with_capacity(given.len());
                for argument in given {
                    if self.is_mutable_reference(argument) {
                        let message = "only the first of these iterators may be by `&mut`";
                        return fail_help(argument.span, message, "loop over the indices");
                    }
                    let ty = match field {
                        None => Ty::USIZE,
                        Some(_) => Ty::Unknown,
                    };
                    values.push(self.moved(argument, ty)?);
                }
                elements.iter = self.adapt(elements.iter, &text, values, expr.span)?;
                if let Some(field) = field {
                    elements.fields.insert(0, field);
                }
                return Ok(Some(elements));
            }
            _ if self.is_mutable_reference(expr) => expr,
            _ => return Ok(None),
        };
        let whole: &Expr = match &list.kind {
            ExprKind::Index(base, index) if matches!(index.kind, ExprKind::Range(..)) => base,
            _ => list,
        };
        if !matches!(self.glance(whole), Some(Value::Array(_) | Value::Vec(..))) {
            return Ok(None);
        }
        let (value, place) = self.borrow(list)?;
        let (Some(values), Some(list)) = (value.elements(), place) else {
            return Ok(None);
        };
        let iter = Iter::Range {
            next: 0,
            end: Some(values.len() as i128),
            ty: Some(IntType::Usize),
        };
        Ok(Some(Elements {
            list,
            iter,
            fields: Vec::new(),
        }))
    }

    /// Runs a loop over elements by `&mut`. Each is moved into its variable, and back.
    fn for_elements(
        &mut self,
        pattern: &Pattern,
        mut elements: Elements,
        body: &Block,
        label: Option<Label>,
        span: Span,
    ) -> Eval<Value> {
        let fields = elements.fields;
        let Some(name) = name_of_element(pattern, &fields) else {
            return fail_help(
                pattern.span,
                "a mutable reference to an element needs a name of its own here",
                "write `for x in` or `for (i, x) in`, and change `*x` or its fields",
            );
        };
        let mut number = 0;
        while let Some(mut item) = self.next(&mut elements.iter, span)? {
            let index = replace_field(&mut item, &fields, Value::unit());
            let index = self.integer(&index, span)?;
            let place = elements.list.element(index as usize);
            let mark = self.here().vars.len();
            if name.is_some() {
                let value = self.take_place(&place)?;
                replace_field(&mut item, &fields, value);
            }
            self.bind(pattern, item)?;
            let slot = name.and_then(|name| self.here().vars.find(name));
            self.here().borrowed.extend(slot);
            let result = self.iteration(body, &mut number, span);
            if let Err(Flow::Fail(_)) = result {
                return result;
            }
            if let Some(slot) = slot {
                let here = self.here();
                here.borrowed.pop();
                let value = std::mem::replace(&mut here.vars[slot], Value::LENT);
                self.write_back(&place, value)?;
            }
            self.here().vars.truncate(mark);
            if after_body(result, label)?.is_some() {
                break;
            }
        }
        Ok(Value::unit())
    }
}
