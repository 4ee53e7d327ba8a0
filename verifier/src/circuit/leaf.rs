//! Proofs of programs that circuits verify, in either stack and in any hash.

use std::fmt::Debug;

use droste_gadgets::NativeTape;
use droste_vm::fri::{self, Verifier};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::report::TableReport;
use droste_vm::stack::{Proves, RunProof};
use droste_vm::verifier::{Report, VerifyError};
use droste_vm::whir;

use super::{ChildShape, RecursionCircuit, Result};
use crate::resources::{estimated_bytes, estimated_bytes_over_whir};
use crate::tape::TapeSuite;

/// A proof of a run, which a recursion program can verify. Its type does not say on which machine:
/// without more, it is the standard one ([`MachineProof`](super::MachineProof) is for others).
pub trait LeafProof: RunProof<System: Proves<StandardTables, Proof = Self>> + Debug {
    /// The hints with which a circuit's program accepts such proofs ([`RecursionCircuit::tape`]).
    ///
    /// # Errors
    /// If the circuit is for other proofs, or its program rejects them.
    fn tape(circuit: &RecursionCircuit, children: &[&Self]) -> Result<NativeTape>;

    /// Number of queries; over WHIR to the commitment to the tables, later ones have fewer.
    fn queries(&self) -> usize;

    /// Number of base field elements that such a query opens, if this is the report of the proof.
    fn opened_per_query(&self, report: &Report) -> usize;

    /// Estimates the bytes of memory that a proof needs which this verifier accepts and whose
    /// tables have these heights.
    ///
    /// # Errors
    /// If there is no such proof.
    fn estimated_bytes(
        verifier: &<Self::System as Proves<StandardTables>>::Verifier,
        log_heights: &[usize],
    ) -> Result<usize, VerifyError>;

    /// Everything that a recursion program takes as given of the proof.
    fn shape(&self) -> ChildShape {
        ChildShape::new(self.key(), self.log_heights())
    }
}

impl<H: TapeSuite> LeafProof for fri::Proof<H>
where
    StandardTables: Provable<H>,
{
    fn tape(circuit: &RecursionCircuit, children: &[&Self]) -> Result<NativeTape> {
        super::fri::tape(circuit, children)
    }

    fn queries(&self) -> usize {
        self.key.settings.num_queries
    }

    fn opened_per_query(&self, report: &Report) -> usize {
        let tables = report.tables.iter();
        tables.map(TableReport::opened_elements).sum()
    }

    fn estimated_bytes(
        verifier: &Verifier<H, StandardTables>,
        log_heights: &[usize],
    ) -> Result<usize, VerifyError> {
        let (tables, _) = verifier.shape(log_heights)?;
        Ok(estimated_bytes(&tables, &verifier.key().settings))
    }
}

impl<H: TapeSuite> LeafProof for whir::Proof<H> {
    fn tape(circuit: &RecursionCircuit, children: &[&Self]) -> Result<NativeTape> {
        super::whir::tape(circuit, children)
    }

    fn queries(&self) -> usize {
        self.stark.opening.first_queries()
    }

    fn opened_per_query(&self, _: &Report) -> usize {
        self.stark.opening.first_opened()
    }

    fn estimated_bytes(
        verifier: &whir::Verifier<StandardTables, H>,
        log_heights: &[usize],
    ) -> Result<usize, VerifyError> {
        let (scheme, shape) = verifier.shape(log_heights)?;
        Ok(estimated_bytes_over_whir(&scheme, &shape))
    }
}

/// Evaluates an expression with the type of the proofs of a stack, committed in a hash, as the type
/// `$proof`: the one place where code that is generic over [`LeafProof`] is chosen at run time.
macro_rules! with_proof {
    ($stack:expr, $hash:expr, $proof:ident => $body:expr) => {
        match $stack {
            droste_vm::stack::Stack::Fri => droste_native::with_suite!($hash, H => {
                type $proof = droste_vm::fri::Proof<H>;
                $body
            }),
            droste_vm::stack::Stack::Whir => droste_native::with_suite!($hash, H => {
                type $proof = droste_vm::whir::Proof<H>;
                $body
            }),
        }
    };
}

pub(crate) use with_proof;
