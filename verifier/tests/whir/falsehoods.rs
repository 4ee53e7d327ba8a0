//! False openings. For every value that the transcript observes there is a prover who is honest but
//! for this value, so that the checks fail that bind it, and no other. Plonky3's error says which one
//! is the first. Each is the only one, except that the final equation, too, binds the final
//! polynomial: [`crate::last`] has the prover who breaks the check of the last queries alone. Values
//! that are not observed are changed in a finished proof.

use droste_native::stark::suite::SuiteCap;
use droste_native::{EF, F};
use droste_verifier::tape::TapeError;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::{OpeningBatch, SumcheckError};
use p3_whir::pcs::proof::{QueryOpenings, SumcheckData};
use p3_whir::pcs::verifier::errors::VerifierError;

use crate::common::{Cap, Case, Opening};
use crate::small;

/// A check of the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A leaf and its path lead to the commitment.
    Path,
    /// A nonce has worked enough.
    Work,
    /// The answers to the last queries are values of the final polynomial.
    FinalQueries,
    /// The final equation.
    FinalEquation,
}

impl Check {
    /// The check that failed in Plonky3's verifier.
    fn of(error: &VerifierError) -> Option<Self> {
        match error {
            VerifierError::MerkleProofInvalid { .. } => Some(Self::Path),
            VerifierError::InvalidPowWitness { .. }
            | VerifierError::Sumcheck(SumcheckError::InvalidPowWitness { .. }) => Some(Self::Work),
            VerifierError::StirChallengeFailed { .. } => Some(Self::FinalQueries),
            VerifierError::SumcheckFailed { .. } => Some(Self::FinalEquation),
            _ => None,
        }
    }

    /// What the failed assertion of the program compares.
    const fn operands(self) -> &'static str {
        match self {
            Self::Path => "left: Block",
            Self::Work => "left: Felt",
            Self::FinalQueries | Self::FinalEquation => "left: Ext",
        }
    }
}

/// A value of the proof that the transcript observes.
struct Site {
    name: String,
    /// Consecutive elements that the honest transcript observes.
    context: Vec<F>,
    /// The one of them that is changed.
    at: usize,
    /// Adds one to the same element of the proof.
    change: Box<dyn Fn(&mut Opening)>,
    check: Check,
}

pub fn coefficients(x: &EF) -> Vec<F> {
    x.as_basis_coefficients_slice().to_vec()
}

/// The same commitment with one added to the first element of its first digest.
fn changed(cap: &Cap) -> Cap {
    let mut digests = cap.digests().to_vec();
    digests[0][0] += F::ONE;
    SuiteCap::from_digests(digests)
}

/// Adds one to an evaluation of a polynomial.
fn with_value(poly: &Poly<EF>, place: usize) -> Poly<EF> {
    let mut values = poly.as_slice().to_vec();
    values[place] += EF::ONE;
    Poly::new(values)
}

#[derive(Default)]
struct Sites(Vec<Site>);

impl Sites {
    fn add(
        &mut self,
        name: String,
        check: Check,
        (context, at): (Vec<F>, usize),
        change: impl Fn(&mut Opening) + 'static,
    ) {
        self.0.push(Site {
            name,
            context,
            at,
            change: Box::new(change),
            check,
        });
    }

    fn sumcheck(
        &mut self,
        name: &str,
        data: &SumcheckData<F, EF>,
        of: impl Fn(&mut Opening) -> &mut SumcheckData<F, EF> + Copy + 'static,
    ) {
        // The first and the last round.
        let last = data.polynomial_evaluations.len() - 1;
        for round in [0, last] {
            let message = data.polynomial_evaluations[round];
            let mut context: Vec<F> = message.iter().flat_map(coefficients).collect();
            for value in 0..2 {
                self.add(
                    format!("{name}, round {round}, value {value}"),
                    Check::FinalEquation,
                    (context.clone(), 5 * value),
                    move |opening| {
                        of(opening).polynomial_evaluations[round][value] += EF::ONE;
                    },
                );
            }
            if let Some(&nonce) = data.pow_witnesses.get(round) {
                context.push(nonce);
                self.add(
                    format!("{name}, round {round}, nonce"),
                    Check::Work,
                    (context, 10),
                    move |opening| of(opening).pow_witnesses[round] += F::ONE,
                );
            }
        }
    }

