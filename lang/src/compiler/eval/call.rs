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
                        let values = self.values(arguments)?;
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
        let fields = self.values(arguments)?;
        if fields.len() != self.items.structs[id].ast.fields.len() {
            return fail(span, "wrong number of fields");
        }
        self.build_structure(id, generics, fields, expected)
    }

    fn values(&mut self, arguments: &[Expr]) -> Eval<Vec<Value>> {
        arguments
            .iter()
            .map(|argument| self.expr(argument))
            .collect()
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
        let inner = match &first.kind {
            ExprKind::RefMut(inner) => inner,
            _ => first,
        };
        let place = match &first.kind {
            ExprKind::RefMut(_) => self.place(inner)?,
            _ => None,
        };
        let value = match &place {
            Some(place) => self.read_place(place)?,
            None => self.expr(inner)?,
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
        let values = self.values(arguments)?;
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
        let place = self.place(receiver)?;
        let value = match &place {
            Some(place) => self.read_place(place)?,
            None => self.expr(receiver)?,
        };
        let ty = value.ty();
        if let Some((method, bindings)) = self.find_method(&ty, name, None)? {
            let receiver = Argument { value, place };
            let receiver = Some(receiver);
            return self.method(method, bindings, &ty, turbofish, receiver, arguments, span);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if let Value::Words(_, length) = value {
                self.expected = Ty::Index(length);
            }
            values.push(self.expr(argument)?);
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
            let place = match param.mutable_reference {
                true => self.place(argument)?,
                false => None,
            };
            let value = match &place {
                Some(place) => self.read_place(place)?,
                None => match &argument.kind {
                    ExprKind::RefMut(inner) => self.expr(inner)?,
                    _ => self.expr(argument)?,
                },
            };
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
            module,
            vars: Vec::new(),
            generics,
            self_type,
            output: function.output.clone(),
            site: self.sites.len() as u32 - 1,
        });
        // Parameters that are written back are plain names, so their bindings come first.
        for (param, value) in function.params.iter().zip(values) {
            match param.pattern.kind {
                PatternKind::Bind(name) => self.here().vars.push((name, value)),
                _ => self.bind(&param.pattern, value)?,
            }
        }
        let result = match self.statements(body) {
            Ok(value) => value,
            Err(Flow::Return(value)) => value,
            Err(Flow::Break | Flow::Continue) => {
                return fail(function.span, "`break` or `continue` outside of a loop");
            }
            Err(other) => return Err(other),
        };
        let mut last = self.activations.pop();
        let mut finals = Vec::new();
        if function.params.iter().any(|param| param.mutable_reference) {
            let vars = last.as_mut().map(|last| std::mem::take(&mut last.vars));
            let mut vars = vars.unwrap_or_default();
            for (index, param) in function.params.iter().enumerate() {
                let value = match param.pattern.kind {
                    PatternKind::Bind(_) if param.mutable_reference => vars
                        .get_mut(index)
                        .map(|(_, value)| std::mem::replace(value, Value::Lent)),
                    _ => None,
                };
                finals.push(value.unwrap_or(Value::Lent));
            }
        }
        Ok((result, finals))
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
