//! Functions, closures, generic parameters and bounds.

use std::collections::HashSet;
use std::rc::Rc;

use syn::punctuated::Punctuated;

use super::{ImplTrait, Inside, Parser};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

impl Parser {
    pub(super) fn function(
        &self,
        attributes: &[syn::Attribute],
        signature: &syn::Signature,
        body: Option<&syn::Block>,
    ) -> Result<Function> {
        let syn::Signature {
            constness: _, // calls in constants are evaluated like any others
            asyncness,
            unsafety,
            abi,
            fn_token: _,
            ident,
            generics,
            paren_token: _,
            inputs,
            variadic,
            output,
        } = signature;
        let span = || self.span_of(signature);
        if asyncness.is_some() || abi.is_some() || variadic.is_some() {
            return fail(span(), "this kind of function is not in the subset");
        }
        if unsafety.is_some() {
            return self.foreign("unsafe", span());
        }
        let name = self.symbol(ident)?;
        let inside = Inside {
            function: Some(name),
            ..self.apart()
        };
        let mut declared = self.generics(generics, false)?;
        let outer = self.implied.take();
        let params = self.inside(with(inside, ImplTrait::Parameter), || self.params(inputs));
        declared.append(&mut self.implied.replace(outer));
        self.few(declared.len(), "generic parameters", self.span_of(ident))?;
        let params = params?;
        let output = self.inside(with(inside, ImplTrait::Output), || self.output(output))?;
        let inside = Inside {
            returns: true,
            ..inside
        };
        Ok(Function {
            name,
            generics: declared,
            predicates: self.predicates(generics.where_clause.as_ref())?,
            params,
            output,
            body: body
                .map(|body| self.inside(inside, || self.block(body)))
                .transpose()?,
            never_inline: self.never_inline(attributes),
            span: self.span_of(ident),
        })
    }

    pub(super) fn closure(&self, closure: &syn::ExprClosure, span: Span) -> Result<ExprKind> {
        let syn::ExprClosure {
            attrs: _,
            lifetimes,
            constness,
            movability,
            asyncness,
            capture,
            or1_token: _,
            inputs,
            or2_token: _,
            output,
            body,
        } = closure;
        if lifetimes.is_some() || constness.is_some() || movability.is_some() || asyncness.is_some()
        {
            return fail(span, "this kind of closure is not in the subset");
        }
        let inside = Inside {
            returns: true,
            ..self.apart()
        };
        let mark = self.names.borrow().len();
        let params = inputs.iter().map(|input| match input {
            syn::Pat::Type(syn::PatType { attrs, pat, ty, .. }) => {
                self.kept(attrs)?;
                self.typed_param(pat, Some(&**ty))
            }
            pattern => self.typed_param(pattern, None),
        });
        let params = params.collect::<Result<Vec<_>>>()?;
        let output = self.output(output)?;
        let body = self.inside(inside, || self.expr(body))?;
        // The closure around this one captures what this one captures.
        let mut names = self.names.borrow_mut();
        let mut seen = HashSet::new();
        for param in &params {
            param.pattern.bound(&mut seen);
        }
        let own: Vec<_> = names
            .drain(mark..)
            .filter(|name| seen.insert(*name))
            .collect();
        names.extend(&own);
        Ok(ExprKind::Closure(Rc::new(Closure {
            params,
            output,
            body,
            moves: capture.is_some(),
            names: own,
            span,
        })))
    }

    fn params<T>(&self, inputs: &Punctuated<syn::FnArg, T>) -> Result<Vec<Param>> {
        let mut params = Vec::new();
        for input in inputs {
            let (syn::FnArg::Receiver(syn::Receiver { attrs, .. })
            | syn::FnArg::Typed(syn::PatType { attrs, .. })) = input;
            if self.present(attrs)? {
                params.push(self.param(input)?);
            }
        }
        Ok(params)
    }

