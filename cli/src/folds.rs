//! Folds where commands take proofs and aggregates: the keys that they must have, and the claims
//! that open them in aggregates.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use droste_native::{F, codec};
use droste_verifier::aggregate::{Accepted, Aggregate, AggregateOptions, Aggregator};
use droste_verifier::claim::{AcceptedLeaves, claim_digest};
use droste_verifier::file;
use droste_verifier::fold::{Family, FoldClaim, Folded, Options, UnverifiedFold};
use droste_verifier::keys::{MAX_BITS, TreeBits};
use droste_vm::key::KeyDigest;
use droste_vm::whir;

use crate::error::CommandError;
use crate::paths::Input;
use crate::program::read_json;

/// Options that name the keys of folds.
#[derive(Debug, Args)]
pub struct FoldKeys {
    /// Fold key that a fold must have, as `droste fold key` prints it. May be given several times.
    #[arg(long = "fold-key", value_name = "DIGEST")]
    fold_keys: Vec<KeyDigest>,
}

impl FoldKeys {
    /// The key that a fold must have.
    ///
    /// # Errors
    /// If none is named.
    pub fn of(&self, fold: &UnverifiedFold) -> Result<KeyDigest, CommandError> {
        let key = fold.key();
        let named = self.fold_keys.contains(&key).then_some(key);
        // Any other is refused with the words for a wrong key.
        let expected = named.or(self.fold_keys.first().copied());
        expected.ok_or_else(|| {
            CommandError::usage(
                "this is a fold: name its fold key, as `droste fold key` prints it, with --fold-key",
            )
        })
    }

    /// Verifies a fold, whatever its bits, state and number of proofs.
    ///
    /// # Errors
    /// If no option names its key, or it is refused.
    pub fn accept(&self, bytes: &[u8]) -> Result<Folded, CommandError> {
        let fold = file::fold::decode(bytes)?;
        let key = self.of(&fold)?;
        Ok(fold.verify(key, &Options::min_bits(0))?)
    }

    /// Verifies a fold and wraps its proof, so that it can be joined.
    ///
    /// # Errors
    /// As [`Self::accept`], and if the proof cannot be wrapped.
    pub fn wrap(&self, bytes: &[u8], aggregator: &Aggregator) -> Result<Aggregate, CommandError> {
        Ok(aggregator.wrap_fold(self.accept(bytes)?)?)
    }
}

/// Options that open folds in an aggregate, or the last proof of a fold.
#[derive(Debug, Args)]
pub struct FoldClaims {
    /// What a leaf of an aggregate says that is a fold, as `droste fold inspect --claim` writes it;
    /// or the fold of which this is the last proof. The fold must have one of the keys of
    /// --fold-key. Its leaf is then accepted, the proofs below it count in the bits, and its state
    /// is printed. May be given several times.
    #[arg(long = "fold-claim", value_name = "FILE", requires = "fold_keys")]
    fold_claims: Vec<Input>,
    #[command(flatten)]
    folds: FoldKeys,
}

impl FoldClaims {
    /// Whether there are any.
    pub const fn are_given(&self) -> bool {
        !self.fold_claims.is_empty()
    }

    /// Refuses keys with which no claim would be compared.
    ///
    /// # Errors
    /// If there are keys, but no claims.
    pub fn check(&self) -> Result<(), CommandError> {
        if self.are_given() || self.folds.fold_keys.is_empty() {
            return Ok(());
        }
        Err(CommandError::usage(
            "--fold-key is that of a fold which --fold-claim opens: give the claim, as \
             `droste fold inspect --claim` writes it",
        ))
    }

