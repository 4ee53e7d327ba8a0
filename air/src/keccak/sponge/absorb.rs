//! Absorption of one block: columns and constraints that every table of Keccak-256 can use, however
//! it represents its data.

use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use crate::keccak::{BUS, LANES, LIMBS, PermutationMessage, State, limbs, permute};
use crate::limb::bits;

/// Number of bytes of the rate.
pub const RATE: usize = 136;

/// Number of 16-bit limbs of the rate.
pub const RATE_LIMBS: usize = RATE / 2;

/// Number of 16-bit limbs of the capacity.
pub const CAPACITY_LIMBS: usize = LANES * LIMBS - RATE_LIMBS;

crate::columns! {
    /// A block that is absorbed: 2,308 columns.
    pub struct AbsorbCols<T> {
        /// Bits of the limbs of the block, padding included.
        pub absorbed: [[T; 16]; RATE_LIMBS],
        /// Bits of the limbs of the rate before absorbing.
        pub rate: [[T; 16]; RATE_LIMBS],
        /// The limbs of the capacity.
        pub capacity: [T; CAPACITY_LIMBS],
        /// The limbs of the state after the permutation.
        pub output: [T; LANES * LIMBS],
    }
}

impl AbsorbCols<F> {
    /// Fills the columns of a block absorbed into `state`, and returns the state after the
    /// permutation.
    pub fn fill(&mut self, block: &[u8; RATE], state: &State) -> State {
        let output = permute(absorb(block, state));
        let block = lanes(block);
        let limb = |state: &State, i: usize| bits(state[i / LIMBS] >> (16 * (i % LIMBS)));
        self.absorbed = std::array::from_fn(|i| limb(&block, i));
        self.rate = std::array::from_fn(|i| limb(state, i));
        self.capacity
            .copy_from_slice(&state.map(limbs).as_flattened()[RATE_LIMBS..]);
        self.output
            .copy_from_slice(output.map(limbs).as_flattened());
        output
    }
}

/// The lanes of a block.
fn lanes(block: &[u8; RATE]) -> State {
    let mut state = [0; LANES];
    for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
        *lane = u64::from_le_bytes(*bytes);
    }
    state
}

/// The input of the permutation: `state` with a block exclusive-ored into its rate.
pub fn absorb(block: &[u8; RATE], state: &State) -> State {
    let block = lanes(block);
    std::array::from_fn(|lane| block[lane] ^ state[lane])
}

/// Constrains bits to be boolean, with degree 2. The table must constrain the content of the block.
pub fn eval_absorb<AB: AirBuilder<F = F>>(builder: &mut AB, columns: &AbsorbCols<AB::Var>) {
    for bits in columns.absorbed.iter().chain(&columns.rate) {
        builder.assert_bools(*bits);
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
    for limb in state::<AB>(local) {
        fresh.assert_zero(limb);
    }
    let mut chain = builder.when(goes_on);
    for (limb, &output) in state::<AB>(next).zip(&local.output) {
        chain.assert_eq(limb, output);
    }
}

/// The limbs of the state before absorbing.
fn state<AB: AirBuilder<F = F>>(columns: &AbsorbCols<AB::Var>) -> impl Iterator<Item = AB::Expr> {
    let rate = columns.rate.iter();
    let rate = rate.map(|bits| pack_bits_le(bits.iter().copied()));
    rate.chain(columns.capacity.iter().map(|&limb| limb.into()))
}

/// Receives the permutation of the state after absorbing, `count` times, from
/// [`KeccakTable`](crate::keccak::KeccakTable) or another table that sends on its bus.
pub fn receive_permutation<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    columns: &AbsorbCols<AB::Var>,
    count: Count<AB::Expr>,
) {
    let exclusive_or = |limb: usize| -> AB::Expr {
        let pairs = columns.absorbed[limb].iter().zip(&columns.rate[limb]);
        let bits = pairs.enumerate().map(|(i, (&x, &y))| {
            let weight = F::from_u64(1 << i);
            x * weight + y * weight - x * y * weight.double()
        });
        bits.sum()
    };
    let message = PermutationMessage {
        input: std::array::from_fn(|limb| match limb.checked_sub(RATE_LIMBS) {
            None => exclusive_or(limb),
            Some(limb) => columns.capacity[limb].into(),
        }),
        output: columns.output.map(Into::into),
    };
    BUS.receive(builder, message.into_fields(), count);
}
