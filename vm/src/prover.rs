//! Proving one run of a program.

use std::borrow::Cow;
use std::fmt;

use droste_native::challenger::{NoNonce, with_grinding};
use droste_native::{Config, F, FriSettings, HashFamily, SettingsError};
use p3_batch_stark::{BatchProof, StarkInstance};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::info_span;

use crate::heights::{Heights, MAX_LOG_HEIGHT, min_log_height, padded_log_height};
use crate::isa::Program;
use crate::key::{Key, KeyError, ProvingKey};
use crate::lookups::total_weight;
use crate::machine::{Provable, StandardTables};
use crate::record::Execution;
use crate::tables::LookupCounts;
use crate::tables::{LANES, Table, TraceInput};

/// A proof: of the program of `key`, that a run of it has this statement.
#[derive(Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Proof<H: HashFamily> {
    /// The key it was made with. A verifier trusts it only as far as it knows its digest.
    pub key: Key<H>,
    /// Public inputs, then outputs, then zeros: a compiled program asserts those.
    pub statement: [F; LANES],
    /// The batch STARK.
    pub batch: BatchProof<Config<H>>,
}

impl<H: HashFamily> fmt::Debug for Proof<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proof")
            .field("key", &self.key)
            .field("statement", &self.statement)
            .field("degree_bits", &self.batch.degree_bits)
            .finish_non_exhaustive()
    }
}

/// Why there is no proof.
#[derive(Debug, Error)]
pub enum ProveError {
    /// There is no key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key's settings are out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A table has more rows than its height allows.
    #[error("table {table} needs {rows} rows, its height is 2^{log_height}")]
    TooManyRows {
        /// Its name.
        table: &'static str,
        /// Rows that the run fills.
        rows: usize,
        /// Logarithm of its height.
        log_height: usize,
    },
    /// A table needs a height that the field does not offer at this blowup.
    #[error(
        "table {table} needs height 2^{log_height}, at most 2^{max} is possible at this blowup"
    )]
    TooTall {
        /// Its name.
        table: &'static str,
        /// Logarithm of the height it needs.
        log_height: usize,
        /// Logarithm of the largest height.
        max: usize,
    },
    /// The run looks up an address that its memory does not have.
    #[error("the run reads address {address}, which lies outside its memory")]
    Outside {
        /// The address.
        address: F,
    },
    /// More messages than the look-up argument can count.
    #[error("{messages} bus messages are more than the field can count")]
    TooManyMessages {
        /// Upper bound of the number of messages.
        messages: u128,
    },
    /// Traces are not one per table, of the table's width and of one height a power of two.
    #[error(
        "trace of table {table}: expected {expected} columns and a power of two of rows, got {width} x {height}"
    )]
    TraceShape {
        /// Name of the table.
        table: &'static str,
        /// Its width.
        expected: usize,
        /// Width of the trace.
        width: usize,
        /// Height of the trace.
        height: usize,
    },
    /// No nonce passes a proof of work.
    #[error(transparent)]
    Grinding(#[from] NoNonce),
    /// Plonky3's prover failed.
    #[error("proving: {0}")]
    Stark(String),
}

/// What to prove with: everything a key depends on beside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProveOptions {
    /// FRI settings.
    pub settings: FriSettings,
    /// Heights of tables.
    pub heights: Heights,
}

/// Proves a run of `program` on the standard machine.
///
/// To prove many runs of one program, make its [`ProvingKey`] once and use [`prove_with_key`].
///
/// # Errors
/// See [`ProveError`].
pub fn prove<H: HashFamily>(
    program: &Program,
    execution: &Execution,
    options: &ProveOptions,
) -> Result<Proof<H>, ProveError>
where
    StandardTables: Provable<H>,
{
    let key =
        ProvingKey::<H, StandardTables>::new(program, options.settings, options.heights.clone())?;
    prove_with_key(&key, execution)
}

/// Proves a run of the key's program.
///
/// # Errors
/// See [`ProveError`].
pub fn prove_with_key<H: HashFamily, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    execution: &Execution,
) -> Result<Proof<H>, ProveError> {
    let traces = info_span!("traces").in_scope(|| traces(key, execution))?;
    prove_traces(key, execution.statement, &traces)
}

