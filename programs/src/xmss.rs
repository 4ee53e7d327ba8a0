//! XMSS signatures of one message in one slot.

use droste_gadgets::xmss::verify_signatures;

/// Logarithm of the largest number of signatures.
const LOG_SIGNATURES: usize = 11;

/// Number of pairs of chains, of steps of all chains, and of levels of a key's tree.
const PAIRS: usize = 21;
const STEPS: usize = 110;
const LEVELS: usize = 32;

/// Reveals a digest of the number of signatures, the slot, the message and the keys.
pub fn main() {
    verify_signatures::<LOG_SIGNATURES, PAIRS, STEPS, LEVELS>();
}
