//! Functions, generic parameters and bounds.

use super::{Inside, Parser};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

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
            return fail(span(), "`unsafe` is not in the subset");
        }
        let mut params = Vec::new();
        for input in inputs {
            let (syn::FnArg::Receiver(syn::Receiver { attrs, .. })
            | syn::FnArg::Typed(syn::PatType { attrs, .. })) = input;
            if self.present(attrs)? {
                params.push(self.param(input)?);
            }
        }
        let output = match output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(self.ty(ty)?),
        };
        let inside = Inside {
            function: true,
            a_loop: false,
        };
        Ok(Function {
            name: self.symbol(ident)?,
            generics: self.generics(generics)?,
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
                        kind: TypeKind::Unknown,
                        span,
                        reference: reference.is_some() && mutability.is_none(),
                    },
                    mutable_reference: reference.is_some() && mutability.is_some(),
                    dereferenced: false,
                })
            }
            syn::FnArg::Typed(syn::PatType {
                attrs: _,
                pat,
                colon_token: _,
                ty,
            }) => {
                let pattern = self.pattern(pat)?;
                let (mutable_reference, ty) = match &**ty {
                    syn::Type::Reference(syn::TypeReference {
                        mutability: Some(_),
                        elem,
                        ..
                    }) => (true, self.ty(elem)?),
                    ty => (false, self.ty(ty)?),
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
                })
            }
        }
    }

    pub(super) fn generics(&self, generics: &syn::Generics) -> Result<Vec<GenericParam>> {
        let mut params = Vec::new();
        let span = || self.span_of(&generics.params);
        self.few(generics.params.len(), "generic parameters", span())?;
        for param in &generics.params {
            let no_default = |has_default: bool| {
                if has_default {
                    let message = "defaults of generic parameters are not in the subset";
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
                        bounds: self.bounds(bounds)?,
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
                    let name = self.ty(ty)?.ident();
                    if !name.is_some_and(|name| matches!(&*name.text(), "usize" | "bool")) {
                        let message = "constant parameters must be of type `usize` or `bool`";
                        return fail(self.span_of(ty), message);
                    }
                    params.push(GenericParam {
                        name: self.symbol(ident)?,
                        constant: true,
                        bounds: Vec::new(),
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
                    lifetimes: None,
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
        bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, T>,
    ) -> Result<Vec<Path>> {
        let mut traits = Vec::new();
        if let Some(first) = bounds.first() {
            self.few(bounds.len(), "bounds", self.span_of(first))?;
        }
        for bound in bounds {
            match bound {
                syn::TypeParamBound::Lifetime(_) => {}
                syn::TypeParamBound::Trait(syn::TraitBound {
                    paren_token: _,
                    modifier: syn::TraitBoundModifier::None,
                    lifetimes: None,
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

/// Returns whether a pattern takes what a reference refers to.
fn is_reference(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Paren(inner) => is_reference(&inner.pat),
        pattern => matches!(pattern, syn::Pat::Reference(_)),
    }
}
