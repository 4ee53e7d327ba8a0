//! Each hash suite's configuration compared with Plonky3's own configuration that it corresponds
//! to; Poseidon2 compared with its paper.

mod poseidon2;

use std::fmt::Debug;

use droste_native::stark::challenger::{Poseidon2Challenger, Poseidon16Challenger};
use droste_native::stark::config::MAX_GRINDING_BITS;
use droste_native::stark::config::{FriSettings, SettingsError, config, pcs};
use droste_native::stark::suite::{Config, Dft};
use droste_native::{
    Blake3Suite, DIGEST, EF, F, HashId, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_tests::every_suite;
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_blake3::Blake3;
use p3_challenger::{
    CanObserve, CanSample, CanSampleBits, DuplexChallenger, GrindingChallenger, HashChallenger,
    SerializingChallenger32,
};
use p3_commit::{ExtensionMmcs, Mmcs};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_fri::TwoAdicFriPcs;
use p3_keccak::Keccak256Hash;
use p3_koala_bear::{
    Poseidon1KoalaBear, Poseidon2KoalaBear, default_koalabear_poseidon1_16,
    default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_matrix::Dimensions;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge, SerializingHasher,
    TruncatedPermutation,
};
use p3_uni_stark::{Proof, StarkConfig, StarkGenericConfig, prove, verify};
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Columns `a, b` with `a' = b`, `b' = a^2 + b`. Public values: the first `a` and `b`, and the last
/// `b`.
#[derive(Clone, Copy)]
struct Recurrence;

impl<T> BaseAir<T> for Recurrence {
    fn width(&self) -> usize {
        2
    }
    fn num_public_values(&self) -> usize {
        3
    }
}

impl<AB: AirBuilder> Air<AB> for Recurrence {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (now, next) = (main.current_slice(), main.next_slice());
        let (a, b, next_a, next_b) = (now[0], now[1], next[0], next[1]);
        let [first_a, first_b, last_b] = std::array::from_fn(|i| builder.public_values()[i]);
        builder.when_first_row().assert_eq(a, first_a);
        builder.when_first_row().assert_eq(b, first_b);
        builder.when_transition().assert_eq(next_a, b);
        builder.when_transition().assert_eq(next_b, a * a + b);
        builder.when_last_row().assert_eq(b, last_b);
    }
}

fn trace(rows: usize) -> (RowMajorMatrix<F>, Vec<F>) {
    let (mut a, mut b) = (F::ONE, F::TWO);
    let mut values = Vec::with_capacity(2 * rows);
    for _ in 0..rows {
        values.extend([a, b]);
        (a, b) = (b, a * a + b);
    }
    let public = vec![values[0], values[1], values[2 * rows - 1]];
    (RowMajorMatrix::new(values, 2), public)
}

const SETTINGS: FriSettings = FriSettings {
    log_blowup: 1,
    log_final_poly_len: 0,
    max_log_arity: 2,
    num_queries: 10,
    batch_grinding_bits: 5,
    commit_grinding_bits: 3,
    query_grinding_bits: 8,
    lookup_grinding_bits: 4,
    ood_grinding_bits: 6,
    cap_height: 2,
};

type StockConfig<M, C> = StarkConfig<TwoAdicFriPcs<F, Dft, M, ExtensionMmcs<F, EF, M>>, EF, C>;

fn stock_config<M: Mmcs<F>, C>(mmcs: M, challenger: C) -> StockConfig<M, C>
where
    C: Clone,
{
    let parameters = SETTINGS.parameters(ExtensionMmcs::new(mmcs.clone()));
    StarkConfig::new(
        TwoAdicFriPcs::new(Dft::default(), mmcs, parameters),
        challenger,
    )
    .with_lookup_proof_of_work_bits(SETTINGS.lookup_grinding_bits)
    .with_ood_proof_of_work_bits(SETTINGS.ood_grinding_bits)
}

type StockPoseidonMmcs = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon1KoalaBear<16>, 16, 8, 8>,
    droste_native::hash::poseidon16::Poseidon16,
    2,
    8,
>;
type StockByteMmcs<H> =
    MerkleTreeMmcs<F, u8, SerializingHasher<H>, CompressionFunctionFromHasher<H, 2, 32>, 2, 32>;

