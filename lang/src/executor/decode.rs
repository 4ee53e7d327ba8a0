//! Instructions in the form that the executor's loop reads, with signed offsets instead of field
//! elements.

use droste_native::{F, field::MODULUS};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{CallContext, Fault, Memory};
use crate::compiler::Compiled;
use crate::isa::{Mode, Op, Operand};

/// Where an operand's value comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The value itself.
    Immediate(F),
    /// The word at this offset from the frame pointer.
    Word(i32),
    /// The frame pointer plus this offset.
    Frame(i32),
}

/// Returns the signed integer of least magnitude that a field element represents.
pub fn signed(field: F) -> i32 {
    let value = field.as_canonical_u32();
    if value > MODULUS / 2 {
        (value as i64 - MODULUS as i64) as i32
    } else {
        value as i32
    }
}

/// Returns the address that a field element represents.
#[inline]
pub fn address(value: F) -> u32 {
    value.as_canonical_u32()
}

impl From<Operand> for Source {
    fn from(operand: Operand) -> Self {
        match operand.mode {
            Mode::Imm => Self::Immediate(operand.field),
            Mode::Mem => Self::Word(signed(operand.field)),
            Mode::Fp => Self::Frame(signed(operand.field)),
        }
    }
}

impl Source {
    /// Returns the value, or `None` for an unset word.
    #[inline]
    pub fn value(self, memory: &Memory, fp: u32) -> Option<F> {
        match self {
            Self::Immediate(value) => Some(value),
            Self::Word(offset) => memory.word(fp.wrapping_add_signed(offset)),
            Self::Frame(offset) => Some(F::from_u32(fp.wrapping_add_signed(offset) & 0x3fff_ffff)),
        }
    }

    /// Makes an operand have a value: sets an unset word, or checks anything else.
    #[inline]
    pub fn assign(self, memory: &mut Memory, fp: u32, value: F) -> Result<(), Fault> {
        if let Self::Word(offset) = self {
            return memory.set_word(fp.wrapping_add_signed(offset), value);
        }
        match self.value(memory, fp) {
            Some(left) if left == value => Ok(()),
            Some(left) => Err(Fault::Assertion { left, right: value }),
            None => Err(Fault::UnsetWord),
        }
    }
}

/// The function that runs a precompile.
type Run = fn(&mut CallContext<'_>) -> Result<(), Fault>;

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub op: Op,
    pub id: u32,
    /// The function that runs the precompile `id`, or `None` if there is no such precompile.
    pub run: Option<Run>,
    pub a: Source,
    pub b: Source,
    pub c: Source,
    pub d: Source,
    pub e: u32,
    /// Displacement of a `Deref`.
    pub displacement: i32,
    /// Range of the instruction's hints.
    pub hints: (u32, u32),
}

/// Decodes the whole program.
pub fn decode(compiled: &Compiled) -> Vec<Decoded> {
    let mut next = 0;
    let hints = &compiled.hints;
    compiled
        .program
        .instructions
        .iter()
        .enumerate()
        .map(|(pc, instruction)| {
            let first = next;
            while hints.get(next).is_some_and(|hint| hint.0 as usize == pc) {
                next += 1;
            }
            Decoded {
                op: instruction.op,
                id: instruction.id,
                run: compiled.precompile(instruction.id).map(|found| found.run),
                a: instruction.a.into(),
                b: instruction.b.into(),
                c: instruction.c.into(),
                d: instruction.d.into(),
                e: instruction.e.as_canonical_u32(),
                displacement: signed(instruction.d.field),
                hints: (first as u32, next as u32),
            }
        })
        .collect()
}