    pub(super) fn output(&self, output: &syn::ReturnType) -> Result<Option<Type>> {
        match output {
            syn::ReturnType::Default => Ok(None),
            syn::ReturnType::Type(_, ty) => match iterator(ty) {
                Some(bounds) if matches!(self.inside.get().impl_trait, ImplTrait::Output) => {
                    self.bounds(bounds)?;
                    Ok(Some(Type::new(TypeKind::Unknown, self.span_of(ty))))
                }
                _ => self.ty(ty).map(Some),
            },
        }
    }

    fn param(&self, input: &syn::FnArg) -> Result<Param> {
        match input {
            syn::FnArg::Receiver(receiver) => {
                let span = self.span_of(receiver);
                let syn::Receiver {
                    attrs: _,
                    reference,
                    mutability,
                    self_token: _,
                    colon_token,
                    ty: _, // if no type is written, it follows from the other fields
                } = receiver;
                if colon_token.is_some() {
                    let message = "an explicit type of `self` is not in the subset";
                    return fail_help(span, message, "write `self`, `&self` or `&mut self`");
                }
                Ok(Param {
                    pattern: Pattern {
                        kind: PatternKind::Bind(Symbol::new("self")),
                        span,
                    },
                    ty: Type {
                        reference: reference.is_some() && mutability.is_none(),
                        ..Type::new(TypeKind::Unknown, span)
                    },
                    mutable_reference: reference.is_some() && mutability.is_some(),
                    dereferenced: false,
                    reassigned: false,
                })
            }
            syn::FnArg::Typed(syn::PatType {
                attrs: _,
                pat,
                colon_token: _,
                ty,
            }) => self.typed_param(pat, Some(&**ty)),
        }
    }

    /// Parses a parameter, which only in closures may have no type.
    pub(super) fn typed_param(&self, pat: &syn::Pat, ty: Option<&syn::Type>) -> Result<Param> {
        let pattern = self.pattern(pat)?;
        let (mutable_reference, ty) = match ty {
            Some(ty) => self.ty_of_param(ty)?,
            None => (false, Type::new(TypeKind::Unknown, pattern.span)),
        };
        if mutable_reference && !matches!(pattern.kind, PatternKind::Bind(_)) {
            let message = "a parameter taken by `&mut` must be a single name";
            return fail_help(pattern.span, message, "name it, and use its fields");
        }
        Ok(Param {
            pattern,
            ty,
            mutable_reference,
            dereferenced: is_reference(pat),
            reassigned: matches!(pat, syn::Pat::Ident(ident) if ident.mutability.is_some()),
        })
    }

    /// Returns whether a parameter is taken by `&mut`, and its type without that.
    pub(super) fn ty_of_param(&self, ty: &syn::Type) -> Result<(bool, Type)> {
        match ty {
            syn::Type::Reference(syn::TypeReference {
                mutability: Some(_),
                elem,
                ..
            }) => Ok((true, self.ty(elem)?)),
            ty => Ok((false, self.ty(ty)?)),
        }
    }

    /// Parses generic parameters, which may have defaults or not.
    pub(super) fn generics(
        &self,
        generics: &syn::Generics,
        defaults: bool,
    ) -> Result<Vec<GenericParam>> {
        let mut params = Vec::new();
        let span = || self.span_of(&generics.params);
        self.few(generics.params.len(), "generic parameters", span())?;
        for param in &generics.params {
            let no_default = |has_default: bool| {
                if has_default && !defaults {
                    let message = "defaults of generic parameters are only of structs and enums";
                    fail(self.span_of(param), message)
                } else {
                    Result::Ok(())
                }
            };
            match param {
                syn::GenericParam::Lifetime(syn::LifetimeParam { attrs, .. }) => {
                    self.kept(attrs)?;
                }
                syn::GenericParam::Type(syn::TypeParam {
                    attrs,
                    ident,
                    colon_token: _,
                    bounds,
                    eq_token: _,
                    default,
                }) => {
                    self.kept(attrs)?;
                    no_default(default.is_some())?;
                    params.push(GenericParam {
                        name: self.symbol(ident)?,
                        constant: false,
                        integer: None,
                        bounds: self.bounds(bounds)?,
                        default: match default {
                            Some(ty) => Some(GenericArg::Type(self.ty(ty)?)),
                            None => None,
                        },
                    });
                }
                syn::GenericParam::Const(syn::ConstParam {
                    attrs,
                    const_token: _,
                    ident,
                    colon_token: _,
                    ty,
                    eq_token: _,
                    default,
                }) => {
                    self.kept(attrs)?;
                    no_default(default.is_some())?;
                    let of = self.ty(ty)?.ident();
                    let integer = of.and_then(|name| IntType::named(&name.text()));
                    if integer.is_none() && of.is_none_or(|name| name != "bool") {
                        let message = "constant parameters are integers, chars or bools";
                        let help = "write the type by its own name: aliases are not looked up here";
                        return fail_help(self.span_of(ty), message, help);
                    }
                    params.push(GenericParam {
                        name: self.symbol(ident)?,
                        constant: true,
                        integer,
                        bounds: Vec::new(),
                        default: match default {
                            Some(value) => Some(GenericArg::Const(self.constant_expr(value)?)),
                            None => None,
                        },
                    });
                }
            }
        }
        Ok(params)
    }

