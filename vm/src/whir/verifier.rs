//! The verifier of one proof over WHIR.
//!
//! No proof and no key makes it panic, and no header of a proof determines unbounded work: tables
//! are those of the machine, heights at most `2^log_block`, and there is no loop over rows. It
//! checks key, statement and heights, then what each part of the protocol checks
//! (docs/notes/whir-protocol.md):
//!
//! - [`droste_native::gkr::verify`]: the fractions of all messages add up to zero;
//! - [`crate::whir::zerocheck`]: constraints are zero, and the fractions are the messages';
//! - [`droste_native::whir::Scheme::verify`]: the opened values are those of the columns.

use std::sync::{Arc, OnceLock};

use droste_native::stark::challenger::Transcript;
use droste_native::stark::security::Security;
use droste_native::whir::{Scheme, WhirSettings, check_work};
use droste_native::{F, HashSuite, Poseidon16Suite, gkr};

use super::key::{self, Key, Parts, Provable};
use super::proof::{Proof, claims, observe_shape, sample_lookups};
use super::security::security;
use crate::key::{KeyError, KeyHeights};
use crate::machine::Machine;
use crate::report::{TableReport, plain_shape};
use crate::verifier::{
    Report, VerifyError, VerifyOptions, check_bits, check_claims, check_heights,
};
use crate::whir::system::{Shape, System};
use crate::whir::zerocheck::{self, LeafClaim};

/// A checked key with everything that is needed to verify proofs of it.
pub struct Verifier<T, H: HashSuite = Poseidon16Suite> {
    key: Key<H>,
    parts: Arc<Parts<T>>,
    /// That of the first proof. Further proofs mostly have the same heights.
    known: Arc<OnceLock<Arc<OfHeights<H>>>>,
}

/// What depends on the heights of a proof's tables.
struct OfHeights<H: HashSuite> {
    log_heights: Vec<usize>,
    scheme: Scheme<H>,
    shape: Shape,
    security: Security,
}

impl<T: Provable, H: HashSuite> Verifier<T, H> {
    /// Checks a key and prepares it for verifying proofs.
    ///
    /// # Errors
    /// If no proof of this key can be accepted.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn new(key: Key<H>) -> Result<Self, VerifyError> {
        let parts = key::check::<T, H>(&key)?;
        Ok(Self::of_parts(key, Arc::new(parts)))
    }

    /// The verifier of a key, with the parts that are its own.
    pub(super) fn of_parts(key: Key<H>, parts: Arc<Parts<T>>) -> Self {
        Self {
            key,
            parts,
            known: Arc::default(),
        }
    }

    /// The verifier of another key, if it differs from this one's in nothing but the program: then
    /// it need not be checked, since all that is computed of the machine is the same.
    pub fn of_program(&self, key: &Key<H>) -> Option<Self> {
        key.differs_only_in_program(&self.key).then(|| Self {
            key: key.clone(),
            parts: Arc::clone(&self.parts),
            known: Arc::clone(&self.known),
        })
    }

    /// The verifier of a machine without a program: its shapes, bits and constraints are those of
    /// all keys on a machine with these settings, tables and heights. Its key commits to no
    /// program, so no proof has it.
    ///
    /// # Errors
    /// If there are no such keys.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn of_machine(
        settings: WhirSettings,
        tables: &[String],
        heights: KeyHeights,
        program_log_height: usize,
    ) -> Result<Self, KeyError> {
        let (key, parts) =
            key::of_machine::<T, H>(settings, tables, heights, program_log_height, None)?;
        Ok(Self::of_parts(key, Arc::new(parts)))
    }

    /// Returns the key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.parts.layout.machine
    }

    /// Returns what is proved of the machine's tables.
    pub fn system(&self) -> &System {
        &self.parts.system
    }

    /// Returns the commitment scheme and the shape of proofs of these heights.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
    pub fn shape(&self, log_heights: &[usize]) -> Result<(Scheme<H>, Shape), VerifyError> {
        scheme_and_shape(&self.key, &self.parts, log_heights)
    }

    /// Verifies that a proof is one of this key, that it has a statement that begins with
    /// `expected`, and what `options` ask for.
    ///
    /// The remaining elements of the statement are in the report: the outputs that the program
    /// computed, and zeros.
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn verify(
        &self,
        expected: &[F],
        options: VerifyOptions,
        proof: &Proof<H>,
    ) -> Result<Report, VerifyError> {
        let challenger = &mut H::challenger();
        self.verify_with(expected, options, proof, challenger)
    }

    /// Verifies with this transcript, which has observed nothing. With any but a new one of the
    /// suite nothing is proved: this is for tests, whose transcripts have few challenges.
    ///
    /// # Errors
    /// Why the proof is rejected.
    #[doc(hidden)]
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn verify_with(
        &self,
        expected: &[F],
        options: VerifyOptions,
        proof: &Proof<H>,
        challenger: &mut dyn Transcript<H>,
    ) -> Result<Report, VerifyError> {
        check_claims(&self.key, expected, &proof.key, &proof.statement)?;
        let of_heights = self.of_heights(&proof.log_heights)?;
        let OfHeights {
            scheme,
            shape,
            security,
            ..
        } = &*of_heights;
        check_bits(options, security)?;
        accept(&self.key, &self.parts, scheme, shape, proof, challenger)?;
        Ok(Report {
            key: self.key.digest(),
            statement: proof.statement,
            tables: self.tables(&proof.log_heights),
            security: security.clone(),
        })
    }

    /// Returns the shapes of tables of these heights. They have no lookup columns.
    pub fn tables(&self, log_heights: &[usize]) -> Vec<TableReport> {
        let tables = self.parts.tables().iter().zip(&self.parts.constraints);
        tables
            .zip(log_heights)
            .map(|((table, &constraints), &log_height)| TableReport {
                name: table.name(),
                shape: plain_shape(table, constraints, log_height),
            })
            .collect()
    }

    /// Returns the proven security of proofs of these heights.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn security(&self, log_heights: &[usize]) -> Result<Security, VerifyError> {
        Ok(self.of_heights(log_heights)?.security.clone())
    }

    fn of_heights(&self, log_heights: &[usize]) -> Result<Arc<OfHeights<H>>, VerifyError> {
        let known = self.known.get();
        if let Some(known) = known.filter(|known| known.log_heights == log_heights) {
            return Ok(Arc::clone(known));
        }
        let (scheme, shape) = scheme_and_shape(&self.key, &self.parts, log_heights)?;
        let bits = self.key.settings.lookup_grinding_bits;
        let of_heights = Arc::new(OfHeights {
            log_heights: log_heights.to_vec(),
            security: security(&self.parts.system, &shape, &scheme, bits),
            scheme,
            shape,
        });
        // If a proof of other heights was first, this is computed anew every time.
        let _ = self.known.set(Arc::clone(&of_heights));
        Ok(of_heights)
    }
}

