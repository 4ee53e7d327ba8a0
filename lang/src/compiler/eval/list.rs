//! Methods of arrays, slices and `Vec`s.

mod change;
mod parts;
mod sort;

use std::cmp::Ordering;
use std::rc::Rc;

use super::argument::arguments;
use super::place::Place;
use super::*;
use crate::compiler::value::Held;

/// Methods that change the list.
const CHANGING: &str = "append clear clone_from_slice copy_from_slice dedup dedup_by dedup_by_key \
     drain extend extend_from_slice fill fill_with insert pop push remove reserve resize \
     resize_with retain retain_mut reverse rotate_left rotate_right shrink_to_fit sort sort_by \
     sort_by_cached_key sort_by_key sort_unstable sort_unstable_by sort_unstable_by_key split_off \
     swap swap_remove truncate";

/// Methods whose results are mutable references, or iterators over them.
const MUTABLE: &str = "as_mut_slice chunks_exact_mut chunks_mut first_mut get_mut iter_mut last_mut \
     rchunks_mut split_at_mut split_first_mut split_last_mut";

/// Returns whether a list of names has this one.
pub(super) fn is_listed(name: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == name)
}

/// Returns the type that an argument of a method should have.
fn parameter(name: &str, position: usize, element: &Ty) -> Ty {
    match (name, position) {
        ("insert" | "resize", 1) | ("binary_search" | "contains" | "fill" | "push", _) => {
            element.clone()
        }
        (
            "append" | "clone_from_slice" | "copy_from_slice" | "ends_with" | "extend_from_slice"
            | "starts_with" | "strip_prefix" | "strip_suffix",
            _,
        ) => Ty::Array(Rc::new(element.clone()), None),
        (
            "chunks" | "chunks_exact" | "chunks_exact_mut" | "chunks_mut" | "drain" | "get"
            | "get_mut" | "insert" | "rchunks" | "rchunks_mut" | "remove" | "repeat" | "reserve"
            | "resize" | "rotate_left" | "rotate_right" | "split_at" | "split_at_checked"
            | "split_at_mut" | "split_off" | "swap" | "swap_remove" | "truncate" | "windows",
            _,
        )
        | ("resize_with", 0) => Ty::USIZE,
        _ => Ty::Unknown,
    }
}

/// Returns the elements of a list that is an argument.
fn listed(value: &Value, span: Span) -> Eval<Rc<Vec<Value>>> {
    match value.elements() {
        Some(values) => Ok(values.clone()),
        None => argument::mismatch("an array or a Vec", value, span),
    }
}

/// Refuses a closure that has changed, where the standard library does not say how often it calls it.
fn check_unchanged(before: Option<&Value>, after: Option<&Value>, span: Span) -> Eval<()> {
    match (before, after) {
        (Some(before), Some(after)) if !iterator::same(before, after) => {
            fail(span, "this closure must not change what it has captured")
        }
        _ => Ok(()),
    }
}

fn no_method<T>(name: &str, span: Span) -> Eval<T> {
    let message = format!("arrays and `Vec`s have no method `{name}` in the subset");
    fail_help(span, message, "write a `for` loop")
}

