//! Calls of functions of the program: arguments, inference and inlining.

use super::call::*;
use super::generics::Generics;
use super::unify::Header;
use super::*;

impl Evaluator<'_> {
    /// Evaluates arguments. Those for `&mut` parameters are returned with their places. `types`
    /// says in which module the parameters' types are written, and what their generic parameters
    /// are.
    pub(super) fn arguments(
        &mut self,
        function: &Function,
        types: Option<(ModuleId, &Generics)>,
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
                Some((module, generics)) => self.integers_of(&param.ty, module, generics)?,
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
    pub(super) fn invoke(
        &mut self,
        callee: Callee,
        arguments: Vec<Argument>,
        span: Span,
    ) -> Eval<Value> {
        let mut callee = callee;
        let mut all = arguments;
        for (param, argument) in callee.function.params.iter().zip(&mut all) {
            if !param.mutable_reference {
                argument.place = None;
            }
        }
        self.infer(&mut callee, &all)?;
        // A mutable borrow moves the value, so that the callee can change it without copying it.
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
            self.write_back(&place, value)?;
        }
        Ok(result)
    }

    /// Infers generic arguments from the types of the arguments.
    fn infer(&mut self, callee: &mut Callee, arguments: &[Argument]) -> Eval<()> {
        if callee.generics.is_known() {
            return Ok(());
        }
        let function = callee.function.clone();
        let header = Header {
            module: callee.module,
            self_type: callee.self_type.as_ref(),
            lengths: false,
        };
        for (param, argument) in function.params.iter().zip(arguments) {
            let ty = argument.value.ty();
            self.unify(&param.ty, &ty, &header, &mut callee.generics)?;
        }
        Ok(())
    }

    /// Evaluates the body of a function. Also returns the final values of `&mut` parameters.
    pub(super) fn inline(
        &mut self,
        callee: Callee,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<(Value, Vec<Value>)> {
        let function = callee.function;
        self.check_call(span)?;
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
                let value =
                    number.map(|number| std::mem::replace(&mut last.vars[number], Value::Lent));
                finals.push(value.unwrap_or(Value::Lent));
            }
        }
        Ok((result, finals))
    }

    /// Returns what the present function's signature says about the integers in its result.
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
