//! `droste-bench native`: our hashers against the ones they replace.

mod insecure;

use std::hint::black_box;

use clap::Args;
use droste_native::hash::blake3::Blake3;
use droste_native::hash::keccak::Keccak256;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::{DIGEST, F, HashSuite, Poseidon16Suite};
use p3_commit::Mmcs;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};
use p3_koala_bear::{
    Poseidon1KoalaBear, default_koalabear_poseidon1_16, default_koalabear_poseidon1_24,
    default_koalabear_poseidon2_16,
};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{
    CompressionFunctionFromHasher, CryptographicHasher, PaddingFreeSponge, Permutation,
    PseudoCompressionFunction, SerializingHasher, TruncatedPermutation,
};
use serde_json::{Map, json};
use sha3::Digest;

use crate::progress;
use crate::race::{Times, duel};
use crate::report::Report;
use insecure::MmoRate12;

type Packed = <F as Field>::Packing;

/// Arguments of the command.
#[derive(Args)]
pub struct Arguments {
    /// Rounds per measurement, of which the median is reported.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
}

/// A measurement: nanoseconds per unit, ours and the peer's, and the median of the rounds' ratios.
struct Measurement {
    key: &'static str,
    unit: &'static str,
    peer: &'static str,
    ours_ns: f64,
    peer_ns: f64,
    ratio: f64,
}

impl Measurement {
    /// Computes a measurement from the times of calls that each process `units` units.
    fn new(
        key: &'static str,
        unit: &'static str,
        peer: &'static str,
        (ours, theirs): (Times, Times),
        units: usize,
    ) -> Self {
        Self {
            key,
            unit,
            peer,
            ours_ns: ours.median() / units as f64,
            peer_ns: theirs.median() / units as f64,
            ratio: ours.ratio(&theirs),
        }
    }
}

