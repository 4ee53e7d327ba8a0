//! Keys of Plonky3 proofs of any AIRs.

use droste_native::F;
use droste_native::field::{AnyChallenge, BaseField, ChallengeField};
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::fri::FORMAT_VERSION;
use droste_vm::key::{KeyDigest, Message};
use p3_air::Air;
use p3_field::PrimeField32;
use p3_lookup::Lookups;

use super::{Asked, Parameters};
use crate::shape::Protocol;
use crate::tags::{AIR_KEY_TAG, AIRS_TAG};
use crate::tape::{FriConfig, TreesId};

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
pub struct AirKey<V: FriConfig> {
    /// `Poseidon16::hash` under [`AIRS_TAG`] of format version, protocol, hash, seed, FRI settings,
    /// heights, and the widths, openings, constraints and lookups of every table. If the hash is
    /// that of no suite, or the challenges are not in [`EF`](droste_native::EF), or the proofs are
    /// hiding, the base field and the modulus of the extension follow the hash. Constants of other
    /// base fields are their canonical integers. If the proofs are hiding, the word
    /// "hiding" and the numbers of random codewords and of salts follow these. If the program gives
    /// the hash its round constants, the word "constants" and their blocks follow.
    pub identity: [F; 8],
    /// Commitment to the preprocessed traces; empty if there are none.
    pub preprocessed: Vec<V::Digest>,
}

impl<V: FriConfig> AirKey<V> {
    /// The elements whose hash under [`AIR_KEY_TAG`] is the digest: whole blocks of 8.
    pub fn preimage(&self) -> Vec<F> {
        let digests = self.preprocessed.iter().flat_map(V::digest_blocks);
        self.identity.into_iter().chain(digests.flatten()).collect()
    }

    /// The digest that names the key in claims.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Poseidon16.hash(AIR_KEY_TAG, &self.preimage()))
    }
}

/// The identity ([`AirKey::identity`]) of AIRs with these names, whose lookups are packed as given.
pub(super) fn identity<V: FriConfig, A>(
    protocol: Protocol,
    seed: Seed,
    parameters: &Parameters,
    airs: &[A],
    names: &[String],
    lookups: &[Lookups<V::Val>],
    log_heights: &[usize],
) -> [F; 8]
where
    A: Air<Asked<V::Challenge>>,
{
    let Parameters {
        settings,
        hiding,
        constants,
    } = parameters;
    let trees = V::TREES.with(constants);
    let mut message = Message::default();
    message.number(FORMAT_VERSION as usize);
    message.text(protocol.name());
    message.text(trees.name());
    // Identities of suites with challenges in `EF`, which are older, do not name the field. The
    // number that follows there is 0 or 1, no length of these texts, so no message is of both kinds.
    let of_suite = V::FIELD == ChallengeField::Quintic && matches!(trees, TreesId::Suite(_));
    if !of_suite || hiding.is_some() {
        message.text(V::Val::NAME);
        message.text(modulus(V::FIELD));
    }
    // Here, too, the number that follows otherwise is no length of a text.
    if let Some(hiding) = hiding {
        message.text("hiding");
        message.number(hiding.random_codewords);
        message.number(hiding.salts);
    }
    if !constants.is_empty() {
        message.text("constants");
        let elements = constants.iter().flatten();
        let numbers = elements.map(|element| element.as_canonical_u32() as usize);
        message.numbers(&numbers.collect::<Vec<_>>());
    }
    message.number(usize::from(seed == Seed::Key));
    message.numbers(&settings.numbers());
    message.numbers(log_heights);
    message.number(airs.len());
    for ((air, name), lookups) in airs.iter().zip(names).zip(lookups) {
        message.table_over::<V::Val, <V::Challenge as AnyChallenge>::Asked, A>(name, air, lookups);
    }
    message.digest(AIRS_TAG)
}

