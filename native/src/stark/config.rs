//! FRI settings and the Plonky3 configuration made from them.

use p3_challenger::CanObserve;
use p3_commit::ExtensionMmcs;
use p3_fri::FriParameters;
use p3_uni_stark::StarkConfig;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::field::F;
use crate::stark::suite::{Config, HashSuite, Pcs};

/// Largest number of bits of a single proof of work. A nonce is one of `2^30.99` field elements: at
/// 24 bits none of them passes with probability `(1 - 2^-24)^p < 2^-183`, at 30 bits with `2^-2.9`.
pub const MAX_GRINDING_BITS: usize = 24;

/// The parameters of FRI, of the Merkle caps and of the proofs of work.
///
/// Settings are part of a verification key: prover and verifier must use the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FriSettings {
    /// Logarithm of the blowup factor, 1 to 8.
    pub log_blowup: usize,
    /// Logarithm of the number of coefficients of the polynomial at which folding stops.
    pub log_final_poly_len: usize,
    /// Logarithm of the largest folding factor of a round, 1 to 8.
    pub max_log_arity: usize,
    /// Number of queries, at least 1.
    pub num_queries: usize,
    /// Bits of grinding before the challenge that combines all openings.
    pub batch_grinding_bits: usize,
    /// Bits of grinding before each folding challenge.
    pub commit_grinding_bits: usize,
    /// Bits of grinding before the queries.
    pub query_grinding_bits: usize,
    /// Bits of grinding before the challenges of the lookup argument.
    pub lookup_grinding_bits: usize,
    /// Bits of grinding before the out-of-domain point.
    pub ood_grinding_bits: usize,
    /// Logarithm of the number of digests of a Merkle cap, which is the commitment.
    pub cap_height: usize,
}

/// Settings with which no proof can be made or verified.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SettingsError {
    /// A field is outside its range.
    #[error("FRI setting {field} is {value}, expected {min} to {max}")]
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: usize,
        /// Smallest allowed value.
        min: usize,
        /// Largest allowed value.
        max: usize,
    },
}

/// Defines the functions that list all fields of settings, of which none can be forgotten here: they
/// are destructured.
macro_rules! numbers {
    ($($field:ident),* $(,)?) => {
        /// All fields, in a fixed order, for digests.
        pub const fn numbers(&self) -> [usize; [$(stringify!($field)),*].len()] {
            let Self { $($field),* } = *self;
            [$($field),*]
        }

        /// All fields with their names, in the same order.
        pub const fn fields(&self) -> [(&'static str, usize); [$(stringify!($field)),*].len()] {
            let Self { $($field),* } = *self;
            [$((stringify!($field), $field)),*]
        }
    };
}

pub(crate) use numbers;

impl FriSettings {
    /// Few queries and no grinding, for tests and examples. These settings have no security.
    pub const fn toy() -> Self {
        Self {
            log_blowup: 2,
            log_final_poly_len: 0,
            max_log_arity: 3,
            num_queries: 4,
            batch_grinding_bits: 0,
            commit_grinding_bits: 0,
            query_grinding_bits: 0,
            lookup_grinding_bits: 0,
            ood_grinding_bits: 0,
            cap_height: 0,
        }
    }

    /// Checks every field against the range with which a proof can be made.
    ///
    /// # Errors
    /// Returns the first field that is out of range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let grinding = |field, bits| (field, bits, 0, MAX_GRINDING_BITS);
        let ranges = [
            ("log_blowup", self.log_blowup, 1, 8),
            ("log_final_poly_len", self.log_final_poly_len, 0, 16),
            ("max_log_arity", self.max_log_arity, 1, 8),
            ("num_queries", self.num_queries, 1, 1024),
            grinding("batch_grinding_bits", self.batch_grinding_bits),
            grinding("commit_grinding_bits", self.commit_grinding_bits),
            grinding("query_grinding_bits", self.query_grinding_bits),
            grinding("lookup_grinding_bits", self.lookup_grinding_bits),
            grinding("ood_grinding_bits", self.ood_grinding_bits),
            ("cap_height", self.cap_height, 0, 16),
        ];
        for (field, value, min, max) in ranges {
            if !(min..=max).contains(&value) {
                return Err(SettingsError::OutOfRange {
                    field,
                    value,
                    min,
                    max,
                });
            }
        }
        Ok(())
    }

    numbers! {
        log_blowup,
        log_final_poly_len,
        max_log_arity,
        num_queries,
        batch_grinding_bits,
        commit_grinding_bits,
        query_grinding_bits,
        lookup_grinding_bits,
        ood_grinding_bits,
        cap_height,
    }

    /// The blowup factor `2^log_blowup`.
    pub const fn blowup(&self) -> usize {
        1 << self.log_blowup
    }

    /// The part of the settings that Plonky3's commitment scheme takes, in its own type.
    pub const fn parameters<M>(&self, mmcs: M) -> FriParameters<M> {
        FriParameters {
            log_blowup: self.log_blowup,
            log_final_poly_len: self.log_final_poly_len,
            max_log_arity: self.max_log_arity,
            num_queries: self.num_queries,
            batch_proof_of_work_bits: self.batch_grinding_bits,
            commit_proof_of_work_bits: self.commit_grinding_bits,
            query_proof_of_work_bits: self.query_grinding_bits,
            mmcs,
        }
    }
}

/// The polynomial commitment scheme of hash suite `H` with these settings.
///
/// # Errors
/// If the settings are out of range.
pub fn pcs<H: HashSuite>(settings: &FriSettings) -> Result<Pcs<H>, SettingsError> {
    settings.validate()?;
    let mmcs = H::val_mmcs(settings.cap_height);
    let parameters = settings.parameters(ExtensionMmcs::new(mmcs.clone()));
    Ok(Pcs::new(mmcs, parameters))
}

/// The configuration of hash suite `H` with these settings, for `p3-uni-stark` and
/// `p3-batch-stark`.
///
/// The transcript absorbs `seed` before anything else. Plonky3's transcript binds the shape of a
/// proof but neither the constraints nor the lookups, so the caller must pass a seed that
/// determines them, such as a key digest. With an empty seed the transcript is Plonky3's own.
///
/// # Errors
/// If the settings are out of range.
pub fn config<H: HashSuite>(
    settings: &FriSettings,
    seed: &[F],
) -> Result<Config<H>, SettingsError> {
    let pcs = pcs::<H>(settings)?;
    let mut challenger = H::challenger();
    challenger.observe_slice(seed);
    Ok(StarkConfig::new(pcs, challenger)
        .with_lookup_proof_of_work_bits(settings.lookup_grinding_bits)
        .with_ood_proof_of_work_bits(settings.ood_grinding_bits))
}
