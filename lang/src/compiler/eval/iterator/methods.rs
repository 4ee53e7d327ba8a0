//! Methods of iterators: adaptors, and what takes the elements.

use std::cmp::Ordering;

use super::consume::undecided;
use super::*;
use crate::compiler::eval::argument::arguments;
use crate::compiler::eval::list::is_listed;
use crate::compiler::eval::place::{Place, Reach};
use crate::compiler::resolve::ITER_FROM_FN;

const ADAPTORS: &str = "chain cloned copied cycle enumerate filter filter_map flat_map flatten \
     fuse inspect into_iter iter map map_while peekable rev scan skip skip_while step_by take \
     take_while zip";

/// Methods that take the iterator by `&mut`, and leave what remains of it.
const BY_REFERENCE: &str = "all any find find_map next next_back next_if next_if_eq nth nth_back \
     peek position rfind rposition try_fold try_for_each";

/// A call of a method that takes elements.
pub(super) struct Taking<'a> {
    pub name: &'a str,
    pub turbofish: &'a [GenericArg],
    pub expected: &'a Ty,
    /// Whether what remains of the iterator is used.
    pub kept: bool,
    pub span: Span,
}

impl Evaluator<'_> {
    /// Calls a method of an iterator or a range.
    #[allow(clippy::too_many_arguments)]
    pub(in super::super) fn iterator_method(
        &mut self,
        value: Value,
        place: Option<Place>,
        name: Symbol,
        turbofish: &[GenericArg],
        given: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let text = name.text();
        let name = &*text;
        let behind = place
            .as_ref()
            .is_some_and(|place| place.reach != Reach::Own);
        let adaptor = is_listed(name, ADAPTORS);
        if name == "by_ref" || adaptor && behind {
            let message = "mutable references cannot be kept in an iterator";
            return fail_help(span, message, "take elements by `next`, in a loop");
        }
        let mut values = Vec::with_capacity(given.len());
        for (index, argument) in given.iter().enumerate() {
            let ty = match name {
                "nth" | "nth_back" | "skip" | "take" | "step_by" => Ty::USIZE,
                "fold" | "rfold" if index == 0 => expected.clone(),
                // What the `Option` or `Result` holds.
                "try_fold" if index == 0 => match expected {
                    Ty::Struct(_, generics) => generics.first().cloned().unwrap_or(Ty::Unknown),
                    _ => Ty::Unknown,
                },
                "contains" => match value.ty() {
                    Ty::Iter(element) => Ty::clone(&element),
                    _ => Ty::Unknown,
                },
                _ => Ty::Unknown,
            };
            let value = self.moved(argument, ty)?;
            if let (ExprKind::RefMut(_), Value::Closure(_)) = (&argument.kind, &value) {
                let message = "mutable references cannot be kept in an iterator";
                return fail_help(argument.span, message, "pass the closure itself");
            }
            values.push(value);
        }
        self.at(span);
        if name == "contains" {
            return self.range_contains(&value, values, span);
        }
        if adaptor {
            let iter = self.iterate(value, span)?;
            return Ok(self.adapt(iter, name, values, span)?.into_value());
        }
        let by_reference = is_listed(name, BY_REFERENCE);
        // What is behind a reference and moved is `Copy`.
        let place = place.filter(|place| by_reference || place.reach == Reach::Reference);
        let call = Taking {
            name,
            turbofish,
            expected,
            kept: place.is_some(),
            span,
        };
        let Some(place) = place else {
            let mut iter = self.iterate(value, span)?;
            return self.take_elements(&mut iter, values, &call);
        };
        drop(value);
        let value = self.take_place(&place)?;
        let mut iter = self.iterate(value, span)?;
        let result = self.take_elements(&mut iter, values, &call)?;
        self.write_back(&place, iter.into_value())?;
        Ok(result)
    }

    /// Evaluates `(low..high).contains(&value)`.
    fn range_contains(&mut self, range: &Value, values: Vec<Value>, span: Span) -> Eval<Value> {
        let [value] = arguments(values, span)?;
        let (low, high, ty) = match range {
            Value::Range(low, high, ty) => (*low, *high, *ty),
            Value::From(low, ty) => (*low, i128::MAX, *ty),
            other => {
                return fail(
                    span,
                    format!("{other} has no method `contains` in the subset"),
                );
            }
        };
        match value {
            Value::Int(value, found) => {
                self.common(ty, found, span)?;
                Ok(Value::Bool(low <= value && value < high))
            }
            other => argument::mismatch("an integer known at compile time", &other, span),
        }
    }

    /// Calls an adaptor.
    pub(in super::super) fn adapt(
        &mut self,
        iter: Iter,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Iter> {
        let inner = Box::new(iter);
        if let "cloned" | "copied" | "cycle" | "enumerate" | "flatten" | "fuse" | "into_iter"
        | "iter" | "peekable" | "rev" = name
        {
            let [] = arguments(values, span)?;
            return Ok(match name {
                "cloned" | "copied" => Iter::Cloned(inner),
                "cycle" => {
                    let all = Rc::new(Iter::clone(&inner));
                    self.can_clone(&Value::Iter(all.clone()), span)?;
                    if all.gives(&|value| self.can_copy(value, span).is_err()) {
                        let message = "`cycle` would call a function which the program wrote";
                        return fail_help(span, message, "take references: `iter().cycle()`");
                    }
                    Iter::Cycle(all, inner)
                }
                "enumerate" => Iter::Enumerate(inner, 0),
                "flatten" => Iter::FlatMap(inner, None, None),
                // What has ended is not asked again.
                "fuse" => Iter::Chain(Some(inner), None),
                "peekable" => Iter::Peekable(inner, None),
                "rev" => Iter::Rev(inner),
                _ => *inner,
            });
        }
        if name == "scan" {
            let [state, f] = arguments(values, span)?;
            return Ok(Iter::Scan(inner, f, state));
        }
        let [value] = arguments(values, span)?;
        Ok(match name {
            "filter" => Iter::Filter(inner, value),
            "filter_map" => Iter::FilterMap(inner, value),
            "flat_map" => Iter::FlatMap(inner, None, Some(value)),
            "inspect" => Iter::Inspect(inner, value),
            "map" => Iter::Map(inner, value),
            "map_while" => Iter::MapWhile(inner, value),
            "skip_while" => Iter::SkipWhile(inner, value, false),
            "take_while" => Iter::TakeWhile(inner, value, false),
            "zip" => Iter::Zip(inner, Box::new(self.iterate(value, span)?)),
            "chain" => {
                let after = self.iterate(value, span)?;
                Iter::Chain(Some(inner), Some(Box::new(after)))
            }
            _ => {
                let number = self.integer(&value, span)?;
                match name {
                    "skip" => Iter::Skip(inner, number),
                    "take" => Iter::Take(inner, number),
                    _ if number == 0 => return fail_certain(span, "assertion failed: step != 0"),
                    _ => Iter::StepBy(inner, number, true),
                }
            }
        })
    }

    /// Evaluates a function of `std::iter`, or `std::array::from_fn`.
    pub(in super::super) fn iterator_function(
        &mut self,
        name: &str,
        turbofish: &[GenericArg],
        given: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let values = self.all_moved(given)?;
        let iter = match name {
            "empty" => Iter::items(Rc::default(), Held::Owned),
            "once" => Iter::items(Rc::new(values), Held::Owned),
            "repeat" => {
                let [value] = arguments(values, span)?;
                Iter::Repeat(value)
            }
            "repeat_n" => {
                let [value, number] = arguments(values, span)?;
                let number = self.integer(&number, span)?;
                Iter::Take(Box::new(Iter::Repeat(value)), number)
            }
            "repeat_with" | ITER_FROM_FN => {
                let [f] = arguments(values, span)?;
                Iter::FromFn(f, name == ITER_FROM_FN)
            }
            "zip" => {
                let [first, second] = arguments(values, span)?;
                let first = Box::new(self.iterate(first, span)?);
                Iter::Zip(first, Box::new(self.iterate(second, span)?))
            }
            "successors" => {
                let [first, next] = arguments(values, span)?;
                match self.as_option(&first) {
                    Some(first) => Iter::Successors(first, next),
                    None => return fail(span, format!("expected an `Option`, found {first}")),
                }
            }
            _ => {
                let [mut f] = arguments(values, span)?;
                let length = match (turbofish, expected) {
                    ([_, GenericArg::Const(length), ..], _) => self.length(length)?,
                    (_, Ty::Array(_, Some(length))) => *length,
                    _ => {
                        let message = "the length of this array is not known here";
                        return fail_help(span, message, "write it: `from_fn::<_, 4, _>(..)`");
                    }
                };
                let mut list: Vec<Value> = Vec::new();
                for number in 0..length {
                    self.charge(1, span)?;
                    let value = self.call_closure(&mut f, vec![index(number)], span)?;
                    self.append(&mut list, value, span)?;
                }
                return self.bounded(Value::Array(Rc::new(list)), span);
            }
        };
        Ok(iter.into_value())
    }

    fn take_elements(
        &mut self,
        iter: &mut Iter,
        values: Vec<Value>,
        call: &Taking<'_>,
    ) -> Eval<Value> {
        let span = call.span;
        let whole = std::mem::replace(iter, Iter::items(Rc::default(), Held::Owned));
        match whole.counted() {
            Ok((count, maps)) => return self.take_counted(count, maps, values, call),
            Err(whole) => *iter = whole,
        }
        let element = iter.element();
        match call.name {
            "next" | "next_back" => {
                let [] = arguments(values, span)?;
                self.charge(1, span)?;
                let found = self.pull(iter, call.name == "next_back", span)?;
                self.option(found, element, span)
            }
            "nth" | "nth_back" => {
                let [number] = arguments(values, span)?;
                let number = self.integer(&number, span)?;
                let found = self.nth(iter, number, call.name == "nth_back", span)?;
                self.option(found, element, span)
            }
            "peek" => {
                let [] = arguments(values, span)?;
                let Iter::Peekable(inner, seen) = iter else {
                    return fail(span, "only a `peekable` iterator has `peek`");
                };
                let found = match seen {
                    Some(found) => found.clone(),
                    None => {
                        let found = self.pull(inner, false, span)?;
                        seen.insert(found).clone()
                    }
                };
                let found = found.map(|value| self.shared(value));
                self.option(found, element, span)
            }
            "next_if" | "next_if_eq" => {
                let [mut wanted] = arguments(values, span)?;
                let found = self.pull(iter, false, span)?;
                let taken = match &found {
                    None => false,
                    Some(value) if call.name == "next_if" => self.test(&mut wanted, value, span)?,
                    Some(value) => match self.equal_values(value, &wanted, span)? {
                        Value::Bool(equal) => equal,
                        _ => return undecided(call.name, span),
                    },
                };
                let found = if taken {
                    found
                } else if let Iter::Peekable(_, seen) = iter {
                    *seen = Some(found);
                    None
                } else {
                    return fail(span, "only a `peekable` iterator has this method");
                };
                self.option(found, element, span)
            }
            "len" | "is_empty" => {
                let [] = arguments(values, span)?;
                match iter.length() {
                    Some(length) if call.name == "len" => Ok(index(length)),
                    Some(length) => Ok(Value::Bool(length == 0)),
                    None => fail(span, "the length of this iterator is not known"),
                }
            }
            "count" => {
                let [] = arguments(values, span)?;
                let mut count = 0;
                while self.next(iter, span)?.is_some() {
                    count += 1;
                }
                Ok(index(count))
            }
            "last" => {
                let [] = arguments(values, span)?;
                let mut last = None;
                while let Some(value) = self.next(iter, span)? {
                    last = Some(value);
                }
                self.option(last, element, span)
            }
            "for_each" => {
                let [mut f] = arguments(values, span)?;
                while let Some(value) = self.next(iter, span)? {
                    let result = self.call_closure(&mut f, vec![value], span)?;
                    self.check_unit(&result, span)?;
                }
                Ok(Value::unit())
            }
            "fold" | "rfold" => {
                let [first, f] = arguments(values, span)?;
                let folded = if call.name == "fold" {
                    self.reduce(iter, Some(first), f, span)?
                } else {
                    let empty = Iter::items(Rc::default(), Held::Owned);
                    let mut reversed = Iter::Rev(Box::new(std::mem::replace(iter, empty)));
                    self.reduce(&mut reversed, Some(first), f, span)?
                };
                Ok(folded.unwrap_or_else(Value::unit))
            }
            "try_fold" | "try_for_each" => self.try_fold(iter, values, call),
            "reduce" => {
                let [f] = arguments(values, span)?;
                let reduced = self.reduce(iter, None, f, span)?;
                self.option(reduced, element, span)
            }
            "sum" | "product" => {
                let [] = arguments(values, span)?;
                self.total(iter, call)
            }
            "any" | "all" => {
                let [f] = arguments(values, span)?;
                self.any_or_all(iter, f, call)
            }
            "find" | "rfind" => {
                let [mut f] = arguments(values, span)?;
                let last = call.name == "rfind";
                let found = loop {
                    self.charge(1, span)?;
                    match self.pull(iter, last, span)? {
                        Some(value) if !self.test(&mut f, &value, span)? => {}
                        found => break found,
                    }
                };
                self.option(found, element, span)
            }
            "find_map" => {
                let [mut f] = arguments(values, span)?;
                let mut found = None;
                while let Some(value) = self.next(iter, span)? {
                    found = self.apply_option(&mut f, value, span)?;
                    if found.is_some() {
                        break;
                    }
                }
                self.option(found, Ty::Unknown, span)
            }
            "position" | "rposition" => {
                let [mut f] = arguments(values, span)?;
                let last = call.name == "rposition";
                let mut at = match iter.length() {
                    Some(length) if last => length,
                    None if last => return no_end(span),
                    _ => 0,
                };
                let mut found = None;
                while found.is_none() {
                    self.charge(1, span)?;
                    let Some(value) = self.pull(iter, last, span)? else {
                        break;
                    };
                    at = at.saturating_sub(u64::from(last));
                    match known(self.call_closure(&mut f, vec![value], span)?) {
                        Value::Bool(true) => found = Some(index(at)),
                        Value::Bool(false) => {}
                        _ => return undecided(call.name, span),
                    }
                    at += u64::from(!last);
                }
                self.option(found, Ty::USIZE, span)
            }
            "max" | "min" | "max_by" | "min_by" | "max_by_key" | "min_by_key" => {
                let found = self.extreme(iter, values, call)?;
                self.option(found, element, span)
            }
            "collect" => {
                let [] = arguments(values, span)?;
                self.collect(iter, call)
            }
            "unzip" | "partition" => self.two_lists(iter, values, call),
            "eq" | "ne" => {
                let [other] = arguments(values, span)?;
                let mut other = self.iterate(other, span)?;
                let what = "how many elements this comparison takes";
                let equal = if iter.calls() || other.calls() {
                    self.pure(what, span, |this| {
                        this.equal_iterators(iter, &mut other, span)
                    })?
                } else {
                    self.equal_iterators(iter, &mut other, span)?
                };
                if call.name == "eq" {
                    Ok(equal)
                } else {
                    self.unary(UnaryOp::Not, equal, span)
                }
            }
            "cmp" | "partial_cmp" | "lt" | "le" | "gt" | "ge" => {
                let [other] = arguments(values, span)?;
                let mut other = self.iterate(other, span)?;
                let ordering = self.order_of_iterators(iter, &mut other, span)?;
                self.ordering_says(ordering, call.name, span)
            }
            "is_sorted" | "is_sorted_by" | "is_sorted_by_key" => {
                self.is_sorted(iter, call.name, values, span)
            }
            name => {
                let message = format!("iterators have no method `{name}` in the subset");
                fail_help(span, message, "write a `for` loop")
            }
        }
    }

    /// Returns what a comparison says of an ordering.
    pub(in super::super) fn ordering_says(
        &mut self,
        ordering: Ordering,
        name: &str,
        span: Span,
    ) -> Eval<Value> {
        Ok(Value::Bool(match name {
            "lt" => ordering.is_lt(),
            "le" => ordering.is_le(),
            "gt" => ordering.is_gt(),
            "ge" => ordering.is_ge(),
            name => {
                let value = self.ordering(ordering)?;
                return if name == "cmp" {
                    Ok(value)
                } else {
                    let ty = value.ty();
                    self.option(Some(value), ty, span)
                };
            }
        }))
    }
}
