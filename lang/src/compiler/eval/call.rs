//! Calls: which function a path or a method means, and with which generic arguments.

use std::rc::Rc;

use super::candidate::{Candidate, Prefix};
use super::expr::integer_only;
use super::function::Callee;
use super::invoke::Argument;
use super::unify::Header;
use super::*;
use place::{Place, Reach};

use crate::compiler::resolve::{ITER_FROM_FN, Namespace, TraitName};

impl Evaluator<'_> {
    pub(super) fn call(
        &mut self,
        path: &Path,
        arguments: &[Expr],
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let module = self.module();
        // A variable hides functions of its name.
        if path.ident().is_some_and(|name| self.slot(name).is_some()) {
            let callee = Expr::new(ExprKind::Path(path.clone()), path.span);
            return self.call_value(&callee, arguments, span);
        }
        if self.is_of_items(path)
            && let Some((definition, used)) = self.items.path(module, path, Namespace::Value)?
        {
            let function = used + 1 == path.segments.len();
            match definition {
                definition if used == path.segments.len() => {
                    return self.call_item(definition, path, arguments, expected, span);
                }
                Definition::Trait(of) if function => {
                    return self.trait_call(of, path, arguments, span);
                }
                Definition::Intrinsic(of) if function && operator::is_trait(&of.text()) => {
                    return self.standard_call(of, path, arguments, &expected, span);
                }
                _ => {}
            }
        }
        let variant = self.variant_named(path, Namespace::Value)?;
        if let Some((id, variant, generics)) = variant {
            return self.tuple_structure(id, variant, generics, arguments, &expected, span);
        }
        if let (None, [last]) = (&path.qualified, path.segments.as_slice()) {
            let name = last.name;
            return missing(&format!("function `{name}`"), name, path.span);
        }
        self.call_associated(path, arguments, expected, span)
    }

    /// Calls the item that a path names.
    fn call_item(
        &mut self,
        item: Definition,
        path: &Path,
        arguments: &[Expr],
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let Some(last) = path.segments.last() else {
            return fail(path.span, "this is not a function");
        };
        let turbofish = &last.generics;
        match item {
            Definition::Function(module, function) => {
                let generics = self.open(&function.generics, turbofish)?;
                let types = Some((module, &generics));
                let values = self.arguments(&function, types, None, arguments, span)?;
                let callee = Callee {
                    function,
                    module,
                    owner: None,
                    generics,
                    self_type: None,
                };
                self.invoke(callee, values, span)
            }
            Definition::Intrinsic(name) => {
                let text = name.text();
                let mut custom = self.precompiles.iter().flat_map(|custom| custom.functions);
                let is_custom = custom.any(|function| function.name == &*text);
                match (&*text, arguments) {
                    _ if is_custom => {}
                    ("swap", [first, second]) => return self.swap(first, second, span),
                    ("replace", [place, value]) => {
                        return self.replace_place(place, Some(value), span);
                    }
                    ("take", [place]) => return self.replace_place(place, None, span),
                    ("max" | "min", [first, second]) => {
                        let first = self.moved(first, integer_only(expected))?;
                        let second = self.moved(second, integer_only(first.ty()))?;
                        self.at(span);
                        let result = self.comparison_method(&first, &text, &[second], span)?;
                        return match result {
                            Some(value) => Ok(value),
                            None => fail(span, format!("`{text}` does not apply to {first}")),
                        };
                    }
                    (
                        "empty" | "from_fn" | "once" | "repeat" | "repeat_n" | "repeat_with"
                        | "successors" | "zip" | ITER_FROM_FN,
                        _,
                    ) => {
                        return self
                            .iterator_function(&text, turbofish, arguments, &expected, span);
                    }
                    ("__clone", [value]) => {
                        let value = self.expr(value)?;
                        return self.clone_of(value, span);
                    }
                    ("__default", []) => {
                        let ty = match turbofish.as_slice() {
                            [GenericArg::Type(ty)] => self.ty(ty)?,
                            _ => expected,
                        };
                        return self.default_value(&ty, span);
                    }
                    _ => {}
                }
                let parameter = match &*text {
                    "reveal" => Ty::Felt,
                    _ => Ty::USIZE,
                };
                let values = self.values(arguments, parameter)?;
                self.at(span);
                self.intrinsic_call(name, values, span)
            }
            _ => match self.variant_named(path, Namespace::Value)? {
                Some((id, variant, generics)) => {
                    self.tuple_structure(id, variant, generics, arguments, &expected, span)
                }
                None => fail(path.span, format!("`{}` is not a function", last.name)),
            },
        }
    }

    /// Returns the place that an argument borrows by `&mut`, and the value there.
    fn borrowed(&mut self, argument: &Expr) -> Eval<(Value, Place)> {
        if let (value, Some(place)) = self.borrow(argument)?
            && place.reach == Reach::Reference
        {
            return Ok((value, place));
        }
        let help = "write `&mut` and the place";
        fail_help(argument.span, "a mutable reference is expected here", help)
    }

    /// Evaluates `std::mem::swap(first, second)`.
    fn swap(&mut self, first: &Expr, second: &Expr, span: Span) -> Eval<Value> {
        let ((a, first), (b, second)) = (self.borrowed(first)?, self.borrowed(second)?);
        self.same_type(&a, &b, span)?;
        self.write_place(&first, b)?;
        self.write_place(&second, a)?;
        Ok(Value::unit())
    }

    /// Evaluates `std::mem::replace(place, value)` or, without a value, `std::mem::take(place)`.
    fn replace_place(&mut self, place: &Expr, value: Option<&Expr>, span: Span) -> Eval<Value> {
        let (old, place) = self.borrowed(place)?;
        let ty = self.bounded_type(old.ty(), span)?;
        let new = match value {
            Some(value) => self.moved(value, ty)?,
            None => self.default_value(&ty, span)?,
        };
        self.write_place(&place, new)?;
        Ok(old)
    }

    /// Calls `Type::function(..)`.
    fn call_associated(
        &mut self,
        path: &Path,
        arguments: &[Expr],
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let Some((last, prefix)) = path.segments.split_last() else {
            return fail(path.span, "this is not a function");
        };
        let mut ty = self.path_prefix_type(path, prefix.len())?;
        // `Index::new` and `Words::new` return their own type, whose length need not be written
        // here.
        if let [Segment { name, .. }] = prefix
            && matches!(ty, Ty::Unknown)
            && self.type_parameter(*name).is_none()
            && matches!(
                (&*name.text(), &expected),
                ("Index", Ty::Index(_)) | ("Words", Ty::Words(_))
            )
        {
            ty = expected.clone();
        }
        let prefix = self.prefix(path, prefix.len())?;
        let mut found = self.function_candidates(&prefix, &ty, last.name, span)?;
        // If the function returns its own type, the expected result determines what that type is.
        // If nothing is known about the type, it does not.
        if !matches!(ty, Ty::Unknown | Ty::Int(_))
            && !matches!(expected, Ty::Unknown)
            && expected.matches(&ty)
            && found
                .iter()
                .all(|candidate| gives_self(&candidate.item.item))
        {
            ty = more_precise(ty, &expected);
            found = self.function_candidates(&prefix, &ty, last.name, span)?;
        }
        // Integers and `Vec`s also have the conversions of the standard library.
        if let (Ty::Int(_) | Ty::Vec(_), [argument], false) = (&ty, arguments, found.is_empty())
            && found.iter().all(|candidate| candidate.is_of("From"))
        {
            let value = self.moved(argument, Ty::Unknown)?;
            self.at(span);
            return self.converted(value, &ty, span);
        }
        if found.is_empty() {
            if prefix.of.is_some() && !matches!(&*last.name.text(), "clone" | "default") {
                return fail(span, "this function of the trait is not in the subset");
            }
            let name = last.name;
            let parameter = builtin::parameter(&ty, &name.text());
            let values = match (&ty, arguments) {
                // A method's first argument is of the type, not of that of the others.
                (Ty::Int(Some(_)), [first, rest @ ..])
                    if !rest.is_empty() && name != "from_digit" =>
                {
                    let mut values = self.values(std::slice::from_ref(first), ty.clone())?;
                    values.extend(self.values(rest, parameter)?);
                    values
                }
                _ => self.values(arguments, parameter)?,
            };
            self.at(span);
            return match self.intrinsic_associated(&ty, &name.text(), values, span)? {
                Some(value) => Ok(value),
                None => fail(span, format!("there is no function `{name}` of this type")),
            };
        }
        self.call_candidates(found, &ty, last, None, arguments, span)
    }

    /// Evaluates arguments of a built-in function, whose integers are all of one type.
    fn values(&mut self, arguments: &[Expr], expected: Ty) -> Eval<Vec<Value>> {
        let values = arguments.iter().map(|argument| {
            self.expected = expected.clone();
            let value = self.expr(argument)?;
            self.check_move(argument, &value)?;
            Ok(value)
        });
        values.collect()
    }

    /// Calls `Trait::function(first, ..)`. The first argument, `self`, determines the
    /// implementation.
    fn trait_call(
        &mut self,
        of: usize,
        path: &Path,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let (Some((last, before)), Some((first, rest))) =
            (path.segments.split_last(), arguments.split_first())
        else {
            let message = "the type that implements the trait is not known here";
            return fail_help(span, message, "write `<Type as Trait>::function()`");
        };
        let (value, place) = match &first.kind {
            ExprKind::RefMut(_) => self.borrow(first)?,
            _ => (self.expr(first)?, None),
        };
        let ty = value.ty();
        let name = last.name;
        let prefix = Prefix {
            path: None,
            of: Some(TraitName::User(of)),
            arguments: before.last(),
        };
        let mut found = self.function_candidates(&prefix, &ty, name, span)?;
        found.retain(|candidate| builtin::takes_self(&candidate.item.item));
        if found.is_empty() {
            return fail_help(
                span,
                format!(
                    "`{name}` does not take `self`, so the type that implements the trait is not known here"
                ),
                "write `<Type as Trait>::function()`",
            );
        }
        let is_reference = self.is_mutable_reference(first);
        self.check_reference(is_reference, &found, name, span)?;
        let param = found
            .first()
            .and_then(|one| one.item.item.params.first().cloned());
        if let Some(param) = param {
            self.check_reference_to(first, &value, place.as_ref(), &param)?;
            if !param.ty.reference && !param.mutable_reference {
                self.check_move(first, &value)?;
            }
        }
        let receiver = Some(Argument::new(value, place));
        self.call_candidates(found, &ty, last, receiver, rest, span)
    }

    pub(super) fn method_call(
        &mut self,
        receiver: &Expr,
        name: Symbol,
        turbofish: &[GenericArg],
        arguments: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        self.expected = self.expected_conversion(receiver, &name.text(), expected);
        let (value, place) = self.borrow(receiver)?;
        let ty = self.bounded_type(value.ty(), span)?;
        let is_reference = place
            .as_ref()
            .is_some_and(|place| place.reach == Reach::Reference);
        let found = self.method_candidates(receiver, is_reference, &value, &ty, name, span)?;
        self.check_scope(&found, name, span, |this| this.static_type(receiver))?;
        if let Some(place) = place.as_ref().filter(|_| is_reference && found.is_empty())
            && name == "into_iter"
            && arguments.is_empty()
            && (value.elements().is_some() || self.as_option(&value).is_some())
        {
            return Ok(self.iterate_places(place, span)?.into_value());
        }
        self.check_reference(is_reference, &found, name, span)?;
        if !found.is_empty() {
            let by_value = |one: &Candidate<Rc<Function>>| {
                let implementation = &self.items.impls[one.item.implementation];
                builtin::receiver(&one.item.item) == Some(builtin::Receiver::Value)
                    && !implementation.ast.self_type.reference
            };
            if !receiver.reference && found.iter().any(by_value) {
                self.check_static(receiver, &value)?;
            }
            let segment = Segment {
                name,
                generics: turbofish.to_vec(),
                bindings: Vec::new(),
            };
            let receiver = Some(Argument::new(value, place));
            return self.call_candidates(found, &ty, &segment, receiver, arguments, span);
        }
        self.builtin_method_call(
            receiver, value, place, name, turbofish, arguments, expected, span,
        )
    }

    /// Evaluates arguments and calls one of the candidates, which all belong to one trait.
    fn call_candidates(
        &mut self,
        found: Vec<Candidate<Rc<Function>>>,
        ty: &Ty,
        last: &Segment,
        receiver: Option<Argument>,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        if let [only] = found.as_slice() {
            let callee = self.callee(only.clone(), ty, &last.generics)?;
            let types = Some((callee.module, &callee.generics));
            let values = self.arguments(&callee.function, types, receiver, arguments, span)?;
            return self.invoke(callee, values, span);
        }
        let Some(first) = found.first() else {
            return fail(span, format!("there is no `{}` for this type", last.name));
        };
        // The candidates have the parameters that their trait declares. Their types are still to be
        // found.
        let function = first.item.item.clone();
        let values = self.arguments(&function, None, receiver, arguments, span)?;
        let callee = self.select_by_arguments(found, ty, last, &values, span)?;
        let mut settled = Vec::with_capacity(values.len());
        for (param, mut argument) in callee.function.params.iter().zip(values) {
            let ty = self.integers_of(&param.ty, callee.module, &callee.generics)?;
            argument.value = self.settled(argument.value, &ty, span)?;
            settled.push(argument);
        }
        self.invoke(callee, settled, span)
    }

    /// Returns the candidate of a generic trait that takes these arguments.
    fn select_by_arguments(
        &mut self,
        found: Vec<Candidate<Rc<Function>>>,
        ty: &Ty,
        last: &Segment,
        values: &[Argument],
        span: Span,
    ) -> Eval<Callee> {
        let mut left = Vec::new();
        for candidate in &found {
            let callee = self.callee(candidate.clone(), ty, &last.generics)?;
            let header = Header {
                module: callee.module,
                self_type: Some(ty),
                lengths: false,
            };
            let mut generics = callee.generics.clone();
            let skipped = usize::from(builtin::takes_self(&callee.function));
            let mut matches = unify::Match::Yes;
            for (param, argument) in callee.function.params.iter().zip(values).skip(skipped) {
                let ty = argument.value.ty();
                matches = matches.min(self.unify(&param.ty, &ty, &header, &mut generics)?);
            }
            if matches != unify::Match::No {
                left.push(callee);
            }
        }
        match (left.pop(), left.is_empty()) {
            (Some(callee), true) => Ok(callee),
            (Some(_), false) => self.ambiguous(&found, last.name, span),
            (None, _) => fail(
                span,
                format!("no implementation of `{}` takes these arguments", last.name),
            ),
        }
    }

    pub(super) fn callee(
        &mut self,
        candidate: Candidate<Rc<Function>>,
        ty: &Ty,
        turbofish: &[GenericArg],
    ) -> Eval<Callee> {
        let owner = candidate.owner();
        let mut generics = self.owner_generics(owner, &candidate.generics, ty)?;
        let function = candidate.item.item;
        generics.extend(self.open(&function.generics, turbofish)?);
        Ok(Callee {
            function,
            module: candidate.item.module,
            owner: Some(owner),
            generics,
            self_type: Some(ty.clone()),
        })
    }
}

/// Returns whether the declared result of a function is `Self`.
fn gives_self(function: &Function) -> bool {
    let output = function.output.as_ref().and_then(Type::ident);
    output.is_some_and(|name| name == "Self")
}

/// Returns `ty` with its unknown parts taken from `known`, which it matches.
fn more_precise(ty: Ty, known: &Ty) -> Ty {
    match (ty, known) {
        (Ty::Unknown, known) => known.clone(),
        (Ty::Struct(id, generics), Ty::Struct(_, others)) => {
            let generics = generics.iter().zip(others.iter());
            let generics = generics.map(|(ty, known)| more_precise(ty.clone(), known));
            Ty::Struct(id, generics.collect())
        }
        (ty, _) => ty,
    }
}
