//! What an aggregate of batches says, as a file that is checked against the aggregate.

use std::collections::BTreeMap;

use droste_native::hash_signature::json::{canonical, elements};
use droste_native::hash_signature::{DecodeError, ParameterError, Parameters, PublicKey, Xmss};
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_vm::compiler::CompileError;
use droste_vm::heights::Heights;
use droste_vm::key::{KeyDigest, KeyError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    SignatureBatchClaim, SignatureBatchProgram, SignatureBatchProgramError, TooManyRows, Wanted,
};
use crate::aggregate::{Aggregate, AggregateOptions, BitsError};
use crate::claim::ClaimTree;
use crate::proofs;

/// The batches of an aggregate, in order, and the program that verified them.
///
/// It serializes as JSON. What a file says of itself is nothing before [`Self::check`]: the key of
/// the program and the statement of every batch are computed from the claims and compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Entry", into = "Entry")]
pub struct SignatureClaims {
    /// The program of all batches.
    pub program: SignatureBatchProgram,
    /// The hash in which the batches' proofs are committed.
    pub hash: HashId,
    /// Their settings.
    pub settings: WhirSettings,
    /// What each batch says.
    pub batches: Vec<SignatureBatchClaim>,
}

/// Version of files of claims, and of how their batches are proved. That of 1, over FRI, had no
/// number; settings of 2 had no grinding before lookups.
const FORMAT: u32 = 3;

