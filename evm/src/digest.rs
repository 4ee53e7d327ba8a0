//! Keys, claims and statements as they are written: eight canonical integers of four bytes, low
//! bytes first.

use crate::assembler::{Assembler, Expr, Op, Word, call, var};
use crate::field::P;

/// Elements of a digest.
pub const DIGEST: usize = 8;

/// The eight words of 32 bits of a digest, the first one on top; or the digest of such words.
pub fn swapped(digest: Expr) -> Expr {
    call("swap", [digest])
}

/// Defines the function that [`swapped`] calls.
pub fn define_swap(a: &mut Assembler) {
    let swap = |name: &'static str, bits: u32, low: u64| {
        let low = Expr::from(Word::from_lanes(32, &[low; DIGEST]));
        (var(name) & low.clone()) << bits | (var(name) >> bits) & low
    };
    a.function("swap", ["bytes"], |a| {
        a.bind("pairs", swap("bytes", 8, 0x00ff_00ff));
        Some(swap("pairs", 16, 0xffff))
    });
}

/// Zero if all eight words of a variable are below `p`.
pub fn exceeding(name: &'static str) -> Expr {
    let words = |word: u64| Expr::from(Word::from_lanes(32, &[word; DIGEST]));
    // The top bit of a word is set by the sum if the other 31 are a number of at least `p`.
    let exceeds = (var(name) & words((1 << 31) - 1)) + words((1 << 31) - P);
    Expr::Op(Op::And, vec![exceeds | var(name), words(1 << 31)])
}
