//! Public keys, signatures and their verification.

use std::marker::PhantomData;

use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::tweakable::walk;
use super::{
    Chain, Leaf, Message, ParameterError, Parameters, Parent, TweakableHash, TweakablePoseidon16,
};

/// Signatures that one task verifies side by side: twice the lanes of the widest vectors.
const SIDE_BY_SIDE: usize = 32;

/// A signature scheme: a hash, and parameters that were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xmss<H: TweakableHash = TweakablePoseidon16> {
    parameters: Parameters,
    hash: PhantomData<H>,
}

/// A public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublicKey<H: TweakableHash = TweakablePoseidon16> {
    /// Root of the Merkle tree.
    pub root: H::Digest,
    /// The public parameter, which enters every call of the hash.
    pub parameter: H::Parameter,
}

/// A signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature<H: TweakableHash = TweakablePoseidon16> {
    /// What the signer drew so that the digits have the target sum.
    pub randomness: H::Randomness,
    /// The value of each chain at the position that its digit names.
    pub chain_values: Vec<H::Digest>,
    /// The siblings on the way from the leaf to the root, one per level, from below.
    pub path: Vec<H::Digest>,
}

/// That a key signed a message in a slot, with the signature that shows it.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a, H: TweakableHash = TweakablePoseidon16> {
    /// The key.
    pub public_key: &'a PublicKey<H>,
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: &'a H::Message,
    /// The signature.
    pub signature: &'a Signature<H>,
}

/// Why a signature is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum VerifyError {
    /// The slot is behind the last one of the tree.
    #[error("the slot is {slot}, expected at most {last}")]
    Slot {
        /// The slot.
        slot: u32,
        /// The last slot of the tree.
        last: u32,
    },
    /// A list has the wrong length.
    #[error("the signature has {found} {what}, expected {expected}")]
    Length {
        /// What the list is of.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that the parameters say.
        expected: usize,
    },
    /// The message's digest has an element whose bits would not be uniform: of Poseidon-16's,
    /// `p - 1`.
    #[error("element {element} of the message's digest has no digits")]
    NoDigits {
        /// Number of the element.
        element: usize,
    },
    /// The digits do not have the target sum.
    #[error("the digits of the message's digest add up to {found}, expected {expected}")]
    Sum {
        /// Their sum.
        found: u32,
        /// The target sum.
        expected: u32,
    },
    /// The path does not lead to the root.
    #[error("the signature does not lead to the root of the public key")]
    Root,
}

impl Xmss<TweakablePoseidon16> {
    /// The scheme of leanMultisig's signatures of May 2026.
    pub const DEFAULT: Self = Self {
        parameters: Parameters::DEFAULT,
        hash: PhantomData,
    };
}

impl Default for Xmss<TweakablePoseidon16> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl<H: TweakableHash> Xmss<H> {
    /// The scheme of these parameters.
    ///
    /// # Errors
    /// As [`TweakableHash::check`].
    pub fn new(parameters: Parameters) -> Result<Self, ParameterError> {
        H::check(&parameters)?;
        Ok(Self {
            parameters,
            hash: PhantomData,
        })
    }

    /// The parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The last position of a chain, `2^bits - 1`.
    pub const fn last_position(&self) -> u32 {
        (1 << self.parameters.bits) - 1
    }

    /// The last slot of the tree, `2^levels - 1`.
    pub const fn last_slot(&self) -> u32 {
        u32::MAX >> (32 - self.parameters.levels)
    }

    /// The digit of each chain, without regard to their sum.
    ///
    /// # Errors
    /// [`VerifyError::NoDigits`].
    pub fn digits(&self, digest: &H::MessageDigest) -> Result<Vec<u8>, VerifyError> {
        let mut digits = H::digits(digest, self.parameters.bits)?;
        digits.truncate(self.parameters.chains as usize);
        Ok(digits)
    }

    /// The encoding of a message's digest: the digit of each chain, with the target sum.
    ///
    /// # Errors
    /// [`VerifyError::NoDigits`], [`VerifyError::Sum`].
    pub fn encoding(&self, digest: &H::MessageDigest) -> Result<Vec<u8>, VerifyError> {
        let digits = self.digits(digest)?;
        let found = digits.iter().copied().map(u32::from).sum();
        let expected = self.parameters.target_sum;
        if found == expected {
            Ok(digits)
        } else {
            Err(VerifyError::Sum { found, expected })
        }
    }

    /// Verifies a signature.
    ///
    /// # Errors
    /// The first [`VerifyError`], in the order of their definition.
    pub fn verify(
        &self,
        public_key: &PublicKey<H>,
        slot: u32,
        message: &H::Message,
        signature: &Signature<H>,
    ) -> Result<(), VerifyError> {
        let claim = Claim {
            public_key,
            slot,
            message,
            signature,
        };
        self.verify_side_by_side(&[claim])
            .pop()
            .unwrap_or(Err(VerifyError::Root))
    }

