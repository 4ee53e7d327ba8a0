//! What the compiler does for the names of the prelude.

use std::rc::Rc;

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::arith::field;
use super::*;
use crate::compiler::ir::{HintOp, OpKind, Word};
use crate::compiler::resolve::is_advice;
use crate::compiler::value::{Block, Ext, LIMIT, Pointer};
use crate::isa::id;
use crate::precompile::{self, Function as PrecompileFunction, Integers, Output, Parameter};
use droste_native::F;

const ZERO: Word = Word::Const(F::ZERO);

/// Returns a constant of a built-in type.
pub(super) fn constant(ty: &Ty, name: &str) -> Option<Value> {
    let coefficients = |first| {
        let mut value = [F::ZERO; 5];
        value[0] = first;
        Value::Ext(Ext::Const(value))
    };
    Some(match (ty, name) {
        (Ty::Felt, "ZERO") => Value::Felt(ZERO),
        (Ty::Felt, "ONE") => Value::Felt(Word::Const(F::ONE)),
        (Ty::Ext, "ZERO") => coefficients(F::ZERO),
        (Ty::Ext, "ONE") => coefficients(F::ONE),
        (Ty::Block, "ZERO") => Value::Block(Block::Const([F::ZERO; 8])),
        (Ty::Int(Some(ty)), name) => return integer::constant(*ty, name),
        (Ty::Phantom, _) => Value::Phantom,
        _ => return None,
    })
}

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
    let message = format!("expected {wanted}, found {}", found.describe());
    match found {
        Value::Unchecked(_) => fail_help(span, message, UNCHECKED),
        _ => fail(span, message),
    }
}

/// Returns a `usize`.
pub(super) fn integer(value: &Value, span: Span) -> Eval<u64> {
    integer_of(value, IntType::Usize, span)
}

fn integer_of(value: &Value, ty: IntType, span: Span) -> Eval<u64> {
    match integer::settle(value.clone(), &Ty::Int(Some(ty)), span)? {
        Value::Int(value, _) => Ok(value),
        other => mismatch("an integer known at compile time", &other, span),
    }
}

/// Returns the type of a built-in type's function's arguments, if they are integers.
pub(super) fn parameter(ty: &Ty, name: &str) -> Ty {
    let int = |ty| Ty::Int(Some(ty));
    match (ty, name) {
        (Ty::Felt, "new") => int(IntType::U32),
        (Ty::Ext, "new") => Ty::Array(Rc::new(int(IntType::U32)), None),
        (Ty::Int(ty), name) => integer::parameter(*ty, name),
        (Ty::Felt | Ty::Ext | Ty::Block | Ty::Slice, _) => int(IntType::Usize),
        _ => Ty::Unknown,
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

fn array<const N: usize>(value: &Value, span: Span) -> Eval<[Value; N]> {
    match value {
        Value::Array(values) => arguments(values.to_vec(), span),
        other => mismatch("an array", other, span),
    }
}

fn boolean(value: &Value, span: Span) -> Eval<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        other => mismatch("a bool known at compile time", other, span),
    }
}

/// Returns the integers and booleans among the arguments of a precompile, and the values of
/// operands A to E, which are sums of them.
fn integers(
    function: &PrecompileFunction,
    values: &[Value],
    span: Span,
) -> Eval<(Integers, [u32; 5])> {
    let (mut integers, mut sums) = (Integers::default(), [0; 5]);
    let mut next = integers.iter_mut();
    for (parameter, value) in function.parameters.iter().zip(values) {
        let (integer, factor) = match parameter {
            Parameter::Integer(_) => (small(value, span)?, 1),
            Parameter::Multiple(_, factor) => (small(value, span)?, *factor),
            Parameter::Flag(_) => (u32::from(boolean(value, span)?), 1),
            _ => continue,
        };
        if let Some(next) = next.next() {
            *next = u64::from(integer);
        }
        let sum = &mut sums[parameter.operand() as usize];
        let total = u64::from(*sum) + u64::from(integer) * u64::from(factor);
        *sum = small(&Value::Int(total, None), span)?;
    }
    Ok((integers, sums))
}

/// Returns the error for a call whose integers leave it nothing to do, for which a table has no
/// row.
fn nothing<T>(function: &PrecompileFunction, what: &str, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("this call of `{}` {what}", function.name),
        "a call must read and return at least one block: omit it if there is none",
    )
}

