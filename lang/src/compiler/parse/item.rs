//! Items, types and patterns.

use std::rc::Rc;

use super::{Parser, symbol};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};

impl Parser {
    pub(super) fn items(&self, items: &[syn::Item]) -> Result<Module> {
        let mut module = Module::default();
        for item in items {
            self.item(item, &mut module)?;
        }
        Ok(module)
    }

    fn item(&self, item: &syn::Item, module: &mut Module) -> Result<()> {
        let span = self.span_of(item);
        let mut push = |ident: &syn::Ident, kind| {
            module.items.push(Item {
                name: symbol(ident),
                kind,
                span: self.span_of(ident),
            });
        };
        match item {
            syn::Item::Use(item) => {
                if !skipped(&item.attrs) {
                    self.imports(&item.tree, &mut Vec::new(), &mut module.imports)?;
                }
            }
            syn::Item::Fn(item) => {
                if !skipped(&item.attrs) {
                    let function = self.function(&item.attrs, &item.sig, Some(&item.block))?;
                    push(&item.sig.ident, ItemKind::Function(Rc::new(function)));
                }
            }
            syn::Item::Const(item) => {
                let constant = self.constant(&item.ident, &item.ty, Some(&item.expr))?;
                push(&item.ident, ItemKind::Const(Rc::new(constant)));
            }
            syn::Item::Static(item) => {
                let constant = self.constant(&item.ident, &item.ty, Some(&item.expr))?;
                push(&item.ident, ItemKind::Const(Rc::new(constant)));
            }
            syn::Item::Struct(item) => {
                let mut fields = Vec::new();
                for (index, field) in item.fields.iter().enumerate() {
                    let name = match &field.ident {
                        Some(ident) => symbol(ident),
                        None => Symbol::new(&index.to_string()),
                    };
                    fields.push((name, self.ty(&field.ty)?));
                }
                let structure = Struct {
                    name: symbol(&item.ident),
                    generics: self.generics(&item.generics)?,
                    fields,
                };
                push(&item.ident, ItemKind::Struct(Rc::new(structure)));
            }
            syn::Item::Type(item) => {
                let alias = Alias {
                    generics: self.generics(&item.generics)?,
                    ty: self.ty(&item.ty)?,
                };
                push(&item.ident, ItemKind::Alias(Rc::new(alias)));
            }
            syn::Item::Trait(item) => {
                let (mut functions, mut constants) = (Vec::new(), Vec::new());
                let mut types = Vec::new();
                for item in &item.items {
                    match item {
                        syn::TraitItem::Fn(item) => {
                            let body = item.default.as_ref();
                            let function = self.function(&item.attrs, &item.sig, body)?;
                            functions.push(Rc::new(function));
                        }
                        syn::TraitItem::Const(item) => {
                            let value = item.default.as_ref().map(|(_, value)| value);
                            constants.push(Rc::new(self.constant(&item.ident, &item.ty, value)?));
                        }
                        syn::TraitItem::Type(item) => {
                            types.push((symbol(&item.ident), self.bounds(&item.bounds)?));
                        }
                        other => {
                            return fail(
                                self.span_of(other),
                                "this is not in the subset inside a trait",
                            );
                        }
                    }
                }
                let kind = Trait {
                    generics: self.generics(&item.generics)?,
                    supertraits: self.bounds(&item.supertraits)?,
                    predicates: self.predicates(item.generics.where_clause.as_ref())?,
                    functions,
                    constants,
                    types,
                };
                push(&item.ident, ItemKind::Trait(Rc::new(kind)));
            }
            syn::Item::Impl(item) => {
                if !skipped(&item.attrs) {
                    module.impls.push(Rc::new(self.implementation(item)?));
                }
            }
            syn::Item::Mod(item) => {
                if skipped(&item.attrs) {
                    return Ok(());
                }
                let kind = match &item.content {
                    Some((_, items)) => {
                        let inner = self.items(items)?;
                        ItemKind::Module(inner)
                    }
                    None => ItemKind::ModuleFile,
                };
                push(&item.ident, kind);
            }
            syn::Item::Macro(_) if skipped_macro(item) => {}
            syn::Item::Enum(_) => {
                return fail_help(
                    span,
                    "enums are not in the subset",
                    "use a `usize` constant, or a trait with one implementation per case",
                );
            }
            _ => return fail(span, "this item is not in the subset"),
        }
        Ok(())
    }

