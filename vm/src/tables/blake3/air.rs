//! Constraints of the table of Blake3 calls.

use droste_air::blake3::{BUS, CHUNK_END, CHUNK_START, CompressionMessage, IV, PARENT, ROOT};
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::{Blake3CallCols, WORDS};
use crate::isa::id;
use crate::tables::bus::{self, CallMessage};
use crate::tables::digest_chain::{
    self, Stride, eval_chain, lookup_digest, merkle_operands, reads,
};
use crate::tables::{LANES, sum};

droste_air::air! {
    /// Calls of Blake3: `blake3_chunk`, `blake3_parent` and `blake3_merkle`.
    ///
    /// The compressions themselves are rows of `droste_air::blake3::Blake3Table`.
    pub struct Blake3CallTable(Blake3CallCols as Row), degree = 3, eval = eval(local, next)
}

/// A row of `chunk` hashes 16 words, which are four blocks of limbs.
const STRIDE: Stride = Stride {
    words: WORDS,
    blocks: 4,
};

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let row = digest_chain::Row {
        local: &local.chain,
        next: &next.chain,
        next_lanes: &next.lanes,
        digest: &local.output,
        words: sum(&local.present),
    };
    eval_chain(builder, &row, STRIDE);
    eval_modes(builder, local, next);
    eval_words(builder, local, next);
    eval_compression(builder, local, next);
    eval_call(builder, local);
    eval_memory(builder, local, next);
}

fn is_active<AB: AirBuilder<F = F>>(row: &Row<AB>) -> AB::Expr {
    let merkle: AB::Expr = row.chain.is_merkle();
    merkle + row.chain.is_hash + row.is_parent
}

/// Constrains the modes: at most one is on, columns that a mode does not use are zero, and a chunk
/// has one counter and one root flag.
fn eval_modes<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let merkle: AB::Expr = local.chain.is_merkle();
    builder.assert_bools([local.is_parent, local.is_root]);
    builder.assert_bool(is_active::<AB>(local));
    builder.when(merkle).assert_zero(local.is_root);
    builder.when(local.is_parent).assert_zero(local.chain.index);
    builder
        .when(local.is_parent)
        .assert_eq(local.chain.remaining, local.is_root);
    let mut chunk = builder.when(local.chain.is_hash * (AB::Expr::ONE - next.chain.starts));
    chunk.assert_eq(next.is_root, local.is_root);
    chunk.assert_eq(next.chain.index, local.chain.index);
}

/// Constrains `present`: present words come first, every active row has at least one, and every row
/// of a chunk but the last has all 16.
fn eval_words<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let merkle: AB::Expr = local.chain.is_merkle();
    builder.assert_bools(local.present);
    builder.assert_eq(local.present[0], is_active::<AB>(local));
    for pair in local.present.windows(2) {
        builder.assert_zero(pair[1] * (AB::Expr::ONE - pair[0]));
    }
    let goes_on = AB::Expr::ONE - next.chain.starts;
    let full = merkle + local.is_parent + local.chain.is_hash * goes_on;
    builder.when(full).assert_one(local.present[WORDS - 1]);
    // Lanes of a block that is not read are zero, so that none of these cells is free.
    for (block, lanes) in local.lanes.chunks_exact(LANES).enumerate() {
        for &lane in lanes {
            builder
                .when(AB::Expr::ONE - local.present[LANES / 2 * block])
                .assert_zero(lane);
        }
    }
}

/// Constrains chaining value and flags, and receives the compression.
fn eval_compression<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Row<AB>,
    next: &Row<AB>,
) {
    let merkle: AB::Expr = local.chain.is_merkle();
    let chunk = local.chain.is_hash;
    let carried = chunk * (AB::Expr::ONE - local.chain.starts);
    for (limb, &chaining) in local.chaining.iter().enumerate() {
        let iv = F::from_u32(IV[limb / 2] >> (16 * (limb % 2)) & 0xffff);
        builder
            .when(AB::Expr::ONE - carried.clone())
            .assert_eq(chaining, AB::Expr::from(iv));
    }
    let mut chain = builder.when(chunk * (AB::Expr::ONE - next.chain.starts));
    for (&chaining, &output) in next.chaining.iter().zip(&local.output) {
        chain.assert_eq(chaining, output);
    }

    let [start, end, parent, root] =
        [CHUNK_START, CHUNK_END, PARENT, ROOT].map(|flag| AB::Expr::from(F::from_u8(flag)));
    let root_flag = root.clone() * local.is_root;
    let flags = chunk * local.chain.starts * start.clone()
        + chunk * next.chain.starts * (end.clone() + root_flag.clone())
        + (parent + root_flag) * local.is_parent
        + (start + end + root) * merkle;
    builder.assert_eq(local.flags, flags);

    let zero = AB::Expr::ZERO;
    let counter = chunk * local.chain.index;
    let message = CompressionMessage {
        chaining: local.chaining.map(Into::into),
        message: std::array::from_fn(|lane| local.present[lane / 2] * local.lanes[lane]),
        counter: [counter, zero.clone(), zero.clone(), zero],
        block_length: sum::<AB::Expr, _>(&local.present) * F::from_u8(4),
        flags: local.flags.into(),
        output: local.output.map(Into::into),
    };
    let count = Count::bounded(is_active::<AB>(local), 1);
    BUS.receive(builder, message.into_fields(), count);
}

/// Receives the call on its first row.
fn eval_call<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let chain = &local.chain;
    let merkle: AB::Expr = chain.is_merkle();
    let [a, b, c, d] = merkle_operands::<AB>(chain);
    let data = chain.is_hash + local.is_parent;
    let call = CallMessage {
        id: chain.is_hash * F::from_u32(id::BLAKE3_CHUNK)
            + local.is_parent * F::from_u32(id::BLAKE3_PARENT)
            + merkle * F::from_u32(id::BLAKE3_MERKLE),
        a: a + data.clone() * chain.low_address,
        b: b + chain.is_hash * (chain.index.into().double() + local.is_root)
            + local.is_parent * chain.high_address,
        c: c + data * chain.out_address,
        d,
        e: chain.remaining.into(),
    };
    bus::receive_call(builder, call, is_active::<AB>(local) * chain.starts);
}

/// Looks up the blocks that the row reads, and the result on the call's last row.
fn eval_memory<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    let chain = &local.chain;
    let merkle_reads = reads::<AB>(chain);
    for (block, lanes) in local.lanes.chunks_exact(LANES).enumerate() {
        let half = block / 2;
        let first = [chain.low_address, chain.high_address][half];
        let present = local.present[LANES / 2 * block];
        let address = first + F::from_usize(block % 2);
        let lanes = std::array::from_fn(|lane| lanes[lane]);
        let count = merkle_reads[half].clone() + chain.is_hash * present + local.is_parent;
        bus::lookup_block(builder, address, lanes, count);
    }
    let ends = is_active::<AB>(local) * next.chain.starts;
    lookup_digest(builder, chain.out_address, &local.output, ends);
}
