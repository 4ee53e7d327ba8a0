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
                    let help = "match `&value`, or assign to the place itself";
                    return fail_help(span, "`ref` is not in the subset", help);
                }
                let name = self.symbol(ident)?;
                match subpat {
                    None => PatternKind::Bind(name),
                    Some((_, inner)) => PatternKind::At(name, Box::new(self.pattern(inner)?)),
                }
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
            syn::Pat::Tuple(tuple) => PatternKind::Tuple(self.elements(&tuple.elems, false)?),
            syn::Pat::TupleStruct(syn::PatTupleStruct {
                qself, path, elems, ..
            }) => PatternKind::TupleStruct(
                self.path(qself.as_ref(), path)?,
                self.elements(elems, false)?,
            ),
            syn::Pat::Slice(slice) => PatternKind::Array(self.elements(&slice.elems, true)?),
            syn::Pat::Struct(structure) => self.struct_pattern(structure)?,
            syn::Pat::Path(syn::PatPath { qself, path, .. }) => {
                PatternKind::Constant(self.path(qself.as_ref(), path)?)
            }
            syn::Pat::Lit(literal) => match self.expr(&syn::Expr::Lit(literal.clone()))?.kind {
                ExprKind::Int(value, ty) => PatternKind::Int(value, value, ty),
                ExprKind::Bool(value) => PatternKind::Bool(value),
                ExprKind::Text(text) => PatternKind::Text(text),
                ExprKind::Bytes(bytes) => {
                    let byte = |byte: &u8| {
                        let value = i128::from(*byte);
                        let kind = PatternKind::Int(value, value, Some(IntType::U8));
                        Pattern { kind, span }
                    };
                    PatternKind::Array(Elements {
                        patterns: bytes.iter().map(byte).collect(),
                        rest: None,
                        bound: None,
                    })
                }
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

    /// Parses a sequence of patterns, in which `..` may have a name if that is `bound`.
    fn elements(
        &self,
        list: &Punctuated<syn::Pat, syn::Token![,]>,
        bound: bool,
    ) -> Result<Elements> {
        let mut elements = Elements {
            patterns: Vec::new(),
            rest: None,
            bound: None,
        };
        for pattern in list {
            let (attrs, name) = match pattern {
                syn::Pat::Rest(syn::PatRest { attrs, .. }) => (attrs, None),
                syn::Pat::Ident(syn::PatIdent {
                    attrs,
                    by_ref: None,
                    mutability: _, // rustc has checked assignments
                    ident,
                    subpat: Some((_, rest)),
                }) if bound && matches!(**rest, syn::Pat::Rest(_)) => {
                    (attrs, Some(self.symbol(ident)?))
                }
                pattern => {
                    elements.patterns.push(self.pattern(pattern)?);
                    continue;
                }
            };
            self.kept(attrs)?;
            if elements.rest.replace(elements.patterns.len()).is_some() {
                return fail(self.span_of(pattern), "a pattern has at most one `..`");
            }
            elements.bound = name;
        }
        Ok(elements)
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
        let closed = matches!(limits, syn::RangeLimits::Closed(_));
        let bound = |end: &syn::Expr| {
            let end = self.expr(end)?;
            match end.kind {
                ExprKind::Int(..) | ExprKind::Path(_) => Result::Ok(Box::new(end)),
                _ => fail(
                    end.span,
                    "the ends of a range pattern must be literals or constants",
                ),
            }
        };
        let start = start.as_deref().map(bound).transpose()?;
        let end = end.as_deref().map(bound).transpose()?;
        if closed && end.is_none() {
            return fail(span, "this range has no end");
        }
        let literal = |end: Option<&Expr>| match end?.kind {
            ExprKind::Int(value, ty) => Some((value, ty)),
            _ => None,
        };
        let (first, last) = (literal(start.as_deref()), literal(end.as_deref()));
        if first.is_some() != start.is_some() || last.is_some() != end.is_some() {
            return Ok(PatternKind::Range(start, end, closed));
        }
        let ty = first.and_then(|(_, ty)| ty).or(last.and_then(|(_, ty)| ty));
        let low = first.map_or(ty.map_or(i128::MIN, IntType::min), |(low, _)| low);
        let high = match last {
            None => ty.map_or(i128::MAX, IntType::max),
            Some((high, _)) if closed => high,
            Some((high, _)) => high.saturating_sub(1),
        };
        if low > high {
            return fail(span, "this range is empty");
        }
        Ok(PatternKind::Int(low, high, ty))
    }
}

fn of_pattern(pattern: &syn::Pat) -> &[syn::Attribute] {
    attributes!(pattern, Pat: Ident Or Paren Path Range Reference Slice Struct Tuple TupleStruct Wild)
}
