//! Heights of tables.

use droste_native::FriSettings;
use serde::{Deserialize, Serialize};

use crate::codec::short_list;
use crate::machine::MAX_TABLES;

/// Logarithm of the least height that [`Heights::Minimal`] gives a table: shorter ones cost
/// queries in the list-decoding regime and save next to nothing.
pub const MIN_LOG_HEIGHT: usize = 6;

/// Logarithm of the largest evaluation domain: the two-adicity of the base field.
pub const MAX_LOG_HEIGHT: usize = 24;

/// Logarithm of the least height that a table may have with these settings.
///
/// Folding ends at the length of the final polynomial. And a row of a matrix is authenticated by the layers
/// from its own height down to the cap of its commitment: Plonky3 0.8.0 accepts any row of a matrix that is
/// shorter than the cap, so there must be none.
pub fn min_log_height(settings: &FriSettings) -> usize {
    let cap = settings.cap_height.saturating_sub(settings.log_blowup);
    settings.log_final_poly_len.max(cap)
}

/// How the heights of tables are chosen; lists are by table, in the machine's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Heights {
    /// Each table as low as its rows allow, from `2^MIN_LOG_HEIGHT` on. The key leaves heights free.
    #[default]
    Minimal,
    /// Every table `2^n` rows high; fixed by the key.
    Uniform(usize),
    /// Logarithm of each table's height; fixed by the key.
    Exact(#[serde(deserialize_with = "short_list::<_, _, MAX_TABLES>")] Vec<usize>),
}

/// Logarithm of the least height [`Heights::Minimal`] gives a table of so many rows.
pub fn padded_log_height(rows: usize) -> usize {
    let log_rows = rows.max(1).next_power_of_two().trailing_zeros() as usize;
    log_rows.max(MIN_LOG_HEIGHT)
}
