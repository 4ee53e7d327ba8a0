//! Items.

use std::collections::HashSet;
use std::rc::Rc;

use super::Parser;
use super::attribute::attributes;
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

/// Macros of the language. No other macro may have one of these names.
#[rustfmt::skip]
pub(super) const MACROS: &[&str] = &[
    "assert", "assert_eq", "assert_ne", "dbg", "matches", "panic", "unreachable", "todo",
    "unimplemented", "vec",
];

impl Parser {
    /// Parses the items of a module. Those that fail are left out, and their failures kept.
    pub(super) fn items<'a>(
        &self,
        items: impl IntoIterator<Item = &'a syn::Item>,
    ) -> Result<Module> {
        let around = self.hidden.take();
        let mut module = Module::default();
        for item in items {
            if let Err(failure) = self.item(item, &mut module) {
                self.failed(*failure);
            }
        }
        module.items.append(&mut self.hidden.replace(around));
        Ok(module)
    }

    /// Parses the items that a block declares, and returns the name of their module, if there are
    /// any. It is in the module of the block around, or of the function. `around` are the hidden
    /// modules so far, without those of blocks in this one.
    pub(super) fn hidden_module(
        &self,
        items: &[&syn::Item],
        around: Vec<Item>,
    ) -> Result<Option<Symbol>> {
        let inside = self.hidden.replace(around);
        let mut module = self.items(items.iter().copied())?;
        let Module {
            items: own,
            impls,
            imports,
            ..
        } = &module;
        let (Some(first), false) = (
            items.first(),
            own.is_empty() && impls.is_empty() && imports.is_empty(),
        ) else {
            self.hidden.borrow_mut().extend(inside);
            return Ok(None);
        };
        module.items.extend(inside);
        let span = self.span_of(first);
        let function = self.inside.get().function;
        let function = function.map_or_else(|| "block".into(), Symbol::text);
        // No name in a program has a space.
        let name = Symbol::new(&format!("{function} {}", span.start));
        self.hidden.borrow_mut().push(Item {
            name,
            visibility: Visibility::Above(0),
            kind: ItemKind::Module(module),
            span,
        });
        Ok(Some(name))
    }

    /// Adds an item, whose name must be new in its module. `const _` has no name.
    fn declare(
        &self,
        module: &mut Module,
        vis: &syn::Visibility,
        ident: &syn::Ident,
        kind: ItemKind,
    ) -> Result<()> {
        let name = self.symbol(ident)?;
        let span = self.span_of(ident);
        self.not_of_the_language(name, span)?;
        if !module.names.insert(name) && name != "_" {
            return fail(span, format!("`{name}` is declared a second time"));
        }
        module.items.push(Item {
            name,
            visibility: self.visibility(vis)?,
            kind,
            span,
        });
        Ok(())
    }

    /// Refuses another meaning of names that are not looked up.
    fn not_of_the_language(&self, name: Symbol, span: Span) -> Result<()> {
        let text = name.text();
        if matches!(&*text, "bool" | "Sized") || IntType::named(&text).is_some() {
            return fail(span, format!("`{name}` is a name of the language"));
        }
        Ok(())
    }

    pub(super) fn visibility(&self, vis: &syn::Visibility) -> Result<Visibility> {
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

    /// Adds an item, unless it is left out. Then it is not read any further.
    fn item(&self, item: &syn::Item, module: &mut Module) -> Result<()> {
        let span = || self.span_of(item);
        if !self.present(of_item(item))? {
            return Ok(());
        }
        match item {
            syn::Item::Use(import) => {
                if import.leading_colon.is_some() {
                    return fail(span(), "paths that begin with `::` are not in the subset");
                }
                let (visibility, prefix) = (self.visibility(&import.vis)?, &mut Vec::new());
                self.imports(&import.tree, visibility, prefix, &mut module.imports)
            }
            syn::Item::Fn(item) => {
                let function = self.function(&item.attrs, &item.sig, Some(&item.block))?;
                let kind = ItemKind::Function(Rc::new(function));
                self.declare(module, &item.vis, &item.sig.ident, kind)
            }
            syn::Item::Const(item) => {
                let kind = ItemKind::Const(Rc::new(self.constant_item(item)?));
                self.declare(module, &item.vis, &item.ident, kind)
            }
            syn::Item::Struct(item) => {
                let structure = Rc::new(self.structure(item)?);
                self.declare(module, &item.vis, &item.ident, ItemKind::Struct(structure))
            }
            syn::Item::Type(item) => {
                let alias = Alias {
                    generics: self.generics(&item.generics, false)?,
                    ty: self.kept_type(&item.ty)?,
                };
                let kind = ItemKind::Alias(Rc::new(alias));
                self.declare(module, &item.vis, &item.ident, kind)
            }
            syn::Item::Trait(item) => {
                let definition = Rc::new(self.trait_item(item)?);
                self.declare(module, &item.vis, &item.ident, ItemKind::Trait(definition))
            }
            syn::Item::Impl(item) => {
                module.impls.push(Rc::new(self.implementation(item)?));
                Ok(())
            }
            syn::Item::Mod(item) => {
                if item.unsafety.is_some() {
                    return fail(span(), "`unsafe` is not in the subset");
                }
                let kind = match &item.content {
                    Some((_, items)) => ItemKind::Module(self.items(items)?),
                    None => ItemKind::ModuleFile,
                };
                self.declare(module, &item.vis, &item.ident, kind)
            }
            // But for moves, nothing here tells a variable that never changes from a constant.
            syn::Item::Static(item) if matches!(item.mutability, syn::StaticMutability::None) => {
                let none = syn::Generics::default();
                let constant = self.constant(&item.ident, &none, &item.ty, Some(&item.expr))?;
                let kind = ItemKind::Const(Rc::new(Const {
                    is_static: true,
                    ..constant
                }));
                self.declare(module, &item.vis, &item.ident, kind)
            }
            syn::Item::Static(_) => {
                let help = "write `let mut` in `main`, and pass `&mut value` to functions";
                fail_help(span(), "`static mut` is not in the subset", help)
            }
            syn::Item::Enum(item) => {
                let choice = Rc::new(self.choice(item)?);
                self.declare(module, &item.vis, &item.ident, ItemKind::Struct(choice))
            }
            _ => fail(span(), "this item is not in the subset"),
        }
    }

    /// Parses a constant of a module or a block.
    pub(super) fn constant_item(&self, item: &syn::ItemConst) -> Result<Const> {
        self.constant(&item.ident, &item.generics, &item.ty, Some(&item.expr))
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
            if !self.present(attributes!(item, TraitItem: Const Fn Type))? {
                continue;
            }
            match item {
                syn::TraitItem::Fn(item) => {
                    let body = item.default.as_ref();
                    let function = self.function(&item.attrs, &item.sig, body)?;
                    functions.push(Rc::new(function));
                }
                syn::TraitItem::Const(item) => {
                    let value = item.default.as_ref().map(|(_, value)| value);
                    let constant = self.constant(&item.ident, &item.generics, &item.ty, value);
                    constants.push(Rc::new(constant?));
                }
                syn::TraitItem::Type(associated) => {
                    if associated.default.is_some() || !associated.generics.params.is_empty() {
                        let span = self.span_of(item);
                        return fail(span, "this associated type is not in the subset");
                    }
                    let name = self.symbol(&associated.ident)?;
                    types.push((name, self.bounds(&associated.bounds)?));
                }
                other => {
                    let span = self.span_of(other);
                    return fail(span, "this is not in the subset inside a trait");
                }
            }
        }
        self.once(functions.iter().map(|item| (item.name, item.span)))?;
        self.once(constants.iter().map(|item| (item.name, item.span)))?;
        Ok(Trait {
            generics: self.generics(generics, false)?,
            supertraits: self.bounds(supertraits)?,
            predicates: self.predicates(generics.where_clause.as_ref())?,
            functions,
            constants,
            types,
        })
    }

    /// Refuses names that are declared twice.
    pub(super) fn once(&self, names: impl Iterator<Item = (Symbol, Span)>) -> Result<()> {
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
        if has_reference(behind(self_ty)) || path.is_some_and(|path| path_has_reference(path, true))
        {
            let message = "implementations for types with references in them are not in the subset";
            return fail_help(span, message, "implement for the type itself");
        }
        let (mut functions, mut constants, mut types) = (Vec::new(), Vec::new(), Vec::new());
        let mut restricted = Vec::new();
        let mut declare = |name, vis: &syn::Visibility| -> Result<()> {
            match self.visibility(vis)? {
                Visibility::Public => {}
                visibility => restricted.push((name, visibility)),
            }
            Ok(())
        };
        for item in items {
            if !self.present(attributes!(item, ImplItem: Const Fn Type))? {
                continue;
            }
            match item {
                syn::ImplItem::Fn(item) if item.defaultness.is_none() => {
                    let body = Some(&item.block).filter(|_| !path.is_some_and(formats));
                    let function = self.function(&item.attrs, &item.sig, body)?;
                    declare(function.name, &item.vis)?;
                    functions.push(Rc::new(function));
                }
                syn::ImplItem::Const(item) if item.defaultness.is_none() => {
                    let (name, value) = (&item.ident, Some(&item.expr));
                    let constant = self.constant(name, &item.generics, &item.ty, value)?;
                    declare(constant.name, &item.vis)?;
                    constants.push(Rc::new(constant));
                }
                syn::ImplItem::Type(alias) if alias.defaultness.is_none() => {
                    if !alias.generics.params.is_empty() {
                        let span = self.span_of(item);
                        return fail(span, "this associated type is not in the subset");
                    }
                    types.push((self.symbol(&alias.ident)?, self.ty(&alias.ty)?));
                }
                other => {
                    let span = self.span_of(other);
                    return fail(span, "this is not in the subset inside an impl");
                }
            }
        }
        self.once(functions.iter().map(|item| (item.name, item.span)))?;
        self.once(constants.iter().map(|item| (item.name, item.span)))?;
        self.once(types.iter().map(|(name, ty): &(_, Type)| (*name, ty.span)))?;
        let of = match trait_ {
            Some((None, path, _)) => Some(self.path(None, path)?),
            Some((Some(_), ..)) => {
                return fail(span, "negative implementations are not in the subset");
            }
            None => None,
        };
        Ok(Impl {
            generics: self.generics(generics, false)?,
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
            value: value.map(|value| self.constant_expr(value)).transpose()?,
            is_static: false,
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
        let mut push = |path: Vec<Symbol>, name: Option<Symbol>| -> Result<()> {
            if let Some(name) = name {
                if MACROS.contains(&&*name.text()) {
                    return fail(span, format!("`{name}` is a macro of the language"));
                }
                self.not_of_the_language(name, span)?;
            }
            imports.push(Import {
                path,
                name,
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
                push(path, Some(name))?;
            }
            syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) => {
                let mut path = prefix.clone();
                if ident != "self" {
                    path.push(self.symbol(ident)?);
                }
                push(path, Some(self.symbol(rename)?))?;
            }
            syn::UseTree::Glob(_) => push(prefix.clone(), None)?,
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.imports(tree, visibility, prefix, imports)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the attributes of an item that is in the subset, or that an error names.
fn of_item(item: &syn::Item) -> &[syn::Attribute] {
    attributes!(item, Item: Const Enum ExternCrate Fn Impl Macro Mod Static Struct Trait Type Use)
}

/// Returns whether a trait by its name only writes text, which nothing here reads: its functions
/// have no bodies, and cannot be called.
fn formats(path: &syn::Path) -> bool {
    let last = path.segments.last();
    last.is_some_and(|last| last.ident == "Debug" || last.ident == "Display")
}

/// Returns what a type refers to, if it is a shared reference.
fn behind(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Reference(ty) if ty.mutability.is_none() => &ty.elem,
        ty => ty,
    }
}

/// Returns whether a type contains a reference. Only of the outermost one values know that they
/// are one.
fn has_reference(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(_) => true,
        syn::Type::Paren(ty) => has_reference(&ty.elem),
        syn::Type::Group(ty) => has_reference(&ty.elem),
        syn::Type::Array(ty) => has_reference(&ty.elem),
        syn::Type::Slice(ty) => has_reference(&ty.elem),
        syn::Type::Tuple(ty) => ty.elems.iter().any(has_reference),
        syn::Type::Path(ty) => path_has_reference(&ty.path, false),
        _ => false,
    }
}

/// Returns whether the generic arguments of a path contain references, apart from those that they
/// are themselves if `within` says so.
fn path_has_reference(path: &syn::Path, within: bool) -> bool {
    let is_one = |argument: &_| match argument {
        syn::GenericArgument::Type(ty) if within => has_reference(behind(ty)),
        syn::GenericArgument::Type(ty) => has_reference(ty),
        _ => false,
    };
    let mut segments = path.segments.iter();
    segments.any(|segment| match &segment.arguments {
        syn::PathArguments::AngleBracketed(arguments) => arguments.args.iter().any(is_one),
        _ => false,
    })
}
