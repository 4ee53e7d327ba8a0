//! Proofs compared with computations by hand and by the definitions.

use p3_challenger::CanSample;
use p3_field::PackedField;
use proptest::prelude::*;

use super::*;
use crate::gkr::prover::prove_in;
use crate::lanes::{PackedExt, from_lanes};
use crate::with_lanes;

/// The prover as it is specified: every value from the definitions.
fn prove_by_definition(leaves: &[Fraction<EF>], challenger: &mut Poseidon16Challenger) -> GkrProof {
    let mut layers = vec![leaves.to_vec()];
    while layers[0].len() > 2 {
        let (zeros, ones) = layers[0].split_at(layers[0].len() / 2);
        let sums = zip(zeros, ones).map(|(zero, one)| Fraction {
            numerator: zero.numerator * one.denominator + one.numerator * zero.denominator,
            denominator: zero.denominator * one.denominator,
        });
        layers.insert(0, sums.collect());
    }
    let root = [layers[0][0], layers[0][1]];
    let send_halves = |halves: &[Fraction<EF>; 2], challenger: &mut Poseidon16Challenger| {
        let [zero, one] = halves;
        let values = [
            zero.numerator,
            zero.denominator,
            one.numerator,
            one.denominator,
        ];
        send(&values, challenger);
    };
    send_halves(&root, challenger);
    // Without the first coordinate, which says which half.
    let mut point = vec![];
    let mut proofs = Vec::new();
    for layer in &layers[1..] {
        let lambda: EF = challenger.sample();
        let mut challenges: Vec<EF> = Vec::new();
        let mut polynomials = Vec::new();
        let halves_at = |x: &[EF]| -> [Fraction<EF>; 2] {
            [EF::ZERO, EF::ONE].map(|half| evaluate(layer, &[&[half], x].concat()))
        };
        for round in 0..=point.len() {
            let later = &point[round..];
            let t = |x: EF| -> EF {
                let terms = (0..1 << later.len()).map(|rest| {
                    let bits = (0..later.len())
                        .rev()
                        .map(|bit| ef((rest >> bit & 1) as i32));
                    let at: Vec<EF> = challenges.iter().copied().chain([x]).chain(bits).collect();
                    let [zero, one] = halves_at(&at);
                    let sum = zero.numerator * one.denominator
                        + one.numerator * zero.denominator
                        + lambda * zero.denominator * one.denominator;
                    eq(later, rest) * sum
                });
                terms.sum()
            };
            // The second difference of a quadratic polynomial is twice its leading coefficient.
            let [t0, t1, t2] = [0, 1, 2].map(|x| t(ef(x)));
            let polynomial = RoundPolynomial {
                linear: t1 - t0 - (t2 - t1.double() + t0).halve(),
                quadratic: (t2 - t1.double() + t0).halve(),
            };
            // The verifier knows the values of the first one at 0 and 1.
            if round > 0 {
                send(&[polynomial.linear], challenger);
            }
            send(&[polynomial.quadratic], challenger);
            polynomials.push(polynomial);
            challenges.push(challenger.sample());
        }
        let halves = halves_at(&challenges);
        send_halves(&halves, challenger);
        point = challenges;
        proofs.push(LayerProof {
            quadratic: Sent::forged(polynomials.remove(0).quadratic),
            rounds: polynomials.into_iter().map(Sent::forged).collect(),
            halves: Sent::forged(halves),
        });
    }
    GkrProof {
        root: Sent::forged(root),
        layers: proofs,
    }
}

#[test]
fn one_variable_by_hand() {
    let leaves = small(1, &[3, -3], &[5, 5]);
    let (proof, claim) = prove(leaves, &mut challenger()).unwrap();
    assert_eq!(*proof.root.peek(), [fraction(3, 5), fraction(-3, 5)]);
    assert_eq!(proof.layers, []);
    let mut expected = challenger();
    send(&[ef(3), ef(5), ef(-3), ef(5)], &mut expected);
    let b: EF = expected.sample();
    let lambda: EF = expected.sample();
    assert_eq!(claim.point, [b]);
    assert_eq!(claim.numerator, ef(3) - b * ef(6));
    assert_eq!(claim.denominator, ef(5));
    assert_eq!(claim.lambda, lambda);
    assert_eq!(verify(&proof, 1, &mut challenger()), Ok(claim));
}

