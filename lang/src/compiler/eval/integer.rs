//! Integers known at compile time: their types, operators and methods.
//!
//! rustc infers the type of a literal from the whole function. The evaluator knows it only if it is
//! written or expected. An integer of unknown type fits its type, whatever that is, and is not
//! negative. So an operation on it is accepted if it has the same result in every type that can
//! hold the operands, which is certain if the result has at most 7 bits or is not larger than the
//! operands. Everything else is refused.

use std::rc::Rc;

use super::*;

/// Largest value that every integer type of Rust can hold.
const SMALL: u64 = 127;

pub(super) type Typed = (u64, Option<IntType>);

fn untyped<T>(span: Span) -> Eval<T> {
    fail_help(
        span,
        "the result depends on the integer's type, which is not known here",
        "write the type: `1usize`, or `let n: usize = ..`",
    )
}

/// Returns an integer of a known type, or of a type that is still to be found.
pub(super) fn fitting(value: u64, ty: Option<IntType>, span: Span) -> Eval<Value> {
    match ty {
        Some(ty) if value > ty.max() => {
            let name = ty.name();
            fail(span, format!("{value} is out of range of {name}"))
        }
        ty => Ok(Value::Int(value, ty)),
    }
}

pub(super) fn common(a: Option<IntType>, b: Option<IntType>, span: Span) -> Eval<Option<IntType>> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => {
            let (a, b) = (a.name(), b.name());
            fail(
                span,
                format!("the operands have different types, {a} and {b}"),
            )
        }
        (a, b) => Ok(a.or(b)),
    }
}

/// Evaluates `left op right`.
pub(super) fn operator(op: BinaryOp, left: Typed, right: Typed, span: Span) -> Eval<Value> {
    use BinaryOp as Op;
    let ((a, s), (b, t)) = (left, right);
    if matches!(op, Op::Shl | Op::Shr) {
        return shift(op, left, b, span);
    }
    let ty = common(s, t, span)?;
    fitting(a, ty, span)?;
    fitting(b, ty, span)?;
    let value = match op {
        Op::Add => a.checked_add(b),
        Op::Sub => a.checked_sub(b),
        Op::Mul => a.checked_mul(b),
        Op::Div => a.checked_div(b),
        Op::Rem => a.checked_rem(b),
        Op::BitAnd => Some(a & b),
        Op::BitOr => Some(a | b),
        Op::BitXor => Some(a ^ b),
        Op::Eq => return Ok(Value::Bool(a == b)),
        Op::Ne => return Ok(Value::Bool(a != b)),
        Op::Lt => return Ok(Value::Bool(a < b)),
        Op::Le => return Ok(Value::Bool(a <= b)),
        Op::Gt => return Ok(Value::Bool(a > b)),
        Op::Ge => return Ok(Value::Bool(a >= b)),
        Op::And | Op::Or | Op::Shl | Op::Shr => None,
    };
    match value {
        Some(value) => checked(value, ty, a.max(b), || format!("{a} {op:?} {b}"), span),
        None => fail(span, format!("{a} {op:?} {b} overflows")),
    }
}

/// Returns a result that fits its type or, if the type is unknown, fits every type that can hold
/// `largest`.
fn checked(
    value: u64,
    ty: Option<IntType>,
    largest: u64,
    what: impl Fn() -> String,
    span: Span,
) -> Eval<Value> {
    match ty {
        Some(ty) if value > ty.max() => {
            let (what, name) = (what(), ty.name());
            fail(span, format!("{what} overflows {name}"))
        }
        None if value > largest.max(SMALL) => untyped(span),
        ty => Ok(Value::Int(value, ty)),
    }
}

fn shift(op: BinaryOp, (a, ty): Typed, by: u64, span: Span) -> Eval<Value> {
    if by >= u64::from(ty.map_or(8, IntType::bits)) {
        return match ty {
            Some(_) => fail(span, format!("{a} {op:?} {by} overflows")),
            None => untyped(span),
        };
    }
    match (op, ty) {
        (BinaryOp::Shr, _) => Ok(Value::Int(a >> by, ty)),
        // Bits above the width of the type are lost.
        (_, Some(known)) => Ok(Value::Int((a << by) & known.max(), ty)),
        (_, None) if a <= SMALL && a << by <= SMALL => Ok(Value::Int(a << by, None)),
        (_, None) => untyped(span),
    }
}

/// Returns a constant of an integer type.
pub(super) fn constant(ty: IntType, name: &str) -> Option<Value> {
    Some(match name {
        "MIN" => Value::Int(0, Some(ty)),
        "MAX" => Value::Int(ty.max(), Some(ty)),
        "BITS" => Value::Int(u64::from(ty.bits()), Some(IntType::U32)),
        _ => return None,
    })
}

/// Returns the type of the argument of an integer's method.
pub(super) fn parameter(ty: Option<IntType>, name: &str) -> Ty {
    match name {
        "pow" => Ty::Int(Some(IntType::U32)),
        _ => Ty::Int(ty),
    }
}

/// Evaluates a method of an integer.
pub(super) fn method(receiver: Typed, name: &str, values: &[Value], span: Span) -> Eval<Value> {
    let (value, ty) = receiver;
    match *values {
        [] => of_one(value, ty, name, span),
        [Value::Int(other, found)] => of_two(receiver, (other, found), name, span),
        _ => unknown(name, span),
    }
}

fn unknown<T>(name: &str, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("integers have no method `{name}` with these arguments in the subset"),
        "`docs/zkdsl.md` lists the methods of integers",
    )
}

