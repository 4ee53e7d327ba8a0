//! `droste xmss`: signs messages with XMSS in Poseidon-16, verifies signatures, and aggregates
//! them.

mod aggregate;
mod check;
mod key;
mod verify;

use clap::Subcommand;

use crate::error::CommandError;
use crate::output::Format;
use crate::program::read_json;

/// What to do with signatures.
#[derive(Debug, Subcommand)]
pub enum Xmss {
    /// Make a key for a range of slots, in a folder of its own.
    Keygen(key::Keygen),
    /// Sign a message in a slot above all in which the key has signed.
    Sign(key::Sign),
    /// Verify signatures: exit code 0 if all are valid, 1 if one is not.
    Verify(verify::Verify),
    /// Prove that signatures are valid, and make one aggregate of the proofs.
    Aggregate(aggregate::Aggregate),
    /// Check which keys signed which messages in which slots, by an aggregate and without the
    /// signatures.
    Check(check::Check),
}

impl Xmss {
    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run!(self, format: Keygen Sign Verify Aggregate Check)
    }
}
