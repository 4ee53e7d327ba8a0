//! Proves and verifies each table: alone with `p3-uni-stark`, and in `p3-batch-stark` with its bus
//! and a table that receives the messages.

use droste_air::blake3::{self, Blake3Air, Blake3Table, Compression};
use droste_air::byte_pairs::{self, BytePairsTable};
use droste_air::keccak::degree5::{self, Degree5Air};
use droste_air::keccak::sponge::{self, SpongeTable};
use droste_air::keccak::{self, KeccakAir};
use droste_air::message::Declaration;
use droste_air::poseidon2::{
    self, Poseidon2ParentAir, Poseidon2ParentTable, Poseidon2SpongeAir, Poseidon2SpongeTable,
};
use droste_air::poseidon16::{self, Mode, PermutationMessage, Poseidon16Air, Poseidon16Table};
use droste_air::spread::{self, SpreadTable};
use droste_air::test_utils::{Harness, Table};
use droste_native::{Blake3Suite, Config, F, FriSettings, config};
use p3_air::{Air, BaseAir, WindowAccess};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{ProverConstraintFolder, QuotientAir, VerifierConstraintFolder, prove, verify};

fn settings() -> Config<Blake3Suite> {
    let settings = FriSettings {
        num_queries: 5,
        ..FriSettings::toy()
    };
    config::<Blake3Suite>(&settings, &[]).expect("toy settings")
}

