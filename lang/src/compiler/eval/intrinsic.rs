//! What the prelude's names mean to the compiler.

use std::rc::Rc;

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::arith::field;
use super::*;
use crate::compiler::ir::{Area, HintOp, OpKind, Word};
use crate::compiler::resolve::is_advice;
use crate::compiler::value::{Block, Ext, LIMIT, Pointer};
use crate::isa::id;
use crate::precompile::{Output, Parameter, Precompile};
use droste_native::F;
use droste_native::precompile::{KECCAK_RATE_BLOCKS, KECCAK_RATE_WORDS};

const ZERO: Word = Word::Const(F::ZERO);

/// A constant of a built-in type.
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
        Err(_) => fail(span, format!("this takes {N} arguments, {given} are given")),
    }
}

pub(super) fn mismatch<T>(wanted: &str, found: &Value, span: Span) -> Eval<T> {
    let found = found.describe();
    fail(span, format!("expected {wanted}, found {found}"))
}

/// A `usize`.
pub(super) fn integer(value: &Value, span: Span) -> Eval<u64> {
    integer_of(value, IntType::Usize, span)
}

fn integer_of(value: &Value, ty: IntType, span: Span) -> Eval<u64> {
    match integer::settle(value.clone(), &Ty::Int(Some(ty)), span)? {
        Value::Int(value, _) => Ok(value),
        other => mismatch("an integer known at compile time", &other, span),
    }
}

/// The type of the arguments of a function of a built-in type, if they are integers.
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

/// The slice of `length` blocks after its first `blocks`.
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

/// The error for blocks that a slice does not have.
pub(super) fn outside<T>(blocks: u32, length: u32, span: Span) -> Eval<T> {
    fail(
        span,
        format!("{blocks} blocks of a slice are needed here, it has {length}"),
    )
}

