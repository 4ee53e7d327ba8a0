//! Calls: which function a path or a method means, its generic arguments, and how it is inlined.

use std::rc::Rc;

use super::dispatch::{Candidate, Owner, Prefix};
use super::unify::Header;
use super::*;
use crate::compiler::resolve::{Namespace, TraitName};
use place::Place;
use types::Bindings;

/// An argument. If the parameter is `&mut`, also the place to which its final value is written.
pub(super) struct Argument {
    pub value: Value,
    pub place: Option<Place>,
}

/// A function to be called, and what its names mean.
pub(super) struct Callee {
    pub function: Rc<Function>,
    pub module: ModuleId,
    pub owner: Option<Owner>,
    pub generics: Bindings,
    pub self_type: Option<Ty>,
}

impl Evaluator<'_> {
    pub(super) fn call(
        &mut self,
        path: &Path,
        arguments: &[Expr],
        expected: Ty,
        span: Span,
    ) -> Eval<Value> {
        let module = self.module();
        let first = path.segments.first().map(|segment| segment.name);
        let own = path.qualified.is_none()
            && first.is_some_and(|name| &*name.text() != "Self" && self.generic(name).is_none());
        if own && let Some((definition, used)) = self.items.path(module, path, Namespace::Value)? {
            if used == path.segments.len() {
                let turbofish = &path.segments[used - 1].generics;
                return match definition {
                    Definition::Function(defined_in, function) => {
                        let generics = self.turbofish(&function, turbofish)?;
                        let types = Some((defined_in, generics.as_slice()));
                        let values = self.arguments(&function, types, None, arguments, span)?;
                        let callee = Callee {
                            function,
                            module: defined_in,
                            owner: None,
                            generics,
                            self_type: None,
                        };
                        self.invoke(callee, values, span)
                    }
                    Definition::Struct(id) => {
                        let Ty::Struct(_, generics) = self.path_type(path)? else {
                            return fail(span, "this is not a struct");
                        };
                        self.tuple_structure(id, generics, arguments, &expected, span)
                    }
                    Definition::Intrinsic(name) => {
                        let values = self.values(arguments, Ty::Int(Some(IntType::Usize)))?;
                        self.at(span);
                        self.intrinsic_call(name, values, span)
                    }
                    _ => {
                        let name = path.segments[used - 1].name;
                        fail(path.span, format!("`{name}` is not a function"))
                    }
                };
            }
            if let Definition::Trait(of) = definition
                && used + 1 == path.segments.len()
            {
                return self.trait_call(of, path, arguments, span);
            }
        }
        let Some((last, prefix)) = path.segments.split_last() else {
            return fail(path.span, "this is not a function");
        };
        if prefix.is_empty() && path.qualified.is_none() {
            if &*last.name.text() == "Self"
                && let Some(Ty::Struct(id, generics)) = self.here().self_type.clone()
            {
                return self.tuple_structure(id, generics, arguments, &expected, span);
            }
            let name = last.name;
            return fail(path.span, format!("there is no function `{name}`"));
        }
        let mut ty = self.path_prefix_type(path, prefix.len())?;
        // `Index::new` and `Words::new` return their own type, whose length need not be written
        // here.
        if let [Segment { name, .. }] = prefix
            && matches!(ty, Ty::Unknown)
            && self.generic(*name).is_none()
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
        let named = path.qualified.as_deref().filter(|_| prefix.of.is_some());
        let segment = named.and_then(|(_, of)| of.as_ref()?.segments.last());
        let found = self.with_trait_arguments(found, segment)?;
        if found.is_empty() {
            if prefix.of.is_some() && !matches!(&*last.name.text(), "clone" | "default") {
                return fail(span, "this function of the trait is not in the subset");
            }
            let parameter = intrinsic::parameter(&ty, &last.name.text());
            let values = self.values(arguments, parameter)?;
            self.at(span);
            let name = last.name;
            return match self.intrinsic_associated(&ty, &name.text(), values, span)? {
                Some(value) => Ok(value),
                None => fail(span, format!("there is no function `{name}` of this type")),
            };
        }
        self.call_candidates(found, &ty, last, None, arguments, span)
    }

    /// Returns what the first `length` segments of a path say about the item that they precede.
    pub(super) fn prefix<'a>(&self, path: &'a Path, length: usize) -> Eval<Prefix<'a>> {
        let of = match path.qualified.as_deref() {
            Some((_, Some(of))) if length == 0 => Some(self.items.trait_named(self.module(), of)?),
            _ => None,
        };
        Ok(Prefix {
            path: Some((path, length)),
            of,
        })
    }

    fn tuple_structure(
        &mut self,
        id: usize,
        generics: Rc<[Ty]>,
        arguments: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let info = &self.items.structs[id];
        let (ast, module) = (info.ast.clone(), info.module);
        if arguments.len() != ast.fields.len() {
            return fail(span, "wrong number of fields");
        }
        let names = ast.generics.iter().map(|param| param.name);
        let bindings: Vec<_> = names.zip(generics.iter().cloned()).collect();
        let mut fields = Vec::with_capacity(arguments.len());
        for (argument, (_, ty)) in arguments.iter().zip(&ast.fields) {
            let ty = self.integers_of(ty, module, &bindings);
            fields.push(self.expr_of(argument, ty)?);
        }
        self.build_structure(id, generics, fields, expected)
    }

    /// Evaluates arguments of a built-in function, whose integers are all of one type.
    fn values(&mut self, arguments: &[Expr], expected: Ty) -> Eval<Vec<Value>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            self.expected = expected.clone();
            values.push(self.expr(argument)?);
        }
        Ok(values)
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
            return fail_help(
                span,
                "the type that implements the trait is not known here",
                "write `<Type as Trait>::function()`",
            );
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
        };
        let mut found = self.function_candidates(&prefix, &ty, name, span)?;
        found.retain(|candidate| builtin::takes_self(&candidate.item.item));
        let found = self.with_trait_arguments(found, before.last())?;
        if found.is_empty() {
            return fail_help(
                span,
                format!(
                    "`{name}` does not take `self`, so the type that implements the trait is not known here"
                ),
                "write `<Type as Trait>::function()`",
            );
        }
        self.check_reference(first, &found, name, span)?;
        let receiver = Some(Argument { value, place });
        self.call_candidates(found, &ty, last, receiver, rest, span)
    }

    pub(super) fn method_call(
        &mut self,
        receiver: &Expr,
        name: Symbol,
        turbofish: &[GenericArg],
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let (value, place) = self.borrow(receiver)?;
        let ty = value.ty();
        let found = self.method_candidates(receiver, &value, &ty, name, span)?;
        self.check_reference(receiver, &found, name, span)?;
        if !found.is_empty() {
            let segment = Segment {
                name,
                generics: turbofish.to_vec(),
            };
            let receiver = Some(Argument { value, place });
            return self.call_candidates(found, &ty, &segment, receiver, arguments, span);
        }
        if matches!(value, Value::Vec(_)) && matches!(&*name.text(), "push" | "truncate") {
            // The `Vec` is changed in its place, without a copy.
            drop(value);
            return self.change_vec(place, &ty, name, arguments, span);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let expected = match &value {
                Value::Words(_, length) => Ty::Index(*length),
                Value::Int(_, ty) => integer::parameter(*ty, &name.text()),
                _ => Ty::Int(Some(IntType::Usize)),
            };
            values.push(self.expr_of(argument, expected)?);
        }
        self.at(span);
        self.intrinsic_method(value, &name.text(), values, span)
    }

    /// Evaluates `place.push(value)` or `place.truncate(length)` of a `Vec` of type `ty`.
    fn change_vec(
        &mut self,
        place: Option<Place>,
        ty: &Ty,
        name: Symbol,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let ([argument], Ty::Vec(element)) = (arguments, ty) else {
            return fail(span, format!("`{name}` takes one argument"));
        };
        let push = &*name.text() == "push";
        let expected = match push {
            true => (**element).clone(),
            false => Ty::Int(Some(IntType::Usize)),
        };
        let argument = self.expr_of(argument, expected)?;
        let Some(place) = place else {
            return fail(span, "the `Vec` that this changes is not in a variable");
        };
        let Value::Vec(mut values) = self.take_place(&place)? else {
            return fail(span, "the value's structure has changed");
        };
        let list = Rc::make_mut(&mut values);
        if push {
            if list.len() >= MAX_ELEMENTS {
                return fail(span, "the `Vec` is too long");
            }
            list.push(argument);
        } else {
            let length = intrinsic::integer(&argument, span)?;
            list.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        }
        self.write_place(&place, Value::Vec(values))?;
        Ok(Value::unit())
    }

    /// Returns the candidates whose trait has the generic arguments that a path writes.
    fn with_trait_arguments(
        &mut self,
        found: Vec<Candidate<Rc<Function>>>,
        written: Option<&Segment>,
    ) -> Eval<Vec<Candidate<Rc<Function>>>> {
        let Some(written) = written.filter(|written| !written.generics.is_empty()) else {
            return Ok(found);
        };
        let items = self.items;
        let mut left = Vec::new();
        for mut candidate in found {
            let info = &items.impls[candidate.item.implementation];
            let own = info.ast.of.as_ref().and_then(|path| path.segments.last());
            let params: &[GenericParam] = match info.of {
                Some(TraitName::User(id)) => &items.traits[id].1.generics,
                _ => &[],
            };
            let types = self.generic_arguments(params, &written.generics)?;
            let constant = |index: usize| params.get(index).is_some_and(|param| param.constant);
            let types = types.into_iter().enumerate();
            let types = types.map(|(index, ty)| (constant(index), ty)).collect();
            let header = Header {
                module: info.module,
                params: &info.ast.generics,
                self_type: None,
                lengths: true,
            };
            let own = own.map_or(&[][..], |own| &own.generics);
            let matches = self.unify_arguments(own, types, &header, &mut candidate.bindings)?;
            if matches != unify::Match::No {
                left.push(candidate);
            }
        }
        Ok(left)
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
        let Some(first) = found.first() else {
            return fail(span, format!("there is no `{}` for this type", last.name));
        };
        // The standard library's implementations of its traits are not among the candidates, so the
        // only candidate is meant only if it takes these arguments.
        if found.len() == 1 && !first.is_of_standard_trait() {
            let callee = self.callee(first.clone(), ty, &last.generics)?;
            let types = Some((callee.module, callee.generics.as_slice()));
            let function = &callee.function;
            let values = self.arguments(function, types, receiver, arguments, span)?;
            return self.invoke(callee, values, span);
        }
        // The candidates have the parameters that their trait declares. Their types are still to be
        // found.
        let function = first.item.item.clone();
        let values = self.arguments(&function, None, receiver, arguments, span)?;
        let given: Vec<_> = values.iter().map(|value| value.value.clone()).collect();
        match self.select_by_arguments(found, ty, &given, last.name, span)? {
            Some(candidate) => {
                let callee = self.callee(candidate, ty, &last.generics)?;
                let mut settled = Vec::with_capacity(values.len());
                for (param, argument) in callee.function.params.iter().zip(values) {
                    let ty = self.integers_of(&param.ty, callee.module, &callee.generics);
                    let value = integer::settle(argument.value, &ty, span)?;
                    settled.push(Argument { value, ..argument });
                }
                self.invoke(callee, settled, span)
            }
            None => fail(
                span,
                format!("no implementation of `{}` takes these arguments", last.name),
            ),
        }
    }

    /// Calls a function of an implementation that has no `&mut` parameters.
    pub(super) fn call_values(
        &mut self,
        candidate: Candidate<Rc<Function>>,
        ty: &Ty,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let callee = self.callee(candidate, ty, &[])?;
        let values = values.into_iter();
        let values = values.map(|value| Argument { value, place: None });
        self.invoke(callee, values.collect(), span)
    }

    fn callee(
        &mut self,
        candidate: Candidate<Rc<Function>>,
        ty: &Ty,
        turbofish: &[GenericArg],
    ) -> Eval<Callee> {
        let owner = candidate.owner();
        let mut generics = self.owner_generics(owner, &candidate.bindings, ty)?;
        let function = candidate.item.item;
        generics.extend(self.turbofish(&function, turbofish)?);
        Ok(Callee {
            function,
            module: candidate.item.module,
            owner: Some(owner),
            generics,
            self_type: Some(ty.clone()),
        })
    }

    /// Returns the arguments of an implementation's generic parameters or, for a default, those of
    /// its trait.
    pub(super) fn owner_generics(
        &mut self,
        owner: Owner,
        bindings: &Bindings,
        ty: &Ty,
    ) -> Eval<Bindings> {
        let items = self.items;
        let Some(id) = owner.default_of else {
            let mut generics = bindings.clone();
            for param in &items.impls[owner.implementation].ast.generics {
                if generics.iter().all(|(name, _)| *name != param.name) {
                    generics.push((param.name, Ty::Unknown));
                }
            }
            return Ok(generics);
        };
        // A default is written in its trait, in which the names of the implementation's parameters
        // mean something else.
        let params = &items.traits[id].1.generics;
        let info = &items.impls[owner.implementation];
        let written = info.ast.of.as_ref().and_then(|path| path.segments.last());
        let Some(written) = written.filter(|_| !params.is_empty()) else {
            return Ok(Vec::new());
        };
        let known = bindings.clone();
        let this = Some(ty.clone());
        let types = self.within(info.module, known, this, Some(owner), |this| {
            this.generic_arguments(params, &written.generics)
        })?;
        Ok(params.iter().map(|param| param.name).zip(types).collect())
    }

    fn turbofish(&mut self, function: &Function, arguments: &[GenericArg]) -> Eval<Bindings> {
        let types = self.generic_arguments(&function.generics, arguments)?;
        // A parameter without an argument is unknown. It does not mean an item of the same name.
        let types = types.into_iter().chain(std::iter::repeat(Ty::Unknown));
        let names = function.generics.iter().map(|param| param.name);
        Ok(names.zip(types).collect())
    }
}

/// Returns whether the declared result of a function is `Self`.
fn gives_self(function: &Function) -> bool {
    let Some(Type {
        kind: TypeKind::Path(path),
        ..
    }) = &function.output
    else {
        return false;
    };
    path.ident().is_some_and(|name| &*name.text() == "Self")
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
