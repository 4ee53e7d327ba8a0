//! Casts and conversions of integers known at compile time.

use super::operation::wrapped;
use super::*;

impl Evaluator<'_> {
    /// Evaluates `value as ty`.
    pub(in super::super) fn cast_integer(
        &mut self,
        value: &Value,
        ty: IntType,
        span: Span,
    ) -> Eval<Value> {
        match value {
            // Only a `u8` can be cast to a `char`.
            Value::Int(value, found) if ty == IntType::Char => {
                if !matches!(self.found(*found), Some(IntType::Char)) {
                    self.common(*found, Some(IntType::U8), span)?;
                }
                self.fitting(*value, Some(ty), span)
            }
            Value::Int(value, _) => self.made(wrapped(*value, ty), ty, span),
            Value::Bool(value) => Ok(Value::Int(i128::from(*value), Some(ty))),
            other => {
                let help = match other {
                    Value::Flag(_) => "write `if b { felt(1) } else { felt(0) }`",
                    _ => "make a field element of an integer with `felt(n)`",
                };
                fail_help(span, "casts are for integers known at compile time", help)
            }
        }
    }

    /// Evaluates `ty::from(value)`. rustc has found that the type holds all values of the other.
    pub(in super::super) fn integer_from(
        &mut self,
        value: &Value,
        ty: IntType,
        span: Span,
    ) -> Eval<Value> {
        match value {
            Value::Int(value, _) => self.fitting(*value, Some(ty), span),
            Value::Bool(value) => Ok(Value::Int(i128::from(*value), Some(ty))),
            other => argument::mismatch("an integer known at compile time", other, span),
        }
    }

    /// Evaluates `ty::try_from(value)`.
    pub(in super::super) fn integer_try_from(
        &mut self,
        value: &Value,
        ty: IntType,
        span: Span,
    ) -> Eval<Value> {
        let Value::Int(value, found) = value else {
            return argument::mismatch("an integer known at compile time", value, span);
        };
        if matches!(self.found(*found), Some(IntType::Char)) || ty == IntType::Char {
            return fail_help(
                span,
                "`try_from` of a `char` is not in the subset",
                "write `x as char` of a `u8`, or `x as u32` of a `char`",
            );
        }
        const ERROR: &str = "TryFromIntError";
        let error = Ty::Struct(self.items.std_enum(ERROR), Rc::default());
        let generics = [Ty::Int(Some(ty)), error].into();
        // Of the values of a `u128` beyond this largest one there are none here.
        let (variant, value) = if holds(ty, *value) {
            ("Ok", Value::Int(*value, Some(ty)))
        } else {
            let (none, fields) = (Rc::default(), Vec::new());
            (
                "Err",
                self.standard_variant(ERROR, ERROR, none, fields, span)?,
            )
        };
        self.standard_variant("Result", variant, generics, vec![value], span)
    }

    /// Evaluates `ty::from_le_bytes(bytes)` or `ty::from_be_bytes(bytes)`.
    pub(in super::super) fn integer_from_bytes(
        &mut self,
        bytes: &Value,
        little: bool,
        ty: IntType,
        span: Span,
    ) -> Eval<Value> {
        let bytes = match bytes.elements() {
            Some(bytes) if bytes.len() == ty.bits() as usize / 8 => bytes.clone(),
            _ => return argument::mismatch("an array of the type's bytes", bytes, span),
        };
        let mut low = 0;
        for index in 0..bytes.len() {
            let byte = &bytes[if little {
                bytes.len() - 1 - index
            } else {
                index
            }];
            low = (low << 8) | i128::from(self.integer_of(byte, IntType::U8, span)?);
        }
        self.made(wrapped(low, ty), ty, span)
    }
}
