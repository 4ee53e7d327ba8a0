//! Functions of built-in types.

use std::rc::Rc;

use super::argument::{arguments, array, felt, limited, mismatch};
use super::arith::{ZERO, constants};
use super::extension::unknown_element;
use super::*;
use crate::compiler::build::Asserted;
use crate::compiler::ir::{HintOp, OpKind, Word};
use crate::compiler::output::Relation;
use crate::compiler::value::{Block, Ext, Held, Pointer};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// Returns the words of the only argument, an array of `N` Felts.
fn words<const N: usize>(values: Vec<Value>, span: Span) -> Eval<[Word; N]> {
    let [list] = arguments(values, span)?;
    let list = array::<N>(&list, span)?;
    let mut words = [ZERO; N];
    for (word, value) in words.iter_mut().zip(&list) {
        *word = felt(value, span)?;
    }
    Ok(words)
}

impl Evaluator<'_> {
    /// Calls a function of a built-in type, such as `Felt::new`.
    pub(super) fn intrinsic_associated(
        &mut self,
        ty: &Ty,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Option<Value>> {
        Ok(Some(match (ty, name) {
            (Ty::Felt, "new") => {
                let [value] = arguments(values, span)?;
                let value = self.integer_of(&value, IntType::U32, span)?;
                Value::Felt(Word::Const(F::from_u64(value)))
            }
            (Ty::Ext, "new") => {
                let [list] = arguments(values, span)?;
                let mut coefficients = [F::ZERO; 5];
                let list = array::<5>(&list, span)?;
                for (coefficient, value) in coefficients.iter_mut().zip(&list) {
                    let integer = self.integer_of(value, IntType::U32, span)?;
                    self.check_integer(integer, span)?;
                    *coefficient = F::from_u64(integer);
                }
                self.check_coefficients(&coefficients.map(Word::Const), span)?;
                Value::Ext(Ext::Const(coefficients))
            }
            (Ty::Ext, "from_felt") => {
                let [value] = arguments(values, span)?;
                let word = felt(&value, span)?;
                Value::Ext(self.embedded(word, span)?)
            }
            (Ty::Ext, "degree") => {
                let [] = arguments(values, span)?;
                let degree = self.builder.degree() as i128;
                Value::Int(degree, Some(IntType::Usize))
            }
            (Ty::Ext, "modulus") => {
                let [] = arguments(values, span)?;
                let modulus = i128::from(self.builder.field().modulus());
                Value::Int(modulus, Some(IntType::Usize))
            }
            (Ty::Ext, "from_coeffs") => {
                let words = words::<5>(values, span)?;
                self.check_coefficients(&words, span)?;
                Value::Ext(match constants(&words) {
                    Some(coefficients) => {
                        for coefficient in coefficients {
                            let integer = coefficient.as_canonical_u32();
                            self.check_integer(u64::from(integer), span)?;
                        }
                        Ext::Const(coefficients)
                    }
                    None if self.builder.is_baby_bear() => return unknown_element(span),
                    None => Ext::Coefficients(Rc::new(words)),
                })
            }
            (Ty::Block, "new") => {
                let words = words::<8>(values, span)?;
                Value::Block(match constants(&words) {
                    Some(lanes) => Block::Const(lanes),
                    None => Block::Lanes(Rc::new(words)),
                })
            }
            (Ty::Slice, "from_blocks") => {
                let [list] = arguments(values, span)?;
                let Some(blocks) = list.elements() else {
                    return mismatch("an array of Blocks", &list, span);
                };
                if blocks.is_empty() {
                    return fail(span, "a slice must have at least one block");
                }
                self.slice_of(blocks, span)?
            }
            (Ty::Words(length), "new" | "default") => {
                let size = limited(*length, span)?;
                let def = self.builder.var();
                self.words.insert(def, WordsUse::default());
                self.builder.push(OpKind::WordsAddress(size, def));
                Value::Words(Word::Var(def), *length)
            }
            (Ty::Index(bound), "new") => {
                let [value] = arguments(values, span)?;
                self.index(felt(&value, span)?, *bound, span)?
            }
            (ty, "default") if values.is_empty() && !matches!(ty, Ty::Words(_)) => {
                self.default_value(ty, span)?
            }
            (Ty::Vec(_), "new") => {
                let [] = arguments(values, span)?;
                Value::Vec(Rc::default(), Held::Owned)
            }
            (Ty::Vec(_), "with_capacity") => {
                let [capacity] = arguments(values, span)?;
                self.capacity(&capacity, span)?;
                Value::Vec(Rc::default(), Held::Owned)
            }
            (Ty::Vec(_), "from") => {
                let [list] = arguments(values, span)?;
                match list {
                    Value::Array(values) => Value::Vec(values, Held::Owned),
                    other => return mismatch("an array", &other, span),
                }
            }
            (Ty::Array(_, Some(_)), "try_from") => {
                let [value] = arguments(values, span)?;
                self.try_converted(value, ty, span)?
            }
            (Ty::Phantom, "new") => Value::Phantom,
            (Ty::Int(Some(IntType::Char)), "from_digit" | "from_u32") => {
                let mut numbers = Vec::with_capacity(values.len());
                for value in &values {
                    numbers.push(self.integer_of(value, IntType::U32, span)? as u32);
                }
                let found = match *numbers.as_slice() {
                    [code] => char::from_u32(code),
                    [_, radix] if radix > 36 => {
                        return fail_certain(span, format!("`{name}` of radix {radix}"));
                    }
                    [digit, radix] => char::from_digit(digit, radix),
                    _ => return Ok(None),
                };
                let ty = Some(IntType::Char);
                let found = found.map(|found| Value::Int(u32::from(found).into(), ty));
                self.option(found, Ty::Int(ty), span)?
            }
            (Ty::Int(Some(ty)), "from" | "try_from" | "from_le_bytes" | "from_be_bytes") => {
                let ty = *ty;
                let [value] = arguments(values, span)?;
                match name {
                    _ if ty.is_open() => return integer::untyped(span),
                    "from" => self.integer_from(&value, ty, span)?,
                    "try_from" => self.integer_try_from(&value, ty, span)?,
                    name => self.integer_from_bytes(&value, name.contains("le"), ty, span)?,
                }
            }
            (ty, name) => {
                // This is a method called as `Type::method(receiver, ..)`.
                let mut values = values.into_iter();
                match values.next() {
                    Some(receiver) if receiver.ty().matches(ty) => {
                        let receiver = self.settle(receiver, ty, span)?;
                        let rest = values.collect();
                        self.intrinsic_method(receiver, name, rest, span)?
                    }
                    _ => return Ok(None),
                }
            }
        }))
    }

    /// Refuses a fifth coefficient that is not the constant zero, if the degree is 4.
    fn check_coefficients(&mut self, words: &[Word; 5], span: Span) -> Eval<()> {
        if words[self.builder.degree()..]
            .iter()
            .all(|word| *word == ZERO)
        {
            return Ok(());
        }
        let help = "the challenges of this program have degree 4: write zero for the fifth";
        fail_help(span, "an Ext of degree 4 has four coefficients", help)
    }

    fn slice_of(&mut self, blocks: &[Value], span: Span) -> Eval<Value> {
        let area = self.builder.area(blocks.len() as u32);
        for (offset, block) in blocks.iter().enumerate() {
            let offset = offset as u32;
            match block {
                Value::Block(Block::Lanes(words)) => {
                    let words = **words;
                    self.builder.store_lanes(area, offset, &words);
                }
                Value::Block(block) => {
                    let from = self.block_address(block);
                    let from = self.builder.reach(from);
                    self.builder.push(OpKind::CopyBlock(area, offset, from));
                }
                other => return mismatch("a Block", other, span),
            }
        }
        Ok(Value::Slice(Pointer::area(area), blocks.len() as u32))
    }

    /// Constrains a run-time index: the product of its distances from all admissible values is zero
    /// or, if the bound is a power of two, it is a sum of bits.
    fn index(&mut self, value: Word, bound: u64, span: Span) -> Eval<Value> {
        if bound == 0 || bound > 1 << 16 || (bound > 64 && !bound.is_power_of_two()) {
            let message = format!("an index below {bound} cannot be checked");
            let help = "the bound must be at most 64, or a power of two up to 65536";
            return fail_help(span, message, help);
        }
        if let Word::Const(constant) = value {
            if u64::from(constant.as_canonical_u32()) >= bound {
                return fail_certain(span, format!("{constant} is not below {bound}"));
            }
            return Ok(Value::Index(value, bound));
        }
        let asserted = Asserted {
            value: Some(value),
            ..Asserted::of(Relation::Below(bound as u32))
        };
        if bound.is_power_of_two() && bound > 4 {
            let value = self.builder.reach(value);
            let mut sum = ZERO;
            for bit in 0..bound.ilog2() {
                let def = self.builder.var();
                self.builder.push(OpKind::Hint(HintOp::Bit {
                    def,
                    of: value,
                    bit,
                }));
                let word = Word::Var(def);
                self.builder
                    .asserting(asserted, |builder| builder.relation(true, word, word, word));
                let weighted = self.builder.mul(word, Word::Const(F::from_u64(1 << bit)));
                sum = self.builder.add(sum, weighted);
            }
            self.builder
                .asserting(asserted, |builder| builder.assert_equal(sum, value));
        } else {
            let mut product = value;
            for below in 1..bound {
                let distance = self.builder.sub(value, Word::Const(F::from_u64(below)));
                product = self.builder.mul(product, distance);
            }
            self.builder
                .asserting(asserted, |builder| builder.assert_equal(product, ZERO));
        }
        Ok(Value::Index(value, bound))
    }
}