/// Why claims are refused.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum SignatureClaimsError {
    /// The claims are of another format, or of one without a number.
    #[error("the claims have format {0}, expected {FORMAT}: make them again with this version")]
    Format(u32),
    /// The settings do not have the fields of [`WhirSettings`].
    #[error("the settings are not those of a proof over WHIR")]
    Settings,
    /// The parameters make no scheme.
    Parameters(#[from] ParameterError),
    /// There is no program for the scheme.
    Program(#[from] SignatureBatchProgramError),
    /// An element is not below the modulus.
    #[error("batch {batch}: {source}")]
    NotCanonical {
        /// Index of the batch, from 0.
        batch: usize,
        /// Which element.
        source: DecodeError,
    },
    /// The number of a batch's keys is not one that the program takes.
    #[error("batch {batch} has {found} keys, expected 1 to {most}")]
    Keys {
        /// Index of the batch, from 0.
        batch: usize,
        /// Number of keys.
        found: usize,
        /// Largest number.
        most: usize,
    },
    /// The slot of a batch is not one of the scheme.
    #[error("batch {batch} has slot {slot}, expected at most {last}")]
    Slot {
        /// Index of the batch, from 0.
        batch: usize,
        /// The slot.
        slot: u32,
        /// The last slot.
        last: u32,
    },
    /// The signatures are of another scheme.
    #[error("the claims are about signatures of the scheme {found:?}, expected {expected:?}")]
    OtherScheme {
        /// Parameters of the scheme that the caller expects.
        expected: Parameters,
        /// Parameters of the scheme that is claimed.
        found: Parameters,
    },
    /// Committing to the program takes too much work.
    TooManyRows(#[from] TooManyRows),
    /// The settings make no key.
    Key(#[from] KeyError),
    /// The program does not compile, which is an error of this crate.
    #[error("the program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// The aggregate does not have one leaf for each batch.
    #[error("the aggregate has {leaves} leaves, but {batches} batches are claimed")]
    Leaves {
        /// Number of leaves.
        leaves: usize,
        /// Number of batches.
        batches: usize,
    },
    /// A leaf of the aggregate is not a proof of the program.
    #[error("leaf {batch} is a proof under the key {found}, expected {expected}")]
    OtherKey {
        /// Index of the batch, from 0.
        batch: usize,
        /// The program's key.
        expected: KeyDigest,
        /// The leaf's key.
        found: KeyDigest,
    },
    /// The leaf of this index, from 0, says something else than its batch.
    #[error("the statement of leaf {0} is not that of batch {0} of the claims")]
    OtherStatement(usize),
    /// The aggregate has too few proven bits.
    Bits(#[from] BitsError),
    /// The entry of this index, from 0, in the list of what the caller wants is not claimed.
    #[error("entry {0}: no batch of the claims says that this key signed")]
    NotClaimed(usize),
}

impl SignatureClaims {
    /// The key of the batches' proofs: the program is compiled and committed to.
    ///
    /// # Errors
    /// If the settings make none, or committing takes too many rows.
    pub fn key(&self) -> Result<KeyDigest, SignatureClaimsError> {
        TooManyRows::check(&self.settings)?;
        let compiled = self.program.compile();
        let program = compiled.map_err(SignatureClaimsError::Compile)?.program;
        let (key, _) = proofs::key(self.hash, program, self.settings, Heights::Minimal)?;
        Ok(key)
    }

    /// Checks that the leaves of an aggregate are proofs of these batches, all of them and in this
    /// order, of signatures of this scheme. Every key of a batch has then signed its message in its
    /// slot.
    ///
    /// # Soundness obligations
    ///
    /// The scheme is the caller's. A public key does not say to which target sum it belongs, and
    /// who may choose the sum forges a signature from a true one: by walking its chains on to an
    /// encoding whose digits are nowhere smaller.
    ///
    /// The tree must be that of an aggregate that was verified
    /// ([`crate::aggregate::UnverifiedAggregate::verify`]), with as many bits as the caller
    /// requires.
    ///
    /// # Errors
    /// Names the first leaf that is something else.
    pub fn check(&self, tree: &ClaimTree, scheme: &Xmss) -> Result<(), SignatureClaimsError> {
        if self.program.scheme() != scheme {
            return Err(SignatureClaimsError::OtherScheme {
                expected: *scheme.parameters(),
                found: *self.program.scheme().parameters(),
            });
        }
        let leaves = tree.leaves();
        if leaves.len() != self.batches.len() {
            return Err(SignatureClaimsError::Leaves {
                leaves: leaves.len(),
                batches: self.batches.len(),
            });
        }
        let expected = self.key()?;
        for (batch, (claim, (found, statement))) in self.batches.iter().zip(leaves).enumerate() {
            if found != expected {
                return Err(SignatureClaimsError::OtherKey {
                    batch,
                    expected,
                    found,
                });
            }
            if claim.statement(self.program.log_keys()) != Some(statement) {
                return Err(SignatureClaimsError::OtherStatement(batch));
            }
        }
        Ok(())
    }

    /// Checks a verified aggregate: that it has the proven bits that are asked for, that its leaves
    /// are these batches of signatures of this scheme ([`Self::check`]), and that all that is
    /// wanted is claimed.
    ///
    /// # Soundness obligations
    ///
    /// The scheme is the caller's, as for [`Self::check`].
    ///
    /// # Errors
    /// What is not so.
    pub fn check_aggregate(
        &self,
        aggregate: &Aggregate,
        scheme: &Xmss,
        options: AggregateOptions,
        wanted: &[Wanted],
    ) -> Result<(), SignatureClaimsError> {
        aggregate.accepted().check(options)?;
        self.check(aggregate.tree(), scheme)?;
        let claimed = |wanted: &Wanted| self.says(&wanted.public_key, wanted.slot, &wanted.message);
        match wanted.iter().position(|wanted| !claimed(wanted)) {
            Some(entry) => Err(SignatureClaimsError::NotClaimed(entry)),
            None => Ok(()),
        }
    }

    /// Whether a batch says that the key signed the message in the slot. It means something only
    /// after [`Self::check`].
    pub fn says(&self, key: &PublicKey, slot: u32, message: &[F; 8]) -> bool {
        self.batches.iter().any(|batch| {
            batch.slot == slot && batch.message == *message && batch.keys.contains(key)
        })
    }
}

/// The claims as they are written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default = "former")]
    format: u32,
    chains: u32,
    bits: u32,
    levels: u32,
    target_sum: u32,
    log_keys: u32,
    hash: HashId,
    settings: Settings,
    batches: Vec<BatchEntry>,
}

const fn former() -> u32 {
    1
}

/// Settings of any format, so that another one is refused by its number.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Settings {
    Whir(WhirSettings),
    Other(BTreeMap<String, usize>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchEntry {
    slot: u32,
    message: [u64; 8],
    keys: Vec<KeyEntry>,
}

impl BatchEntry {
    fn read(self) -> Result<SignatureBatchClaim, DecodeError> {
        let keys = self.keys.into_iter().enumerate().map(|(index, key)| {
            Ok(PublicKey {
                root: elements("root", 4 * index, key.root)?,
                parameter: elements("public_param", 4 * index, key.public_param)?,
            })
        });
        Ok(SignatureBatchClaim {
            slot: self.slot,
            message: elements("message", 0, self.message)?,
            keys: keys.collect::<Result<_, _>>()?,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyEntry {
    root: [u64; 4],
    public_param: [u64; 4],
}

impl TryFrom<Entry> for SignatureClaims {
    type Error = SignatureClaimsError;

    fn try_from(entry: Entry) -> Result<Self, SignatureClaimsError> {
        if entry.format != FORMAT {
            return Err(SignatureClaimsError::Format(entry.format));
        }
        let Settings::Whir(settings) = entry.settings else {
            return Err(SignatureClaimsError::Settings);
        };
        let scheme = Xmss::new(Parameters {
            chains: entry.chains,
            bits: entry.bits,
            levels: entry.levels,
            target_sum: entry.target_sum,
        })?;
        // No program has a tree of one key.
        let most = match entry.log_keys {
            0 => 0,
            log_keys => 1usize.checked_shl(log_keys).unwrap_or(0),
        };
        let program = SignatureBatchProgram::new(scheme, most)?;
        let last = scheme.last_slot();
        let mut batches = vec![];
        for (batch, claim) in entry.batches.into_iter().enumerate() {
            let (slot, found) = (claim.slot, claim.keys.len());
            if slot > last {
                return Err(SignatureClaimsError::Slot { batch, slot, last });
            }
            if !(1..=1 << program.log_keys()).contains(&found) {
                let most = 1 << program.log_keys();
                return Err(SignatureClaimsError::Keys { batch, found, most });
            }
            let claim = claim.read();
            batches.push(
                claim.map_err(|source| SignatureClaimsError::NotCanonical { batch, source })?,
            );
        }
        Ok(Self {
            program,
            hash: entry.hash,
            settings,
            batches,
        })
    }
}

impl From<SignatureClaims> for Entry {
    fn from(claims: SignatureClaims) -> Self {
        let Parameters {
            chains,
            bits,
            levels,
            target_sum,
        } = *claims.program.scheme().parameters();
        let batches = claims.batches.into_iter().map(|batch| BatchEntry {
            slot: batch.slot,
            message: canonical(batch.message),
            keys: batch
                .keys
                .into_iter()
                .map(|key| KeyEntry {
                    root: canonical(key.root),
                    public_param: canonical(key.parameter),
                })
                .collect(),
        });
        Self {
            format: FORMAT,
            chains,
            bits,
            levels,
            target_sum,
            log_keys: claims.program.log_keys(),
            hash: claims.hash,
            settings: Settings::Whir(claims.settings),
            batches: batches.collect(),
        }
    }
}
