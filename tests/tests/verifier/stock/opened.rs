//! Openings in a batch: proofs are accepted as they are by tables, as the same leaves, and what a
//! prover says falsely of rows, of queries or of the batch is refused.

use droste_gadgets::Hint;
use droste_gadgets::verify::binary::grid::layout::{Grid, region_blocks, row_blocks};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{EF, EF4, F, FriSettings, KeccakSuite};
use droste_tests::attack::hints::Case as FalseHints;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::airs::{AirError, Seed, StockUni, UniCircuit};
use droste_verifier::binary::{OpeningsError, ShapeError as BinaryShapeError};
use droste_verifier::circuit::{Children, CircuitError, Openings, Run};
use droste_verifier::keys::{Deriver, Recipe, RecipeError};
use droste_verifier::tape::{TapeError, machine_tape};
use droste_vm::executor::{Tape, TapeItem, execute};
use droste_vm::heights::Heights;
use p3_blake3::Blake3;
use p3_field::PrimeCharacteristicRing;
use p3_keccak::Keccak256Hash;
use p3_uni_stark::{Proof, prove};

use super::accepted::poseidon2_air;
use super::agreement::{LONG, SHORT, expect};
use super::config::{StockSponge, stock, stock_poseidon2, stock_sponge};
use super::fixture::{
    BENCHMARK, FIBONACCI, HIGH_ARITY, STEPS, TABLES, batch_fixture, run, uni_fixture,
};
use super::hiding::{ZK, config as hiding, uni as hiding_fixture};
use super::in_full::wrap_in_full;
use super::{PoseidonAir, canonical, poseidon_air};
use crate::airs::tables::{Plain, Table, plain_trace};

/// An AIR with rows of three columns: the last lane of 64 bits of a leaf is half full. Its traces
/// depend on a seed.
const PRODUCT: (Plain, usize) = (Plain::Product { degree: 3 }, 4);

/// Tables with lookups, preprocessed columns, public values, a next row and two heights.
pub(super) const TWO_HEIGHTS: [(Table, usize); 4] = [
    (Table::Shuffle, 4),
    (Table::Receiver, 4),
    (Table::Plain(Plain::Fibonacci), 5),
    (Table::Plain(Plain::Steps { log_height: 5 }), 5),
];

/// Settings with trees that have one digest in their caps.
pub(super) const NO_CAPS: FriSettings = FriSettings {
    cap_height: 0,
    ..HIGH_ARITY
};

/// Settings of AIRs with long rows.
pub(super) const ONE_QUERY: FriSettings = FriSettings {
    num_queries: 1,
    ..BENCHMARK
};

#[test]
fn the_sponge_of_keccak_is_accepted_in_a_batch() {
    let fixture = batch_fixture!(
        stock_sponge::<EF4>(&HIGH_ARITY),
        HIGH_ARITY,
        &TWO_HEIGHTS,
        in_batch
    );
    fixture.expect_accepted();
    let settings = FriSettings {
        max_log_arity: 1,
        ..NO_CAPS
    };
    uni_fixture!(stock_sponge::<EF>(&settings), settings, FIBONACCI, in_batch).expect_accepted();
}

#[test]
fn hashes_of_bytes_are_accepted_in_a_batch() {
    let made = stock::<Keccak256Hash, EF4>(&NO_CAPS);
    batch_fixture!(made, NO_CAPS, &TABLES, in_batch).expect_accepted();
    let made = stock::<Blake3, EF4>(&BENCHMARK);
    uni_fixture!(made, BENCHMARK, STEPS, in_batch).expect_accepted();
}

/// Rows of the AIR of `prove_poseidon2_koala_bear_keccak`: 38 whole blocks of the sponge and one
/// that keeps lanes of the state, and six chunks of BLAKE3.
#[test]
fn long_rows_are_accepted_in_a_batch() {
    let trace = || poseidon2_air().generate_vectorized_trace_rows(32, ONE_QUERY.log_blowup);
    let made = stock_sponge::<EF4>(&ONE_QUERY);
    run!(made, ONE_QUERY, poseidon2_air(), 2, trace(), in_batch);
    let made = stock::<Blake3, EF4>(&ONE_QUERY);
    run!(made, ONE_QUERY, poseidon2_air(), 2, trace(), in_batch);
}

