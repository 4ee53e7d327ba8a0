//! Operators and methods of integers known at compile time.
//!
//! A result is computed exactly, and compared with the bounds of its type. What depends on the width
//! of the type is computed on the integer's lowest 128 bits in two's complement. A type that is not
//! found counts as one of 128 bits, for operations whose result is the same in every type that holds
//! it.

use super::*;

/// The result of an operation that may overflow.
struct Outcome {
    /// `None` if it is not an `i128`.
    exact: Option<i128>,
    /// Its lowest 128 bits.
    low: i128,
    /// Whether the operation overflows even if the type holds the result.
    overflows: bool,
}

impl Outcome {
    fn of(exact: Option<i128>, low: i128) -> Self {
        Self {
            exact,
            low,
            overflows: false,
        }
    }

    fn exactly(value: i128) -> Self {
        Self::of(Some(value), value)
    }
}

/// A method's name, and what it computes.
type Predicate = (&'static str, fn(char) -> bool);

/// Methods of one integer or character whose result is the same in every type. Those that are not of
/// ASCII depend on the version of Unicode.
const PREDICATES: &[Predicate] = &[
    ("is_alphabetic", |c| c.is_ascii_alphabetic()),
    ("is_alphanumeric", |c| c.is_ascii_alphanumeric()),
    ("is_control", |c| c.is_ascii_control()),
    ("is_lowercase", |c| c.is_ascii_lowercase()),
    ("is_numeric", |c| c.is_ascii_digit()),
    ("is_uppercase", |c| c.is_ascii_uppercase()),
    ("is_whitespace", |c| c.is_ascii_whitespace() || c == '\u{b}'),
    ("is_ascii_control", |c| c.is_ascii_control()),
    ("is_ascii_graphic", |c| c.is_ascii_graphic()),
    ("is_ascii", |c| c.is_ascii()),
    ("is_ascii_alphabetic", |c| c.is_ascii_alphabetic()),
    ("is_ascii_alphanumeric", |c| c.is_ascii_alphanumeric()),
    ("is_ascii_digit", |c| c.is_ascii_digit()),
    ("is_ascii_hexdigit", |c| c.is_ascii_hexdigit()),
    ("is_ascii_lowercase", |c| c.is_ascii_lowercase()),
    ("is_ascii_punctuation", |c| c.is_ascii_punctuation()),
    ("is_ascii_uppercase", |c| c.is_ascii_uppercase()),
    ("is_ascii_whitespace", |c| c.is_ascii_whitespace()),
];

/// Methods that an integer of unknown type may have: their result is the same in every type that
/// holds it.
#[rustfmt::skip]
const EXACT: &[&str] = &[
    "clamp", "count_ones", "div_ceil", "div_euclid", "ilog", "ilog10", "ilog2", "is_multiple_of",
    "is_negative", "is_positive", "is_power_of_two", "isqrt", "max", "min", "next_multiple_of",
    "next_power_of_two", "pow", "signum", "trailing_ones", "trailing_zeros",
];

fn unknown<T>(name: &str, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("integers have no method `{name}` with these arguments in the subset"),
        "`docs/zkdsl.md` lists the methods of integers",
    )
}

/// Returns the error for a `u128` that the evaluator does not hold.
pub(in super::super) fn beyond<T>(span: Span) -> Eval<T> {
    fail_help(
        span,
        "values of `u128` from 2^127 on are not in the subset",
        "compute with two `u64`",
    )
}

/// Returns the bits of a value as those of a type without sign.
fn pattern(value: i128, ty: IntType) -> u128 {
    value as u128 & (u128::MAX >> (128 - ty.bits()))
}

/// Returns the value of the lowest bits.
pub(super) fn wrapped(low: i128, ty: IntType) -> i128 {
    let shift = 128 - ty.bits();
    if ty.signed() {
        (low << shift) >> shift
    } else {
        pattern(low, ty) as i128
    }
}

