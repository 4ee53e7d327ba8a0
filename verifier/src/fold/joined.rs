//! Folds as leaves of aggregates.
//!
//! In the tree of an aggregate a fold is a leaf: its key is that of a rule, and its statement the
//! digest of family, counters and state. Key set and claim of the aggregate say nothing of the
//! proofs below it. A [`FoldClaim`] opens the statement, so that whoever verifies the aggregate
//! sees the state, accepts the fold key, and counts those proofs, too.

use std::collections::{BTreeMap, BTreeSet};

use droste_native::F;
use droste_native::codec::short_list;
use droste_vm::key::KeyDigest;
use p3_field::PrimeField32;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::verified::check_ranges;
use super::{
    Counters, Family, Folded, MAX_BLOCKS, RefusedFold, StateError, UnverifiedFold, state_of,
    statement,
};
use crate::aggregate::{Accepted, Aggregate};
use crate::claim::ClaimError;

/// What a fold says, without its proof. Nothing of it is verified.
///
/// It serializes as JSON: keys in hexadecimal, the state as lists of eight canonical integers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Said", into = "Said")]
pub struct FoldClaim {
    /// The rules.
    pub family: Family,
    /// What is counted of the fold's proofs.
    pub counters: Counters,
    /// What the fold says, as blocks.
    pub state: Vec<[F; 8]>,
}

/// Why folds in an aggregate are not accepted.
#[derive(Debug, Error)]
pub enum FoldLeafError {
    /// A claim is that of a fold whose key the caller does not accept.
    #[error("claim {claim} is of the fold {key}, whose key is not accepted")]
    Key {
        /// Number of the claim, from 0.
        claim: usize,
        /// The fold key.
        key: KeyDigest,
    },
    /// No fold says what a claim says.
    #[error("claim {claim}")]
    Refused {
        /// Number of the claim, from 0.
        claim: usize,
        /// Why it is refused.
        #[source]
        source: RefusedFold,
    },
    /// A leaf has the key of a rule, but no claim says what its statement is the digest of.
    #[error("no claim opens the statement of a leaf whose key {0} is that of a rule")]
    Unopened(KeyDigest),
    /// No leaf of the aggregate says what the claim of this number, from 0, says.
    #[error("no leaf of the aggregate says what claim {0} says")]
    Unused(usize),
    /// The tree is not that of the aggregate's keys.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}

/// A claim as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    family: Family,
    counters: Counters,
    #[serde(deserialize_with = "short_list::<_, _, MAX_BLOCKS>")]
    state: Vec<[u32; 8]>,
}

impl TryFrom<Said> for FoldClaim {
    type Error = StateError;

    fn try_from(said: Said) -> Result<Self, StateError> {
        Ok(Self {
            family: said.family,
            counters: said.counters,
            state: state_of(&said.state)?,
        })
    }
}

impl From<FoldClaim> for Said {
    fn from(claim: FoldClaim) -> Self {
        let integers = |block: [F; 8]| block.map(|element| element.as_canonical_u32());
        Self {
            family: claim.family,
            counters: claim.counters,
            state: claim.state.into_iter().map(integers).collect(),
        }
    }
}

impl UnverifiedFold {
    /// What it says, without its proof.
    pub fn claim(&self) -> FoldClaim {
        FoldClaim {
            family: self.family.clone(),
            counters: self.counters,
            state: self.state.clone(),
        }
    }
}

impl Folded {
    /// What it says, without its proof, for whoever has the proof as a leaf of an aggregate.
    pub fn claim(&self) -> FoldClaim {
        self.unverified().claim()
    }
}

impl FoldClaim {
    /// The fold key.
    pub fn key(&self) -> KeyDigest {
        self.family.key()
    }

    /// Checks that a fold may say this: family, counters and the number of blocks.
    ///
    /// # Errors
    /// Which of these is not in its range.
    pub fn check(&self) -> Result<(), RefusedFold> {
        check_ranges(&self.family, self.counters, &self.state)
    }

