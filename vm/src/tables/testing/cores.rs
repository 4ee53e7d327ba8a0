//! Stands in for the tables that serve tables of calls: it sends them every message that is right,
//! and no other.

use std::collections::BTreeMap;

use droste_air::{blake3, keccak};
use droste_native::F;
use p3_field::PrimeField32;

/// Returns the first of the messages received, if any, that a table on this bus cannot send: all
/// must be correct compressions, states before and after permutations with numbers of their own, or
/// integers in the range of carries.
pub fn refused(bus: &str, messages: &BTreeMap<Vec<u32>, u32>) -> Option<Vec<u32>> {
    let is_true = |message: &[u32], count: u32| match bus {
        "blake3" => is_compression(message).unwrap_or(false),
        "carry_pairs" => message.iter().all(|&carry| is_carry(carry)),
        "keccak_f" => count + 1 == F::ORDER_U32 && is_permutation(message, messages),
        _ => false,
    };
    let refused = messages
        .iter()
        .find(|&(message, &count)| !is_true(message, count));
    refused.map(|(message, _)| message.clone())
}

/// Returns the words of 16-bit limbs, or `None` if a value is no limb.
fn words<const N: usize>(limbs: &[u32]) -> Option<[u32; N]> {
    assert_eq!(limbs.len(), 2 * N);
    limbs
        .iter()
        .all(|&limb| limb < 1 << 16)
        .then(|| std::array::from_fn(|i| limbs[2 * i] | limbs[2 * i + 1] << 16))
}

fn is_compression(message: &[u32]) -> Option<bool> {
    let [low, high] = words(&message[48..52])?;
    let compression = blake3::Compression {
        chaining: words(&message[..16])?,
        message: words(&message[16..48])?,
        counter: u64::from(low) | u64::from(high) << 32,
        block_length: u8::try_from(message[52])
            .ok()
            .filter(|&bytes| bytes < 128)?,
        flags: message[53].try_into().ok()?,
    };
    Some(words(&message[54..])? == compression.output())
}

/// Returns whether this is an integer from -2 to 253 modulo the field's order.
fn is_carry(element: u32) -> bool {
    !(254..F::ORDER_U32 - 2).contains(&element)
}

/// Returns whether a state is the one before or after a permutation, and exactly one other message
/// with its number is the other one.
fn is_permutation(message: &[u32], messages: &BTreeMap<Vec<u32>, u32>) -> bool {
    let of_number = messages.keys().filter(|other| other[0] == message[0]);
    let states: Vec<_> = of_number.map(|state| (state[1], &state[2..])).collect();
    let &[(0, input), (1, output)] = states.as_slice() else {
        return false;
    };
    let input = state(input, 2).map(keccak::permute);
    input.is_some() && input == state(output, 1)
}

/// Returns the state that spread bytes represent, or `None` if a digit exceeds the largest one.
fn state(bytes: &[u32], largest: u32) -> Option<keccak::State> {
    let mut state = [0; 25];
    for (index, &byte) in bytes.iter().enumerate() {
        for bit in 0..8 {
            let digit = byte >> (3 * bit) & 7;
            if digit > largest || byte >> 24 != 0 {
                return None;
            }
            state[index / 8] |= u64::from(digit & 1) << (8 * (index % 8) + bit);
        }
    }
    Some(state)
}

#[test]
fn only_what_is_true_is_answered() {
    let compression = blake3::Compression::default();
    let limbs = compression.output().map(|word| [word & 0xffff, word >> 16]);
    let honest = [&[0; 54], limbs.as_flattened()].concat();
    let is_refused = |message: &[u32]| {
        let messages = BTreeMap::from([(message.to_vec(), F::ORDER_U32 - 1)]);
        refused("blake3", &messages).is_some()
    };
    assert!(!is_refused(&honest));
    for field in 0..honest.len() {
        for change in [1, 1 << 16] {
            let mut message = honest.clone();
            message[field] += change;
            assert!(is_refused(&message), "field {field}");
        }
    }

    let bytes = |state: keccak::State| {
        let bytes = state.map(keccak::bytes::spread_bytes);
        bytes
            .as_flattened()
            .iter()
            .map(F::as_canonical_u32)
            .collect::<Vec<_>>()
    };
    for (pair, expected) in [
        ([0, 253], false),
        ([F::ORDER_U32 - 2, 128], false),
        ([254, 0], true),
        ([0, F::ORDER_U32 - 3], true),
    ] {
        let messages = BTreeMap::from([(pair.to_vec(), 1)]);
        assert_eq!(refused("carry_pairs", &messages).is_some(), expected);
    }

    let change: Vec<_> = bytes([3; 25]);
    let input: Vec<_> = bytes([1; 25])
        .iter()
        .zip(change)
        .map(|(x, y)| x + y)
        .collect();
    let output = bytes(keccak::permute([2; 25]));
    let honest = [[&[7, 0], &*input].concat(), [&[7, 1], &*output].concat()];
    let is_refused = |states: &[Vec<u32>], count: u32| {
        let states = states
            .iter()
            .map(|state| (state.clone(), F::ORDER_U32 - count));
        refused("keccak_f", &states.collect()).is_some()
    };
    assert!(!is_refused(&honest, 1));
    assert!(is_refused(&honest, 2));
    assert!(is_refused(&honest[..1], 1) && is_refused(&honest[1..], 1));
    for state in 0..2 {
        for field in 0..202 {
            let mut states = honest.clone();
            states[state][field] += 1;
            assert!(is_refused(&states, 1), "field {field}");
            // Two states of one number.
            let states = [&honest[..], &states[state..=state]].concat();
            assert!(is_refused(&states, 1), "field {field}");
        }
    }
}
