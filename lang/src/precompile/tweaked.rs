//! Tweaked hashes in Poseidon-16: Winternitz chains and Merkle paths; and the low bits of elements.

use droste_native::precompile::{
    MAX_PAIRS, MAX_TWEAKED_LEVELS, NODE_LANES, low_24_bits, poseidon16_tweaked_root,
    poseidon16_winternitz,
};
use p3_field::PrimeField32;

use super::Operand::{A, B, C, D, E};
use super::digest::merkle_rows;
use super::{Function, Integers, Output, Parameter, Precompile, Refusal, any};

/// `poseidon16_winternitz(A, B, C, D, E)` walks D pairs of chains, E steps in all, from the values
/// in the blocks from A on. The public parameter is at B, the digits at `B + 1`, and the first
/// state at `B + 2`. It writes the state after each pair from C on.
pub const POSEIDON16_WINTERNITZ: Precompile = Precompile {
    name: "poseidon16_winternitz",
    identity: 20,
    functions: &[Function {
        name: "poseidon16_winternitz",
        parameters: &[
            Parameter::Slice(A, |[pairs, ..]| pairs),
            Parameter::Slice(B, |_| 3),
            Parameter::Integer(D),
            Parameter::Integer(E),
        ],
        check: check_pairs,
        output: Output::Slice(C, |[pairs, ..]| pairs),
    }],
    is_total: false,
    run: |call| {
        let pairs = call.value(D)?.as_canonical_u32();
        if !(1..=MAX_PAIRS as u32).contains(&pairs) {
            return Err(call.refuse(format!("{pairs} pairs, 1 to {MAX_PAIRS} are possible")));
        }
        let starts = call.read_all(A, pairs)?;
        let context = call.read_all(B, 3)?;
        let [parameter, digits, first] = context.as_slice() else {
            return Err(call.refuse("a context of other than 3 blocks".into()));
        };
        let states = poseidon16_winternitz(&starts, parameter, digits, first, call.immediate());
        let states = call.solved(states)?;
        call.write_all(C, states)
    },
    rows: |call| {
        let counts = [call.d, call.e].map(|count| count.as_canonical_u32());
        counts.map(u64::from).iter().sum()
    },
};

/// `poseidon16_tweaked_path(A, B, C, D, E)` asserts that E levels lead from the first half of the
/// block at D to the first half of the block at A, whose second half is the public parameter. The
/// tweaks are in the blocks from B on, the children from C on.
pub const POSEIDON16_TWEAKED_PATH: Precompile = Precompile {
    name: "poseidon16_tweaked_path",
    identity: 21,
    functions: &[Function {
        name: "assert_poseidon16_tweaked_path",
        parameters: &[
            Parameter::Block(A),
            Parameter::Block(D),
            Parameter::Slice(B, |[levels, ..]| levels),
            Parameter::Slice(C, |[levels, ..]| levels),
            Parameter::Integer(E),
        ],
        check: check_levels,
        output: Output::Nothing,
    }],
    is_total: false,
    run: |call| {
        let levels = call.immediate();
        if !(1..=MAX_TWEAKED_LEVELS as u32).contains(&levels) {
            let most = MAX_TWEAKED_LEVELS;
            return Err(call.refuse(format!("{levels} levels, 1 to {most} are possible")));
        }
        let (key, leaf) = (call.read(A)?, call.read(D)?);
        let (tweaks, children) = (call.read_all(B, levels)?, call.read_all(C, levels)?);
        let [.., p0, p1, p2, p3] = key;
        let root = poseidon16_tweaked_root(&leaf, [p0, p1, p2, p3], &tweaks, &children);
        let root = call.solved(root)?;
        if key[..NODE_LANES] != root {
            return Err(call.refuse("the path leads to another root".into()));
        }
        Ok(())
    },
    rows: merkle_rows,
};

/// `low_24_bits(A, B, _, _, _)` asserts that A is not `p - 1`, and that B is the low 24 bits of its
/// canonical integer.
pub const LOW_24_BITS: Precompile = Precompile {
    name: "low_24_bits",
    identity: 22,
    functions: &[Function {
        name: "assert_low_24_bits",
        parameters: &[Parameter::Felt(A), Parameter::Felt(B)],
        check: any,
        output: Output::Nothing,
    }],
    is_total: false,
    run: |call| {
        let low = call.solved(low_24_bits(call.value(A)?))?;
        call.assign(B, low)
    },
    rows: |_| 1,
};

fn check_pairs([pairs, steps, _]: Integers) -> Result<(), Refusal> {
    // Two chains of a pair have seven steps each at most.
    Refusal::unless(
        (1..=MAX_PAIRS as u64).contains(&pairs) && steps <= 14 * pairs,
        || format!("{pairs} pairs of chains cannot take {steps} steps"),
        "1 to 24 pairs are possible, with at most 14 steps each",
    )
}

fn check_levels([levels, ..]: Integers) -> Result<(), Refusal> {
    Refusal::unless(
        (1..=MAX_TWEAKED_LEVELS as u64).contains(&levels),
        || format!("the number of levels must be 1 to {MAX_TWEAKED_LEVELS}, not {levels}"),
        "a path without levels is its leaf",
    )
}