/// A hash table, and a table that receives `width` elements on its bus.
#[derive(Clone, Copy)]
enum Tables {
    Poseidon16,
    Poseidon2Parent,
    Poseidon2Sponge,
    Blake3,
    Blake3Bytes,
    BytePairs,
    Keccak,
    Spread,
    Keccak256,
    Receiver(&'static str, usize),
}

impl BaseAir<F> for Tables {
    fn width(&self) -> usize {
        match self {
            Self::Poseidon16 => Poseidon16Table.width(),
            Self::Poseidon2Parent => Poseidon2ParentTable.width(),
            Self::Poseidon2Sponge => Poseidon2SpongeTable.width(),
            Self::Blake3 => Blake3Table.width(),
            Self::Blake3Bytes => blake3::bytes::BytesTable.width(),
            Self::BytePairs => BytePairsTable.width(),
            Self::Keccak => keccak::bytes::BytesTable.width(),
            Self::Spread => SpreadTable.width(),
            Self::Keccak256 => SpongeTable.width(),
            Self::Receiver(_, width) => width + 1,
        }
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Poseidon16 => Poseidon16Table.main_next_row_columns(),
            Self::Poseidon2Parent => Poseidon2ParentTable.main_next_row_columns(),
            Self::Poseidon2Sponge => Poseidon2SpongeTable.main_next_row_columns(),
            Self::Blake3 => Blake3Table.main_next_row_columns(),
            Self::Blake3Bytes => blake3::bytes::BytesTable.main_next_row_columns(),
            Self::BytePairs => BytePairsTable.main_next_row_columns(),
            Self::Keccak => keccak::bytes::BytesTable.main_next_row_columns(),
            Self::Spread => SpreadTable.main_next_row_columns(),
            Self::Keccak256 => SpongeTable.main_next_row_columns(),
            Self::Receiver(..) => Vec::new(),
        }
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Tables {
    fn eval(&self, builder: &mut AB) {
        match self {
            Self::Poseidon16 => Poseidon16Table.eval(builder),
            Self::Poseidon2Parent => Poseidon2ParentTable.eval(builder),
            Self::Poseidon2Sponge => Poseidon2SpongeTable.eval(builder),
            Self::Blake3 => Blake3Table.eval(builder),
            Self::Blake3Bytes => blake3::bytes::BytesTable.eval(builder),
            Self::BytePairs => BytePairsTable.eval(builder),
            Self::Keccak => keccak::bytes::BytesTable.eval(builder),
            Self::Spread => SpreadTable.eval(builder),
            Self::Keccak256 => SpongeTable.eval(builder),
            Self::Receiver(bus, width) => {
                let main = builder.main();
                let row = main.current_slice();
                builder.assert_bool(row[*width]);
                PermutationCheckBus::new(bus).receive(
                    builder,
                    row[..*width].iter().copied(),
                    Count::bounded(row[*width].into(), 1),
                );
            }
        }
    }
}

/// The receiver's trace for a table that sends the messages of `trace` on `bus`.
fn receiver(table: Tables, bus: &'static str, trace: &RowMajorMatrix<F>) -> RowMajorMatrix<F> {
    let messages = Harness::new(vec![Table::new("table", &table, trace.clone())])
        .messages()
        .expect("constraints hold");
    let messages = &messages[bus];
    let mut values: Vec<F> = messages
        .iter()
        .flat_map(|(fields, &count)| {
            assert_eq!(count, 1, "the inputs are distinct");
            fields.iter().copied().chain([1]).map(F::from_u32)
        })
        .collect();
    let width = messages.keys().next().expect("a message").len() + 1;
    values.resize(messages.len().next_power_of_two() * width, F::ZERO);
    RowMajorMatrix::new(values, width)
}

/// Whether a proof of these tables verifies.
fn balances(airs: &[Tables], traces: &[&RowMajorMatrix<F>]) -> bool {
    let config = settings();
    let instances: Vec<_> = airs
        .iter()
        .zip(traces)
        .map(|(air, &trace)| StarkInstance {
            air,
            trace,
            public_values: vec![],
        })
        .collect();
    let data = ProverData::from_instances(&config, &instances).expect("prover data");
    let Ok(proof) = prove_batch(&config, &instances, &data) else {
        return false;
    };
    let data = ProverData::from_airs_and_degrees(&config, airs, &proof.degree_bits)
        .expect("verifier data");
    let public_values = vec![vec![]; airs.len()];
    verify_batch(&config, airs, &proof, &public_values, &data.common).is_ok()
}

/// Proves a table without a bus.
fn check_alone<A>(air: &A, trace: RowMajorMatrix<F>)
where
    A: QuotientAir<Config<Blake3Suite>>
        + for<'a> Air<ProverConstraintFolder<'a, Config<Blake3Suite>>>
        + for<'a> Air<VerifierConstraintFolder<'a, Config<Blake3Suite>>>,
{
    let config = settings();
    let proof = prove(&config, air, trace, &[]).unwrap();
    verify(&config, air, &proof, &[]).unwrap();
}

/// Proves a table with its receiver, and checks that no proof verifies with a receiver that expects
/// a different output.
fn check_bus(table: Tables, sent: &Declaration, trace: &RowMajorMatrix<F>) {
    check_bus_with(&[table], sent, &[trace]);
}

/// Like [`check_bus`], with the tables that the first one needs.
fn check_bus_with(tables: &[Tables], sent: &Declaration, traces: &[&RowMajorMatrix<F>]) {
    let (bus, width) = (sent.bus, sent.length());
    let mut received = receiver(tables[0], bus, traces[0]);
    assert_eq!(received.width(), width + 1);
    let airs = [tables, &[Tables::Receiver(bus, width)]].concat();
    assert!(balances(&airs, &[traces, &[&received]].concat()));
    received.values[width - 1] += F::ONE;
    assert!(!balances(&airs, &[traces, &[&received]].concat()));
}

fn states<const N: usize>(count: u32) -> Vec<[F; N]> {
    (0..count)
        .map(|i| std::array::from_fn(|j| F::from_u32(100 * i + j as u32)))
        .collect()
}

fn compressions(count: u32) -> Vec<Compression> {
    (0..count)
        .map(|i| Compression {
            chaining: blake3::IV,
            message: std::array::from_fn(|j| (i + 1) * 0x0123_4567 + j as u32),
            counter: u64::from(i),
            block_length: 64,
            flags: blake3::CHUNK_START,
        })
        .collect()
}

#[test]
fn poseidon16() {
    let trace = poseidon16::generate_permutations(&states(7), None).unwrap();
    check_alone(&Poseidon16Air, trace);

    let modes = [Mode::Compress, Mode::Permute, Mode::Permute];
    let inputs: Vec<_> = states(3).into_iter().zip(modes).collect();
    let trace = poseidon16::generate_table(&inputs, None).unwrap();
    let sent = &PermutationMessage::<()>::DECLARATION;
    assert_eq!(sent.length(), 33);
    check_bus(Tables::Poseidon16, sent, &trace);
}

#[test]
fn poseidon2_parent() {
    let trace = poseidon2::generate_parent_permutations(&states(7), None).unwrap();
    check_alone(&Poseidon2ParentAir, trace);

    let trace = poseidon2::generate_parent_table(&states(3), None).unwrap();
    let sent = &poseidon2::ParentMessage::<()>::DECLARATION;
    check_bus(Tables::Poseidon2Parent, sent, &trace);
}

#[test]
fn poseidon2_sponge() {
    let trace = poseidon2::generate_sponge_permutations(&states(7), None).unwrap();
    check_alone(&Poseidon2SpongeAir, trace);

    let trace = poseidon2::generate_sponge_table(&states(3), None).unwrap();
    let sent = &poseidon2::SpongeMessage::<()>::DECLARATION;
    check_bus(Tables::Poseidon2Sponge, sent, &trace);
}

#[test]
fn blake3() {
    let trace = blake3::generate_compressions(&compressions(3), None).unwrap();
    check_alone(&Blake3Air, trace);

    let trace = blake3::generate_table(&compressions(3), None).unwrap();
    let sent = &blake3::CompressionMessage::<()>::DECLARATION;
    check_bus(Tables::Blake3, sent, &trace);
}

#[test]
fn blake3_over_bytes() {
    let trace = blake3::bytes::generate_table(&compressions(3), None).unwrap();
    let counts = blake3::bytes::count_lookups(&trace);
    let pairs = byte_pairs::generate_table(&counts, None).unwrap();
    let sent = &blake3::CompressionMessage::<()>::DECLARATION;
    let tables = &[Tables::Blake3Bytes, Tables::BytePairs];
    check_bus_with(tables, sent, &[&trace, &pairs]);
}

fn keccak_inputs() -> Vec<keccak::State> {
    (0..2)
        .map(|i| std::array::from_fn(|j| 0x0123_4567_89ab_cdef_u64.wrapping_mul(1 + i + j as u64)))
        .collect()
}

#[test]
fn keccak() {
    let inputs = keccak_inputs();
    let trace = keccak::generate_permutations(&inputs, None).unwrap();
    check_alone(&KeccakAir, trace);

    let trace = degree5::generate_permutations(&inputs, None).unwrap();
    check_alone(&Degree5Air, trace);
}

/// The table of permutations, and that of the spread bytes that it looks up.
fn permutations(inputs: &[keccak::bytes::Input]) -> [RowMajorMatrix<F>; 2] {
    let trace = keccak::bytes::generate_table(inputs, None).unwrap();
    let counts = keccak::bytes::count_lookups(&trace);
    [trace, spread::generate_table(&counts, None).unwrap()]
}

#[test]
fn keccak_over_bytes() {
    let inputs = keccak_inputs();
    let [trace, spread] = permutations(&[[inputs[0], inputs[1]]]);
    let sent = &keccak::bytes::StateMessage::<()>::DECLARATION;
    let tables = &[Tables::Keccak, Tables::Spread];
    check_bus_with(tables, sent, &[&trace, &spread]);
}

#[test]
fn keccak_256() {
    let messages = [vec![7; 300], b"abc".to_vec(), vec![]];
    let trace = sponge::generate_table(&messages, None).unwrap();
    let [permutations, spread] = permutations(&sponge::permutations(&messages));
    let sent = &sponge::AbsorbedMessage::<()>::DECLARATION;
    let tables = &[Tables::Keccak256, Tables::Keccak, Tables::Spread];
    check_bus_with(tables, sent, &[&trace, &permutations, &spread]);
}
