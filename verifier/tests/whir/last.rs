//! Provers who break one check that other checks would hide from a simpler one.
//!
//! The last queries: before the last sumcheck, the claim is `sum_b f(b) W(b)`, where `f` is the final polynomial and `W`
//! the weights at the challenges so far. The prover sends `f + d` instead, for a `d` that is
//! orthogonal to `W`, and is honest about it from there on. So the claim is true, and the last
//! sumcheck and the final equation hold; but `f + d` is not what was committed to.
//!
//! The combined leaf: the prover sends `c + d` instead of `c`, for a `d` that is orthogonal to the
//! weights of folding. So the answers are the true ones; but `c + d` is no combination of the leaves.

use droste_gadgets::Hint;
use droste_native::{EF, F};
use droste_verifier::tape::machine_tape;
use droste_vm::executor::execute;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, TwoAdicField};
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::SumcheckData;
use p3_sumcheck::constraints::statement::{EqStatement, SelectStatement};
use p3_sumcheck::constraints::{Constraint, Statements};
use p3_sumcheck::layout::{Layout, PrefixProver, Verifier, observe_commitment};
use p3_sumcheck::strategy::{Basis, VariableOrder};
use p3_sumcheck::transcript::SumcheckShape;

use crate::common::{Case, Lies, Opening, Transcript, observe_points, place};
use crate::falsehoods::{Check, coefficients, is_refused};
use crate::small;

/// The weights of the values of the final polynomial in the claim, at the challenges of an opening.
fn weights(case: &Case, opening: &Opening) -> Vec<EF> {
    let config = case.config();
    let mut transcript = Transcript::new(Lies::new(), None);
    observe_commitment::<F, _, _>(&mut transcript, opening.commitment.clone());
    observe_points(&opening.points, &mut transcript);
    let protocol = case.protocol();
    let strategy = <PrefixProver<F, EF> as Layout<F, EF>>::strategy();
    let mut layout = Verifier::<F, EF>::new(&protocol.table_shapes(), strategy);
    for &answer in &opening.proof.whir.initial_ood_answers {
        layout.add_virtual_eval(answer, &mut transcript);
    }
    let batches = protocol.iter_openings().zip(&opening.proof.evals);
    for (((table, request), evals), point) in batches.zip(&opening.points) {
        layout
            .add_claim_at(table, request, point, evals, &mut transcript)
            .unwrap();
    }

    // The other challenges, in the order in which they were sampled.
    let sampled = opening.transcript.sampled.as_chunks::<5>().0;
    let mut challenges = sampled
        .iter()
        .map(|x| EF::from_basis_coefficients_slice(x).unwrap())
        .skip(transcript.sampled.len() / 5);
    let mut indices = opening.transcript.indices.iter();
    let mut constraints = vec![layout.constraint(challenges.next().unwrap())];
    let folds = config.folding_schedule();
    let mut bound: Vec<EF> = challenges.by_ref().take(folds[0]).collect();
    for (round, fold) in config.round_parameters().iter().zip(&folds[1..]) {
        let n = round.num_variables;
        let mut outside = EqStatement::initialize(n);
        for _ in 0..round.ood_samples {
            let point = Point::expand_from_univariate(challenges.next().unwrap(), n);
            outside.add_evaluated_constraint(point, EF::ZERO);
        }
        let mut queried = SelectStatement::initialize(n);
        let generator = F::two_adic_generator(round.log_folded_domain_size);
        for &index in indices.by_ref().take(round.num_queries) {
            queried.add_constraint(generator.exp_u64(index as u64), EF::ZERO);
        }
        let statements = vec![Statements::Eq(outside), Statements::Select(queried)];
        let challenge = challenges.next().unwrap();
        constraints.push(Constraint::new_with_existing_claim(
            challenge, n, statements,
        ));
        bound.extend(challenges.by_ref().take(*fold));
    }

    let rest = config.final_sumcheck_rounds();
    let weight = |position: usize| {
        let mut point = bound.clone();
        point.extend_from_slice(Point::<EF>::hypercube(position, rest).as_slice());
        VariableOrder::Prefix.eval_constraints_poly(&constraints, &Point::new(point))
    };
    (0..1 << rest).map(weight).collect()
}

