//! Patterns.

use syn::punctuated::Punctuated;

use super::Parser;
use super::attribute::attributes;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

impl Parser {
    pub(super) fn pattern(&self, pattern: &syn::Pat) -> Result<Pattern> {
        self.kept(of_pattern(pattern))?;
        let span = self.span_of(pattern);
        let kind = match pattern {
            syn::Pat::Wild(_) => PatternKind::Wild,
            syn::Pat::Ident(syn::PatIdent {
                attrs: _,
                by_ref,
                mutability: _, // rustc has checked assignments
                ident,
                subpat,
            }) => {
                if by_ref.is_some() {
                    let help = "bind a copy, and assign to the place itself";
                    return fail_help(span, "`ref` is not in the subset", help);
                }
                if subpat.is_some() {
                    return fail(span, "`name @ pattern` is not in the subset");
                }
                PatternKind::Bind(self.symbol(ident)?)
            }
            syn::Pat::Type(typed) => {
                return fail(self.span_of(&typed.ty), "a type does not belong here");
            }
            syn::Pat::Paren(inner) => return self.pattern(&inner.pat),
            syn::Pat::Reference(syn::PatReference {
                mutability, pat, ..
            }) => {
                if mutability.is_some() {
                    return fail(span, "patterns of mutable references are not in the subset");
                }
                return self.pattern(pat);
            }
            syn::Pat::Tuple(tuple) => PatternKind::Tuple(self.elements(&tuple.elems)?),
            syn::Pat::TupleStruct(syn::PatTupleStruct {
                qself, path, elems, ..
            }) => PatternKind::TupleStruct(self.path(qself.as_ref(), path)?, self.elements(elems)?),
            syn::Pat::Slice(slice) => PatternKind::Array(self.elements(&slice.elems)?),
            syn::Pat::Struct(structure) => self.struct_pattern(structure)?,
            syn::Pat::Path(syn::PatPath { qself, path, .. }) => {
                PatternKind::Constant(self.path(qself.as_ref(), path)?)
            }
            syn::Pat::Lit(literal) => match self.expr(&syn::Expr::Lit(literal.clone()))?.kind {
                ExprKind::Int(value, ty) => PatternKind::Int(value, value, ty),
                ExprKind::Bool(value) => PatternKind::Bool(value),
                _ => return fail(span, "this pattern is not in the subset"),
            },
            syn::Pat::Range(range) => self.range_pattern(range)?,
            syn::Pat::Or(syn::PatOr { cases, .. }) => {
                let cases: Result<Vec<_>> = cases.iter().map(|case| self.pattern(case)).collect();
                PatternKind::Or(cases?)
            }
            syn::Pat::Rest(_) => return fail(span, "`..` does not belong here"),
            _ => return fail(span, "this pattern is not in the subset"),
        };
        Ok(Pattern { kind, span })
    }

    fn elements(&self, list: &Punctuated<syn::Pat, syn::Token![,]>) -> Result<Elements> {
        let (mut patterns, mut rest) = (Vec::new(), None);
        for pattern in list {
            match pattern {
                syn::Pat::Rest(syn::PatRest { attrs, .. }) => {
                    self.kept(attrs)?;
                    if rest.replace(patterns.len()).is_some() {
                        return fail(self.span_of(pattern), "a pattern has at most one `..`");
                    }
                }
                pattern => patterns.push(self.pattern(pattern)?),
            }
        }
        Ok(Elements { patterns, rest })
    }

    fn struct_pattern(&self, structure: &syn::PatStruct) -> Result<PatternKind> {
        let syn::PatStruct {
            attrs: _,
            qself,
            path,
            brace_token: _,
            fields,
            rest,
        } = structure;
        let mut patterns = Vec::new();
        for field in fields {
            let syn::FieldPat {
                attrs,
                member,
                colon_token: _,
                pat,
            } = field;
            if self.present(attrs)? {
                patterns.push((self.member(member)?, self.pattern(pat)?));
            }
        }
        if let Some(rest) = rest {
            self.kept(&rest.attrs)?;
        }
        let path = self.path(qself.as_ref(), path)?;
        Ok(PatternKind::Struct(path, patterns, rest.is_some()))
    }

    fn range_pattern(&self, range: &syn::PatRange) -> Result<PatternKind> {
        let span = self.span_of(range);
        let syn::ExprRange {
            attrs: _,
            start,
            limits,
            end,
        } = range;
        let bound = |end: &syn::Expr| match self.expr(end)?.kind {
            ExprKind::Int(value, ty) => Result::Ok((value, ty)),
            _ => fail(span, "bounds of a range pattern must be integer literals"),
        };
        let start = start.as_deref().map(bound).transpose()?;
        let end = end.as_deref().map(bound).transpose()?;
        let ty = start.and_then(|(_, ty)| ty).or(end.and_then(|(_, ty)| ty));
        let low = start.map_or(0, |(low, _)| low);
        let high = match (end, limits) {
            (None, syn::RangeLimits::HalfOpen(_)) => u64::MAX,
            (None, syn::RangeLimits::Closed(_)) => return fail(span, "this range has no end"),
            (Some((high, _)), syn::RangeLimits::Closed(_)) => high,
            (Some((high, _)), syn::RangeLimits::HalfOpen(_)) => match high.checked_sub(1) {
                Some(high) => high,
                None => return fail(span, "this range is empty"),
            },
        };
        Ok(PatternKind::Int(low, high, ty))
    }
}

fn of_pattern(pattern: &syn::Pat) -> &[syn::Attribute] {
    attributes!(pattern, Pat: Ident Or Paren Path Range Reference Slice Struct Tuple TupleStruct Wild)
}
