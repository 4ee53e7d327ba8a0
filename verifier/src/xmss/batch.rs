//! A batch of signatures, and the hints with which the program verifies it.

use droste_native::F;
use droste_native::hash_signature::{
    Claim, PublicKey, Signature, Steps, TweakKind, VerifyError, leaf_start_input, message_inputs,
    tweak,
};
use droste_native::precompile::{Block, LANES, PAIRS_PER_ELEMENT};
use droste_vm::executor::{Tape, TapeItem};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::{BatchClaim, BatchProgram};

/// Signatures of one message in one slot. Nothing of it is verified before [`BatchProgram::tape`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The slot.
    pub slot: u32,
    /// The message.
    pub message: Block,
    /// The keys, each with its signature. A key may be there more than once.
    pub signatures: Vec<(PublicKey, Signature)>,
}

/// Why a batch is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BatchError {
    /// A signature is not valid.
    #[error("signature {index} is not valid")]
    Signature {
        /// Its index, from 0.
        index: usize,
        /// Why.
        source: VerifyError,
    },
    /// The program does not take so many signatures.
    #[error("{found} signatures, the program takes 1 to {most}")]
    Signatures {
        /// Number of signatures.
        found: usize,
        /// Largest number.
        most: usize,
    },
}

impl Batch {
    /// What a proof of the batch says.
    pub fn claim(&self) -> BatchClaim {
        BatchClaim {
            slot: self.slot,
            message: self.message,
            keys: self.signatures.iter().map(|(key, _)| *key).collect(),
        }
    }
}

impl BatchProgram {
    /// Verifies every signature of a batch, and returns the hints with which the program does so.
    ///
    /// # Errors
    /// Names the first signature that is not valid; also if there are none or too many.
    pub fn tape(&self, batch: &Batch) -> Result<Tape, BatchError> {
        let most = 1 << self.log_keys();
        let found = batch.signatures.len();
        if !(1..=most).contains(&found) {
            return Err(BatchError::Signatures { found, most });
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
                let steps = steps.map_err(|source| BatchError::Signature { index, source })?;
                Ok(TapeItem::Slice(self.signature_hints(&claim, &steps)))
            })
            .collect();
        let bits = |number: u32, count: u32| {
            (0..count).map(move |bit| TapeItem::Felt(F::from_bool(number >> bit & 1 == 1)))
        };
        let slice =
            |blocks: &[Block]| TapeItem::Slice(blocks.iter().map(|b| b.map(Some)).collect());
        let levels = self.scheme().parameters().levels;
        let mut items: Vec<TapeItem> = bits(found as u32 - 1, self.log_keys()).collect();
        items.extend(bits(batch.slot, levels));
        items.push(slice(&[batch.message]));
        items.push(slice(&batch.claim().key_blocks(self.log_keys())));
        for hints in hints {
            items.push(hints?);
        }
        Ok(Tape { items })
    }

    /// The blocks that `droste_gadgets::xmss` reads for a signature.
    fn signature_hints(&self, claim: &Claim<'_>, steps: &Steps) -> Vec<[Option<F>; LANES]> {
        let ([_, randomness], parameter) = message_inputs(&claim.message());
        let [leaf_input, _] = leaf_start_input(&claim.public_key.parameter, claim.slot);
        let (digits, low) = self.digit_blocks(claim.slot, steps);
        let values = claim.signature.chain_values.as_chunks().0.iter();
        let values = values.map(|[left, right]| [*left, *right]);
        [
            randomness,
            parameter,
            digits,
            steps.leaf_start,
            leaf_input,
            low,
        ]
        .into_iter()
        .chain(values.chain(steps.pairs.iter().copied()).map(join))
        .map(|block| block.map(Some))
        .collect()
    }

    /// The block of the elements that hold digits, with the tweak of the chains, and the block of
    /// the low bits of the other elements.
    fn digit_blocks(&self, slot: u32, steps: &Steps) -> (Block, Block) {
        let pairs = self.pairs() as usize;
        let (mut digits, mut low) = ([F::ZERO; LANES], [F::ZERO; LANES]);
        for (index, element) in steps.message_digest.iter().enumerate() {
            let bits = element.as_canonical_u32() & 0xff_ffff;
            let of_element = pairs.saturating_sub(PAIRS_PER_ELEMENT * index);
            if of_element >= PAIRS_PER_ELEMENT {
                set(&mut digits, index, bits);
            } else {
                set(&mut low, index, bits);
                if of_element > 0 {
                    set(&mut digits, index, bits & ((1 << (6 * of_element)) - 1));
                }
            }
        }
        let [.., base, tweak_low] = &mut digits;
        [*base, *tweak_low] = tweak(TweakKind::Chain, 0, slot);
        (digits, low)
    }
}

fn set(block: &mut Block, lane: usize, value: u32) {
    if let Some(lane) = block.get_mut(lane) {
        *lane = F::from_u32(value);
    }
}

fn join([left, right]: [[F; 4]; 2]) -> Block {
    let ([a, b, c, d], [e, f, g, h]) = (left, right);
    [a, b, c, d, e, f, g, h]
}
