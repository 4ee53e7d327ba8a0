//! Memberships: proofs that a leaf is in the claim of an aggregate, for a verifier who has the
//! claim but not the aggregate.
//!
//! A claim is a digest of the keys and statements of the children of the aggregate's root; the
//! statement of a child that is itself a recursion proof is such a digest in turn. A [`Membership`]
//! lists, for each level from the root to the leaf, the keys and statements of one proof's
//! children, and says which of them the path goes on with. It also lists the recursion keys of the
//! aggregate with their bits, because they decide where a path ends: a statement is the digest of
//! children if and only if its key is one of them.
//!
//! # What a membership shows
//!
//! Let somebody whom the verifier believes have accepted an aggregate with this claim under this
//! digest of recursion keys ([`crate::aggregate::UnverifiedAggregate::verify`]). By the collision
//! resistance of Poseidon-16, the claim tree of that aggregate then has a leaf with the key and the
//! statement of the [`Member`] at its position. It is a leaf of that tree and not an inner node or
//! something below a leaf, because acceptance looks up the same keys in the same set. So a valid
//! proof of the statement exists under the leaf's key, at least with the bits of the set:
//! acceptance requires that every recursion key of the tree is in the set, the root's included.
//!
//! # What it does not show
//!
//! - It shows nothing if no such aggregate was accepted: anyone can hash a list.
//! - With [`AcceptedLeaves::Any`], a leaf is taken for the proof of an ordinary program. As in a
//!   claim tree, it may be a recursion proof whose key the set does not list.
//! - A position is a path: which child on each level. Claims bind that, and so the order of leaves,
//!   but not how many leaves the subtrees beside the path have. Whoever needs the leaf's number in
//!   the whole tree must know the tree's shape from elsewhere.

use droste_native::F;
use droste_vm::codec::short_list;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::claim::{
    AcceptedLeaves, ClaimError, ClaimTree, MAX_DEPTH, MAX_NODES, check_size, claim_digest,
};
use crate::file::MAX_KEYS;
use crate::keys::{ClaimedKeys, KeysError, set_digest};

/// A path through a claim tree from the root to a leaf. Nothing of it is verified before
/// [`Self::verify`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The recursion keys of the aggregate, ascending, with the bits of the proofs that each
    /// accepts.
    #[serde(deserialize_with = "short_list::<_, _, MAX_KEYS>")]
    pub keys: Vec<(KeyDigest, u16)>,
    /// The levels below the root, the root's own children first.
    #[serde(deserialize_with = "short_list::<_, _, MAX_DEPTH>")]
    pub path: Vec<Level>,
}

/// The proofs that one proof on the path verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Their keys and statements, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_NODES>")]
    pub children: Vec<(KeyDigest, [F; 8])>,
    /// Number of the child that the path goes on with, from 0.
    pub child: u32,
}

/// A leaf of an aggregate's claim tree, as a verified membership shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Digest of its key.
    pub key: KeyDigest,
    /// What it says.
    pub statement: [F; 8],
    /// The number of the child that leads to it, from 0, on each level below the root.
    pub position: Vec<u32>,
    /// Proven bits that every proof below the root has at least, as the set of keys lists them.
    pub bits: usize,
}

/// Why a membership is not accepted, or cannot be made.
#[derive(Debug, Error)]
pub enum MemberError {
    /// The recursion keys are not the expected ones.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// A recursion key has too few bits, a node of the path is no recursion proof of the set, or
    /// the leaf is one.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The children on this level, from 1 for those of the root, do not hash to the statement of
    /// their parent.
    #[error("the proofs on level {0} of the path do not hash to the {parent}", parent = above(*.0))]
    Digest(usize),
    /// A level does not have the child that the path goes on with.
    #[error("level {level} of the path has {children} proofs, but the path goes on with {child}")]
    Child {
        /// Number of the level, from 1 for the children of the root.
        level: usize,
        /// Number of the child, from 0.
        child: u32,
        /// Number of children.
        children: usize,
    },
    /// The path or the list of keys is empty.
    #[error("the membership has no path or no recursion keys")]
    Empty,
    /// The tree has no leaf of this number.
    #[error("there is no leaf {leaf}: the tree has {leaves} leaves, counted from 0")]
    NoLeaf {
        /// Number of the leaf.
        leaf: usize,
        /// Number of leaves.
        leaves: usize,
    },
}

