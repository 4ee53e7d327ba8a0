//! Calls: which function a path or a method means, its generic arguments, and inlining it.

use std::rc::Rc;

use super::*;
use crate::compiler::resolve::{Head, Method};
use place::Place;
use types::Bindings;

/// An argument, and where to write it back if the parameter is `&mut`.
pub(super) struct Argument {
    pub value: Value,
    pub place: Option<Place>,
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
        if own && let Some((definition, used)) = self.items.path(module, path)? {
            if used == path.segments.len() {
                let turbofish = &path.segments[used - 1].generics;
                return match definition {
                    Definition::Function(home, function) => {
                        let generics = self.turbofish(&function, turbofish)?;
                        self.invoke(&function, home, generics, None, None, arguments, span)
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
                return self.trait_call(of, &path.segments[used], arguments, span);
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
        if expected.matches(&ty) && !matches!(expected, Ty::Unknown) {
            ty = more_precise(ty, &expected);
        }
        self.associated_call(&ty, last, arguments, span)
    }

    fn tuple_structure(
        &mut self,
        id: usize,
        generics: Rc<[Ty]>,
        arguments: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let (ast, module) = (self.items.structs[id].ast.clone(), self.items.structs[id].module);
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

    /// `Trait::function(first, ..)`: the first argument says which implementation.
    fn trait_call(
        &mut self,
        of: usize,
        last: &Segment,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let Some(first) = arguments.first() else {
            return fail(span, "write `<Type as Trait>::function()`");
        };
        let (value, place) = match &first.kind {
            ExprKind::RefMut(_) => self.borrow(first)?,
            _ => (self.expr(first)?, None),
        };
        let ty = value.ty();
        match self.find_method(&ty, last.name, Some(of))? {
            Some((method, bindings)) => {
                let receiver = Some(Argument { value, place });
                let rest = &arguments[1..];
                self.method(method, bindings, &ty, &last.generics, receiver, rest, span)
            }
            None => {
                let name = last.name;
                fail(span, format!("there is no `{name}` for this type"))
            }
        }
    }

    fn associated_call(
        &mut self,
        ty: &Ty,
        last: &Segment,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        if let Some((method, bindings)) = self.find_method(ty, last.name, None)? {
            return self.method(method, bindings, ty, &last.generics, None, arguments, span);
        }
        let parameter = intrinsic::parameter(ty, &last.name.text());
        let values = self.values(arguments, parameter)?;
        self.at(span);
        match self.intrinsic_associated(ty, &last.name.text(), values, span)? {
            Some(value) => Ok(value),
            None => {
                let name = last.name;
                fail(span, format!("there is no function `{name}` of this type"))
            }
        }
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
        if let Some((method, bindings)) = self.find_method(&ty, name, None)? {
            let receiver = Argument { value, place };
            let receiver = Some(receiver);
            return self.method(method, bindings, &ty, turbofish, receiver, arguments, span);
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

    /// The function `name` of a type, and the generic arguments of its implementation.
    fn find_method(
        &mut self,
        ty: &Ty,
        name: Symbol,
        of: Option<usize>,
    ) -> Eval<Option<(Method, Bindings)>> {
        let heads = [types::head(ty), Some(Head::Any)];
        for head in heads.into_iter().flatten() {
            let Some(candidates) = self.items.methods.get(&(head, name)) else {
                continue;
            };
            for candidate in candidates {
                let info = &self.items.impls[candidate.implementation];
                if of.is_some() && info.of != of {
                    continue;
                }
                if let Some(bindings) = self.implements(candidate.implementation, ty)? {
                    return Ok(Some((candidate.clone(), bindings)));
                }
            }
        }
        Ok(None)
    }

    #[allow(clippy::too_many_arguments)]
    fn method(
        &mut self,
        method: Method,
        bindings: Vec<(Symbol, Ty)>,
        ty: &Ty,
        turbofish: &[GenericArg],
        receiver: Option<Argument>,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let mut generics = bindings;
        generics.extend(self.turbofish(&method.function, turbofish)?);
        let function = &method.function;
        let self_type = Some(ty.clone());
        self.invoke(
            function,
            method.module,
            generics,
            self_type,
            receiver,
            arguments,
            span,
        )
    }

    fn turbofish(
        &mut self,
        function: &Function,
        arguments: &[GenericArg],
    ) -> Eval<Vec<(Symbol, Ty)>> {
        let types = self.generic_arguments(&function.generics, arguments)?;
        let names = function.generics.iter().map(|param| param.name);
        Ok(names.zip(types).collect())
    }

    /// Evaluates arguments and calls a function of the program.
    #[allow(clippy::too_many_arguments)]
    fn invoke(
        &mut self,
        function: &Rc<Function>,
        module: ModuleId,
        mut generics: Vec<(Symbol, Ty)>,
        self_type: Option<Ty>,
        receiver: Option<Argument>,
        arguments: &[Expr],
        span: Span,
    ) -> Eval<Value> {
        let given = arguments.len() + usize::from(receiver.is_some());
        if given != function.params.len() {
            let (name, wanted) = (function.name, function.params.len());
            return fail(
                span,
                format!("`{name}` takes {wanted} arguments, {given} are given"),
            );
        }
        let mut all = Vec::with_capacity(given);
        all.extend(receiver);
        let skipped = all.len();
        for (param, argument) in function.params[skipped..].iter().zip(arguments) {
            let ty = self.integers_of(&param.ty, module, &generics);
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
        for (param, argument) in function.params.iter().zip(&mut all) {
            if !param.mutable_reference {
                argument.place = None;
            }
        }
        let unbound = |generics: &[(Symbol, Ty)], param: &GenericParam| {
            !generics
                .iter()
                .any(|(name, ty)| *name == param.name && !matches!(ty, Ty::Unknown))
        };
        if function
            .generics
            .iter()
            .any(|param| unbound(&generics, param))
        {
            for (param, argument) in function.params.iter().zip(&all) {
                let ty = argument.value.ty();
                self.unify(&param.ty, &ty, module, &function.generics, &mut generics)?;
            }
        }
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
        let (result, mut values) = match function.never_inline {
            false => self.inline(function, module, generics, self_type, values, span)?,
            true => self.outline(function, module, generics, self_type, values, span)?,
        };
        for (index, place) in places {
            let value = std::mem::replace(&mut values[index], Value::Lent);
            self.write_place(&place, value)?;
        }
        Ok(result)
    }

    /// Evaluates the body of a function; also gives the final values of `&mut` parameters.
    pub(super) fn inline(
        &mut self,
        function: &Rc<Function>,
        module: ModuleId,
        generics: Vec<(Symbol, Ty)>,
        self_type: Option<Ty>,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<(Value, Vec<Value>)> {
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
            generics,
            self_type,
            output: function.output.clone(),
            site: self.sites.len() as u32 - 1,
            ..Activation::new(module)
        });
        for (param, value) in function.params.iter().zip(values) {
            let number = self.here().vars.len();
            self.bind(&param.pattern, value)?;
            if param.mutable_reference {
                self.here().borrowed.push(number);
            }
        }
        let output = self.output_type();
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
    pub(super) fn output_type(&mut self) -> Ty {
        let Some(here) = self.activations.last() else {
            return Ty::Unknown;
        };
        match &here.output {
            Some(ty) => self.integers_of(ty, here.module, &here.generics),
            None => Ty::Unknown,
        }
    }
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
