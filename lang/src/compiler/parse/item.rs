//! Items.

use std::collections::HashSet;
use std::rc::Rc;

use super::Parser;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

/// Macros of the language. No other macro may have one of these names.
pub(super) const MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "vec",
];

impl Parser {
    pub(super) fn items(&self, items: &[syn::Item]) -> Result<Module> {
        let mut module = Module::default();
        for item in items {
            self.item(item, &mut module)?;
        }
        Ok(module)
    }

    /// Adds an item, whose name must be new in its module.
    fn declare(
        &self,
        module: &mut Module,
        vis: &syn::Visibility,
        ident: &syn::Ident,
        kind: ItemKind,
    ) -> Result<()> {
        let name = self.symbol(ident)?;
        if module.items.iter().any(|item| item.name == name) {
            return fail(
                self.span_of(ident),
                format!("`{name}` is declared a second time"),
            );
        }
        let span = self.span_of(ident);
        module.items.push(Item {
            name,
            visibility: self.visibility(vis)?,
            kind,
            span,
        });
        Ok(())
    }

    fn visibility(&self, vis: &syn::Visibility) -> Result<Visibility> {
        let path = match vis {
            syn::Visibility::Public(_) => return Ok(Visibility::Public),
            syn::Visibility::Inherited => return Ok(Visibility::Above(0)),
            syn::Visibility::Restricted(syn::VisRestricted { path, .. }) => path,
        };
        let names = path.segments.iter().map(|segment| &segment.ident);
        let first = path.segments.first().map(|segment| &segment.ident);
        let levels = path.segments.len() - 1;
        let only_super = names.skip(1).all(|name| name == "super");
        match first {
            Some(first) if first == "crate" => Ok(Visibility::Below(levels)),
            Some(first) if first == "self" && only_super => Ok(Visibility::Above(levels)),
            Some(first) if first == "super" && only_super => Ok(Visibility::Above(levels + 1)),
            _ => fail(self.span_of(vis), "this visibility is not in the subset"),
        }
    }

    fn item(&self, item: &syn::Item, module: &mut Module) -> Result<()> {
        let span = || self.span_of(item);
        match item {
            syn::Item::Use(syn::ItemUse {
                attrs,
                vis,
                use_token: _,
                leading_colon,
                tree,
                semi_token: _,
            }) => {
                if !self.present(attrs)? {
                    return Ok(());
                }
                if leading_colon.is_some() {
                    return fail(span(), "paths that begin with `::` are not in the subset");
                }
                let visibility = self.visibility(vis)?;
                self.imports(tree, visibility, &mut Vec::new(), &mut module.imports)
            }
            syn::Item::Fn(syn::ItemFn {
                attrs,
                vis,
                sig,
                block,
            }) => {
                if !self.present(attrs)? {
                    return Ok(());
                }
                let function = Rc::new(self.function(attrs, sig, Some(block))?);
                self.declare(module, vis, &sig.ident, ItemKind::Function(function))
            }
            syn::Item::Const(item) => match self.constant_item(item)? {
                Some(constant) => {
                    let kind = ItemKind::Const(Rc::new(constant));
                    self.declare(module, &item.vis, &item.ident, kind)
                }
                None => Ok(()),
            },
            syn::Item::Struct(item) => {
                if !self.present(&item.attrs)? {
                    return Ok(());
                }
                let structure = Rc::new(self.structure(item)?);
                self.declare(module, &item.vis, &item.ident, ItemKind::Struct(structure))
            }
            syn::Item::Type(syn::ItemType {
                attrs,
                vis,
                type_token: _,
                ident,
                generics,
                eq_token: _,
                ty,
                semi_token: _,
            }) => {
                if !self.present(attrs)? {
                    return Ok(());
                }
                let alias = Alias {
                    generics: self.generics(generics)?,
                    ty: self.ty(ty)?,
                };
                self.declare(module, vis, ident, ItemKind::Alias(Rc::new(alias)))
            }
            syn::Item::Trait(item) => {
                if !self.present(&item.attrs)? {
                    return Ok(());
                }
                let definition = Rc::new(self.trait_item(item)?);
                self.declare(module, &item.vis, &item.ident, ItemKind::Trait(definition))
            }
            syn::Item::Impl(item) => {
                if self.present(&item.attrs)? {
                    module.impls.push(Rc::new(self.implementation(item)?));
                }
                Ok(())
            }
            syn::Item::Mod(syn::ItemMod {
                attrs,
                vis,
                unsafety,
                mod_token: _,
                ident,
                content,
                semi: _,
            }) => {
                if !self.present(attrs)? {
                    return Ok(());
                }
                if unsafety.is_some() {
                    return fail(span(), "`unsafe` is not in the subset");
                }
                let kind = match content {
                    Some((_, items)) => ItemKind::Module(self.items(items)?),
                    None => ItemKind::ModuleFile,
                };
                self.declare(module, vis, ident, kind)
            }
            // Items that are left out are not read any further.
            syn::Item::Macro(item) if !self.present(&item.attrs)? => Ok(()),
            syn::Item::Enum(item) if !self.present(&item.attrs)? => Ok(()),
            syn::Item::Static(item) if !self.present(&item.attrs)? => Ok(()),
            syn::Item::ExternCrate(item) if !self.present(&item.attrs)? => Ok(()),
            syn::Item::Static(_) => fail_help(
                span(),
                "statics are not in the subset",
                "declare a constant with `const`",
            ),
            syn::Item::Enum(_) => fail_help(
                span(),
                "enums are not in the subset",
                "use a `usize` constant, or a trait with one implementation per case",
            ),
            _ => fail(span(), "this item is not in the subset"),
        }
    }

