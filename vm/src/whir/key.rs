//! Keys of proofs over WHIR: what a machine is committed to with, and its proving keys.

use std::marker::PhantomData;

use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{Layout as Stack, Scheme, WhirSettings};
use droste_native::{Commitment, EF, F, HashId, HashSuite, Poseidon16Suite};
use p3_air::Air;
use p3_lookup::InteractionSymbolicBuilder;
use p3_maybe_rayon::prelude::*;

use crate::key::{
    self, KeyError, KeyHeights, Layout, Limits, Message, ProofSystem, SchemeError, digests, named,
};
use crate::lookups::{Evaluated, constraint_shape, row_weight};
use crate::machine::MachineTables;
use crate::whir::expressions::{Expressions, Unsupported};
use crate::whir::hypercube::MIN_LOG_HEIGHT;
use crate::whir::system::System;

/// Version of keys over WHIR and of what their proofs mean. Every change of either raises it.
pub const FORMAT_VERSION: u32 = 5;

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
    pub layout: Layout<T>,
    pub system: System,
    /// What the identity says of each table.
    messages: Vec<Message>,
    /// Number and degree of each table's constraints.
    pub constraints: Vec<(usize, usize)>,
    /// A bound on the messages that a row of each table takes from buses.
    pub weights: Vec<u128>,
}

/// What [`Parts`] say of a table.
struct Described {
    expressions: Result<Expressions, Unsupported>,
    message: Message,
    constraints: (usize, usize),
    weight: u128,
}

/// Evaluates a table. The symbolic expressions, which take far more memory than what becomes of
/// them, are freed before the next table's are made in their place.
fn described<T: Provable>(table: &T) -> Described {
    let evaluated = Evaluated::new(table);
    let (identities, lookups) = (table.identities(), evaluated.lookups());
    Described {
        expressions: Expressions::of(table, &evaluated),
        message: Message::of_table(table.name(), table, &identities, &evaluated, &lookups),
        constraints: constraint_shape(&evaluated, &[]),
        weight: row_weight(&lookups),
    }
}

impl<T: Provable> Parts<T> {
    pub fn new(layout: Layout<T>) -> Result<Self, KeyError> {
        let tables = layout.machine.tables();
        let described: Vec<_> = tables.par_iter().map(described).collect();
        let (mut expressions, mut messages) = (vec![], vec![]);
        let (mut constraints, mut weights) = (vec![], vec![]);
        for table in described {
            expressions.push(table.expressions);
            messages.push(table.message);
            constraints.push(table.constraints);
            weights.push(table.weight);
        }
        Ok(Self {
            // It refuses exclusive lookups, which are missing in messages and weights.
            system: System::of(tables, expressions)?,
            messages,
            constraints,
            weights,
            layout,
        })
    }

    /// The key of a program with this commitment.
    pub fn key<H: HashSuite>(&self, settings: WhirSettings, program: Vec<H::Digest>) -> Key<H> {
        self.layout.key(settings, &self.messages, program)
    }

    /// The machine's tables.
    pub fn tables(&self) -> &[T] {
        self.layout.machine.tables()
    }

    /// The commitment scheme for tables of these heights.
    pub fn scheme<H: HashSuite>(
        &self,
        settings: &WhirSettings,
        log_heights: &[usize],
    ) -> Result<Scheme<H>, SchemeError> {
        settings.validate()?;
        let shapes = self.layout.machine.shapes(log_heights);
        let stack = Stack::new(&shapes, settings.log_block)?;
        Ok(Scheme::new(settings, stack)?)
    }

    /// A commitment scheme for the preprocessed tables. Its other tables have the least height: how
    /// preprocessed columns are committed to does not depend on them. Of heights that the key
    /// fixes there must be a scheme, too.
    pub fn fixed_scheme<H: HashSuite>(
        &self,
        settings: &WhirSettings,
    ) -> Result<Scheme<H>, SchemeError> {
        if let KeyHeights::Fixed(list) = &self.layout.heights {
            self.scheme::<H>(settings, list)?;
        }
        let tables = self.tables().iter();
        let log_heights: Vec<usize> = tables
            .map(|table| table.fixed_log_height().unwrap_or(MIN_LOG_HEIGHT))
            .collect();
        self.scheme(settings, &log_heights)
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
    let layout = named::<Whir<H>, T>(&settings, tables, heights, program_log_height)?;
    let parts = Parts::new(layout)?;
    let scheme = parts.fixed_scheme::<H>(&settings)?;
    let program = digests(program, scheme.cap_size(&scheme.schedule().stack))?;
    Ok((parts.key(settings, program), parts))
}

/// The commitment to the preprocessed columns. A key that was checked has as many digests as it
/// needs, which is a power of two.
pub(super) fn commitment<H: HashSuite>(key: &Key<H>) -> Commitment<H> {
    SuiteCap::from_digests(key.program.clone())
}
