//! The claims of lists of calls against the native ones, for lists of any bytes.

use std::collections::BTreeSet;

use droste_binary::field::K;
use droste_binary::statement::{PublicClaims, Statement};
use droste_binary::trace::circuit;
use droste_binary::{Hash, HashCalls, HashGraph};
use droste_gadgets::Hint;
use droste_gadgets::prelude::Block;
use droste_gadgets::record::record_changed;
use droste_gadgets::verify::binary::shape::LOG_ELEMENTS;
use droste_gadgets::verify::binary::statement::{LOG_GROUP, Statement as _};
use droste_native::F;
use droste_native::precompile::{binary_to_block, poseidon16_compress};
use droste_native::whir::WhirSettings;
use droste_vm::heights::Heights;
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::{BinaryCircuit, BinaryCircuitError, BinaryTapeError, statement, tape};
use super::parts::{Known, calls_of, element, leaf, run};
use super::{proved, proved_calls};
use crate::circuit::{BinaryShape, CallsShape, Children, PathsShape};
use crate::keys::{ClaimedKeys, Deriver, KeysError, Recipe};

/// Any bytes, which are no calls.
fn any_list(hash: Hash, log_calls: usize, random: &mut SmallRng) -> HashCalls {
    let any = (0..1 << log_calls).map(|_| {
        let (mut input, mut output) = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
        random.fill(&mut input[..]);
        random.fill(&mut output[..]);
        (input, output)
    });
    HashCalls::new(hash, any).unwrap()
}

/// The entries' lanes and the roots of their groups, from the bytes alone.
fn messages(list: &HashCalls) -> Vec<Vec<F>> {
    let entries = list.calls().map(|(input, output)| {
        let elements = input.chunks(16).chain(output.chunks(16));
        let lanes = elements.flat_map(|bytes| {
            let mut element = [0; 16];
            element[..bytes.len()].copy_from_slice(bytes);
            let block = binary_to_block(K::from_repr(u128::from_le_bytes(element)));
            block.into_iter().take(5)
        });
        lanes.collect::<Vec<F>>()
    });
    let entries: Vec<Vec<F>> = entries.collect();
    let mut layer: Vec<[F; 8]> = entries.iter().map(|entry| leaf(entry)).collect();
    for _ in 0..LOG_GROUP.min(entries.len().ilog2() as usize) {
        let pairs = layer.as_chunks::<2>().0.iter();
        layer = pairs.map(|[l, r]| poseidon16_compress(l, r)).collect();
    }
    vec![entries.concat(), layer.concat()]
}

/// Value, weight at a point and digest are the native ones, whatever the list says: so the program
/// accepts no other list with a proof than the native verifier.
#[test]
fn claims_of_any_list_are_the_native_ones() {
    let mut random = SmallRng::seed_from_u64(7);
    for hash in Hash::ALL {
        for log_calls in [3, 5, 6] {
            let list = any_list(hash, log_calls, &mut random);
            let (shape, calls) = calls_of(hash, log_calls);
            let mut sample =
                |n: usize| -> Vec<K> { (0..n).map(|_| K::from_repr(random.random())).collect() };
            let (of_calls, of_elements, eta) = (sample(log_calls), sample(LOG_ELEMENTS), sample(1));
            let point = sample(shape.variables());
            let constraints = circuit(hash);
            let native = PublicClaims::new(
                &Statement::Calls(&list),
                &constraints,
                &of_calls,
                &of_elements,
                eta[0],
            );
            let (own_calls, rest) = point.split_at(log_calls);
            let (own_elements, own_rows) = rest.split_at(LOG_ELEMENTS);
            let native_weight = native.evaluate(own_rows, own_calls, own_elements);
            let digest = Block::new(statement(&list).map(Into::into));
            let blocks = |list: &[K]| list.iter().map(|&x| element(x)).collect::<Vec<_>>();
            let found = run(messages(&list), || {
                let entries = calls.read(&shape);
                assert_eq!(entries.digest, digest);
                let claims = calls.claims(
                    &shape,
                    &entries,
                    &blocks(&of_calls),
                    &blocks(&of_elements),
                    element(eta[0]),
                );
                assert_eq!(claims.value, element(native.value));
                let weight = calls.weight(&shape, &entries, &claims, &blocks(&point));
                assert_eq!(weight, element(native_weight));
            });
            assert_eq!(found, Ok(()), "{hash}, 2^{log_calls}");
        }
    }
}

