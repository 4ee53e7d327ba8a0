//! Finds what each name in a program refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Token};

use super::names::{Edit, Group, Key, Names, Position, is_outside};

/// A function, or the expression of a constant: its number and its text.
#[derive(Clone, Default)]
struct Function(usize, Range<usize>);

/// Names that an inner block, function or item declares.
enum Scope {
    /// Names in a block, an arm or a loop, and whether each is a variable or else a constant.
    Block(Function, BTreeMap<String, bool>),
    /// Generic parameters of the item of this number, and whether each is a type.
    Generics(usize, BTreeMap<String, bool>),
}

/// Reads the names of a program. Those in `outside` are also names of something that the program
/// does not declare. Returns `None` for a program that does not parse, or that has something in it
/// whose names are not understood.
pub fn names(source: &str, outside: &BTreeSet<&str>) -> Option<Names> {
    let names = read(source, outside);
    proc_macro2::extra::invalidate_current_thread_spans();
    names
}

fn read(source: &str, outside: &BTreeSet<&str>) -> Option<Names> {
    let file = syn::parse_file(source).ok()?;
    let mut reader = Reader {
        source,
        names: Names::default(),
        scopes: Vec::new(),
        imported: BTreeSet::new(),
        next: 0,
        lost: false,
    };
    Declarations(&mut reader).visit_file(&file);
    reader.visit_file(&file);
    let Reader {
        mut names, lost, ..
    } = reader;
    names.edits.sort_by_key(Edit::start);
    for (key, group) in &mut names.groups {
        let reserved = match key {
            Key::Global(name) => name == "main" || is_outside(name) || outside.contains(&**name),
            Key::Field(name) => outside.contains(&**name),
            Key::Outside(_) => true,
            Key::Local(..) | Key::Generic(..) => false,
        };
        group.fixed |= reserved;
    }
    (!lost).then_some(names)
}

struct Reader<'a> {
    source: &'a str,
    names: Names,
    scopes: Vec<Scope>,
    /// Names that a `use` names.
    imported: BTreeSet<String>,
    /// Number of the next function or generic item.
    next: usize,
    /// Whether something was not understood.
    lost: bool,
}

fn bytes(ident: &Ident) -> Range<usize> {
    ident.span().byte_range()
}

fn whole(item: &impl Spanned) -> Range<usize> {
    item.span().byte_range()
}

/// Collects what the program declares outside of functions, which can be used before it.
struct Declarations<'a, 'b>(&'a mut Reader<'b>);

impl Declarations<'_, '_> {
    fn global(&mut self, ident: &Ident) -> &mut Group {
        let at = bytes(ident).start;
        let key = Key::Global(ident.to_string());
        let group = self.0.names.groups.entry(key).or_default();
        group.uses.push((at, Position::Value));
        group
    }

    fn member(&mut self, ident: &Ident) {
        let key = Key::Global(ident.to_string());
        self.0.names.groups.entry(key).or_default().kinds.member = true;
    }

    fn fields(&mut self, fields: &syn::Fields) {
        let fields = fields.iter().filter_map(|field| field.ident.as_ref());
        let fields: BTreeSet<_> = fields.map(Ident::to_string).collect();
        for field in &fields {
            let key = Key::Field(field.clone());
            self.0.names.groups.entry(key).or_default().kinds.field = true;
        }
        self.0.names.structs.push(fields);
    }
}

