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
use droste_native::whir::settings::WhirSettingsError;
use droste_native::whir::{
    Cap, Committed, Layout as Stack, LayoutError, Scheme, TableShape, WhirSettings,
};
use droste_native::{DIGEST, EF, F};
use p3_air::Air;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::codec::short_list;
use crate::heights::Heights;
use crate::isa::Program;
use crate::key::{KeyDigest, KeyHeights, Layout, Limits, Message, lay_out};
use crate::machine::{MAX_TABLES, Machine, MachineError, MachineTables};
use crate::multilinear::MIN_LOG_HEIGHT;
use crate::multilinear::tables::{Slots, System, UnsupportedTable};
use crate::tables::program::ProgramTable;

/// Version of keys and proofs over WHIR. Every change of the meaning of either raises it.
pub const FORMAT_VERSION: u32 = 3;

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
    /// A table cannot be proved over WHIR.
    #[error(transparent)]
    Unsupported(#[from] UnsupportedTable),
    /// The tables cannot be stacked.
    #[error(transparent)]
    Stack(#[from] LayoutError),
}

/// Tables that can be proved and verified over WHIR.
pub trait Provable: MachineTables + Air<InteractionSymbolicBuilder<F, EF>> {}

impl<T: MachineTables + Air<InteractionSymbolicBuilder<F, EF>>> Provable for T {}

/// The least and the largest height of a table with these settings.
pub(super) const fn limits(settings: &WhirSettings) -> Limits {
    Limits {
        min: MIN_LOG_HEIGHT,
        // A column lies within one row of the stack.
        max: settings.log_block,
    }
}

/// A machine with everything about it that does not depend on the program.
pub(super) struct Parts<T> {
    pub machine: Machine<T>,
    pub system: System,
    pub lookups: Vec<Lookups<F>>,
}

impl<T: Provable> Parts<T> {
    fn new(machine: Machine<T>) -> Result<Self, KeyError> {
        let tables = machine.tables();
        let system = System::new(tables)?;
        let lookups = tables.par_iter().map(Lookups::from_air::<EF, T>).collect();
        Ok(Self {
            machine,
            system,
            lookups,
        })
    }

    /// The commitment scheme for tables of these heights.
    pub fn scheme(
        &self,
        settings: &WhirSettings,
        log_heights: &[usize],
    ) -> Result<Scheme, SchemeError> {
        settings.validate()?;
        let tables = self.machine.tables().iter().zip(log_heights);
        let shapes: Vec<TableShape> = tables
            .map(|(table, &log_height)| TableShape {
                log_height,
                width: table.width(),
                preprocessed_width: table.preprocessed_width(),
            })
            .collect();
        let stack = Stack::new(&shapes, settings.log_block)?;
        Ok(Scheme::new(settings, stack)?)
    }

    /// A commitment scheme for the preprocessed tables. Its other tables have the least height: how
    /// preprocessed columns are committed to does not depend on them.
    fn fixed_scheme(&self, settings: &WhirSettings) -> Result<Scheme, SchemeError> {
        let tables = self.machine.tables().iter();
        let log_heights: Vec<usize> = tables
            .map(|table| table.fixed_log_height().unwrap_or(MIN_LOG_HEIGHT))
            .collect();
        self.scheme(settings, &log_heights)
    }

    /// The identity of the machine: the digest of everything that determines what its verifier
    /// computes, except committed content.
    fn machine_id(&self, settings: &WhirSettings, heights: &KeyHeights) -> [F; DIGEST] {
        let mut message = Message::default();
        message.number(FORMAT_VERSION as usize);
        message.text("multilinear, whir, poseidon16");
        message.numbers(&settings.numbers());
        match heights {
            KeyHeights::Free => message.number(0),
            KeyHeights::Fixed(heights) => {
                message.number(1);
                message.numbers(heights);
            }
        }
        let tables = self.machine.tables();
        message.number(tables.len());
        let parts: Vec<Message> = tables
            .par_iter()
            .zip(&self.lookups)
            .map(|(table, lookups)| {
                let mut part = Message::default();
                part.table(table.name(), table, lookups);
                part
            })
            .collect();
        parts.iter().for_each(|part| message.append(part));
        message.digest(MACHINE_TAG)
    }

    /// The cells of the present preprocessed rows of a stack.
    fn preprocessed_cells(&self, scheme: &Scheme) -> Vec<F> {
        let stack = scheme.layout();
        let mut cells = F::zero_vec(stack.preprocessed_cells());
        let tables = self.machine.tables().iter().zip(self.system.tables());
        for (index, (table, system)) in tables.enumerate() {
            if let Some(trace) = table.preprocessed_trace() {
                let columns = |slot| stack.preprocessed_column(index, slot);
                fill(&mut cells, &system.preprocessed, &trace, columns);
            }
        }
        cells
    }
}

/// Writes the columns of a trace to their places among the cells of the present rows. `column` says
/// where a slot lies.
pub(super) fn fill(
    cells: &mut [F],
    slots: &Slots,
    trace: &RowMajorMatrix<F>,
    column: impl Fn(usize) -> Option<std::ops::Range<usize>>,
) {
    // The slots of a table lie one after the other.
    let Some(range) = column(0) else { return };
    let end = range.start + trace.values.len();
    if let Some(cells) = cells.get_mut(range.start..end) {
        slots.transpose(trace, cells);
    }
}

/// Tables for which there is no commitment scheme.
#[derive(Debug, Error)]
pub enum SchemeError {
    /// The settings are out of range, or have no parameters for the tables.
    #[error(transparent)]
    Settings(#[from] WhirSettingsError),
    /// The tables cannot be stacked.
    #[error(transparent)]
    Stack(#[from] LayoutError),
}

impl From<SchemeError> for KeyError {
    fn from(error: SchemeError) -> Self {
        match error {
            SchemeError::Settings(error) => Self::Settings(error),
            SchemeError::Stack(error) => Self::Stack(error),
        }
    }
}

/// A key with everything that is needed to prove runs of its program, computed once.
pub struct ProvingKey<T> {
    pub(super) key: Key,
    pub(super) program: Arc<Program>,
    pub(super) heights: Heights,
    pub(super) parts: Parts<T>,
    /// The preprocessed columns.
    pub(super) preprocessed: Committed,
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
            parts.scheme(&settings, list)?;
        }
        let scheme = parts.fixed_scheme(&settings)?;
        let preprocessed = scheme.commit(parts.preprocessed_cells(&scheme));
        let key = Key {
            settings,
            tables: parts.machine.names(),
            program_log_height,
            program: preprocessed.cap().digests().to_vec(),
            machine_id: parts.machine_id(&settings, &key_heights),
            heights: key_heights,
        };
        Ok(Self {
            key,
            program: Arc::new(program.clone()),
            heights,
            parts,
            preprocessed,
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
pub(super) fn check<T: Provable>(key: &Key) -> Result<Parts<T>, KeyError> {
    let (blank, parts) = of_machine::<T>(
        key.settings,
        &key.tables,
        key.heights.clone(),
        key.program_log_height,
    )?;
    // A commitment can only be made of a power of two of digests, so their number is compared
    // before.
    let (expected, found) = (blank.program.len(), key.program.len());
    if found != expected {
        return Err(KeyError::Machine(MachineError::CapSize { expected, found }));
    }
    if blank.machine_id != key.machine_id {
        return Err(KeyError::Machine(MachineError::Identity));
    }
    Ok(parts)
}

/// Computes what the keys of all programs on a machine with these settings, tables and heights
/// share. In the key, the commitment to the program is zeros.
pub(super) fn of_machine<T: Provable>(
    settings: WhirSettings,
    tables: &[String],
    heights: KeyHeights,
    program_log_height: usize,
) -> Result<(Key, Parts<T>), KeyError> {
    settings.validate()?;
    let limits = limits(&settings);
    limits.check(program_log_height)?;
    if let KeyHeights::Fixed(list) = &heights {
        if list.len() != tables.len() {
            return Err(KeyError::HeightCount {
                expected: tables.len(),
                found: list.len(),
            });
        }
        list.iter()
            .try_for_each(|&log_height| limits.check(log_height))?;
    }
    let program = ProgramTable::of_height(program_log_height);
    let parts = Parts::new(Machine::<T>::named(program, tables)?)?;
    let scheme = parts.fixed_scheme(&settings)?;
    if let KeyHeights::Fixed(list) = &heights {
        parts.scheme(&settings, list)?;
    }
    let key = Key {
        settings,
        tables: tables.to_vec(),
        program_log_height,
        program: vec![[F::ZERO; DIGEST]; scheme.cap_size(&scheme.schedule().stack)],
        machine_id: parts.machine_id(&settings, &heights),
        heights,
    };
    Ok((key, parts))
}

impl Key {
    /// The commitment to the preprocessed columns. A key that was checked has as many digests as it
    /// needs, which is a power of two.
    pub(super) fn commitment(&self) -> Cap {
        Cap::from_digests(self.program.clone())
    }
}
