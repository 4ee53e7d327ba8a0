//! Text, `&str`, which is known while compiling.

use std::num::ParseIntError;
use std::rc::Rc;

use super::*;
use crate::compiler::value::Held;

/// Returns bytes as integers.
pub(super) fn all_bytes(bytes: &[u8]) -> Rc<Vec<Value>> {
    let byte = |byte: &u8| Value::Int(i128::from(*byte), Some(IntType::U8));
    Rc::new(bytes.iter().map(byte).collect())
}

fn character(value: char) -> Value {
    Value::Int(u32::from(value).into(), Some(IntType::Char))
}

fn count(number: usize) -> Value {
    Value::Int(number as i128, Some(IntType::Usize))
}

fn part(text: &str) -> Value {
    Value::Text(text.into())
}

fn pair(a: Value, b: Value) -> Value {
    Value::Tuple(Rc::new(vec![a, b]))
}

/// Returns the text that a method looks for. It may be a character.
fn pattern(value: &Value) -> Option<Rc<str>> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Int(code, Some(IntType::Char)) => {
            let one = u32::try_from(*code).ok().and_then(char::from_u32)?;
            Some(one.to_string().into())
        }
        _ => None,
    }
}

/// Reads a number as the standard library does, with the lowest 128 bits of a `u128`. `None` if the
/// type is none of numbers.
fn number(text: &str, ty: IntType) -> Option<Result<i128, ParseIntError>> {
    Some(match ty {
        IntType::U8 => text.parse::<u8>().map(i128::from),
        IntType::U16 => text.parse::<u16>().map(i128::from),
        IntType::U32 => text.parse::<u32>().map(i128::from),
        IntType::U64 | IntType::Usize => text.parse::<u64>().map(i128::from),
        IntType::U128 => text.parse::<u128>().map(|value| value as i128),
        IntType::I8 => text.parse::<i8>().map(i128::from),
        IntType::I16 => text.parse::<i16>().map(i128::from),
        IntType::I32 => text.parse::<i32>().map(i128::from),
        IntType::I64 | IntType::Isize => text.parse::<i64>().map(i128::from),
        IntType::I128 => text.parse::<i128>(),
        IntType::Char | IntType::Open(_) => return None,
    })
}

/// What each item of an iterator over a text counts, which takes more memory than the text.
const ITEM: u64 = 16;

