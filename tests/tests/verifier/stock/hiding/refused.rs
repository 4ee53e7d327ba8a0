//! Hiding proofs that differ from an accepted one in one thing, and are consistent in all others.

use std::mem::swap;

use droste_native::{EF, EF4, F, FriSettings};
use droste_verifier::airs::{AirError, HidingTrees, StockTrees, StockUni};
use droste_verifier::circuit::CircuitError;
use droste_verifier::shape::ShapeError;
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_field::BasedVectorSpace;
use p3_keccak::{Keccak256Hash, KeccakF};
use p3_merkle_tree::{MerkleCap, MerkleTreeHidingMmcs, MerkleTreeMmcs};
use p3_symmetric::{CompressionFunctionFromHasher, CryptographicHasher, SerializingHasher};
use p3_uni_stark::{Proof as UniProof, prove, verify};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::config::{self, HidingStark, SALTS, SaltedSponge, configuration};
use super::{FIBONACCI, PRODUCT, ZK, alone, uni};
use crate::airs::tables::{Plain, plain_trace};
use crate::stock::adopt;
use crate::stock::config::{ByteChallenger, SpongeTrees, U64Hash};

/// The configuration whose proofs are changed here.
type Honest = HidingStark<SaltedSponge, EF4, ByteChallenger<Keccak256Hash>>;

/// Where the salt of a leaf of one matrix stands.
#[derive(Clone, Debug)]
enum Place {
    /// After the row, as in Plonky3.
    Last,
    /// Before the row.
    First,
}

/// Hashes leaves whose salt stands there.
#[derive(Clone, Debug)]
struct Leaves(Place);

impl CryptographicHasher<F, [u64; 4]> for Leaves {
    fn hash_iter<I: IntoIterator<Item = F>>(&self, input: I) -> [u64; 4] {
        let mut leaf: Vec<F> = input.into_iter().collect();
        if matches!(self.0, Place::First) {
            leaf.rotate_right(SALTS);
        }
        SerializingHasher::new(U64Hash::new(KeccakF {})).hash_iter(leaf)
    }
}

/// Trees with such leaves.
type OtherTrees = MerkleTreeHidingMmcs<
    F,
    u64,
    Leaves,
    CompressionFunctionFromHasher<U64Hash, 2, 4>,
    StdRng,
    2,
    4,
    SALTS,
>;

#[test]
fn salts_before_rows_are_refused() {
    let honest = uni!(config::sponge::<EF4>(&ZK, 1), ZK, FIBONACCI);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let verdicts = [Place::Last, Place::First].map(|place| {
        let parent = CompressionFunctionFromHasher::new(U64Hash::new(KeccakF {}));
        let rng = StdRng::seed_from_u64(1);
        let trees = OtherTrees::new(Leaves(place.clone()), parent, ZK.cap_height, rng);
        let challenger = ByteChallenger::from_hasher(vec![], Keccak256Hash {});
        let config: HidingStark<_, EF4, ByteChallenger<Keccak256Hash>> =
            configuration(&ZK, &trees, challenger, 1);
        let trace = trace.clone();
        let proof = alone(|| prove(&config, &table, trace, &public).unwrap());
        verify(&config, &table, &proof, &public).unwrap();
        honest.verdict(&adopt(&proof), &honest.public_values, &place)
    });
    assert_eq!(verdicts, [true, false]);
}

type Cap = MerkleCap<F, [u64; 4]>;

/// A transcript that may observe the commitment to random polynomials late: after the point, which
/// is sampled next.
#[derive(Clone)]
struct Transcript {
    inner: ByteChallenger<Keccak256Hash>,
    late: bool,
    /// Number of commitments up to here: those of the trace, of the quotient, and the random one.
    caps: usize,
    held: Option<Cap>,
}

impl Transcript {
    fn release(&mut self) {
        if let Some(cap) = self.held.take() {
            self.inner.observe(cap);
        }
    }
}

impl CanObserve<F> for Transcript {
    fn observe(&mut self, value: F) {
        self.release();
        self.inner.observe(value);
    }
}

impl CanObserve<Cap> for Transcript {
    fn observe(&mut self, cap: Cap) {
        self.release();
        self.caps += 1;
        if self.late && self.caps == 3 {
            self.held = Some(cap);
        } else {
            self.inner.observe(cap);
        }
    }
}

