//! Constraints of the table `binary_products`.

use std::borrow::Borrow;

use droste_native::F;
use droste_native::precompile::{BINARY_LANE_BITS, BINARY_LANES};
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::{BITS, BinaryProductsCols, COEFFICIENTS, in_pairs};
use crate::isa::id;
use crate::tables::bus::{self, CallMessage, CarryPairMessage};
use crate::tables::{Coefficients, LANES, PolynomialIdentity};

/// Exponents of the terms of the modulus `x^128 + x^7 + x^2 + x + 1`.
pub const MODULUS: [usize; 5] = [0, 1, 2, 7, BITS];

/// Number of columns.
const WIDTH: usize = BinaryProductsCols::<u8>::WIDTH;

droste_air::air! {
    /// The table `binary_products`: products in GF(2^128).
    pub struct BinaryProductsTable(BinaryProductsCols as Row),
    degree = 2, next = [], eval = eval(local)
}

/// The identity of a row.
pub fn identity() -> PolynomialIdentity {
    let columns: [usize; WIDTH] = std::array::from_fn(|column| column);
    let columns: &BinaryProductsCols<usize> = columns.as_slice().borrow();
    let factors = columns.left.iter().zip(&columns.right);
    let products = factors.map(|(left, right)| [left.to_vec(), right.to_vec()]);
    let [added, result] = [&columns.added, &columns.result];
    let quotient = [columns.multiple.as_slice(), columns.carries.as_slice()];
    division(products.collect(), added, result, quotient)
}

/// The sum of the products and of what is added is, over the integers, the result, a multiple of
/// the modulus, and what is even: twice the carries.
pub fn division(
    products: Vec<[Coefficients; 2]>,
    added: &[usize; BITS],
    result: &[usize; BITS],
    [multiple, carries]: [&[usize]; 2],
) -> PolynomialIdentity {
    let constant = |coefficient| vec![(0, coefficient)];
    PolynomialIdentity {
        products,
        summands: vec![
            (added.to_vec(), constant(F::ONE)),
            (result.to_vec(), constant(F::NEG_ONE)),
            (carries.to_vec(), constant(-F::TWO)),
            (
                multiple.to_vec(),
                MODULUS.map(|exponent| (exponent, F::NEG_ONE)).to_vec(),
            ),
        ],
    }
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    identity().constrain(builder);
    eval_bits(builder, local);
    eval_messages(builder, local);
}

/// Constrains flags and bits to be boolean, and a product that is not wanted to be zero.
fn eval_bits<AB: AirBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    builder.assert_bools([local.is_single, local.is_pair]);
    builder.assert_bool(local.is_single + local.is_pair);
    let elements = [local.left, local.right].into_iter().flatten();
    for bits in elements.chain([local.added, local.result]) {
        builder.assert_bools(bits);
    }
    builder.assert_bools(local.multiple);
    let [_, second] = local.right;
    builder.when(local.is_single).assert_zeros(second);
}

fn eval_messages<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let is_real: AB::Expr = local.is_single + local.is_pair;
    let call = CallMessage {
        id: local.is_single * F::from_u32(id::BINARY_PRODUCT)
            + local.is_pair * F::from_u32(id::BINARY_PRODUCTS),
        a: local.left_address.into(),
        b: local.right_address.into(),
        c: local.added_address.into(),
        d: local.result_address.into(),
        e: local.distance.into(),
    };
    bus::receive_call(builder, call, is_real.clone());

    let [left, second_left] = local.left.map(lanes::<AB>);
    let [right, second_right] = local.right.map(lanes::<AB>);
    bus::lookup_block(builder, local.left_address, left, is_real.clone());
    bus::lookup_block(builder, local.right_address, right, is_real.clone());
    let second = local.left_address + local.distance;
    bus::lookup_block(builder, second, second_left, local.is_pair);
    let second = local.right_address + F::ONE;
    bus::lookup_block(builder, second, second_right, local.is_pair);
    let added = lanes::<AB>(local.added);
    bus::lookup_block(builder, local.added_address, added, is_real.clone());
    let result = lanes::<AB>(local.result);
    bus::lookup_block(builder, local.result_address, result, is_real);

    lookup_carries(builder, &local.carries);
}

/// Looks up the carries of a row, in pairs, on every row.
pub fn lookup_carries<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    carries: &[AB::Var; COEFFICIENTS],
) {
    for (first, second) in in_pairs(carries) {
        let (first, second) = (first.into(), second.map_or(AB::Expr::ZERO, Into::into));
        let pair = CarryPairMessage { first, second };
        let once = Count::bounded(AB::Expr::ONE, 1);
        bus::CARRY_PAIR.lookup_key(builder, pair.into_fields(), once);
    }
}

/// The block of an element with these bits.
pub fn lanes<AB: AirBuilder<F = F>>(bits: [AB::Var; BITS]) -> [AB::Expr; LANES] {
    let mut of_lanes = bits.chunks(BINARY_LANE_BITS);
    const { assert!(BITS.div_ceil(BINARY_LANE_BITS) == BINARY_LANES) };
    std::array::from_fn(|_| {
        let bits = of_lanes.next().unwrap_or_default().iter().rev();
        bits.fold(AB::Expr::ZERO, |sum, &bit| sum * F::TWO + bit)
    })
}
