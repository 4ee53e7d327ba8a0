//! Values where a type is declared: parameters, results, `let`, fields and constants.

use super::*;
use crate::compiler::value::Held;

impl Evaluator<'_> {
    /// Refuses a value of another type than the declared one, as far as both are known.
    pub(super) fn check_type(&mut self, value: &Value, ty: &Type, span: Span) -> Eval<()> {
        if self.fits(value, ty, false)? {
            return Ok(());
        }
        let reference = match (ty.mutable, ty.reference) {
            (true, _) => "&mut ",
            (false, true) => "&",
            (false, false) => "",
        };
        let wanted = self.ty(ty)?;
        let wanted = format!("{reference}{}", self.shown_type(&wanted));
        self.mismatched(&wanted, value, span)
    }

    /// Refuses another value than `()` of code that has no result.
    pub(super) fn check_unit(&self, value: &Value, span: Span) -> Eval<()> {
        match value {
            Value::Tuple(values) if values.is_empty() => Ok(()),
            value => self.mismatched("()", value, span),
        }
    }

    pub(super) fn mismatched<T>(&self, wanted: &str, value: &Value, span: Span) -> Eval<T> {
        let found = match value.ty() {
            Ty::Unknown => value.to_string(),
            _ => format!("`{}`", self.shown_type_of(value)),
        };
        let message = format!("expected a value of type `{wanted}`, found {found}");
        match value {
            Value::Unchecked(_) => fail_help(span, message, UNCHECKED),
            _ => fail(span, message),
        }
    }

    /// Returns the type of a value as Rust writes it.
    pub(super) fn shown_type_of(&self, value: &Value) -> String {
        match value {
            Value::Struct(_, Held::Shared)
            | Value::Vec(_, Held::Shared)
            | Value::Empty(_, Held::Shared) => {
                format!("&{}", self.shown_type(&value.ty()))
            }
            Value::Text(_) => "&str".into(),
            Value::Reference(reference) => format!("&mut {}", self.shown_type(reference.ty())),
            Value::Tuple(values) if values.len() > 1 => {
                let types: Vec<_> = values
                    .iter()
                    .map(|value| self.shown_type_of(value))
                    .collect();
                format!("({})", types.join(", "))
            }
            Value::Array(values) => {
                let element = values.first().map(|value| self.shown_type_of(value));
                format!("[{}; {}]", element.as_deref().unwrap_or("_"), values.len())
            }
            value => self.shown_type(&value.ty()),
        }
    }

    /// Refuses an element of another type than that of the first.
    pub(super) fn check_element(
        &mut self,
        first: Option<&Value>,
        value: &Value,
        span: Span,
    ) -> Eval<()> {
        let Some(first) = first else {
            return Ok(());
        };
        let ty = self.bounded_type(first.ty(), span)?;
        if value.is_of(&ty) && self.held_alike(first, value) {
            return self.same_type(first, value, span);
        }
        self.mismatched(&self.shown_type_of(first), value, span)
    }

    /// Returns whether a value may be of the declared type. `behind` says that this is the type of a
    /// part of what a reference refers to.
    fn fits(&mut self, value: &Value, ty: &Type, behind: bool) -> Eval<bool> {
        // A mutable reference to a closure is the closure.
        if ty.mutable && !behind && !matches!(value, Value::Reference(_) | Value::Closure(_)) {
            return Ok(false);
        }
        let behind = behind || ty.reference;
        Ok(match (&ty.kind, value) {
            (TypeKind::Unknown, _) | (TypeKind::Function(..), Value::Closure(_)) => true,
            (_, Value::Reference(_)) => {
                let known = self.ty(ty)?;
                value.is_of(&known)
            }
            (TypeKind::Array(element, length), Value::Array(values)) => {
                let known = match &length.kind {
                    ExprKind::Path(path) => !self.is_unknown_constant(path),
                    _ => true,
                };
                (!known || self.length(length)? == values.len() as u64)
                    && self.all_fit(&values[..values.len().min(1)], element, behind)?
            }
            (TypeKind::Slice(element), Value::Array(values) | Value::Vec(values, _)) => {
                self.all_fit(&values[..values.len().min(1)], element, behind)?
            }
            (TypeKind::Tuple(types), Value::Tuple(values)) => {
                let mut fit = types.len() == values.len();
                for (ty, value) in types.iter().zip(values.iter()) {
                    fit = fit && self.fits(value, ty, behind)?;
                }
                fit
            }
            (TypeKind::Path(path), value) if self.names_standard(self.module(), path)? => {
                value.is_standard()
            }
            (TypeKind::Path(path), value) => {
                let known = self.path_type(path)?;
                value.is_of(&known)
                    && match value {
                        Value::Struct(_, held) | Value::Vec(_, held) => match held {
                            Held::Owned => !ty.reference || !self.is_owned(value),
                            Held::Shared => behind || !self.is_named(path, &known)?,
                            Held::Either => true,
                        },
                        Value::Array(_) => {
                            !matches!(known, Ty::Vec(_)) || !self.is_named(path, &known)?
                        }
                        _ => true,
                    }
            }
            _ => false,
        })
    }

    /// Returns whether a path names a type that [`Ty`] does not have: what is imported from the
    /// standard library.
    fn names_standard(&self, module: ModuleId, path: &Path) -> Eval<bool> {
        let first = path.segments.first().map(|first| first.name);
        if !self.is_of_items(path) || first.is_some_and(|name| self.type_parameter(name).is_some())
        {
            return Ok(false);
        }
        Ok(match self.items.path(module, path, Namespace::Type)? {
            Some((Definition::Intrinsic(name), _)) => name.text().contains("::"),
            Some((Definition::Alias(module, alias), _)) => match &alias.ty.kind {
                TypeKind::Path(path) => self.names_standard(module, path)?,
                _ => false,
            },
            _ => false,
        })
    }

    /// Returns how a variable that has no value yet will hold one.
    pub(super) fn declared_held(&self, declared: Option<&Type>, known: &Ty) -> Eval<Held> {
        Ok(match declared {
            Some(ty) if ty.reference => Held::Shared,
            Some(Type {
                kind: TypeKind::Path(path),
                ..
            }) if self.is_named(path, known)? => Held::Owned,
            _ => Held::Either,
        })
    }

    fn all_fit(&mut self, values: &[Value], ty: &Type, behind: bool) -> Eval<bool> {
        for value in values {
            if !self.fits(value, ty, behind)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a path names a structure or `Vec` itself. An alias, a parameter and an
    /// associated type may stand for a reference.
    pub(super) fn is_named(&self, path: &Path, ty: &Ty) -> Eval<bool> {
        if !self.is_of_items(path)
            || path
                .ident()
                .is_some_and(|name| self.type_parameter(name).is_some())
        {
            return Ok(false);
        }
        let found = self.items.path(self.module(), path, Namespace::Type)?;
        Ok(match (found, ty) {
            (Some((Definition::Struct(found), _)), Ty::Struct(id, _)) => found == *id,
            (Some((Definition::Intrinsic(name), _)), Ty::Vec(_)) => name == "Vec",
            _ => false,
        })
    }

    /// Returns a type as Rust writes it.
    pub(super) fn shown_type(&self, ty: &Ty) -> String {
        let list = |types: &[Ty]| {
            let types: Vec<_> = types.iter().map(|ty| self.shown_type(ty)).collect();
            types.join(", ")
        };
        match ty {
            Ty::Felt => "Felt".into(),
            Ty::Ext => "Ext".into(),
            Ty::Block => "Block".into(),
            Ty::Slice => "Slice".into(),
            Ty::Bool => "bool".into(),
            Ty::Phantom => "PhantomData".into(),
            Ty::Text => "str".into(),
            Ty::Closure => "impl Fn".into(),
            Ty::Iter(item) => format!("impl Iterator<Item = {}>", self.shown_type(item)),
            Ty::Int(ty) => self.found(*ty).map_or("{integer}", IntType::name).into(),
            Ty::Tuple(types) if types.len() == 1 => format!("({},)", list(types)),
            Ty::Tuple(types) => format!("({})", list(types)),
            Ty::Array(element, Some(length)) => format!("[{}; {length}]", self.shown_type(element)),
            Ty::Array(element, None) => format!("[{}]", self.shown_type(element)),
            Ty::Vec(element) => format!("Vec<{}>", self.shown_type(element)),
            Ty::Unchecked(inner) => format!("Unchecked<{}>", self.shown_type(inner)),
            Ty::Struct(id, generics) => {
                let name = self.items.structs[*id].ast.name;
                if generics.is_empty() {
                    name.to_string()
                } else {
                    format!("{name}<{}>", list(generics))
                }
            }
            Ty::Words(length) => format!("Words<{length}>"),
            Ty::Index(bound) => format!("Index<{bound}>"),
            Ty::Const(value, _) => value.to_string(),
            Ty::ConstBool(value) => value.to_string(),
            Ty::Unknown => "_".into(),
        }
    }
}