    /// Parses a constant of a module or a block, unless it is left out.
    pub(super) fn constant_item(&self, item: &syn::ItemConst) -> Result<Option<Const>> {
        let syn::ItemConst {
            attrs,
            vis: _,
            const_token: _,
            ident,
            generics,
            colon_token: _,
            ty,
            eq_token: _,
            expr,
            semi_token: _,
        } = item;
        if !self.present(attrs)? {
            return Ok(None);
        }
        self.constant(ident, generics, ty, Some(expr)).map(Some)
    }

    fn structure(&self, item: &syn::ItemStruct) -> Result<Struct> {
        let syn::ItemStruct {
            attrs: _,
            vis: _,
            struct_token: _,
            ident,
            generics,
            fields: all,
            semi_token: _,
        } = item;
        let (mut fields, mut visibilities) = (Vec::new(), Vec::new());
        for field in all {
            let syn::Field {
                attrs,
                vis,
                mutability: _, // reserved by syn for syntax that Rust does not have yet
                ident,
                colon_token: _,
                ty,
            } = field;
            if !self.present(attrs)? {
                continue;
            }
            let name = match ident {
                Some(ident) => self.symbol(ident)?,
                None => Symbol::new(&fields.len().to_string()),
            };
            if fields.iter().any(|(other, _)| *other == name) {
                let span = self.span_of(field);
                return fail(
                    span,
                    format!("the field `{name}` is declared a second time"),
                );
            }
            fields.push((name, self.ty(ty)?));
            visibilities.push(self.visibility(vis)?);
        }
        self.predicates(generics.where_clause.as_ref())?;
        Ok(Struct {
            name: self.symbol(ident)?,
            unit: matches!(all, syn::Fields::Unit),
            named: matches!(all, syn::Fields::Named(_)),
            generics: self.generics(generics)?,
            fields,
            visibilities,
        })
    }

