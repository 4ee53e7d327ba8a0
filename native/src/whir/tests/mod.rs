//! Tests: openings against a naive evaluation of claims, and what the verifier refuses.

mod changed;
mod claims;
mod encode;
mod lanes;
mod layout;
mod security;
mod settings;
mod speed;

use std::iter::zip;

use p3_challenger::CanObserve;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::claims::{equality, powers};
use super::*;
use crate::field::{EF, F};
use crate::stark::challenger::{ExtensionTranscript, Poseidon16Challenger, Sent};
use crate::stark::suite::{
    Blake3Suite, Commitment, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite, SuiteCap,
};
use crate::visit::Visitor;

/// Tables whose columns are random, committed to, and the claims that a STARK makes about them.
struct Case<H: HashSuite = Poseidon16Suite> {
    scheme: Scheme<H>,
    main: Committed<H>,
    preprocessed: Option<Committed<H>>,
    claims: Vec<Claim>,
}

/// A proof of a case, and what it is about.
#[derive(Clone)]
struct Proof<H: HashSuite = Poseidon16Suite> {
    main: Commitment<H>,
    preprocessed: Option<Commitment<H>>,
    outside: Vec<Sent<EF>>,
    claims: Vec<(Claim, EF)>,
    opening: Opening<H>,
}

const fn shape(log_height: usize, width: usize, preprocessed_width: usize) -> TableShape {
    TableShape {
        log_height,
        width,
        preprocessed_width,
    }
}

const fn toy(log_block: usize) -> WhirSettings {
    WhirSettings {
        log_block,
        ..WhirSettings::toy()
    }
}

/// Proofs of work at every step, and caps.
const fn grinding(log_block: usize) -> WhirSettings {
    WhirSettings {
        security_level: 128,
        grinding_bits: 8,
        cap_height: 3,
        ..toy(log_block)
    }
}

/// Several tables of different heights, with and without preprocessed columns.
const fn mixed() -> [TableShape; 5] {
    [
        shape(5, 7, 0),
        shape(8, 3, 2),
        shape(4, 20, 1),
        shape(8, 0, 1),
        shape(7, 1, 3),
    ]
}

impl<H: HashSuite> Case<H> {
    fn new(settings: &WhirSettings, shapes: &[TableShape]) -> Self {
        let mut rng = SmallRng::seed_from_u64(1);
        let layout = Layout::new(shapes, settings.log_block).unwrap();
        let mut main = vec![F::ZERO; layout.main_cells()];
        let mut preprocessed = vec![F::ZERO; layout.preprocessed_cells()];
        for (table, shape) in shapes.iter().enumerate() {
            for column in 0..shape.width {
                let cells = &mut main[layout.main_column(table, column).unwrap()];
                cells.fill_with(|| rng.random());
            }
            for column in 0..shape.preprocessed_width {
                let cells = &mut preprocessed[layout.preprocessed_column(table, column).unwrap()];
                cells.fill_with(|| rng.random());
            }
        }
        let claims = stark_claims(&layout, &mut rng);
        let scheme = Scheme::new(settings, layout).unwrap();
        Self {
            main: scheme.commit(main),
            preprocessed: (!preprocessed.is_empty()).then(|| scheme.commit(preprocessed)),
            scheme,
            claims,
        }
    }

    /// All cells of the stack.
    fn stack(&self) -> Vec<F> {
        let layout = self.scheme.layout();
        let block = 1 << layout.log_block();
        let mut stack = vec![F::ZERO; 1 << layout.variables()];
        let preprocessed = self.preprocessed.as_ref().map_or(&[][..], Committed::cells);
        for (rows, cells) in [
            (layout.main_rows(), self.main.cells()),
            (layout.preprocessed_rows(), preprocessed),
        ] {
            for (row, cells) in zip(rows, cells.chunks_exact(block)) {
                stack[row * block..][..block].copy_from_slice(cells);
            }
        }
        stack
    }

    fn prove(&self) -> Proof<H> {
        let stack = self.stack();
        let values = self
            .claims
            .iter()
            .map(|claim| claims::naive_sum(claim, &stack));
        self.prove_values(values.collect())
    }

