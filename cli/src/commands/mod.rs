//! One module a command.

mod compile;
mod demo;
mod hash;
mod key;
mod prove;
mod run;
mod table;
mod verify;

use clap::Subcommand;

use crate::error::CommandError;
use crate::output::Format;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a zk-DSL program and say what came of it.
    Compile(compile::Compile),
    /// Prove a program under each hash, verify each proof in a proof, join those: the whole chain.
    Demo(demo::Demo),
    /// Print the digest of a file, or one permutation of 16 field elements.
    Hash(hash::Hash),
    /// Say what a proof says, after verifying it under the key it carries.
    Inspect(verify::Inspect),
    /// Print the key of a program.
    Key(key::Key),
    /// Run a zk-DSL program and prove the run.
    Prove(prove::Prove),
    /// Execute a zk-DSL program without proving it.
    Run(run::Run),
    /// Prove and verify permutations in one hash's table and print what they cost.
    Table(table::Table),
    /// Verify a proof against a program or a key.
    Verify(verify::Verify),
}

impl Command {
    /// Runs the command, printing its result in `format`.
    ///
    /// # Errors
    /// Wrong usage, unreadable files, and failures of the work itself.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        match self {
            Self::Compile(command) => command.run(format),
            Self::Demo(command) => command.run(format),
            Self::Hash(command) => command.run(format),
            Self::Inspect(command) => command.run(format),
            Self::Key(command) => command.run(format),
            Self::Prove(command) => command.run(format),
            Self::Run(command) => command.run(format),
            Self::Table(command) => command.run(format),
            Self::Verify(command) => command.run(format),
        }
    }
}
