//! Indices of the program's types: `s[i]` is what its `index`, or its `index_mut`, refers to.

use super::invoke::Argument;
use super::iterator::same;
use super::place::{Located, Place, Reach, is_shared};
use super::*;
use crate::compiler::resolve::{INDEX, TraitName};

/// Refuses functions of which it matters which of them an index calls.
fn differ<T>(span: Span) -> Eval<T> {
    let message = "`index` and `index_mut` must do the same here: find a place, and nothing else";
    fail_help(span, message, "write methods with names of their own")
}

impl Evaluator<'_> {
    /// Returns what `base[index]` denotes for a base of the program's types.
    pub(super) fn own_element(&mut self, base: Located, index: &Expr, span: Span) -> Eval<Located> {
        let at = self.moved(index, Ty::Unknown)?;
        let (value, place) = match base {
            Located::Place(place) => {
                self.check_whole(place.variable, place.steps(), span)?;
                (self.read_place(&place)?, Some(place))
            }
            Located::Value(value) => (value, None),
        };
        let before = self.builder.emitted();
        let found = self.call_index(
            (INDEX, "index"),
            &value,
            Argument::new(value.clone(), None),
            &at,
            span,
        )?;
        let Some(found) = found else {
            return fail(span, format!("{value} cannot be indexed"));
        };
        let found = self.shared(found);
        // Which of both functions rustc calls depends on what is done to the element.
        let variable = self.here().vars.len();
        let base = match place.clone() {
            Some(place) if self.may_change(&place) => place,
            // A value without a place gets one for the call.
            None if !is_shared(&value) => {
                self.here().vars.push(Symbol::new("&mut"), value.clone());
                Place::of_variable(variable, span)
            }
            _ => return Ok(Located::Value(found)),
        };
        let argument = Argument::new(value.clone(), Some(base.clone()));
        let changed = self.call_index(("IndexMut", "index_mut"), &value, argument, &at, span)?;
        let element = match changed {
            None => None,
            Some(Value::Reference(reference)) => Some(self.referent(&reference, span)?),
            Some(_) => return differ(span),
        };
        if let Some(element) = &element {
            let there = self.read_place(element)?;
            self.walk(&there, span)?;
            if self.builder.emitted() != before
                || !same(&there, &found)
                || !same(&self.read_place(&base)?, &value)
            {
                return differ(span);
            }
        }
        self.here().vars.truncate(variable);
        Ok(match element.filter(|_| place.is_some()) {
            Some(element) => Located::Place(element.reached(Reach::Behind, span)),
            None => Located::Value(found),
        })
    }

    /// Calls a function of the program for an index, if there is one.
    fn call_index(
        &mut self,
        method: (&str, &str),
        value: &Value,
        receiver: Argument,
        at: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let ty = self.bounded_type(value.ty(), span)?;
        let operands = [value.clone(), at.clone()];
        let found = self.implementation_for(method, &ty, &operands, span)?;
        drop(operands);
        let Some(callee) = found else {
            return Ok(None);
        };
        let mut arguments = vec![receiver];
        if let Some(param) = callee.function.params.get(1) {
            let ty = self.integers_of(&param.ty, callee.module, &callee.generics)?;
            let at = self.settle(at.clone(), &ty, span)?;
            arguments.push(Argument::new(at, None));
        }
        self.invoke(callee, arguments, span).map(Some)
    }

    /// Returns whether a place has an element of the program's types in it.
    pub(super) fn indexes_own(&mut self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Deref(inner) | ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) => {
                self.indexes_own(inner)
            }
            ExprKind::Index(inner, _) => {
                let index = TraitName::Builtin(Symbol::new(INDEX));
                let list = |value: Value| value.elements().is_some();
                self.items.implementors.contains_key(&index)
                    && !self.glance(inner).is_some_and(list)
                    || self.indexes_own(inner)
            }
            _ => false,
        }
    }
}
