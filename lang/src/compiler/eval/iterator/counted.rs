//! Run-time loops over `count(n)` and what closures make of its elements.

use super::methods::Taking;
use super::*;
use crate::compiler::eval::argument::arguments;

/// What to write instead of another method.
pub(super) const COUNTED: &str = "write a `for` loop; only `map`, `for_each`, `fold`, `sum` and \
     `product` are in the subset here";

impl Evaluator<'_> {
    /// Calls a closure that is in a variable of its own, so that a loop carries what it has captured.
    fn apply_slot(&mut self, slot: usize, arguments: Vec<Value>, span: Span) -> Eval<Value> {
        let mut f = self.here().vars[slot].clone();
        let result = self.call_closure(&mut f, arguments, span)?;
        self.here().vars[slot] = f;
        Ok(result)
    }

    /// Runs a loop over `count(n).map(..)`, with these closures and `values` in variables from the
    /// returned place on, for `body`.
    pub(in super::super) fn counted_loop(
        &mut self,
        count: Word,
        maps: Vec<Value>,
        values: Vec<Value>,
        span: Span,
        mut body: impl FnMut(&mut Self, Value, usize) -> Eval<Value>,
    ) -> Eval<Vec<Value>> {
        let mark = self.here().vars.len();
        let (mapped, given) = (maps.len(), values.len());
        for value in maps.into_iter().chain(values) {
            self.here().vars.push(Symbol::new("loop "), value);
        }
        self.run_time_loop(count, span, &mut |this: &mut Self, mut value: Value| {
            for slot in mark..mark + mapped {
                value = this.apply_slot(slot, vec![value], span)?;
            }
            body(this, value, mark + mapped)
        })?;
        let mut after = Vec::with_capacity(given);
        while self.here().vars.len() > mark {
            after.extend(self.here().vars.pop());
        }
        after.truncate(given);
        after.reverse();
        Ok(after)
    }

    /// Takes the elements of `count(n).map(..)`, by a run-time loop.
    pub(super) fn take_counted(
        &mut self,
        count: Word,
        maps: Vec<Value>,
        values: Vec<Value>,
        call: &Taking<'_>,
    ) -> Eval<Value> {
        let span = call.span;
        match call.name {
            "for_each" => {
                let [f] = arguments(values, span)?;
                self.counted_loop(count, maps, vec![f], span, |this, value, slot| {
                    let result = this.apply_slot(slot, vec![value], span)?;
                    this.check_unit(&result, span)?;
                    Ok(result)
                })?;
                Ok(Value::unit())
            }
            "fold" => {
                let [first, f] = arguments(values, span)?;
                let after = vec![first, f];
                let after = self.counted_loop(count, maps, after, span, |this, value, slot| {
                    let before = std::mem::replace(&mut this.here().vars[slot], Value::LENT);
                    let folded = this.apply_slot(slot + 1, vec![before, value], span)?;
                    this.here().vars[slot] = folded;
                    Ok(Value::unit())
                })?;
                Ok(after.into_iter().next().unwrap_or_else(Value::unit))
            }
            "sum" | "product" => {
                let [] = arguments(values, span)?;
                let first = match (maps.is_empty(), call.name) {
                    (true, "sum") => Value::Felt(Word::Const(F::ZERO)),
                    (true, _) => Value::Felt(Word::Const(F::ONE)),
                    _ => self.neutral(call)?,
                };
                let operator = Self::total_operator(call);
                let after = vec![first];
                let after = self.counted_loop(count, maps, after, span, |this, value, slot| {
                    this.at(span);
                    let before = this.here().vars[slot].clone();
                    let total = this.binary(operator, before, value, span)?;
                    this.here().vars[slot] = total;
                    Ok(Value::unit())
                })?;
                Ok(after.into_iter().next().unwrap_or_else(Value::unit))
            }
            name => {
                let message =
                    format!("the number of elements of this `{name}` is known only in a run");
                fail_help(span, message, COUNTED)
            }
        }
    }
}
