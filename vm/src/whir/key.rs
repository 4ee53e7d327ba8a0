//! Verification keys of proofs over WHIR.
//!
//! A [`Key`] fixes the machine (tables, constraints, lookups, settings, and heights unless the
//! prover may choose them) and, by the commitment to the preprocessed tables, the program. The
//! transcript absorbs its digest before anything else. Tags, versions and identities are others
//! than those of keys over FRI, so that no digest is that of keys of both stacks.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use droste_native::hash::poseidon16::Poseidon16;
use droste_native::stark::suite::SuiteCap;
use droste_native::stark::whir::{
    WhirCommitment, WhirCommitted, WhirProverError, WhirSettings, WhirSettingsError, WhirStark,
};
use droste_native::{DIGEST, F};
use p3_air::BaseAir;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::Lookups;
use p3_maybe_rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::provable::{Provable, StarkProvingError, StarkProvingKey, StarkVerifyingKey};
use super::table::{WhirTable, check_ends, check_lookups};
use crate::codec::short_list;
use crate::heights::{Heights, MAX_LOG_HEIGHT};
use crate::isa::Program;
use crate::key::{KeyDigest, KeyHeights, Layout, Limits, Message, lay_out};
use crate::machine::{MAX_TABLES, Machine, MachineError, MachineTables};
use crate::tables::program::ProgramTable;

/// Version of keys and proofs over WHIR. Every change of the meaning of either raises it.
pub const FORMAT_VERSION: u32 = 1;

/// Tag of a key's digest: the letters "wkey", in ASCII, big-endian.
pub const KEY_TAG: F = F::new(0x776b_6579);

/// Tag of a machine's identity: the letters "wmac", in ASCII, big-endian.
pub const MACHINE_TAG: F = F::new(0x776d_6163);

/// A verification key for proofs over WHIR, committed in Poseidon-16.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Settings of WHIR.
    pub settings: WhirSettings,
    /// Names of the machine's tables, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub tables: Vec<String>,
    /// Heights that the tables of proofs must have.
    pub heights: KeyHeights,
    /// Logarithm of the height of the program table.
    pub program_log_height: usize,
    /// Digests of the commitment to the program and to the fixed content of other tables.
    pub program: Vec<[F; DIGEST]>,
    /// Identity of the machine, computed from everything above except the program's commitment.
    pub machine_id: [F; DIGEST],
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("settings", &self.settings)
            .field("tables", &self.tables)
            .field("heights", &self.heights)
            .field("program_log_height", &self.program_log_height)
            .field("digest", &self.digest())
            .finish()
    }
}

impl Key {
    /// Returns the elements whose hash under [`KEY_TAG`] is the digest, in whole blocks of 8:
    /// version and height of the program, identity of the machine, digests of the commitment.
    pub fn preimage(&self) -> Vec<F> {
        let mut preimage = vec![
            F::from_u32(FORMAT_VERSION),
            F::from_usize(self.program_log_height),
        ];
        preimage.resize(DIGEST, F::ZERO);
        preimage.extend(self.machine_id);
        preimage.extend(self.program.iter().flatten());
        preimage
    }

    /// Returns the digest, which names the key and which transcripts absorb first.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Poseidon16.hash(KEY_TAG, &self.preimage()))
    }
}

