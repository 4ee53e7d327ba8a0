//! One module a command.

mod aggregate;
mod compile;
mod cost;
mod demo;
mod hash;
mod key;
mod keys;
mod new;
mod prove;
mod run;
mod table;
mod test;
mod verify;

use clap::Subcommand;

use crate::error::CommandError;
use crate::output::Format;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a zk-DSL program and say what came of it.
    Compile(compile::Compile),
    /// Measure what verifying a program's proof costs in-circuit, by hash and number of queries.
    Cost(cost::Cost),
    /// One row of `cost`, in this process.
    #[command(hide = true)]
    CostRow(cost::CostRow),
    /// Prove a program under each hash, verify each proof in a proof, join those: the whole chain.
    Demo(demo::Demo),
    /// Print the digest of a file, or one permutation of 16 field elements.
    Hash(hash::Hash),
    /// Say what a proof or an aggregate says, after verifying it under the keys it carries.
    Inspect(verify::Inspect),
    /// Prove that aggregates are valid: one for all of them, in this order.
    Join(aggregate::Join),
    /// Print the key of a program.
    Key(key::Key),
    /// Derive recursion keys from their programs: the digest to verify an aggregate against.
    Keys(keys::Keys),
    /// Write a cargo package with a zk-DSL program and its tests.
    New(new::New),
    /// Run a zk-DSL program and prove the run.
    Prove(prove::Prove),
    /// Execute a zk-DSL program without proving it.
    Run(run::Run),
    /// Prove and verify permutations in one hash's table and print what they cost.
    Table(table::Table),
    /// Run the tests of a program natively and in the machine.
    Test(test::Test),
    /// Verify a proof against a program or a key, or an aggregate against a key and a claim.
    Verify(verify::Verify),
    /// Prove that a proof is valid: an aggregate that can be joined with others.
    Wrap(aggregate::Wrap),
}

impl Command {
    /// Runs the command, printing its result in `format`.
    ///
    /// # Errors
    /// Wrong usage, unreadable files, and failures of the work itself.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        match self {
            Self::Compile(command) => command.run(format),
            Self::Cost(command) => command.run(format),
            Self::CostRow(command) => command.run(),
            Self::Demo(command) => command.run(format),
            Self::Hash(command) => command.run(format),
            Self::Inspect(command) => command.run(format),
            Self::Join(command) => command.run(format),
            Self::Key(command) => command.run(format),
            Self::Keys(command) => command.run(format),
            Self::New(command) => command.run(format),
            Self::Prove(command) => command.run(format),
            Self::Run(command) => command.run(format),
            Self::Table(command) => command.run(format),
            Self::Test(command) => command.run(format),
            Self::Verify(command) => command.run(format),
            Self::Wrap(command) => command.run(format),
        }
    }
}
