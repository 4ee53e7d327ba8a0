//! A batch of signatures, and the hints with which the program verifies it.

use std::collections::HashMap;

use droste_native::F;
use droste_native::hash_signature::{
    Claim, PublicKey, Signature, SignedMessage, Steps, TweakKind, VerifyError, message_inputs,
    tweak,
};
use droste_native::precompile::{Block, DIGIT_BITS, LANES, PAIRS_PER_ELEMENT};
use droste_vm::executor::{Tape, TapeItem};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::{MAX_LOG_KEYS, SignatureBatchClaim, SignatureBatchProgram, SignatureBatchProgramError};

/// Signatures of one message in one slot. Nothing of it is verified before [`SignatureBatchProgram::tape`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureBatch {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
    /// The keys, each with its signature. A key may be there more than once.
    pub signatures: Vec<(PublicKey, Signature)>,
}

/// Why a batch is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SignatureBatchError {
    /// A signature is not valid.
    #[error("signature {index} is not valid")]
    Signature {
        /// Its index, from 0.
        index: usize,
        /// Why.
        source: VerifyError,
    },
    /// The program does not take this number of signatures.
    #[error("the batch has {found} signatures, expected 1 to {most}")]
    Signatures {
        /// Number of signatures.
        found: usize,
        /// Largest number.
        most: usize,
    },
}

impl SignatureBatch {
    /// Puts signatures of one message in one slot together, at most `largest` of them. Batches are
    /// in the order of their first signatures, and the signatures of a batch in the order given.
    ///
    /// # Errors
    /// If there are no signatures, or no program takes batches of `largest`.
    pub fn group(
        signed: impl IntoIterator<Item = SignedMessage>,
        largest: usize,
    ) -> Result<Vec<Self>, SignatureBatchProgramError> {
        if !(1..=1 << MAX_LOG_KEYS).contains(&largest) {
            return Err(SignatureBatchProgramError::Signatures(largest));
        }
        let mut batches: Vec<Self> = vec![];
        // The only batch of its slot and message that is not full.
        let mut open: HashMap<(u32, Block), usize> = HashMap::new();
        for signed in signed {
            let (slot, message) = (signed.slot, signed.message);
            let one = (signed.public_key, signed.signature);
            let index = open.get(&(slot, message)).copied();
            match index.and_then(|index| batches.get_mut(index)) {
                Some(batch) if batch.signatures.len() < largest => batch.signatures.push(one),
                _ => {
                    open.insert((slot, message), batches.len());
                    batches.push(Self {
                        slot,
                        message,
                        signatures: vec![one],
                    });
                }
            }
        }
        if batches.is_empty() {
            Err(SignatureBatchProgramError::Signatures(0))
        } else {
            Ok(batches)
        }
    }

    /// What a proof of the batch says.
    pub fn claim(&self) -> SignatureBatchClaim {
        SignatureBatchClaim {
            slot: self.slot,
            message: self.message,
            keys: self.signatures.iter().map(|(key, _)| *key).collect(),
        }
    }
}

impl SignatureBatchProgram {
    /// Verifies every signature of a batch, and returns the hints with which the program does so.
    ///
    /// # Errors
    /// Names the first signature that is not valid; also if there are none or too many.
    pub fn tape(&self, batch: &SignatureBatch) -> Result<Tape, SignatureBatchError> {
        let most = 1 << self.log_keys();
        let found = batch.signatures.len();
        if !(1..=most).contains(&found) {
            return Err(SignatureBatchError::Signatures { found, most });
        }
        let hints = batch.signatures.par_iter().enumerate();
        let hints: Vec<_> = hints
            .map(|(index, (public_key, signature))| {
                let claim = Claim {
                    public_key,
                    slot: batch.slot,
                    message: &batch.message,
                    signature,
                };
                let steps = self.scheme().steps(&claim);
                let steps =
                    steps.map_err(|source| SignatureBatchError::Signature { index, source })?;
                Ok(self.signature_hints(&claim, &steps))
            })
            .collect();
        let bits = |number: u32, count: u32| {
            (0..count).map(move |bit| TapeItem::Felt(F::from_bool(number >> bit & 1 == 1)))
        };
        let levels = self.scheme().parameters().levels;
        let mut items: Vec<TapeItem> = bits(found as u32 - 1, self.log_keys()).collect();
        items.extend(bits(batch.slot, levels));
        items.push(slice(&[batch.message]));
        items.push(slice(&batch.claim().key_blocks(self.log_keys())));
        for hints in hints {
            items.extend(hints?);
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

        let pairs = self.pairs() as usize;
        let mut digits = [F::ZERO; LANES];
        let mut low_bits = vec![];
        for (index, element) in steps.message_digest.iter().enumerate() {
            let bits = element.as_canonical_u32() & 0xff_ffff;
            let of_element = pairs.saturating_sub(PAIRS_PER_ELEMENT * index);
            let of_element = of_element.min(PAIRS_PER_ELEMENT);
            let mask = (1 << (2 * DIGIT_BITS as usize * of_element)) - 1;
            let used = F::from_u32(bits & mask);
            if let Some(lane) = digits.get_mut(index) {
                *lane = used;
            }
            low_bits.push(TapeItem::Felt(F::from_u32(bits)));
            if (1..PAIRS_PER_ELEMENT).contains(&of_element) {
                low_bits.push(TapeItem::Felt(used));
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

fn slice(blocks: &[Block]) -> TapeItem {
    TapeItem::Slice(blocks.iter().map(|block| block.map(Some)).collect())
}

fn join([left, right]: [[F; 4]; 2]) -> Block {
    let ([a, b, c, d], [e, f, g, h]) = (left, right);
    [a, b, c, d, e, f, g, h]
}
