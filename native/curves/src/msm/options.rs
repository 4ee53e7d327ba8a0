//! Options of a multi-scalar multiplication.

use std::sync::Arc;

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::BigInt;

use super::curve::MsmCurve;
use super::scan::Scalars;
use super::trace::{Record, Sink};
use super::window::MAX_WINDOW;
use super::{CostModel, MAX_TERMS, MsmError, plan};

/// The field arithmetic that a call uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldBackend {
    /// The fastest one that this machine has and the curve allows.
    #[default]
    Auto,
    /// arkworks' own fields, on any machine.
    Portable,
    /// AVX-512 IFMA in 5 limbs of 52 bits, for fields of 4 limbs and at most 255 bits.
    Ifma,
}

/// When a technique is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Toggle {
    /// Where it is expected to save time.
    #[default]
    Auto,
    /// Wherever it is possible.
    On,
    /// Never.
    Off,
}

/// Default for [`Msm::memory`]: 256 MiB.
pub(super) const MEMORY: usize = 256 << 20;

/// Options of a multi-scalar multiplication. They affect time and memory, never the result.
#[derive(Clone, Debug, Default)]
pub struct Msm {
    pub(super) threads: Option<usize>,
    pub(super) window: Option<u32>,
    pub(super) backend: FieldBackend,
    pub(super) endomorphism: Toggle,
    pub(super) duplicates: Toggle,
    pub(super) model: Option<CostModel>,
    pub(super) memory: Option<usize>,
    pub(super) label: String,
    pub(super) sink: Sink,
}

impl Msm {
    /// The default options: everything is chosen automatically.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of workers; by default the number of threads of the current rayon pool.
    /// Workers run on that pool; no threads are started.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Sets the bits of a window, 2 to 20; by default the cost model chooses them.
    pub fn window(mut self, window: u32) -> Self {
        self.window = Some(window);
        self
    }

    /// Sets the field arithmetic; by default the fastest available.
    pub fn backend(mut self, backend: FieldBackend) -> Self {
        self.backend = backend;
        self
    }

    /// Sets when scalars are split by the endomorphism. It only applies to curves with `a = 0` and
    /// prime order: for other curves, [`Toggle::On`] has no effect.
    pub fn endomorphism(mut self, toggle: Toggle) -> Self {
        self.endomorphism = toggle;
        self
    }

    /// Sets when terms with equal scalars are joined.
    pub fn duplicates(mut self, toggle: Toggle) -> Self {
        self.duplicates = toggle;
        self
    }

    /// Sets the cost model that chooses windows; by default the one fitted to the backend.
    pub fn cost_model(mut self, model: CostModel) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the bytes of working memory below which a batch of [`Msm::sum_batch`] should stay; by
    /// default 256 MiB. A single vector takes what it needs, even if that is more.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Sets the label that the records of this call carry.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets a function that receives the record of each sum, in addition to the `tracing` event.
    pub fn trace(mut self, sink: impl Fn(&Record) + Send + Sync + 'static) -> Self {
        self.sink = Sink(Some(Arc::new(sink)));
        self
    }

    /// Returns `sum_i scalars[i] bases[i]`.
    ///
    /// # Errors
    /// Returns [`MsmError`] if the lengths differ or exceed [`MAX_TERMS`], the window is out of
    /// range, or the backend is not available.
    pub fn sum<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        scalars: &[C::ScalarField],
    ) -> Result<Projective<C>, MsmError> {
        self.sum_of(bases, Scalars::Elements(scalars))
    }

    /// Like [`Msm::sum`], for scalars given as integers, which may exceed the group's order.
    pub fn sum_bigint<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        scalars: &[BigInt<4>],
    ) -> Result<Projective<C>, MsmError> {
        self.sum_of(bases, Scalars::Integers(scalars))
    }

    fn sum_of<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        scalars: Scalars<'_, C::ScalarField>,
    ) -> Result<Projective<C>, MsmError> {
        self.check(bases.len(), scalars.len())?;
        let mut sums = plan::run(self, bases, &[scalars])?;
        Ok(sums.pop().unwrap_or_default())
    }

    /// Returns one sum for each vector of scalars, each over as many of the first bases as the
    /// vector has scalars. Bases are converted only once.
    ///
    /// # Errors
    /// As for [`Msm::sum`]; a vector may be shorter than the list of bases, but not longer.
    pub fn sum_batch<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        vectors: &[&[C::ScalarField]],
    ) -> Result<Vec<Projective<C>>, MsmError> {
        for vector in vectors {
            self.check(bases.len().min(vector.len()), vector.len())?;
        }
        let scalars = vectors.iter().map(|vector| Scalars::Elements(vector));
        plan::run(self, bases, &scalars.collect::<Vec<_>>())
    }

    pub(super) fn workers(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    fn check(&self, bases: usize, scalars: usize) -> Result<(), MsmError> {
        if bases != scalars {
            return Err(MsmError::LengthMismatch { bases, scalars });
        }
        if bases > MAX_TERMS {
            return Err(MsmError::TooManyTerms(bases));
        }
        match self.window {
            Some(window) if !(2..=MAX_WINDOW).contains(&window) => Err(MsmError::Window(window)),
            _ => Ok(()),
        }
    }
}
