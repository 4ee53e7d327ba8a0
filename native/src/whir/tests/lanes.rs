//! What the prover computes in lanes, in every number of them, against the definitions.

use p3_field::PackedField;

use super::*;
use crate::lanes::PackedExt;
use crate::whir::claims::equality_table;
use crate::whir::kernels::{WeightTable, combination, pack, unpack};
use crate::whir::sumcheck::{Product, WeightedPolynomial};
use crate::whir::weights::{packed_equality_table, powers_table};
use crate::with_lanes;

fn random<T>(rng: &mut SmallRng, length: usize) -> Vec<T>
where
    rand::distr::StandardUniform: rand::distr::Distribution<T>,
{
    (0..length).map(|_| rng.random()).collect()
}

fn sums_of_products<P: PackedField<Scalar = F>>() {
    let mut rng = SmallRng::seed_from_u64(1);
    // With a rest of packed elements, and of rows, and without.
    for (length, rows) in [(16, 1), (48, 8), (16 * 11, 9), (16 * 70, 3)] {
        let weights: Vec<EF> = random(&mut rng, length);
        assert_eq!(unpack(&pack::<P>(&weights)), weights);
        let rows: Vec<Vec<F>> = (0..rows).map(|_| random(&mut rng, length)).collect();
        let table = WeightTable::<P>::new(&weights);
        for cells in &rows {
            let expected: EF = zip(&weights, cells).map(|(&w, &cell)| w * cell).sum();
            assert_eq!(table.dot(cells), expected);
        }
        let of_rows: Vec<EF> = random(&mut rng, rows.len());
        let slices: Vec<&[F]> = rows.iter().map(Vec::as_slice).collect();
        let expected: Vec<EF> = (0..length)
            .map(|at| zip(&of_rows, &rows).map(|(&w, row)| w * row[at]).sum())
            .collect();
        assert_eq!(unpack(&combination::<P>(&slices, &of_rows)), expected);
    }
}

#[test]
fn sums_of_products_do_not_depend_on_lanes() {
    with_lanes!(sums_of_products());
}

fn weights<P: PackedField<Scalar = F>>() {
    let mut rng = SmallRng::seed_from_u64(2);
    for variables in 4..=9 {
        let z: Vec<EF> = random(&mut rng, variables);
        let table: Vec<PackedExt<P>> = packed_equality_table(&z);
        assert_eq!(unpack(&table), equality_table(&z));
        let (points, scales): (Vec<F>, Vec<EF>) = (random(&mut rng, 9), random(&mut rng, 9));
        let expected: Vec<EF> = (0..1 << variables)
            .map(|b| zip(&points, &scales).map(|(x, &s)| s * x.exp_u64(b)).sum())
            .collect();
        assert_eq!(
            unpack(&powers_table::<P>(variables, &points, &scales)),
            expected
        );
    }
}

#[test]
fn weights_do_not_depend_on_lanes() {
    with_lanes!(weights());
}

/// The messages of all rounds, and what is left.
fn sumcheck<P: PackedField<Scalar = F>>() {
    let mut rng = SmallRng::seed_from_u64(3);
    for variables in 4..=9 {
        let length = 1 << variables;
        let [mut values, mut weights, added]: [Vec<EF>; 3] =
            std::array::from_fn(|_| random(&mut rng, length));
        let scale: EF = rng.random();
        let mut product = WeightedPolynomial::new(pack::<P>(&values), pack(&weights));
        let dot = |x: &[EF], y: &[EF]| -> EF { zip(x, y).map(|(&x, &y)| x * y).sum() };
        assert_eq!(product.evaluate(&pack(&added)), dot(&values, &added));
        product.add_weights(&pack(&added), scale);
        zip(&mut weights, &added).for_each(|(weight, &added)| *weight += added * scale);
        for _ in 0..variables {
            assert_eq!(product.values(), values);
            let half = values.len() / 2;
            let at = |table: &[EF], x: EF| -> Vec<EF> {
                let (zeros, ones) = table.split_at(half);
                zip(zeros, ones)
                    .map(|(&zero, &one)| zero + x * (one - zero))
                    .collect()
            };
            let [at_0, at_1, at_2] =
                [EF::ZERO, EF::ONE, EF::TWO].map(|x| dot(&at(&values, x), &at(&weights, x)));
            let quadratic = (at_2 - at_1.double() + at_0).halve();
            assert_eq!(product.message(), [at_0, quadratic]);
            let challenge: EF = rng.random();
            (values, weights) = (at(&values, challenge), at(&weights, challenge));
            product.bind(challenge);
        }
        assert_eq!(product.values(), values);
    }
}

#[test]
fn sumchecks_do_not_depend_on_lanes() {
    with_lanes!(sumcheck());
}