/// Each bit of each input and output, in the first and the last call of a group, changes the sum.
#[test]
fn each_bit_of_an_entry_is_in_the_claim() {
    for hash in Hash::ALL {
        let (shape, calls) = calls_of(hash, 3);
        let zero = vec![0; hash.input_bytes() + hash.output_bytes()];
        let mut sums = BTreeSet::new();
        for call in [0, 7] {
            for bit in 0..8 * zero.len() {
                let mut all = vec![zero.clone(); 8];
                all[call][bit / 8] ^= 1 << (bit % 8);
                let all = all.iter().map(|bytes| bytes.split_at(hash.input_bytes()));
                let list = HashCalls::new(hash, all).unwrap();
                let sum = std::sync::Mutex::new(String::new());
                let found = run(messages(&list), || {
                    let entries = calls.read(&shape);
                    let points = |n: u128| -> Vec<Block> {
                        let all = (0..n).map(|i| K::from_repr((i + n) << 77 | (i * i + 5)));
                        all.map(element).collect()
                    };
                    let (own, of_elements) = (points(3), points(LOG_ELEMENTS as u128));
                    let eta = element(K::from_repr(0x1234_5678_9abc_def0 << 30));
                    let claims = calls.claims(&shape, &entries, &own, &of_elements, eta);
                    let at = points(shape.variables() as u128);
                    calls.weight(&shape, &entries, &claims, &at);
                    *sum.lock().unwrap() = format!("{:?}", claims.entries);
                });
                assert_eq!(found, Ok(()), "{hash}, {bit} of {call}");
                assert!(
                    sums.insert(sum.into_inner().unwrap()),
                    "{hash}, {bit} of {call}"
                );
            }
        }
        assert!(!sums.contains(&format!("{:?}", Block::ZERO)), "{hash}");
    }
}

/// Keys of calls are none of paths, and no two shapes have one.
#[test]
fn no_two_shapes_have_one_key() {
    let mut keys = BTreeSet::new();
    for hash in 0..3 {
        for log_calls in 3..=19 {
            assert!(keys.insert(BinaryShape::from(CallsShape { hash, log_calls }).key()));
        }
        for log_depth in 0..=6 {
            for log_paths in 0..=19 {
                let shape = BinaryShape::from(PathsShape {
                    hash,
                    log_depth,
                    log_paths,
                });
                assert!(keys.insert(shape.key()), "{shape:?}");
            }
        }
    }
}

/// Each lane of the hinted claim and of the nodes is compared with what the entries give.
#[test]
fn each_lane_of_claim_and_nodes_is_compared() {
    let mut random = SmallRng::seed_from_u64(8);
    for hash in Hash::ALL {
        let list = any_list(hash, LOG_GROUP + 1, &mut random);
        let (shape, calls) = calls_of(hash, LOG_GROUP + 1);
        let is_accepted = |hint: usize, block: usize, lane: usize| {
            let change = move |number: usize, read: &mut Hint| {
                if let (true, Hint::Slice(blocks)) = (number == hint, read) {
                    let lane = blocks[block][lane].as_mut().unwrap();
                    // Still a block of an element.
                    *lane = if *lane == F::ZERO {
                        F::ONE
                    } else {
                        *lane - F::ONE
                    };
                }
            };
            let program = || {
                let entries = calls.read(&shape);
                let points = |n: usize| -> Vec<Block> {
                    let all = (0..n as u128).map(|i| K::from_repr(i << 77 | (i * i + 5)));
                    all.map(element).collect()
                };
                let (own, of_elements) = (points(shape.log_calls), points(LOG_ELEMENTS));
                let eta = element(K::from_repr(0x1234_5678_9abc_def0 << 30));
                let claims = calls.claims(&shape, &entries, &own, &of_elements, eta);
                let at = points(shape.variables());
                calls.weight(&shape, &entries, &claims, &at);
            };
            record_changed(&mut Known(messages(&list).into()), change, program).is_ok()
        };
        // There is no fourth hint.
        assert!(is_accepted(3, 0, 0));
        for lane in 0..8 {
            for node in 0..2 {
                assert!(!is_accepted(1, node, lane), "{hash}, node {node}, {lane}");
            }
        }
        for lane in 0..5 {
            assert!(!is_accepted(2, 0, lane), "{hash}, claim, {lane}");
        }
    }
}

