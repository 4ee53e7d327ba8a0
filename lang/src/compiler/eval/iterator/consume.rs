//! What methods do with the elements that they take.

use std::cmp::Ordering;

use super::methods::Taking;
use super::*;
use crate::compiler::eval::argument::{arguments, optional};
use crate::compiler::eval::assertion::Condition;
use crate::compiler::value::Ext;

/// Returns the error for what must be decided at compile time.
pub(super) fn undecided<T>(name: &str, span: Span) -> Eval<T> {
    let message = format!("`{name}` must be decided at compile time");
    fail_help(span, message, "write a `for` loop with an `if`")
}

impl Evaluator<'_> {
    pub(super) fn reduce(
        &mut self,
        iter: &mut Iter,
        first: Option<Value>,
        mut f: Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let mut result = match first {
            Some(first) => Some(first),
            None => self.next(iter, span)?,
        };
        while let Some(before) = result.take() {
            let Some(value) = self.next(iter, span)? else {
                return Ok(Some(before));
            };
            // The parts of the result need not be copied while the closure changes them.
            let like = match &before {
                Value::Int(..) | Value::Tuple(_) => Some(before.clone()),
                _ => None,
            };
            let after = self.call_closure(&mut f, vec![before, value], span)?;
            if let Some(like) = like {
                self.same_type(&like, &after, span)?;
            }
            result = Some(after);
        }
        Ok(None)
    }

    /// Evaluates `try_fold` or, without a first value, `try_for_each`: the first result of the
    /// closure that holds no value ends it.
    pub(super) fn try_fold(
        &mut self,
        iter: &mut Iter,
        values: Vec<Value>,
        call: &Taking<'_>,
    ) -> Eval<Value> {
        let span = call.span;
        let (mut folded, mut f) = if call.name == "try_fold" {
            let [first, f] = arguments(values, span)?;
            (Some(first), f)
        } else {
            let [f] = arguments(values, span)?;
            (None, f)
        };
        // That of the closure's results.
        let mut ty = call.expected.clone();
        while let Some(value) = self.next(iter, span)? {
            let like = folded
                .clone()
                .filter(|value| matches!(value, Value::Int(..) | Value::Tuple(_)));
            let given = folded.take().into_iter().chain([value]).collect();
            let result = self.call_closure(&mut f, given, span)?;
            let after = match (self.as_option(&result), self.as_result(&result)) {
                (Some(Some(after)), _) | (_, Some(Ok(after))) => after,
                (Some(None), _) | (_, Some(Err(_))) => return Ok(result),
                _ => return argument::mismatch("an `Option` or a `Result`", &result, span),
            };
            if let Some(like) = like {
                self.same_type(&like, &after, span)?;
            }
            ty = result.ty();
            if call.name == "try_fold" {
                folded = Some(after);
            } else {
                self.check_unit(&after, span)?;
            }
        }
        let fields = vec![folded.unwrap_or_else(Value::unit)];
        let Ty::Struct(id, generics) = ty else {
            let message = format!("the type of this `{}` is not known here", call.name);
            return fail_help(span, message, "write the type of its result, at a `let`");
        };
        let (name, variant) = if id == self.items.std_enum("Option") {
            ("Option", "Some")
        } else if id == self.items.std_enum("Result") {
            ("Result", "Ok")
        } else {
            return fail(
                span,
                format!("`{}` returns an `Option` or a `Result`", call.name),
            );
        };
        self.standard_variant(name, variant, generics, fields, span)
    }

    /// Evaluates `is_sorted`, `is_sorted_by` or `is_sorted_by_key`.
    pub(in super::super) fn is_sorted(
        &mut self,
        iter: &mut Iter,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let mut f = optional(values, name != "is_sorted", span)?;
        let mut before = None;
        while let Some(mut value) = self.next(iter, span)? {
            if let Some(f) = &mut f
                && name == "is_sorted_by_key"
            {
                value = self.call_closure(f, vec![value], span)?;
            }
            if let Some(before) = &before {
                let sorted = match &mut f {
                    Some(f) if name == "is_sorted_by" => {
                        let both = [before, &value].map(|value| self.shared(value.clone()));
                        let sorted = self.call_closure(f, both.to_vec(), span)?;
                        argument::boolean(&known(sorted), span)?
                    }
                    _ => self.compare_values(before, &value, span)? != Ordering::Greater,
                };
                if !sorted {
                    return Ok(Value::Bool(false));
                }
            }
            before = Some(value);
        }
        Ok(Value::Bool(true))
    }

    /// Returns the type that a turbofish or what is expected gives a result.
    pub(super) fn result_type(&mut self, call: &Taking<'_>) -> Eval<Ty> {
        match call.turbofish.first() {
            Some(GenericArg::Type(ty)) => self.ty(ty),
            _ => Ok(call.expected.clone()),
        }
    }

    /// Returns the sum or product of nothing.
    pub(super) fn neutral(&mut self, call: &Taking<'_>) -> Eval<Value> {
        let one = call.name == "product";
        let element = F::from_bool(one);
        match self.result_type(call)? {
            Ty::Int(ty) => Ok(Value::Int(i128::from(one), ty)),
            Ty::Felt => Ok(Value::Felt(Word::Const(element))),
            Ty::Ext => {
                let zero = F::ZERO;
                Ok(Value::Ext(Ext::Const([element, zero, zero, zero, zero])))
            }
            _ => {
                let name = call.name;
                let message = format!("the type of this {name} is not known here");
                let help = format!("write it: `{name}::<Felt>()`");
                fail_help(call.span, message, help)
            }
        }
    }

    pub(super) fn total_operator(call: &Taking<'_>) -> BinaryOp {
        match call.name {
            "product" => BinaryOp::Mul,
            _ => BinaryOp::Add,
        }
    }

    pub(super) fn total(&mut self, iter: &mut Iter, call: &Taking<'_>) -> Eval<Value> {
        let span = call.span;
        let wanted = self.result_type(call)?;
        if let (Ty::Struct(..), false) = (&wanted, call.kept) {
            let method = match call.name {
                "sum" => ("Sum", "sum"),
                _ => ("Product", "product"),
            };
            if let Some(callee) = self.implementation_for(method, &wanted, &[], span)? {
                let empty = Iter::items(Rc::default(), Held::Owned);
                let all = std::mem::replace(iter, empty).into_value();
                return self.call_operator(callee, vec![all], span);
            }
        }
        let mut total = None;
        while let Some(value) = self.next(iter, span)? {
            if !matches!(value, Value::Int(..) | Value::Felt(_) | Value::Ext(_)) {
                let message = format!("`{}` is for integers, Felts and Exts", call.name);
                return fail_help(span, message, "write `fold`");
            }
            total = Some(match total {
                None => value,
                Some(total) => {
                    self.at(span);
                    self.binary(Self::total_operator(call), total, value, span)?
                }
            });
        }
        match total {
            Some(total) => self.settle(total, &wanted, span),
            None => self.neutral(call),
        }
    }

    /// Evaluates `any` or `all`. A run-time bool may end it, so what follows is a branch.
    pub(super) fn any_or_all(
        &mut self,
        iter: &mut Iter,
        mut f: Value,
        call: &Taking<'_>,
    ) -> Eval<Value> {
        let span = call.span;
        let decides = call.name == "any";
        while let Some(value) = self.next(iter, span)? {
            match known(self.call_closure(&mut f, vec![value], span)?) {
                Value::Bool(value) if value == decides => return Ok(Value::Bool(decides)),
                Value::Bool(_) => {}
                flag @ Value::Flag(_) if iter.length() == Some(0) => return Ok(flag),
                Value::Flag(word) if !call.kept => {
                    return self.nested(span, |this| {
                        this.unless(Condition::Flag(word), decides, span, |this| {
                            this.any_or_all(&mut iter.clone(), f.clone(), call)
                        })
                    });
                }
                _ => return undecided(call.name, span),
            }
        }
        Ok(Value::Bool(!decides))
    }

    /// Evaluates `max`, `min` and the like: of equal elements the last is the largest, and the first
    /// the smallest.
    pub(super) fn extreme(
        &mut self,
        iter: &mut Iter,
        values: Vec<Value>,
        call: &Taking<'_>,
    ) -> Eval<Option<Value>> {
        let span = call.span;
        let mut f = optional(values, call.name.contains("_by"), span)?;
        let by_key = call.name.ends_with("_key");
        let mut best: Option<(Value, Value)> = None;
        while let Some(value) = self.next(iter, span)? {
            let mut key = value.clone();
            if let Some(f) = &mut f
                && by_key
            {
                let shared = self.shared(key);
                key = self.call_closure(f, vec![shared], span)?;
            }
            let Some((before, kept)) = best else {
                best = Some((key, value));
                continue;
            };
            let ordering = match &mut f {
                Some(f) if !by_key => self.ordering_by(f, &before, &key, span)?,
                _ => self.compare_values(&before, &key, span)?,
            };
            let greater = ordering == Ordering::Greater;
            best = Some(if greater == call.name.starts_with("max") {
                (before, kept)
            } else {
                (key, value)
            });
        }
        Ok(best.map(|(_, value)| value))
    }

    /// Returns how a closure orders references to two values.
    pub(in super::super) fn ordering_by(
        &mut self,
        f: &mut Value,
        a: &Value,
        b: &Value,
        span: Span,
    ) -> Eval<Ordering> {
        let both = vec![self.shared(a.clone()), self.shared(b.clone())];
        let result = self.call_closure(f, both, span)?;
        match self.as_ordering(&result) {
            Some(ordering) => Ok(ordering),
            None => fail(
                span,
                format!("this closure returns an `Ordering`, not {result}"),
            ),
        }
    }

    /// Evaluates `collect` into a `Vec`, or into an `Option` or a `Result` of one, which stops at the
    /// first that holds no element.
    pub(super) fn collect(&mut self, iter: &mut Iter, call: &Taking<'_>) -> Eval<Value> {
        let span = call.span;
        let ty = self.result_type(call)?;
        let (option, result) = (self.items.std_enum("Option"), self.items.std_enum("Result"));
        let (of, generics, inner) = match &ty {
            Ty::Struct(id, generics) if *id == option || *id == result => {
                let inner = generics.first().cloned();
                (Some(*id), generics.clone(), inner.unwrap_or(Ty::Unknown))
            }
            ty => (None, [].into(), ty.clone()),
        };
        if !matches!(inner, Ty::Vec(_) | Ty::Unknown) {
            let message = "`collect` makes a `Vec`, or an `Option` or a `Result` of one";
            return fail(span, message);
        }
        let mut list: Vec<Value> = Vec::new();
        while let Some(value) = self.next(iter, span)? {
            let value = if of == Some(option) {
                match self.as_option(&value) {
                    Some(Some(value)) => value,
                    Some(None) => return self.option(None, inner, span),
                    None => return argument::mismatch("an `Option`", &value, span),
                }
            } else if of == Some(result) {
                match self.as_result(&value) {
                    Some(Ok(value)) => value,
                    Some(Err(error)) => {
                        let fields = vec![error];
                        return self.standard_variant("Result", "Err", generics, fields, span);
                    }
                    None => return argument::mismatch("a `Result`", &value, span),
                }
            } else {
                value
            };
            self.append(&mut list, value, span)?;
        }
        // Only these elements could be collected into anything else.
        let ambiguous = match list.first() {
            Some(Value::Tuple(values)) => matches!(values.len(), 0 | 2),
            Some(value) => self.as_option(value).is_some() || self.as_result(value).is_some(),
            None => true,
        };
        if ambiguous && matches!(ty, Ty::Unknown) {
            let message = "it is not known here into what these elements are collected";
            return fail_help(span, message, "write `collect::<Vec<_>>()`");
        }
        let list = self.settled(Value::Vec(Rc::new(list), Held::Owned), &inner, span)?;
        let list = self.bounded(list, span)?;
        match of {
            Some(id) if id == option => self.option(Some(list), inner, span),
            Some(_) => self.standard_variant("Result", "Ok", generics, vec![list], span),
            None => Ok(list),
        }
    }

    /// Evaluates `unzip` or `partition`, into two `Vec`s.
    pub(super) fn two_lists(
        &mut self,
        iter: &mut Iter,
        values: Vec<Value>,
        call: &Taking<'_>,
    ) -> Eval<Value> {
        let span = call.span;
        let mut f = optional(values, call.name == "partition", span)?;
        let (mut left, mut right): (Vec<Value>, Vec<Value>) = Default::default();
        while let Some(value) = self.next(iter, span)? {
            let (first, second) = if let Some(f) = &mut f {
                if self.test(f, &value, span)? {
                    (Some(value), None)
                } else {
                    (None, Some(value))
                }
            } else {
                match value.parts() {
                    Some([first, second]) => (Some(first.clone()), Some(second.clone())),
                    _ => return argument::mismatch("a pair", &value, span),
                }
            };
            for (list, value) in [(&mut left, first), (&mut right, second)] {
                if let Some(value) = value {
                    self.append(list, value, span)?;
                }
            }
        }
        let lists = [left, right].map(|list| Value::Vec(Rc::new(list), Held::Owned));
        let lists = Value::Tuple(Rc::new(lists.into()));
        let lists = self.settled(lists, call.expected, span)?;
        self.bounded(lists, span)
    }

    /// Returns whether two iterators have equal elements, which may be a run-time bool.
    pub(super) fn equal_iterators(
        &mut self,
        a: &mut Iter,
        b: &mut Iter,
        span: Span,
    ) -> Eval<Value> {
        let mut all = Value::Bool(true);
        loop {
            let first = self.next(a, span)?;
            let second = match &first {
                None if self.next(b, span)?.is_none() => return Ok(all),
                None => return Ok(Value::Bool(false)),
                Some(_) => self.next(b, span)?,
            };
            let (Some(first), Some(second)) = (first, second) else {
                return Ok(Value::Bool(false));
            };
            let own = self.has_own_equality(&first) || self.has_own_equality(&second);
            let equal = if own {
                // The standard library may compare the lengths first.
                let what = "how many elements this comparison takes";
                self.pure(what, span, |this| this.equal_values(&first, &second, span))?
            } else {
                self.equal_values(&first, &second, span)?
            };
            if let Value::Bool(false) = equal {
                return Ok(equal);
            }
            all = self.binary(BinaryOp::And, all, equal, span)?;
        }
    }

    /// Returns the order of two iterators: that of the first elements which differ.
    pub(super) fn order_of_iterators(
        &mut self,
        a: &mut Iter,
        b: &mut Iter,
        span: Span,
    ) -> Eval<Ordering> {
        loop {
            let first = self.next(a, span)?;
            let second = self.next(b, span)?;
            match (first, second) {
                (Some(first), Some(second)) => {
                    let ordering = self.compare_values(&first, &second, span)?;
                    if ordering != Ordering::Equal {
                        return Ok(ordering);
                    }
                }
                (first, second) => return Ok(first.is_some().cmp(&second.is_some())),
            }
        }
    }
}
