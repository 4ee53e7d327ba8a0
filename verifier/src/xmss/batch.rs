//! A batch of signatures, and the hints with which the program verifies it.

use std::collections::BTreeMap;
use std::sync::Arc;

use droste_gadgets::signers::WORD_BITS;
use droste_native::F;
use droste_native::hash_signature::{
    Claim, SignedMessage, Steps, TweakKind, VerifyError, message_inputs, tweak,
};
use droste_native::precompile::{Block, DIGIT_BITS, LANES, PAIRS_PER_ELEMENT};
use droste_vm::executor::{Tape, TapeItem};
use droste_vm::key::KeyDigest;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::registry::join;
use super::{Registry, SignatureBatchProgram, Signers, SignersClaim};

/// Signatures of one message in one slot by keys of a registry, one of each key. They are verified
/// by [`SignatureBatchProgram::tape`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureBatch {
    registry: Arc<Registry>,
    slot: u32,
    message: Block,
    /// With the places of their keys, which ascend.
    signed: Vec<(usize, SignedMessage)>,
}

/// Why signatures make no batch.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SignatureBatchError {
    /// A signature is not valid.
    #[error("the signature of key {key} of the registry is not valid")]
    Signature {
        /// Place of the key, from 0.
        key: usize,
        /// Why.
        source: VerifyError,
    },
    /// A key is not in the registry.
    #[error("signature {0}: its key is not in the registry")]
    Unregistered(usize),
    /// A signature is of something else.
    #[error("signature {0} is of another message or slot than the first one")]
    Other(usize),
    /// There are no signatures, or more than the program takes.
    #[error("the batch has {found} signatures, expected 1 to {most}")]
    Signatures {
        /// Number of signatures.
        found: usize,
        /// Largest number.
        most: usize,
    },
    /// The registry has another root, the first, than that of the program, the second.
    #[error("the batch is about the registry {0}, expected {1}")]
    Registry(KeyDigest, KeyDigest),
}

impl SignatureBatchProgram {
    /// Puts signatures of one message in one slot into batches, in the order of the registry. Of
    /// several signatures of one key, the first valid one is taken, or the first if none is.
    ///
    /// # Errors
    /// If there are none, or one is of another message or slot, or of a key outside of the
    /// registry.
    pub fn batches(
        &self,
        signed: impl IntoIterator<Item = SignedMessage>,
    ) -> Result<Vec<SignatureBatch>, SignatureBatchError> {
        let is_valid = |signed: &SignedMessage| self.scheme.steps(&signed.claim()).is_ok();
        let (mut first, mut by_place) = (None, BTreeMap::new());
        for (index, signed) in signed.into_iter().enumerate() {
            let said = (signed.slot, signed.message);
            if *first.get_or_insert(said) != said {
                return Err(SignatureBatchError::Other(index));
            }
            let place = self.registry.place(&signed.public_key);
            let place = place.ok_or(SignatureBatchError::Unregistered(index))?;
            // Whoever hands in an invalid one does not take the place of who signed.
            let taken = by_place.entry(place).or_insert_with(|| signed.clone());
            if *taken != signed && !is_valid(taken) && is_valid(&signed) {
                *taken = signed;
            }
        }
        let most = self.signatures;
        let (slot, message) = first.ok_or(SignatureBatchError::Signatures { found: 0, most })?;
        let signed: Vec<(usize, SignedMessage)> = by_place.into_iter().collect();
        let batches = signed.chunks(most).map(|some| SignatureBatch {
            registry: Arc::clone(&self.registry),
            slot,
            message,
            signed: some.to_vec(),
        });
        Ok(batches.collect())
    }

    /// Checks that the program takes so many signatures, and that a batch is about its registry.
    pub(super) fn check(&self, batch: &SignatureBatch) -> Result<(), SignatureBatchError> {
        let (found, most) = (batch.signed.len(), self.signatures);
        if found > most {
            return Err(SignatureBatchError::Signatures { found, most });
        }
        let [found, expected] = [&batch.registry, &self.registry].map(|of| KeyDigest(of.root()));
        if found == expected {
            Ok(())
        } else {
            Err(SignatureBatchError::Registry(found, expected))
        }
    }
}

