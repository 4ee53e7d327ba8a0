//! The two write-once memories of a run.

use droste_native::F;

use super::error::Fault;
use crate::isa::MAX_CELLS;
use crate::record::FinalMemory;

/// A block in memory: its lanes, and which of them have been set.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    lanes: [F; 8],
    set: u8,
}

/// Word and block memory. Every cell is set at most once.
#[derive(Debug)]
pub struct Memory {
    word_base: u32,
    words: Vec<Option<F>>,
    blocks: Vec<Cell>,
}

/// Returns a cell, up to which the memory grows, or `None` if no memory is so large.
#[inline]
fn reach<T: Clone + Default>(cells: &mut Vec<T>, index: usize) -> Option<&mut T> {
    if index >= cells.len() && index < MAX_CELLS {
        let length = (index + 1).max(cells.len() * 2).min(MAX_CELLS);
        cells.resize(length, T::default());
    }
    cells.get_mut(index)
}

impl Memory {
    /// Returns empty memories. Words begin at `word_base`, blocks at 0.
    pub(super) fn new(word_base: u32) -> Self {
        Self {
            word_base,
            words: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Returns the word at `address`, if it has been set.
    #[inline]
    pub fn word(&self, address: u32) -> Option<F> {
        let index = address.wrapping_sub(self.word_base) as usize;
        self.words.get(index).copied().flatten()
    }

    /// Sets the word at `address`, or checks that it already has this value.
    #[inline]
    pub fn set_word(&mut self, address: u32, value: F) -> Result<(), Fault> {
        let index = address.wrapping_sub(self.word_base) as usize;
        let word = reach(&mut self.words, index).ok_or(Fault::Address(address))?;
        match *word {
            None => {
                *word = Some(value);
                Ok(())
            }
            Some(old) if old == value => Ok(()),
            Some(old) => Err(Fault::WordConflict {
                address,
                old,
                new: value,
            }),
        }
    }

    /// Returns lane `lane` of the block at `address`, if it has been set.
    #[inline]
    pub fn lane(&self, address: u32, lane: usize) -> Option<F> {
        let cell = self.blocks.get(address as usize)?;
        let value = *cell.lanes.get(lane)?;
        (cell.set >> lane & 1 == 1).then_some(value)
    }

    fn cell(&mut self, address: u32) -> Result<&mut Cell, Fault> {
        reach(&mut self.blocks, address as usize).ok_or(Fault::Address(address))
    }

    /// Sets one lane, or checks that it already has this value.
    #[inline]
    pub fn set_lane(&mut self, address: u32, lane: usize, value: F) -> Result<(), Fault> {
        let cell = self.cell(address)?;
        let Some(old) = cell.lanes.get_mut(lane) else {
            return Err(Fault::Address(address));
        };
        if cell.set >> lane & 1 == 0 {
            *old = value;
            cell.set |= 1 << lane;
            Ok(())
        } else if *old == value {
            Ok(())
        } else {
            let old = *old;
            Err(Fault::LaneConflict {
                address,
                lane,
                old,
                new: value,
            })
        }
    }

    /// Sets all lanes of a block, or checks those that are already set.
    #[inline]
    pub fn set_block(&mut self, address: u32, lanes: [F; 8]) -> Result<(), Fault> {
        let cell = self.cell(address)?;
        if cell.set == 0 {
            cell.lanes = lanes;
            cell.set = 0xff;
            return Ok(());
        }
        for (lane, value) in lanes.into_iter().enumerate() {
            self.set_lane(address, lane, value)?;
        }
        Ok(())
    }

    /// Returns the block at `address`, all lanes of which must be set.
    #[inline]
    pub fn block(&self, address: u32) -> Result<[F; 8], Fault> {
        match self.blocks.get(address as usize) {
            Some(cell) if cell.set == 0xff => Ok(cell.lanes),
            _ => Err(Fault::UnsetBlock(address)),
        }
    }

    /// Returns the block at `address`, with `None` for lanes that have not been set.
    pub fn partial_block(&self, address: u32) -> [Option<F>; 8] {
        std::array::from_fn(|lane| self.lane(address, lane))
    }

    /// Returns the final memory, up to the last cell that was set, in which unset cells are zero.
    pub(super) fn finish(self) -> FinalMemory {
        let used = |last: Option<usize>| last.map_or(0, |last| last + 1);
        let words = used(self.words.iter().rposition(Option::is_some));
        let blocks = used(self.blocks.iter().rposition(|cell| cell.set != 0));
        let words = self.words.iter().take(words);
        let blocks = self.blocks.iter().take(blocks);
        FinalMemory {
            word_base: self.word_base,
            words: words.map(|word| word.unwrap_or_default()).collect(),
            blocks: blocks.map(|cell| cell.lanes).collect(),
        }
    }
}
