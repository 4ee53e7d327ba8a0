//! The verifier of one proof over FRI.

use std::sync::OnceLock;

use droste_native::stark::security::Security;
use droste_native::stark::suite::{OpeningError, SuiteCap};
use droste_native::{Commitment, Config, F, FriSettings, HashSuite};
use p3_batch_stark::{BatchVerificationError, CommonData, VerificationError};
use p3_fri::fold_schedule;

use super::Proof;
use super::key::{MachineKey, common_data, of_machine};
use crate::key::{Key, KeyDigest, KeyError, KeyHeights};
use crate::lookups::row_weight;
use crate::machine::{Machine, Provable};

use crate::report::{TableReport, security, table_reports};
use crate::traces::public_values;
use crate::verifier::{
    Report, VerifyError, VerifyOptions, check_bits, check_claims, check_heights,
};

/// Verifies `proof` against `key`: that it has a statement that begins with `expected`, and what
/// `options` ask for.
///
/// The remaining elements of the statement are in the report: the outputs that the program
/// computed, and zeros. To verify many proofs of one key, make a [`Verifier`] once.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify<H: HashSuite, T: Provable<H>>(
    key: &Key<H>,
    expected: &[F],
    options: VerifyOptions,
    proof: &Proof<H>,
) -> Result<Report, VerifyError> {
    Verifier::<H, T>::new(key.clone())?.verify(expected, options, proof)
}

/// A checked key with everything that is needed to verify proofs of it.
pub struct Verifier<H: HashSuite, T> {
    key: Key<H>,
    /// Digest of the key, computed when it is needed: it absorbs the whole commitment to the
    /// program, which may be megabytes in a key from outside, and cheaper checks come before.
    digest: OnceLock<KeyDigest>,
    machine: Machine<T>,
    common: CommonData<Config<H>>,
}

