//! The states and the lookups of a round over bytes.
//!
//! Everything here is linear in the cells, over any ring: constraints evaluate it on expressions,
//! the trace generator on values.

use std::array::from_fn;

use droste_native::F;
use droste_native::hash::keccak::{ROTATIONS, ROUND_CONSTANTS};
use p3_field::{Algebra, PrimeCharacteristicRing};

use super::columns::{BytesCols, IOTA_BYTES, LANE_BYTES, SPLIT_LANES};
use crate::keccak::columns::LANES;
use crate::spread::{RADIX, SpreadMessage, spread};

/// Number of lookups of a row of a round: those of theta for columns and for lanes, and those of
/// chi and iota.
pub const LOOKUPS: usize = 2 * 5 * LANE_BYTES + 2 * LANES * LANE_BYTES + IOTA_BYTES.len();

/// A lane as spread bytes, low first.
pub(super) type Lane<E> = [E; LANE_BYTES];

/// The weight of bit `bits` of a spread byte.
fn weight(bits: usize) -> F {
    F::from_u32(RADIX.pow(bits as u32))
}

fn lane<V: Copy + Into<E>, E>(cells: &[V; LANE_BYTES]) -> Lane<E> {
    cells.map(Into::into)
}

/// By how many bytes and bits rho rotates a lane.
pub(super) fn rotation(lane: usize) -> [usize; 2] {
    let rotation = ROTATIONS[lane] as usize;
    [rotation / 8, rotation % 8]
}

/// The high and the low parts of the bytes of a lane after theta. Where rho does not split bytes,
/// the low parts are all of them.
pub(super) fn parts<V: Copy + Into<E>, E: Algebra<F>>(
    row: &BytesCols<V>,
    index: usize,
) -> [Lane<E>; 2] {
    let split = SPLIT_LANES.iter().position(|&split| split == index);
    let high = match split {
        Some(split) => lane(&row.a_high[split]),
        None => [const { E::ZERO }; LANE_BYTES],
    };
    [high, lane(&row.a_low[index])]
}

/// The state after theta.
pub(super) fn after_theta<V: Copy + Into<E>, E: Algebra<F>>(
    row: &BytesCols<V>,
) -> [Lane<E>; LANES] {
    from_fn(|index| {
        let [high, low] = parts::<V, E>(row, index);
        let [_, bits] = rotation(index);
        from_fn(|i| match bits {
            0 => low[i].dup(),
            _ => high[i].dup() * weight(8 - bits) + low[i].dup(),
        })
    })
}

/// The state after rho and pi.
pub(super) fn after_pi<V: Copy + Into<E>, E: Algebra<F>>(row: &BytesCols<V>) -> [Lane<E>; LANES] {
    from_fn(|index| {
        let (x, y) = (index % 5, index / 5);
        let from = (x + 3 * y) % 5 + 5 * x;
        let [high, low] = parts::<V, E>(row, from);
        let [bytes, bits] = rotation(from);
        let at = |i: usize| (i + 2 * LANE_BYTES - bytes) % LANE_BYTES;
        from_fn(|i| match bits {
            0 => low[at(i)].dup(),
            _ => low[at(i)].dup() * weight(bits) + high[at(i + LANE_BYTES - 1)].dup(),
        })
    })
}

/// The state after chi, but for carries: the digits of its bytes are 0 to 2, and the lowest bits of
/// the digits are the state. On a row of an input, these are the digits of the input.
pub(super) fn after_chi<V: Copy + Into<E>, E: Algebra<F>>(row: &BytesCols<V>) -> [Lane<E>; LANES] {
    let b = after_pi::<V, E>(row);
    from_fn(|index| from_fn(|i| b[index][i].dup() + row.chi[index][i].into()))
}

/// A byte of the constant of the row's round.
fn constant<V: Copy + Into<E>, E: Algebra<F>>(row: &BytesCols<V>, byte: usize) -> E {
    let constants = ROUND_CONSTANTS.iter().zip(&row.steps[1..]);
    let bytes = constants.map(|(constant, &step)| (constant.to_le_bytes()[byte], step));
    let terms = bytes.filter(|&(byte, _)| byte != 0);
    terms
        .map(|(byte, step)| step.into() * F::from_u32(spread(byte)))
        .sum()
}

/// The bytes of `C[x]`, and those of it rotated by one bit.
pub(super) fn parity<V: Copy + Into<E>, E: Algebra<F>>(
    row: &BytesCols<V>,
    x: usize,
) -> [Lane<E>; 2] {
    let parts = &row.c[x % 5];
    let byte = |i: usize| parts[i].high.into() * weight(7) + parts[i].low.into();
    let rotated = |i: usize| {
        let below = &parts[(i + LANE_BYTES - 1) % LANE_BYTES];
        parts[i].low.into() * weight(1) + below.high.into()
    };
    [from_fn(byte), from_fn(rotated)]
}

/// A lookup of a row.
pub(super) struct Lookup<E> {
    pub message: SpreadMessage<E>,
    /// Whether only rows of rounds look it up.
    pub of_rounds: bool,
}

/// Calls `visit` with each lookup of the row `local`, which the row `next` follows.
pub(super) fn lookups<V: Copy + Into<E>, E: Algebra<F>>(
    local: &BytesCols<V>,
    next: &BytesCols<V>,
    mut visit: impl FnMut(Lookup<E>),
) {
    let always = |message| Lookup {
        message,
        of_rounds: false,
    };
    let in_rounds = |message| Lookup {
        message,
        of_rounds: true,
    };
    // The parity of A' is that of A, exclusive or five times D. So with C and D, and A' of a
    // column, the digits of the sum are even just if C is the parity of A. They are 7 at most.
    let a = after_theta::<V, E>(local);
    for x in 0..5 {
        let [c, _] = parity::<V, E>(local, x);
        let [[left, _], [_, right]] = [parity::<V, E>(local, x + 4), parity::<V, E>(local, x + 1)];
        for i in 0..LANE_BYTES {
            let d: E = local.d[x][i].into();
            let column = (0..5).map(|y| a[x + 5 * y][i].dup());
            let sum = column.sum::<E>() + c[i].dup() + d.dup();
            visit(in_rounds(SpreadMessage::digits(sum.halve())));
            visit(always(SpreadMessage::xor(left[i].dup(), right[i].dup(), d)));
        }
    }
    let b = after_pi::<V, E>(local);
    let ones = F::from_u32(spread(u8::MAX));
    for index in 0..LANES {
        let (x, row) = (index % 5, index - index % 5);
        let [not, and] = [1, 2].map(|offset| &b[row + (x + offset) % 5]);
        for i in 0..LANE_BYTES {
            let sum = and[i].dup() - not[i].dup() + ones;
            let carry = SpreadMessage::carry(sum, local.chi[index][i].into());
            visit(in_rounds(carry));
        }
    }
    let mut state = after_chi::<V, E>(local);
    for (&i, &iota) in IOTA_BYTES.iter().zip(&local.iota) {
        let sum = state[0][i].dup() + constant(local, i);
        state[0][i] = iota.into();
        let parts = [E::ZERO, state[0][i].dup()];
        visit(always(SpreadMessage::sum(8, sum, parts)));
    }
    for (index, lane) in state.into_iter().enumerate() {
        let [high, low] = parts::<V, E>(next, index);
        let [_, bits] = rotation(index);
        for (i, (byte, parts)) in lane.into_iter().zip(high.into_iter().zip(low)).enumerate() {
            let sum = byte + next.d[index % 5][i].into();
            visit(always(SpreadMessage::sum(8 - bits, sum, parts.into())));
        }
    }
}
