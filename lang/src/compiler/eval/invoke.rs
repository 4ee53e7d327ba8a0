//! Calls of functions of the program: their arguments, inference, and what they write back.

use super::change::{given_back, unchanged};
use super::closure::{has_code, travels};
use super::function::Callee;
use super::generics::Generics;
use super::iterator::same;
use super::place::{Located, Place};
use super::unify::{Header, Match};
use super::*;
use crate::compiler::resolve::TraitName;

/// An argument. If the parameter is `&mut`, also the place to which its final value is written.
pub(super) struct Argument {
    pub value: Value,
    pub place: Option<Place>,
    /// The variable that holds a closure which is passed by value.
    lender: Option<Place>,
}

impl Argument {
    pub(super) const fn new(value: Value, place: Option<Place>) -> Self {
        Self {
            value,
            place,
            lender: None,
        }
    }
}

/// What a call gives back of an argument.
pub(super) struct Loan {
    parameter: usize,
    place: Option<Place>,
    /// Whether the place gets the final value in any case: it was passed by `&mut`.
    whole: bool,
    /// A closure that may change variables.
    before: Option<Value>,
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
            let is_place = matches!(argument.kind, ExprKind::RefMut(_) | ExprKind::Path(_));
            let mut passed = match param.ty.reference {
                reference if param.mutable_reference || reference && is_place => {
                    let (value, place) = self.borrow(argument)?;
                    Argument::new(value, place)
                }
                true => Argument::new(self.expr_of(argument, ty.clone())?, None),
                false => self.by_value(argument, ty.clone())?,
            };
            let place = passed.place.as_ref();
            self.check_reference_to(argument, &passed.value, place, param)?;
            if passed.place.is_none() || !param.mutable_reference {
                passed.value = self.settled(passed.value, &ty, argument.span)?;
            }
            all.push(passed);
        }
        Ok(all)
    }

    /// Evaluates an argument for a parameter that is no reference. A mutable reference to a closure
    /// is a closure.
    pub(super) fn by_value(&mut self, argument: &Expr, ty: Ty) -> Eval<Argument> {
        if self.is_mutable_reference(argument) {
            if let Some(closure) = self.closure_reference(argument) {
                return Ok(Argument::new(closure, None));
            }
            if let ExprKind::RefMut(_) = argument.kind {
                let help = "declare it `&mut`, or pass the value";
                return fail_help(argument.span, "this parameter is not declared `&mut`", help);
            }
        }
        let value = self.moved(argument, ty)?;
        let variable = argument.ident().and_then(|name| self.slot(name));
        let lender = match variable.filter(|_| travels(&value)) {
            Some(_) => match self.locate(argument)? {
                Located::Place(place) => Some(place),
                Located::Value(_) => None,
            },
            None => None,
        };
        Ok(Argument {
            value,
            place: None,
            lender,
        })
    }

    /// Moves the values that a call borrows by `&mut` out of their places, so that the callee can
    /// change them without a copy. Returns all values, and what the call gives back.
    pub(super) fn lend(&mut self, all: Vec<Argument>) -> Eval<(Vec<Value>, Vec<Loan>)> {
        let mut loans = Vec::new();
        let mut values = Vec::with_capacity(all.len());
        for (parameter, argument) in all.into_iter().enumerate() {
            let mut value = argument.value;
            let (place, whole) = match (argument.place, argument.lender) {
                (Some(place), _) => {
                    // There is one owner again before it is taken.
                    drop(std::mem::replace(&mut value, Value::LENT));
                    value = self.take_place(&place)?;
                    (Some(place), true)
                }
                (None, lender) => (lender, false),
            };
            let before = travels(&value).then(|| value.clone());
            if whole || before.is_some() {
                loans.push(Loan {
                    parameter,
                    place,
                    whole,
                    before,
                });
            }
            values.push(value);
        }
        Ok((values, loans))
    }

    /// Lends what the mutable references in values refer to: it follows the values.
    pub(super) fn lend_more(
        &mut self,
        values: &mut Vec<Value>,
        loans: &mut Vec<Loan>,
        span: Span,
    ) -> Eval<()> {
        let first = values.len();
        let lent = self.lend_references(values, first, span)?;
        for (number, (place, value)) in lent.into_iter().enumerate() {
            loans.push(Loan {
                parameter: first + number,
                place: Some(place),
                whole: true,
                before: None,
            });
            values.push(value);
        }
        Ok(())
    }

    /// Translates the mutable references in what a call gave back.
    pub(super) fn translate(&mut self, result: &mut Value, finals: &mut [Value], loans: &[Loan]) {
        let place_of = |number: usize| {
            let loan = loans.iter().find(|loan| loan.parameter == number)?;
            loan.place.clone().filter(|_| loan.whole)
        };
        self.take_references(std::slice::from_mut(result), place_of);
        self.take_references(finals, place_of);
    }

    /// Writes the final values of arguments back.
    pub(super) fn take_back(
        &mut self,
        loans: Vec<Loan>,
        finals: Vec<Value>,
        span: Span,
    ) -> Eval<()> {
        let mut finals = finals;
        for loan in loans {
            let mut after = std::mem::replace(&mut finals[loan.parameter], Value::LENT);
            let mut changed = loan.whole;
            if let Some(before) = &loan.before {
                let place = loan.place.as_ref().filter(|place| place.steps().is_empty());
                let variable = place.map(|place| place.variable);
                let kept = variable.is_some_and(|number| self.here().lent.contains(&number));
                self.come_home(before, &after, kept, span)?;
                if !loan.whole {
                    after = given_back(before, &after);
                }
                // If it has moved on, what it has changed has, too.
                changed |= !unchanged(before, &after);
            }
            if let Some(place) = loan.place.filter(|_| changed) {
                if let (Some(before), false) = (&loan.before, loan.whole)
                    && !same(&self.read_place(&place)?, before)
                {
                    let message = "this call changes a closure that has changed meanwhile";
                    return fail_help(span, message, "pass the closure by `&mut`");
                }
                self.write_back(&place, after)?;
            }
        }
        Ok(())
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
        // In an implementation for references `self` is one, in one for every type it may be.
        let owner = callee.owner.map(|owner| owner.implementation);
        let behind = owner.is_some_and(|owner| self.items.impls[owner].ast.self_type.reference);
        let any = owner.is_some_and(|owner| self.items.is_blanket(owner));
        for (param, argument) in callee.function.params.iter().zip(&mut all) {
            if param.mutable_reference {
                continue;
            }
            let is_self = param.name().is_some_and(|name| name == "self");
            let place = argument.place.take();
            let value = std::mem::replace(&mut argument.value, Value::LENT);
            argument.value = match place {
                _ if param.ty.reference || behind && is_self => {
                    let value = self.seen(value, span)?;
                    self.shared(value)
                }
                Some(place) => {
                    let value = self.through(&place, value);
                    self.move_out(&place)?;
                    value
                }
                None => value,
            };
            if is_self && !(param.ty.reference || behind || any) {
                self.check_owned(&argument.value, span)?;
            }
        }
        if !callee.generics.is_known() {
            self.infer(&mut callee, &all)?;
            // Literals have the types that other arguments tell.
            for (param, argument) in callee.function.params.iter().zip(&mut all) {
                if !param.mutable_reference {
                    let ty = self.integers_of(&param.ty, callee.module, &callee.generics)?;
                    let value = std::mem::replace(&mut argument.value, Value::LENT);
                    argument.value = self.settled(value, &ty, span)?;
                }
            }
        }
        self.check_conditions(&callee, span)?;
        let (mut values, mut loans) = self.lend(all)?;
        self.lend_more(&mut values, &mut loans, span)?;
        // What has code in it has no form in a run.
        let outlined =
            callee.function.never_inline && !self.in_constant && !values.iter().any(has_code);
        let (mut result, mut finals) = if outlined {
            self.outline(callee, values, span)?
        } else {
            self.inline(callee, values, span)?
        };
        self.translate(&mut result, &mut finals, &loans);
        self.take_back(loans, finals, span)?;
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