    fn trait_item(&self, item: &syn::ItemTrait) -> Result<Trait> {
        let span = self.span_of(&item.ident);
        let syn::ItemTrait {
            attrs: _,
            vis: _,
            unsafety,
            auto_token,
            restriction,
            trait_token: _,
            ident: _,
            generics,
            colon_token: _,
            supertraits,
            brace_token: _,
            items,
        } = item;
        if unsafety.is_some() || auto_token.is_some() || restriction.is_some() {
            return fail(span, "this kind of trait is not in the subset");
        }
        let (mut functions, mut constants, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            match item {
                syn::TraitItem::Fn(syn::TraitItemFn {
                    attrs,
                    sig,
                    default,
                    semi_token: _,
                }) => {
                    if self.present(attrs)? {
                        let function = self.function(attrs, sig, default.as_ref())?;
                        functions.push(Rc::new(function));
                    }
                }
                syn::TraitItem::Const(syn::TraitItemConst {
                    attrs,
                    const_token: _,
                    ident,
                    generics,
                    colon_token: _,
                    ty,
                    default,
                    semi_token: _,
                }) => {
                    if self.present(attrs)? {
                        let value = default.as_ref().map(|(_, value)| value);
                        constants.push(Rc::new(self.constant(ident, generics, ty, value)?));
                    }
                }
                syn::TraitItem::Type(syn::TraitItemType {
                    attrs,
                    type_token: _,
                    ident,
                    generics,
                    colon_token: _,
                    bounds,
                    default,
                    semi_token: _,
                }) => {
                    if !self.present(attrs)? {
                        continue;
                    }
                    if default.is_some() || !generics.params.is_empty() {
                        let span = self.span_of(item);
                        return fail(span, "this associated type is not in the subset");
                    }
                    types.push((self.symbol(ident)?, self.bounds(bounds)?));
                }
                other => {
                    return fail(
                        self.span_of(other),
                        "this is not in the subset inside a trait",
                    );
                }
            }
        }
        self.once(
            functions
                .iter()
                .map(|function| (function.name, function.span)),
        )?;
        self.once(
            constants
                .iter()
                .map(|constant| (constant.name, constant.span)),
        )?;
        Ok(Trait {
            generics: self.generics(generics)?,
            supertraits: self.bounds(supertraits)?,
            predicates: self.predicates(generics.where_clause.as_ref())?,
            functions,
            constants,
            types,
        })
    }

    /// Refuses names that are declared twice.
    fn once(&self, names: impl Iterator<Item = (Symbol, Span)>) -> Result<()> {
        let mut seen = HashSet::new();
        for (name, span) in names {
            if !seen.insert(name) {
                return fail(span, format!("`{name}` is declared a second time"));
            }
        }
        Ok(())
    }