    /// All values that the transcript of an opening observes.
    fn of(opening: &Opening) -> Vec<Site> {
        let mut sites = Self::default();
        let whir = &opening.proof.whir;
        let digest = |cap: &Cap| cap.digests()[0].to_vec();
        sites.add(
            "commitment".into(),
            Check::Path,
            (digest(&opening.commitment), 0),
            |opening| opening.commitment = changed(&opening.commitment),
        );
        for (i, answer) in whir.initial_ood_answers.iter().enumerate() {
            sites.add(
                format!("first sample {i}"),
                Check::FinalEquation,
                (coefficients(answer), 0),
                move |opening| opening.proof.whir.initial_ood_answers[i] += EF::ONE,
            );
        }
        for (i, batch) in opening.proof.evals.iter().enumerate() {
            for (j, value) in batch.to_vec().iter().enumerate() {
                sites.add(
                    format!("batch {i}, value {j}"),
                    Check::FinalEquation,
                    (coefficients(value), 0),
                    move |opening| {
                        let batch = &mut opening.proof.evals[i];
                        let mut values = batch.to_vec();
                        values[j] += EF::ONE;
                        let next = values.split_off(batch.current().len());
                        *batch = OpeningBatch::new(values, next);
                    },
                );
            }
        }
        sites.sumcheck("first sumcheck", &whir.initial_sumcheck, |opening| {
            &mut opening.proof.whir.initial_sumcheck
        });
        for (i, round) in whir.rounds.iter().enumerate() {
            let cap = round.commitment.as_ref().unwrap();
            sites.add(
                format!("round {i}, commitment"),
                Check::Path,
                (digest(cap), 0),
                move |opening| {
                    let cap = &mut opening.proof.whir.rounds[i].commitment;
                    *cap = cap.as_ref().map(changed);
                },
            );
            let mut before = cap.digests().last().unwrap().to_vec();
            for (j, answer) in round.ood_answers.iter().enumerate() {
                before = coefficients(answer);
                sites.add(
                    format!("round {i}, sample {j}"),
                    Check::FinalEquation,
                    (before.clone(), 0),
                    move |opening| opening.proof.whir.rounds[i].ood_answers[j] += EF::ONE,
                );
            }
            if round.pow_witness != F::ZERO {
                let at = before.len();
                before.push(round.pow_witness);
                sites.add(
                    format!("round {i}, nonce"),
                    Check::Work,
                    (before, at),
                    move |opening| opening.proof.whir.rounds[i].pow_witness += F::ONE,
                );
            }
            let name = format!("sumcheck of round {i}");
            sites.sumcheck(&name, &round.sumcheck, move |opening| {
                &mut opening.proof.whir.rounds[i].sumcheck
            });
        }
        let last = whir.final_poly.as_ref().unwrap();
        let n = last.as_slice().len();
        for i in [0, n - 1] {
            sites.add(
                format!("final polynomial, value {i}"),
                Check::FinalQueries,
                (coefficients(&last.as_slice()[i]), 0),
                move |opening| {
                    let last = &mut opening.proof.whir.final_poly;
                    *last = last.as_ref().map(|last| with_value(last, i));
                },
            );
        }
        if whir.final_pow_witness != F::ZERO {
            let mut context = coefficients(&last.as_slice()[n - 1]);
            context.push(whir.final_pow_witness);
            sites.add("final nonce".into(), Check::Work, (context, 5), |opening| {
                opening.proof.whir.final_pow_witness += F::ONE
            });
        }
        sites.sumcheck(
            "last sumcheck",
            whir.final_sumcheck.as_ref().unwrap(),
            |opening| opening.proof.whir.final_sumcheck.as_mut().unwrap(),
        );
        sites.0
    }
}

