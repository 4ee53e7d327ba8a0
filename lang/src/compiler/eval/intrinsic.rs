//! What the compiler does for the names of the prelude.

use std::rc::Rc;

use p3_field::PrimeCharacteristicRing;

use super::argument::{arguments, boolean, felt, limited, mismatch, outside};
use super::arith::ZERO;
use super::*;
use crate::compiler::ir::{HintOp, OpKind, Word};
use crate::compiler::resolve::is_advice;
use crate::compiler::value::{Block, Ext, Pointer};
use crate::isa::id;
use crate::precompile::{self, Function as PrecompileFunction, Integers, Output, Parameter};
use droste_native::field::EXTENSION_DEGREE;
use droste_native::{ChallengeField, F};

/// Returns the error for a call whose integers leave it nothing to do, for which a table has no
/// row.
fn nothing<T>(function: &PrecompileFunction, what: &str, span: Span) -> Eval<T> {
    fail_help(
        span,
        format!("this call of `{}` {what}", function.name),
        "a call must read and return at least one block: omit it if there is none",
    )
}

/// Returns whether a precompile's function takes or returns extension elements.
fn takes_extension(function: &PrecompileFunction) -> bool {
    let mut parameters = function.parameters.iter();
    parameters.any(|parameter| matches!(parameter, Parameter::Ext(_)))
        || matches!(function.output, Output::Ext(_) | Output::Elements(..))
}

/// Returns the error for a function that takes or returns extension elements of other fields.
fn without_form<T>(name: &str, span: Span) -> Eval<T> {
    let message = format!("`{name}` has no form for Exts of BabyBear");
    let help = "write sums and products, or call `baby_bear_dot`";
    fail_help(span, message, help)
}

