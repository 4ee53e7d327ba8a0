//! Plonky3's verifier, the program run natively and the program in the machine accept the same
//! proofs, of proofs that differ from an honest one in one place.
//!
//! A place is a number (of a commitment, an opened value, a row, a sibling, a nonce, a final
//! coefficient, a height), a list, an optional part, or a public value. The tape of a changed proof
//! is recorded by the native run, so the machine gets none of a proof that this run refuses. That
//! the machine refuses by itself is tested with false hints, on the tape of an honest proof.

use std::collections::BTreeSet;

use droste_native::EF4;
use droste_native::changes::{Changes, LENGTHS, Node, by_kind};
use droste_tests::attack::hints::Case;
use droste_tests::attack::padding::{Lane, padding};
use droste_vm::compiler::Compiled;
use droste_vm::executor::{Tape, TapeItem};
use p3_blake3::Blake3;
use p3_field::PrimeCharacteristicRing;
use p3_keccak::Keccak256Hash;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::config::{stock, stock_drawn, stock_narrow, stock_poseidon2, stock_sponge};
use super::fixture::{
    BENCHMARK, FIBONACCI, Fixture, HIGH_ARITY, STEPS, TABLES, batch_fixture, uni_fixture,
};

/// Number of changes in the short form.
pub(super) const SHORT: usize = 60;

/// Number of changes in the long form.
pub(super) const LONG: usize = 2_000;

/// Changes a proof in about `count` places, of every kind alike, and checks that the verifiers
/// agree. Returns the numbers of changed proofs that were refused and accepted. A change that does
/// not decode is refused by Plonky3's decoder, and does not count.
fn agree<P, V>(fixture: &Fixture<P, V>, count: usize) -> [usize; 2]
where
    P: Serialize + DeserializeOwned,
    V: PrimeCharacteristicRing,
{
    fixture.expect_accepted();
    let honest = &fixture.public_values;
    let mut verdicts = [0; 2];
    let mut judge = |proof: Option<P>, public_values: &[Vec<V>], what: &str| {
        if let Some(proof) = proof {
            let accepted = fixture.verdict(&proof, public_values, &what);
            verdicts[usize::from(accepted)] += 1;
        }
    };
    let changes = Changes::new(&fixture.proof).unwrap();
    let parts = by_kind(changes.places(|_| true).into_iter().filter(|place| {
        place.is_number() || place.is_list() || matches!(place.node, Node::Option(_))
    }));
    let each = count.div_ceil(parts.len());
    for places in parts.values() {
        let step = places.len().div_ceil(each);
        for (index, place) in places.iter().step_by(step).enumerate() {
            // More places than changes are changed in one way each, fewer in several.
            for turn in index..index + each.div_ceil(places.len()) {
                let what = format!("{}, change {turn}", place.name);
                let changed = match place.node {
                    Node::List(_) => changes.with_list(place, |list| match turn % 4 {
                        3 => list.reverse(),
                        edit => LENGTHS[edit](list),
                    }),
                    Node::Option(_) => changes.with(place, |node| *node = Node::Option(None)),
                    _ if turn % 2 == 0 => changes.with(place, |node| node.flip(turn / 2)),
                    _ => changes.with(place, Node::decrement),
                };
                judge(changed, honest, &what);
            }
        }
    }
    let same = || serde_json::from_value(serde_json::to_value(&fixture.proof).unwrap()).ok();
    for (table, lane) in (0..honest.len()).flat_map(|table| {
        let lanes = 0..honest[table].len();
        lanes.map(move |lane| (table, lane))
    }) {
        let mut public_values = honest.clone();
        public_values[table][lane] += V::ONE;
        judge(same(), &public_values, "a public value");
    }
    judge(same(), honest, "nothing");
    println!("{} refused, {} accepted", verdicts[0], verdicts[1]);
    verdicts
}

/// Every changed proof is refused, and what was not changed is accepted.
pub(super) fn expect<P, V>(fixture: &Fixture<P, V>, count: usize)
where
    P: Serialize + DeserializeOwned,
    V: PrimeCharacteristicRing,
{
    let [refused, accepted] = agree(fixture, count);
    assert_eq!(accepted, 1);
    assert!(refused > count / 2, "{refused}");
}

fn sponge(count: usize) {
    let made = stock_sponge::<EF4>(&BENCHMARK);
    expect(&uni_fixture!(made, BENCHMARK, STEPS), count);
    let made = stock_sponge::<EF4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
}

