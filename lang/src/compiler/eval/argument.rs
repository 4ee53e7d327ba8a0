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

pub(super) fn mismatch<T>(wanted: &str, found: &Value, span: Span) -> Eval<T> {
    let message = format!("expected {wanted}, found {found}");
    match found {
        Value::Unchecked(_) => fail_help(span, message, UNCHECKED),
        _ => fail(span, message),
    }
}

/// Returns a `usize`.
pub(super) fn integer(value: &Value, span: Span) -> Eval<u64> {
    integer_of(value, IntType::Usize, span)
}

pub(super) fn integer_of(value: &Value, ty: IntType, span: Span) -> Eval<u64> {
    match integer::settle(value.clone(), &Ty::Int(Some(ty)), span)? {
        Value::Int(value, _) => Ok(value),
        other => mismatch("an integer known at compile time", &other, span),
    }
}

pub(super) fn small(value: &Value, span: Span) -> Eval<u32> {
    let value = integer(value, span)?;
    match u32::try_from(value) {
        Ok(value) if value < LIMIT => Ok(value),
        _ => fail(span, format!("{value} is too large")),
    }
}

/// Returns what remains of a slice of `length` blocks after its first `blocks` blocks.
pub(super) fn skip(
    pointer: Pointer,
    length: u32,
    blocks: &Value,
    span: Span,
) -> Eval<(Pointer, u32)> {
    let blocks = small(blocks, span)?;
    match (pointer.skip(blocks), length.checked_sub(blocks)) {
        (Some(pointer), Some(rest)) => Ok((pointer, rest)),
        _ => outside(blocks, length, span),
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
