//! The field GF(2^128), and multilinear weights.
//!
//! A point of `n` coordinates belongs to tables of `2^n` entries: coordinate `i` to bit `i` of the
//! index. A coordinate `x` weighs bit 1 with `x`, and bit 0 with `1 + x`.

use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

/// GF(2^128) in the polynomial basis of `x^128 + x^7 + x^2 + x + 1`; bit `i` is the coefficient of
/// `x^i`.
pub type K = droste_native::precompile::Binary;

/// `prod_i (p_i b_i + (1 + p_i) (1 + b_i))` for every index `b` of bits `b_i`.
pub fn eq_table(point: &[K]) -> Vec<K> {
    let mut table = K::zero_vec(1 << point.len());
    if let Some(first) = table.first_mut() {
        *first = K::ONE;
    }
    for (i, &coordinate) in point.iter().enumerate() {
        let (low, high) = table.split_at_mut(1 << i);
        high.par_iter_mut()
            .zip(low.par_iter_mut())
            .with_min_len(1 << 12)
            .for_each(|(high, low)| {
                *high = *low * coordinate;
                *low += *high;
            });
    }
    table
}

/// The multilinear extension of equality: [`eq_table`] of one point, at another point.
pub fn eq(left: &[K], right: &[K]) -> K {
    left.iter()
        .zip(right)
        .map(|(&a, &b)| K::ONE + a + b)
        .product()
}

/// Products that are summed before they are reduced.
pub const PRODUCTS: usize = 4;

/// The sum of products of two lists, of which the longer one is cut.
pub fn dot(left: &[K], right: &[K]) -> K {
    type Packed = <K as Field>::Packing;
    let length = left.len().min(right.len());
    let (left, left_rest) = Packed::pack_slice_with_suffix(&left[..length]);
    let (right, right_rest) = Packed::pack_slice_with_suffix(&right[..length]);
    let ((left, left_last), (right, right_last)) = (left.as_chunks(), right.as_chunks());
    let blocks = left.iter().zip(right);
    let blocks = blocks.map(|(left, right)| Packed::dot_product::<PRODUCTS>(left, right));
    let last = left_last.iter().zip(right_last);
    let packed = blocks.sum::<Packed>() + last.map(|(&a, &b)| a * b).sum::<Packed>();
    let rest = left_rest.iter().zip(right_rest).map(|(&a, &b)| a * b);
    packed.as_slice().iter().copied().chain(rest).sum()
}

/// `low + challenge * (low + high)`, in place of `low`.
pub fn fold_halves(low: &mut [K], high: &[K], challenge: K) {
    fn fold<P: PackedField<Scalar = K>>(low: &mut [K], high: &[K], challenge: K) {
        let challenge = P::from(challenge);
        for (low, &high) in P::pack_slice_mut(low).iter_mut().zip(P::pack_slice(high)) {
            *low += challenge * (*low + high);
        }
    }
    if low.len().is_multiple_of(<K as Field>::Packing::WIDTH) {
        fold::<<K as Field>::Packing>(low, high, challenge)
    } else {
        fold::<K>(low, high, challenge)
    }
}

/// Binds the most significant variable.
pub fn fold_top(table: &mut Vec<K>, challenge: K) {
    let half = table.len() / 2;
    let (low, high) = table.split_at_mut(half);
    fold_halves(low, high, challenge);
    table.truncate(half);
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;
    use proptest::prelude::*;

    use super::*;

    fn element() -> impl Strategy<Value = K> {
        any::<u128>().prop_map(K::from_repr)
    }

    proptest! {
        #[test]
        fn tables_of_equality(point in prop::collection::vec(element(), 0..6), index in 0usize..64) {
            let table = eq_table(&point);
            let index = index % table.len();
            let corner: Vec<K> = (0..point.len()).map(|i| K::from_bool(index >> i & 1 == 1)).collect();
            prop_assert_eq!(table[index], eq(&corner, &point));
        }
    }
}