fn stock_poseidon()
-> StockConfig<StockPoseidonMmcs, DuplexChallenger<F, Poseidon1KoalaBear<16>, 16, 8>> {
    let permutation = default_koalabear_poseidon1_16();
    stock_config(
        MerkleTreeMmcs::new(
            PaddingFreeSponge::new(permutation.clone()),
            droste_native::hash::poseidon16::Poseidon16,
            SETTINGS.cap_height,
        ),
        DuplexChallenger::new(permutation),
    )
}

/// What Plonky3's examples commit with.
type StockPoseidon2Mmcs = MerkleTreeMmcs<
    <F as Field>::Packing,
    <F as Field>::Packing,
    PaddingFreeSponge<Poseidon2KoalaBear<24>, 24, 16, 8>,
    TruncatedPermutation<Poseidon2KoalaBear<16>, 2, 8, 16>,
    2,
    8,
>;

fn stock_poseidon2()
-> StockConfig<StockPoseidon2Mmcs, DuplexChallenger<F, Poseidon2KoalaBear<24>, 24, 16>> {
    let (wide, narrow) = (
        default_koalabear_poseidon2_24(),
        default_koalabear_poseidon2_16(),
    );
    stock_config(
        MerkleTreeMmcs::new(
            PaddingFreeSponge::new(wide.clone()),
            TruncatedPermutation::new(narrow),
            SETTINGS.cap_height,
        ),
        DuplexChallenger::new(wide),
    )
}

fn stock_bytes<H: CryptographicHasher<u8, [u8; 32]> + Copy + Sync>(
    hasher: H,
) -> StockConfig<StockByteMmcs<H>, SerializingChallenger32<F, HashChallenger<u8, H, 32>>> {
    stock_config(
        MerkleTreeMmcs::new(
            SerializingHasher::new(hasher),
            CompressionFunctionFromHasher::new(hasher),
            SETTINGS.cap_height,
        ),
        SerializingChallenger32::from_hasher(vec![], hasher),
    )
}

/// Converts a proof between two configurations whose proofs have the same content.
fn convert<A: Serialize, B: DeserializeOwned>(proof: &A) -> B {
    serde_json::from_value(serde_json::to_value(proof).unwrap()).unwrap()
}

/// Plonky3's verifier accepts our proof, and ours accepts that of Plonky3's prover.
macro_rules! interoperates {
    ($test:ident, $suite:ty, $stock:expr) => {
        #[test]
        fn $test() {
            let (ours, stock) = (config::<$suite>(&SETTINGS, &[]).unwrap(), $stock);
            let (trace, public) = trace(1 << 6);
            let our_proof = prove(&ours, &Recurrence, trace.clone(), &public).unwrap();
            verify(&ours, &Recurrence, &our_proof, &public).unwrap();
            verify(&stock, &Recurrence, &convert(&our_proof), &public).unwrap();

            let stock_proof = prove(&stock, &Recurrence, trace, &public).unwrap();
            verify(&ours, &Recurrence, &convert(&stock_proof), &public).unwrap();

            let mut wrong = public.clone();
            wrong[2] += F::ONE;
            assert!(verify(&ours, &Recurrence, &our_proof, &wrong).is_err());
        }
    };
}

interoperates!(poseidon16_interoperates, Poseidon16Suite, stock_poseidon());
interoperates!(poseidon2_interoperates, Poseidon2Suite, stock_poseidon2());
interoperates!(blake3_interoperates, Blake3Suite, stock_bytes(Blake3));
interoperates!(
    keccak_interoperates,
    KeccakSuite,
    stock_bytes(Keccak256Hash)
);

/// Proves as a user's code does that is generic over the hash.
fn prove_generic<H: HashSuite>(seed: &[F], rows: usize) -> (Config<H>, Proof<Config<H>>, Vec<F>) {
    let config = config::<H>(&SETTINGS, seed).unwrap();
    let (trace, public) = trace(rows);
    let proof = prove(&config, &Recurrence, trace, &public).unwrap();
    (config, proof, public)
}

fn proofs_do_not_depend_on_threads<H: HashSuite>() {
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let (_, proof, _) = pool.install(|| prove_generic::<H>(&[], 1 << 7));
        serde_json::to_vec(&proof).unwrap()
    };
    let expected = bytes(1);
    for threads in [2, 3, 4] {
        assert_eq!(bytes(threads), expected, "{} at {threads} threads", H::NAME);
    }
}

#[test]
fn proofs_are_deterministic() {
    every_suite!(proofs_do_not_depend_on_threads);
}