    fn prove_values(&self, values: Vec<EF>) -> Proof<H> {
        let mut challenger = H::challenger();
        let preprocessed = self.preprocessed.as_ref();
        observe::<H>(
            &mut challenger,
            self.main.cap(),
            preprocessed.map(Committed::cap),
        );
        let outside = self
            .scheme
            .outside(&self.main, preprocessed, &mut challenger)
            .unwrap();
        let outside_values = outside.values().to_vec();
        bind(&mut challenger, &values);
        let opening = self
            .scheme
            .open(
                &self.main,
                preprocessed,
                outside,
                &self.claims,
                &mut challenger,
            )
            .unwrap();
        Proof {
            main: self.main.cap().clone(),
            preprocessed: preprocessed.map(|committed| committed.cap().clone()),
            outside: outside_values,
            claims: zip(self.claims.clone(), values).collect(),
            opening,
        }
    }

    fn verify(&self, proof: &Proof<H>) -> Result<Vec<Vec<usize>>, OpeningError> {
        verify(&self.scheme, proof)
    }
}

fn observe<H: HashSuite>(
    challenger: &mut H::Challenger,
    main: &Commitment<H>,
    preprocessed: Option<&Commitment<H>>,
) {
    challenger.observe(main.clone());
    if let Some(preprocessed) = preprocessed {
        challenger.observe(preprocessed.clone());
    }
}

/// Binds the values of claims.
fn bind(challenger: &mut dyn ExtensionTranscript, values: &[EF]) {
    for &value in values {
        challenger.observe_extension(value);
    }
}

fn verify<H: HashSuite>(
    scheme: &Scheme<H>,
    proof: &Proof<H>,
) -> Result<Vec<Vec<usize>>, OpeningError> {
    let mut challenger = H::challenger();
    let preprocessed = proof.preprocessed.as_ref();
    observe::<H>(&mut challenger, &proof.main, preprocessed);
    let mut claims = scheme.sample_outside(&proof.outside, &mut challenger)?;
    let values: Vec<EF> = proof.claims.iter().map(|&(_, value)| value).collect();
    bind(&mut challenger, &values);
    claims.extend(proof.claims.clone());
    scheme.verify(
        &proof.main,
        preprocessed,
        &claims,
        &proof.opening,
        &mut challenger,
    )
}

/// The claims of a STARK: for each region the values of its columns at the last coordinates of one
/// point, and of the next rows of half of them, combined by powers of a challenge.
fn stark_claims(layout: &Layout, rng: &mut SmallRng) -> Vec<Claim> {
    let rho: Vec<EF> = (0..layout.log_block()).map(|_| rng.random()).collect();
    let y: EF = rng.random();
    let mut claims = vec![];
    let regions = layout
        .tables()
        .iter()
        .flat_map(|table| [table.main, table.preprocessed]);
    for region in regions.flatten() {
        let mut factors = region.selector(layout.variables());
        let slots: Vec<[EF; 2]> = powers(y, region.log_slots)
            .into_iter()
            .map(|power| [EF::ONE, power])
            .collect();
        let point = rho[rho.len() - region.log_height..].to_vec();
        let before = factors.len();
        factors.extend(&slots);
        claims.push(Claim {
            factors: factors.clone(),
            rows: Rows::At(point.clone()),
        });
        if let Some(first) = factors.get_mut(before) {
            *first = equality(EF::ZERO);
        }
        claims.push(Claim {
            factors,
            rows: Rows::Next(point),
        });
    }
    claims
}