impl<A: BasedVectorSpace<F>> CanSample<A> for Transcript {
    fn sample(&mut self) -> A {
        self.inner.sample()
    }
}

impl CanSampleBits<usize> for Transcript {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.inner.sample_bits(bits)
    }
}

impl FieldChallenger<F> for Transcript {}

impl GrindingChallenger for Transcript {
    type Witness = F;

    fn grind(&mut self, bits: usize) -> F {
        if bits > 0 {
            self.release();
        }
        self.inner.grind(bits)
    }

    fn check_witness(&mut self, bits: usize, witness: F) -> bool {
        if bits > 0 {
            self.release();
        }
        self.inner.check_witness(bits, witness)
    }
}

#[test]
fn a_random_commitment_that_is_observed_late_is_refused() {
    let honest = uni!(config::sponge::<EF4>(&ZK, 1), ZK, FIBONACCI);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let (_, trees, ()) = config::sponge::<EF4>(&ZK, 1);
    let trees = StockTrees::<F, ByteChallenger<Keccak256Hash>>::trees(&trees);
    let verdicts = [false, true].map(|late| {
        let challenger = Transcript {
            inner: ByteChallenger::from_hasher(vec![], Keccak256Hash {}),
            late,
            caps: 0,
            held: None,
        };
        let config: HidingStark<SaltedSponge, EF4, Transcript> =
            configuration(&ZK, trees, challenger, 1);
        let trace = trace.clone();
        let proof = alone(|| prove(&config, &table, trace, &public).unwrap());
        verify(&config, &table, &proof, &public).unwrap();
        honest.verdict(&adopt(&proof), &honest.public_values, &late)
    });
    assert_eq!(verdicts, [true, false]);
}

/// Whatever is missing or stands in another place of a proof.
#[test]
fn misplaced_parts_are_refused() {
    let honest = uni!(config::sponge::<EF4>(&ZK, 1), ZK, FIBONACCI);
    type Change = fn(&mut UniProof<Honest>);
    let changes: [(&str, Change); 10] = [
        ("nothing", |_| ()),
        ("no random commitment", |proof| {
            proof.commitments.random = None;
        }),
        ("no random polynomials", |proof| {
            proof.opened_values.random = None;
        }),
        ("the random commitment is that of the trace", |proof| {
            let Some(random) = &mut proof.commitments.random else {
                panic!("the proof is hiding");
            };
            swap(random, &mut proof.commitments.trace);
        }),
        // The commitments in the order of their openings: random, trace, quotient.
        ("an opening of the trace and one of a codeword", |proof| {
            let codewords = &mut proof.opening_proof.0;
            swap(
                &mut proof.opened_values.trace_local[0],
                &mut codewords[1][0][0][0],
            );
        }),
        (
            "all openings of a chunk and those of its codewords",
            |proof| {
                let codewords = &mut proof.opening_proof.0;
                swap(
                    &mut proof.opened_values.quotient_chunks[0],
                    &mut codewords[2][0][0],
                );
            },
        ),
        ("a codeword counts as a column", |proof| {
            let codeword = proof.opening_proof.0[1][0][0].remove(0);
            proof.opened_values.trace_local.push(codeword);
        }),
        ("no openings of codewords", |proof| {
            proof.opening_proof.0.clear();
        }),
        ("the height is the table's", |proof| proof.degree_bits -= 1),
        ("the height is four times the table's", |proof| {
            proof.degree_bits += 1;
        }),
    ];
    let verdicts = changes.map(|(what, change)| {
        let mut proof = adopt(&honest.proof);
        change(&mut proof);
        honest.verdict(&proof, &honest.public_values, &what)
    });
    let mut expected = [false; 10];
    expected[0] = true;
    assert_eq!(verdicts, expected);
}

/// The trees of the configuration of the sponge, with a number of random codewords.
fn trees_with(random_codewords: usize) -> HidingTrees<SaltedSponge> {
    let hash = U64Hash::new(KeccakF {});
    let leaf = SerializingHasher::new(hash);
    let parent = CompressionFunctionFromHasher::new(hash);
    let rng = StdRng::seed_from_u64(1);
    let salted = MerkleTreeHidingMmcs::new(leaf, parent.clone(), ZK.cap_height, rng);
    let plain: SpongeTrees = MerkleTreeMmcs::new(leaf, parent, ZK.cap_height);
    HidingTrees::new(salted, plain, random_codewords)
}

