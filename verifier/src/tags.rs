//! Tags of digests (domain separation). A Poseidon-16 sponge starts from the tag, so that no digest
//! of one sponge passes for that of a sponge of another kind. Nodes of Merkle trees have no tag.
//! Each tag is four ASCII letters, big-endian.

use droste_native::F;

/// "clai": a claim, the digest of children ([`crate::claim::claim_digest`]).
pub const CLAIM_TAG: F = F::new(0x636c_6169);

/// "publ": the public values of a proof of AIRs ([`crate::claim::public_digest`]).
pub const PUBLIC_TAG: F = F::new(0x7075_626c);

/// "airs": the identity of a list of AIRs ([`crate::airs::AirKey::identity`]).
pub const AIRS_TAG: F = F::new(0x6169_7273);

/// "akey": the digest of an [`crate::airs::AirKey`].
pub const AIR_KEY_TAG: F = F::new(0x616b_6579);

/// "keys": the digest of a set of recursion keys ([`crate::keys::ClaimedKeys::digest`]).
pub const KEY_SET_TAG: F = F::new(0x6b65_7973);

/// "fold": the statement of a fold's proof (`droste_gadgets::fold`). A change of what is hashed
/// takes another tag.
pub const FOLD_TAG: F = F::new(0x666f_6c64);

/// "rule": the digest of the list of a fold's rules (`droste_gadgets::fold`). A change of what is
/// hashed takes another tag.
pub const RULES_TAG: F = F::new(0x7275_6c65);

/// "path": the key of proofs of `droste-binary` about Merkle paths (`BinaryShape::key`).
pub const PATHS_KEY_TAG: F = F::new(0x7061_7468);

/// "call": the key of proofs of `droste-binary` about calls (`BinaryShape::key`).
pub const CALLS_KEY_TAG: F = F::new(0x6361_6c6c);

#[cfg(all(test, feature = "prover"))]
mod tests {
    use std::collections::HashSet;

    use droste_gadgets::verify::binary::grid::GRID_TAG;
    use droste_gadgets::{fold, leaf_root, signers, xmss};
    use droste_native::hash::commitment::COMMITMENT_TAG;
    use droste_native::hash::poseidon16::BYTES_TAG;
    use droste_vm::{fri, whir};

    use super::*;

    /// The tags of all crates, not only those above.
    #[test]
    fn tags_are_distinct() {
        let tags = [
            CLAIM_TAG,
            PUBLIC_TAG,
            AIRS_TAG,
            AIR_KEY_TAG,
            KEY_SET_TAG,
            FOLD_TAG,
            RULES_TAG,
            PATHS_KEY_TAG,
            CALLS_KEY_TAG,
            fri::KEY_TAG,
            fri::MACHINE_TAG,
            whir::KEY_TAG,
            whir::MACHINE_TAG,
            F::new(leaf_root::KEYS_TAG),
            F::new(xmss::CLAIM_TAG as u32),
            F::new(signers::SIGNERS_TAG),
            F::new(GRID_TAG),
            BYTES_TAG,
            COMMITMENT_TAG,
        ];
        let distinct: HashSet<F> = tags.into_iter().collect();
        assert_eq!(distinct.len(), tags.len());
    }

    /// Programs and verifiers hash the same.
    #[test]
    fn tags_of_folds_are_those_of_their_programs() {
        assert_eq!(FOLD_TAG, F::new(fold::FOLD_TAG));
        assert_eq!(RULES_TAG, F::new(fold::RULES_TAG));
    }
}
