//! Methods that change the list.

use super::*;

impl Evaluator<'_> {
    /// Returns an index, unless it is beyond the last that a method allows.
    fn index_below(
        &mut self,
        value: &Value,
        end: usize,
        message: impl Fn(u64) -> String,
        span: Span,
    ) -> Eval<usize> {
        let index = self.integer(value, span)?;
        match usize::try_from(index).ok().filter(|index| *index < end) {
            Some(index) => Ok(index),
            None => fail(span, message(index)),
        }
    }

    /// Calls a method that takes the list by `&mut`.
    pub(super) fn change_list(
        &mut self,
        list: &mut Vec<Value>,
        element: &Ty,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let length = list.len();
        match name {
            "push" => {
                let [value] = arguments(values, span)?;
                self.append(list, value, span)?;
            }
            "pop" => {
                let [] = arguments(values, span)?;
                let last = list.pop();
                return self.option(last, element.clone(), span);
            }
            "insert" => {
                let [at, value] = arguments(values, span)?;
                let message =
                    |at| format!("insertion index (is {at}) should be <= len (is {length})");
                let at = self.index_below(&at, length + 1, message, span)?;
                self.check_element(list.first(), &value, span)?;
                list.insert(at, value);
            }
            "remove" | "swap_remove" => {
                let [at] = arguments(values, span)?;
                let what = if name == "remove" { "removal" } else { name };
                let message = |at| format!("{what} index (is {at}) should be < len (is {length})");
                let at = self.index_below(&at, length, message, span)?;
                return Ok(if name == "remove" {
                    list.remove(at)
                } else {
                    list.swap_remove(at)
                });
            }
            "truncate" => {
                let [length] = arguments(values, span)?;
                let length = self.integer(&length, span)?;
                list.truncate(usize::try_from(length).unwrap_or(usize::MAX));
            }
            "clear" => {
                let [] = arguments(values, span)?;
                list.clear();
            }
            "reserve" | "shrink_to_fit" => {}
            "append" => {
                let [other] = arguments(values, span)?;
                for value in listed(&other, span)?.iter() {
                    self.append(list, value.clone(), span)?;
                }
            }
            "extend" => {
                let [other] = arguments(values, span)?;
                let mut iter = self.iterate(other, span)?;
                while let Some(value) = self.next(&mut iter, span)? {
                    self.append(list, value, span)?;
                }
            }
            "extend_from_slice" => {
                let [other] = arguments(values, span)?;
                for value in self.clones(&listed(&other, span)?, span)? {
                    self.append(list, value, span)?;
                }
            }
            "copy_from_slice" | "clone_from_slice" => {
                let [other] = arguments(values, span)?;
                let other = self.clones(&listed(&other, span)?, span)?;
                if other.len() != length {
                    let (name, other) = (name, other.len());
                    let message = format!(
                        "`{name}`: the source has {other} elements, the destination {length}"
                    );
                    return fail(span, message);
                }
                if let Some(value) = other.first() {
                    self.check_element(list.first(), value, span)?;
                }
                *list = other;
            }
            "fill" => {
                let [value] = arguments(values, span)?;
                self.check_element(list.first(), &value, span)?;
                let value = self.clone_of(value, span)?;
                list.fill(value);
            }
            "resize" => {
                let [wanted, value] = arguments(values, span)?;
                let wanted = self.integer(&wanted, span)?;
                self.charge(wanted, span)?;
                let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
                if wanted > length {
                    self.check_element(list.first(), &value, span)?;
                }
                let value = self.clone_of(value, span)?;
                list.resize(wanted, value);
            }
            "swap" => {
                let [a, b] = arguments(values, span)?;
                let message = |at| format!("the length is {length} but the index is {at}");
                let a = self.index_below(&a, length, message, span)?;
                let b = self.index_below(&b, length, message, span)?;
                list.swap(a, b);
            }
            "reverse" => {
                let [] = arguments(values, span)?;
                list.reverse();
            }
            "rotate_left" | "rotate_right" => {
                let [by] = arguments(values, span)?;
                let message = |by| format!("`{name}` by {by} of {length} elements");
                let by = self.index_below(&by, length + 1, message, span)?;
                if name == "rotate_left" {
                    list.rotate_left(by);
                } else {
                    list.rotate_right(by);
                }
            }
            "split_off" => {
                let [at] = arguments(values, span)?;
                let message =
                    |at| format!("`at` split index (is {at}) should be <= len (is {length})");
                let at = self.index_below(&at, length + 1, message, span)?;
                return Ok(Value::Vec(Rc::new(list.split_off(at)), Held::Owned));
            }
            "drain" => {
                let [range] = arguments(values, span)?;
                let Some((start, end)) = self.range_within(&range, length, span)? else {
                    return fail(span, "this range is outside of the `Vec`");
                };
                let removed: Vec<Value> = list.drain(start..end).collect();
                return Ok(Iter::items(Rc::new(removed), Held::Owned).into_value());
            }
            "retain" => {
                let [mut f] = arguments(values, span)?;
                let mut kept = Vec::with_capacity(length);
                for value in std::mem::take(list) {
                    if self.test(&mut f, &value, span)? {
                        kept.push(value);
                    }
                }
                *list = kept;
            }
            "dedup" => self.dedup(list, span)?,
            name if name.starts_with("sort") => self.sort(list, name, values, span)?,
            name => return no_method(name, span),
        }
        Ok(Value::unit())
    }

    /// Evaluates `dedup`: of equal elements in a row the first stays.
    fn dedup(&mut self, list: &mut Vec<Value>, span: Span) -> Eval<()> {
        let mut kept: Vec<Value> = Vec::with_capacity(list.len());
        for value in std::mem::take(list) {
            let equal = match kept.last() {
                None => Value::Bool(false),
                Some(last) => self.equal_values(&value, last, span)?,
            };
            match equal {
                Value::Bool(true) => {}
                Value::Bool(false) => kept.push(value),
                _ => {
                    let message = "which elements are equal must be known at compile time";
                    return fail_help(span, message, "write a `for` loop");
                }
            }
        }
        *list = kept;
        Ok(())
    }
}
