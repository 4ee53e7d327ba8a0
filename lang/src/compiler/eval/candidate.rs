//! What implementations have under a name, and what the path to it says about it.

use super::generics::Generics;
use super::unify::{Header, Match, head};
use super::*;
use crate::compiler::resolve::{Associated, Head, Table, TraitName};

/// Something in an implementation that may be meant.
#[derive(Clone)]
pub(super) struct Candidate<T> {
    pub item: Associated<T>,
    /// Generic arguments of the implementation.
    pub generics: Generics,
    /// Whether the implementation certainly applies to the type.
    pub certain: bool,
    /// The trait, or `None` if it is inherent.
    pub of: Option<TraitName>,
}

/// The part of a path before the name of an associated item.
pub(super) struct Prefix<'a> {
    /// The path, and the number of its segments that belong to this part.
    pub path: Option<(&'a Path, usize)>,
    /// The trait that the path names.
    pub of: Option<TraitName>,
    /// The segment that may have generic arguments of the trait.
    pub arguments: Option<&'a Segment>,
}

impl<T> Candidate<T> {
    /// Returns whether it belongs to this trait of the standard library.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.of == Some(TraitName::Builtin(Symbol::new(name)))
    }

    pub(super) fn owner(&self) -> Owner {
        Owner {
            implementation: self.item.implementation,
            default_of: self.item.default_of,
        }
    }
}

impl Evaluator<'_> {
    /// Returns everything called `name` that implementations may provide for a type.
    pub(super) fn candidates<T: Clone>(
        &mut self,
        table: impl Fn(&Items) -> &Table<T>,
        ty: &Ty,
        name: Symbol,
        span: Span,
    ) -> Eval<Vec<Candidate<T>>> {
        let items = self.items;
        let mut found = Vec::new();
        if let Ty::Vec(_) = ty {
            // A `Vec` behind a reference to a slice is a `Vec` here, and a slice to rustc.
            for item in table(items).get(&(Head::Array, name)).into_iter().flatten() {
                if self.implements(item.implementation, ty, 0)?.0 != Match::No {
                    return fail_help(
                        span,
                        format!("`{name}` may be that of a slice, where a `Vec` is taken for one"),
                        "write `v[0..v.len()]` for the slice of a `Vec`",
                    );
                }
            }
        }
        for head in [head(ty), Some(Head::Any)].into_iter().flatten() {
            for item in table(items).get(&(head, name)).into_iter().flatten() {
                let (matches, generics) = self.implements(item.implementation, ty, 0)?;
                if matches == Match::No {
                    continue;
                }
                found.push(Candidate {
                    item: item.clone(),
                    generics,
                    certain: matches == Match::Yes,
                    of: items.impls[item.implementation].of,
                });
            }
        }
        Ok(found)
    }

    /// Returns the candidates whose trait has the generic arguments that a path writes.
    pub(super) fn with_trait_arguments<T>(
        &mut self,
        found: Vec<Candidate<T>>,
        written: Option<&Segment>,
    ) -> Eval<Vec<Candidate<T>>> {
        let Some(written) = written.filter(|written| !written.generics.is_empty()) else {
            return Ok(found);
        };
        let items = self.items;
        let mut left = Vec::new();
        for mut candidate in found {
            let info = &items.impls[candidate.item.implementation];
            let own = info.ast.of.as_ref().and_then(|path| path.segments.last());
            let params: &[GenericParam] = match info.of {
                Some(TraitName::User(id)) => &items.traits[id].1.generics,
                _ => &[],
            };
            let types = self.open(params, &written.generics)?.arguments();
            let constant = params.iter().map(|param| param.constant);
            let types = constant.zip(types.iter().cloned()).collect();
            let header = Header::of(info.module, true);
            let own = own.map_or(&[][..], |own| &own.generics);
            let matches = self.unify_arguments(own, types, &header, &mut candidate.generics)?;
            if matches != Match::No {
                left.push(candidate);
            }
        }
        Ok(left)
    }

    /// Returns what the first `length` segments of a path say about the item that they precede.
    pub(super) fn prefix<'a>(&self, path: &'a Path, length: usize) -> Eval<Prefix<'a>> {
        let of = path.qualified.as_deref().filter(|_| length == 0);
        let of = of.and_then(|(_, of)| of.as_ref());
        Ok(Prefix {
            path: Some((path, length)),
            of: match of {
                Some(of) => Some(self.items.trait_named(self.module(), of)?),
                None => None,
            },
            arguments: of.and_then(|of| of.segments.last()),
        })
    }

    /// Opens the scope of an implementation's generic parameters or, for a default, those of its
    /// trait. `generics` are those of the implementation.
    pub(super) fn owner_generics(
        &mut self,
        owner: Owner,
        generics: &Generics,
        ty: &Ty,
    ) -> Eval<Generics> {
        let items = self.items;
        let Some(id) = owner.default_of else {
            return Ok(generics.clone());
        };
        // A default is written in its trait, in which the names of the implementation's parameters
        // mean something else.
        let info = &items.impls[owner.implementation];
        let written = info.ast.of.as_ref().and_then(|path| path.segments.last());
        let written = written.map_or(&[][..], |written| &written.generics);
        let (known, this) = (generics.clone(), Some(ty.clone()));
        let span = info.ast.self_type.span;
        self.within(span, info.module, known, this, Some(owner), |this| {
            this.open(&items.traits[id].1.generics, written)
        })
    }
}
