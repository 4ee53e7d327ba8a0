//! How often each address is looked up. The counts are collected while traces are made.

use droste_air::pair_counts::PairCounts;
use droste_air::{byte_pairs, spread};
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::TraceInput;
use crate::record::FinalMemory;

/// Numbers of lookups by address: the multiplicities of tables that are looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupCounts {
    /// Per word; the index is the address minus `word_base`.
    pub words: Vec<u32>,
    /// Per block address.
    pub blocks: Vec<u32>,
    /// Per `pc`.
    pub program: Vec<u32>,
    /// Per pair of carries, as [`carry_pairs::count`](super::carry_pairs::count) says.
    pub carry_pairs: PairCounts<1>,
    /// Per pair of bytes.
    pub byte_pairs: byte_pairs::Counts,
    /// Per pair of spread bytes.
    pub spread: spread::Counts,
    /// The first address that was looked up outside its memory or program. No proof can then be
    /// made.
    pub outside: Option<F>,
    /// A table of which more rows are looked up than its height allows, by other tables than those
    /// that [`Table::rows`](super::Table::rows) knows. No proof can then be made.
    pub overfull: Option<&'static str>,
}

impl LookupCounts {
    /// Returns zero counts for the memories and the program of this input.
    pub fn new(input: &TraceInput<'_>) -> Self {
        Self {
            words: vec![0; input.execution.memory.words.len()],
            blocks: vec![0; input.execution.memory.blocks.len()],
            program: vec![0; input.program.instructions.len()],
            ..Self::default()
        }
    }

    /// Counts a lookup of the word at `address`.
    pub fn word(&mut self, memory: &FinalMemory, address: F) {
        let index = address.as_canonical_u32().wrapping_sub(memory.word_base);
        match self.words.get_mut(index as usize) {
            Some(counts) => *counts += 1,
            None => self.outside = self.outside.or(Some(address)),
        }
    }

    /// Counts a lookup of the block at `address`.
    pub fn block(&mut self, address: F) {
        self.block_times(address, 1);
    }

    /// Counts so many lookups of the block at `address`.
    pub fn block_times(&mut self, address: F, times: u32) {
        match self.blocks.get_mut(address.as_canonical_u32() as usize) {
            Some(counts) => *counts += times,
            None => self.outside = self.outside.or(Some(address)),
        }
    }

    /// Counts a lookup of each of so many blocks from `address` on.
    pub fn block_range(&mut self, address: F, blocks: usize) {
        for index in 0..blocks {
            self.block(address + F::from_usize(index));
        }
    }

    /// Counts a fetch of the instruction at `pc`.
    pub fn fetch(&mut self, pc: u32) {
        match self.program.get_mut(pc as usize) {
            Some(counts) => *counts += 1,
            None => self.outside = self.outside.or(Some(F::new(pc))),
        }
    }
}