#[test]
fn two_variables_by_hand() {
    // 1/2 + 1/3 - 5/6 + 0/1: first 1/2 - 5/6 = -4/12 and 1/3 + 0/1 = 1/3.
    let leaves = small(2, &[1, 1, -5], &[2, 3, 6]);
    let (proof, claim) = prove(leaves, &mut challenger()).unwrap();
    assert_eq!(*proof.root.peek(), [fraction(-4, 12), fraction(1, 3)]);
    let mut expected = challenger();
    send(&[ef(-4), ef(12), ef(1), ef(3)], &mut expected);
    let lambda: EF = expected.sample();
    // With n0 = 1, d0 = 2 + X, n1 = -5 + 5X and d1 = 6 - 5X:
    // G = -4 + 5X^2 + lambda (12 - 4X - 5X^2).
    let [layer] = proof.layers.as_slice() else {
        panic!("one layer");
    };
    assert_eq!(*layer.quadratic.peek(), ef(5) - lambda * ef(5));
    assert_eq!(layer.rounds, []);
    send(&[*layer.quadratic.peek()], &mut expected);
    let r: EF = expected.sample();
    let [zero, one] = layer.halves.peek();
    assert_eq!([zero.numerator, zero.denominator], [ef(1), ef(2) + r]);
    assert_eq!(one.numerator, ef(5) * r - ef(5));
    assert_eq!(one.denominator, ef(6) - ef(5) * r);
    assert_eq!(verify(&proof, 2, &mut challenger()), Ok(claim));
}

#[test]
fn three_variables_by_hand() {
    // Layer 2: 1 - 1/4 = 3/4, 1/2 - 1/3 = 1/6, -1/6, -3/4. Layer 1: 3/4 - 1/6 = 14/24 and -14/24.
    let leaves = small(3, &[1, 1, 1, 1, -1, -1, -1, -1], &[1, 2, 3, 4, 4, 3, 2, 1]);
    let (proof, claim) = prove(leaves, &mut challenger()).unwrap();
    assert_eq!(*proof.root.peek(), [fraction(14, 24), fraction(-14, 24)]);
    let mut expected = challenger();
    send(&[ef(14), ef(24), ef(-14), ef(24)], &mut expected);
    let lambda: EF = expected.sample();
    // With n0 = 3 - 2X, d0 = 4 + 2X, n1 = -1 - 2X and d1 = 6 - 2X, the quadratic coefficients of
    // n0 d1, n1 d0 and d0 d1 are 4, -4 and -4.
    assert_eq!(*proof.layers[0].quadratic.peek(), lambda * ef(-4));
    assert_eq!(proof.layers[0].rounds, []);
    assert_eq!(proof.layers[1].rounds.len(), 1);
    assert_eq!(verify(&proof, 3, &mut challenger()), Ok(claim));
}

