//! Constraints of the table of calls of the sponge over lanes.

use droste_air::keccak::sponge::{RATE, eval_absorb, output, receive_permutation};
use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::KeccakSpongeCols;
use crate::isa::id;
use crate::tables::digest_chain::{self, eval_chain};
use crate::tables::keccak::{PATH_WORDS, STRIDE, WORDS, eval_call, eval_memory, is_active};
use crate::tables::{LANES, sum};

droste_air::air! {
    /// Calls of the sponge over lanes: `keccak_sponge` and `keccak_sponge_merkle`.
    ///
    /// The permutations themselves are rows of `droste_air::keccak::bytes::BytesTable`.
    pub struct KeccakSpongeCallTable(KeccakSpongeCols as Row), degree = 3, eval = eval(local, next)
}

/// Number of bytes of a lane of the state, and of words that overwrite it.
const LANE_BYTES: usize = 8;
const LANE_WORDS: usize = 2;

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let (call, below) = (&local.call, &next.call);
    let row = digest_chain::Row {
        local: &call.chain,
        next: &below.chain,
        next_lanes: &below.lanes,
        digest: &call.block.digest,
        words: sum(&call.present),
    };
    eval_chain(builder, &row, STRIDE);
    eval_words(builder, local, next);
    eval_block(builder, local);
    eval_absorb(builder, &call.block);
    eval_state(builder, local, next);
    let count = Count::bounded(is_active::<AB>(call), 1);
    receive_permutation(builder, &call.block, &count);
    eval_call(builder, call, [id::KECCAK_SPONGE, id::KECCAK_SPONGE_MERKLE]);
    eval_memory(builder, call, below);
}

/// Constrains `goes_on`, and `present`: present words come first, every row of a call has one, every
/// row of a sponge but the last has all 34, and a row of a path has those of two digests.
///
/// A row without a word would permute the state once more, and so give a call of `34 k` words a
/// second result.
fn eval_words<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let call = &local.call;
    builder.assert_bool(is_active::<AB>(call));
    builder
        .when(call.chain.is_hash)
        .assert_zero(call.chain.index);
    builder.assert_eq(
        local.goes_on,
        call.chain.is_hash * (AB::Expr::ONE - next.call.chain.starts),
    );
    builder.assert_bools(call.present);
    builder.assert_eq(call.present[0], is_active::<AB>(call));
    for pair in call.present.windows(2) {
        builder.assert_zero(pair[1] * (AB::Expr::ONE - pair[0]));
    }
    builder
        .when(local.goes_on)
        .assert_one(call.present[WORDS - 1]);
    let mut path = builder.when::<AB::Expr>(call.chain.is_merkle());
    path.assert_one(call.present[PATH_WORDS - 1]);
    path.assert_zero(call.present[PATH_WORDS]);
    // Lanes of a block that is not read are zero, so that none of these cells is free.
    for (block, lanes) in call.lanes.chunks_exact(LANES).enumerate() {
        for &lane in lanes {
            builder
                .when(AB::Expr::ONE - call.present[LANES / 2 * block])
                .assert_zero(lane);
        }
    }
}

/// Constrains the absorbed block: the present words, then zeros.
fn eval_block<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let call = &local.call;
    for (index, bits) in call.block.absorbed.into_iter().enumerate() {
        let limb: AB::Expr = pack_bits_le(bits.into_iter());
        builder.assert_eq(limb, call.present[index / 2] * call.lanes[index]);
    }
}

/// Constrains the state before absorbing: zero on first rows, on paths and on padding. Inside a
/// sponge it is the output of the row above, where a lane of the rate that the row overwrites is
/// zero, also if only one of its two words is present.
fn eval_state<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let (call, below) = (&local.call, &next.call);
    let carried = call.chain.is_hash * (AB::Expr::ONE - call.chain.starts);
    let mut fresh = builder.when(AB::Expr::ONE - carried);
    for byte in call.block.before {
        fresh.assert_zero(byte);
    }
    let above = output::<_, AB::Expr>(&call.block);
    let mut chain = builder.when(local.goes_on);
    for (index, (byte, above)) in below.block.before.into_iter().zip(above).enumerate() {
        let kept = if index < RATE {
            above * (AB::Expr::ONE - below.present[LANE_WORDS * (index / LANE_BYTES)])
        } else {
            above
        };
        chain.assert_eq(byte, kept);
    }
}