impl<H: HashSuite, T: Provable<H>> Verifier<H, T> {
    /// Checks a key and prepares it for verifying proofs.
    ///
    /// # Errors
    /// If no proof of this key can be accepted.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn new(key: Key<H>) -> Result<Self, VerifyError> {
        let made = of_machine::<H, T>(
            key.settings,
            &key.tables,
            key.heights.clone(),
            key.program_log_height,
            Some(&key.program),
        )?;
        key.check(&made.key).map_err(KeyError::from)?;
        Ok(Self::of(made))
    }

    /// Prepares what verifying proofs of all programs on one machine has in common. Its key is that
    /// of no program: the digests of its commitment are all zero.
    ///
    /// # Errors
    /// If no program can have such a key.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn of_machine(
        settings: FriSettings,
        tables: &[String],
        heights: KeyHeights,
        program_log_height: usize,
    ) -> Result<Self, KeyError> {
        let made = of_machine::<H, T>(settings, tables, heights, program_log_height, None)?;
        Ok(Self::of(made))
    }

    fn of(made: MachineKey<H, T>) -> Self {
        let MachineKey {
            key,
            machine,
            lookups,
        } = made;
        let commitment = Commitment::<H>::from_digests(key.program.clone());
        Self {
            common: common_data::<H, T>(&machine, lookups, commitment),
            digest: OnceLock::new(),
            key,
            machine,
        }
    }

    /// Returns the key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    fn digest(&self) -> KeyDigest {
        *self.digest.get_or_init(|| self.key.digest())
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.machine
    }

    /// Returns Plonky3's form of the key.
    pub fn common(&self) -> &CommonData<Config<H>> {
        &self.common
    }

    /// Verifies one proof; see [`verify`].
    ///
    /// # Errors
    /// Why the proof is rejected.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn verify(
        &self,
        expected: &[F],
        options: VerifyOptions,
        proof: &Proof<H>,
    ) -> Result<Report, VerifyError> {
        check_claims(&self.key, expected, &proof.key, &proof.statement)?;
        let (tables, security) = self.shape(&proof.batch.degree_bits)?;
        check_bits(options, &security)?;
        self.check_caps(proof)?;
        self.verify_batch(proof)?;
        Ok(Report {
            key: self.digest(),
            statement: proof.statement,
            tables,
            security,
        })
    }

    /// Returns the tables and the proven security of proofs of these heights, given as one
    /// logarithm per table.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
    pub fn shape(
        &self,
        log_heights: &[usize],
    ) -> Result<(Vec<TableReport>, Security), VerifyError> {
        let (tables, lookups) = (self.machine.tables(), &self.common.lookups);
        let weights = lookups.iter().map(|lookups| row_weight(lookups));
        check_heights(&self.key, tables, weights, log_heights)?;
        let tables = table_reports(tables, lookups, log_heights);
        let security = security::<H>(&self.key.settings, &tables);
        Ok((tables, security))
    }

    /// Checks that every commitment has exactly as many digests as its tree has. Plonky3 0.8.0
    /// accepts more, absorbs them and never compares them with anything.
    fn check_caps(&self, proof: &Proof<H>) -> Result<(), VerifyError> {
        let settings = &self.key.settings;
        let commitments = &proof.batch.commitments;
        let mut log_heights: Vec<usize> = proof
            .batch
            .degree_bits
            .iter()
            .map(|log_height| log_height + settings.log_blowup)
            .collect();
        log_heights.sort_unstable_by(|a, b| b.cmp(a));
        log_heights.dedup();
        let tallest = log_heights.first().copied().unwrap_or(0);
        let check = |name: &str, digests: &[H::Digest], log_height: usize| {
            let expected = 1 << settings.cap_height.min(log_height);
            if digests.len() == expected {
                return Ok(());
            }
            Err(VerifyError::CapSize {
                commitment: name.to_owned(),
                expected,
                found: digests.len(),
            })
        };
        check("main", commitments.main.digests(), tallest)?;
        check("quotient", commitments.quotient_chunks.digests(), tallest)?;
        if let Some(commitment) = &commitments.permutation {
            check("lookup", commitment.digests(), tallest)?;
        }
        let schedule = fold_schedule(
            &log_heights,
            settings.log_blowup + settings.log_final_poly_len,
            settings.max_log_arity,
        );
        let mut log_height = tallest;
        let rounds = &proof.batch.opening_proof.commit_phase_commits;
        for (round, (commitment, log_arity)) in rounds.iter().zip(schedule).enumerate() {
            log_height -= log_arity;
            check(
                &format!("folding round {round}"),
                commitment.digests(),
                log_height,
            )?;
        }
        Ok(())
    }

    fn verify_batch(&self, proof: &Proof<H>) -> Result<(), VerifyError> {
        let tables = self.machine.tables();
        let public_values: Vec<Vec<F>> = tables
            .iter()
            .map(|table| public_values(table, &proof.statement))
            .collect();
        let config = droste_native::config::<H>(&self.key.settings, &self.digest().0);
        let config = config.map_err(KeyError::from)?;
        let verify = T::stark().verify_batch;
        verify(&config, tables, &proof.batch, &public_values, &self.common)
            .map_err(|error| self.rejection(error))
    }

    fn rejection(&self, error: BatchVerificationError<OpeningError>) -> VerifyError {
        match error {
            BatchVerificationError::Verification(error) => match error {
                VerificationError::OodEvaluationMismatch { index } => VerifyError::Constraints {
                    table: index
                        .and_then(|index| self.machine.tables().get(index))
                        .map_or("unknown", |table| table.name()),
                },
                VerificationError::InvalidOpeningArgument(error) => {
                    VerifyError::Openings(Box::new(error))
                }
                error => VerifyError::Shape(Box::new(error)),
            },
            BatchVerificationError::Lookup(error) => VerifyError::Lookups(Box::new(error)),
            BatchVerificationError::Transcript(error) => VerifyError::Grinding(error),
        }
    }
}
