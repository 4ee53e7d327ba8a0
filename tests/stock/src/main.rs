//! Recurses a proof of an AIR of its own, which Plonky3's crates make by themselves: over KoalaBear
//! with challenges of degree 4, committed in the sponge over the 64-bit lanes of Keccak-f, as in
//! Plonky3's example `prove_poseidon2_koala_bear_keccak`. Parameters are insecure.
//!
//! `cargo run --release --manifest-path tests/stock/Cargo.toml`

use std::error::Error;

use droste::prelude::{AcceptedLeaves, Aggregator, Deriver, FriSettings, Preset};
use droste::recursion::{StockUni, file};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::PrimeCharacteristicRing;
use p3_field::extension::BinomialExtensionField;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_koala_bear::KoalaBear;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use p3_uni_stark::{StarkConfig, prove};

// What a user of Plonky3 has: an AIR, a configuration, a proof.

/// One column, each of whose values is the square of the one before; the first and the last value
/// are public.
struct Squares;

impl<F> BaseAir<F> for Squares {
    fn width(&self) -> usize {
        1
    }

    fn num_public_values(&self) -> usize {
        2
    }
}

impl<AB: AirBuilder> Air<AB> for Squares {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (now, next) = (main.current_slice()[0], main.next_slice()[0]);
        let [first, last] = [0, 1].map(|i| builder.public_values()[i]);
        builder.when_first_row().assert_eq(now, first);
        builder.when_transition().assert_eq(next, now * now);
        builder.when_last_row().assert_eq(now, last);
    }
}

type Challenge = BinomialExtensionField<KoalaBear, 4>;
type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type Parent = CompressionFunctionFromHasher<Sponge, 2, 4>;
type Trees = MerkleTreeMmcs<
    [KoalaBear; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<Sponge>,
    Parent,
    2,
    4,
>;
type ChallengeTrees = ExtensionMmcs<KoalaBear, Challenge, Trees>;
type Pcs = TwoAdicFriPcs<KoalaBear, Radix2DitParallel<KoalaBear>, Trees, ChallengeTrees>;
type Challenger = SerializingChallenger32<KoalaBear, HashChallenger<u8, Keccak256Hash, 32>>;
type Config = StarkConfig<Pcs, Challenge, Challenger>;

fn main() -> Result<(), Box<dyn Error>> {
    let settings = FriSettings {
        num_queries: 2,
        ..FriSettings::toy()
    };
    let sponge = Sponge::new(KeccakF);
    let trees = Trees::new(
        SerializingHasher::new(sponge),
        Parent::new(sponge),
        settings.cap_height,
    );
    let parameters = settings.parameters(ChallengeTrees::new(trees.clone()));
    let pcs = Pcs::new(Radix2DitParallel::default(), trees.clone(), parameters);
    let config = Config::new(pcs, Challenger::from_hasher(vec![], Keccak256Hash));

    let mut values = vec![KoalaBear::TWO];
    for row in 1..16 {
        values.push(values[row - 1].square());
    }
    let public = [values[0], values[15]];
    let trace = RowMajorMatrix::new_col(values);
    let proof = prove(&config, &Squares, trace, &public)?;

    // What Droste adds: a circuit of the same configuration, which verifies the proof natively and
    // in the machine, and a wrap of the run, which joins other proofs.
    let circuit = StockUni::new(config, trees, (), settings, Squares, 4)?;
    println!(
        "key {}, {} bits",
        circuit.air_key().digest(),
        circuit.bits()
    );
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let wrap = aggregator.wrap_run(circuit.run(&proof, &public)?)?;

    // Another party that has the AIR derives the key of the program and verifies the wrap. It must
    // know that the AIR was fixed before the proof.
    let leaf = circuit.leaf(&[public.to_vec()])?;
    let deriver = Deriver::new().with_airs(&circuit)?;
    let leaves = AcceptedLeaves::from_iter([leaf.key]);
    let wrap = file::decode(&file::encode(&wrap)?)?.derive(&deriver, &leaves)?;
    assert_eq!(wrap.tree().leaves(), [(leaf.key, leaf.claim.statement())]);
    println!("wrapped in {} bytes", file::encode(&wrap)?.len());
    Ok(())
}
