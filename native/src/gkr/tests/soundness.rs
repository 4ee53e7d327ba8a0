//! What is refused, by prover and verifier.

use p3_challenger::{CanSample, CanSampleBits};
use p3_field::PackedValue;
use proptest::prelude::*;

use super::*;
use crate::lanes::{Packed, PackedExt};
use crate::stark::challenger::ExtensionTranscript;

#[test]
fn leaves_of_wrong_numbers_are_refused() {
    let (n, d) = balanced(8, 5);
    let error = |num_variables, n, d| <Fractions>::new(num_variables, n, d).unwrap_err();
    for found in [0, MAX_VARIABLES + 1, 64, usize::MAX] {
        assert_eq!(error(found, &n, &d), GkrError::Variables { found });
        let packed = <Fractions>::packed(found, Vec::new());
        assert_eq!(packed.unwrap_err(), GkrError::Variables { found });
    }
    let (found, capacity) = (8, 4);
    assert_eq!(error(2, &n, &d), GkrError::Leaves { found, capacity });
    let (found, expected) = (7, 8);
    assert_eq!(
        error(3, &n, &d[..7]),
        GkrError::Denominators { found, expected }
    );
    let padding = Fraction {
        numerator: Packed::ZERO,
        denominator: PackedExt::ONE,
    };
    let num_variables = Packed::WIDTH.ilog2() as usize + 1;
    assert!(Fractions::packed(num_variables, vec![padding; 2]).is_ok());
    assert_eq!(
        Fractions::packed(num_variables, vec![padding; 3]).unwrap_err(),
        GkrError::Leaves {
            found: 3 * Packed::WIDTH,
            capacity: 2 * Packed::WIDTH
        }
    );
}

