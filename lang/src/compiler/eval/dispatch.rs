//! Which implementation provides a method, a function or a constant of a type.
//!
//! rustc resolves names by static types. The meaning of a method call on a value of a type
//! parameter is determined by the parameter's bounds; if the type is known, inherent functions take
//! precedence over traits. In this compiler, parameters are already replaced by their types. So it
//! chooses an implementation only if there is no other candidate, or if every possible static type
//! of the expression leads to the same one. Everything else is refused as ambiguous. It relies on
//! rustc accepting the program: if there is only one candidate, rustc cannot have chosen another.
//!
//! What the standard library's own types have is not listed: it grows with each version. So a name
//! on such a type never means a trait of the program, except by a bound or a qualified path.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::bounds::Static;
use super::builtin::{self, Receiver, builtin_function, builtin_method, receiver};
use super::candidate::{Candidate, Prefix};
use super::*;
use crate::compiler::resolve::{self, ITERATOR, TraitName, UNCHECKED_SLICE};

impl Evaluator<'_> {
    /// Returns the candidates for a method call. There are none if the built-in method is meant.
    /// There are several only if they belong to one trait, so that the arguments decide.
    pub(super) fn method_candidates(
        &mut self,
        expr: &Expr,
        is_reference: bool,
        value: &Value,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Vec<Candidate<Rc<Function>>>> {
        let mut found = self.candidates(|items| &items.methods, ty, name)?;
        found.retain(|candidate| receiver(&candidate.item.item).is_some());
        if !found.is_empty() && self.is_of_std(ty) {
            let kind = self.static_type(expr)?;
            found = self.beside_std(found, ty, &kind, name, span)?;
        }
        let text = name.text();
        let of_iterator = ITERATOR.contains(&&*text) || &*text == "into_iter";
        if of_iterator && &*text != "next" && self.is_own_iterator(value) {
            // Those take `self`, so they come before functions that take `&self`.
            let other = builtin::standard_function(&text).is_some_and(|of| self.may_have(ty, of));
            if other || !found.is_empty() {
                let message = format!("`{name}` may be that of `Iterator`, or another one");
                let help = "give the other one a name that `Iterator` does not have";
                return fail_help(span, message, help);
            }
            return Ok(found);
        }
        let builtin = match builtin_method(value, &text) {
            None if !found.is_empty() => self.imported_method(ty, name, span)?,
            builtin => builtin,
        };
        let builtin =
            builtin.filter(|(_, of)| of.is_none_or(|of| self.may_be_builtin(&found, ty, of)));
        self.check_clone(&found, name, span, |this| match expr.ident() {
            Some(name) if name == "self" => this.static_type(expr),
            _ => Ok(Static::Unknown(BTreeSet::new())),
        })?;
        if let Some((_, Some(UNCHECKED_SLICE))) = builtin {
            let of = TraitName::Builtin(Symbol::new(UNCHECKED_SLICE));
            if !self.items.traits_in_scope(self.module())?.contains(&of) {
                return fail_help(
                    span,
                    format!("`{name}` does not check its index"),
                    "use `at` with an `Index<N>`; or import `droste_gadgets::unchecked::UncheckedSlice`, \
                     and say why the index is below the slice's length",
                );
            }
        }
        if found.is_empty() {
            return Ok(found);
        }
        // Those for references come before others if the value is one.
        let of_reference = |of: &Candidate<_>| {
            let implementation = &self.items.impls[of.item.implementation];
            implementation.ast.self_type.reference
        };
        let several = builtin.is_some() || found.windows(2).any(|pair| pair[0].of != pair[1].of);
        if several && found.iter().any(of_reference) {
            return self.ambiguous(&found, name, span);
        }
        let kind = self.static_type(expr)?;
        // A type parameter has no inherent methods, and only those traits that bound it or apply to
        // every type.
        if let Static::Abstract(bounds) = &kind {
            let bounded = |of: &Candidate<_>| of.of.is_some_and(|of| bounds.contains(&of));
            if found.iter().any(bounded) {
                found.retain(|of| bounded(of) || self.items.is_blanket(of.item.implementation));
            }
        }
        if found.len() + usize::from(builtin.is_some()) <= 1 {
            self.check_bounds(&found, &kind, name, span)?;
            self.check_visible(&found, name, span)?;
            return Ok(found);
        }
        let mut kinds = found
            .iter()
            .filter_map(|candidate| receiver(&candidate.item.item))
            .chain(builtin.map(|(kind, _)| kind));
        let first = kinds.next();
        if kinds.any(|kind| Some(kind) != first) {
            return fail_help(
                span,
                format!(
                    "several methods `{name}` may be meant, which take `self` in different ways"
                ),
                "write `<Type as Trait>::method(..)` for the one that is meant",
            );
        }
        let builtin = builtin.map(|(_, of)| of.map(|of| TraitName::Builtin(Symbol::new(of))));
        let of_references = self.of_references(&found, builtin.flatten(), &kind, name)?;
        let chosen = self.choose(found, builtin, &kind, name, span)?;
        // rustc looks at the receiver's own type before what it refers to.
        let of = chosen.first().map_or(builtin.flatten(), |one| one.of);
        if of_references.iter().any(|other| of != Some(*other))
            && !self.is_plain_receiver(expr, is_reference, value, first)?
        {
            return fail_help(
                span,
                format!("the receiver's references decide which `{name}` is meant"),
                format!("call it by path: `Type::{name}(..)`, or `<Type as Trait>::{name}(..)`"),
            );
        }
        Ok(chosen)
    }

    /// Returns the candidates for `prefix::name(..)`, like [`Self::method_candidates`].
    pub(super) fn function_candidates(
        &mut self,
        prefix: &Prefix<'_>,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Vec<Candidate<Rc<Function>>>> {
        self.known(ty, span)?;
        let mut found = self.candidates(|items| &items.methods, ty, name)?;
        if !found.is_empty() && prefix.of.is_none() && self.is_of_std(ty) {
            let kind = self.static_prefix(prefix)?;
            found = self.beside_std(found, ty, &kind, name, span)?;
        }
        let builtin = if builtin_function(ty, &name.text()) {
            Some(None)
        } else {
            let mut of = builtin::standard_function(&name.text());
            if of.is_none() && !found.is_empty() {
                let imported = self.imported_method(ty, name, span)?;
                of = imported.and_then(|(_, of)| of);
            }
            of.filter(|of| self.may_be_builtin(&found, ty, of))
                .map(|of| Some(TraitName::Builtin(Symbol::new(of))))
        };
        self.check_clone(&found, name, span, |this| this.static_prefix(prefix))?;
        let found = self.associated(found, builtin, prefix, ty, name, span)?;
        if prefix.of.is_none() {
            self.check_scope(&found, name, span, |this| this.static_prefix(prefix))?;
        }
        Ok(found)
    }

    /// Returns the constant `prefix::name`, or `None` if a built-in one is meant.
    pub(super) fn constant_candidate(
        &mut self,
        prefix: &Prefix<'_>,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Option<Candidate<Rc<Const>>>> {
        self.known(ty, span)?;
        let mut found = self.candidates(|items| &items.constants, ty, name)?;
        if !found.is_empty() && prefix.of.is_none() && self.is_of_std(ty) {
            let kind = self.static_prefix(prefix)?;
            found = self.beside_std(found, ty, &kind, name, span)?;
        }
        let builtin = builtin::constant(&self.found_type(ty), &name.text()).map(|_| None);
        let found = self.associated(found, builtin, prefix, ty, name, span)?;
        if prefix.of.is_none() {
            self.check_scope(&found, name, span, |this| this.static_prefix(prefix))?;
        }
        self.only(found, name, span)
    }

    /// Returns the associated type `prefix::name`.
    pub(super) fn type_candidate(
        &mut self,
        prefix: &Prefix<'_>,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Option<Candidate<usize>>> {
        self.known(ty, span)?;
        let mut found = self.candidates(|items| &items.types, ty, name)?;
        // `Self::Output` is that of the implementation in which it is written.
        if let Some((path, 1)) = prefix.path
            && path.segments[0].name == "Self"
            && let Some(owner) = self.here().owner
        {
            let own = |one: &Candidate<usize>| one.item.implementation == owner.implementation;
            if found.iter().any(own) {
                found.retain(own);
            }
        }
        let found = self.associated(found, None, prefix, ty, name, span)?;
        self.only(found, name, span)
    }

    /// Returns whether a type is one of the standard library, whose names this repository does not
    /// determine. Of an unknown type it may be.
    pub(super) fn is_of_std(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Struct(id, _) => self.items.is_std_struct(*id),
            Ty::Felt | Ty::Ext | Ty::Block | Ty::Slice => false,
            Ty::Unchecked(_) | Ty::Words(_) | Ty::Index(_) => false,
            _ => true,
        }
    }

    /// Returns whether a type may have a trait of the standard library.
    fn may_have(&self, ty: &Ty, of: &str) -> bool {
        match ty {
            Ty::Struct(id, _) => self.items.may_have(*id, of),
            _ => true,
        }
    }

    /// Returns whether a function of this trait may be meant that the program does not write. If
    /// it implements the trait, its own is meant, unless the type derives the trait, too: one of
    /// them may be for other generic arguments.
    fn may_be_builtin<T>(&self, found: &[Candidate<T>], ty: &Ty, of: &str) -> bool {
        let derived = match ty {
            Ty::Struct(id, _) => self.items.structs[*id].ast.derives(of),
            _ => false,
        };
        self.may_have(ty, of) && (derived || found.iter().all(|other| !other.is_of(of)))
    }

    /// Returns those candidates for an item of a type of the standard library that may be meant. A
    /// trait of the program may be only in generic code, by the bounds of a type parameter: of a
    /// known type, rustc prefers what the standard library has, now or in a later version.
    fn beside_std<T>(
        &self,
        mut found: Vec<Candidate<T>>,
        ty: &Ty,
        kind: &Static,
        name: Symbol,
        span: Span,
    ) -> Eval<Vec<Candidate<T>>> {
        let scope = self.items.traits_in_scope(self.module())?;
        let bounded = |of: &TraitName| match kind {
            Static::Concrete => false,
            Static::Abstract(bounds) | Static::Unknown(bounds) => bounds.contains(of),
        };
        found.retain(|candidate| match candidate.of {
            Some(of @ TraitName::User(_)) => scope.contains(&of) || bounded(&of),
            _ => true,
        });
        let mut of_program = found.iter();
        let of_program = of_program.find(|of| matches!(of.of, Some(TraitName::User(_))));
        let (Some(candidate), Static::Concrete | Static::Unknown(_)) = (of_program, kind) else {
            return Ok(found);
        };
        let info = &self.items.impls[candidate.item.implementation];
        let of = info.ast.of.as_ref().and_then(|path| path.segments.last());
        let of = of.map_or_else(|| "Trait".to_owned(), |of| of.name.to_string());
        let this = match ty {
            Ty::Int(Some(int)) if !int.is_open() => int.name().to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Struct(id, _) => self.items.structs[*id].ast.name.to_string(),
            _ => "Type".to_owned(),
        };
        let message = format!(
            "`{name}` may be of the standard library, in this version of Rust or a later one"
        );
        let help =
            format!("write `<{this} as {of}>::{name}` or, with its `self`, `{of}::{name}(..)`");
        fail_help(span, message, help)
    }

    fn known(&self, ty: &Ty, span: Span) -> Eval<()> {
        if !matches!(ty, Ty::Unknown) {
            return Ok(());
        }
        let help = "write it with a turbofish, `::<..>`";
        fail_help(span, "cannot tell what type this is", help)
    }

    fn only<T: Clone>(
        &self,
        mut found: Vec<Candidate<T>>,
        name: Symbol,
        span: Span,
    ) -> Eval<Option<Candidate<T>>> {
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => self.ambiguous(&found, name, span),
        }
    }

    fn associated<T: Clone>(
        &mut self,
        mut found: Vec<Candidate<T>>,
        builtin: Option<Option<TraitName>>,
        prefix: &Prefix<'_>,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Vec<Candidate<T>>> {
        if let Some(of) = prefix.of {
            found.retain(|candidate| candidate.of == Some(of));
            if found.is_empty() && matches!(of, TraitName::User(_)) {
                return fail(span, format!("the type has no `{name}` of this trait"));
            }
            return self.with_trait_arguments(found, ty, prefix.arguments);
        }
        if found.is_empty() {
            return Ok(found);
        }
        let kind = self.static_prefix(prefix)?;
        if found.len() + usize::from(builtin.is_some()) <= 1 {
            self.check_bounds(&found, &kind, name, span)?;
            self.check_visible(&found, name, span)?;
            return Ok(found);
        }
        self.choose(found, builtin, &kind, name, span)
    }

    /// Returns the method, of an imported trait that is not the program's, that a type may have.
    fn imported_method(
        &self,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Option<(Receiver, Option<&'static str>)>> {
        let scope = self.items.traits_in_scope(self.module())?;
        for of in scope.iter() {
            if let TraitName::Builtin(of) = of
                && resolve::is_unknown_trait(&of.text())
            {
                let message = format!("`{of}` is imported here, and may have a method `{name}`");
                let help = "import only traits of the standard library that the subset has";
                return fail_help(span, message, help);
            }
        }
        let known = builtin::imported_method(ty, &name.text());
        let known = known.filter(|(_, of)| scope.contains(&TraitName::Builtin(Symbol::new(of))));
        Ok(known.map(|(receiver, of)| (receiver, Some(of))))
    }

    /// Refuses inherent items that are private in another module, as rustc does.
    fn check_visible<T>(&self, found: &[Candidate<T>], name: Symbol, span: Span) -> Eval<()> {
        let is_visible = |candidate: &Candidate<T>| {
            let implementation = candidate.item.implementation;
            candidate.of.is_some() || self.items.is_visible(implementation, name, self.module())
        };
        if found.iter().all(is_visible) {
            Ok(())
        } else {
            fail(span, format!("`{name}` is private in another module"))
        }
    }

    /// Chooses among several candidates. `builtin` is the trait of a built-in one, if there is one.
    fn choose<T: Clone>(
        &mut self,
        found: Vec<Candidate<T>>,
        builtin: Option<Option<TraitName>>,
        kind: &Static,
        name: Symbol,
        span: Span,
    ) -> Eval<Vec<Candidate<T>>> {
        // Indices in `found`; the index after the last one stands for the built-in.
        let all = found.iter().map(|candidate| candidate.of);
        let all: Vec<Option<TraitName>> = all.chain(builtin).collect();
        let concrete = match kind {
            Static::Abstract(_) => None,
            _ => Some(self.choose_concrete(&found, &all, name)?),
        };
        let within = match kind {
            Static::Concrete => None,
            Static::Abstract(bounds) | Static::Unknown(bounds) => {
                let bounded = |of: &Option<TraitName>| of.is_some_and(|of| bounds.contains(&of));
                let mut chosen: Vec<usize> = positions(&all, bounded);
                if chosen.is_empty() {
                    // An implementation for every type also applies to a type parameter.
                    chosen = positions(&found, |candidate| {
                        candidate.of.is_some()
                            && self.items.is_blanket(candidate.item.implementation)
                    });
                }
                Some(chosen)
            }
        };
        let chosen = match (concrete, within) {
            (Some(concrete), Some(within)) if within.is_empty() || within == concrete => concrete,
            (Some(_), Some(_)) | (None, None) => Vec::new(),
            (Some(chosen), None) | (None, Some(chosen)) => chosen,
        };
        let one_trait = chosen.windows(2).all(|pair| all[pair[0]] == all[pair[1]])
            && (chosen.len() == 1 || chosen.first().is_some_and(|index| all[*index].is_some()));
        if chosen.is_empty() || !one_trait || chosen.len() > 1 && chosen.contains(&found.len()) {
            return self.ambiguous(&found, name, span);
        }
        let chosen = chosen.into_iter();
        Ok(chosen
            .filter_map(|index| found.get(index).cloned())
            .collect())
    }

    /// Returns what is meant if the type is known: an inherent item or, if there is none, that of a
    /// trait in scope.
    fn choose_concrete<T>(
        &self,
        found: &[Candidate<T>],
        all: &[Option<TraitName>],
        name: Symbol,
    ) -> Eval<Vec<usize>> {
        let inherent = positions(all, |of| of.is_none());
        match inherent.as_slice() {
            [] => {
                let scope = self.items.traits_in_scope(self.module())?;
                let known = |of: &Option<TraitName>| match of {
                    Some(of @ TraitName::User(_)) => scope.contains(of),
                    // Traits of the standard library are in Rust's own prelude.
                    Some(TraitName::Builtin(_)) => true,
                    None => false,
                };
                Ok(positions(all, known))
            }
            // The built-in item certainly belongs to the type. rustc skips items that are not
            // visible here.
            [index]
                if found.get(*index).is_none_or(|candidate| {
                    let implementation = candidate.item.implementation;
                    candidate.certain && self.items.is_visible(implementation, name, self.module())
                }) =>
            {
                Ok(vec![*index])
            }
            _ => Ok(Vec::new()),
        }
    }

    pub(super) fn ambiguous<T, R>(
        &self,
        found: &[Candidate<T>],
        name: Symbol,
        span: Span,
    ) -> Eval<R> {
        let count = found.len();
        fail_help(
            span,
            match count {
                0 | 1 => format!("`{name}` may mean the built-in one or the program's"),
                _ => format!("{count} implementations of `{name}` may be meant"),
            },
            "write `<Type as Trait>::name` for the one that is meant, or import only its trait",
        )
    }

    /// Returns the type of `ty` that segment `index` of a path names.
    pub(super) fn associated_type(&mut self, ty: &Ty, path: &Path, index: usize) -> Eval<Ty> {
        let (items, name, span) = (self.items, path.segments[index].name, path.span);
        let prefix = self.prefix(path, index)?;
        match self.type_candidate(&prefix, ty, name, span)? {
            Some(candidate) => {
                let info = &items.impls[candidate.item.implementation];
                let definition = &info.ast.types[candidate.item.item].1;
                let (owner, this) = (Some(candidate.owner()), Some(ty.clone()));
                let generics = candidate.generics;
                let body = |this: &mut Self| this.ty(definition);
                self.within(span, info.module, generics, this, owner, body)
            }
            None => fail(span, format!("this type has no associated type `{name}`")),
        }
    }
}

fn positions<T>(list: &[T], wanted: impl Fn(&T) -> bool) -> Vec<usize> {
    let indices = list.iter().enumerate();
    let indices = indices.filter(|(_, item)| wanted(item));
    indices.map(|(index, _)| index).collect()
}