/// Names the statement that the proofs on a level must hash to.
fn above(level: usize) -> String {
    match level {
        1 => "claim".to_owned(),
        _ => format!("statement of their parent on level {}", level - 1),
    }
}

impl Membership {
    /// The membership of a leaf, counted from 0 in order, in the claim of an aggregate with this
    /// tree and these recursion keys. It is accepted if the aggregate is.
    ///
    /// # Errors
    /// [`MemberError::NoLeaf`]; [`MemberError::Empty`] if the tree is a leaf;
    /// [`ClaimError::TooLarge`].
    pub fn new(tree: &ClaimTree, keys: &ClaimedKeys, leaf: usize) -> Result<Self, MemberError> {
        check_size(tree.children())?;
        let position = tree.position(leaf).ok_or_else(|| MemberError::NoLeaf {
            leaf,
            leaves: tree.leaves().len(),
        })?;
        let (mut node, mut parents) = (tree, vec![]);
        for child in position {
            parents.push((node.children(), child));
            node = node.children().get(child).ok_or(MemberError::Empty)?;
        }
        // From the leaf to the root, so that every statement is computed once.
        let mut statement = node.claim.statement();
        let mut path = vec![];
        for (siblings, child) in parents.into_iter().rev() {
            let children = siblings.iter().enumerate().map(|(index, sibling)| {
                let on_path = index == child;
                let own = || sibling.claim.statement();
                (sibling.key, if on_path { statement } else { own() })
            });
            let children: Vec<_> = children.collect();
            statement = claim_digest(&children);
            path.push(Level {
                children,
                child: u32::try_from(child).map_err(|_| MemberError::Empty)?,
            });
        }
        path.reverse();
        if path.is_empty() {
            return Err(MemberError::Empty);
        }
        let keys = keys.iter();
        Ok(Self {
            // A list has no more than `keys::MAX_BITS` bits.
            keys: keys
                .map(|(key, listed)| (key, listed.bits as u16))
                .collect(),
            path,
        })
    }

    /// Verifies that a leaf is in `claim` and is one of `leaves`, and returns it. `key` is the
    /// digest of the aggregate's recursion keys, each of which must be listed with the proven bits
    /// that `options` ask for.
    ///
    /// # Soundness obligations
    ///
    /// An aggregate with this claim must have been accepted under this digest of keys, by the
    /// caller or by somebody whom the caller believes; the digest must come from a derivation, and
    /// the keys of leaves from their programs, not from a file. See [the module](self) for what
    /// this shows.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        &self,
        claim: &[F; 8],
        key: KeyDigest,
        options: VerifyOptions,
        leaves: &AcceptedLeaves,
    ) -> Result<Member, MemberError> {
        let bits = self.check_keys(key, options.min_bits)?;
        let mut member: Option<(KeyDigest, [F; 8])> = None;
        for (level, step) in (1..).zip(&self.path) {
            // The node whose children these are; above the first level it is the root, whose key
            // the claim does not bind and acceptance of the aggregate checked.
            let statement = match member {
                Some((key, _)) if !self.is_recursion(key) => {
                    return Err(ClaimError::Recursion(key).into());
                }
                Some((_, statement)) => statement,
                None => *claim,
            };
            if claim_digest(&step.children) != statement {
                return Err(MemberError::Digest(level));
            }
            let child = step.children.get(step.child as usize);
            member = Some(*child.ok_or(MemberError::Child {
                level,
                child: step.child,
                children: step.children.len(),
            })?);
        }
        let (key, statement) = member.ok_or(MemberError::Empty)?;
        if self.is_recursion(key) {
            return Err(ClaimError::Hidden(key).into());
        }
        leaves.check(key)?;
        Ok(Member {
            key,
            statement,
            position: self.path.iter().map(|level| level.child).collect(),
            bits,
        })
    }

    /// The digest of the recursion keys.
    pub fn key(&self) -> KeyDigest {
        let keys = self.keys.iter();
        set_digest(keys.map(|&(key, bits)| (key, bits.into())))
    }

    /// Checks the recursion keys and returns the least of their bits.
    fn check_keys(&self, expected: KeyDigest, min_bits: usize) -> Result<usize, MemberError> {
        let found = self.key();
        if found != expected {
            return Err(KeysError::Digest { expected, found }.into());
        }
        let keys = self.keys.iter().map(|&(key, bits)| (key, bits.into()));
        let (key, found) = keys
            .min_by_key(|&(_, bits)| bits)
            .ok_or(MemberError::Empty)?;
        match found < min_bits {
            true => Err(ClaimError::Security {
                key,
                expected: min_bits,
                found,
            }
            .into()),
            false => Ok(found),
        }
    }

    fn is_recursion(&self, key: KeyDigest) -> bool {
        self.keys.iter().any(|&(listed, _)| listed == key)
    }
}

