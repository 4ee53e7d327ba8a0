//! Types and paths.

use syn::punctuated::Punctuated;

use super::{ImplTrait, Inside, Parser};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

/// Generic arguments, and the associated types that are given by name.
type Arguments = (Vec<GenericArg>, Vec<(Symbol, Type)>);

impl Parser {
    /// Parses the type of a field or of an alias, which has no mutable references.
    pub(super) fn kept_type(&self, ty: &syn::Type) -> Result<Type> {
        let inside = Inside {
            field: true,
            ..self.inside.get()
        };
        self.inside(inside, || self.ty(ty))
    }

    pub(super) fn ty(&self, ty: &syn::Type) -> Result<Type> {
        let span = self.span_of(ty);
        let kind = match ty {
            syn::Type::Path(syn::TypePath { qself, path }) => {
                TypeKind::Path(self.path(qself.as_ref(), path)?)
            }
            syn::Type::Reference(syn::TypeReference {
                and_token: _,
                lifetime: _, // rustc has checked lifetimes
                mutability,
                elem,
            }) => {
                let mutable = mutability.is_some();
                if mutable && self.inside.get().field {
                    let message = "fields cannot have mutable references as types";
                    let help =
                        "keep the index of the element, or pass `&mut place` where it is used";
                    return fail_help(span, message, help);
                }
                let inner = self.ty(elem)?;
                return Ok(Type {
                    reference: !mutable,
                    mutable,
                    ..inner
                });
            }
            syn::Type::Paren(syn::TypeParen { elem, .. }) => return self.ty(elem),
            syn::Type::Group(syn::TypeGroup { elem, .. }) => return self.ty(elem),
            syn::Type::Array(syn::TypeArray { elem, len, .. }) => {
                TypeKind::Array(Box::new(self.ty(elem)?), Box::new(self.constant_expr(len)?))
            }
            syn::Type::Slice(syn::TypeSlice { elem, .. }) => {
                TypeKind::Slice(Box::new(self.ty(elem)?))
            }
            syn::Type::Tuple(syn::TypeTuple { elems, .. }) => {
                let types: Result<Vec<_>> = elems.iter().map(|ty| self.ty(ty)).collect();
                TypeKind::Tuple(types?)
            }
            syn::Type::BareFn(syn::TypeBareFn {
                lifetimes: _, // rustc has checked lifetimes
                unsafety: None,
                abi: None,
                fn_token: _,
                paren_token: _,
                inputs,
                variadic: None,
                output,
            }) => {
                let inputs = inputs.iter().map(|input| &input.ty);
                self.function_type(inputs, output)?
            }
            syn::Type::Infer(_) => TypeKind::Unknown,
            syn::Type::TraitObject(_) => {
                let help = "take a generic parameter bounded by the trait";
                return fail_help(span, "dynamic dispatch is not in the subset", help);
            }
            syn::Type::ImplTrait(ty) => self.impl_trait(&ty.bounds, span)?,
            _ => return fail(span, "this type is not in the subset"),
        };
        Ok(Type::new(kind, span))
    }

