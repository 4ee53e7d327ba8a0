//! Static types, as far as the bounds of type parameters depend on them. The bounds determine what
//! generic code may call, whatever the parameters are replaced by.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::builtin::{Receiver, receiver, standard_function};
use super::candidate::{Candidate, Prefix};
use super::*;
use crate::compiler::resolve::{Head, LANGUAGE, TraitName};

/// What is known about the static type of an expression.
pub(super) enum Static {
    /// It is not a type parameter.
    Concrete,
    /// It is a type parameter, or a type that belongs to one, with these bounds.
    Abstract(BTreeSet<TraitName>),
    /// It may be either. These are the bounds of all type parameters that it may be.
    Unknown(BTreeSet<TraitName>),
}

/// The type whose bounds are asked for.
enum Subject {
    Param(Symbol),
    /// `Self` of a trait.
    This,
    /// Any type in the code.
    Any,
}

fn is_self(expr: &Expr) -> bool {
    expr.ident().is_some_and(|name| name == "self")
}

impl Evaluator<'_> {
    /// Returns the traits that bound the subject, and their supertraits.
    fn bounds<'a>(&'a self, subject: &Subject) -> Eval<BTreeSet<TraitName>> {
        let items = self.items;
        let mut pending: Vec<(ModuleId, &'a Path)> = Vec::new();
        let mut traits = BTreeSet::new();
        let Some(here) = self.activations.last() else {
            return Ok(traits);
        };
        let is_subject = |name: Option<Symbol>| match subject {
            Subject::Any => true,
            Subject::Param(param) => name == Some(*param),
            Subject::This => name.is_some_and(|name| name == "Self"),
        };
        let mut declare = |module, generics: &'a [GenericParam], predicates: &'a [Predicate]| {
            for (name, bounds) in conditions(generics, predicates) {
                let bounds = bounds.iter().filter(|_| is_subject(name));
                pending.extend(bounds.map(|bound| (module, bound)));
            }
        };
        if let Some(function) = &here.function {
            declare(here.module, &function.generics, &function.predicates);
        }
        match here.owner {
            Some(Owner {
                default_of: Some(id),
                ..
            }) => {
                let (defined_in, definition) = &items.traits[id];
                declare(*defined_in, &definition.generics, &definition.predicates);
                if !matches!(subject, Subject::Param(_)) {
                    traits.insert(TraitName::User(id));
                }
            }
            Some(owner) => {
                let info = &items.impls[owner.implementation];
                declare(info.module, &info.ast.generics, &info.ast.predicates);
            }
            None => {}
        }
        let mut closed = BTreeSet::new();
        loop {
            while let Some((module, path)) = pending.pop() {
                self.charge(1 + traits.len() as u64, path.span)?;
                traits.insert(items.trait_named(module, path)?);
            }
            let next = traits.iter().find(|name| !closed.contains(*name)).copied();
            let Some(next) = next else {
                return Ok(traits);
            };
            closed.insert(next);
            if let TraitName::User(id) = next {
                let (defined_in, definition) = &items.traits[id];
                let conditions = definition.predicates.iter().map(|given| &given.bounds);
                let types = definition.types.iter().map(|(_, bounds)| bounds);
                let types = types.filter(|_| matches!(subject, Subject::Any));
                let bounds = [&definition.supertraits].into_iter().chain(conditions);
                let paths = bounds.chain(types).flatten();
                pending.extend(paths.map(|path| (*defined_in, path)));
            }
        }
    }

    /// Returns whether the present code has type parameters.
    fn is_generic_code(&self) -> bool {
        let Some(here) = self.activations.last() else {
            return false;
        };
        let types = |generics: &[GenericParam]| generics.iter().any(|param| !param.constant);
        let function = here.function.as_ref();
        function.is_some_and(|function| types(&function.generics))
            || here.owner.is_some_and(|owner| {
                owner.default_of.is_some()
                    || types(&self.items.impls[owner.implementation].ast.generics)
            })
    }

    /// Returns whether code here may call a copy of a closure: one that is bounded by `FnOnce` and
    /// is `Copy`.
    pub(super) fn may_copy_callee(&self) -> Eval<bool> {
        if !self.is_generic_code() {
            return Ok(false);
        }
        let bounds = self.bounds(&Subject::Any)?;
        let has = |name| bounds.contains(&TraitName::Builtin(Symbol::new(name)));
        Ok(has("FnOnce") && has("Copy"))
    }

    /// Returns the static type of an expression, as far as the declaration of a parameter shows it.
    pub(super) fn static_type(&self, expr: &Expr) -> Eval<Static> {
        if !self.is_generic_code() {
            return Ok(Static::Concrete);
        }
        match self.named_parameter(expr) {
            Some(_) if is_self(expr) => self.static_self(),
            Some(param) => self.static_written(&param.ty),
            None => Ok(Static::Unknown(self.bounds(&Subject::Any)?)),
        }
    }

    /// Returns the parameter of the present function that an expression names.
    fn named_parameter(&self, expr: &Expr) -> Option<&Param> {
        let (name, here) = (expr.ident()?, self.activations.last()?);
        if here.in_closure || self.is_of_block(name, Namespace::Value) {
            return None;
        }
        let mut params = here.function.as_ref()?.params.iter();
        let param = params.find(|param| param.name() == Some(name))?;
        // A second variable of the name hides the parameter.
        here.vars.is_only(name).then_some(param)
    }

    fn static_self(&self) -> Eval<Static> {
        let owner = self.activations.last().and_then(|here| here.owner);
        match owner {
            Some(owner) if owner.default_of.is_some() => {
                Ok(Static::Abstract(self.bounds(&Subject::This)?))
            }
            Some(owner) => {
                let info = &self.items.impls[owner.implementation];
                self.static_written(&info.ast.self_type)
            }
            None => Ok(Static::Concrete),
        }
    }

    /// Returns the static type that a type expression denotes.
    fn static_written(&self, ty: &Type) -> Eval<Static> {
        match &ty.kind {
            TypeKind::Path(path) => match path.ident() {
                // The type of an implementation is not written in terms of `Self`.
                Some(name) if name == "Self" => self.static_self(),
                Some(name) if self.type_parameter(name).is_some() => {
                    Ok(Static::Abstract(self.bounds(&Subject::Param(name))?))
                }
                Some(_) => Ok(Static::Concrete),
                None => {
                    let first = path.segments.first().map(|segment| segment.name);
                    let of_param = path.qualified.is_some()
                        || first.is_some_and(|name| {
                            name == "Self" || self.type_parameter(name).is_some()
                        });
                    let parts = path.segments.len() + usize::from(path.qualified.is_some());
                    if of_param && parts > 1 {
                        Ok(Static::Unknown(self.bounds(&Subject::Any)?))
                    } else {
                        Ok(Static::Concrete)
                    }
                }
            },
            TypeKind::Unknown => Ok(Static::Unknown(self.bounds(&Subject::Any)?)),
            TypeKind::Array(..)
            | TypeKind::Slice(_)
            | TypeKind::Tuple(_)
            | TypeKind::Function(..) => Ok(Static::Concrete),
        }
    }

    /// Returns the static type that the part of a path before its last segment denotes.
    pub(super) fn static_prefix(&self, prefix: &Prefix<'_>) -> Eval<Static> {
        if !self.is_generic_code() {
            return Ok(Static::Concrete);
        }
        let Some((path, length)) = prefix.path else {
            return Ok(Static::Unknown(self.bounds(&Subject::Any)?));
        };
        if let (Some(qualified), 0) = (&path.qualified, length) {
            return self.static_written(&qualified.0);
        }
        let (mut path, span) = (path.clone(), path.span);
        path.segments.truncate(length);
        self.static_written(&Type::new(TypeKind::Path(path), span))
    }

    /// Refuses to call a program's `clone` if Rust might clone a reference instead.
    pub(super) fn check_clone(
        &mut self,
        found: &[Candidate<Rc<Function>>],
        name: Symbol,
        span: Span,
        kind: impl FnOnce(&mut Self) -> Eval<Static>,
    ) -> Eval<()> {
        let Some(candidate) = found.iter().find(|candidate| candidate.is_of("Clone")) else {
            return Ok(());
        };
        if let Static::Concrete = kind(self)? {
            return Ok(());
        }
        let implementation = &self.items.impls[candidate.item.implementation];
        let ty = match implementation.head {
            Head::Struct(id) => self.items.structs[id].ast.name,
            _ => Symbol::new("Type"),
        };
        fail_help(
            span,
            format!("`{name}` may be that of a reference, not the program's"),
            format!("write `{ty}::{name}(&value)`"),
        )
    }

    /// Returns whether an expression is a mutable reference.
    pub(super) fn is_mutable_reference(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::RefMut(_) => true,
            _ => match expr.ident().and_then(|name| self.slot(name)) {
                Some(slot) if self.here().borrowed.contains(&slot) => true,
                _ => matches!(self.glance_itself(expr), Some(Value::Reference(_))),
            },
        }
    }

    /// Refuses to call what rustc gives the mutable reference that an expression is, and not the
    /// value behind it: what `name`, a method that takes `self` by value, does to that value would
    /// be lost.
    pub(super) fn check_reference(
        &self,
        is_reference: bool,
        found: &[Candidate<Rc<Function>>],
        name: Symbol,
        span: Span,
    ) -> Eval<()> {
        let by_value = match found {
            // Those of the prelude are of types that are no references, but for this one.
            [] => name == "into_iter",
            found => found.iter().any(|candidate| {
                receiver(&candidate.item.item) == Some(Receiver::Value)
                    && self.items.is_blanket(candidate.item.implementation)
            }),
        };
        if is_reference && by_value {
            fail_help(
                span,
                format!("`{name}` may take the mutable reference, and not what it refers to"),
                "loop over indices, or copy the value with `let` first",
            )
        } else {
            Ok(())
        }
    }

    /// Returns the traits among those of the candidates for `name`, and the built-in one, that
    /// references to a type may have, too.
    pub(super) fn of_references<T>(
        &self,
        found: &[Candidate<T>],
        builtin: Option<TraitName>,
        kind: &Static,
        name: Symbol,
    ) -> Eval<Vec<TraitName>> {
        let scope = self.items.traits_in_scope(self.module())?;
        let standard = standard_function(&name.text());
        // References to a type parameter can be compared if it can.
        let compared = ["PartialEq", "Eq", "PartialOrd", "Ord"];
        let compared = compared.map(|of| TraitName::Builtin(Symbol::new(of)));
        let comparable = match kind {
            Static::Abstract(bounds) => compared.iter().any(|of| bounds.contains(of)),
            Static::Concrete | Static::Unknown(_) => true,
        };
        let builtin = builtin.filter(|_| standard.is_some());
        let builtin = builtin.filter(|of| comparable || !compared.contains(of));
        let mut traits: Vec<_> = builtin.into_iter().collect();
        for candidate in found {
            let Some(of) = candidate.of else {
                continue;
            };
            let bounded = match kind {
                Static::Concrete => false,
                Static::Abstract(bounds) | Static::Unknown(bounds) => bounds.contains(&of),
            };
            let of_references = match of {
                TraitName::Builtin(_) => standard.is_some_and(|of| candidate.is_of(of)),
                TraitName::User(_) if bounded || scope.contains(&of) => {
                    self.may_be_for_references(candidate.item.implementation)
                }
                TraitName::User(_) => false,
            };
            if of_references {
                traits.push(of);
            }
        }
        Ok(traits)
    }

    /// Returns whether an implementation of a trait of the program may be for references, too: it is
    /// for every type that meets its conditions, and a reference may meet these.
    fn may_be_for_references(&self, implementation: usize) -> bool {
        let info = &self.items.impls[implementation];
        let this = info.ast.self_type.ident();
        let may_have = |bound: &Path| match self.items.trait_named(info.module, bound) {
            // No implementation of it is for references alone.
            Ok(of @ TraitName::User(_)) => {
                let mut all = self.items.implementors.get(&of).into_iter().flatten();
                all.any(|number| self.items.is_blanket(*number))
            }
            _ => true,
        };
        let mut conditions = conditions(&info.ast.generics, &info.ast.predicates);
        self.items.is_blanket(implementation)
            && conditions.all(|(subject, bounds)| subject != this || bounds.iter().all(may_have))
    }

    /// Returns whether what takes `self` in this way is certainly found first for the receiver's own
    /// type, since that is no reference, or the one that is taken.
    pub(super) fn is_plain_receiver(
        &self,
        expr: &Expr,
        is_reference: bool,
        value: &Value,
        taken: Option<Receiver>,
    ) -> Eval<bool> {
        let Some(here) = self.activations.last().filter(|_| !expr.reference) else {
            return Ok(false);
        };
        if is_reference {
            return Ok(taken == Some(Receiver::Mutable));
        }
        if is_self(expr) {
            let for_references = here.owner.is_some_and(|owner| {
                let implementation = &self.items.impls[owner.implementation];
                implementation.ast.self_type.reference
            });
            let own = here.function.as_deref().and_then(receiver);
            return Ok(!for_references && (own == Some(Receiver::Value) || own == taken));
        }
        if let Some(param) = self.named_parameter(expr)
            && !(param.ty.reference || param.mutable_reference)
            && let TypeKind::Path(path) = &param.ty.kind
        {
            let name = path.ident();
            let is_generic = name.is_some_and(|name| self.type_parameter(name).is_some());
            if is_generic || self.is_named(path, &value.ty())? {
                return Ok(true);
            }
        }
        Ok(self.is_reference(value) == Some(false))
    }

    /// Refuses the only candidate if the bounds of a type parameter do not include its trait: rustc
    /// has then chosen a function of the standard library.
    pub(super) fn check_bounds<T>(
        &self,
        found: &[Candidate<T>],
        kind: &Static,
        name: Symbol,
        span: Span,
    ) -> Eval<()> {
        let Static::Abstract(bounds) = kind else {
            return Ok(());
        };
        let given = |candidate: &Candidate<T>| {
            candidate.of.is_some_and(|of| bounds.contains(&of))
                || self.items.is_blanket(candidate.item.implementation)
        };
        if found.iter().all(given) {
            Ok(())
        } else {
            fail_help(
                span,
                format!("the bounds of this type parameter have no `{name}`"),
                "write `<Type as Trait>::name` for the one that is meant",
            )
        }
    }

    /// Refuses an item of a trait that rustc does not look at here: the trait is not in scope, and
    /// is no bound of a type parameter that the type may be.
    pub(super) fn check_scope<T>(
        &self,
        found: &[Candidate<T>],
        name: Symbol,
        span: Span,
        kind: impl Fn(&Self) -> Eval<Static>,
    ) -> Eval<()> {
        for candidate in found {
            let Some(of) = candidate.of else {
                continue;
            };
            if self.is_in_scope(of)? {
                continue;
            }
            if let Static::Abstract(bounds) | Static::Unknown(bounds) = kind(self)?
                && bounds.contains(&of)
            {
                continue;
            }
            let info = &self.items.impls[candidate.item.implementation];
            let of = info.ast.of.as_ref().and_then(|path| path.segments.last());
            let of = of.map_or(name, |of| of.name);
            let message = format!("`{name}` is of the trait `{of}`, which is not in scope here");
            return fail_help(span, message, format!("import `{of}` with `use`"));
        }
        Ok(())
    }

    /// Returns whether the items of a trait can be named here without it: it is declared or imported
    /// here, is in Rust's prelude, or it is what the present implementation is of.
    fn is_in_scope(&self, of: TraitName) -> Eval<bool> {
        if let TraitName::Builtin(name) = of
            && LANGUAGE.contains(&&*name.text())
        {
            return Ok(true);
        }
        let module = self.module();
        if self.items.traits_in_scope(module)?.contains(&of) {
            return Ok(true);
        }
        let here = self.activations.last();
        Ok(match here.and_then(|here| here.owner) {
            Some(owner) => self.items.impls[owner.implementation].of == Some(of),
            // A type in the header of an item, of an implementation that is not known.
            None => {
                let mut impls = self.items.impls.iter();
                here.is_some_and(|here| here.self_type.is_some())
                    && impls.any(|info| info.module == module && info.of == Some(of))
            }
        })
    }
}