    fn implementation(&self, item: &syn::ItemImpl) -> Result<Impl> {
        let (mut functions, mut constants, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for item in &item.items {
            match item {
                syn::ImplItem::Fn(item) => {
                    if !skipped(&item.attrs) {
                        let function = self.function(&item.attrs, &item.sig, Some(&item.block))?;
                        functions.push(Rc::new(function));
                    }
                }
                syn::ImplItem::Const(item) => {
                    let value = Some(&item.expr);
                    constants.push(Rc::new(self.constant(&item.ident, &item.ty, value)?));
                }
                syn::ImplItem::Type(item) => {
                    types.push((symbol(&item.ident), self.ty(&item.ty)?));
                }
                other => {
                    return fail(
                        self.span_of(other),
                        "this is not in the subset inside an impl",
                    );
                }
            }
        }
        let of = match &item.trait_ {
            Some((_, path, _)) => Some(self.path(None, path)?),
            None => None,
        };
        let header = item.trait_.as_ref().map(|(_, path, _)| path);
        if has_reference(&item.self_ty) || header.is_some_and(path_has_reference) {
            return fail_help(
                self.span_of(&item.self_ty),
                "implementations for references are not in the subset",
                "implement the trait for the type itself, with methods by `&self`",
            );
        }
        Ok(Impl {
            generics: self.generics(&item.generics)?,
            predicates: self.predicates(item.generics.where_clause.as_ref())?,
            of,
            self_type: self.ty(&item.self_ty)?,
            functions,
            constants,
            types,
        })
    }

    pub(super) fn constant(
        &self,
        name: &syn::Ident,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
    ) -> Result<Const> {
        Ok(Const {
            name: symbol(name),
            ty: self.ty(ty)?,
            value: value.map(|value| self.expr(value)).transpose()?,
            span: self.span_of(name),
        })
    }

    fn function(
        &self,
        attributes: &[syn::Attribute],
        signature: &syn::Signature,
        body: Option<&syn::Block>,
    ) -> Result<Function> {
        let mut params = Vec::new();
        for input in &signature.inputs {
            params.push(match input {
                syn::FnArg::Receiver(receiver) => {
                    let span = self.span_of(receiver);
                    Param {
                        pattern: Pattern {
                            kind: PatternKind::Bind(Symbol::new("self")),
                            span,
                        },
                        ty: Type {
                            kind: TypeKind::Unknown,
                            span,
                        },
                        reference: receiver.reference.is_some(),
                        mutable_reference: receiver.reference.is_some()
                            && receiver.mutability.is_some(),
                    }
                }
                syn::FnArg::Typed(typed) => Param {
                    pattern: self.pattern(&typed.pat)?,
                    ty: self.ty(&typed.ty)?,
                    reference: matches!(&*typed.ty, syn::Type::Reference(_)),
                    mutable_reference: matches!(
                        &*typed.ty,
                        syn::Type::Reference(reference) if reference.mutability.is_some()
                    ),
                },
            });
        }
        let output = match &signature.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(self.ty(ty)?),
        };
        let never_inline = attributes.iter().any(|attribute| {
            attribute.path().is_ident("inline")
                && attribute
                    .parse_args::<syn::Ident>()
                    .is_ok_and(|argument| argument == "never")
        });
        Ok(Function {
            name: symbol(&signature.ident),
            generics: self.generics(&signature.generics)?,
            predicates: self.predicates(signature.generics.where_clause.as_ref())?,
            params,
            output,
            body: body.map(|body| self.block(body)).transpose()?,
            never_inline,
            span: self.span_of(&signature.ident),
        })
    }

    fn generics(&self, generics: &syn::Generics) -> Result<Vec<GenericParam>> {
        let mut params = Vec::new();
        for param in &generics.params {
            match param {
                syn::GenericParam::Type(param) => params.push(GenericParam {
                    name: symbol(&param.ident),
                    constant: false,
                    bounds: self.bounds(&param.bounds)?,
                }),
                syn::GenericParam::Const(param) => params.push(GenericParam {
                    name: symbol(&param.ident),
                    constant: true,
                    bounds: Vec::new(),
                }),
                syn::GenericParam::Lifetime(_) => {}
            }
        }
        Ok(params)
    }

