//! Keys of proofs of AIRs.

use droste_native::poseidon16::Poseidon16;
use droste_native::{EF, F, FriSettings, HashFamily};
use droste_vm::key::{FORMAT_VERSION, KeyDigest, Message};
use p3_air::Air;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};

use crate::shape::Protocol;

/// Tag of the identity of a list of AIRs: the letters "airs", in ASCII, big-endian.
pub const AIRS_TAG: F = F::new(0x6169_7273);

/// Tag of the digest of an [`AirKey`]: the letters "akey", in ASCII, big-endian.
pub const AIR_KEY_TAG: F = F::new(0x616b_6579);

/// What the transcript of a proof begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// The key's digest, which binds the constraints before anything is sampled.
    Key,
    /// Nothing: Plonky3's own transcript, for proofs made elsewhere, of AIRs that were fixed before the proof.
    ///
    /// That transcript binds widths, heights, public values and commitments, not the constraints. Who may
    /// choose the constraints after the challenges have been drawn proves anything: they take a trace,
    /// compute the proof's challenges, and then write down constraints whose combination vanishes at that one
    /// point. The key in the claim names the AIRs that the proof was verified for; it cannot say that they
    /// were there before the proof. So whoever accepts the claim must know that from elsewhere: the AIRs are
    /// published, or their key is one that he has listed. Where a key comes with the proof, [`Seed::Key`] is
    /// the only sound choice.
    StockForFixedAirs,
}

/// What a proof of AIRs is a proof of.
///
/// Its digest is `Poseidon16::hash` under [`AIR_KEY_TAG`] of whole blocks: the identity, then the
/// digests of the commitment to the preprocessed traces, as [`droste_vm::key`] lays them out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirKey<H: HashFamily> {
    /// `Poseidon16::hash` under [`AIRS_TAG`] of format version, protocol, hash, seed, FRI settings,
    /// heights, and of every table its widths, openings, constraints and look-ups.
    pub identity: [F; 8],
    /// Commitment to the preprocessed traces; empty if there are none.
    pub preprocessed: Vec<H::Digest>,
}

impl<H: HashFamily> AirKey<H> {
    /// The elements whose hash under [`AIR_KEY_TAG`] is the digest: whole blocks of 8.
    pub fn preimage(&self) -> Vec<F> {
        let digests = self.preprocessed.iter().flat_map(H::digest_elements);
        self.identity.into_iter().chain(digests).collect()
    }

    /// The digest that names the key in claims.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Poseidon16.hash(AIR_KEY_TAG, &self.preimage()))
    }
}

/// The identity of AIRs with these names, look-ups packed as given.
pub(super) fn identity<H: HashFamily, A>(
    protocol: Protocol,
    seed: Seed,
    settings: &FriSettings,
    airs: &[A],
    names: &[String],
    lookups: &[Lookups<F>],
    log_heights: &[usize],
) -> [F; 8]
where
    A: Air<InteractionSymbolicBuilder<F, EF>>,
{
    let mut message = Message::default();
    message.number(FORMAT_VERSION as usize);
    message.text(protocol.name());
    message.text(H::NAME);
    message.number(usize::from(seed == Seed::Key));
    message.settings(settings);
    message.numbers(log_heights);
    message.number(airs.len());
    for ((air, name), lookups) in airs.iter().zip(names).zip(lookups) {
        message.table(name, air, lookups);
    }
    message.digest(AIRS_TAG)
}
