//! Constraints of the table `word_products`.

use std::borrow::Borrow;

use droste_air::limb::{bits_value, weighted_sum};
use droste_native::F;
use p3_air::AirBuilder;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_lookup::InteractionBuilder;

use super::columns::{LOW_BITS, WORD_BITS, WordProductsCols, elements};
use crate::isa::id;
use crate::tables::binary_products::{division, lanes, lookup_carries};
use crate::tables::bus::{self, CallMessage};
use crate::tables::{LANES, PolynomialIdentity, sum};

/// Number of columns.
const WIDTH: usize = WordProductsCols::<u8>::WIDTH;

droste_air::air! {
    /// The table `word_products`: products of words of field elements in GF(2^128).
    pub struct WordProductsTable(WordProductsCols as Row),
    degree = 3, next = [], eval = eval(local)
}

/// The identity of a row.
pub fn identity() -> PolynomialIdentity {
    let columns: [usize; WIDTH] = std::array::from_fn(|column| column);
    let columns: &WordProductsCols<usize> = columns.as_slice().borrow();
    let factors = elements(&columns.words, columns.zero).zip(&columns.weights);
    let products = factors.map(|(words, weight)| [words.to_vec(), weight.to_vec()]);
    let [added, result] = [&columns.added, &columns.result];
    let quotient = [columns.multiple.as_slice(), columns.carries.as_slice()];
    division(products.collect(), added, result, quotient)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    identity().constrain(builder);
    eval_bits(builder, local);
    for (word, &inverse) in local.words.iter().zip(&local.inverses) {
        eval_canonical(builder, word, inverse);
    }
    eval_messages(builder, local);
}

/// Constrains flags and bits to be boolean, and words that are not wanted to be zero.
fn eval_bits<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([local.is_one, local.is_two]);
    builder.assert_bool(local.is_one + local.is_two);
    builder.assert_zero(local.zero);
    for bits in local.words {
        builder.assert_bools(bits);
    }
    for bits in local.weights.into_iter().chain([local.added, local.result]) {
        builder.assert_bools(bits);
    }
    builder.assert_bools(local.multiple);
    let mut of_one = builder.when(local.is_one);
    for bits in local.words.into_iter().skip(LANES) {
        of_one.assert_zeros(bits);
    }
}

/// Constrains a word to be below the order of the field, `127 * 2^24 + 1`: if its seven high bits
/// are ones, the others are zero.
fn eval_canonical<AB: AirBuilder<F = F>>(
    builder: &mut AB,
    word: &[AB::Var; WORD_BITS],
    inverse: AB::Var,
) {
    let (low, high) = word.split_at(LOW_BITS);
    let zeros = AB::Expr::from(F::from_usize(high.len())) - sum::<AB::Expr, _>(high);
    let has_none = AB::Expr::ONE - zeros.clone() * inverse;
    builder.assert_zero(zeros * has_none.clone());
    builder.assert_zero(bits_value::<AB>(low) * has_none.clone());
    // `inverse` would not matter where there are no zeros: it is fixed to zero there, so that it is
    // not a free cell.
    builder.assert_zero(has_none * inverse);
}

fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let is_real: AB::Expr = local.is_one + local.is_two;
    let call = CallMessage {
        id: F::from_u32(id::WORD_PRODUCTS).into(),
        a: local.words_address.into(),
        b: local.weights_address.into(),
        c: local.added_address.into(),
        d: local.result_address.into(),
        e: local.is_two * F::TWO + local.is_one,
    };
    bus::receive_call(builder, call, is_real.clone());

    // The words of a second block, and their weights, are read if there are two.
    let of_block = [is_real.clone(), local.is_two.into()];
    let (words, _) = local.words.as_chunks::<LANES>();
    for (index, (words, flag)) in words.iter().zip(&of_block).enumerate() {
        let block = words.each_ref().map(element::<AB>);
        let address = local.words_address + F::from_usize(index);
        bus::lookup_block(builder, address, block, flag.clone());
    }
    let weights = local.weights.chunks_exact(2).zip(&of_block);
    let weights = weights.flat_map(|(weights, flag)| weights.iter().map(move |bits| (bits, flag)));
    for (index, (bits, flag)) in weights.enumerate() {
        let address = local.weights_address + F::from_usize(index);
        bus::lookup_block(builder, address, lanes::<AB>(*bits), flag.clone());
    }
    let added = lanes::<AB>(local.added);
    bus::lookup_block(builder, local.added_address, added, is_real.clone());
    let result = lanes::<AB>(local.result);
    bus::lookup_block(builder, local.result_address, result, is_real);
    lookup_carries(builder, &local.carries);
}

/// The element whose Montgomery word has these bits: the word is the element times `2^32`.
fn element<AB: AirBuilder<F = F>>(word: &[AB::Var; WORD_BITS]) -> AB::Expr {
    let unit = F::from_u64(1 << 32).inverse();
    let bits = word.iter().enumerate();
    weighted_sum::<AB>(bits.map(|(i, &bit)| (bit, unit * F::from_u64(1 << i))))
}