fn of_one(value: u64, ty: Option<IntType>, name: &str, span: Span) -> Eval<Value> {
    let bits = |count: u32| Ok(Value::Int(u64::from(count), Some(IntType::U32)));
    let zeros_above = |known: IntType| value.leading_zeros() - (64 - known.bits());
    match (name, ty) {
        ("count_ones", _) => bits(value.count_ones()),
        ("count_zeros", Some(ty)) => bits(ty.bits() - value.count_ones()),
        ("leading_zeros", Some(ty)) => bits(zeros_above(ty)),
        ("trailing_zeros", Some(ty)) => bits(value.trailing_zeros().min(ty.bits())),
        ("trailing_zeros", None) if value > 0 => bits(value.trailing_zeros()),
        ("trailing_ones", _) => bits(value.trailing_ones()),
        ("ilog2", _) => match value.checked_ilog2() {
            Some(log) => bits(log),
            None => fail(span, "`ilog2` of zero"),
        },
        ("is_power_of_two", _) => Ok(Value::Bool(value.is_power_of_two())),
        ("next_power_of_two", ty) => match value.checked_next_power_of_two() {
            Some(next) => checked(next, ty, value, || format!("`{name}` of {value}"), span),
            None => fail(span, format!("`{name}` of {value} overflows")),
        },
        ("count_zeros" | "leading_zeros" | "trailing_zeros", None) => untyped(span),
        _ => unknown(name, span),
    }
}

fn of_two(receiver: Typed, argument: Typed, name: &str, span: Span) -> Eval<Value> {
    let ((a, s), (b, t)) = (receiver, argument);
    if name == "pow" {
        common(t, Some(IntType::U32), span)?;
        let power = u32::try_from(b).ok().and_then(|n| a.checked_pow(n));
        return match power {
            Some(power) => checked(power, s, a, || format!("{a} to the power {b}"), span),
            None => fail(span, format!("{a} to the power {b} overflows")),
        };
    }
    let ty = common(s, t, span)?;
    fitting(a, ty, span)?;
    fitting(b, ty, span)?;
    let what = || format!("`{name}` of {a} and {b}");
    let result = match name {
        "min" => Some(a.min(b)),
        "max" => Some(a.max(b)),
        "abs_diff" => Some(a.abs_diff(b)),
        "div_ceil" => (b != 0).then(|| a.div_ceil(b)),
        "next_multiple_of" => a.checked_next_multiple_of(b),
        "is_multiple_of" => return Ok(Value::Bool(a.is_multiple_of(b))),
        "saturating_sub" if ty.is_some() || a >= b => Some(a.saturating_sub(b)),
        name => return wrapping(name, a, b, ty, span),
    };
    match result {
        Some(value) => checked(value, ty, a.max(b), what, span),
        None => fail(span, format!("{} overflows", what())),
    }
}

fn wrapping(name: &str, a: u64, b: u64, ty: Option<IntType>, span: Span) -> Eval<Value> {
    let Some(known) = ty else {
        return match name {
            "saturating_sub" | "saturating_add" | "saturating_mul" | "wrapping_add"
            | "wrapping_sub" | "wrapping_mul" => untyped(span),
            _ => unknown(name, span),
        };
    };
    let value = match name {
        "saturating_add" => a.saturating_add(b).min(known.max()),
        "saturating_mul" => a.saturating_mul(b).min(known.max()),
        "wrapping_add" => a.wrapping_add(b) & known.max(),
        "wrapping_sub" => a.wrapping_sub(b) & known.max(),
        "wrapping_mul" => a.wrapping_mul(b) & known.max(),
        _ => return unknown(name, span),
    };
    Ok(Value::Int(value, ty))
}

fn holds_integers(ty: &Ty) -> bool {
    match ty {
        Ty::Int(Some(_)) => true,
        Ty::Array(element, _) | Ty::Vec(element) => holds_integers(element),
        Ty::Tuple(types) => types.iter().any(holds_integers),
        _ => false,
    }
}

/// Returns the value as one of type `ty`. Integers of unknown type get their type from it.
pub(super) fn settle(value: Value, ty: &Ty, span: Span) -> Eval<Value> {
    if !holds_integers(ty) {
        return Ok(value);
    }
    let list = |values: &[Value], element: &Ty| -> Eval<Rc<Vec<Value>>> {
        let values = values.iter();
        let values = values.map(|value| settle(value.clone(), element, span));
        Ok(Rc::new(values.collect::<Eval<_>>()?))
    };
    match (value, ty) {
        (Value::Int(value, found), Ty::Int(wanted)) => {
            fitting(value, common(found, *wanted, span)?, span)
        }
        (Value::Array(values), Ty::Array(element, _)) => {
            if let Ty::Int(wanted) = **element
                && values
                    .iter()
                    .all(|value| matches!(value, Value::Int(_, found) if *found == wanted))
            {
                return Ok(Value::Array(values));
            }
            Ok(Value::Array(list(&values, element)?))
        }
        (Value::Vec(values, held), Ty::Array(element, _) | Ty::Vec(element)) => {
            Ok(Value::Vec(list(&values, element)?, held))
        }
        (Value::Tuple(values), Ty::Tuple(types)) if values.len() == types.len() => {
            let values = values.iter().zip(types.iter());
            let values = values.map(|(value, ty)| settle(value.clone(), ty, span));
            Ok(Value::Tuple(Rc::new(values.collect::<Eval<_>>()?)))
        }
        (value, _) => Ok(value),
    }
}

impl Evaluator<'_> {
    /// Like [`settle`], which looks at every part of the value.
    pub(super) fn settled(&mut self, value: Value, ty: &Ty, span: Span) -> Eval<Value> {
        if holds_integers(ty) {
            self.walk(&value, span)?;
        }
        settle(value, ty, span)
    }
}
