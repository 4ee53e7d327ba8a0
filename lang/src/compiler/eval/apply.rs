//! Calls of closures, and what becomes of their changes.

use std::cell::RefCell;
use std::rc::Rc;

use super::change::{changed_there, given_back, unchanged, updated};
use super::closure::{Captured, Scope, travels};
use super::invoke::{Argument, Loan};
use super::iterator::same;
use super::place::Located;
use super::reference::send_home;
use super::*;
use crate::compiler::value::{ClosureValue, Code};

/// An argument, and whether it is passed by `&mut`.
type Passed = (Value, bool);

/// What the call of a closure has: last, what mutable references in the others refer to.
struct Given {
    captures: Vec<Value>,
    arguments: Vec<Passed>,
    lent: Vec<Value>,
}

/// Refuses a change of a captured variable that would be lost.
fn lost<T>(name: Symbol, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("a closure that changes `{name}` is called where the change would be lost"),
        "call it in the function that made it, or pass it as an argument itself",
    )
}

/// Refuses a change of a variable that is not what the closure has captured: this was moved.
fn moved_away<T>(name: Symbol, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("`{name}` has changed since this closure was made, which changes its own `{name}`"),
        "write `move` before the closure, or give one of both another name",
    )
}

fn no_function<T>(value: &Value, span: Span) -> Eval<T> {
    fail(span, format!("{value} is not a function"))
}