/// The traces of a run, by table.
///
/// # Errors
/// If they do not fit their heights, or if the run reads outside its memory.
pub fn traces<H: HashFamily, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    execution: &Execution,
) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
    let input = TraceInput {
        program: key.program(),
        execution,
    };
    let log_heights = log_heights(key, execution)?;
    let mut uses = LookupCounts::new(&input);
    let traces = key
        .machine()
        .tables()
        .iter()
        .zip(&log_heights)
        .map(|(table, &log_height)| {
            info_span!("trace", table = table.name())
                .in_scope(|| table.trace(&input, log_height, &mut uses))
        })
        .collect();
    match uses.outside {
        Some(address) => Err(ProveError::Outside { address }),
        None => Ok(traces),
    }
}

/// Logarithms of the heights of the traces of a run, by table.
///
/// # Errors
/// If its rows do not fit heights that are possible, or the key's.
pub fn log_heights<H: HashFamily, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    execution: &Execution,
) -> Result<Vec<usize>, ProveError> {
    let input = &TraceInput {
        program: key.program(),
        execution,
    };
    let settings = &key.key().settings;
    let max = MAX_LOG_HEIGHT.saturating_sub(settings.log_blowup);
    let tables = key.machine().tables();
    let log_heights: Cow<'_, [usize]> = match key.heights() {
        Heights::Minimal => tables
            .iter()
            .map(|table| {
                let minimal = padded_log_height(table.rows(input)).max(min_log_height(settings));
                table.fixed_log_height().unwrap_or(minimal)
            })
            .collect(),
        Heights::Uniform(log_height) => vec![*log_height; tables.len()].into(),
        Heights::Exact(log_heights) => log_heights.into(),
    };
    for (table, &log_height) in tables.iter().zip(log_heights.iter()) {
        let (name, rows) = (table.name(), table.rows(input));
        if log_height > max {
            return Err(ProveError::TooTall {
                table: name,
                log_height,
                max,
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
    Ok(log_heights.into_owned())
}

/// Proves given traces, one per table, for a statement. Nothing is checked but their shape: where
/// they break a constraint, no verifier accepts the proof.
///
/// # Errors
/// Traces of the wrong shape, or Plonky3's own.
pub fn prove_traces<H: HashFamily, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    statement: [F; LANES],
    traces: &[RowMajorMatrix<F>],
) -> Result<Proof<H>, ProveError> {
    let tables = key.machine().tables();
    for (index, table) in tables.iter().enumerate() {
        let (width, height) = traces
            .get(index)
            .map_or((0, 0), |trace| (trace.width(), trace.height()));
        let expected = table.width();
        let fixed = table
            .fixed_log_height()
            .is_none_or(|log| height == 1 << log);
        if width != expected || !height.is_power_of_two() || !fixed {
            return Err(ProveError::TraceShape {
                table: table.name(),
                expected,
                width,
                height,
            });
        }
    }
    let heights: Vec<usize> = traces.iter().map(Matrix::height).collect();
    let messages = total_weight(&key.data().common.lookups, &heights);
    if messages >= u128::from(droste_native::field::MODULUS) {
        return Err(ProveError::TooManyMessages { messages });
    }
    let instances: Vec<_> = tables
        .iter()
        .zip(traces)
        .map(|(air, trace)| StarkInstance {
            air,
            trace,
            public_values: public_values(air, &statement),
        })
        .collect();
    let seed = key.key().digest().0;
    let config = droste_native::config::<H>(&key.key().settings, &seed)?;
    let prove = || T::prove_batch(&config, &instances, key.data());
    let batch = info_span!("prove").in_scope(|| with_grinding(prove))?;
    Ok(Proof {
        key: key.key().clone(),
        statement,
        batch: batch.map_err(ProveError::Stark)?,
    })
}

/// Public values of a table: the statement, for the one table that has any.
pub(crate) fn public_values(table: &impl Table, statement: &[F; LANES]) -> Vec<F> {
    if table.num_public_values() == 0 {
        vec![]
    } else {
        statement.to_vec()
    }
}
