//! Calls of functions of the program: their arguments, inference, and what they write back.

use super::function::Callee;
use super::generics::Generics;
use super::place::Place;
use super::unify::Header;
use super::*;

/// An argument. If the parameter is `&mut`, also the place to which its final value is written.
pub(super) struct Argument {
    pub value: Value,
    pub place: Option<Place>,
}

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
            let message = format!("`{name}` takes {wanted} arguments, {given} are given");
            return fail(span, message);
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
                    let help = "declare it `&mut`, or pass the value";
                    return fail_help(argument.span, "this parameter is not declared `&mut`", help);
                }
                (_, true) => (self.expr_of(argument, ty.clone())?, None),
                _ => (self.moved(argument, ty.clone())?, None),
            };
            let value = if place.is_some() && param.mutable_reference {
                value
            } else {
                self.settled(value, &ty, argument.span)?
            };
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
            if param.mutable_reference {
                continue;
            }
            let place = argument.place.take();
            let value = std::mem::replace(&mut argument.value, Value::Lent);
            argument.value = match place {
                _ if param.reference => self.shared(value),
                Some(place) => self.through(&place, value),
                None => value,
            };
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
        let (result, mut values) = if callee.function.never_inline {
            self.outline(callee, values, span)?
        } else {
            self.inline(callee, values, span)?
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
            let ty = self.bounded_type(argument.value.ty(), param.ty.span)?;
            self.unify(&param.ty, &ty, &header, &mut callee.generics)?;
        }
        Ok(())
    }
}
