//! Matches type expressions against types. This determines which implementations apply to a type,
//! and what generic parameters stand for.
//!
//! While compiling, types are known as far as values show them, which excludes whether a value is a
//! reference or a slice. So there are three answers, of which only `No` and `Yes` are certain.

use super::generics::{Generics, kind};
use super::types::is_text;
use super::*;
use crate::compiler::resolve::{Head, Namespace, RANGES, TraitName};

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
    fn possible(matches: bool) -> Self {
        if matches { Self::Maybe } else { Self::No }
    }

    fn certain(matches: bool) -> Self {
        if matches { Self::Yes } else { Self::No }
    }
}

/// The context of a type expression.
pub(super) struct Header<'a> {
    pub module: ModuleId,
    pub self_type: Option<&'a Ty>,
    /// Whether lengths that are no parameters are compared. They must then be known.
    pub lengths: bool,
}

impl Header<'_> {
    /// Returns the context of a type that is not written in terms of `Self`.
    pub(super) fn of(module: ModuleId, lengths: bool) -> Self {
        let self_type = None;
        Self {
            module,
            self_type,
            lengths,
        }
    }
}

/// Returns the head under which the implementations of a type are listed.
pub(super) fn head(ty: &Ty) -> Option<Head> {
    let name = match ty {
        Ty::Struct(id, _) => return Some(Head::Struct(*id)),
        Ty::Array(..) => return Some(Head::Array),
        Ty::Tuple(_) => return Some(Head::Tuple),
        Ty::Felt => "Felt",
        Ty::Ext => "Ext",
        Ty::Block => "Block",
        Ty::Slice => "Slice",
        Ty::Bool => "bool",
        Ty::Int(Some(IntType::Char)) => "char",
        // All integers have one head, since the type of a literal is not always known.
        Ty::Int(_) => "usize",
        Ty::Vec(_) => "Vec",
        Ty::Unchecked(_) => "Unchecked",
        Ty::Words(_) => "Words",
        Ty::Index(_) => "Index",
        Ty::Phantom => "PhantomData",
        Ty::Closure | Ty::Iter(_) | Ty::Text | Ty::Const(..) | Ty::ConstBool(_) | Ty::Unknown => {
            return None;
        }
    };
    Some(Head::Intrinsic(Symbol::new(name)))
}

