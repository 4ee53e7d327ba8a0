//! Secret keys of a range of slots.

use std::fmt;
use std::ops::RangeInclusive;

use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::pseudorandom::{Draw, Pseudorandom};
use super::tweakable::walk;
use super::{
    Chain, Fixed, Leaf, Message, Parameters, Parent, PublicKey, Signature, TweakableHash,
    TweakablePoseidon16, Xmss,
};

/// Most slots of a key. Generating the key computes all of its chains, and keeps its part of the
/// Merkle tree: half a gibibyte for as many.
pub const MAX_SLOTS: u64 = 1 << 24;

/// Most draws of randomness for a signature. With the default parameters, all of them fail with a
/// probability below `2^-100`.
pub const MAX_ATTEMPTS: u32 = 1 << 16;

/// One-time keys, leaves or Merkle nodes that one task computes side by side.
const SIDE_BY_SIDE: usize = 32;

/// A secret key: the one-time keys of a range of slots.
///
/// It does not remember what it signed. Whoever signs two messages in one slot gives the slot away.
#[derive(Clone)]
pub struct SecretKey<H: TweakableHash = TweakablePoseidon16> {
    scheme: Xmss<H>,
    slots: RangeInclusive<u32>,
    pseudorandom: Pseudorandom,
    parameter: H::Parameter,
    /// The part of the tree above the range, from the leaves up to the root.
    layers: Vec<Layer<H>>,
}

/// Consecutive nodes of one level, as many as are siblings on the paths of the range.
#[derive(Clone)]
struct Layer<H: TweakableHash> {
    /// Number, within the level, of the first of the nodes.
    first: u32,
    nodes: Vec<H::Digest>,
}

/// A range of slots that no key has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeyError {
    /// The range has no slot.
    #[error("the range of slots {first} to {last} is empty, expected at least one slot")]
    Empty {
        /// Start of the range.
        first: u32,
        /// End of the range.
        last: u32,
    },
    /// The range ends behind the last slot of the tree.
    #[error(
        "the range of slots ends at {slot}, expected at most {last}, the last slot of the tree"
    )]
    Slot {
        /// End of the range.
        slot: u32,
        /// The last slot of the tree.
        last: u32,
    },
    /// The range is too long.
    #[error("the range has {slots} slots, expected at most {MAX_SLOTS}")]
    TooMany {
        /// Number of slots.
        slots: u64,
    },
}

/// Why a message is not signed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SignError {
    /// The key does not have the slot.
    #[error("slot {slot} is not one of the key, expected {first} to {last}")]
    Slot {
        /// The slot.
        slot: u32,
        /// First slot of the key.
        first: u32,
        /// Last slot of the key.
        last: u32,
    },
    /// No randomness gave digits with the target sum. The parameters' target is too rare.
    #[error(
        "none of {MAX_ATTEMPTS} attempts to encode the message gave digits with the target sum"
    )]
    Attempts,
}

impl<H: TweakableHash> SecretKey<H> {
    /// The key of a seed and a range of slots.
    ///
    /// The seed must be secret and uniformly random, and of one key only. The one-time keys, the
    /// public parameter and the Merkle nodes beside the range are drawn from it, from the
    /// parameters and from the range: another range is another key. The work is that of all chains
    /// in the range, on all threads of rayon's pool.
    ///
    /// # Errors
    /// If the range is empty, too long or not in the tree.
    pub fn generate(
        scheme: Xmss<H>,
        seed: &[u8; 32],
        slots: RangeInclusive<u32>,
    ) -> Result<Self, KeyError> {
        let (first, last) = (*slots.start(), *slots.end());
        if first > last {
            return Err(KeyError::Empty { first, last });
        }
        if last > scheme.last_slot() {
            return Err(KeyError::Slot {
                slot: last,
                last: scheme.last_slot(),
            });
        }
        let count = u64::from(last - first) + 1;
        if count > MAX_SLOTS {
            return Err(KeyError::TooMany { slots: count });
        }
        let pseudorandom = Pseudorandom::new(H::NAME, seed, scheme.parameters(), &slots);
        let mut key = Self {
            scheme,
            slots,
            parameter: pseudorandom.draw(Draw::Parameter),
            pseudorandom,
            layers: Vec::new(),
        };
        key.layers = key.tree();
        Ok(key)
    }

    /// The scheme.
    pub const fn scheme(&self) -> &Xmss<H> {
        &self.scheme
    }

    /// The slots that the key has.
    pub fn slots(&self) -> RangeInclusive<u32> {
        self.slots.clone()
    }

    /// The public key.
    pub fn public_key(&self) -> PublicKey<H> {
        let root = self.layers.last().and_then(|layer| layer.nodes.first());
        PublicKey {
            // The highest layer is the root.
            root: root.copied().unwrap_or_else(|| self.outside(0, 0)),
            parameter: self.parameter,
        }
    }

    /// Signs a message in a slot, always with the same signature.
    ///
    /// No other message must be signed in the slot, neither before nor after.
    ///
    /// # Errors
    /// If the key does not have the slot, or no randomness gives the target sum.
    pub fn sign(&self, slot: u32, message: &H::Message) -> Result<Signature<H>, SignError> {
        self.check_slot(slot)?;
        let (randomness, digits) = self.encode(slot, message)?;
        let digits = digits.into_iter().map(u32::from);
        let mut chains: Vec<_> = self.chains(slot, digits).collect();
        walk(self.scheme.parameters().bits, &mut chains);
        let path = (0..).zip(&self.layers).filter_map(|(level, layer)| {
            let sibling = slot.checked_shr(level)? ^ 1;
            let index = sibling.checked_sub(layer.first)?;
            layer.nodes.get(index as usize).copied()
        });
        Ok(Signature {
            randomness,
            chain_values: chains.iter().map(|chain| chain.value).collect(),
            path: path
                .take(self.scheme.parameters().levels as usize)
                .collect(),
        })
    }

