//! Verified proofs of ordinary programs.

use droste_native::F;
use droste_vm::isa::Program;
use droste_vm::key::Key;
use droste_vm::machine::StandardTables;
use droste_vm::stack::{Proves, Verify};
use droste_vm::verifier::{Report, VerifyError, VerifyOptions, verify_program};

use crate::circuit::LeafProof;

/// The proof of an ordinary program, verified natively. It may be of either stack, in any hash.
#[derive(Debug)]
pub struct VerifiedProof<P> {
    proof: P,
    report: Report,
}

impl<P: LeafProof> VerifiedProof<P> {
    /// Verifies `proof` under `key`: its statement must begin with `expected`, and it must be as
    /// `options` ask ([`droste_vm::stack::Verify::report`]).
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn new(
        proof: P,
        key: &Key<P::System>,
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<Self, VerifyError> {
        let verifier = P::System::verifier(key.clone())?;
        let report = verifier.report(expected, options, &proof)?;
        Ok(Self { proof, report })
    }

    /// Verifies that `proof` is a proof of `program`, at the parameters that the proof states: its
    /// statement must begin with `expected`, and it must be as `options` ask. The program's table
    /// is committed to ([`droste_vm::verifier::verify_program`]).
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn of_program(
        proof: P,
        program: impl AsRef<Program>,
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<Self, VerifyError> {
        let report =
            verify_program::<P::System, StandardTables>(program, expected, options, &proof)?;
        Ok(Self { proof, report })
    }

    /// Verifies `proof` under the key that it carries. This shows that the proof is valid, not
    /// which program it is a proof of: the caller must check the key.
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn under_its_own_key(proof: P) -> Result<Self, VerifyError> {
        let key = proof.key().clone();
        Self::new(proof, &key, &[], VerifyOptions::min_bits(0))
    }

    /// The proof.
    pub const fn proof(&self) -> &P {
        &self.proof
    }

    /// The report of its verification.
    pub const fn report(&self) -> &Report {
        &self.report
    }
}