    fn implementation(&self, item: &syn::ItemImpl) -> Result<Impl> {
        let span = self.span_of(&item.self_ty);
        let syn::ItemImpl {
            attrs: _,
            defaultness,
            unsafety,
            impl_token: _,
            generics,
            trait_,
            self_ty,
            brace_token: _,
            items,
        } = item;
        if defaultness.is_some() || unsafety.is_some() {
            return fail(span, "this kind of implementation is not in the subset");
        }
        let path = trait_.as_ref().map(|(_, path, _)| path);
        if has_reference(self_ty) || path.is_some_and(path_has_reference) {
            return fail_help(
                span,
                "implementations for references are not in the subset",
                "implement for the type itself",
            );
        }
        let (mut functions, mut constants, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let mut restricted = Vec::new();
        for item in items {
            match item {
                syn::ImplItem::Fn(syn::ImplItemFn {
                    attrs,
                    vis,
                    defaultness: None,
                    sig,
                    block,
                }) => {
                    if self.present(attrs)? {
                        let function = self.function(attrs, sig, Some(block))?;
                        if !matches!(vis, syn::Visibility::Public(_)) {
                            restricted.push(function.name);
                        }
                        functions.push(Rc::new(function));
                    }
                }
                syn::ImplItem::Const(syn::ImplItemConst {
                    attrs,
                    vis,
                    defaultness: None,
                    const_token: _,
                    ident,
                    generics,
                    colon_token: _,
                    ty,
                    eq_token: _,
                    expr,
                    semi_token: _,
                }) => {
                    if self.present(attrs)? {
                        let constant = self.constant(ident, generics, ty, Some(expr))?;
                        if !matches!(vis, syn::Visibility::Public(_)) {
                            restricted.push(constant.name);
                        }
                        constants.push(Rc::new(constant));
                    }
                }
                syn::ImplItem::Type(syn::ImplItemType {
                    attrs,
                    vis: _,
                    defaultness: None,
                    type_token: _,
                    ident,
                    generics,
                    eq_token: _,
                    ty,
                    semi_token: _,
                }) => {
                    if !self.present(attrs)? {
                        continue;
                    }
                    if !generics.params.is_empty() {
                        let span = self.span_of(item);
                        return fail(span, "this associated type is not in the subset");
                    }
                    types.push((self.symbol(ident)?, self.ty(ty)?));
                }
                other => {
                    return fail(
                        self.span_of(other),
                        "this is not in the subset inside an impl",
                    );
                }
            }
        }
        self.once(
            functions
                .iter()
                .map(|function| (function.name, function.span)),
        )?;
        self.once(
            constants
                .iter()
                .map(|constant| (constant.name, constant.span)),
        )?;
        self.once(types.iter().map(|(name, ty): &(_, Type)| (*name, ty.span)))?;
        let of = match trait_ {
            Some((None, path, _)) => Some(self.path(None, path)?),
            Some((Some(_), ..)) => {
                return fail(span, "negative implementations are not in the subset");
            }
            None => None,
        };
        Ok(Impl {
            generics: self.generics(generics)?,
            predicates: self.predicates(generics.where_clause.as_ref())?,
            of,
            self_type: self.ty(self_ty)?,
            functions,
            constants,
            types,
            restricted,
        })
    }

    fn constant(
        &self,
        name: &syn::Ident,
        generics: &syn::Generics,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
    ) -> Result<Const> {
        if !generics.params.is_empty() {
            let span = self.span_of(generics);
            return fail(span, "generic constants are not in the subset");
        }
        Ok(Const {
            name: self.symbol(name)?,
            ty: self.ty(ty)?,
            value: value.map(|value| self.expr(value)).transpose()?,
            span: self.span_of(name),
        })
    }

    fn imports(
        &self,
        tree: &syn::UseTree,
        visibility: Visibility,
        prefix: &mut Vec<Symbol>,
        imports: &mut Vec<Import>,
    ) -> Result<()> {
        let span = self.span_of(tree);
        let mut push = |path: Vec<Symbol>, name: Symbol| {
            if MACROS.contains(&&*name.text()) {
                return fail(span, format!("`{name}` is a macro of the language"));
            }
            imports.push(Import {
                path,
                name: Some(name),
                visibility,
                span,
            });
            Ok(())
        };
        match tree {
            syn::UseTree::Path(syn::UsePath { ident, tree, .. }) => {
                prefix.push(self.symbol(ident)?);
                self.imports(tree, visibility, prefix, imports)?;
                prefix.pop();
            }
            syn::UseTree::Name(syn::UseName { ident }) => {
                let mut path = prefix.clone();
                let mut name = self.symbol(ident)?;
                if ident == "self" {
                    name = path.last().copied().unwrap_or(name);
                } else {
                    path.push(name);
                }
                push(path, name)?;
            }
            syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) => {
                let mut path = prefix.clone();
                if ident != "self" {
                    path.push(self.symbol(ident)?);
                }
                push(path, self.symbol(rename)?)?;
            }
            syn::UseTree::Glob(_) => imports.push(Import {
                path: prefix.clone(),
                name: None,
                visibility,
                span,
            }),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.imports(tree, visibility, prefix, imports)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a type contains a reference. Types are read without references, so
/// implementations for a type and for references to it could not be distinguished.
fn has_reference(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(_) => true,
        syn::Type::Paren(ty) => has_reference(&ty.elem),
        syn::Type::Group(ty) => has_reference(&ty.elem),
        syn::Type::Array(ty) => has_reference(&ty.elem),
        syn::Type::Slice(ty) => has_reference(&ty.elem),
        syn::Type::Tuple(ty) => ty.elems.iter().any(has_reference),
        syn::Type::Path(ty) => path_has_reference(&ty.path),
        _ => false,
    }
}

fn path_has_reference(path: &syn::Path) -> bool {
    path.segments
        .iter()
        .any(|segment| match &segment.arguments {
            syn::PathArguments::AngleBracketed(arguments) => arguments.args.iter().any(
                |argument| matches!(argument, syn::GenericArgument::Type(ty) if has_reference(ty)),
            ),
            _ => false,
        })
}
