//! Evaluation of type expressions.

use std::rc::Rc;

use super::dispatch::{Owner, Prefix};
use super::generics::Generics;
use super::*;
use crate::compiler::resolve::Head;

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
        // All integers have one head, since the type of a literal is not always known.
        Ty::Int(_) => "usize",
        Ty::Vec(_) => "Vec",
        Ty::Unchecked(_) => "Unchecked",
        Ty::Words(_) => "Words",
        Ty::Index(_) => "Index",
        Ty::Phantom => "PhantomData",
        Ty::Const(_) | Ty::ConstBool(_) | Ty::Unknown => return None,
    };
    Some(Head::Intrinsic(Symbol::new(name)))
}

impl Evaluator<'_> {
    /// Runs `body` in the scope of another item, which `span` asks for.
    pub(super) fn within<T>(
        &mut self,
        span: Span,
        module: ModuleId,
        generics: Generics,
        self_type: Option<Ty>,
        owner: Option<Owner>,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        self.check_items(span)?;
        let site = self.activations.last().map_or(0, |here| here.site);
        self.activations.push(Activation {
            generics,
            self_type,
            owner,
            site,
            ..Activation::new(module)
        });
        let result = body(self)?;
        self.activations.pop();
        Ok(result)
    }

    pub(super) fn ty(&mut self, ty: &Type) -> Eval<Ty> {
        let span = ty.span;
        let ty = match &ty.kind {
            TypeKind::Unknown => Ty::Unknown,
            TypeKind::Slice(element) => Ty::Array(Rc::new(self.ty(element)?), None),
            TypeKind::Array(element, length) => {
                let element = self.ty(element)?;
                let length = match &length.kind {
                    ExprKind::Path(path) if self.is_unknown_constant(path) => None,
                    _ => Some(self.int(length)?),
                };
                Ty::Array(Rc::new(element), length)
            }
            TypeKind::Tuple(types) => {
                let types: Eval<Vec<_>> = types.iter().map(|ty| self.ty(ty)).collect();
                Ty::Tuple(types?.into())
            }
            TypeKind::Path(path) => self.path_type(path)?,
        };
        self.bounded_type(ty, span)
    }

    /// Returns the type that a path names. All of its segments belong to the type.
    pub(super) fn path_type(&mut self, path: &Path) -> Eval<Ty> {
        self.path_prefix_type(path, path.segments.len())
    }

    /// Returns the type that the first `length` segments of a path name.
    pub(super) fn path_prefix_type(&mut self, path: &Path, length: usize) -> Eval<Ty> {
        let (mut ty, mut used) = match &path.qualified {
            Some(qualified) => (self.ty(&qualified.0)?, 0),
            None => self.first_type(path, length)?,
        };
        while used < length {
            let name = path.segments[used].name;
            let prefix = self.prefix(path, used)?;
            ty = self.associated_type(&ty, &prefix, name, path.span)?;
            used += 1;
        }
        Ok(ty)
    }

    fn first_type(&mut self, path: &Path, length: usize) -> Eval<(Ty, usize)> {
        let first = &path.segments[0];
        if &*first.name.text() == "Self" {
            let here = self.here();
            return match here.self_type.clone() {
                Some(ty) => Ok((ty, 1)),
                None => fail(path.span, "`Self` has no meaning here"),
            };
        }
        if let Some(ty) = self.type_parameter(first.name) {
            return Ok((ty.clone(), 1));
        }
        let prefix = Path {
            qualified: None,
            segments: path.segments[..length].to_vec(),
            span: path.span,
        };
        let module = self.module();
        let Some((definition, used)) = self.items.path(module, &prefix, Namespace::Type)? else {
            let name = first.name;
            return missing(&format!("type `{name}`"), name, path.span);
        };
        let arguments = &path.segments[used - 1].generics;
        let ty = match definition {
            Definition::Struct(id) => {
                let params = self.items.structs[id].ast.clone();
                Ty::Struct(id, self.open(&params.generics, arguments)?.arguments())
            }
            Definition::Alias(defined_in, alias) => {
                let generics = self.open(&alias.generics, arguments)?;
                self.within(path.span, defined_in, generics, None, None, |this| {
                    this.ty(&alias.ty)
                })?
            }
            Definition::Intrinsic(name) => self.intrinsic_type(name, arguments, path.span)?,
            _ => {
                let name = path.segments[used - 1].name;
                return fail(path.span, format!("`{name}` is not a type"));
            }
        };
        Ok((ty, used))
    }

    fn intrinsic_type(&mut self, name: Symbol, arguments: &[GenericArg], span: Span) -> Eval<Ty> {
        Ok(match &*name.text() {
            "Felt" => Ty::Felt,
            "Ext" => Ty::Ext,
            "Block" => Ty::Block,
            "Slice" => Ty::Slice,
            "bool" => Ty::Bool,
            "usize" | "u8" | "u16" | "u32" | "u64" => Ty::Int(IntType::named(&name.text())),
            "PhantomData" => Ty::Phantom,
            "Vec" => match arguments {
                [] => Ty::Vec(Rc::new(Ty::Unknown)),
                [GenericArg::Type(element)] => Ty::Vec(Rc::new(self.ty(element)?)),
                _ => return fail(span, "a `Vec` has one generic argument, a type"),
            },
            "Unchecked" => match arguments.first() {
                Some(GenericArg::Type(ty)) => Ty::Unchecked(Rc::new(self.ty(ty)?)),
                _ => Ty::Unchecked(Rc::new(Ty::Unknown)),
            },
            "Words" | "Index" => {
                let length = match arguments.first() {
                    Some(argument) => self.generic_constant(argument)?,
                    None => Ty::Unknown,
                };
                match (length, &*name.text()) {
                    (Ty::Const(n), "Words") => Ty::Words(n),
                    (Ty::Const(n), _) => Ty::Index(n),
                    _ => Ty::Unknown,
                }
            }
            other => return fail(span, format!("`{other}` is not a type")),
        })
    }

    fn associated_type(
        &mut self,
        ty: &Ty,
        prefix: &Prefix<'_>,
        name: Symbol,
        span: Span,
    ) -> Eval<Ty> {
        let items = self.items;
        match self.type_candidate(prefix, ty, name, span)? {
            Some(candidate) => {
                let info = &items.impls[candidate.item.implementation];
                let definition = &info.ast.types[candidate.item.item].1;
                let (owner, this) = (Some(candidate.owner()), Some(ty.clone()));
                let generics = candidate.generics;
                self.within(span, info.module, generics, this, owner, |this| {
                    this.ty(definition)
                })
            }
            None => fail(span, format!("this type has no associated type `{name}`")),
        }
    }
}
