//! Proofs of hiding configurations: what Plonky3's verifier accepts is accepted, and nothing else.

pub(super) mod config;
mod refused;

use droste_native::stark::security::Preset;
use droste_native::{EF, EF4, FriSettings};
use droste_tests::attack::hints::Case;
use droste_tests::attack::padding::padding;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::airs::{AirError, StockBatch, StockUni};
use droste_verifier::keys::Deriver;
use droste_verifier::tape::machine_tape;
use p3_uni_stark::prove;
use rayon::ThreadPoolBuilder;

use super::agreement::{LONG, SHORT, expect};
use super::canonical;
use crate::airs::tables::{Plain, Table, plain_trace};

/// The settings of `FriParameters::new_benchmark_zk`, with two queries and less work.
pub(super) const ZK: FriSettings = FriSettings {
    log_blowup: 2,
    max_log_arity: 1,
    num_queries: 2,
    batch_grinding_bits: 2,
    query_grinding_bits: 4,
    cap_height: 0,
    ..FriSettings::toy()
};

/// The same with caps and folds of several levels.
const CAPS: FriSettings = FriSettings {
    max_log_arity: 3,
    cap_height: 2,
    ..ZK
};

/// An AIR without a next row, of which fewer rows than of others are enough.
const PRODUCT: (Plain, usize) = (Plain::Product { degree: 3 }, 4);

/// An AIR with periodic columns, and without a next row.
const CLOCK: (Plain, usize) = (Plain::Clock, 4);

/// An AIR with a next row and public values.
const FIBONACCI: (Plain, usize) = (Plain::Fibonacci, 5);

/// An AIR with a next row and a preprocessed column, which is opened at the next row, too.
pub(super) const STEPS: (Plain, usize) = (Plain::Steps { log_height: 5 }, 5);

/// Tables with lookups on buses and within a table, with preprocessed columns, public values, with
/// a next row and without, and of three heights.
const TABLES: [(Table, usize); 6] = [
    (Table::Range { log_height: 5 }, 5),
    (Table::Keys { columns: 37 }, 6),
    (Table::Shuffle, 5),
    (Table::Receiver, 5),
    (Table::Plain(Plain::Fibonacci), 7),
    (Table::Plain(Plain::Steps { log_height: 7 }), 7),
];

/// Proves in one thread. p3-batch-stark 0.8.0 can wait for itself in several: it transforms while it
/// holds the lock of its random generator.
pub(super) fn alone<T: Send>(prove: impl FnOnce() -> T + Send) -> T {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(prove)
}

/// Makes a hiding p3-uni-stark proof of a [`Plain`] table. Its circuit has the commitment to the
/// preprocessed trace that the prover has. With `in_batch` it verifies openings in a batch.
macro_rules! uni {
    ($made:expr, $settings:expr, $table:expr $(, $in_batch:ident)?) => {{
        let ((config, trees, constants), settings) = ($made, $settings);
        let (table, log_height): ($crate::airs::tables::Plain, usize) = $table;
        let (trace, public) = $crate::airs::tables::plain_trace(table, log_height, 7);
        let preprocessed = p3_uni_stark::setup_preprocessed(&config, &table, log_height).unwrap();
        let (data, key) = preprocessed.unzip();
        let proof = $crate::stock::hiding::alone(|| {
            let data = data.as_ref();
            p3_uni_stark::prove_with_preprocessed(&config, &table, trace, &public, data).unwrap()
        });
        let mut circuit = droste_verifier::airs::StockUni::new(
            config.clone(),
            trees,
            constants,
            settings,
            table,
            log_height,
        )
        .unwrap();
        if let Some(key) = &key {
            circuit = circuit.with_preprocessed(key.commitment.clone()).unwrap();
        }
        $(let circuit = circuit.$in_batch().unwrap();)?
        $crate::stock::fixture::fixture!(circuit, proof, vec![public], move |proof, public| {
            let public = public.concat();
            let key = key.as_ref();
            p3_uni_stark::verify_with_preprocessed(&config, &table, proof, &public, key).is_ok()
        })
    }};
}
pub(super) use uni;

