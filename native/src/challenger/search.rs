//! Search for the smallest passing nonce.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use p3_maybe_rayon::prelude::*;
use thiserror::Error;

/// Blocks handed to the threads at a time. Work beyond the first hit is at most one window.
const WINDOW: u64 = 256;

/// A proof of work that no nonce passes.
///
/// At [`MAX_GRINDING_BITS`](crate::config::MAX_GRINDING_BITS) that happens with probability below
/// `2^-183`; whoever asks for nearly as many bits as nonces have meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("none of {tried} nonces passes the proof of work")]
pub struct NoNonce {
    /// Nonces tried.
    pub tried: u64,
}

/// Runs a prover; [`NoNonce`] where one of its proofs of work failed.
///
/// Plonky3's provers call `grind`, which has no way to return an error. Ours leaves by unwinding, which
/// ends here; every other panic goes on.
///
/// # Errors
/// If a search for a nonce found none.
pub fn with_grinding<T>(prover: impl FnOnce() -> T) -> Result<T, NoNonce> {
    catch_unwind(AssertUnwindSafe(prover)).map_err(|payload| match payload.downcast::<NoNonce>() {
        Ok(none) => *none,
        Err(panic) => resume_unwind(panic),
    })
}

/// What [`first_block`] finds in `count` blocks that hold `tried` nonces.
///
/// Does not return where there is nothing: it unwinds to [`with_grinding`].
pub(super) fn find<T: Send>(
    count: u64,
    tried: u64,
    test: impl Fn(u64) -> Option<T> + Sync + Send,
) -> T {
    // Not a panic: no message is printed.
    first_block(count, test).unwrap_or_else(|| resume_unwind(Box::new(NoNonce { tried })))
}

/// The result of the first block, in order of index, for which `test` finds something.
///
/// Blocks `0..count` are tested in parallel, window by window; the answer does not depend on the
/// number of threads.
fn first_block<T: Send>(count: u64, test: impl Fn(u64) -> Option<T> + Sync + Send) -> Option<T> {
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

#[cfg(test)]
mod tests {
    use p3_challenger::ByteGrindingChallenger;

    use super::*;
    use crate::blake3::Blake3;
    use crate::challenger::{ByteTranscript, Poseidon16Challenger};

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
            // 40 bits, of samples that have 31, are never all zero in so few.
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
