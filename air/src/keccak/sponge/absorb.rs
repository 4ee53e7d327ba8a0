//! Absorption of one block: columns and constraints that every table of Keccak-256 can use, however
//! it represents its data.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::DIGEST_LIMBS;
use crate::keccak::bytes::{
    BUS, Input, STATE_BYTES, StateMessage, permutation_of, spread_bytes,
};
use crate::keccak::{LANES, State};
use crate::limb::bits;
use crate::spread::spread_bits;

/// Number of bytes of the rate.
pub const RATE: usize = 136;

/// Number of 16-bit limbs of the rate.
pub const RATE_LIMBS: usize = RATE / 2;

crate::columns! {
    /// A block that is absorbed: 1,761 columns. Bytes of states are spread, and low first.
    pub struct AbsorbCols<T> {
        /// The number of the permutation.
        pub number: T,
        /// Bits of the 16-bit limbs of the block, padding included.
        pub absorbed: [[T; 16]; RATE_LIMBS],
        /// The state before absorbing.
        pub before: [T; STATE_BYTES],
        /// The state after the permutation.
        pub output: [T; STATE_BYTES],
        /// Bits of the limbs of the digest, with which the output begins.
        pub bits: [[T; 16]; DIGEST_LIMBS],
        /// The limbs of the digest.
        pub digest: [T; DIGEST_LIMBS],
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
        self.output = bytes(&output);
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

/// Constrains bits to be boolean, and the output to begin with the digest, with degree 2. The table
/// must constrain the content of the block.
pub fn eval_absorb<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &AbsorbCols<AB::Var>) {
    for bits in columns.absorbed.iter().chain(&columns.bits) {
        builder.assert_bools(*bits);
    }
    let bytes = columns.output.chunks_exact(2);
    for ((bits, &limb), bytes) in columns.bits.iter().zip(&columns.digest).zip(bytes) {
        builder.assert_eq(pack_bits_le::<AB::Expr, _, _>(bits.iter().copied()), limb);
        for (bits, &byte) in bits.chunks_exact(8).zip(bytes) {
            builder.assert_eq(spread_bits::<AB>(bits), byte);
        }
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
    for (byte, output) in next.before.into_iter().zip(local.output) {
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
    let input = |byte: usize| -> AB::Expr {
        let before: AB::Expr = columns.before[byte].into();
        match columns.absorbed.as_flattened().chunks_exact(8).nth(byte) {
            Some(bits) => before + spread_bits::<AB>(bits),
            None => before,
        }
    };
    let output = |byte: usize| columns.output[byte].into();
    let states: [(_, &dyn Fn(usize) -> AB::Expr); 2] =
        [(AB::Expr::ZERO, &input), (AB::Expr::ONE, &output)];
    for (is_output, byte) in states {
        let message = StateMessage {
            number: columns.number.into(),
            is_output,
            bytes: std::array::from_fn(byte),
        };
        BUS.receive(builder, message.into_fields(), count.clone());
    }
}
