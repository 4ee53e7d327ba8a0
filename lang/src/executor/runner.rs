//! The run of a program, instruction by instruction.

use droste_native::F;
use droste_native::precompile::Permutations;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::decode::{self, Decoded};
use super::explain::Moment;
use super::place::{RunError, failed, locate};
use super::source::{Source, address};
use super::{CallContext, Fault, Memory, Tape, TapeItem};
use crate::compiler::{Compiled, Hint};
use crate::isa::{MAX_CELLS, Op, Operand};
use crate::precompile::widen;
use crate::record::{Calls, Cycle, Execution};

/// Runs `compiled` on public inputs and hints.
///
/// `limit` is the largest number of instructions.
///
/// # Errors
/// A [`RunError`], which says what failed and where in the source: an assertion, a cell that is set
/// twice, a hint that is missing or of the wrong kind, operands for which a precompile has no
/// result, or the limit.
pub fn execute(
    compiled: &Compiled,
    public: &[F],
    tape: &Tape,
    limit: u64,
) -> Result<Execution, RunError> {
    execute_mutated(compiled, public, tape, limit, None)
}

/// Like [`execute`], with one false hint. `mutation` is the number of the hint, counting those that
/// the executor computes itself (bits, inverses, ends of loops), and what is added to its value.
///
/// A test uses it as a prover who cheats: the run must fail, or have the same statement.
pub fn execute_mutated(
    compiled: &Compiled,
    public: &[F],
    tape: &Tape,
    limit: u64,
    mutation: Option<(u64, F)>,
) -> Result<Execution, RunError> {
    // What is wrong before the first instruction is no fault of a place in the program.
    let runner = Runner::new(compiled, public, tape);
    let mut runner = runner.map_err(|fault| locate(compiled, fault, 1, None, &[]))?;
    runner.mutation = mutation;
    match runner.run(limit) {
        Ok(()) => Ok(runner.finish()),
        Err(fault) => {
            let (moment, hint) = (runner.moment(), runner.failed_hint);
            let mut error = failed(compiled, fault, moment, hint, &runner.cycles);
            error.said.printed = runner.printed;
            Err(error)
        }
    }
}

/// Largest number of lines that a run prints.
const MAX_PRINTED: usize = 1 << 14;

/// The state of a run.
struct Runner<'a> {
    decoded: Vec<Decoded>,
    compiled: &'a Compiled,
    tape: &'a Tape,
    /// Address of each slice of the tape, by index of its item.
    slices: Vec<u32>,
    tape_base: u32,
    next_hint: usize,
    memory: Memory,
    permutations: Permutations,
    /// Next address that is not used by any frame.
    fresh: u32,
    pc: u32,
    fp: u32,
    cycles: Vec<Cycle>,
    calls: Calls,
    /// Number of the hint that is falsified, and what is added to it.
    mutation: Option<(u64, F)>,
    /// Number of hints that have been computed.
    computed: u64,
    /// Index of the hint that could not be written.
    failed_hint: Option<usize>,
    /// What the program printed.
    printed: Vec<String>,
}

impl<'a> Runner<'a> {
    fn new(compiled: &'a Compiled, public: &[F], tape: &'a Tape) -> Result<Self, Fault> {
        if public.len() != compiled.public_inputs {
            return Err(Fault::PublicInputs {
                expected: compiled.public_inputs,
                found: public.len(),
            });
        }
        let tape_base = compiled.tape_base();
        let tape_blocks = u32::try_from(tape.blocks()).unwrap_or(u32::MAX);
        if tape_blocks > MAX_CELLS as u32 {
            return Err(Fault::Address(tape_blocks));
        }
        let fp = (tape_base + tape_blocks).max(compiled.entry_words);
        let mut memory = Memory::new(fp - compiled.entry_words);

        for lane in 0..8 {
            let used = compiled.public_inputs + compiled.public_outputs;
            if let Some(value) = public.get(lane) {
                memory.set_lane(0, lane, *value)?;
            } else if lane >= used {
                memory.set_lane(0, lane, F::ZERO)?;
            }
        }
        for (index, constant) in compiled.constants.iter().enumerate() {
            memory.set_block(1 + index as u32, *constant)?;
        }
        let mut at = tape_base;
        let mut slices = Vec::with_capacity(tape.items.len());
        for item in &tape.items {
            slices.push(at);
            if let TapeItem::Slice(blocks) = item {
                for block in blocks {
                    for (lane, value) in block.iter().enumerate() {
                        if let Some(value) = value {
                            memory.set_lane(at, lane, *value)?;
                        }
                    }
                    at += 1;
                }
            }
        }
        Ok(Self {
            decoded: decode::decode(compiled),
            compiled,
            tape,
            slices,
            tape_base,
            next_hint: 0,
            memory,
            permutations: Permutations::default(),
            fresh: fp + compiled.entry_frame,
            pc: 1,
            fp,
            cycles: Vec::new(),
            calls: Calls::default(),
            mutation: None,
            computed: 0,
            failed_hint: None,
            printed: Vec::new(),
        })
    }