    fn predicates(&self, clause: Option<&syn::WhereClause>) -> Result<Vec<Predicate>> {
        let mut predicates = Vec::new();
        for predicate in clause.iter().flat_map(|clause| &clause.predicates) {
            if let syn::WherePredicate::Type(predicate) = predicate {
                predicates.push(Predicate {
                    ty: self.ty(&predicate.bounded_ty)?,
                    bounds: self.bounds(&predicate.bounds)?,
                });
            }
        }
        Ok(predicates)
    }

    /// The traits of a bound.
    fn bounds<T>(
        &self,
        bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, T>,
    ) -> Result<Vec<Path>> {
        let mut traits = Vec::new();
        for bound in bounds {
            if let syn::TypeParamBound::Trait(bound) = bound
                && !bound.path.is_ident("Sized")
            {
                traits.push(self.path(None, &bound.path)?);
            }
        }
        Ok(traits)
    }

    fn imports(
        &self,
        tree: &syn::UseTree,
        prefix: &mut Vec<Symbol>,
        imports: &mut Vec<Import>,
    ) -> Result<()> {
        let span = self.span_of(tree);
        match tree {
            syn::UseTree::Path(tree) => {
                prefix.push(symbol(&tree.ident));
                self.imports(&tree.tree, prefix, imports)?;
                prefix.pop();
            }
            syn::UseTree::Name(tree) => {
                let mut path = prefix.clone();
                let mut name = symbol(&tree.ident);
                if tree.ident == "self" {
                    name = path.last().copied().unwrap_or(name);
                } else {
                    path.push(name);
                }
                imports.push(Import {
                    path,
                    name: Some(name),
                    span,
                });
            }
            syn::UseTree::Rename(tree) => {
                let mut path = prefix.clone();
                if tree.ident != "self" {
                    path.push(symbol(&tree.ident));
                }
                imports.push(Import {
                    path,
                    name: Some(symbol(&tree.rename)),
                    span,
                });
            }
            syn::UseTree::Glob(_) => imports.push(Import {
                path: prefix.clone(),
                name: None,
                span,
            }),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.imports(tree, prefix, imports)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn ty(&self, ty: &syn::Type) -> Result<Type> {
        let span = self.span_of(ty);
        let kind = match ty {
            syn::Type::Path(ty) => TypeKind::Path(self.path(ty.qself.as_ref(), &ty.path)?),
            syn::Type::Reference(reference) => return self.ty(&reference.elem),
            syn::Type::Paren(ty) => return self.ty(&ty.elem),
            syn::Type::Group(ty) => return self.ty(&ty.elem),
            syn::Type::Array(array) => TypeKind::Array(
                Box::new(self.ty(&array.elem)?),
                Box::new(self.expr(&array.len)?),
            ),
            syn::Type::Slice(slice) => TypeKind::Slice(Box::new(self.ty(&slice.elem)?)),
            syn::Type::Tuple(tuple) => {
                let types: Result<Vec<_>> = tuple.elems.iter().map(|ty| self.ty(ty)).collect();
                TypeKind::Tuple(types?)
            }
            syn::Type::Infer(_) | syn::Type::ImplTrait(_) | syn::Type::Never(_) => {
                TypeKind::Unknown
            }
            syn::Type::TraitObject(_) => {
                return fail_help(
                    span,
                    "dynamic dispatch is not in the subset",
                    "take a generic parameter bounded by the trait",
                );
            }
            _ => return fail(span, "this type is not in the subset"),
        };
        Ok(Type { kind, span })
    }

    pub(super) fn path(&self, qself: Option<&syn::QSelf>, path: &syn::Path) -> Result<Path> {
        let span = self.span_of(path);
        let mut segments = Vec::new();
        for segment in &path.segments {
            let generics = match &segment.arguments {
                syn::PathArguments::None => Vec::new(),
                syn::PathArguments::AngleBracketed(arguments) => {
                    self.generic_arguments(arguments)?
                }
                syn::PathArguments::Parenthesized(_) => {
                    return fail(span, "closures and function types are not in the subset");
                }
            };
            segments.push(Segment {
                name: symbol(&segment.ident),
                generics,
            });
        }
        let qualified = match qself {
            None => None,
            Some(qself) => {
                let rest = segments.split_off(qself.position);
                let of = (!segments.is_empty()).then_some(Path {
                    qualified: None,
                    segments,
                    span,
                });
                segments = rest;
                Some(Box::new((self.ty(&qself.ty)?, of)))
            }
        };
        Ok(Path {
            qualified,
            segments,
            span,
        })
    }

    pub(super) fn generic_arguments(
        &self,
        arguments: &syn::AngleBracketedGenericArguments,
    ) -> Result<Vec<GenericArg>> {
        let mut generics = Vec::new();
        for argument in &arguments.args {
            match argument {
                syn::GenericArgument::Type(ty) => generics.push(GenericArg::Type(self.ty(ty)?)),
                syn::GenericArgument::Const(value) => {
                    generics.push(GenericArg::Const(self.expr(value)?));
                }
                _ => {}
            }
        }
        Ok(generics)
    }

    pub(super) fn pattern(&self, pattern: &syn::Pat) -> Result<Pattern> {
        let span = self.span_of(pattern);
        let list = |patterns: &syn::punctuated::Punctuated<syn::Pat, _>| {
            patterns
                .iter()
                .map(|pattern| self.pattern(pattern))
                .collect::<Result<Vec<_>>>()
        };
        let kind = match pattern {
            syn::Pat::Wild(_) => PatternKind::Wild,
            syn::Pat::Ident(ident) if ident.subpat.is_none() => {
                PatternKind::Bind(symbol(&ident.ident))
            }
            syn::Pat::Type(typed) => return self.pattern(&typed.pat),
            syn::Pat::Paren(inner) => return self.pattern(&inner.pat),
            syn::Pat::Reference(inner) => return self.pattern(&inner.pat),
            syn::Pat::Tuple(tuple) => PatternKind::Tuple(list(&tuple.elems)?),
            syn::Pat::TupleStruct(tuple) => {
                let patterns = list(&tuple.elems)?.into_iter().enumerate();
                PatternKind::Struct(
                    patterns
                        .map(|(index, pattern)| (Symbol::new(&index.to_string()), pattern))
                        .collect(),
                )
            }
            syn::Pat::Slice(slice) => PatternKind::Array(list(&slice.elems)?),
            syn::Pat::Struct(structure) => {
                let mut fields = Vec::new();
                for field in &structure.fields {
                    let name = match &field.member {
                        syn::Member::Named(name) => symbol(name),
                        syn::Member::Unnamed(index) => Symbol::new(&index.index.to_string()),
                    };
                    fields.push((name, self.pattern(&field.pat)?));
                }
                PatternKind::Struct(fields)
            }
            syn::Pat::Lit(literal) => match self.expr(&syn::Expr::Lit(literal.clone()))?.kind {
                ExprKind::Int(value) => PatternKind::Int(value, value),
                ExprKind::Bool(value) => PatternKind::Bool(value),
                _ => return fail(span, "this pattern is not in the subset"),
            },
            syn::Pat::Range(range) => {
                let bound = |end: &Option<Box<syn::Expr>>, default| match end {
                    None => Ok(default),
                    Some(end) => match self.expr(end)?.kind {
                        ExprKind::Int(value) => Ok(value),
                        _ => fail(span, "bounds of a range pattern must be integer literals"),
                    },
                };
                let low = bound(&range.start, 0)?;
                let high = bound(&range.end, u64::MAX)?;
                match range.limits {
                    syn::RangeLimits::HalfOpen(_) if range.end.is_some() => {
                        let Some(high) = high.checked_sub(1) else {
                            return fail(span, "this range is empty");
                        };
                        PatternKind::Int(low, high)
                    }
                    _ => PatternKind::Int(low, high),
                }
            }
            syn::Pat::Or(or) => {
                let cases: Result<Vec<_>> =
                    or.cases.iter().map(|case| self.pattern(case)).collect();
                PatternKind::Or(cases?)
            }
            _ => return fail(span, "this pattern is not in the subset"),
        };
        Ok(Pattern { kind, span })
    }
}

/// Whether an item is only there for tests or for the native build.
fn skipped(attributes: &[syn::Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("test"))
}

fn skipped_macro(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Macro(item) if skipped(&item.attrs))
}

/// Whether a type has a reference in it: types are read without them, so that implementations for a
/// type and for references to it could not be told apart.
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