impl Evaluator<'_> {
    /// Calls a closure, and keeps in it what it changed of its captures.
    pub(super) fn call_closure(
        &mut self,
        closure: &mut Value,
        arguments: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        self.call_changing(closure, &mut [], arguments, span)
    }

    /// Like [`Self::call_closure`], for a closure that takes its first arguments by `&mut`.
    pub(super) fn call_changing(
        &mut self,
        closure: &mut Value,
        changed: &mut [Value],
        others: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let mutable = changed.len();
        let taken = changed.iter_mut();
        let taken = taken.map(|value| std::mem::replace(value, Value::LENT));
        let arguments: Vec<Value> = taken.chain(others).collect();
        let before: Vec<_> = arguments
            .iter()
            .map(|value| travels(value).then(|| value.clone()))
            .collect();
        let arguments = arguments.into_iter().enumerate();
        let arguments = arguments.map(|(index, value)| (value, index < mutable));
        let (result, finals) = self.apply(closure, arguments.collect(), false, span)?;
        for (before, after) in before.iter().zip(&finals) {
            if let Some(before) = before {
                self.come_home(before, after, false, span)?;
            }
        }
        for (place, after) in changed.iter_mut().zip(finals) {
            *place = after;
        }
        Ok(result)
    }

    /// Calls what an expression denotes.
    pub(super) fn call_value(
        &mut self,
        callee: &Expr,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let (mut closure, place) = match self.locate(callee)? {
            Located::Place(place) => (self.read_place(&place)?, Some(place)),
            Located::Value(value) => (value, None),
        };
        let (values, loans) = self.passed(&closure, arguments, span)?;
        if let Some(place) = &place
            && !same(&self.read_place(place)?, &closure)
        {
            let message = "the arguments of this call change what is called";
            return fail_help(span, message, "evaluate them before it, with `let`");
        }
        let variable = place.as_ref().filter(|place| place.steps().is_empty());
        let variable = variable.map(|place| place.variable);
        // It may be called as `FnOnce`, and be `Copy`.
        let called = self.may_copy_callee()?.then(|| closure.clone());
        let before = match variable {
            // Nothing else has the closure now, so what it captured is changed without a copy.
            Some(variable) => {
                self.here().vars[variable] = Value::LENT;
                None
            }
            None => Some(closure.clone()),
        };
        let kept = variable.is_some_and(|variable| self.here().lent.contains(&variable));
        let (mut result, mut finals) = self.apply(&mut closure, values, kept, span)?;
        self.translate(&mut result, &mut finals, &loans);
        if let Some(called) = called
            && !unchanged(&given_back(&called, &closure), &closure)
        {
            return fail_help(
                span,
                "this closure changes what it has itself, and may be a copy: it is `FnOnce` and `Copy`",
                "bound it by `FnMut` and not by `FnOnce`",
            );
        }
        match (variable, place, before) {
            (Some(variable), ..) => self.here().vars[variable] = closure,
            (None, Some(place), Some(before)) if !unchanged(&before, &closure) => {
                self.write_back(&place, closure)?;
            }
            _ => {}
        }
        self.take_back(loans, finals, span)?;
        Ok(result)
    }

    /// Evaluates the arguments of a closure.
    fn passed(
        &mut self,
        closure: &Value,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<(Vec<Passed>, Vec<Loan>)> {
        let Value::Closure(of) = closure else {
            return no_function(closure, span);
        };
        let types = of.types.clone();
        let mut all = Vec::with_capacity(arguments.len());
        let mut by_mutable_reference = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let declared = match &of.code {
                Code::Closure(code) => code.params.get(index),
                Code::Path(_) => None,
            };
            let mutable = declared.is_some_and(|param| param.mutable_reference)
                || !argument.reference && self.is_mutable_reference(argument);
            let ty = types.borrow().get(index).cloned().unwrap_or(Ty::Unknown);
            all.push(if mutable {
                let (value, place) = self.borrow(argument)?;
                Argument::new(value, place)
            } else if argument.reference {
                Argument::new(self.expr_of(argument, ty)?, None)
            } else {
                self.by_value(argument, ty)?
            });
            by_mutable_reference.push(mutable);
        }
        let (values, loans) = self.lend(all)?;
        let values = values.into_iter().zip(by_mutable_reference);
        Ok((values.collect(), loans))
    }

    /// Calls a closure, and keeps in it what it changed of its captures. `kept` says that the caller
    /// keeps the closure until it is where it was made. Also returns the final values of arguments
    /// that are passed by `&mut`, and of closures.
    fn apply(
        &mut self,
        closure: &mut Value,
        arguments: Vec<Passed>,
        kept: bool,
        span: Span,
    ) -> Eval<(Value, Vec<Value>)> {
        let Value::Closure(of) = closure else {
            return no_function(closure, span);
        };
        let of = Rc::make_mut(of);
        let (code, scope, types) = (of.code.clone(), of.scope.clone(), of.types.clone());
        let captures = std::mem::take(&mut of.captures);
        let at_home = of.home == Some(self.here().number);
        // What only the variable and the closure have is taken out of the variable, so that it is
        // changed without a copy.
        let mut taken = Vec::new();
        let mut before = Vec::with_capacity(captures.len());
        for (index, captured) in scope.captured.iter().enumerate() {
            let (slot, value) = (of.slots[index], &captures[index]);
            if !captured.by_reference {
                before.push(Value::LENT);
                continue;
            }
            let here = self.here();
            let mut assigned = here.assigned.since(captured.birth, captured.since);
            let is_assigned = assigned.next().is_some();
            let vars = &mut here.vars;
            let one = at_home
                && vars.birth(slot) == Some(captured.birth)
                && !is_assigned
                && !matches!(value, Value::Closure(_))
                && value.parts().is_some_and(|parts| {
                    let there = vars[slot].parts();
                    !parts.is_empty() && there.is_some_and(|there| std::ptr::eq(parts, there))
                });
            before.push(if one {
                vars[slot] = Value::LENT;
                taken.push(index);
                Value::LENT
            } else {
                value.clone()
            });
        }
        // What mutable references refer to is in variables of the call.
        let count = arguments.len();
        let (mut values, mutable): (Vec<_>, Vec<_>) = arguments.into_iter().unzip();
        values.extend(captures);
        let lent = self.lend_references(&mut values, count, span)?;
        let (places, lent): (Vec<_>, Vec<_>) = lent.into_iter().unzip();
        let given = Given {
            captures: values.split_off(count),
            arguments: values.into_iter().zip(mutable).collect(),
            lent,
        };
        self.check_call(span)?;
        let site = self.activations.last().map_or(0, |here| here.site);
        let activation = Activation {
            // None of its variables is around these blocks.
            scopes: scope.blocks.iter().map(|module| (*module, 0)).collect(),
            generics: scope.generics.clone(),
            self_type: scope.self_type.clone(),
            function: scope.function.clone(),
            owner: scope.owner,
            site,
            ..Activation::new(scope.module)
        };
        let (mut result, mut finals, mut captures) = match &code {
            Code::Closure(code) => {
                self.sites.push(Site {
                    parent: Some(site),
                    function: "closure".to_owned(),
                    call: span,
                });
                let activation = Activation {
                    in_closure: true,
                    output: code.output.clone(),
                    site: self.sites.len() as u32 - 1,
                    ..activation
                };
                self.in_activation(activation, span, |this| {
                    let (arguments, lent) = this.receive(&scope, given);
                    this.run_closure(code, &scope, arguments, lent, &types, span)
                })?
            }
            Code::Path(path) => {
                let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
                self.in_activation(activation, span, |this| {
                    let (arguments, lent) = this.receive(&scope, given);
                    this.run_path(path, &scope, arguments, lent, expected, span)
                })?
            }
        };
        if self.has_reference(&result) {
            // A reference to what is captured by reference is one to the variable.
            let homes = scope.captured.iter().zip(of.slots.iter());
            let homes = homes.map(|(captured, slot)| {
                let home = of.home.filter(|_| captured.by_reference)?;
                Some((home, captured.birth, *slot))
            });
            send_home(
                &mut result,
                count + places.len(),
                &homes.collect::<Vec<_>>(),
            );
        }
        let returned = finals.split_off(count);
        let place_of = |number: usize| places.get(number.checked_sub(count)?).cloned();
        self.take_references(std::slice::from_mut(&mut result), place_of);
        self.take_references(&mut finals, place_of);
        self.take_references(&mut captures, place_of);
        for (place, value) in places.iter().zip(returned) {
            self.write_back(place, value)?;
        }
        for index in taken {
            before[index].clone_from(&captures[index]);
            self.here().vars[of.slots[index]].clone_from(&captures[index]);
        }
        let before = ClosureValue {
            captures: before,
            ..of.clone()
        };
        of.captures = captures;
        self.write_captures(&before, of, kept, span)?;
        Ok((result, finals))
    }

    /// Declares the captured variables in the activation of a closure, and those for mutable
    /// references, of which it returns the numbers.
    fn receive(&mut self, scope: &Scope, given: Given) -> (Vec<Passed>, Vec<usize>) {
        let count = given.arguments.len();
        let (mut values, mutable): (Vec<_>, Vec<_>) = given.arguments.into_iter().unzip();
        self.push_captured(scope, given.captures);
        if given.lent.is_empty() {
            return (values.into_iter().zip(mutable).collect(), Vec::new());
        }
        values.extend(self.final_captures(scope));
        let lent = self.receive_references(&mut values, given.lent, count);
        for (number, value) in values.split_off(count).into_iter().enumerate() {
            self.here().vars[number] = value;
        }
        (values.into_iter().zip(mutable).collect(), lent)
    }

    /// Declares the captured variables in the activation of a closure.
    fn push_captured(&mut self, scope: &Scope, captures: Vec<Value>) {
        let here = self.here();
        for (number, (captured, value)) in scope.captured.iter().zip(captures).enumerate() {
            here.vars.push(captured.name, value);
            if captured.borrowed {
                here.borrowed.push(number);
            }
            if captured.reference {
                here.references.push(number);
            }
            if captured.by_reference {
                here.lent.push(number);
            }
        }
    }

    /// Takes the final values of the captured variables.
    fn final_captures(&mut self, scope: &Scope) -> Vec<Value> {
        let vars = &mut self.here().vars;
        let captured = 0..scope.captured.len();
        captured.map(|number| vars.take_value(number)).collect()
    }

    /// Runs a function that is a value in its activation. Returns what [`Self::run_closure`] does.
    fn run_path(
        &mut self,
        path: &Path,
        scope: &Scope,
        arguments: Vec<Passed>,
        lent: Vec<usize>,
        expected: Ty,
        span: Span,
    ) -> Eval<(Value, Vec<Value>, Vec<Value>)> {
        let mut names = Vec::with_capacity(arguments.len());
        let here = self.here();
        let first = here.vars.len();
        for (number, (value, mutable)) in (first..).zip(arguments) {
            let name = Symbol::new(&number.to_string());
            if mutable {
                here.borrowed.push(number);
            }
            if travels(&value) {
                here.lent.push(number);
            }
            here.vars.push(name, value);
            names.push(Expr::new(ExprKind::Path(Path::of_name(name, span)), span));
        }
        let result = self.call(path, &names, expected, span)?;
        let returned = (first..first + names.len()).chain(lent).map(Some);
        Ok(self.outcome_of_closure(scope, result, returned.collect()))
    }

    /// Runs a closure in its activation. Returns the result, the final values of arguments, and
    /// those of the captured variables.
    fn run_closure(
        &mut self,
        code: &Closure,
        scope: &Scope,
        arguments: Vec<Passed>,
        lent: Vec<usize>,
        types: &RefCell<Vec<Ty>>,
        span: Span,
    ) -> Eval<(Value, Vec<Value>, Vec<Value>)> {
        let (wanted, given) = (code.params.len(), arguments.len());
        if wanted != given {
            let message = format!("the closure takes {wanted} arguments, {given} are given");
            return fail(span, message);
        }
        let mut returned = Vec::with_capacity(given);
        for (index, (param, (value, mutable))) in code.params.iter().zip(arguments).enumerate() {
            let known = types.borrow().get(index).cloned().unwrap_or(Ty::Unknown);
            let value = self.settled(value, &known, span)?;
            self.tell(types, index, value.ty(), span)?;
            self.check_type(&value, &param.ty, span)?;
            returned.push(self.bind_param(param, value, mutable)?);
        }
        returned.extend(lent.into_iter().map(Some));
        let output = types.borrow().last().cloned().unwrap_or(Ty::Unknown);
        self.expected = output.clone();
        let result = match self.expr(&code.body) {
            Ok(value) => {
                self.check_move(&code.body, &value)?;
                value
            }
            Err(Flow::Return(value)) => value,
            Err(other) => return Err(other),
        };
        let result = self.settled(result, &output, code.body.span)?;
        if let Some(declared) = &code.output {
            self.check_type(&result, declared, code.body.span)?;
        }
        self.tell(types, wanted, result.ty(), code.body.span)?;
        Ok(self.outcome_of_closure(scope, result, returned))
    }

    /// Returns the result of a closure's call, the final values of arguments, and those of the
    /// captured variables.
    fn outcome_of_closure(
        &mut self,
        scope: &Scope,
        result: Value,
        returned: Vec<Option<usize>>,
    ) -> (Value, Vec<Value>, Vec<Value>) {
        let mut captures = self.final_captures(scope);
        self.return_references(&mut captures, &returned);
        let (result, finals) = self.outcome(result, returned, scope.captured.len());
        (result, finals, captures)
    }

    /// Takes over what a closure has changed since it had another value. `kept` says that the caller
    /// keeps the closure until it is where it was made.
    pub(super) fn come_home(
        &mut self,
        before: &Value,
        after: &Value,
        kept: bool,
        span: Span,
    ) -> Eval<()> {
        match (before, after) {
            (Value::Closure(before), Value::Closure(after)) => {
                self.write_captures(before, after, kept, span)
            }
            _ => Ok(()),
        }
    }

    fn write_captures(
        &mut self,
        before: &ClosureValue,
        after: &ClosureValue,
        kept: bool,
        span: Span,
    ) -> Eval<()> {
        if !Rc::ptr_eq(&before.scope, &after.scope) {
            let message = "a closure was replaced by another one, whose changes would be lost";
            return fail(span, message);
        }
        let at_home = after.home == Some(self.here().number);
        let captures = before.captures.iter().zip(&after.captures);
        for (index, (captured, (old, new))) in after.scope.captured.iter().zip(captures).enumerate()
        {
            if !captured.by_reference {
                continue;
            }
            let new = &if captured.given {
                given_back(old, new)
            } else {
                new.clone()
            };
            if unchanged(old, new) {
                continue;
            }
            if at_home {
                let slot = after.slots[index];
                let here = self.here();
                // While it is borrowed, nothing else assigns what the closure changes.
                let moved = (here.assigned.since(captured.birth, captured.since))
                    .any(|fields| changed_there(old, new, fields));
                // A variable that is gone had been moved into the closure.
                if here.vars.birth(slot) == Some(captured.birth) {
                    if moved {
                        return moved_away(captured.name, span);
                    }
                    self.write_captured(slot, captured, old, new, span)?;
                }
            } else if !kept {
                return lost(captured.name, span);
            }
        }
        Ok(())
    }

    fn write_captured(
        &mut self,
        slot: usize,
        captured: &Captured,
        old: &Value,
        new: &Value,
        span: Span,
    ) -> Eval<()> {
        self.walk(new, span)?;
        let here = self.here();
        let current = &here.vars[slot];
        let value = if captured.given {
            Some(given_back(current, new))
        } else {
            updated(current, old, new)
        };
        match value {
            Some(value) => here.vars[slot] = value,
            None => return moved_away(captured.name, span),
        }
        let kept = here.lent.contains(&slot);
        self.come_home(old, new, kept, span)
    }
}
