//! Methods of built-in types.

use std::rc::Rc;

use p3_field::{Field, PrimeField32};

use super::argument::{arguments, felt, integer, mismatch, outside, skip, small};
use super::*;
use crate::compiler::ir::{Def, Displacement, OpKind, Word};
use crate::compiler::value::{Block, Ext, Pointer};

impl Evaluator<'_> {
    /// Returns the address so many blocks further, for a number known at run time. Nothing here
    /// bounds that number.
    fn displaced(&mut self, pointer: Pointer, blocks: Word) -> Pointer {
        let base = self.pointer(pointer);
        let word = self.builder.add(base, blocks);
        Pointer::at(word)
    }

    /// Evaluates a method of a built-in type.
    pub(super) fn intrinsic_method(
        &mut self,
        receiver: Value,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let given = values.len();
        Ok(match (receiver, name) {
            (value, "clone") if values.is_empty() => {
                self.walk(&value, span)?;
                self.can_copy(&value, span)?;
                self.can_clone(&value, span)?;
                self.cloned(value)
            }
            (value @ (Value::Elements(_) | Value::Range(..) | Value::Count(_)), "into_iter")
                if values.is_empty() =>
            {
                value
            }
            (Value::Array(values) | Value::Vec(values, _), "iter") if given == 0 => {
                let shared = self.shared(Value::Array(values));
                Value::Elements(shared.elements().cloned().unwrap_or_default())
            }
            (Value::Array(values), "into_iter") if given == 0 => Value::Elements(values),
            (Value::Vec(values, held), "into_iter") if given == 0 => {
                let parts = values.iter().map(|part| self.part(part, held));
                Value::Elements(Rc::new(parts.collect()))
            }
            (Value::Felt(Word::Const(value)), "inverse") => match value.try_inverse() {
                Some(inverse) => Value::Felt(Word::Const(inverse)),
                None => return fail(span, "zero has no inverse"),
            },
            (Value::Felt(word), "inverse") => Value::Felt(self.builder.inverse(word)),
            (Value::Ext(value), "inverse") => Value::Ext(self.ext_inverse(&value, span)?),
            (Value::Ext(value), "coeff") => {
                let [index] = arguments(values, span)?;
                let index = integer(&index, span)?;
                if index >= 5 {
                    let message = format!("an Ext has no coefficient {index}, only 0 to 4");
                    return fail(span, message);
                }
                Value::Felt(self.coefficient(&value, index as usize))
            }
            (Value::Ext(value), "pin") => Value::Ext(self.pin(&value)),
            (Value::Ext(value), "as_block") => Value::Block(self.ext_block(&value)),
            (Value::Block(block), "lane") => self.block_lane(&block, values, span)?,
            (Value::Block(block), "as_ext") => Value::Ext(self.block_ext(&block, span)?),
            (
                Value::Slice(pointer, length),
                "block" | "skip" | "at" | "skip_index" | "at_unchecked" | "skip_unchecked",
            ) => self.slice_method((pointer, length), name, values, span)?,
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
            (Value::Words(base, length), "get" | "set") => {
                self.access_word((base, length), name, values, span)?
            }
            (Value::Array(list) | Value::Vec(list, _) | Value::Elements(list), "len")
                if values.is_empty() =>
            {
                Value::Int(list.len() as u64, Some(IntType::Usize))
            }
            (Value::Array(list) | Value::Vec(list, _), "is_empty") if values.is_empty() => {
                Value::Bool(list.is_empty())
            }
            (Value::Int(value, ty), name) => integer::method((value, ty), name, &values, span)?,
            (other, name) => {
                let message = format!("{other} has no method `{name}` in the subset");
                let help = "iterators and closures are not in the subset: write a `for` loop";
                return fail_help(span, message, help);
            }
        })
    }

    fn slice_method(
        &mut self,
        (pointer, length): (Pointer, u32),
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        Ok(match name {
            "block" => {
                let [index] = arguments(values, span)?;
                match skip(pointer, length, &index, span)? {
                    (_, 0) => {
                        let has = format!("which has {length} blocks");
                        return fail(span, format!("this block is outside of the slice, {has}"));
                    }
                    (pointer, _) => Value::Block(Block::At(pointer)),
                }
            }
            "skip" => {
                let [index] = arguments(values, span)?;
                let (pointer, rest) = skip(pointer, length, &index, span)?;
                Value::Slice(pointer, rest)
            }
            "at" => {
                let (pointer, _) = self.at_index((pointer, length), 1, name, values, span)?;
                Value::Block(Block::At(pointer))
            }
            "skip_index" => {
                let (pointer, rest) = self.at_index((pointer, length), 0, name, values, span)?;
                Value::Slice(pointer, rest)
            }
            "at_unchecked" => {
                let [distance] = arguments(values, span)?;
                let pointer = self.displaced(pointer, felt(&distance, span)?);
                Value::Block(Block::At(pointer))
            }
            _ => {
                let [distance, blocks] = arguments(values, span)?;
                let blocks = small(&blocks, span)?;
                if blocks > length {
                    return outside(blocks, length, span);
                }
                let pointer = self.displaced(pointer, felt(&distance, span)?);
                Value::Slice(pointer, blocks)
            }
        })
    }

    fn block_lane(&mut self, block: &Block, values: Vec<Value>, span: Span) -> Eval<Value> {
        let [index] = arguments(values, span)?;
        let index = integer(&index, span)?;
        if index >= 8 {
            return fail(span, format!("a Block has no lane {index}, only 0 to 7"));
        }
        Ok(Value::Felt(match block {
            Block::Const(lanes) => Word::Const(lanes[index as usize]),
            Block::Lanes(words) => words[index as usize],
            Block::At(pointer) => {
                let address = self.pointer(*pointer);
                self.builder.lane(address, index as u32)
            }
        }))
    }

    /// Returns what remains of a slice after as many blocks as a run-time index says. At least
    /// `needed` blocks must remain.
    fn at_index(
        &mut self,
        (pointer, length): (Pointer, u32),
        needed: u64,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<(Pointer, u32)> {
        let [index] = arguments(values, span)?;
        let Value::Index(index, bound) = index else {
            let message = format!("`{name}` takes an Index<N>, not {index}");
            return fail_help(span, message, "check the range with `Index::<N>::new(x)`");
        };
        // The slice that remains must exist for every index, so it is that of the largest one.
        let largest = bound.checked_sub(1);
        match largest.and_then(|largest| u64::from(length).checked_sub(largest)) {
            Some(rest) if rest >= needed => Ok((self.displaced(pointer, index), rest as u32)),
            _ => fail(
                span,
                format!("an Index<{bound}> may be outside of this slice of {length} blocks"),
            ),
        }
    }

    /// Reads or writes one of the `length` write-once words from `base` on.
    fn access_word(
        &mut self,
        (base, length): (Word, u64),
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let mut values = values.into_iter();
        let Some(Value::Index(index, bound)) = values.next() else {
            return fail(span, "the first argument must be an Index");
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
        let read = OpKind::Deref(pointer, Displacement::Zero, value, def);
        self.builder.push(read);
        Ok(result)
    }
}
