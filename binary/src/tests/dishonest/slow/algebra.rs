//! Points, tables and polynomials, by their definitions.

use p3_binary_dft::domain_point;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::field::K;

/// `eq(point, index)`.
pub fn eq_at(point: &[K], index: usize) -> K {
    (point.iter().enumerate())
        .map(|(i, &x)| if index >> i & 1 == 1 { x } else { K::ONE + x })
        .product()
}

pub fn eq_table(point: &[K]) -> Vec<K> {
    (0..1 << point.len()).map(|i| eq_at(point, i)).collect()
}

pub fn dot(left: &[K], right: &[K]) -> K {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(&a, &b)| a * b).sum()
}

pub fn fold<const N: usize>(tables: [&mut Vec<K>; N], x: K) {
    for table in tables {
        let half = table.len() / 2;
        *table = (0..half)
            .map(|i| (K::ONE + x) * table[i] + x * table[i + half])
            .collect();
    }
}

/// Lagrange polynomials of the points `d_0..d_count`, at `x`.
pub fn lagrange(count: usize, x: K) -> Vec<K> {
    let points: Vec<K> = (0..count).map(domain_point).collect();
    let others = |z: usize| points.iter().enumerate().filter(move |&(k, _)| k != z);
    (0..count)
        .map(|z| {
            let numerator: K = others(z).map(|(_, &d)| x + d).product();
            let denominator: K = others(z).map(|(_, &d)| points[z] + d).product();
            numerator * denominator.inverse()
        })
        .collect()
}

/// The values at `d_64..d_127`, of what the prover's first message holds.
pub fn extended_weights(x: K) -> Vec<K> {
    lagrange(128, x).split_off(64)
}

pub fn bit_weights(x: K) -> [K; 64] {
    lagrange(64, x).try_into().unwrap()
}

/// The coefficients of a product of lines and of a polynomial.
pub fn multiply(left: &[K], right: &[K]) -> Vec<K> {
    let mut product = vec![K::ZERO; left.len() + right.len() - 1];
    for (i, &a) in left.iter().enumerate() {
        for (j, &b) in right.iter().enumerate() {
            product[i + j] += a * b;
        }
    }
    product
}

pub fn polynomial(coefficients: &[K], x: K) -> K {
    coefficients
        .iter()
        .rev()
        .fold(K::ZERO, |value, &c| value * x + c)
}

/// A table's line in its highest variable.
pub fn line(table: &[K], i: usize) -> [K; 2] {
    [table[i], table[i] + table[i + table.len() / 2]]
}

/// The round polynomial of the sum of products of pairs of tables.
pub fn products(pairs: &[(&Vec<K>, &Vec<K>)]) -> Vec<K> {
    let mut sum = vec![K::ZERO; 3];
    for (left, right) in pairs {
        for i in 0..left.len() / 2 {
            for (sum, value) in sum
                .iter_mut()
                .zip(multiply(&line(left, i), &line(right, i)))
            {
                *sum += value;
            }
        }
    }
    sum
}
