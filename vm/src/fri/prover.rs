//! The prover over FRI: a proof of one run of a program.

use droste_native::stark::challenger::with_grinding;
use droste_native::{Config, F, FriSettings, HashSuite};
use educe::Educe;
use p3_batch_stark::BatchProof;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_util::log2_strict_usize;
use serde::{Deserialize, Serialize};
use tracing::info_span;

use super::ProvingKey;
use crate::heights::Heights;
use crate::isa::Program;
use crate::key::{Key, KeyError, ProofSystem};
use crate::lookups::{row_weight, total_weight};
use crate::machine::{Provable, StandardTables};
use crate::record::Execution;
use crate::stack::ProveError;
use crate::tables::{LANES, TraceInput};
use crate::traces::{check_traces, heights_of, public_values, traces_of};

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
    droste_native::log_baseline_warning();
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
