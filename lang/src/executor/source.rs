//! Operands in the form that the executor reads, with signed offsets instead of field elements.

use droste_native::{F, field::MODULUS};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{Fault, Memory};
use crate::isa::{Mode, Operand};

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
