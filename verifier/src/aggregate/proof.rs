//! Verified proofs of ordinary programs.

use droste_native::F;
use droste_vm::isa::Program;
use droste_vm::key::Key;
use droste_vm::machine::{MachineTables, StandardTables};
use droste_vm::stack::{Proves, Verify};
use droste_vm::verifier::{Report, VerifyError, VerifyOptions, verify_program};

use crate::circuit::{Children, LeafProof, MachineProof, Openings, OwnMachine};

/// The proof of an ordinary program, verified natively. It may be of either stack, in any hash, and
/// on any machine.
#[derive(Debug)]
pub struct VerifiedProof<P> {
    proof: P,
    report: Report,
    /// Its machine, unless that is the standard one.
    machine: Option<OwnMachine>,
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
        Ok(Self {
            proof,
            report,
            machine: None,
        })
    }

    /// Like [`Self::new`], for a proof on a machine with the tables `T`.
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn new_on<T: MachineTables>(
        proof: P,
        key: &Key<P::System>,
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<Self, VerifyError>
    where
        P: MachineProof<T>,
    {
        let verifier = <P::System as Proves<T>>::verifier(key.clone())?;
        let report = verifier.report(expected, options, &proof)?;
        Ok(Self::on::<T>(proof, report))
    }

    /// Like [`Self::of_program`], for a proof on a machine with the tables `T`.
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn of_program_on<T: MachineTables>(
        proof: P,
        program: impl AsRef<Program>,
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<Self, VerifyError>
    where
        P: MachineProof<T>,
    {
        let report = verify_program::<P::System, T>(program, expected, options, &proof)?;
        Ok(Self::on::<T>(proof, report))
    }

    /// A verified proof on a machine with the tables `T`. Where the program calls no precompile of
    /// the caller's own, this may be the standard machine, and then anyone can derive the keys of
    /// its wraps.
    fn on<T: MachineTables>(proof: P, report: Report) -> Self
    where
        P: MachineProof<T>,
    {
        let standard = <P::System as Proves<StandardTables>>::verifier(proof.key().clone());
        let machine = standard.is_err().then(OwnMachine::of::<P, T>);
        Self {
            proof,
            report,
            machine,
        }
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
        Ok(Self {
            proof,
            report,
            machine: None,
        })
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

    /// Its machine, unless that is the standard one.
    pub(super) const fn machine(&self) -> Option<OwnMachine> {
        self.machine
    }

    /// The proof as the only child of a recursion program, which verifies its openings in one way. On
    /// a machine of the caller's own that is by tables.
    pub(super) fn children(&self, openings: Openings) -> Children {
        let shape = self.proof.shape();
        match self.machine {
            None => Children::leaf(shape, openings),
            Some(_) => Children::OwnMachine {
                shape,
                identity: self.proof.key().machine_id,
            },
        }
    }
}
