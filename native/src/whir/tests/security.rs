//! Proven security is what Plonky3 reports for the same parameters, but for folds.

use p3_dft::Radix2DFTSmallBatch;
use p3_sumcheck::layout::PrefixProver;
use p3_sumcheck::{
    OpeningBatch, OpeningProtocol, PrescribedPointPcs, TableShape as Shape, TableSpec,
};
use p3_whir::WhirProver;

use super::*;
use crate::stark::security::{Preset, ProximityGap, SecurityBound, SecurityTerm};
use crate::stark::suite::{HashSuite, Poseidon16Mmcs, Poseidon16Suite};
use crate::whir::{LIST_DECODING, field_bits};

type Plonky3 = WhirProver<
    EF,
    F,
    Radix2DFTSmallBatch<F>,
    Poseidon16Mmcs,
    Poseidon16Challenger,
    PrefixProver<F, EF>,
>;

/// Bits that Plonky3 reports for as many claims about one table.
fn reported(scheme: &Scheme, claims: usize) -> f64 {
    let pcs = Plonky3::new(
        scheme.parameters().clone(),
        Radix2DFTSmallBatch::default(),
        Poseidon16Suite::val_mmcs(0),
    );
    // Columns that fill the stack, and a batch of claims about them.
    let log_width = 4;
    let shape = Shape::new(scheme.layout().variables() - log_width, 1 << log_width);
    let batches = vec![OpeningBatch::new((0..claims).collect(), vec![])];
    let protocol = OpeningProtocol::new(vec![TableSpec::new(shape, batches)]);
    pcs.prescribed_security(&protocol).unwrap().error().bits()
}

/// Our terms with what Plonky3 does otherwise: it rounds the size of the field down to 2^154,
/// derives grinding from the level, and charges every round of a fold as if no variable was bound
/// yet, and a bit more.
fn as_reported(scheme: &Scheme, claims: usize) -> f64 {
    let regime = p3_whir::SecurityAssumption::JohnsonBound;
    let parameters = scheme.parameters();
    let rounds = parameters.round_parameters();
    let steps: Vec<_> = scheme.schedule().commitments().collect();
    let ground_folds: Vec<usize> = [parameters.starting_folding_pow_bits()]
        .into_iter()
        .chain(rounds.iter().map(|round| round.folding_pow_bits))
        .collect();
    let ground_queries: Vec<usize> = rounds
        .iter()
        .map(|round| round.pow_bits)
        .chain([parameters.terminal().pow_bits])
        .collect();
    let terms = scheme.security(claims, ProximityGap::Dkt26);
    let terms = terms.into_iter().map(|term| {
        let number = term.commitment.unwrap();
        let step = steps.get(number).copied();
        let smaller = field_bits() - 154.0;
        let bits = match (term.name, step) {
            ("samples outside the domain", Some(step)) => term.bits - smaller * step.outside as f64,
            ("queries", Some(step)) => {
                term.bits - step.query_grinding_bits as f64 + ground_queries[number] as f64
            }
            ("combination of answers", _) => {
                let previous = steps[number - 1].query_grinding_bits as f64;
                term.bits - smaller - previous + ground_queries[number - 1] as f64
            }
            ("fold", Some(step)) => {
                regime.prox_gaps_error(step.variables, step.log_blowup, 154, 2) - 1.0
                    + ground_folds[number] as f64
            }
            ("sumcheck", Some(step)) => {
                let ground = ground_folds[number] as f64;
                term.bits - smaller - step.fold_grinding_bits as f64 + ground
            }
            _ => term.bits - smaller,
        };
        SecurityTerm { bits, ..term }
    });
    let bound = SecurityBound {
        regime: LIST_DECODING,
        terms: terms.collect(),
    };
    bound.sum()
}

#[test]
fn security_is_plonky3s() {
    for (settings, shapes) in [
        (WhirSettings::proven_100(), vec![shape(16, 51, 0)]),
        (WhirSettings::proven_100(), vec![shape(16, 1, 1)]),
        (WhirSettings::proven_120(), vec![shape(16, 51, 0)]),
        (grinding(9), mixed().to_vec()),
        (toy(6), vec![shape(6, 3, 0)]),
    ] {
        let layout = Layout::new(&shapes, settings.log_block).unwrap();
        let scheme: Scheme = Scheme::new(&settings, layout).unwrap();
        for claims in [1, 2, 16] {
            let bits = as_reported(&scheme, claims);
            let expected = reported(&scheme, claims);
            assert!((bits - expected).abs() < 1e-9, "{bits} is not {expected}");
        }
    }
}

/// With the newest bound on proximity gaps and without it: numbers of queries and samples are those
/// of Plonky3, which counts a sixteenth of a bit more for the field than it has.
#[test]
fn every_term_reaches_the_level() {
    for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
        let settings = WhirSettings::of(preset);
        for width in [2, 51, 250] {
            let layout = Layout::new(&[shape(16, width, 0)], settings.log_block).unwrap();
            let scheme: Scheme = Scheme::new(&settings, layout).unwrap();
            for gap in [ProximityGap::Bchks25, ProximityGap::Dkt26] {
                let terms = scheme.security(1000, gap);
                for term in &terms {
                    assert!(term.bits >= settings.security_level as f64, "{term:?}");
                }
                // One name for each of the events, for each commitment.
                let queries = terms.iter().filter(|term| term.name == "queries");
                assert_eq!(queries.count(), scheme.schedule().commitments().count());
                let folds = terms.iter().filter(|term| term.name == "fold");
                assert!(folds.clone().all(|term| term.theorem == gap.theorem()));
                assert!(folds.count() > 8);
            }
        }
    }
}
