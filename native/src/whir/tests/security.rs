//! Proven security is what Plonky3 reports for the same parameters.

use p3_dft::Radix2DFTSmallBatch;
use p3_sumcheck::layout::PrefixProver;
use p3_sumcheck::{
    OpeningBatch, OpeningProtocol, PrescribedPointPcs, TableShape as Shape, TableSpec,
};
use p3_whir::WhirProver;

use super::*;
use crate::stark::suite::{HashSuite, Poseidon16Mmcs, Poseidon16Suite};

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

#[test]
fn security_is_plonky3s() {
    for (settings, shapes) in [
        (WhirSettings::proven_100(), vec![shape(16, 51, 0)]),
        (WhirSettings::proven_100(), vec![shape(16, 1, 1)]),
        (grinding(9), mixed().to_vec()),
        (toy(6), vec![shape(6, 3, 0)]),
    ] {
        let layout = Layout::new(&shapes, settings.log_block).unwrap();
        let scheme = Scheme::new(&settings, layout).unwrap();
        for claims in [1, 2, 16] {
            let bits = scheme.security(claims).bits();
            let expected = reported(&scheme, claims);
            assert!((bits - expected).abs() < 1e-9, "{bits} is not {expected}");
        }
    }
}

#[test]
fn every_term_reaches_the_level() {
    let settings = WhirSettings::proven_100();
    for width in [2, 51, 250] {
        let layout = Layout::new(&[shape(16, width, 0)], settings.log_block).unwrap();
        let scheme = Scheme::new(&settings, layout).unwrap();
        let security = scheme.security(1000);
        for term in &security.terms {
            // One bit is the reserve of folds.
            assert!(
                term.bits >= settings.security_level as f64 - 1.0,
                "{term:?}"
            );
        }
        let least = security.terms.iter().map(|term| term.bits);
        assert!(
            least.fold(f64::INFINITY, f64::min) >= 100.0,
            "{security:#?}"
        );
        // One name for each of the events, for each commitment.
        let queries = security.terms.iter().filter(|term| term.name == "queries");
        assert_eq!(queries.count(), scheme.schedule().commitments().count());
    }
}
