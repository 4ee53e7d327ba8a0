//! Evaluation of type expressions.

use std::rc::Rc;

use super::generics::{Generics, kind};
use super::unify::head;
use super::*;
use crate::compiler::resolve::{Head, ImplInfo, RANGES, TraitName};

/// Returns whether a path that names nothing else is the type of text.
pub(super) fn is_text(path: &Path) -> bool {
    path.ident().is_some_and(|name| name == "str")
}

impl Evaluator<'_> {
    pub(super) fn ty(&mut self, ty: &Type) -> Eval<Ty> {
        let span = ty.span;
        let ty = match &ty.kind {
            TypeKind::Unknown => Ty::Unknown,
            TypeKind::Slice(element) => Ty::Array(Rc::new(self.ty(element)?), None),
            TypeKind::Array(element, length) => {
                let element = self.ty(element)?;
                let length = match &length.kind {
                    ExprKind::Path(path) if self.is_unknown_constant(path) => None,
                    _ => Some(self.length(length)?),
                };
                Ty::Array(Rc::new(element), length)
            }
            TypeKind::Tuple(types) => {
                let types: Eval<Vec<_>> = types.iter().map(|ty| self.ty(ty)).collect();
                Ty::Tuple(types?.into())
            }
            TypeKind::Function(..) => Ty::Closure,
            TypeKind::Path(path) => self.path_type(path)?,
        };
        self.bounded_type(ty, span)
    }

    /// Returns the type that a path names. All of its segments belong to the type.
    pub(super) fn path_type(&mut self, path: &Path) -> Eval<Ty> {
        self.path_prefix_type(path, path.segments.len())
    }

    /// Returns the type that the first `length` segments of a path name. What belongs to an unknown
    /// type is unknown.
    pub(super) fn path_prefix_type(&mut self, path: &Path, length: usize) -> Eval<Ty> {
        let (mut ty, mut used) = match &path.qualified {
            Some(qualified) => (self.ty(&qualified.0)?, 0),
            None => self.first_type(path, length)?,
        };
        while used < length && !matches!(ty, Ty::Unknown) {
            ty = match self.standard_associated(&ty, path, used)? {
                Some(ty) => ty,
                None => self.associated_type(&ty, path, used)?,
            };
            used += 1;
        }
        Ok(ty)
    }

    /// Returns what a built-in type has as an associated type of a trait of the standard library:
    /// the result of an operator, or the elements of an iterator.
    fn standard_associated(&mut self, ty: &Ty, path: &Path, index: usize) -> Eval<Option<Ty>> {
        let (items, name) = (self.items, path.segments[index].name);
        let qualified = path.qualified.as_deref().filter(|_| index == 0);
        let operand = match qualified {
            Some((_, Some(of))) => match items.trait_named(self.module(), of)? {
                TraitName::User(_) => return Ok(None),
                TraitName::Builtin(_) => match of.segments.last().map(|of| &*of.generics) {
                    Some([GenericArg::Type(operand)]) => self.ty(operand)?,
                    _ => ty.clone(),
                },
            },
            _ => Ty::Unknown,
        };
        let heads = [head(ty), Some(Head::Any)].into_iter().flatten();
        let declared = heads.filter_map(|head| items.types.get(&(head, name)));
        let declared: Vec<&ImplInfo> = declared
            .flatten()
            .map(|item| &items.impls[item.implementation])
            .collect();
        // `Self::Output` may be that of the implementation in which it is written.
        let here = self.activations.last().and_then(|here| here.owner);
        let own = here.is_some_and(|owner| {
            let mut types = items.impls[owner.implementation].ast.types.iter();
            owner.default_of.is_none() && types.any(|(own, _)| *own == name)
        });
        let mut traits = declared.iter().map(|info| info.of);
        let of_operator = traits.any(|of| matches!(of, Some(TraitName::Builtin(_))));
        let named = matches!(qualified, Some((_, Some(_))));
        if !named
            && !declared.is_empty()
            && (!of_operator || own && path.segments[0].name == "Self")
        {
            return Ok(None);
        }
        Ok(match (&*name.text(), ty, operand) {
            ("Item", Ty::Iter(element), _) => Some((**element).clone()),
            (_, _, Ty::Struct(..)) => None,
            // Of which operator it is, the program's or the language's, is not known here.
            ("Output", Ty::Ext | Ty::Int(_) | Ty::Bool, Ty::Unknown) if of_operator => {
                Some(Ty::Unknown)
            }
            ("Output", Ty::Ext | Ty::Int(_) | Ty::Bool, _) => Some(ty.clone()),
            ("Output", Ty::Felt, Ty::Ext) => Some(Ty::Ext),
            ("Output", Ty::Felt, Ty::Felt) => Some(Ty::Felt),
            // The product of a Felt and an Ext is an Ext.
            ("Output", Ty::Felt, _) => Some(Ty::Unknown),
            _ => None,
        })
    }

    fn first_type(&mut self, path: &Path, length: usize) -> Eval<(Ty, usize)> {
        let first = &path.segments[0];
        if first.name == "Self" {
            let here = self.here();
            return match here.self_type.clone() {
                Some(ty) => Ok((self.found_type(&ty), 1)),
                None => fail(path.span, "`Self` has no meaning here"),
            };
        }
        if let Some(ty) = self.type_parameter(first.name) {
            return Ok((self.found_type(ty), 1));
        }
        let prefix = Path {
            qualified: None,
            segments: path.segments[..length].to_vec(),
            span: path.span,
        };
        let module = self.module();
        let Some((definition, used)) = self.items.path(module, &prefix, Namespace::Type)? else {
            if is_text(&prefix) {
                return Ok((Ty::Text, 1));
            }
            let name = first.name;
            return missing(&format!("type `{name}`"), name, path.span);
        };
        let arguments = &path.segments[used - 1].generics;
        let ty = match definition {
            Definition::Struct(id) => {
                let info = &self.items.structs[id];
                let (params, defined_in) = (info.ast.clone(), info.module);
                let mut generics = self.open(&params.generics, arguments)?;
                // Where no argument is written, Rust may infer them instead.
                let left = params.generics.iter().skip(arguments.len());
                for param in left.filter(|_| !arguments.is_empty()) {
                    if let Some(default) = &param.default {
                        let known = generics.clone();
                        let body = |this: &mut Self| this.argument(Some(param), default);
                        let ty = self.within(path.span, defined_in, known, None, None, body)?;
                        generics.bind(param.name, kind(param.constant), &ty);
                    }
                }
                Ty::Struct(id, generics.arguments())
            }
            Definition::Alias(defined_in, alias) => {
                let generics = self.open(&alias.generics, arguments)?;
                self.within(path.span, defined_in, generics, None, None, |this| {
                    this.ty(&alias.ty)
                })?
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
            "PhantomData" => Ty::Phantom,
            "Vec" => match arguments {
                [] => Ty::Vec(Rc::new(Ty::Unknown)),
                [GenericArg::Type(element)] => Ty::Vec(Rc::new(self.ty(element)?)),
                _ => return fail(span, "a `Vec` has one generic argument, a type"),
            },
            "Unchecked" => match arguments.first() {
                Some(GenericArg::Type(ty)) => Ty::Unchecked(Rc::new(self.ty(ty)?)),
                _ => Ty::Unchecked(Rc::new(Ty::Unknown)),
            },
            "Words" | "Index" => {
                let length = match arguments.first() {
                    Some(argument) => self.generic_constant(argument, Ty::USIZE)?,
                    None => Ty::Unknown,
                };
                let length = match length {
                    Ty::Const(length, _) => u64::try_from(length).ok(),
                    _ => None,
                };
                match length {
                    Some(length) if name == "Words" => Ty::Words(length),
                    Some(length) => Ty::Index(length),
                    None => Ty::Unknown,
                }
            }
            range if RANGES.contains(&range) => Ty::Iter(Rc::new(match arguments {
                [GenericArg::Type(element)] => self.ty(element)?,
                _ => Ty::Unknown,
            })),
            // Values of other types of the standard library say of themselves what they are.
            other if other.contains("::") => Ty::Unknown,
            other => match IntType::named(other) {
                Some(ty) => Ty::Int(Some(ty)),
                None => return fail(span, format!("`{other}` is not a type")),
            },
        })
    }

    /// Returns what a type expression says about a value, above all about the integers in it,
    /// without evaluating anything: lengths and other constants are literals, or names of parameters
    /// or of literals.
    pub(super) fn integers_of(
        &mut self,
        ty: &Type,
        module: ModuleId,
        generics: &Generics,
    ) -> Eval<Ty> {
        let known = match &ty.kind {
            TypeKind::Slice(element) => {
                Ty::Array(Rc::new(self.integers_of(element, module, generics)?), None)
            }
            TypeKind::Array(element, length) => {
                let element = self.integers_of(element, module, generics)?;
                let length = self.written_constant(length, module, generics)?;
                let length = length.and_then(|length| u64::try_from(length).ok());
                Ty::Array(Rc::new(element), length)
            }
            TypeKind::Tuple(types) => {
                let types = types.iter();
                let types = types.map(|ty| self.integers_of(ty, module, generics));
                Ty::Tuple(types.collect::<Eval<_>>()?)
            }
            TypeKind::Unknown | TypeKind::Function(..) => Ty::Unknown,
            TypeKind::Path(path) => self.integers_of_path(path, module, generics)?,
        };
        self.bounded_type(known, ty.span)
    }

    /// Returns the integer that an expression in a type is, if it is a literal, or the name of a
    /// parameter or of a literal.
    fn written_constant(
        &self,
        expr: &Expr,
        module: ModuleId,
        generics: &Generics,
    ) -> Eval<Option<i128>> {
        match (&expr.kind, expr.ident()) {
            (ExprKind::Int(value, _), _) => Ok(Some(*value)),
            (_, Some(name)) => self.named_constant(name, module, generics, expr.span),
            _ => Ok(None),
        }
    }

    fn named_constant(
        &self,
        name: Symbol,
        module: ModuleId,
        generics: &Generics,
        span: Span,
    ) -> Eval<Option<i128>> {
        if let Some(argument) = generics.get(name, Namespace::Value) {
            return Ok(match argument {
                Ty::Const(value, _) => Some(*value),
                _ => None,
            });
        }
        let named = self.items.lookup(module, name, Namespace::Value, span)?;
        let Some(Definition::Const(_, constant)) = named.filter(|_| name != "_") else {
            return Ok(None);
        };
        Ok(constant.value.as_ref().and_then(|value| match value.kind {
            ExprKind::Int(value, _) => Some(value),
            _ => None,
        }))
    }

    /// Returns what [`Self::written_constant`] tells of an argument for a constant parameter.
    fn constant_of(
        &self,
        argument: &GenericArg,
        param: &GenericParam,
        module: ModuleId,
        generics: &Generics,
    ) -> Eval<Ty> {
        let value = match argument {
            GenericArg::Const(expr) => self.written_constant(expr, module, generics)?,
            GenericArg::Type(ty) => match ty.ident() {
                Some(name) => self.named_constant(name, module, generics, ty.span)?,
                None => None,
            },
        };
        let known = value.zip(param.integer);
        Ok(known.map_or(Ty::Unknown, |(value, ty)| Ty::Const(value, ty)))
    }

    fn integers_of_path(&mut self, path: &Path, module: ModuleId, generics: &Generics) -> Eval<Ty> {
        let (None, [before @ .., segment]) = (&path.qualified, path.segments.as_slice()) else {
            return Ok(Ty::Unknown);
        };
        let first = before.first().unwrap_or(segment).name;
        let items = self.items;
        let named = match generics.get(first, Namespace::Type) {
            Some(ty) if before.is_empty() => return Ok(ty.clone()),
            None if before.is_empty() => items.lookup(module, first, Namespace::Type, path.span)?,
            None if first != "Self" => {
                let found = items.path(module, path, Namespace::Type)?;
                let whole = found.filter(|(_, used)| *used == path.segments.len());
                whole.map(|(definition, _)| definition)
            }
            _ => None,
        };
        let arguments = segment.generics.iter().map(|argument| match argument {
            GenericArg::Type(ty) => self.integers_of(ty, module, generics),
            GenericArg::Const(_) => Ok(Ty::Unknown),
        });
        let mut arguments = arguments.collect::<Eval<Vec<_>>>()?;
        match named {
            Some(Definition::Alias(defined_in, alias)) => {
                let own = Generics::of(&alias.generics, arguments);
                self.integers_of(&alias.ty, defined_in, &own)
            }
            Some(Definition::Struct(id)) => {
                let mut types = arguments;
                let params = &items.structs[id].ast.generics;
                types.resize(params.len(), Ty::Unknown);
                for ((ty, param), argument) in types.iter_mut().zip(params).zip(&segment.generics) {
                    if param.constant {
                        *ty = self.constant_of(argument, param, module, generics)?;
                    }
                }
                Ok(Ty::Struct(id, types.into()))
            }
            Some(Definition::Intrinsic(name)) => Ok(match (&*name.text(), arguments.pop()) {
                ("Vec", Some(element)) => Ty::Vec(Rc::new(element)),
                (range, Some(element)) if RANGES.contains(&range) => Ty::Iter(Rc::new(element)),
                ("Felt", _) => Ty::Felt,
                ("Ext", _) => Ty::Ext,
                ("Block", _) => Ty::Block,
                ("bool", _) => Ty::Bool,
                (name, _) => IntType::named(name).map_or(Ty::Unknown, |ty| Ty::Int(Some(ty))),
            }),
            _ => Ok(Ty::Unknown),
        }
    }

    /// Evaluates generic arguments for parameters, and opens the parameters' scope.
    pub(super) fn open(
        &mut self,
        params: &[GenericParam],
        arguments: &[GenericArg],
    ) -> Eval<Generics> {
        let mut types = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            types.push(self.argument(params.get(index), argument)?);
        }
        Ok(Generics::of(params, types))
    }

    /// Evaluates a generic argument for a parameter.
    fn argument(&mut self, param: Option<&GenericParam>, argument: &GenericArg) -> Eval<Ty> {
        match argument {
            GenericArg::Type(ty) if !param.is_some_and(|param| param.constant) => self.ty(ty),
            argument => {
                let integer = param.and_then(|param| param.integer);
                let ty = integer.map_or(Ty::Bool, |ty| Ty::Int(Some(ty)));
                self.generic_constant(argument, ty)
            }
        }
    }

    /// Evaluates a constant generic argument for a parameter of type `wanted`.
    pub(super) fn generic_constant(&mut self, argument: &GenericArg, wanted: Ty) -> Eval<Ty> {
        let value = match argument {
            GenericArg::Const(expr) => {
                if let ExprKind::Path(path) = &expr.kind
                    && self.is_unknown_constant(path)
                {
                    return Ok(Ty::Unknown);
                }
                self.constantly(expr.span, |this| this.expr_of(expr, wanted.clone()))?
            }
            GenericArg::Type(ty) => match &ty.kind {
                TypeKind::Unknown => return Ok(Ty::Unknown),
                TypeKind::Path(path) if self.is_unknown_constant(path) => return Ok(Ty::Unknown),
                TypeKind::Path(path) => self.path_value(path)?,
                _ => return fail(ty.span, "expected a constant here"),
            },
        };
        match (self.settle(value, &wanted, argument.span())?, wanted) {
            (Value::Bool(value), _) => Ok(Ty::ConstBool(value)),
            (Value::Int(value, _), Ty::Int(Some(ty))) => Ok(Ty::Const(value, ty)),
            (other, _) => fail(
                argument.span(),
                format!("{other} cannot be a generic argument"),
            ),
        }
    }
}
