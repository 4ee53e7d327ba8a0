//! The names of a program in their order, each with the scopes that it is in.

use syn::visit::{self, Visit};

use super::super::names::{Group, Key, Position};
use super::{Reader, bytes, whole};

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
