//! Methods of built-in types.

use p3_field::{Field, PrimeField32};

use super::intrinsic::{arguments, felt, integer, mismatch, skip};
use super::*;
use crate::compiler::ir::{Def, Displacement, OpKind, Word};
use crate::compiler::value::{Block, Ext, Pointer};

impl Evaluator<'_> {
    /// A method of a built-in type.
    pub(super) fn intrinsic_method(
        &mut self,
        receiver: Value,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        Ok(match (receiver, name) {
            (value, "clone") if values.is_empty() => {
                self.can_copy(&value, span)?;
                value
            }
            (value @ (Value::Array(_) | Value::Range(..) | Value::Count(_)), "into_iter")
                if values.is_empty() =>
            {
                value
            }
            (value @ Value::Array(_), "iter") if values.is_empty() => value,
            (Value::Felt(Word::Const(value)), "inverse") => match value.try_inverse() {
                Some(inverse) => Value::Felt(Word::Const(inverse)),
                None => return fail(span, "the inverse of zero"),
            },
            (Value::Felt(word), "inverse") => Value::Felt(self.builder.inverse(word)),
            (Value::Ext(value), "inverse") => Value::Ext(self.ext_inverse(&value, span)?),
            (Value::Ext(value), "coeff") => {
                let [index] = arguments(values, span)?;
                let index = integer(&index, span)?;
                if index >= 5 {
                    return fail(
                        span,
                        format!("an Ext has 5 coefficients, there is no {index}"),
                    );
                }
                Value::Felt(self.coefficient(&value, index as usize))
            }
            (Value::Ext(value), "pin") => Value::Ext(self.pin(&value)),
            (Value::Ext(value), "as_block") => Value::Block(self.ext_block(&value)),
            (Value::Block(block), "lane") => {
                let [index] = arguments(values, span)?;
                let index = integer(&index, span)?;
                if index >= 8 {
                    return fail(span, format!("a Block has 8 lanes, there is no {index}"));
                }
                Value::Felt(match &block {
                    Block::Const(lanes) => Word::Const(lanes[index as usize]),
                    Block::Lanes(words) => words[index as usize],
                    Block::At(pointer) => {
                        let address = self.pointer(*pointer);
                        self.builder.lane(address, index as u32)
                    }
                })
            }
            (Value::Block(block), "as_ext") => Value::Ext(self.block_ext(&block, span)?),
            (Value::Slice(pointer), "block") => {
                let [index] = arguments(values, span)?;
                let pointer = skip(pointer, &index, span)?;
                if let Word::Address(area, offset) = pointer.word
                    && offset >= self.builder.ir.areas[area as usize].size
                {
                    return fail(span, "this block is outside of the slice");
                }
                Value::Block(Block::At(pointer))
            }
            (Value::Slice(pointer), "skip") => {
                let [index] = arguments(values, span)?;
                Value::Slice(skip(pointer, &index, span)?)
            }
            (Value::Slice(pointer), name @ ("at" | "skip_felt")) => {
                let [distance] = arguments(values, span)?;
                let base = self.pointer(pointer);
                let word = self.builder.add(base, felt(&distance, span)?);
                let pointer = Pointer { word, distance: 0 };
                match name {
                    "at" => Value::Block(Block::At(pointer)),
                    _ => Value::Slice(pointer),
                }
            }
            (Value::Unchecked(value), "any") => (*value).clone(),
            (Value::Unchecked(value), "bit") => {
                let word = felt(&value, span)?;
                self.builder.relation(true, word, word, word);
                Value::Felt(word)
            }
            (Value::Unchecked(value), "checked") => match &*value {
                Value::Ext(Ext::At(pointer)) => Value::Ext(self.assert_extension(*pointer)),
                other => return mismatch("an Unchecked<Ext>", other, span),
            },
            (Value::Words(base, length), name @ ("get" | "set")) => {
                let mut values = values.into_iter();
                let Some(Value::Index(index, bound)) = values.next() else {
                    return fail(span, "the first argument is an Index");
                };
                if bound != length {
                    return fail(span, format!("an Index<{bound}> into Words<{length}>"));
                }
                let constant = match index {
                    Word::Const(index) => Some(index.as_canonical_u32()),
                    _ => None,
                };
                if let Some(words) = self.words(base) {
                    match (name, constant) {
                        ("get", index) => words.reads.push((index, span)),
                        (_, Some(index)) => {
                            words.written.insert(index);
                        }
                        (_, None) => words.all = true,
                    }
                }
                let address = self.builder.add(base, index);
                let pointer = self.builder.reach(address);
                let (value, def, result) = match (name, values.next()) {
                    ("set", Some(value)) => {
                        let word = felt(&value, span)?;
                        (self.builder.reach(word), Def::None, Value::unit())
                    }
                    _ => {
                        let def = self.builder.var();
                        let word = Word::Var(def);
                        (word, Def::Var(def), Value::Felt(word))
                    }
                };
                self.builder.push(OpKind::Deref {
                    pointer,
                    displacement: Displacement::Zero,
                    value,
                    def,
                });
                result
            }
            (Value::Array(list), "len") if values.is_empty() => {
                Value::Int(list.len() as u64, Some(IntType::Usize))
            }
            (Value::Array(list), "is_empty") if values.is_empty() => {
                Value::Bool(list.is_empty())
            }
            (Value::Int(value, ty), name) => integer::method((value, ty), name, &values, span)?,
            (other, name) => {
                let found = other.describe();
                return fail_help(
                    span,
                    format!("{found} has no method `{name}` in the subset"),
                    "iterators and closures are out: write a `for` loop",
                );
            }
        })
    }
}
