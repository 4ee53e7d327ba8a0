//! Claims against a naive evaluation.

use p3_field::PackedField;

use super::*;
use crate::lanes::Packed;
use crate::with_lanes;

/// `eq(z, x)` for the integer `x`.
fn naive_equality(z: &[EF], x: usize) -> EF {
    let bits = (0..z.len()).rev().map(|bit| (x >> bit) & 1);
    zip(z, bits)
        .map(|(&z, bit)| if bit == 1 { z } else { EF::ONE - z })
        .product()
}

/// The weights of a claim on the hypercube, by their definition.
pub(super) fn naive_weights(claim: &Claim) -> Vec<EF> {
    let point = claim.rows.point();
    let height = 1 << point.len();
    let mut rows = vec![EF::ZERO; height];
    for row in 0..height {
        let weighed = match claim.rows {
            Rows::At(_) => row,
            Rows::Next(_) => (row + 1).min(height - 1),
        };
        rows[weighed] += naive_equality(point, row);
    }
    (0..1 << claim.variables())
        .map(|x: usize| {
            let slot = x / height;
            let bits = (0..claim.factors.len()).rev().map(|bit| (slot >> bit) & 1);
            let factors: EF = zip(&claim.factors, bits)
                .map(|(factor, bit)| factor[bit])
                .product();
            factors * rows[x % height]
        })
        .collect()
}

/// The sum that a claim is about.
pub(super) fn naive_sum(claim: &Claim, stack: &[F]) -> EF {
    zip(naive_weights(claim), stack)
        .map(|(weight, &cell)| weight * cell)
        .sum()
}

fn random_claims(layout: &Layout, rng: &mut SmallRng) -> Vec<Claim> {
    let mut claims = stark_claims(layout, rng);
    claims.push(Claim::at_powers(rng.random(), layout.variables()));
    for rows in 0..=layout.variables() {
        let factors = (rows..layout.variables())
            .map(|_| [rng.random(), rng.random()])
            .collect();
        let point: Vec<EF> = (0..rows).map(|_| rng.random()).collect();
        let at = Claim {
            factors,
            rows: Rows::At(point.clone()),
        };
        if rows <= layout.log_block() {
            claims.push(Claim {
                rows: Rows::Next(point),
                ..at.clone()
            });
        }
        claims.push(at);
    }
    claims
}

#[test]
fn weights_at_points_are_those_of_their_values() {
    let mut rng = SmallRng::seed_from_u64(2);
    let layout = Layout::new(&mixed(), 8).unwrap();
    for claim in random_claims(&layout, &mut rng) {
        let point: Vec<EF> = (0..layout.variables()).map(|_| rng.random()).collect();
        let weights = naive_weights(&claim).into_iter().enumerate();
        let expected = weights
            .map(|(x, weight)| naive_equality(&point, x) * weight)
            .sum();
        assert_eq!(claim.evaluate(&point), expected, "{claim:?}");
        // On the hypercube too.
        for x in [0, 1, 255, (1 << layout.variables()) - 1] {
            let bits = (0..layout.variables()).rev().map(|bit| (x >> bit) & 1);
            let point: Vec<EF> = bits.map(EF::from_usize).collect();
            assert_eq!(claim.evaluate(&point), naive_weights(&claim)[x]);
        }
    }
}

/// Partial sums and tables of weights, for pieces as long as a row and shorter ones.
#[test]
fn tables_of_the_prover_are_those_of_the_definition() {
    for (log_block, shapes) in [
        (8, &mixed()[..]),
        (4, &[shape(4, 5, 2)]),
        (12, &[shape(12, 2, 0), shape(4, 30, 1), shape(11, 1, 1)]),
    ] {
        let case: Case = Case::new(&toy(log_block), shapes);
        let layout = case.scheme.layout();
        let claims = random_claims(layout, &mut SmallRng::seed_from_u64(3));
        let split: Vec<_> = claims
            .iter()
            .map(|claim| sums::SplitClaim::new(claim, layout).unwrap())
            .collect();
        let preprocessed = case.preprocessed.as_ref().map_or(&[][..], Committed::cells);
        let rows = [
            (layout.main_rows(), case.main.cells()),
            (layout.preprocessed_rows(), preprocessed),
        ];
        let sums = sums::partial_sums(layout, &rows, &split);
        let stack = case.stack();
        for ((claim, split), sums) in zip(zip(&claims, &split), sums) {
            assert_eq!(split.total(&sums), naive_sum(claim, &stack), "{claim:?}");
            // The weights within a row do not depend on the row.
            let prefix: Vec<EF> = claim.factors.iter().map(|_| EF::ONE).collect();
            let ones = Claim {
                factors: zip(&claim.factors, 0..)
                    .map(|(&factor, i)| {
                        if i < layout.row_variables() {
                            [prefix[i]; 2]
                        } else {
                            factor
                        }
                    })
                    .collect(),
                rows: claim.rows.clone(),
            };
            if claim.rows.point().len() > log_block {
                continue;
            }
            let in_row = &naive_weights(&ones)[..1 << log_block];
            for (cells, &sum) in zip(stack.chunks(1 << log_block), &sums) {
                let expected: EF = zip(in_row, cells).map(|(&w, &cell)| w * cell).sum();
                assert_eq!(sum, expected);
            }
            let scale = EF::from_u8(7);
            let expected: Vec<EF> = in_row.iter().map(|&weight| weight * scale).collect();
            for table in with_lanes!(row_weights(
                log_block,
                std::slice::from_ref(split),
                &[scale]
            )) {
                assert_eq!(table, expected, "{claim:?}");
            }
        }
        // All at once.
        let scales: Vec<EF> = (3..).map(EF::from_u8).take(split.len()).collect();
        let mut expected = vec![EF::ZERO; 1 << log_block];
        for (split, &scale) in zip(&split, &scales) {
            let table = row_weights::<Packed>(log_block, std::slice::from_ref(split), &[scale]);
            for (sum, weight) in zip(&mut expected, table) {
                *sum += weight;
            }
        }
        for all in with_lanes!(row_weights(log_block, &split, &scales)) {
            assert_eq!(all, expected);
        }
    }
}

fn row_weights<P: PackedField<Scalar = F>>(
    log_block: usize,
    claims: &[sums::SplitClaim],
    scales: &[EF],
) -> Vec<EF> {
    let table = weights::row_weights::<P>(log_block, claims, scales.iter().copied());
    kernels::unpack(&table)
}

#[test]
fn claims_that_do_not_fit_are_errors() {
    let case: Case = Case::new(&toy(6), &[shape(6, 3, 0)]);
    let layout = case.scheme.layout();
    let n = layout.variables();
    let next = |rows| Claim {
        factors: vec![[EF::ONE; 2]; n - rows],
        rows: Rows::Next(vec![EF::TWO; rows]),
    };
    assert!(sums::SplitClaim::new(&next(6), layout).is_some());
    for claim in [
        next(7),
        Claim::at_powers(EF::TWO, n + 1),
        Claim::at_powers(EF::TWO, n - 1),
    ] {
        let mut challenger = Poseidon16Challenger::default();
        let outside = case
            .scheme
            .outside(&case.main, None, &mut challenger)
            .unwrap();
        let claims = [case.claims[0].clone(), claim];
        let opened = case
            .scheme
            .open(&case.main, None, outside, &claims, &mut challenger);
        assert_eq!(opened.unwrap_err(), OpenError::Claim { claim: 1 });
    }
}
