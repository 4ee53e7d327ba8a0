//! Why a prover of either stack makes no proof.

use droste_native::F;
use droste_native::gkr::GkrError;
use droste_native::stark::challenger::NoNonce;
use droste_native::stark::suite::OpeningProverError;
use droste_native::whir::OpenError;
use thiserror::Error;

use crate::key::KeyError;
use crate::verifier::VerifyError;
use crate::whir::cells::CellsError;
use crate::whir::faults::{UnbalancedMessage, ViolatedConstraint};
use crate::whir::zerocheck::ProvingError;

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
    Unbalanced(#[from] UnbalancedMessage),
    /// Over WHIR: the traces violate a constraint.
    Violated(#[from] ViolatedConstraint),
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
