//! Closures, and functions as values.
//!
//! A closure has the values that the variables which it captures had when it was made. While it
//! lives, the borrow checker lets nothing else change what it uses of them, so reading its own values
//! is reading the variables. What a call changes is also written to the variables that are captured
//! by reference, if they belong to the call in progress. Otherwise the closure is a parameter, or
//! captured itself: then the caller takes it back and does the same. Changes that would be lost are
//! refused.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::generics::Generics;
use super::*;
use crate::compiler::value::{ClosureValue, Code};

/// What the names in the code of a closure mean.
#[derive(Debug)]
pub struct Scope {
    pub(super) module: ModuleId,
    /// Modules of the blocks around it.
    pub(super) blocks: Vec<ModuleId>,
    pub(super) generics: Generics,
    pub(super) self_type: Option<Ty>,
    pub(super) function: Option<Rc<Function>>,
    pub(super) owner: Option<Owner>,
    pub(super) captured: Vec<Captured>,
}

/// A captured variable.
#[derive(Debug)]
pub(super) struct Captured {
    pub name: Symbol,
    /// [`Variables::birth`]
    pub birth: u64,
    /// Whether changes are those of the variable.
    pub by_reference: bool,
    /// Whether it is a closure that was moved or copied. Then only what that changes of other
    /// variables is changed, and not what it has itself.
    pub given: bool,
    /// Number of assignments to captured variables before.
    pub since: u64,
    /// Whether it is a `&mut` parameter.
    pub borrowed: bool,
    /// Whether it is a `&` parameter.
    pub reference: bool,
}

/// Returns whether a value is a closure that may change variables.
pub(super) fn travels(value: &Value) -> bool {
    matches!(value, Value::Closure(of) if of.home.is_some())
}

/// Returns whether a value has code or a mutable reference in it, which a function that is compiled
/// once cannot be given.
pub(super) fn has_code(value: &Value) -> bool {
    match value {
        Value::Closure(_) | Value::Iter(_) | Value::Reference(_) => true,
        value => value.parts().unwrap_or_default().iter().any(has_code),
    }
}

/// Returns a type without the lengths of arrays: a parameter may be a slice.
fn without_lengths(ty: &Ty) -> Ty {
    let all = |types: &[Ty]| types.iter().map(without_lengths).collect();
    match ty {
        Ty::Array(element, _) => Ty::Array(Rc::new(without_lengths(element)), None),
        Ty::Vec(element) => Ty::Vec(Rc::new(without_lengths(element))),
        Ty::Tuple(types) => Ty::Tuple(all(types)),
        ty => ty.clone(),
    }
}

