//! A call of a precompile while it runs.

use droste_native::F;
use droste_native::precompile::{Permutations, PrecompileError};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::source::{Source, address};
use super::{Fault, Memory};
use crate::isa::MAX_CELLS;
use crate::precompile::Operand;
use crate::record::Call;

/// What a precompile works on: the operands of a call, memory, and what earlier calls have chosen.
///
/// Addresses in operands are those of blocks.
#[derive(Debug)]
pub struct CallContext<'a> {
    memory: &'a mut Memory,
    permutations: &'a mut Permutations,
    fp: u32,
    identity: u32,
    operands: [Source; 4],
    e: u32,
}

impl<'a> CallContext<'a> {
    /// Makes a call with operands A to D and E.
    pub(super) fn new(
        memory: &'a mut Memory,
        permutations: &'a mut Permutations,
        fp: u32,
        identity: u32,
        operands: [Source; 4],
        e: u32,
    ) -> Self {
        Self {
            memory,
            permutations,
            fp,
            identity,
            operands,
            e,
        }
    }

    fn source(&self, operand: Operand) -> Source {
        let [a, b, c, d] = self.operands;
        match operand {
            Operand::A => a,
            Operand::B => b,
            Operand::C => c,
            Operand::D => d,
            Operand::E => Source::Immediate(F::from_u32(self.e)),
        }
    }

    /// Returns both memories.
    pub fn memory(&mut self) -> &mut Memory {
        self.memory
    }

    /// Returns the permutations whose constants earlier calls have given.
    pub(crate) fn permutations(&mut self) -> &mut Permutations {
        self.permutations
    }

    /// Returns operand E.
    pub fn immediate(&self) -> u32 {
        self.e
    }

    /// Returns the value of an operand, unless it is a word that has not been set.
    #[inline]
    pub fn value(&self, operand: Operand) -> Result<F, Fault> {
        let value = self.source(operand).value(self.memory, self.fp);
        value.ok_or(Fault::UnsetWord)
    }

    /// Sets an operand that is an unset word, or checks that it has this value.
    #[inline]
    pub fn assign(&mut self, operand: Operand, value: F) -> Result<(), Fault> {
        self.source(operand).assign(self.memory, self.fp, value)
    }

    /// Returns the address that an operand holds.
    #[inline]
    pub fn address(&self, operand: Operand) -> Result<u32, Fault> {
        self.value(operand).map(address)
    }

    /// Returns the block at the address that an operand holds, all lanes of which must be set.
    pub fn read(&self, operand: Operand) -> Result<[F; 8], Fault> {
        self.memory.block(self.address(operand)?)
    }

    /// Returns blocks from the address that an operand holds, with zeros for unset lanes. This is
    /// for data that ends within a block.
    pub fn read_available(&self, operand: Operand, count: usize) -> Result<Vec<[F; 8]>, Fault> {
        let at = self.address(operand)?;
        if count > MAX_CELLS {
            return Err(Fault::Address(at));
        }
        let block = |i: usize| self.memory.partial_block(at + i as u32);
        let blocks = (0..count).map(|i| block(i).map(Option::unwrap_or_default));
        Ok(blocks.collect())
    }

    /// Returns `count` blocks from the address that an operand holds.
    pub fn read_all(&self, operand: Operand, count: u32) -> Result<Vec<[F; 8]>, Fault> {
        let at = self.address(operand)?;
        (0..count).map(|i| self.memory.block(at + i)).collect()
    }

    /// Writes blocks from the address that an operand holds.
    pub fn write_all(
        &mut self,
        operand: Operand,
        blocks: impl IntoIterator<Item = [F; 8]>,
    ) -> Result<(), Fault> {
        let mut blocks = (self.address(operand)?..).zip(blocks);
        blocks.try_for_each(|(at, block)| self.memory.set_block(at, block))
    }

    /// Writes the block at the address that an operand holds, no lane of which may have another
    /// value.
    pub fn write(&mut self, operand: Operand, lanes: [F; 8]) -> Result<(), Fault> {
        self.memory.set_block(self.address(operand)?, lanes)
    }

    /// Returns an index into a Merkle tree of this depth: an operand that must be below `2^depth`.
    pub fn index(&self, operand: Operand, depth: u32) -> Result<u32, Fault> {
        let value = self.value(operand)?.as_canonical_u32();
        let bound = 1u64 << depth.min(32);
        if u64::from(value) < bound {
            Ok(value)
        } else {
            Err(Fault::OutOfRange { value, bound })
        }
    }

    /// Returns the fault of operands for which the precompile has no result.
    pub fn refuse(&self, reason: String) -> Fault {
        Fault::Precompile {
            id: self.identity,
            reason,
        }
    }

    /// Returns the result of the precompile's native function, if there is one for these operands.
    pub fn solved<T>(&self, result: Result<T, PrecompileError>) -> Result<T, Fault> {
        result.map_err(|error| self.refuse(error.to_string()))
    }

    /// Returns the message that the precompile's table receives.
    pub(super) fn message(&self) -> Result<Call, Fault> {
        Ok(Call {
            a: self.value(Operand::A)?,
            b: self.value(Operand::B)?,
            c: self.value(Operand::C)?,
            d: self.value(Operand::D)?,
            e: F::from_u32(self.e),
        })
    }
}