/// Checks the heights of a proof's tables. Returns the commitment scheme and the shape for them.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(super) fn scheme_and_shape<T: Provable, H: HashSuite>(
    key: &Key<H>,
    parts: &Parts<T>,
    log_heights: &[usize],
) -> Result<(Scheme<H>, Shape), VerifyError> {
    check_heights(
        key,
        parts.tables(),
        parts.weights.iter().copied(),
        log_heights,
    )?;
    let shape = Shape::new(&parts.system, log_heights)?;
    Ok((parts.scheme(&key.settings, log_heights)?, shape))
}

/// Verifies the proof of the tables with a new transcript. Key and statement must have been
/// checked; scheme and shape are those of the proof's heights ([`scheme_and_shape`]).
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(super) fn accept<T: Provable, H: HashSuite>(
    key: &Key<H>,
    parts: &Parts<T>,
    scheme: &Scheme<H>,
    shape: &Shape,
    proof: &Proof<H>,
    challenger: &mut dyn Transcript<H>,
) -> Result<(), VerifyError> {
    let (statement, log_heights) = (&proof.statement, &proof.log_heights);
    let (system, stark) = (&parts.system, &proof.stark);
    observe_shape(key, statement, log_heights, challenger);
    let commitment = stark.commitment.read(challenger);
    let mut claims_of = scheme.sample_outside(&stark.outside, challenger)?;
    let bits = key.settings.lookup_grinding_bits;
    check_work(challenger, &stark.lookup_nonces, bits, "lookups")?;
    let challenges = sample_lookups(challenger);
    let claim = gkr::verify(&stark.fractions, shape.log_leaves(), challenger)?;
    let claim = LeafClaim::from(claim);
    let reduction = zerocheck::verify(system, shape, &claim, &stark.zerocheck, challenger)?;
    let opened = stark.opened.read_sized(challenger, |opened| {
        zerocheck::check_lengths(system, opened)
    })?;
    zerocheck::check(
        system,
        shape,
        &claim,
        &challenges,
        statement,
        &reduction,
        opened,
    )?;
    let y = challenger.sample_extension();
    claims_of.extend(claims(system, scheme, &reduction.point, opened, y));
    scheme.verify(
        commitment,
        Some(&key::commitment(key)),
        &claims_of,
        &stark.opening,
        challenger,
    )?;
    Ok(())
}