/// Salts are words of rows that only the hash reads.
#[test]
fn salted_rows_are_accepted_in_a_batch() {
    let made = hiding::sponge::<EF4>(&ZK, 1);
    hiding_fixture!(made, ZK, PRODUCT, in_batch).expect_accepted();
}

/// Proofs of a hash suite, whose transcript begins with the key.
#[test]
fn proofs_of_suites_are_accepted_in_a_batch() {
    let of = |air| UniCircuit::<KeccakSuite, PoseidonAir>::new(air, BENCHMARK, 3, Seed::Key);
    let by_tables = of(poseidon_air()).unwrap();
    let circuit = of(poseidon_air()).unwrap().in_batch().unwrap();
    assert_eq!(circuit.seed(), by_tables.seed());
    let trace = poseidon_air().generate_trace_rows(8, BENCHMARK.log_blowup);
    let proof = prove(&circuit.config().unwrap(), circuit.air(), trace, &[]).unwrap();
    let run = circuit.run(&proof, &[]).unwrap();
    assert_eq!(run.execution().statement, by_tables.claim(&[]).unwrap());
}

/// A circuit, and proofs of it.
struct Case {
    circuit: StockUni<StockSponge<EF4>, Plain>,
    by_tables: StockUni<StockSponge<EF4>, Plain>,
    proofs: [Proof<StockSponge<EF4>>; 2],
    grid: Grid,
}

impl Case {
    fn new() -> Self {
        let (table, log_height) = PRODUCT;
        let (config, trees, ()) = stock_sponge::<EF4>(&HIGH_ARITY);
        let proofs = [7, 8].map(|seed| {
            let (trace, _) = plain_trace(table, log_height, seed);
            prove(&config, &table, trace, &[]).unwrap()
        });
        let of = || {
            let (config, trees) = (config.clone(), trees.clone());
            StockUni::new(config, trees, (), HIGH_ARITY, table, log_height).unwrap()
        };
        let circuit = of().in_batch().unwrap();
        Self {
            grid: circuit.grid().unwrap(),
            circuit,
            by_tables: of(),
            proofs,
        }
    }

    /// The hints of a proof.
    fn tape(&self, proof: usize) -> Tape {
        let tape = self.circuit.tape(&self.proofs[proof], &[vec![]]);
        machine_tape(&tape.unwrap())
    }

    /// The item of a tape that has the regions of all queries. The batch's proof is behind it.
    fn regions(&self, tape: &Tape) -> usize {
        regions(&self.grid, tape)
    }

    fn accepts(&self, tape: &Tape) -> bool {
        let run = execute(self.circuit.compiled(), &[], tape, 1 << 22);
        if let Ok(run) = &run {
            assert_eq!(run.statement, self.circuit.claim(&[]).unwrap());
        }
        run.is_ok()
    }
}

/// The item of a tape that has the regions of all queries.
pub(super) fn regions(grid: &Grid, tape: &Tape) -> usize {
    let blocks = region_blocks(grid);
    // Caps, among others, can be as long. A region ends with one element.
    let is_index = |block: &[Option<F>; 8]| block[1..].iter().all(|lane| *lane == Some(F::ZERO));
    let is_regions = |item: &TapeItem| match item {
        TapeItem::Slice(slice) => {
            let mut ends = slice.chunks(blocks).map(|region| region.last());
            slice.len() == blocks * grid.queries && ends.all(|end| end.is_some_and(is_index))
        }
        _ => false,
    };
    let mut places = (0..tape.items.len()).filter(|&item| is_regions(&tape.items[item]));
    let place = places.next().expect("the regions");
    assert_eq!(places.next(), None);
    place
}