/// Both verifiers refuse the opening, by this check.
pub fn is_refused(case: &Case, opening: &Opening, check: Check, name: &str) {
    let error = case.plonky3(opening).unwrap_err();
    assert_eq!(Check::of(&error), Some(check), "{name}: {error}");
    match case.record(opening) {
        Err(TapeError::Rejected(failure)) => {
            let message = &failure.0;
            assert!(message.contains(check.operands()), "{name}: {message}");
        }
        other => panic!("{name}: {:?}", other.map(|tape| tape.hints.len())),
    }
}

fn every_observed_value_is_bound(case: &Case) -> Vec<Check> {
    let honest = case.open(None);
    let mut checks = Vec::new();
    for site in Sites::of(&honest) {
        let places: Vec<usize> = honest
            .observed
            .windows(site.context.len())
            .enumerate()
            .filter(|(_, window)| *window == site.context)
            .map(|(place, _)| place)
            .collect();
        let [place] = places[..] else {
            panic!("{}: observed at {places:?}", site.name);
        };
        let mut lie = case.open(Some(place + site.at));
        (site.change)(&mut lie);
        is_refused(case, &lie, site.check, &site.name);
        checks.push(site.check);
    }
    println!("{} values", checks.len());
    checks
}

#[test]
fn every_value_of_small_openings_is_bound() {
    for case in [&small()[4], &small()[5]] {
        let checks = every_observed_value_is_bound(case);
        assert!(checks.contains(&Check::Path) && checks.contains(&Check::FinalQueries));
    }
}

#[test]
fn every_value_and_every_nonce_is_bound() {
    let checks = every_observed_value_is_bound(&Case::grinding());
    // Two rounds' and the last queries' nonces, and two for each of four sumchecks.
    let work = checks.iter().filter(|check| **check == Check::Work);
    assert_eq!(work.count(), 3 + 8);
}

/// Points are the caller's: values at one point are not those at another.
#[test]
fn points_are_bound() {
    let case = &small()[5];
    let honest = case.open(None);
    for batch in 0..honest.points.len() {
        // The caller's transcript observes the point, so the prover lies about that, too.
        let coordinates = honest.points[batch].as_slice();
        let context: Vec<F> = coordinates.iter().flat_map(coefficients).collect();
        let place = crate::common::place(&honest.observed, &context);
        let mut lie = case.open(Some(place));
        let mut moved = coordinates.to_vec();
        moved[0] += EF::ONE;
        lie.points[batch] = Point::new(moved);
        is_refused(case, &lie, Check::FinalEquation, "point");
    }
}

/// The openings of commitment `number`.
fn openings(opening: &mut Opening, number: usize) -> &mut QueryOpenings<F, EF, Pruned> {
    let whir = &mut opening.proof.whir;
    match whir.rounds.get_mut(number) {
        Some(round) => &mut round.openings,
        None => &mut whir.final_openings,
    }
}

type Pruned = droste_native::stark::suite::MultiProof<droste_native::Poseidon16Suite>;

/// Rows and siblings are not observed: the commitment alone binds them.
#[test]
fn rows_and_paths_are_bound() {
    let case = &small()[5];
    let honest = case.open(None);
    for number in 0..2 {
        let rows = match openings(&mut honest.clone(), number) {
            QueryOpenings::Base(opening) => opening.rows.len(),
            QueryOpenings::Extension(opening) => opening.rows.len(),
        };
        for query in [0, rows - 1] {
            let mut row = honest.clone();
            match openings(&mut row, number) {
                // Two queries of one index have the same row.
                QueryOpenings::Base(opening) => {
                    let old = opening.rows[query].clone();
                    for row in opening.rows.iter_mut().filter(|row| **row == old) {
                        row[3] += F::ONE;
                    }
                }
                QueryOpenings::Extension(opening) => {
                    let old = opening.rows[query].clone();
                    for row in opening.rows.iter_mut().filter(|row| **row == old) {
                        row[3] += EF::ONE;
                    }
                }
            }
            is_refused(case, &row, Check::Path, "row");
        }
        let mut path = honest.clone();
        match openings(&mut path, number) {
            QueryOpenings::Base(opening) => opening.proof.sibling_hashes[0][7] += F::ONE,
            QueryOpenings::Extension(opening) => opening.proof.sibling_hashes[0][7] += F::ONE,
        }
        is_refused(case, &path, Check::Path, "path");
    }
}

