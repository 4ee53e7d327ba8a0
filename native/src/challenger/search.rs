//! Search for the smallest passing nonce.

use p3_maybe_rayon::prelude::*;

/// Blocks handed to the threads at a time. Work beyond the first hit is at most one window.
const WINDOW: u64 = 256;

/// The result of the first block, in order of index, for which `test` finds something.
///
/// Blocks `0..count` are tested in parallel, window by window; the answer does not depend on the
/// number of threads.
pub(super) fn first_block<T: Send>(
    count: u64,
    test: impl Fn(u64) -> Option<T> + Sync + Send,
) -> Option<T> {
    let mut start = 0;
    while start < count {
        let end = count.min(start + WINDOW);
        if let Some(found) = (start..end).into_par_iter().find_map_first(&test) {
            return Some(found);
        }
        start = end;
    }
    None
}