#[cfg(test)]
mod tests {
    use droste_native::hash::poseidon16::Poseidon16;
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::claim::Claim;
    use crate::claim::tests::{key, leaf, node};
    use crate::file::member::{decode, encode};
    use crate::keys::tests::list;
    use crate::tags::{CLAIM_TAG, PUBLIC_TAG};

    const ANY: AcceptedLeaves = AcceptedLeaves::Any;

    /// A join (20) of a join (20) of two wraps (10), a leaf without a wrap, and a wrap of which the
    /// wrap is wrapped again (11).
    fn tree() -> ClaimTree {
        let wrap = |n| node(10, vec![leaf(n)]);
        let inner = node(20, vec![wrap(1), wrap(2)]);
        node(20, vec![inner, leaf(3), node(11, vec![wrap(4)])])
    }

    fn keys() -> ClaimedKeys {
        list(&[(10, 100), (11, 90), (20, 104)])
    }

    fn member(leaf: usize) -> Membership {
        Membership::new(&tree(), &keys(), leaf).unwrap()
    }

    fn verify(member: &Membership) -> Result<Member, MemberError> {
        member.verify(
            &tree().claim.statement(),
            keys().digest(),
            VerifyOptions::min_bits(90),
            &ANY,
        )
    }

    /// The error with which a changed membership of the second leaf is refused.
    fn refusal(change: impl FnOnce(&mut Membership)) -> MemberError {
        let mut changed = member(1);
        change(&mut changed);
        verify(&changed).unwrap_err()
    }

    #[test]
    fn every_leaf_is_a_member() {
        let expected: [&[u32]; 4] = [&[0, 0, 0], &[0, 1, 0], &[1], &[2, 0, 0]];
        for (number, (key, statement)) in tree().leaves().into_iter().enumerate() {
            let written = encode(&member(number)).unwrap();
            let found = verify(&decode(&written).unwrap()).unwrap();
            let position = expected[number].to_vec();
            assert_eq!(
                found,
                Member {
                    key,
                    statement,
                    position,
                    bits: 90
                }
            );
        }
        let refused = |leaves: &[KeyDigest]| {
            let (claim, leaves) = (tree().claim.statement(), leaves.iter().copied().collect());
            let shown = member(1).verify(
                &claim,
                keys().digest(),
                VerifyOptions::min_bits(90),
                &leaves,
            );
            shown.err().map(|error| error.to_string())
        };
        assert_eq!(refused(&[key(1), key(2)]), None);
        let words = format!("{} is the key of a leaf", key(2));
        assert!(refused(&[key(1)]).unwrap().starts_with(&words));
        assert!(refused(&[]).unwrap().starts_with(&words));
        let none = Membership::new(&tree(), &keys(), 4).unwrap_err();
        assert!(matches!(none, MemberError::NoLeaf { leaf: 4, leaves: 4 }));
        let root = Membership::new(&leaf(1), &keys(), 0).unwrap_err();
        assert!(matches!(root, MemberError::Empty), "{root}");
    }

