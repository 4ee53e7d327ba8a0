//! Options that name keys: the one that a file must have; those of recursion programs that are
//! trusted, and the reason for the trust; and those that leaves of an aggregate may have.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use droste_verifier::aggregate::{Aggregate, UnverifiedAggregate};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::keys::{Cache, Deriver, DigestKind};
use droste_verifier::summary::Evidence;
use droste_vm::key::KeyDigest;

use crate::error::CommandError;
use crate::kind::decode_aggregate;
use crate::stock::Stocks;

/// Options that name the key that a file must have: one of them, or none.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct ExpectedKey {
    /// Program key that a proof must have, as `droste key` prints it. It binds program and
    /// parameters.
    #[arg(long, value_name = "DIGEST")]
    program_key: Option<KeyDigest>,
    /// Exit key that a last proof must have, as `droste exit` prints it.
    #[arg(long, value_name = "DIGEST")]
    exit_key: Option<KeyDigest>,
    /// Key set that an aggregate must have, as `droste keys` prints it: the digest of its recursion
    /// keys.
    #[arg(long, value_name = "DIGEST")]
    key_set: Option<KeyDigest>,
    /// Stands for --program-key, --exit-key or --key-set, whichever the file needs.
    #[arg(long, value_name = "DIGEST")]
    key: Option<KeyDigest>,
}

impl ExpectedKey {
    /// The key that was given for a file which has a key of this kind.
    ///
    /// # Errors
    /// If a key of another kind was given.
    pub fn of(&self, kind: DigestKind) -> Result<Option<KeyDigest>, CommandError> {
        let given = [
            (DigestKind::ProgramKey, self.program_key),
            (DigestKind::ExitKey, self.exit_key),
            (DigestKind::KeySet, self.key_set),
            (kind, self.key),
        ];
        match given.into_iter().find(|(_, key)| key.is_some()) {
            Some((given, _)) if given != kind => {
                let file = match kind {
                    DigestKind::KeySet => {
                        "an aggregate: give its key set with --key-set, and program keys of its \
                         leaves with --leaf"
                    }
                    DigestKind::ExitKey => "a last proof: give its exit key with --exit-key",
                    _ => "the proof of one program: give its program key with --program-key",
                };
                let option = given.name().replace(' ', "-");
                let message = format!("--{option} was given, but this is {file}");
                Err(CommandError::usage(message))
            }
            Some((_, key)) => Ok(key),
            None => Ok(None),
        }
    }
}

/// Options that name recursion keys known to be good.
#[derive(Debug, Args)]
pub struct Trust {
    /// Key set that is known to be good, as `droste keys` prints it. An aggregate with exactly this
    /// set of recursion keys is accepted without deriving them; for any other, each key is derived
    /// from its program and compared. May be given several times.
    #[arg(long = "key-set", visible_alias = "key", value_name = "DIGEST")]
    key_sets: Vec<KeyDigest>,
    #[command(flatten)]
    pub stocks: Stocks,
    #[command(flatten)]
    derivation: Derivation,
}

/// Options of deriving keys.
#[derive(Debug, Args)]
pub struct Derivation {
    /// Derive every key anew and store none. By default derived keys are stored in `$DROSTE_CACHE`,
    /// or else in the folder `droste` of `$XDG_CACHE_HOME` or `~/.cache`.
    #[arg(long)]
    no_cache: bool,
}

/// Options that say which leaves of an aggregate are accepted.
#[derive(Debug, Args)]
pub struct LeafKeys {
    /// Program key that leaves of an aggregate may have, as `droste key` prints it. May be given
    /// several times; leaves with any other key are refused.
    #[arg(long = "leaf", value_name = "KEY")]
    keys: Vec<KeyDigest>,
    /// Accept leaves with any key. Which programs they are proofs of is then not known: compare the
    /// keys that are printed. If one is itself a recursion proof, the proofs below it are not
    /// counted in the bits.
    #[arg(long, conflicts_with = "keys")]
    any_leaf: bool,
}

impl LeafKeys {
    /// Whether one of the options was given.
    pub const fn are_given(&self) -> bool {
        self.any_leaf || !self.keys.is_empty()
    }

    /// The leaves that are accepted: those that the options name, and those of programs.
    pub fn accepted(
        &self,
        programs: Option<BTreeSet<KeyDigest>>,
    ) -> Result<AcceptedLeaves, CommandError> {
        let keys = self.keys.iter().copied();
        match (self.any_leaf, programs) {
            (true, None) => Ok(AcceptedLeaves::Any),
            (true, Some(_)) => {
                let message = "--any-leaf accepts leaves of all programs: name none with --program";
                Err(CommandError::usage(message))
            }
            (false, Some(programs)) => Ok(keys.chain(programs).collect()),
            (false, None) if !self.keys.is_empty() => Ok(keys.collect()),
            (false, None) => Err(CommandError::usage(
                "nothing says which leaves to accept: name each program key with --leaf, as \
                 `droste key` prints it (`droste verify` also takes --program), or accept all with \
                 --any-leaf",
            )),
        }
    }
}

/// The words that commands print for the reason why recursion keys are trusted.
pub const fn text_of(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Derived => "derived from their programs",
        Evidence::Pinned => "pinned by --key-set",
        Evidence::Claimed => "claimed by the file",
    }
}

/// What commands print after what is true only if the recursion keys are.
pub const fn doubt_of(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Claimed => ", as the file claims",
        Evidence::Derived | Evidence::Pinned => "",
    }
}

/// The words that commands print for the leaves that were accepted.
pub fn text_of_leaves(accepted: &AcceptedLeaves) -> String {
    match accepted {
        AcceptedLeaves::Any => "with any key".to_owned(),
        AcceptedLeaves::Keys(keys) => {
            let keys: Vec<String> = keys.iter().map(KeyDigest::to_string).collect();
            format!("with a key that was asked for: {}", keys.join(", "))
        }
    }
}

impl Derivation {
    /// A deriver of keys, with the user's cache unless `--no-cache` was given.
    pub fn deriver(&self) -> Deriver {
        let cache = (!self.no_cache).then(Cache::of_user).flatten();
        Deriver::new().with_cache(cache)
    }
}

impl Trust {
    /// A deriver of keys, with these options.
    ///
    /// # Errors
    /// If a description of proofs cannot be read.
    pub fn deriver(&self) -> Result<Deriver, CommandError> {
        self.stocks.known_to(self.derivation.deriver())
    }

    /// Verifies an aggregate under pinned keys, or else under derived ones, with any leaves.
    /// Returns it with the reason why its keys are trusted.
    pub fn accept(
        &self,
        aggregate: UnverifiedAggregate,
        deriver: &Deriver,
    ) -> Result<(Aggregate, Evidence), CommandError> {
        for &given in &self.key_sets {
            if let Some(kind) = aggregate.kind_of(given)
                && kind != DigestKind::KeySet
            {
                let message = format!("a key set was given, but this file has {given} as a {kind}");
                return Err(CommandError::failed(message));
            }
        }
        Ok(aggregate.trusted(&self.key_sets, deriver)?)
    }

    /// Reads an aggregate from a file's bytes and verifies it as [`Self::accept`] does.
    pub fn read_bytes(
        &self,
        path: &Path,
        bytes: &[u8],
        deriver: &Deriver,
    ) -> Result<(Aggregate, Evidence), CommandError> {
        let aggregate = decode_aggregate(path, bytes)?;
        self.accept(aggregate, deriver)
            .map_err(CommandError::about(path.display()))
    }
}
