//! Calls of functions of the program: their arguments, inference, and what they write back.

use super::function::Callee;
use super::generics::Generics;
use super::place::Place;
use super::unify::{Header, Match};
use super::*;
use crate::compiler::resolve::TraitName;

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
            let (value, place) = match (&argument.kind, param.ty.reference) {
                _ if param.mutable_reference => self.borrow(argument)?,
                (ExprKind::RefMut(_) | ExprKind::Path(_), true) => self.borrow(argument)?,
                (ExprKind::RefMut(_), false) => {
                    let help = "declare it `&mut`, or pass the value";
                    return fail_help(argument.span, "this parameter is not declared `&mut`", help);
                }
                (_, true) => (self.expr_of(argument, ty.clone())?, None),
                _ => (self.moved(argument, ty.clone())?, None),
            };
            self.check_reference_to(argument, &value, param)?;
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
            let value = std::mem::replace(&mut argument.value, Value::LENT);
            argument.value = match place {
                _ if param.ty.reference => self.shared(value),
                Some(place) => {
                    let value = self.through(&place, value);
                    self.move_out(&place)?;
                    value
                }
                None => value,
            };
        }
        self.infer(&mut callee, &all)?;
        self.check_conditions(&callee, span)?;
        // A mutable borrow moves the value, so that the callee can change it without copying it.
        for argument in &mut all {
            if let Some(place) = &argument.place {
                argument.value = Value::LENT;
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
        let outlined = callee.function.never_inline && !self.in_constant;
        let (result, mut values) = if outlined {
            self.outline(callee, values, span)?
        } else {
            self.inline(callee, values, span)?
        };
        for (index, place) in places {
            let value = std::mem::replace(&mut values[index], Value::LENT);
            self.write_back(&place, value)?;
        }
        Ok(result)
    }

    /// Refuses generic arguments that do not implement the traits by which a function bounds them.
    fn check_conditions(&mut self, callee: &Callee, span: Span) -> Eval<()> {
        let function = &callee.function;
        for (subject, bounds) in conditions(&function.generics, &function.predicates) {
            let subject = subject.and_then(|name| callee.generics.get(name, Namespace::Type));
            let Some(subject) = subject.filter(|ty| !matches!(ty, Ty::Unknown)) else {
                continue;
            };
            for bound in bounds {
                let of = self.items.trait_named(callee.module, bound);
                if matches!(of, Ok(TraitName::User(_)))
                    && self.holds(subject, bound, callee.module, 0)? == Match::No
                {
                    let ty = self.shown_type(subject);
                    let of = bound.segments.last().map_or(function.name, |of| of.name);
                    return fail(span, format!("`{ty}` does not implement `{of}`"));
                }
            }
        }
        Ok(())
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