    #[test]
    fn claim_keys_and_bits_are_compared() {
        let (claim, key) = (tree().claim.statement(), keys().digest());
        let verify =
            |claim, key, bits| member(1).verify(claim, key, VerifyOptions::min_bits(bits), &ANY);
        verify(&claim, key, 90).unwrap();
        let error = verify(&claim, key, 91).unwrap_err();
        let weak = ClaimError::Security {
            key: self::key(11),
            expected: 91,
            found: 90,
        };
        assert!(matches!(error, MemberError::Claim(found) if found == weak));
        let error = verify(&[F::ONE; 8], key, 0).unwrap_err();
        assert!(matches!(error, MemberError::Digest(1)), "{error}");
        let error = verify(&claim, self::key(1), 0).unwrap_err();
        assert!(matches!(error, MemberError::Keys(_)), "{error}");
    }

    /// Levels and proofs that are left out, exchanged, added or replaced.
    #[test]
    fn forged_paths_are_refused() {
        let digest = |expected: usize, change: fn(&mut Membership)| {
            let error = refusal(change);
            let found = matches!(error, MemberError::Digest(level) if level == expected);
            assert!(found, "{expected}: {error}");
        };
        digest(1, |member| member.path[0].children.swap(1, 2));
        digest(2, |member| member.path[1].children.swap(0, 1));
        digest(3, |member| member.path[1].child = 0);
        digest(1, |member| member.path.swap(0, 1));
        digest(1, |member| drop(member.path.remove(0)));
        digest(2, |member| drop(member.path.remove(1)));
        digest(2, |member| member.path[1].children.truncate(1));
        digest(3, |member| {
            member.path[2].children.push((key(5), [F::ONE; 8]))
        });
        // Another leaf, statement or key.
        digest(3, |member| member.path[2] = self::member(0).path[2].clone());
        digest(3, |member| member.path[2].children[0].1 = [F::ONE; 8]);
        digest(3, |member| member.path[2].children[0].0 = key(3));
        digest(3, |member| member.path[2].children.clear());
        let error = refusal(|member| member.path[1].child = 2);
        let outside = matches!(
            error,
            MemberError::Child {
                level: 2,
                child: 2,
                children: 2
            }
        );
        assert!(outside, "{error}");
        let error = refusal(|member| member.path.clear());
        assert!(matches!(error, MemberError::Empty), "{error}");
    }

    /// Statements are digests of children under the tag of claims only.
    #[test]
    fn other_digests_are_no_claims() {
        let children = vec![(key(1), [F::ONE; 8])];
        let message = [[F::ONE; 8]; 2].concat();
        let member = Membership {
            keys: vec![(key(20), 100)],
            path: vec![Level { children, child: 0 }],
        };
        let verify = |tag| {
            member.verify(
                &Poseidon16.hash(tag, &message),
                member.key(),
                VerifyOptions::min_bits(100),
                &ANY,
            )
        };
        assert_eq!(verify(CLAIM_TAG).unwrap().key, key(1));
        let error = verify(PUBLIC_TAG).unwrap_err();
        assert!(matches!(error, MemberError::Digest(1)), "{error}");
    }