/// The polynomial by which the challenges of this field are reduced.
const fn modulus(field: ChallengeField) -> &'static str {
    match field {
        ChallengeField::Quintic => "X^5 + X^2 - 1",
        ChallengeField::Quartic => "X^4 - 3",
        ChallengeField::BabyBear => "X^4 - 11",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use droste_native::field::{BabyBear, BabyBear4};
    use droste_native::hash::poseidon2::Constants;
    use droste_native::{
        Blake3Suite, EF, EF4, FriSettings, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
    };
    use p3_blake3::Blake3;
    use p3_commit::ExtensionMmcs;
    use p3_dft::Radix2DitParallel;
    use p3_field::PrimeCharacteristicRing;
    use p3_fri::TwoAdicFriPcs;
    use p3_keccak::Keccak256Hash;
    use p3_keccak_air::KeccakAir;
    use p3_uni_stark::StarkConfig;

    use super::super::known::{
        ByteChallenger, ByteTrees, NarrowChallenger, NarrowTrees, SpongeTrees, WideChallenger,
        WideTrees,
    };
    use super::super::{RoundConstants, Stock};
    use super::*;
    use crate::shape::Hiding;

    type Of<T, E, C, V = F> =
        Stock<StarkConfig<TwoAdicFriPcs<V, Radix2DitParallel<V>, T, ExtensionMmcs<V, E, T>>, E, C>>;
    type InBlake3<E> = Of<ByteTrees<Blake3>, E, ByteChallenger<Blake3>>;
    type InKeccak<E> = Of<ByteTrees<Keccak256Hash>, E, ByteChallenger<Keccak256Hash>>;
    type InSponge<E> = Of<SpongeTrees<F, u64>, E, ByteChallenger<Keccak256Hash>>;

    type OverBabyBear<T, B> = Of<T, BabyBear4, ByteChallenger<B, BabyBear>, BabyBear>;
    type InBlake3OverBabyBear = OverBabyBear<ByteTrees<Blake3, BabyBear>, Blake3>;
    type InKeccakOverBabyBear = OverBabyBear<ByteTrees<Keccak256Hash, BabyBear>, Keccak256Hash>;
    type InSpongeOverBabyBear = OverBabyBear<SpongeTrees<BabyBear, u64>, Keccak256Hash>;

    type InNarrow<E> = Of<NarrowTrees, E, NarrowChallenger>;
    type InWide<E> = Of<WideTrees, E, WideChallenger>;

    fn of<V: FriConfig>() -> [u32; 8] {
        with::<V>(FriSettings::toy().into())
    }

    fn hiding_by<V: FriConfig>(hiding: Option<Hiding>) -> [u32; 8] {
        with::<V>(Parameters {
            hiding,
            ..FriSettings::toy().into()
        })
    }

    fn with_constants<V: FriConfig>(constants: &impl RoundConstants) -> [u32; 8] {
        with::<V>(Parameters {
            constants: constants.blocks(),
            ..FriSettings::toy().into()
        })
    }

    fn with<V: FriConfig>(parameters: Parameters) -> [u32; 8] {
        let air = KeccakAir {};
        let identity = identity::<V, _>(
            Protocol::Uni,
            Seed::StockForFixedAirs,
            &parameters,
            &[air],
            &["table_0".to_owned()],
            &[Lookups::default()],
            &[5],
        );
        identity.map(|element| element.as_canonical_u32())
    }

    #[test]
    fn trees_and_fields_have_identities_of_their_own() {
        let identities = [
            of::<Poseidon16Suite>(),
            of::<Poseidon2Suite>(),
            of::<Blake3Suite>(),
            of::<KeccakSuite>(),
            of::<InBlake3<EF4>>(),
            of::<InKeccak<EF4>>(),
            of::<InSponge<EF4>>(),
            of::<InSponge<EF>>(),
            of::<InBlake3OverBabyBear>(),
            of::<InKeccakOverBabyBear>(),
            of::<InSpongeOverBabyBear>(),
        ];
        let different: BTreeSet<_> = identities.iter().collect();
        assert_eq!(different.len(), identities.len());
    }

    #[test]
    fn hiding_numbers_are_in_the_identity() {
        let numbers = [(5, 4), (4, 5), (5, 0), (6, 4)].map(|(random_codewords, salts)| {
            Some(Hiding {
                random_codewords,
                salts,
            })
        });
        let all = || numbers.into_iter().chain([None]);
        let identities = all().flat_map(|hiding| {
            [
                hiding_by::<InBlake3<EF>>(hiding),
                hiding_by::<InBlake3<EF4>>(hiding),
                hiding_by::<InSponge<EF>>(hiding),
                hiding_by::<InSpongeOverBabyBear>(hiding),
            ]
        });
        let different: BTreeSet<_> = identities.collect();
        assert_eq!(different.len(), 4 * all().count());
    }

    #[test]
    fn round_constants_are_in_the_identity() {
        type Both = (Constants<24>, Constants<16>);
        let narrow = Constants::<16>::default;
        let mut next = F::ZERO;
        let mut draw = || {
            next += F::ONE;
            next
        };
        let (wide, other) = (
            Constants::<24>::drawn(&mut draw),
            Constants::<16>::drawn(&mut draw),
        );
        let default: Both = (Constants::default(), narrow());
        let of_24: Both = (wide.clone(), narrow());
        let of_16: Both = (Constants::default(), other.clone());
        let both: Both = (wide, other.clone());
        let identities = [
            with_constants::<InNarrow<EF4>>(&narrow()),
            with_constants::<InNarrow<EF4>>(&other),
            with_constants::<InNarrow<EF>>(&narrow()),
            with_constants::<InWide<EF4>>(&default),
            with_constants::<InWide<EF4>>(&of_24),
            with_constants::<InWide<EF4>>(&of_16),
            with_constants::<InWide<EF4>>(&both),
            with_constants::<InWide<EF>>(&both),
            of::<Poseidon2Suite>(),
        ];
        let different: BTreeSet<_> = identities.iter().collect();
        assert_eq!(different.len(), identities.len());
        let suite = with_constants::<InWide<EF>>(&default);
        assert_eq!(suite, of::<Poseidon2Suite>());
    }

    /// They verify the same proofs by the same program.
    #[test]
    fn suites_and_their_configurations_have_one_identity() {
        assert_eq!(of::<InBlake3<EF>>(), of::<Blake3Suite>());
        assert_eq!(of::<InKeccak<EF>>(), of::<KeccakSuite>());
    }
}