fn seed_is_bound<H: HashSuite>() {
    let (_, proof, public) = prove_generic::<H>(&[F::ONE, F::TWO], 1 << 5);
    let verifies = |seed: &[F]| {
        let config = config::<H>(&SETTINGS, seed).unwrap();
        verify(&config, &Recurrence, &proof, &public).is_ok()
    };
    assert!(verifies(&[F::ONE, F::TWO]));
    assert!(!verifies(&[F::TWO, F::ONE]));
    assert!(!verifies(&[]));
}

#[test]
fn seeds_are_bound() {
    every_suite!(seed_is_bound);
}

/// `grind` returns the smallest nonce, which a serial scan with Plonky3's challenger finds, too.
fn grinds_to_the_smallest<C, S>(mut ours: C, mut stock: S, observed: &[F])
where
    C: GrindingChallenger<Witness = F> + CanSample<F> + Clone,
    S: GrindingChallenger<Witness = F> + CanSample<F> + Clone,
{
    ours.observe_slice(observed);
    stock.observe_slice(observed);
    for bits in [0, 1, 6, 9] {
        let nonce = ours.grind(bits);
        let smallest = (0..)
            .map(F::from_u32)
            .find(|&nonce| stock.clone().check_witness(bits, nonce))
            .unwrap();
        assert_eq!(nonce, smallest);
        assert!(stock.check_witness(bits, nonce));
        // The samples before each proof of work leave different amounts of unread output.
        for _ in 0..observed.len() % 10 {
            assert_eq!(CanSample::<F>::sample(&mut ours), stock.sample());
        }
    }
    assert_eq!(ours.sample_bits(20), stock.sample_bits(20));
}

#[test]
fn grinding_finds_the_smallest_nonce() {
    let mut rng = SmallRng::seed_from_u64(1);
    for length in (0..20).chain([37, 100]) {
        let observed: Vec<F> = (0..length).map(|_| rng.random()).collect();
        grinds_to_the_smallest(
            Poseidon16Challenger::default(),
            DuplexChallenger::<F, _, 16, 8>::new(default_koalabear_poseidon1_16()),
            &observed,
        );
        grinds_to_the_smallest(
            Poseidon2Challenger::default(),
            DuplexChallenger::<F, _, 24, 16>::new(default_koalabear_poseidon2_24()),
            &observed,
        );
        grinds_to_the_smallest(
            Blake3Suite::challenger(),
            SerializingChallenger32::<F, HashChallenger<u8, _, 32>>::from_hasher(vec![], Blake3),
            &observed,
        );
        grinds_to_the_smallest(
            KeccakSuite::challenger(),
            SerializingChallenger32::<F, HashChallenger<u8, _, 32>>::from_hasher(
                vec![],
                Keccak256Hash,
            ),
            &observed,
        );
    }
}

/// One step of a transcript.
#[derive(Clone, Debug)]
enum Step {
    Observe(Vec<u32>),
    Sample(usize),
    SampleBits(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        prop::collection::vec(any::<u32>(), 0..20).prop_map(Step::Observe),
        (0..20usize).prop_map(Step::Sample),
        (0..30usize).prop_map(Step::SampleBits),
    ];
    prop::collection::vec(step, 1..20)
}

fn run<C>(mut challenger: C, steps: &[Step]) -> Vec<u64>
where
    C: CanObserve<F> + CanSample<EF> + CanSampleBits<usize>,
{
    let mut samples = vec![];
    for step in steps {
        match step {
            Step::Observe(values) => values
                .iter()
                .for_each(|&value| challenger.observe(F::from_u32(value))),
            Step::Sample(count) => (0..*count).for_each(|_| {
                let sample: EF = challenger.sample();
                let text = serde_json::to_string(&sample).unwrap();
                samples.extend(
                    text.split(|c: char| !c.is_ascii_digit())
                        .filter_map(|x| x.parse::<u64>().ok()),
                );
            }),
            Step::SampleBits(bits) => samples.push(challenger.sample_bits(*bits) as u64),
        }
    }
    samples
}