/// Lengths are the shape's, and nonces are zero where no work is required.
#[test]
fn other_lengths_are_refused() {
    let case = &small()[5];
    let honest = case.open(None);
    type Change = fn(&mut Opening);
    let changes: [(&str, Change); 16] = [
        ("samples", |o| {
            o.proof.whir.initial_ood_answers.push(EF::ONE)
        }),
        ("batches", |o| o.proof.evals.truncate(1)),
        ("values", |o| {
            let [a, b] = [0, 1].map(|i| o.proof.evals[1].current()[i]);
            o.proof.evals[1] = OpeningBatch::new(vec![a, b], o.proof.evals[1].next().to_vec());
        }),
        ("next values", |o| {
            o.proof.evals[1] = OpeningBatch::new(o.proof.evals[1].current().to_vec(), vec![]);
        }),
        ("messages", |o| {
            o.proof
                .whir
                .initial_sumcheck
                .polynomial_evaluations
                .truncate(3);
        }),
        ("nonces of sumcheck", |o| {
            o.proof.whir.initial_sumcheck.pow_witnesses.push(F::ZERO);
        }),
        ("rounds", |o| o.proof.whir.rounds.clear()),
        ("commitment", |o| o.proof.whir.rounds[0].commitment = None),
        ("cap", |o| {
            let cap = o.proof.whir.rounds[0].commitment.as_ref().unwrap();
            let doubled = cap.digests().repeat(2);
            o.proof.whir.rounds[0].commitment = Some(SuiteCap::from_digests(doubled));
        }),
        ("samples of a round", |o| {
            o.proof.whir.rounds[0].ood_answers.clear()
        }),
        ("kind of openings", |o| {
            o.proof.whir.final_openings = o.proof.whir.rounds[0].openings.clone();
        }),
        ("rows", |o| match openings(o, 0) {
            QueryOpenings::Base(opening) => opening.rows.truncate(3),
            QueryOpenings::Extension(_) => {}
        }),
        ("row", |o| match openings(o, 0) {
            QueryOpenings::Base(opening) => opening.rows[0].push(F::ZERO),
            QueryOpenings::Extension(_) => {}
        }),
        ("final polynomial", |o| o.proof.whir.final_poly = None),
        ("length of the final polynomial", |o| {
            o.proof.whir.final_poly = Some(Poly::new(vec![EF::ONE; 16]));
        }),
        ("last sumcheck", |o| o.proof.whir.final_sumcheck = None),
    ];
    for (name, change) in changes {
        let mut opening = honest.clone();
        change(&mut opening);
        assert!(case.plonky3(&opening).is_err(), "{name}");
        let error = case.record(&opening).unwrap_err();
        assert!(matches!(error, TapeError::Shape { .. }), "{name}: {error}");
    }
    let mut siblings = honest.clone();
    match openings(&mut siblings, 1) {
        QueryOpenings::Base(_) => {}
        QueryOpenings::Extension(opening) => opening.proof.sibling_hashes.truncate(1),
    }
    assert!(case.plonky3(&siblings).is_err());
    assert!(matches!(case.record(&siblings), Err(TapeError::Path(_))));

    // Here no work is required before the last queries.
    let free = Case {
        pow: 0,
        ..case.clone()
    };
    let mut nonce = free.open(None);
    assert!(free.record(&nonce).is_ok());
    nonce.proof.whir.final_pow_witness = F::ONE;
    assert!(free.plonky3(&nonce).is_err());
    assert!(matches!(free.record(&nonce), Err(TapeError::Nonce { .. })));
}
