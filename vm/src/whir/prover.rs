//! The prover over WHIR: a proof of one run of a program.

use std::fmt;
use std::ops::Range;

use droste_air::End;
use droste_native::gkr::{self, Fractions, GkrError, GkrProof};
use droste_native::stark::challenger::{NoNonce, Poseidon16Challenger, Transcript, with_grinding};
use droste_native::whir::{OpenError, Scheme};
use droste_native::{EF, F};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_util::log2_strict_usize;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::info_span;

use super::key::{Key, Provable, ProvingKey, fill, limits};
use super::proof::{StarkProof, claims, observe_opened, observe_shape};
use super::verifier::{VerifyError, accept, check_heights};
use crate::batch::{Balance, ZeroDenominator, unbalanced_bus};
use crate::codec::short_list;
use crate::heights::{Heights, padded_log_height};
use crate::machine::MAX_TABLES;
use crate::multilinear::cells::{Cells, CellsError};
use crate::multilinear::leaves::{LookupChallenges, leaves};
use crate::multilinear::tables::Shape;
use crate::multilinear::zerocheck::{self, LeafClaim, ProvingError};
use crate::prover::{public_values, traces_of};
use crate::record::Execution;
use crate::tables::{LANES, TraceInput};

/// A proof that the program of `key` has a run with this statement.
#[derive(Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Proof {
    /// The key of the proof. The prover chose it: a verifier must compare its digest with one that
    /// it trusts.
    pub key: Key,
    /// Public inputs, then outputs, then zeros. A compiled program asserts these zeros.
    pub statement: [F; LANES],
    /// Logarithms of the tables' heights, in the machine's order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")]
    pub log_heights: Vec<usize>,
    /// The proof of the tables.
    pub stark: StarkProof,
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proof")
            .field("key", &self.key)
            .field("statement", &self.statement)
            .field("log_heights", &self.log_heights)
            .finish_non_exhaustive()
    }
}

