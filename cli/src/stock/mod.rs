//! Proofs that Plonky3's own code makes, of AIRs that the command knows: `--stock` names a file that
//! says which AIR, and with which configuration.

#[cfg(feature = "stock")]
mod air;
#[cfg(feature = "stock")]
mod circuits;
#[cfg(feature = "stock")]
mod config;
#[cfg(feature = "stock")]
mod format;

#[cfg(not(feature = "stock"))]
use std::path::Path;

use clap::Args;
use droste_native::F;
use droste_native::stark::security::{Security, decimals};
use droste_verifier::circuit::{Openings, Run};
use droste_verifier::keys::Deriver;
use droste_vm::key::KeyDigest;

#[cfg(feature = "stock")]
pub use self::circuits::open;
use crate::error::CommandError;
use crate::paths::Input;

/// What commands say beside the key of such a leaf: the transcript of its proof does not begin with
/// the key (`Seed::StockForFixedAirs`).
pub const OBLIGATION: &str = "Plonky3's transcript does not bind constraints: such a proof is sound \
                              only for an AIR that was fixed before it was made";

/// What commands say of a proof whose openings are in a batch.
pub const IN_A_BATCH: &str = "its openings are verified in a batch over GF(2^128), whose error these \
                              bits count: `--openings tables` has the proof's alone";

/// Verifies proofs of one AIR with one configuration.
pub trait StockCircuit {
    /// The key that such proofs have as leaves.
    fn key(&self) -> KeyDigest;

    /// What such a leaf says: the digest of no public values.
    fn statement(&self) -> Result<[F; 8], CommandError>;

    /// The proven security of such proofs, with that of the batch of their openings if there is one.
    fn security(&self) -> &Security;

    /// How the openings of such a proof are verified.
    fn openings(&self) -> Openings;

    /// What verifies them in a batch.
    ///
    /// # Errors
    /// If no batch takes them.
    fn in_batch(self: Box<Self>) -> Result<Box<dyn StockCircuit>, CommandError>;

    /// Calls of the hash at the queries of such a proof, unless no batch takes them.
    fn calls_at_queries(&self) -> Option<usize>;

    /// How to verify the openings of such a proof if nobody says it: in the way that costs less and
    /// lowers no bits.
    fn cheaper_openings(&self) -> Openings;

    /// The deriver, which then also derives the keys of wraps of such proofs with openings that are
    /// verified in the same way.
    fn known_to(&self, deriver: Deriver) -> Result<Deriver, CommandError>;

    /// Verifies the bytes of a proof natively, then in the machine.
    fn run(&self, bytes: &[u8]) -> Result<Run, CommandError>;
}

/// Options that describe proofs which Plonky3's own code makes.
#[derive(Debug, Args)]
pub struct Stocks {
    /// TOML file that describes proofs which Plonky3's own code makes: AIR, rows, field, hash,
    /// degree, FRI parameters and format (docs/recursion.md lists its fields). A file of such a
    /// proof can then be wrapped, and keys of aggregates with such leaves can be derived. May be
    /// given several times.
    #[arg(long, value_name = "CONFIG")]
    stock: Vec<Input>,
}

impl Stocks {
    /// Lets a deriver derive the keys of wraps of all described proofs, however their openings are
    /// verified.
    ///
    /// # Errors
    /// If a description cannot be read, or is of proofs that cannot be verified.
    pub fn known_to(&self, deriver: Deriver) -> Result<Deriver, CommandError> {
        let mut stocks = self.stock.iter();
        stocks.try_fold(deriver, |deriver, path| {
            let circuit = open(path)?;
            let deriver = circuit.known_to(deriver)?;
            match circuit.calls_at_queries() {
                Some(_) => circuit.in_batch()?.known_to(deriver),
                None => Ok(deriver),
            }
        })
    }

    /// Whether there is any.
    pub const fn are_given(&self) -> bool {
        !self.stock.is_empty()
    }

    /// What verifies the one proof that is described, its openings in this way, or else in the one
    /// that costs less and lowers no bits.
    ///
    /// # Errors
    /// Unless there is one description, and as for [`Self::known_to`], or if no batch takes the
    /// openings.
    pub fn only(&self, openings: Option<Openings>) -> Result<Box<dyn StockCircuit>, CommandError> {
        match self.stock.as_slice() {
            [path] => {
                let circuit = open(path)?;
                let in_batch = match openings.unwrap_or_else(|| circuit.cheaper_openings()) {
                    Openings::Tables => return Ok(circuit),
                    Openings::Batch => circuit.in_batch(),
                };
                in_batch.map_err(CommandError::about(path.display()))
            }
            several => {
                let number = several.len();
                let message =
                    format!("one proof has one description: --stock is given {number} times");
                Err(CommandError::usage(message))
            }
        }
    }
}

/// The proven bits, and the term that limits them.
pub fn text_of(security: &Security) -> String {
    let bits = security.bits();
    let weakest = security.without.weakest().map(|term| {
        let of = decimals(term.bits);
        format!("; the weakest term is `{term}`, of {of}")
    });
    format!("{bits} proven bits{}", weakest.unwrap_or_default())
}

/// Says how to build a command that can do it.
#[cfg(not(feature = "stock"))]
pub fn open(_: &Path) -> Result<Box<dyn StockCircuit>, CommandError> {
    Err(CommandError::failed(
        "this command was built without the feature `stock`, which has Plonky3's AIRs of hashes",
    ))
}
