//! Proofs that differ from those of an accepted configuration in one thing, and are consistent in
//! all others.

use std::iter::zip;

use droste_native::changes::{Changes, Node};
use droste_native::field::MODULUS;
use droste_native::hash::poseidon2::Constants;
use droste_native::{Challenge, EF, EF4, F, FriSettings};
use droste_verifier::airs::{AirError, ConstantsError, StockBatch, StockUni};
use droste_verifier::circuit::CircuitError;
use droste_verifier::tape::TapeError;
use p3_air::{Air, BaseAir, ExtensionBuilder, WindowAccess};
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_koala_bear::{
    Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, Permutation, SerializingHasher,
};
use p3_uni_stark::{Proof as UniProof, prove};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::adopt;
use super::config::{
    ByteChallenger, FriStark, StockSponge, U64Hash, stock_drawn, stock_drawn_from, stock_narrow,
    stock_narrow_of, stock_poseidon2, stock_poseidon2_of, stock_sponge,
};
use super::fixture::{BENCHMARK, FIBONACCI, HIGH_ARITY, STEPS, TABLES, batch_fixture, uni_fixture};
use crate::airs::tables::{plain_trace, traces};

/// What a sponge over the 64-bit lanes of Keccak-f does otherwise than Plonky3's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// Nothing.
    None,
    /// The last block is padded as Keccak-256 pads it.
    Padded,
    /// A short last block clears the lanes of the rate that it does not reach.
    Cleared,
    /// The last word, if it is alone in its lane, leaves the other half of the lane as it was.
    Halved,
    /// Blocks are added to the rate, as in Keccak-256.
    Added,
    /// The state is permuted once more at the end.
    Again,
}

/// Words in a block.
const RATE: usize = 17;

impl CryptographicHasher<u64, [u64; 4]> for Difference {
    fn hash_iter<I: IntoIterator<Item = u64>>(&self, input: I) -> [u64; 4] {
        let words: Vec<u64> = input.into_iter().collect();
        let mut state = [0_u64; 25];
        for block in words.chunks(RATE) {
            if *self == Self::Cleared {
                state[block.len()..RATE].fill(0);
            }
            let last = block.len() - 1;
            for (index, (lane, &word)) in zip(&mut state, block).enumerate() {
                *lane = match self {
                    Self::Added => *lane ^ word,
                    Self::Halved if index == last && word >> 32 == 0 => {
                        ((*lane >> 32) << 32) | word
                    }
                    _ => word,
                };
            }
            if *self == Self::Padded && block.len() < RATE {
                state[block.len()] ^= 1;
                state[RATE - 1] ^= 1 << 63;
            }
            KeccakF.permute_mut(&mut state);
        }
        if *self == Self::Again {
            KeccakF.permute_mut(&mut state);
        }
        [state[0], state[1], state[2], state[3]]
    }
}

/// Trees whose leaves are hashed otherwise.
type OtherTrees = MerkleTreeMmcs<
    F,
    u64,
    SerializingHasher<Difference>,
    CompressionFunctionFromHasher<U64Hash, 2, 4>,
    2,
    4,
>;

/// The configuration of the sponge, but for how it hashes leaves.
fn other_sponge<E: Challenge>(
    settings: &FriSettings,
    difference: Difference,
) -> FriStark<OtherTrees, E, ByteChallenger<Keccak256Hash>> {
    let trees = OtherTrees::new(
        SerializingHasher::new(difference),
        CompressionFunctionFromHasher::new(U64Hash::new(KeccakF {})),
        settings.cap_height,
    );
    let parameters = settings.parameters(p3_commit::ExtensionMmcs::new(trees.clone()));
    let pcs = p3_fri::TwoAdicFriPcs::new(Default::default(), trees, parameters);
    let challenger = ByteChallenger::<Keccak256Hash>::from_hasher(vec![], Keccak256Hash {});
    p3_uni_stark::StarkConfig::new(pcs, challenger)
}

#[test]
fn other_sponges_are_refused() {
    let honest = batch_fixture!(stock_sponge::<EF4>(&HIGH_ARITY), HIGH_ARITY, &TABLES);
    let traces = traces(&TABLES, 7);
    let (airs, log_heights): (Vec<_>, Vec<usize>) = TABLES.into_iter().unzip();
    let verdicts = [
        Difference::None,
        Difference::Padded,
        Difference::Cleared,
        Difference::Halved,
        Difference::Added,
        Difference::Again,
    ]
    .map(|difference| {
        let config = other_sponge::<EF4>(&HIGH_ARITY, difference);
        let instances: Vec<_> = zip(&airs, &traces)
            .map(|(air, (trace, public))| p3_batch_stark::StarkInstance {
                air,
                trace,
                public_values: public.clone(),
            })
            .collect();
        let data = p3_batch_stark::ProverData::from_airs_and_degrees(&config, &airs, &log_heights)
            .unwrap();
        let proof = p3_batch_stark::prove_batch(&config, &instances, &data).unwrap();
        let common = &data.common;
        let public = &honest.public_values;
        p3_batch_stark::verify_batch(&config, &airs, &proof, public, common).unwrap();
        honest.verdict(&adopt(&proof), public, &difference)
    });
    assert_eq!(verdicts, [true, false, false, false, false, false]);
}

