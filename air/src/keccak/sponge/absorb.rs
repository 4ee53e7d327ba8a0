//! Absorption of one block: columns and constraints that every table of Keccak-256 can use, however
//! it represents its data.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::{Algebra, PrimeCharacteristicRing};
use p3_lookup::{Count, InteractionBuilder};

use super::columns::DIGEST_LIMBS;
use crate::keccak::bytes::{BUS, Input, STATE_BYTES, StateMessage, permutation_of, spread_bytes};
use crate::keccak::{LANES, State};
use crate::limb::bits;
use crate::spread::RADIX;

/// Number of bytes of the rate.
pub const RATE: usize = 136;

/// Number of 16-bit limbs of the rate.
pub const RATE_LIMBS: usize = RATE / 2;

crate::columns! {
    /// A block that is absorbed: 1,729 columns. Bytes of states are spread, and low first.
    pub struct AbsorbCols<T> {
        /// The number of the permutation.
        pub number: T,
        /// Bits of the 16-bit limbs of the block, padding included.
        pub absorbed: [[T; 16]; RATE_LIMBS],
        /// The state before absorbing.
        pub before: [T; STATE_BYTES],
        /// The 16-bit limbs of the digest, which is the first 32 bytes after the permutation.
        pub digest: [T; DIGEST_LIMBS],
        /// Their bits.
        pub bits: [[T; 16]; DIGEST_LIMBS],
        /// The other bytes of the state after the permutation.
        pub output: [T; STATE_BYTES - 2 * DIGEST_LIMBS],
    }
}

impl AbsorbCols<F> {
    /// Fills the columns of a block absorbed into `state` but for the permutation's number, and
    /// returns the state after the permutation.
    pub fn fill(&mut self, block: &[u8; RATE], state: &State) -> State {
        let input = absorb(block, state);
        let output = permutation_of(&input);
        let limb = |state: &State, i: usize| state[i / 4] >> (16 * (i % 4));
        self.absorbed = std::array::from_fn(|i| bits(limb(&input[1], i)));
        self.before = bytes(state);
        self.output
            .copy_from_slice(&bytes(&output)[2 * DIGEST_LIMBS..]);
        self.bits = std::array::from_fn(|i| bits(limb(&output, i)));
        self.digest = std::array::from_fn(|i| F::from_u16(limb(&output, i) as u16));
        output
    }
}

/// The spread bytes of a state.
fn bytes(state: &State) -> [F; STATE_BYTES] {
    let lanes = state.map(spread_bytes);
    std::array::from_fn(|i| lanes.as_flattened()[i])
}

/// The input of the permutation: a state, and what is exclusive-ored into it.
pub fn absorb(block: &[u8; RATE], state: &State) -> Input {
    let mut lanes = [0; LANES];
    for (lane, bytes) in lanes.iter_mut().zip(block.as_chunks().0) {
        *lane = u64::from_le_bytes(*bytes);
    }
    [*state, lanes]
}

/// The bytes of the state after the permutation.
pub fn output<V: Copy + Into<E>, E: Algebra<F>>(columns: &AbsorbCols<V>) -> [E; STATE_BYTES] {
    std::array::from_fn(|byte| match byte.checked_sub(2 * DIGEST_LIMBS) {
        None => spread_byte(&columns.bits, byte),
        Some(rest) => columns.output[rest].into(),
    })
}

/// A spread byte of limbs, which are given by their bits.
fn spread_byte<V: Copy + Into<E>, E: Algebra<F>>(limbs: &[[V; 16]], byte: usize) -> E {
    let bits = limbs[byte / 2][8 * (byte % 2)..][..8].iter();
    let terms = bits
        .zip(0..)
        .map(|(&bit, i)| bit.into() * F::from_u32(RADIX.pow(i)));
    terms.sum()
}

/// Constrains bits to be boolean, and limbs of the digest to have theirs, with degree 2. The table
/// must constrain the content of the block.
pub fn eval_absorb<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &AbsorbCols<AB::Var>) {
    for bits in columns.absorbed.iter().chain(&columns.bits) {
        builder.assert_bools(*bits);
    }
    for (bits, &limb) in columns.bits.iter().zip(&columns.digest) {
        builder.assert_eq(pack_bits_le::<AB::Expr, _, _>(bits.iter().copied()), limb);
    }
}

/// Constrains the state before absorbing: where `starts` is one, it is zero; where `goes_on` is
/// one, the next row's is the output of this row. The degree is one more than that of the flags.
pub fn eval_state<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    local: &AbsorbCols<AB::Var>,
    next: &AbsorbCols<AB::Var>,
    starts: AB::Expr,
    goes_on: AB::Expr,
) {
    let mut fresh = builder.when(starts);
    for byte in local.before {
        fresh.assert_zero(byte);
    }
    let mut chain = builder.when(goes_on);
    for (byte, output) in next.before.into_iter().zip(output::<_, AB::Expr>(local)) {
        chain.assert_eq(byte, output);
    }
}

/// Receives the states before and after the permutation of the state after absorbing, `count` times
/// each, from [`BytesTable`](crate::keccak::bytes::BytesTable).
///
/// What is absorbed and the state before are spread bytes: bits, or zeros, or the output of another
/// permutation. So the digits of their sums are 0 to 2, as they must be.
pub fn receive_permutation<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    columns: &AbsorbCols<AB::Var>,
    count: &Count<AB::Expr>,
) {
    let input = std::array::from_fn(|byte| {
        let before: AB::Expr = columns.before[byte].into();
        if byte < RATE {
            before + spread_byte(&columns.absorbed, byte)
        } else {
            before
        }
    });
    let states = [(AB::Expr::ZERO, input), (AB::Expr::ONE, output(columns))];
    for (is_output, bytes) in states {
        let number = columns.number.into();
        let message = StateMessage {
            number,
            is_output,
            bytes,
        };
        BUS.receive(builder, message.into_fields(), count.clone());
    }
}
