//! The sumcheck prover: two tables that are folded from the highest variable down.

use std::array::from_fn;

use droste_native::stark::challenger::Sent;
use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::{COLUMNS, FOLDED, Message, Products, columns};
use crate::field::{K, PRODUCTS, fold_halves};
use crate::tree_hash::Transcript;

/// Elements that one task takes from each part of a table.
const CHUNK: usize = 1 << 11;

type Packed = <K as Field>::Packing;

/// A polynomial and its weight.
#[derive(Debug)]
pub(super) struct Tables {
    pub polynomial: Vec<K>,
    pub weight: Vec<K>,
}

/// The sum of a list's columns, each with its scale.
pub(super) fn fold_columns(values: &[K], scales: &[K; COLUMNS]) -> Vec<K> {
    fn fold<P: PackedField<Scalar = K>>(
        columns: [&[K]; COLUMNS],
        scales: &[K; COLUMNS],
        sums: &mut [K],
    ) {
        let columns = columns.map(P::pack_slice);
        let columns = columns.as_chunks::<PRODUCTS>().0.iter();
        for (columns, scales) in columns.zip(scales.as_chunks().0) {
            let scales: [P; PRODUCTS] = scales.map(P::from);
            for (i, sum) in P::pack_slice_mut(sums).iter_mut().enumerate() {
                *sum += P::dot_product(&scales, &columns.map(|column| column[i]));
            }
        }
    }
    let columns = columns(values);
    let mut folded = K::zero_vec(columns[0].len());
    let chunk = CHUNK.min(folded.len());
    (folded.par_chunks_mut(chunk).enumerate()).for_each(|(i, sums)| {
        let columns = columns.map(|column| &column[i * chunk..][..chunk]);
        if chunk.is_multiple_of(Packed::WIDTH) {
            fold::<Packed>(columns, scales, sums)
        } else {
            fold::<K>(columns, scales, sums)
        }
    });
    folded
}

/// Messages of the highest four variables, from the sums of products of columns, and the
/// challenges.
pub(super) fn first_messages(
    mut products: Products,
    claim: &mut K,
    transcript: &mut dyn Transcript,
) -> (Vec<Sent<Message>>, Vec<K>) {
    let mut half = COLUMNS;
    let rounds = (0..FOLDED).map(|_| {
        half /= 2;
        let low = (0..half).map(|i| products[i][i]).sum();
        let high = (0..half)
            .map(|i| products[i + half][i] + products[i][i + half] + products[i + half][i + half]);
        let message = Message {
            constant: low,
            leading: low + high.sum::<K>(),
        };
        let sent = Sent::send(message, transcript);
        let challenge = message.reduce(claim, transcript);
        let (low, high) = products.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(high) {
            fold_halves(low, high, challenge);
        }
        for of_weight in &mut products[..half] {
            let (low, high) = of_weight.split_at_mut(half);
            fold_halves(low, &high[..half], challenge);
        }
        (sent, challenge)
    });
    rounds.unzip()
}

impl Tables {
    /// The message of the highest variable.
    pub fn message(&self) -> Message {
        let half = self.polynomial.len() / 2;
        let chunk = CHUNK.min(half);
        let (f0, f1) = self.polynomial.split_at(half);
        let (w0, w1) = self.weight.split_at(half);
        let sums = f0
            .par_chunks(chunk)
            .zip(f1.par_chunks(chunk))
            .zip(w0.par_chunks(chunk).zip(w1.par_chunks(chunk)))
            .map(|((f0, f1), (w0, w1))| message_of([f0, f1], [w0, w1]))
            .collect();
        total(sums)
    }

    /// Folds the highest variable.
    pub fn fold(&mut self, challenge: K) {
        for table in [&mut self.polynomial, &mut self.weight] {
            let half = table.len() / 2;
            let chunk = CHUNK.min(half);
            let (low, high) = table.split_at_mut(half);
            low.par_chunks_mut(chunk)
                .zip(high.par_chunks(chunk))
                .for_each(|(low, high)| {
                    fold_halves(low, high, challenge);
                });
            table.truncate(half);
        }
    }

    /// Folds the highest variable and returns the message of the next one, in one pass.
    pub fn fold_and_message(&mut self, challenge: K) -> Message {
        let half = self.polynomial.len() / 2;
        let chunk = CHUNK.min(half / 2);
        let [f0, f1, f2, f3] = quarters(&mut self.polynomial);
        let [w0, w1, w2, w3] = quarters(&mut self.weight);
        let f = f0.par_chunks_mut(chunk).zip(f1.par_chunks_mut(chunk));
        let f = f.zip(f2.par_chunks(chunk).zip(f3.par_chunks(chunk)));
        let w = w0.par_chunks_mut(chunk).zip(w1.par_chunks_mut(chunk));
        let w = w.zip(w2.par_chunks(chunk).zip(w3.par_chunks(chunk)));
        let sums = f
            .zip(w)
            .map(|(((f0, f1), (f2, f3)), ((w0, w1), (w2, w3)))| {
                for (low, high) in [(&mut *f0, f2), (f1, f3), (w0, w2), (w1, w3)] {
                    fold_halves(low, high, challenge);
                }
                message_of([f0, f1], [w0, w1])
            })
            .collect();
        self.polynomial.truncate(half);
        self.weight.truncate(half);
        total(sums)
    }
}

/// The four quarters of a table.
fn quarters(table: &mut [K]) -> [&mut [K]; 4] {
    let quarter = table.len() / 4;
    let (low, high) = table.split_at_mut(2 * quarter);
    let (first, second) = low.split_at_mut(quarter);
    let (third, fourth) = high.split_at_mut(quarter);
    [first, second, third, fourth]
}

fn total(sums: Vec<Message>) -> Message {
    Message {
        constant: sums.iter().map(|sum| sum.constant).sum(),
        leading: sums.iter().map(|sum| sum.leading).sum(),
    }
}

/// The message of halves of a polynomial and of its weight.
fn message_of(f: [&[K]; 2], w: [&[K]; 2]) -> Message {
    if f[0].len().is_multiple_of(Packed::WIDTH) {
        packed_message_of::<Packed>(f, w)
    } else {
        packed_message_of::<K>(f, w)
    }
}

fn packed_message_of<P: PackedField<Scalar = K>>(f: [&[K]; 2], w: [&[K]; 2]) -> Message {
    let [f0, f1] = f.map(P::pack_slice);
    let [w0, w1] = w.map(P::pack_slice);
    let (mut constant, mut leading) = (P::ZERO, P::ZERO);
    let blocks = |list| <[P]>::as_chunks::<PRODUCTS>(list);
    let [(f0, f0_rest), (f1, f1_rest), (w0, w0_rest), (w1, w1_rest)] = [f0, f1, w0, w1].map(blocks);
    for ((f0, f1), (w0, w1)) in f0.iter().zip(f1).zip(w0.iter().zip(w1)) {
        constant += P::dot_product(f0, w0);
        let f: [P; PRODUCTS] = from_fn(|i| f0[i] + f1[i]);
        let w: [P; PRODUCTS] = from_fn(|i| w0[i] + w1[i]);
        leading += P::dot_product(&f, &w);
    }
    for ((&f0, &f1), (&w0, &w1)) in f0_rest.iter().zip(f1_rest).zip(w0_rest.iter().zip(w1_rest)) {
        constant += f0 * w0;
        leading += (f0 + f1) * (w0 + w1);
    }
    let sum = |packed: P| packed.as_slice().iter().copied().sum();
    Message {
        constant: sum(constant),
        leading: sum(leading),
    }
}
