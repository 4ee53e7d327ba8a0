//! Keys that prove runs of their program.

use std::collections::BTreeSet;
use std::sync::Arc;

use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{Committed, Scheme, WhirSettings};
use droste_native::{F, HashSuite, Poseidon16Suite};
use educe::Educe;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::key::{Key, Parts, Provable, Whir};
use super::verifier::Verifier;
use crate::heights::Heights;
use crate::isa::Program;
use crate::key::{KeyError, lay_out};
use crate::machine::Machine;
use crate::whir::system::Slots;

impl<T: Provable> Parts<T> {
    /// The cells of the present preprocessed rows of a stack.
    fn preprocessed_cells<H: HashSuite>(&self, scheme: &Scheme<H>) -> Vec<F> {
        let stack = scheme.layout();
        let mut cells = F::zero_vec(stack.preprocessed_cells());
        let tables = self.tables().iter().zip(self.system.tables());
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
    pub(super) parts: Arc<Parts<T>>,
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
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn with_precompiles(
        program: &Program,
        precompiles: &BTreeSet<u32>,
        settings: WhirSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        let layout = lay_out::<Whir<H>, T>(program, precompiles, &settings, &heights)?;
        let parts = Parts::new(layout)?;
        let scheme = parts.fixed_scheme::<H>(&settings)?;
        let preprocessed = scheme.commit(parts.preprocessed_cells(&scheme));
        Ok(Self {
            key: parts.key(settings, preprocessed.cap().digests().to_vec()),
            program: Arc::new(program.clone()),
            heights,
            parts: Arc::new(parts),
            preprocessed,
        })
    }

    /// Returns the verification key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    /// Returns the verifier of proofs of this key. It is that of [`Verifier::new`], but need not
    /// check the key, nor evaluate the machine's tables again.
    pub fn verifier(&self) -> Verifier<T, H> {
        Verifier::of_parts(self.key.clone(), Arc::clone(&self.parts))
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.parts.layout.machine
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }
}
