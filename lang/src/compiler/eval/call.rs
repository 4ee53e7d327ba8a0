//! Calls: which function a path or a method means, its generic arguments, and inlining it.

use std::rc::Rc;

use super::dispatch::{Candidate, Owner, Prefix};
use super::unify::Header;
use super::*;
use crate::compiler::resolve::{Namespace, TraitName};
use place::Place;
use types::Bindings;

/// An argument, and where to write it back if the parameter is `&mut`.
pub(super) struct Argument {
    pub value: Value,
    pub place: Option<Place>,
}

/// A function to call, with what its names mean.
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
                    Definition::Function(home, function) => {
                        let generics = self.turbofish(&function, turbofish)?;
                        let types = Some((home, generics.as_slice()));
                        let values = self.arguments(&function, types, None, arguments, span)?;
                        let callee = Callee {
                            function,
                            module: home,
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
        // `Index::new` and `Words::new` give back their own type, whose length is not written here.
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
        // Only of a function that gives back its own type does the result say what that is; of a type of
        // which nothing is known it says nothing.
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

    /// What the first `length` segments of a path say of an item that follows them.
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

    /// Arguments of a built-in function, whose integers are of one type.
    fn values(&mut self, arguments: &[Expr], expected: Ty) -> Eval<Vec<Value>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            self.expected = expected.clone();
            values.push(self.expr(argument)?);
        }
        Ok(values)
    }

    /// `Trait::function(first, ..)`: the first argument, `self`, says which implementation.
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
                "the type is not said here",
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
                format!("`{name}` does not take `self`: the type is not said here"),
                "write `<Type as Trait>::function()`",
            );
        }
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
        if !found.is_empty() {
            let segment = Segment {
                name,
                generics: turbofish.to_vec(),
            };
            let receiver = Some(Argument { value, place });
            return self.call_candidates(found, &ty, &segment, receiver, arguments, span);
        }
        if matches!(value, Value::Vec(_)) && matches!(&*name.text(), "push" | "truncate") {
            // It is changed in its place, without a copy.
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

    /// `place.push(value)` and `place.truncate(length)` of a `Vec`, whose elements are of the type that
    /// `ty` says.
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
            return fail(span, "nothing holds the `Vec` that this changes");
        };
        let Value::Vec(mut values) = self.take_place(&place)? else {
            return fail(span, "the value changed its shape");
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

    /// The candidates whose trait has the generic arguments that a path writes.
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

    /// Evaluates arguments and calls one of the candidates, which are of one trait.
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
        // The standard library's implementations of its traits are not among the candidates: one of the
        // program's is only meant if it takes these arguments.
        if found.len() == 1 && !first.is_of_standard_trait() {
            let callee = self.callee(first.clone(), ty, &last.generics)?;
            let types = Some((callee.module, callee.generics.as_slice()));
            let function = &callee.function;
            let values = self.arguments(function, types, receiver, arguments, span)?;
            return self.invoke(callee, values, span);
        }
        // They have the parameters that their trait declares, of types that are yet to be found.
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
            None => fail(span, format!("no `{}` takes these arguments", last.name)),
        }
    }

    /// Calls a function of an implementation that takes no `&mut`.
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

    /// What an implementation's parameters mean, or for a default those of its trait.
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
        // A default is written in its trait: the names of the implementation's parameters mean
        // something else there.
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
        // A parameter that is not given is not known: an item of the same name is not meant.
        let types = types.into_iter().chain(std::iter::repeat(Ty::Unknown));
        let names = function.generics.iter().map(|param| param.name);
        Ok(names.zip(types).collect())
    }

    /// Evaluates arguments; those for `&mut` parameters with their places. `types` says where the
    /// parameters' types are written, and what their generic parameters are.
    fn arguments(
        &mut self,
        function: &Function,
        types: Option<(ModuleId, &[(Symbol, Ty)])>,
        receiver: Option<Argument>,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Vec<Argument>> {
        let given = arguments.len() + usize::from(receiver.is_some());
        let params = &function.params;
        if given != params.len() {
            let (name, wanted) = (function.name, params.len());
            return fail(
                span,
                format!("`{name}` takes {wanted} arguments, {given} are given"),
            );
        }
        let mut all = Vec::with_capacity(given);
        all.extend(receiver);
        let skipped = all.len();
        for (param, argument) in params[skipped..].iter().zip(arguments) {
            let ty = match types {
                Some((module, generics)) => self.integers_of(&param.ty, module, generics),
                None => Ty::Unknown,
            };
            let (value, place) = match (&argument.kind, param.reference) {
                (_, true) if param.mutable_reference => self.borrow(argument)?,
                (ExprKind::RefMut(_) | ExprKind::Path(_), true) => self.borrow(argument)?,
                (ExprKind::RefMut(_), false) => {
                    return fail_help(
                        argument.span,
                        "this parameter is not declared `&mut`",
                        "declare it `&mut`, or pass the value",
                    );
                }
                _ => (self.expr_of(argument, ty.clone())?, None),
            };
            let value = integer::settle(value, &ty, argument.span)?;
            all.push(Argument { value, place });
        }
        Ok(all)
    }

    /// Calls a function of the program.
    fn invoke(&mut self, callee: Callee, arguments: Vec<Argument>, span: Span) -> Eval<Value> {
        let mut callee = callee;
        let mut all = arguments;
        for (param, argument) in callee.function.params.iter().zip(&mut all) {
            if !param.mutable_reference {
                argument.place = None;
            }
        }
        self.infer(&mut callee, &all)?;
        // A mutable borrow moves the value, so that the callee changes it without copying.
        for argument in &mut all {
            if let Some(place) = &argument.place {
                argument.value = Value::Lent;
                argument.value = self.take_place(place)?;
            }
        }
        let mut places = Vec::new();
        let mut values = Vec::with_capacity(all.len());
        for (index, argument) in all.into_iter().enumerate() {
            if let Some(place) = argument.place {
                places.push((index, place));
            }
            values.push(argument.value);
        }
        let (result, mut values) = match callee.function.never_inline {
            false => self.inline(callee, values, span)?,
            true => self.outline(callee, values, span)?,
        };
        for (index, place) in places {
            let value = std::mem::replace(&mut values[index], Value::Lent);
            self.write_place(&place, value)?;
        }
        Ok(result)
    }

    /// Tells generic parameters from the arguments' types.
    fn infer(&mut self, callee: &mut Callee, arguments: &[Argument]) -> Eval<()> {
        let items = self.items;
        let mut params = callee.function.generics.clone();
        if let Some(owner) = callee.owner {
            let outer = match owner.default_of {
                Some(id) => &items.traits[id].1.generics,
                None => &items.impls[owner.implementation].ast.generics,
            };
            params.extend(outer.iter().cloned());
        }
        let bound = |generics: &Bindings, param: &GenericParam| {
            let mut bound = generics.iter();
            bound.any(|(name, ty)| *name == param.name && !matches!(ty, Ty::Unknown))
        };
        if params.iter().all(|param| bound(&callee.generics, param)) {
            return Ok(());
        }
        let function = callee.function.clone();
        let header = Header {
            module: callee.module,
            params: &params,
            self_type: callee.self_type.as_ref(),
            lengths: false,
        };
        for (param, argument) in function.params.iter().zip(arguments) {
            let ty = argument.value.ty();
            self.unify(&param.ty, &ty, &header, &mut callee.generics)?;
        }
        // What is not told is not known: an item of the same name is not meant.
        for param in &params {
            if callee.generics.iter().all(|(name, _)| *name != param.name) {
                callee.generics.push((param.name, Ty::Unknown));
            }
        }
        Ok(())
    }

    /// Evaluates the body of a function; also gives the final values of `&mut` parameters.
    pub(super) fn inline(
        &mut self,
        callee: Callee,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<(Value, Vec<Value>)> {
        let function = callee.function;
        if self.activations.len() >= MAX_DEPTH {
            return fail_help(
                span,
                format!("calls are nested more than {MAX_DEPTH} deep"),
                "recursion must end at compile time",
            );
        }
        let Some(body) = &function.body else {
            return fail(span, format!("`{}` has no body", function.name));
        };
        let parent = self.activations.last().map(|here| here.site);
        self.sites.push(Site {
            parent,
            function: function.name.to_string(),
            call: span,
        });
        self.activations.push(Activation {
            generics: callee.generics,
            self_type: callee.self_type,
            function: Some(function.clone()),
            owner: callee.owner,
            output: function.output.clone(),
            site: self.sites.len() as u32 - 1,
            ..Activation::new(callee.module)
        });
        for (param, value) in function.params.iter().zip(values) {
            let number = self.here().vars.len();
            self.bind(&param.pattern, value)?;
            if param.mutable_reference {
                self.here().borrowed.push(number);
            }
        }
        let output = self.output_type()?;
        self.expected = output.clone();
        let result = match self.statements(body) {
            Ok(value) => value,
            Err(Flow::Return(value)) => value,
            Err(Flow::Break | Flow::Continue) => {
                return fail(function.span, "`break` or `continue` outside of a loop");
            }
            Err(other) => return Err(other),
        };
        let result = integer::settle(result, &output, function.span)?;
        let mut finals = Vec::new();
        if let Some(mut last) = self.activations.pop() {
            let mut borrowed = last.borrowed.into_iter().peekable();
            for param in &function.params {
                let number = borrowed.next_if(|_| param.mutable_reference);
                let place = number.and_then(|number| last.vars.get_mut(number));
                let value = place.map(|(_, value)| std::mem::replace(value, Value::Lent));
                finals.push(value.unwrap_or(Value::Lent));
            }
        }
        Ok((result, finals))
    }

    /// What the function in progress says of the integers in its result.
    pub(super) fn output_type(&mut self) -> Eval<Ty> {
        let Some(here) = self.activations.last() else {
            return Ok(Ty::Unknown);
        };
        match here.output.clone() {
            Some(ty) => self.ty(&ty),
            None => Ok(Ty::Unknown),
        }
    }
}

/// Whether the result of a function is declared to be `Self`.
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

/// `ty` with its unknown parts taken from a type it matches.
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
