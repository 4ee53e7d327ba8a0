//! The weights of all claims about rows, together.
//!
//! A claim about the element of a codeword at the point `z` has the weight `scale prod_j
//! W_j(z)^(b_j)` at index `b` of the message. So the sum of these weights is the transpose of the
//! encoding, applied to the list that has the scales at the points and zeros elsewhere. The
//! encoding has, from the highest variable `j` down, a butterfly for each two elements that are
//! `2^j` apart: `lo + t hi` and `lo + (t + 1) hi`, with `t = W_j` at the point of the first one
//! (Lin, Chung and Han). The transpose has theirs from the lowest variable up: `a + b` and `t a +
//! (t + 1) b`.

use p3_binary_dft::{domain_point, subspace_polynomial};
use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::QueryWeight;
use crate::field::K;

/// Variables below which the list is mostly zeros: products of the coordinates take less time.
const LOW_VARIABLES: usize = 8;

/// Elements that one task takes from each half of a block.
const CHUNK: usize = 1 << 11;

/// Adds to the weight of a message those of queries at positions of its codeword.
pub(super) fn add_weights(weight: &mut [K], mut queries: Vec<(usize, QueryWeight)>) {
    let variables = weight.len().ilog2() as usize;
    let low = LOW_VARIABLES.min(variables);
    // The code's points, in cosets of as many as the message has elements.
    queries.sort_by_key(|(position, _)| position >> variables);
    for queries in queries.chunk_by(|left, right| left.0 >> variables == right.0 >> variables) {
        let mut list = K::zero_vec(weight.len());
        for (position, query) in queries {
            let first = (position % weight.len()) >> low << low;
            let mut products = vec![query.scale];
            for &x in &query.coordinates[..low] {
                products.extend_from_within(..);
                let half = products.len() / 2;
                products[half..].iter_mut().for_each(|value| *value *= x);
            }
            for (element, product) in list[first..].iter_mut().zip(products) {
                *element += product;
            }
        }
        let coset = queries[0].0 >> variables << variables;
        for j in low..variables {
            (list.par_chunks_mut(2 << j).enumerate()).for_each(|(block, elements)| {
                let twiddle: K = subspace_polynomial(j, domain_point(coset + (block << (j + 1))));
                let (first, second) = elements.split_at_mut(1 << j);
                let chunk = CHUNK.min(1 << j);
                (first
                    .par_chunks_mut(chunk)
                    .zip(second.par_chunks_mut(chunk)))
                .for_each(|(first, second)| {
                    if chunk.is_multiple_of(<K as Field>::Packing::WIDTH) {
                        butterflies::<<K as Field>::Packing>(first, second, twiddle)
                    } else {
                        butterflies::<K>(first, second, twiddle)
                    }
                });
            });
        }
        for (weight, element) in weight.iter_mut().zip(list) {
            *weight += element;
        }
    }
}

fn butterflies<P: PackedField<Scalar = K>>(first: &mut [K], second: &mut [K], twiddle: K) {
    let twiddle = P::from(twiddle);
    let (first, second) = (P::pack_slice_mut(first), P::pack_slice_mut(second));
    for (a, b) in first.iter_mut().zip(second) {
        *a += *b;
        *b += twiddle * *a;
    }
}