impl Evaluator<'_> {
    /// Returns what the names in code at this place mean, without variables.
    fn scope(&mut self, captured: Vec<Captured>) -> Rc<Scope> {
        let here = self.here();
        Rc::new(Scope {
            module: here.module,
            blocks: here.scopes.iter().map(|(module, _)| *module).collect(),
            generics: here.generics.clone(),
            self_type: here.self_type.clone(),
            function: here.function.clone(),
            owner: here.owner,
            captured,
        })
    }

    /// Evaluates a closure expression.
    pub(super) fn closure(&mut self, closure: &Rc<Closure>) -> Eval<Value> {
        self.charge(closure.names.len() as u64, closure.span)?;
        let mut found = BTreeSet::new();
        let (mut captured, mut slots, mut captures) = (Vec::new(), Vec::new(), Vec::new());
        for name in &closure.names {
            let Some(slot) = self.slot(*name).filter(|slot| found.insert(*slot)) else {
                continue;
            };
            let here = self.here();
            let value = here.vars[slot].clone();
            let borrowed = here.borrowed.contains(&slot);
            let birth = here.vars.birth(slot).unwrap_or(u64::MAX);
            // A mutable reference that is moved into a closure refers to the same variable.
            let referenced = !closure.moves || borrowed;
            captured.push(Captured {
                name: *name,
                birth,
                by_reference: referenced || travels(&value),
                given: !referenced,
                since: here.assigned.watch(birth),
                borrowed,
                reference: here.references.contains(&slot),
            });
            slots.push(slot);
            captures.push(value);
        }
        let types = closure.params.iter().map(|param| Some(&param.ty));
        let types = types.chain([closure.output.as_ref()]).map(|ty| match ty {
            Some(ty) => self.ty(ty),
            None => Ok(Ty::Unknown),
        });
        let types = types.collect::<Eval<Vec<_>>>()?;
        let number = self.here().number;
        let home = captured.iter().any(|captured| captured.by_reference);
        Ok(Value::Closure(Rc::new(ClosureValue {
            code: Code::Closure(closure.clone()),
            home: home.then_some(number),
            slots: slots.into(),
            captures,
            scope: self.scope(captured),
            types: Rc::new(RefCell::new(types)),
        })))
    }

    /// Returns the function or constructor that a path names as a value.
    pub(super) fn function_value(&mut self, path: &Path) -> Eval<Value> {
        Ok(Value::Closure(Rc::new(ClosureValue {
            code: Code::Path(Rc::new(path.clone())),
            home: None,
            slots: [].into(),
            captures: Vec::new(),
            scope: self.scope(Vec::new()),
            types: Rc::default(),
        })))
    }

    /// Returns the mutable reference to the closure in a variable, if an expression is one. It is a
    /// closure that calls the other.
    pub(super) fn closure_reference(&mut self, expr: &Expr) -> Option<Value> {
        let mut inner = expr;
        while let ExprKind::RefMut(of) | ExprKind::Deref(of) = &inner.kind {
            inner = of;
        }
        let name = inner.ident()?;
        let slot = self.slot(name)?;
        let here = self.here();
        let value = here.vars[slot].clone();
        let Value::Closure(of) = &value else {
            return None;
        };
        let (types, number) = (of.types.clone(), here.number);
        let birth = here.vars.birth(slot).unwrap_or(u64::MAX);
        let captured = Captured {
            name,
            birth,
            by_reference: true,
            given: false,
            since: here.assigned.watch(birth),
            borrowed: here.borrowed.contains(&slot),
            reference: false,
        };
        Some(Value::Closure(Rc::new(ClosureValue {
            code: Code::Path(Rc::new(Path::of_name(name, inner.span))),
            home: Some(number),
            slots: [slot].into(),
            captures: vec![value],
            scope: self.scope(vec![captured]),
            types,
        })))
    }

    /// Refines what is known of a type in the signature of a closure.
    pub(super) fn tell(
        &mut self,
        types: &RefCell<Vec<Ty>>,
        index: usize,
        ty: Ty,
        span: Span,
    ) -> Eval<()> {
        let ty = self.bounded_type(ty, span)?;
        let known = types.borrow().get(index).cloned();
        match known {
            Some(Ty::Unknown) => types.borrow_mut()[index] = without_lengths(&ty),
            Some(known) => self.same_types(&known, &ty, span)?,
            None => {}
        }
        Ok(())
    }

    /// Refines the signature of a closure by the type that is declared for it: `fn(A) -> B`, or a
    /// type parameter with a bound `Fn(A) -> B`.
    pub(super) fn tell_signature(
        &mut self,
        function: &Function,
        ty: &Type,
        value: &Value,
    ) -> Eval<()> {
        let Value::Closure(closure) = value else {
            return Ok(());
        };
        let types = closure.types.clone();
        if let TypeKind::Function(params, output) = &ty.kind {
            return self.tell_all(&types, params, output.as_deref());
        }
        let Some(name) = ty.ident() else {
            return Ok(());
        };
        for (subject, bounds) in conditions(&function.generics, &function.predicates) {
            for bound in bounds.iter().filter(|_| subject == Some(name)) {
                let Some(last) = bound.segments.last() else {
                    continue;
                };
                if matches!(&*last.name.text(), "Fn" | "FnMut" | "FnOnce")
                    && let [GenericArg::Type(params), GenericArg::Type(output)] =
                        last.generics.as_slice()
                    && let TypeKind::Tuple(params) = &params.kind
                {
                    self.tell_all(&types, params, Some(output))?;
                }
            }
        }
        Ok(())
    }

    fn tell_all(
        &mut self,
        types: &RefCell<Vec<Ty>>,
        params: &[Type],
        output: Option<&Type>,
    ) -> Eval<()> {
        // The last type is the result's. The names of functions have none here.
        if types.borrow().len() != params.len() + 1 {
            return Ok(());
        }
        for (index, ty) in params.iter().chain(output).enumerate() {
            let known = self.ty(ty)?;
            self.tell(types, index, known, ty.span)?;
        }
        Ok(())
    }
}