#[test]
fn proofs_are_those_of_the_definition() {
    fn in_lanes<P: PackedField<Scalar = F>>(
        num_variables: usize,
        n: &[F],
        d: &[EF],
    ) -> (GkrProof, LeafClaim) {
        let leaves = Fractions::<P>::new(num_variables, n, d).unwrap();
        prove_in(leaves, &mut challenger()).unwrap()
    }
    // From 5 variables on leaves are packed in 16 lanes, and from 6 on there are packed rounds.
    for num_variables in 1..=8 {
        let length = (1 << num_variables) - num_variables;
        let (n, d) = balanced(length, num_variables as u64);
        let leaves = Fractions::new(num_variables, &n, &d).unwrap();
        let (proof, claim) = prove(leaves, &mut challenger()).unwrap();
        let values = padded(num_variables, &n, &d);
        assert_eq!(proof, prove_by_definition(&values, &mut challenger()));
        assert!(is_true(&claim, &values));
        for peer in with_lanes!(in_lanes(num_variables, &n, &d)) {
            assert_eq!(peer, (proof.clone(), claim.clone()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn balanced_leaves_lead_to_a_true_claim(
        num_variables in 1_usize..=11,
        length in 0_usize..=2048,
        seed: u64,
    ) {
        let length = length.min(1 << num_variables);
        let (n, d) = balanced(length, seed);
        let leaves = Fractions::new(num_variables, &n, &d).unwrap();
        let (mut prover, mut verifier) = (challenger(), challenger());
        let (proof, claim) = prove(leaves, &mut prover).unwrap();
        prop_assert!(is_true(&claim, &padded(num_variables, &n, &d)));
        prop_assert_eq!(verify(&proof, num_variables, &mut verifier), Ok(claim));
        let [after, expected]: [F; 2] = [verifier.sample(), prover.sample()];
        prop_assert_eq!(after, expected);
    }
}

#[test]
fn padding_is_zero_over_one() {
    for (num_variables, length) in [(1, 0), (2, 3), (4, 9), (5, 17), (7, 65), (7, 128), (9, 40)] {
        let (mut n, mut d) = balanced(length, 3);
        let short = Fractions::new(num_variables, &n, &d).unwrap();
        assert_eq!(short.num_variables(), num_variables);
        n.resize(1 << num_variables, F::ZERO);
        d.resize(1 << num_variables, EF::ONE);
        let long = Fractions::new(num_variables, &n, &d).unwrap();
        let proofs = [short, long].map(|leaves| prove(leaves, &mut challenger()).unwrap());
        assert_eq!(proofs[0], proofs[1]);
    }
}

fn packed_leaves<P: PackedField<Scalar = F>>() {
    let lanes = P::WIDTH;
    for (num_variables, length) in [(1, 2), (3, 8), (6, 3 * lanes), (8, 16 * lanes)] {
        let length = length.min(1 << num_variables);
        let (n, d) = balanced(length, 4);
        let elements = (0..length.div_ceil(lanes)).map(|i| Fraction {
            // Lanes without a leaf are ignored.
            numerator: P::from_fn(|lane| n.get(i * lanes + lane).copied().unwrap_or(F::TWO)),
            denominator: from_lanes(|lane| d.get(i * lanes + lane).copied().unwrap_or_default()),
        });
        let packed = Fractions::<P>::packed(num_variables, elements.collect()).unwrap();
        let scalar = Fractions::<P>::new(num_variables, &n, &d).unwrap();
        let proofs = [packed, scalar].map(|leaves| prove_in(leaves, &mut challenger()).unwrap());
        assert_eq!(proofs[0], proofs[1]);
        let more = vec![
            Fraction {
                numerator: P::ZERO,
                denominator: PackedExt::ONE,
            };
            2 * (1usize << num_variables).div_ceil(lanes)
        ];
        let refused = Fractions::<P>::packed(num_variables, more);
        assert!(matches!(refused, Err(GkrError::Leaves { .. })));
    }
}

#[test]
fn packed_leaves_are_the_same() {
    with_lanes!(packed_leaves());
}

#[test]
fn proofs_do_not_depend_on_the_number_of_threads() {
    let (n, d) = balanced(50_000, 10);
    let leaves = Fractions::new(16, &n, &d).unwrap();
    let prove_with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let proof = || prove(leaves.clone(), &mut challenger()).unwrap();
        pool.build().unwrap().install(proof)
    };
    let (proof, claim) = prove_with(1);
    assert_eq!(prove_with(2), (proof.clone(), claim.clone()));
    assert_eq!(prove_with(5), (proof.clone(), claim.clone()));
    assert!(is_true(&claim, &padded(16, &n, &d)));
    assert_eq!(verify(&proof, 16, &mut challenger()), Ok(claim));
}

#[test]
fn proofs_are_serialized_without_unknown_fields() {
    let (proof, _) = example();
    let json = serde_json::to_value(&proof).unwrap();
    assert_eq!(
        serde_json::from_value::<GkrProof>(json.clone()).unwrap(),
        proof
    );
    for path in ["", "/root/0", "/layers/1", "/layers/1/rounds/0"] {
        let mut json = json.clone();
        let object = json.pointer_mut(path).unwrap().as_object_mut().unwrap();
        object.insert("unknown".into(), 0.into());
        assert!(serde_json::from_value::<GkrProof>(json).is_err(), "{path}");
    }
}