/// Returns the result of an operation on one integer or two of type `ty`; `Err` says why there is
/// none, and `None` that there is no such operation.
fn outcome(name: &str, a: i128, b: Option<i128>, ty: IntType) -> Option<Result<Outcome, String>> {
    let by_zero = || Err("division by zero".to_owned());
    let none = || Err(format!("`{name}` of {a}"));
    Some(Ok(match (name, b) {
        ("add" | "add_signed" | "add_unsigned", Some(b)) => {
            Outcome::of(a.checked_add(b), a.wrapping_add(b))
        }
        ("sub" | "sub_signed" | "sub_unsigned", Some(b)) => {
            Outcome::of(a.checked_sub(b), a.wrapping_sub(b))
        }
        ("mul", Some(b)) => Outcome::of(a.checked_mul(b), a.wrapping_mul(b)),
        ("bitand", Some(b)) => Outcome::exactly(a & b),
        ("bitor", Some(b)) => Outcome::exactly(a | b),
        ("bitxor", Some(b)) => Outcome::exactly(a ^ b),
        ("pow", Some(b)) => {
            let power = b as u32;
            Outcome::of(a.checked_pow(power), a.wrapping_pow(power))
        }
        (
            "div" | "rem" | "div_euclid" | "rem_euclid" | "div_ceil" | "next_multiple_of",
            Some(0),
        ) => return Some(by_zero()),
        ("div", Some(b)) => Outcome::of(a.checked_div(b), a.wrapping_div(b)),
        ("div_euclid", Some(b)) => Outcome::of(a.checked_div_euclid(b), a.wrapping_div_euclid(b)),
        ("rem" | "rem_euclid", Some(b)) => Outcome {
            overflows: b == -1 && a == ty.min(),
            ..Outcome::exactly(if name == "rem" {
                a.wrapping_rem(b)
            } else {
                a.wrapping_rem_euclid(b)
            })
        },
        ("div_ceil", Some(b)) => {
            Outcome::exactly(a.wrapping_div(b) + i128::from(a.wrapping_rem(b) != 0))
        }
        ("next_multiple_of", Some(b)) => {
            let rest = a.wrapping_rem(b);
            let distance = if rest == 0 { 0 } else { b.wrapping_sub(rest) };
            Outcome::of(a.checked_add(distance), a.wrapping_add(distance))
        }
        ("shl" | "shr", Some(by)) => {
            let bits = i128::from(ty.bits());
            let distance = by.rem_euclid(bits) as u32;
            let value = match name {
                "shr" => a >> distance,
                _ => wrapped(a << distance, ty),
            };
            let lost = ty == IntType::U128 && value < 0;
            Outcome {
                exact: (!lost).then_some(value),
                low: value,
                overflows: !(0..bits).contains(&by),
            }
        }
        ("neg", None) => Outcome::of(a.checked_neg(), a.wrapping_neg()),
        ("abs", None) => Outcome::of(a.checked_abs(), a.wrapping_abs()),
        ("next_power_of_two", None) => {
            let power = (a as u128).checked_next_power_of_two().unwrap_or(0) as i128;
            Outcome::of((power > 0).then_some(power), power)
        }
        ("isqrt", None) => match a.checked_isqrt() {
            Some(root) => Outcome::exactly(root),
            None => return Some(none()),
        },
        ("ilog2" | "ilog10", None) | ("ilog", Some(_)) => {
            let log = match (name, b) {
                ("ilog2", _) => a.checked_ilog2(),
                ("ilog10", _) => a.checked_ilog10(),
                (_, b) => b.and_then(|base| a.checked_ilog(base)),
            };
            match log {
                Some(log) => Outcome::exactly(i128::from(log)),
                None => return Some(none()),
            }
        }
        _ => return None,
    }))
}

/// Returns how many bits of a value are as the name of a method says.
fn count(name: &str, value: i128, ty: IntType) -> Option<u32> {
    let (bits, pattern) = (ty.bits(), pattern(value, ty));
    Some(match name {
        "count_ones" => pattern.count_ones(),
        "count_zeros" => bits - pattern.count_ones(),
        "leading_zeros" => pattern.leading_zeros() - (128 - bits),
        "leading_ones" => (pattern << (128 - bits)).leading_ones(),
        "trailing_zeros" => pattern.trailing_zeros().min(bits),
        "trailing_ones" => pattern.trailing_ones(),
        _ => return None,
    })
}

