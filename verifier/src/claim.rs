//! Claims: what a recursion proof says.
//!
//! The statement of a recursion proof is the digest of its children: for each its key digest and its
//! statement. A child that is a recursion proof itself has such a digest as its statement, so the
//! statement at the root binds a whole tree, down to the statements of ordinary programs.

use droste_native::F;
use droste_native::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

use crate::keys::KeySet;

/// Tag of a claim: the letters "clai", in ASCII, big-endian.
pub const CLAIM_TAG: F = F::new(0x636c_6169);

/// Tag of the statement of a proof of AIRs: the letters "publ", in ASCII, big-endian.
pub const PUBLIC_TAG: F = F::new(0x7075_626c);

/// A proof as its parent sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimTree {
    /// Digest of its key.
    pub key: KeyDigest,
    /// What it says.
    pub claim: Claim,
}

/// What a proof says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A program's statement: public inputs, outputs, and lanes that bind nothing; or the digest of the
    /// public values of a proof of AIRs.
    Statement([F; 8]),
    /// These proofs are valid, in this order.
    Children(Vec<ClaimTree>),
}

/// Why a claim tree is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// The tree is not the one that the proof is about.
    #[error("the claim tree has another digest than the proof's statement")]
    Digest,
    /// The tree is of another key than the proof.
    #[error("the root of the claim tree names key {found}, the proof has {expected}")]
    Root {
        /// Key of the proof.
        expected: KeyDigest,
        /// Key in the tree.
        found: KeyDigest,
    },
    /// A node with children was not made by a known recursion program.
    #[error("{0} is not the key of an accepted recursion program")]
    Recursion(KeyDigest),
    /// A proof of a recursion program is listed without its children.
    #[error("{0} is the key of a recursion program, but its children are not listed")]
    Hidden(KeyDigest),
    /// A recursion program accepts weaker proofs than the caller.
    #[error(
        "the children of {key} have {found} proven bits of security, at least {expected} expected"
    )]
    Security {
        /// Key of the recursion program.
        key: KeyDigest,
        /// Bits asked for.
        expected: usize,
        /// Bits that every proof has that the program accepts.
        found: usize,
    },
}

impl Claim {
    /// The statement of a proof that says this.
    pub fn statement(&self) -> [F; 8] {
        match self {
            Self::Statement(statement) => *statement,
            Self::Children(children) => {
                let children: Vec<_> = children
                    .iter()
                    .map(|child| (child.key, child.claim.statement()))
                    .collect();
                claim_digest(&children)
            }
        }
    }
}

/// The statement of a proof that children with these keys and statements verify.
pub fn claim_digest(children: &[(KeyDigest, [F; 8])]) -> [F; 8] {
    let message: Vec<F> = children
        .iter()
        .flat_map(|(key, statement)| key.0.iter().chain(statement))
        .copied()
        .collect();
    Poseidon16.hash(CLAIM_TAG, &message)
}

/// The statement of a proof of AIRs with these public values, by table: their hash, in order, padded
/// with zeros to whole blocks of 8, at least one. The key fixes how many there are.
pub fn public_digest(public_values: &[Vec<F>]) -> [F; 8] {
    let mut message = public_values.concat();
    message.resize(message.len().next_multiple_of(8).max(8), F::ZERO);
    Poseidon16.hash(PUBLIC_TAG, &message)
}

impl ClaimTree {
    /// Checks that every node with children is of a recursion program of `keys` whose children have
    /// at least `min_bits` proven bits, and that no recursion proof hides its children. Gives the
    /// least of those bits: every proof below the root has them.
    ///
    /// # Soundness
    /// The tree must be that of a verified proof: its key and statement those of the root. `keys` are
    /// trusted to be of programs that verify their children, at the security they are listed with.
    ///
    /// # Errors
    /// What in the tree is not as expected.
    pub fn check(&self, keys: &KeySet, min_bits: usize) -> Result<usize, ClaimError> {
        let key = self.key;
        let bits = keys.bits(key);
        match (&self.claim, bits) {
            (Claim::Statement(_), None) => Ok(usize::MAX),
            (Claim::Statement(_), Some(_)) => Err(ClaimError::Hidden(key)),
            (Claim::Children(_), None) => Err(ClaimError::Recursion(key)),
            (Claim::Children(_), Some(found)) if found < min_bits => Err(ClaimError::Security {
                key,
                expected: min_bits,
                found,
            }),
            (Claim::Children(children), Some(found)) => {
                children.iter().try_fold(found, |least, child| {
                    Ok(least.min(child.check(keys, min_bits)?))
                })
            }
        }
    }

    /// Keys and statements of the ordinary proofs below, from first to last.
    pub fn leaves(&self) -> Vec<(KeyDigest, [F; 8])> {
        match &self.claim {
            Claim::Statement(statement) => vec![(self.key, *statement)],
            Claim::Children(children) => children.iter().flat_map(Self::leaves).collect(),
        }
    }

    /// Levels of the tree: 1 for an ordinary proof.
    pub fn depth(&self) -> usize {
        match &self.claim {
            Claim::Statement(_) => 1,
            Claim::Children(children) => {
                1 + children.iter().map(Self::depth).max().unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    const fn key(n: u32) -> KeyDigest {
        KeyDigest([F::new(n); 8])
    }

    fn leaf(n: u32) -> ClaimTree {
        ClaimTree {
            key: key(n),
            claim: Claim::Statement([F::from_u32(n); 8]),
        }
    }

    fn node(n: u32, children: Vec<ClaimTree>) -> ClaimTree {
        ClaimTree {
            key: key(n),
            claim: Claim::Children(children),
        }
    }

    /// A wrap (10) of one program, a wrap (11) of another, joined (20).
    fn tree() -> ClaimTree {
        node(20, vec![node(10, vec![leaf(1)]), node(11, vec![leaf(2)])])
    }

    #[test]
    fn every_recursion_key_is_checked() {
        let keys = |keys: &[(u32, usize)]| keys.iter().map(|&(n, bits)| (key(n), bits)).collect();
        let all: KeySet = keys(&[(10, 100), (11, 7), (20, 104)]);
        assert_eq!(tree().check(&all, 7), Ok(7));
        // A toy child below proofs that are strong themselves.
        let weak = ClaimError::Security {
            key: key(11),
            expected: 8,
            found: 7,
        };
        assert_eq!(tree().check(&all, 8), Err(weak));
        let some: KeySet = keys(&[(10, 100), (20, 104)]);
        assert_eq!(tree().check(&some, 0), Err(ClaimError::Recursion(key(11))));
        let more: KeySet = keys(&[(10, 100), (11, 7), (20, 104), (2, 100)]);
        assert_eq!(tree().check(&more, 0), Err(ClaimError::Hidden(key(2))));
    }

    #[test]
    fn order_keys_and_statements_are_bound() {
        let statement = tree().claim.statement();
        let other = [
            node(20, vec![node(11, vec![leaf(2)]), node(10, vec![leaf(1)])]),
            node(20, vec![node(10, vec![leaf(1)])]),
            node(20, vec![node(10, vec![leaf(1)]), node(12, vec![leaf(2)])]),
            node(20, vec![node(10, vec![leaf(1)]), node(11, vec![leaf(3)])]),
            node(20, vec![leaf(1), node(11, vec![leaf(2)])]),
        ];
        for other in other {
            assert_ne!(other.claim.statement(), statement, "{other:?}");
        }
        assert_eq!(tree().leaves().len(), 2);
        assert_eq!(tree().depth(), 3);
    }
}
