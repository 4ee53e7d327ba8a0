//! Search for the smallest nonce that passes the proof of work.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

#[cfg(feature = "prover")]
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

/// Number of blocks that are handed to the threads at a time. The work done after the first hit is
/// at most one such window.
const WINDOW: u64 = 256;

/// No nonce passes a proof of work.
///
/// At [`MAX_GRINDING_BITS`](crate::stark::config::MAX_GRINDING_BITS) this happens with probability
/// below `2^-183`; it becomes likely when nearly as many bits are required as nonces have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("none of the {tried} nonces tried passes the proof of work")]
pub struct NoNonce {
    /// Number of nonces tried.
    pub tried: u64,
}

/// Runs a prover, and returns [`NoNonce`] if no nonce passes one of its proofs of work.
///
/// Plonky3's provers call `grind`, which cannot return an error. The challengers of this module
/// leave `grind` by unwinding, which this function catches; any other panic continues.
///
/// # Errors
/// If the search for a nonce found none.
pub fn with_grinding<T>(prover: impl FnOnce() -> T) -> Result<T, NoNonce> {
    catch_unwind(AssertUnwindSafe(prover)).map_err(|payload| match payload.downcast::<NoNonce>() {
        Ok(none) => *none,
        Err(panic) => resume_unwind(panic),
    })
}

/// Returns what [`first_block`] finds in `count` blocks, which contain `tried` nonces.
///
/// If it finds nothing, this function does not return but unwinds to [`with_grinding`].
pub(super) fn find<T: Send>(
    count: u64,
    tried: u64,
    test: impl Fn(u64) -> Option<T> + Sync + Send,
) -> T {
    // `resume_unwind` instead of a panic, so that no message is printed.
    first_block(count, test).unwrap_or_else(|| resume_unwind(Box::new(NoNonce { tried })))
}

/// Returns the result of the first block, by index, for which `test` returns something.
///
/// Blocks `0..count` are tested in parallel, one window after the other; the result does not depend
/// on the number of threads.
fn first_block<T: Send>(count: u64, test: impl Fn(u64) -> Option<T> + Sync + Send) -> Option<T> {
    let mut start = 0;
    while start < count {
        let end = count.min(start + WINDOW);
        #[cfg(feature = "prover")]
        let found = (start..end).into_par_iter().find_map_first(&test);
        #[cfg(not(feature = "prover"))]
        let found = (start..end).find_map(&test);
        if found.is_some() {
            return found;
        }
        start = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use p3_challenger::ByteGrindingChallenger;

    use super::*;
    use crate::hash::blake3::Blake3;
    use crate::stark::challenger::{ByteTranscript, Poseidon16Challenger};

    const ENDS: [u64; 4] = [1, WINDOW - 1, WINDOW, 3 * WINDOW + 1];

    #[test]
    fn the_last_nonce_is_tried_and_none_after_it() {
        for count in ENDS {
            let at = |nonce| move |block: u64| (block == nonce).then_some(block);
            let found = with_grinding(|| find(count, count, at(count - 1)));
            assert_eq!(found, Ok(count - 1));
            let found = with_grinding(|| find(count, count, at(count)));
            assert_eq!(found, Err(NoNonce { tried: count }));
        }
        assert_eq!(with_grinding(|| 5), Ok(5));
    }

    #[test]
    fn transcripts_that_find_no_nonce_say_so() {
        let bytes = ByteTranscript::new(Blake3);
        for candidates in ENDS {
            let encode = |nonce: u64| nonce.to_le_bytes();
            let found =
                with_grinding(|| bytes.find_witness(candidates, encode, |_: [u8; 4]| false));
            assert_eq!(found, Err(NoNonce { tried: candidates }));
            let found = with_grinding(|| bytes.find_witness(candidates, encode, |_: [u8; 4]| true));
            assert_eq!(found, Ok(Some(0)));
        }
        let field = Poseidon16Challenger::default();
        for candidates in [16, 1 << 12] {
            // Samples have 31 bits, so no nonce can pass a proof of work of 40 bits.
            let found = with_grinding(|| field.search(40, candidates));
            assert_eq!(found, Err(NoNonce { tried: candidates }));
            assert!(with_grinding(|| field.search(0, candidates)).is_ok());
        }
    }

    #[test]
    #[should_panic(expected = "another panic")]
    fn other_panics_go_on() {
        let _ = with_grinding(|| panic!("another panic"));
    }
}
