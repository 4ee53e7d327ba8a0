//! Arguments of what the compiler provides, as values of the type that is wanted.

use super::*;
use crate::compiler::ir::Word;
use crate::compiler::value::{LIMIT, Pointer};

pub(super) fn arguments<const N: usize>(values: Vec<Value>, span: Span) -> Eval<[Value; N]> {
    let given = values.len();
    match <[Value; N]>::try_from(values) {
        Ok(values) => Ok(values),
        Err(_) => fail(
            span,
            format!("this takes {N} arguments, {given} were given"),
        ),
    }
}

/// Returns the only argument of a method, if it takes one.
pub(super) fn optional(values: Vec<Value>, takes: bool, span: Span) -> Eval<Option<Value>> {
    if takes {
        let [value] = arguments(values, span)?;
        return Ok(Some(value));
    }
    let [] = arguments(values, span)?;
    Ok(None)
}

pub(super) fn mismatch<T>(wanted: &str, found: &Value, span: Span) -> Eval<T> {
    let message = format!("expected {wanted}, found {found}");
    match found {
        Value::Unchecked(_) => fail_help(span, message, UNCHECKED),
        _ => fail(span, message),
    }
}

/// Returns a number of blocks, lanes or iterations.
pub(super) fn limited(value: u64, span: Span) -> Eval<u32> {
    match u32::try_from(value) {
        Ok(value) if value < LIMIT => Ok(value),
        _ => fail(span, format!("{value} is too large")),
    }
}

impl Evaluator<'_> {
    /// Returns a `usize`.
    pub(super) fn integer(&mut self, value: &Value, span: Span) -> Eval<u64> {
        self.integer_of(value, IntType::Usize, span)
    }

    /// Returns an integer of a type without sign, of at most 64 bits.
    pub(super) fn integer_of(&mut self, value: &Value, ty: IntType, span: Span) -> Eval<u64> {
        match self.settle(value.clone(), &Ty::Int(Some(ty)), span)? {
            Value::Int(value, _) => match u64::try_from(value) {
                Ok(value) => Ok(value),
                Err(_) => fail(span, format!("{value} is out of range of {}", ty.name())),
            },
            other => mismatch("an integer known at compile time", &other, span),
        }
    }

    pub(super) fn small(&mut self, value: &Value, span: Span) -> Eval<u32> {
        limited(self.integer(value, span)?, span)
    }

    /// Returns what remains of a slice of `length` blocks after its first `blocks` blocks.
    pub(super) fn skip(
        &mut self,
        pointer: Pointer,
        length: u32,
        blocks: &Value,
        span: Span,
    ) -> Eval<(Pointer, u32)> {
        let blocks = self.small(blocks, span)?;
        match (pointer.skip(blocks), length.checked_sub(blocks)) {
            (Some(pointer), Some(rest)) => Ok((pointer, rest)),
            _ => outside(blocks, length, span),
        }
    }
}

/// Returns the error for reading blocks that a slice does not have.
pub(super) fn outside<T>(blocks: u32, length: u32, span: Span) -> Eval<T> {
    fail(
        span,
        format!("this needs {blocks} blocks of a slice, which has {length}"),
    )
}

pub(super) fn felt(value: &Value, span: Span) -> Eval<Word> {
    match value {
        Value::Felt(word) => Ok(*word),
        other => mismatch("a Felt", other, span),
    }
}

pub(super) fn array<const N: usize>(value: &Value, span: Span) -> Eval<[Value; N]> {
    match value {
        Value::Array(values) => arguments(values.to_vec(), span),
        other => mismatch("an array", other, span),
    }
}

pub(super) fn boolean(value: &Value, span: Span) -> Eval<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        other => mismatch("a bool known at compile time", other, span),
    }
}