    /// A path may end at leaves only, and must not go on below them.
    #[test]
    fn paths_end_where_recursion_ends() {
        let claim = |error: MemberError, expected: &ClaimError| {
            let found = matches!(&error, MemberError::Claim(found) if found == expected);
            assert!(found, "{error}");
        };
        let hidden = |n| ClaimError::Hidden(key(n));
        claim(refusal(|member| drop(member.path.pop())), &hidden(10));
        claim(refusal(|member| member.path.truncate(1)), &hidden(20));

        // A program that reveals the digest of a list of proofs that nobody made: its statement is
        // hashed right, but its key is no recursion key.
        let forged = vec![(key(1), [F::TWO; 8])];
        let revealing = ClaimTree {
            key: key(7),
            claim: Claim::Statement(claim_digest(&forged)),
        };
        let tree = node(20, vec![node(10, vec![revealing])]);
        let keys = list(&[(10, 100), (20, 100)]);
        let mut member = Membership::new(&tree, &keys, 0).unwrap();
        let verify = |member: &Membership| {
            member.verify(
                &tree.claim.statement(),
                keys.digest(),
                VerifyOptions::min_bits(100),
                &ANY,
            )
        };
        assert_eq!(verify(&member).unwrap().key, key(7));
        member.path.push(Level {
            children: forged,
            child: 0,
        });
        claim(verify(&member).unwrap_err(), &ClaimError::Recursion(key(7)));
        // Nor does it help to list its key.
        member.keys.insert(0, (key(7), 100));
        let error = verify(&member).unwrap_err();
        assert!(matches!(error, MemberError::Keys(_)), "{error}");
    }

    #[test]
    fn keys_cannot_be_left_out_or_changed() {
        let changes: [fn(&mut Membership); 7] = [
            |member| member.keys.rotate_left(1),
            |member| member.keys.truncate(2),
            |member| member.keys.clear(),
            |member| member.keys[1].1 = 100,
            |member| member.keys.swap(0, 1),
            |member| member.keys.push(member.keys[2]),
            |member| member.keys[0].0 = key(9),
        ];
        for change in changes {
            let error = refusal(change);
            assert!(matches!(error, MemberError::Keys(_)), "{error}");
        }
        // The empty set has a digest, too, but no aggregate has it.
        let mut none = member(2);
        none.keys.clear();
        let claim = tree().claim.statement();
        let error = none
            .verify(&claim, none.key(), VerifyOptions::min_bits(0), &ANY)
            .unwrap_err();
        assert!(matches!(error, MemberError::Empty), "{error}");
    }

    /// No change of a byte, no cut and no addition is accepted, but for the number of the last
    /// child, which then shows another leaf of the tree.
    #[test]
    fn every_byte_counts() {
        let wide = node(20, vec![node(10, vec![leaf(1), leaf(2)]), tree()]);
        let claim = wide.claim.statement();
        for number in 0..2 {
            let member = Membership::new(&wide, &keys(), number).unwrap();
            let honest = encode(&member).unwrap();
            let judge = |bytes: &[u8]| {
                let member = decode(bytes).ok()?;
                member
                    .verify(&claim, keys().digest(), VerifyOptions::min_bits(0), &ANY)
                    .ok()
            };
            let shown = judge(&honest).unwrap();
            assert_eq!(shown.key, key(number as u32 + 1));
            let sibling = 1 - number as u32;
            for at in 0..honest.len() {
                for change in [1, 2, 0x80, 0xff] {
                    let mut bytes = honest.clone();
                    bytes[at] ^= change;
                    let Some(found) = judge(&bytes) else { continue };
                    assert_eq!((at, change), (honest.len() - 1, 1), "{found:?}");
                    assert_eq!(found.key, key(sibling + 1));
                    assert_eq!(found.position, [0, sibling]);
                }
                assert_eq!(judge(&honest[..at]), None, "{at}");
            }
            assert_eq!(judge(&[&honest[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn the_deepest_path_is_made_and_verified() {
        let (depth, keys) = (crate::claim::MAX_DEPTH, list(&[(1, 100)]));
        let tree = (1..depth).fold(leaf(9), |tree, _| node(1, vec![tree, leaf(8)]));
        let member = Membership::new(&tree, &keys, 0).unwrap();
        let claim = tree.claim.statement();
        let found = member
            .verify(&claim, keys.digest(), VerifyOptions::min_bits(100), &ANY)
            .unwrap();
        assert_eq!((found.key, found.position), (key(9), vec![0; depth - 1]));
        assert_eq!(decode(&encode(&member).unwrap()).unwrap(), member);
    }
}