#[test]
fn unbalanced_leaves_and_zero_denominators_are_refused_before_anything_is_sent() {
    for num_variables in [1, 2, 4, 5, 6, 9] {
        let length = 1 << num_variables;
        let refused = |n: &[F], d: &[EF], error| {
            let leaves = Fractions::new(num_variables, n, d).unwrap();
            let mut after = challenger();
            assert_eq!(prove(leaves, &mut after), Err(error));
            let [after, before]: [F; 2] = [after.sample(), challenger().sample()];
            assert_eq!(after, before);
        };
        for position in [0, length / 2, length - 1] {
            let (mut n, mut d) = balanced(length, 6);
            n[position] += F::ONE;
            refused(&n, &d, GkrError::Unbalanced);
            // Whatever the numerators.
            d[position] = EF::ZERO;
            refused(&n, &d, GkrError::ZeroDenominator);
            n[position] = F::ZERO;
            refused(&n, &d, GkrError::ZeroDenominator);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_changed_numerator_is_unbalanced(
        num_variables in 1_usize..=9,
        position: usize,
        change in 1..MODULUS,
        seed: u64,
    ) {
        let (mut n, d) = balanced(1 << num_variables, seed);
        n[position % (1 << num_variables)] += F::from_u32(change);
        let leaves = Fractions::new(num_variables, &n, &d).unwrap();
        prop_assert_eq!(prove(leaves, &mut challenger()), Err(GkrError::Unbalanced));
    }
}

fn refusal(proof: &GkrProof) -> GkrError {
    verify(proof, 6, &mut challenger()).unwrap_err()
}

fn halves_mut(halves: &mut [Fraction<EF>; 2]) -> [&mut EF; 4] {
    let [zero, one] = halves;
    [
        &mut zero.numerator,
        &mut zero.denominator,
        &mut one.numerator,
        &mut one.denominator,
    ]
}

/// Changes each coefficient of each element and checks the refusal.
fn each_change(elements: impl Fn(&mut GkrProof) -> Vec<&mut EF>, error: &GkrError) {
    let (mut proof, _) = example();
    for i in 0..elements(&mut proof).len() {
        for k in 0..EXTENSION_DEGREE {
            let change = EF::from_basis_coefficients_fn(|j| F::from_bool(j == k));
            *elements(&mut proof)[i] += change;
            assert_eq!(refusal(&proof), *error, "element {i}, coefficient {k}");
            *elements(&mut proof)[i] -= change;
        }
    }
    assert!(verify(&proof, 6, &mut challenger()).is_ok());
}

#[test]
fn every_changed_element_is_refused() {
    each_change(
        |proof| halves_mut(proof.root.forge()).into(),
        &GkrError::Unbalanced,
    );
    for layer in 1..6 {
        // A change of a round's polynomial, or of what the sumcheck ends in, is noticed where
        // it ends.
        let error = GkrError::Sumcheck { layer };
        each_change(
            |proof| {
                let layer = &mut proof.layers[layer - 1];
                let rounds = layer.rounds.iter_mut();
                let rounds = rounds.map(Sent::forge);
                std::iter::once(layer.quadratic.forge())
                    .chain(rounds.flat_map(|round| [&mut round.linear, &mut round.quadratic]))
                    .collect()
            },
            &error,
        );
        each_change(
            |proof| halves_mut(proof.layers[layer - 1].halves.forge()).into(),
            &error,
        );
    }
}

/// Changes all four values so that the sum of the fractions remains `N / D` with the same `D`.
fn change_without_effect_on_the_sum([zero, one]: &mut [Fraction<EF>; 2]) {
    zero.numerator += zero.denominator;
    one.numerator -= one.denominator;
}

#[test]
fn false_values_with_a_true_sum_are_refused_one_layer_later() {
    let (mut proof, _) = example();
    change_without_effect_on_the_sum(proof.root.forge());
    assert_eq!(refusal(&proof), GkrError::Sumcheck { layer: 1 });
    for layer in 1..5 {
        let (mut proof, _) = example();
        change_without_effect_on_the_sum(proof.layers[layer - 1].halves.forge());
        assert_eq!(refusal(&proof), GkrError::Sumcheck { layer: layer + 1 });
    }
}

#[test]
fn false_values_of_the_leaves_with_a_true_sum_lead_to_a_false_claim() {
    let (mut proof, leaves) = example();
    assert!(is_true(
        &verify(&proof, 6, &mut challenger()).unwrap(),
        &leaves
    ));
    change_without_effect_on_the_sum(proof.layers[4].halves.forge());
    let claim = verify(&proof, 6, &mut challenger()).unwrap();
    assert!(!is_true(&claim, &leaves));
    // So is the combination of the two values.
    let value = evaluate(&leaves, &claim.point);
    assert_ne!(
        value.numerator + claim.lambda * value.denominator,
        claim.numerator + claim.lambda * claim.denominator,
    );
}

#[test]
fn roots_that_are_not_zero_are_refused() {
    let (mut proof, _) = example();
    *proof.root.forge() = [fraction(1, 2), fraction(1, 2)];
    assert_eq!(refusal(&proof), GkrError::Unbalanced);
    // The sum is 0 / 0.
    for root in [
        [fraction(0, 0), fraction(0, 0)],
        [fraction(0, 0), fraction(5, 3)],
        [fraction(5, 3), fraction(0, 0)],
        [fraction(1, 0), fraction(1, 0)],
    ] {
        *proof.root.forge() = root;
        assert_eq!(refusal(&proof), GkrError::ZeroDenominator);
    }
}

#[test]
fn proofs_of_another_shape_are_refused() {
    let (proof, _) = example();
    for found in [0, MAX_VARIABLES + 1, usize::MAX] {
        let result = verify(&proof, found, &mut challenger());
        assert_eq!(result, Err(GkrError::Variables { found }));
    }
    for (num_variables, expected) in [(1, 0), (5, 4), (7, 6), (30, 29)] {
        let result = verify(&proof, num_variables, &mut challenger());
        assert_eq!(result, Err(GkrError::Layers { found: 5, expected }));
    }
    let (example, _) = example();
    let some = example.layers[1].rounds[0];
    for layer in 1..6_usize {
        let expected = layer - 1;
        for found in [0, expected.saturating_sub(1), layer, 2 * layer] {
            let mut proof = example.clone();
            proof.layers[layer - 1].rounds.resize(found, some);
            if found != expected {
                let error = GkrError::Rounds {
                    layer,
                    found,
                    expected,
                };
                assert_eq!(refusal(&proof), error);
            }
        }
    }
}

/// A transcript whose samples are chosen: the given ones, and then ones.
struct Chosen(std::vec::IntoIter<EF>);

impl Chosen {
    fn new(samples: &[EF]) -> Self {
        Self(Vec::from(samples).into_iter())
    }
}

impl CanObserve<F> for Chosen {
    fn observe(&mut self, _: F) {}
}

impl CanSampleBits<usize> for Chosen {
    fn sample_bits(&mut self, _: usize) -> usize {
        0
    }
}

impl ExtensionTranscript for Chosen {
    fn sample_extension(&mut self) -> EF {
        self.0.next().unwrap_or(EF::ONE)
    }

    fn prove_work(&mut self, _: usize) -> F {
        F::ZERO
    }
}

/// If a coordinate is zero, the sum says nothing about the linear coefficient, and the prover, who
/// would have to compute it, makes a proof that is refused. This has negligible probability.
#[test]
fn proofs_with_a_zero_coordinate_are_refused() {
    let (n, d) = balanced(8, 9);
    let leaves = Fractions::new(3, &n, &d).unwrap();
    let x = EF::from_basis_coefficients_fn(|i| F::from_usize(i + 2));
    // lambda and a challenge of layer 1, lambda and two challenges of layer 2, b and lambda.
    let verified = |position: usize| {
        let mut samples = [x; 7];
        samples[position] = EF::ZERO;
        let (proof, claim) = prove(leaves.clone(), &mut Chosen::new(&samples)).unwrap();
        assert!(is_true(&claim, &padded(3, &n, &d)));
        (verify(&proof, 3, &mut Chosen::new(&samples)), claim)
    };
    assert_eq!(verified(1).0, Err(GkrError::Sumcheck { layer: 2 }));
    // Zeros elsewhere are coordinates of the leaf claim, or no coordinates.
    for position in [0, 2, 3, 4, 5, 6] {
        let (result, claim) = verified(position);
        assert_eq!(result, Ok(claim));
    }
}