    /// The statement of a proof that says this.
    pub fn statement(&self) -> [F; 8] {
        statement(self.key(), self.counters, &self.state)
    }
}

/// The claim that each leaf opens, if its key is that of a rule of any. Every claim is of a fold
/// whose key is one of `keys`, and is opened by a leaf.
fn opened<'a>(
    leaves: &[(KeyDigest, [F; 8])],
    claims: &'a [FoldClaim],
    keys: &[KeyDigest],
) -> Result<Vec<&'a FoldClaim>, FoldLeafError> {
    let (mut rules, mut known) = (BTreeSet::<KeyDigest>::new(), BTreeMap::new());
    for (number, claim) in claims.iter().enumerate() {
        let refused = |source| FoldLeafError::Refused {
            claim: number,
            source,
        };
        claim.check().map_err(refused)?;
        let key = claim.key();
        if !keys.contains(&key) {
            return Err(FoldLeafError::Key { claim: number, key });
        }
        rules.extend(&claim.family.keys);
        known.insert(claim.statement(), (number, claim));
    }
    let (mut found, mut used) = (vec![], BTreeSet::new());
    for &(key, said) in leaves {
        if !rules.contains(&key) {
            continue;
        }
        let claim = known.get(&said).map(|&(_, claim)| claim);
        let claim = claim.filter(|claim| claim.family.place(key).is_some());
        found.push(claim.ok_or(FoldLeafError::Unopened(key))?);
        used.insert(said);
    }
    let mut unused = known.iter().filter(|(said, _)| !used.contains(*said));
    match unused.next() {
        Some((_, &(number, _))) => Err(FoldLeafError::Unused(number)),
        None => Ok(found),
    }
}

impl Aggregate {
    /// What the aggregate establishes if its leaves under keys of rules are the folds of these
    /// claims: the proofs below them are counted with their bits, which are those of each family.
    /// `keys` are the fold keys that the caller accepts.
    ///
    /// # Soundness obligations
    ///
    /// The caller must have `keys` from a derivation (`Fold::key`, `droste fold key`), not from the
    /// claims. The bits may be fewer than those that the aggregate was accepted with: the caller
    /// must call [`Accepted::check`]. A leaf under the key of a rule that no claim's family lists
    /// is taken for the proof of an ordinary program, as any leaf is; the keys that leaves may have
    /// must not include it.
    ///
    /// # Errors
    /// If a claim is of another fold, is none, or is not that of a leaf; or a leaf under the key of
    /// a rule has no claim.
    pub fn with_folds(
        &self,
        claims: &[FoldClaim],
        keys: &[KeyDigest],
    ) -> Result<Accepted, FoldLeafError> {
        let mut below = self.tree().check(self.keys(), 0)?;
        for claim in opened(&self.tree().leaves(), claims, keys)? {
            claim.family.add_below(claim.counters, &mut below);
        }
        let before = self.accepted();
        Ok(Accepted::new(before.root.clone(), below, &before.leaves))
    }
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::super::statement::tests::family;
    use super::*;
    use crate::claim::tests::key;

    fn claim(n: u32) -> FoldClaim {
        FoldClaim {
            family: family(),
            counters: Counters {
                rules: n,
                behind: 2,
                depth: 1,
            },
            state: vec![[F::from_u32(n); 8]],
        }
    }

    /// The leaf of a fold: a proof of the second rule.
    fn leaf(claim: &FoldClaim) -> (KeyDigest, [F; 8]) {
        (key(20), claim.statement())
    }

    fn refusal(leaves: &[(KeyDigest, [F; 8])], claims: &[FoldClaim]) -> String {
        let refused = opened(leaves, claims, &[family().key()]).unwrap_err();
        refused.to_string()
    }