impl Evaluator<'_> {
    /// Calls a method of an array, a slice or a `Vec`.
    pub(super) fn list_method(
        &mut self,
        value: Value,
        place: Option<Place>,
        name: Symbol,
        given: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let text = name.text();
        let name = &*text;
        let first = value.elements().and_then(|values| values.first());
        let element = first.map_or(Ty::Unknown, Value::ty);
        let element = self.bounded_type(element, span)?;
        let mutable = is_listed(name, MUTABLE);
        let changing = is_listed(name, CHANGING);
        let mut values = Vec::with_capacity(given.len());
        for (position, argument) in given.iter().enumerate() {
            values.push(if name == "append" {
                self.emptied(argument)?
            } else {
                self.moved(argument, parameter(name, position, &element))?
            });
        }
        self.at(span);
        if mutable {
            return self.list_parts(&value, place, name, values, span);
        }
        if !changing {
            return self.list_value(&value, name, values, span);
        }
        // The list is changed in its place, without a copy.
        drop(value);
        for value in &mut values {
            *value = self.bounded(std::mem::replace(value, Value::LENT), span)?;
        }
        let Some(place) = place else {
            return fail(span, "the list that this changes is not in a variable");
        };
        let (mut list, held) = match self.take_place(&place)? {
            Value::Vec(list, held) => (list, Some(held)),
            Value::Array(list) => (list, None),
            _ => return fail(span, "the value's structure has changed"),
        };
        if Rc::strong_count(&list) > 1 || !matches!(name, "pop" | "push" | "swap" | "truncate") {
            self.charge(list.len() as u64, span)?;
        }
        let result = self.change_list(Rc::make_mut(&mut list), &element, name, values, span)?;
        let list = match held {
            Some(held) => Value::Vec(list, held),
            None => Value::Array(list),
        };
        self.write_back(&place, list)?;
        Ok(result)
    }

    /// Returns the `Vec` at `&mut place`, and leaves it empty.
    fn emptied(&mut self, argument: &Expr) -> Eval<Value> {
        let span = argument.span;
        let (value, place) = self.borrow(argument)?;
        drop(value);
        let Some(place) = place else {
            return fail(span, "the `Vec` that this empties is not in a variable");
        };
        let value = self.take_place(&place)?;
        self.write_back(&place, Value::Vec(Rc::default(), Held::Owned))?;
        Ok(value)
    }

    /// Returns the ends of a range of a list of `length` elements; `None` if it is outside of it.
    pub(super) fn range_within(
        &mut self,
        range: &Value,
        length: usize,
        span: Span,
    ) -> Eval<Option<(usize, usize)>> {
        let (start, end, ty) = match range {
            Value::Range(start, end, ty) => (*start, *end, *ty),
            Value::From(start, ty) => (*start, length as i128, *ty),
            Value::To(end, ty) => (0, end.unwrap_or(length as i128), *ty),
            other => return argument::mismatch("a range", other, span),
        };
        if ty.is_some() {
            self.common(ty, Some(IntType::Usize), span)?;
        }
        let (start, end) = (usize::try_from(start), usize::try_from(end));
        let both = start.ok().zip(end.ok());
        Ok(both.filter(|(start, end)| start <= end && *end <= length))
    }

    /// Returns a part of a list as a reference.
    fn part_of_list(&self, values: &[Value]) -> Value {
        self.shared(Value::Array(Rc::new(values.to_vec())))
    }

    /// Calls a method that takes the list by `&`, or by value.
    pub(super) fn list_value(
        &mut self,
        list: &Value,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let all = listed(list, span)?;
        let length = all.len();
        let element = all.first().map_or(Ty::Unknown, Value::ty);
        let usize_of = |number: usize| Value::Int(number as i128, Some(IntType::Usize));
        let found = match (name, values.as_slice()) {
            ("len", []) => return Ok(usize_of(length)),
            ("is_empty", []) => return Ok(Value::Bool(all.is_empty())),
            ("iter", []) => return Ok(Iter::items(all, Held::Shared).into_value()),
            ("as_slice" | "as_ref" | "borrow" | "each_ref", []) => {
                return Ok(self.shared(list.clone()));
            }
            ("first", []) => all.first().cloned(),
            ("last", []) => all.last().cloned(),
            ("get", [Value::Int(..)]) => {
                let [at] = arguments(values, span)?;
                let at = self.integer(&at, span)?;
                usize::try_from(at).ok().and_then(|at| all.get(at).cloned())
            }
            ("get", [range]) => {
                let within = self.range_within(range, length, span)?;
                self.charge(length as u64, span)?;
                let part = within.map(|(start, end)| self.part_of_list(&all[start..end]));
                return self.option(part, Ty::Array(Rc::new(element), None), span);
            }
            ("split_first" | "split_last", []) => {
                let parts = match name {
                    "split_first" => all.split_first(),
                    _ => all.split_last(),
                };
                parts.map(|(one, rest)| {
                    Value::Tuple(Rc::new(vec![one.clone(), self.part_of_list(rest)]))
                })
            }
            (name, _) => {
                self.charge(length as u64, span)?;
                return self.list_computed(list, &all, name, values, span);
            }
        };
        let found = found.map(|value| self.shared(value));
        let ty = found.as_ref().map_or(element, Value::ty);
        self.option(found, ty, span)
    }

    /// Calls a method that looks at all elements.
    fn list_computed(
        &mut self,
        list: &Value,
        all: &Rc<Vec<Value>>,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let length = all.len();
        match name {
            "to_vec" | "to_owned" => {
                let [] = arguments(values, span)?;
                match list {
                    Value::Vec(..) => self.clone_of(list.clone(), span),
                    _ if name == "to_vec" => {
                        let elements = self.clones(all, span)?;
                        Ok(Value::Vec(Rc::new(elements), Held::Owned))
                    }
                    // Of a slice it is a `Vec`, of an array an array.
                    _ => fail_help(
                        span,
                        "`to_owned` may make an array or a `Vec`",
                        "write `to_vec()`",
                    ),
                }
            }
            "contains" => {
                let [wanted] = arguments(values, span)?;
                let mut iter = Iter::items(all.clone(), Held::Shared);
                self.contains(&mut iter, &wanted, span)
            }
            "starts_with" | "ends_with" | "strip_prefix" | "strip_suffix" => {
                let [other] = arguments(values, span)?;
                let other = listed(&other, span)?;
                let strips = name.starts_with("strip");
                let slice = Ty::Array(Rc::new(all.first().map_or(Ty::Unknown, Value::ty)), None);
                let Some(surplus) = length.checked_sub(other.len()) else {
                    return if strips {
                        self.option(None, slice, span)
                    } else {
                        Ok(Value::Bool(false))
                    };
                };
                let (part, rest) = match name {
                    "starts_with" | "strip_prefix" => all.split_at(other.len()),
                    _ => {
                        let (rest, part) = all.split_at(surplus);
                        (part, rest)
                    }
                };
                let (part, other) = (Value::Array(Rc::new(part.to_vec())), Value::Array(other));
                if self.has_own_equality(&part) || self.has_own_equality(&other) {
                    let message = format!(
                        "on which side of `==` the elements stand in `{name}` depends on the \
                         standard library's version"
                    );
                    return fail_help(span, message, "compare the elements in a `for` loop");
                }
                let equal = self.equal_values(&part, &other, span)?;
                if !strips {
                    return Ok(equal);
                }
                let equal = argument::boolean(&iterator::known(equal), span)?;
                let rest = equal.then(|| self.part_of_list(rest));
                self.option(rest, slice, span)
            }
            "split_at" | "split_at_checked" => {
                let [at] = arguments(values, span)?;
                let at = self.integer(&at, span)?;
                let at = usize::try_from(at).ok().filter(|at| *at <= length);
                let parts = at.map(|at| {
                    let (left, right) = all.split_at(at);
                    let parts = [left, right].map(|part| self.part_of_list(part));
                    Value::Tuple(Rc::new(parts.into()))
                });
                match parts {
                    parts if name == "split_at_checked" => self.option(parts, Ty::Unknown, span),
                    Some(parts) => Ok(parts),
                    None => fail(span, "mid > len"),
                }
            }
            "split" | "split_inclusive" | "chunk_by" => {
                let [f] = arguments(values, span)?;
                // Whether a part ends at each element; for `chunk_by`, whether none ends before it.
                let taken = if name == "chunk_by" { 2 } else { 1 };
                let said = self.said(f, all.windows(taken), name, span)?;
                let mut parts: Vec<&[Value]> = Vec::new();
                let mut start = 0;
                for (at, said) in said.into_iter().enumerate() {
                    let (end, next) = match name {
                        "split" if said => (at, at + 1),
                        "split_inclusive" if said => (at + 1, at + 1),
                        "chunk_by" if !said => (at + 1, at + 1),
                        _ => continue,
                    };
                    parts.push(&all[start..end]);
                    start = next;
                }
                if start < length || name == "split" {
                    parts.push(&all[start..]);
                }
                let parts = parts.into_iter().map(|part| self.part_of_list(part));
                Ok(Iter::items(Rc::new(parts.collect()), Held::Owned).into_value())
            }
            "windows" | "chunks" | "chunks_exact" | "rchunks" => {
                let [size] = arguments(values, span)?;
                let size = self.integer(&size, span)?;
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                let what = if name == "windows" { "window" } else { "chunk" };
                if size == 0 {
                    return fail(span, format!("{what} size must be non-zero"));
                }
                let parts: Vec<&[Value]> = match name {
                    "windows" => all.windows(size).collect(),
                    "chunks" => all.chunks(size).collect(),
                    "rchunks" => all.rchunks(size).collect(),
                    _ => all.chunks_exact(size).collect(),
                };
                let copied = parts.iter().map(|part| part.len() as u64);
                self.charge(copied.sum(), span)?;
                let parts = parts.into_iter().map(|part| self.part_of_list(part));
                Ok(Iter::items(Rc::new(parts.collect()), Held::Owned).into_value())
            }
            "concat" => {
                let [] = arguments(values, span)?;
                let mut elements = Vec::new();
                for part in all.iter() {
                    let part = listed(part, span)?;
                    elements.extend(self.clones(&part, span)?);
                }
                self.bounded(Value::Vec(Rc::new(elements), Held::Owned), span)
            }
            "repeat" => {
                let [times] = arguments(values, span)?;
                let times = self.integer(&times, span)?;
                self.bounded_length(times.saturating_mul(length as u64), span)?;
                let mut elements = Vec::new();
                for _ in 0..times {
                    self.charge(1, span)?;
                    elements.extend(self.clones(all, span)?);
                }
                self.bounded(Value::Vec(Rc::new(elements), Held::Owned), span)
            }
            "map" => {
                let [mut f] = arguments(values, span)?;
                let mut elements: Vec<Value> = Vec::with_capacity(length);
                for value in all.iter() {
                    let value = self.call_closure(&mut f, vec![value.clone()], span)?;
                    self.append(&mut elements, value, span)?;
                }
                self.bounded(Value::Array(Rc::new(elements)), span)
            }
            "is_sorted" | "is_sorted_by" | "is_sorted_by_key" => {
                let mut iter = Iter::items(all.clone(), Held::Shared);
                self.is_sorted(&mut iter, name, values, span)
            }
            "binary_search" | "binary_search_by" | "binary_search_by_key" | "partition_point" => {
                self.binary_search(all, name, values, span)
            }
            name => no_method(name, span),
        }
    }

    /// Returns whether an element equals a value. As in Rust, those after it are not compared.
    fn contains(&mut self, iter: &mut Iter, wanted: &Value, span: Span) -> Eval<Value> {
        while let Some(value) = self.next(iter, span)? {
            match iterator::known(self.equal_values(&value, wanted, span)?) {
                Value::Bool(true) => return Ok(Value::Bool(true)),
                Value::Bool(false) => {}
                Value::Flag(word) if iter.length() != Some(0) => {
                    let condition = assertion::Condition::Flag(word);
                    return self.nested(span, |this| {
                        this.unless(condition, true, span, |this| {
                            this.contains(&mut iter.clone(), wanted, span)
                        })
                    });
                }
                flag => return Ok(flag),
            }
        }
        Ok(Value::Bool(false))
    }

    fn clones(&mut self, values: &[Value], span: Span) -> Eval<Vec<Value>> {
        let values = values.iter();
        let clones = values.map(|value| self.clone_of(value.clone(), span));
        clones.collect()
    }

    /// Returns what a closure says of references to the elements of each part, all of it known here.
    /// It may only compute: the standard library may call it later, or not at all.
    fn said<'v>(
        &mut self,
        mut f: Value,
        parts: impl Iterator<Item = &'v [Value]>,
        name: &str,
        span: Span,
    ) -> Eval<Vec<bool>> {
        let before = f.clone();
        let what = format!("when `{name}` calls this closure");
        let said = self.pure(&what, span, |this| {
            let said = parts.map(|part| {
                let given = part.iter().map(|value| this.shared(value.clone()));
                let given = given.collect();
                let said = this.call_closure(&mut f, given, span)?;
                argument::boolean(&iterator::known(said), span)
            });
            said.collect::<Eval<Vec<bool>>>()
        })?;
        check_unchanged(Some(&before), Some(&f), span)?;
        Ok(said)
    }

    /// Evaluates `binary_search` and the like. The standard library says what they return only if
    /// the list is sorted, and one element at most is equal.
    fn binary_search(
        &mut self,
        all: &[Value],
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let what = "which elements a binary search looks at";
        let orders = self.pure(what, span, |this| {
            let mut values = values;
            let mut f = match name {
                "binary_search" => None,
                _ => values.pop(),
            };
            let wanted = match name {
                "binary_search" | "binary_search_by_key" => {
                    let [wanted] = arguments(values, span)?;
                    Some(wanted)
                }
                _ => None,
            };
            let before = f.clone();
            let mut orders = Vec::with_capacity(all.len());
            for value in all {
                let mut value = this.shared(value.clone());
                if let Some(f) = &mut f {
                    value = this.call_closure(f, vec![value], span)?;
                }
                orders.push(match (&wanted, this.as_ordering(&value)) {
                    (Some(wanted), _) => this.compare_values(&value, wanted, span)?,
                    (None, Some(ordering)) => ordering,
                    // `partition_point`
                    (None, None) => {
                        let before = argument::boolean(&iterator::known(value), span)?;
                        if before {
                            Ordering::Less
                        } else {
                            Ordering::Greater
                        }
                    }
                });
            }
            check_unchanged(before.as_ref(), f.as_ref(), span)?;
            Ok(orders)
        })?;
        let less = orders.iter().take_while(|order| order.is_lt()).count();
        let equal = orders[less..].iter().filter(|order| order.is_eq()).count();
        if equal > 1 || !orders.is_sorted() {
            let message = "what this finds depends on the standard library's version";
            let help = "the list must be sorted, and have one such element at most";
            return fail_help(span, message, help);
        }
        let at = Value::Int(less as i128, Some(IntType::Usize));
        if name == "partition_point" {
            return Ok(at);
        }
        let generics = [Ty::USIZE, Ty::USIZE].into();
        let name = if equal == 1 { "Ok" } else { "Err" };
        self.standard_variant("Result", name, generics, vec![at], span)
    }

    /// Appends an element, which must be of the type of the others.
    pub(super) fn append(&mut self, list: &mut Vec<Value>, value: Value, span: Span) -> Eval<()> {
        self.check_element(list.first(), &value, span)?;
        list.push(value);
        Ok(())
    }
}
