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
    ) -> Eval<Vec<Candidate<T>>> {
        let items = self.items;
        let mut found = Vec::new();
        // A `Vec` behind a reference to a slice is a `Vec` here, and a slice to rustc.
        let slice = matches!(ty, Ty::Vec(_)).then_some(Head::Array);
        for head in [head(ty), slice, Some(Head::Any)].into_iter().flatten() {
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

    /// Returns the candidates for a type `this` whose trait has the generic arguments that a path
    /// writes.
    pub(super) fn with_trait_arguments<T>(
        &mut self,
        found: Vec<Candidate<T>>,
        this: &Ty,
        written: Option<&Segment>,
    ) -> Eval<Vec<Candidate<T>>> {
        let Some(written) = written else {
            return Ok(found);
        };
        let items = self.items;
        let mut left = Vec::new();
        for mut candidate in found {
            let info = &items.impls[candidate.item.implementation];
            let own = info.ast.of.as_ref().and_then(|path| path.segments.last());
            let own = own.map_or(&[][..], |own| &own.generics);
            let types: Vec<(bool, Ty)> = match info.of {
                Some(TraitName::User(id)) if !written.generics.is_empty() => {
                    let params = &items.traits[id].1.generics;
                    let types = self.open(params, &written.generics)?.arguments();
                    let constant = params.iter().map(|param| param.constant);
                    constant.zip(types.iter().cloned()).collect()
                }
                Some(TraitName::Builtin(of)) if of != "From" || !written.generics.is_empty() => {
                    self.standard_arguments(this, written)?
                }
                _ => {
                    left.push(candidate);
                    continue;
                }
            };
            let header = Header {
                module: info.module,
                self_type: Some(this),
                lengths: true,
            };
            let is_standard = matches!(info.of, Some(TraitName::Builtin(_)));
            let matches = if own.is_empty() && is_standard {
                // What an implementation does not write is `Self`, too.
                types.iter().all(|(_, ty)| this.matches(ty))
            } else {
                let generics = &mut candidate.generics;
                self.unify_arguments(own, types, &header, generics)? != Match::No
            };
            if matches {
                left.push(candidate);
            }
        }
        Ok(left)
    }

    /// Returns the generic arguments of a trait of the standard library. If none are written, it is
    /// `Self`.
    fn standard_arguments(&mut self, this: &Ty, written: &Segment) -> Eval<Vec<(bool, Ty)>> {
        let mut types = Vec::with_capacity(1);
        for argument in &written.generics {
            if let GenericArg::Type(ty) = argument {
                types.push((false, self.ty(ty)?));
            }
        }
        if types.is_empty() {
            types.push((false, this.clone()));
        }
        Ok(types)
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
