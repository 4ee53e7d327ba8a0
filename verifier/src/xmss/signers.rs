//! Sets of signers of a registry, and what proofs say of them.

use std::collections::BTreeSet;

use droste_gadgets::signers::{SIGNERS_TAG, WORD_BITS, blocks_for};
use droste_gadgets::xmss::CLAIM_TAG;
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::precompile::{Block, LANES};
use droste_vm::executor::TapeItem;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use thiserror::Error;

use super::batch::slice;
use super::{Registry, SignersError};

/// Some of the keys of a registry, by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signers {
    pub(super) places: BTreeSet<usize>,
    /// Number of blocks of the set, as it is hashed.
    pub(super) blocks: usize,
}

/// Why a list of places is no set of signers.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PlacesError {
    /// The registry does not have one of them.
    #[error("there is no key {place}: the registry has {keys}, counted from 0")]
    NoSuchKey {
        /// The place.
        place: usize,
        /// Number of keys of the registry.
        keys: usize,
    },
    /// One is not above the one before it.
    #[error("the places of signers do not ascend at {0}, expected each once and in order")]
    Order(usize),
}

impl Signers {
    /// The keys at these places of a registry, which ascend.
    ///
    /// # Errors
    /// If it does not have one of them, or they do not ascend.
    pub fn new(
        registry: &Registry,
        places: impl IntoIterator<Item = usize>,
    ) -> Result<Self, PlacesError> {
        let (keys, mut signers) = (registry.keys().len(), Self::none(registry));
        for place in places {
            if place >= keys {
                return Err(PlacesError::NoSuchKey { place, keys });
            }
            if signers.places.last() >= Some(&place) {
                return Err(PlacesError::Order(place));
            }
            signers.places.insert(place);
        }
        Ok(signers)
    }

    /// None of the keys of a registry.
    pub fn none(registry: &Registry) -> Self {
        Self {
            places: BTreeSet::new(),
            blocks: blocks_for(1 << registry.log_keys()),
        }
    }

    /// Their places, ascending.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.iter().copied()
    }

    /// Their number.
    pub fn count(&self) -> u32 {
        self.places.len() as u32
    }

    /// Those who are in one set or the other, of the same registry.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            places: &self.places | &other.places,
            ..*self
        }
    }

    /// The digest by which statements name the set.
    pub fn digest(&self) -> Block {
        Poseidon16.hash(F::new(SIGNERS_TAG), self.blocks().as_flattened())
    }

    /// The set as it is hashed: a bit for each place, [`WORD_BITS`] to a word, and eight words to a
    /// block.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut words = vec![0_u32; LANES * self.blocks];
        for place in &self.places {
            if let Some(word) = words.get_mut(place / WORD_BITS) {
                *word |= 1 << (place % WORD_BITS);
            }
        }
        let blocks = words.as_chunks::<LANES>().0.iter();
        blocks.map(|words| words.map(F::from_u32)).collect()
    }

    /// The hints with which the rule `unite` unites it with another set.
    pub(super) fn hints_of_union(&self, other: &Self) -> [TapeItem; 3] {
        let common = Self {
            places: &self.places & &other.places,
            ..*self
        };
        [self, other, &common].map(|set| slice(&set.blocks()))
    }
}

/// So many keys of a registry have signed a message in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignersClaim {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
    /// Root of the registry ([`Registry::root`]).
    pub registry: Block,
    /// Digest of the set of signers ([`Signers::digest`]).
    pub signers: Block,
    /// Their number.
    pub count: u32,
}

impl SignersClaim {
    /// The state of a fold that says this, and what the statement of a batch is the digest of.
    pub fn state(&self) -> [Block; 5] {
        let block = |low: u32, high: u32| {
            let (low, high, zero) = (F::from_u32(low), F::from_u32(high), F::ZERO);
            [low, high, zero, zero, zero, zero, zero, zero]
        };
        [
            block(self.slot & 0xffff, self.slot >> 16),
            self.message,
            self.registry,
            self.signers,
            block(self.count, 0),
        ]
    }

    /// What a state says.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn of_state(state: &[Block]) -> Result<Self, SignersError> {
        let &[[low, high, ..], message, registry, signers, [count, ..]] = state else {
            return Err(SignersError::State);
        };
        let [low, high] = [low, high].map(|half| half.as_canonical_u32());
        let claim = Self {
            slot: low | (high << 16),
            message,
            registry,
            signers,
            count: count.as_canonical_u32(),
        };
        // Other elements than these would be lost.
        let is_whole = claim.state().as_slice() == state;
        is_whole.then_some(claim).ok_or(SignersError::State)
    }

    /// The statement of the proof of a batch that says this.
    pub fn statement(&self) -> Block {
        Poseidon16.hash(F::from_usize(CLAIM_TAG), self.state().as_flattened())
    }
}
