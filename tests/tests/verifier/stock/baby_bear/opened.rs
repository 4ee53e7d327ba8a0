//! Openings of proofs over BabyBear in a batch: the batch is about elements of the machine's field
//! that have the words of rows, and the program combines the limbs of these words.

use droste_gadgets::verify::binary::grid::layout::{Grid, KECCAK_WORDS, region_blocks, row_blocks};
use droste_gadgets::{Hint, NativeTape};
use droste_native::field::MODULUS;
use droste_native::{BabyBear, BabyBear4, F, FriSettings};
use droste_verifier::airs::StockUni;
use droste_verifier::circuit::CircuitError;
use droste_verifier::tape::{TapeError, machine_tape};
use droste_vm::compiler::Compiled;
use droste_vm::executor::{Fault, Tape, TapeItem, execute};
use droste_vm::precompile::{BABY_BEAR, BABY_BEAR_DOT};
use p3_blake3::Blake3;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use p3_keccak::Keccak256Hash;
use p3_keccak_air::KeccakAir;
use p3_uni_stark::prove;

use super::examples::{KECCAK_F_IN_FULL, poseidon2_air};
use crate::airs::tables::{Plain, plain_trace};
use crate::stock::agreement::{LONG, SHORT, expect};
use crate::stock::config::{stock, stock_sponge};
use crate::stock::fixture::{
    BENCHMARK, FIBONACCI, HIGH_ARITY, STEPS, TABLES, batch_fixture, run, uni_fixture,
};
use crate::stock::hiding::{self, ZK};
use crate::stock::in_full::wrap_in_full;
use crate::stock::opened::{NO_CAPS, ONE_QUERY, TWO_HEIGHTS, regions};

/// An AIR with rows of three columns.
const PRODUCT: (Plain, usize) = (Plain::Product { degree: 3 }, 4);

#[test]
fn the_sponge_of_keccak_is_accepted_in_a_batch() {
    let made = stock_sponge::<BabyBear4>(&HIGH_ARITY);
    batch_fixture!(made, HIGH_ARITY, &TWO_HEIGHTS, in_batch).expect_accepted();
    let made = stock_sponge::<BabyBear4>(&BENCHMARK);
    uni_fixture!(made, BENCHMARK, FIBONACCI, in_batch).expect_accepted();
}

#[test]
fn hashes_of_bytes_are_accepted_in_a_batch() {
    let made = stock::<Keccak256Hash, BabyBear4>(&NO_CAPS);
    batch_fixture!(made, NO_CAPS, &TABLES, in_batch).expect_accepted();
    let made = stock::<Blake3, BabyBear4>(&BENCHMARK);
    uni_fixture!(made, BENCHMARK, STEPS, in_batch).expect_accepted();
}

/// Salts are words of rows that no column has.
#[test]
fn salted_rows_are_accepted_in_a_batch() {
    let made = hiding::config::sponge::<BabyBear4>(&ZK, 1);
    hiding::uni!(made, ZK, PRODUCT, in_batch).expect_accepted();
}

fn agree(count: usize) {
    let made = stock_sponge::<BabyBear4>(&HIGH_ARITY);
    expect(&uni_fixture!(made, HIGH_ARITY, PRODUCT, in_batch), count);
}

#[test]
fn verifiers_agree_on_openings_in_a_batch() {
    agree(SHORT);
}

#[test]
#[ignore = "minutes: cargo test -p droste-tests --release --test verifier \
    baby_bear::opened::long -- --ignored --nocapture"]
fn long() {
    agree(LONG);
    let made = stock::<Keccak256Hash, BabyBear4>(&NO_CAPS);
    expect(&batch_fixture!(made, NO_CAPS, &TABLES, in_batch), LONG);
}

/// Block and lane of a word of a row in the sponge over Keccak-f, whose first block is `first`.
const fn place(first: usize, word: usize) -> [usize; 2] {
    let (run, within) = (word / KECCAK_WORDS, word % KECCAK_WORDS);
    [first + 5 * run + within / 8, within % 8]
}

/// The places of the words of all rows in the regions of all queries.
fn words_of_rows(grid: &Grid) -> Vec<[usize; 2]> {
    let mut places = vec![];
    for query in 0..grid.queries {
        let mut first = query * region_blocks(grid);
        for leaf in grid.trees.iter().flat_map(|tree| &tree.leaves) {
            places.extend((0..leaf.words).map(|word| place(first, word)));
            first += row_blocks(grid.hash, leaf.words);
        }
    }
    places
}

/// The lane at this place of the tape's item with all regions.
fn lane(tape: &mut Tape, item: usize, [block, lane]: [usize; 2]) -> &mut F {
    let TapeItem::Slice(blocks) = &mut tape.items[item] else {
        panic!("the regions are a slice");
    };
    blocks[block][lane].as_mut().expect("every lane is set")
}

/// What the word of an element is more by, if this is added to the element: the order of BabyBear.
fn order() -> F {
    F::from_u32(BabyBear::ORDER_U32) * F::from_u64(1 << 32).inverse()
}

/// Makes a circuit in a batch, and a proof of an AIR without public values.
macro_rules! made {
    ($settings:expr, $air:expr, $log_height:expr, $trace:expr) => {{
        let (config, trees, ()) = stock_sponge::<BabyBear4>(&$settings);
        let proof = prove(&config, &$air, $trace, &[]).unwrap();
        let circuit = StockUni::new(config, trees, (), $settings, $air, $log_height).unwrap();
        (circuit.in_batch().unwrap(), proof)
    }};
}