/// Why no proof was made.
#[derive(Debug, Error)]
pub enum ProveError {
    /// A table has more rows than its given height. A table of calls has one row more than those
    /// of its calls.
    #[error("table {table} has the height 2^{log_height}, the run needs {rows} rows of it")]
    TooManyRows {
        /// Name of the table.
        table: &'static str,
        /// Number of rows that the run needs.
        rows: usize,
        /// Logarithm of the table's height.
        log_height: usize,
    },
    /// A table needs a height that is impossible with these settings.
    #[error("table {table} needs the height 2^{log_height}, possible are 2^{min} to 2^{max}")]
    Height {
        /// Name of the table.
        table: &'static str,
        /// Logarithm of the height it needs.
        log_height: usize,
        /// Logarithm of the least height.
        min: usize,
        /// Logarithm of the largest height.
        max: usize,
    },
    /// The run looks up an address outside its memory or program.
    #[error("the run reads address {address}, which is outside its memory or program")]
    Outside {
        /// The address.
        address: F,
    },
    /// A trace is missing, or has not the table's width and a power of two as height.
    #[error(
        "trace of table {table}: expected {expected} columns and a power of two of rows, got \
         {width} x {height}"
    )]
    TraceShape {
        /// Name of the table.
        table: &'static str,
        /// Width of the table.
        expected: usize,
        /// Width of the trace.
        width: usize,
        /// Height of the trace.
        height: usize,
    },
    /// The traces send messages that none receives, or the other way round.
    #[error("the messages of the traces do not balance on bus {bus}")]
    Unbalanced {
        /// Name of the bus.
        bus: String,
    },
    /// The lookup argument has no proof for a challenge.
    #[error(transparent)]
    ZeroDenominator(#[from] ZeroDenominator),
    /// No nonce passes a proof of work.
    #[error(transparent)]
    Grinding(#[from] NoNonce),
    /// The traces have another shape than the machine's tables.
    #[error(transparent)]
    Cells(#[from] CellsError),
    /// The sum of the messages' fractions could not be proved.
    #[error(transparent)]
    Fractions(#[from] GkrError),
    /// The constraints could not be proved.
    #[error(transparent)]
    Constraints(#[from] ProvingError),
    /// The opened values could not be proved.
    #[error(transparent)]
    Opening(#[from] OpenError),
    /// The verifier rejects what the prover made: the traces violate a constraint, or are of
    /// impossible heights.
    #[error("the traces are not those of a run of the key's program")]
    Refused(#[from] VerifyError),
}

/// Proves the sum of the messages' fractions.
type ProveFractions<C> = fn(&Fractions, &mut C) -> Result<(GkrProof, gkr::LeafClaim), GkrError>;

impl<T: Provable> ProvingKey<T> {
    /// Proves a run of the key's program.
    ///
    /// # Errors
    /// See [`ProveError`].
    pub fn prove(&self, execution: &Execution) -> Result<Proof, ProveError> {
        let traces = info_span!("traces").in_scope(|| self.traces(execution))?;
        self.prove_traces(execution.statement, &traces)
    }

    /// Returns the traces of a run, one per table.
    ///
    /// # Errors
    /// If a trace does not fit its height, or if the run reads outside its memory.
    pub fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
        let log_heights = self.log_heights(execution)?;
        let input = TraceInput {
            program: self.program(),
            execution,
        };
        traces_of(self.machine().tables(), &input, &log_heights)
            .map_err(|address| ProveError::Outside { address })
    }

    /// Returns the logarithms of the heights of a run's traces.
    ///
    /// The row after the last one is the last one again. A call of several rows must not end there,
    /// and calls are not told apart here by their length: a table of calls has a row of padding
    /// after them.
    ///
    /// # Errors
    /// If a trace does not fit its height, or needs a height that is impossible with the key's settings.
    pub fn log_heights(&self, execution: &Execution) -> Result<Vec<usize>, ProveError> {
        let input = &TraceInput {
            program: self.program(),
            execution,
        };
        let limits = limits(&self.key.settings);
        let tables = self.machine().tables();
        let needed = |table: &T| {
            let is_of_calls = !table.precompiles().is_empty();
            table.rows(input) + usize::from(is_of_calls)
        };
        let log_heights: Vec<usize> = match &self.heights {
            Heights::Minimal => tables
                .iter()
                .map(|table| {
                    let minimal = padded_log_height(needed(table)).max(limits.min);
                    table.fixed_log_height().unwrap_or(minimal)
                })
                .collect(),
            Heights::Uniform(log_height) => vec![*log_height; tables.len()],
            Heights::Exact(log_heights) => log_heights.clone(),
        };
        for (table, &log_height) in tables.iter().zip(&log_heights) {
            let (name, rows) = (table.name(), needed(table));
            if limits.check(log_height).is_err() {
                return Err(ProveError::Height {
                    table: name,
                    log_height,
                    min: limits.min,
                    max: limits.max,
                });
            }
            if rows > 1 << log_height {
                return Err(ProveError::TooManyRows {
                    table: name,
                    rows,
                    log_height,
                });
            }
        }
        Ok(log_heights)
    }

    /// Proves given traces, one per table, for a statement.
    ///
    /// Traces that violate a constraint, or whose messages do not balance, are an error: the finished
    /// proof is verified, which takes a small part of the time of making it.
    ///
    /// # Errors
    /// See [`ProveError`].
    pub fn prove_traces(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Proof, ProveError> {
        let mut challenger = Poseidon16Challenger::default();
        let proof = self.prove_with(statement, traces, gkr::prove, &mut challenger)?;
        let challenger = &mut Poseidon16Challenger::default();
        info_span!("verify").in_scope(|| accept(&self.key, &self.parts, &proof, challenger))?;
        Ok(proof)
    }

    /// Proves given traces with this transcript, which has observed nothing, and does not verify the
    /// proof. If messages do not balance, or the transcript is any but a new
    /// [`Poseidon16Challenger`], it is one that verifiers refuse: this is for tests, whose transcripts
    /// observe false values.
    ///
    /// # Errors
    /// See [`ProveError`].
    #[doc(hidden)]
    pub fn prove_traces_with<C: Transcript>(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
        challenger: &mut C,
    ) -> Result<Proof, ProveError> {
        self.prove_with(statement, traces, gkr::prove_unchecked, challenger)
    }

    fn prove_with<C: Transcript>(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
        fractions: ProveFractions<C>,
        challenger: &mut C,
    ) -> Result<Proof, ProveError> {
        let log_heights = self.check_traces(traces)?;
        let prove = || self.prove_stark(&statement, traces, &log_heights, fractions, challenger);
        let stark = with_grinding(prove)??;
        Ok(Proof {
            key: self.key.clone(),
            statement,
            log_heights,
            stark,
        })
    }

    fn prove_stark<C: Transcript>(
        &self,
        statement: &[F; LANES],
        traces: &[RowMajorMatrix<F>],
        log_heights: &[usize],
        fractions: ProveFractions<C>,
        challenger: &mut C,
    ) -> Result<StarkProof, ProveError> {
        let system = &self.parts.system;
        let (scheme, shape) = check_heights(&self.key, &self.parts, log_heights)?;
        let stack = scheme.layout();
        let cells = info_span!("stack").in_scope(|| {
            let mut cells = F::zero_vec(stack.main_cells());
            for (index, (trace, table)) in traces.iter().zip(system.tables()).enumerate() {
                fill(&mut cells, &table.main, trace, |slot| {
                    stack.main_column(index, slot)
                });
            }
            cells
        });
        let main = info_span!("commit").in_scope(|| scheme.commit(cells));
        observe_shape(&self.key, statement, log_heights, challenger);
        challenger.observe(main.cap().clone());
        let preprocessed = Some(&self.preprocessed);
        let outside =
            info_span!("outside").in_scope(|| scheme.outside(&main, preprocessed, challenger))?;
        let values = outside.values().to_vec();

        let columns = self.columns(&shape, &scheme, main.cells());
        let challenges = LookupChallenges {
            alpha: challenger.sample_algebra_element(),
            beta: challenger.sample_algebra_element(),
        };
        let leaves = info_span!("leaves")
            .in_scope(|| leaves(system, &shape, &columns, statement, &challenges))?;
        let leaves = leaves.into_fractions(&shape)?;
        let proved = info_span!("fractions").in_scope(|| fractions(&leaves, challenger));
        // The next stage needs the memory.
        drop(leaves);
        let (fractions, claim) = match proved {
            Err(GkrError::Unbalanced) => {
                self.check_balance(statement, traces)?;
                return Err(GkrError::Unbalanced.into());
            }
            proved => proved?,
        };
        let claim = LeafClaim::from(claim);
        let proved = info_span!("constraints").in_scope(|| {
            zerocheck::prove(
                system,
                &shape,
                &columns,
                statement,
                &claim,
                &challenges,
                challenger,
            )
        })?;
        observe_opened(&proved.opened, challenger);
        let y: EF = challenger.sample_algebra_element();
        let claims = claims(system, &scheme, &proved.reduction.point, &proved.opened, y);
        let claims: Vec<_> = claims.into_iter().map(|(claim, _)| claim).collect();
        let opening = scheme.open(&main, preprocessed, outside, &claims, challenger)?;
        Ok(StarkProof {
            commitment: main.cap().clone(),
            outside: values,
            fractions,
            zerocheck: proved.proof,
            opened: proved.opened,
            opening,
        })
    }

    /// The cells of each table, as they lie in the stack.
    fn columns<'a>(&'a self, shape: &Shape, scheme: &Scheme, main: &'a [F]) -> Vec<Cells<'a>> {
        let stack = scheme.layout();
        let preprocessed = self.preprocessed.cells();
        let tables = self.parts.system.tables().iter().zip(shape.log_heights());
        tables
            .enumerate()
            .map(|(index, (table, log_height))| {
                let part = |cells: &'a [F], first: Option<Range<usize>>, width: usize| {
                    let start = first.map_or(0, |first| first.start);
                    cells
                        .get(start..start + (width << log_height))
                        .unwrap_or_default()
                };
                Cells {
                    main: part(main, stack.main_column(index, 0), table.main.width()),
                    preprocessed: part(
                        preprocessed,
                        stack.preprocessed_column(index, 0),
                        table.preprocessed.width(),
                    ),
                }
            })
            .collect()
    }

    /// Checks the shapes of traces. Returns the logarithms of their heights.
    fn check_traces(&self, traces: &[RowMajorMatrix<F>]) -> Result<Vec<usize>, ProveError> {
        let tables = self.machine().tables();
        let check = |(index, table): (usize, &T)| {
            let (width, height) = traces
                .get(index)
                .map_or((0, 0), |trace| (trace.width(), trace.height()));
            let expected = table.width();
            if width != expected || !height.is_power_of_two() {
                return Err(ProveError::TraceShape {
                    table: table.name(),
                    expected,
                    width,
                    height,
                });
            }
            Ok(log2_strict_usize(height))
        };
        tables.iter().enumerate().map(check).collect()
    }

    fn check_balance(
        &self,
        statement: &[F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<(), ProveError> {
        let tables = self.machine().tables();
        let public: Vec<Vec<F>> = tables
            .iter()
            .map(|table| public_values(table, statement))
            .collect();
        let tables = tables
            .iter()
            .zip(&self.parts.lookups)
            .zip(traces)
            .zip(&public);
        let tables: Vec<Balance<'_, T>> = tables
            .map(|(((table, lookups), trace), public_values)| Balance {
                name: table.name(),
                table,
                lookups,
                trace,
                public_values,
            })
            .collect();
        match unbalanced_bus(&tables, End::Repeat)? {
            Some(bus) => Err(ProveError::Unbalanced { bus }),
            None => Ok(()),
        }
    }
}
