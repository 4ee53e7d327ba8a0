//! Types and paths.

use super::Parser;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

impl Parser {
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
                if mutability.is_some() {
                    let message = "only parameters can have mutable references as types";
                    let help = "return the new value, or pass `&mut place` where it is used";
                    return fail_help(span, message, help);
                }
                let inner = self.ty(elem)?;
                return Ok(Type {
                    reference: true,
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
            syn::Type::Infer(_) => TypeKind::Unknown,
            syn::Type::TraitObject(_) => {
                let help = "take a generic parameter bounded by the trait";
                return fail_help(span, "dynamic dispatch is not in the subset", help);
            }
            syn::Type::ImplTrait(_) => {
                let help = "write a generic parameter, or the type itself";
                return fail_help(span, "`impl Trait` is not in the subset", help);
            }
            _ => return fail(span, "this type is not in the subset"),
        };
        Ok(Type {
            kind,
            span,
            reference: false,
        })
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
            let generics = match arguments {
                syn::PathArguments::None => Vec::new(),
                syn::PathArguments::AngleBracketed(arguments) => {
                    self.generic_arguments(arguments)?
                }
                syn::PathArguments::Parenthesized(_) => {
                    return fail(span, "closures and function types are not in the subset");
                }
            };
            segments.push(Segment {
                name: self.symbol(ident)?,
                generics,
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
        Ok(Path {
            qualified,
            segments,
            span,
        })
    }

    pub(super) fn generic_arguments(
        &self,
        arguments: &syn::AngleBracketedGenericArguments,
    ) -> Result<Vec<GenericArg>> {
        let mut generics = Vec::new();
        for argument in &arguments.args {
            match argument {
                syn::GenericArgument::Lifetime(_) => {}
                syn::GenericArgument::Type(ty) => generics.push(GenericArg::Type(self.ty(ty)?)),
                syn::GenericArgument::Const(value) => {
                    let value = self.constant_expr(value)?;
                    generics.push(GenericArg::Const(match value.kind {
                        // The braces around a single expression.
                        ExprKind::Block(Block {
                            constants,
                            statements,
                            tail: Some(tail),
                        }) if constants.is_empty() && statements.is_empty() => *tail,
                        kind => Expr { kind, ..value },
                    }));
                }
                other => {
                    let span = self.span_of(other);
                    return fail(span, "this generic argument is not in the subset");
                }
            }
        }
        Ok(generics)
    }
}