impl SignatureBatch {
    /// The registry.
    pub const fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The signatures, with the places of their keys, which ascend.
    pub fn signed(&self) -> &[(usize, SignedMessage)] {
        &self.signed
    }

    /// Who has signed.
    pub fn signers(&self) -> Signers {
        Signers {
            places: self.signed.iter().map(|(place, _)| *place).collect(),
            ..Signers::none(&self.registry)
        }
    }

    /// What a proof of the batch says.
    pub fn claim(&self) -> SignersClaim {
        let signers = self.signers();
        SignersClaim {
            slot: self.slot,
            message: self.message,
            registry: self.registry.root(),
            signers: signers.digest(),
            count: signers.count(),
        }
    }
}

impl SignatureBatchProgram {
    /// Verifies every signature of a batch, and returns the hints with which the program does so.
    ///
    /// # Errors
    /// Names the first signature that is not valid; also if there are too many, or they are by keys
    /// of another registry.
    pub fn tape(&self, batch: &SignatureBatch) -> Result<Tape, SignatureBatchError> {
        self.check(batch)?;
        let hints = batch.signed.par_iter().map(|&(key, ref signed)| {
            let claim = signed.claim();
            let steps = self.scheme.steps(&claim);
            let steps = steps.map_err(|source| SignatureBatchError::Signature { key, source })?;
            Ok((key, self.signature_hints(&claim, &steps)))
        });
        let hints: Vec<Result<_, SignatureBatchError>> = hints.collect();
        let levels = self.scheme.parameters().levels;
        let bits = (0..levels).map(|bit| F::from_bool(batch.slot >> bit & 1 == 1));
        let mut items: Vec<TapeItem> = bits.map(TapeItem::Felt).collect();
        items.extend([
            slice(&[batch.message]),
            slice(batch.registry.key_blocks()),
            slice(&batch.signers().blocks()),
        ]);
        for one in hints {
            let (place, hints) = one?;
            items.push(TapeItem::Felt(F::from_usize(place % WORD_BITS)));
            items.extend(hints);
        }
        Ok(Tape { items })
    }

    /// The hints that `droste_gadgets::xmss` reads for a signature.
    fn signature_hints(&self, claim: &Claim<'_>, steps: &Steps) -> Vec<TapeItem> {
        let ([_, randomness], parameter) = message_inputs(&claim.message());
        let values = claim.signature.chain_values.as_chunks().0.iter();
        let values = values.map(|[left, right]| [*left, *right]);
        let blocks = values.chain(steps.pairs.iter().copied()).map(join);
        let blocks: Vec<Block> = std::iter::once(randomness).chain(blocks).collect();

        let mut digits = [F::ZERO; LANES];
        let mut low_bits = vec![];
        for (index, (element, used)) in steps.message_digest.iter().zip(&mut digits).enumerate() {
            let bits = element.as_canonical_u32() & 0xff_ffff;
            let pairs = self.pairs().saturating_sub(PAIRS_PER_ELEMENT * index);
            let pairs = pairs.min(PAIRS_PER_ELEMENT);
            let mask = (1 << (2 * DIGIT_BITS as usize * pairs)) - 1;
            *used = F::from_u32(bits & mask);
            low_bits.push(TapeItem::Felt(F::from_u32(bits)));
            if (1..PAIRS_PER_ELEMENT).contains(&pairs) {
                low_bits.push(TapeItem::Felt(*used));
            }
        }
        let [.., base, low] = &mut digits;
        [*base, *low] = tweak(TweakKind::Chain, 0, claim.slot);

        let mut hints = vec![
            slice(&blocks),
            slice(&[parameter, digits, steps.leaf_start]),
        ];
        hints.extend(low_bits);
        hints
    }
}

pub(super) fn slice(blocks: &[Block]) -> TapeItem {
    TapeItem::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}
