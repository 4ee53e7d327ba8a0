//! Methods of built-in types.

use p3_field::{Field, PrimeField32};

use super::argument::{arguments, felt, mismatch, outside};
use super::extension::unknown_element;
use super::place::{Place, Reach};
use super::*;
use crate::compiler::build::Asserted;
use crate::compiler::ir::{Def, Displacement, OpKind, Word};
use crate::compiler::output::Relation;
use crate::compiler::resolve::ITERATOR;
use crate::compiler::value::{Block, Ext, Pointer};

/// Returns whether this is a method of `PartialEq`, `PartialOrd` or `Ord`.
fn is_comparison(name: &str) -> bool {
    is_of_one_type(name)
        || matches!(
            name,
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "partial_cmp"
        )
}

/// Returns whether this is a method of `Ord`, whose arguments are of the type of `self`.
fn is_of_one_type(name: &str) -> bool {
    matches!(name, "cmp" | "max" | "min" | "clamp")
}

impl Evaluator<'_> {
    /// Returns the address so many blocks further, for a number known at run time. Nothing here
    /// bounds that number.
    fn displaced(&mut self, pointer: Pointer, blocks: Word) -> Pointer {
        let base = self.pointer(pointer);
        let word = self.builder.add(base, blocks);
        Pointer::at(word)
    }

    /// Calls a method of a built-in type, or of a trait of the standard library.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn builtin_method_call(
        &mut self,
        receiver: &Expr,
        value: Value,
        place: Option<Place>,
        name: Symbol,
        turbofish: &[GenericArg],
        given: &[Expr],
        expected: &Ty,
        span: Span,
    ) -> Eval<Value> {
        let text = name.text();
        let text = &*text;
        let is_list = value.elements().is_some();
        let is_reference = place
            .as_ref()
            .is_some_and(|place| place.reach == Reach::Reference);
        match (&value, text) {
            (_, "clone") => {}
            (Value::Iter(_) | Value::Range(..) | Value::From(..) | Value::Count(_), _) => {
                return self.iterator_method(value, place, name, turbofish, given, expected, span);
            }
            (Value::Struct(..), _) if ITERATOR.contains(&text) && self.is_own_iterator(&value) => {
                return self.iterator_method(value, place, name, turbofish, given, expected, span);
            }
            (_, "into" | "try_into") if is_reference => {
                let message = format!("`{text}` of a mutable reference is not in the subset");
                return fail_help(span, message, "convert what it refers to: `(*x).into()`");
            }
            (_, "into_iter" | "into" | "try_into") if given.is_empty() => {
                let value = self.receiver_by_value(receiver, value, place)?;
                return match (text, expected) {
                    ("into_iter", _) => Ok(self.iterate(value, span)?.into_value()),
                    ("into", _) => self.converted(value, expected, span),
                    (_, Ty::Struct(id, generics)) if *id == self.items.std_enum("Result") => {
                        self.try_converted(value, &generics[0], span)
                    }
                    _ => self.try_converted(value, &Ty::Unknown, span),
                };
            }
            (Value::Text(written), "parse") if given.is_empty() => {
                return self.parsed(written, turbofish, expected, span);
            }
            (Value::Bool(holds), "then" | "then_some") => {
                let holds = *holds;
                return self.bool_method(holds, text, given, span);
            }
            _ if is_list && !is_comparison(text) => {
                return self.list_method(value, place, name, given, span);
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(given.len());
        for argument in given {
            let expected = match &value {
                Value::Words(_, length) => Ty::Index(*length),
                Value::Int(_, ty) => integer::parameter(*ty, text),
                Value::Text(_) => Ty::Unknown,
                value if is_of_one_type(text) => self.bounded_type(value.ty(), span)?,
                value if is_comparison(text) => self.expected_other(value, span)?,
                _ => Ty::USIZE,
            };
            values.push(self.expr_of(argument, expected)?);
        }
        // Of references, these return one of them.
        let value = match place {
            _ if !matches!(text, "max" | "min" | "clamp") => value,
            _ if receiver.reference => self.shared(value),
            Some(place) if is_reference => self.reference_to(place)?,
            _ => value,
        };
        self.at(span);
        self.intrinsic_method(value, text, values, span)
    }

    /// Moves the receiver of a method that takes it by value.
    fn receiver_by_value(
        &mut self,
        receiver: &Expr,
        value: Value,
        place: Option<Place>,
    ) -> Eval<Value> {
        match place {
            _ if receiver.reference => Ok(self.shared(value)),
            Some(place) => {
                let value = self.through(&place, value);
                self.move_out(&place)?;
                Ok(value)
            }
            None => {
                self.check_static(receiver, &value)?;
                Ok(value)
            }
        }
    }

    fn bool_method(&mut self, holds: bool, name: &str, given: &[Expr], span: Span) -> Eval<Value> {
        let [mut value] = arguments(self.all_moved(given)?, span)?;
        let ty = match name {
            "then_some" => value.ty(),
            _ => Ty::Unknown,
        };
        let value = match (holds, name) {
            (false, _) => None,
            (true, "then") => Some(self.call_closure(&mut value, Vec::new(), span)?),
            _ => Some(value),
        };
        self.option(value, ty, span)
    }

    /// Evaluates a method of a built-in type.
    pub(super) fn intrinsic_method(
        &mut self,
        receiver: Value,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        if is_comparison(name)
            && let Some(result) = self.comparison_method(&receiver, name, &values, span)?
        {
            return Ok(result);
        }
        Ok(match (receiver, name) {
            (value, "clone") if values.is_empty() => self.clone_of(value, span)?,
            (list @ (Value::Array(_) | Value::Vec(..)), name) => {
                self.list_value(&list, name, values, span)?
            }
            (Value::Felt(Word::Const(value)), "inverse") => match value.try_inverse() {
                Some(inverse) => Value::Felt(Word::Const(inverse)),
                None => return fail_certain(span, "zero has no inverse"),
            },
            (Value::Felt(word), "inverse") => Value::Felt(self.builder.inverse(word)),
            (Value::Ext(value), "inverse") => Value::Ext(self.ext_inverse(&value, span)?),
            (Value::Ext(value), "coeff") => {
                let [index] = arguments(values, span)?;
                let index = self.integer(&index, span)?;
                let last = self.builder.degree() - 1;
                if index > last as u64 {
                    let message = format!("an Ext has no coefficient {index}, only 0 to {last}");
                    return fail_certain(span, message);
                }
                if self.builder.is_baby_bear() && !matches!(value, Ext::Const(_)) {
                    return unknown_element(span);
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
            (Value::Unchecked(value), "any") => match &*value {
                Value::Felt(_) | Value::Slice(..) => (*value).clone(),
                // A block that no check admits may be no element.
                other => {
                    let message = format!("{other} that is unchecked has no method `any`");
                    return fail_help(span, message, "check it with `.checked()`");
                }
            },
            (Value::Unchecked(value), "bit") => {
                let word = felt(&value, span)?;
                let bit = Asserted {
                    value: Some(word),
                    ..Asserted::of(Relation::Bit)
                };
                self.builder
                    .asserting(bit, |builder| builder.relation(true, word, word, word));
                Value::Felt(word)
            }
            (Value::Unchecked(value), "checked") => match &*value {
                Value::Ext(Ext::At(pointer)) => Value::Ext(self.assert_extension(*pointer)),
                other => return mismatch("an Unchecked<Ext>", other, span),
            },
            (Value::Words(base, length), "get" | "set") => {
                self.access_word((base, length), name, values, span)?
            }
            (Value::Int(value, ty), name) => {
                self.integer_method((value, ty), name, &values, span)?
            }
            (Value::Text(text), name) => self.text_method(&text, name, &values, span)?,
            (other, name) => {
                let message = format!("{other} has no method `{name}` in the subset");
                let help = wanted(name).unwrap_or("`docs/zkdsl.md` lists what there is");
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
                match self.skip(pointer, length, &index, span)? {
                    (_, 0) => {
                        let has = format!("which has {length} blocks");
                        return fail(span, format!("this block is outside of the slice, {has}"));
                    }
                    (pointer, _) => Value::Block(Block::At(pointer)),
                }
            }
            "skip" => {
                let [index] = arguments(values, span)?;
                let (pointer, rest) = self.skip(pointer, length, &index, span)?;
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
                let blocks = self.small(&blocks, span)?;
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
        let index = self.integer(&index, span)?;
        if index >= 8 {
            return fail_certain(span, format!("a Block has no lane {index}, only 0 to 7"));
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