impl<'ast> Visit<'ast> for Declarations<'_, '_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Const(item) if item.ident != "_" => {
                let kinds = &mut self.global(&item.ident).kinds;
                (kinds.value_item, kinds.in_patterns) = (true, true);
            }
            syn::Item::Fn(item) => self.global(&item.sig.ident).kinds.value_item = true,
            syn::Item::Mod(item) => self.global(&item.ident).kinds.type_item = true,
            syn::Item::Struct(item) => {
                let kinds = &mut self.global(&item.ident).kinds;
                kinds.type_item = true;
                kinds.in_patterns |= !matches!(item.fields, syn::Fields::Named(_));
                self.fields(&item.fields);
            }
            syn::Item::Enum(item) => {
                self.global(&item.ident).kinds.type_item = true;
                for variant in &item.variants {
                    // A `use` may bring it into scope, as a type, too.
                    let kinds = &mut self.global(&variant.ident).kinds;
                    (kinds.type_item, kinds.value_item) = (true, true);
                    (kinds.in_patterns, kinds.member) = (true, true);
                    self.fields(&variant.fields);
                }
            }
            syn::Item::Trait(item) => {
                self.global(&item.ident).kinds.type_item = true;
                for item in &item.items {
                    match item {
                        syn::TraitItem::Const(item) => self.member(&item.ident),
                        syn::TraitItem::Fn(item) => self.member(&item.sig.ident),
                        syn::TraitItem::Type(item) => self.member(&item.ident),
                        _ => self.0.lost = true,
                    }
                }
            }
            syn::Item::Type(item) => self.global(&item.ident).kinds.type_item = true,
            syn::Item::Impl(item) => {
                for item in &item.items {
                    match item {
                        syn::ImplItem::Const(item) => self.member(&item.ident),
                        syn::ImplItem::Fn(item) => self.member(&item.sig.ident),
                        syn::ImplItem::Type(item) => self.member(&item.ident),
                        _ => self.0.lost = true,
                    }
                }
            }
            syn::Item::Use(_) | syn::Item::Const(_) => {}
            _ => self.0.lost = true,
        }
        visit::visit_item(self, item);
    }

    fn visit_use_name(&mut self, name: &'ast syn::UseName) {
        self.0.imported.insert(name.ident.to_string());
    }

    fn visit_use_rename(&mut self, rename: &'ast syn::UseRename) {
        if rename.rename != "_" {
            let group = self.global(&rename.rename);
            let kinds = &mut group.kinds;
            (kinds.type_item, kinds.value_item, kinds.in_patterns) = (true, true, true);
            group.imported = true;
        }
    }
}

