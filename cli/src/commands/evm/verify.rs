//! `droste evm verify`: runs contracts, if the command was built with revm.

use clap::Args;

use super::Source;
use crate::error::CommandError;
use crate::output::Format;

/// Arguments of `droste evm verify`.
#[derive(Debug, Args)]
#[cfg_attr(
    not(feature = "revm"),
    allow(dead_code, reason = "nothing runs contracts")
)]
pub struct Verify {
    #[command(flatten)]
    source: Source,
    /// Also verify so many changed proofs, which contracts and native verifier must refuse.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    changes: usize,
}

impl Verify {
    /// Deploys and calls the contracts, and prints what that takes.
    #[cfg(feature = "revm")]
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let gas = super::gas::measure(&self.source.make()?, self.changes)?;
        Ok(crate::output::print(&gas, format)?)
    }

    /// Says how to build a command that can do it.
    #[cfg(not(feature = "revm"))]
    pub fn run(self, _: Format) -> Result<(), CommandError> {
        let message = "this command was built without the feature `revm`, which runs contracts; \
             `cargo build --release -p droste-cli --features revm` adds it, and builds little else";
        Err(CommandError::failed(message))
    }
}
