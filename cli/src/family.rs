//! From the run-time name of a hash to code that is generic over it.

use droste_native::{Blake3Family, HashId, KeccakFamily, Poseidon16Family};
use droste_verifier::tape::TapeFamily;
use droste_vm::machine::{Provable, StandardTables};

/// Work that is done in one hash, whichever it is.
pub trait InHash {
    /// What comes of it.
    type Output;

    /// Does the work.
    fn run<H: TapeFamily>(self) -> Self::Output
    where
        StandardTables: Provable<H>;
}

/// Does `work` in the hash called `hash`.
pub fn in_hash<W: InHash>(hash: HashId, work: W) -> W::Output {
    match hash {
        HashId::Poseidon16 => work.run::<Poseidon16Family>(),
        HashId::Blake3 => work.run::<Blake3Family>(),
        HashId::Keccak => work.run::<KeccakFamily>(),
    }
}