    #[test]
    fn every_leaf_of_a_rule_is_opened() {
        let (one, two, program) = (claim(1), claim(2), (key(7), [F::ONE; 8]));
        let keys = [key(1), family().key()];
        let leaves = [leaf(&one), program, leaf(&two), leaf(&one)];
        let claims = [one.clone(), two.clone()];
        // A fold that is there twice counts twice.
        let found = opened(&leaves, &claims, &keys).unwrap();
        assert_eq!(found, [&one, &two, &one]);
        assert_eq!(opened(&[program], &[], &[]).unwrap(), [&one; 0]);

        let words = refusal(&leaves, std::slice::from_ref(&one));
        assert!(words.starts_with("no claim opens"), "{words}");
        let words = refusal(&[leaf(&one)], &claims);
        assert_eq!(words, "no leaf of the aggregate says what claim 1 says");
        // The same claim twice says no more than once.
        opened(&[leaf(&one)], &[one.clone(), one.clone()], &keys).unwrap();
        // The key of a rule of another fold.
        let mut other = claim(1);
        other.family.keys.push(key(40));
        let both = [one.clone(), other.clone()];
        let mixed = [leaf(&one), (key(40), one.statement())];
        let refused = opened(&mixed, &both, &[one.key(), other.key()]).unwrap_err();
        assert!(matches!(refused, FoldLeafError::Unopened(rule) if rule == key(40)));
        // The same statement under another key is no fold.
        let words = refusal(&[(key(7), one.statement())], std::slice::from_ref(&one));
        assert_eq!(words, "no leaf of the aggregate says what claim 0 says");
        let refused = opened(&leaves, &claims, &[key(1)]).unwrap_err();
        assert!(matches!(refused, FoldLeafError::Key { claim: 0, key } if key == one.key()));
    }

    /// Nothing of a claim can be changed.
    #[test]
    fn changed_claims_open_nothing() {
        let changes: [fn(&mut FoldClaim); 5] = [
            |claim| claim.counters.rules += 1,
            |claim| claim.counters.behind -= 1,
            |claim| claim.counters.depth = 0,
            |claim| claim.state[0][7] = F::ZERO,
            |claim| claim.state.push([F::ZERO; 8]),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = claim(3);
            change(&mut changed);
            let words = refusal(&[leaf(&claim(3))], &[changed]);
            assert!(words.starts_with("no claim opens"), "{number}: {words}");
        }
        let changes: [fn(&mut FoldClaim); 3] = [
            |claim| claim.family.bits_behind = 120,
            |claim| claim.family.keys.truncate(claim.family.keys.len() - 1),
            |claim| claim.family.keys[0] = key(9),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = claim(3);
            change(&mut changed);
            let words = refusal(&[leaf(&claim(3))], &[changed]);
            assert!(words.contains("is not accepted"), "{number}: {words}");
        }
    }

    /// What no fold says is refused, whatever hashes to the leaf's statement.
    #[test]
    fn claims_of_no_fold_are_refused() {
        let changes: [fn(&mut FoldClaim); 5] = [
            |claim| claim.counters.rules = 0,
            |claim| claim.counters.behind = 1 << 24,
            |claim| claim.state.clear(),
            |claim| claim.state = vec![[F::ZERO; 8]; MAX_BLOCKS + 1],
            |claim| claim.family.keys.swap(0, 1),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = claim(3);
            change(&mut changed);
            let (leaf, key) = (leaf(&changed), changed.key());
            let refused = opened(&[leaf], &[changed], &[key]).unwrap_err();
            let none = matches!(refused, FoldLeafError::Refused { claim: 0, .. });
            assert!(none, "{number}: {refused}");
        }
    }

    #[test]
    fn claims_are_written_as_text() {
        let honest = claim(7);
        let text = serde_json::to_string(&honest).unwrap();
        for part in [
            r#""state":[[7,7,7,7,7,7,7,7]]"#,
            r#""counters":{"rules":7,"behind":2,"depth":1}"#,
            &format!(r#""keys":["{}""#, key(10)),
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(serde_json::from_str::<FoldClaim>(&text).unwrap(), honest);
        let large = text.replace("[[7,", "[[2130706433,");
        let refused = serde_json::from_str::<FoldClaim>(&large).unwrap_err();
        assert!(refused.to_string().contains("not below"), "{refused}");
    }
}
