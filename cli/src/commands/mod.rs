//! The commands, each in a module of its own.

/// Runs whichever of the commands it is.
macro_rules! run {
    ($self:ident, $format:ident: $($command:ident)*) => {
        match $self {
            $(Self::$command(command) => command.run($format),)*
        }
    };
}

mod aggregate;
mod check;
mod compile;
mod cost;
mod demo;
mod evm;
mod exit;
mod fold;
mod hash;
mod hashes;
mod key;
mod keys;
mod member;
pub mod new;
mod plan;
mod prove;
mod run;
mod table;
pub mod test;
mod tree;
mod verify;
mod xmss;

use clap::Subcommand;

use crate::error::CommandError;
use crate::output::Format;

/// The command to run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make one aggregate of any number of proofs, by as many wraps and joins as that takes.
    Aggregate(plan::Aggregate),
    /// Check zk-DSL programs with rustc and with the zk-DSL's compiler.
    Check(check::Check),
    /// Compile a zk-DSL program and print its size.
    Compile(compile::Compile),
    /// Measure what verifying a program's proof costs in-circuit, per hash and number of queries.
    /// `droste hashes cost` does so for lists of hash calls.
    Cost(cost::Cost),
    /// Measure one row of `cost` in this process.
    #[command(hide = true)]
    CostRow(cost::CostRow),
    /// Run the whole chain at toy parameters: prove a program in Poseidon-16, Blake3 and Keccak, wrap
    /// each proof, join the wraps.
    Demo(demo::Demo),
    /// Verify the last proof of an aggregate in the EVM: make contracts, and run them.
    #[command(subcommand)]
    Evm(evm::Evm),
    /// Make the last proof of an aggregate, in Keccak and short, for verifiers without Poseidon-16.
    Exit(exit::MakeExit),
    /// Fold proofs: prove functions of your own on what proofs say, so that one proof with one small
    /// state stands for any number of them.
    #[command(subcommand)]
    Fold(fold::Fold),
    /// Print the digest of a file, or apply the Poseidon-16 permutation to 16 field elements.
    Hash(hash::Hash),
    /// Prove that lists of calls of BLAKE3, BLAKE2s or Keccak-f are right, or Merkle paths in these
    /// hashes, and verify such proofs.
    #[command(subcommand)]
    Hashes(hashes::Hashes),
    /// Show what a proof or an aggregate says, after verifying it under the keys it carries.
    Inspect(verify::Inspect),
    /// Join aggregates: make one proof that all of them are valid, in the given order.
    Join(aggregate::Join),
    /// Print the key digest of a program.
    Key(key::Key),
    /// Derive recursion keys from their programs and print the digest to verify an aggregate
    /// against.
    Keys(keys::Keys),
    /// Write a proof that a leaf is in the claim of an aggregate.
    Member(member::MakeMember),
    /// Write a cargo package with a zk-DSL program and its tests.
    New(new::New),
    /// Run a zk-DSL program and prove the run.
    Prove(prove::Prove),
    /// Execute a zk-DSL program without proving it.
    Run(run::Run),
    /// Show the columns and constraints of one hash's table.
    Table(table::Table),
    /// Run the tests of a program natively and in the machine.
    Test(test::Test),
    /// Verify a proof against a program or a key, or an aggregate against a key and a claim.
    Verify(verify::Verify),
    /// Verify that a leaf is in a claim, without the aggregate.
    ///
    /// This shows something only if an aggregate with this claim was verified with this key, by
    /// `droste verify`: then that aggregate has this leaf.
    VerifyMember(member::VerifyMember),
    /// Wrap a proof: make a proof that it is valid, which can be joined with others.
    Wrap(aggregate::Wrap),
    /// Sign with XMSS in Poseidon-16, verify signatures, and prove that many of them are valid.
    #[command(subcommand)]
    Xmss(xmss::Xmss),
}

impl Command {
    /// Whether it measures the parts of proofs, by their spans.
    pub const fn measures(&self) -> bool {
        matches!(
            self,
            Self::CostRow(_) | Self::Hashes(hashes::Hashes::Cost(_))
        )
    }

    /// Runs the command, printing its result in `format`.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run! { self, format:
            Aggregate Check Compile Cost CostRow Demo Evm Exit Fold Hash Hashes Inspect Join Key Keys Member
            New Prove Run Table Test Verify VerifyMember Wrap Xmss
        }
    }
}
