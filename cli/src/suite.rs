//! Calls code that is generic over the hash suite with the suite that is named at run time.

use droste_native::{HashId, with_suite};
use droste_verifier::tape::TapeSuite;
use droste_vm::machine::{Provable, StandardTables};

/// Work that is generic over the hash suite.
pub trait InHash {
    /// Result of the work.
    type Output;

    /// Does the work in the hash suite `H`.
    fn run<H: TapeSuite>(self) -> Self::Output
    where
        StandardTables: Provable<H>;
}

/// Does `work` in the hash suite named `hash`.
pub fn in_hash<W: InHash>(hash: HashId, work: W) -> W::Output {
    with_suite!(hash, H => work.run::<H>())
}
