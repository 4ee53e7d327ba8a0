//! The prover over FRI: a proof of one run of a program. What it shares with the prover over WHIR
//! is here, too.

use droste_native::gkr::GkrError;
use droste_native::stark::challenger::{NoNonce, with_grinding};
use droste_native::stark::suite::OpeningProverError;
use droste_native::whir::OpenError;
use droste_native::{Config, F, FriSettings, HashSuite};
use educe::Educe;
use p3_batch_stark::BatchProof;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_util::log2_strict_usize;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tracing::info_span;

use crate::heights::{Heights, padded_log_height};
use crate::isa::Program;
use crate::key::{Key, KeyError, Limits, ProofSystem, ProvingKey};
use crate::lookups::{row_weight, total_weight};
use crate::machine::{Provable, StandardTables};
use crate::multilinear::cells::CellsError;
use crate::multilinear::zerocheck::ProvingError;
use crate::record::Execution;
use crate::tables::{LANES, LookupCounts, Table, TraceInput};
use crate::verifier::VerifyError;

/// A proof that the program of `key` has a run with this statement.
#[derive(Educe, Serialize, Deserialize)]
#[educe(Debug)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Proof<H: HashSuite> {
    /// The key of the proof. The prover chose it: a verifier must compare its digest with one that
    /// it trusts.
    pub key: Key<H>,
    /// Public inputs, then outputs, then zeros. A compiled program asserts these zeros.
    pub statement: [F; LANES],
    /// Plonky3's batch-STARK proof.
    #[educe(Debug(ignore))]
    pub batch: BatchProof<Config<H>>,
}

