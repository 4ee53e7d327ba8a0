//! Methods that change the list.

use super::*;

/// Largest number of elements for which room may be asked.
const MAX_CAPACITY: u64 = 1 << 32;

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
            "reserve" => {
                let [more] = arguments(values, span)?;
                self.capacity(&more, span)?;
            }
            "shrink_to_fit" => {
                let [] = arguments(values, span)?;
            }
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
            "fill_with" => {
                let [mut f] = arguments(values, span)?;
                for at in 0..length {
                    let value = self.call_closure(&mut f, Vec::new(), span)?;
                    self.check_element(list.first(), &value, span)?;
                    list[at] = value;
                }
            }
            "resize_with" => {
                let [wanted, mut f] = arguments(values, span)?;
                let wanted = self.integer(&wanted, span)?;
                let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
                list.truncate(wanted);
                while list.len() < wanted {
                    self.charge(1, span)?;
                    let value = self.call_closure(&mut f, Vec::new(), span)?;
                    self.append(list, value, span)?;
                }
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
            "retain" | "retain_mut" => {
                let [mut f] = arguments(values, span)?;
                let mut kept = Vec::with_capacity(length);
                for mut value in std::mem::take(list) {
                    let stays = if name == "retain" {
                        self.test(&mut f, &value, span)?
                    } else {
                        let changed = std::slice::from_mut(&mut value);
                        let stays = self.call_changing(&mut f, changed, Vec::new(), span)?;
                        argument::boolean(&iterator::known(stays), span)?
                    };
                    if stays {
                        kept.push(value);
                    }
                }
                *list = kept;
            }
            "dedup" | "dedup_by" | "dedup_by_key" => self.dedup(list, name, values, span)?,
            name if name.starts_with("sort") => self.sort(list, name, values, span)?,
            name => return no_method(name, span),
        }
        Ok(Value::unit())
    }

    /// Checks the capacity of a `Vec`, which nothing but a failure of the allocation shows.
    pub(in super::super) fn capacity(&mut self, number: &Value, span: Span) -> Eval<()> {
        if self.integer(number, span)? > MAX_CAPACITY {
            return fail_help(
                span,
                "capacity overflow",
                "elements are limited by the memory",
            );
        }
        Ok(())
    }

    /// Evaluates `dedup`, `dedup_by` or `dedup_by_key`: of equal elements in a row the first stays.
    /// The closure takes them by `&mut`, the later one first.
    fn dedup(
        &mut self,
        list: &mut Vec<Value>,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<()> {
        let mut f = argument::optional(values, name != "dedup", span)?;
        let mut kept: Vec<Value> = Vec::with_capacity(list.len());
        for value in std::mem::take(list) {
            let Some(last) = kept.pop() else {
                kept.push(value);
                continue;
            };
            let mut both = [value, last];
            let equal = match &mut f {
                None => self.equal_values(&both[0], &both[1], span)?,
                Some(f) if name == "dedup_by" => {
                    self.call_changing(f, &mut both, Vec::new(), span)?
                }
                Some(f) => {
                    let [one, other] = both.each_mut().map(std::slice::from_mut);
                    let one = self.call_changing(f, one, Vec::new(), span)?;
                    let other = self.call_changing(f, other, Vec::new(), span)?;
                    self.equal_values(&one, &other, span)?
                }
            };
            let [value, last] = both;
            kept.push(last);
            match iterator::known(equal) {
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