    fn finish(self) -> Execution {
        let memory = self.memory.finish();
        let statement = memory.blocks.first().copied().unwrap_or_default();
        Execution {
            cycles: self.cycles,
            calls: self.calls,
            memory,
            statement,
            printed: self.printed,
        }
    }

    fn moment(&self) -> Moment<'_> {
        Moment {
            map: &self.compiled.source_map,
            memory: &self.memory,
            pc: self.pc,
            fp: self.fp,
        }
    }

    /// Prints what the program prints before or after the instruction at `pc`.
    fn print(&mut self, pc: u32, after: bool) {
        let compiled = self.compiled;
        let prints = &compiled.source_map.prints;
        let first = prints.partition_point(|print| print.pc < pc);
        let prints = prints.get(first..).unwrap_or_default();
        for print in prints.iter().take_while(|print| print.pc == pc) {
            if print.after == after && self.printed.len() < MAX_PRINTED {
                let line = self.moment().print(print.location, print.message);
                self.printed.push(line);
            }
        }
    }

    fn run(&mut self, limit: u64) -> Result<(), Fault> {
        let prints = !self.compiled.source_map.prints.is_empty();
        loop {
            if self.cycles.len() as u64 >= limit {
                return Err(Fault::Limit(limit));
            }
            let index = self.pc as usize;
            let Some(&instruction) = self.decoded.get(index) else {
                return Err(Fault::Target(self.pc));
            };
            let (first, end) = instruction.hints;
            let hints = self.compiled.hints.get(first as usize..end as usize);
            for (index, (_, hint)) in (first as usize..).zip(hints.unwrap_or_default()) {
                if let Err(fault) = self.hint(hint) {
                    self.failed_hint = Some(index);
                    return Err(fault);
                }
            }
            self.cycles.push(Cycle {
                pc: self.pc,
                fp: self.fp,
            });
            if index == 0 {
                let left = self.tape.items.len() - self.next_hint;
                return match left {
                    0 => Ok(()),
                    _ => Err(Fault::TapeLeft(left)),
                };
            }
            let pc = self.pc;
            if prints {
                self.print(pc, false);
            }
            self.step(&instruction)?;
            if prints {
                self.print(pc, true);
            }
        }
    }

    /// Returns the value of an operand, or `None` for an unset word.
    #[inline]
    fn value(&self, source: Source) -> Option<F> {
        source.value(&self.memory, self.fp)
    }

    #[inline]
    fn known(&self, source: Source) -> Result<F, Fault> {
        self.value(source).ok_or(Fault::UnsetWord)
    }

    #[inline]
    fn assign(&mut self, source: Source, value: F) -> Result<(), Fault> {
        source.assign(&mut self.memory, self.fp, value)
    }

    #[inline]
    fn step(&mut self, instruction: &Decoded) -> Result<(), Fault> {
        let Decoded { a, b, c, .. } = *instruction;
        match instruction.op {
            Op::Add => match (self.value(a), self.value(b)) {
                (Some(left), Some(right)) => self.assign(c, left + right)?,
                (Some(left), None) => {
                    let sum = self.known(c)?;
                    self.assign(b, sum - left)?;
                }
                (None, Some(right)) => {
                    let sum = self.known(c)?;
                    self.assign(a, sum - right)?;
                }
                (None, None) => return Err(Fault::UnsetWord),
            },
            Op::Mul => match (self.value(a), self.value(b)) {
                (Some(left), Some(right)) => self.assign(c, left * right)?,
                (Some(known), None) => self.divide(c, known, b)?,
                (None, Some(known)) => self.divide(c, known, a)?,
                (None, None) => return Err(Fault::UnsetWord),
            },
            Op::Deref => {
                let pointer = address(self.known(a)?);
                let at = pointer.wrapping_add_signed(instruction.displacement);
                match (self.memory.word(at), self.value(c)) {
                    (Some(value), _) => self.assign(c, value)?,
                    (None, Some(value)) => self.memory.set_word(at, value)?,
                    (None, None) => return Err(Fault::UnsetWord),
                }
            }
            Op::Jump => {
                let condition = self.known(a)?;
                if condition == F::ONE {
                    let target = self.known(b)?;
                    let frame = self.known(c)?;
                    self.pc = target.as_canonical_u32();
                    self.fp = frame.as_canonical_u32();
                    return Ok(());
                }
                if condition != F::ZERO {
                    return Err(Fault::NotBoolean(condition));
                }
            }
            Op::Call => self.call(instruction)?,
        }
        self.pc += 1;
        Ok(())
    }

    /// Runs the precompile of a `Call` instruction and records its message.
    fn call(&mut self, instruction: &Decoded) -> Result<(), Fault> {
        let Decoded {
            id, a, b, c, d, e, ..
        } = *instruction;
        let (memory, permutations) = (&mut self.memory, &mut self.permutations);
        let mut context = CallContext::new(memory, permutations, self.fp, id, [a, b, c, d], e);
        match instruction.run {
            Some(run) => run(&mut context)?,
            None => return Err(context.refuse("there is no such precompile".into())),
        }
        let message = context.message()?;
        self.calls[id as usize].push(message);
        Ok(())
    }

    /// Solves `known * unknown = product`.
    fn divide(&mut self, product: Source, known: F, unknown: Source) -> Result<(), Fault> {
        let product = self.known(product)?;
        let inverse = known.try_inverse().ok_or(Fault::DivisionByZero)?;
        self.assign(unknown, product * inverse)
    }

    fn next_item(&mut self) -> Result<(usize, &'a TapeItem), Fault> {
        let index = self.next_hint;
        let item = self
            .tape
            .items
            .get(index)
            .ok_or(Fault::TapeExhausted(index))?;
        self.next_hint += 1;
        Ok((index, item))
    }

    /// Writes a hint that the executor computed, falsified if it is the one to falsify.
    fn assign_computed(&mut self, cell: &Operand, value: F) -> Result<(), Fault> {
        let wrong = match self.mutation {
            Some((number, delta)) if number == self.computed => delta,
            _ => F::ZERO,
        };
        self.computed += 1;
        self.assign(Source::from(*cell), value + wrong)
    }

    fn hint(&mut self, hint: &Hint) -> Result<(), Fault> {
        let source = |operand: &Operand| Source::from(*operand);
        match hint {
            Hint::Felt { cell } => match self.next_item()? {
                (_, TapeItem::Felt(value)) => self.assign(source(cell), *value),
                (index, found) => Err(kind(index, "a felt", found)),
            },
            Hint::Ext { block } => match self.next_item()? {
                (_, TapeItem::Ext(value)) => {
                    let at = address(self.known(source(block))?);
                    self.memory.set_block(at, widen(*value))
                }
                (index, found) => Err(kind(index, "an ext", found)),
            },
            Hint::Slice {
                cell,
                position,
                blocks,
            } => match self.next_item()? {
                (index, item @ TapeItem::Slice(found)) if found.len() == *blocks as usize => {
                    let at = self.slices.get(index).copied();
                    let at = at.ok_or(Fault::TapeExhausted(index))?;
                    if position.is_some_and(|position| self.tape_base + position != at) {
                        return Err(kind(index, "a slice at another position", item));
                    }
                    match cell {
                        Some(cell) => self.assign(source(cell), F::from_u32(at)),
                        None => Ok(()),
                    }
                }
                (index, found) => Err(kind(index, &format!("a slice of {blocks} blocks"), found)),
            },
            Hint::Inverse { cell, of } => {
                let value = self.known(source(of))?;
                self.assign_computed(cell, value.try_inverse().unwrap_or(F::ZERO))
            }
            Hint::Equal { cell, a, b, negate } => {
                let equal = self.known(source(a))? == self.known(source(b))?;
                self.assign_computed(cell, F::from_bool(equal != *negate))
            }
            Hint::Reached {
                cell,
                counter,
                outer,
                count,
            } => {
                let counter = self.known(source(counter))?;
                let outer = address(self.known(source(outer))?);
                let inner = std::mem::replace(&mut self.fp, outer);
                let count = self.known(source(count));
                self.fp = inner;
                self.assign_computed(cell, F::from_bool(counter == count?))
            }
            Hint::Bit { cell, of, bit } => {
                let value = self.known(source(of))?.as_canonical_u32();
                self.assign_computed(cell, F::from_u32(value >> bit & 1))
            }
            Hint::Fresh {
                cell,
                stride,
                count,
            } => {
                let count = self.known(source(count))?.as_canonical_u32() as u64;
                let size = (count + 1) * u64::from(*stride);
                let end = u64::from(self.fresh) + size;
                if end > MAX_CELLS as u64 {
                    return Err(Fault::OutOfRange {
                        value: count as u32,
                        bound: MAX_CELLS as u64 / u64::from(*stride).max(1),
                    });
                }
                let at = self.fresh;
                self.fresh = end as u32;
                self.assign(source(cell), F::from_u32(at))
            }
        }
    }
}

fn kind(index: usize, expected: &str, found: &TapeItem) -> Fault {
    let found = match found {
        TapeItem::Felt(_) => "a felt".into(),
        TapeItem::Ext(_) => "an ext".into(),
        TapeItem::Slice(blocks) => format!("a slice of {} blocks", blocks.len()),
    };
    Fault::TapeKind {
        index,
        expected: expected.into(),
        found: found.into(),
    }
}