/// Layouts with 1 to 4 variables that choose a row, and settings with and without rounds.
fn cases() -> Vec<Case> {
    vec![
        // One row, and no round.
        Case::new(&toy(4), &[shape(4, 1, 0)]),
        Case::new(&toy(6), &[shape(4, 3, 0)]),
        Case::new(&toy(6), &[shape(6, 1, 1)]),
        Case::new(&toy(6), &[shape(6, 3, 0), shape(5, 2, 1)]),
        Case::new(&toy(8), &mixed()),
        Case::new(&toy(8), &[shape(8, 9, 5), shape(7, 3, 3), shape(4, 2, 0)]),
        Case::new(&grinding(9), &mixed()),
        Case::new(
            &toy(12),
            &[shape(12, 3, 1), shape(11, 2, 0), shape(4, 40, 7)],
        ),
        Case::new(&toy(12), &[shape(6, 130, 0), shape(12, 1, 0)]),
    ]
}

#[test]
fn openings_are_accepted() {
    for case in cases() {
        let proof = case.prove();
        let indices = case.verify(&proof).unwrap();
        let steps: Vec<_> = case.scheme.schedule().commitments().collect();
        assert_eq!(indices.len(), steps.len());
        for (step, indices) in zip(steps, indices) {
            assert_eq!(indices.len(), step.queries);
            assert!(indices.iter().all(|&index| index < 1 << step.log_leaves));
        }
        the_length_is_known(&case.scheme, &proof);
    }
}

/// The bytes of an opening but for siblings, and the number of siblings.
#[derive(Default)]
struct Length {
    bytes: usize,
    siblings: usize,
}

impl Visitor<'_> for Length {
    type Suite = Poseidon16Suite;

    fn commitment(&mut self, commitment: &Commitment<Poseidon16Suite>) {
        self.bytes += 32 * commitment.digests().len();
    }

    fn elements(&mut self, elements: &[EF]) {
        self.bytes += 20 * elements.len();
    }

    fn nonces(&mut self, nonces: &[F]) {
        self.bytes += 4 * nonces.len();
    }

    fn answers(&mut self, queries: &Queries) {
        for tree in &queries.trees {
            self.bytes += 4 * tree.leaves.peek().iter().flatten().count();
            self.siblings += tree.paths.sibling_hashes.len();
        }
    }
}

/// Only the number of siblings depends on the queries.
fn the_length_is_known(scheme: &Scheme, proof: &Proof) {
    let mut length = Length::default();
    length.commitment(&proof.main);
    length.one_by_one(&proof.outside);
    proof.opening.visit(&mut length);
    let most = scheme.most_bytes() - length.bytes;
    assert_eq!(most % 32, 0);
    assert!(length.siblings <= most / 32);
}

/// Of all sets of leaves of a small tree.
#[test]
fn siblings_are_counted_for_the_worst_queries() {
    const LOG_LEAVES: usize = 3;
    let siblings = |leaves: u32, cap_height: usize| {
        let (mut nodes, mut count) = (leaves, 0);
        for level in (cap_height + 1..=LOG_LEAVES).rev() {
            let pairs = (0..1 << (level - 1)).map(|pair| nodes >> (2 * pair) & 3);
            count += pairs.clone().filter(|pair| matches!(pair, 1 | 2)).count();
            nodes = zip(0.., pairs)
                .map(|(i, pair)| u32::from(pair > 0) << i)
                .sum();
        }
        count
    };
    for cap_height in 0..=LOG_LEAVES {
        for queries in 1..=8 {
            let sets = (1_u32..256).filter(|leaves| leaves.count_ones() <= queries);
            let most = sets.map(|leaves| siblings(leaves, cap_height)).max();
            let found = scheme::most_siblings(queries as usize, LOG_LEAVES, cap_height);
            assert_eq!(most, Some(found), "{queries} queries, cap {cap_height}");
        }
    }
}

#[test]
fn false_claims_are_refused() {
    for case in cases() {
        let stack = case.stack();
        let values: Vec<EF> = case
            .claims
            .iter()
            .map(|claim| claims::naive_sum(claim, &stack))
            .collect();
        for claim in 0..values.len() {
            let mut values = values.clone();
            values[claim] += EF::ONE;
            // The prover binds the false value, and does what it does for the true one.
            let proof = case.prove_values(values);
            let error = case.verify(&proof).unwrap_err();
            assert!(matches!(error, OpeningError::FinalEquation), "{error}");
        }
    }
}
