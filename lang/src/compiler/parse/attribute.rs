//! Attributes. Conditions are decided as in rustc's normal build, attributes that do not change a
//! program's meaning are ignored, and all others are refused.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use super::Parser;
use super::syntax_error;
use crate::compiler::ast::{IntType, Symbol};
use crate::compiler::error::{Result, fail, fail_help};

/// Traits that may be derived.
#[rustfmt::skip]
const DERIVES: &[&str] = &[
    "Clone", "Copy", "Debug", "Default", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash",
];

/// What `repr` may say: values have no layout here.
#[rustfmt::skip]
const LAYOUTS: &[&str] = &[
    "C", "transparent", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
];

/// Returns the attributes of a node of one of these variants, and none for all others.
macro_rules! attributes {
    ($node:expr, $enum:ident: $($variant:ident)*) => {
        match $node {
            $(syn::$enum::$variant(node) => node.attrs.as_slice(),)*
            _ => &[],
        }
    };
}
pub(super) use attributes;

impl Parser {
    /// Returns whether the thing with these attributes is part of the program.
    pub(super) fn present(&self, attributes: &[Attribute]) -> Result<bool> {
        let mut present = true;
        for attribute in attributes {
            if attribute.path().is_ident("cfg") {
                present &= self.is_configured(attribute)?;
            } else if attribute.path().is_ident("test") {
                present = false;
            }
        }
        if present {
            for attribute in attributes {
                self.check_attribute(attribute)?;
            }
        }
        Ok(present)
    }

    /// Checks attributes of something that cannot be left out of a program.
    pub(super) fn kept(&self, attributes: &[Attribute]) -> Result<()> {
        if self.present(attributes)? {
            return Ok(());
        }
        let first = attributes.first();
        fail_help(
            first.map_or_else(Default::default, |first| self.span_of(first)),
            "`cfg` cannot leave anything out here",
            "put the attribute on a statement or an item",
        )
    }

    fn is_configured(&self, attribute: &Attribute) -> Result<bool> {
        match attribute.parse_args::<Meta>() {
            Ok(predicate) => self.predicate(&predicate),
            Err(_) => fail(self.span_of(attribute), "this `cfg` is not in the subset"),
        }
    }

    fn predicate(&self, predicate: &Meta) -> Result<bool> {
        let span = self.span_of(predicate);
        let inner = |list: &syn::MetaList| {
            list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .map_err(|error| syntax_error(span, &error))?
                .iter()
                .map(|predicate| self.predicate(predicate))
                .collect::<Result<Vec<bool>>>()
        };
        match predicate {
            Meta::Path(path) if path.is_ident("test") => Ok(false),
            Meta::List(list) if list.path.is_ident("all") => {
                Ok(inner(list)?.into_iter().all(|holds| holds))
            }
            Meta::List(list) if list.path.is_ident("any") => {
                Ok(inner(list)?.into_iter().any(|holds| holds))
            }
            Meta::List(list) if list.path.is_ident("not") => match inner(list)?[..] {
                [holds] => Ok(!holds),
                _ => fail(span, "`not` takes one predicate"),
            },
            other => {
                let name = path_text(other.path());
                fail_help(
                    span,
                    format!("whether `{name}` holds depends on the build"),
                    "only `test`, which is false, and `not`, `all` and `any` of it are known here",
                )
            }
        }
    }

    /// Refuses attributes that may change the meaning of a program.
    fn check_attribute(&self, attribute: &Attribute) -> Result<()> {
        let span = || self.span_of(attribute);
        match path_text(attribute.path()).as_str() {
            // rustc takes `default` on variants of enums only.
            "cfg" | "default" | "deny" | "deprecated" | "doc" | "forbid" | "must_use"
            | "rustfmt::skip" => Ok(()),
            "allow" | "expect" | "warn" => match &attribute.meta {
                Meta::List(list) if list.tokens.to_string().contains("overflowing_literals") => {
                    fail(span(), "literals that overflow are not in the subset")
                }
                _ => Ok(()),
            },
            "inline" => match &attribute.meta {
                Meta::Path(_) => Ok(()),
                _ => match self.inline_argument(attribute).as_deref() {
                    Some("never" | "always") => Ok(()),
                    _ => fail(span(), "`inline` is `always` or `never`"),
                },
            },
            "derive" => {
                let parse = Punctuated::<syn::Path, Token![,]>::parse_terminated;
                let paths = attribute.parse_args_with(parse);
                for path in &paths.map_err(|error| syntax_error(span(), &error))? {
                    let text = path_text(path);
                    if !DERIVES.contains(&text.as_str()) {
                        let message = format!("`derive({text})` is not in the subset");
                        let help = "write the implementation, or a function";
                        return fail_help(self.span_of(path), message, help);
                    }
                }
                Ok(())
            }
            "repr" => {
                let parse = Punctuated::<syn::Path, Token![,]>::parse_terminated;
                let known = attribute.parse_args_with(parse).is_ok_and(|layouts| {
                    let mut layouts = layouts.iter().map(path_text);
                    layouts.all(|layout| LAYOUTS.contains(&layout.as_str()))
                });
                if known {
                    return Ok(());
                }
                fail_help(
                    span(),
                    "this `repr` is not in the subset",
                    "remove it: values have no layout here",
                )
            }
            other => fail_help(
                span(),
                format!("the attribute `{other}` is not in the subset"),
                "remove it: the compiler must know what an attribute does to a program",
            ),
        }
    }

    /// Returns the traits that are derived.
    pub(super) fn derives(&self, attributes: &[Attribute]) -> Vec<Symbol> {
        let parse = Punctuated::<syn::Path, Token![,]>::parse_terminated;
        let derives = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("derive"));
        let paths = derives.filter_map(|attribute| attribute.parse_args_with(parse).ok());
        let names = paths.flatten().map(|path| Symbol::new(&path_text(&path)));
        names.collect()
    }

    /// Returns the type that a `repr` gives the discriminants of an enum.
    pub(super) fn repr(&self, attributes: &[Attribute]) -> Result<Option<IntType>> {
        let parse = Punctuated::<syn::Path, Token![,]>::parse_terminated;
        let mut found = None;
        for attribute in attributes.iter().filter(|one| one.path().is_ident("repr")) {
            let layouts = attribute.parse_args_with(parse).into_iter().flatten();
            for ty in layouts.filter_map(|layout| IntType::named(&path_text(&layout))) {
                if found.replace(ty).is_some() {
                    let message = "the discriminants of an enum are of one type";
                    return fail(self.span_of(attribute), message);
                }
            }
        }
        Ok(found)
    }

    fn inline_argument(&self, attribute: &Attribute) -> Option<String> {
        let argument = attribute.parse_args::<syn::Ident>().ok()?;
        Some(argument.to_string())
    }

    /// Returns whether a function is compiled once and called.
    pub(super) fn never_inline(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            attribute.path().is_ident("inline")
                && self.inline_argument(attribute).as_deref() == Some("never")
        })
    }
}

pub(super) fn path_text(path: &syn::Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    names.join("::")
}
