//! Instructions in the form the executor's loop reads: signed offsets instead of field elements.

use droste_native::{F, field::MODULUS};
use p3_field::PrimeField32;

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

/// The signed integer of least magnitude that a field element stands for.
pub fn signed(field: F) -> i32 {
    let value = field.as_canonical_u32();
    if value > MODULUS / 2 {
        (value as i64 - MODULUS as i64) as i32
    } else {
        value as i32
    }
}

/// The address a field element stands for.
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

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub op: Op,
    pub id: u32,
    pub a: Source,
    pub b: Source,
    pub c: Source,
    pub d: Source,
    pub e: u32,
    /// Displacement of a `Deref`.
    pub displacement: i32,
    /// Range of its hints.
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