/// A circuit of a table in the sponge at degree 4.
fn circuit(
    random_codewords: usize,
    settings: FriSettings,
    (table, log_height): (Plain, usize),
) -> Result<StockUni<Honest, Plain>, AirError> {
    let (config, ..) = config::sponge::<EF4>(&settings, 1);
    let trees = trees_with(random_codewords);
    StockUni::new(config, trees, (), settings, table, log_height)
}

/// Numbers and heights that are given with a configuration must be those of its proofs.
#[test]
fn other_numbers_are_refused() {
    let (config, ..) = config::sponge::<EF4>(&ZK, 1);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let proof = alone(|| prove(&config, &table, trace, &public).unwrap());
    let honest = circuit(4, ZK, FIBONACCI).unwrap();
    honest.run(&proof, &public).unwrap();

    let more = circuit(5, ZK, FIBONACCI).unwrap();
    assert!(more.run(&proof, &public).is_err());
    let taller = circuit(4, ZK, (table, log_height + 1)).unwrap();
    assert!(taller.run(&proof, &public).is_err());
    let identities = [&honest, &more, &taller].map(|circuit| circuit.air_key().identity);
    assert_ne!(identities[0], identities[1]);
    assert_ne!(identities[0], identities[2]);

    // A proof that hides nothing, of a table twice as tall, has the same height.
    let (other, ..) = crate::stock::config::stock_sponge::<EF4>(&ZK);
    let (trace, public) = plain_trace(table, log_height + 1, 7);
    let plain = prove(&other, &table, trace, &public).unwrap();
    assert_eq!(plain.degree_bits, proof.degree_bits);
    let bytes = serde_json::to_vec(&plain).unwrap();
    let from = &mut serde_json::Deserializer::from_slice(&bytes);
    let refusal = honest.run_from(from, &public).unwrap_err();
    assert!(matches!(refusal, AirError::Bytes(_)), "{refusal}");
}

/// Why there is no circuit.
fn refusal<T>(circuit: Result<T, AirError>) -> AirError {
    let Err(error) = circuit else {
        panic!("there is a circuit");
    };
    error
}

/// What is wrong with a shape of which there is no circuit.
fn of_shape<T>(circuit: Result<T, AirError>) -> ShapeError {
    match refusal(circuit) {
        AirError::Circuit(CircuitError::Shape(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Shapes of which Plonky3 has no hiding proofs.
#[test]
fn shapes_that_hide_nothing_are_refused() {
    let error = of_shape(circuit(3, ZK, FIBONACCI));
    let expected = ShapeError::RandomCodewords {
        found: 3,
        degree: 4,
    };
    assert_eq!(error, expected);

    for found in [65, usize::MAX] {
        let error = of_shape(circuit(found, ZK, FIBONACCI));
        assert_eq!(error, ShapeError::TooManyRandomCodewords { found });
    }

    // Twice two queries and the values at two points, with four coefficients each: 20.
    let (table, log_height) = FIBONACCI;
    let error = of_shape(circuit(4, ZK, (table, log_height - 1)));
    let budget = |log_height, required| ShapeError::HidingBudget {
        table: "table_0".to_owned(),
        log_height,
        required,
    };
    assert_eq!(error, budget(4, 20));
    // At one point: 12 rows, and 18 with five queries.
    assert!(circuit(4, ZK, PRODUCT).is_ok());
    let settings = FriSettings {
        num_queries: 5,
        ..ZK
    };
    let error = of_shape(circuit(4, settings, PRODUCT));
    assert_eq!(error, budget(4, 18));
    // At degree 5: 14 rows and 24.
    let at_degree_5 = |table, log_height| {
        let (config, trees, ()) = config::sponge::<EF>(&ZK, 1);
        StockUni::new(config, trees, (), ZK, table, log_height)
    };
    assert!(at_degree_5(PRODUCT.0, 4).is_ok());
    let error = of_shape(at_degree_5(Plain::Fibonacci, 4));
    assert_eq!(error, budget(4, 24));

    // Plonky3 refuses to commit to a preprocessed trace that is too short for one point.
    let short = Plain::Steps { log_height: 3 };
    let error = refusal(circuit(4, ZK, (short, 3)));
    assert!(matches!(error, AirError::Hiding(_)), "{error:?}");
    let short = Plain::Steps { log_height: 4 };
    assert_eq!(of_shape(circuit(4, ZK, (short, 4))), budget(4, 20));
}