/// Key and statement of the leaf do not say how it was verified; the program does.
#[test]
fn the_leaf_is_that_of_tables() {
    let Case {
        circuit, by_tables, ..
    } = Case::new();
    let identity = circuit.air_key().identity;
    assert_eq!(circuit.air_key().digest(), by_tables.air_key().digest());
    assert_eq!(circuit.claim(&[]).unwrap(), by_tables.claim(&[]).unwrap());
    assert_eq!(circuit.grid().unwrap(), by_tables.grid().unwrap());
    assert_eq!(
        [circuit.openings(), by_tables.openings()],
        [Openings::Batch, Openings::Tables]
    );
    assert_ne!(circuit.text(), by_tables.text());
    // The leaf has few bits, which the batch does not lower.
    assert_eq!(circuit.bits(), by_tables.bits());
    let terms =
        |circuit: &StockUni<StockSponge<EF4>, Plain>| circuit.security().without.terms.len();
    assert!(terms(&circuit) > terms(&by_tables));

    let recipe = |children: &Children| Recipe {
        children: children.clone(),
        settings: WhirSettings {
            log_block: 17,
            ..WhirSettings::toy()
        },
        heights: Heights::Minimal,
    };
    let [in_batch, of_tables] = [circuit.children(), by_tables.children()].map(recipe);
    assert_eq!(in_batch.children, Children::OpenedAirs { identity });
    assert_eq!(of_tables.children, Children::Airs { identity });
    let one = Deriver::new().with_airs(&by_tables).unwrap();
    assert!(matches!(one.key(&in_batch), Err(RecipeError::UnknownAirs)));
    let both = one.with_airs(&circuit).unwrap();
    let [(in_batch, _), (of_tables, _)] =
        [&in_batch, &of_tables].map(|recipe| both.key(recipe).unwrap());
    assert_ne!(in_batch, of_tables);
}

/// The machine refuses a change of any hint of the batch, and a batch of another proof.
#[test]
fn other_batches_are_refused() {
    let case = Case::new();
    let [tape, other] = [0, 1].map(|proof| case.tape(proof));
    let first = case.regions(&tape) + 1;
    assert_eq!(case.regions(&other) + 1, first);
    assert_eq!(other.items.len(), tape.items.len());
    for tape in [&tape, &other] {
        assert!(case.accepts(tape));
    }
    let mut batch_of_other = tape.clone();
    batch_of_other.items[first..].clone_from_slice(&other.items[first..]);
    assert!(!case.accepts(&batch_of_other));
    let mut rows_of_other = tape.clone();
    rows_of_other.items[first - 1] = other.items[first - 1].clone();
    assert!(!case.accepts(&rows_of_other));

    // The first hints one by one, then hints at even distances: every kind occurs.
    let items = first..tape.items.len();
    let step = (items.len() / 40).max(1);
    let sample = items.clone().take(16).chain(items.step_by(step));
    for item in sample {
        let mut changed = tape.clone();
        match &mut changed.items[item] {
            TapeItem::Slice(blocks) => {
                let middle = blocks.len() / 2;
                let lane = &mut blocks[middle][0];
                // What a precompile fills has no value here.
                *lane = Some(lane.map_or(F::ONE, |lane| lane + F::ONE));
            }
            TapeItem::Felt(element) => *element += F::ONE,
            TapeItem::Ext(elements) => elements[0] += F::ONE,
        }
        assert!(!case.accepts(&changed), "item {item}");
    }
}

/// What a prover makes of the regions of all queries.
type Lie = Box<dyn Fn(&mut [[Option<F>; 8]]) + Send>;