impl Evaluator<'_> {
    /// Returns the integers and booleans among the arguments of a precompile, and the values of
    /// operands A to E, which are sums of them.
    fn integers(
        &mut self,
        function: &PrecompileFunction,
        values: &[Value],
        span: Span,
    ) -> Eval<(Integers, [u32; 5])> {
        let (mut integers, mut sums) = (Integers::default(), [0; 5]);
        let mut next = integers.iter_mut();
        for (parameter, value) in function.parameters.iter().zip(values) {
            let (integer, factor) = match parameter {
                Parameter::Integer(_) => (self.small(value, span)?, 1),
                Parameter::Multiple(_, factor) => (self.small(value, span)?, *factor),
                Parameter::Flag(_) => (u32::from(boolean(value, span)?), 1),
                _ => continue,
            };
            if let Some(next) = next.next() {
                *next = u64::from(integer);
            }
            let sum = &mut sums[parameter.operand() as usize];
            let total = u64::from(*sum) + u64::from(integer) * u64::from(factor);
            *sum = limited(total, span)?;
        }
        Ok((integers, sums))
    }

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
            "quartic" => {
                let [] = arguments(values, span)?;
                self.choose_field("quartic", ChallengeField::Quartic, span)
            }
            "baby_bear" => {
                let [] = arguments(values, span)?;
                self.choose_field("baby_bear", ChallengeField::BabyBear, span)
            }
            "felt" => {
                let [value] = arguments(values, span)?;
                let value = F::from_u64(self.integer(&value, span)?);
                Ok(Value::Felt(Word::Const(value)))
            }
            "hint_felt" => {
                let def = self.builder.var();
                self.builder.push(OpKind::Hint(HintOp::Felt(def)));
                Ok(Value::Unchecked(Rc::new(Value::Felt(Word::Var(def)))))
            }
            "hint_ext" if self.builder.is_baby_bear() => {
                // The tape has it as its block, whose lanes are the words' limbs.
                let pointer = self.hint_blocks(1);
                Ok(Value::Unchecked(Rc::new(Value::Ext(Ext::At(pointer)))))
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
                let blocks = self.small(&blocks, span)?;
                Ok(self.hint_slice(blocks))
            }
            "public_input" => self.public_input(span),
            "reveal" => {
                let [value] = arguments(values, span)?;
                self.reveal(&value, span)
            }
            "count" => {
                let [count] = arguments(values, span)?;
                let count = self.small(&count, span)?;
                Ok(Value::Count(Word::Const(F::from_u32(count))))
            }
            "count_to" => {
                let [count] = arguments(values, span)?;
                Ok(Value::Count(felt(&count, span)?))
            }
            "fold_pair" if self.builder.is_baby_bear() => without_form("fold_pair", span),
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
                    let (identity, function) = self.of_field(precompile, function, span)?;
                    self.precompile_call(identity, function, &values, span)
                }
                None => fail(span, format!("`{other}` is not a function")),
            },
        }
    }

    fn hint_slice(&mut self, blocks: u32) -> Value {
        let pointer = self.hint_blocks(blocks);
        Value::Unchecked(Rc::new(Value::Slice(pointer, blocks)))
    }

    /// Reads blocks of the tape. Returns the address of the first.
    fn hint_blocks(&mut self, blocks: u32) -> Pointer {
        let position = self.builder.counters.tape;
        let (def, pointer) = match position {
            Some(position) => {
                let area = self.builder.tape_area(position, blocks);
                (None, Pointer::area(area))
            }
            None => {
                let def = self.builder.var();
                let word = Word::Var(def);
                (Some(def), Pointer::at(word))
            }
        };
        self.builder.push(OpKind::Hint(HintOp::Slice {
            def,
            position,
            blocks,
        }));
        self.builder.counters.advance(Some(blocks));
        pointer
    }

    fn public_input(&mut self, span: Span) -> Eval<Value> {
        self.straight_line("public_input", span)?;
        if self.builder.counters.public_outputs > 0 {
            let help = "read all inputs before the first `reveal`";
            return fail_help(span, "a public input is read after an output", help);
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

    /// Takes the challenge field that a function of this name chooses.
    fn choose_field(&mut self, name: &str, field: ChallengeField, span: Span) -> Eval<Value> {
        self.straight_line(name, span)?;
        if !self.in_constant && self.builder.choose(field) {
            return Ok(Value::unit());
        }
        let what = match field {
            ChallengeField::BabyBear => "field",
            _ => "degree",
        };
        fail_help(
            span,
            format!("`{name}` is called when something may depend on the {what} already"),
            "call it once, as the first statement of `main`",
        )
    }

    /// Returns the precompile, by its identity, and the function that a name means in the program's
    /// field.
    fn of_field(
        &mut self,
        precompile: &Precompile,
        function: &'static PrecompileFunction,
        span: Span,
    ) -> Eval<(u32, &'static PrecompileFunction)> {
        let degree = self.builder.degree();
        let other = precompile::at_degree(precompile, degree);
        let mut functions = other.functions.iter();
        let same = functions.find(|same| same.name == function.name);
        // One that the other precompile does not have is the same in programs of every degree.
        let (found, function) = same.map_or((precompile, function), |same| (other, same));
        match (precompile.identity, self.builder.is_baby_bear()) {
            (id::BABY_BEAR_DOT, true) => return Ok((precompile.identity, function)),
            (id::BABY_BEAR_DOT, false) => {
                let message = format!("`{}` takes and returns Exts of BabyBear", function.name);
                let help = "begin `main` with `baby_bear();`";
                return fail_help(span, message, help);
            }
            // Those of another degree have elements in slices, too.
            (_, true) if found != precompile || takes_extension(function) => {
                return without_form(function.name, span);
            }
            _ => {}
        }
        if found == precompile && degree != EXTENSION_DEGREE && takes_extension(function) {
            let message = format!("`{}` takes or returns Exts of degree 5", function.name);
            return fail_help(
                span,
                message,
                "it has no form for programs with `quartic()`",
            );
        }
        Ok((found.identity, function))
    }

    /// Refuses a call that gives round constants unless it runs exactly once, and before all that
    /// need them: in a table, calls have no order.
    fn constants_come_first(
        &mut self,
        identity: u32,
        function: &PrecompileFunction,
        span: Span,
    ) -> Eval<()> {
        let name = function.name;
        if precompile::gives_constants(identity) {
            self.straight_line(name, span)?;
            if self.builder.given_constants.insert(identity) {
                return Ok(());
            }
            let message = format!("`{name}` is called a second time");
            let help = "a run has one list of these round constants: give it once";
            return fail_help(span, message, help);
        }
        let Some(giver) = precompile::constants_of(identity) else {
            return Ok(());
        };
        if self.builder.given_constants.contains(&giver.identity) {
            return Ok(());
        }
        fail_help(
            span,
            format!("`{name}` needs round constants, and none have been given"),
            format!("give the constants first: `{}(..)`", giver.name),
        )
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
            let message = format!("this takes {wanted} arguments, {given} were given");
            return fail(span, message);
        }
        self.constants_come_first(identity, function, span)?;
        let (integers, sums) = self.integers(function, values, span)?;
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
        let blocks = limited(function.output.blocks(integers), span)?;
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
                let second = Block::At(Pointer::at(word));
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
                let blocks = limited(blocks(integers), span)?;
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
            let message = "these blocks are at an address known only at run time";
            let help = "use blocks that were computed in this function or loop";
            return fail_help(span, message, help);
        }
        let operands = [word, ZERO, ZERO, ZERO];
        let copy = self.builder.call_area(id::BLOCK_EQ, operands, 0, 1, 1);
        Ok(Word::Address(copy, 0))
    }

    fn statement_fits(&mut self, span: Span) -> Eval<()> {
        let counters = self.builder.counters;
        if counters.public_inputs + counters.public_outputs > 8 {
            let help = "inputs and outputs are 8 at most: reveal a digest of all elements, \
                        `droste_gadgets::commitment::reveal_commitment`";
            return fail_help(span, "the statement has 8 elements", help);
        }
        Ok(())
    }
}
