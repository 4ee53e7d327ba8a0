//! How often each address is looked up, counted while traces are made.

use std::collections::BTreeMap;

use droste_native::F;
use p3_field::PrimeField32;

use super::TraceInput;
use crate::record::Image;

/// Lookups counted by address: the multiplicities of the memory and program tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupCounts {
    /// By word, index = address - `word_base`.
    pub words: Vec<u32>,
    /// By block address.
    pub blocks: Vec<u32>,
    /// By `pc`.
    pub program: Vec<u32>,
    /// By row of each table with fixed content, by the table's name.
    pub rows: BTreeMap<&'static str, Vec<u32>>,
    /// The first address looked up that lies outside its memory or program: no proof can be made.
    pub outside: Option<F>,
}

impl LookupCounts {
    /// No look-ups yet, of these memories and this program.
    pub fn new(input: &TraceInput<'_>) -> Self {
        Self {
            words: vec![0; input.execution.image.words.len()],
            blocks: vec![0; input.execution.image.blocks.len()],
            program: vec![0; input.program.instructions.len()],
            ..Self::default()
        }
    }

    /// Counts a look-up of the word at `address`.
    pub fn word(&mut self, image: &Image, address: F) {
        let index = address.as_canonical_u32().wrapping_sub(image.word_base);
        match self.words.get_mut(index as usize) {
            Some(uses) => *uses += 1,
            None => self.outside = self.outside.or(Some(address)),
        }
    }

    /// Counts a look-up of the block at `address`.
    pub fn block(&mut self, address: F) {
        match self.blocks.get_mut(address.as_canonical_u32() as usize) {
            Some(uses) => *uses += 1,
            None => self.outside = self.outside.or(Some(address)),
        }
    }

    /// Counts a fetch of the instruction at `pc`.
    pub fn fetch(&mut self, pc: u32) {
        match self.program.get_mut(pc as usize) {
            Some(uses) => *uses += 1,
            None => self.outside = self.outside.or(Some(F::new(pc))),
        }
    }

    /// Counts a look-up of row `row` of a table of `rows` rows with fixed content.
    pub fn row(&mut self, table: &'static str, rows: usize, row: usize) {
        let uses = self.rows.entry(table).or_insert_with(|| vec![0; rows]);
        uses[row] += 1;
    }
}