/// A prover who proves the batch after a change of what is known of it, so that its transcript is
/// right, is refused by what the change is about.
#[test]
fn what_is_known_is_what_the_batch_says() {
    let case = Case::new();
    let proof = &case.proofs[0];
    let honest = case.circuit.tape(proof, &[vec![]]).unwrap();
    let item = case.regions(&machine_tape(&honest));
    let verdict = |lie: Lie| {
        let change = move |index: usize, hint: &mut Hint| {
            if let (true, Hint::Slice(blocks)) = (index == item, hint) {
                lie(blocks);
            }
        };
        case.circuit.tape_changed(proof, &[vec![]], change)
    };
    let unchanged = verdict(Box::new(|_| ())).unwrap();
    assert_eq!(unchanged.hints, honest.hints);

    let region = region_blocks(&case.grid);
    let set = |block: usize, lane: usize, to: fn(F) -> F| -> Lie {
        Box::new(move |blocks| blocks[block][lane] = blocks[block][lane].map(to))
    };
    // The first row is that of the trace: three columns, and half a lane of zeros.
    let tree = &case.grid.trees[0];
    assert_eq!(tree.leaves[0].words, 3);
    let second = row_blocks(case.grid.hash, 3);
    let Hint::Slice(blocks) = &honest.hints[item] else {
        panic!("the regions are a slice");
    };
    assert_eq!(blocks[0][3], Some(F::ZERO));
    let lies: [(&str, Lie); 7] = [
        ("a word of a row", set(0, 0, |word| word + F::ONE)),
        ("the half lane after a row", set(0, 3, |_| F::ONE)),
        (
            "a word of the next tree's row",
            set(second, 0, |word| word + F::ONE),
        ),
        ("an index", set(region - 1, 0, |index| index + F::ONE)),
        (
            "the index of the last query",
            set(2 * region - 1, 0, |_| F::NEG_ONE),
        ),
        (
            "regions of two queries",
            Box::new(move |blocks| blocks.rotate_left(region)),
        ),
        (
            "rows of two queries",
            Box::new(move |blocks| {
                let (first, last) = blocks.split_at_mut(region);
                first[..region - 1].swap_with_slice(&mut last[..region - 1]);
            }),
        ),
    ];
    for (what, lie) in lies {
        let refusal = verdict(lie).unwrap_err();
        assert!(
            matches!(refusal, CircuitError::Tape(TapeError::Rejected { .. })),
            "{what}: {refusal:?}"
        );
    }
}

/// Salts are in no arithmetic: that of queries does not see a change, the batch does.
#[test]
fn words_that_only_the_hash_reads_are_what_the_batch_says() {
    let (config, trees, ()) = hiding::sponge::<EF4>(&ZK, 1);
    let (table, log_height) = PRODUCT;
    let (trace, _) = plain_trace(table, log_height, 7);
    let proof = super::hiding::alone(|| prove(&config, &table, trace, &[]).unwrap());
    let circuit = StockUni::new(config, trees, (), ZK, table, log_height).unwrap();
    let circuit = circuit.in_batch().unwrap();
    let (grid, salts) = (circuit.grid().unwrap(), circuit.shape().unwrap().salts);
    let honest = circuit.tape(&proof, &[vec![]]).unwrap();
    let item = regions(&grid, &machine_tape(&honest));
    let words = grid.trees[0].leaves[0].words;
    assert!(salts > 0 && words > salts && words <= 34);
    let verdict = |place: usize| {
        let change = move |index: usize, hint: &mut Hint| {
            if let (true, Hint::Slice(blocks)) = (index == item, hint) {
                let lane = &mut blocks[place / 8][place % 8];
                *lane = lane.map(|lane| lane + F::ONE);
            }
        };
        circuit.tape_changed(&proof, &[vec![]], change)
    };
    let refusal = verdict(words - 1).unwrap_err();
    assert!(
        matches!(refusal, CircuitError::Tape(TapeError::Rejected { .. })),
        "{refusal:?}"
    );
}

