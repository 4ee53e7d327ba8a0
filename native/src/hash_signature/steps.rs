//! The intermediate values of verifying a signature: the witness of a proof that it is valid.

use super::poseidon16::{first_half, join};
use super::{
    Claim, Parent, TweakablePoseidon16, VerifyError, Xmss, chain_input, leaf_start_input,
    message_inputs, parent_input,
};
use crate::field::F;
use crate::hash::poseidon16::Poseidon16;

/// The intermediate values of verifying a valid signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The message's digest.
    pub message_digest: [F; 8],
    /// The digit of each chain: the encoding of the message.
    pub digits: Vec<u8>,
    /// The last value of each chain.
    pub chain_ends: Vec<[F; 4]>,
    /// The leaf's state before the first two chains.
    pub leaf_start: [F; 8],
    /// The leaf.
    pub leaf: [F; 4],
    /// Left and right child of each node on the way from the leaf to the root, one pair per level,
    /// from below.
    pub pairs: Vec<[[F; 4]; 2]>,
}

impl Xmss<TweakablePoseidon16> {
    /// Verifies a signature, one compression after the other, and returns the intermediate values.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn steps(&self, claim: &Claim<'_>) -> Result<Steps, VerifyError> {
        self.check_shape(claim.slot, claim.signature)?;
        let compress = |[left, right]: [[F; 8]; 2]| Poseidon16.compress_pair(left, right);
        let (first, second) = message_inputs(&claim.message());
        let message_digest = compress([compress(first), second]);
        let digits = self.encoding(&message_digest)?;

        let parameters = self.parameters();
        let end = self.last_position();
        let chain_ends: Vec<[F; 4]> = claim
            .chains(&digits, end)
            .map(|mut chain| {
                while chain.position < end {
                    chain.value = first_half(compress(chain_input(parameters.bits, &chain)));
                    chain.position += 1;
                }
                chain.value
            })
            .collect();

        let parameter = &claim.public_key.parameter;
        let leaf_start = compress(leaf_start_input(parameter, claim.slot));
        let pairs = chain_ends.as_chunks().0.iter();
        let leaf =
            first_half(pairs.fold(leaf_start, |state, [a, b]| compress([state, join(*a, *b)])));

        let mut node = leaf;
        let mut pairs = Vec::with_capacity(claim.signature.path.len());
        for level in 0..parameters.levels {
            let Some(parent) = claim.parent(level, node) else {
                break;
            };
            let Parent { children, .. } = parent;
            pairs.push(children);
            node = first_half(compress(parent_input(&parent)));
        }
        if node != claim.public_key.root {
            return Err(VerifyError::Root);
        }
        Ok(Steps {
            message_digest,
            digits,
            chain_ends,
            leaf_start,
            leaf,
            pairs,
        })
    }
}
