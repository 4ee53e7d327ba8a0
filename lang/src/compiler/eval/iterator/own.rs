//! Iterators that the program implements, and what it makes iterators of.

use super::*;
use crate::compiler::eval::invoke::Argument;
use crate::compiler::eval::place::Place;

impl Evaluator<'_> {
    /// Returns whether a value is of a type for which the program implements `Iterator`.
    pub(in super::super) fn is_own_iterator(&self, value: &Value) -> bool {
        matches!(value, Value::Struct(of, _) if self.items.may_have(of.id, "Iterator"))
    }

    /// Returns the iterator over a value of the program's types.
    pub(super) fn iterate_own(&mut self, value: Value, span: Span) -> Eval<Iter> {
        if self.is_own_iterator(&value) {
            return Ok(Iter::Own(value));
        }
        let method = ("IntoIterator", "into_iter");
        let ty = self.bounded_type(value.ty(), span)?;
        let operands = std::slice::from_ref(&value);
        if let Some(callee) = self.implementation_for(method, &ty, operands, span)? {
            let made = self.call_operator(callee, vec![value], span)?;
            // What it makes is an iterator itself.
            match made {
                Value::Struct(..) if self.is_own_iterator(&made) => return Ok(Iter::Own(made)),
                Value::Iter(_) | Value::Range(..) | Value::From(..) => {
                    return self.iterate(made, span);
                }
                made => return fail(span, format!("{made} is no iterator")),
            }
        }
        let help = "loop over a range, an array, `count(N)` or `count_to(n)`";
        fail_help(span, format!("cannot loop over {value}"), help)
    }

    /// Calls the program's `next` of an iterator, which changes it.
    pub(super) fn next_of(&mut self, state: &mut Value, span: Span) -> Eval<Option<Value>> {
        let ty = self.bounded_type(state.ty(), span)?;
        let next = self.implementation_for(("Iterator", "next"), &ty, &[], span)?;
        let Some(callee) = next else {
            let ty = self.shown_type(&ty);
            return fail(span, format!("`{ty}` is no iterator"));
        };
        // It borrows a variable, as if the iterator were in one.
        let given = state.clone();
        let here = self.here();
        let variable = here.vars.len();
        let lent = std::mem::replace(state, Value::LENT);
        here.vars.push(Symbol::new("&mut"), lent);
        let place = Place::of_variable(variable, span);
        let argument = Argument::new(given, Some(place));
        let result = self.invoke(callee, vec![argument], span)?;
        let vars = &mut self.here().vars;
        *state = vars.take_value(variable);
        vars.truncate(variable);
        self.optional_of(&result, span)
    }
}