/// The reason why a circuit's openings are in no batch.
macro_rules! refusal {
    ($circuit:expr) => {
        match $circuit.in_batch().map(|_| ()) {
            Err(AirError::Circuit(CircuitError::BinaryShape(BinaryShapeError::Openings(
                error,
            )))) => error,
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn what_no_batch_takes_is_refused_by_name() {
    let (table, log_height) = FIBONACCI;
    // A fold of eight values of degree 5 has 40 words, of which a block has 34.
    let (config, trees, ()) = stock_sponge::<EF>(&HIGH_ARITY);
    let circuit = StockUni::new(config, trees, (), HIGH_ARITY, table, log_height).unwrap();
    assert_eq!(refusal!(circuit), OpeningsError::Row(40));

    let (config, trees, constants) = stock_poseidon2::<EF4>(&BENCHMARK);
    let circuit = StockUni::new(config, trees, constants, BENCHMARK, table, log_height).unwrap();
    assert!(matches!(refusal!(circuit), OpeningsError::Trees(_)));
}

/// Changes proofs in about `count` places.
fn agree(count: usize) {
    let made = stock_sponge::<EF4>(&HIGH_ARITY);
    expect(&uni_fixture!(made, HIGH_ARITY, PRODUCT, in_batch), count);
}

#[test]
fn verifiers_agree_on_openings_in_a_batch() {
    agree(SHORT);
}

#[test]
#[ignore = "minutes: \
    cargo test -p droste-tests --release --test verifier opened::long -- --ignored --nocapture"]
fn long() {
    agree(LONG);
    let made = stock_sponge::<EF4>(&HIGH_ARITY);
    let fixture = batch_fixture!(made, HIGH_ARITY, &TWO_HEIGHTS, in_batch);
    expect(&fixture, LONG);
    let made = stock::<Keccak256Hash, EF4>(&NO_CAPS);
    expect(&batch_fixture!(made, NO_CAPS, &TABLES, in_batch), LONG);
    let made = stock::<Blake3, EF4>(&BENCHMARK);
    expect(&uni_fixture!(made, BENCHMARK, STEPS, in_batch), LONG);
}

/// The machine refuses every false value of every lane of the regions and of the batch's proof.
#[test]
#[ignore = "an hour of CPU time: \
    cargo test -p droste-tests --release --test verifier opened::false_hints -- --ignored --nocapture"]
fn false_hints_are_refused() {
    let case = Case::new();
    let tape = case.tape(0);
    let first = case.regions(&tape);
    let compiled = case.circuit.compiled();
    let hints = FalseHints::new("batch".into(), compiled, tape, Default::default());
    let report = hints.false_hints(1, 2, None);
    println!("{report}");
    assert_eq!(report.lanes, report.all);
    assert!(report.other_claims.is_empty(), "{report}");
    // Those before are the same as by tables, which other tests try.
    let holes = report.holes();
    assert!(holes.iter().all(|lane| lane.item < first), "{report}");
}

#[test]
#[ignore = "a minute: cargo test -p droste-tests --release --test verifier opened:: -- --ignored"]
fn batches_are_wrapped_and_joined_with_tables() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let case = Case::new();
    let deriver = Deriver::new().with_airs(&case.by_tables).unwrap();
    let deriver = deriver.with_airs(&case.circuit).unwrap();
    let runs = [
        case.circuit.run(&case.proofs[0], &[]).unwrap(),
        case.by_tables.run(&case.proofs[1], &[]).unwrap(),
    ];
    let wraps = runs.map(|run: Run| canonical(&aggregator, run, &deriver));
    let leaves: Vec<_> = wraps.iter().map(|wrap| wrap.tree().leaves()).collect();
    // The same leaf: its AIR has no public values.
    assert_eq!(leaves[0], leaves[1]);
    assert_ne!(wraps[0].keys(), wraps[1].keys());
    let joined = aggregator.join(wraps.into()).unwrap();
    assert!(aggregator.is_canonical(joined.proof()));
    assert_eq!(joined.tree().claim.statement(), joined.proof().statement);
}

/// `prove_poseidon2_koala_bear_keccak` as it is, its openings in a batch, and its wrap at 100 bits.
#[test]
#[ignore = "a minute of CPU time and gigabytes of memory: \
    cargo test -p droste-tests --release --test verifier stock::opened::in_full -- --ignored --nocapture"]
fn in_full() {
    let settings = FriSettings {
        num_queries: 100,
        query_grinding_bits: 16,
        ..BENCHMARK
    };
    let log_height = 16;
    let trace = poseidon2_air().generate_vectorized_trace_rows(8 << log_height, 1);
    let made = stock_sponge::<EF4>(&settings);
    let run = run!(made, settings, poseidon2_air(), log_height, trace, in_batch);
    assert_eq!(run.bits(), 64);
    let rows = |name: &str| {
        let mut tables = run.needed_rows().iter();
        let (_, rows) = tables.find(|(table, _)| table == name).expect("a table");
        *rows
    };
    // The next heights cost a second of CPU time and hundreds of megabytes each.
    for name in ["binary_products", "word_products"] {
        assert!(rows(name) <= 1 << 14, "{name}: {}", rows(name));
    }
    wrap_in_full(run);
}
