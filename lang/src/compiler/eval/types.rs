//! Types: evaluation of type expressions, and finding implementations by matching.

use std::rc::Rc;

use super::*;
use crate::compiler::resolve::Head;

/// The head under which implementations of a type are listed.
pub(super) fn head(ty: &Ty) -> Option<Head> {
    let name = match ty {
        Ty::Struct(id, _) => return Some(Head::Struct(*id)),
        Ty::Array(..) => return Some(Head::Array),
        Ty::Tuple(_) => return Some(Head::Tuple),
        Ty::Felt => "Felt",
        Ty::Ext => "Ext",
        Ty::Block => "Block",
        Ty::Slice => "Slice",
        Ty::Bool => "bool",
        Ty::Int(Some(ty)) => ty.name(),
        Ty::Unchecked(_) => "Unchecked",
        Ty::Words(_) => "Words",
        Ty::Index(_) => "Index",
        Ty::Phantom => "PhantomData",
        Ty::Int(None) | Ty::Const(_) | Ty::ConstBool(_) | Ty::Unknown => return None,
    };
    Some(Head::Intrinsic(Symbol::new(name)))
}

/// Generic parameters and their arguments.
pub(super) type Bindings = Vec<(Symbol, Ty)>;

impl Evaluator<'_> {
    /// Runs `body` with names meaning what they mean in another item.
    pub(super) fn within<T>(
        &mut self,
        module: ModuleId,
        generics: Bindings,
        self_type: Option<Ty>,
        body: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        let site = self.activations.last().map_or(0, |here| here.site);
        self.activations.push(Activation {
            generics,
            self_type,
            site,
            ..Activation::new(module)
        });
        let result = body(self)?;
        self.activations.pop();
        Ok(result)
    }

    pub(super) fn ty(&mut self, ty: &Type) -> Eval<Ty> {
        Ok(match &ty.kind {
            TypeKind::Unknown => Ty::Unknown,
            TypeKind::Slice(element) => Ty::Array(Rc::new(self.ty(element)?), None),
            TypeKind::Array(element, length) => {
                let element = self.ty(element)?;
                let length = match &length.kind {
                    ExprKind::Path(path)
                        if path.ident().is_some_and(|name| &*name.text() == "_") =>
                    {
                        None
                    }
                    _ => Some(self.int(length)?),
                };
                Ty::Array(Rc::new(element), length)
            }
            TypeKind::Tuple(types) => {
                let types: Eval<Vec<_>> = types.iter().map(|ty| self.ty(ty)).collect();
                Ty::Tuple(types?.into())
            }
            TypeKind::Path(path) => self.path_type(path)?,
        })
    }

    /// The type a path names; every segment belongs to it.
    pub(super) fn path_type(&mut self, path: &Path) -> Eval<Ty> {
        self.path_prefix_type(path, path.segments.len())
    }

    /// The type named by the first `length` segments of a path.
    pub(super) fn path_prefix_type(&mut self, path: &Path, length: usize) -> Eval<Ty> {
        let (mut ty, mut used) = match &path.qualified {
            Some(qualified) => (self.ty(&qualified.0)?, 0),
            None => self.first_type(path, length)?,
        };
        while used < length {
            let name = path.segments[used].name;
            ty = self.associated_type(&ty, name, path.span)?;
            used += 1;
        }
        Ok(ty)
    }

    fn first_type(&mut self, path: &Path, length: usize) -> Eval<(Ty, usize)> {
        let first = &path.segments[0];
        if &*first.name.text() == "Self" {
            let here = self.here();
            return match here.self_type.clone() {
                Some(ty) => Ok((ty, 1)),
                None => fail(path.span, "`Self` has no meaning here"),
            };
        }
        if let Some(ty) = self.generic(first.name) {
            return Ok((ty, 1));
        }
        let prefix = Path {
            qualified: None,
            segments: path.segments[..length].to_vec(),
            span: path.span,
        };
        let module = self.module();
        let Some((definition, used)) = self.items.path(module, &prefix)? else {
            let name = first.name;
            return fail(path.span, format!("there is no type `{name}`"));
        };
        let arguments = &path.segments[used - 1].generics;
        let ty = match definition {
            Definition::Struct(id) => {
                let params = self.items.structs[id].ast.clone();
                let generics = self.generic_arguments(&params.generics, arguments)?;
                let generics = match generics.is_empty() {
                    false => generics,
                    true => vec![Ty::Unknown; params.generics.len()],
                };
                Ty::Struct(id, generics.into())
            }
            Definition::Alias(home, alias) => {
                let types = self.generic_arguments(&alias.generics, arguments)?;
                let names = alias.generics.iter().map(|param| param.name);
                let bindings = names.zip(types).collect();
                self.within(home, bindings, None, |this| this.ty(&alias.ty))?
            }
            Definition::Intrinsic(name) => self.intrinsic_type(name, arguments, path.span)?,
            _ => {
                let name = path.segments[used - 1].name;
                return fail(path.span, format!("`{name}` is not a type"));
            }
        };
        Ok((ty, used))
    }

    fn intrinsic_type(&mut self, name: Symbol, arguments: &[GenericArg], span: Span) -> Eval<Ty> {
        Ok(match &*name.text() {
            "Felt" => Ty::Felt,
            "Ext" => Ty::Ext,
            "Block" => Ty::Block,
            "Slice" => Ty::Slice,
            "bool" => Ty::Bool,
            "usize" | "u8" | "u16" | "u32" | "u64" => Ty::Int(IntType::named(&name.text())),
            "PhantomData" => Ty::Phantom,
            "Unchecked" => match arguments.first() {
                Some(GenericArg::Type(ty)) => Ty::Unchecked(Rc::new(self.ty(ty)?)),
                _ => Ty::Unchecked(Rc::new(Ty::Unknown)),
            },
            "Words" | "Index" => {
                let length = match arguments.first() {
                    Some(argument) => self.generic_constant(argument)?,
                    None => Ty::Unknown,
                };
                match (length, &*name.text()) {
                    (Ty::Const(n), "Words") => Ty::Words(n),
                    (Ty::Const(n), _) => Ty::Index(n),
                    _ => Ty::Unknown,
                }
            }
            other => return fail(span, format!("`{other}` is not a type")),
        })
    }

    /// Evaluates generic arguments for parameters.
    pub(super) fn generic_arguments(
        &mut self,
        params: &[GenericParam],
        arguments: &[GenericArg],
    ) -> Eval<Vec<Ty>> {
        let mut types = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let constant = params.get(index).is_some_and(|param| param.constant);
            types.push(match argument {
                GenericArg::Type(ty) if !constant => self.ty(ty)?,
                argument => self.generic_constant(argument)?,
            });
        }
        Ok(types)
    }

    fn generic_constant(&mut self, argument: &GenericArg) -> Eval<Ty> {
        let value = match argument {
            GenericArg::Const(expr) => {
                self.expected = Ty::Int(Some(IntType::Usize));
                self.expr(expr)?
            }
            GenericArg::Type(ty) => match &ty.kind {
                TypeKind::Path(path) => self.expr(&Expr {
                    kind: ExprKind::Path(path.clone()),
                    span: ty.span,
                })?,
                TypeKind::Unknown => return Ok(Ty::Unknown),
                _ => return fail(ty.span, "a constant is expected here"),
            },
        };
        match value {
            Value::Int(value, None | Some(IntType::Usize)) => Ok(Ty::Const(value)),
            Value::Bool(value) => Ok(Ty::ConstBool(value)),
            other => {
                let span = match argument {
                    GenericArg::Const(expr) => expr.span,
                    GenericArg::Type(ty) => ty.span,
                };
                let found = other.describe();
                fail(span, format!("{found} cannot be a generic argument"))
            }
        }
    }

    fn associated_type(&mut self, ty: &Ty, name: Symbol, span: Span) -> Eval<Ty> {
        let heads = [head(ty), Some(Head::Any)];
        for head in heads.into_iter().flatten() {
            let Some(candidates) = self.items.types.get(&(head, name)) else {
                continue;
            };
            for (implementation, index) in candidates {
                if let Some(bindings) = self.implements(*implementation, ty)? {
                    let info = &self.items.impls[*implementation];
                    let definition = &info.ast.types[*index].1;
                    return self.within(info.module, bindings, Some(ty.clone()), |this| {
                        this.ty(definition)
                    });
                }
            }
        }
        fail(span, format!("there is no type `{name}` of this type"))
    }

    /// The generic arguments with which an implementation is for `ty`, if it is.
    pub(super) fn implements(&mut self, implementation: usize, ty: &Ty) -> Eval<Option<Bindings>> {
        let info = &self.items.impls[implementation];
        let mut bindings = Vec::new();
        let matches = self.unify(
            &info.ast.self_type,
            ty,
            info.module,
            &info.ast.generics,
            &mut bindings,
        )?;
        Ok(matches.then_some(bindings))
    }

    /// Matches a type expression against a type, binding parameters.
    pub(super) fn unify(
        &mut self,
        pattern: &Type,
        actual: &Ty,
        module: ModuleId,
        params: &[GenericParam],
        bindings: &mut Bindings,
    ) -> Eval<bool> {
        if matches!(actual, Ty::Unknown) {
            return Ok(true);
        }
        match (&pattern.kind, actual) {
            (TypeKind::Unknown, _) => Ok(true),
            (TypeKind::Array(element, length), Ty::Array(found, size)) => {
                if let (ExprKind::Path(path), Some(size)) = (&length.kind, size)
                    && let Some(name) = path.ident()
                    && params.iter().any(|param| param.name == name)
                    && !bind(bindings, name, &Ty::Const(*size))
                {
                    return Ok(false);
                }
                self.unify(element, found, module, params, bindings)
            }
            (TypeKind::Slice(element), Ty::Array(found, _)) => {
                self.unify(element, found, module, params, bindings)
            }
            (TypeKind::Tuple(patterns), Ty::Tuple(types)) => {
                if patterns.len() != types.len() {
                    return Ok(false);
                }
                for (pattern, ty) in patterns.iter().zip(types.iter()) {
                    if !self.unify(pattern, ty, module, params, bindings)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (TypeKind::Path(path), _) => self.unify_path(path, actual, module, params, bindings),
            _ => Ok(false),
        }
    }

    fn unify_path(
        &mut self,
        path: &Path,
        actual: &Ty,
        module: ModuleId,
        params: &[GenericParam],
        bindings: &mut Bindings,
    ) -> Eval<bool> {
        if let Some(name) = path.ident() {
            if params.iter().any(|param| param.name == name) {
                return Ok(bind(bindings, name, actual));
            }
            if &*name.text() == "Self" {
                return Ok(true);
            }
        }
        let first = path.segments.first().map(|segment| segment.name);
        let projection = path.qualified.is_some()
            || path.segments.len() > 1
                && first.is_some_and(|name| {
                    params.iter().any(|param| param.name == name) || &*name.text() == "Self"
                });
        if projection {
            return Ok(true);
        }
        let Some((definition, used)) = self.items.path(module, path)? else {
            return Ok(true);
        };
        let arguments = &path.segments[used - 1].generics;
        let (expected, actuals): (&[GenericParam], Vec<Ty>) = match (&definition, actual) {
            (Definition::Struct(id), Ty::Struct(found, types)) if id == found => {
                (&self.items.structs[*id].ast.generics, types.to_vec())
            }
            (Definition::Alias(home, alias), _) if alias.generics.is_empty() => {
                return self.unify(&alias.ty, actual, *home, &[], bindings);
            }
            (Definition::Alias(..), _) => return Ok(true),
            (Definition::Intrinsic(name), _) => match (&*name.text(), actual) {
                ("Unchecked", Ty::Unchecked(inner)) => (&[], vec![(**inner).clone()]),
                ("Words", Ty::Words(n)) | ("Index", Ty::Index(n)) => (&[], vec![Ty::Const(*n)]),
                (text, Ty::Int(ty)) => {
                    let named = IntType::named(text);
                    return Ok(named.is_some() && (ty.is_none() || named == *ty));
                }
                (text, _) => {
                    return Ok(head(actual) == Some(Head::Intrinsic(Symbol::new(text))));
                }
            },
            _ => return Ok(false),
        };
        for (index, (argument, actual)) in arguments.iter().zip(&actuals).enumerate() {
            let constant = expected.get(index).is_some_and(|param| param.constant)
                || matches!(actual, Ty::Const(_) | Ty::ConstBool(_));
            let matches = match argument {
                GenericArg::Type(ty) => {
                    let name = match &ty.kind {
                        TypeKind::Path(path) => path.ident(),
                        _ => None,
                    };
                    match name {
                        Some(name) if params.iter().any(|param| param.name == name) => {
                            bind(bindings, name, actual)
                        }
                        _ if constant => {
                            let module_bindings = bindings.clone();
                            let value = self.within(module, module_bindings, None, |this| {
                                this.generic_constant(argument)
                            })?;
                            value.matches(actual)
                        }
                        _ => self.unify(ty, actual, module, params, bindings)?,
                    }
                }
                GenericArg::Const(expr) => match expr.kind {
                    ExprKind::Int(..) | ExprKind::Bool(_) => {
                        let value = self.within(module, Vec::new(), None, |this| {
                            this.generic_constant(argument)
                        })?;
                        value.matches(actual)
                    }
                    _ => true,
                },
            };
            if !matches {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Binds a parameter, or compares with what it is bound to.
fn bind(bindings: &mut Bindings, name: Symbol, ty: &Ty) -> bool {
    match bindings.iter_mut().find(|(bound, _)| *bound == name) {
        Some((_, bound)) => {
            let matches = bound.matches(ty);
            if matches!(bound, Ty::Unknown) {
                *bound = ty.clone();
            }
            matches
        }
        None => {
            bindings.push((name, ty.clone()));
            true
        }
    }
}
