//! One side of a comparison: an AIR with a trace, which can be proved repeatedly.

use droste_native::{Blake3Suite, Config, F, FriSettings};
use p3_air::BaseAir;
use serde::Serialize;

use super::Arguments;
use super::evaluate::ROWS;
use crate::race::Times;

/// Figures of one table that was proved.
#[derive(Serialize)]
pub struct Figures {
    pub count: usize,
    pub degree: usize,
    pub blowup: usize,
    /// Main columns, without those of the interface to a bus.
    pub main: usize,
    /// Columns of the lookup argument, in base field elements.
    pub lookup: usize,
    /// Main columns that the form with a bus has in addition.
    pub interface: usize,
    pub rows_per_permutation: usize,
    pub cells_per_permutation: usize,
    pub fft_cost: usize,
    /// Nanoseconds to evaluate all constraints on one row, packed.
    pub constraints_ns: f64,
    pub trace_ms: f64,
    pub prove_ms: f64,
    pub verify_ms: f64,
    pub permutations_per_s: f64,
    /// Peak of the resident set of a process that generates the trace and proves a copy of it once.
    pub peak_rss_bytes: Option<usize>,
}

/// What is known about a table before it is proved.
#[derive(Clone, Copy)]
pub struct Shape {
    pub count: usize,
    pub rows: usize,
    pub degree: usize,
    pub log_blowup: usize,
    /// Main columns that the form with a bus has in addition.
    pub interface: usize,
}

impl Shape {
    /// The shape of a table without a bus, of so many permutations.
    pub const fn new(count: usize, rows: usize, degree: usize, log_blowup: usize) -> Self {
        Self {
            count,
            rows,
            degree,
            log_blowup,
            interface: 0,
        }
    }

    /// The same, of an AIR whose form with a bus is a table of its own.
    pub fn beside(self, table: &impl BaseAir<F>, air: &impl BaseAir<F>) -> Self {
        Self {
            interface: table.width() - air.width(),
            ..self
        }
    }
}

/// A trace that can be proved.
pub struct Contender<'a> {
    pub shape: Shape,
    pub width: usize,
    pub height: usize,
    pub trace_ms: f64,
    /// Proves the trace.
    pub prove: Box<dyn FnMut() + 'a>,
    /// Proves the trace and returns the milliseconds that verifying the proof takes.
    pub check: Box<dyn Fn() -> f64 + 'a>,
    /// Makes a function that evaluates the constraints once.
    pub evaluator: Box<dyn Fn() -> Box<dyn FnMut() + 'a> + 'a>,
}

/// Generates a trace that can be proved. It is a macro since the bounds of `prove` differ between
/// profiles.
macro_rules! contender {
    ($arguments:expr, $shape:expr, $air:expr, $trace:expr) => {{
        let (arguments, shape, air): (&Arguments, Shape, _) = ($arguments, $shape, &$air);
        let start = now();
        let trace: RowMajorMatrix<F> = $trace;
        let trace_ms = milliseconds_since(start);
        let (width, height) = (trace.width(), trace.height());
        let trace = Rc::new(trace);
        let settings = config(arguments, shape.log_blowup);
        let run = move |trace: &RowMajorMatrix<F>| {
            // Capacity for the low-degree extension, as Plonky3's generators reserve it.
            let mut values = Vec::with_capacity(trace.values.len() << shape.log_blowup);
            values.extend_from_slice(&trace.values);
            let trace = RowMajorMatrix::new(values, width);
            prove(&settings, air, trace, &[]).expect("the trace is valid")
        };
        let run = Rc::new(run);
        Contender {
            shape,
            width,
            height,
            trace_ms,
            check: {
                let (run, trace) = (run.clone(), trace.clone());
                Box::new(move || {
                    let proof = run(&trace);
                    let settings = config(arguments, shape.log_blowup);
                    let start = now();
                    verify(&settings, air, &proof, &[]).expect("the proof is valid");
                    milliseconds_since(start)
                })
            },
            evaluator: {
                let trace = trace.clone();
                Box::new(move || Box::new(evaluator(air, &trace)))
            },
            prove: Box::new(move || drop(run(&trace))),
        }
    }};
}
pub(super) use contender;

impl Contender<'_> {
    /// Returns how often the evaluator would have to be called for one permutation.
    pub fn evaluations_per_permutation(&self) -> f64 {
        self.shape.rows as f64 / self.evaluated() as f64
    }

    /// Returns the number of rows that one call of the evaluator evaluates.
    fn evaluated(&self) -> usize {
        ROWS.min(self.height)
    }

    pub fn figures(
        &self,
        prove: &Times,
        evaluate: &Times,
        verify_ms: f64,
        peak_rss_bytes: Option<usize>,
    ) -> Figures {
        let Shape {
            count,
            rows,
            degree,
            log_blowup,
            interface,
        } = self.shape;
        let prove_ms = prove.median() / 1e6;
        let (width, height) = (self.width, self.height);
        Figures {
            count,
            degree,
            blowup: 1 << log_blowup,
            main: width,
            lookup: 0,
            interface,
            rows_per_permutation: rows,
            cells_per_permutation: width * rows,
            fft_cost: width * height * height.ilog2() as usize,
            constraints_ns: evaluate.median() / self.evaluated() as f64,
            trace_ms: self.trace_ms,
            prove_ms,
            verify_ms,
            permutations_per_s: count as f64 / prove_ms * 1000.0,
            peak_rss_bytes,
        }
    }
}

/// Returns the configuration that all sides share: commitments in Blake3 and the same settings.
pub fn config(arguments: &Arguments, log_blowup: usize) -> Config<Blake3Suite> {
    let settings = FriSettings {
        log_blowup,
        num_queries: arguments.queries,
        cap_height: 3,
        query_grinding_bits: 8,
        ..FriSettings::toy()
    };
    droste_native::config::<Blake3Suite>(&settings, &[]).expect("the settings are in range")
}
