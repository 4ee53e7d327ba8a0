//! What stands for an element of BabyBear, but is none of its canonical words, and trees for which
//! there is no table.

use droste_native::field::MODULUS;
use droste_native::{BabyBear, BabyBear4, F};
use droste_tests::attack::padding::{Lane, padding};
use droste_verifier::codegen::{TableSource, generate};
use droste_verifier::shape::{FriShape, Protocol, ShapeError};
use droste_verifier::tape::TreesId;
use droste_vm::executor::{Fault, Tape, TapeItem, execute};
use droste_vm::precompile::BABY_BEAR;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use crate::airs::tables::Plain;
use crate::stock::agreement::one_query;
use crate::stock::config::stock_sponge;
use crate::stock::fixture::{BENCHMARK, FIBONACCI, uni_fixture};
use crate::stock::refused::expect_no_elements;

const ORDER: u32 = BabyBear::ORDER_U32;

/// Words that a verifier over KoalaBear takes are among them.
#[test]
fn words_from_the_modulus_on_are_refused() {
    let made = stock_sponge::<BabyBear4>(&BENCHMARK);
    let fixture = uni_fixture!(made, BENCHMARK, FIBONACCI);
    let others = [ORDER, ORDER + 1, MODULUS - 1, MODULUS, u32::MAX];
    expect_no_elements(&fixture.proof, &others);
}

/// The low and the high limb of a word on a tape.
type Limbs = [Lane; 2];

/// The words of a tape: of every block of its slices, and of two elements between slices, which are
/// those of a nonce. More elements in a row are bits, and one by itself is, too.
fn words(tape: &Tape) -> Vec<Limbs> {
    let is_element = |item: usize| matches!(tape.items.get(item), Some(TapeItem::Felt(_)));
    let mut words = vec![];
    for (item, hint) in tape.items.iter().enumerate() {
        match hint {
            TapeItem::Slice(blocks) => {
                for (block, word) in (0..4 * blocks.len()).map(|word| (word / 4, word % 4)) {
                    let lanes = [2 * word, 2 * word + 1];
                    words.push(lanes.map(|lane| Lane { item, block, lane }));
                }
            }
            TapeItem::Felt(_) => {
                let is_first = item == 0 || !is_element(item - 1);
                if is_first && is_element(item + 1) && !is_element(item + 2) {
                    let (block, lane) = (0, 0);
                    words.push([item, item + 1].map(|item| Lane { item, block, lane }));
                }
            }
            TapeItem::Ext(_) => panic!("an element of BabyBear is hinted as a block"),
        }
    }
    words
}

/// A lane of a tape, which the prover sets.
fn lane(tape: &mut Tape, lane: Lane) -> Option<&mut F> {
    match &mut tape.items[lane.item] {
        TapeItem::Slice(blocks) => blocks[lane.block][lane.lane].as_mut(),
        TapeItem::Felt(element) => Some(element),
        TapeItem::Ext(_) => None,
    }
}

/// Sets two limbs, and returns those that were there.
fn replace(tape: &mut Tape, places: Limbs, limbs: [F; 2]) -> [F; 2] {
    let mut old = [F::ZERO; 2];
    for (place, (old, new)) in places.into_iter().zip(old.iter_mut().zip(limbs)) {
        *old = std::mem::replace(lane(tape, place).expect("it is set"), new);
    }
    old
}

/// Plonky3's decoder refuses words from the order of the field on. On a tape nothing does before the
/// machine: each word is replaced by the other one that stands for the same element, and a pair of
/// limbs by the other one that stands for the same word.
#[test]
fn other_words_for_the_same_elements_are_refused() {
    let (circuit, mut tape) = one_query!(stock_sponge::<BabyBear4>, FIBONACCI);
    let unread = padding(circuit.shape().unwrap(), &tape);
    let run = |tape: &Tape, cycles: u64| execute(circuit.compiled(), &[], tape, cycles);
    let limit = 2 * run(&tape, 1 << 24).unwrap().cycles.len() as u64;
    let (mut refused, mut by_table) = ([0; 2], [0; 2]);
    for places in words(&tape) {
        let limbs = places.map(|place| lane(&mut tape, place).map(|limb| limb.as_canonical_u32()));
        let [Some(low), Some(high)] = limbs else {
            continue;
        };
        if places.iter().any(|place| unread.contains(place)) {
            continue;
        }
        let word = (low | (high << 16)).checked_add(ORDER);
        let same_element = word.map(|word| [word & 0xffff, word >> 16]);
        let same_word = high.checked_sub(1).map(|high| [low + (1 << 16), high]);
        for (kind, limbs) in [same_element, same_word].into_iter().enumerate() {
            let Some(limbs) = limbs else { continue };
            let honest = replace(&mut tape, places, limbs.map(F::from_u32));
            let verdict = run(&tape, limit);
            let _ = replace(&mut tape, places, honest);
            let Err(error) = verdict else {
                panic!("{places:?}: {limbs:?} are taken for {low} and {high}");
            };
            refused[kind] += 1;
            if matches!(error.fault, Fault::Precompile { id, .. } if id == BABY_BEAR.identity) {
                by_table[kind] += 1;
            }
        }
    }
    println!("{refused:?} refused, {by_table:?} of them in the table");
    // What is checked before it is hashed: eight opened values and a coefficient, of four words
    // each, and a nonce.
    assert!(by_table.iter().all(|&count| count > 4 * 9), "{by_table:?}");
}

/// There is no table for Poseidon2 over BabyBear. No type of Plonky3 leads here:
/// `droste_verifier::airs::Known` has none.
#[test]
fn poseidon2_is_refused_by_name() {
    let (table, log_height) = FIBONACCI;
    let source = TableSource {
        name: "table",
        air: &table,
        lookups: &[],
        preprocessed_width: 0,
        log_height,
    };
    let evaluators = generate::<BabyBear4, Plain>(&[source]).unwrap();
    let shape = |trees: TreesId| {
        let heights = [log_height];
        FriShape::new(Protocol::Uni, trees, BENCHMARK, 0, &evaluators, &heights)
    };
    for trees in [TreesId::Poseidon2Narrow, TreesId::Poseidon2Wide] {
        let refusal = shape(trees).err();
        let Some(ShapeError::Trees { field, trees: name }) = refusal else {
            panic!("{refusal:?}")
        };
        assert_eq!((field, name), ("BabyBear", trees.name()));
    }
    shape(TreesId::KeccakSponge).unwrap();
}
