//! The columns beside a call that make rows the nodes of Merkle paths, from each leaf to its root.
//!
//! | columns | content | public |
//! |---|---|---|
//! | 256 | leaf, on the first row of a path, otherwise zero | yes |
//! | 256 | root, on the last row of a path, otherwise zero | yes |
//! | 1 | `first`: whether the row is the first of a path | yes |
//! | 1 | `last`: whether it is the last | yes |
//! | 1 | `right`: whether the child of the path is the right one, a bit of the index | yes |
//! | 256 | that child | no |

use std::ops::Range;

use p3_air::{AirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::{call_columns, output};
use crate::Hash;
use crate::paths::{digest_bits, input_without_message, message_offset};
use droste_batch::paths::MESSAGE;

/// Bits of a digest.
const DIGEST: usize = 256;
/// Where columns begin, after those of the call.
const ROOT: usize = DIGEST;
const FIRST: usize = 2 * DIGEST;
const LAST: usize = FIRST + 1;
const RIGHT: usize = FIRST + 2;
const CHILD: usize = PUBLIC;

/// Number of public columns, which are the first.
pub(crate) const PUBLIC: usize = 2 * DIGEST + 3;
/// Number of columns.
pub(crate) const WIDTH: usize = PUBLIC + DIGEST;

/// Number of constraints: four a bit of a digest, and one a constant bit of the call's input.
pub(super) const fn constraints(hash: Hash) -> usize {
    4 * DIGEST + 8 * (hash.input_bytes() - MESSAGE)
}

/// The columns that are read in the next row: the child.
pub(super) const fn next_row_columns(call_columns: usize) -> Range<usize> {
    call_columns + CHILD..call_columns + WIDTH
}

/// Constrains a row that is a call to be a node, and the next one to continue its path.
///
/// # Soundness
/// Cells must be bits. Public columns must be those of the statement, where the very last row has
/// `last`: it has no next row, and Plonky3 gives it itself.
pub(super) fn eval<AB: AirBuilder>(builder: &mut AB, hash: Hash) {
    let main = builder.main();
    let (row, next) = (main.current_slice(), main.next_slice());
    let bit = |column: usize| -> AB::Expr { row[column].into() };
    let message = 8 * message_offset(hash);
    for (column, constant) in digest_bits(&input_without_message(hash)).enumerate() {
        if !(message..message + 8 * MESSAGE).contains(&column) {
            builder.assert_zero(bit(column) + AB::Expr::from_bool(constant));
        }
    }
    let extra = call_columns(hash);
    let [first, last, right] = [FIRST, LAST, RIGHT].map(|column| bit(extra + column));
    let parent: Vec<AB::Expr> = output(hash, row);
    for (i, parent) in parent.into_iter().take(DIGEST).enumerate() {
        let (leaf, root, child) = (extra + i, extra + ROOT + i, extra + CHILD + i);
        let (l, r) = (bit(message + i), bit(message + DIGEST + i));
        builder.assert_zero(bit(child) + l.clone() + right.clone() * (l + r));
        builder.assert_zero(bit(leaf) + first.clone() * bit(child));
        builder.assert_zero(bit(root) + last.clone() * parent.clone());
        let next: AB::Expr = next[child].into();
        builder.assert_zero((last.clone() + AB::Expr::ONE) * (next + parent));
    }
}

/// Fills these columns of 64 rows, whose calls are there. A word has one column, a bit one row.
pub(super) fn fill(columns: &mut [u64], hash: Hash, public: &[u64]) {
    let (call, extra) = columns.split_at_mut(call_columns(hash));
    let (known, children) = extra.split_at_mut(PUBLIC);
    known.copy_from_slice(public);
    let (left, right) = call[8 * message_offset(hash)..].split_at(DIGEST);
    for ((child, left), right) in children.iter_mut().zip(left).zip(right) {
        *child = left ^ known[RIGHT] & (left ^ right);
    }
}
