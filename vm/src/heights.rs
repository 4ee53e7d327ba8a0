//! How the heights of tables are chosen, and their limits.

use droste_native::FriSettings;
use droste_native::codec::short_list;
use serde::{Deserialize, Serialize};

use crate::machine::MAX_TABLES;

/// Logarithm of the least height that [`Heights::Minimal`] chooses for a table. Shorter tables
/// would need more queries in the list-decoding regime and save next to nothing.
pub const MIN_LOG_HEIGHT: usize = 6;

/// Logarithm of the largest evaluation domain: the two-adicity of the base field.
pub const MAX_LOG_HEIGHT: usize = 24;

/// Returns the logarithm of the least height that a table may have with these settings.
///
/// There are two lower bounds. Folding ends at the length of the final polynomial. And a row of a
/// matrix is authenticated by the Merkle layers between its own height and the cap of its
/// commitment: Plonky3 0.8.0 accepts any row of a matrix that is shorter than the cap, so no matrix
/// may be that short.
pub fn min_log_height(settings: &FriSettings) -> usize {
    let cap = settings.cap_height.saturating_sub(settings.log_blowup);
    settings.log_final_poly_len.max(cap)
}

/// How the heights of tables are chosen. Lists have one entry per table, in the machine's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Heights {
    /// Each table has the least height that its rows allow, but at least `2^MIN_LOG_HEIGHT`. The
    /// key does not fix the heights.
    #[default]
    Minimal,
    /// Every table has `2^n` rows, which the key fixes.
    Uniform(usize),
    /// The logarithm of each table's height, which the key fixes.
    Exact(#[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")] Vec<usize>),
}

/// Returns the logarithm of the least height that [`Heights::Minimal`] chooses for a table with
/// `rows` rows.
pub fn padded_log_height(rows: usize) -> usize {
    let log_rows = rows.max(1).next_power_of_two().trailing_zeros() as usize;
    log_rows.max(MIN_LOG_HEIGHT)
}