impl Evaluator<'_> {
    /// Returns the iterator over parts of a text.
    fn text_items(&mut self, items: impl Iterator<Item = Value>, span: Span) -> Eval<Value> {
        let items: Rc<Vec<Value>> = Rc::new(items.collect());
        self.charge(ITEM * items.len() as u64, span)?;
        self.bounded(Value::Array(items.clone()), span)?;
        Ok(Iter::items(items, Held::Owned).into_value())
    }

    /// Evaluates a method of a text.
    pub(super) fn text_method(
        &mut self,
        text: &str,
        name: &str,
        values: &[Value],
        span: Span,
    ) -> Eval<Value> {
        self.charge(text.len() as u64, span)?;
        let wanted = values.first().and_then(pattern);
        let wanted = wanted.as_deref();
        Ok(match (name, values, wanted) {
            ("len", [], _) => count(text.len()),
            ("is_empty", [], _) => Value::Bool(text.is_empty()),
            ("is_ascii", [], _) => Value::Bool(text.is_ascii()),
            ("as_bytes", [], _) => {
                let bytes = Value::Array(all_bytes(text.as_bytes()));
                return self.bounded(bytes, span);
            }
            ("bytes", [], _) => Iter::items(all_bytes(text.as_bytes()), Held::Owned).into_value(),
            ("chars", [], _) => return self.text_items(text.chars().map(character), span),
            ("char_indices", [], _) => {
                let all = text.char_indices();
                let all = all.map(|(at, one)| pair(count(at), character(one)));
                return self.text_items(all, span);
            }
            ("lines", [], _) => return self.text_items(text.lines().map(part), span),
            ("trim" | "trim_start" | "trim_end" | "split_whitespace", [], _)
                if !text.is_ascii() =>
            {
                // What is a space depends on the version of Unicode.
                let message = format!("`{name}` is only of text of ASCII");
                return fail_help(span, message, "`split` at a character");
            }
            ("trim", [], _) => part(text.trim()),
            ("trim_start", [], _) => part(text.trim_start()),
            ("trim_end", [], _) => part(text.trim_end()),
            ("split_whitespace", [], _) => {
                return self.text_items(text.split_whitespace().map(part), span);
            }
            ("split", [_], Some(wanted)) => {
                return self.text_items(text.split(wanted).map(part), span);
            }
            ("contains", [_], Some(wanted)) => Value::Bool(text.contains(wanted)),
            ("starts_with", [_], Some(wanted)) => Value::Bool(text.starts_with(wanted)),
            ("ends_with", [_], Some(wanted)) => Value::Bool(text.ends_with(wanted)),
            ("find" | "rfind", [_], Some(wanted)) => {
                let at = match name {
                    "find" => text.find(wanted),
                    _ => text.rfind(wanted),
                };
                return self.option(at.map(count), Ty::USIZE, span);
            }
            ("strip_prefix" | "strip_suffix", [_], Some(wanted)) => {
                let rest = match name {
                    "strip_prefix" => text.strip_prefix(wanted),
                    _ => text.strip_suffix(wanted),
                };
                return self.option(rest.map(part), Ty::Text, span);
            }
            ("split_once" | "rsplit_once", [_], Some(wanted)) => {
                let parts = match name {
                    "split_once" => text.split_once(wanted),
                    _ => text.rsplit_once(wanted),
                };
                let parts = parts.map(|(before, after)| pair(part(before), part(after)));
                return self.option(parts, Ty::Tuple([Ty::Text, Ty::Text].into()), span);
            }
            ("get", [range], _) => {
                let found = self.part_of_text(text, range, span)?;
                return self.option(found, Ty::Text, span);
            }
            _ => {
                if let [Value::Closure(..)] = values {
                    let message = format!("`{name}` of a string takes text or a `char` here");
                    return fail_help(span, message, "look at its `bytes()`, as by `position`");
                }
                let message = format!("a string has no method `{name}` in the subset");
                let help = super::wanted(name).unwrap_or("`docs/zkdsl.md` lists what there is");
                return fail_help(span, message, help);
            }
        })
    }

    /// Returns the part of a text between two places; `None` if there is none, or one of them is
    /// within a character.
    pub(super) fn part_of_text(
        &mut self,
        text: &str,
        range: &Value,
        span: Span,
    ) -> Eval<Option<Value>> {
        let within = self.range_within(range, text.len(), span)?;
        let found = within.and_then(|(start, end)| text.get(start..end));
        self.charge(found.map_or(0, str::len) as u64, span)?;
        Ok(found.map(part))
    }

    /// Evaluates `text.parse::<T>()`.
    pub(super) fn parsed(
        &mut self,
        text: &str,
        turbofish: &[GenericArg],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        const ERROR: &str = "ParseIntError";
        self.charge(text.len() as u64, span)?;
        let ty = match (turbofish, expected) {
            ([GenericArg::Type(ty)], _) => self.ty(ty)?,
            ([], Ty::Struct(id, generics)) if *id == self.items.std_enum("Result") => {
                generics.first().cloned().unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        };
        let known = match self.found_type(&ty) {
            Ty::Int(Some(ty)) => number(text, ty).map(|read| (ty, read)),
            _ => None,
        };
        let Some((ty, read)) = known else {
            let message = "`parse` is only of integers whose type is known here";
            return fail_help(span, message, "write it: `text.parse::<u32>()`");
        };
        let none: Rc<[Ty]> = Rc::default();
        let (variant, value) = match read {
            Ok(value) => ("Ok", self.made(value, ty, span)?),
            Err(error) => {
                let kind = format!("{:?}", error.kind());
                let kind =
                    self.standard_variant("IntErrorKind", &kind, none.clone(), Vec::new(), span)?;
                let error = self.standard_variant(ERROR, ERROR, none.clone(), vec![kind], span)?;
                ("Err", error)
            }
        };
        let error = Ty::Struct(self.items.std_enum(ERROR), none);
        let generics = [Ty::Int(Some(ty)), error].into();
        self.standard_variant("Result", variant, generics, vec![value], span)
    }
}
