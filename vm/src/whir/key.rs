//! Keys of proofs over WHIR: what a machine is committed to with, and its proving keys.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::Arc;

use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{Committed, Layout as Stack, Scheme, TableShape, WhirSettings};
use droste_native::{Commitment, EF, F, HashId, HashSuite, Poseidon16Suite};
use educe::Educe;
use p3_air::Air;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::heights::Heights;
use crate::isa::Program;
use crate::key::{
    self, KeyError, KeyHeights, Layout, Limits, Message, ProofSystem, SchemeError, digests,
    lay_out, named,
};
use crate::machine::{Machine, MachineTables};
use crate::multilinear::MIN_LOG_HEIGHT;
use crate::multilinear::tables::{Slots, System};

/// Version of keys over WHIR and of what their proofs mean. Every change of either raises it.
pub const FORMAT_VERSION: u32 = 4;

/// Tag of a key's digest: the letters "wkey", in ASCII, big-endian.
pub const KEY_TAG: F = F::new(0x776b_6579);

/// Tag of a machine's identity: the letters "wmac", in ASCII, big-endian.
pub const MACHINE_TAG: F = F::new(0x776d_6163);

/// Sumcheck, LogUp with GKR, and WHIR, committed in `H`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whir<H = Poseidon16Suite>(PhantomData<H>);

/// A verification key for proofs over WHIR.
pub type Key<H = Poseidon16Suite> = key::Key<Whir<H>>;

impl<H: HashSuite> ProofSystem for Whir<H> {
    type Settings = WhirSettings;
    type Digest = H::Digest;

    const HASH: HashId = H::ID;
    const VERSION: u32 = FORMAT_VERSION;
    const KEY_TAG: F = KEY_TAG;
    const MACHINE_TAG: F = MACHINE_TAG;

    fn name() -> String {
        format!("multilinear, whir, {}", H::NAME)
    }

    fn hash_number() -> Option<u32> {
        None
    }

    fn elements(digest: &H::Digest) -> Vec<F> {
        H::digest_elements(digest)
    }

    fn describe(settings: &WhirSettings, message: &mut Message) {
        message.numbers(&settings.numbers());
    }

    fn limits(settings: &WhirSettings) -> Limits {
        Limits {
            min: MIN_LOG_HEIGHT,
            // A column lies within one row of the stack.
            max: settings.log_block,
        }
    }
}

/// Tables that can be proved and verified over WHIR.
pub trait Provable: MachineTables + Air<InteractionSymbolicBuilder<F, EF>> {}

impl<T: MachineTables + Air<InteractionSymbolicBuilder<F, EF>>> Provable for T {}

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

    /// The key of a program with this commitment.
    fn key<H: HashSuite>(
        &self,
        settings: WhirSettings,
        heights: KeyHeights,
        program_log_height: usize,
        program: Vec<H::Digest>,
    ) -> Key<H> {
        let (machine, lookups) = (&self.machine, &self.lookups);
        Key::of(
            machine,
            lookups,
            settings,
            heights,
            program_log_height,
            program,
        )
    }

    /// The commitment scheme for tables of these heights.
    pub fn scheme<H: HashSuite>(
        &self,
        settings: &WhirSettings,
        log_heights: &[usize],
    ) -> Result<Scheme<H>, SchemeError> {
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
    fn fixed_scheme<H: HashSuite>(
        &self,
        settings: &WhirSettings,
    ) -> Result<Scheme<H>, SchemeError> {
        let tables = self.machine.tables().iter();
        let log_heights: Vec<usize> = tables
            .map(|table| table.fixed_log_height().unwrap_or(MIN_LOG_HEIGHT))
            .collect();
        self.scheme(settings, &log_heights)
    }

    /// The cells of the present preprocessed rows of a stack.
    fn preprocessed_cells<H: HashSuite>(&self, scheme: &Scheme<H>) -> Vec<F> {
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

/// A key with everything that is needed to prove runs of its program, computed once.
#[derive(Educe)]
#[educe(Debug)]
pub struct ProvingKey<T, H: HashSuite = Poseidon16Suite> {
    pub(super) key: Key<H>,
    #[educe(Debug(ignore))]
    pub(super) program: Arc<Program>,
    pub(super) heights: Heights,
    #[educe(Debug(ignore))]
    pub(super) parts: Parts<T>,
    /// The preprocessed columns.
    #[educe(Debug(ignore))]
    pub(super) preprocessed: Committed<H>,
}

impl<T: Provable, H: HashSuite> ProvingKey<T, H> {
    /// Makes the key of `program` with these settings and heights.
    ///
    /// # Errors
    /// Anything that makes a proof impossible whatever the run is.
    pub fn new(
        program: impl AsRef<Program>,
        settings: WhirSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        Self::with_precompiles(program.as_ref(), &BTreeSet::new(), settings, heights)
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
        let Layout {
            machine,
            heights: key_heights,
            program_log_height,
        } = lay_out::<Whir<H>, T>(program, precompiles, &settings, &heights)?;
        let parts = Parts::new(machine)?;
        if let KeyHeights::Fixed(list) = &key_heights {
            parts.scheme::<H>(&settings, list)?;
        }
        let scheme = parts.fixed_scheme::<H>(&settings)?;
        let preprocessed = scheme.commit(parts.preprocessed_cells(&scheme));
        let program_digests = preprocessed.cap().digests().to_vec();
        let key = parts.key(settings, key_heights, program_log_height, program_digests);
        Ok(Self {
            key,
            program: Arc::new(program.clone()),
            heights,
            parts,
            preprocessed,
        })
    }

    /// Returns the verification key.
    pub fn key(&self) -> &Key<H> {
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
pub(super) fn check<T: Provable, H: HashSuite>(key: &Key<H>) -> Result<Parts<T>, KeyError> {
    let (made, parts) = of_machine::<T, H>(
        key.settings,
        &key.tables,
        key.heights.clone(),
        key.program_log_height,
        Some(&key.program),
    )?;
    key.check(&made)?;
    Ok(parts)
}

/// Computes the key with these parameters and this commitment to a program; without one, a key of
/// no program, whose commitment is zeros.
pub(super) fn of_machine<T: Provable, H: HashSuite>(
    settings: WhirSettings,
    tables: &[String],
    heights: KeyHeights,
    program_log_height: usize,
    program: Option<&[H::Digest]>,
) -> Result<(Key<H>, Parts<T>), KeyError> {
    let machine = named::<Whir<H>, T>(&settings, tables, &heights, program_log_height)?;
    let parts = Parts::new(machine)?;
    let scheme = parts.fixed_scheme::<H>(&settings)?;
    if let KeyHeights::Fixed(list) = &heights {
        parts.scheme::<H>(&settings, list)?;
    }
    let program = digests(program, scheme.cap_size(&scheme.schedule().stack))?;
    let key = parts.key(settings, heights, program_log_height, program);
    Ok((key, parts))
}

/// The commitment to the preprocessed columns. A key that was checked has as many digests as it
/// needs, which is a power of two.
pub(super) fn commitment<H: HashSuite>(key: &Key<H>) -> Commitment<H> {
    SuiteCap::from_digests(key.program.clone())
}
