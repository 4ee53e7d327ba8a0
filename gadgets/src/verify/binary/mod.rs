//! The verifier of proofs of `droste_binary` about Merkle paths, lists of calls, or openings of
//! Merkle trees, with trees and transcript in Poseidon-16.
//!
//! It accepts the proofs that `droste_binary::verify` accepts:
//! `docs/notes/binary-protocol.md` describes them message by message, and what of it is computed in
//! another way here. One file for each phase, in the order of the protocol:
//!
//! | file | takes | leaves |
//! |---|---|---|
//! | `statement` | the list of paths | its digest, and a claim about elements of the trace |
//! | `calls` | a list of calls instead | the same |
//! | `grid` | openings of Merkle trees instead | the same |
//! | `zerocheck` | every row fulfils its constraints | values of forms |
//! | `columns` | values of forms | values of one column |
//! | `ring_switch` | values of a column | a claim about packed elements |
//! | `opening` | both claims about elements, as one | it at one point, and queries |
//! | `queries` | the queries | their rows in the claim, and their weights at the point |
//!
//! `called` has calls that a program makes itself, which such a proof shows to be right.
//!
//! Elements of GF(2^128) are blocks, of which the precompiles of `binary` multiply those only that
//! are elements.

pub mod called;
pub mod calls;
pub mod columns;
pub mod field;
pub mod grid;
pub mod opening;
pub mod queries;
pub mod ring_switch;
pub mod shape;
pub mod statement;
pub mod sumcheck;
pub mod transcript;
pub mod zerocheck;

use crate::prelude::*;

use field::{product, sum, total};
use shape::{LOG_ELEMENTS, Shape};
use statement::{List, Statement};
use transcript::Transcript;

/// Reads a list and a proof about it from the tape, verifies the proof, and returns the digest of
/// the statement.
pub fn verify<S: Statement>(shape: &Shape, statement: &S) -> Block {
    let list = statement.read(shape);
    verify_proof(shape, statement, &list);
    list.digest
}

/// Reads a proof about a list, and verifies it.
pub fn verify_proof<S: Statement>(shape: &Shape, statement: &S, list: &List) {
    let mut t = Transcript::new(&shape.domain);
    t.observe(Slice::from_blocks([list.digest]), 1);
    let root = t.read(1);
    let forms = zerocheck::verify(shape, &mut t);
    let column = columns::verify(shape, &forms, &mut t);
    let packed = ring_switch::read(shape, &forms.rows, &column, &mut t);
    let elements = t.sample_point(LOG_ELEMENTS);
    let eta = t.sample();
    let log_rows = shape.circuit.log_rows;
    let calls = &forms.rows[log_rows..forms.rows.len()];
    let claims = statement.claims(shape, list, calls, &elements, eta);
    let claim = sum(packed.claim, claims.value);
    let opened = opening::open(shape, &mut t, root, claim);
    let answered = queries::answer(shape, &opened, &mut t);
    let of_trace = ring_switch::weight(shape, &packed, &opened.point, &mut t);
    let of_statement = statement.weight(shape, list, &claims, &opened.point);
    let weight = total(&[answered.weights, of_trace, of_statement]);
    assert_eq!(product(opened.value, weight), answered.claim);
}