/// An honest sumcheck over the product of two polynomials.
fn sumcheck(values: &[EF], weights: &[EF], transcript: &mut Transcript) -> SumcheckData<F, EF> {
    let (mut values, mut weights) = (values.to_vec(), weights.to_vec());
    let rounds = values.len().ilog2() as usize;
    SumcheckShape::new(rounds, 0, Basis::Evaluation)
        .domain_separator::<F, EF>()
        .seed(transcript);
    let mut data = SumcheckData::default();
    for _ in 0..rounds {
        let half = values.len() / 2;
        let pairs = |list: &[EF]| -> Vec<(EF, EF)> {
            (0..half)
                .map(|i| (list[i], list[half + i] - list[i]))
                .collect()
        };
        let (left, right) = (pairs(&values), pairs(&weights));
        let products = left.iter().zip(&right);
        let constant = products.clone().map(|(a, b)| a.0 * b.0).sum();
        let quadratic = products.map(|(a, b)| a.1 * b.1).sum();
        data.polynomial_evaluations.push([constant, quadratic]);
        for value in [constant, quadratic] {
            p3_challenger::FieldChallenger::observe_algebra_element(transcript, value);
        }
        let r: EF = p3_challenger::FieldChallenger::sample_algebra_element(transcript);
        let bind =
            |pairs: Vec<(EF, EF)>| pairs.into_iter().map(|(a, slope)| a + r * slope).collect();
        (values, weights) = (bind(left), bind(right));
    }
    data
}

#[test]
fn the_last_queries_alone_bind_the_final_polynomial() {
    let case = &small()[5];
    assert_eq!(case.config().final_folding_pow_bits(), 0);
    let honest = case.open(None);
    let last = honest.proof.whir.final_poly.as_ref().unwrap().as_slice();
    let weights = weights(case, &honest);
    assert_eq!(weights.len(), last.len());

    let mut other = last.to_vec();
    other[0] += weights[1];
    other[1] -= weights[0];
    let product = |values: &[EF]| -> EF { values.iter().zip(&weights).map(|(a, b)| *a * *b).sum() };
    assert_eq!(product(&other), product(last));

    let flat = |values: &[EF]| -> Vec<F> { values.iter().flat_map(coefficients).collect() };
    let (said, true_ones) = (flat(&other), flat(last));
    let at = place(&honest.observed, &true_ones);
    let lies = (0..said.len())
        .map(|i| (at + i, said[i] - true_ones[i]))
        .collect();
    // The nonce comes between the final polynomial and the last sumcheck.
    assert!(case.config().terminal().pow_bits > 0);
    let mut lie = case.open_with(Transcript::new(lies, Some(at + said.len() + 1)));
    let mut transcript = lie.transcript.kept.clone().unwrap();
    lie.proof.whir.final_sumcheck = Some(sumcheck(&other, &weights, &mut transcript));
    lie.proof.whir.final_poly = Some(Poly::new(other));
    is_refused(case, &lie, Check::FinalQueries, "another final polynomial");

    // Without the lie, this prover's last sumcheck is Plonky3's.
    let keep = Some(at + said.len() + 1);
    let mut truth = case.open_with(Transcript::new(Lies::new(), keep));
    let mut transcript = truth.transcript.kept.clone().unwrap();
    truth.proof.whir.final_sumcheck = Some(sumcheck(last, &weights, &mut transcript));
    case.plonky3(&truth).unwrap();
    case.record(&truth).unwrap();
}

/// What the program's copy of the transcript absorbs before a combined leaf.
const TAG: u32 = 0x726f_7773;

#[test]
fn combined_leaves_are_compared_with_the_leaves() {
    let case = &small()[5];
    let config = case.config();
    let honest = case.open(None);
    let sampled = honest.transcript.sampled.as_chunks::<5>().0;
    let fold: Vec<EF> = sampled
        .iter()
        .map(|x| EF::from_basis_coefficients_slice(x).unwrap())
        .skip(config.commitment_ood_samples() + 1)
        .take(config.folding_schedule()[0])
        .collect();
    let weights = Poly::new_from_point(&fold, EF::ONE);
    let weights = weights.as_slice();

    let tape = case.record(&honest).unwrap();
    let compiled = case.compile();
    let begins = |hint: &Hint| matches!(hint, Hint::Slice(b) if b[0][0] == Some(F::from_u32(TAG)));
    let mut found = (0..tape.hints.len()).filter(|&i| begins(&tape.hints[i]));
    let (Some(place), None) = (found.next(), found.next()) else {
        panic!("there is one combined leaf");
    };
    for honest in [true, false] {
        let mut tape = tape.clone();
        let Hint::Slice(blocks) = &mut tape.hints[place] else {
            panic!("a leaf is a slice");
        };
        let mut add = |element: usize, difference: EF| {
            for (i, &x) in coefficients(&difference).iter().enumerate() {
                let lane = 1 + 5 * element + i;
                let cell = &mut blocks[lane / 8][lane % 8];
                *cell = cell.map(|old| old + x);
            }
        };
        if !honest {
            add(0, weights[1]);
            add(1, -weights[0]);
        }
        let run = case.run(&tape);
        assert_eq!(run.is_ok(), honest, "{run:?}");
        let in_the_machine = execute(&compiled, &[], &machine_tape(&tape), 1 << 22);
        assert_eq!(in_the_machine.is_ok(), honest);
    }
}