/// Blocks that `lanes` lanes take.
fn blocks_of(lanes: u64, span: Span) -> Eval<u32> {
    small(&Value::Int(lanes.div_ceil(8), None), span)
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

impl Evaluator<'_> {
    /// The address of a slice of which the first `blocks` blocks are read.
    fn slice(&mut self, value: &Value, blocks: u32, span: Span) -> Eval<Word> {
        match value {
            Value::Slice(_, length) if *length < blocks => outside(blocks, *length, span),
            Value::Slice(pointer, _) => Ok(self.pointer(*pointer)),
            other => mismatch("a Slice", other, span),
        }
    }

    fn block_operand(&mut self, value: &Value, span: Span) -> Eval<Word> {
        match value {
            Value::Block(block) => Ok(self.block_address(block)),
            other => mismatch("a Block", other, span),
        }
    }

    /// Refuses what has a meaning only once and unconditionally.
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

    /// A function of the prelude.
    pub(super) fn intrinsic_call(
        &mut self,
        name: Symbol,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let at = |area| Pointer::area(area);
        let slice = |area, length| Value::Slice(Pointer::area(area), length);
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
                Ok(Value::Unchecked(Rc::new(Value::Ext(Ext::At(at(area))))))
            }
            "hint_slice" => {
                let [blocks] = arguments(values, span)?;
                let blocks = small(&blocks, span)?;
                let position = self.builder.counters.tape;
                let (def, pointer) = match position {
                    Some(position) => (None, at(self.builder.tape_area(position, blocks))),
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
                Ok(Value::Unchecked(Rc::new(Value::Slice(pointer, blocks))))
            }
            "public_input" => {
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
            "reveal" => {
                self.straight_line("reveal", span)?;
                let [value] = arguments(values, span)?;
                let word = felt(&value, span)?;
                let lane = self.builder.counters.public_outputs;
                self.builder.counters.public_outputs += 1;
                self.statement_fits(span)?;
                let statement = Word::Address(self.builder.statement, 0);
                // Outputs follow the inputs; how many those are is known at the end.
                let e = crate::compiler::emit::OUTPUT_LANE + lane as u32;
                self.builder
                    .call_assert(id::LANE, [statement, word, ZERO, ZERO], e);
                Ok(Value::unit())
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
            "poseidon16_compress" => {
                let [left, right] = arguments(values, span)?;
                let left = self.block_operand(&left, span)?;
                let right = self.block_operand(&right, span)?;
                let operands = [left, right, ZERO, ZERO];
                let area = self
                    .builder
                    .call_area(id::POSEIDON16_COMPRESS, operands, 0, 2, 1);
                Ok(Value::Block(Block::At(at(area))))
            }
            "poseidon16_sponge" => {
                let [data, lanes, capacity] = arguments(values, span)?;
                let identity = id::POSEIDON16_SPONGE;
                let area = self.sponge(identity, [&data, &lanes, &capacity], ZERO, span)?;
                let rate = Value::Block(Block::At(at(area)));
                let word = Word::Address(area, 1);
                let capacity = Value::Block(Block::At(Pointer { word, distance: 0 }));
                Ok(Value::Tuple(Rc::new(vec![rate, capacity])))
            }
            "poseidon16_duplex" => {
                let [data, lanes, capacity, tag] = arguments(values, span)?;
                let tag = Word::Const(F::from_u32(small(&tag, span)?));
                let identity = id::POSEIDON16_SPONGE;
                let area = self.sponge(identity, [&data, &lanes, &capacity], tag, span)?;
                Ok(slice(area, 2))
            }
            "poseidon16_hash" => {
                let [data, lanes, capacity] = arguments(values, span)?;
                let identity = id::POSEIDON16_HASH;
                let area = self.sponge(identity, [&data, &lanes, &capacity], ZERO, span)?;
                Ok(Value::Block(Block::At(at(area))))
            }
            "poseidon16_merkle" => {
                let [leaf, index, path, depth] = arguments(values, span)?;
                let mut leaf = self.block_operand(&leaf, span)?;
                if matches!(self.builder.reach(leaf), Word::Var(_)) {
                    // Operand D is an address that is known, or a distance from the frame.
                    let operands = [leaf, ZERO, ZERO, ZERO];
                    let copy = self.builder.call_area(id::BLOCK_EQ, operands, 0, 1, 1);
                    leaf = Word::Address(copy, 0);
                }
                let depth = self.depth(&depth, span)?;
                let path = self.slice(&path, depth, span)?;
                let operands = [ZERO, felt(&index, span)?, path, leaf];
                // The root can be any block, so that it can be compared by writing it.
                let area = self
                    .builder
                    .call_area(id::POSEIDON16_MERKLE, operands, depth, 0, 1);
                Ok(Value::Block(Block::At(at(area))))
            }
            "horner" => {
                let [data, skip, length, beta] = arguments(values, span)?;
                let (skip, length) = (small(&skip, span)?, small(&length, span)?);
                if skip >= 8 || length == 0 {
                    return fail_help(
                        span,
                        "a window skips fewer than 8 lanes and is not empty",
                        "skip whole blocks with `data.skip(n)`",
                    );
                }
                let blocks = blocks_of(u64::from(skip) + u64::from(length), span)?;
                let data = self.slice(&data, blocks, span)?;
                let beta = match &beta {
                    Value::Ext(beta) => self.ext_address(beta),
                    other => return mismatch("an Ext", other, span),
                };
                let operands = [data, beta, Word::Const(F::from_u32(length)), ZERO];
                let area = self.builder.call_area(id::HORNER, operands, skip, 3, 1);
                Ok(Value::Ext(Ext::At(at(area))))
            }
            "unpack" => {
                let [data, skip, count] = arguments(values, span)?;
                let (operands, skip, count) = self.unpack(&data, &skip, &count, span)?;
                let area = self.builder.call_area(id::UNPACK, operands, skip, 3, count);
                self.builder.extensions.insert(area);
                Ok(slice(area, count))
            }
            "assert_unpacked" => {
                let [data, skip, count, elements] = arguments(values, span)?;
                let (mut operands, skip, count) = self.unpack(&data, &skip, &count, span)?;
                operands[3] = self.slice(&elements, count, span)?;
                if matches!(self.builder.reach(operands[3]), Word::Var(_)) {
                    return fail_help(
                        span,
                        "these elements are at an address known only at run time",
                        "compare with what `unpack` gave in this function or loop",
                    );
                }
                self.builder.call_assert(id::UNPACK, operands, skip);
                Ok(Value::unit())
            }
            "fold_pair" => {
                let [left, right, scale] = arguments(values, span)?;
                match (&left, &right, &scale) {
                    (Value::Ext(left), Value::Ext(right), Value::Ext(scale)) => {
                        Ok(Value::Ext(self.ext_fold(left, right, scale)))
                    }
                    _ => fail(span, "`fold_pair` takes three Exts"),
                }
            }
            "limbs" => {
                let [data, groups] = arguments(values, span)?;
                let groups = small(&groups, span)?;
                let operands = [self.slice(&data, groups, span)?, ZERO, ZERO, ZERO];
                let size = 2 * groups;
                let area = self.builder.call_area(id::LIMBS, operands, groups, 2, size);
                Ok(slice(area, size))
            }
            "blake3_chunk" => {
                let [data, words, counter, root] = arguments(values, span)?;
                let words = small(&words, span)?;
                let counter = small(&counter, span)?;
                let root = boolean(&root, span)?;
                let mode = Word::Const(F::from_u32(2 * counter + u32::from(root)));
                let blocks = blocks_of(2 * u64::from(words), span)?;
                let operands = [self.slice(&data, blocks, span)?, mode, ZERO, ZERO];
                let area = self
                    .builder
                    .call_area(id::BLAKE3_CHUNK, operands, words, 2, 2);
                Ok(slice(area, 2))
            }
            "blake3_parent" => {
                let [left, right, root] = arguments(values, span)?;
                let root = u32::from(boolean(&root, span)?);
                let operands = [
                    self.slice(&left, 2, span)?,
                    self.slice(&right, 2, span)?,
                    ZERO,
                    ZERO,
                ];
                let area = self
                    .builder
                    .call_area(id::BLAKE3_PARENT, operands, root, 2, 2);
                Ok(slice(area, 2))
            }
            "keccak_hash" => {
                let [data, words] = arguments(values, span)?;
                let words = small(&words, span)?;
                // As the prelude has it: a rate block after the other, the last up to its last word.
                let runs = words.saturating_sub(1) / KECCAK_RATE_WORDS as u32;
                let rest = words - runs * KECCAK_RATE_WORDS as u32;
                let lanes = 8 * u64::from(runs) * KECCAK_RATE_BLOCKS as u64 + 2 * u64::from(rest);
                let blocks = blocks_of(lanes, span)?;
                let operands = [self.slice(&data, blocks, span)?, ZERO, ZERO, ZERO];
                let area = self
                    .builder
                    .call_area(id::KECCAK_HASH, operands, words, 2, 2);
                Ok(slice(area, 2))
            }
            text @ ("blake3_merkle" | "keccak_merkle") => {
                let [leaf, index, path, depth] = arguments(values, span)?;
                let leaf = self.slice(&leaf, 2, span)?;
                let depth = self.depth(&depth, span)?;
                let path = self.slice(&path, 2 * depth, span)?;
                let operands = [leaf, felt(&index, span)?, path, ZERO];
                let identity = match text {
                    "blake3_merkle" => id::BLAKE3_MERKLE,
                    _ => id::KECCAK_MERKLE,
                };
                let area = self.builder.call_area(identity, operands, depth, 3, 2);
                Ok(slice(area, 2))
            }
            other => {
                let custom = self.precompiles.iter().copied();
                match custom.clone().find(|custom| custom.name == other) {
                    Some(custom) => self.custom_call(custom, &values, span),
                    None => fail(span, format!("`{other}` is not a function")),
                }
            }
        }
    }

    /// A sponge's last output: the rate, and after it the capacity unless it is a hash.
    fn sponge(
        &mut self,
        identity: u32,
        [data, lanes, capacity]: [&Value; 3],
        tag: Word,
        span: Span,
    ) -> Eval<Area> {
        let lanes = small(lanes, span)?;
        if lanes < 8 {
            return fail_help(
                span,
                format!("a sponge absorbs at least 8 lanes, not {lanes}"),
                "pad the message to one block",
            );
        }
        let data = self.slice(data, lanes.div_ceil(8), span)?;
        let capacity = self.block_operand(capacity, span)?;
        let operands = [data, capacity, ZERO, tag];
        let blocks = 1 + u32::from(identity == id::POSEIDON16_SPONGE);
        Ok(self.builder.call_area(identity, operands, lanes, 2, blocks))
    }

    /// Operands of `unpack` without the result, the lanes skipped, the number of elements.
    fn unpack(
        &mut self,
        data: &Value,
        skip: &Value,
        count: &Value,
        span: Span,
    ) -> Eval<([Word; 4], u32, u32)> {
        let (skip, count) = (small(skip, span)?, small(count, span)?);
        if skip >= 8 || count == 0 {
            return fail_help(
                span,
                "elements are unpacked after fewer than 8 lanes, and there is at least one",
                "skip whole blocks with `data.skip(n)`",
            );
        }
        let blocks = blocks_of(u64::from(skip) + 5 * u64::from(count), span)?;
        let data = self.slice(data, blocks, span)?;
        let length = Word::Const(F::from_u32(count));
        Ok(([data, ZERO, length, ZERO], skip, count))
    }

    /// A call of a user's precompile.
    fn custom_call(&mut self, custom: Precompile, values: &[Value], span: Span) -> Eval<Value> {
        let (wanted, given) = (custom.parameters.len(), values.len());
        if wanted != given {
            return fail(
                span,
                format!("this takes {wanted} arguments, {given} are given"),
            );
        }
        let parameters = || custom.parameters.iter().zip(values);
        // The length stands anywhere in the list, and says how much of a slice is read.
        let length = match parameters().find(|(parameter, _)| **parameter == Parameter::Length) {
            Some((_, value)) => small(value, span)?,
            None => 0,
        };
        let (mut operands, mut used) = ([ZERO; 4], 0);
        for (parameter, value) in parameters() {
            let word = match (parameter, value) {
                (Parameter::Length, _) => continue,
                (Parameter::Felt, value) => felt(value, span)?,
                (Parameter::Ext, Value::Ext(value)) => self.ext_address(value),
                (Parameter::Ext, other) => return mismatch("an Ext", other, span),
                (Parameter::Block, value) => self.block_operand(value, span)?,
                (Parameter::Slice(reads), value) => match reads.blocks(length) {
                    Some(blocks) => self.slice(value, blocks, span)?,
                    None => return fail(span, format!("{length} is too large")),
                },
                // The precompile's declaration hands the bound over to the program.
                (Parameter::UncheckedSlice, value) => self.slice(value, 0, span)?,
            };
            operands[used] = word;
            used += 1;
        }
        let size = match custom.output {
            Output::Ext | Output::Block => 1,
            Output::Slice(blocks) => blocks,
        };
        let area = self
            .builder
            .call_area(custom.identity, operands, length, 3, size);
        let pointer = Pointer::area(area);
        Ok(match custom.output {
            Output::Ext => Value::Ext(Ext::At(pointer)),
            Output::Block => Value::Block(Block::At(pointer)),
            Output::Slice(blocks) => Value::Slice(pointer, blocks),
        })
    }

    fn depth(&mut self, value: &Value, span: Span) -> Eval<u32> {
        let depth = small(value, span)?;
        if depth == 0 || depth > 30 {
            return fail_help(
                span,
                format!("the depth of a Merkle path is 1 to 30, not {depth}"),
                "a path of depth 0 is its leaf",
            );
        }
        Ok(depth)
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

    /// A function of a built-in type: `Felt::new`, and the like.
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
                    return fail(span, "a slice has at least one block");
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
                // `Type::method(receiver, ..)`.
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

    /// A run-time index: the product of its distances from all admissible values is zero, or, for a
    /// power of two, it is a sum of bits.
    fn index(&mut self, value: Word, bound: u64, span: Span) -> Eval<Value> {
        if bound == 0 || bound > 1 << 16 || (bound > 64 && !bound.is_power_of_two()) {
            return fail_help(
                span,
                format!("an index below {bound} cannot be checked"),
                "the bound is at most 64, or a power of two up to 65536",
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
