//! Why a proof is rejected, in either stack.

use droste_native::gkr::GkrError;
use droste_native::stark::suite::OpeningError;
use droste_native::{F, whir};
#[cfg(feature = "prover")]
use p3_batch_stark::{BatchTranscriptFailure, VerificationError};
use p3_lookup::LookupError;
use thiserror::Error;

use crate::key::{KeyDigest, KeyError, SchemeError};
use crate::tables::LANES;
use crate::whir::system::ShapeError;
use crate::whir::zerocheck::ZerocheckError;

/// In what two keys differ, in words. An error keeps it in a box, to be as small as without it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Difference(pub String);

/// Why a proof is rejected.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum VerifyError {
    /// The proof was made with another key.
    #[error("the proof was made with key {found}, expected {expected}: {differs}")]
    Key {
        /// Digest of the key that was expected.
        expected: KeyDigest,
        /// Digest of the proof's key.
        found: KeyDigest,
        /// In what the keys differ. If only a digest was expected: the parameters of the proof's
        /// key.
        differs: Box<Difference>,
    },
    /// The key cannot be used: its settings or heights are out of range, or it belongs to no
    /// machine known here.
    UnusableKey(#[from] KeyError),
    /// The program has no key with the parameters that the proof states.
    #[error("the program has no key with the parameters that the proof states")]
    ProgramKey(#[source] KeyError),
    /// The program of the proof has a table of another height, so it is another program.
    #[error(
        "another program: the table of the proof's program has 2^{found} rows, that of this program \
         2^{expected}"
    )]
    ProgramHeight {
        /// Logarithm of the height of this program's table.
        expected: usize,
        /// Logarithm of the program table's height in the proof's key.
        found: usize,
    },
    /// Committing to the program with the parameters that the proof states is more work than
    /// allowed.
    #[error(
        "the proof asks for a commitment to the program of {rows} rows, expected at most {limit}: \
         --limit {rows}, in code the option `limit`, allows it"
    )]
    Limit {
        /// Number of rows, extended by the blowup; the limit that allows it.
        rows: usize,
        /// Largest number of rows allowed ([`VerifyOptions::limit`](super::VerifyOptions::limit)).
        limit: usize,
    },
    /// An element of the statement is not the expected one.
    #[error("element {index} of the statement is {found}, expected {expected}")]
    Statement {
        /// Index of the element.
        index: usize,
        /// Value that was expected.
        expected: F,
        /// Value in the proof.
        found: F,
    },
    /// So many elements were expected, more than a statement has.
    #[error(
        "{0} elements of the statement were given to compare with, but a statement has {LANES}"
    )]
    StatementLength(usize),
    /// A table has an impossible height, or one that is not the key's.
    #[error(
        "the tables' heights have the logarithms {found:?}, which are impossible or not those that \
         the key fixes"
    )]
    Heights {
        /// Logarithms of the heights in the proof.
        found: Vec<usize>,
    },
    /// The proof has fewer proven bits than required.
    #[error("the proof has {found} proven bits, expected at least {expected}")]
    Security {
        /// Bits required.
        expected: usize,
        /// Bits proven.
        found: usize,
    },
    /// Over FRI: a commitment has the wrong number of digests.
    #[error("the {commitment} commitment has {found} digests, expected {expected}")]
    CapSize {
        /// Name of the commitment.
        commitment: String,
        /// Digests expected.
        expected: usize,
        /// Digests found.
        found: usize,
    },
    /// Tables of these heights could take more messages from buses than the lookup argument can
    /// count.
    #[error(
        "tables of these heights can take {0} bus messages, expected fewer than the modulus: the \
         lookup argument counts no further"
    )]
    TooManyMessages(u128),
    /// Over FRI: some part of the proof has the wrong shape.
    #[cfg(feature = "prover")]
    #[error("the proof is malformed")]
    Shape(#[source] Box<VerificationError<OpeningError>>),
    /// Over FRI: the constraints of a table do not hold.
    #[error("the constraints of table {table} do not hold")]
    Constraints {
        /// Name of the table.
        table: &'static str,
    },
    /// Over FRI: buses do not balance, or the lookup argument is malformed.
    #[error("the lookup argument is wrong: a bus does not balance, or its data are malformed")]
    Lookups(#[source] Box<LookupError>),
    /// Over FRI: opened values are not those that were committed to, or the low-degree test fails.
    #[error("the openings are wrong: an opened value or the low-degree test was refused")]
    Openings(#[source] Box<OpeningError>),
    /// Over FRI: the nonce of a proof of work is wrong.
    #[cfg(feature = "prover")]
    #[error("a proof of work is wrong")]
    Grinding(#[source] BatchTranscriptFailure),
    /// Over WHIR: tables of these heights cannot be committed to.
    Scheme(#[from] SchemeError),
    /// Over WHIR: there are no proofs for tables of these heights.
    TableHeights(#[from] ShapeError),
    /// Over WHIR: the sum of the messages' fractions is not shown to be zero.
    #[error("the proof does not show that the bus messages balance")]
    Fractions(#[from] GkrError),
    /// Over WHIR: the constraints are not shown to be zero.
    #[error("the proof does not show that the constraints hold")]
    Zerocheck(#[from] ZerocheckError),
    /// Over WHIR: the opened values are not shown to be those of the columns.
    #[error("the proof does not open the committed columns to its values")]
    WhirOpening(#[from] whir::OpeningError),
}