    /// Verifies signatures of any keys, slots and messages, each with the result that
    /// [`Self::verify`] has for it, in order.
    ///
    /// Hashes of several signatures are computed side by side, on all threads of rayon's pool.
    pub fn verify_batch(&self, claims: &[Claim<'_, H>]) -> Vec<Result<(), VerifyError>> {
        let groups = claims.par_chunks(SIDE_BY_SIDE);
        groups
            .flat_map_iter(|claims| self.verify_side_by_side(claims))
            .collect()
    }

    fn verify_side_by_side(&self, claims: &[Claim<'_, H>]) -> Vec<Result<(), VerifyError>> {
        let Parameters { bits, levels, .. } = self.parameters;
        let messages: Vec<_> = claims.iter().map(Claim::message).collect();
        let digests = H::message_digests(&messages);
        let encodings: Vec<Result<Vec<u8>, VerifyError>> = claims
            .iter()
            .zip(&digests)
            .map(|(claim, digest)| {
                self.check_shape(claim.slot, claim.signature)?;
                self.encoding(digest)
            })
            .collect();
        let encoded: Vec<(&Claim<'_, H>, &[u8])> = claims
            .iter()
            .zip(&encodings)
            .filter_map(|(claim, encoding)| Some((claim, encoding.as_deref().ok()?)))
            .collect();

        let end = self.last_position();
        let mut chains: Vec<Chain<H>> = encoded
            .iter()
            .flat_map(|(claim, digits)| claim.chains(digits, end))
            .collect();
        walk(bits, &mut chains);
        let ends: Vec<H::Digest> = chains.iter().map(|chain| chain.value).collect();
        let ends = ends.chunks(self.parameters.chains as usize);
        let leaves: Vec<Leaf<'_, H>> = encoded
            .iter()
            .zip(ends)
            .map(|((claim, _), ends)| Leaf {
                parameter: claim.public_key.parameter,
                slot: claim.slot,
                ends,
            })
            .collect();
        let mut nodes = H::leaves(&leaves);
        for level in 0..levels {
            let parents: Vec<Parent<H>> = encoded
                .iter()
                .zip(nodes)
                .filter_map(|((claim, _), node)| claim.parent(level, node))
                .collect();
            nodes = H::parents(&parents);
        }

        let mut roots = nodes.into_iter();
        encodings
            .into_iter()
            .zip(claims)
            .map(|(encoding, claim)| {
                encoding?;
                if roots.next() == Some(claim.public_key.root) {
                    Ok(())
                } else {
                    Err(VerifyError::Root)
                }
            })
            .collect()
    }

    /// Checks that the tree has the slot, and the lengths of the signature's lists.
    ///
    /// # Errors
    /// [`VerifyError::Slot`], [`VerifyError::Length`].
    pub fn check_shape(&self, slot: u32, signature: &Signature<H>) -> Result<(), VerifyError> {
        let last = self.last_slot();
        if slot > last {
            return Err(VerifyError::Slot { slot, last });
        }
        let Parameters { chains, levels, .. } = self.parameters;
        for (what, found, expected) in [
            ("chain values", signature.chain_values.len(), chains),
            ("siblings", signature.path.len(), levels),
        ] {
            let expected = expected as usize;
            if found != expected {
                return Err(VerifyError::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }
}

impl<'a, H: TweakableHash> Claim<'a, H> {
    /// The call that makes the message's digest.
    pub fn message(&self) -> Message<'a, H> {
        Message {
            parameter: self.public_key.parameter,
            slot: self.slot,
            message: self.message,
            randomness: self.signature.randomness,
        }
    }

    /// The signature's chains, each at its digit and on the way to `end`.
    pub(super) fn chains(&self, digits: &[u8], end: u32) -> impl Iterator<Item = Chain<H>> {
        let values = self.signature.chain_values.iter().zip(digits);
        (0..)
            .zip(values)
            .map(move |(index, (&value, &digit))| Chain {
                parameter: self.public_key.parameter,
                slot: self.slot,
                index,
                position: digit.into(),
                end,
                value,
            })
    }

    /// The node above `node`, which is on `level` (0: a leaf), or `None` if the path ends below.
    pub(super) fn parent(&self, level: u32, node: H::Digest) -> Option<Parent<H>> {
        let sibling = *self.signature.path.get(level as usize)?;
        Some(Parent {
            parameter: self.public_key.parameter,
            level: level + 1,
            // The root's level has no bits of a slot of 32 bits left.
            index: self.slot.checked_shr(level + 1).unwrap_or(0),
            children: if self.slot >> level & 1 == 0 {
                [node, sibling]
            } else {
                [sibling, node]
            },
        })
    }
}