    /// Checks that the key has the slot.
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), SignError> {
        let (first, last) = (*self.slots.start(), *self.slots.end());
        if (first..=last).contains(&slot) {
            Ok(())
        } else {
            Err(SignError::Slot { slot, first, last })
        }
    }

    /// A message authentication code of bytes, which whoever has not the seed cannot make.
    pub(super) fn code(&self, bytes: &[u8]) -> [u8; 32] {
        self.pseudorandom.code(bytes)
    }

    /// The first randomness with which the message has an encoding, and the encoding.
    fn encode(
        &self,
        slot: u32,
        message: &H::Message,
    ) -> Result<(H::Randomness, Vec<u8>), SignError> {
        let mut bytes = Vec::new();
        message.write(&mut bytes);
        for start in (0..MAX_ATTEMPTS).step_by(SIDE_BY_SIDE) {
            let attempts = (start..MAX_ATTEMPTS).take(SIDE_BY_SIDE);
            let messages: Vec<Message<'_, H>> = attempts
                .map(|attempt| Message {
                    parameter: self.parameter,
                    slot,
                    message,
                    randomness: self.pseudorandom.draw(Draw::Randomness {
                        slot,
                        message: &bytes,
                        attempt,
                    }),
                })
                .collect();
            for (message, digest) in messages.iter().zip(H::message_digests(&messages)) {
                if let Ok(digits) = self.scheme.encoding(&digest) {
                    return Ok((message.randomness, digits));
                }
            }
        }
        Err(SignError::Attempts)
    }

    /// A slot's chains at their first values, each on the way to its end.
    fn chains(&self, slot: u32, ends: impl Iterator<Item = u32>) -> impl Iterator<Item = Chain<H>> {
        let mut words = self.pseudorandom.words(Draw::Chains { slot });
        (0..).zip(ends).map(move |(index, end)| Chain {
            parameter: self.parameter,
            slot,
            index,
            position: 0,
            end,
            value: H::Digest::draw(&mut words),
        })
    }

    /// A Merkle node that has no slot of the key below it.
    fn outside(&self, level: u32, index: u32) -> H::Digest {
        self.pseudorandom.draw(Draw::Node { level, index })
    }

    /// All layers of the tree above the range.
    fn tree(&self) -> Vec<Layer<H>> {
        let levels = self.scheme.parameters().levels;
        let mut layer = Layer {
            first: *self.slots.start(),
            nodes: self.leaves(),
        };
        let mut layers = Vec::with_capacity(levels as usize + 1);
        for level in 0..levels {
            self.add_siblings(level, &mut layer);
            let first = layer.first >> 1;
            let pairs = layer.nodes.as_chunks().0;
            let nodes = pairs.par_chunks(SIDE_BY_SIDE).enumerate();
            let nodes = nodes.flat_map_iter(|(group, pairs)| {
                let index = first + (group * SIDE_BY_SIDE) as u32;
                let parents = (index..).zip(pairs).map(|(index, &children)| Parent {
                    parameter: self.parameter,
                    level: level + 1,
                    index,
                    children,
                });
                H::parents(&parents.collect::<Vec<_>>())
            });
            let nodes = nodes.collect();
            layers.push(std::mem::replace(&mut layer, Layer { first, nodes }));
        }
        layers.push(layer);
        layers
    }

    /// Completes a layer to whole pairs.
    fn add_siblings(&self, level: u32, layer: &mut Layer<H>) {
        if layer.first % 2 == 1 {
            layer.first -= 1;
            layer.nodes.insert(0, self.outside(level, layer.first));
        }
        if !layer.nodes.len().is_multiple_of(2) {
            let index = layer.first + layer.nodes.len() as u32;
            layer.nodes.push(self.outside(level, index));
        }
    }

    /// The leaves of the range.
    fn leaves(&self) -> Vec<H::Digest> {
        let Parameters { chains, bits, .. } = *self.scheme.parameters();
        let end = self.scheme.last_position();
        let slots: Vec<u32> = self.slots.clone().collect();
        let groups = slots.par_chunks(SIDE_BY_SIDE);
        groups
            .flat_map_iter(|slots| {
                let ends = || (0..chains).map(|_| end);
                let mut values: Vec<Chain<H>> = slots
                    .iter()
                    .flat_map(|&slot| self.chains(slot, ends()))
                    .collect();
                walk(bits, &mut values);
                let ends: Vec<H::Digest> = values.iter().map(|chain| chain.value).collect();
                let ends = slots.iter().zip(ends.chunks(chains as usize));
                let leaves = ends.map(|(&slot, ends)| Leaf {
                    parameter: self.parameter,
                    slot,
                    ends,
                });
                H::leaves(&leaves.collect::<Vec<_>>())
            })
            .collect()
    }
}

/// Without anything secret.
impl<H: TweakableHash> fmt::Debug for SecretKey<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey")
            .field("scheme", &self.scheme)
            .field("slots", &self.slots)
            .field("public_key", &self.public_key())
            .finish_non_exhaustive()
    }
}
