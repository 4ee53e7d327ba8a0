//! Patterns.

use syn::punctuated::Punctuated;

use super::Parser;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

impl Parser {
    pub(super) fn pattern(&self, pattern: &syn::Pat) -> Result<Pattern> {
        let span = self.span_of(pattern);
        let kind = match pattern {
            syn::Pat::Wild(syn::PatWild { attrs, .. }) => {
                self.kept(attrs)?;
                PatternKind::Wild
            }
            syn::Pat::Ident(syn::PatIdent {
                attrs,
                by_ref,
                mutability: _, // rustc has checked assignments
                ident,
                subpat,
            }) => {
                self.kept(attrs)?;
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
            syn::Pat::Paren(syn::PatParen { attrs, pat, .. }) => {
                self.kept(attrs)?;
                return self.pattern(pat);
            }
            syn::Pat::Reference(syn::PatReference {
                attrs,
                mutability,
                pat,
                ..
            }) => {
                self.kept(attrs)?;
                if mutability.is_some() {
                    return fail(span, "patterns of mutable references are not in the subset");
                }
                return self.pattern(pat);
            }
            syn::Pat::Tuple(syn::PatTuple { attrs, elems, .. }) => {
                self.kept(attrs)?;
                PatternKind::Tuple(self.elements(elems)?)
            }
            syn::Pat::TupleStruct(syn::PatTupleStruct {
                attrs,
                qself,
                path,
                elems,
                ..
            }) => {
                self.kept(attrs)?;
                PatternKind::TupleStruct(self.path(qself.as_ref(), path)?, self.elements(elems)?)
            }
            syn::Pat::Slice(syn::PatSlice { attrs, elems, .. }) => {
                self.kept(attrs)?;
                PatternKind::Array(self.elements(elems)?)
            }
            syn::Pat::Struct(structure) => self.struct_pattern(structure)?,
            syn::Pat::Path(syn::PatPath { attrs, qself, path }) => {
                self.kept(attrs)?;
                PatternKind::Constant(self.path(qself.as_ref(), path)?)
            }
            syn::Pat::Lit(literal) => match self.expr(&syn::Expr::Lit(literal.clone()))?.kind {
                ExprKind::Int(value, ty) => PatternKind::Int(value, value, ty),
                ExprKind::Bool(value) => PatternKind::Bool(value),
                _ => return fail(span, "this pattern is not in the subset"),
            },
            syn::Pat::Range(range) => self.range_pattern(range)?,
            syn::Pat::Or(syn::PatOr { attrs, cases, .. }) => {
                self.kept(attrs)?;
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
            attrs,
            qself,
            path,
            brace_token: _,
            fields,
            rest,
        } = structure;
        self.kept(attrs)?;
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
            attrs,
            start,
            limits,
            end,
        } = range;
        self.kept(attrs)?;
        let bound = |end: &Option<Box<syn::Expr>>| match end {
            None => Ok(None),
            Some(end) => match self.expr(end)?.kind {
                ExprKind::Int(value, ty) => Ok(Some((value, ty))),
                _ => fail(span, "bounds of a range pattern must be integer literals"),
            },
        };
        let (start, end) = (bound(start)?, bound(end)?);
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
