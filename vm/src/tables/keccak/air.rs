//! Constraints of the table of Keccak calls.

use droste_air::keccak::sponge::{RATE_LIMBS, eval_absorb, eval_state, receive_permutation};
use droste_native::F;
use p3_air::AirBuilder;
use p3_air::utils::pack_bits_le;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::{self, KeccakCallCols, WORDS};
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::digest_chain::{
    self, Stride, eval_chain, lookup_digest, merkle_operands, reads,
};
use crate::tables::{LANES, sum};

droste_air::air! {
    /// Calls of Keccak-256: `keccak_hash` and `keccak_merkle`.
    ///
    /// The permutations themselves are rows of `droste_air::keccak::bytes::BytesTable`.
    pub struct KeccakCallTable(KeccakCallCols as Row), degree = 3, eval = eval(local, next)
}

/// A row of `hash` absorbs one rate block.
pub(in crate::tables) const STRIDE: Stride = Stride {
    words: WORDS,
    blocks: columns::STRIDE,
};

/// Number of words of two digests, which a row of a path hashes.
pub(in crate::tables) const PATH_WORDS: usize = 16;

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let row = digest_chain::Row {
        local: &local.chain,
        next: &next.chain,
        next_lanes: &next.lanes,
        digest: &local.block.digest,
        words: sum(&local.present),
    };
    eval_chain(builder, &row, STRIDE);
    eval_words(builder, local, next);
    eval_block(builder, local);
    eval_absorb(builder, &local.block);
    // The state before the permutation: zero on first rows and on paths, otherwise the output
    // of the row above.
    let carried = local.chain.is_hash * (AB::Expr::ONE - local.chain.starts);
    let goes_on = local.chain.is_hash * (AB::Expr::ONE - next.chain.starts);
    let (block, below) = (&local.block, &next.block);
    eval_state(builder, block, below, AB::Expr::ONE - carried, goes_on);
    let count = Count::bounded(is_active::<AB>(local), 1);
    receive_permutation(builder, &local.block, &count);
    eval_call(builder, local, [id::KECCAK_HASH, id::KECCAK_MERKLE]);
    eval_memory(builder, local, next);
}

/// Returns one on a row of a call, zero on padding.
pub(in crate::tables) fn is_active<AB: AirBuilder<F = F>>(
    row: &KeccakCallCols<AB::Var>,
) -> AB::Expr {
    let merkle: AB::Expr = row.chain.is_merkle();
    merkle + row.chain.is_hash
}

/// Constrains `present`: present words come first, every row of a hash but the last has all 34, the
/// last has fewer, and a row of a path has those of two digests.
fn eval_words<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    builder.assert_bool(is_active::<AB>(local));
    builder
        .when(local.chain.is_hash)
        .assert_zero(local.chain.index);
    builder.assert_bools(local.present);
    builder
        .when(local.present[0])
        .assert_one(is_active::<AB>(local));
    for pair in local.present.windows(2) {
        builder.assert_zero(pair[1] * (AB::Expr::ONE - pair[0]));
    }
    builder.assert_eq(
        local.present[WORDS - 1],
        local.chain.is_hash * (AB::Expr::ONE - next.chain.starts),
    );
    let mut path = builder.when::<AB::Expr>(local.chain.is_merkle());
    path.assert_one(local.present[PATH_WORDS - 1]);
    path.assert_zero(local.present[PATH_WORDS]);
    // Lanes of a block that is not read are zero, so that none of these cells is free.
    for (block, lanes) in local.lanes.chunks_exact(LANES).enumerate() {
        for &lane in lanes {
            builder
                .when(AB::Expr::ONE - local.present[LANES / 2 * block])
                .assert_zero(lane);
        }
    }
}

/// Constrains the absorbed block: the present words and, on the last row of a hash and on a path,
/// the padding, which is 0x01 after the last word and 0x80 in the block's last byte.
fn eval_block<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let mut before = is_active::<AB>(local);
    for word in 0..WORDS {
        let present: AB::Expr = local.present[word].into();
        let begins_padding = before - present.clone();
        let low = present.clone() * local.lanes[2 * word] + begins_padding;
        let mut high = present.clone() * local.lanes[2 * word + 1];
        if word == WORDS - 1 {
            high += (is_active::<AB>(local) - present.clone()) * F::from_u16(0x8000);
        }
        for (limb, value) in [low, high].into_iter().enumerate() {
            let bits = local.block.absorbed[2 * word + limb];
            builder.assert_eq(pack_bits_le::<AB::Expr, _, _>(bits.into_iter()), value);
        }
        before = present;
    }
}

/// Receives the call, of a hash or a path with one of these identities, on its first row.
pub(in crate::tables) fn eval_call<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &KeccakCallCols<AB::Var>,
    [hash, path]: [u32; 2],
) {
    let chain = &local.chain;
    let merkle: AB::Expr = chain.is_merkle();
    let [a, b, c, d] = merkle_operands::<AB>(chain);
    let call = CallMessage {
        id: chain.is_hash * F::from_u32(hash) + merkle * F::from_u32(path),
        a: a + chain.is_hash * chain.low_address,
        b,
        c: c + chain.is_hash * chain.out_address,
        d,
        e: chain.remaining.into(),
    };
    bus::receive_call(builder, call, is_active::<AB>(local) * chain.starts);
}

/// Looks up the blocks that the row reads, and the result on the call's last row.
pub(in crate::tables) fn eval_memory<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &KeccakCallCols<AB::Var>,
    next: &KeccakCallCols<AB::Var>,
) {
    let chain = &local.chain;
    let merkle_reads = reads::<AB>(chain);
    for (block, lanes) in local.lanes.chunks_exact(LANES).enumerate() {
        let half = block / 2;
        let address = if half == 1 {
            chain.high_address + F::from_usize(block - 2)
        } else {
            chain.low_address + F::from_usize(block)
        };
        let mut count = chain.is_hash * local.present[LANES / 2 * block];
        if let Some(read) = merkle_reads.get(half) {
            count += read.clone();
        }
        let lanes = std::array::from_fn(|lane| lanes[lane]);
        bus::lookup_block(builder, address, lanes, count);
    }
    let ends = is_active::<AB>(local) * next.chain.starts;
    lookup_digest(builder, chain.out_address, &local.block.digest, ends);
    const _: () = assert!(RATE_LIMBS <= 8 * columns::BLOCKS);
}