impl Evaluator<'_> {
    /// Returns the address of a slice of which the first `blocks` blocks are read.
    fn slice(&mut self, value: &Value, blocks: u32, span: Span) -> Eval<Word> {
        match value {
            Value::Slice(_, length) if *length < blocks => outside(blocks, *length, span),
            Value::Slice(pointer, _) => Ok(self.pointer(*pointer)),
            other => mismatch("a Slice", other, span),
        }
    }

    /// Refuses, in code that may run several times or not at all, what must run exactly once.
    fn straight_line(&mut self, what: &str, span: Span) -> Eval<()> {
        if self.builder.scopes.len() == 1 && self.compiling.is_empty() {
            return Ok(());
        }
        fail_help(
            span,
            format!("`{what}` must run exactly once"),
            "call it outside of run-time loops, branches and `#[inline(never)]` functions",
        )
    }

    /// Calls a function of the prelude, or a user's precompile.
    pub(super) fn intrinsic_call(
        &mut self,
        name: Symbol,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        match &*name.text() {
            advice if is_advice(advice) => Ok(Value::unit()),
            "felt" => {
                let [value] = arguments(values, span)?;
                Ok(Value::Felt(field(integer(&value, span)?, span)?))
            }
            "hint_felt" => {
                let def = self.builder.var();
                self.builder.push(OpKind::Hint(HintOp::Felt(def)));
                Ok(Value::Unchecked(Rc::new(Value::Felt(Word::Var(def)))))
            }
            "hint_ext" => {
                let area = self.builder.area(1);
                self.builder.push(OpKind::Hint(HintOp::Ext(area)));
                Ok(Value::Unchecked(Rc::new(Value::Ext(Ext::At(
                    Pointer::area(area),
                )))))
            }
            "hint_slice" => {
                let [blocks] = arguments(values, span)?;
                let blocks = small(&blocks, span)?;
                Ok(self.hint_slice(blocks))
            }
            "public_input" => self.public_input(span),
            "reveal" => {
                let [value] = arguments(values, span)?;
                self.reveal(&value, span)
            }
            "count" => {
                let [count] = arguments(values, span)?;
                let count = small(&count, span)?;
                Ok(Value::Count(Word::Const(F::from_u32(count))))
            }
            "count_to" => {
                let [count] = arguments(values, span)?;
                Ok(Value::Count(felt(&count, span)?))
            }
            "fold_pair" => {
                let [left, right, scale] = arguments(values, span)?;
                match (&left, &right, &scale) {
                    (Value::Ext(left), Value::Ext(right), Value::Ext(scale)) => {
                        Ok(Value::Ext(self.ext_fold(left, right, scale)))
                    }
                    _ => fail(span, "the arguments of `fold_pair` must be three Exts"),
                }
            }
            other => match precompile::function(other, self.precompiles) {
                Some((precompile, function)) => {
                    self.precompile_call(precompile.identity, function, &values, span)
                }
                None => fail(span, format!("`{other}` is not a function")),
            },
        }
    }

    fn hint_slice(&mut self, blocks: u32) -> Value {
        let position = self.builder.counters.tape;
        let (def, pointer) = match position {
            Some(position) => {
                let area = self.builder.tape_area(position, blocks);
                (None, Pointer::area(area))
            }
            None => {
                let def = self.builder.var();
                let word = Word::Var(def);
                (Some(def), Pointer { word, distance: 0 })
            }
        };
        self.builder.push(OpKind::Hint(HintOp::Slice {
            def,
            position,
            blocks,
        }));
        self.builder.counters.advance(Some(blocks));
        Value::Unchecked(Rc::new(Value::Slice(pointer, blocks)))
    }

    fn public_input(&mut self, span: Span) -> Eval<Value> {
        self.straight_line("public_input", span)?;
        if self.builder.counters.public_outputs > 0 {
            return fail_help(
                span,
                "a public input is read after an output",
                "read all inputs before the first `reveal`",
            );
        }
        let lane = self.builder.counters.public_inputs;
        self.builder.counters.public_inputs += 1;
        self.statement_fits(span)?;
        let statement = Word::Address(self.builder.statement, 0);
        Ok(Value::Felt(self.builder.lane(statement, lane as u32)))
    }

    fn reveal(&mut self, value: &Value, span: Span) -> Eval<Value> {
        self.straight_line("reveal", span)?;
        let word = felt(value, span)?;
        let lane = self.builder.counters.public_outputs;
        self.builder.counters.public_outputs += 1;
        self.statement_fits(span)?;
        let statement = Word::Address(self.builder.statement, 0);
        // Outputs follow the inputs, whose number is known only at the end.
        let e = crate::compiler::ir::OUTPUT_LANE + lane as u32;
        self.builder
            .call_assert(id::LANE, [statement, word, ZERO, ZERO], e);
        Ok(Value::unit())
    }

    /// Calls a precompile.
    fn precompile_call(
        &mut self,
        identity: u32,
        function: &PrecompileFunction,
        values: &[Value],
        span: Span,
    ) -> Eval<Value> {
        let (wanted, given) = (function.parameters.len(), values.len());
        if wanted != given {
            return fail(
                span,
                format!("this takes {wanted} arguments, {given} were given"),
            );
        }
        let (integers, sums) = integers(function, values, span)?;
        if let Err(refusal) = (function.check)(integers) {
            return fail_help(span, refusal.message, refusal.help);
        }
        let [a, b, c, d, e] = sums;
        let mut operands = [a, b, c, d].map(|sum| Word::Const(F::from_u32(sum)));
        for (parameter, value) in function.parameters.iter().zip(values) {
            if !parameter.is_integer() {
                operands[parameter.operand() as usize] =
                    self.operand_word(function, parameter, value, integers, span)?;
            }
        }
        let Some(position) = function.output.operand() else {
            self.builder.call_assert(identity, operands, e);
            return Ok(Value::unit());
        };
        let blocks = small(&Value::Int(function.output.blocks(integers), None), span)?;
        if blocks == 0 {
            return nothing(function, "returns nothing", span);
        }
        let area = self
            .builder
            .call_area(identity, operands, e, position as usize, blocks);
        let pointer = Pointer::area(area);
        Ok(match function.output {
            Output::Nothing => Value::unit(),
            Output::Ext(_) => Value::Ext(Ext::At(pointer)),
            Output::Block(_) => Value::Block(Block::At(pointer)),
            Output::Pair(_) => {
                let word = Word::Address(area, 1);
                let second = Block::At(Pointer { word, distance: 0 });
                let pair = [Block::At(pointer), second].map(Value::Block);
                Value::Tuple(Rc::new(pair.to_vec()))
            }
            Output::Slice(..) => Value::Slice(pointer, blocks),
            Output::Elements(..) => {
                self.builder.extensions.insert(area);
                Value::Slice(pointer, blocks)
            }
        })
    }

    /// Returns the operand for an argument, which is its value or its address.
    fn operand_word(
        &mut self,
        function: &PrecompileFunction,
        parameter: &Parameter,
        value: &Value,
        integers: Integers,
        span: Span,
    ) -> Eval<Word> {
        let word = match (parameter, value) {
            (Parameter::Ext(_), Value::Ext(value)) => self.ext_address(value),
            (Parameter::Ext(_), other) => return mismatch("an Ext", other, span),
            (Parameter::Block(_), Value::Block(block)) => self.block_address(block),
            (Parameter::Block(_), other) => return mismatch("a Block", other, span),
            (Parameter::Slice(_, blocks), value) => {
                let blocks = small(&Value::Int(blocks(integers), None), span)?;
                if blocks == 0 {
                    return nothing(function, "reads nothing of a slice", span);
                }
                self.slice(value, blocks, span)?
            }
            // The precompile's declaration makes the program responsible for the bound.
            (Parameter::UncheckedSlice(_), value) => self.slice(value, 0, span)?,
            (_, value) => return felt(value, span),
        };
        // Operand D must be a known address, or one at a known distance from the frame.
        let is_known = parameter.operand() != precompile::Operand::D
            || !matches!(self.builder.reach(word), Word::Var(_));
        if is_known {
            return Ok(word);
        }
        if matches!(
            parameter,
            Parameter::Slice(..) | Parameter::UncheckedSlice(_)
        ) {
            return fail_help(
                span,
                "these blocks are at an address known only at run time",
                "use blocks that were computed in this function or loop",
            );
        }
        let operands = [word, ZERO, ZERO, ZERO];
        let copy = self.builder.call_area(id::BLOCK_EQ, operands, 0, 1, 1);
        Ok(Word::Address(copy, 0))
    }

    fn statement_fits(&mut self, span: Span) -> Eval<()> {
        let counters = self.builder.counters;
        if counters.public_inputs + counters.public_outputs > 8 {
            return fail_help(
                span,
                "the statement has 8 elements",
                "hash longer inputs and outputs, and reveal the digest",
            );
        }
        Ok(())
    }

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
                Value::Felt(field(integer_of(&value, IntType::U32, span)?, span)?)
            }
            (Ty::Ext, "new") => {
                let [list] = arguments(values, span)?;
                let mut coefficients = [F::ZERO; 5];
                let list = array::<5>(&list, span)?;
                for (coefficient, value) in coefficients.iter_mut().zip(&list) {
                    if let Word::Const(value) = field(integer_of(value, IntType::U32, span)?, span)?
                    {
                        *coefficient = value;
                    }
                }
                Value::Ext(Ext::Const(coefficients))
            }
            (Ty::Ext, "from_felt") => {
                let [value] = arguments(values, span)?;
                Value::Ext(Ext::Scalar(felt(&value, span)?))
            }
            (Ty::Ext, "from_coeffs") => {
                let [list] = arguments(values, span)?;
                let list = array::<5>(&list, span)?;
                let mut words = [ZERO; 5];
                for (word, value) in words.iter_mut().zip(&list) {
                    *word = felt(value, span)?;
                }
                if words.iter().all(|word| matches!(word, Word::Const(_))) {
                    Value::Ext(Ext::Const(words.map(|word| match word {
                        Word::Const(value) => value,
                        _ => F::ZERO,
                    })))
                } else {
                    Value::Ext(Ext::Coefficients(Rc::new(words)))
                }
            }
            (Ty::Block, "new") => {
                let [list] = arguments(values, span)?;
                let list = array::<8>(&list, span)?;
                let mut words = [ZERO; 8];
                for (word, value) in words.iter_mut().zip(&list) {
                    *word = felt(value, span)?;
                }
                if words.iter().all(|word| matches!(word, Word::Const(_))) {
                    Value::Block(Block::Const(words.map(|word| match word {
                        Word::Const(value) => value,
                        _ => F::ZERO,
                    })))
                } else {
                    Value::Block(Block::Lanes(Rc::new(words)))
                }
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
                let size = small(&Value::Int(*length, None), span)?;
                let def = self.builder.var();
                self.words.insert(def, WordsUse::default());
                self.builder.push(OpKind::WordsAddress { size, def });
                Value::Words(Word::Var(def), *length)
            }
            (Ty::Index(bound), "new") => {
                let [value] = arguments(values, span)?;
                self.index(felt(&value, span)?, *bound, span)?
            }
            (Ty::Vec(_), "new" | "default") => {
                let [] = arguments(values, span)?;
                Value::Vec(Rc::default())
            }
            (Ty::Phantom, "default" | "new") => Value::Phantom,
            (Ty::Int(ty), "default") => Value::Int(0, *ty),
            (Ty::Bool, "default") => Value::Bool(false),
            (ty, name) => {
                // This is a method called as `Type::method(receiver, ..)`.
                let mut values = values.into_iter();
                match values.next() {
                    Some(receiver) if receiver.ty().matches(ty) => {
                        let receiver = integer::settle(receiver, ty, span)?;
                        let rest = values.collect();
                        self.intrinsic_method(receiver, name, rest, span)?
                    }
                    _ => return Ok(None),
                }
            }
        }))
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
                    self.builder.push(OpKind::CopyBlock {
                        to: area,
                        offset,
                        from,
                    });
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
            return fail_help(
                span,
                format!("an index below {bound} cannot be checked"),
                "the bound must be at most 64, or a power of two up to 65536",
            );
        }
        if let Word::Const(constant) = value {
            if u64::from(constant.as_canonical_u32()) >= bound {
                return fail(span, format!("{constant} is not below {bound}"));
            }
            return Ok(Value::Index(value, bound));
        }
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
                self.builder.relation(true, word, word, word);
                let weighted = self.builder.mul(word, Word::Const(F::from_u64(1 << bit)));
                sum = self.builder.add(sum, weighted);
            }
            self.builder.assert_equal(sum, value);
        } else {
            let mut product = value;
            for below in 1..bound {
                let distance = self.builder.sub(value, Word::Const(F::from_u64(below)));
                product = self.builder.mul(product, distance);
            }
            self.builder.assert_equal(product, ZERO);
        }
        Ok(Value::Index(value, bound))
    }
}