/// Why no key can be made, or a key be used.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The settings are out of range, or have no parameters for the tables.
    #[error(transparent)]
    Settings(#[from] WhirSettingsError),
    /// The machine cannot run the program, or not at these heights.
    #[error(transparent)]
    Layout(#[from] crate::key::KeyError),
    /// The key's machine is not one of those known here.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The key fixes as many heights as there are no tables.
    #[error("the key fixes {found} heights for {expected} tables")]
    HeightCount {
        /// Number of tables.
        expected: usize,
        /// Number of heights.
        found: usize,
    },
    /// The commitment scheme failed.
    #[error("the fixed tables could not be committed to")]
    Commitment(#[from] WhirProverError),
    /// Plonky3 made no key.
    #[error("Plonky3 made no key")]
    SetUp(#[source] Box<StarkProvingError>),
}

/// The least and the largest height of a table with these settings.
pub(super) fn limits(settings: &WhirSettings) -> Limits {
    Limits {
        min: settings.min_log_height(),
        // One column of a table must fit the largest domain; all of them together are checked by
        // WHIR's parameters.
        max: MAX_LOG_HEIGHT.saturating_sub(settings.log_blowup),
    }
}

/// A machine with everything about it that does not depend on the program.
pub(super) struct Parts<T> {
    pub machine: Machine<T>,
    pub tables: Vec<WhirTable<T>>,
    pub lookups: Vec<Lookups<F>>,
    /// Logarithm of the number of preprocessed cells, rounded up.
    pub log_preprocessed: usize,
}

impl<T: Provable> Parts<T> {
    fn new(machine: Machine<T>) -> Result<Self, KeyError> {
        let tables = machine.tables().to_vec();
        let (tables, lookups): (Vec<_>, Vec<_>) =
            tables.into_par_iter().map(WhirTable::new).unzip();
        let names: Vec<_> = tables.iter().map(|table| table.table().name()).collect();
        check_lookups(&names, &lookups)?;
        check_ends(machine.tables())?;
        let fixed = tables.iter().filter_map(|table| {
            let log_height = table.table().fixed_log_height()?;
            Some((table.preprocessed_width(), log_height))
        });
        let log_preprocessed = log_cells(fixed)?;
        Ok(Self {
            machine,
            tables,
            lookups,
            log_preprocessed,
        })
    }

    /// The configuration for tables of these heights.
    pub fn config(
        &self,
        settings: &WhirSettings,
        log_heights: &[usize],
    ) -> Result<WhirStark, WhirSettingsError> {
        let widths = self.tables.iter().map(BaseAir::width);
        let log_cells = log_cells(widths.zip(log_heights.iter().copied()))?;
        WhirStark::new(settings, log_cells, self.log_preprocessed, None)
    }

    /// A configuration for committing to the preprocessed tables only. It is not for the tables of
    /// any run: its other scheme has the parameters of the preprocessed cells.
    fn fixed_config(
        &self,
        settings: &WhirSettings,
        known: Option<WhirCommitted>,
    ) -> Result<WhirStark, WhirSettingsError> {
        WhirStark::new(
            settings,
            self.log_preprocessed,
            self.log_preprocessed,
            known,
        )
    }

    /// The identity of the machine: the digest of everything that determines what its verifier
    /// computes, except committed content.
    fn machine_id(&self, settings: &WhirSettings, heights: &KeyHeights) -> [F; DIGEST] {
        let mut message = Message::default();
        message.number(FORMAT_VERSION as usize);
        message.text("p3-multi-stark 0.8.0, whir, poseidon16");
        message.numbers(&settings.numbers());
        match heights {
            KeyHeights::Free => message.number(0),
            KeyHeights::Fixed(heights) => {
                message.number(1);
                message.numbers(heights);
            }
        }
        message.number(self.tables.len());
        let parts: Vec<Message> = self
            .tables
            .par_iter()
            .zip(&self.lookups)
            .map(|(table, lookups)| {
                let mut part = Message::default();
                part.table(table.table().name(), table, lookups);
                part
            })
            .collect();
        parts.iter().for_each(|part| message.append(part));
        message.digest(MACHINE_TAG)
    }
}

/// Returns the logarithm of the number of cells of tables of these widths and logarithms of
/// heights, rounded up.
fn log_cells(shapes: impl Iterator<Item = (usize, usize)>) -> Result<usize, WhirSettingsError> {
    let uncountable = WhirSettingsError::Uncountable;
    let mut cells = 0_usize;
    for (width, log_height) in shapes {
        let height = 1_usize.checked_shl(u32::try_from(log_height).unwrap_or(u32::MAX));
        let of_table = height.and_then(|height| height.checked_mul(width));
        let sum = of_table.and_then(|of_table| cells.checked_add(of_table));
        cells = match sum {
            Some(sum) => sum,
            None => return Err(uncountable),
        };
    }
    cells
        .checked_next_power_of_two()
        .map(|cells| cells.ilog2() as usize)
        .ok_or(uncountable)
}

/// A key with everything that is needed to prove runs of its program, computed once.
pub struct ProvingKey<T> {
    pub(super) key: Key,
    pub(super) program: Arc<Program>,
    pub(super) heights: Heights,
    pub(super) parts: Parts<T>,
    pub(super) stark: StarkProvingKey,
    pub(super) verifying: StarkVerifyingKey,
}

impl<T> fmt::Debug for ProvingKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProvingKey")
            .field("key", &self.key)
            .field("heights", &self.heights)
            .finish_non_exhaustive()
    }
}

impl<T: Provable> ProvingKey<T> {
    /// Makes the key of `program` with these settings and heights.
    ///
    /// # Errors
    /// Anything that makes a proof impossible whatever the run is.
    pub fn new(
        program: &Program,
        settings: WhirSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        Self::with_precompiles(program, &BTreeSet::new(), settings, heights)
    }

    /// Like [`Self::new`], for a machine that has the tables of `precompiles` as well as those of
    /// the program.
    ///
    /// # Errors
    /// See [`Self::new`].
    pub fn with_precompiles(
        program: &Program,
        precompiles: &BTreeSet<u32>,
        settings: WhirSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        settings.validate()?;
        let layout = lay_out::<T>(program, precompiles, &heights, limits(&settings))?;
        let Layout {
            machine,
            heights: key_heights,
            program_log_height,
        } = layout;
        let parts = Parts::new(machine)?;
        if let KeyHeights::Fixed(list) = &key_heights {
            parts.config(&settings, list)?;
        }
        let contents = parts.machine.tables().iter();
        let contents: Vec<_> = contents
            .filter_map(|table| table.preprocessed_trace())
            .collect();
        let scheme = parts.fixed_config(&settings, None)?;
        let committed = scheme.preprocessed().commit_to(&contents)?;
        let key = Key {
            settings,
            tables: parts.machine.names(),
            program_log_height,
            program: committed.commitment.digests().to_vec(),
            machine_id: parts.machine_id(&settings, &key_heights),
            heights: key_heights,
        };
        let config = parts.fixed_config(&settings, Some(committed))?;
        let (stark, verifying) =
            T::set_up(&config, &parts.tables).map_err(|error| KeyError::SetUp(error.into()))?;
        Ok(Self {
            key,
            program: Arc::new(program.clone()),
            heights,
            parts,
            stark,
            verifying,
        })
    }

    /// Returns the verification key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.parts.machine
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

/// Checks a key from outside: settings and heights in range, a machine that is known here, the
/// identity of that machine, and as many digests as the commitment has. Returns the machine without
/// the content of the program.
pub(super) fn check<T: Provable + MachineTables>(
    key: &Key,
) -> Result<(Parts<T>, StarkVerifyingKey), KeyError> {
    key.settings.validate()?;
    let limits = limits(&key.settings);
    limits.check(key.program_log_height)?;
    if let KeyHeights::Fixed(list) = &key.heights {
        if list.len() != key.tables.len() {
            return Err(KeyError::HeightCount {
                expected: key.tables.len(),
                found: list.len(),
            });
        }
        for &log_height in list {
            limits.check(log_height)?;
        }
    }
    let program = ProgramTable::of_height(key.program_log_height);
    let machine = Machine::<T>::named(program, &key.tables)?;
    let parts = Parts::new(machine)?;
    // A commitment can only be made of a power of two of digests, so their number is compared before.
    let unknown = parts.fixed_config(&key.settings, None)?;
    let sizes = unknown.preprocessed().cap_sizes(&key.settings);
    let expected = sizes.first().copied().unwrap_or(0);
    if key.program.len() != expected {
        return Err(KeyError::Machine(MachineError::CapSize {
            expected,
            found: key.program.len(),
        }));
    }
    if parts.machine_id(&key.settings, &key.heights) != key.machine_id {
        return Err(KeyError::Machine(MachineError::Identity));
    }
    if let KeyHeights::Fixed(list) = &key.heights {
        parts.config(&key.settings, list)?;
    }
    let commitment = WhirCommitment::from_digests(key.program.clone());
    let config =
        parts.fixed_config(&key.settings, Some(WhirCommitted::without_data(commitment)))?;
    let (_, stark) =
        T::set_up(&config, &parts.tables).map_err(|error| KeyError::SetUp(error.into()))?;
    Ok((parts, stark))
}
