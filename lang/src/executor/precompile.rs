//! What each precompile does to block memory.

use droste_native::poseidon16::Poseidon16;
use droste_native::precompile::{
    self, ByteDigest, KECCAK_RATE_BLOCKS, KECCAK_RATE_WORDS, PrecompileError,
};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};

use super::decode::{Decoded, Source, address};
use super::{Fault, Runner};
use crate::isa::id;
use crate::record::Call;

/// An extension element as the lanes of a block.
pub fn widen(coefficients: [F; 5]) -> [F; 8] {
    std::array::from_fn(|lane| coefficients.get(lane).copied().unwrap_or(F::ZERO))
}

fn extension(coefficients: [F; 5]) -> EF {
    EF::from_basis_coefficients_fn(|i| coefficients.get(i).copied().unwrap_or_default())
}

fn lanes(value: EF) -> [F; 8] {
    let coefficients = value.as_basis_coefficients_slice();
    std::array::from_fn(|lane| coefficients.get(lane).copied().unwrap_or(F::ZERO))
}

impl Runner<'_> {
    /// Runs the precompile of a `Call` instruction and records its message.
    pub(super) fn call(&mut self, instruction: &Decoded) -> Result<(), Fault> {
        let Decoded {
            id: identity,
            a,
            b,
            c,
            d,
            e,
            ..
        } = *instruction;
        match identity {
            id::EXT => self.ext(instruction)?,
            id::LANE => self.lane(address(self.known(a)?), b, e as usize)?,
            id::BLOCK_EQ => {
                let (a, b) = (self.pointer(a)?, self.pointer(b)?);
                self.block_eq(a, b)?;
            }
            id::HORNER => self.horner(instruction)?,
            id::UNPACK => self.unpack(instruction)?,
            id::POSEIDON16_COMPRESS => {
                let left = self.read(a)?;
                let right = self.read(b)?;
                let at = self.pointer(c)?;
                self.memory
                    .set_block(at, Poseidon16.compress_pair(left, right))?;
            }
            id::POSEIDON16_SPONGE => self.sponge(instruction, true)?,
            id::POSEIDON16_HASH => self.sponge(instruction, false)?,
            id::POSEIDON16_MERKLE => {
                let mut node = self.read(d)?;
                let index = self.index(b, e)?;
                let siblings = self.pointer(c)?;
                for level in 0..e {
                    let sibling = self.memory.block(siblings + level)?;
                    node = if index >> level & 1 == 1 {
                        Poseidon16.compress_pair(sibling, node)
                    } else {
                        Poseidon16.compress_pair(node, sibling)
                    };
                }
                let at = self.pointer(a)?;
                self.memory.set_block(at, node)?;
            }
            id::BLAKE3_CHUNK => {
                let mode = self.known(b)?.as_canonical_u32();
                let blocks = self.read_available(a, (e as usize).div_ceil(4))?;
                let (counter, root) = (mode / 2, mode % 2 == 1);
                let digest = precompile::blake3_chunk(&blocks, e as usize, counter, root);
                self.write_digest(c, identity, digest)?;
            }
            id::BLAKE3_PARENT => {
                let (left, right) = (self.read_digest(a)?, self.read_digest(b)?);
                let digest = precompile::blake3_parent(&left, &right, e == 1);
                self.write_digest(c, identity, digest)?;
            }
            id::KECCAK_HASH => {
                let words = e as usize;
                let (runs, rest) = (words / KECCAK_RATE_WORDS, words % KECCAK_RATE_WORDS);
                let count = runs * KECCAK_RATE_BLOCKS + rest.div_ceil(4);
                let blocks = self.read_available(a, count)?;
                let digest = precompile::keccak_hash(&blocks, words);
                self.write_digest(c, identity, digest)?;
            }
            id::BLAKE3_MERKLE | id::KECCAK_MERKLE => {
                let leaf = self.read_digest(a)?;
                let index = self.index(b, e)?;
                let at = self.pointer(c)?;
                let mut siblings = Vec::new();
                for level in 0..e {
                    let at = at + 2 * level;
                    siblings.push([self.memory.block(at)?, self.memory.block(at + 1)?]);
                }
                let root = match identity {
                    id::BLAKE3_MERKLE => precompile::blake3_merkle(&leaf, index, &siblings),
                    _ => precompile::keccak_merkle(&leaf, index, &siblings),
                };
                self.write_digest(d, identity, root)?;
            }
            id::LIMBS => {
                let (from, to) = (self.pointer(a)?, self.pointer(c)?);
                for group in 0..e {
                    // A lane that nothing has set is free: zero is as good as any.
                    for lane in 0..8 {
                        if self.memory.lane(from + group, lane).is_none() {
                            self.memory.set_lane(from + group, lane, F::ZERO)?;
                        }
                    }
                    let [low, high] = precompile::limbs(&self.memory.block(from + group)?);
                    self.memory.set_block(to + 2 * group, low)?;
                    self.memory.set_block(to + 2 * group + 1, high)?;
                }
            }
            other => {
                let custom = self.compiled.precompiles.iter();
                let Some(custom) = custom.copied().find(|custom| custom.identity == other) else {
                    return Err(Fault::Precompile {
                        id: other,
                        reason: "there is no such precompile".into(),
                    });
                };
                let message = self.message(instruction)?;
                (custom.run)(&message, &mut self.memory)?;
            }
        }
        let message = self.message(instruction)?;
        self.calls[identity as usize].push(message);
        Ok(())
    }

    fn message(&self, instruction: &Decoded) -> Result<Call, Fault> {
        Ok(Call {
            a: self.known(instruction.a)?,
            b: self.known(instruction.b)?,
            c: self.known(instruction.c)?,
            d: self.known(instruction.d)?,
            e: F::from_u32(instruction.e),
        })
    }

    fn pointer(&self, source: Source) -> Result<u32, Fault> {
        Ok(address(self.known(source)?))
    }

    fn read(&self, source: Source) -> Result<[F; 8], Fault> {
        self.memory.block(self.pointer(source)?)
    }

    fn read_digest(&self, source: Source) -> Result<ByteDigest, Fault> {
        let at = self.pointer(source)?;
        Ok([self.memory.block(at)?, self.memory.block(at + 1)?])
    }

    /// Blocks of which unset lanes read as zero: the precompile ignores them.
    fn read_available(&self, source: Source, count: usize) -> Result<Vec<[F; 8]>, Fault> {
        let at = self.pointer(source)?;
        if count > super::MAX_CELLS {
            return Err(Fault::Address(at));
        }
        let block = |i: usize| self.memory.partial_block(at + i as u32);
        Ok((0..count)
            .map(|i| block(i).map(Option::unwrap_or_default))
            .collect())
    }

    fn write_digest(
        &mut self,
        target: Source,
        identity: u32,
        digest: Result<ByteDigest, PrecompileError>,
    ) -> Result<(), Fault> {
        let [low, high] = digest.map_err(|error| Fault::Precompile {
            id: identity,
            reason: error.to_string(),
        })?;
        let at = self.pointer(target)?;
        self.memory.set_block(at, low)?;
        self.memory.set_block(at + 1, high)
    }

    /// A Merkle index, checked to be below `2^depth`.
    fn index(&self, source: Source, depth: u32) -> Result<u32, Fault> {
        let value = self.known(source)?.as_canonical_u32();
        let bound = 1u64 << depth.min(32);
        if u64::from(value) < bound {
            Ok(value)
        } else {
            Err(Fault::OutOfRange { value, bound })
        }
    }

    /// The extension element at a block, `None` when one of its lanes 0 to 4 is unset.
    fn read_ext(&mut self, at: u32) -> Result<Option<EF>, Fault> {
        let cells = self.memory.partial_block(at);
        for (lane, cell) in cells.iter().enumerate().skip(5) {
            match cell {
                Some(value) if *value != F::ZERO => return Err(Fault::NotExtension(at)),
                Some(_) => {}
                None => self.memory.set_lane(at, lane, F::ZERO)?,
            }
        }
        let mut coefficients = [F::ZERO; 5];
        for (coefficient, cell) in coefficients.iter_mut().zip(cells) {
            match cell {
                Some(value) => *coefficient = value,
                None => return Ok(None),
            }
        }
        Ok(Some(extension(coefficients)))
    }

    /// `D = A * b + c`, solved for the one block that is unset.
    fn ext(&mut self, instruction: &Decoded) -> Result<(), Fault> {
        let Decoded { a, b, c, d, e, .. } = *instruction;
        let (a, d) = (self.pointer(a)?, self.pointer(d)?);
        let factor = if e & 1 == 1 {
            EF::from(self.known(b)?)
        } else {
            let at = self.pointer(b)?;
            self.read_ext(at)?.ok_or(Fault::UnsetBlock(at))?
        };
        let left = self.read_ext(a)?;
        let (addend, addend_at) = if e & 2 == 2 {
            (Some(EF::from(self.known(c)?)), None)
        } else {
            let at = self.pointer(c)?;
            (self.read_ext(at)?, Some(at))
        };
        let (at, value) = match (left, addend) {
            // A folding step is solved for its result only.
            (Some(left), Some(addend)) if e & 4 == 4 => (d, precompile::fold(left, factor, addend)),
            (None, _) if e & 4 == 4 => return Err(Fault::UnsetBlock(a)),
            (_, None) if e & 4 == 4 => return Err(Fault::UnsetBlock(addend_at.unwrap_or(d))),
            (Some(left), Some(addend)) => (d, left * factor + addend),
            (Some(left), None) => {
                let result = self.read_ext(d)?.ok_or(Fault::UnsetBlock(d))?;
                (addend_at.unwrap_or(d), result - left * factor)
            }
            (None, Some(addend)) => {
                let result = match self.read_ext(d)? {
                    Some(result) => result,
                    // The element times zero, plus the addend: the element is free.
                    None => return Err(Fault::UnsetBlock(a)),
                };
                let inverse = factor.try_inverse().ok_or(Fault::DivisionByZero)?;
                (a, (result - addend) * inverse)
            }
            (None, None) => return Err(Fault::UnsetBlock(a)),
        };
        self.memory.set_block(at, lanes(value))
    }

    fn lane(&mut self, at: u32, value: Source, lane: usize) -> Result<(), Fault> {
        if lane >= 8 {
            return Err(Fault::OutOfRange {
                value: lane as u32,
                bound: 8,
            });
        }
        match (self.memory.lane(at, lane), self.value(value)) {
            (Some(stored), _) => self.assign(value, stored),
            (None, Some(value)) => self.memory.set_lane(at, lane, value),
            (None, None) => Err(Fault::UnsetBlock(at)),
        }
    }

    fn block_eq(&mut self, a: u32, b: u32) -> Result<(), Fault> {
        for lane in 0..8 {
            match (self.memory.lane(a, lane), self.memory.lane(b, lane)) {
                (Some(value), _) => self.memory.set_lane(b, lane, value)?,
                (None, Some(value)) => self.memory.set_lane(a, lane, value)?,
                (None, None) => return Err(Fault::UnsetBlock(a)),
            }
        }
        Ok(())
    }

    /// `T = sum of beta^(8R-1-j) * lane_j` over the window.
    fn horner(&mut self, instruction: &Decoded) -> Result<(), Fault> {
        let (data, skip) = (self.pointer(instruction.a)?, instruction.e as usize);
        let length = self.known(instruction.c)?.as_canonical_u32() as usize;
        let at = self.pointer(instruction.b)?;
        let beta = self.read_ext(at)?.ok_or(Fault::UnsetBlock(at))?;
        if length == 0 || length > super::MAX_CELLS || skip >= 8 {
            return Err(Fault::Precompile {
                id: id::HORNER,
                reason: format!("a window of {length} elements after {skip}"),
            });
        }
        let blocks = (skip + length).div_ceil(8);
        let mut sum = EF::ZERO;
        for block in 0..blocks {
            let cells = self.memory.partial_block(data + block as u32);
            for (lane, cell) in cells.into_iter().enumerate() {
                let position = 8 * block + lane;
                sum *= beta;
                if (skip..skip + length).contains(&position) {
                    sum += cell.ok_or(Fault::UnsetBlock(data + block as u32))?;
                }
            }
        }
        let at = self.pointer(instruction.d)?;
        self.memory.set_block(at, lanes(sum))
    }

    /// Consecutive extension elements, one block each.
    fn unpack(&mut self, instruction: &Decoded) -> Result<(), Fault> {
        let (data, skip) = (self.pointer(instruction.a)?, instruction.e as usize);
        let count = self.known(instruction.c)?.as_canonical_u32() as usize;
        if count == 0 || count > super::MAX_CELLS || skip >= 8 {
            return Err(Fault::Precompile {
                id: id::UNPACK,
                reason: format!("{count} elements after {skip} lanes"),
            });
        }
        let out = self.pointer(instruction.d)?;
        for index in 0..count {
            let mut coefficients = [F::ZERO; 5];
            for (i, coefficient) in coefficients.iter_mut().enumerate() {
                let position = skip + 5 * index + i;
                let at = data + (position / 8) as u32;
                *coefficient = self
                    .memory
                    .lane(at, position % 8)
                    .ok_or(Fault::UnsetBlock(at))?;
            }
            self.memory
                .set_block(out + index as u32, widen(coefficients))?;
        }
        Ok(())
    }

    /// Overwrite sponge; the last partial block's unset lanes take the carried values. Operand D is
    /// added to the capacity before every permutation. The rate, and the capacity if asked for, is the
    /// result.
    fn sponge(&mut self, instruction: &Decoded, keeps_capacity: bool) -> Result<(), Fault> {
        let data = self.pointer(instruction.a)?;
        let tag = self.known(instruction.d)?;
        let mut capacity = self.read(instruction.b)?;
        let mut length = instruction.e as usize;
        if length < 8 {
            return Err(Fault::Precompile {
                id: instruction.id,
                reason: format!("{length} lanes, at least 8 are needed"),
            });
        }
        let mut rate = [F::ZERO; 8];
        let mut at = data;
        while length > 0 {
            let lanes = length.min(8);
            for (lane, carried) in rate.into_iter().enumerate().skip(lanes) {
                self.memory.set_lane(at, lane, carried)?;
            }
            let block = self.memory.block(at)?;
            capacity[0] += tag;
            let mut state = [F::ZERO; 16];
            state[..8].copy_from_slice(&block);
            state[8..].copy_from_slice(&capacity);
            let state = Poseidon16.permute(state);
            rate.copy_from_slice(&state[..8]);
            capacity.copy_from_slice(&state[8..]);
            length -= lanes;
            at += 1;
        }
        let out = self.pointer(instruction.c)?;
        self.memory.set_block(out, rate)?;
        if keeps_capacity {
            self.memory.set_block(out + 1, capacity)?;
        }
        Ok(())
    }
}
