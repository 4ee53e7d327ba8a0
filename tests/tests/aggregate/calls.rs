//! Proofs about calls over GF(2^128) are children like others.

use std::sync::LazyLock;

use droste_binary::{Hash, HashCalls, Poseidon16, Proof, prove};
use droste_verifier::binary::{BinaryCircuit, BinaryCircuitError, statement};
use droste_verifier::circuit::{BinaryShape, CallsShape, Children};
use droste_verifier::keys::{ClaimedKeys, Deriver, KeysError, RecipeError};

use super::paths::is_wrapped_and_joined;
use super::*;

const HASH: Hash = Hash::Blake3;

/// Calls of different inputs.
fn calls(count: u8) -> HashCalls {
    HashCalls::of_inputs(HASH, (0..count).map(|n| [n; 112])).unwrap()
}

/// Eight calls, their proof and its wrap.
static WRAPPED: LazyLock<(HashCalls, Proof<Poseidon16>, BinaryCircuit, Aggregate)> =
    LazyLock::new(|| {
        let calls = calls(8);
        let proof = prove::<Poseidon16>(&calls).unwrap();
        let circuit = BinaryCircuit::new(BinaryShape::of(calls.shape()).unwrap()).unwrap();
        let run = circuit.run(&calls, &proof).unwrap();
        let wrap = aggregator().wrap_run(run).unwrap();
        (calls, proof, circuit, wrap)
    });

#[test]
fn a_proof_about_calls_is_wrapped_and_joined() {
    let (calls, _, circuit, wrap) = &*WRAPPED;
    let leaf = circuit.leaf(calls).unwrap().leaves()[0];
    assert_eq!(leaf, (circuit.binary_shape().key(), statement(calls)));
    is_wrapped_and_joined(wrap, leaf);
    let bits = circuit.bits();
    assert!((100..=103).contains(&bits), "{bits}");
}

/// By the native verifier, and by the program alone.
#[test]
fn other_lists_of_calls_are_refused() {
    let (calls, proof, circuit, _) = &*WRAPPED;
    let mut list: Vec<_> = calls
        .calls()
        .map(|(input, output)| (input.to_vec(), output.to_vec()))
        .collect();
    list[6].1[63] ^= 0x80;
    let other = HashCalls::new(HASH, list).unwrap();
    assert_ne!(statement(&other), statement(calls));
    for other in [other, self::calls(16)] {
        let refused = circuit.run(&other, proof).unwrap_err();
        assert!(
            matches!(refused, BinaryCircuitError::Rejected(_)),
            "{refused}"
        );
        let refused = circuit.tape(&other, proof).unwrap_err();
        let expected = match other.len() {
            8 => matches!(refused, BinaryCircuitError::Tape(_)),
            _ => matches!(refused, BinaryCircuitError::OtherShape { .. }),
        };
        assert!(expected, "{refused}");
    }
}

/// Keys bind hash and number of calls, and recipes with numbers of no shape are refused before
/// anything is computed from them.
#[test]
fn other_recipes_of_calls_are_refused() {
    let (.., circuit, wrap) = &*WRAPPED;
    let shape = circuit.binary_shape();
    assert!(matches!(shape, BinaryShape::Calls(_)), "{shape:?}");
    let with = |hash: u8, log_calls: usize| {
        let changed = CallsShape { hash, log_calls };
        let mut keys = ClaimedKeys::default();
        for (key, listed) in wrap.keys().claimed().iter() {
            let mut recipe = listed.recipe.clone();
            if let Children::Calls(of) = &mut recipe.children {
                *of = changed;
            }
            keys.insert(key, listed.bits, recipe);
        }
        (changed, keys)
    };
    for (hash, log_calls) in [(0, 4), (1, 3)] {
        let (other, keys) = with(hash, log_calls);
        assert_ne!(BinaryShape::from(other).key(), shape.key());
        let refused = Deriver::new().derive(&keys).unwrap_err();
        assert!(matches!(refused, KeysError::Forged { .. }), "{refused}");
    }
    for (hash, log_calls) in [(3, 3), (0, 20), (2, 18), (0, usize::MAX), (0, 2)] {
        let refused = Deriver::new().derive(&with(hash, log_calls).1).unwrap_err();
        let KeysError::Recipe { source, .. } = refused else {
            panic!("{refused}");
        };
        let out_of_range = matches!(
            *source,
            RecipeError::TooLarge { .. } | RecipeError::Malformed { .. }
        );
        assert!(out_of_range, "{source}");
    }
}
