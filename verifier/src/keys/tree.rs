//! Checks claim trees against the keys that may occur in them, and adds up the security of their
//! proofs.

use std::collections::{BTreeMap, BTreeSet};

use super::{ClaimedKeys, KeySet};
use crate::claim::{Claim, ClaimError, ClaimTree};

/// Proven bits of the proofs of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeBits {
    /// Number of proofs, by their proven bits.
    proofs: BTreeMap<usize, u64>,
}

impl TreeBits {
    /// Adds this number of proofs with these bits.
    pub fn add(&mut self, bits: usize, proofs: usize) {
        let number = self.proofs.entry(bits).or_default();
        *number = number.saturating_add(proofs as u64);
    }

    /// Number of proofs.
    pub fn proofs(&self) -> u64 {
        self.proofs
            .values()
            .fold(0, |sum, &number| sum.saturating_add(number))
    }

    /// The smallest bits of any proof; `None` if there are no proofs.
    pub fn least(&self) -> Option<usize> {
        self.proofs.keys().next().copied()
    }

    /// Bits of all proofs together, by the union bound: the probability that any of them is false
    /// is at most the sum of the single ones, `sum 2^-bits`. Rounded down to a whole number of
    /// bits, at least 0; `None` if there are no proofs. The bits of one proof are those of its
    /// weakest round (round-by-round soundness): errors are summed over proofs, not over rounds.
    pub fn union(&self) -> Option<usize> {
        let least = self.least()?;
        // The sum in units of 2^-bits. It is rounded up when proofs with fewer bits make the unit
        // larger.
        let (mut sum, mut unit) = (0u64, least);
        for (&bits, &proofs) in self.proofs.iter().rev() {
            let shift = (unit.max(bits) - bits).min(63);
            sum = sum.div_ceil(1 << shift).saturating_add(proofs);
            unit = bits;
        }
        // The logarithm of the sum, rounded up.
        let lost = u64::BITS - sum.saturating_sub(1).leading_zeros();
        Some(least.saturating_sub(lost as usize))
    }
}

impl ClaimTree {
    /// Checks that every node with children has a key of `keys` whose children have at least
    /// `min_bits` proven bits, that no proof under a key of `keys` hides its children, and that
    /// every key of `keys` occurs. Returns the proven bits of all proofs below the root, as `keys`
    /// lists them.
    ///
    /// # Soundness
    /// The tree must be that of a verified proof: its key and statement those of the root.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check(&self, keys: &KeySet, min_bits: usize) -> Result<TreeBits, ClaimError> {
        self.check_listed(keys.claimed(), min_bits)
    }

    /// Like [`Self::check`], with keys that are only claimed: the result is as trustworthy as they
    /// are.
    pub(crate) fn check_listed(
        &self,
        keys: &ClaimedKeys,
        min_bits: usize,
    ) -> Result<TreeBits, ClaimError> {
        let (mut bits, mut used) = (TreeBits::default(), BTreeSet::new());
        for (_, node) in self.nodes() {
            let key = node.key;
            match (&node.claim, keys.bits(key)) {
                (Claim::Statement(_), None) => {}
                (Claim::Statement(_), Some(_)) => return Err(ClaimError::Hidden(key)),
                (Claim::Children(_), None) => return Err(ClaimError::Recursion(key)),
                (Claim::Children(_), Some(found)) if found < min_bits => {
                    return Err(ClaimError::Security {
                        key,
                        expected: min_bits,
                        found,
                    });
                }
                (Claim::Children(children), Some(found)) => {
                    used.insert(key);
                    bits.add(found, children.len());
                }
            }
        }
        match keys.iter().find(|(key, _)| !used.contains(key)) {
            Some((key, _)) => Err(ClaimError::Unused(key)),
            None => Ok(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::tests::{key, tree};
    use crate::keys::tests::list;

    #[test]
    fn every_recursion_key_is_checked() {
        let all = list(&[(10, 100), (11, 7), (20, 104)]);
        let bits = tree().check_listed(&all, 7).unwrap();
        assert_eq!((bits.least(), bits.proofs()), (Some(7), 4));
        // A weak proof below proofs that are strong themselves is found.
        let weak = ClaimError::Security {
            key: key(11),
            expected: 8,
            found: 7,
        };
        assert_eq!(tree().check_listed(&all, 8), Err(weak));
        let refusal = |keys: &[(u32, usize)]| tree().check_listed(&list(keys), 0).unwrap_err();
        let some = refusal(&[(10, 100), (20, 104)]);
        assert_eq!(some, ClaimError::Recursion(key(11)));
        let more = refusal(&[(10, 100), (11, 7), (20, 104), (2, 100)]);
        assert_eq!(more, ClaimError::Hidden(key(2)));
        let unused = refusal(&[(10, 100), (11, 7), (20, 104), (30, 100)]);
        assert_eq!(unused, ClaimError::Unused(key(30)));
    }

    #[test]
    fn bits_of_all_proofs_are_those_of_the_union_bound() {
        let union = |proofs: &[(usize, usize)]| {
            let mut bits = TreeBits::default();
            for &(number, count) in proofs {
                bits.add(number, count);
            }
            bits.union()
        };
        assert_eq!(union(&[]), None);
        assert_eq!(union(&[(100, 1)]), Some(100));
        assert_eq!(union(&[(100, 2)]), Some(99));
        assert_eq!(union(&[(100, 4)]), Some(98));
        // Four proofs of 100 bits have 98; any further proof, however strong, makes it less.
        assert_eq!(union(&[(100, 4), (250, 1)]), Some(97));
        assert_eq!(union(&[(100, 3), (250, 1)]), Some(98));
        assert_eq!(union(&[(100, 1), (101, 2)]), Some(99));
        assert_eq!(union(&[(7, 1), (100, 1 << 16)]), Some(6));
        assert_eq!(union(&[(3, 100)]), Some(0));
        assert_eq!(union(&[(3, usize::MAX), (2, usize::MAX)]), Some(0));
    }
}