/// Checks that the machine refuses the other word of the same element for each word that has one,
/// before the batch is read. Returns their places.
fn expect_canonical(grid: &Grid, compiled: &Compiled, honest: &NativeTape) -> Vec<[usize; 2]> {
    let mut tape = machine_tape(honest);
    let item = regions(grid, &tape);
    let places = words_of_rows(grid);
    let machine = |tape: &Tape| execute(compiled, &[], tape, 1 << 22);
    assert!(machine(&tape).is_ok());
    let mut same_elements = vec![];
    for &place in &places {
        let element = *lane(&mut tape, item, place);
        let word = element.to_unique_u32();
        assert!(word < BabyBear::ORDER_U32);
        if word >= MODULUS - BabyBear::ORDER_U32 {
            continue;
        }
        *lane(&mut tape, item, place) = element + order();
        let Err(error) = machine(&tape) else {
            panic!("{place:?}: another word of an element is taken for it");
        };
        let ids = [BABY_BEAR.identity, BABY_BEAR_DOT.identity];
        let is_refused_by_table =
            matches!(error.fault, Fault::Precompile { id, .. } if ids.contains(&id));
        assert!(is_refused_by_table, "{place:?}: {error:?}");
        *lane(&mut tape, item, place) = element;
        same_elements.push(place);
    }
    let number = same_elements.len();
    println!("{number} of {} words have another one", places.len());
    assert!(number > 0);
    same_elements
}

/// Words of rows, salts included.
#[test]
fn other_words_are_refused() {
    let (table, log_height) = PRODUCT;
    let (trace, _) = plain_trace(table, log_height, 7);
    let (config, trees, ()) = hiding::config::sponge::<BabyBear4>(&ZK, 1);
    let proof = hiding::alone(|| prove(&config, &table, trace, &[]).unwrap());
    let circuit = StockUni::new(config, trees, (), ZK, table, log_height).unwrap();
    let circuit = circuit.in_batch().unwrap();
    let honest = circuit.tape(&proof, &[vec![]]).unwrap();
    let _ = expect_canonical(&circuit.grid().unwrap(), circuit.compiled(), &honest);
}

/// A prover whose transcript is right, since the batch is proved after the change of a word.
#[test]
fn words_are_those_of_the_batch() {
    let (table, log_height) = PRODUCT;
    let (trace, _) = plain_trace(table, log_height, 7);
    let (circuit, proof) = made!(HIGH_ARITY, table, log_height, trace);
    let grid = circuit.grid().unwrap();
    let honest = circuit.tape(&proof, &[vec![]]).unwrap();
    let item = regions(&grid, &machine_tape(&honest));
    let same = expect_canonical(&grid, circuit.compiled(), &honest);
    let places = words_of_rows(&grid);
    let some = places.iter().step_by(places.len().div_ceil(6));
    let others = some.map(|&place| (place, F::ONE));
    let same = same.iter().take(2).map(|&place| (place, order()));
    for (place, added) in others.chain(same) {
        let change = move |index: usize, hint: &mut Hint| {
            if let (true, Hint::Slice(blocks)) = (index == item, hint) {
                let [block, lane] = place;
                blocks[block][lane] = blocks[block][lane].map(|lane| lane + added);
            }
        };
        let verdict = circuit.tape_changed(&proof, &[vec![]], change);
        let refusal = verdict.unwrap_err();
        assert!(
            matches!(refusal, CircuitError::Tape(TapeError::Rejected { .. })),
            "{place:?}: {refusal:?}"
        );
    }
}

/// Rows of several blocks of the sponge. What is between these blocks in memory, after the last
/// element of one, is in no equation; the arithmetic only wants words in the blocks that it reads.
#[test]
fn what_is_between_runs_is_in_no_equation() {
    let (air, log_height) = (poseidon2_air(), 2);
    let trace = air.generate_vectorized_trace_rows(8 << log_height, ONE_QUERY.log_blowup);
    let (circuit, proof) = made!(ONE_QUERY, air, log_height, trace);
    let grid = circuit.grid().unwrap();
    assert!(grid.trees[0].leaves[0].words > 2 * KECCAK_WORDS);
    let honest = circuit.tape(&proof, &[vec![]]).unwrap();
    let item = regions(&grid, &machine_tape(&honest));
    let changed = |lane: usize, to: F| {
        let change = move |index: usize, hint: &mut Hint| {
            if let (true, Hint::Slice(blocks)) = (index == item, hint) {
                // The last block of the first run has its last two words.
                assert_eq!(blocks[4][lane], Some(F::ZERO));
                blocks[4][lane] = Some(to);
            }
        };
        circuit.tape_changed(&proof, &[vec![]], change)
    };
    for (lane, to) in [(4, F::ONE), (7, F::NEG_ONE)] {
        let tape = machine_tape(&changed(lane, to).unwrap());
        let run = execute(circuit.compiled(), &[], &tape, 1 << 22).unwrap();
        assert_eq!(run.statement, circuit.claim(&[]).unwrap());
    }
    // In the block of the run's last two words.
    let refusal = changed(3, order()).unwrap_err();
    assert!(
        matches!(refusal, CircuitError::Tape(TapeError::Rejected { .. })),
        "{refusal:?}"
    );
}

/// The objective `-o keccak-f-permutations` of `prove_prime_field_31 -f baby-bear -m keccak`, and its
/// wrap at 100 bits.
#[test]
#[ignore = "a minute of CPU time and gigabytes of memory: cargo test -p droste-tests --release \
    --test verifier baby_bear::opened::in_full -- --ignored --nocapture"]
fn in_full() {
    let (settings, log_height): (FriSettings, usize) = (KECCAK_F_IN_FULL, 15);
    let trace =
        KeccakAir {}.generate_random_trace_rows((1 << log_height) / 24, settings.log_blowup);
    let made = stock_sponge::<BabyBear4>(&settings);
    let run = run!(made, settings, KeccakAir {}, log_height, trace, in_batch);
    wrap_in_full(run);
}
