//! Matches type expressions against types. This determines which implementations apply to a type,
//! and what generic parameters stand for.
//!
//! While compiling, types are known as far as values show them, which excludes whether a value is a
//! reference or a slice. So there are three answers, of which only `No` and `Yes` are certain.

use super::types::{Bindings, head};
use super::*;
use crate::compiler::resolve::{Head, Namespace, TraitName};

/// Largest depth to which conditions of implementations are followed.
const MAX_CONDITIONS: usize = 16;

/// Whether a type expression applies to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    No,
    Maybe,
    Yes,
}

impl Match {
    fn of(matches: bool) -> Self {
        if matches { Self::Maybe } else { Self::No }
    }
}

/// The context of a type expression.
pub(super) struct Header<'a> {
    pub module: ModuleId,
    /// Parameters that may be bound.
    pub params: &'a [GenericParam],
    pub self_type: Option<&'a Ty>,
    /// Whether lengths that are no parameters are compared. They must then be known.
    pub lengths: bool,
}

impl Header<'_> {
    fn is_param(&self, name: Symbol) -> bool {
        self.params.iter().any(|param| param.name == name)
    }
}

impl Evaluator<'_> {
    /// Returns whether an implementation applies to `ty`, and if so its generic arguments.
    pub(super) fn implements(
        &mut self,
        implementation: usize,
        ty: &Ty,
        depth: usize,
    ) -> Eval<(Match, Bindings)> {
        let items = self.items;
        let info = &items.impls[implementation];
        let mut bindings = Vec::new();
        let header = Header {
            module: info.module,
            params: &info.ast.generics,
            self_type: None,
            lengths: true,
        };
        let mut matches = self.unify(&info.ast.self_type, ty, &header, &mut bindings)?;
        let declared = info
            .ast
            .generics
            .iter()
            .map(|param| (Some(param.name), &param.bounds));
        let predicates = info.ast.predicates.iter().map(|predicate| {
            let subject = match &predicate.ty.kind {
                TypeKind::Path(path) => path.ident(),
                _ => None,
            };
            (subject, &predicate.bounds)
        });
        for (subject, bounds) in declared.chain(predicates) {
            let subject = bindings
                .iter()
                .find(|(name, _)| Some(*name) == subject)
                .map(|(_, ty)| ty.clone());
            for bound in bounds {
                if matches == Match::No {
                    return Ok((Match::No, bindings));
                }
                let holds = match &subject {
                    Some(subject) => self.holds(subject, bound, info.module, depth + 1)?,
                    None => Match::Maybe,
                };
                matches = matches.min(holds);
            }
        }
        Ok((matches, bindings))
    }

    /// Returns whether a type implements a trait.
    fn holds(&mut self, ty: &Ty, bound: &Path, module: ModuleId, depth: usize) -> Eval<Match> {
        let items = self.items;
        let of = items.trait_named(module, bound)?;
        if matches!(of, TraitName::Builtin(_)) || depth > MAX_CONDITIONS {
            return Ok(Match::Maybe);
        }
        let mut best = Match::No;
        for implementation in items.implementors.get(&of).into_iter().flatten() {
            best = best.max(self.implements(*implementation, ty, depth)?.0);
        }
        // If the trait is generic, the implementation may be of another instance of it.
        match bound
            .segments
            .iter()
            .any(|segment| !segment.generics.is_empty())
        {
            true => Ok(best.min(Match::Maybe)),
            false => Ok(best),
        }
    }

    /// Matches a type expression against a type, and binds parameters.
    pub(super) fn unify(
        &mut self,
        pattern: &Type,
        actual: &Ty,
        header: &Header<'_>,
        bindings: &mut Bindings,
    ) -> Eval<Match> {
        if matches!(actual, Ty::Unknown) {
            return Ok(Match::Maybe);
        }
        match (&pattern.kind, actual) {
            (TypeKind::Unknown, _) => Ok(Match::Maybe),
            (TypeKind::Array(element, length), Ty::Array(found, size)) => {
                if let Some(size) = size {
                    let name = match &length.kind {
                        ExprKind::Path(path) => path.ident(),
                        _ => None,
                    };
                    match name {
                        Some(name) if header.is_param(name) => {
                            match bind(bindings, name, &Ty::Const(*size)) {
                                true => {}
                                false => return Ok(Match::No),
                            }
                        }
                        Some(name) if &*name.text() == "_" => {}
                        _ if header.lengths => {
                            let known = bindings.clone();
                            let this = header.self_type.cloned();
                            let wanted = self.within(header.module, known, this, None, |this| {
                                this.int(length)
                            })?;
                            if wanted != *size {
                                return Ok(Match::No);
                            }
                        }
                        _ => {}
                    }
                }
                // The value may be a slice, to which no implementation for arrays applies.
                Ok(self
                    .unify(element, found, header, bindings)?
                    .min(Match::Maybe))
            }
            (TypeKind::Slice(element), Ty::Array(found, _) | Ty::Vec(found)) => Ok(self
                .unify(element, found, header, bindings)?
                .min(Match::Maybe)),
            (TypeKind::Tuple(patterns), Ty::Tuple(types)) => {
                if patterns.len() != types.len() {
                    return Ok(Match::No);
                }
                let mut matches = Match::Yes;
                for (pattern, ty) in patterns.iter().zip(types.iter()) {
                    matches = matches.min(self.unify(pattern, ty, header, bindings)?);
                }
                Ok(matches)
            }
            (TypeKind::Path(path), _) => self.unify_path(path, actual, header, bindings),
            _ => Ok(Match::No),
        }
    }

    fn unify_path(
        &mut self,
        path: &Path,
        actual: &Ty,
        header: &Header<'_>,
        bindings: &mut Bindings,
    ) -> Eval<Match> {
        let first = path.segments.first().map(|segment| segment.name);
        if let Some(name) = path.ident() {
            if header.is_param(name) {
                let bound = bind(bindings, name, actual);
                return Ok(if bound { Match::Yes } else { Match::No });
            }
            if &*name.text() == "Self" {
                let matches = header.self_type.is_none_or(|ty| ty.matches(actual));
                return Ok(Match::of(matches));
            }
        }
        // It is a type that belongs to a parameter, which may be this one.
        let of_param = first.is_some_and(|name| header.is_param(name) || &*name.text() == "Self");
        if path.qualified.is_some() || of_param {
            return Ok(Match::Maybe);
        }
        let Some((definition, used)) = self.items.path(header.module, path, Namespace::Type)?
        else {
            return fail(path.span, "there is no such type");
        };
        if used != path.segments.len() {
            return Ok(Match::Maybe);
        }
        let arguments = &path.segments[used - 1].generics;
        match (&definition, actual) {
            (Definition::Struct(id), Ty::Struct(found, types)) if id == found => {
                if arguments.len() != types.len() {
                    return Ok(Match::Maybe);
                }
                let params = &self.items.structs[*id].ast.generics;
                let constant = params.iter().map(|param| param.constant);
                let types = constant.zip(types.iter().cloned()).collect();
                self.unify_arguments(arguments, types, header, bindings)
            }
            (Definition::Struct(_), _) => Ok(Match::No),
            (Definition::Alias(defined_in, alias), _) => {
                let mut own = Vec::new();
                let inner = Header {
                    module: *defined_in,
                    params: &alias.generics,
                    self_type: None,
                    lengths: header.lengths,
                };
                let matches = self.unify(&alias.ty, actual, &inner, &mut own)?;
                let mut types = Vec::new();
                for param in &alias.generics {
                    let bound = own.iter().find(|(name, _)| *name == param.name);
                    let ty = bound.map_or(Ty::Unknown, |(_, ty)| ty.clone());
                    types.push((param.constant, ty));
                }
                if matches == Match::No || arguments.len() != types.len() {
                    return Ok(matches.min(Match::Maybe));
                }
                Ok(matches.min(self.unify_arguments(arguments, types, header, bindings)?))
            }
            (Definition::Intrinsic(name), _) => {
                let types = match (&*name.text(), actual) {
                    ("Unchecked", Ty::Unchecked(inner)) | ("Vec", Ty::Vec(inner)) => {
                        vec![(false, (**inner).clone())]
                    }
                    ("Words", Ty::Words(n)) | ("Index", Ty::Index(n)) => {
                        vec![(true, Ty::Const(*n))]
                    }
                    (text, Ty::Int(found)) => {
                        return Ok(match (IntType::named(text), found) {
                            (None, _) => Match::No,
                            (Some(_), None) => Match::Maybe,
                            (Some(wanted), Some(found)) if wanted == *found => Match::Yes,
                            _ => Match::No,
                        });
                    }
                    (_, Ty::Phantom) => return Ok(Match::of(&*name.text() == "PhantomData")),
                    _ => {
                        let same = head(actual) == Some(Head::Intrinsic(*name));
                        return Ok(if same { Match::Yes } else { Match::No });
                    }
                };
                if arguments.len() != types.len() {
                    return Ok(Match::Maybe);
                }
                self.unify_arguments(arguments, types, header, bindings)
            }
            _ => Ok(Match::No),
        }
    }

    /// Matches generic arguments against types. Each comes with whether it is a constant.
    pub(super) fn unify_arguments(
        &mut self,
        arguments: &[GenericArg],
        types: Vec<(bool, Ty)>,
        header: &Header<'_>,
        bindings: &mut Bindings,
    ) -> Eval<Match> {
        let mut matches = Match::Yes;
        for (argument, (constant, actual)) in arguments.iter().zip(types) {
            let name = match argument {
                GenericArg::Type(ty) => match &ty.kind {
                    TypeKind::Path(path) => path.ident(),
                    _ => None,
                },
                GenericArg::Const(_) => None,
            };
            let one = match (name, argument) {
                (Some(name), _) if header.is_param(name) => match bind(bindings, name, &actual) {
                    true => Match::Yes,
                    false => Match::No,
                },
                (_, GenericArg::Type(ty)) if !constant => {
                    // A reference to the type would match, too.
                    self.unify(ty, &actual, header, bindings)?.min(Match::Maybe)
                }
                (_, argument) if header.lengths => {
                    let known = bindings.clone();
                    let this = header.self_type.cloned();
                    let value = self.within(header.module, known, this, None, |this| {
                        this.generic_constant(argument)
                    })?;
                    match (value.matches(&actual), &actual) {
                        (false, _) => Match::No,
                        (true, Ty::Unknown) => Match::Maybe,
                        (true, _) => Match::Yes,
                    }
                }
                _ => Match::Maybe,
            };
            matches = matches.min(one);
        }
        Ok(matches)
    }
}

/// Binds a parameter or, if it is bound, compares.
fn bind(bindings: &mut Bindings, name: Symbol, ty: &Ty) -> bool {
    match bindings.iter_mut().find(|(bound, _)| *bound == name) {
        Some((_, bound)) => {
            let matches = bound.matches(ty);
            if matches!(bound, Ty::Unknown) {
                *bound = ty.clone();
            }
            matches
        }
        None => {
            bindings.push((name, ty.clone()));
            true
        }
    }
}