/// Why no proof was made.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum ProveError {
    /// The key could not be made, or its settings are out of range.
    Key(#[from] KeyError),
    /// A table has more rows than its given height. Over WHIR, a table of calls has one row more
    /// than those of its calls.
    #[error(
        "the run needs {rows} rows of table {table}, but the height that was given is \
         2^{log_height}"
    )]
    TooManyRows {
        /// Name of the table.
        table: &'static str,
        /// Number of rows that the run needs.
        rows: usize,
        /// Logarithm of the table's height.
        log_height: usize,
    },
    /// A table needs a height that is impossible with these settings.
    #[error(
        "the run needs the height 2^{log_height} of table {table}, expected 2^{min} to 2^{max}"
    )]
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
    /// More rows of a table are looked up than its height allows.
    #[error("other tables look up more rows of table {table} than its height allows")]
    Overfull {
        /// Name of the table.
        table: &'static str,
    },
    /// The tables can take this number of messages from buses, more than the lookup argument can
    /// count.
    #[error(
        "tables of these heights can take {0} bus messages, expected fewer than the modulus: the \
         lookup argument counts no further"
    )]
    TooManyMessages(u128),
    /// A trace is missing, or has not the table's width and a power of two as height.
    #[error(
        "the trace of table {table} has {width} columns and {height} rows, expected {expected} \
         columns and a power of two of rows"
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
    /// No nonce passes a proof of work.
    Grinding(#[from] NoNonce),
    /// Over FRI: the batch of tables could not be proved.
    #[error("the tables could not be proved")]
    Stark(#[source] p3_batch_stark::ProvingError<OpeningProverError>),
    /// Over WHIR: the traces send messages that none receives, or the other way round.
    #[error("the messages of the traces do not balance on bus {bus}")]
    Unbalanced {
        /// Name of the bus.
        bus: String,
    },
    /// Over WHIR: the traces have another shape than the machine's tables.
    Cells(#[from] CellsError),
    /// Over WHIR: the sum of the messages' fractions could not be proved.
    Fractions(#[from] GkrError),
    /// Over WHIR: the constraints could not be proved.
    Zerocheck(#[from] ProvingError),
    /// Over WHIR: the opened values could not be proved.
    WhirOpening(#[from] OpenError),
    /// Over WHIR: the verifier rejects what the prover made: the traces violate a constraint, or
    /// are of impossible heights.
    #[error("the traces are not those of a run of the key's program")]
    Refused(#[from] VerifyError),
}

/// What proving needs beside the program: with it, everything that a key depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProveOptions {
    /// FRI settings.
    pub settings: FriSettings,
    /// How the heights of tables are chosen.
    pub heights: Heights,
}

/// Proves a run of `program` on the standard machine.
///
/// To prove many runs of one program, make its [`ProvingKey`] once and use [`prove_with_key`].
///
/// # Errors
/// See [`ProveError`].
pub fn prove<H: HashSuite>(
    program: impl AsRef<Program>,
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
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub fn prove_with_key<H: HashSuite, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    execution: &Execution,
) -> Result<Proof<H>, ProveError> {
    let traces = info_span!("traces").in_scope(|| traces(key, execution))?;
    prove_traces(key, execution.statement, &traces)
}

/// Returns the traces of a run, one per table.
///
/// # Errors
/// If a trace does not fit its height, or if the run reads outside its memory.
pub fn traces<H: HashSuite, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    execution: &Execution,
) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
    let log_heights = log_heights(key, execution)?;
    let input = TraceInput {
        program: key.program(),
        execution,
    };
    traces_of(key.machine().tables(), &input, &log_heights)
}

/// Returns the traces of a run, one per table, in tables of these heights.
pub(crate) fn traces_of<T: Table>(
    tables: &[T],
    input: &TraceInput<'_>,
    log_heights: &[usize],
) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
    let mut counts = LookupCounts::new(input);
    let traces = tables
        .iter()
        .zip(log_heights)
        .map(|(table, &log_height)| {
            info_span!("trace", table = table.name())
                .in_scope(|| table.trace(input, log_height, &mut counts))
        })
        .collect();
    match (counts.outside, counts.overfull) {
        (Some(address), _) => Err(ProveError::Outside { address }),
        (None, Some(table)) => Err(ProveError::Overfull { table }),
        (None, None) => Ok(traces),
    }
}

/// Returns the logarithms of the heights of a run's traces, one per table.
///
/// # Errors
/// If the rows of a table do not fit the key's height, or no height is possible for them.
pub fn log_heights<H: HashSuite, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    execution: &Execution,
) -> Result<Vec<usize>, ProveError> {
    let input = &TraceInput {
        program: key.program(),
        execution,
    };
    let (limits, tables) = (H::limits(&key.key().settings), key.machine().tables());
    heights_of(tables, key.heights(), limits, |table| table.rows(input))
}

/// Returns the logarithms of the heights of a run's traces, one per table, where `rows` says how
/// many rows of a table the run needs.
pub(crate) fn heights_of<T: Table>(
    tables: &[T],
    heights: &Heights,
    limits: Limits,
    rows: impl Fn(&T) -> usize,
) -> Result<Vec<usize>, ProveError> {
    let log_heights: Vec<usize> = match heights {
        Heights::Minimal => tables
            .iter()
            .map(|table| {
                let minimal = padded_log_height(rows(table)).max(limits.min);
                table.fixed_log_height().unwrap_or(minimal)
            })
            .collect(),
        Heights::Uniform(log_height) => vec![*log_height; tables.len()],
        Heights::Exact(log_heights) => log_heights.clone(),
    };
    for (table, &log_height) in tables.iter().zip(&log_heights) {
        let (name, rows) = (table.name(), rows(table));
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

/// Checks that there is a trace for each table, of its width and of a height that it may have.
pub(crate) fn check_traces<T: Table>(
    tables: &[T],
    traces: &[RowMajorMatrix<F>],
) -> Result<(), ProveError> {
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
    Ok(())
}

/// Proves given traces, one per table, for a statement. Only their shapes are checked: if they
/// violate a constraint, no verifier accepts the proof, and where Plonky3's debug assertions are on
/// it panics.
///
/// # Errors
/// For traces of the wrong shape, and Plonky3's errors.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub fn prove_traces<H: HashSuite, T: Provable<H>>(
    key: &ProvingKey<H, T>,
    statement: [F; LANES],
    traces: &[RowMajorMatrix<F>],
) -> Result<Proof<H>, ProveError> {
    let tables = key.machine().tables();
    check_traces(tables, traces)?;
    let limits = H::limits(&key.key().settings);
    for (table, trace) in tables.iter().zip(traces) {
        let log_height = log2_strict_usize(trace.height());
        if log_height > limits.max {
            return Err(ProveError::Height {
                table: table.name(),
                log_height,
                min: limits.min,
                max: limits.max,
            });
        }
    }
    let heights: Vec<usize> = traces.iter().map(Matrix::height).collect();
    let lookups = key.data().common.lookups.iter();
    let messages = total_weight(lookups.map(|lookups| row_weight(lookups)), &heights);
    if messages >= u128::from(droste_native::field::MODULUS) {
        return Err(ProveError::TooManyMessages(messages));
    }
    let public_values: Vec<_> = tables
        .iter()
        .map(|table| public_values(table, &statement))
        .collect();
    let seed = key.key().digest().0;
    let config = droste_native::config::<H>(&key.key().settings, &seed).map_err(KeyError::from)?;
    let prove = || (T::stark().prove_batch)(&config, tables, traces, &public_values, key.data());
    let batch = info_span!("prove").in_scope(|| with_grinding(prove))?;
    Ok(Proof {
        key: key.key().clone(),
        statement,
        batch: batch.map_err(ProveError::Stark)?,
    })
}

/// Returns the public values of a table: the statement for the one table that has public values,
/// otherwise none.
pub(crate) fn public_values(table: &impl Table, statement: &[F; LANES]) -> Vec<F> {
    if table.num_public_values() == 0 {
        vec![]
    } else {
        statement.to_vec()
    }
}