/// Types do not show constants: a configuration with others than were given is refused, and so are
/// its proofs.
#[test]
fn other_constants_of_poseidon2_are_refused() {
    let random = SmallRng::seed_from_u64;
    let permutations = [
        (
            default_koalabear_poseidon2_16(),
            Poseidon2KoalaBear::<24>::new_from_rng_128(&mut random(1)),
            ConstantsError::Leaf,
        ),
        (
            Poseidon2KoalaBear::<16>::new_from_rng_128(&mut random(1)),
            default_koalabear_poseidon2_24(),
            ConstantsError::Parent,
        ),
    ];
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let honest = uni_fixture!(stock_poseidon2::<EF4>(&BENCHMARK), BENCHMARK, FIBONACCI);
    for (narrow, wide, expected) in permutations {
        let constants = (Constants::<24>::default(), Constants::<16>::default());
        let (config, trees, constants) =
            stock_poseidon2_of::<EF4>(&BENCHMARK, narrow, wide, constants);
        let proof = prove(&config, &table, trace.clone(), &public).unwrap();
        let verdict = honest.verdict(&adopt(&proof), &honest.public_values, &"constants");
        assert!(!verdict);
        let circuit = StockUni::new(config, trees, constants, BENCHMARK, table, log_height);
        let refusal = circuit.map(|_| ()).unwrap_err();
        assert!(
            matches!(refusal, AirError::Constants(found) if found == expected),
            "{refusal}"
        );
    }
    // Whoever gives a configuration's constants can still be shown a proof with others.
    let honest = uni_fixture!(stock_drawn::<EF4>(&BENCHMARK), BENCHMARK, FIBONACCI);
    let (config, ..) = stock_drawn_from::<EF4>(&BENCHMARK, random(2));
    let proof = prove(&config, &table, trace.clone(), &public).unwrap();
    assert!(!honest.verdict(&adopt(&proof), &honest.public_values, &"another seed"));
}

/// As [`other_constants_of_poseidon2_are_refused`], of width 16.
#[test]
fn other_constants_of_width_16_are_refused() {
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let honest = uni_fixture!(stock_narrow::<EF4>(&BENCHMARK), BENCHMARK, FIBONACCI);
    let (config, trees, constants) = stock_narrow_of::<EF4>(&BENCHMARK, 2);
    let proof = prove(&config, &table, trace, &public).unwrap();
    assert!(!honest.verdict(&adopt(&proof), &honest.public_values, &"another seed"));
    let default = Constants::<16>::default();
    for (given, accepted) in [(default, false), (constants, true)] {
        let (config, trees) = (config.clone(), trees.clone());
        let circuit = StockUni::new(config, trees, given, BENCHMARK, table, log_height);
        match circuit {
            Ok(circuit) => assert!(accepted && circuit.run(&proof, &public).is_ok()),
            Err(refusal) => assert!(
                !accepted && matches!(refusal, AirError::Constants(ConstantsError::Leaf)),
                "{refusal}"
            ),
        }
    }
}

/// A column of bits, which may also be zero by a constraint over the extension.
#[derive(Clone, Copy)]
struct Bits {
    over_extension: bool,
}

impl BaseAir<F> for Bits {
    fn width(&self) -> usize {
        1
    }
}

impl<AB: ExtensionBuilder<F = F>> Air<AB> for Bits {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let bit: AB::Expr = main.current_slice()[0].into();
        builder.assert_bool(bit.clone());
        if self.over_extension {
            builder.assert_zero_ext(bit);
        }
    }
}

/// Constraints over the extension are in the identity of the AIRs at degree 5, and are refused at
/// degree 4.
#[test]
fn constraints_over_the_extension_are_taken_at_degree_5() {
    let [with, without] = [true, false].map(|over_extension| vec![Bits { over_extension }]);
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    let refusal = StockBatch::new(config, trees, (), BENCHMARK, with.clone(), &[4]).err();
    assert!(
        matches!(refusal, Some(AirError::ExtensionConstraints { table: 0 })),
        "{refusal:?}"
    );
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    StockBatch::new(config, trees, (), BENCHMARK, without.clone(), &[4]).unwrap();
    let [with, without] = [with, without].map(|airs| {
        let (config, trees, ()) = stock_sponge::<EF>(&BENCHMARK);
        let circuit = StockBatch::new(config, trees, (), BENCHMARK, airs, &[4]).unwrap();
        circuit.air_key().identity
    });
    assert_ne!(with, without);
}