    /// Reads the claims.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(&self) -> Result<Vec<FoldClaim>, CommandError> {
        self.fold_claims
            .iter()
            .map(|path| read_claim(path))
            .collect()
    }

    /// What an aggregate establishes whose folds these claims open.
    ///
    /// # Errors
    /// If a claim is of no leaf or has another fold key, or there are too few bits.
    pub fn accept(
        &self,
        aggregate: &Aggregate,
        claims: &[FoldClaim],
        options: AggregateOptions,
    ) -> Result<Accepted, CommandError> {
        let accepted = aggregate.with_folds(claims, &self.folds.fold_keys)?;
        accepted.check(options).map_err(CommandError::failed)?;
        Ok(accepted)
    }

    /// Reads the only claim, which must be that of a last proof with this statement.
    ///
    /// # Errors
    /// If there are several claims, or it has another fold key, or the proof says something else.
    pub fn of_exit(&self, statement: &[F; 8]) -> Result<FoldClaim, CommandError> {
        let [path] = self.fold_claims.as_slice() else {
            let message = "a last proof is that of one fold: give one --fold-claim";
            return Err(CommandError::usage(message));
        };
        let claim = read_claim(path)?;
        let checked = self.check_exit(&claim, statement);
        checked.map_err(CommandError::about(path.display()))?;
        Ok(claim)
    }

    fn check_exit(&self, claim: &FoldClaim, statement: &[F; 8]) -> Result<(), CommandError> {
        claim.check()?;
        let found = claim.key();
        if !self.folds.fold_keys.contains(&found) {
            let message = format!("it is of the fold {found}, whose key is not accepted");
            return Err(CommandError::failed(message));
        }
        // A program that is no rule states what it likes.
        let (said, mut rules) = (claim.statement(), claim.family.keys.iter());
        if rules.any(|&rule| claim_digest(&[(rule, said)]) == *statement) {
            return Ok(());
        }
        let message = "the statement of the proof is not that of a rule which says this";
        Err(CommandError::failed(message))
    }
}

/// Reads a claim.
///
/// # Errors
/// If the file is none; of a fold, how to make its claim.
pub fn read_claim(path: &Path) -> Result<FoldClaim, CommandError> {
    read_json(path).map_err(|error| match codec::read_file(path) {
        Ok(bytes) if file::fold::is_fold(&bytes) => {
            let path = path.display();
            CommandError::usage(format!(
                "{path} is a fold: give what `droste fold inspect {path} --claim FILE` writes"
            ))
        }
        _ => error,
    })
}

/// Bits of all proofs of a fold of which there are so many, those of rules and those behind wraps,
/// and of a last proof above them, which has `last`. `None` if no rule verifies a proof: those of
/// the root's are then not in the list.
pub fn bits_with_last(family: &Family, counters: [u32; 2], last: usize) -> Option<TreeBits> {
    if usize::from(family.bits) >= MAX_BITS {
        return None;
    }
    let mut bits = TreeBits::default();
    bits.add(last, 1);
    for (of_each, proofs) in [family.bits, family.bits_behind].into_iter().zip(counters) {
        // Bits that no proof has must not be the least.
        if proofs > 0 {
            bits.add(of_each.into(), proofs as usize);
        }
    }
    Some(bits)
}

/// The least bits of all proofs of the fold of a claim and of its last proof, which has `last`.
///
/// # Errors
/// If there are too few.
pub fn bits_of_exit(
    claim: &FoldClaim,
    last: usize,
    options: AggregateOptions,
) -> Result<usize, CommandError> {
    let (family, counters) = (&claim.family, claim.counters);
    let bits = bits_with_last(family, [counters.rules, counters.behind], last);
    let bits = bits.ok_or_else(|| {
        CommandError::failed(
            "no rule of the fold verifies a proof, so that nothing says how many bits its proofs \
             have: compare the statement with --public",
        )
    })?;
    let least = bits.least().unwrap_or_default();
    let checked = options.check(least, bits.union().unwrap_or_default());
    checked.map_err(CommandError::failed)?;
    Ok(least)
}

/// The keys of the rules of which claims are.
pub fn rules_of(claims: &[FoldClaim]) -> BTreeSet<KeyDigest> {
    let keys = claims.iter().flat_map(|claim| &claim.family.keys);
    keys.copied().collect()
}

/// The leaves that are accepted, and those of these rules.
pub fn with_rules(leaves: AcceptedLeaves, rules: &BTreeSet<KeyDigest>) -> AcceptedLeaves {
    match leaves {
        AcceptedLeaves::Any => AcceptedLeaves::Any,
        AcceptedLeaves::Keys(keys) => AcceptedLeaves::Keys(&keys | rules),
    }
}

/// The bytes of the proof that a file has: of a fold, that of its rule; of any other file, all.
///
/// # Errors
/// If it is a fold that cannot be read.
pub fn proof_bytes(bytes: Vec<u8>) -> Result<Vec<u8>, CommandError> {
    if file::fold::is_fold(&bytes) {
        Ok(whir::encode(&file::fold::decode(&bytes)?.proof)?)
    } else {
        Ok(bytes)
    }
}