/// Makes a hiding p3-batch-stark proof of tables. Its circuit has the commitment to the preprocessed
/// traces that the prover has.
macro_rules! batch {
    ($made:expr, $settings:expr, $tables:expr) => {{
        let ((config, trees, constants), settings) = ($made, $settings);
        let tables: &[($crate::airs::tables::Table, usize)] = $tables;
        let (airs, log_heights): (Vec<$crate::airs::tables::Table>, Vec<usize>) =
            tables.iter().copied().unzip();
        let traces = $crate::airs::tables::traces(tables, 7);
        let instances: Vec<_> = std::iter::zip(&airs, &traces)
            .map(|(air, (trace, public))| p3_batch_stark::StarkInstance {
                air,
                trace,
                public_values: public.clone(),
            })
            .collect();
        let extended: Vec<usize> = log_heights.iter().map(|height| height + 1).collect();
        let data =
            p3_batch_stark::ProverData::from_airs_and_degrees(&config, &airs, &extended).unwrap();
        let proof = $crate::stock::hiding::alone(|| {
            p3_batch_stark::prove_batch(&config, &instances, &data).unwrap()
        });
        let public_values: Vec<Vec<_>> = traces.into_iter().map(|(_, public)| public).collect();
        let mut circuit = droste_verifier::airs::StockBatch::new(
            config.clone(),
            trees,
            constants,
            settings,
            airs.clone(),
            &log_heights,
        )
        .unwrap();
        if let Some(global) = &data.common.preprocessed {
            circuit = circuit
                .with_preprocessed(global.commitment.clone())
                .unwrap();
        }
        $crate::stock::fixture::fixture!(circuit, proof, public_values, move |proof, public| {
            p3_batch_stark::verify_batch(&config, &airs, proof, public, &data.common).is_ok()
        })
    }};
}

/// Checks that proofs of tables of every kind are accepted, with a configuration at a degree.
macro_rules! accepts {
    ($made:expr) => {{
        uni!($made(&ZK, 1), ZK, PRODUCT).expect_accepted();
        uni!($made(&CAPS, 2), CAPS, STEPS).expect_accepted();
        batch!($made(&CAPS, 3), CAPS, &TABLES).expect_accepted();
    }};
}

#[test]
fn the_sponge_of_keccak_is_accepted_at_degree_4() {
    accepts!(config::sponge::<EF4>);
    uni!(config::sponge::<EF4>(&ZK, 4), ZK, FIBONACCI).expect_accepted();
    uni!(config::sponge::<EF4>(&ZK, 5), ZK, CLOCK).expect_accepted();
    batch!(config::sponge::<EF4>(&ZK, 6), ZK, &TABLES).expect_accepted();
}

#[test]
fn the_sponge_of_keccak_is_accepted_at_degree_5() {
    accepts!(config::sponge::<EF>);
}

#[test]
fn blake3_is_accepted() {
    accepts!(config::blake3::<EF4>);
    uni!(config::blake3::<EF>(&CAPS, 4), CAPS, STEPS).expect_accepted();
}

#[test]
fn keccak_256_is_accepted() {
    accepts!(config::keccak::<EF4>);
    uni!(config::keccak::<EF>(&CAPS, 4), CAPS, STEPS).expect_accepted();
}

#[test]
fn poseidon2_is_accepted() {
    accepts!(config::poseidon2::<EF4>);
    batch!(config::poseidon2::<EF>(&CAPS, 4), CAPS, &TABLES).expect_accepted();
}

#[test]
fn poseidon2_of_width_16_is_accepted() {
    accepts!(config::narrow::<EF4>);
    batch!(config::narrow::<EF>(&CAPS, 4), CAPS, &TABLES).expect_accepted();
}

fn agreement(count: usize) {
    expect(&uni!(config::sponge::<EF4>(&ZK, 1), ZK, STEPS), count);
    expect(
        &batch!(config::sponge::<EF4>(&CAPS, 2), CAPS, &TABLES),
        count,
    );
    expect(
        &batch!(config::poseidon2::<EF>(&CAPS, 3), CAPS, &TABLES),
        count,
    );
}

#[test]
fn verifiers_agree() {
    agreement(SHORT);
}

#[test]
#[ignore = "minutes: \
    cargo test -p droste-tests --release --test verifier hiding::long -- --ignored --nocapture"]
fn long() {
    agreement(LONG);
}

/// The machine refuses every false hint that it reads: random commitments, values of random
/// codewords and salts among them.
#[test]
fn false_hints_are_accepted_in_padding_only() {
    let settings = FriSettings {
        num_queries: 1,
        ..ZK
    };
    let (config, trees, ()) = config::sponge::<EF4>(&settings, 1);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let proof = alone(|| prove(&config, &table, trace, &public).unwrap());
    let circuit = StockUni::new(config, trees, (), settings, table, log_height).unwrap();
    let tape = machine_tape(&circuit.tape(&proof, &[public]).unwrap());
    let padding = padding(circuit.shape().unwrap(), &tape);
    let case = Case::new("hiding".into(), circuit.compiled(), tape, padding);
    let report = case.false_hints(1, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.lanes, report.all);
}

/// The same of tables of several heights, with caps, lookups and preprocessed columns. Salts stand
/// between the rows of a leaf, and in leaves that are injected.
#[test]
#[ignore = "minutes: \
    cargo test -p droste-tests --release --test verifier hiding::false -- --ignored --nocapture"]