/// A list of calls where one of paths is expected and the other way round: of the same hash, with
/// as many calls, whose proofs have the same lengths.
#[test]
fn no_kind_stands_for_the_other() {
    for hash in Hash::ALL {
        let (calls, of_calls, calls_proof) = proved_calls(hash, 8);
        let (paths, of_paths, paths_proof) = proved(hash, 1, 8);
        assert_eq!(of_calls.shape.rounds, of_paths.shape.rounds);
        let lengths = [
            tape(&of_paths, &calls, &calls_proof),
            tape(&of_calls, &paths, &paths_proof),
        ];
        for result in lengths {
            assert!(matches!(result, Err(BinaryTapeError::Length { .. })));
        }
        let proofs = [
            tape(&of_calls, &calls, &paths_proof),
            tape(&of_paths, &paths, &calls_proof),
        ];
        for result in proofs {
            assert!(matches!(result, Err(BinaryTapeError::Rejected { .. })));
        }
        let circuits = [
            BinaryCircuit::new(BinaryShape::of(calls.shape()).unwrap()).unwrap(),
            BinaryCircuit::new(BinaryShape::of(paths.shape()).unwrap()).unwrap(),
        ];
        let refused = [
            circuits[0].tape(&paths, &paths_proof),
            circuits[1].tape(&calls, &calls_proof),
        ];
        for result in refused {
            assert!(matches!(result, Err(BinaryCircuitError::OtherShape { .. })));
        }
        let graph = HashGraph::new(hash);
        for circuit in &circuits {
            let refused = circuit.run(Statement::Graph(&graph), &calls_proof);
            assert!(matches!(refused, Err(BinaryCircuitError::Shape(_))));
        }
        let [one, other] = circuits.map(|circuit| circuit.compiled().program.instructions.clone());
        assert_ne!(one, other);
    }
}

/// A recipe of the other kind, with as many calls, is that of another key.
#[test]
fn recipes_of_the_other_kind_are_refused() {
    for hash in 0..3 {
        let paths = PathsShape {
            hash,
            log_depth: 0,
            log_paths: 3,
        };
        let recipe = |shape: BinaryShape| Recipe {
            children: Children::from(shape),
            settings: WhirSettings::proven_100(),
            heights: Heights::Minimal,
        };
        let calls = CallsShape { hash, log_calls: 3 };
        let recipes = [recipe(calls.into()), recipe(paths.into())];
        let deriver = Deriver::new();
        for [own, other] in [[0, 1], [1, 0]] {
            let (key, bits) = deriver.key(&recipes[own]).unwrap();
            let mut keys = ClaimedKeys::default();
            keys.insert(key, bits, recipes[own].clone());
            deriver.derive(&keys).unwrap();
            let mut keys = ClaimedKeys::default();
            keys.insert(key, bits, recipes[other].clone());
            let refused = deriver.derive(&keys).unwrap_err();
            assert!(matches!(refused, KeysError::Forged { .. }), "{refused}");
        }
    }
}

#[test]
fn lists_of_other_shapes_have_no_leaf() {
    let list = super::calls(Hash::Blake3, 16);
    let of = |log_calls| BinaryCircuit::new(CallsShape { hash: 0, log_calls }).unwrap();
    assert_eq!(
        of(4).leaf(&list).unwrap().key,
        BinaryShape::of(list.shape()).unwrap().key()
    );
    let refused = of(3).leaf(&list).unwrap_err();
    assert!(
        matches!(refused, BinaryCircuitError::OtherShape { .. }),
        "{refused}"
    );
    let graph = HashGraph::new(Hash::Blake3);
    let refused = of(3).leaf(Statement::Graph(&graph)).unwrap_err();
    assert!(matches!(refused, BinaryCircuitError::Shape(_)), "{refused}");
}
