//! Verifies aggregates, memberships and folds, and nothing else: no prover, no compiler, no threads, no
//! files. It is the verifier of the command `droste`, for programs that only verify, and for web
//! pages: on WebAssembly it exports itself to JavaScript (`web`).
//!
//! ```
//! use droste_verify::{Expected, Refusal, verify_aggregate};
//!
//! let expected = Expected::of_texts(
//!     "2a93117104e824623816650b68e3d06583430457350ab7479dfd720afd299a65", // `droste keys`
//!     "8966ac15da5605593b9558151b7e6f450f57440fff306d597ed8d775938be161",
//!     ["1d825131dbd60074dad57f3b188c1e25d1d2b136c3e73a393807b95ec2057a49"], // `droste key`
//! )?;
//! let refused = verify_aggregate(b"no aggregate", &expected);
//! assert!(matches!(refused, Err(Refusal::File(_))));
//! # Ok::<(), droste_verify::ExpectedError>(())
//! ```

// Input from outside ends in an error, never in a panic.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![warn(clippy::unreachable, clippy::todo, clippy::unimplemented)]
#![warn(clippy::indexing_slicing)]
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod expected;
mod refusal;
#[cfg(target_family = "wasm")]
mod web;

pub use droste_verifier::aggregate::{Accepted, Aggregate, AggregateOptions, UnverifiedAggregate};
pub use droste_verifier::claim::AcceptedLeaves;
pub use droste_verifier::fold::{Folded, UnverifiedFold};
pub use droste_verifier::member::{Member, Membership};
pub use droste_verifier::summary::{AggregateSummary, FoldSummary};
pub use droste_verifier::{claim, file, fold, keys};
pub use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
pub use expected::{Expected, ExpectedError, FoldExpected};
pub use refusal::{Kind, Refusal};

/// Verifies the aggregate in a file ([`mod@file`]): that it proves the expected claim, that its
/// recursion keys are the expected ones, every leaf is accepted, and it has the bits that are asked
/// for.
///
/// # Soundness obligations
/// Those of [`UnverifiedAggregate::verify`]: what is expected must not come from the file.
///
/// # Errors
/// Why it is refused.
pub fn verify_aggregate(bytes: &[u8], expected: &Expected) -> Result<Aggregate, Refusal> {
    let aggregate = file::decode(bytes)?;
    let (claim, leaves) = (&expected.claim.0, &expected.leaves);
    Ok(aggregate.verify(expected.key, claim, expected.options, leaves)?)
}

/// Verifies the membership in a file ([`member`](file::member)): that a leaf is in the expected
/// claim, and accepted.
///
/// # Soundness obligations
/// Those of [`Membership::verify`]: an aggregate with this claim must have been accepted.
///
/// # Errors
/// Why it is refused.
pub fn verify_membership(bytes: &[u8], expected: &Expected) -> Result<Member, Refusal> {
    let member = file::member::decode(bytes)?;
    let (claim, leaves) = (&expected.claim.0, &expected.leaves);
    let options = VerifyOptions::min_bits(expected.options.min_bits);
    Ok(member.verify(claim, expected.key, options, leaves)?)
}

/// Verifies the fold in a file ([`fold`](mod@file::fold)): that its rules are the expected ones, its
/// proof is one of them that says its counters and state, and it is as the options ask.
///
/// # Soundness obligations
/// Those of [`UnverifiedFold::verify`]: what is expected must not come from the file. If no state is
/// expected, the caller must look at [`Folded::state`].
///
/// # Errors
/// Why it is refused.
pub fn verify_fold(bytes: &[u8], expected: &FoldExpected) -> Result<Folded, Refusal> {
    let fold = file::fold::decode(bytes)?;
    Ok(fold.verify(expected.key, &expected.options)?)
}
