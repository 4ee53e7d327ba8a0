//! Keys of Plonky3 proofs of any AIRs.

use droste_native::hash::poseidon16::Poseidon16;
use droste_native::{EF, F, FriSettings, HashSuite};
use droste_vm::fri::FORMAT_VERSION;
use droste_vm::key::{KeyDigest, Message};
use p3_air::Air;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};

use crate::shape::Protocol;
use crate::tags::{AIR_KEY_TAG, AIRS_TAG};

/// What the transcript of a proof absorbs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seed {
    /// The key's digest, which binds the constraints before anything is sampled.
    Key,
    /// Nothing, as in Plonky3's own transcript. For proofs made elsewhere, of AIRs that were fixed
    /// before the proof was made.
    ///
    /// # Soundness obligations
    ///
    /// That transcript binds widths, heights, public values and commitments, but not the
    /// constraints. A prover who may choose the constraints after the challenges are drawn can
    /// prove anything: take a trace, compute the proof's challenges, then write constraints whose
    /// combination vanishes at that one point. The key in the claim names the AIRs for which the
    /// proof was verified, but does not show that they were fixed before the proof. A verifier who
    /// accepts the claim must know this from elsewhere: the AIRs are published, or the verifier has
    /// listed their key. If the key comes with the proof, [`Seed::Key`] is the only sound choice.
    StockForFixedAirs,
}

/// Names what a proof of AIRs is a proof of: the AIRs, their heights, the settings and the
/// preprocessed traces.
///
/// Its digest is `Poseidon16::hash` under [`AIR_KEY_TAG`] of whole blocks: the identity, then the
/// digests of the commitment to the preprocessed traces, as [`droste_vm::key`] lays them out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirKey<H: HashSuite> {
    /// `Poseidon16::hash` under [`AIRS_TAG`] of format version, protocol, hash, seed, FRI settings,
    /// heights, and the widths, openings, constraints and lookups of every table.
    pub identity: [F; 8],
    /// Commitment to the preprocessed traces; empty if there are none.
    pub preprocessed: Vec<H::Digest>,
}

impl<H: HashSuite> AirKey<H> {
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

/// The identity ([`AirKey::identity`]) of AIRs with these names, whose lookups are packed as given.
pub(super) fn identity<H: HashSuite, A>(
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
    message.numbers(&settings.numbers());
    message.numbers(log_heights);
    message.number(airs.len());
    for ((air, name), lookups) in airs.iter().zip(names).zip(lookups) {
        message.table(name, air, lookups);
    }
    message.digest(AIRS_TAG)
}