    pub(super) fn predicates(&self, clause: Option<&syn::WhereClause>) -> Result<Vec<Predicate>> {
        let mut predicates = Vec::new();
        let count = clause.map_or(0, |clause| clause.predicates.len());
        self.few(count, "conditions", self.span_of(&clause))?;
        for predicate in clause.iter().flat_map(|clause| &clause.predicates) {
            match predicate {
                syn::WherePredicate::Lifetime(_) => {}
                syn::WherePredicate::Type(syn::PredicateType {
                    lifetimes: _, // rustc has checked lifetimes
                    bounded_ty,
                    colon_token: _,
                    bounds,
                }) => predicates.push(Predicate {
                    ty: self.ty(bounded_ty)?,
                    bounds: self.bounds(bounds)?,
                }),
                other => {
                    return fail(self.span_of(other), "this condition is not in the subset");
                }
            }
        }
        Ok(predicates)
    }

    /// Returns the traits of a bound.
    pub(super) fn bounds<T>(
        &self,
        bounds: &Punctuated<syn::TypeParamBound, T>,
    ) -> Result<Vec<Path>> {
        let mut traits = Vec::new();
        if let Some(first) = bounds.first() {
            self.few(bounds.len(), "bounds", self.span_of(first))?;
        }
        for bound in bounds {
            match bound {
                // `use<..>` names lifetimes and parameters, which rustc has checked.
                syn::TypeParamBound::Lifetime(_) | syn::TypeParamBound::PreciseCapture(_) => {}
                syn::TypeParamBound::Trait(syn::TraitBound {
                    paren_token: _,
                    modifier: syn::TraitBoundModifier::None,
                    lifetimes: _, // rustc has checked lifetimes
                    path,
                }) => {
                    if !path.is_ident("Sized") {
                        traits.push(self.path(None, path)?);
                    }
                }
                other => return fail(self.span_of(other), "this bound is not in the subset"),
            }
        }
        Ok(traits)
    }
}

const fn with(inside: Inside, impl_trait: ImplTrait) -> Inside {
    Inside {
        impl_trait,
        ..inside
    }
}

type Bounds = Punctuated<syn::TypeParamBound, syn::Token![+]>;

/// Returns the bounds of a type that is `impl Iterator`.
fn iterator(ty: &syn::Type) -> Option<&Bounds> {
    let syn::Type::ImplTrait(ty) = ty else {
        return None;
    };
    let is_one = |bound: &_| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last().is_some_and(|last| {
            let names = ["Iterator", "DoubleEndedIterator", "ExactSizeIterator"];
            names.iter().any(|name| last.ident == name)
        }),
        _ => false,
    };
    ty.bounds.iter().any(is_one).then_some(&ty.bounds)
}

/// Returns whether a pattern takes what a reference refers to.
fn is_reference(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Paren(inner) => is_reference(&inner.pat),
        pattern => matches!(pattern, syn::Pat::Reference(_)),
    }
}