proptest! {
    #[test]
    fn transcripts_equal_the_stock_ones(steps in steps()) {
        prop_assert_eq!(
            run(Poseidon16Challenger::default(), &steps),
            run(DuplexChallenger::<F, _, 16, 8>::new(default_koalabear_poseidon1_16()), &steps)
        );
        prop_assert_eq!(
            run(Poseidon2Challenger::default(), &steps),
            run(DuplexChallenger::<F, _, 24, 16>::new(default_koalabear_poseidon2_24()), &steps)
        );
        prop_assert_eq!(
            run(Blake3Suite::challenger(), &steps),
            run(
                SerializingChallenger32::<F, HashChallenger<u8, _, 32>>::from_hasher(vec![], Blake3),
                &steps
            )
        );
        prop_assert_eq!(
            run(KeccakSuite::challenger(), &steps),
            run(
                SerializingChallenger32::<F, HashChallenger<u8, _, 32>>::from_hasher(
                    vec![],
                    Keccak256Hash
                ),
                &steps
            )
        );
    }
}

#[test]
fn impossible_settings_are_named() {
    let broken: [(&str, FriSettings); 7] = [
        (
            "log_blowup",
            FriSettings {
                log_blowup: 0,
                ..SETTINGS
            },
        ),
        (
            "num_queries",
            FriSettings {
                num_queries: 0,
                ..SETTINGS
            },
        ),
        (
            "max_log_arity",
            FriSettings {
                max_log_arity: 0,
                ..SETTINGS
            },
        ),
        (
            "query_grinding_bits",
            FriSettings {
                query_grinding_bits: MAX_GRINDING_BITS + 1,
                ..SETTINGS
            },
        ),
        (
            "ood_grinding_bits",
            FriSettings {
                ood_grinding_bits: usize::MAX,
                ..SETTINGS
            },
        ),
        (
            "cap_height",
            FriSettings {
                cap_height: 64,
                ..SETTINGS
            },
        ),
        (
            "log_final_poly_len",
            FriSettings {
                log_final_poly_len: usize::MAX,
                ..SETTINGS
            },
        ),
    ];
    let most = FriSettings {
        query_grinding_bits: MAX_GRINDING_BITS,
        ood_grinding_bits: MAX_GRINDING_BITS,
        ..SETTINGS
    };
    assert_eq!((MAX_GRINDING_BITS, most.validate()), (24, Ok(())));
    for (name, settings) in broken {
        let Err(SettingsError::OutOfRange { field, .. }) = pcs::<Blake3Suite>(&settings) else {
            panic!("{name} was accepted");
        };
        assert_eq!(field, name);
        assert!(config::<Poseidon16Suite>(&settings, &[]).is_err());
    }
}

#[test]
fn names_parse_back() {
    for id in HashId::ALL {
        assert_eq!(id.name().parse(), Ok(id));
    }
    assert!("sha256".parse::<HashId>().is_err());
}

#[test]
fn caps_expose_their_digests() {
    fn check<H: HashSuite>(expected: usize)
    where
        H::Digest: Debug,
    {
        use droste_native::stark::suite::{Commitment, SuiteCap};
        let rows = RowMajorMatrix::new(F::zero_vec(64), 4);
        let (cap, _) = H::val_mmcs(2).commit_matrix(rows);
        assert_eq!(cap.digests().len(), expected);
        assert_eq!(Commitment::<H>::from_digests(cap.digests().to_vec()), cap);
    }
    check::<Poseidon16Suite>(4);
    check::<Poseidon2Suite>(4);
    check::<Blake3Suite>(4);
    check::<KeccakSuite>(4);
    assert_eq!(DIGEST, 8);
}

#[test]
fn lookup_and_ood_grinding_reach_the_configuration() {
    let config = config::<Poseidon16Suite>(&SETTINGS, &[]).unwrap();
    assert_eq!(config.lookup_proof_of_work_bits(), 4);
    assert_eq!(config.ood_proof_of_work_bits(), 6);
}

/// The reason why tables must not be shorter than the cap: Plonky3 0.8.0 accepts any rows of such
/// tables. If this test fails, the rule is no longer needed.
#[test]
fn rows_above_the_cap_are_not_authenticated() {
    let mmcs = Poseidon16Suite::val_mmcs(3);
    let column = |rows: usize| RowMajorMatrix::new_col((0..rows).map(F::from_usize).collect());
    let accepts = |short: usize| {
        let (commitment, data) = mmcs.commit(vec![column(16), column(short)]);
        let dimensions = [16, short].map(|height| Dimensions { width: 1, height });
        let (mut rows, proof) = mmcs.open_multi_batch(&[5], &data);
        rows[0][1][0] += F::ONE;
        mmcs.verify_multi_batch(&commitment, &dimensions, &[5], &rows, &proof)
            .is_ok()
    };
    assert!(!accepts(8));
    assert!(accepts(4));
}