/// Runs every measurement on one thread.
pub fn run(arguments: &Arguments) -> Report {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let measurements = match pool {
        Ok(pool) => pool.install(|| measure(arguments.rounds)),
        // If no pool can be made, rayon runs everything on this thread.
        Err(_) => measure(arguments.rounds),
    };
    let mut json = Map::new();
    let mut table = vec![
        ["measurement", "unit", "ours ns", "peer", "peer ns", "ratio"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for m in measurements {
        json.insert(
            m.key.to_owned(),
            json!({
                "ours_ns": m.ours_ns,
                "peer": m.peer,
                "peer_ns": m.peer_ns,
                "ratio": m.ratio,
            }),
        );
        table.push(vec![
            m.key.to_owned(),
            m.unit.to_owned(),
            format!("{:.1}", m.ours_ns),
            m.peer.to_owned(),
            format!("{:.1}", m.peer_ns),
            format!("{:.3}", m.ratio),
        ]);
    }
    Report {
        json: json.into(),
        table,
    }
}

fn measure(rounds: usize) -> Vec<Measurement> {
    progress::at("native hashers");
    let mut measurements = poseidon16(rounds);
    measurements.push(merkle_poseidon16(rounds));
    measurements.push(keccak_parent(rounds));
    measurements.push(leaves(
        "keccak_leaf",
        "p3-keccak 0.8.0",
        rounds,
        SerializingHasher::new(Keccak256),
        SerializingHasher::new(p3_keccak::Keccak256Hash),
    ));
    measurements.push(parents(
        "keccak_parents",
        "p3-keccak 0.8.0",
        rounds,
        Keccak256,
        CompressionFunctionFromHasher::<_, 2, 32>::new(p3_keccak::Keccak256Hash),
    ));
    measurements.push(leaves(
        "blake3_leaf",
        "p3-blake3 0.8.0",
        rounds,
        SerializingHasher::new(Blake3),
        SerializingHasher::new(p3_blake3::Blake3),
    ));
    measurements.push(parents(
        "blake3_parent",
        "p3-blake3 0.8.0",
        rounds,
        Blake3,
        CompressionFunctionFromHasher::<_, 2, 32>::new(p3_blake3::Blake3),
    ));
    measurements.push(field_leaves(
        "mmo_rate12_leaf",
        rounds,
        MmoRate12::default(),
    ));
    measurements.push(field_leaves(
        "poseidon24_leaf",
        rounds,
        PaddingFreeSponge::<_, 24, 16, DIGEST>::new(default_koalabear_poseidon1_24()),
    ));
    measurements
}

/// Number of elements of a leaf.
const LEAF: usize = 64;

/// Number of messages per call in measurements that hash many at a time.
const MANY: usize = 1024;

/// Measures a Merkle commitment to 2^16 rows of 64 columns.
fn merkle_poseidon16(rounds: usize) -> Measurement {
    type Sponge = PaddingFreeSponge<Poseidon1KoalaBear<16>, 16, 8, DIGEST>;
    type Compression = TruncatedPermutation<Poseidon1KoalaBear<16>, 2, DIGEST, 16>;
    type Tree = MerkleTreeMmcs<Packed, Packed, Sponge, Compression, 2, DIGEST>;
    let poseidon1 = default_koalabear_poseidon1_16();
    let ours = Poseidon16Suite::val_mmcs(0);
    let peer = Tree::new(
        PaddingFreeSponge::new(poseidon1.clone()),
        TruncatedPermutation::new(poseidon1),
        0,
    );
    let values = (0..LEAF << 16).map(F::from_usize).collect();
    let matrix = RowMajorMatrix::new(values, LEAF);
    let times = duel(
        rounds.div_ceil(4),
        1,
        || drop(black_box(ours.commit_matrix(matrix.as_view()))),
        || drop(black_box(peer.commit_matrix(matrix.as_view()))),
    );
    Measurement::new(
        "merkle_poseidon16",
        "commitment of 2^16 x 64",
        "p3-merkle-tree 0.8.0, Poseidon1-16",
        times,
        1,
    )
}

/// Measures one Merkle parent of 64 bytes.
fn keccak_parent(rounds: usize) -> Measurement {
    let (left, right) = ([3; 32], [5; 32]);
    let times = duel(
        rounds,
        2000,
        || {
            black_box(Keccak256.parent(black_box(&left), black_box(&right)));
        },
        || {
            let mut hasher = sha3::Keccak256::new();
            hasher.update(black_box(left));
            hasher.update(black_box(right));
            black_box(hasher.finalize());
        },
    );
    Measurement::new("keccak_parent", "parent of 64 bytes", "sha3 0.11", times, 1)
}

/// Measures leaves of a byte hash, many at a time.
fn leaves<H, P>(
    key: &'static str,
    peer: &'static str,
    rounds: usize,
    ours: H,
    theirs: P,
) -> Measurement
where
    H: CryptographicHasher<F, [u8; 32]>,
    P: CryptographicHasher<F, [u8; 32]>,
{
    let rows: Vec<F> = (0..MANY * LEAF).map(F::from_usize).collect();
    let (mut a, mut b) = ([[0; 32]; MANY], [[0; 32]; MANY]);
    let times = duel(
        rounds,
        10,
        || ours.hash_many(black_box(&rows), black_box(&mut a)),
        || theirs.hash_many(black_box(&rows), black_box(&mut b)),
    );
    assert_eq!(a, b, "{key}: both sides compute the same hash");
    Measurement::new(key, "leaf of 64 elements", peer, times, MANY)
}

/// Measures parents of 64 bytes of a byte hash, many at a time.
fn parents<H, P>(
    key: &'static str,
    peer: &'static str,
    rounds: usize,
    ours: H,
    theirs: P,
) -> Measurement
where
    H: PseudoCompressionFunction<[u8; 32], 2>,
    P: PseudoCompressionFunction<[u8; 32], 2>,
{
    let pairs: Vec<[[u8; 32]; 2]> = (0..MANY).map(|i| [[i as u8; 32], [7; 32]]).collect();
    let (mut a, mut b) = ([[0; 32]; MANY], [[0; 32]; MANY]);
    let times = duel(
        rounds,
        10,
        || ours.compress_many(black_box(&pairs), black_box(&mut a)),
        || theirs.compress_many(black_box(&pairs), black_box(&mut b)),
    );
    assert_eq!(a, b, "{key}: both sides compute the same hash");
    Measurement::new(key, "parent of 64 bytes", peer, times, MANY)
}

/// Measures leaves of field elements, hashed in the lanes of the packed field, against the sponge
/// of rate 8.
fn field_leaves<H>(key: &'static str, rounds: usize, hasher: H) -> Measurement
where
    H: CryptographicHasher<Packed, [Packed; DIGEST]>,
{
    let row: Vec<Packed> = (0..LEAF).map(|i| Packed::from(F::from_usize(i))).collect();
    let rate8 = PaddingFreeSponge::<Poseidon16, 16, 8, DIGEST>::new(Poseidon16);
    let times = duel(
        rounds,
        200,
        || {
            let _ = black_box(hasher.hash_iter(black_box(&row).iter().copied()));
        },
        || {
            let _ = black_box(rate8.hash_iter(black_box(&row).iter().copied()));
        },
    );
    let peer = "droste Poseidon-16, rate 8";
    Measurement::new(key, "leaf of 64 elements", peer, times, Packed::WIDTH)
}

/// Measures permutations, packed (per lane) and single.
fn poseidon16(rounds: usize) -> Vec<Measurement> {
    let poseidon1 = default_koalabear_poseidon1_16();
    let poseidon2 = default_koalabear_poseidon2_16();
    let lanes = Packed::WIDTH;
    let start: [Packed; 16] =
        std::array::from_fn(|i| Packed::from_fn(|lane| F::from_usize(1 + 16 * i + lane)));
    let (mut a, mut b, mut c) = (start, start, start);
    let times = duel(
        10 * rounds,
        200,
        || Poseidon16.permute_mut(black_box(&mut a)),
        || poseidon1.permute_mut(black_box(&mut b)),
    );
    let packed = Measurement::new(
        "poseidon16_packed",
        "permutation",
        "p3-koala-bear 0.8.0 Poseidon1-16",
        times,
        lanes,
    );
    let times = duel(
        10 * rounds,
        200,
        || Poseidon16.permute_mut(black_box(&mut a)),
        || poseidon2.permute_mut(black_box(&mut c)),
    );
    let against_poseidon2 = Measurement::new(
        "poseidon16_vs_poseidon2",
        "permutation",
        "p3-koala-bear 0.8.0 Poseidon2-16",
        times,
        lanes,
    );
    let start: [F; 16] = std::array::from_fn(F::from_usize);
    let (mut a, mut b) = (start, start);
    let times = duel(
        10 * rounds,
        200,
        || Poseidon16.permute_mut(black_box(&mut a)),
        || poseidon1.permute_mut(black_box(&mut b)),
    );
    let scalar = Measurement::new(
        "poseidon16_scalar",
        "permutation",
        "p3-koala-bear 0.8.0 Poseidon1-16",
        times,
        1,
    );
    vec![packed, against_poseidon2, scalar]
}
