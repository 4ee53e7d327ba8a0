//! Heights of tables.

use serde::{Deserialize, Serialize};

/// Logarithm of the least height that [`Heights::Minimal`] gives a table: shorter ones cost
/// queries in the list-decoding regime and save next to nothing.
pub const MIN_LOG_HEIGHT: usize = 6;

/// Logarithm of the largest evaluation domain: the two-adicity of the base field.
pub const MAX_LOG_HEIGHT: usize = 24;

/// How the heights of tables are chosen; lists are by table, in the machine's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Heights {
    /// Each table as low as its rows allow, from `2^MIN_LOG_HEIGHT` on. The key leaves heights free.
    #[default]
    Minimal,
    /// Every table `2^n` rows high; fixed by the key.
    Uniform(usize),
    /// Logarithm of each table's height; fixed by the key.
    Exact(Vec<usize>),
}

/// Logarithm of the least height [`Heights::Minimal`] gives a table of so many rows.
pub fn padded_log_height(rows: usize) -> usize {
    let log_rows = rows.max(1).next_power_of_two().trailing_zeros() as usize;
    log_rows.max(MIN_LOG_HEIGHT)
}
