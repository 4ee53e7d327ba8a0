//! Conversions by `From`, and default values.

use std::rc::Rc;

use super::generics::Generics;
use super::*;
use crate::compiler::value::Held;

/// Largest number of elements for which the standard library implements `Default` of arrays.
const MAX_DEFAULT: u64 = 32;

impl Evaluator<'_> {
    /// Converts a value, as `T::from(value)` does.
    pub(super) fn converted(&mut self, value: Value, to: &Ty, span: Span) -> Eval<Value> {
        if matches!(to, Ty::Unknown | Ty::Int(None)) {
            return fail_help(
                span,
                "the type to which this is converted is not known here",
                "write `B::from(..)`, with that type for `B`",
            );
        }
        let operands = std::slice::from_ref(&value);
        let own = self.implementation_for(("From", "from"), to, operands, span)?;
        match own {
            Some(callee) if !value.is_of(to) => self.call_operator(callee, vec![value], span),
            Some(_) => fail_help(
                span,
                "this may convert the value, or leave it as it is",
                "write the types of what is converted, and of the result",
            ),
            None => self.converted_by_standard(value, to, span),
        }
    }

    /// Converts a value as the standard library does.
    fn converted_by_standard(&mut self, value: Value, to: &Ty, span: Span) -> Eval<Value> {
        match (to, &value) {
            (Ty::Vec(_), Value::Vec(_, Held::Owned)) => {}
            (Ty::Vec(element), Value::Array(values) | Value::Vec(values, _)) => {
                self.walk(&value, span)?;
                let values = if self.is_owned(&value) {
                    values.to_vec()
                } else {
                    self.can_copy(&value, span)?;
                    self.can_clone(&value, span)?;
                    let values = values.iter();
                    values.map(|value| self.cloned(value.clone())).collect()
                };
                let ty = Ty::Vec(element.clone());
                return self.settle(Value::Vec(Rc::new(values), Held::Owned), &ty, span);
            }
            (Ty::Array(..), Value::Vec(..)) => return self.inconvertible(&value, to, span),
            // A literal's type is another one, as far as this tells.
            (Ty::Int(Some(ty)), Value::Int(..) | Value::Bool(_)) => {
                return self.integer_from(&value, *ty, span);
            }
            _ => {}
        }
        if value.is_of(to) {
            self.settle(value, to, span)
        } else {
            self.inconvertible(&value, to, span)
        }
    }

    /// Converts a value, as `T::try_from(value)` of the standard library does.
    pub(super) fn try_converted(&mut self, value: Value, to: &Ty, span: Span) -> Eval<Value> {
        match self.found_type(to) {
            Ty::Int(Some(ty)) if !ty.is_open() => self.integer_try_from(&value, ty, span),
            Ty::Array(element, Some(length)) => self.array_try_from(value, element, length, span),
            _ => fail_help(
                span,
                "the type to which this is converted is not known here",
                "write it: `let x: u8 = ..`, `u8::try_from(..)`, `<[u8; 4]>::try_from(..)`",
            ),
        }
    }

    /// Makes an array of a slice or a `Vec`, if it has as many elements.
    fn array_try_from(
        &mut self,
        value: Value,
        element: Rc<Ty>,
        length: u64,
        span: Span,
    ) -> Eval<Value> {
        const ERROR: &str = "TryFromSliceError";
        let (all, moved) = match &value {
            Value::Vec(all, Held::Shared) => {
                let all = all.iter().map(|value| self.shared(value.clone()));
                (Rc::new(all.collect()), false)
            }
            Value::Vec(all, _) => (all.clone(), true),
            Value::Array(all) => (all.clone(), false),
            other => return argument::mismatch("a slice or a `Vec`", other, span),
        };
        self.charge(all.len() as u64, span)?;
        let error = if moved {
            value.ty()
        } else {
            Ty::Struct(self.items.std_enum(ERROR), Rc::default())
        };
        let fits = all.len() as u64 == length;
        let to = Ty::Array(element, Some(length));
        let (variant, value) = if fits {
            ("Ok", self.settled(Value::Array(all), &to, span)?)
        } else if moved {
            ("Err", value)
        } else {
            let (none, fields) = (Rc::default(), Vec::new());
            (
                "Err",
                self.standard_variant(ERROR, ERROR, none, fields, span)?,
            )
        };
        self.standard_variant("Result", variant, [to, error].into(), vec![value], span)
    }

    fn inconvertible<T>(&self, value: &Value, to: &Ty, span: Span) -> Eval<T> {
        let (from, to) = (self.shown_type_of(value), self.shown_type(to));
        fail_help(
            span,
            format!("`{from}` does not convert to `{to}`"),
            format!("write `impl From<{from}> for {to}`"),
        )
    }

    /// Returns the default value of a type: that of the program's function, of a derive, or of the
    /// standard library.
    pub(super) fn default_value(&mut self, ty: &Ty, span: Span) -> Eval<Value> {
        self.charge(1, span)?;
        Ok(match ty {
            Ty::Int(ty) => Value::Int(0, *ty),
            Ty::Bool => Value::Bool(false),
            Ty::Phantom => Value::Phantom,
            Ty::Text => Value::Text("".into()),
            Ty::Vec(_) => Value::Vec(Rc::default(), Held::Owned),
            Ty::Tuple(types) => {
                let types = types.iter();
                let values = types.map(|ty| self.default_value(ty, span));
                Value::Tuple(Rc::new(values.collect::<Eval<_>>()?))
            }
            Ty::Array(_, Some(length)) if *length > MAX_DEFAULT => {
                let message = format!("arrays of {length} elements have no default value");
                return fail_help(span, message, "write the elements: `[value; N]`");
            }
            // Each element is computed, as by `Default` of arrays.
            Ty::Array(element, Some(length)) => {
                let values = (0..*length).map(|_| self.default_value(element, span));
                let values = Rc::new(values.collect::<Eval<_>>()?);
                return self.bounded(Value::Array(values), span);
            }
            // A type that holds itself, which rustc refuses, would have no end.
            Ty::Struct(id, generics) => {
                return self.nested(span, |this| this.default_of(*id, generics, ty, span));
            }
            Ty::Unknown => {
                let help = "write the type: `let x: T = ..`, or `T::default()`";
                return fail_help(span, "cannot tell what type this is", help);
            }
            ty => {
                let zero = builtin::constant(ty, "ZERO");
                let zero = zero.filter(|_| matches!(ty, Ty::Felt | Ty::Ext | Ty::Block));
                match zero {
                    Some(zero) => zero,
                    None => {
                        let ty = self.shown_type(ty);
                        return fail(span, format!("`{ty}` has no default value"));
                    }
                }
            }
        })
    }

    fn default_of(&mut self, id: usize, generics: &Rc<[Ty]>, ty: &Ty, span: Span) -> Eval<Value> {
        let own = self.implementation_for(("Default", "default"), ty, &[], span)?;
        let items = self.items;
        let info = &items.structs[id];
        match own {
            Some(_) if info.ast.derives("Default") => {
                let message = "the default value may be the derived one or the program's";
                return fail_help(span, message, "write the function with a name of its own");
            }
            Some(callee) => return self.invoke(callee, Vec::new(), span),
            None => {}
        }
        let mut variants = info.ast.variants.iter();
        let chosen = variants.position(|variant| variant.default || !info.ast.is_enum);
        let Some(number) = chosen.filter(|_| info.ast.derives("Default")) else {
            let name = info.ast.name;
            let help = "derive `Default`, or implement it";
            return fail_help(span, format!("`{name}` has no default value"), help);
        };
        let fields = &info.ast.variant(number).fields;
        let bound = Generics::of(&info.ast.generics, generics.iter().cloned());
        let this = Some(ty.clone());
        let types: Vec<Ty> = self.within(span, info.module, bound, this, None, |this| {
            fields.iter().map(|(_, ty)| this.ty(ty)).collect()
        })?;
        let values = types.iter().map(|ty| self.default_value(ty, span));
        let values = values.collect::<Eval<_>>()?;
        self.make_variant(id, number, generics.clone(), values, ty, span)
    }
}