impl Evaluator<'_> {
    fn or_open(&mut self, ty: Option<IntType>) -> IntType {
        let found = self.found(ty);
        found.unwrap_or_else(|| self.inference.open())
    }

    /// Returns a result, unless it is a `u128` that is too large for the evaluator.
    pub(in super::super) fn made(&mut self, value: i128, ty: IntType, span: Span) -> Eval<Value> {
        if ty == IntType::U128 && value < 0 {
            return beyond(span);
        }
        self.fitting(value, Some(ty), span)
    }

    /// Evaluates `left op right`.
    pub(in super::super) fn integer_operator(
        &mut self,
        op: BinaryOp,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Eval<Value> {
        use BinaryOp as Op;
        let ((a, s), (b, t)) = (left, right);
        let shift = matches!(op, Op::Shl | Op::Shr);
        let ty = if shift { s } else { self.common(s, t, span)? };
        let ty = self.or_open(ty);
        let is_true = match op {
            Op::Eq => a == b,
            Op::Ne => a != b,
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            Op::Ge => a >= b,
            _ if ty.is_open() && shift => return self.shift_open(op, (a, ty), b, span),
            _ => {
                let what = || format!("`{a} {} {b}`", op.sign());
                return match op.method() {
                    Some((_, name)) => self.arithmetic("", name, (a, ty), Some(b), &what, span),
                    None => fail(span, format!("{} does not apply to integers", what())),
                };
            }
        };
        Ok(Value::Bool(is_true))
    }

    /// Shifts an integer whose type is not found. The type needs more bits than the distance, and
    /// needs to hold the result, so that no bit is lost.
    fn shift_open(
        &mut self,
        op: BinaryOp,
        (value, ty): (i128, IntType),
        by: i128,
        span: Span,
    ) -> Eval<Value> {
        if !(0..127).contains(&by) {
            return untyped(span);
        }
        let unit = 1 << by;
        if by > 7 {
            self.fitting(unit, Some(ty), span)?;
        }
        match (op, value.checked_mul(unit)) {
            (BinaryOp::Shr, _) => self.fitting(value >> by, Some(ty), span),
            (_, Some(product)) => self.fitting(product, Some(ty), span),
            (_, None) => untyped(span),
        }
    }

    /// Evaluates `-value` or `!value`.
    pub(in super::super) fn integer_unary(
        &mut self,
        op: UnaryOp,
        (value, ty): Typed,
        span: Span,
    ) -> Eval<Value> {
        let ty = self.or_open(ty);
        match (op, ty) {
            (UnaryOp::Not, IntType::Open(_)) => untyped(span),
            (UnaryOp::Not, ty) => self.made(wrapped(!value, ty), ty, span),
            (UnaryOp::Negate, ty) => {
                if let IntType::Open(number) = ty {
                    let signed = true;
                    let needs = Needs::of(0, span);
                    self.inference.need(number, Needs { signed, ..needs });
                } else if !ty.signed() {
                    return fail(span, format!("`-` does not apply to {}", ty.name()));
                }
                let what = || format!("`-` of {value}");
                self.arithmetic("", "neg", (value, ty), None, &what, span)
            }
        }
    }

    /// Evaluates an operation of a name, after `checked`, `wrapping`, `overflowing`, `saturating`, or
    /// nothing.
    fn arithmetic(
        &mut self,
        mode: &str,
        name: &str,
        (a, ty): (i128, IntType),
        b: Option<i128>,
        what: &dyn Fn() -> String,
        span: Span,
    ) -> Eval<Value> {
        let result_type = match name {
            "ilog" | "ilog2" | "ilog10" => IntType::U32,
            _ => ty,
        };
        let Outcome {
            exact,
            low,
            overflows,
        } = match outcome(name, a, b, ty) {
            None => return unknown(name, span),
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) if mode == "checked" => {
                return self.option(None, Ty::Int(Some(result_type)), span);
            }
            Some(Err(why)) => return fail_certain(span, why),
        };
        if ty.is_open() {
            if name.starts_with("rem") && b == Some(-1) {
                // Of the smallest value this overflows.
                let Some(opposite) = a.checked_neg() else {
                    return untyped(span);
                };
                self.fitting(opposite, Some(ty), span)?;
            }
            return match exact {
                Some(value) => self.fitting(value, Some(result_type), span),
                None => untyped(span),
            };
        }
        if ty == IntType::U128 && exact.is_none() {
            return beyond(span);
        }
        let fits = exact.filter(|value| !overflows && holds(ty, *value));
        let int = |this: &mut Self, value| this.made(value, result_type, span);
        match (mode, fits) {
            ("checked", fits) => {
                let value = fits.map(|value| int(self, value)).transpose()?;
                self.option(value, Ty::Int(Some(result_type)), span)
            }
            ("wrapping", _) => int(self, wrapped(low, ty)),
            ("overflowing", fits) => {
                let value = int(self, wrapped(low, ty))?;
                let parts = vec![value, Value::Bool(fits.is_none())];
                Ok(Value::Tuple(Rc::new(parts)))
            }
            (_, Some(value)) => int(self, value),
            ("saturating", None) => {
                let negative = match exact {
                    Some(value) => value < 0,
                    None => match (name, b) {
                        ("mul", Some(b)) => (a < 0) != (b < 0),
                        ("pow", Some(b)) => a < 0 && b & 1 == 1,
                        // A sum or a difference is beyond the end at which its first operand is.
                        (_, Some(_)) if name != "div" => a < 0,
                        _ => false,
                    },
                };
                int(self, if negative { ty.min() } else { ty.max() })
            }
            (_, None) => fail_certain(span, format!("{} overflows {}", what(), ty.name())),
        }
    }

    /// Evaluates a method of an integer or a character.
    pub(in super::super) fn integer_method(
        &mut self,
        receiver: Typed,
        name: &str,
        values: &[Value],
        span: Span,
    ) -> Eval<Value> {
        let mut ty = self.or_open(receiver.1);
        let mut others = Vec::with_capacity(values.len());
        for value in values {
            let (Value::Int(other, found), Ty::Int(wanted)) = (value, parameter(Some(ty), name))
            else {
                return unknown(name, span);
            };
            self.common(*found, wanted, span)?;
            self.fitting(*other, wanted, span)?;
            ty = self.or_open(Some(ty));
            others.push(*other);
        }
        let a = receiver.0;
        let dependent = match (name, others.as_slice()) {
            ("count_ones" | "trailing_ones", []) => a < 0,
            ("trailing_zeros", []) => a == 0,
            ("saturating_sub", [b]) if ty.is_open() && (0..=a).contains(b) => {
                return self.fitting(a - b, Some(ty), span);
            }
            // Of the type without sign, which holds it if the other type holds the integers.
            ("abs_diff", [b]) if ty.is_open() && a >= 0 && *b >= 0 => {
                return self.literal((a - b).abs(), None, &Ty::Unknown, span);
            }
            _ => false,
        };
        if ty.is_open() && (dependent || !EXACT.contains(&name)) {
            return untyped(span);
        }
        match *others.as_slice() {
            [] => self.of_one((a, ty), name, span),
            [b] => self.of_two((a, ty), b, name, span),
            [low, high] if name == "clamp" && low <= high => {
                self.fitting(a.clamp(low, high), Some(ty), span)
            }
            [low, high] if name == "clamp" => {
                fail_certain(span, format!("`clamp` between {low} and {high}"))
            }
            _ => unknown(name, span),
        }
    }

    fn of_one(&mut self, (a, ty): (i128, IntType), name: &str, span: Span) -> Eval<Value> {
        if let Some(bits) = count(name, a, ty) {
            return Ok(Value::Int(i128::from(bits), Some(IntType::U32)));
        }
        let character = u32::try_from(a).ok().and_then(char::from_u32);
        let character = character.unwrap_or(char::MAX);
        if let Some((_, is)) = PREDICATES.iter().find(|(known, _)| *known == name) {
            if !character.is_ascii() && !name.starts_with("is_ascii") {
                let message = format!("`{name}` is only for characters of ASCII");
                return fail_help(span, message, "compare the character");
            }
            return Ok(Value::Bool(is(character)));
        }
        let value = match name {
            "is_power_of_two" => return Ok(Value::Bool(a > 0 && a & (a - 1) == 0)),
            "is_positive" => return Ok(Value::Bool(a > 0)),
            "is_negative" => return Ok(Value::Bool(a < 0)),
            "signum" => a.signum(),
            "to_ascii_lowercase" => u32::from(character.to_ascii_lowercase()).into(),
            "to_ascii_uppercase" => u32::from(character.to_ascii_uppercase()).into(),
            "swap_bytes" => (pattern(a, ty).swap_bytes() >> (128 - ty.bits())) as i128,
            "reverse_bits" => (pattern(a, ty).reverse_bits() >> (128 - ty.bits())) as i128,
            "unsigned_abs" => return self.made(a.wrapping_abs(), unsigned(ty), span),
            "cast_signed" | "cast_unsigned" if other_sign(ty) != ty => {
                let ty = other_sign(ty);
                return self.made(wrapped(a, ty), ty, span);
            }
            "to_le_bytes" | "to_be_bytes" => {
                let mut bytes = pattern(a, ty).to_le_bytes()[..ty.bits() as usize / 8].to_vec();
                if name == "to_be_bytes" {
                    bytes.reverse();
                }
                let bytes = bytes.into_iter().map(i128::from);
                let bytes = bytes.map(|byte| Value::Int(byte, Some(IntType::U8)));
                return Ok(Value::Array(Rc::new(bytes.collect())));
            }
            name => {
                let (mode, base) = split(name);
                let what = || format!("`{name}` of {a}");
                return self.arithmetic(mode, base, (a, ty), None, &what, span);
            }
        };
        self.made(wrapped(value, ty), ty, span)
    }

    fn of_two(&mut self, (a, ty): (i128, IntType), b: i128, name: &str, span: Span) -> Eval<Value> {
        let value = match name {
            "min" => a.min(b),
            "max" => a.max(b),
            // Rounded toward zero.
            "midpoint" => match a.checked_add(b) {
                Some(sum) => sum / 2,
                None => a / 2 + b / 2 + a.signum() * (a & b & 1),
            },
            "abs_diff" => return self.made(a.abs_diff(b) as i128, unsigned(ty), span),
            "rotate_left" | "rotate_right" => {
                let (bits, pattern) = (ty.bits(), pattern(a, ty));
                let left = (b % i128::from(bits)) as u32;
                let left = match name {
                    "rotate_right" => (bits - left) % bits,
                    _ => left,
                };
                let low = pattern.checked_shr(bits - left).unwrap_or(0);
                wrapped(((pattern << left) | low) as i128, ty)
            }
            "is_multiple_of" => {
                let rest = if b == 0 { a } else { a.wrapping_rem(b) };
                return Ok(Value::Bool(rest == 0));
            }
            "eq_ignore_ascii_case" => {
                let character = |value| u32::try_from(value).ok().and_then(char::from_u32);
                let lower = |value| character(value).map(|one| one.to_ascii_lowercase());
                return Ok(Value::Bool(lower(a) == lower(b)));
            }
            "to_digit" | "is_digit" => {
                let character = u32::try_from(a).ok().and_then(char::from_u32);
                if !(2..=36).contains(&b) {
                    return fail_certain(span, format!("`{name}` of radix {b}"));
                }
                let digit = character.and_then(|character| character.to_digit(b as u32));
                if name == "is_digit" {
                    return Ok(Value::Bool(digit.is_some()));
                }
                let digit = digit.map(|digit| Value::Int(digit.into(), Some(IntType::U32)));
                return self.option(digit, Ty::Int(Some(IntType::U32)), span);
            }
            name => {
                let (mode, base) = split(name);
                let what = || format!("`{name}` of {a} and {b}");
                return self.arithmetic(mode, base, (a, ty), Some(b), &what, span);
            }
        };
        self.made(value, ty, span)
    }
}

/// Splits the name of a method into what is done if it overflows, and the operation.
fn split(name: &str) -> (&str, &str) {
    match name.split_once('_') {
        Some((mode @ ("checked" | "wrapping" | "overflowing" | "saturating"), base)) => {
            (mode, base)
        }
        _ => ("", name),
    }
}

/// Returns the type without sign of the same width.
const fn unsigned(ty: IntType) -> IntType {
    if ty.signed() { other_sign(ty) } else { ty }
}

/// Returns the type of the same width with a sign instead of none, or without one. That of a `char`
/// is itself.
pub(super) const fn other_sign(ty: IntType) -> IntType {
    match ty {
        IntType::I8 => IntType::U8,
        IntType::I16 => IntType::U16,
        IntType::I32 => IntType::U32,
        IntType::I64 => IntType::U64,
        IntType::I128 => IntType::U128,
        IntType::Isize => IntType::Usize,
        IntType::U8 => IntType::I8,
        IntType::U16 => IntType::I16,
        IntType::U32 => IntType::I32,
        IntType::U64 => IntType::I64,
        IntType::U128 => IntType::I128,
        IntType::Usize => IntType::Isize,
        ty => ty,
    }
}
