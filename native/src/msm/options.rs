//! Options of a call.

use std::sync::Arc;

use ark_ec::short_weierstrass::{Affine, Projective};
use ark_ff::BigInt;

use super::curve::MsmCurve;
use super::scan::Scalars;
use super::trace::{Record, Sink};
use super::window::MAX_WINDOW;
use super::{CostModel, MAX_TERMS, MsmError, call};

/// Which field arithmetic a call runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldBackend {
    /// The fastest this machine and the curve allow.
    #[default]
    Auto,
    /// arkworks' own fields, on any machine.
    Portable,
    /// AVX-512 IFMA in 5 limbs of 52 bits: fields of 4 limbs and at most 255 bits.
    Ifma,
}

/// Whether a technique is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Toggle {
    /// Where it is expected to pay.
    #[default]
    Auto,
    /// Wherever it is possible.
    On,
    /// Never.
    Off,
}

/// Default for [`Msm::memory`]: 256 MiB.
const MEMORY: usize = 256 << 20;

/// Options of a multi-scalar multiplication. The result never depends on them.
#[derive(Clone, Debug)]
pub struct Msm {
    pub(super) threads: Option<usize>,
    pub(super) window: Option<u32>,
    pub(super) backend: FieldBackend,
    pub(super) endomorphism: Toggle,
    pub(super) duplicates: Toggle,
    pub(super) model: Option<CostModel>,
    pub(super) memory: usize,
    pub(super) label: String,
    pub(super) sink: Sink,
}

impl Default for Msm {
    fn default() -> Self {
        Self {
            threads: None,
            window: None,
            backend: FieldBackend::Auto,
            endomorphism: Toggle::Auto,
            duplicates: Toggle::Auto,
            model: None,
            memory: MEMORY,
            label: String::new(),
            sink: Sink::default(),
        }
    }
}

impl Msm {
    /// All options on automatic.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of workers; by default the threads of the current rayon pool. Workers run on that
    /// pool: none is started.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Bits of a window, 2 to 20; by default what the cost model says.
    pub fn window(mut self, window: u32) -> Self {
        self.window = Some(window);
        self
    }

    /// The field arithmetic; by default the fastest there is.
    pub fn backend(mut self, backend: FieldBackend) -> Self {
        self.backend = backend;
        self
    }

    /// The endomorphism split; only curves with `a = 0` and prime order have it, however asked for.
    pub fn endomorphism(mut self, toggle: Toggle) -> Self {
        self.endomorphism = toggle;
        self
    }

    /// The joining of terms with equal scalars.
    pub fn duplicates(mut self, toggle: Toggle) -> Self {
        self.duplicates = toggle;
        self
    }

    /// The cost model that chooses windows; by default the one fitted to the backend.
    pub fn cost_model(mut self, model: CostModel) -> Self {
        self.model = Some(model);
        self
    }

    /// Bytes of working memory that a batch of [`Msm::sum_batch`] should stay below; a single vector
    /// takes what it needs.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// A name for the records of this call.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Where the record of each sum goes, besides `tracing`.
    pub fn trace(mut self, sink: impl Fn(&Record) + Send + Sync + 'static) -> Self {
        self.sink = Sink(Some(Arc::new(sink)));
        self
    }

    /// `sum_i scalars[i] bases[i]`.
    ///
    /// # Errors
    ///
    /// Returns [`MsmError`] if the lengths differ or exceed [`MAX_TERMS`], or an option cannot be
    /// followed.
    pub fn sum<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        scalars: &[C::ScalarField],
    ) -> Result<Projective<C>, MsmError> {
        self.check(bases.len(), scalars.len())?;
        let mut sums = call::run(self, bases, &[Scalars::Elements(scalars)])?;
        Ok(sums.pop().unwrap_or_default())
    }

    /// As [`Msm::sum`], for scalars as integers, which may exceed the group's order.
    ///
    /// # Errors
    ///
    /// As for [`Msm::sum`].
    pub fn sum_bigint<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        scalars: &[BigInt<4>],
    ) -> Result<Projective<C>, MsmError> {
        self.check(bases.len(), scalars.len())?;
        let mut sums = call::run(self, bases, &[Scalars::Integers(scalars)])?;
        Ok(sums.pop().unwrap_or_default())
    }

    /// One sum for each vector of scalars, over the first bases, as many as the vector has. Bases
    /// are converted once, and so are their images under the endomorphism.
    ///
    /// # Errors
    ///
    /// As for [`Msm::sum`], a vector being too long if there are fewer bases.
    pub fn sum_batch<C: MsmCurve>(
        &self,
        bases: &[Affine<C>],
        vectors: &[&[C::ScalarField]],
    ) -> Result<Vec<Projective<C>>, MsmError> {
        for vector in vectors {
            self.check(bases.len().min(vector.len()), vector.len())?;
        }
        let scalars = vectors.iter().map(|vector| Scalars::Elements(vector));
        call::run(self, bases, &scalars.collect::<Vec<_>>())
    }

    pub(super) fn workers(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }

    fn check(&self, bases: usize, scalars: usize) -> Result<(), MsmError> {
        if bases != scalars {
            return Err(MsmError::LengthMismatch { bases, scalars });
        }
        if bases > MAX_TERMS {
            return Err(MsmError::TooManyTerms { terms: bases });
        }
        match self.window {
            Some(window) if !(2..=MAX_WINDOW).contains(&window) => Err(MsmError::Window { window }),
            _ => Ok(()),
        }
    }
}