    fn function_params<'a>(
        &self,
        inputs: impl Iterator<Item = &'a syn::Type>,
    ) -> Result<Vec<Type>> {
        let types = inputs.map(|ty| self.ty_of_param(ty).map(|(_, ty)| ty));
        types.collect()
    }

    /// Parses `fn(A) -> B`, or `Fn(A) -> B` as a type.
    fn function_type<'a>(
        &self,
        inputs: impl Iterator<Item = &'a syn::Type>,
        output: &syn::ReturnType,
    ) -> Result<TypeKind> {
        let params = self.function_params(inputs)?;
        Ok(TypeKind::Function(
            params,
            self.output(output)?.map(Box::new),
        ))
    }

    /// Parses `impl Trait`. As a parameter's type it is a generic parameter. As a result it must be
    /// a closure, since rustc hides methods of another type.
    fn impl_trait<T>(
        &self,
        bounds: &Punctuated<syn::TypeParamBound, T>,
        span: Span,
    ) -> Result<TypeKind> {
        match self.inside.get().impl_trait {
            ImplTrait::Parameter => {
                let bounds = self.bounds(bounds)?;
                let mut implied = self.implied.borrow_mut();
                let name = Symbol::new(&format!("impl {}", implied.len()));
                implied.push(GenericParam {
                    name,
                    constant: false,
                    integer: None,
                    bounds,
                    default: None,
                });
                Ok(TypeKind::Path(Path::of_name(name, span)))
            }
            ImplTrait::Output => {
                // Only the standard library's traits can be written like this.
                let function = bounds.iter().find_map(|bound| {
                    let syn::TypeParamBound::Trait(bound) = bound else {
                        return None;
                    };
                    let last = bound.path.segments.last()?;
                    match &last.arguments {
                        syn::PathArguments::Parenthesized(function) => Some((last, function)),
                        _ => None,
                    }
                });
                let Some((of, function)) = function else {
                    let message = "`impl Trait` as a result is only for closures and iterators";
                    return fail_help(span, message, "write the type");
                };
                let is_trait = |bound: &&_| matches!(bound, syn::TypeParamBound::Trait(_));
                if of.ident != "Fn"
                    && of.ident != "FnMut"
                    && bounds.iter().filter(is_trait).count() > 1
                {
                    // If it is `Copy`, each call is that of a copy.
                    let message = "`impl FnOnce` as a result has no further bounds in the subset";
                    return fail_help(
                        span,
                        message,
                        "write `impl FnMut`, with `+ Copy` or `+ Clone`",
                    );
                }
                self.function_type(function.inputs.iter(), &function.output)
            }
            ImplTrait::Nothing => {
                let message = "`impl Trait` is only for parameters and results of functions";
                fail_help(
                    span,
                    message,
                    "write a generic parameter, or the type itself",
                )
            }
        }
    }

    pub(super) fn path(&self, qself: Option<&syn::QSelf>, path: &syn::Path) -> Result<Path> {
        let span = self.span_of_path(path);
        let syn::Path {
            leading_colon,
            segments: all,
        } = path;
        if leading_colon.is_some() && qself.is_none() {
            return fail(span, "paths that begin with `::` are not in the subset");
        }
        let mut segments = Vec::new();
        for syn::PathSegment { ident, arguments } in all {
            let (generics, bindings) = match arguments {
                syn::PathArguments::None => (Vec::new(), Vec::new()),
                syn::PathArguments::AngleBracketed(arguments) => {
                    self.generic_arguments(arguments)?
                }
                syn::PathArguments::Parenthesized(function) => {
                    let params = self.function_params(function.inputs.iter())?;
                    let params = Type::new(TypeKind::Tuple(params), span);
                    let output = self.output(&function.output)?;
                    let unit = || Type::new(TypeKind::Tuple(Vec::new()), span);
                    let types = [params, output.unwrap_or_else(unit)];
                    (Vec::from(types.map(GenericArg::Type)), Vec::new())
                }
            };
            segments.push(Segment {
                name: self.symbol(ident)?,
                generics,
                bindings,
            });
        }
        let qualified = match qself {
            None => None,
            Some(qself) => {
                let rest = segments.split_off(qself.position);
                let of = (!segments.is_empty()).then_some(Path {
                    qualified: None,
                    segments,
                    span,
                });
                segments = rest;
                Some(Box::new((self.ty(&qself.ty)?, of)))
            }
        };
        let path = Path {
            qualified,
            segments,
            span,
        };
        if let Some(name) = path.ident() {
            self.used(name);
        }
        Ok(path)
    }

    /// Remembers a name for the closure around it.
    pub(super) fn used(&self, name: Symbol) {
        self.names.borrow_mut().push(name);
    }

    pub(super) fn generic_arguments(
        &self,
        arguments: &syn::AngleBracketedGenericArguments,
    ) -> Result<Arguments> {
        let (mut generics, mut bindings) = (Vec::new(), Vec::new());
        for argument in &arguments.args {
            match argument {
                syn::GenericArgument::Lifetime(_) => {}
                syn::GenericArgument::Type(ty) => generics.push(GenericArg::Type(self.ty(ty)?)),
                syn::GenericArgument::Const(value) => {
                    let value = self.constant_expr(value)?;
                    generics.push(GenericArg::Const(match value.kind {
                        // The braces around a single expression.
                        ExprKind::Block(
                            Block {
                                statements,
                                tail: Some(tail),
                                module: None,
                            },
                            None,
                        ) if statements.is_empty() => *tail,
                        kind => Expr { kind, ..value },
                    }));
                }
                syn::GenericArgument::AssocType(syn::AssocType {
                    ident,
                    generics: None,
                    eq_token: _,
                    ty,
                }) => bindings.push((self.symbol(ident)?, self.ty(ty)?)),
                other => {
                    let span = self.span_of(other);
                    return fail(span, "this generic argument is not in the subset");
                }
            }
        }
        Ok((generics, bindings))
    }
}
