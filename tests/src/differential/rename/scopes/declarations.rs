//! What the program declares outside of functions, which can be used before it.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::visit::{self, Visit};

use super::super::names::{Group, Key, Position};
use super::{Reader, bytes};

/// Collects what the program declares outside of functions, which can be used before it.
pub(super) struct Declarations<'a, 'b>(pub(super) &'a mut Reader<'b>);

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