impl Reader<'_> {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn edit(&mut self, at: Range<usize>, key: Key) {
        self.names.edits.push(Edit::Name(at, key));
    }

    fn declared(&self, name: &str) -> bool {
        let key = Key::Global(name.to_owned());
        self.names.groups.contains_key(&key)
    }

    /// Runs a part with one more scope.
    fn within(&mut self, scope: Scope, part: impl FnOnce(&mut Self)) {
        self.scopes.push(scope);
        part(self);
        self.scopes.pop();
    }

    /// Runs a part in a block of the present function.
    fn block(&mut self, part: impl FnOnce(&mut Self)) {
        let mut functions = self.scopes.iter().rev().filter_map(|scope| match scope {
            Scope::Block(function, _) => Some(function.clone()),
            Scope::Generics(..) => None,
        });
        let function = functions.next().unwrap_or_default();
        self.within(Scope::Block(function, BTreeMap::new()), part);
    }

    /// Runs the part of a function or constant, in which no variables from around it are in scope.
    fn function(&mut self, text: Range<usize>, part: impl FnOnce(&mut Self)) {
        let function = Function(self.number(), text);
        let is_block = |scope: &Scope| matches!(scope, Scope::Block(..));
        let first = self.scopes.iter().position(is_block);
        let around = self.scopes.split_off(first.unwrap_or(self.scopes.len()));
        self.within(Scope::Block(function, BTreeMap::new()), part);
        self.scopes.extend(around);
    }

    fn generics(
        &mut self,
        generics: &syn::Generics,
        scope: Range<usize>,
        part: impl FnOnce(&mut Self),
    ) {
        let owner = self.number();
        let mut parameters = BTreeMap::new();
        for parameter in &generics.params {
            let (ident, ty) = match parameter {
                syn::GenericParam::Type(parameter) => (&parameter.ident, true),
                syn::GenericParam::Const(parameter) => (&parameter.ident, false),
                syn::GenericParam::Lifetime(_) => continue,
            };
            let key = Key::Generic(owner, ident.to_string());
            let group = self.names.groups.entry(key.clone()).or_default();
            group.kinds.type_parameter = ty;
            group.kinds.const_parameter = !ty;
            group.scope = scope.clone();
            self.edit(bytes(ident), key);
            parameters.insert(ident.to_string(), ty);
        }
        self.within(Scope::Generics(owner, parameters), part);
    }

    /// Declares the variable of a pattern.
    fn bind(&mut self, name: &str) -> Key {
        let last = self.scopes.iter_mut().rev().find_map(|scope| match scope {
            Scope::Block(function, names) => Some((function, names)),
            Scope::Generics(..) => None,
        });
        let Some((Function(number, text), names)) = last else {
            self.lost = true;
            return Key::Outside(name.to_owned());
        };
        names.insert(name.to_owned(), true);
        let key = Key::Local(*number, name.to_owned());
        let group = self.names.groups.entry(key.clone()).or_default();
        group.kinds.local = true;
        group.scope = text.clone();
        key
    }

    /// Returns what the first segment of a path refers to.
    fn resolve(&self, name: &str, position: Position) -> Key {
        let mut constant = None;
        for scope in self.scopes.iter().rev() {
            match scope {
                Scope::Block(function, names) if position == Position::Value => {
                    match names.get(name) {
                        Some(true) => return Key::Local(function.0, name.to_owned()),
                        Some(false) => return Key::Global(name.to_owned()),
                        None => {}
                    }
                }
                Scope::Block(..) => {}
                Scope::Generics(owner, names) => {
                    let key = || Key::Generic(*owner, name.to_owned());
                    match (names.get(name), position) {
                        (Some(true), Position::Type | Position::Argument) => return key(),
                        (Some(false), Position::Value) => return key(),
                        (Some(false), Position::Argument) => constant = constant.or(Some(key())),
                        _ => {}
                    }
                }
            }
        }
        let global = Key::Global(name.to_owned());
        let is_type = |group: &Group| group.kinds.type_item;
        if constant.is_some() && !self.names.groups.get(&global).is_some_and(is_type) {
            return constant.unwrap_or(global);
        }
        if self.declared(name) {
            global
        } else {
            Key::Outside(name.to_owned())
        }
    }

    /// Reads the first segment of a path. Returns whether it belongs to the program.
    fn first(&mut self, ident: &Ident, position: Position) -> bool {
        let name = ident.to_string();
        if matches!(name.as_str(), "self" | "Self" | "super" | "crate") {
            return true;
        }
        let key = self.resolve(&name, position);
        let ours = !matches!(key, Key::Outside(_));
        let group = self.names.groups.entry(key.clone()).or_default();
        group.uses.push((bytes(ident).start, position));
        self.edit(bytes(ident), key);
        ours
    }

    /// Reads a later segment of a path, or the name of a member.
    fn later(&mut self, ident: &Ident, ours: bool) {
        let name = ident.to_string();
        if !self.declared(&name) || matches!(name.as_str(), "self" | "super") {
            return;
        }
        let key = Key::Global(name);
        if let Some(group) = self.names.groups.get_mut(&key) {
            group.fixed |= !ours;
        }
        self.edit(bytes(ident), key);
    }

    fn path(&mut self, qself: bool, members: usize, path: &syn::Path, position: Position) {
        let count = path.segments.len();
        let mut ours = true;
        for (index, segment) in path.segments.iter().enumerate() {
            if index == 0 && !(qself && members == 0) {
                let alone = count == 1;
                let plain = segment.arguments.is_none() || position == Position::Value;
                let position = if alone && plain {
                    position
                } else {
                    Position::Type
                };
                ours = self.first(&segment.ident, position);
            } else {
                self.later(&segment.ident, ours);
            }
            self.visit_path_arguments(&segment.arguments);
        }
    }

    fn field(&mut self, ident: &Ident) {
        let key = Key::Field(ident.to_string());
        if self.names.groups.contains_key(&key) {
            self.edit(bytes(ident), key);
        }
    }

    fn shorthand(&mut self, ident: &Ident, start: usize) {
        let key = Key::Field(ident.to_string());
        if self.names.groups.contains_key(&key) {
            self.names.edits.push(Edit::Field(start, key));
        }
    }

    fn declare(&mut self, ident: &Ident) {
        if ident != "_" {
            self.edit(bytes(ident), Key::Global(ident.to_string()));
        }
    }

    /// A constant of a module, an implementation or a trait.
    fn constant(
        &mut self,
        text: Range<usize>,
        ident: &Ident,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
    ) {
        self.declare(ident);
        self.function(text, |this| {
            this.visit_type(ty);
            if let Some(value) = value {
                this.visit_expr(value);
            }
        });
    }

    /// A function of a module, an implementation or a trait.
    fn callable(
        &mut self,
        text: Range<usize>,
        signature: &syn::Signature,
        body: Option<&syn::Block>,
    ) {
        self.declare(&signature.ident);
        self.generics(&signature.generics, text.clone(), |this| {
            this.function(text, |this| {
                this.visit_signature(signature);
                if let Some(body) = body {
                    this.visit_block(body);
                }
            });
        });
    }

    /// Declares an item of the present block.
    fn item_of_block(&mut self, item: &syn::Stmt, name: &str) {
        let is_value = !matches!(
            item,
            syn::Stmt::Item(syn::Item::Enum(_) | syn::Item::Trait(_) | syn::Item::Type(_))
        );
        // A generic parameter that the item hides would be taken for it.
        let hidden = self.scopes.iter().any(|scope| match scope {
            Scope::Generics(_, names) => names.contains_key(name),
            Scope::Block(..) => false,
        });
        self.lost |= hidden;
        if is_value && let Some(Scope::Block(_, names)) = self.scopes.last_mut() {
            names.insert(name.to_owned(), false);
        }
    }

    fn members(&mut self, outside: bool, idents: impl Iterator<Item = Ident>) {
        for ident in idents {
            let key = Key::Global(ident.to_string());
            if let Some(group) = self.names.groups.get_mut(&key) {
                group.fixed |= outside;
            }
        }
    }

    /// Reads the names in braces of a message.
    fn message(&mut self, span: Span) {
        let range = span.byte_range();
        let Some(text) = self.source.get(range.clone()) else {
            return;
        };
        let text = text.replace("{{", "  ");
        for (at, _) in text.match_indices('{') {
            let rest = &text[at + 1..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap_or(0)];
            if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                let start = range.start + at + 1;
                let key = self.resolve(name, Position::Value);
                let group = self.names.groups.entry(key.clone()).or_default();
                group.uses.push((start, Position::Value));
                self.edit(start..start + name.len(), key);
            }
        }
    }

    fn macro_tokens(&mut self, name: &str, tokens: &TokenStream) {
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        let repeat = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            let _: Token![;] = input.parse()?;
            Ok([value, input.parse()?])
        };
        let pattern = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            let _: Token![,] = input.parse()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            let _: Option<Token![,]> = input.parse()?;
            Ok((value, pattern, guard))
        };
        let values: Vec<Expr> = match name {
            "matches" => {
                let Ok((value, pattern, guard)) = pattern.parse2(tokens.clone()) else {
                    return self.lost = true;
                };
                self.visit_expr(&value);
                return self.block(|this| {
                    this.visit_pat(&pattern);
                    if let Some(guard) = &guard {
                        this.visit_expr(guard);
                    }
                });
            }
            "vec" => match repeat.parse2(tokens.clone()) {
                Ok(values) => values.into(),
                Err(_) => match list.parse2(tokens.clone()) {
                    Ok(values) => values.into_iter().collect(),
                    Err(_) => return self.lost = true,
                },
            },
            "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq"
            | "debug_assert_ne" | "panic" | "unreachable" | "todo" | "unimplemented" | "dbg" => {
                match list.parse2(tokens.clone()) {
                    Ok(values) => values.into_iter().collect(),
                    Err(_) => return self.lost = true,
                }
            }
            _ => return self.lost = true,
        };
        for value in values {
            if let Expr::Lit(literal) = &value
                && let syn::Lit::Str(text) = &literal.lit
            {
                self.message(text.span());
            }
            self.visit_expr(&value);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.visit_visibility(&item.vis);
        self.constant(whole(item), &item.ident, &item.ty, Some(&item.expr));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.visit_visibility(&item.vis);
        self.callable(whole(item), &item.sig, Some(&item.block));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.declare(&item.ident);
        visit::visit_item_mod(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.visit_visibility(&item.vis);
        self.declare(&item.ident);
        self.generics(&item.generics, whole(item), |this| {
            this.visit_generics(&item.generics);
            this.visit_fields(&item.fields);
        });
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.visit_visibility(&item.vis);
        self.declare(&item.ident);
        self.generics(&item.generics, whole(item), |this| {
            this.visit_generics(&item.generics);
            for variant in &item.variants {
                this.declare(&variant.ident);
                this.visit_fields(&variant.fields);
                if let Some((_, value)) = &variant.discriminant {
                    this.function(whole(value), |this| this.visit_expr(value));
                }
            }
        });
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(ident) = &field.ident {
            self.field(ident);
        }
        self.visit_visibility(&field.vis);
        self.visit_type(&field.ty);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.visit_visibility(&item.vis);
        self.declare(&item.ident);
        self.generics(&item.generics, whole(item), |this| {
            this.visit_generics(&item.generics);
            this.visit_type(&item.ty);
        });
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.declare(&item.ident);
        self.generics(&item.generics, whole(item), |this| {
            visit::visit_item_trait(this, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let first = item
            .trait_
            .iter()
            .filter_map(|(_, path, _)| path.segments.first());
        let outside = |first: &syn::PathSegment| {
            let name = first.ident.to_string();
            !self.declared(&name) && !matches!(name.as_str(), "self" | "super" | "crate")
        };
        let outside = first.clone().any(outside);
        let idents = item.items.iter().filter_map(|item| match item {
            syn::ImplItem::Const(item) => Some(item.ident.clone()),
            syn::ImplItem::Fn(item) => Some(item.sig.ident.clone()),
            syn::ImplItem::Type(item) => Some(item.ident.clone()),
            _ => None,
        });
        self.members(outside, idents);
        self.generics(&item.generics, whole(item), |this| {
            visit::visit_item_impl(this, item);
        });
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.visit_visibility(&item.vis);
        self.constant(whole(item), &item.ident, &item.ty, Some(&item.expr));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        let value = item.default.as_ref().map(|(_, value)| value);
        self.constant(whole(item), &item.ident, &item.ty, value);
    }

    fn visit_impl_item_type(&mut self, item: &'ast syn::ImplItemType) {
        self.declare(&item.ident);
        self.lost |= !item.generics.params.is_empty();
        self.visit_type(&item.ty);
    }

    fn visit_trait_item_type(&mut self, item: &'ast syn::TraitItemType) {
        self.declare(&item.ident);
        self.lost |= !item.generics.params.is_empty() || item.default.is_some();
        for bound in &item.bounds {
            self.visit_type_param_bound(bound);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.visit_visibility(&item.vis);
        self.callable(whole(item), &item.sig, Some(&item.block));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.callable(whole(item), &item.sig, item.default.as_ref());
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.visit_generics(&signature.generics);
        for input in &signature.inputs {
            self.visit_fn_arg(input);
        }
        self.visit_return_type(&signature.output);
    }

    fn visit_type_param(&mut self, parameter: &'ast syn::TypeParam) {
        self.lost |= parameter.default.is_some();
        for bound in &parameter.bounds {
            self.visit_type_param_bound(bound);
        }
    }

    fn visit_const_param(&mut self, parameter: &'ast syn::ConstParam) {
        self.visit_type(&parameter.ty);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.visit_visibility(&item.vis);
        let mut trees = vec![(&item.tree, None)];
        while let Some((tree, ours)) = trees.pop() {
            let (ident, rest) = match tree {
                syn::UseTree::Path(path) => (&path.ident, Some(&*path.tree)),
                syn::UseTree::Name(name) => (&name.ident, None),
                syn::UseTree::Rename(rename) => {
                    self.declare(&rename.rename);
                    (&rename.ident, None)
                }
                syn::UseTree::Group(group) => {
                    trees.extend(group.items.iter().map(|tree| (tree, ours)));
                    continue;
                }
                syn::UseTree::Glob(_) => continue,
            };
            let ours = match ours {
                None => self.first(ident, Position::Type),
                Some(ours) => {
                    self.later(ident, ours);
                    ours
                }
            };
            let key = Key::Global(ident.to_string());
            if let Some(group) = self.names.groups.get_mut(&key) {
                group.imported = true;
            }
            trees.extend(rest.map(|tree| (tree, Some(ours))));
        }
    }

    fn visit_vis_restricted(&mut self, visibility: &'ast syn::VisRestricted) {
        self.path(false, 0, &visibility.path, Position::Type);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(false, 0, path, Position::Type);
    }

    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        let members = ty.qself.as_ref().map_or(0, |qself| qself.position);
        if let Some(qself) = &ty.qself {
            self.visit_type(&qself.ty);
        }
        self.path(ty.qself.is_some(), members, &ty.path, Position::Type);
    }

    fn visit_generic_argument(&mut self, argument: &'ast syn::GenericArgument) {
        if let syn::GenericArgument::Type(syn::Type::Path(ty)) = argument
            && ty.qself.is_none()
        {
            return self.path(false, 0, &ty.path, Position::Argument);
        }
        visit::visit_generic_argument(self, argument);
    }

    fn visit_assoc_type(&mut self, binding: &'ast syn::AssocType) {
        self.later(&binding.ident, true);
        self.visit_type(&binding.ty);
    }

    fn visit_assoc_const(&mut self, _: &'ast syn::AssocConst) {
        self.lost = true;
    }

    fn visit_constraint(&mut self, _: &'ast syn::Constraint) {
        self.lost = true;
    }

    fn visit_expr_path(&mut self, expr: &'ast syn::ExprPath) {
        let members = expr.qself.as_ref().map_or(0, |qself| qself.position);
        if let Some(qself) = &expr.qself {
            self.visit_type(&qself.ty);
        }
        self.path(expr.qself.is_some(), members, &expr.path, Position::Value);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.visit_expr(&call.receiver);
        self.later(&call.method, true);
        if let Some(turbofish) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(turbofish);
        }
        for argument in &call.args {
            self.visit_expr(argument);
        }
    }

    fn visit_expr_field(&mut self, field: &'ast syn::ExprField) {
        self.visit_expr(&field.base);
        if let syn::Member::Named(ident) = &field.member {
            self.field(ident);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if let syn::Member::Named(ident) = &field.member {
            match field.colon_token {
                Some(_) => self.field(ident),
                None => self.shorthand(ident, bytes(ident).start),
            }
        }
        self.visit_expr(&field.expr);
    }

    fn visit_field_pat(&mut self, field: &'ast syn::FieldPat) {
        if let syn::Member::Named(ident) = &field.member {
            match field.colon_token {
                Some(_) => self.field(ident),
                None => self.shorthand(ident, whole(&field.pat).start),
            }
        }
        self.visit_pat(&field.pat);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = pattern.ident.to_string();
        let key = Key::Global(name.clone());
        let in_patterns = |group: &Group| group.kinds.in_patterns;
        let ours = self.names.groups.get(&key).is_some_and(in_patterns);
        // A `use` may bring it from outside: by its name, or a variant of `Ordering` by `*`.
        let variant = matches!(name.as_str(), "None" | "Less" | "Equal" | "Greater");
        let outside = variant || self.imported.contains(&name);
        let constant = ours || outside && !self.declared(&name);
        if constant && pattern.mutability.is_none() && pattern.by_ref.is_none() {
            self.first(&pattern.ident, Position::Value);
        } else {
            let key = self.bind(&name);
            self.edit(bytes(&pattern.ident), key);
        }
        if let Some((_, inner)) = &pattern.subpat {
            self.visit_pat(inner);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                self.visit_expr(otherwise);
            }
        }
        let mut pattern = &local.pat;
        if let syn::Pat::Type(typed) = pattern {
            self.visit_type(&typed.ty);
            pattern = &typed.pat;
        }
        self.visit_pat(pattern);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.block(|this| {
            for statement in &block.stmts {
                let ident = match statement {
                    syn::Stmt::Item(syn::Item::Const(item)) => &item.ident,
                    syn::Stmt::Item(syn::Item::Fn(item)) => &item.sig.ident,
                    syn::Stmt::Item(syn::Item::Struct(item)) => &item.ident,
                    syn::Stmt::Item(syn::Item::Enum(item)) => &item.ident,
                    syn::Stmt::Item(syn::Item::Trait(item)) => &item.ident,
                    syn::Stmt::Item(syn::Item::Type(item)) => &item.ident,
                    _ => continue,
                };
                this.item_of_block(statement, &ident.to_string());
            }
            visit::visit_block(this, block);
        });
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.block(|this| visit::visit_arm(this, arm));
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.block(|this| {
            this.visit_pat(&expr.pat);
            this.visit_block(&expr.body);
        });
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        self.visit_expr(&expr.expr);
        self.visit_pat(&expr.pat);
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        self.block(|this| {
            this.visit_expr(&expr.cond);
            this.visit_block(&expr.then_branch);
        });
        if let Some((_, otherwise)) = &expr.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        self.block(|this| visit::visit_expr_while(this, expr));
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.block(|this| visit::visit_expr_closure(this, closure));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        match call.path.get_ident() {
            Some(name) => self.macro_tokens(&name.to_string(), &call.tokens),
            None => self.lost = true,
        }
    }
}
