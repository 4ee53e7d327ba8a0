//! Structs and enums.

use super::Parser;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

impl Parser {
    pub(super) fn structure(&self, item: &syn::ItemStruct) -> Result<Struct> {
        let syn::ItemStruct {
            attrs,
            vis: _,
            struct_token: _,
            ident,
            generics,
            fields: all,
            semi_token: _,
        } = item;
        self.predicates(generics.where_clause.as_ref())?;
        Ok(Struct {
            name: self.symbol(ident)?,
            is_enum: false,
            generics: self.generics(generics, true)?,
            variants: vec![self.variant(ident, all)?],
            repr: None,
            derives: self.derives(attrs),
        })
    }

    /// Parses an enum.
    pub(super) fn choice(&self, item: &syn::ItemEnum) -> Result<Struct> {
        let syn::ItemEnum {
            attrs,
            vis: _,
            enum_token: _,
            ident,
            generics,
            brace_token: _,
            variants: all,
        } = item;
        let mut variants: Vec<Variant> = Vec::with_capacity(all.len());
        let repr = self.repr(attrs)?;
        self.few(all.len(), "variants", self.span_of(ident))?;
        for variant in all {
            let syn::Variant {
                attrs: of_variant,
                ident,
                fields,
                discriminant,
            } = variant;
            if !self.present(of_variant)? {
                continue;
            }
            let mut parsed = self.variant(ident, fields)?;
            parsed.default = of_variant.iter().any(|of| of.path().is_ident("default"));
            if let Some((_, value)) = discriminant {
                parsed.discriminant = Some(self.constant_expr(value)?);
            }
            variants.push(parsed);
        }
        let span = self.span_of(ident);
        self.once(variants.iter().map(|variant| (variant.name, span)))?;
        let has_number = variants.iter().any(|one| one.discriminant.is_some());
        if repr.is_none() && has_number && variants.iter().any(|one| !one.unit) {
            let message = "discriminants of an enum with fields need a `repr` of an integer type";
            return fail_help(span, message, "write `#[repr(u8)]` before the enum");
        }
        self.predicates(generics.where_clause.as_ref())?;
        Ok(Struct {
            name: self.symbol(ident)?,
            is_enum: true,
            generics: self.generics(generics, true)?,
            variants,
            repr,
            derives: self.derives(attrs),
        })
    }

    /// Parses the fields of a struct or of an enum's variant.
    fn variant(&self, name: &syn::Ident, all: &syn::Fields) -> Result<Variant> {
        let (mut fields, mut visibilities) = (Vec::new(), Vec::new());
        for field in all {
            let syn::Field {
                attrs: of_field,
                vis,
                mutability: _, // reserved by syn for syntax that Rust does not have yet
                ident,
                colon_token: _,
                ty,
            } = field;
            if !self.present(of_field)? {
                continue;
            }
            let name = match ident {
                Some(ident) => self.symbol(ident)?,
                None => Symbol::new(&fields.len().to_string()),
            };
            self.few(fields.len() + 1, "fields", self.span_of(field))?;
            if fields.iter().any(|(other, _)| *other == name) {
                let message = format!("the field `{name}` is declared a second time");
                return fail(self.span_of(field), message);
            }
            fields.push((name, self.kept_type(ty)?));
            visibilities.push(self.visibility(vis)?);
        }
        Ok(Variant {
            name: self.symbol(name)?,
            unit: matches!(all, syn::Fields::Unit),
            named: matches!(all, syn::Fields::Named(_)),
            fields,
            visibilities,
            discriminant: None,
            default: false,
        })
    }
}