fn bytes(count: usize) {
    let made = stock::<Blake3, EF4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
    let made = stock::<Keccak256Hash, EF4>(&BENCHMARK);
    expect(&uni_fixture!(made, BENCHMARK, FIBONACCI), count);
}

fn poseidon2(count: usize) {
    let made = stock_poseidon2::<EF4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
}

fn narrow(count: usize) {
    let made = stock_narrow::<EF4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
    let made = stock_narrow::<EF4>(&BENCHMARK);
    expect(&uni_fixture!(made, BENCHMARK, STEPS), count);
}

fn drawn(count: usize) {
    let made = stock_drawn::<EF4>(&HIGH_ARITY);
    expect(&batch_fixture!(made, HIGH_ARITY, &TABLES), count);
}

#[test]
fn verifiers_agree_on_the_sponge_of_keccak() {
    sponge(SHORT);
}

#[test]
fn verifiers_agree_on_hashes_of_bytes() {
    bytes(SHORT);
}

#[test]
fn verifiers_agree_on_poseidon2() {
    poseidon2(SHORT);
}

#[test]
fn verifiers_agree_on_poseidon2_of_width_16() {
    narrow(SHORT);
}

#[test]
fn verifiers_agree_on_poseidon2_with_random_constants() {
    drawn(SHORT);
}

#[test]
#[ignore = "minutes: \
    cargo test -p droste-tests --release --test verifier agreement::long -- --ignored --nocapture"]
fn long() {
    sponge(LONG);
    bytes(LONG);
    poseidon2(LONG);
    narrow(LONG);
    drawn(LONG);
}

/// A program that verifies a proof of a table and one query with a configuration, and its tape.
macro_rules! one_query {
    ($stock:expr, $table:expr) => {{
        let settings = droste_native::FriSettings {
            num_queries: 1,
            ..$crate::stock::fixture::BENCHMARK
        };
        let ((config, trees, constants), (table, log_height)) = ($stock(&settings), $table);
        let (trace, public) = $crate::airs::tables::plain_trace(table, log_height, 7);
        let proof = p3_uni_stark::prove(&config, &table, trace, &public).unwrap();
        let circuit = droste_verifier::airs::StockUni::new(
            config, trees, constants, settings, table, log_height,
        )
        .unwrap();
        let tape = circuit.tape(&proof, &[public]).unwrap();
        (circuit, droste_verifier::tape::machine_tape(&tape))
    }};
}
pub(super) use one_query;

/// The machine refuses every false hint that it reads, whatever the native run would say.
#[test]
fn false_hints_are_accepted_in_padding_only() {
    let (circuit, tape) = one_query!(stock_sponge::<EF4>, FIBONACCI);
    let padding = padding(circuit.shape().unwrap(), &tape);
    let case = Case::new("sponge".into(), circuit.compiled(), tape, padding);
    let report = case.false_hints(1, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.lanes, report.all);
}

/// In Poseidon2 the sponge binds all lanes of rows. What the machine does not read are lanes after
/// the end of a message in its last block, which the transcript copied to its position.
fn expect_ends(compiled: &Compiled, tape: Tape) {
    let case = Case::new("poseidon2".into(), compiled, tape.clone(), BTreeSet::new());
    let report = case.false_hints(1, 2, None);
    println!("{report}");
    assert_eq!(report.lanes, report.all);
    assert!(report.other_claims.is_empty(), "{report}");
    let messages: BTreeSet<usize> = report.holes().iter().map(|lane| lane.item).collect();
    // Commitments and opened values.
    assert!(messages.len() <= 4, "{report}");
    for lane in report.holes() {
        let TapeItem::Slice(blocks) = &tape.items[lane.item] else {
            panic!("{lane:?} is of no slice");
        };
        assert_eq!(lane.block, blocks.len() - 1, "{lane:?}");
        let mut end = (lane.lane..8).map(|index| Lane {
            lane: index,
            ..lane
        });
        assert!(
            end.all(|lane| report.lanes_accepted.contains(&lane)),
            "{report}"
        );
    }
}

#[test]
fn false_hints_are_refused_in_poseidon2() {
    let (circuit, tape) = one_query!(stock_narrow::<EF4>, FIBONACCI);
    expect_ends(circuit.compiled(), tape);
    let (circuit, tape) = one_query!(stock_drawn::<EF4>, FIBONACCI);
    expect_ends(circuit.compiled(), tape);
}