impl Evaluator<'_> {
    /// Returns whether an implementation applies to `ty`, and if so its generic arguments.
    pub(super) fn implements(
        &mut self,
        implementation: usize,
        ty: &Ty,
        depth: usize,
    ) -> Eval<(Match, Generics)> {
        let items = self.items;
        let info = &items.impls[implementation];
        self.walk_types([ty], info.ast.self_type.span)?;
        let mut generics = Generics::unknown(&info.ast.generics);
        let header = Header::of(info.module, true);
        let mut matches = self.unify(&info.ast.self_type, ty, &header, &mut generics)?;
        for (subject, bounds) in conditions(&info.ast.generics, &info.ast.predicates) {
            let subject = subject.and_then(|name| generics.get(name, Namespace::Type));
            for bound in bounds {
                if matches == Match::No {
                    return Ok((Match::No, generics));
                }
                let holds = match subject {
                    None | Some(Ty::Unknown) => Match::Maybe,
                    Some(subject) => self.holds(subject, bound, info.module, depth + 1)?,
                };
                matches = matches.min(holds);
            }
        }
        Ok((matches, generics))
    }

    /// Returns whether a type implements a trait.
    pub(super) fn holds(
        &mut self,
        ty: &Ty,
        bound: &Path,
        module: ModuleId,
        depth: usize,
    ) -> Eval<Match> {
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
        let mut segments = bound.segments.iter();
        if segments.any(|segment| !segment.generics.is_empty()) {
            Ok(best.min(Match::Maybe))
        } else {
            Ok(best)
        }
    }

    /// Matches a type expression against a type, and binds parameters.
    pub(super) fn unify(
        &mut self,
        pattern: &Type,
        actual: &Ty,
        header: &Header<'_>,
        generics: &mut Generics,
    ) -> Eval<Match> {
        if matches!(actual, Ty::Unknown) {
            return Ok(Match::Maybe);
        }
        match (&pattern.kind, actual) {
            (TypeKind::Unknown, _) | (TypeKind::Function(..), Ty::Closure) => Ok(Match::Maybe),
            (TypeKind::Array(element, length), Ty::Array(found, size)) => {
                if let Some(size) = size {
                    let (name, size) = (length.ident(), Ty::length(*size));
                    let bound = name.and_then(|name| {
                        self.bind_parameter(name, Namespace::Value, &size, generics)
                    });
                    let fits = match bound {
                        Some(fits) => fits != Match::No,
                        None if name.is_some_and(|name| name == "_") => true,
                        None if header.lengths => {
                            let int = |this: &mut Self| this.length(length);
                            Ty::length(self.in_header(length.span, header, generics, int)?) == size
                        }
                        None => true,
                    };
                    if !fits {
                        return Ok(Match::No);
                    }
                }
                // The value may be a slice, to which no implementation for arrays applies.
                let matches = self.unify(element, found, header, generics)?;
                Ok(matches.min(Match::Maybe))
            }
            (TypeKind::Slice(element), Ty::Array(found, _) | Ty::Vec(found)) => {
                let matches = self.unify(element, found, header, generics)?;
                Ok(matches.min(Match::Maybe))
            }
            (TypeKind::Tuple(patterns), Ty::Tuple(types)) => {
                if patterns.len() != types.len() {
                    return Ok(Match::No);
                }
                let mut matches = Match::Yes;
                for (pattern, ty) in patterns.iter().zip(types.iter()) {
                    matches = matches.min(self.unify(pattern, ty, header, generics)?);
                }
                Ok(matches)
            }
            (TypeKind::Path(path), _) => self.unify_path(path, actual, header, generics),
            _ => Ok(Match::No),
        }
    }

    fn unify_path(
        &mut self,
        path: &Path,
        actual: &Ty,
        header: &Header<'_>,
        generics: &mut Generics,
    ) -> Eval<Match> {
        let first = path.segments.first().map(|segment| segment.name);
        if let Some(name) = path.ident() {
            if let Some(matches) = self.bind_parameter(name, Namespace::Type, actual, generics) {
                return Ok(matches);
            }
            if name == "Self" {
                let matches = header.self_type.is_none_or(|ty| ty.matches(actual));
                return Ok(Match::possible(matches));
            }
        }
        // It is a type that belongs to a parameter, which may be this one.
        let of_param = first
            .is_some_and(|name| generics.get(name, Namespace::Type).is_some() || name == "Self");
        if path.qualified.is_some() || of_param {
            return Ok(Match::Maybe);
        }
        let standard = matches!(actual, Ty::Closure | Ty::Iter(_) | Ty::Text);
        let Some((definition, used)) = self.items.path(header.module, path, Namespace::Type)?
        else {
            if is_text(path) {
                return Ok(Match::certain(matches!(actual, Ty::Text)));
            }
            if standard {
                return Ok(Match::Maybe);
            }
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
                self.unify_arguments(arguments, types, header, generics)
            }
            (Definition::Struct(_), _) => Ok(Match::No),
            (Definition::Alias(defined_in, alias), _) => {
                let mut own = Generics::unknown(&alias.generics);
                let inner = Header::of(*defined_in, header.lengths);
                let matches = self.unify(&alias.ty, actual, &inner, &mut own)?;
                let constant = alias.generics.iter().map(|param| param.constant);
                let types: Vec<_> = constant.zip(own.arguments().iter().cloned()).collect();
                if matches == Match::No || arguments.len() != types.len() {
                    return Ok(matches.min(Match::Maybe));
                }
                Ok(matches.min(self.unify_arguments(arguments, types, header, generics)?))
            }
            (Definition::Intrinsic(name), _) => {
                let types = match (&*name.text(), actual) {
                    ("Unchecked", Ty::Unchecked(inner)) | ("Vec", Ty::Vec(inner)) => {
                        vec![(false, (**inner).clone())]
                    }
                    (range, Ty::Iter(element)) if RANGES.contains(&range) => {
                        vec![(false, (**element).clone())]
                    }
                    ("Words", Ty::Words(n)) | ("Index", Ty::Index(n)) => {
                        vec![(true, Ty::length(*n))]
                    }
                    (text, Ty::Int(found)) => {
                        let found = self.found(*found).filter(|found| !found.is_open());
                        return Ok(match (IntType::named(text), found) {
                            (None, _) => Match::No,
                            // The type of a literal is no `char`.
                            (Some(wanted), None) => Match::possible(wanted != IntType::Char),
                            (Some(wanted), Some(found)) => Match::certain(wanted == found),
                        });
                    }
                    (text, _) if standard => return Ok(Match::possible(text.contains("::"))),
                    (_, Ty::Phantom) => return Ok(Match::possible(*name == "PhantomData")),
                    _ => {
                        let same = head(actual) == Some(Head::Intrinsic(*name));
                        return Ok(Match::certain(same));
                    }
                };
                if arguments.len() != types.len() {
                    return Ok(Match::Maybe);
                }
                let matches = self.unify_arguments(arguments, types, header, generics)?;
                // The value may be another iterator than a range.
                Ok(if standard {
                    matches.min(Match::Maybe)
                } else {
                    matches
                })
            }
            _ => Ok(Match::No),
        }
    }

    /// Binds a generic parameter, if there is one of this name. If it stands for a type already,
    /// whether that is this one is never certain: one of the two may be a reference, or have a part
    /// that is not found.
    fn bind_parameter(
        &self,
        name: Symbol,
        kind: Namespace,
        actual: &Ty,
        generics: &mut Generics,
    ) -> Option<Match> {
        let known = self.found_type(generics.get(name, kind)?);
        let actual = self.found_type(actual);
        generics.bind(name, kind, &actual);
        Some(match (&known, &actual) {
            (_, Ty::Unknown) => Match::Maybe,
            (Ty::Unknown, _) => Match::Yes,
            (Ty::Const(..) | Ty::ConstBool(_), actual) => Match::certain(known == *actual),
            (known, actual) => Match::possible(known.matches(actual)),
        })
    }

    /// Evaluates a part of a type expression.
    fn in_header<T>(
        &mut self,
        span: Span,
        header: &Header<'_>,
        generics: &Generics,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        let (known, this) = (generics.clone(), header.self_type.cloned());
        self.within(span, header.module, known, this, None, body)
    }

    /// Matches generic arguments against types. Each comes with whether it is a constant.
    pub(super) fn unify_arguments(
        &mut self,
        arguments: &[GenericArg],
        types: Vec<(bool, Ty)>,
        header: &Header<'_>,
        generics: &mut Generics,
    ) -> Eval<Match> {
        let mut matches = Match::Yes;
        for (argument, (constant, actual)) in arguments.iter().zip(types) {
            let name = match argument {
                GenericArg::Type(ty) => ty.ident(),
                GenericArg::Const(value) => value.ident(),
            };
            let bound =
                name.and_then(|name| self.bind_parameter(name, kind(constant), &actual, generics));
            let one = match (bound, argument) {
                (Some(matches), _) => matches,
                (None, GenericArg::Type(ty)) if !constant => {
                    // A reference to the type would match, too.
                    self.unify(ty, &actual, header, generics)?.min(Match::Maybe)
                }
                (None, argument) if header.lengths && !matches!(actual, Ty::Unknown) => {
                    let ty = match actual {
                        Ty::Const(_, ty) => Ty::Int(Some(ty)),
                        _ => Ty::Bool,
                    };
                    let constant = |this: &mut Self| this.generic_constant(argument, ty);
                    match self.in_header(argument.span(), header, generics, constant)? {
                        Ty::Unknown => Match::Maybe,
                        value => Match::certain(value == actual),
                    }
                }
                _ => Match::Maybe,
            };
            matches = matches.min(one);
        }
        Ok(matches)
    }
}
