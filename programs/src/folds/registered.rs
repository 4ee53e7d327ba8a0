//! XMSS signatures of one message in one slot, by keys of a registry.

use droste_gadgets::xmss::verify_registered;

/// Logarithm of the number of keys of the registry.
const LOG_KEYS: usize = 11;

/// Number of pairs of chains, of steps of all chains, and of levels of a key's tree.
const PAIRS: usize = 21;
const STEPS: usize = 110;
const LEVELS: usize = 32;

/// Reveals a digest of the slot, the message, the registry, the signers and their number.
pub fn main() {
    verify_registered::<LOG_KEYS, PAIRS, STEPS, LEVELS>();
}
