//! Sorting.

use super::*;
use crate::compiler::eval::argument::optional;
use crate::compiler::eval::iterator::same;

/// Returns whether the program may order such values by a function of its own.
fn has_struct(value: &Value) -> bool {
    let mut parts = value.parts().unwrap_or_default().iter();
    matches!(value, Value::Struct(..)) || parts.any(has_struct)
}

impl Evaluator<'_> {
    /// Sorts indices by how `compare` orders the elements.
    fn merge_sort(
        &mut self,
        mut left: Vec<usize>,
        compare: &mut dyn FnMut(&mut Self, usize, usize) -> Eval<Ordering>,
    ) -> Eval<Vec<usize>> {
        if left.len() < 2 {
            return Ok(left);
        }
        let right = left.split_off(left.len() / 2);
        let left = self.merge_sort(left, compare)?;
        let right = self.merge_sort(right, compare)?;
        let mut all = Vec::with_capacity(left.len() + right.len());
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let next = if compare(self, *a, *b)? == Ordering::Greater {
                right.next()
            } else {
                left.next()
            };
            all.extend(next);
        }
        all.extend(left);
        all.extend(right);
        Ok(all)
    }

    /// Evaluates `sort` and the like. The result is what the standard library's is, whatever pairs
    /// it compares, only if the program's functions do nothing else and agree on one order.
    pub(super) fn sort(
        &mut self,
        list: &mut Vec<Value>,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<()> {
        let mut f = optional(values, name.contains("_by"), span)?;
        let by_key = name.ends_with("_key");
        let stable = !name.contains("unstable");
        let items = std::mem::take(list);
        let before = f.clone();
        let order = self.pure("what is called while sorting", span, |this| {
            let mut keys = items.clone();
            if let Some(f) = &mut f
                && by_key
            {
                for key in &mut keys {
                    let shared = this.shared(key.clone());
                    *key = this.call_closure(f, vec![shared], span)?;
                }
            }
            let own = f.is_some() && !by_key || keys.iter().any(has_struct);
            let mut compare = |this: &mut Self, a: usize, b: usize| -> Eval<Ordering> {
                this.charge(1, span)?;
                match &mut f {
                    Some(f) if !by_key => this.ordering_by(f, &keys[a], &keys[b], span),
                    _ => this.compare_values(&keys[a], &keys[b], span),
                }
            };
            let order = this.merge_sort((0..items.len()).collect(), &mut compare)?;
            // Numbers that grow where an element is larger than the one before it.
            let mut ranks = vec![0; order.len()];
            for (place, pair) in order.windows(2).enumerate() {
                let equal = compare(this, pair[0], pair[1])? == Ordering::Equal;
                ranks[place + 1] = ranks[place] + usize::from(!equal);
                if equal && !stable && !same(&items[pair[0]], &items[pair[1]]) {
                    let message = "an unstable sort may leave these elements in any order";
                    return fail_help(span, message, "write `sort`, `sort_by` or `sort_by_key`");
                }
            }
            for (a, one) in order.iter().enumerate().filter(|_| own) {
                for (b, other) in order.iter().enumerate().skip(a) {
                    let ordering = ranks[a].cmp(&ranks[b]);
                    if compare(this, *one, *other)? != ordering
                        || compare(this, *other, *one)? != ordering.reverse()
                    {
                        let message = "these comparisons do not agree on one order";
                        return fail(span, message);
                    }
                }
            }
            Ok(order)
        })?;
        if let (Some(before), Some(after)) = (before, f)
            && !same(&before, &after)
        {
            let message = "a closure that sorts must not change what it has captured";
            return fail(span, message);
        }
        *list = order
            .into_iter()
            .map(|index| items[index].clone())
            .collect();
        Ok(())
    }
}
