//! The hint tape: the values of a program's hints, in the order in which the program reads them.

use droste_native::{F, field::MODULUS};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use serde::{Deserialize, Serialize};

/// One block of a slice on the tape. A lane that is `None` is left for a precompile to set.
pub type TapeBlock = [Option<F>; 8];

/// One hint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "JsonItem", into = "JsonItem")]
pub enum TapeItem {
    /// Read by `hint_felt`.
    Felt(F),
    /// Read by `hint_ext`: coefficients, that of the lowest power first.
    Ext([F; 5]),
    /// Read by `hint_slice`: consecutive blocks.
    Slice(Vec<TapeBlock>),
}

/// Hints, in the order in which the program reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tape {
    /// The hints.
    pub items: Vec<TapeItem>,
}

impl Tape {
    /// Returns the number of blocks in the slices of this tape.
    pub fn blocks(&self) -> usize {
        self.items
            .iter()
            .map(|item| match item {
                TapeItem::Slice(blocks) => blocks.len(),
                _ => 0,
            })
            .sum()
    }

    /// Appends a field element.
    pub fn felt(&mut self, value: F) {
        self.items.push(TapeItem::Felt(value));
    }

    /// Appends an extension element.
    pub fn ext(&mut self, coefficients: [F; 5]) {
        self.items.push(TapeItem::Ext(coefficients));
    }

    /// Appends a slice of complete blocks.
    pub fn slice(&mut self, blocks: &[[F; 8]]) {
        let blocks = blocks.iter().map(|block| block.map(Some)).collect();
        self.items.push(TapeItem::Slice(blocks));
    }
}

/// The JSON form, in which elements are canonical integers.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum JsonItem {
    Felt(u32),
    Ext([u32; 5]),
    Slice(Vec<[Option<u32>; 8]>),
}

/// An integer on the tape is not below the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not below the modulus {MODULUS}")]
pub struct NotCanonical(pub u32);

fn canonical(value: u32) -> Result<F, NotCanonical> {
    if value < MODULUS {
        Ok(F::from_u32(value))
    } else {
        Err(NotCanonical(value))
    }
}

impl TryFrom<JsonItem> for TapeItem {
    type Error = NotCanonical;

    fn try_from(item: JsonItem) -> Result<Self, NotCanonical> {
        Ok(match item {
            JsonItem::Felt(value) => Self::Felt(canonical(value)?),
            JsonItem::Ext(values) => {
                let mut coefficients = [F::ZERO; 5];
                for (coefficient, value) in coefficients.iter_mut().zip(values) {
                    *coefficient = canonical(value)?;
                }
                Self::Ext(coefficients)
            }
            JsonItem::Slice(rows) => {
                let mut blocks = Vec::with_capacity(rows.len());
                for row in rows {
                    let mut block = [None; 8];
                    for (lane, value) in block.iter_mut().zip(row) {
                        *lane = value.map(canonical).transpose()?;
                    }
                    blocks.push(block);
                }
                Self::Slice(blocks)
            }
        })
    }
}

impl From<TapeItem> for JsonItem {
    fn from(item: TapeItem) -> Self {
        match item {
            TapeItem::Felt(value) => Self::Felt(value.as_canonical_u32()),
            TapeItem::Ext(values) => Self::Ext(values.map(|value| value.as_canonical_u32())),
            TapeItem::Slice(blocks) => Self::Slice(
                blocks
                    .iter()
                    .map(|block| block.map(|lane| lane.map(|value| value.as_canonical_u32())))
                    .collect(),
            ),
        }
    }
}