fn false_hints_of_several_tables_are_accepted_in_padding_only() {
    let settings = FriSettings {
        num_queries: 1,
        ..CAPS
    };
    let fixture = batch!(config::sponge::<EF4>(&settings, 1), settings, &TABLES);
    let tape = (fixture.native)(&fixture.proof, &fixture.public_values).unwrap();
    let tape = machine_tape(&tape);
    // Its shape is that of the circuit of the fixture, whatever its salts are.
    let (config, trees, ()) = config::sponge::<EF4>(&settings, 1);
    let (airs, log_heights): (Vec<Table>, Vec<usize>) = TABLES.into_iter().unzip();
    let circuit = StockBatch::new(config, trees, (), settings, airs, &log_heights).unwrap();
    let padding = padding(circuit.shape().unwrap(), &tape);
    let case = Case::new("hiding batch".into(), &fixture.compiled, tape, padding);
    let report = case.false_hints(1, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.lanes, report.all);
}

/// Whoever commits to preprocessed columns with salts draws them anew: the keys of one AIR differ,
/// though their programs do not, until a circuit is given the commitment of the proofs.
#[test]
fn salts_are_in_the_key_of_preprocessed_columns() {
    let circuit = |seed| {
        let (config, trees, ()) = config::sponge::<EF4>(&ZK, seed);
        let (table, log_height) = STEPS;
        StockUni::new(config, trees, (), ZK, table, log_height).unwrap()
    };
    let (one, other) = (circuit(1), circuit(2));
    assert_eq!(one.air_key().identity, other.air_key().identity);
    assert_ne!(one.air_key().digest(), other.air_key().digest());

    let (config, ..) = config::sponge::<EF4>(&ZK, 2);
    let (table, log_height) = STEPS;
    let preprocessed = p3_uni_stark::setup_preprocessed(&config, &table, log_height).unwrap();
    let (data, key) = preprocessed.unwrap();
    let (trace, public) = plain_trace(table, log_height, 7);
    let proof = alone(|| {
        let data = Some(&data);
        p3_uni_stark::prove_with_preprocessed(&config, &table, trace, &public, data).unwrap()
    });
    assert!(one.verify(&proof, &public).is_err());
    let one = one.with_preprocessed(key.commitment.clone()).unwrap();
    one.verify(&proof, &public).unwrap();
    // A configuration of the same seed has that commitment by itself.
    assert_eq!(one.air_key().digest(), other.air_key().digest());

    // An AIR without preprocessed columns has no such commitment.
    let (config, trees, ()) = config::sponge::<EF4>(&ZK, 1);
    let (table, log_height) = FIBONACCI;
    let plain = StockUni::new(config, trees, (), ZK, table, log_height).unwrap();
    assert!(plain.with_preprocessed(key.commitment).is_err());
}

/// A commitment to other columns is in the key, where salts allow it, and refused where none are.
#[test]
fn another_commitment_is_another_key_or_none() {
    let (table, log_height) = STEPS;
    let other = Plain::Steps {
        log_height: log_height + 1,
    };
    macro_rules! commitments {
        ($config:expr) => {
            [(table, log_height), (other, log_height + 1)].map(|(table, log_height)| {
                let made = p3_uni_stark::setup_preprocessed(&$config, &table, log_height);
                made.unwrap().unwrap().1.commitment
            })
        };
    }
    let (config, ..) = config::sponge::<EF4>(&ZK, 1);
    let keys = commitments!(config).map(|commitment| {
        let (config, trees, ()) = config::sponge::<EF4>(&ZK, 1);
        let circuit = StockUni::new(config, trees, (), ZK, table, log_height).unwrap();
        let circuit = circuit.with_preprocessed(commitment).unwrap();
        circuit.air_key().digest()
    });
    assert_ne!(keys[0], keys[1]);

    let made = || crate::stock::config::stock_sponge::<EF4>(&ZK);
    let (config, ..) = made();
    let [own, others] = commitments!(config);
    let circuit = || {
        let (config, trees, ()) = made();
        StockUni::new(config, trees, (), ZK, table, log_height).unwrap()
    };
    let key = circuit().air_key().digest();
    let same = circuit().with_preprocessed(own).unwrap();
    assert_eq!(same.air_key().digest(), key);
    let refused = circuit().with_preprocessed(others);
    assert!(matches!(refused, Err(AirError::OtherPreprocessed)));
}

#[test]
#[ignore = "half a minute: cargo test -p droste-tests --test verifier stock:: -- --ignored"]
fn hiding_proofs_are_wrapped_and_joined() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let (table, log_height) = FIBONACCI;
    let (trace, public) = plain_trace(table, log_height, 7);
    let leaves = [1, 2].map(|seed| {
        let (config, trees, ()) = config::sponge::<EF4>(&ZK, seed);
        let trace = trace.clone();
        let proof = alone(|| prove(&config, &table, trace, &public).unwrap());
        let circuit = StockUni::new(config, trees, (), ZK, table, log_height).unwrap();
        let run = circuit.run(&proof, &public).unwrap();
        canonical(
            &aggregator,
            run,
            &Deriver::new().with_airs(&circuit).unwrap(),
        )
    });
    let joined = aggregator.join(leaves.into()).unwrap();
    assert!(aggregator.is_canonical(joined.proof()));
    assert_eq!(joined.tree().claim.statement(), joined.proof().statement);
}