/// A commitment to preprocessed traces with another cap than that of the settings.
#[test]
fn other_caps_are_refused() {
    let (table, log_height) = STEPS;
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    let settings = FriSettings {
        cap_height: 2,
        ..BENCHMARK
    };
    let refusal = StockUni::new(config, trees, (), settings, table, log_height).err();
    let Some(AirError::Circuit(CircuitError::Tape(TapeError::Shape {
        found, expected, ..
    }))) = refusal
    else {
        panic!("{refusal:?}")
    };
    assert_eq!((found, expected), (8, 4));
}

/// The settings that are given with a configuration must be those that it was made of.
#[test]
fn other_settings_are_refused() {
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    let proof = prove(&config, &table, trace, &public).unwrap();
    let fewer_queries = FriSettings {
        num_queries: 1,
        ..BENCHMARK
    };
    let more_work = FriSettings {
        batch_grinding_bits: 1,
        ..BENCHMARK
    };
    let other_folds = FriSettings {
        max_log_arity: 2,
        ..BENCHMARK
    };
    let other_cap = FriSettings {
        cap_height: 2,
        ..BENCHMARK
    };
    for settings in [fewer_queries, more_work, other_folds, other_cap] {
        let (config, trees) = (config.clone(), trees.clone());
        let circuit = StockUni::new(config, trees, (), settings, table, log_height).unwrap();
        assert!(circuit.run(&proof, &public).is_err(), "{settings:?}");
    }
    // A proof of another height, and trees that are not the configuration's.
    let higher = log_height + 1;
    let circuit = StockUni::new(config.clone(), trees, (), BENCHMARK, table, higher).unwrap();
    assert!(circuit.run(&proof, &public).is_err());
    let (_, trees, ()) = stock_sponge::<EF4>(&other_cap);
    let circuit = StockUni::new(config, trees, (), BENCHMARK, table, log_height).unwrap();
    assert!(circuit.run(&proof, &public).is_err());
}

/// Checks that none of these words is taken for a field element, wherever it stands in a proof:
/// commitments of byte hashes have no elements, all other parts have.
pub(super) fn expect_no_elements<P>(proof: &P, words: &[u32])
where
    P: Serialize + DeserializeOwned,
{
    let changes = Changes::new(proof).unwrap();
    let mut places = 0;
    for place in changes.numbers() {
        if !matches!(place.node, Node::Element(_)) {
            continue;
        }
        places += 1;
        for word in words {
            let changed = changes.with(&place, |node| {
                *node = Node::Raw(word.to_le_bytes().to_vec());
            });
            assert!(changed.is_none(), "{}: {word}", place.name);
        }
    }
    assert!(places > 40, "{places}");
}

/// A word that is no field element is refused in a proof's bytes.
#[test]
fn words_from_the_modulus_on_are_refused() {
    let fixture = uni_fixture!(stock_sponge::<EF4>(&BENCHMARK), BENCHMARK, FIBONACCI);
    expect_no_elements(&fixture.proof, &[MODULUS, MODULUS + 1, u32::MAX]);

    // As JSON, where a word is written as a number.
    let (config, trees, ()) = stock_sponge::<EF4>(&BENCHMARK);
    let (table, log_height) = FIBONACCI;
    let circuit = StockUni::new(config, trees, (), BENCHMARK, table, log_height).unwrap();
    let public = &fixture.public_values[0];
    let honest = serde_json::to_value(&fixture.proof).unwrap();
    circuit.run_from(&honest, public).unwrap();
    for part in [
        "/ood_pow_witness",
        "/opening_proof/query_pow_witness",
        "/opening_proof/input_openings/0/opened_values/0/0/0",
    ] {
        for other in [MODULUS, MODULUS + 1] {
            let mut value = honest.clone();
            let word = value.pointer_mut(part).expect("a part of the proof");
            assert!(word.is_u64(), "{part}: {word}");
            *word = other.into();
            let refusal = circuit.run_from(&value, public).unwrap_err();
            assert!(matches!(refusal, AirError::Bytes(_)), "{part}: {refusal}");
        }
    }
}

/// A proof that was made with challenges of one degree is none at the other.
#[test]
fn another_degree_is_refused() {
    let fixture = uni_fixture!(stock_sponge::<EF4>(&BENCHMARK), BENCHMARK, FIBONACCI);
    let bytes = serde_json::to_vec(&fixture.proof).unwrap();
    let proof: Result<UniProof<StockSponge<droste_native::EF>>, _> = serde_json::from_slice(&bytes);
    assert!(proof.is_err());
}
